//! [`Explanation`]: why a key goes where it goes.

mod contender;
mod hash_value;
mod on_ring;
mod place;
#[cfg(feature = "serde")]
mod stored;
mod text;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::hash::identify;
use crate::{
    Description, Fingerprint, KeyHasher, Members, NodeId, Position, Router, Slot, Walk, WalkExt,
};

pub use contender::{Contender, Fact, Role};
pub use hash_value::HashValue;
pub use place::{ArcPlace, DrawnPlace, EntryPlace, Place, PointPlace, ProbePlace, WindowPlace};

/// How many nodes behind the owner [`Router::explain`](crate::Router::explain) names, where there are as many:
/// [`Explanation`] shows it.
pub const EXPLAINED_NEXT: usize = 3;

/// Why a key goes where it goes: its digest, where that stands, the owner and the nodes that come next, the
/// owner's share, and the scheme.
///
/// [`Router::explain`](crate::Router::explain) makes it. It is a value of its own, and outlives its router;
/// `Display` is the text for people, and with the feature `serde` it can be written as JSON. Both may change
/// from release to release: programs read the methods.
///
/// It is for people who look at one key, not for a path of requests: it allocates, describes the router, O(n), and on
/// a ring looks at all points.
///
/// ```
/// use keyroute_core::{Place, Router};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["cache-1", "cache-2", "cache-3"])?;
/// let why = Router::explain(&ring, b"user:1");
///
/// assert_eq!(why.owner(), ring.route(b"user:1"));
/// assert_eq!(why.next().count(), 2);
/// let Place::Arc(arc) = why.place() else { unreachable!("a ring has arcs") };
/// assert_eq!(Some(&arc.point.node), why.owner_id());
/// assert!(why.to_string().starts_with("key \"user:1\" is on cache-"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
///
/// Implementors begin with [`of`](Self::of) and add what they know.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    key: Vec<u8>,
    digest: Option<(HashValue, String)>,
    place: Place,
    weighed: Option<Weighed>,
    contenders: Vec<Contender>,
    refusal: Option<String>,
    notes: Vec<(String, String)>,
    description: Description,
    fingerprint: Fingerprint,
}

/// The weight of the node at whose place a key stands, and of all nodes together. [`Explanation::of`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct Weighed {
    /// The node.
    pub node: NodeId,
    /// Its weight.
    pub weight: u32,
    /// All weights together.
    pub total: u64,
}

impl Weighed {
    /// The part of all keys that its weight asks for, above 0 and up to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn share(&self) -> f64 {
        f64::from(self.weight) / self.total as f64
    }
}

impl Explanation {
    /// What any router can say of a key: its owner and the owner's weight.
    ///
    /// ```
    /// use keyroute_core::{Explanation, Place, RouteDigest, Scheme};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b"])?;
    /// let hasher = ring.scheme().hasher();
    /// let why = Explanation::of(&ring, b"user:1")
    ///     .hashed(hasher, ring.digest(b"user:1").value())
    ///     .placed(Place::Unsaid)
    ///     .walked(&ring, b"user:1", 1);
    /// assert_eq!(why.owner(), ring.route(b"user:1"));
    /// assert_eq!(why.weighed().unwrap().share(), 0.5);
    /// assert_eq!((why.hasher(), why.next().count()), (Some("xxh3-64"), 1));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn of<R: Router + ?Sized>(router: &R, key: &[u8]) -> Self {
        let members = router.members();
        let owner = router.route(key);
        let node = owner.and_then(|slot| members.get(slot));
        let description = router.describe();
        Self {
            key: key.into(),
            digest: None,
            place: Place::Unsaid,
            weighed: node.map(|node| Weighed {
                node: node.id().clone(),
                weight: node.weight().get(),
                total: members.total_weight(),
            }),
            contenders: owner
                .and_then(|slot| Contender::new(members, slot, Role::Owner))
                .into_iter()
                .collect(),
            refusal: members.is_empty().then(|| "there are no nodes".into()),
            notes: Vec::new(),
            fingerprint: router.fingerprint(),
            description,
        }
    }

    /// The same with the key's digest, and the function that made it. [`of`](Self::of) shows it.
    #[must_use]
    pub fn hashed<H: KeyHasher + ?Sized>(mut self, hasher: &H, digest: H::Out) -> Self {
        self.digest = Some((HashValue::of(digest), identify(hasher)));
        self
    }

    /// The same with the place where the key stands.
    #[must_use]
    pub fn placed(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The same with the next nodes of the key's order, behind the owner. [`of`](Self::of) shows it.
    #[must_use]
    pub fn walked<R: Walk + ?Sized>(mut self, router: &R, key: &[u8], next: usize) -> Self {
        let members = router.members();
        let order = router.replicas(key, next.saturating_add(1));
        let owner = self.owner();
        let behind = order.into_iter().filter(|&slot| Some(slot) != owner);
        let next = behind.filter_map(|slot| Contender::new(members, slot, Role::Next));
        self.contenders.extend(next);
        self
    }

    /// The same with these nodes in the key's order: a layer's, which may pass over some and take another than the
    /// inner router. What the inner router said of them goes; see [`overlaid`](Self::overlaid).
    #[must_use]
    pub fn contended(mut self, contenders: impl IntoIterator<Item = Contender>) -> Self {
        self.contenders = contenders.into_iter().collect();
        self
    }

    /// As [`contended`](Self::contended), and what the inner router said of a node stays, before what the layer says.
    ///
    /// Only nodes that the explanation names have something to keep: ask the inner router's
    /// [`explain_with`](crate::Router::explain_with) for all of them.
    ///
    /// ```
    /// use keyroute_core::{Contender, Fact, Role, Router};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b"])?;
    /// let near = |slot| (ring.members().get(slot)?.id() == "b").then(|| Fact::Said("near".into()));
    /// let inner = ring.explain_with(b"user:1", 2).with_facts(near);
    ///
    /// let slot = ring.members().slot_of("b").unwrap();
    /// let full = Contender::new(ring.members(), slot, Role::Passed).unwrap();
    /// let why = inner.overlaid([full.with(Fact::Load { held: 5, capacity: 5 })]);
    /// assert_eq!(why.contenders()[0].to_string(), "b (near, holds 5 of 5)");
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn overlaid(self, contenders: impl IntoIterator<Item = Contender>) -> Self {
        let known = |slot: Slot| self.contenders.iter().find(|it| it.slot == slot);
        let contenders: Vec<Contender> = contenders
            .into_iter()
            .map(|mut it| {
                if let Some(known) = known(it.slot) {
                    it.facts.splice(..0, known.facts.iter().cloned());
                }
                it
            })
            .collect();
        self.contended(contenders)
    }

    /// The same with what a strategy knows about each node, as its score. [`overlaid`](Self::overlaid) shows it.
    #[must_use]
    pub fn with_facts(mut self, facts: impl Fn(Slot) -> Option<Fact>) -> Self {
        for contender in &mut self.contenders {
            contender.facts.extend(facts(contender.slot));
        }
        self
    }

    /// The same with these nodes down: passed over, so that the first of the others takes the key, as
    /// [`first_where`](crate::WalkExt::first_where) finds it. Nodes down behind the taker are left out.
    ///
    /// Only nodes that the explanation names can be taken: ask [`explain_with`](crate::Router::explain_with) for as
    /// many as there may be down, and more.
    ///
    /// ```
    /// use keyroute_core::Router;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b", "c"])?;
    /// let home = ring.route(b"user:1").unwrap();
    /// let why = ring.explain_with(b"user:1", 2).with_down(|slot| slot == home).at_most(1);
    /// assert_eq!(why.owner(), ring.first_where(b"user:1", |slot| slot != home));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn with_down(mut self, is_down: impl Fn(Slot) -> bool) -> Self {
        let mut taken = false;
        self.contenders.retain_mut(|it| {
            let down = is_down(it.slot);
            if down {
                it.facts.push(Fact::Down);
            }
            it.role = match it.role {
                Role::Passed => Role::Passed,
                Role::Owner | Role::Next if taken => Role::Next,
                Role::Owner | Role::Next if down => Role::Passed,
                Role::Owner | Role::Next => Role::Owner,
            };
            taken |= it.role == Role::Owner;
            !(down && it.role == Role::Next)
        });
        if !taken && !self.contenders.is_empty() {
            self.refusal = Some("no node that was tried takes it".into());
        }
        self
    }

    /// The same with this many nodes behind the owner at most.
    #[must_use]
    pub fn at_most(mut self, next: usize) -> Self {
        let mut left = next;
        self.contenders.retain(|it| {
            let is_next = it.role == Role::Next;
            let stays = !is_next || left > 0;
            left -= usize::from(is_next && stays);
            stays
        });
        self
    }

    /// The same, told by a layer over the router that made it: described as the layer is.
    ///
    /// ```
    /// use keyroute_core::Router;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let inner = VectorRing::from_ids(["a", "b"])?;
    /// let layer = VectorRing::from_ids(["a", "b", "c"])?; // say
    /// let why = inner.explain_with(b"user:1", 0).under(&layer).contended([]).refused("closed").noted("hours", "9 to 5");
    /// assert_eq!((why.description(), why.fingerprint()), (&layer.describe(), layer.fingerprint()));
    /// assert_eq!((why.key(), why.refusal()), (&b"user:1"[..], Some("closed")));
    /// assert_eq!(why.notes().next(), Some(("hours", "9 to 5")));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn under<R: Router + ?Sized>(mut self, layer: &R) -> Self {
        self.description = layer.describe();
        self.fingerprint = layer.fingerprint();
        self
    }

    /// The same with the reason why the key has no owner. [`under`](Self::under) shows it.
    #[must_use]
    pub fn refused(mut self, why: impl ToString) -> Self {
        self.refusal = Some(why.to_string());
        self
    }

    /// The same with a line of its own, under this name, up to nine letters to fit the column. [`under`](Self::under)
    /// shows it.
    #[must_use]
    pub fn noted(mut self, name: impl Into<String>, text: impl ToString) -> Self {
        self.notes.push((name.into(), text.to_string()));
        self
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The slot of the node that takes the key: what [`Router::route`](crate::Router::route) answers.
    #[must_use]
    pub fn owner(&self) -> Option<Slot> {
        Some(self.taker()?.slot)
    }

    /// The id of the node that takes the key.
    #[must_use]
    pub fn owner_id(&self) -> Option<&NodeId> {
        Some(&self.taker()?.node)
    }

    fn taker(&self) -> Option<&Contender> {
        self.contenders.iter().find(|it| it.role == Role::Owner)
    }

    /// Why no node takes the key, where that is so and known.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        match self.owner() {
            None => self.refusal.as_deref(),
            Some(_) => None,
        }
    }

    /// The key's digest, where the router has one.
    #[must_use]
    pub fn digest(&self) -> Option<HashValue> {
        Some(self.digest.as_ref()?.0)
    }

    /// The name of the function that made the digest; without a name its answers to fixed probes.
    #[must_use]
    pub fn hasher(&self) -> Option<&str> {
        Some(&self.digest.as_ref()?.1)
    }

    /// Where the key stands.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The node at whose place the key stands, and its weight among all. A layer may pass over it.
    #[must_use]
    pub fn weighed(&self) -> Option<&Weighed> {
        self.weighed.as_ref()
    }

    /// The nodes in the key's order, up to the last that was asked for: those passed over, the owner, the next.
    #[must_use]
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// The nodes that come before the owner and do not take the key.
    pub fn passed(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter().filter(|it| it.role == Role::Passed)
    }

    /// The nodes that would take the key if the owner could not, in order.
    pub fn next(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter().filter(|it| it.role == Role::Next)
    }

    /// What layers say, by name: the epoch of a cluster, the rule of bounded loads.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &str)> {
        let notes = self.notes.iter();
        notes.map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The router's description.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The router's fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

/// The ids of these slots, those in use.
fn ids(members: &Members, slots: impl IntoIterator<Item = Slot>) -> Vec<NodeId> {
    let slots = slots.into_iter();
    let id = |slot| Some(members.get(slot)?.id().clone());
    slots.filter_map(id).collect()
}

/// A position as a number of any width.
fn shown<P: Position>(position: P) -> HashValue {
    HashValue::of(position)
}
