//! MD5 as a position: whole, or one of its four words.

use alloc::format;
use alloc::string::String;

use md5::Digest;

use super::md5_lanes::{self, LANES, SHORT};
use super::md5_short;
use crate::{KeyHasher, RouteError};

/// MD5 (RFC 1321) read as one little-endian number; 128 bits, `md5`.
///
/// For systems that use it already; on short keys it costs some forty times XXH3.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Md5};
///
/// assert_eq!(Md5.hash(b"").to_le_bytes()[..4], [0xd4, 0x1d, 0x8c, 0xd9]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md5;

impl Md5 {
    /// The four little-endian 32-bit words of the digest: the points of one ketama label.
    ///
    /// ```
    /// use keyroute_core::hash::Md5;
    ///
    /// assert_eq!(Md5::words(b""), [3_649_838_548, 78_774_415, 2_550_759_657, 2_118_318_316]);
    /// ```
    #[must_use]
    pub fn words(bytes: &[u8]) -> [u32; 4] {
        md5_short::words(bytes).unwrap_or_else(|| Self::words_of_any(bytes))
    }

    fn words_of_any(bytes: &[u8]) -> [u32; 4] {
        let digest: [u8; 16] = md5::Md5::digest(bytes).into();
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(digest.chunks_exact(4)) {
            *word = bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        words
    }

    /// The same for many keys: `out[i]` is `words(keys[i])`, as far as both go.
    ///
    /// Keys of at most 55 bytes are hashed 32 at a time, in a quarter of the time.
    ///
    /// ```
    /// use keyroute_core::hash::Md5;
    ///
    /// let mut words = [[0; 4]; 2];
    /// Md5::words_each(&[b"", b"foo"], &mut words);
    /// assert_eq!(words, [Md5::words(b""), Md5::words(b"foo")]);
    /// ```
    pub fn words_each(keys: &[&[u8]], out: &mut [[u32; 4]]) {
        each_into(keys, out, |words| words);
    }
}

/// Fewer keys than this are hashed one after the other: so many cost what all the lanes do.
const WORTH_LANES: usize = 8;

/// The words of these keys' digests, in order.
#[inline]
fn each(keys: &[&[u8]], mut take: impl FnMut([u32; 4])) {
    for keys in keys.chunks(LANES) {
        if keys.len() >= WORTH_LANES && keys.iter().all(|key| key.len() <= SHORT) {
            let [a, b, c, d] = md5_lanes::words(keys);
            for lane in 0..keys.len() {
                take([a[lane], b[lane], c[lane], d[lane]]);
            }
        } else {
            for key in keys {
                take(Md5::words(key));
            }
        }
    }
}

/// Hashes many keys into positions made of their words.
#[inline]
fn each_into<P>(keys: &[&[u8]], out: &mut [P], position: impl Fn([u32; 4]) -> P) {
    let mut out = out.iter_mut();
    each(keys, |words| {
        if let Some(out) = out.next() {
            *out = position(words);
        }
    });
}

impl KeyHasher for Md5 {
    type Out = u128;

    fn hash(&self, bytes: &[u8]) -> u128 {
        u128::from_le_bytes(md5::Md5::digest(bytes).into())
    }

    fn hash_each(&self, keys: &[&[u8]], out: &mut [u128]) {
        each_into(keys, out, |[a, b, c, d]| {
            [d, c, b, a]
                .into_iter()
                .fold(0, |all, word| all << 32 | u128::from(word))
        });
    }

    fn name(&self) -> Option<String> {
        Some("md5".into())
    }
}

/// One little-endian 32-bit word of MD5; 32 bits, `md5-word0` to `md5-word3`.
///
/// Word 0 hashes the keys of most ketama systems.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Md5Word};
///
/// assert_eq!(Md5Word::FIRST.hash(b"foo"), 3_675_831_724);
/// assert!(Md5Word::new(4).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md5Word(u8);

impl Md5Word {
    /// Word 0: bytes 0 to 3 of the digest.
    pub const FIRST: Self = Self(0);

    /// The word with this index.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] over 3: a digest has four words.
    pub fn new(index: u8) -> Result<Self, RouteError> {
        if index > 3 {
            return Err(RouteError::Parameter {
                name: "MD5 word",
                given: format!("{index}"),
                accepted: "0 to 3",
            });
        }
        Ok(Self(index))
    }
}

impl KeyHasher for Md5Word {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        Md5::words(bytes)[usize::from(self.0)]
    }

    fn hash_each(&self, keys: &[&[u8]], out: &mut [u32]) {
        each_into(keys, out, |words| words[usize::from(self.0)]);
    }

    fn name(&self) -> Option<String> {
        Some(format!("md5-word{}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn short_keys_are_as_any() {
        let text: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(151) ^ 0xa5).collect();
        for length in 0..=60 {
            for start in 0..40 {
                let key = &text[start..start + length];
                let expected = Md5::words_of_any(key);
                assert_eq!(Md5::words(key), expected, "{key:?}");
                assert_eq!(md5_short::words(key).is_some(), length <= SHORT);
            }
        }
    }

    #[test]
    fn many_at_once_are_as_one_by_one() {
        // Every length around the blocks' edges, and every number of keys around the lanes'.
        let text: Vec<u8> = (0..200u8).collect();
        for (count, longest) in (0..=2 * LANES + 1).zip([55, 56, 64, 20, 130].into_iter().cycle()) {
            for least in [0, longest] {
                let length = |i: usize| least.max(i * 7 % (longest + 1));
                let keys: Vec<&[u8]> = (0..count).map(|i| &text[i..i + length(i)]).collect();
                let mut words = alloc::vec![[0; 4]; count];
                Md5::words_each(&keys, &mut words);
                let mut whole = alloc::vec![0; count];
                Md5.hash_each(&keys, &mut whole);
                let mut third = alloc::vec![0; count];
                Md5Word(2).hash_each(&keys, &mut third);
                for (i, key) in keys.iter().enumerate() {
                    assert_eq!(words[i], Md5::words(key), "{count} keys, {key:?}");
                    assert_eq!(whole[i], Md5.hash(key), "{count} keys, {key:?}");
                    assert_eq!(third[i], Md5Word(2).hash(key), "{count} keys, {key:?}");
                }
            }
        }
    }

    #[test]
    fn the_shorter_of_keys_and_places_decides() {
        let keys: Vec<&[u8]> = alloc::vec![b"key"; 40];
        let mut few = [1; 9];
        Md5Word::FIRST.hash_each(&keys, &mut few);
        assert_eq!(few, [Md5Word::FIRST.hash(b"key"); 9]);
        let mut many = [1; 50];
        Md5Word::FIRST.hash_each(&keys, &mut many);
        assert_eq!(many[39..41], [few[0], 1]);
    }
}
