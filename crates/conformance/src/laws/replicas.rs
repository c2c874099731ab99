//! What stands on a walk: replicas, and the first node that serves.

use keyroute_core::{Slot, Walk, WalkExt};

use crate::answers::shown;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// Replicas are distinct, the owner first, as many as were asked for or all.
///
/// # Errors
///
/// The violation.
pub fn replicas_are_distinct_and_the_owner_is_first<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            for n in (0..=case.nodes.len() + 1).chain([usize::MAX]) {
                let replicas = router.replicas(key, n);
                let wanted = n.min(case.nodes.len());
                ensure!(
                    replicas.len() == wanted,
                    "key {} has {} replicas of {n} in {} nodes",
                    shown(key),
                    replicas.len(),
                    case.nodes.len()
                );
                let mut distinct = replicas.clone();
                distinct.sort();
                distinct.dedup();
                ensure!(
                    distinct.len() == replicas.len(),
                    "key {} has a node twice in {replicas:?}",
                    shown(key)
                );
                let owner = router.route(key).filter(|_| n > 0);
                ensure!(
                    replicas.first().copied() == owner,
                    "key {} has the owner {owner:?} and the replicas {replicas:?}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// The replicas for n begin the replicas for n + 1, and each way to ask gives the same.
///
/// # Errors
///
/// The violation.
pub fn fewer_replicas_begin_more<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let all = router.replicas(key, case.nodes.len());
            for n in 0..case.nodes.len() {
                let some = router.replicas(key, n);
                ensure!(
                    all.starts_with(&some),
                    "key {} has the {n} replicas {some:?}, which do not begin {all:?}",
                    shown(key)
                );
            }
            let mut places = vec![Slot::new(0); all.len()];
            let mut slots: Vec<Slot> = places.drain(..).flatten().collect();
            let count = router.replicas_into(key, &mut slots);
            ensure!(
                count == all.len() && slots == all,
                "key {} has the replicas {all:?}, and {count} in {slots:?}",
                shown(key)
            );
        }
        Ok(())
    })
}

/// `first_where` finds each node, after asking those before it, once each; and no node if none serves.
///
/// # Errors
///
/// The violation.
pub fn the_first_that_serves_is_found<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let order = router.replicas(key, case.nodes.len());
            for (at, &up) in order.iter().enumerate() {
                let mut asked = Vec::new();
                let found = router.first_where(key, |slot| {
                    asked.push(slot);
                    slot == up
                });
                ensure!(
                    found == Some(up) && asked == order[..=at],
                    "key {} with {up:?} alone up: found {found:?} after asking {asked:?} of {order:?}",
                    shown(key)
                );
            }
            let mut asked = 0;
            let found = router.first_where(key, |_| {
                asked += 1;
                false
            });
            ensure!(
                found.is_none() && asked == case.nodes.len(),
                "key {} with no node up: found {found:?} after asking {asked}",
                shown(key)
            );
        }
        Ok(())
    })
}
