//! `serialx/hashring`, since July 2020.

use alloc::string::String;

use keyroute_core::{After, KeyHasher, LastListed, Node, RouteError};
use keyroute_vector_ring::VectorRing;
use md5::Digest;

use crate::{LabelRule, Labels};

/// serialx's `HashRing` since July 2020: a node of weight w has w points, **so one unless said**.
///
/// Point j of a node is the hash of `{node}-{j}`, j in decimal from 0: [`SerialxHash::Md5`], or another. A
/// key belongs to the first point strictly after its hash. Labels are unambiguous and points have 128 bits:
/// order and history decide nothing, and all laws of rings are kept. With one point a node balance is
/// poor; give weights of 100 and more.
///
/// Versions before are [`Serialx2019`](crate::Serialx2019) and have nothing in common with it. `GetNodes` is
/// [`replicas`](VectorRing::replicas), but fails if fewer nodes than asked for exist.
///
/// Source: `hashring.go`, `hash.go`, `key.go` at commit 22c0c7a.
///
/// ```
/// use keyroute_interop::{Serialx, SerialxHash, VectorRing};
///
/// let ring = Serialx::ring(SerialxHash::Md5, 1, ["node1", "node2", "node3"])?;
/// let order = ring.replicas(b"key", 3).into_iter();
/// let order: Vec<_> = order.map(|slot| ring.members().get(slot).unwrap().id().as_str()).collect();
/// assert_eq!(order, ["node3", "node2", "node1"]);
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type Serialx = Labels<SerialxRule, SerialxHash>;

impl Serialx {
    /// A ring of these nodes, each of as many points as its weight.
    ///
    /// # Errors
    ///
    /// As [`VectorRing::from_nodes_with`].
    pub fn weighted(
        hash: SerialxHash,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<VectorRing<Self>, RouteError> {
        VectorRing::from_nodes_with(Self::new(hash, 1)?, nodes)
    }
}

/// The rule of [`Serialx`].
#[derive(Clone, Copy, Debug)]
pub struct SerialxRule;

impl LabelRule for SerialxRule {
    const NAME: &'static str = "serialx/1";
    const LABEL: &'static str = "{node}-{i}";
    const WEIGHTED: bool = true;
    type Lookup = After;
    type Ties = LastListed;
}

/// Two signed little-endian words of a digest, the first the more significant: 128 bits, `serialx-md5` and
/// `serialx-sha1`.
///
/// The sign bits are flipped, so that unsigned positions stand in the original's order.
///
/// ```
/// use keyroute_interop::{KeyHasher, SerialxHash};
///
/// let pair = (5_341_855_870_089_915_964u64, 2_113_210_275_681_872_002u64);
/// let sign = 1u64 << 63;
/// let position = u128::from(pair.0 ^ sign) << 64 | u128::from(pair.1 ^ sign);
/// assert_eq!(SerialxHash::Md5.hash(b"key"), position);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SerialxHash {
    /// MD5, as the original unless told otherwise.
    #[default]
    Md5,
    /// The first 16 bytes of SHA-1.
    Sha1,
}

impl KeyHasher for SerialxHash {
    type Out = u128;

    fn hash(&self, bytes: &[u8]) -> u128 {
        let mut digest = [0; 16];
        match self {
            Self::Md5 => digest = md5::Md5::digest(bytes).into(),
            Self::Sha1 => digest.copy_from_slice(&sha1::Sha1::digest(bytes)[..16]),
        }
        // As one little-endian number the second word is the more significant.
        let swapped = u128::from_le_bytes(digest).rotate_left(64);
        swapped ^ (1 << 127 | 1 << 63)
    }

    fn name(&self) -> Option<String> {
        Some(match self {
            Self::Md5 => "serialx-md5".into(),
            Self::Sha1 => "serialx-sha1".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::KeyHasher;

    use super::SerialxHash;

    #[test]
    fn positions_are_ordered_as_signed_pairs() {
        let position = |first: i64, second: i64| {
            let half = |word: i64| u128::from(word.cast_unsigned() ^ 1 << 63);
            half(first) << 64 | half(second)
        };
        for (label, first, second) in [
            (
                b"node1-0",
                667_671_440_682_522_173,
                2_893_911_018_608_183_906,
            ),
            (
                b"node2-0",
                -3_170_560_207_739_990_987,
                -6_859_188_019_387_797_610,
            ),
            (
                b"node3-0",
                -4_636_580_593_422_842_471,
                -623_166_259_450_720_806,
            ),
        ] {
            assert_eq!(SerialxHash::Md5.hash(label), position(first, second));
        }
    }
}
