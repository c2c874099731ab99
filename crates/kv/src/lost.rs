//! Nodes that are lost: they do not answer any more, and never will.
//!
//! Such a node leaves without being asked. Whatever is known of a key's holders then holds of those of them that are
//! not lost ([`Ring::holders_of`](crate::ring::Ring::holders_of)), for whatever was answered lies on all. [`roles`]
//! says why that is right also in the midst of a change.
//!
//! The node is in a change's nodes before, in those after, or in both. If in one, the change goes to the other. If in
//! both, the change goes on as it was, and another follows which brings copies to where the lost ones were.
//!
//! [`roles`]: crate::roles

use std::slice;

use keyroute_core::RouteError;

use crate::admin::check_runtime;
use crate::journal::{ChangeRecord, Fleet, Record};
use crate::open::Rings;
use crate::ring::MakeRouter;
use crate::state::{Change, Phase};
use crate::{KvError, Store};

impl Store {
    /// A node leaves that is lost: it is not asked any more, and its copies are given up.
    ///
    /// With two replicas or more, all that was answered lies on another node too, and is brought from there to who
    /// holds it now. **With one replica the keys that lay there alone are lost**, and so are, with several, those all of
    /// whose nodes were. [`remove`](Self::remove) loses nothing, but waits for the node.
    ///
    /// May be said in the midst of a change, which else waits for the node for ever. If it is the node that joins, the
    /// change goes back; if it leaves, on; if it does neither, on, and then another change follows. In that first part
    /// keys that the lost node was to get lie on one node less. [`progress`](Self::progress) counts each part by itself.
    ///
    /// A node that is found again afterwards is none of the store's: it joins as any other, empty. For a store that
    /// cannot be opened without it there is [`StoreBuilder::lost`](crate::StoreBuilder::lost).
    ///
    /// ```
    /// use keyroute_kv::{MemoryShard, Node, Store};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let store = Store::builder(
    ///     |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
    ///     |_id, _address| Ok(MemoryShard::new()),
    /// )
    /// .nodes([Node::new("a")?, Node::new("b")?, Node::new("c")?])
    /// .replicas(2)
    /// .open()
    /// .await?;
    /// store.set(b"user:1", "v").await?;
    ///
    /// store.remove_lost("b").await?; // its disk has burnt
    /// assert_eq!(store.get(b"user:1").await?, Some(b"v".to_vec()));
    /// store.run().await; // two copies of each key again
    /// assert_eq!(store.nodes(), [Node::new("a")?, Node::new("c")?]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], [`KvError::LastNode`] if none is left, [`KvError::LeftOvers`],
    /// [`KvError::CannotList`] if another change would follow among nodes that cannot list their keys (there
    /// [`close`](Self::close) the present one), [`KvError::Journal`], or what the router refuses.
    pub async fn remove_lost(&self, id: &str) -> Result<(), KvError> {
        check_runtime()?;
        let inner = &*self.inner;
        let mut admin = inner.admin.lock().await;
        self.until_ready().await; // an earlier change may have been begun by a future that was dropped
        let mut record = admin.record.clone();
        if !record.lose(id, &*inner.make)? {
            return Ok(());
        }
        let mut rings = Rings::of(inner, self.state().holders());
        let phase = rings.phase_of(&record)?;
        record.store(&*inner.journal)?;
        admin.record = record;
        if let Phase::Change(change) = phase {
            self.change(&mut admin, change);
        }
        drop(admin);
        self.until_ready().await;
        Ok(())
    }
}

impl Record {
    /// Notes that a node is lost, and into what the nodes change therefore; says whether that is new.
    pub(crate) fn lose(&mut self, id: &str, make: &MakeRouter) -> Result<bool, KvError> {
        let node = self.nodes().find(|node| *node.id() == *id);
        let Some(id) = node.map(|node| node.id().clone()) else {
            return Err(RouteError::NotMember { id: id.to_owned() }.into());
        };
        if self.lost.contains(&id) {
            return Ok(false);
        }
        let lost = [self.lost.as_slice(), slice::from_ref(&id)].concat();
        let left = |fleet: &Fleet| fleet.nodes.iter().any(|node| !lost.contains(node.id()));
        match &mut self.change {
            None if left(&self.fleet) => {
                let fleet = self.fleet.without(&lost, make)?;
                if let Some(id) = self.left_overs.iter().find(|id| fleet.has(id)) {
                    return Err(KvError::LeftOvers { id: id.clone() });
                }
                self.change = Some(ChangeRecord {
                    fleet,
                    back: false,
                    paused: false,
                });
            }
            Some(change) if left(&self.fleet) || left(&change.fleet) => {
                let back = match (self.fleet.has(&id), change.fleet.has(&id)) {
                    (true, false) => false,
                    (false, true) => true,
                    _ => change.back,
                };
                let target = if back { &self.fleet } else { &change.fleet };
                change.back = back == left(target);
            }
            _ => return Err(KvError::LastNode { id }),
        }
        self.lost = lost;
        self.generation += 1;
        Ok(true)
    }

    /// Another change follows the present one if that leads to lost nodes, and then no key may be left behind.
    pub(crate) fn check_next(&self, present: &Change) -> Result<(), KvError> {
        let target = match &self.change {
            Some(change) if !change.back => &change.fleet,
            _ => &self.fleet,
        };
        if !self.lost.iter().any(|id| target.has(id)) {
            return Ok(());
        }
        let mut all = present.from.holders().chain(present.to.holders());
        match all.find(|it| !it.shard.lists()) {
            Some(dumb) => Err(KvError::CannotList {
                id: dumb.id.clone(),
            }),
            None => Ok(()),
        }
    }
}
