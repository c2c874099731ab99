//! [`Remake`]: how a cluster makes its next router.

use std::collections::BTreeMap;

use keyroute_core::{AddNode, Node, NodeId, Rebuild, RemoveNode, RouteError, Router};

/// How a cluster makes its next router of the last one and the nodes it shall have.
///
/// | | for routers that are | costs a change | take it for |
/// | --- | --- | --- | --- |
/// | [`ByRebuild`] | `Rebuild + Clone` | a copy and a build of all nodes | all strategies with a list as their whole input: most |
/// | [`InSteps`] | `AddNode + RemoveNode + Clone` | a copy and the changes themselves | routers whose state is a history (the anchor family, a token ring's tokens), and large rings |
/// | a function of `&[Node]` | any | a build of all nodes | presets made by a function, hashers that cannot be cloned, `Box<dyn Walk + Send + Sync>` |
///
/// A router that can only rebuild has no other way to be changed, and what that moves is the strategy's affair:
/// a cluster swaps routers and moves nothing by itself.
///
/// It is called with the cluster's list locked, so it must not change that cluster. If it fails or panics, the
/// cluster is as it was.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let build = |nodes: &[Node]| VectorRing::from_nodes(nodes.iter().cloned());
/// let cluster = Cluster::from_factory(build, [(Node::new("a")?, "10.0.0.1:80")])?;
/// cluster.apply(Batch::new().add(Node::new("b")?, "10.0.0.2:80"))?;
/// assert_eq!(cluster.load().router().members().len(), 2);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
pub trait Remake<R> {
    /// The router of these nodes, which are in the order of listing.
    ///
    /// # Errors
    ///
    /// What the strategy refuses.
    fn remake(&self, before: &R, nodes: &[Node]) -> Result<R, RouteError>;

    /// Whether it makes the router of the list as it is, so that a router which reads the order of listing
    /// follows a new order. Yes unless said.
    fn follows_order(&self) -> bool {
        true
    }
}

/// Clones the router and rebuilds it of the list: what [`Cluster::new`](crate::Cluster::new) takes. [`Remake`] compares
/// the ways.
///
/// ```
/// use keyroute_cluster::{Batch, ByRebuild, Cluster};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::with_remake(VectorRing::from_ids(["a", "b"])?, ByRebuild, |_| ());
/// assert!(cluster.apply(Batch::new().remove("b"))?.unwrap().rebuilt());
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByRebuild;

impl<R: Rebuild + Clone> Remake<R> for ByRebuild {
    fn remake(&self, before: &R, nodes: &[Node]) -> Result<R, RouteError> {
        let mut router = before.clone();
        router.rebuild(nodes)?;
        Ok(router)
    }
}

/// Clones the router and applies the difference: first those leave that are listed no more, in the order of ids,
/// then each that changed leaves and joins again at once, then newcomers join in the order of listing.
///
/// It never follows a new order of listing. [`Remake`] compares the ways.
///
/// ```
/// use keyroute_anchor::Memento;
/// use keyroute_cluster::{Batch, Cluster, Rehashed};
///
/// let memento = Memento::from_ids(["a", "b", "c", "d"])?; // has no order of nodes
/// let cluster = Cluster::in_steps(Rehashed::new(memento), |_| ());
/// let change = cluster.apply(Batch::new().remove("b"))?.unwrap();
/// assert_eq!(change.movement().needless(), 0); // a Memento built anew would renumber its nodes
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InSteps;

impl<R: AddNode + RemoveNode + Clone> Remake<R> for InSteps {
    fn remake(&self, before: &R, nodes: &[Node]) -> Result<R, RouteError> {
        let mut router = before.clone();
        let after: BTreeMap<&NodeId, &Node> = nodes.iter().map(|node| (node.id(), node)).collect();
        let held = before.members();
        let mut changed = Vec::new();
        for old in held.by_id().filter_map(|slot| held.get(slot)) {
            match after.get(old.id()) {
                None => drop(router.remove(old.id().as_str())?),
                Some(&new) if new != old => changed.push(new),
                Some(_) => {}
            }
        }
        for node in changed {
            router.remove(node.id().as_str())?;
            router.add(node.clone())?;
        }
        for node in nodes {
            if held.slot_of(node.id().as_str()).is_none() {
                router.add(node.clone())?;
            }
        }
        Ok(router)
    }

    fn follows_order(&self) -> bool {
        false
    }
}

impl<R, F: Fn(&[Node]) -> Result<R, RouteError>> Remake<R> for F {
    fn remake(&self, _before: &R, nodes: &[Node]) -> Result<R, RouteError> {
        self(nodes)
    }
}

/// Checks that the router has these nodes and no others: readers find a member for every slot it answers.
pub(crate) fn check_members<R: Router>(router: &R, nodes: &[Node]) -> Result<(), RouteError> {
    let members = router.members();
    for node in nodes {
        if members.slot_of(node.id().as_str()).is_none() {
            return Err(RouteError::Unplaceable {
                id: node.id().clone(),
                reason: "is not a member of the router that was made of a list with it",
            });
        }
    }
    if members.len() != nodes.len() {
        return Err(RouteError::Parameter {
            name: "the number of members of the router that was made",
            given: members.len().to_string(),
            accepted: "as many as there were nodes in the list",
        });
    }
    Ok(())
}
