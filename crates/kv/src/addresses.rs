//! Where nodes are. A node's id is its identity and what routers know; its address is where its shard is.

use std::collections::BTreeMap;
use std::sync::Arc;

use keyroute_core::{Node, NodeId};
use serde::{Deserialize, Serialize};

use crate::edit::place_of;
use crate::open::Rings;
use crate::state::{Phase, State};
use crate::to_the_end::to_the_end;
use crate::{KvError, Store};

/// The addresses that are not their id's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Addresses(BTreeMap<NodeId, String>);

impl Addresses {
    pub(crate) fn of<'a>(&'a self, id: &'a NodeId) -> &'a str {
        self.0.get(id).map_or(id.as_str(), String::as_str)
    }

    pub(crate) fn set(&mut self, id: &NodeId, address: &str) {
        if *id == *address {
            self.0.remove(id);
        } else {
            self.0.insert(id.clone(), address.to_owned());
        }
    }

    /// Whether each of these nodes has one of its own.
    pub(crate) fn check<'a>(
        &'a self,
        nodes: impl IntoIterator<Item = &'a Node>,
    ) -> Result<(), KvError> {
        let mut taken = BTreeMap::new();
        for id in nodes.into_iter().map(Node::id) {
            let address = self.of(id);
            if let Some(other) = taken.insert(address, id)
                && other != id
            {
                return Err(KvError::AddressTaken {
                    id: other.clone(),
                    address: address.to_owned(),
                });
            }
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all but those of these nodes.
    pub(crate) fn keep(&mut self, nodes: &[Node]) {
        self.0
            .retain(|id, _| nodes.iter().any(|node| node.id() == id));
    }
}

impl Store {
    /// Where each node is that keys are on or on their way to, in the order of ids.
    #[must_use]
    pub fn addresses(&self) -> Vec<(NodeId, String)> {
        let holders = self.state().holders();
        let address = |it: &Arc<crate::ring::Holder>| (it.id.clone(), it.address.clone());
        holders.iter().map(address).collect()
    }

    /// Where this node is; `None` if there is no such node.
    #[must_use]
    pub fn address_of(&self, id: &str) -> Option<String> {
        let mut all = self.addresses().into_iter();
        all.find(|(it, _)| *it == *id).map(|(_, address)| address)
    }

    /// A node is elsewhere, with all that it held: keys stay where they are, and are asked for there.
    ///
    /// Its shard is opened at this address, the journal notes it, and operations that begin now wait until those that
    /// were under way have ended; from then on all go to the new shard. What that holds
    /// is not looked at, but for its [mark](crate::Shard::mark). The address that it has already opens it anew, if
    /// it can be opened twice: a file cannot. For one
    /// that moved while the store was closed there is [`StoreBuilder::address`](crate::StoreBuilder::address).
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`](crate::RouteError::NotMember), [`KvError::AddressTaken`] by another node,
    /// [`KvError::ChangeUnderWay`], [`KvError::Shard`] if it cannot be opened there, or [`KvError::Journal`].
    pub async fn readdress(&self, id: &str, address: impl Into<String>) -> Result<(), KvError> {
        let (store, id, address) = (self.clone(), id.to_owned(), address.into());
        // To the end: operations would wait for ever.
        to_the_end(async move { store.readdress_now(&id, &address).await }).await
    }

    async fn readdress_now(&self, id: &str, address: &str) -> Result<(), KvError> {
        let inner = &*self.inner;
        let mut admin = inner.admin.lock().await;
        let mut record = admin.record.clone();
        if record.change.is_some() {
            return Err(KvError::ChangeUnderWay);
        }
        let place = place_of(&record.fleet.nodes, id)?;
        let id = record.fleet.nodes[place].id().clone();
        record.addresses.set(&id, address);
        record.addresses.check(&record.fleet.nodes)?;
        record.generation += 1;
        let state = self.state();
        let Phase::Steady(before) = &state.phase else {
            return Err(KvError::ChangeUnderWay);
        };
        let before = before.clone();
        drop(state);
        let stay = before.holders().filter(|it| it.id != id).cloned();
        let after = Rings::of(inner, stay).ring_of(&record, &record.fleet)?;
        record.store(&*inner.journal)?;
        admin.record = record;
        self.exchange(&mut admin, before, after).await;
        Ok(())
    }

    /// What an operation goes by, held from its beginning to its end: see [`State`]. Waits while a node is exchanged.
    pub(crate) async fn entered(&self) -> Arc<State> {
        loop {
            let state = self.state();
            let Phase::Shut { opened, .. } = &state.phase else {
                return state;
            };
            let mut opened = opened.clone();
            drop(state);
            let _ = opened.wait_for(|opened| *opened).await; // an error is one more look
        }
    }
}
