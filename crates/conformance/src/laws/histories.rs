//! Routers that have been through many changes.

use std::fmt;

use keyroute_core::{AddNode, Node, RemoveNode, Reweight, RouteError, Walk, Weight};

use crate::answers::{Answers, shown, walk};
use crate::violation::ensure;
use crate::{Case, States, Step, Subject, Verdict, Violation};

/// After any history of joining and leaving, a router gives what one built of the nodes that are
/// left gives.
///
/// # Errors
///
/// The violation.
pub fn any_history_equals_building_anew<R: AddNode + RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let history = History::of(case, 0);
        history.run(&mut router)?;
        let anew = subject.make(&history.members)?;
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
        let history = History::weighted(case);
        for change in &history.changes {
            match change {
                Change::Reweighted(node, weight) => {
                    router.reweight(node.id().as_str(), *weight)?;
                }
                other => other.make(&mut router)?,
            }
        }
        let anew = subject.make(&history.members)?;
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
        let history = History::of(case, 0);
        history.run(&mut router)?;
        let anew = subject.make(&history.members)?;
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

/// Each change of a history moves only the keys that it must: to the node that joins, or from the node that
/// leaves.
///
/// The laws of joining and leaving ask routers that were just built; this one asks those that have lived.
///
/// # Errors
///
/// The violation.
pub fn any_history_moves_only_what_it_must<R: AddNode + RemoveNode>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        for change in &History::of(case, 0).changes {
            let before = Answers::of(&router, &case.keys);
            change.make(&mut router)?;
            let stray = before.moves(&router).find(|moved| match change {
                Change::Joined(node) => !moved.to.is(node),
                Change::Left(node) | Change::Reweighted(node, _) => !moved.from.is(node),
            });
            if let Some(moved) = stray {
                return Err(moved.violation(&format!("in a history, when {change}")));
            }
        }
        Ok(())
    })
}

/// Changes that are taken back, the last first, leave no trace.
///
/// For routers whose nodes take the place of the one that left last, as the anchors' do, and for all that
/// do not remember the order of changes.
///
/// # Errors
///
/// The violation.
pub fn changes_undone_last_first_leave_no_trace<R: AddNode + RemoveNode>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        let history = History::of(case, 1);
        history.run(&mut router)?;
        for change in history.changes.iter().rev() {
            match change {
                Change::Joined(node) => drop(router.remove(node.id().as_str())?),
                Change::Left(node) => drop(router.add(node.clone())?),
                Change::Reweighted(..) => {}
            }
        }
        answers.must_equal(&router, "after a history was undone, the last change first")
    })
}

/// The order in which nodes leave decides nothing.
///
/// # Errors
///
/// The violation.
pub fn the_order_of_leaving_decides_nothing<R: RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let fleet: Vec<Node> = case.nodes.iter().chain(&case.spares).cloned().collect();
        let (mut one, mut other) = (subject.make(&fleet)?, subject.make(&fleet)?);
        let leavers = case.shuffled();
        for node in &leavers {
            one.remove(node.id().as_str())?;
        }
        for node in leavers.iter().rev() {
            other.remove(node.id().as_str())?;
        }
        Answers::of(&one, &case.keys).must_equal(&other, "after nodes left in another order")
    })
}

/// A router made of another's state answers as that one, now and after further changes, and has that state.
///
/// # Errors
///
/// The violation.
pub fn a_state_is_all_that_matters<R: AddNode + RemoveNode, S: States<R>>(
    subject: &Subject<R>,
    _states: S,
) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let history = History::of(case, 1);
        history.run(&mut router)?;
        let mut copy = S::restore(S::state(&router))?;
        let alike = |router: &R, copy: &R, when: &str| {
            Answers::of(router, &case.keys).must_equal(copy, when)?;
            let (one, other) = (S::state(router), S::state(copy));
            ensure!(one == other, "{when}, the state is {other:?}, not {one:?}");
            Ok(())
        };
        alike(&router, &copy, "made of a state")?;
        for node in &history.outside {
            for router in [&mut router, &mut copy] {
                router.add(node.clone())?;
            }
            alike(&router, &copy, "made of a state and grown since")?;
        }
        for node in history.outside.iter().chain(&history.members) {
            for router in [&mut router, &mut copy] {
                router.remove(node.id().as_str())?;
            }
            alike(&router, &copy, "made of a state and shrunk since")?;
        }
        Ok(())
    })
}

/// A change of a history.
enum Change {
    Joined(Node),
    Left(Node),
    Reweighted(Node, Weight),
}

impl Change {
    /// Makes it, unless it is a change of weight.
    fn make<R: AddNode + RemoveNode>(&self, router: &mut R) -> Result<(), RouteError> {
        match self {
            Self::Joined(node) => router.add(node.clone()).map(drop),
            Self::Left(node) => router.remove(node.id().as_str()).map(drop),
            Self::Reweighted(..) => Ok(()),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joined(node) => write!(f, "{:?} joined", node.id()),
            Self::Left(node) => write!(f, "{:?} left", node.id()),
            Self::Reweighted(node, weight) => write!(f, "{:?} took weight {weight}", node.id()),
        }
    }
}

/// A case's steps as changes of its fleet.
struct History {
    changes: Vec<Change>,
    /// The members in the end, in the order of listing that a list kept beside the router has.
    members: Vec<Node>,
    /// The nodes that are outside in the end.
    outside: Vec<Node>,
}

impl History {
    /// Joining and leaving; so many members stay at least.
    fn of(case: &Case, least: usize) -> Self {
        Self::read(case, least, false)
    }

    /// Joining, leaving and changes of weight.
    fn weighted(case: &Case) -> Self {
        Self::read(case, 0, true)
    }

    fn read(case: &Case, least: usize, weights: bool) -> Self {
        let (mut members, mut outside) = (case.nodes.clone(), case.spares.clone());
        let mut changes = Vec::new();
        for &step in &case.steps {
            match step {
                Step::Add(number) if !outside.is_empty() => {
                    let node = outside.remove(usize::from(number) % outside.len());
                    members.push(node.clone());
                    changes.push(Change::Joined(node));
                }
                Step::Remove(number) if members.len() > least => {
                    let node = members.remove(usize::from(number) % members.len());
                    outside.push(node.clone());
                    changes.push(Change::Left(node));
                }
                Step::Reweight(number, weight) if weights && !members.is_empty() => {
                    let at = usize::from(number) % members.len();
                    members[at] = members[at].clone().with_weight(weight);
                    changes.push(Change::Reweighted(members[at].clone(), weight));
                }
                _ => {}
            }
        }
        Self {
            changes,
            members,
            outside,
        }
    }

    /// Takes a router of the case's fleet through it.
    fn run<R: AddNode + RemoveNode>(&self, router: &mut R) -> Result<(), Violation> {
        for change in &self.changes {
            change.make(router)?;
        }
        Ok(())
    }
}
