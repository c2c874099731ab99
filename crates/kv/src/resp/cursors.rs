//! [`Cursors`]: numbers for the store's cursors, since clients of Redis know no other.

use std::collections::{BTreeMap, VecDeque};

/// The most cursors that are kept.
const CURSORS: usize = 16_384;
/// The most bytes of theirs.
const BYTES: usize = 16 << 20;

/// The store's cursors under numbers, for all connections: clients with several go on with one where they began with
/// another. The oldest are forgotten when there are too many. One that was used stays, for whoever asks again.
#[derive(Debug, Default)]
pub(super) struct Cursors {
    cursors: BTreeMap<u64, Vec<u8>>,
    oldest_first: VecDeque<u64>,
    bytes: usize,
    last: u64,
}

impl Cursors {
    /// Keeps a cursor; gives its number, which is not 0.
    pub(super) fn keep(&mut self, cursor: Vec<u8>) -> u64 {
        self.last += 1;
        self.bytes += cursor.len();
        self.cursors.insert(self.last, cursor);
        self.oldest_first.push_back(self.last);
        while self.cursors.len() > CURSORS || self.bytes > BYTES {
            let oldest = self.oldest_first.pop_front();
            let Some(gone) = oldest.and_then(|number| self.cursors.remove(&number)) else {
                break;
            };
            self.bytes -= gone.len();
        }
        self.last
    }

    /// The cursor of this number, if it is kept.
    pub(super) fn find(&self, number: u64) -> Option<&[u8]> {
        self.cursors.get(&number).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten_by_number_and_by_bytes() {
        let mut cursors = Cursors::default();
        let first = cursors.keep(b"a".to_vec());
        assert_eq!(cursors.find(first), Some(&b"a"[..]));
        assert_eq!((cursors.find(0), cursors.find(first + 1)), (None, None));
        for _ in 0..CURSORS - 1 {
            cursors.keep(b"b".to_vec());
        }
        assert_eq!(cursors.find(first), Some(&b"a"[..]));
        let last = cursors.keep(b"c".to_vec());
        assert_eq!(cursors.find(first), None);
        assert_eq!(cursors.bytes, CURSORS);

        let large = cursors.keep(vec![0; BYTES - 1]);
        assert!(cursors.find(last).is_some() && cursors.find(large).is_some());
        assert!(cursors.find(last - 1).is_none());
        let more = cursors.keep(vec![0; 2]);
        assert!(cursors.find(large).is_none() && cursors.find(more).is_some());
        assert_eq!((cursors.bytes, cursors.oldest_first.len()), (2, 1));
    }
}
