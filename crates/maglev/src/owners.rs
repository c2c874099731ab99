//! [`Owners`]: the owner of each entry, in as few bytes as do.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::slice;

use keyroute_core::Slot;

/// A table of slots: of two bytes each while all are below 2^16, which is half as much for caches to hold.
#[derive(Clone, Debug)]
pub(crate) enum Owners {
    /// The indices of the slots.
    Narrow(Box<[u16]>),
    Wide(Box<[Slot]>),
}

impl Owners {
    pub(crate) fn new(slots: Vec<Slot>) -> Self {
        let narrow: Result<Box<[u16]>, _> = slots
            .iter()
            .map(|slot| u16::try_from(slot.index()))
            .collect();
        match narrow {
            Ok(narrow) => Self::Narrow(narrow),
            Err(_) => Self::Wide(slots.into()),
        }
    }

    /// The owner of this entry, if there is one.
    #[inline]
    pub(crate) fn get(&self, entry: u32) -> Option<Slot> {
        let at = entry as usize; // u32 fits
        match self {
            Self::Narrow(indices) => Slot::new((*indices.get(at)?).into()),
            Self::Wide(slots) => slots.get(at).copied(),
        }
    }

    pub(crate) fn iter(&self) -> Iter<'_> {
        match self {
            Self::Narrow(indices) => Iter::Narrow(indices.iter()),
            Self::Wide(slots) => Iter::Wide(slots.iter()),
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Narrow(indices) => size_of_val::<[u16]>(indices),
            Self::Wide(slots) => size_of_val::<[Slot]>(slots),
        }
    }
}

impl Default for Owners {
    fn default() -> Self {
        Self::Narrow(Box::default())
    }
}

/// The owners in the order of the entries.
pub(crate) enum Iter<'a> {
    Narrow(slice::Iter<'a, u16>),
    Wide(slice::Iter<'a, Slot>),
}

impl Iterator for Iter<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        match self {
            Self::Narrow(indices) => Slot::new((*indices.next()?).into()),
            Self::Wide(slots) => slots.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Narrow(indices) => indices.size_hint(),
            Self::Wide(slots) => slots.size_hint(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_it_was_given_in_two_bytes_or_in_four() {
        for (greatest, bytes) in [(65_535, 2), (65_536, 4)] {
            let slots: Vec<Slot> = [3, 0, greatest, 7]
                .into_iter()
                .filter_map(Slot::new)
                .collect();
            let owners = Owners::new(slots.clone());
            assert_eq!(owners.heap_bytes(), 4 * bytes);
            assert_eq!(owners.iter().len(), 4);
            assert!(owners.iter().eq(slots.iter().copied()));
            for (entry, &slot) in (0..).zip(&slots) {
                assert_eq!(owners.get(entry), Some(slot));
            }
            assert_eq!(owners.get(4), None);
        }
        assert_eq!(Owners::default().get(0), None);
    }
}
