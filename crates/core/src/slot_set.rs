//! [`SlotSet`]: the nodes a walk has met.

use alloc::vec::Vec;
use core::fmt;

use crate::Slot;

const INLINE_WORDS: usize = 16;

/// A set of slots: a bitmap whose first 1,024 slots need no allocation.
///
/// Lend one to [`Walk::walk_with`](crate::Walk::walk_with) to walk more than 1,024 nodes without
/// allocating each time: it keeps its memory when it is cleared.
///
/// ```
/// use keyroute_core::{Slot, SlotSet};
///
/// let mut seen = SlotSet::new();
/// let slot = Slot::new(7).unwrap();
/// assert!(seen.insert(slot));
/// assert!(!seen.insert(slot));
/// assert!(seen.contains(slot));
/// ```
#[derive(Clone, Default)]
pub struct SlotSet {
    inline: [u64; INLINE_WORDS],
    spilled: Vec<u64>,
}

impl SlotSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a slot; says whether it was new.
    pub fn insert(&mut self, slot: Slot) -> bool {
        let (word, bit) = place(slot);
        let word = if word < INLINE_WORDS {
            &mut self.inline[word]
        } else {
            let word = word - INLINE_WORDS;
            if word >= self.spilled.len() {
                self.spilled.resize(word + 1, 0);
            }
            &mut self.spilled[word]
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Whether the slot is in the set.
    #[must_use]
    pub fn contains(&self, slot: Slot) -> bool {
        let (word, bit) = place(slot);
        let word = match word.checked_sub(INLINE_WORDS) {
            None => self.inline[word],
            Some(word) => self.spilled.get(word).copied().unwrap_or(0),
        };
        word & bit != 0
    }

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self) {
        self.inline = [0; INLINE_WORDS];
        self.spilled.fill(0);
    }

    /// The slots in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        (0u32..)
            .zip(self.inline.iter().chain(&self.spilled))
            .flat_map(|(word, &bits)| {
                (0..64)
                    .filter(move |bit| bits >> bit & 1 == 1)
                    .filter_map(move |bit| Slot::new(word * 64 + bit))
            })
    }
}

fn place(slot: Slot) -> (usize, u64) {
    (slot.at() / 64, 1 << (slot.at() % 64))
}

impl fmt::Debug for SlotSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_on_both_sides_of_the_inline_words_are_kept_apart() {
        let mut set = SlotSet::new();
        let indices = [0, 63, 64, 1023, 1024, 1087, 70_000];
        for index in indices {
            assert!(set.insert(Slot::new(index).unwrap()));
        }
        assert!(set.iter().map(Slot::index).eq(indices));
        assert!(!set.contains(Slot::new(1025).unwrap()));
        assert!(!set.contains(Slot::new(1 << 30).unwrap()));
        set.clear();
        assert_eq!(set.iter().count(), 0);
    }
}
