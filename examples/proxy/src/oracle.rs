//! [`Oracle`]: who must own a key, said by plain rings of the nodes in service, which know nothing of clusters.

use std::collections::{BTreeMap, BTreeSet};

use keyroute::prelude::*;

use crate::load::key;

/// What the script has made of the fleet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oracle {
    nodes: BTreeMap<String, (u32, Takes)>,
}

/// Which of its keys a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    All,
    /// Some, being in a ramp: which is the cluster's affair, but they do not go back.
    Some,
    None,
}

/// The owners of all keys.
pub(crate) struct Owners {
    /// Of those who take keys.
    taking: VectorRing,
    /// Without those who do not take all.
    settled: VectorRing,
}

impl Oracle {
    /// This node has this weight and takes these keys.
    pub(crate) fn set(&mut self, id: &str, weight: u32, takes: Takes) {
        self.nodes.insert(id.to_owned(), (weight, takes));
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.nodes.remove(id);
    }

    fn owners(&self) -> Result<Owners, RouteError> {
        Ok(Owners {
            taking: self.ring(|takes| takes != Takes::None)?,
            settled: self.ring(|takes| takes == Takes::All)?,
        })
    }

    fn ring(&self, serves: impl Fn(Takes) -> bool) -> Result<VectorRing, RouteError> {
        let serving = self.nodes.iter().filter(|(_, (_, takes))| serves(*takes));
        let node = |(id, (weight, _)): (&String, &(u32, Takes))| {
            Ok(Node::new(id.as_str())?.with_weight(Weight::new(*weight)?))
        };
        let nodes: Result<Vec<Node>, RouteError> = serving.map(node).collect();
        VectorRing::from_nodes(nodes?)
    }
}

/// The owners of all keys while nodes change, one after the other in whatever order.
pub(crate) struct Between {
    before: Owners,
    after: Owners,
    /// Of all nodes before and after.
    all: VectorRing,
    changing: BTreeSet<String>,
}

impl Between {
    pub(crate) fn of(before: &Oracle, after: &Oracle) -> Result<Self, RouteError> {
        let mut all = before.clone();
        all.nodes.extend(after.nodes.clone());
        let changing = |id: &&String| before.nodes.get(*id) != after.nodes.get(*id);
        Ok(Self {
            changing: all.nodes.keys().filter(changing).cloned().collect(),
            all: all.ring(|_| true)?,
            before: before.owners()?,
            after: after.owners()?,
        })
    }

    pub(crate) fn before(&self) -> &Owners {
        &self.before
    }

    pub(crate) fn after(&self) -> &Owners {
        &self.after
    }

    /// Whether this node may own the key at some time between.
    pub(crate) fn allow(&self, number: u32, id: &str) -> bool {
        let order = || {
            self.all
                .replica_ids(key(number).as_bytes(), self.changing.len())
        };
        self.before.allow(number, id)
            || self.after.allow(number, id)
            // Of several, all before it have gone already, or have not come yet.
            || order().iter().take_while(|it| self.changing.contains(it.as_str())).any(|it| *it == id)
    }
}

impl Owners {
    /// Whether this node may own the key.
    pub(crate) fn allow(&self, number: u32, id: &str) -> bool {
        self.owner(number) == Some(id) || self.settled_owner(number) == Some(id)
    }

    /// Whether this node is in service.
    pub(crate) fn serve(&self, id: &str) -> bool {
        self.taking.members().slot_of(id).is_some()
    }

    /// Whether the key may still go to this node, a newcomer.
    pub(crate) fn await_move(&self, number: u32, to: &str) -> bool {
        self.owner(number) == Some(to) && self.settled_owner(number) != Some(to)
    }

    fn owner(&self, number: u32) -> Option<&str> {
        Some(self.taking.route_id(key(number).as_bytes())?.as_str())
    }

    fn settled_owner(&self, number: u32) -> Option<&str> {
        Some(self.settled.route_id(key(number).as_bytes())?.as_str())
    }
}
