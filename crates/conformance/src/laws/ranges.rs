//! Routers whose nodes own ranges of hashes.

use std::ops::ControlFlow;

use keyroute_core::{OwnedRange, Position, Ranges, RouteDigest, Slot, WalkRanges};

use crate::answers::shown;
use crate::violation::ensure;
use crate::{Subject, Verdict, Violation};

/// The ranges hold every position once, clockwise from the one that holds position 0.
///
/// # Errors
///
/// The violation.
pub fn the_ranges_hold_every_position_once<R: Ranges>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        hold_every_position_once(&subject.make(&case.nodes)?.ranges())?;
        let empty = subject.make(&[])?.ranges();
        ensure!(empty.is_empty(), "an empty router owns {empty:?}");
        Ok(())
    })
}

fn hold_every_position_once<P: Position>(ranges: &[OwnedRange<P>]) -> Verdict {
    let Some(last) = ranges.last() else {
        return Err(Violation::new("with nodes there are no ranges"));
    };
    ensure!(
        ranges[0].contains(P::default()),
        "the first range is {:?}, which does not hold 0",
        ranges[0]
    );
    let mut before = last;
    for range in ranges {
        ensure!(
            range.after == before.through,
            "{before:?} is followed by {range:?}"
        );
        before = range;
    }
    // Each begins where the one before ends; that they go round once, their sizes say.
    let most = P::MAX.widen();
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
    Ok(())
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

/// All positions of a walk range have one walk, its owner first, and the ranges hold every position once: seen
/// at both ends, between, and for every key.
///
/// # Errors
///
/// The violation.
pub fn walks_are_the_same_throughout_a_range<R: WalkRanges>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let walk = |value| {
            let mut order: Vec<Slot> = Vec::new();
            router.walk_value(value, &mut |slot| {
                order.push(slot);
                ControlFlow::Continue(())
            });
            order
        };
        let ranges = router.walk_ranges();
        hold_every_position_once(&ranges)?;
        for range in &ranges {
            let expected = walk(range.through);
            ensure!(
                expected.first() == Some(&range.owner),
                "the walk at the end of {range:x?} is {expected:?}"
            );
            for position in probes(range) {
                let found = walk(position);
                ensure!(
                    found == expected,
                    "the walk at {position:x} is {found:?}, at the end of {range:x?} it is {expected:?}"
                );
            }
        }
        for key in &case.keys {
            let value = router.digest(key).value();
            let holder = ranges.iter().find(|range| range.contains(value));
            let (found, expected) = (walk(value), holder.map(|range| walk(range.through)));
            ensure!(
                Some(&found) == expected.as_ref(),
                "the walk of key {} is {found:?}, and it lies in {holder:x?}",
                shown(key)
            );
        }
        let empty = subject.make(&[])?.walk_ranges();
        ensure!(empty.is_empty(), "an empty router has walks in {empty:?}");
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
