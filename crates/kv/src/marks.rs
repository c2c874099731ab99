//! [`Marks`]: by which the store knows its shards again.

use std::collections::BTreeMap;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use keyroute_core::hash::Xxh3;
use keyroute_core::{KeyHasher, NodeId};
use serde::{Deserialize, Serialize};

use crate::KvError;
use crate::journal::Fleet;
use crate::ring::Holder;

/// The marks of the nodes' shards: see [`Shard::mark`](crate::Shard::mark).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Marks(BTreeMap<NodeId, String>);

impl Marks {
    pub(crate) fn of(&self, id: &NodeId) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }

    /// Marks the shard of a node that joins, as no other was before.
    pub(crate) async fn give(&mut self, holder: &Holder) -> Result<(), KvError> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos());
        let text = format!("{nanos} {} {}", process::id(), holder.id);
        let mark = format!("{:016x}", Xxh3.hash(text.as_bytes()));
        let marked = holder.shard.mark(Some(&mark)).await;
        marked.map_err(|error| holder.failed(error))?;
        self.0.insert(holder.id.clone(), mark);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all but those of this fleet's nodes.
    pub(crate) fn keep(&mut self, fleet: &Fleet) {
        self.0.retain(|id, _| fleet.has(id));
    }
}
