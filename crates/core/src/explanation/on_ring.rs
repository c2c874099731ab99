//! [`Place::on_ring`]: which arc and which point of a ring a position finds.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{ArcPlace, Place, PointPlace, ProbePlace, ids, shown};
use crate::{Edge, Lookup, Members, OwnedRange, PointTable, Position, Slot};

impl Place {
    /// Where a position stands on a ring under this lookup. `ties` names the tie order.
    ///
    /// Looks at all points: which of its node's points one is, and how much of the ring the node owns, takes that.
    ///
    /// ```
    /// use keyroute_core::{AtOrAfter, Place};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b"])?;
    /// let place = Place::on_ring::<AtOrAfter, _, _>(ring.table(), ring.members(), "by id", 7);
    /// assert!(place.owned().unwrap() > 0.3);
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn on_ring<L: Lookup, P: Position, T: PointTable<P>>(
        table: &T,
        members: &Members,
        ties: &str,
        at: P,
    ) -> Self {
        if let Some(probed) = L::probed(table, at) {
            let point = PointPlace::on_ring(table, members, ties, probed.point);
            return point.map_or(Self::Unsaid, |point| {
                Self::Probe(ProbePlace {
                    number: probed.number,
                    of: probed.of,
                    position: shown(probed.at),
                    distance: shown(probed.distance),
                    point,
                })
            });
        }
        let arc = || {
            let arcs = arcs::<L, P, T>(table)?;
            let owner = L::owner(table, at)?;
            let (point, range) = arcs.iter().find(|(_, range)| range.contains(at))?;
            let owners = arcs.iter().filter(|(_, other)| other.owner == owner);
            let (point, [after, through]) = if range.owner == owner {
                (*point, [range.after, range.through])
            } else {
                // A rule with exceptions: this position is an arc of its own.
                let mut behind = table.backward(at, Edge::Exclusive);
                (
                    behind.find(|&(_, slot)| slot == owner)?.0,
                    [at.before(), at],
                )
            };
            Some(ArcPlace {
                position: shown(at),
                after: shown(after),
                through: shown(through),
                point: PointPlace::of(table, members, ties, point, owner)?,
                lookup: L::NAME.to_string(),
                // Rounded parts may come to a little more than the whole.
                owned: owners.map(|(_, range)| range.share()).sum::<f64>().min(1.0),
            })
        };
        arc().map_or(Self::Unsaid, Self::Arc)
    }
}

impl PointPlace {
    /// The point at this position; of several there the first in tie order. `None` without a point there.
    #[must_use]
    pub fn on_ring<P: Position, T: PointTable<P>>(
        table: &T,
        members: &Members,
        ties: &str,
        at: P,
    ) -> Option<Self> {
        let (_, owner) = table
            .forward(at, Edge::Inclusive)
            .next()
            .filter(|&(first, _)| first == at)?;
        Self::of(table, members, ties, at, owner)
    }

    /// This node's point at this position, which serves there, whoever else has one: for systems whose rule is no
    /// order. `None` unless the slot is in use.
    ///
    /// ```
    /// use keyroute_core::{Edge, PointPlace, PointTable};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b"])?;
    /// let (lowest, slot) = ring.table().forward(0, Edge::Inclusive).next().unwrap();
    /// let point = PointPlace::of(ring.table(), ring.members(), "by id", lowest, slot).unwrap();
    /// assert_eq!((point.number, point.of), (1, 160));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn of<P: Position, T: PointTable<P>>(
        table: &T,
        members: &Members,
        ties: &str,
        at: P,
        owner: Slot,
    ) -> Option<Self> {
        let here = table.forward(at, Edge::Inclusive);
        let here = here.take_while(|&(position, _)| position == at);
        let mut distinct: Vec<Slot> = Vec::new();
        for (_, slot) in here {
            if slot != owner && !distinct.contains(&slot) {
                distinct.push(slot);
            }
        }
        let own = table.forward(P::default(), Edge::Inclusive);
        let (mut before, mut of) = (0, 0);
        for (position, _) in own.filter(|&(_, slot)| slot == owner) {
            of += 1;
            before += u64::from(position < at);
        }
        Some(Self {
            position: shown(at),
            node: members.get(owner)?.id().clone(),
            number: before + 1,
            of,
            others: ids(members, distinct),
            ties: ties.to_string(),
        })
    }
}

/// The points that serve an arc, clockwise from 0, and their arcs; `None` under a lookup without arcs.
fn arcs<L: Lookup, P: Position, T: PointTable<P>>(table: &T) -> Option<Vec<(P, OwnedRange<P>)>> {
    // Of points at one position the first in tie order serves it.
    let mut points: Vec<(P, Slot)> = table.forward(P::default(), Edge::Inclusive).collect();
    points.dedup_by_key(|&mut (position, _)| position);
    let next = points.iter().cycle().skip(1);
    let ends = points.iter().zip(next);
    let ends: Option<Vec<P>> = ends.map(|(at, next)| L::arc_end(at.0, next.0)).collect();
    let ends = ends?;
    // An arc begins where the one before it ends; the first one where the last ends.
    let begins = ends.last().into_iter().chain(&ends);
    let arcs = points.iter().zip(begins).zip(&ends);
    Some(
        arcs.map(|((&(point, owner), &after), &through)| {
            let range = OwnedRange {
                after,
                through,
                owner,
            };
            (point, range)
        })
        .collect(),
    )
}
