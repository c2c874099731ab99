//! [`Libketama`]: the answers of the C library.

use alloc::string::String;
use alloc::vec::Vec;

use keyroute_core::hash::Md5Word;
use keyroute_core::{AtOrAfter, FirstListed, KeyHasher, Members, NodeId, RouteError, Scheme, Slot};

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
        let fleet = Fleet::of(members);
        members
            .iter()
            .map(|(_, node)| {
                u64::from(fleet.digests(node.weight().get())) * u64::from(POINTS_PER_DIGEST)
            })
            .sum()
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            check_name(node.id())?;
            let digests = fleet.digests(node.weight().get());
            points.extend(positions(node.id(), digests).map(|position| (position, slot)));
        }
        Ok(points)
    }
}

/// What a share depends on besides the weight itself.
struct Fleet {
    total_weight: f32,
    servers: f64,
}

impl Fleet {
    #[expect(
        clippy::cast_precision_loss,
        reason = "the library rounds the total to single too; a count of nodes is exact"
    )]
    fn of(members: &Members) -> Self {
        Self {
            total_weight: members.total_weight() as f32,
            servers: members.len() as f64,
        }
    }

    /// How many digests a server of this weight has.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the library rounds the weight to single; the product is at most 40 per server of at \
                  most 2^24, rounded to single and then down, as the library does"
    )]
    fn digests(&self, weight: u32) -> u32 {
        let share = weight as f32 / self.total_weight;
        (f64::from(share) * 40.0 * self.servers) as f32 as u32
    }
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
