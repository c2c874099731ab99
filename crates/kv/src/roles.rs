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

use crate::ring::Holders;
use crate::{Entry, KvError};

pub(crate) struct Roles<'a> {
    pub(crate) from: Holders<'a>,
    pub(crate) to: Holders<'a>,
    pub(crate) leavers: Holders<'a>,
    pub(crate) joiners: Holders<'a>,
    /// In the order that they have afterwards.
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
            keepers: to.without(&joiners),
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

    /// The key's value. Under the key's lock, shared.
    pub(crate) async fn read(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        if self.leavers.is_empty() {
            let now = if self.keepers.is_empty() {
                &self.to
            } else {
                &self.keepers
            };
            return now.get(key).await;
        }
        // A joiner's copy is the value, moved or about to be: one question is enough for keys that have moved.
        if let Some(first) = self.to.first()
            && self.joiners.contains(first)
            && let Ok(Some(entry)) = first.get(key).await
        {
            return Ok(Some(entry));
        }
        match self.unmoved(key).await {
            Ok(Some(entry)) => Ok(Some(entry)),
            Ok(None) => self.to.get(key).await,
            // Moved or not, keepers have it.
            Err(error) if self.keepers.is_empty() => Err(error),
            Err(error) => self.keepers.get(key).await.map_err(|_| error),
        }
    }

    /// The value of a key that lies on a leaver: the first copy in the order before, which readers saw then.
    async fn unmoved(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        for leaver in self.leavers.iter() {
            let Some(entry) = leaver.get(key).await? else {
                continue;
            };
            let before = self.from.iter().take_while(|holder| holder.id != leaver.id);
            for keeper in before.filter(|holder| self.keepers.contains(holder)) {
                if let Some(earlier) = keeper.get(key).await? {
                    return Ok(Some(earlier));
                }
            }
            return Ok(Some(entry));
        }
        Ok(None)
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

    /// Gives the joiners what the keepers have.
    async fn copy_key(&self, key: &[u8], now: u64) -> Result<Moved, KvError> {
        let Some(keeper) = self.keepers.first() else {
            return Ok(Moved::default());
        };
        let entry = keeper.get(key).await?.filter(|entry| entry.is_live(now));
        let mut moved = Moved::default();
        for holder in self.joiners.iter() {
            let there = holder.get(key).await?;
            match &entry {
                Some(entry) if there.as_ref() != Some(entry) => {
                    holder.set(key, entry.clone()).await?;
                    moved = Moved::one(entry, true);
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

async fn put(
    holder: &crate::ring::Holder,
    key: &[u8],
    entry: &Entry,
    live: bool,
) -> Result<(), KvError> {
    if live {
        holder.set(key, entry.clone()).await
    } else {
        holder.delete(key).await.map(drop)
    }
}
