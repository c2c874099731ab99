//! [`Client`]: what options leave in the library's memory.

use std::collections::{BTreeMap, BTreeSet};

use keyroute::{Node, Weight};
use keyroute_interop::VectorRing;
use keyroute_interop::hash::MemcachedHash;
use keyroute_interop::libmemcached::{Continuum, KeyHash, Modula, ModulaRule, sort_hosts};

use crate::strategy::Refusal;

/// An option that decides where keys go.
#[derive(Clone)]
pub(super) enum Step {
    Server(Node),
    Distribution(Distribution),
    Hash(MemcachedHash),
    SortHosts,
    Namespace(String),
    HashNamespace,
}

#[derive(Clone, Copy)]
pub(super) enum Distribution {
    Modula,
    Consistent,
}

/// The options once the servers have become these: those that are new follow the others.
pub(super) fn replayed(steps: &[Step], nodes: &[Node]) -> Vec<Step> {
    let by_id: BTreeMap<&str, &Node> = nodes
        .iter()
        .map(|node| (node.id().as_str(), node))
        .collect();
    let mut known = BTreeSet::new();
    let mut last = steps.len();
    for (at, step) in steps.iter().enumerate() {
        if let Step::Server(node) = step {
            known.insert(node.id().as_str());
            last = at + 1;
        }
    }
    let kept = |step: &Step| match step {
        Step::Server(node) => by_id
            .get(node.id().as_str())
            .copied()
            .cloned()
            .map(Step::Server),
        step => Some(step.clone()),
    };
    let newcomers = nodes
        .iter()
        .filter(|node| !known.contains(node.id().as_str()));
    let front = steps[..last].iter().filter_map(kept);
    let back = steps[last..].iter().filter_map(kept);
    front
        .chain(newcomers.cloned().map(Step::Server))
        .chain(back)
        .collect()
}

/// A client as the library has it in memory.
pub(super) struct Client {
    pub(super) servers: Vec<Node>,
    pub(super) distribution: Distribution,
    /// Whether points are MD5's and follow the weights.
    weighted: bool,
    pub(super) hash: MemcachedHash,
    /// The hash that keys had when the ring was last built.
    point_hash: MemcachedHash,
    namespace: String,
    hash_namespace: bool,
}

impl Client {
    /// A client that these options were set on, in this order. Whatever changes the servers builds the ring, with
    /// the hash that keys have then.
    pub(super) fn after(steps: &[Step]) -> Result<Self, Refusal> {
        let mut client = Self {
            servers: Vec::new(),
            distribution: Distribution::Modula,
            weighted: false,
            hash: MemcachedHash::OneAtATime,
            point_hash: MemcachedHash::OneAtATime,
            namespace: String::new(),
            hash_namespace: false,
        };
        let mut sorted = false;
        for step in steps {
            match step {
                Step::Server(node) => {
                    let rings = matches!(client.distribution, Distribution::Consistent);
                    client.weighted |= rings && node.weight() > Weight::ONE;
                    client.servers.push(node.clone());
                    client.point_hash = client.hash;
                }
                Step::Distribution(distribution) => {
                    client.distribution = *distribution;
                    if let Distribution::Consistent = distribution {
                        client.weighted = false;
                    }
                    client.point_hash = client.hash;
                }
                Step::Hash(hash) => client.hash = *hash,
                Step::SortHosts => {
                    sorted = true;
                    client.point_hash = client.hash;
                }
                Step::Namespace(namespace) => client.namespace.clone_from(namespace),
                Step::HashNamespace => client.hash_namespace = true,
            }
        }
        // The library sorts whenever it builds the ring; the last time says it all.
        if sorted {
            sort_hosts(&mut client.servers)?;
        }
        Ok(client)
    }

    fn key_hash(&self) -> Result<KeyHash, Refusal> {
        let hash = KeyHash::new(self.hash)?;
        Ok(if self.hash_namespace {
            hash.with_prefix(&self.namespace)?
        } else {
            hash
        })
    }

    pub(super) fn modula(self) -> Result<Modula, Refusal> {
        let rule = ModulaRule::new(self.key_hash()?);
        Ok(Modula::new(rule, self.servers)?)
    }

    pub(super) fn ring(self) -> Result<VectorRing<Continuum>, Refusal> {
        let mut continuum = Continuum::ketama(self.point_hash)?.with_key_hash(self.key_hash()?);
        if self.weighted {
            continuum = continuum.with_weights();
        }
        Ok(VectorRing::from_nodes_with(continuum, self.servers)?)
    }
}
