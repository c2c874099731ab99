//! The definitions of lookups and tie orders, one point after another.

use keyroute::{After, ArcLookup, AtOrAfter, AtOrBefore, ById, FirstListed, LastListed, Nearest};
use keyroute::{Node, Position, TieOrder};

/// A lookup rule as a distance: the nearest point serves, and the walk meets points by distance.
pub(crate) trait Defined: ArcLookup {
    /// The distance of a point from a key, and what decides between equal ones.
    fn distance<P: Position>(at: P, point: P) -> (P, u8);
}

impl Defined for AtOrAfter {
    fn distance<P: Position>(at: P, point: P) -> (P, u8) {
        (at.ahead(point), 0)
    }
}

impl Defined for After {
    // A point on the key is as far as can be.
    fn distance<P: Position>(at: P, point: P) -> (P, u8) {
        (at.ahead(point).before(), 0)
    }
}

impl Defined for AtOrBefore {
    fn distance<P: Position>(at: P, point: P) -> (P, u8) {
        (point.ahead(at), 0)
    }
}

impl Defined for Nearest {
    // Of two points at one distance the one behind comes first.
    fn distance<P: Position>(at: P, point: P) -> (P, u8) {
        let (behind, ahead) = (point.ahead(at), at.ahead(point));
        (behind.min(ahead), u8::from(behind > ahead))
    }
}

/// A tie order as a rank among the nodes in their order of listing.
pub(crate) trait Ranked: TieOrder {
    /// The nodes' places, the best first.
    fn ranked(listed: &[Node]) -> Vec<usize>;
}

impl Ranked for ById {
    fn ranked(listed: &[Node]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..listed.len()).collect();
        places.sort_by_key(|&place| listed[place].id().as_bytes());
        places
    }
}

impl Ranked for FirstListed {
    fn ranked(listed: &[Node]) -> Vec<usize> {
        (0..listed.len()).collect()
    }
}

impl Ranked for LastListed {
    fn ranked(listed: &[Node]) -> Vec<usize> {
        (0..listed.len()).rev().collect()
    }
}

/// The walk of a key at this position over nodes with these points: their places in the list.
pub(crate) fn walk<P: Position, L: Defined, O: Ranked>(
    at: P,
    listed: &[(Node, Vec<P>)],
) -> Vec<usize> {
    walk_by(listed, O::ranked, |point| L::distance(at, point))
}

/// The walk that meets points in this order: the nodes' places in the list, ranked so where points are equal.
pub(crate) fn walk_by<P: Position, D: Ord>(
    listed: &[(Node, Vec<P>)],
    ranked: impl Fn(&[Node]) -> Vec<usize>,
    distance: impl Fn(P) -> D,
) -> Vec<usize> {
    let nodes: Vec<Node> = listed.iter().map(|(node, _)| node.clone()).collect();
    let mut met = Vec::new();
    for (rank, place) in ranked(&nodes).into_iter().enumerate() {
        for &point in &listed[place].1 {
            met.push((distance(point), rank, place));
        }
    }
    met.sort();
    let mut order = Vec::new();
    for (_, _, place) in met {
        if !order.contains(&place) {
            order.push(place);
        }
    }
    order
}
