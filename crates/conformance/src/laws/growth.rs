//! Routers that nodes can join.

use keyroute_core::{AddNode, RouteError, Weight};

use crate::answers::Answers;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// Adding a node moves keys only to it.
///
/// # Errors
///
/// The violation.
pub fn adding_moves_keys_only_to_the_newcomer<R: AddNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for newcomer in &case.spares {
            let before = Answers::of(&router, &case.keys);
            router.add(newcomer.clone())?;
            let mut moves = before.moves(&router);
            if let Some(moved) = moves.find(|moved| !moved.to.is(newcomer)) {
                return Err(moved.violation(&format!("when {:?} joined", newcomer.id())));
            }
        }
        Ok(())
    })
}

/// Nodes added one by one, to nothing or to a fleet, give what a router built of all of them gives.
///
/// # Errors
///
/// The violation.
pub fn adding_equals_building_anew<R: AddNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut grown = subject.make(&[])?;
        for node in &case.nodes {
            let slot = grown.add(node.clone())?;
            let held = grown.members().get(slot);
            ensure!(
                held == Some(node),
                "{node:?} was given {slot:?}, which holds {held:?}"
            );
        }
        let mut router = subject.make(&case.nodes)?;
        Answers::of(&router, &case.keys).must_equal(&grown, "grown from nothing")?;

        let newcomer = case.newcomer();
        router.add(newcomer.clone())?;
        let anew = subject.make(&case.nodes_with(newcomer))?;
        let when = format!("after {:?} joined, and not built anew", newcomer.id());
        Answers::of(&anew, &case.keys).must_equal(&router, &when)
    })
}

/// A member cannot be added again, with its weight or another; the attempt changes nothing.
///
/// # Errors
///
/// The violation.
pub fn a_member_cannot_be_added_again<R: AddNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        let member = case.chosen();
        let id = member.id().clone();
        let mut again = vec![member.clone()];
        if subject.weighs() {
            again.push(
                member
                    .clone()
                    .with_weight(Weight::new(member.weight().get() + 2)?),
            );
        }
        for node in again {
            let refusal = router.add(node);
            ensure!(
                refusal == Err(RouteError::AlreadyMember { id: id.clone() }),
                "adding {id:?} again gives {refusal:?}"
            );
            answers.must_equal(&router, &format!("after {id:?} was refused as a member"))?;
        }
        Ok(())
    })
}
