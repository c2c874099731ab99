//! Routers that have been through many changes.

use keyroute_core::{AddNode, Node, NodeId, RemoveNode, Reweight, RouteError, Walk};

use crate::answers::{Answers, shown, walk};
use crate::violation::ensure;
use crate::{Case, Step, Subject, Verdict, Violation};

/// After any history of joining and leaving, a router gives what one built of the nodes that are
/// left gives.
///
/// # Errors
///
/// The violation.
pub fn any_history_equals_building_anew<R: AddNode + RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let nodes = live(&mut router, case, |_, _, _| Ok(false))?;
        let anew = subject.make(&nodes)?;
        Answers::of(&anew, &case.keys).must_equal(&router, "after a history, and not built anew")
    })
}

/// After any history of joining, leaving and changes of weight, a router gives what one built of the nodes
/// that are left, with their weights, gives.
///
/// # Errors
///
/// The violation.
pub fn any_weighted_history_equals_building_anew<R: AddNode + RemoveNode + Reweight>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let nodes = live(&mut router, case, reweight)?;
        let anew = subject.make(&nodes)?;
        Answers::of(&anew, &case.keys).must_equal(&router, "after a history, and not built anew")
    })
}

/// After any history a key's walk is that of a router built of the nodes that are left.
///
/// # Errors
///
/// The violation.
pub fn any_history_walks_as_built_anew<R: AddNode + RemoveNode + Walk>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let nodes = live(&mut router, case, |_, _, _| Ok(false))?;
        let anew = subject.make(&nodes)?;
        for key in &case.keys {
            let (lived, fresh) = (walk(&router, key)?, walk(&anew, key)?);
            ensure!(
                lived == fresh,
                "after a history the walk of key {} is {lived:?}, built anew it is {fresh:?}",
                shown(key)
            );
        }
        Ok(())
    })
}

fn reweight<R: Reweight>(router: &mut R, id: &NodeId, step: Step) -> Result<bool, RouteError> {
    match step {
        Step::Reweight(_, weight) => router.reweight(id.as_str(), weight).map(|_| true),
        _ => Ok(false),
    }
}

/// Takes the router through the case's steps; gives the members in the order of listing that a list
/// kept beside it has.
fn live<R: AddNode + RemoveNode>(
    router: &mut R,
    case: &Case,
    reweight: impl Fn(&mut R, &NodeId, Step) -> Result<bool, RouteError>,
) -> Result<Vec<Node>, Violation> {
    let mut members = case.nodes.clone();
    let mut outside = case.spares.clone();
    for &step in &case.steps {
        match step {
            Step::Add(number) if !outside.is_empty() => {
                let node = outside.remove(usize::from(number) % outside.len());
                router.add(node.clone())?;
                members.push(node);
            }
            Step::Remove(number) if !members.is_empty() => {
                let node = members.remove(usize::from(number) % members.len());
                router.remove(node.id().as_str())?;
                outside.push(node);
            }
            Step::Reweight(number, weight) if !members.is_empty() => {
                let at = usize::from(number) % members.len();
                if reweight(router, members[at].id(), step)? {
                    members[at] = members[at].clone().with_weight(weight);
                }
            }
            _ => {}
        }
    }
    Ok(members)
}
