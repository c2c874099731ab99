//! The fingerprint says what decides the answers.

use keyroute_core::{MemberOrder, Node, Router, Weight, Zone};

use crate::answers::Answers;
use crate::violation::ensure;
use crate::{Case, Subject, Verdict, Violation};

/// Two routers of one list of nodes have one fingerprint: that of their descriptions, which list the
/// members.
///
/// # Errors
///
/// The violation.
pub fn equal_routers_have_equal_fingerprints<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let (one, other) = (subject.make(&case.nodes)?, subject.make(&case.nodes)?);
        let described = one.describe();
        let expected = described.fingerprint();
        ensure!(
            one.fingerprint() == expected,
            "the fingerprint is {}, that of the description {expected}",
            one.fingerprint()
        );
        ensure!(
            other.fingerprint() == expected,
            "two routers of the same nodes have the fingerprints {expected} and {}",
            other.fingerprint()
        );
        for node in &case.nodes {
            ensure!(
                described.nodes().contains(node),
                "the description does not say {node:?}"
            );
        }
        Ok(())
    })
}

/// Another node, another weight, another zone: another fingerprint.
///
/// # Errors
///
/// The violation.
pub fn another_fleet_has_another_fingerprint<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut seen: Vec<(String, _)> = Vec::new();
        for (what, nodes) in variants(subject, case)? {
            let fingerprint = subject.make(&nodes)?.fingerprint();
            if let Some((twin, _)) = seen.iter().find(|(_, held)| *held == fingerprint) {
                return Err(Violation::new(format!(
                    "{twin} and {what} have the one fingerprint {fingerprint}"
                )));
            }
            seen.push((what, fingerprint));
        }
        Ok(())
    })
}

/// The fleet, and fleets that differ from it and from each other in one thing.
fn variants<R: Router>(
    subject: &Subject<R>,
    case: &Case,
) -> Result<Vec<(String, Vec<Node>)>, Violation> {
    let node = case.chosen();
    let id = node.id();
    let mut renamed = case.nodes.clone();
    for held in renamed.iter_mut().filter(|held| held.id() == id) {
        *held = case.newcomer().clone();
    }
    let moved = node.clone().with_zone(Zone::new("elsewhere")?);
    let mut variants = vec![
        ("the fleet".into(), case.nodes.clone()),
        (
            format!("the fleet without {id:?}"),
            case.nodes_without(node),
        ),
        (
            "the fleet and one more".into(),
            case.nodes_with(case.newcomer()),
        ),
        (format!("the fleet with {id:?} renamed"), renamed),
        (
            format!("the fleet with {id:?} in another zone"),
            case.nodes_changed(&moved),
        ),
    ];
    if subject.weighs() {
        let weight = Weight::new(node.weight().get() + 1)?;
        let heavier = node.clone().with_weight(weight);
        let what = format!("the fleet with {id:?} of weight {weight}");
        variants.push((what, case.nodes_changed(&heavier)));
    }
    Ok(variants)
}

/// The same nodes in another order have another fingerprint if the description says that order
/// matters; if it says that it does not, they have the same one, and the same answers.
///
/// # Errors
///
/// The violation.
pub fn the_fingerprint_tells_orders_apart_where_they_matter<R: Router>(
    subject: &Subject<R>,
) -> Verdict {
    subject.each(|case| {
        let (one, other) = (subject.make(&case.nodes)?, subject.make(&case.shuffled())?);
        match one.describe().order() {
            MemberOrder::ById => {
                let when = "listed in another order, which is said not to matter";
                Answers::of(&one, &case.keys).must_equal(&other, when)
            }
            MemberOrder::Listed => {
                ensure!(
                    case.nodes == case.shuffled() || one.fingerprint() != other.fingerprint(),
                    "two orders of listing, which is said to matter, have the one fingerprint {}",
                    one.fingerprint()
                );
                Ok(())
            }
        }
    })
}
