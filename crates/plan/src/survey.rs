//! [`Survey`]: what moves between two routers, key by key.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;
use std::vec::Vec;

use keyroute_core::{Members, NodeId, Router, Slot, SlotSet, Walk};

use crate::need::Strengths;
use crate::{Flows, Interval, Transfer};

/// What moves between any two routers, key by key: an exact count if the keys are all there are, else a sample with
/// its confidence interval.
///
/// For routers that have no ranges in common: other hash functions, jump hashing, modulo, rendezvous. Costs two
/// lookups a key.
///
/// ```
/// use keyroute_modulo::Modulo;
/// use keyroute_plan::Survey;
/// use keyroute_vector_ring::VectorRing;
///
/// let before = Modulo::from_ids(["a", "b", "c"])?;
/// let after = VectorRing::from_ids(["a", "b", "c", "d"])?;
/// let mut survey = Survey::of(&before, &after);
/// for key in 0..10_000u32 {
///     survey.key(&key.to_le_bytes());
/// }
/// assert_eq!(survey.keys(), 10_000);
/// let of_all = survey.interval();
/// assert!(of_all.low < 0.75 && 0.75 < of_all.high + 0.05);
/// # Ok::<(), keyroute_plan::RouteError>(())
/// ```
pub struct Survey<'a> {
    before: Side<'a>,
    after: Side<'a>,
    strengths: Strengths,
    /// How keys of these holders move.
    known: BTreeMap<Slots, Option<Arc<Transfer>>>,
    /// The holders of the last key, before and after.
    holders: Slots,
    keys: u64,
    moved: u64,
    flows: Flows,
    bytes: Flows,
}

/// How many ways of moving are kept at hand: of replicas there may be as many as keys.
const MOST_KNOWN: usize = 1 << 16;

/// The holders before, and after.
type Slots = (Vec<Slot>, Vec<Slot>);

struct Side<'a> {
    members: &'a Members,
    #[expect(
        clippy::type_complexity,
        reason = "a question to either kind of router"
    )]
    ask: Box<dyn FnMut(&[u8], &mut Vec<Slot>) + 'a>,
}

impl<'a> Survey<'a> {
    /// A survey of owners, without keys so far.
    #[must_use]
    pub fn of<B: Router + ?Sized, A: Router + ?Sized>(before: &'a B, after: &'a A) -> Self {
        Self::between(Side::owner(before), Side::owner(after))
    }

    /// A survey of the first `n` nodes of each key's order, without keys so far.
    #[must_use]
    pub fn of_replicas<B: Walk + ?Sized, A: Walk + ?Sized>(
        before: &'a B,
        after: &'a A,
        n: usize,
    ) -> Self {
        Self::between(Side::replicas(before, n), Side::replicas(after, n))
    }

    /// The same where the number of replicas changes too: the first `n` before, the first `m` after.
    ///
    /// ```
    /// use keyroute_plan::Survey;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b", "c"])?;
    /// let mut survey = Survey::of_replicas_each(&ring, 1, &ring, 2);
    /// survey.key(b"user:1");
    /// assert_eq!(survey.flows().needed(), 1); // a second copy
    /// # Ok::<(), keyroute_plan::RouteError>(())
    /// ```
    #[must_use]
    pub fn of_replicas_each<B: Walk + ?Sized, A: Walk + ?Sized>(
        before: &'a B,
        n: usize,
        after: &'a A,
        m: usize,
    ) -> Self {
        Self::between(Side::replicas(before, n), Side::replicas(after, m))
    }

    fn between(before: Side<'a>, after: Side<'a>) -> Self {
        let nodes = |side: &Side<'a>| side.members.iter().map(|(_, node)| node);
        Self {
            strengths: Strengths::between(nodes(&before), nodes(&after)),
            before,
            after,
            known: BTreeMap::new(),
            holders: Default::default(),
            keys: 0,
            moved: 0,
            flows: Flows::new(),
            bytes: Flows::new(),
        }
    }

    /// Asks for a key; says how it moves, or `None` if it stays.
    pub fn key(&mut self, key: &[u8]) -> Option<&Transfer> {
        self.key_of(key, 0)
    }

    /// The same for a key whose value has so many bytes.
    pub fn key_of(&mut self, key: &[u8], bytes: u64) -> Option<&Transfer> {
        let (from, to) = &mut self.holders;
        from.clear();
        to.clear();
        (self.before.ask)(key, from);
        (self.after.ask)(key, to);
        self.keys += 1;
        if !self.known.contains_key(&self.holders) {
            if self.known.len() == MOST_KNOWN {
                self.known.clear();
            }
            let from = self.before.ids(&self.holders.0);
            let to = self.after.ids(&self.holders.1);
            let transfer = (from != to).then(|| Arc::new(Transfer::new(from, to, &self.strengths)));
            self.known.insert(self.holders.clone(), transfer);
        }
        let transfer = self.known.get(&self.holders)?.as_deref()?;
        self.moved += 1;
        self.flows.count(transfer, 1);
        self.bytes.count(transfer, bytes.into());
        Some(transfer)
    }

    /// How many keys were asked.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// How many of them have other holders after than before, or the same in another order.
    #[must_use]
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// Who sends how many keys to whom.
    #[must_use]
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// Who sends how many bytes to whom.
    #[must_use]
    pub fn bytes(&self) -> &Flows {
        &self.bytes
    }

    /// Which part of all keys moves, if these were drawn from them at random.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval::of(self.moved, self.keys)
    }
}

impl<'a> Side<'a> {
    fn owner<R: Router + ?Sized>(router: &'a R) -> Self {
        Self {
            members: router.members(),
            ask: Box::new(move |key, out| out.extend(router.route(key))),
        }
    }

    fn replicas<R: Walk + ?Sized>(router: &'a R, n: usize) -> Self {
        let mut seen = SlotSet::new();
        Self {
            members: router.members(),
            ask: Box::new(move |key, out| {
                if n > 0 {
                    router.walk_with(key, &mut seen, &mut |slot| {
                        out.push(slot);
                        if out.len() == n {
                            Break(())
                        } else {
                            Continue(())
                        }
                    });
                }
            }),
        }
    }

    fn ids(&self, slots: &[Slot]) -> Arc<[NodeId]> {
        let nodes = slots.iter().filter_map(|&slot| self.members.get(slot));
        nodes.map(|node| node.id().clone()).collect()
    }
}

impl fmt::Debug for Survey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Survey")
            .field("keys", &self.keys)
            .field("moved", &self.moved)
            .field("flows", &self.flows)
            .finish_non_exhaustive()
    }
}
