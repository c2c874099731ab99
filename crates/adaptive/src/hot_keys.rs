//! [`HotKeys`]: the keys that are asked for most.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{NodeId, RouteError};

/// How many keys are kept unless said: a key is then found that has more than 0.1 % of the requests.
pub const DEFAULT_KEYS: usize = 1024;

const MAX_KEYS: usize = 1 << 20;

/// The most frequent keys of a stream, in a memory that does not grow with it.
///
/// With k keys kept, each key that has more than 1/(k+1) of the n requests is in the list, and a count is never too
/// high, and too low by n/(k+1) at most. Deterministic.
///
/// An observation takes O(log k), and O(1) removals on average. About 100 bytes a key.
///
/// Source: Misra and Gries, *Finding repeated elements*, Science of Computer Programming 2, 1982.
///
/// ```
/// use keyroute_adaptive::{HotKeys, NodeId};
///
/// let (a, b) = (NodeId::new("a")?, NodeId::new("b")?);
/// let mut keys = HotKeys::new(9)?;
/// for number in 0..1000u64 {
///     if number % 4 == 0 { keys.observe(u64::MAX, &a) } else { keys.observe(number, &b) }
/// }
/// let hottest = &keys.top()[0];
/// assert_eq!((hottest.digest, hottest.node.as_str()), (u64::MAX, "a"));
/// assert!(hottest.requests <= 250 && hottest.requests + 100 >= 250);
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HotKeys {
    capacity: usize,
    seen: u64,
    kept: BTreeMap<u64, (NodeId, u64)>,
}

/// A key in a window, and what it had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLoad {
    /// Its digest, as the caller gave it.
    pub digest: u64,
    /// The node that it went to.
    pub node: NodeId,
    /// At least so many of the requests that were seen were for it.
    pub requests: u64,
}

impl HotKeys {
    /// Room for so many keys.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is from 1 to 2^20.
    pub fn new(capacity: usize) -> Result<Self, RouteError> {
        if capacity == 0 || capacity > MAX_KEYS {
            return Err(RouteError::Parameter {
                name: "hot keys",
                given: capacity.to_string(),
                accepted: "1 to 1048576",
            });
        }
        Ok(Self::of(capacity))
    }

    pub(crate) fn of(capacity: usize) -> Self {
        Self {
            capacity,
            seen: 0,
            kept: BTreeMap::new(),
        }
    }

    /// A request for the key of this digest went to this node.
    pub fn observe(&mut self, digest: u64, node: &NodeId) {
        self.seen = self.seen.saturating_add(1);
        if let Some((last, requests)) = self.kept.get_mut(&digest) {
            *requests += 1;
            if last != node {
                *last = node.clone();
            }
        } else if self.kept.len() < self.capacity {
            self.kept.insert(digest, (node.clone(), 1));
        } else {
            // One of each kept key and this one cancel out: the list never owes more than it was given.
            self.kept.retain(|_, (_, requests)| {
                *requests -= 1;
                *requests > 0
            });
        }
    }

    /// How many requests were observed.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The kept keys, the most frequent first, equal ones by digest.
    #[must_use]
    pub fn top(&self) -> Vec<KeyLoad> {
        let kept = self.kept.iter().map(|(&digest, (node, requests))| KeyLoad {
            digest,
            node: node.clone(),
            requests: *requests,
        });
        let mut top: Vec<KeyLoad> = kept.collect();
        top.sort_by_key(|key| (core::cmp::Reverse(key.requests), key.digest));
        top
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.seen = 0;
        self.kept.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_never_too_high_and_too_low_by_no_more_than_the_bound() {
        let node = NodeId::new("a").unwrap();
        let mut keys = HotKeys::new(20).unwrap();
        let mut exact: BTreeMap<u64, u64> = BTreeMap::new();
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // Low digests are frequent.
            let digest = ((state >> 33) % 1000) >> ((state >> 45) % 10);
            keys.observe(digest, &node);
            *exact.entry(digest).or_default() += 1;
        }
        let bound = 20_000 / 21;
        let top = keys.top();
        assert!(top.len() <= 20 && top.is_sorted_by(|a, b| a.requests >= b.requests));
        for (digest, &true_count) in &exact {
            let kept = top.iter().find(|key| key.digest == *digest);
            let count = kept.map_or(0, |key| key.requests);
            assert!(
                count <= true_count && count + bound >= true_count,
                "{digest}: {count} of {true_count}"
            );
        }
        assert!(exact.values().any(|&count| count > bound), "none is hot");
    }

    #[test]
    fn no_room_is_refused() {
        for capacity in [0, MAX_KEYS + 1, usize::MAX] {
            let error = HotKeys::new(capacity).unwrap_err().to_string();
            assert!(error.contains(&capacity.to_string()), "{error}");
        }
    }
}
