//! Replicas spread over zones.

use std::collections::BTreeSet;

use keyroute_core::{Slot, Walk, WalkExt, Zone};

use crate::answers::shown;
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
