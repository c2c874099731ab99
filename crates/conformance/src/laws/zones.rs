//! Replicas spread over zones.

use std::collections::BTreeSet;

use keyroute_core::{Node, NodeId, RemoveNode, Slot, Walk, WalkExt, Zone};

use crate::answers::{shown, walk};
use crate::violation::ensure;
use crate::{Subject, Verdict};

fn zone(router: &dyn Walk, slot: Slot) -> Option<Zone> {
    router.members().get(slot)?.zone().cloned()
}

/// Zone replicas are distinct nodes, the owner first, in distinct zones while zones last.
///
/// # Errors
///
/// The violation.
pub fn zone_replicas_take_every_zone_first<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let zones: BTreeSet<_> = case.nodes.iter().map(|node| node.zone().cloned()).collect();
        for key in &case.keys {
            for n in (0..=case.nodes.len() + 1).chain([usize::MAX]) {
                let chosen = router.zone_replicas(key, n);
                let nodes: BTreeSet<_> = chosen.iter().collect();
                ensure!(
                    nodes.len() == chosen.len() && chosen.len() == n.min(case.nodes.len()),
                    "key {} has {n} zone replicas in {chosen:?} of {} nodes",
                    shown(key),
                    case.nodes.len()
                );
                let spread = chosen.len().min(zones.len());
                let met: BTreeSet<_> = chosen.iter().map(|&slot| zone(&router, slot)).collect();
                let first: BTreeSet<_> = chosen[..spread]
                    .iter()
                    .map(|&slot| zone(&router, slot))
                    .collect();
                ensure!(
                    first.len() == spread && met.len() == spread,
                    "key {} has {n} zone replicas in the zones {met:?}, {} there are",
                    shown(key),
                    zones.len()
                );
                ensure!(
                    chosen.first().copied() == router.route(key).filter(|_| n > 0),
                    "key {} has zone replicas that do not begin with its owner",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// The zone replicas for n begin those for n + 1.
///
/// # Errors
///
/// The violation.
pub fn fewer_zone_replicas_begin_more<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let all = router.zone_replicas(key, case.nodes.len());
            for n in 0..case.nodes.len() {
                let some = router.zone_replicas(key, n);
                ensure!(
                    all.starts_with(&some),
                    "key {} has the {n} zone replicas {some:?}, which do not begin {all:?}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// Each zone routes as if it were alone: its first node in a key's order is the key's owner in a router of the
/// zone's nodes.
///
/// So with a replica in every zone each zone holds all keys, split among its nodes as it would by itself.
///
/// # Errors
///
/// The violation.
pub fn each_zone_routes_as_if_alone<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let zones: BTreeSet<_> = case.nodes.iter().map(Node::zone).collect();
        for &name in &zones {
            let nodes = case.nodes.iter().filter(|node| node.zone() == name);
            let alone = subject.make(&nodes.cloned().collect::<Vec<_>>())?;
            for key in &case.keys {
                let replicas = router.zone_replicas(key, zones.len());
                let mut here = replicas
                    .into_iter()
                    .filter_map(|slot| router.members().get(slot));
                let found = here.find(|node| node.zone() == name).map(Node::id);
                let expected = alone.route_id(key);
                ensure!(
                    found == expected,
                    "key {} is on {found:?} in zone {name:?}, which alone has it on {expected:?}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// A node that leaves is replaced by one other in each set of zone replicas that it was in: sets without it stay,
/// and nobody else leaves a set.
///
/// The order within a set may change by more: the leaver's zone may have its next node further back.
///
/// # Errors
///
/// The violation.
pub fn zone_replicas_lose_only_the_leaver<R: Walk + RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let before = subject.make(&case.nodes)?;
        let mut after = subject.make(&case.nodes)?;
        let leaver = case.chosen().id();
        after.remove(leaver.as_str())?;
        let set = |router: &R, key: &[u8], n| -> BTreeSet<NodeId> {
            let slots = router.zone_replicas(key, n).into_iter();
            let nodes = slots.filter_map(|slot| router.members().get(slot));
            nodes.map(|node| node.id().clone()).collect()
        };
        for key in &case.keys {
            for n in 1..=case.nodes.len() {
                let (old, new) = (set(&before, key, n), set(&after, key, n));
                let kept = old.iter().filter(|id| *id != leaver);
                ensure!(
                    kept.clone().all(|id| new.contains(id))
                        && (old.contains(leaver) || old == new)
                        && !new.contains(leaver),
                    "when {leaver:?} left, the {n} zone replicas of key {} became {new:?}, from {old:?}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// A key's whole walk takes every zone first: it is what `zone_replicas` makes of it. For layers that spread
/// over zones themselves.
///
/// # Errors
///
/// The violation.
pub fn a_walk_takes_every_zone_first<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let zones: BTreeSet<_> = case.nodes.iter().map(Node::zone).collect();
        let zone = |id: &NodeId| case.nodes.iter().find(|node| node.id() == id)?.zone();
        for key in &case.keys {
            let order = walk(&router, key)?;
            let first: BTreeSet<_> = order.iter().take(zones.len()).map(zone).collect();
            ensure!(
                first.len() == zones.len(),
                "the walk of key {} is {order:?}, whose first {} stand in {first:?}",
                shown(key),
                zones.len()
            );
        }
        Ok(())
    })
}
