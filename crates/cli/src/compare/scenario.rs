//! [`Scenario`]: one change, or several as one, and what it makes of the fleet.

use std::collections::{BTreeMap, BTreeSet};

use keyroute::{Node, NodeId};

use super::ratio;
use crate::CliError;
use crate::change::Change;

/// Changes that are made together.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    /// The changes, in the order in which they are made.
    pub(crate) steps: Vec<Change>,
    /// The nodes afterwards.
    pub(crate) after: Vec<Node>,
    /// The share of keys that must move for the nodes' shares to follow the weights, if balance were
    /// perfect before and after.
    pub(crate) least_share: f64,
}

impl Scenario {
    /// Makes these changes to these nodes.
    ///
    /// # Errors
    ///
    /// [`CliError`] if a change does not fit the nodes, if two name one node, or if no node is left.
    pub(crate) fn new(steps: Vec<Change>, before: &[Node]) -> Result<Self, CliError> {
        let mut named = BTreeSet::new();
        let mut after = before.to_vec();
        for step in &steps {
            if !named.insert(step.id().clone()) {
                return Err(CliError::at(
                    step,
                    "another change names this node too: name it once, or add --each",
                ));
            }
            step.apply(&mut after)
                .map_err(|error| CliError::at(step, error))?;
        }
        if after.is_empty() {
            return Err(CliError::Input(
                "the change leaves no node: there is nothing to compare".into(),
            ));
        }
        let least_share = least_share(before, &after);
        Ok(Self {
            steps,
            after,
            least_share,
        })
    }

    /// What is compared where no change is given: a node joins; and, apart from that, the middle one
    /// of the list leaves.
    ///
    /// # Errors
    ///
    /// None in practice.
    pub(crate) fn defaults(nodes: &[Node]) -> Result<Vec<Self>, CliError> {
        let mut id = NodeId::new("newcomer")?;
        let mut number = 2;
        while nodes.iter().any(|node| *node.id() == id) {
            id = NodeId::new(format!("newcomer-{number}"))?;
            number += 1;
        }
        let mut newcomer = Node::from(id);
        if let Some(last) = nodes.last() {
            newcomer = newcomer.with_weight(last.weight());
        }
        let mut scenarios = vec![Self::new(vec![Change::Add(newcomer)], nodes)?];
        if nodes.len() > 1 {
            let middle = nodes[nodes.len() / 2].id().clone();
            scenarios.push(Self::new(vec![Change::Remove(middle)], nodes)?);
        }
        Ok(scenarios)
    }

    /// The changes in words.
    pub(crate) fn label(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(Change::to_string).collect();
        steps.join(", ")
    }
}

/// Half the distance between the fair shares before and after: what some nodes gain and others lose.
fn least_share(before: &[Node], after: &[Node]) -> f64 {
    let weight = |node: &Node| u128::from(node.weight().get());
    let (all_before, all_after): (u128, u128) = (
        before.iter().map(weight).sum(),
        after.iter().map(weight).sum(),
    );
    let before: BTreeMap<_, _> = before
        .iter()
        .map(|node| (node.id(), weight(node)))
        .collect();
    // Over the common denominator, so that one division rounds. Sums are below 2^56 each.
    let gained: u128 = after
        .iter()
        .map(|node| {
            let had = before.get(node.id()).copied().unwrap_or(0);
            (weight(node) * all_before).saturating_sub(had * all_after)
        })
        .sum();
    ratio(gained, all_before * all_after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(ids: &[&str]) -> Vec<Node> {
        ids.iter().map(|id| Node::new(id).unwrap()).collect()
    }

    #[test]
    fn the_least_share_is_what_weights_ask_for() {
        let before = nodes(&["a", "b", "c"]);
        let add = Change::Add(Node::new("d").unwrap());
        let remove = Change::Remove(NodeId::new("a").unwrap());
        let share = |steps| Scenario::new(steps, &before).unwrap().least_share;
        assert!((share(vec![add.clone()]) - 0.25).abs() < 1e-12);
        assert!((share(vec![remove.clone()]) - 1.0 / 3.0).abs() < 1e-12);
        // The leaver's keys could all go to the newcomer.
        assert!((share(vec![add, remove]) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_default_newcomer_has_a_name_of_its_own() {
        let scenarios = Scenario::defaults(&nodes(&["newcomer", "newcomer-2"])).unwrap();
        assert_eq!(scenarios[0].label(), "add newcomer-3");
        assert_eq!(scenarios[1].label(), "remove newcomer-2");
        assert_eq!(Scenario::defaults(&nodes(&["a"])).unwrap().len(), 1);
    }

    #[test]
    fn changes_that_do_not_fit_are_refused() {
        let before = nodes(&["a"]);
        let id = |id| NodeId::new(id).unwrap();
        for steps in [
            vec![Change::Add(before[0].clone())],
            vec![Change::Remove(id("b"))],
            vec![Change::Remove(id("a"))],
            vec![
                Change::Add(Node::new("b").unwrap()),
                Change::Remove(id("b")),
            ],
        ] {
            assert!(Scenario::new(steps.clone(), &before).is_err(), "{steps:?}");
        }
    }
}
