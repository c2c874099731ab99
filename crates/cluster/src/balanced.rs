//! A cluster is a [`Target`]: a balancer of requests sets its members' weights.

use keyroute_adaptive::{Change, Target};
use keyroute_core::{Node, NodeId, RouteError, Walk};

use crate::{Batch, Cluster};

/// Points are the weights of the members that the router knows; those of weight 0 are none of it. A round is one batch,
/// and so one epoch. A member that is down, drained or in a ramp is [excused](Target::excused).
///
/// By an `Arc` of the cluster, or a reference. The strategy must keep weights.
///
/// ```
/// use std::sync::Arc;
///
/// use keyroute_adaptive::{Background, Balancer, Steady, Weight};
/// use keyroute_cluster::{Cluster, Node, RouteError};
/// use keyroute_core::{Native, hash::Xxh3};
/// use keyroute_vector_ring::VectorRing;
///
/// let node = |id: &str| Ok::<_, RouteError>(Node::new(id)?.with_weight(Weight::new(100)?));
/// let scheme = Native::new(Xxh3).with_points_per_weight(1)?;
/// let ring = VectorRing::from_nodes_with(scheme, [node("a")?, node("b")?])?;
///
/// // The payload counts: whoever picks a node has its counter at hand.
/// let mut balancer = Balancer::new(Steady::default());
/// let cluster = Arc::new(Cluster::new(ring, |node| balancer.counter(node.id())));
/// let balancing = Background::start(balancer, Arc::clone(&cluster))?;
///
/// cluster.load().pick(b"user:1")?.payload().count();
/// balancing.stop();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<R: Walk, T> Target for &Cluster<R, T> {
    fn nodes(&mut self) -> Vec<Node> {
        let now = self.load();
        let nodes = now.router().members().iter();
        nodes.map(|(_, node)| node.clone()).collect()
    }

    fn excused(&mut self) -> Vec<NodeId> {
        let now = self.load();
        let members = now.all_members();
        let partly = members.filter(|member| !member.status().is_up());
        partly.map(|member| member.id().clone()).collect()
    }

    fn set_points(&mut self, changes: &[Change]) -> Result<(), RouteError> {
        let steps = changes.iter().fold(Batch::new(), |steps, change| {
            steps.reweight_from(change.id.as_str(), change.from.get(), change.to.get())
        });
        self.apply(steps).map(drop)
    }
}
