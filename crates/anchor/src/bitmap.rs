//! [`Bitmap`]: which buckets are in service, a bit each.

use alloc::vec::Vec;
use core::mem::size_of;

const BITS: u32 = u64::BITS;

/// A set of bucket numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bitmap {
    /// The last one is not 0.
    words: Vec<u64>,
    len: u32,
    /// All words before this one are full.
    full: usize,
}

impl Bitmap {
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// One more than the highest number; 0 without any.
    pub(crate) fn bound(&self) -> u32 {
        match self.words.last() {
            None => 0,
            Some(last) => number(self.words.len() - 1, BITS - last.leading_zeros()),
        }
    }

    pub(crate) fn contains(&self, bucket: u32) -> bool {
        let (at, bit) = place(bucket);
        self.words.get(at).is_some_and(|word| word & bit != 0)
    }

    /// Adds a number; says whether it was new.
    pub(crate) fn insert(&mut self, bucket: u32) -> bool {
        let (at, bit) = place(bucket);
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        self.len += u32::from(new);
        while self.words.get(self.full) == Some(&u64::MAX) {
            self.full += 1;
        }
        new
    }

    /// Takes a number out; says whether it was there.
    pub(crate) fn remove(&mut self, bucket: u32) -> bool {
        if !self.contains(bucket) {
            return false;
        }
        let (at, bit) = place(bucket);
        self.words[at] &= !bit;
        self.len -= 1;
        self.full = self.full.min(at);
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        true
    }

    /// The lowest number that is not in the set.
    pub(crate) fn lowest_free(&self) -> u32 {
        let word = self.words.get(self.full).copied().unwrap_or(0);
        number(self.full, word.trailing_ones())
    }

    /// The next number of the set from this one on, round the end; `None` if the set is empty.
    pub(crate) fn at_or_after(&self, bucket: u32) -> Option<u32> {
        let (at, bit) = place(bucket);
        let rest = self.words.get(at).map_or(0, |word| word & !(bit - 1));
        let next = |(at, word): (usize, u64)| number(at, word.trailing_zeros());
        let behind = (0..).zip(self.words.iter().copied());
        core::iter::once((at, rest))
            .chain(behind.clone().skip(at + 1))
            .chain(behind)
            .find(|&(_, word)| word != 0)
            .map(next)
    }

    /// The numbers below the highest that are not in the set, ascending.
    pub(crate) fn holes(&self) -> Vec<u32> {
        (self.lowest_free()..self.bound())
            .filter(|&bucket| !self.contains(bucket))
            .collect()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

fn place(bucket: u32) -> (usize, u64) {
    ((bucket / BITS) as usize, 1 << (bucket % BITS)) // u32 fits
}

/// The number of a bit, counted from the first of this word. Bucket numbers are below 2^31.
fn number(at: usize, bit: u32) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX / BITS) * BITS + bit
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn it_says_what_a_set_says() {
        let (mut bitmap, mut set) = (Bitmap::default(), BTreeSet::new());
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = keyroute_core::buckets::word(state, 0);
            let bucket = keyroute_core::buckets::below(state, 200);
            if state & 1 == 0 {
                assert_eq!(bitmap.insert(bucket), set.insert(bucket));
            } else {
                assert_eq!(bitmap.remove(bucket), set.remove(&bucket));
            }
            assert_eq!(bitmap.len() as usize, set.len());
            assert_eq!(bitmap.bound(), set.last().map_or(0, |last| last + 1));
            let free = (0..).find(|bucket| !set.contains(bucket));
            assert_eq!(Some(bitmap.lowest_free()), free);
            let next = set.range(bucket..).chain(&set).next().copied();
            assert_eq!(bitmap.at_or_after(bucket), next);
            assert_eq!(bitmap.contains(bucket), set.contains(&bucket));
        }
        let holes: Vec<u32> = (0..bitmap.bound())
            .filter(|bucket| !set.contains(bucket))
            .collect();
        assert_eq!(bitmap.holes(), holes);
    }

    #[test]
    fn full_words_are_passed_over() {
        let mut bitmap = Bitmap::default();
        for bucket in 0..1000 {
            assert_eq!(bitmap.lowest_free(), bucket);
            assert!(bitmap.insert(bucket));
        }
        for bucket in [999, 64, 640, 63] {
            assert!(bitmap.remove(bucket));
        }
        for bucket in [63, 64, 640, 999, 1000] {
            assert_eq!(bitmap.lowest_free(), bucket);
            assert!(bitmap.insert(bucket));
        }
    }
}
