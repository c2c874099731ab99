//! The collection's multi-probe hashing.

use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{Description, Node, ProbeDistance, RouteError};

use super::Hash;
use crate::{ClosestProbe, Probing};

/// The most probes that are accepted.
const MAX_PROBES: u32 = 1024;

/// The seed of nodes.
const SEED: u32 = 0xdead_beef;

/// `MultiProbeEngine`: one point a node, probe i of a key is its hash with seed i.
///
/// **Distances do not go round**: a probe behind the last point finds the first and is charged the long way
/// back. So a node that leaves can move keys between two others.
///
/// Source: `consistenthash/multiprobe/MultiProbeEngine.java`, `Point.java`.
///
/// ```
/// use keyroute_interop::Router;
/// use keyroute_interop::java::{Hash, MultiProbeEngine};
///
/// let engine = MultiProbeEngine::from_names(Hash::Xx, 21, ["node-A", "node-B", "node-C"])?;
/// assert_eq!(engine.route_id(b" ").unwrap(), "node-A");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type MultiProbeEngine = ClosestProbe<SeededProbes>;

impl MultiProbeEngine {
    /// Nodes with these names, asked from so many probes (21 by default there).
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for no probe or over 1024, and as [`ClosestProbe::new`] and
    /// [`Node::new`].
    pub fn from_names(
        hash: Hash,
        probes: u32,
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
        Self::new(SeededProbes { hash, probes }, nodes?)
    }
}

/// Probes under seeds from 0 on.
#[derive(Clone, Copy, Debug)]
pub struct SeededProbes {
    hash: Hash,
    probes: u32,
}

/// A signed number, moved so that unsigned ones keep its order.
fn ordered(hash: u64) -> u64 {
    hash ^ 1 << 63
}

impl Probing for SeededProbes {
    const NAME: &'static str = "java-collection/multi-probe/1";
    const DISTANCE: ProbeDistance = ProbeDistance::Difference;

    fn point(&self, id: &[u8]) -> u64 {
        ordered(self.hash.seeded(id, SEED))
    }

    fn probes(&self, key: &[u8]) -> impl Iterator<Item = u64> {
        (0..self.probes).map(|i| ordered(self.hash.seeded(key, i)))
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.hash);
        to.field("probes", self.probes);
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use keyroute_core::Router;

    use super::{Hash, MultiProbeEngine, SEED};

    #[test]
    fn a_probe_behind_the_last_point_is_charged_the_way_back() {
        let names = ["node-A", "node-B"];
        let engine = MultiProbeEngine::from_names(Hash::Xx, 2, names).unwrap();
        let mut points = names.map(|name| (Hash::Xx.seeded(name.as_bytes(), SEED), name));
        points.sort_unstable();
        let mut wrapped = 0;
        for number in 0..500 {
            let key = format!("key-{number}");
            let probes = [0, 1].map(|seed| Hash::Xx.seeded(key.as_bytes(), seed));
            // Where a probe leads, and how far that is as plain numbers.
            let found = probes.map(|probe| {
                let ahead = points.iter().find(|(point, _)| *point > probe);
                let (point, name) = *ahead.unwrap_or(&points[0]);
                (point.abs_diff(probe), name, ahead.is_none())
            });
            let closest = if found[1].0 < found[0].0 {
                found[1]
            } else {
                found[0]
            };
            wrapped += usize::from(closest.2);
            assert_eq!(engine.route_id(key.as_bytes()).unwrap(), closest.1, "{key}");
        }
        assert!(wrapped > 3, "{wrapped}");
    }
}
