//! [`Libketama`]: the answers of the C library.

use alloc::string::String;
use alloc::vec::Vec;

use keyroute_core::hash::Md5Word;
use keyroute_core::{
    AtOrAfter, FirstListed, KeyHasher, Members, Node, NodeId, RouteError, Scheme, Slot, Weight,
};

use crate::labels::{POINTS_PER_DIGEST, positions};

/// The longest name that libketama holds, in bytes: longer ones overrun its buffers.
pub const LIBKETAMA_MAX_NAME: usize = 22;

/// Points as libketama computes them, from the whole list of servers: `ring/libketama/1`.
///
/// - **Shares.** A server of weight w of a total W among n servers has ⌊t⌋ digests of four points,
///   where t is w ÷ W in single precision, times 40 and times n in double precision, rounded once to
///   single. Equal weights thus give 160 points, but 156 at n = 61, 122, 237, 244 and more; weight 21
///   of 40 among 3 gives 248, where exact arithmetic gives 252. All steps are IEEE operations; a
///   32-bit x86 build of the library that keeps the quotient in an x87 register can differ.
/// - **A share under one digest is none**: such a server owns no key, and a
///   [walk](keyroute_core::Walk) does not reach it. Upstream says nothing; compare
///   [`Members::len`] with the walk to find out.
/// - **Ties.** Of servers on one position the first listed comes first.
/// - **Keys end at the first NUL**, as C strings do: `a` and `a\0b` are one key.
/// - Since shares depend on the total and on n, **adding a server moves keys between the others**, so
///   this is a [`Scheme`] only: its rings are rebuilt, not added to.
///
/// Source: measured on libketama as the Python package `ketama` 0.1.1 wraps it (amd64).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Name", into = "Name"))]
pub struct Libketama;

impl Scheme for Libketama {
    type Position = u32;
    type Hasher = CStringMd5;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;

    fn hasher(&self) -> &CStringMd5 {
        &CStringMd5
    }

    fn name(&self) -> &'static str {
        "ring/libketama/1"
    }

    fn count(&self, members: &Members) -> u64 {
        let digests = digests(members);
        members
            .iter()
            .map(|(_, node)| u64::from(digests(node)) * u64::from(POINTS_PER_DIGEST))
            .sum()
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let digests = digests(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            check_name(node.id())?;
            points.extend(positions(node.id(), digests(node)).map(|position| (position, slot)));
        }
        Ok(points)
    }
}

/// How many digests a server of this weight has among so many servers of this total weight: w ÷ W in single
/// precision, times 40 and n in double, rounded to single and then down.
///
/// ```
/// use keyroute_ketama::{Weight, libketama_digests};
///
/// assert_eq!(libketama_digests(Weight::new(21)?, 40, 3), 62); // exact arithmetic: 63
/// assert_eq!(libketama_digests(Weight::ONE, 61, 61), 39);
/// # Ok::<(), keyroute_ketama::RouteError>(())
/// ```
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the library rounds the weights to single too, a count of nodes is exact; the product is at \
              most 40 per server of at most 2^24, rounded to single and then down, as the library does"
)]
#[must_use]
pub fn libketama_digests(weight: Weight, total_weight: u64, servers: usize) -> u32 {
    let share = weight.get() as f32 / total_weight as f32;
    (f64::from(share) * 40.0 * servers as f64) as f32 as u32
}

/// How many digests each member has.
fn digests(members: &Members) -> impl Fn(&Node) -> u32 {
    let (total, servers) = (members.total_weight(), members.len());
    move |node| libketama_digests(node.weight(), total, servers)
}

fn check_name(id: &NodeId) -> Result<(), RouteError> {
    let name = id.as_str();
    let reason = if name.len() > LIBKETAMA_MAX_NAME {
        "is longer than libketama's buffers hold: use at most 22 bytes"
    } else if name.contains([' ', '\t', '\n', '\r', '\0']) {
        "cannot stand in libketama's server file: use no blank, tab, line break or NUL"
    } else if name.starts_with('#') {
        "would be a comment in libketama's server file: begin it with another character"
    } else {
        return Ok(());
    };
    Err(RouteError::Unplaceable {
        id: id.clone(),
        reason,
    })
}

/// What places keys: word 0 of the MD5 of the bytes before the first NUL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CStringMd5;

impl KeyHasher for CStringMd5 {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        let end = bytes.iter().position(|&byte| byte == 0);
        Md5Word::FIRST.hash(&bytes[..end.unwrap_or(bytes.len())])
    }

    fn name(&self) -> Option<String> {
        Some("md5-word0 to the first NUL".into())
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
enum Name {
    #[serde(rename = "libketama")]
    Libketama,
}

#[cfg(feature = "serde")]
impl From<Libketama> for Name {
    fn from(Libketama: Libketama) -> Self {
        Self::Libketama
    }
}

#[cfg(feature = "serde")]
impl From<Name> for Libketama {
    fn from(Name::Libketama: Name) -> Self {
        Self
    }
}
