//! Routers that bound the loads of their nodes.

use keyroute_core::{NodeId, RemoveNode, Router, Slot};

use crate::answers::{shown, walk};
use crate::case::{below, mix};
use crate::violation::ensure;
use crate::{Case, Loads, Subject, Verdict, Violation};

/// Loads that come and go, in a case: half of them of one key.
fn traffic<R: Router, L: Loads<R>>(
    router: &R,
    case: &Case,
    mut placed: impl FnMut(&[u8], &NodeId, &Before) -> Verdict,
    mut after: impl FnMut(&[L::Lease]) -> Verdict,
) -> Result<Vec<L::Lease>, Violation> {
    let mut leases: Vec<L::Lease> = Vec::new();
    let mut state = case.salt;
    for _ in 0..200 {
        state = mix(state);
        if state.is_multiple_of(3) && !leases.is_empty() {
            drop(leases.swap_remove(below(mix(state), leases.len())));
        } else {
            let hot = state.is_multiple_of(2);
            let number = if hot {
                0
            } else {
                below(state, case.keys.len())
            };
            let key = &case.keys[number];
            let before = Before::of::<R, L>(router, key)?;
            let Some(lease) = L::acquire(router, key) else {
                let count = router.members().len();
                return Err(Violation::new(format!(
                    "a load of key {} finds none of {count} nodes",
                    shown(key)
                )));
            };
            placed(key, &L::node(&lease), &before)?;
            leases.push(lease);
        }
        after(&leases)?;
    }
    Ok(leases)
}

/// Where a key's load may go, before it goes: the nodes in the plain order, with held and capacity.
struct Before(Vec<(NodeId, u64, u64)>);

impl Before {
    fn of<R: Router, L: Loads<R>>(router: &R, key: &[u8]) -> Result<Self, Violation> {
        let order = walk(L::plain(router), key)?;
        let nodes = order.into_iter().map(|id| {
            let slot = router.members().find(id.as_str())?;
            Ok((id, L::held(router, slot), L::capacity(router, slot)))
        });
        nodes.collect::<Result<_, Violation>>().map(Self)
    }
}

fn held<R: Router, L: Loads<R>>(router: &R) -> u64 {
    let slots = router.members().slots();
    slots.map(|slot: Slot| L::held(router, slot)).sum()
}

/// No node takes a load over its capacity, as it is when the load is placed. For rules under which some
/// node always has room.
///
/// # Errors
///
/// The violation.
pub fn no_node_takes_more_than_its_capacity<R: Router, L: Loads<R>>(
    subject: &Subject<R>,
    _loads: L,
) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let placed = |key: &[u8], node: &NodeId, before: &Before| {
            let slot = router.members().find(node.as_str())?;
            let held = L::held(&router, slot);
            let capacity = before.0.iter().find(|(id, ..)| id == node);
            let capacity = capacity.map_or(0, |&(_, _, capacity)| capacity);
            ensure!(
                held <= capacity,
                "{node:?} took key {} and holds {held}, over its capacity of {capacity}",
                shown(key)
            );
            Ok(())
        };
        traffic::<R, L>(&router, case, placed, |_| Ok(())).map(drop)
    })
}

/// A load passes only nodes that are full, in the order of the plain router.
///
/// # Errors
///
/// The violation.
pub fn a_load_passes_only_full_nodes<R: Router, L: Loads<R>>(
    subject: &Subject<R>,
    _loads: L,
) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let placed = |key: &[u8], node: &NodeId, before: &Before| {
            for (passed, held, capacity) in before.0.iter().take_while(|(id, ..)| id != node) {
                ensure!(
                    held >= capacity,
                    "key {} went to {node:?} and passed {passed:?}, which held {held} of {capacity}",
                    shown(key)
                );
            }
            Ok(())
        };
        traffic::<R, L>(&router, case, placed, |_| Ok(())).map(drop)
    })
}

/// With members every load finds a node, however full they are; without members none does.
///
/// # Errors
///
/// The violation.
pub fn every_load_finds_a_node<R: Router, L: Loads<R>>(subject: &Subject<R>, _loads: L) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        traffic::<R, L>(&router, case, |_, _, _| Ok(()), |_| Ok(()))?;
        let empty = subject.make(&[])?;
        for key in &case.keys {
            if let Some(lease) = L::acquire(&empty, key) {
                let node = L::node(&lease);
                return Err(Violation::new(format!(
                    "a load of key {} found {node:?} in an empty router",
                    shown(key)
                )));
            }
        }
        Ok(())
    })
}

/// Idle, it answers as the plain router: at first, and again when all loads have ended.
///
/// # Errors
///
/// The violation.
pub fn idle_it_answers_as_the_plain_router<R: Router, L: Loads<R>>(
    subject: &Subject<R>,
    _loads: L,
) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let plainly = |when: &str| {
            for key in &case.keys {
                let plain = L::plain(&router).route_id(key);
                let would = router.route_id(key);
                let lease = L::acquire(&router, key);
                let does = lease.as_ref().map(L::node);
                ensure!(
                    would == plain && does.as_ref() == plain,
                    "{when} and idle, key {} would go to {would:?} and goes to {does:?}, not {plain:?}",
                    shown(key)
                );
            }
            Ok(())
        };
        plainly("new")?;
        drop(traffic::<R, L>(&router, case, |_, _, _| Ok(()), |_| Ok(()))?);
        plainly("after all loads had ended")
    })
}

/// The loads are the leases alive, in all and on each node; when the last has ended there is none.
///
/// # Errors
///
/// The violation.
pub fn the_loads_are_the_leases_alive<R: Router, L: Loads<R>>(
    subject: &Subject<R>,
    _loads: L,
) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let counted = |leases: &[L::Lease]| {
            let alive = leases.len() as u64;
            let total = L::total(&router);
            ensure!(
                total == alive && held::<R, L>(&router) == alive,
                "{alive} leases are alive, the total is {total}, the nodes hold {}",
                held::<R, L>(&router)
            );
            for (slot, node) in router.members().iter() {
                let alive = leases.iter().filter(|lease| L::node(lease) == *node.id());
                let (alive, held) = (alive.count() as u64, L::held(&router, slot));
                ensure!(
                    alive == held,
                    "{alive} leases on {:?} are alive, it holds {held}",
                    node.id()
                );
            }
            Ok(())
        };
        let leases = traffic::<R, L>(&router, case, |_, _, _| Ok(()), counted)?;
        drop(leases);
        counted(&[])
    })
}

/// The loads of a node that leaves leave the total with it, and ending their leases changes nothing.
///
/// # Errors
///
/// The violation.
pub fn the_loads_of_a_leaver_leave_with_it<R: Router + RemoveNode, L: Loads<R>>(
    subject: &Subject<R>,
    _loads: L,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let leases = traffic::<R, L>(&router, case, |_, _, _| Ok(()), |_| Ok(()))?;
        let leaver = case.chosen().id();
        let (gone, stay): (Vec<_>, Vec<_>) =
            leases.into_iter().partition(|lease| L::node(lease) == *leaver);
        router.remove(leaver.as_str())?;
        let alive = stay.len() as u64;
        let counted = |when: &str| {
            let (total, held) = (L::total(&router), held::<R, L>(&router));
            ensure!(
                total == alive && held == alive,
                "{when}, {alive} leases are alive on the others, the total is {total}, they hold {held}"
            );
            Ok(())
        };
        counted(&format!("after {leaver:?} left"))?;
        drop(gone);
        counted(&format!("after the leases of {leaver:?} ended"))
    })
}
