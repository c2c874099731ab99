//! [`Lookup`]: which point serves a position. Four rules of one step exist in the field; a fifth,
//! [`Probes`](crate::Probes), asks several times.

use core::fmt::Debug;
use core::hint::select_unpredictable;

use crate::{Description, Edge, PointTable, Position, Slot};

/// The rule that finds the point for a key's position, and the order of the walk from there.
///
/// The rules are types, fixed by the [`Scheme`](crate::Scheme): [`AtOrAfter`] (the default),
/// [`After`], [`AtOrBefore`], [`Nearest`], [`Probes`](crate::Probes).
///
/// Implementors: the order must be one of points, not of nodes: what a point's place in it depends on
/// is that point, the key and the rule. Then leaving points out leaves them out and changes nothing
/// else, and every law of incremental change holds.
pub trait Lookup: Copy + Default + Debug {
    /// The rule's name in descriptions.
    const NAME: &'static str;

    /// Says what else of the rule decides an answer: its parameters, if it has any.
    fn describe(_to: &mut Description) {}

    /// The slots in preference order from this position, once round: the walk. A node appears once
    /// for each of its points.
    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot>;

    /// The owner of this position: the first in that order.
    fn owner<P: Position, T: PointTable<P>>(table: &T, at: P) -> Option<Slot> {
        Self::order(table, at).next()
    }

    /// The owners of many positions: `owners[i]` is that of `at[i]`, as far as both go.
    fn owners<P: Position, T: PointTable<P>>(table: &T, at: &[P], owners: &mut [Option<Slot>]) {
        for (&at, owner) in at.iter().zip(owners) {
            *owner = Self::owner(table, at);
        }
    }

    /// Where the arc of a point ends that is followed by this next one, for explanations: an [`ArcLookup`] answers its
    /// [`boundary`](ArcLookup::boundary). `None` unless points serve arcs, single positions aside.
    fn arc_end<P: Position>(_point: P, _next: P) -> Option<P> {
        None
    }

    /// Which of several probes finds the point that serves this position, for explanations. `None` under a lookup
    /// of one step, and without points.
    fn probed<P: Position, T: PointTable<P>>(_table: &T, _at: P) -> Option<Probed<P>> {
        None
    }
}

/// What the closest of several probes finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed<P> {
    /// Which probe it is, from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// Where it stands.
    pub at: P,
    /// Where the point stands.
    pub point: P,
    /// How far away the point is, as probes are compared.
    pub distance: P,
}

/// A lookup under which each point serves one arc: only rings under these have
/// [`ranges`](crate::Ranges).
///
/// A node under [`Probes`](crate::Probes) owns crumbs all over the ring, as many as there are probes and
/// points, and so that rule is none.
pub trait ArcLookup: Lookup {
    /// Where the arc of `point` ends and that of the `next` point begins, clockwise: the last
    /// position that `point`'s side serves.
    fn boundary<P: Position>(point: P, next: P) -> P;
}

/// Rules that search in one direction, so that between two points the walk is the same everywhere.
#[diagnostic::on_unimplemented(
    message = "`{Self}` looks both ways, so the order of a walk changes between two points too",
    note = "count ownership over keys instead of ranges"
)]
pub trait OneWay: ArcLookup {}

impl OneWay for AtOrAfter {}
impl OneWay for After {}
impl OneWay for AtOrBefore {}

/// The first point at or after the key, round the end if need be: an arc ends on its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtOrAfter;

impl Lookup for AtOrAfter {
    const NAME: &'static str = "at or after";

    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        table.forward(at, Edge::Inclusive).map(|(_, slot)| slot)
    }

    fn owner<P: Position, T: PointTable<P>>(table: &T, at: P) -> Option<Slot> {
        table.at_or_after(at)
    }

    fn owners<P: Position, T: PointTable<P>>(table: &T, at: &[P], owners: &mut [Option<Slot>]) {
        table.at_or_after_each(at, owners);
    }

    fn arc_end<P: Position>(point: P, next: P) -> Option<P> {
        Some(Self::boundary(point, next))
    }
}

impl ArcLookup for AtOrAfter {
    fn boundary<P: Position>(point: P, _next: P) -> P {
        point
    }
}

/// The first point strictly after the key: a key that hits a point belongs to the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct After;

impl Lookup for After {
    const NAME: &'static str = "after";

    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        table.forward(at, Edge::Exclusive).map(|(_, slot)| slot)
    }

    fn arc_end<P: Position>(point: P, next: P) -> Option<P> {
        Some(Self::boundary(point, next))
    }
}

impl ArcLookup for After {
    fn boundary<P: Position>(point: P, _next: P) -> P {
        point.before()
    }
}

/// The last point at or before the key: an arc begins on its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtOrBefore;

impl Lookup for AtOrBefore {
    const NAME: &'static str = "at or before";

    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        table.backward(at, Edge::Inclusive).map(|(_, slot)| slot)
    }

    fn arc_end<P: Position>(point: P, next: P) -> Option<P> {
        Some(Self::boundary(point, next))
    }
}

impl ArcLookup for AtOrBefore {
    fn boundary<P: Position>(_point: P, next: P) -> P {
        next.before()
    }
}

/// The nearest point in either direction; at equal distance the one behind. Halves the imbalance of
/// a ring as twice the points would.
///
/// Its walk merges both directions by distance: going on clockwise would break the restriction
/// property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nearest;

impl Lookup for Nearest {
    const NAME: &'static str = "nearest";

    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        // Both directions go round once, so together they meet each point twice: harmless to a walk,
        // which keeps first meetings.
        let mut behind = table.backward(at, Edge::Exclusive).peekable();
        let mut ahead = table.forward(at, Edge::Inclusive).peekable();
        core::iter::from_fn(move || match (behind.peek(), ahead.peek()) {
            (Some(&(b, _)), Some(&(a, _))) if b.ahead(at) <= at.ahead(a) => behind.next(),
            (_, Some(_)) => ahead.next(),
            (_, None) => behind.next(),
        })
        .map(|(_, slot)| slot)
    }

    fn owner<P: Position, T: PointTable<P>>(table: &T, at: P) -> Option<Slot> {
        let [(behind, before), (ahead, after)] = table.around(at)?;
        // As likely as not: no branch could be guessed.
        let is_behind = behind.ahead(at) <= at.ahead(ahead);
        Some(select_unpredictable(is_behind, before, after))
    }

    fn arc_end<P: Position>(point: P, next: P) -> Option<P> {
        Some(Self::boundary(point, next))
    }
}

impl ArcLookup for Nearest {
    fn boundary<P: Position>(point: P, next: P) -> P {
        point.plus(point.ahead(next).halved())
    }
}
