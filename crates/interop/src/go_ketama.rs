//! `dgryski/go-ketama`, compatible with Perl's `Algorithm::ConsistentHash::Ketama`.

use alloc::vec::Vec;

use keyroute_core::hash::Md5Word;
use keyroute_core::{
    AtOrAfter, Edge, FirstListed, Lookup, Members, Node, PointTable, Position, RouteError, Scheme,
    Slot, Weight,
};
use keyroute_ketama::{digest_words, libketama_digests};
use keyroute_vector_ring::VectorRing;

/// go-ketama's `Continuum`, a scheme for [`VectorRing`]; `L` is the original's hash function:
/// [`HashFunc1`], its default, or [`AtOrAfter`] for `HashFunc2`.
///
/// Shares are libketama's: a bucket of weight w of a total W among n has ⌊t⌋ digests of four points, where t is
/// w ÷ W in single precision, times 40 and n in double, rounded once to single. Digest k is the MD5 of
/// `{label}-{k}`; labels may be any text, unlike libketama's. A key, of any bytes, stands at word 0 of its
/// MD5. Of buckets on one point the first listed has it: the original sorts unstably, and states no rule.
///
/// Since shares depend on the others, a change moves keys between buckets that stay: a ring of it can be
/// rebuilt, not added to. A share under one digest is none.
///
/// Source: `ketama.go` at commit 8c95656.
///
/// ```
/// use keyroute_interop::{GoKetama, HashFunc1};
///
/// let continuum = GoKetama::continuum(HashFunc1, [("r01", 100), ("r02", 100)])?;
/// // The one key in 2^32 on which the two functions differ: the first word of its MD5 is 0.
/// let zero = 0x161c_6d14_dae7_3a87_4ac0_aa00_17fb_8340u128.to_be_bytes();
/// assert_eq!(continuum.route_id(&zero).unwrap(), "r01");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoKetama<L> {
    lookup: core::marker::PhantomData<L>,
}

impl<L: Lookup> GoKetama<L> {
    /// The scheme alone.
    #[must_use]
    pub fn new(_hash_func: L) -> Self {
        Self {
            lookup: core::marker::PhantomData,
        }
    }

    /// A continuum of these buckets: labels and weights. Weight 0 counts as 1.
    ///
    /// # Errors
    ///
    /// As [`VectorRing::from_nodes_with`] and [`Node::new`]. The original has negative weights to
    /// refuse.
    pub fn continuum(
        hash_func: L,
        buckets: impl IntoIterator<Item = (impl AsRef<str>, u32)>,
    ) -> Result<VectorRing<Self>, RouteError> {
        let node = |(label, weight): (_, u32)| {
            Ok(Node::new(label)?.with_weight(Weight::new(weight.max(1))?))
        };
        let nodes: Result<Vec<Node>, RouteError> = buckets.into_iter().map(node).collect();
        VectorRing::from_nodes_with(Self::new(hash_func), nodes?)
    }
}

impl<L: Lookup> Scheme for GoKetama<L> {
    type Position = u32;
    type Hasher = Md5Word;
    type Lookup = L;
    type Ties = FirstListed;

    fn hasher(&self) -> &Md5Word {
        &Md5Word::FIRST
    }

    fn name(&self) -> &'static str {
        "go-ketama/1"
    }

    fn count(&self, members: &Members) -> u64 {
        let digests = digests(members);
        let digests = members.iter().map(|(_, node)| u64::from(digests(node)));
        digests.sum::<u64>() * POINTS_PER_DIGEST
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let digests = digests(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let words = digest_words(node.id(), digests(node)).flatten();
            points.extend(words.map(|point| (point, slot)));
        }
        Ok(points)
    }
}

/// The points of a digest.
const POINTS_PER_DIGEST: u64 = 4;

/// How many digests each member has.
fn digests(members: &Members) -> impl Fn(&Node) -> u32 {
    let (total, buckets) = (members.total_weight(), members.len());
    move |node| libketama_digests(node.weight(), total, buckets)
}

/// go-ketama's `HashFunc1`: [`AtOrAfter`], but a key at position 0 goes to the last point.
///
/// The original bisects between a point and the one before it, and takes 0 for the point before the first; so 0
/// is after nothing, and its search leaves the array at the low end, where a number without a sign wraps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashFunc1;

impl Lookup for HashFunc1 {
    const NAME: &'static str = "at or after, from 0 the last";

    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        let zero = at == P::default();
        let (mut back, mut ahead) = (
            table.backward(P::MAX, Edge::Inclusive),
            table.forward(at, Edge::Inclusive),
        );
        // Backwards, so that a bucket left out changes nothing else in the order.
        core::iter::from_fn(move || if zero { back.next() } else { ahead.next() })
            .map(|(_, slot)| slot)
    }

    /// Position 0 aside.
    fn arc_end<P: Position>(point: P, _next: P) -> Option<P> {
        Some(point)
    }
}

/// `HashFunc2`.
pub type HashFunc2 = AtOrAfter;

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use keyroute_core::{Place, RouteDigest, Scheme};

    use super::{GoKetama, HashFunc1, HashFunc2};

    #[test]
    fn position_0_is_explained_as_it_is_routed() {
        let buckets = [("a", 1), ("b", 1), ("c", 1)];
        let continuum = GoKetama::continuum(HashFunc1, buckets).unwrap();
        let members = continuum.members();
        for at in [0, 1, u32::MAX] {
            let place = Place::on_ring::<HashFunc1, _, _>(continuum.table(), members, "", at);
            let Place::Arc(arc) = place else {
                panic!("{place:?}");
            };
            let owner = continuum.route_value(at).unwrap();
            assert_eq!(arc.point.node, *members.get(owner).unwrap().id(), "{at}");
            assert!(arc.contains(arc.position), "{at}");
            assert_eq!(arc.after.value() == u128::from(u32::MAX), at == 0);
        }
    }

    #[test]
    fn a_shared_point_goes_to_the_first_listed() {
        let names: Vec<_> = (0..1500).map(|i| alloc::format!("server{i}")).collect();
        let buckets = names.iter().map(|name| (name, 1));
        let continuum = GoKetama::continuum(HashFunc2::default(), buckets).unwrap();
        let members = continuum.members();
        let mut points = continuum.scheme().fleet_points(members).unwrap();
        points.sort_unstable(); // slots are places in the list
        let shared: Vec<_> = points
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .collect();
        assert!(!shared.is_empty());
        for pair in shared {
            assert_eq!(continuum.route_value(pair[0].0), Some(pair[0].1));
        }
    }

    #[test]
    fn the_functions_differ_at_zero_alone() {
        let buckets = [("r01", 100), ("r02", 100), ("r03", 1)];
        let one = GoKetama::continuum(HashFunc1, buckets).unwrap();
        let two = GoKetama::continuum(HashFunc2::default(), buckets).unwrap();
        let points = two.scheme().fleet_points(two.members()).unwrap();
        let (first, last) = (points.iter().min().unwrap(), points.iter().max().unwrap());
        assert_eq!(
            (one.route_value(0), two.route_value(0)),
            (Some(last.1), Some(first.1))
        );
        for at in [1, first.0, first.0 + 1, last.0, last.0 + 1, u32::MAX] {
            assert_eq!(one.route_value(at), two.route_value(at));
        }
        assert_ne!(one.fingerprint(), two.fingerprint());
    }
}
