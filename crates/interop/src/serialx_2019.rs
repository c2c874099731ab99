//! `serialx/hashring`, before July 2020.

use alloc::vec::Vec;

use keyroute_core::hash::Md5Word;
use keyroute_core::{After, LastListed, Members, Node, RouteError, Scheme, Slot};
use keyroute_ketama::digest_words;

/// serialx's `HashRing` before July 2020, a scheme for [`VectorRing`](keyroute_vector_ring::VectorRing):
/// each digest gives **three** points, and how many digests a node has depends on all weights.
///
/// A node of weight w of a total W among n nodes has ⌊40 × n × w ÷ W⌋ digests, the quotient in double precision;
/// digest j is the MD5 of `{node}-{j}`, its points are the little-endian words 0 to 2. A key stands at word 0
/// of its MD5 and belongs to the first point strictly after that. Of nodes that share a point the one listed
/// last has it, alone. A node whose share is under one digest owns nothing.
///
/// Since shares depend on the others, a change moves keys between nodes that stay: a ring of it can be
/// rebuilt, not added to. **With weights the original takes its nodes in a random order**; then only shared
/// points are in doubt. `GetNodes` is `replicas`.
///
/// Source: `hashring.go` at commit 8b29126 (April 2019).
///
/// ```
/// use keyroute_interop::{Serialx2019, VectorRing};
///
/// let nodes = ["192.168.1.10:8001", "192.168.1.11:8001", "192.168.1.12:8001"];
/// let ring = VectorRing::from_ids_with(Serialx2019, nodes)?;
/// assert_eq!(ring.points(), 360);
/// assert_eq!(ring.route_id(b" ").unwrap(), "192.168.1.11:8001");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serialx2019;

/// The points of a digest.
const POINTS_PER_DIGEST: u64 = 3;

impl Scheme for Serialx2019 {
    type Position = u32;
    type Hasher = Md5Word;
    type Lookup = After;
    type Ties = LastListed;

    fn hasher(&self) -> &Md5Word {
        &Md5Word::FIRST
    }

    fn name(&self) -> &'static str {
        "serialx-2019/1"
    }

    fn count(&self, members: &Members) -> u64 {
        let digests = digests(members);
        let digests = members.iter().map(|(_, node)| u64::from(digests(node)));
        digests.sum::<u64>() * POINTS_PER_DIGEST
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let digests = digests(members);
        let mut points = Vec::new();
        for slot in members.listed().into_iter().rev() {
            let Some(node) = members.get(slot) else {
                continue;
            };
            let words = digest_words(node.id(), digests(node));
            points.extend(
                words
                    .flat_map(|[a, b, c, _]| [a, b, c])
                    .map(|point| (point, slot)),
            );
        }
        // Stable: of equal points that of the node listed last stays, as in the original's map.
        points.sort_by_key(|&(point, _)| point);
        points.dedup_by_key(|&mut (point, _)| point);
        Ok(points)
    }
}

/// How many digests each member has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the original divides doubles and rounds down; the quotient is at most 40 × 2^24"
)]
fn digests(members: &Members) -> impl Fn(&Node) -> u32 {
    let (total, nodes) = (members.total_weight(), members.len() as u64);
    move |node| {
        let product = 40 * nodes * u64::from(node.weight().get());
        (product as f64 / total as f64) as u32
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use keyroute_core::{Members, Node, RouteDigest, Scheme, Weight};
    use keyroute_vector_ring::VectorRing;

    use super::{Serialx2019, digests};

    #[test]
    fn shares_are_rounded_down() {
        let shares = |weights: &[u32]| {
            let nodes = weights.iter().enumerate().map(|(i, &weight)| {
                let node = Node::new(alloc::format!("n{i}")).unwrap();
                node.with_weight(Weight::new(weight).unwrap())
            });
            let members = Members::from_nodes(nodes).unwrap();
            let digests = digests(&members);
            members
                .iter()
                .map(|(_, node)| digests(node))
                .collect::<Vec<_>>()
        };
        // 200 × w ÷ 148
        assert_eq!(shares(&[1, 2, 5, 40, 100]), [1, 2, 6, 54, 135]);
        assert_eq!(shares(&[1, 1]), [40, 40]);
        assert_eq!(shares(&[1, 99]), [0, 79]);
    }

    #[test]
    fn a_key_on_a_point_belongs_to_the_next() {
        let names = ["a", "b", "c", "d"];
        let ring = VectorRing::from_ids_with(Serialx2019, names).unwrap();
        let mut others = 0;
        for name in names {
            for index in 0..40 {
                // Its first point is where this key stands.
                let key = alloc::format!("{name}-{index}");
                let at = ring.digest(key.as_bytes()).value();
                let next = ring.route_value(at.wrapping_add(1));
                assert_eq!(ring.route(key.as_bytes()), next);
                others += u32::from(ring.members().slot_of(name) != next);
            }
        }
        assert!(others > 80, "{others}");
    }

    #[test]
    fn the_node_listed_last_has_a_shared_point_alone() {
        let names: Vec<_> = (0..1500).map(|i| alloc::format!("node-{i}")).collect();
        let nodes = || names.iter().map(|name| Node::new(name).unwrap());
        let one_way = Members::from_nodes(nodes()).unwrap();
        let other_way = Members::from_nodes(nodes().rev()).unwrap();
        let owners = |members: &Members| -> Vec<_> {
            let points = Serialx2019.fleet_points(members).unwrap().into_iter();
            points
                .map(|(point, slot)| (point, members.get(slot).unwrap().id().clone()))
                .collect()
        };
        let (one, other) = (owners(&one_way), owners(&other_way));
        // 180,000 labels in 2^32 places: some 3.8 pairs.
        assert!(
            one.len() < 180_000 && one.len() == other.len(),
            "{}",
            one.len()
        );
        for (a, b) in one.iter().zip(&other).filter(|(a, b)| a != b) {
            let place = |name: &str| names.iter().position(|known| known == name).unwrap();
            assert!(a.0 == b.0 && place(a.1.as_str()) > place(b.1.as_str()));
        }
    }
}
