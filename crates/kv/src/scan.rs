//! Listing all keys, while they move.
//!
//! A key moves at most once within one state. So a pass over all nodes that finds no change under way from beginning
//! to end has met each key, and so have two passes within one change: a key that moved from a node still ahead to one
//! already behind, in the one pass, did not move in the other. A pass during which the state was another counts for
//! nothing.

use std::sync::Arc;

use keyroute_core::NodeId;

use crate::ring::Holder;
use crate::state::{Phase, State};
use crate::{KvError, Page, Store};

/// Where a scan is.
struct Place {
    /// The state's when the pass began.
    generation: u64,
    /// Passes that ended within this state.
    passes: u8,
    /// The node to go on with, or the next behind it if it has left.
    node: String,
    /// Where to go on in it.
    within: Option<Vec<u8>>,
}

impl Store {
    /// Keys, up to `limit` of a page, from this cursor on; none begins.
    ///
    /// A key that has a value from the first page to the last is on one of them at least, also while nodes change;
    /// then it may be on several. Keys whose values have ended may be among them. A page may be empty; the last is the
    /// one without `next`. Cursors may be kept: they outlive changes and the process.
    ///
    /// Costs a page of one node's keys and a lookup for each. During a change all is gone through twice.
    ///
    /// # Errors
    ///
    /// [`KvError::CannotList`], [`KvError::Cursor`], or [`KvError::Shard`].
    pub async fn scan(&self, cursor: Option<&[u8]>, limit: usize) -> Result<Page, KvError> {
        let state = self.entered().await;
        let mut place = match cursor {
            Some(cursor) => Place::read(cursor).ok_or(KvError::Cursor)?,
            None => Place::start(state.generation, 0),
        };
        let holders = state.holders();
        if let Some(dumb) = holders.iter().find(|it| !it.shard.lists()) {
            let id = dumb.id.clone();
            return Err(KvError::CannotList { id });
        }
        let at = holders.partition_point(|it| it.id.as_str() < place.node.as_str());
        let mut keys = Vec::new();
        let mut behind = at;
        if let Some(holder) = holders.get(at) {
            let within = place
                .within
                .take()
                .filter(|_| *holder.id.as_str() == *place.node);
            let page = holder.shard.scan(within, limit.max(1)).await;
            let page = page.map_err(|error| holder.failed(error))?;
            keys = page.keys;
            keys.retain(|key| state.answers_for(holder, key));
            if page.next.is_some() {
                place.node = holder.id.as_str().to_owned();
                place.within = page.next;
                return Ok(Page {
                    keys,
                    next: Some(place.text()),
                });
            }
            behind = at + 1;
        }
        if let Some(next) = holders.get(behind) {
            place.node = next.id.as_str().to_owned();
            return Ok(Page {
                keys,
                next: Some(place.text()),
            });
        }
        // The pass ends. What the state is now says what it was worth.
        let now = self.state();
        let passes = if now.generation == place.generation {
            place.passes + 1
        } else {
            0
        };
        let wanted = if now.change().is_some() { 2 } else { 1 };
        let next = (passes < wanted).then(|| Place::start(now.generation, passes).text());
        Ok(Page { keys, next })
    }
}

impl State {
    /// Whether this node, of all that hold the key, is the one that lists it.
    fn answers_for(&self, holder: &Arc<Holder>, key: &[u8]) -> bool {
        let is = |first: Option<&Arc<Holder>>| first.is_some_and(|it| it.id == holder.id);
        match &self.phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => is(ring.holders_of(key).first()),
            // The one has it until it moves, the other from then on.
            Phase::Change(change) => {
                let roles = change.roles_of(key);
                is(roles.from.first()) || is(roles.to.first())
            }
        }
    }
}

impl Place {
    fn start(generation: u64, passes: u8) -> Self {
        Self {
            generation,
            passes,
            node: String::new(),
            within: None,
        }
    }

    /// Generation, passes, the id's length and bytes, and the node's own cursor behind a 1.
    fn text(&self) -> Vec<u8> {
        let mut text = self.generation.to_le_bytes().to_vec();
        text.push(self.passes);
        let length = u32::try_from(self.node.len()).unwrap_or(0); // ids are short
        text.extend(length.to_le_bytes());
        text.extend(self.node.as_bytes());
        if let Some(within) = &self.within {
            text.push(1);
            text.extend(within);
        }
        text
    }

    fn read(text: &[u8]) -> Option<Self> {
        let (generation, text) = text.split_first_chunk()?;
        let (&passes, text) = text.split_first()?;
        let (length, text) = text.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (node, text) = text.split_at_checked(length)?;
        let node = str::from_utf8(node).ok()?.to_owned();
        let known = node.is_empty() || NodeId::new(&node).is_ok();
        let within = match text {
            [] => None,
            [1, within @ ..] => Some(within.to_vec()),
            _ => return None,
        };
        (known && passes <= 1).then_some(Self {
            generation: u64::from_le_bytes(*generation),
            passes,
            node,
            within,
        })
    }
}
