//! Routers whose nodes' weights can change.

use keyroute_core::{Node, Reweight, RouteError, Weight};

use crate::answers::Answers;
use crate::violation::ensure;
use crate::{Case, Subject, Verdict, Violation};

/// The case's node as it is and heavier.
fn heavier(case: &Case) -> Result<(&Node, Node), Violation> {
    let node = case.chosen();
    let more = 1 + u32::from(case.salt.to_le_bytes()[0] % 4);
    let weight = Weight::new(node.weight().get() + more)?;
    Ok((node, node.clone().with_weight(weight)))
}

/// Raising a node's weight moves keys only to it.
///
/// # Errors
///
/// The violation.
pub fn raising_a_weight_moves_keys_only_to_that_node<R: Reweight>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let (node, heavy) = heavier(case)?;
        let mut router = subject.make(&case.nodes)?;
        let before = Answers::of(&router, &case.keys);
        router.reweight(node.id().as_str(), heavy.weight())?;
        let mut moves = before.moves(&router);
        match moves.find(|moved| !moved.to.is(node)) {
            Some(moved) => Err(moved.violation(&format!("when {:?} grew", node.id()))),
            None => Ok(()),
        }
    })
}

/// Lowering a node's weight moves keys only away from it.
///
/// # Errors
///
/// The violation.
pub fn lowering_a_weight_moves_keys_only_from_that_node<R: Reweight>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let (node, heavy) = heavier(case)?;
        let mut router = subject.make(&case.nodes_changed(&heavy))?;
        let before = Answers::of(&router, &case.keys);
        router.reweight(node.id().as_str(), node.weight())?;
        let mut moves = before.moves(&router);
        match moves.find(|moved| !moved.from.is(node)) {
            Some(moved) => Err(moved.violation(&format!("when {:?} shrank", node.id()))),
            None => Ok(()),
        }
    })
}

/// A router after a change of weight gives what one built with that weight gives, and says the old
/// weight.
///
/// # Errors
///
/// The violation.
pub fn reweighting_equals_building_anew<R: Reweight>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let (node, heavy) = heavier(case)?;
        for (from, to) in [(node, &heavy), (&heavy, node)] {
            let mut router = subject.make(&case.nodes_changed(from))?;
            let old = router.reweight(node.id().as_str(), to.weight())?;
            ensure!(
                old == from.weight(),
                "the old weight of {from:?} is given as {old}"
            );
            let anew = subject.make(&case.nodes_changed(to))?;
            let when = format!(
                "after {:?} went from weight {} to {}, and not built anew",
                node.id(),
                from.weight(),
                to.weight()
            );
            Answers::of(&anew, &case.keys).must_equal(&router, &when)?;
        }
        Ok(())
    })
}

/// A weight that changes and changes back leaves no trace; one that is set to itself changes nothing.
///
/// # Errors
///
/// The violation.
pub fn reweighting_there_and_back_is_the_identity<R: Reweight>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let (node, heavy) = heavier(case)?;
        let id = node.id().as_str();
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        router.reweight(id, node.weight())?;
        answers.must_equal(&router, &format!("after {id:?} was given its own weight"))?;
        router.reweight(id, heavy.weight())?;
        router.reweight(id, node.weight())?;
        answers.must_equal(&router, &format!("after {id:?} grew and shrank again"))
    })
}

/// The weight of a node that is no member cannot be changed; the attempt changes nothing.
///
/// # Errors
///
/// The violation.
pub fn a_stranger_cannot_be_reweighted<R: Reweight>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        for id in [case.newcomer().id().as_str(), ""] {
            let refusal = router.reweight(id, Weight::new(3)?);
            ensure!(
                refusal == Err(RouteError::NotMember { id: id.into() }),
                "reweighting the stranger {id:?} gives {refusal:?}"
            );
            answers.must_equal(&router, &format!("after reweighting {id:?} was refused"))?;
        }
        Ok(())
    })
}
