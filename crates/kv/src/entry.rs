//! [`Entry`]: a value and when it ends, and the clock that says whether it has.

use std::time::{SystemTime, UNIX_EPOCH};

/// What a shard holds under a key.
///
/// ```
/// use keyroute_kv::Entry;
///
/// let entry = Entry::new("v").until(1_000);
/// assert!(entry.is_live(999) && !entry.is_live(1_000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Its bytes.
    pub value: Vec<u8>,
    /// From when on it is no more: milliseconds since 1970, UTC. Absolute, so that moving it does not lengthen it.
    pub expires_at: Option<u64>,
}

impl Entry {
    /// An entry that stays.
    #[must_use]
    pub fn new(value: impl Into<Vec<u8>>) -> Self {
        Self {
            value: value.into(),
            expires_at: None,
        }
    }

    /// The same until this time, in milliseconds since 1970.
    #[must_use]
    pub fn until(mut self, expires_at: u64) -> Self {
        self.expires_at = Some(expires_at);
        self
    }

    /// Whether it still is at this time, in milliseconds since 1970.
    #[must_use]
    pub fn is_live(&self, now: u64) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

/// Milliseconds since 1970, as [`Store`](crate::Store) counts unless told otherwise.
///
/// ```
/// assert!(keyroute_kv::system_clock() > 1_700_000_000_000);
/// ```
#[must_use]
pub fn system_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
