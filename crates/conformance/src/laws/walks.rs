//! Routers with a preference order.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use keyroute_core::{NodeId, RemoveNode, Slot, SlotSet, Walk, WalkDigest, WalkExt};

use crate::answers::{shown, walk};
use crate::case::mix;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// A key's walk visits every node once.
///
/// # Errors
///
/// The violation.
pub fn a_walk_visits_every_node_once<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let visited = walk(&router, key)?;
            for node in &case.nodes {
                let times = visited.iter().filter(|id| *id == node.id()).count();
                ensure!(
                    times == 1,
                    "the walk of key {} visits {:?} {times} times",
                    shown(key),
                    node.id()
                );
            }
        }
        let empty = subject.make(&[])?;
        ensure!(walk(&empty, b"")?.is_empty(), "an empty router has a walk");
        Ok(())
    })
}

/// A key's walk begins with its owner.
///
/// # Errors
///
/// The violation.
pub fn a_walk_begins_with_the_owner<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let (first, owner) = (walk(&router, key)?, router.route_id(key));
            ensure!(
                first.first() == owner,
                "the walk of key {} begins with {:?}, its owner is {owner:?}",
                shown(key),
                first.first()
            );
        }
        Ok(())
    })
}

/// A walk stops when it is told to.
///
/// # Errors
///
/// The violation.
pub fn a_walk_stops_when_told<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            for stop in 1..=case.nodes.len() {
                let mut visits = 0;
                router.walk(key, &mut |_| {
                    visits += 1;
                    if visits >= stop {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
                ensure!(
                    visits == stop,
                    "the walk of key {} was told to stop at visit {stop} and made {visits}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// What a lent set held before changes no walk.
///
/// # Errors
///
/// The violation.
pub fn a_lent_set_changes_no_walk<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let mut seen = SlotSet::new();
        for key in &case.keys {
            for slot in router.members().slots().chain(Slot::new(2000)) {
                seen.insert(slot);
            }
            let mut visited = Vec::new();
            router.walk_with(key, &mut seen, &mut |slot| {
                visited.extend(router.members().get(slot).map(|node| node.id().clone()));
                ControlFlow::Continue(())
            });
            let expected = walk(&router, key)?;
            ensure!(
                visited == expected,
                "with a lent set the walk of key {} is {visited:?}, not {expected:?}",
                shown(key)
            );
        }
        Ok(())
    })
}

/// The walk of a key's digest is that of the key.
///
/// # Errors
///
/// The violation.
pub fn a_digest_walks_as_its_key<R: WalkDigest>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let mut found = Vec::new();
            router.walk_value(router.digest(key).value(), &mut |slot| {
                found.extend(router.members().get(slot).map(|node| node.id().clone()));
                ControlFlow::Continue(())
            });
            let expected = walk(&router, key)?;
            ensure!(
                found == expected,
                "the walk of key {} is {expected:?}, that of its digest {found:?}",
                shown(key)
            );
        }
        Ok(())
    })
}

/// The restriction property: a fleet without a node has each key's order without that node, and
/// nothing else changes in it.
///
/// The strongest of the walk's laws: replicas and fallbacks are as stable as owners.
///
/// # Errors
///
/// The violation.
pub fn a_node_left_out_is_only_left_out_of_each_walk<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let leaver = case.chosen();
        let without = subject.make(&case.nodes_without(leaver))?;
        for key in &case.keys {
            let mut expected = walk(&router, key)?;
            expected.retain(|id| id != leaver.id());
            let found = walk(&without, key)?;
            ensure!(
                found == expected,
                "without {:?} the walk of key {} is {found:?}, not {expected:?}",
                leaver.id(),
                shown(key)
            );
        }
        Ok(())
    })
}

/// Removing a node takes it out of each key's order and changes nothing else there.
///
/// # Errors
///
/// The violation.
pub fn removing_only_drops_the_node_from_each_walk<R: Walk + RemoveNode>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let leaver = case.chosen();
        let mut before = Vec::new();
        for key in &case.keys {
            before.push(walk(&router, key)?);
        }
        router.remove(leaver.id().as_str())?;
        for (key, mut expected) in case.keys.iter().zip(before) {
            expected.retain(|id| id != leaver.id());
            let found = walk(&router, key)?;
            ensure!(
                found == expected,
                "after {:?} left the walk of key {} is {found:?}, not {expected:?}",
                leaver.id(),
                shown(key)
            );
        }
        Ok(())
    })
}

/// Nodes that are down are passed over as if they had been removed: with any of them down, all even, a key
/// goes where it goes in a router that they have left.
///
/// So a list of who is up, read at the time of the pick, is as good as a change of members.
///
/// # Errors
///
/// The violation.
pub fn nodes_that_are_down_are_passed_over_as_if_removed<R: Walk + RemoveNode>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let full = subject.make(&case.nodes)?;
        let mut less = subject.make(&case.nodes)?;
        let mut state = case.salt;
        let mut down: BTreeSet<&NodeId> = BTreeSet::new();
        for node in &case.nodes {
            state = mix(state);
            if state.is_multiple_of(2) {
                down.insert(node.id());
                less.remove(node.id().as_str())?;
            }
        }
        let id = |slot| full.members().get(slot).map(|node| node.id());
        for key in &case.keys {
            let up = |slot| id(slot).is_some_and(|id| !down.contains(id));
            let found = full.first_where(key, up).and_then(id);
            let expected = less.route_id(key);
            ensure!(
                found == expected,
                "with {down:?} down key {} goes to {found:?}, without them it goes to {expected:?}",
                shown(key)
            );
        }
        Ok(())
    })
}
