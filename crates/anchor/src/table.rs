//! [`Table`]: nodes on buckets.

use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{MAX_NODES, Members, Node, RouteError, Slot, Weight};

use crate::{BucketState, Buckets};

/// A set of buckets and the node of each: the slot of a node is its bucket.
#[derive(Clone, Debug)]
pub(crate) struct Table<B> {
    pub(crate) buckets: B,
    pub(crate) members: Members,
}

impl<B: Buckets> Table<B> {
    /// No nodes; no bucket of these is in service.
    pub(crate) fn over(buckets: B) -> Self {
        Self {
            buckets,
            members: Members::new(),
        }
    }

    pub(crate) fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        check_weight::<B>(&node)?;
        self.members.check_new(&node)?;
        let slot = self
            .buckets
            .next_bucket()
            .and_then(Slot::new)
            .ok_or_else(|| self.exhausted())?;
        self.members.add_at(slot, node)?;
        self.buckets.add();
        Ok(slot)
    }

    pub(crate) fn add_all(
        &mut self,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<(), RouteError> {
        nodes
            .into_iter()
            .try_for_each(|node| self.add(node).map(drop))
    }

    pub(crate) fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let (slot, node) = self.members.remove(id)?;
        self.buckets.remove(slot.index());
        Ok(node)
    }

    pub(crate) fn state(&self) -> BucketState {
        BucketState {
            capacity: self.buckets.capacity(),
            nodes: self.members.iter().map(|(_, node)| node.clone()).collect(),
            removed: self.buckets.removed(),
        }
    }

    pub(crate) fn from_state(state: BucketState) -> Result<Self, RouteError> {
        let BucketState {
            capacity,
            nodes,
            removed,
        } = state;
        let mut table = Self::over(B::empty(capacity)?);
        let buckets = nodes.len().saturating_add(removed.len());
        let buckets = match u32::try_from(buckets) {
            Ok(fits) if buckets <= MAX_NODES => fits,
            _ => return Err(too_many()),
        };
        // A set of buckets is what adding all and removing some again makes of it.
        for _ in 0..buckets {
            if table.buckets.add().is_none() {
                return Err(table.exhausted());
            }
        }
        if let Some(&stranger) = removed
            .iter()
            .find(|&&bucket| !table.buckets.remove(bucket))
        {
            return Err(impossible(stranger));
        }
        // Some lists no history leaves behind: the set is then another than they say.
        let kept = table.buckets.removed();
        let mut listed = removed.iter().enumerate();
        if let Some((_, &bucket)) = listed.find(|&(at, bucket)| kept.get(at) != Some(bucket)) {
            return Err(impossible(bucket));
        }
        let in_service = (0..buckets).filter(|&bucket| table.buckets.contains(bucket));
        let slots: Vec<Slot> = in_service.filter_map(Slot::new).collect();
        for (slot, node) in slots.into_iter().zip(nodes) {
            check_weight::<B>(&node)?;
            table.members.add_at(slot, node)?;
        }
        Ok(table)
    }

    fn exhausted(&self) -> RouteError {
        match self.buckets.capacity() {
            Some(capacity) => RouteError::CapacityExhausted { capacity },
            None => too_many(),
        }
    }
}

fn check_weight<B: Buckets>(node: &Node) -> Result<(), RouteError> {
    if node.weight() == Weight::ONE {
        return Ok(());
    }
    Err(RouteError::WeightUnsupported {
        id: node.id().clone(),
        weight: node.weight().get(),
        strategy: B::NAME,
    })
}

fn too_many() -> RouteError {
    RouteError::TooManyNodes {
        limit: MAX_NODES as u64,
    }
}

fn impossible(bucket: u32) -> RouteError {
    RouteError::Parameter {
        name: "removed",
        given: bucket.to_string(),
        accepted: "the buckets that left as a router's state lists them",
    }
}
