//! Strategies and presets under one type, and what tests ask of them.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses its part, and may panic"
)]

use keyroute_anchor::Ranking;
use keyroute_cluster::{
    Batch, Cluster, InSteps, Node, Rehashed, RouteError, Unavailable, Walk, Weight,
};
use keyroute_conformance::Cut;
use keyroute_core::Native;
use keyroute_core::hash::Xxh3;
use keyroute_interop::nginx;
use keyroute_jump::Jump;
use keyroute_ketama::Ketama;
use keyroute_maglev::Maglev;
use keyroute_rendezvous::Rendezvous;
use keyroute_vector_ring::VectorRing;

/// Any strategy: that a cluster holds it is a test of trait objects too.
pub(crate) type Any = Box<dyn Walk + Send + Sync>;

type Make = fn(&[Node]) -> Result<Any, RouteError>;

/// A strategy to hold.
pub(crate) struct Strategy {
    pub(crate) name: &'static str,
    pub(crate) make: Make,
    /// Whether its order without a node is its order, that node left out.
    pub(crate) restricts: bool,
}

fn any<R: Walk + Send + Sync + 'static>(router: Result<R, RouteError>) -> Result<Any, RouteError> {
    Ok(Box::new(router?))
}

const fn strategy(name: &'static str, make: Make, restricts: bool) -> Strategy {
    Strategy {
        name,
        make,
        restricts,
    }
}

/// A ring each of whose positions several nodes may claim.
pub(crate) fn cut_ring(nodes: &[Node]) -> Result<VectorRing<Native<Cut<Xxh3>>>, RouteError> {
    let scheme = Native::new(Cut::top(Xxh3, 8)).with_points_per_weight(12)?;
    VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
}

/// What nginx would do with these servers.
pub(crate) fn nginx_ring(nodes: &[Node]) -> Result<VectorRing<nginx::Points>, RouteError> {
    let server = |node: &Node| {
        let server: nginx::Server = node.id().as_str().parse()?;
        Ok(server.with_weight(node.weight()))
    };
    let servers: Result<Vec<nginx::Server>, RouteError> = nodes.iter().map(server).collect();
    Ok(nginx::Consistent::new(servers?)?.ring().clone())
}

#[rustfmt::skip]
pub(crate) const STRATEGIES: &[Strategy] = &[
    strategy("ring", |nodes| any(VectorRing::from_nodes(nodes.iter().cloned())), true),
    strategy("cut ring", |nodes| any(cut_ring(nodes)), true),
    strategy("rendezvous", |nodes| any(Rendezvous::from_nodes(nodes.iter().cloned())), true),
    strategy("ketama", |nodes| any(Ketama::from_nodes(nodes.iter().cloned())), true),
    strategy("nginx", |nodes| any(nginx_ring(nodes)), true),
    strategy("maglev", |nodes| any(Maglev::from_nodes(nodes.iter().cloned()).map(Rehashed::new)), false),
    strategy("jump", |nodes| any(Jump::from_nodes(nodes.iter().cloned()).map(Rehashed::new)), false),
];

pub(crate) type Held = Cluster<Any, u64>;

impl Strategy {
    /// A cluster of these ids, each with its place in the list for a payload.
    pub(crate) fn cluster(&self, ids: &[&str]) -> Held {
        let members = (0..).zip(ids).map(|(place, id)| (node(id), place));
        Cluster::from_factory(self.make, members).unwrap()
    }
}

/// The ranking numbers its nodes as they come and go, so it is only changed in steps.
pub(crate) fn ranking(ids: &[&str]) -> Cluster<Ranking, u64> {
    Cluster::with_remake(Ranking::from_ids(ids).unwrap(), InSteps, |_| 0)
}

/// Ids that nginx takes for servers too, one the beginning of another.
pub(crate) const NAMES: [&str; 6] = ["a:80", "b:80", "c:80", "cache-1", "cache-10", "cache-11"];

pub(crate) fn node(id: &str) -> Node {
    Node::new(id).unwrap()
}

pub(crate) fn weighted(id: &str, weight: u32) -> Node {
    node(id).with_weight(Weight::new(weight).unwrap())
}

pub(crate) fn keys() -> Vec<String> {
    let mut keys: Vec<String> = (0..1500).map(|i| format!("user:{i}:session")).collect();
    keys.push(String::new());
    keys
}

/// Whom each key is given to, or why to nobody.
pub(crate) fn picks<R: Walk, T>(cluster: &Cluster<R, T>) -> Vec<Result<String, Unavailable>> {
    let snapshot = cluster.load();
    let pick = |key: &String| Ok(snapshot.pick(key.as_bytes())?.id().to_string());
    keys().iter().map(pick).collect()
}

/// Applies what must change something.
pub(crate) fn change<R: Walk, T>(cluster: &Cluster<R, T>, batch: Batch<T>) {
    assert!(cluster.apply(batch).unwrap().is_some());
}
