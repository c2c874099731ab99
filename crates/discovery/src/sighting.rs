//! [`Sighting`]: what a source saw, whole.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use keyroute_core::NodeId;

use crate::{Membership, Peer, SkipReason, Skipped};

/// What a source saw at one moment: all members, and the entries that are none.
///
/// An id that is listed twice, each time with something else, counts as an entry that is none, so that the order of a
/// list decides nothing.
///
/// ```
/// use keyroute_discovery::{Peer, Sighting, SkipReason};
///
/// let seen = Sighting::of([
///     Peer::new("a", "10.0.0.1:80")?,
///     Peer::new("b", "10.0.0.2:80")?,
///     Peer::new("b", "10.0.0.3:80")?, // which of them?
/// ]);
/// assert_eq!(seen.members().len(), 1);
/// assert_eq!((seen.skipped()[0].key.as_str(), &seen.skipped()[0].reason), ("b", &SkipReason::Repeated));
/// # Ok::<(), SkipReason>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    members: Membership,
    skipped: Vec<Skipped>,
}

impl Sighting {
    /// These members.
    #[must_use]
    pub fn of(peers: impl IntoIterator<Item = Peer>) -> Self {
        let mut listed = BTreeMap::new();
        let mut repeated = BTreeSet::new();
        for peer in peers {
            match listed.entry(peer.id().clone()) {
                Entry::Vacant(place) => drop(place.insert(peer)),
                Entry::Occupied(other) if *other.get() == peer => {}
                Entry::Occupied(other) => drop(repeated.insert(other.key().clone())),
            }
        }
        let skipped = repeated.into_iter().map(|id| {
            listed.remove(&id);
            Skipped {
                key: id.to_string(),
                id: Some(id),
                reason: SkipReason::Repeated,
            }
        });
        let skipped = skipped.collect();
        Self {
            members: listed.into_values().collect(),
            skipped,
        }
    }

    /// The same, with entries that are none.
    ///
    /// ```
    /// use keyroute_discovery::{Peer, Sighting, Skipped};
    ///
    /// let mut seen = Vec::new();
    /// let mut skipped = Vec::new();
    /// for (key, value) in [("a", r#"{"address": "10.0.0.1:80"}"#), ("b", "{}")] {
    ///     match Peer::from_json(key, value.as_bytes()) {
    ///         Ok(peer) => seen.push(peer),
    ///         Err(reason) => skipped.push(Skipped { key: key.into(), id: None, reason }),
    ///     }
    /// }
    /// let sighting = Sighting::of(seen).with_skipped(skipped);
    /// assert_eq!((sighting.members().len(), sighting.skipped().len()), (1, 1));
    /// ```
    #[must_use]
    pub fn with_skipped(mut self, skipped: impl IntoIterator<Item = Skipped>) -> Self {
        self.skipped.extend(skipped);
        self
    }

    /// The members.
    #[must_use]
    pub fn members(&self) -> &Membership {
        &self.members
    }

    /// The entries that are none.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Whom an entry is about, readable or not.
    pub(crate) fn names(&self) -> BTreeSet<&NodeId> {
        let skipped = self.skipped.iter().filter_map(|it| it.id.as_ref());
        skipped.chain(self.members.iter().map(Peer::id)).collect()
    }

    pub(crate) fn into_parts(self) -> (Membership, Vec<Skipped>) {
        (self.members, self.skipped)
    }
}
