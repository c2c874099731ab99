//! [`Roles`]: what nodes are to a key while the nodes change, and the one rule that moves it.
//!
//! A key's holders before are *from*, those after are *to*. Of both, *leavers* only hold it before, *joiners* only
//! after, *keepers* both times.
//!
//! The rule: **whoever writes a key moves it first**, under the key's lock. Moving copies it to the joiners and then
//! deletes it on the leavers. So nobody ever writes to a leaver, and
//!
//! - a key that lies on a leaver has not moved, and what lies there is its value;
//! - a key that lies on no leaver has moved, or is none: its value is what its new holders have.
//!
//! Both hold at every instant, between any two operations on shards. A process that dies leaves nothing to be
//! repaired: whoever comes next moves the key again, to the same value. A deleted key lies nowhere, so nothing can
//! bring it back and no tombstones are needed. The way back is the same with *from* and *to* exchanged.
//!
//! Without leavers (a second replica where there was one) nothing marks a key that has not moved. Then the keepers
//! have its value always, and the joiners are only written, until the change is over.
//!
//! # When nodes are lost
//!
//! A lost node is no holder of anything any more. Two things make the rule go on without it, and both are true at
//! every instant: what was answered lies on *all* leavers of a key that has not moved, and on *all* new holders of one
//! that has. Take one node out of *from* and *to*, and
//!
//! - if leavers are left, they say what they said: one that has the key says that it has not moved. If none has it, it
//!   has moved, or was about to lose its mark on the lost one; and leavers are asked to delete only once all new
//!   holders have the key;
//! - if none is left but keepers are, these have the value always, moved or not: the rule without leavers;
//! - if neither is left, the lost node alone had the key before. If it had moved, its new holders have it.
//!
//! Nobody may be left in *to*: then the key belongs where the router puts it without the node
//! ([`Ring::holders_of`](crate::ring::Ring::holders_of)). It cannot have moved there, or the lost node was all it had.
//! These placements depend on the nodes and on who is lost, not on the way that a change goes, so it can still be
//! turned round, and another node may be lost meanwhile.
//!
//! Reads go by the same reasoning before anybody has said that a node is lost, when it only does not answer.

use crate::ring::{Holder, Holders};
use crate::{Entry, KvError};

pub(crate) struct Roles<'a> {
    pub(crate) from: Holders<'a>,
    pub(crate) to: Holders<'a>,
    pub(crate) leavers: Holders<'a>,
    pub(crate) joiners: Holders<'a>,
    /// In the order that they had before, which readers went by.
    pub(crate) keepers: Holders<'a>,
}

/// What moving a key did.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moved {
    pub(crate) keys: u64,
    pub(crate) bytes: u64,
}

impl<'a> Roles<'a> {
    pub(crate) fn new(from: Holders<'a>, to: Holders<'a>) -> Self {
        let (leavers, joiners) = (from.without(&to), to.without(&from));
        Self {
            keepers: from.without(&leavers),
            leavers,
            joiners,
            from,
            to,
        }
    }

    /// Whether other nodes hold the key after than before. Their order may change without a move.
    pub(crate) fn differ(&self) -> bool {
        !self.leavers.is_empty() || !self.joiners.is_empty()
    }

    /// Whether a holder before cannot list its keys.
    pub(crate) fn are_unlisted(&self) -> bool {
        self.from.iter().any(|holder| !holder.shard.lists())
    }

    /// The key's value. Under the key's lock, shared.
    ///
    /// Who fails is passed over where another's answer is enough.
    pub(crate) async fn read(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        if self.leavers.is_empty() {
            return self.kept(key, None).await;
        }
        // A joiner's copy is the value, moved or about to be: one question is enough for keys that have moved.
        if let Some(first) = self.to.first()
            && self.joiners.contains(first)
            && let Ok(Some(entry)) = first.get(key).await
        {
            return Ok(Some(entry));
        }
        let (mut failed, mut answered) = (None, false);
        for leaver in self.leavers.iter() {
            match self.unmoved_at(leaver, key).await {
                Ok(Some(entry)) => return Ok(Some(entry)),
                Ok(None) => answered = true,
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        // What had been answered before the change lies on all leavers, so one that has nothing speaks for all.
        if answered {
            return self.to.get(key).await;
        }
        self.kept(key, failed).await
    }

    /// What keepers have, moved or not; without them what a joiner has, and this error if none has anything.
    async fn kept(&self, key: &[u8], failed: Option<KvError>) -> Result<Option<Entry>, KvError> {
        let failed = match (self.keepers.is_empty(), failed) {
            (true, None) => return self.to.get(key).await,
            (true, Some(error)) => error,
            (false, failed) => match self.keepers.get(key).await {
                Ok(entry) => return Ok(entry),
                Err(error) => failed.unwrap_or(error),
            },
        };
        for joiner in self.joiners.iter() {
            if let Ok(Some(entry)) = joiner.get(key).await {
                return Ok(Some(entry));
            }
        }
        Err(failed)
    }

    /// The value of a key that lies on a leaver: the first copy in the order before, which readers saw then.
    async fn unmoved(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        for leaver in self.leavers.iter() {
            if let Some(entry) = self.unmoved_at(leaver, key).await? {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// The same of a key that lies on this leaver.
    async fn unmoved_at(&self, leaver: &Holder, key: &[u8]) -> Result<Option<Entry>, KvError> {
        let Some(entry) = leaver.get(key).await? else {
            return Ok(None);
        };
        let before = self.from.iter().take_while(|holder| holder.id != leaver.id);
        for keeper in before.filter(|holder| self.keepers.contains(holder)) {
            if let Ok(Some(earlier)) = keeper.get(key).await {
                return Ok(Some(earlier));
            }
        }
        Ok(Some(entry))
    }

    /// Brings the key to its new holders, if it is not there. Under the key's lock, alone.
    pub(crate) async fn move_key(&self, key: &[u8], now: u64) -> Result<Moved, KvError> {
        if self.leavers.is_empty() {
            return self.copy_key(key, now).await;
        }
        let Some(entry) = self.unmoved(key).await? else {
            return Ok(Moved::default());
        };
        let live = entry.is_live(now);
        for holder in self.joiners.iter().rev() {
            put(holder, key, &entry, live).await?;
        }
        // A write that was cut short may have left them apart.
        for holder in self.keepers.iter().rev() {
            if holder.get(key).await?.as_ref() != Some(&entry) {
                put(holder, key, &entry, live).await?;
            }
        }
        // The one whose copy is the value goes last.
        for holder in self.leavers.iter().rev() {
            holder.delete(key).await?;
        }
        Ok(Moved::one(&entry, live))
    }

    /// Gives all what the first keeper has that has a value.
    async fn copy_key(&self, key: &[u8], now: u64) -> Result<Moved, KvError> {
        if self.keepers.is_empty() {
            return Ok(Moved::default());
        }
        let mut entry = None;
        for keeper in self.keepers.iter() {
            let there = keeper.get(key).await?;
            entry = there.filter(|entry| entry.is_live(now));
            if entry.is_some() {
                break;
            }
        }
        let mut moved = Moved::default();
        for holder in self.written().iter().rev() {
            let there = holder.get(key).await?;
            match &entry {
                Some(entry) if there.as_ref() != Some(entry) => {
                    holder.set(key, entry.clone()).await?;
                    if self.joiners.contains(holder) {
                        moved = Moved::one(entry, true);
                    }
                }
                None if there.is_some() => {
                    holder.delete(key).await?;
                }
                _ => {}
            }
        }
        Ok(moved)
    }

    /// Who is written once the key has moved: the one that is read comes first, which is written last.
    pub(crate) fn written(&self) -> Holders<'a> {
        if !self.leavers.is_empty() {
            return self.to;
        }
        let mut holders = self.keepers;
        for joiner in self.joiners.iter() {
            holders.push(joiner);
        }
        holders
    }
}

impl Moved {
    fn one(entry: &Entry, live: bool) -> Self {
        Self {
            keys: u64::from(live),
            bytes: if live { entry.value.len() as u64 } else { 0 },
        }
    }
}

async fn put(holder: &Holder, key: &[u8], entry: &Entry, live: bool) -> Result<(), KvError> {
    if live {
        holder.set(key, entry.clone()).await
    } else {
        holder.delete(key).await.map(drop)
    }
}
