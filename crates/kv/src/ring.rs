//! [`Ring`]: a router, the shards of its nodes, and who holds a key.

use std::sync::Arc;

use keyroute_core::{Node, NodeId, RouteError, Router, Slot, Walk};

use crate::store::Depth;
use crate::{Entry, KvError, Shard, ShardError};

/// The most nodes that can hold one key.
pub const MAX_REPLICAS: usize = 8;

/// Any router with an order of nodes.
pub type AnyRouter = Box<dyn Walk + Send + Sync>;

/// Makes a router of a list of nodes: the same one from the same list, always.
pub(crate) type MakeRouter = dyn Fn(&[Node]) -> Result<AnyRouter, RouteError> + Send + Sync;

/// A node and its shard.
pub(crate) struct Holder {
    pub(crate) id: NodeId,
    pub(crate) address: String,
    pub(crate) shard: Arc<dyn Shard>,
}

impl Holder {
    pub(crate) async fn get(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        self.shard
            .get(key)
            .await
            .map_err(|error| self.failed(error))
    }

    /// For a reader.
    async fn look(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        let found = self.shard.look(key).await;
        found.map_err(|error| self.failed(error))
    }

    pub(crate) async fn set(&self, key: &[u8], entry: Entry) -> Result<(), KvError> {
        let set = self.shard.set(key, entry).await;
        set.map_err(|error| self.failed(error))
    }

    pub(crate) async fn delete(&self, key: &[u8]) -> Result<bool, KvError> {
        let deleted = self.shard.delete(key).await;
        deleted.map_err(|error| self.failed(error))
    }

    pub(crate) fn failed(&self, error: ShardError) -> KvError {
        KvError::Shard {
            id: self.id.clone(),
            error,
        }
    }
}

/// A router, the shards of its nodes, and on how many of them a key lies.
pub(crate) struct Ring {
    pub(crate) router: AnyRouter,
    /// In the order of listing, which some routers' answers depend on.
    pub(crate) nodes: Vec<Node>,
    pub(crate) replicas: usize,
    /// By slot; none where the node is lost.
    holders: Vec<Option<Arc<Holder>>>,
    /// Who holds the keys whose holders here are all lost.
    next: Option<Arc<Ring>>,
}

impl Ring {
    pub(crate) fn new(
        make: &MakeRouter,
        nodes: Vec<Node>,
        replicas: usize,
        holder: impl Fn(&NodeId) -> Option<Arc<Holder>>,
        next: Option<Arc<Self>>,
    ) -> Result<Self, KvError> {
        let router = make(&nodes)?;
        let members = router.members();
        let mut holders: Vec<Option<Arc<Holder>>> = vec![None; members.slot_bound()];
        for (slot, node) in members.iter() {
            if let Some(place) = holders.get_mut(slot.index() as usize) {
                *place = holder(node.id());
            }
        }
        Ok(Self {
            router,
            nodes,
            replicas,
            holders,
            next,
        })
    }

    /// Who holds the key, in the key's order, but for nodes that are lost. Where that leaves nobody, who holds it
    /// without the first that was lost, and so on.
    pub(crate) fn holders_of(&self, key: &[u8]) -> Holders<'_> {
        let mut holders = Holders::default();
        let Some(first) = Slot::new(0) else {
            return holders;
        };
        let mut slots = [first; MAX_REPLICAS];
        let wanted = self.replicas.min(MAX_REPLICAS);
        let found = self.router.first_into(key, &mut slots[..wanted]);
        for slot in &slots[..found] {
            let holder = self.holders.get(slot.index() as usize);
            if let Some(Some(holder)) = holder {
                holders.push(holder);
            }
        }
        match &self.next {
            Some(next) if holders.is_empty() => next.holders_of(key),
            _ => holders,
        }
    }

    /// The nodes that are not lost, as they were listed.
    pub(crate) fn live_nodes(&self) -> &[Node] {
        self.next
            .as_ref()
            .map_or(&self.nodes, |next| next.live_nodes())
    }

    /// All that are not lost, in the order of the slots.
    pub(crate) fn holders(&self) -> impl Iterator<Item = &Arc<Holder>> {
        self.holders.iter().flatten()
    }
}

/// Up to [`MAX_REPLICAS`] holders, in order, without an allocation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Holders<'a> {
    places: [Option<&'a Arc<Holder>>; MAX_REPLICAS],
    len: usize,
}

impl<'a> Holders<'a> {
    pub(crate) fn push(&mut self, holder: &'a Arc<Holder>) {
        if let Some(place) = self.places.get_mut(self.len) {
            *place = Some(holder);
            self.len += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &'a Arc<Holder>> + use<'a> {
        let places = self.places;
        places.into_iter().flatten()
    }

    pub(crate) fn first(&self) -> Option<&'a Arc<Holder>> {
        self.places[0]
    }

    pub(crate) fn at(&self, rank: usize) -> Option<&'a Arc<Holder>> {
        self.places.get(rank).copied().flatten()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn contains(&self, holder: &Holder) -> bool {
        self.iter().any(|it| it.id == holder.id)
    }

    /// Those of these that are none of the others.
    pub(crate) fn without(&self, others: &Self) -> Self {
        let mut left = Self::default();
        for holder in self.iter().filter(|holder| !others.contains(holder)) {
            left.push(holder);
        }
        left
    }

    /// The first answer. Only a holder that fails is passed over: one that has nothing has answered.
    pub(crate) async fn get(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        self.read(key, Depth::Entry).await
    }

    /// The same, as deep as is asked for.
    pub(crate) async fn read(&self, key: &[u8], depth: Depth) -> Result<Option<Entry>, KvError> {
        let mut first = None;
        for holder in self.iter() {
            let found = match depth {
                Depth::Value => holder.look(key).await,
                Depth::Entry => holder.get(key).await,
            };
            match found {
                Ok(found) => return Ok(found),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or(KvError::NoNodes))
    }

    /// Sets on all, the first last: what readers see changes when all others have it.
    pub(crate) async fn set(&self, key: &[u8], entry: &Entry) -> Result<(), KvError> {
        if self.is_empty() {
            return Err(KvError::NoNodes);
        }
        for holder in self.iter().rev() {
            holder.set(key, entry.clone()).await?;
        }
        Ok(())
    }

    /// Deletes on all, the first last; says what was there on the first.
    pub(crate) async fn delete(&self, key: &[u8]) -> Result<bool, KvError> {
        if self.is_empty() {
            return Err(KvError::NoNodes);
        }
        let mut was = false;
        for holder in self.iter().rev() {
            was = holder.delete(key).await?;
        }
        Ok(was)
    }
}
