//! Routers whose nodes own ranges of hashes.

use keyroute_core::{OwnedRange, Position, Ranges, RouteDigest};

use crate::answers::shown;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// The ranges hold every position once, clockwise from the one that holds position 0.
///
/// # Errors
///
/// The violation.
pub fn the_ranges_hold_every_position_once<R: Ranges>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let ranges = subject.make(&case.nodes)?.ranges();
        let Some(last) = ranges.last() else {
            ensure!(false, "{} nodes own no range", case.nodes.len());
            return Ok(());
        };
        ensure!(
            ranges[0].contains(R::Width::default()),
            "the first range is {:?}, which does not hold 0",
            ranges[0]
        );
        let mut before = last;
        for range in &ranges {
            ensure!(
                range.after == before.through,
                "{before:?} is followed by {range:?}"
            );
            before = range;
        }
        // Each begins where the one before ends; that they go round once, their sizes say.
        let most = R::Width::MAX.widen();
        let mut left = most;
        for (at, range) in ranges.iter().enumerate() {
            let less_one = range.size().map_or(most, |size| size - 1);
            // One place is left over for the last: the whole ring is one more than `most`.
            let size = if at + 1 == ranges.len() {
                less_one
            } else {
                less_one + 1
            };
            ensure!(
                size <= left,
                "the ranges go round more than once, at {range:?}"
            );
            left -= size;
        }
        ensure!(left == 0, "the ranges leave {left} positions out");
        let empty = subject.make(&[])?.ranges();
        ensure!(empty.is_empty(), "an empty router owns {empty:?}");
        Ok(())
    })
}

/// Neighbouring ranges have different owners: there are as few as can be.
///
/// # Errors
///
/// The violation.
pub fn neighbouring_ranges_have_different_owners<R: Ranges>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let ranges = subject.make(&case.nodes)?.ranges();
        for (at, range) in ranges.iter().enumerate().skip(1) {
            let neighbours = [&ranges[at - 1], &ranges[(at + 1) % ranges.len()]];
            for neighbour in neighbours {
                ensure!(
                    neighbour.owner != range.owner,
                    "{neighbour:?} and {range:?} could be one range"
                );
            }
        }
        Ok(())
    })
}

/// A range owns what is routed to its owner: its ends, its middle, and the digest of every key in it.
///
/// # Errors
///
/// The violation.
pub fn ranges_own_what_is_routed_to_them<R>(subject: &Subject<R>) -> Verdict
where
    R: Ranges + RouteDigest<Width = <R as Ranges>::Width>,
{
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let ranges = router.ranges();
        for range in &ranges {
            for position in probes(range) {
                let owner = router.route_value(position);
                ensure!(
                    owner == Some(range.owner),
                    "{position:x} goes to {owner:?}, and lies in {range:x?}"
                );
                ensure!(
                    range.contains(position),
                    "{range:x?} does not hold {position:x}"
                );
            }
        }
        for key in &case.keys {
            let value = router.digest(key).value();
            let holders: Vec<_> = ranges
                .iter()
                .filter(|range| range.contains(value))
                .collect();
            let owner = router.route(key);
            ensure!(
                holders.len() == 1 && Some(holders[0].owner) == owner,
                "key {}, at {value:x}, goes to {owner:?} and lies in {holders:x?}",
                shown(key)
            );
        }
        Ok(())
    })
}

/// The first position of a range, its last, and one between.
fn probes<P: Position>(range: &OwnedRange<P>) -> [P; 3] {
    // MAX and one more is 0, so this is 1.
    let one = P::MAX.ahead(P::default());
    let length = range.after.plus(one).ahead(range.through);
    let first = range.after.plus(one);
    [first, first.plus(length.halved()), range.through]
}
