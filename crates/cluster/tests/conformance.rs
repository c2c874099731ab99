//! The laws through a cluster: its snapshots are routers, and its changes are those of a router. A cluster of a
//! strategy keeps what the strategy keeps, digests aside.

use std::ops::ControlFlow;
use std::sync::Arc;

use keyroute_anchor::Memento;
use keyroute_cluster::{
    AddNode, Batch, Cluster, Description, Explanation, Fingerprint, Listing, Members, Node, NodeId,
    OrderFree, Rebuild, Rehashed, RemoveNode, Reweight, RouteError, Router, Slot, SlotSet,
    Snapshot, Terms, Walk, Weight,
};
use keyroute_conformance::laws;
use keyroute_jump::Jump;
use keyroute_maglev::Maglev;
use keyroute_rendezvous::Rendezvous;
use keyroute_vector_ring::VectorRing;

/// A cluster with its newest snapshot, as a router: one thread's view.
struct Living<R> {
    cluster: Cluster<R, ()>,
    now: Arc<Snapshot<R, ()>>,
}

impl<R: Walk> Living<R> {
    fn of(cluster: Cluster<R, ()>) -> Self {
        let now = cluster.snapshot();
        Self { cluster, now }
    }

    fn apply(&mut self, batch: Batch<()>) -> Result<(), RouteError> {
        let result = self.cluster.apply(batch);
        self.now = self.cluster.snapshot();
        result.map(drop)
    }

    fn slot(&self, id: &str) -> Result<Slot, RouteError> {
        self.now.members().find(id)
    }
}

impl<R: Walk> Router for Living<R> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        Router::route(&*self.now, key)
    }
    fn members(&self) -> &Members {
        Router::members(&*self.now)
    }
    fn describe(&self) -> Description {
        self.now.describe()
    }
    fn heap_bytes(&self) -> usize {
        self.now.heap_bytes()
    }
    fn fingerprint(&self) -> Fingerprint {
        self.now.fingerprint()
    }
    fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        self.now.route_id(key)
    }
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.now.explain_with(key, next)
    }
}

impl<R: Walk> Walk for Living<R> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.now.walk_with(key, seen, visit);
    }
}

impl<R: Walk> AddNode for Living<R> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let id = node.id().clone();
        self.apply(Batch::new().add(node, ()))?;
        self.slot(id.as_str())
    }
}

impl<R: Walk> RemoveNode for Living<R> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let node = self.members().node(id).cloned();
        self.apply(Batch::new().remove(id))?;
        node
    }
}

impl<R: Walk> Reweight for Living<R> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let old = self.members().node(id).map(Node::weight);
        self.apply(Batch::new().reweight(id, weight.get()))?;
        old
    }
}

impl<R: Walk> Rebuild for Living<R> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        let listings = nodes.iter().map(|node| Listing::new(node.clone(), ()));
        let result = self.cluster.set_members(listings, Terms::at_once());
        self.now = self.cluster.snapshot();
        result.map(drop)
    }
}

impl<R: Walk + OrderFree> OrderFree for Living<R> {}

fn listings(nodes: &[Node]) -> impl Iterator<Item = Listing<()>> {
    nodes.iter().map(|node| Listing::new(node.clone(), ()))
}

fn ring(nodes: &[Node]) -> Result<Living<VectorRing>, RouteError> {
    Ok(Living::of(
        Cluster::from_members(VectorRing::new(), listings(nodes))?.with_samples(64),
    ))
}

fn ring_in_steps(nodes: &[Node]) -> Result<Living<VectorRing>, RouteError> {
    let ring = VectorRing::from_nodes(nodes.iter().cloned())?;
    Ok(Living::of(Cluster::in_steps(ring, |_| ()).with_samples(64)))
}

fn rendezvous(nodes: &[Node]) -> Result<Living<Rendezvous>, RouteError> {
    Ok(Living::of(
        Cluster::from_members(Rendezvous::new(), listings(nodes))?.with_samples(64),
    ))
}

fn maglev(nodes: &[Node]) -> Result<Living<Rehashed<Maglev>>, RouteError> {
    let maglev = |nodes: &[Node]| Maglev::from_nodes(nodes.iter().cloned()).map(Rehashed::new);
    Ok(Living::of(
        Cluster::from_factory(maglev, listings(nodes))?.with_samples(64),
    ))
}

fn jump(nodes: &[Node]) -> Result<Living<Rehashed<Jump>>, RouteError> {
    Ok(Living::of(
        Cluster::from_members(Rehashed::new(Jump::new()), listings(nodes))?.with_samples(64),
    ))
}

fn memento(nodes: &[Node]) -> Result<Living<Rehashed<Memento>>, RouteError> {
    let memento = Memento::from_nodes(nodes.iter().cloned())?;
    Ok(Living::of(
        Cluster::in_steps(Rehashed::new(memento), |_| ()).with_samples(64),
    ))
}

laws! {
    a_ring: ring,
    keeps [lookup, order_free, growth, removal, rebuilding, weights, walks, walks_that_change],

    a_ring_in_steps: ring_in_steps,
    keeps [lookup, order_free, growth, removal, rebuilding, weights, walks, walks_that_change],

    rendezvous: rendezvous,
    keeps [lookup, order_free, growth, removal, rebuilding, weights, walks, walks_that_change],

    maglev: maglev,
    keeps [
        lookup, order_free, rebuilding,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
    ],

    jump: jump,
    keeps [
        lookup, growth, rebuilding,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
    ],

    memento: memento,
    keeps [
        lookup, growth,
        removing_moves_only_the_leavers_keys, any_history_moves_only_what_it_must,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
    ],
}
