//! [`Probes`]: several questions a key, of which the closest answer counts.

use core::array;

use crate::{Description, Edge, Lookup, PointTable, Position, Probed, Slot};

/// The most probes of [`Probes`].
pub const MAX_PROBES: usize = 128;

/// How far a probe is from the point that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeDistance {
    /// Clockwise, round the end if need be.
    Clockwise,
    /// The difference of the two numbers: a probe behind the last point finds the first one, and is
    /// charged the long way back to it. So one known system has it.
    Difference,
}

impl ProbeDistance {
    fn of<P: Position>(self, probe: P, point: P) -> P {
        match self {
            Self::Difference if point < probe => point.ahead(probe),
            Self::Clockwise | Self::Difference => probe.ahead(point),
        }
    }
}

/// The engine of multi-probe hashing: each probe finds the next point clockwise, and the closest point
/// wins. Of equal distances the earlier probe wins, of points at one position the first in tie order.
///
/// `edge` says whether a probe finds a point that stands exactly on it. `None` without points or probes.
/// It costs a search of the container for each probe, and allocates nothing.
///
/// Under [`ProbeDistance::Difference`] a point that leaves can move keys between others: a probe behind the
/// last point then finds another first point, and is charged less. Use it to compute answers of that
/// system, not orders of replicas.
///
/// ```
/// use keyroute_core::{Edge, ProbeDistance, PointTable, Slot, closest};
/// use keyroute_vector_ring::SortedPoints;
///
/// let slot = |index| Slot::new(index).unwrap();
/// let mut table = SortedPoints::default();
/// table.insert(vec![(100u64, slot(0)), (205, slot(1))], &|a, b| a.cmp(&b));
///
/// let found = |distance| closest(&table, [90, 200, u64::MAX], Edge::Inclusive, distance);
/// assert_eq!(found(ProbeDistance::Clockwise), Some((205, slot(1)))); // 10, 5 and 101 away
/// assert_eq!(closest(&table, [100], Edge::Exclusive, ProbeDistance::Clockwise), Some((205, slot(1))));
/// ```
pub fn closest<P: Position, T: PointTable<P>>(
    table: &T,
    probes: impl IntoIterator<Item = P>,
    edge: Edge,
    distance: ProbeDistance,
) -> Option<(P, Slot)> {
    let find = |probe| table.forward(probe, edge).next();
    let mut probes = probes.into_iter();
    let mut closest = probes.next()?;
    let mut least = distance.of(closest, find(closest)?.0);
    for probe in probes {
        let away = distance.of(probe, find(probe)?.0);
        // No branch: one that is foreseen wrong would stop the searches of the next probes as well.
        let closer = away < least;
        least = if closer { away } else { least };
        closest = if closer { probe } else { closest };
    }
    find(closest)
}

/// Which probe [`closest`] finds the point by, and that point, for explanations. It is told apart from the lookup:
/// of all probes, not of the best so far.
///
/// ```
/// use keyroute_core::{Edge, PointTable, ProbeDistance, Slot, closest_probe};
/// use keyroute_vector_ring::SortedPoints;
///
/// let mut table = SortedPoints::default();
/// table.insert(vec![(100u64, Slot::new(0).unwrap())], &|a, b| a.cmp(&b));
/// let found = closest_probe(&table, [5, 90], Edge::Inclusive, ProbeDistance::Clockwise).unwrap();
/// assert_eq!((found.number, found.of, found.distance), (2, 2, 10));
/// ```
pub fn closest_probe<P: Position, T: PointTable<P>>(
    table: &T,
    probes: impl IntoIterator<Item = P>,
    edge: Edge,
    distance: ProbeDistance,
) -> Option<Probed<P>> {
    let mut of = 0;
    let found = (1..).zip(probes).filter_map(|(number, at)| {
        of += 1;
        let (point, _) = table.forward(at, edge).next()?;
        let distance = distance.of(at, point);
        Some(Probed {
            number,
            of: 0,
            at,
            point,
            distance,
        })
    });
    // Of equal ones the first.
    let closest = found.min_by_key(|probed| probed.distance)?;
    Some(Probed { of, ..closest })
}

/// Multi-probe lookup (Appleton and O'Reilly 2015): a key asks from K positions, and the point that is
/// closest ahead of any of them serves it.
///
/// Probe i of a digest is its number i by [`Position::probe`]. (The paper steps by a second hash. Probes in
/// steps are not independent: with 21 of them and a hundred nodes the fullest had 11 % over its share, not
/// 5 %.) A point's distance is the least of those from the probes, clockwise; points are preferred by distance, then by
/// the earlier probe, then in tie order. That is an order of points, so walks have the restriction
/// property as under every other lookup.
///
/// With K probes the fullest node has about 1 + 1 ÷ (K − 1) of its share, whatever the number of points:
/// 1.05 for the 21 unless said. **Only the peak is held down**: others may own next to nothing.
///
/// The owner costs K searches; each further step of a walk K comparisons. Nodes own no arcs, so there are
/// no ranges:
///
/// ```compile_fail,E0271
/// # use keyroute_core::{Native, Probes, Ranges, WithLookup, hash::Xxh3};
/// # use keyroute_vector_ring::VectorRing;
/// fn ranges(router: impl Ranges) {}
/// ranges(VectorRing::with_scheme(WithLookup::new(Native::new(Xxh3), Probes::<21>)));
/// ```
///
/// K is 1 to [`MAX_PROBES`]; another does not compile once it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probes<const K: usize = 21>;

impl<const K: usize> Probes<K> {
    /// Fails to compile for numbers of probes out of range.
    const IN_RANGE: () = assert!(K >= 1 && K <= MAX_PROBES, "1 to 128 probes");

    /// The probes of a digest, in order.
    pub fn of<P: Position>(digest: P) -> [P; K] {
        const { Self::IN_RANGE };
        let mut i = 0;
        array::from_fn(|_| {
            let probe = digest.probe(i);
            i += 1;
            probe
        })
    }
}

impl<const K: usize> Lookup for Probes<K> {
    const NAME: &'static str = "closest of probes";

    fn describe(to: &mut Description) {
        to.field("probes", K);
    }

    /// Merges the points ahead of each probe by distance. All of them go once round, so together they
    /// meet each point K times: harmless to a walk, which keeps first meetings.
    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        let mut ahead =
            Self::of(at).map(|probe| (probe, table.forward(probe, Edge::Inclusive).peekable()));
        core::iter::from_fn(move || {
            let mut best = None;
            for (index, (probe, points)) in ahead.iter_mut().enumerate() {
                let Some(&(point, _)) = points.peek() else {
                    continue;
                };
                let away = probe.ahead(point);
                if best.is_none_or(|(least, _)| away < least) {
                    best = Some((away, index));
                }
            }
            let (_, index) = best?;
            ahead[index].1.next().map(|(_, slot)| slot)
        })
    }

    fn owner<P: Position, T: PointTable<P>>(table: &T, at: P) -> Option<Slot> {
        table.closest_ahead(&Self::of(at))
    }

    fn probed<P: Position, T: PointTable<P>>(table: &T, at: P) -> Option<Probed<P>> {
        closest_probe(
            table,
            Self::of(at),
            Edge::Inclusive,
            ProbeDistance::Clockwise,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_pinned_in_every_width() {
        // SplitMix64's published answers for the seed 0.
        let first = 0xe220_a839_7b1d_cdaf;
        let second = 0x6e78_9e6a_a1b9_65f4;
        assert_eq!(Probes::<2>::of(0u64), [first, second]);
        assert_eq!(Probes::<2>::of(0u32), [0xe220_a839, 0x6e78_9e6a]);
        assert_eq!(
            Probes::<1>::of(0u128),
            [u128::from(first) << 64 | u128::from(second)]
        );
        // Both halves of a digest count.
        let [low, high] = [1u128, 1 << 64].map(Probes::<1>::of);
        assert_ne!(low, high);
    }
}
