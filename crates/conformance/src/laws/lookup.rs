//! What every router keeps.

use std::sync::Arc;

use keyroute_core::{MemberOrder, Node, RouteError, Router, Slot};

use crate::answers::{Answers, shown};
use crate::violation::ensure;
use crate::{Subject, Verdict, Violation};

/// With members, every key has an owner, and it is one of them.
///
/// # Errors
///
/// The violation.
pub fn every_key_has_an_owner<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let Some(slot) = router.route(key) else {
                let count = case.nodes.len();
                return Err(Violation::new(format!(
                    "key {} has no owner among {count} nodes",
                    shown(key)
                )));
            };
            let owner = router.members().get(slot);
            ensure!(
                owner.is_some_and(|owner| case.nodes.contains(owner)),
                "key {} goes to {slot:?}, which holds {owner:?}: not a node of the fleet",
                shown(key)
            );
        }
        Ok(())
    })
}

/// Without members, no key has an owner.
///
/// # Errors
///
/// The violation.
pub fn without_members_no_key_has_an_owner<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&[])?;
        ensure!(
            router.members().is_empty(),
            "an empty router has members: {:?}",
            router.members()
        );
        for key in &case.keys {
            let (slot, id) = (router.route(key), router.route_id(key));
            ensure!(
                slot.is_none() && id.is_none(),
                "key {} goes to {slot:?}, {id:?}, of an empty router",
                shown(key)
            );
        }
        Ok(())
    })
}

/// A node that is alone owns every key.
///
/// # Errors
///
/// The violation.
pub fn a_lone_node_owns_every_key<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let lone = case.chosen();
        let router = subject.make(std::slice::from_ref(lone))?;
        for key in &case.keys {
            let owner = router.route_id(key);
            ensure!(
                owner == Some(lone.id()),
                "key {} goes to {owner:?}, not to the lone node {:?}",
                shown(key),
                lone.id()
            );
        }
        Ok(())
    })
}

/// The members are the nodes given, with their weights and zones, and in their order if it matters.
///
/// # Errors
///
/// The violation.
pub fn the_members_are_the_nodes_given<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let members = router.members();
        let node = |slot| members.get(slot).cloned();
        let mut listed: Vec<Node> = members.listed().into_iter().filter_map(node).collect();
        let mut given = case.nodes.clone();
        if router.describe().order() == MemberOrder::ById {
            listed.sort();
            given.sort();
        }
        ensure!(
            listed == given,
            "given {given:?}, the members are {listed:?}"
        );
        Ok(())
    })
}

/// Asked again it answers the same, in any order of asking, and so does a second router of the same
/// nodes.
///
/// # Errors
///
/// The violation.
pub fn asked_again_it_answers_the_same<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        let last_first: Vec<_> = case.keys.iter().rev().cloned().collect();
        Answers::of(&router, &last_first).must_equal(&router, "asked again")?;
        answers.must_equal(&router, "asked again")?;
        answers.must_equal(&subject.make(&case.nodes)?, "made again")
    })
}

/// `route_id` gives the id of the node in the slot that `route` gives.
///
/// # Errors
///
/// The violation.
pub fn slot_and_id_name_one_node<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in &case.keys {
            let slot = router
                .route(key)
                .and_then(|slot| router.members().get(slot));
            let id = router.route_id(key);
            ensure!(
                slot.map(Node::id) == id,
                "key {} has the slot of {slot:?} and the id {id:?}",
                shown(key)
            );
        }
        Ok(())
    })
}

/// A batch gives what single lookups give, whatever stood in the places for its answers.
///
/// # Errors
///
/// The violation.
pub fn a_batch_equals_single_lookups<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        for nodes in [&case.nodes[..], &[]] {
            let router = subject.make(nodes)?;
            let keys = case.key_slices();
            let mut out = vec![Slot::new(77); keys.len()];
            router.route_batch(&keys, &mut out)?;
            for (key, slot) in keys.iter().zip(out) {
                let single = router.route(key);
                ensure!(
                    slot == single,
                    "key {} goes to {single:?} alone and to {slot:?} in a batch",
                    shown(key)
                );
            }
            router.route_batch(&[], &mut [])?;
        }
        Ok(())
    })
}

/// A batch with more or fewer places than keys is refused and writes nothing.
///
/// # Errors
///
/// The violation.
pub fn a_batch_that_does_not_fit_is_refused<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let keys = case.key_slices();
        for room in [0, keys.len() - 1, keys.len() + 1] {
            let mark = Slot::new(77);
            let mut out = vec![mark; room];
            let refusal = router.route_batch(&keys, &mut out);
            let expected = RouteError::BatchLength {
                keys: keys.len(),
                out: room,
            };
            ensure!(
                refusal.as_ref() == Err(&expected),
                "a batch of {} keys with room for {room} answers gives {refusal:?}",
                keys.len()
            );
            ensure!(
                out.iter().all(|&slot| slot == mark),
                "a refused batch wrote {out:?}"
            );
        }
        Ok(())
    })
}

/// Behind a reference, in a `Box` and in an `Arc` it answers as it does itself.
///
/// # Errors
///
/// The violation.
pub fn erased_it_answers_the_same<R: Router + 'static>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        answers.must_equal(&&router, "behind a reference")?;
        let boxed: Box<dyn Router> = Box::new(router);
        answers.must_equal(&boxed, "in a box")?;
        let keys = case.key_slices();
        let mut out = vec![None; keys.len()];
        boxed.route_batch(&keys, &mut out)?;
        for (key, slot) in keys.iter().zip(out) {
            ensure!(
                slot == boxed.route(key),
                "key {} goes elsewhere in a batch, in a box",
                shown(key)
            );
        }
        answers.must_equal(&Arc::new(subject.make(&case.nodes)?), "in an arc")
    })
}

/// The heap it reports holds at least the ids of its members, and grows with them.
///
/// # Errors
///
/// The violation.
pub fn the_heap_holds_the_members<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let (held, empty) = (
            subject.make(&case.nodes)?.heap_bytes(),
            subject.make(&[])?.heap_bytes(),
        );
        let ids: usize = case
            .nodes
            .iter()
            .map(|node| node.id().as_bytes().len())
            .sum();
        ensure!(
            held >= empty + ids,
            "{held} bytes on the heap, {empty} when empty, cannot hold ids of {ids} bytes"
        );
        Ok(())
    })
}
