//! Routers that only the last node can leave.

use keyroute_core::{AddNode, RemoveLast, RouteError};

use crate::answers::Answers;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// Removing the last node moves its keys and no other.
///
/// # Errors
///
/// The violation.
pub fn removing_the_last_moves_only_its_keys<R: RemoveLast>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for leaver in case.nodes.iter().rev() {
            let before = Answers::of(&router, &case.keys);
            router.remove_last()?;
            let mut moves = before.moves(&router);
            if let Some(moved) = moves.find(|moved| !moved.from.is(leaver)) {
                return Err(moved.violation(&format!("when {:?} left", leaver.id())));
            }
        }
        Ok(())
    })
}

/// A router that its last nodes have left, one by one, gives what one built without them gives.
///
/// # Errors
///
/// The violation.
pub fn removing_the_last_equals_building_anew<R: RemoveLast>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for (left, leaver) in case.nodes.iter().enumerate().rev() {
            let gone = router.remove_last()?;
            ensure!(
                gone == *leaver,
                "removing the last, {leaver:?}, gave back {gone:?}"
            );
            let anew = subject.make(&case.nodes[..left])?;
            let when = format!("after {:?} left, and not built anew", leaver.id());
            Answers::of(&anew, &case.keys).must_equal(&router, &when)?;
        }
        Ok(())
    })
}

/// A node that joins at the end and leaves again leaves no trace.
///
/// # Errors
///
/// The violation.
pub fn add_then_remove_last_is_the_identity<R: AddNode + RemoveLast>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        for guest in &case.spares {
            router.add(guest.clone())?;
        }
        for _ in &case.spares {
            router.remove_last()?;
        }
        answers.must_equal(&router, "after guests had come and gone")
    })
}

/// There is no last node to remove from an empty router.
///
/// # Errors
///
/// The violation.
pub fn nothing_can_be_removed_from_nothing<R: RemoveLast>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for _ in &case.nodes {
            router.remove_last()?;
        }
        let answers = Answers::of(&router, &case.keys);
        let refusal = router.remove_last();
        ensure!(
            refusal == Err(RouteError::NoMembers),
            "removing the last of an empty router gives {refusal:?}"
        );
        answers.must_equal(&router, "after removing from nothing was refused")
    })
}
