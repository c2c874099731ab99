//! `dgryski/go-mpchash`.

use core::hash::Hasher;

use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{Description, Node, ProbeDistance, RouteError};
use siphasher::sip::SipHasher24;

use crate::{ClosestProbe, Probing};

/// The most probes that are accepted.
const MAX_PROBES: u32 = 1024;

/// Multi-probe consistent hashing in Go, under SipHash-2-4 as in its own tests: a node stands at
/// `hash(name, 0)`, probe i of a key at `hash(key, seed 0) + i × hash(key, seed 1)`.
///
/// Source: `mpchash.go` at commit 7382f34. Without nodes it loops or panics; here nobody answers.
///
/// ```
/// use keyroute_interop::{GoMpchash, Router};
///
/// let nodes = GoMpchash::from_names(21, [1, 2], ["node-A", "node-B", "node-C"])?;
/// assert_eq!(nodes.route_id(b" ").unwrap(), "node-C");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type GoMpchash = ClosestProbe<SteppedProbes>;

impl GoMpchash {
    /// Nodes with these names, asked from so many probes (21 is usual) under two seeds (1 and 2 are).
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for no probe or over 1024, and as [`ClosestProbe::new`] and
    /// [`Node::new`].
    pub fn from_names(
        probes: u32,
        seeds: [u64; 2],
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        if !(1..=MAX_PROBES).contains(&probes) {
            return Err(RouteError::Parameter {
                name: "probes",
                given: probes.to_string(),
                accepted: "1 to 1024",
            });
        }
        let nodes: Result<Vec<_>, _> = names.into_iter().map(Node::new).collect();
        Self::new(SteppedProbes { probes, seeds }, nodes?)
    }
}

/// Probes in equal steps.
#[derive(Clone, Copy, Debug)]
pub struct SteppedProbes {
    probes: u32,
    seeds: [u64; 2],
}

impl Probing for SteppedProbes {
    const NAME: &'static str = "go-mpchash/1";
    const DISTANCE: ProbeDistance = ProbeDistance::Clockwise;

    fn point(&self, id: &[u8]) -> u64 {
        siphash(id, 0)
    }

    fn probes(&self, key: &[u8]) -> impl Iterator<Item = u64> {
        let [first, step] = self.seeds.map(|seed| siphash(key, seed));
        (0..self.probes).map(move |i| first.wrapping_add(step.wrapping_mul(i.into())))
    }

    fn describe(&self, to: &mut Description) {
        to.field("probes", self.probes);
        let [first, second] = self.seeds;
        to.field("seeds", alloc::format!("{first} {second}"));
    }
}

/// SipHash-2-4 whose first key is the seed and whose second is 0.
fn siphash(bytes: &[u8], seed: u64) -> u64 {
    let mut hasher = SipHasher24::new_with_keys(seed, 0);
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use keyroute_core::Router;

    use super::GoMpchash;

    #[test]
    fn a_probe_that_hits_a_point_finds_the_next_one() {
        // Under the nodes' own seed a name is a key that stands on its node.
        let names = ["node-A", "node-B", "node-C"];
        let nodes = GoMpchash::from_names(1, [0, 1], names).unwrap();
        for name in names {
            assert_ne!(nodes.route_id(name.as_bytes()).unwrap(), name);
        }
    }
}
