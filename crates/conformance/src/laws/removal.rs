//! Routers that any node can leave.

use keyroute_core::{AddNode, OrderFree, RemoveNode, RouteError};

use crate::answers::Answers;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// Removing a node moves its keys and no other.
///
/// # Errors
///
/// The violation.
pub fn removing_moves_only_the_leavers_keys<R: RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for leaver in case.shuffled() {
            let before = Answers::of(&router, &case.keys);
            router.remove(leaver.id().as_str())?;
            let mut moves = before.moves(&router);
            if let Some(moved) = moves.find(|moved| !moved.from.is(&leaver)) {
                return Err(moved.violation(&format!("when {:?} left", leaver.id())));
            }
        }
        Ok(())
    })
}

/// A router that a node has left gives what one built without that node gives.
///
/// # Errors
///
/// The violation.
pub fn removing_equals_building_anew<R: RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let leaver = case.chosen();
        let mut router = subject.make(&case.nodes)?;
        let gone = router.remove(leaver.id().as_str())?;
        ensure!(gone == *leaver, "removing {leaver:?} gave back {gone:?}");
        let anew = subject.make(&case.nodes_without(leaver))?;
        let when = format!("after {:?} left, and not built anew", leaver.id());
        Answers::of(&anew, &case.keys).must_equal(&router, &when)
    })
}

/// A node that is no member cannot be removed, nor one that has left; the attempt changes nothing.
///
/// # Errors
///
/// The violation.
pub fn a_stranger_cannot_be_removed<R: RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let leaver = case.chosen().id().as_str();
        router.remove(leaver)?;
        let answers = Answers::of(&router, &case.keys);
        for id in [leaver, case.newcomer().id().as_str(), ""] {
            let refusal = router.remove(id);
            ensure!(
                refusal == Err(RouteError::NotMember { id: id.into() }),
                "removing the stranger {id:?} gives {refusal:?}"
            );
            answers.must_equal(&router, &format!("after removing {id:?} was refused"))?;
        }
        Ok(())
    })
}

/// When all have left, in any order, nothing is left of them.
///
/// # Errors
///
/// The violation.
pub fn the_last_to_leave_leaves_nothing<R: RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for leaver in case.shuffled() {
            router.remove(leaver.id().as_str())?;
        }
        Answers::of(&subject.make(&[])?, &case.keys).must_equal(&router, "when all had left")
    })
}

/// A node that joins and leaves again leaves no trace.
///
/// # Errors
///
/// The violation.
pub fn add_then_remove_is_the_identity<R: AddNode + RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        for guest in &case.spares {
            router.add(guest.clone())?;
        }
        for guest in &case.spares {
            router.remove(guest.id().as_str())?;
        }
        answers.must_equal(&router, "after guests had come and gone")
    })
}

/// A node that leaves and comes back finds all as it was.
///
/// # Errors
///
/// The violation.
pub fn remove_then_add_is_the_identity<R: AddNode + RemoveNode + OrderFree>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        let leaver = case.chosen();
        let gone = router.remove(leaver.id().as_str())?;
        router.add(gone)?;
        answers.must_equal(
            &router,
            &format!("after {:?} left and came back", leaver.id()),
        )
    })
}
