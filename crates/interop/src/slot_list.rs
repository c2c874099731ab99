//! [`SlotList`]: the router of systems that index a list, in which a node may stand several times.

use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;

use keyroute_core::{
    Description, EntryPlace, Explanation, MAX_POINTS, MemberOrder, Members, Node, Place, Rebuild,
    RouteError, Router, Slot,
};

/// How a system fills its list and finds a key's place in it.
pub trait SlotRule {
    /// The preset's name and revision.
    const NAME: &'static str;
    /// Which order of the nodes decides.
    const ORDER: MemberOrder;

    /// The list of these nodes.
    ///
    /// # Errors
    ///
    /// What the system refuses, and [`RouteError::TooManyPoints`] for over 2^24 entries.
    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError>;

    /// A key's place in a list of so many entries, at least one: a number below that.
    fn place(&self, key: &[u8], entries: u32) -> u32;

    /// What is made of a key's digest, for explanations.
    const RULE: &'static str = "the remainder of the digest";

    /// The explanation with the key's digest.
    fn hashed(&self, why: Explanation, key: &[u8]) -> Explanation;

    /// Says what else decides an answer.
    fn describe(&self, to: &mut Description);
}

/// A list of nodes, each standing in it once or several times, and a rule for a key's place: modulo and its
/// like. **Nearly every change moves most keys.** Nodes come and go by
/// [`rebuild`](keyroute_core::Rebuild).
///
/// Cost: a lookup is a hash and a load; memory 4 bytes an entry.
#[derive(Clone)]
pub struct SlotList<R> {
    rule: R,
    members: Members,
    entries: Vec<Slot>,
}

impl<R: SlotRule> SlotList<R> {
    /// These nodes under this rule.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::TooManyPoints`] for
    /// over 2^24 entries, and what the system refuses.
    pub fn new(rule: R, nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        let members = Members::from_nodes(nodes)?;
        let entries = rule.fill(&members)?;
        Ok(Self {
            rule,
            members,
            entries,
        })
    }

    /// The list: who stands in each place.
    #[must_use]
    pub fn entries(&self) -> &[Slot] {
        &self.entries
    }
}

/// Each of these slots as often as `times` says.
pub(crate) fn repeated(
    members: &Members,
    order: impl IntoIterator<Item = Slot>,
    times: impl Fn(&Node) -> u32,
) -> Result<Vec<Slot>, RouteError> {
    let entries = members
        .iter()
        .map(|(_, node)| u64::from(times(node)))
        .fold(0, u64::saturating_add);
    check_entries(entries)?;
    let mut list = Vec::new();
    for slot in order {
        if let Some(node) = members.get(slot) {
            list.extend((0..times(node)).map(|_| slot));
        }
    }
    Ok(list)
}

/// Refuses a list or a ring of more entries than a router may hold.
pub(crate) fn check_entries(entries: u64) -> Result<(), RouteError> {
    if entries > MAX_POINTS {
        return Err(RouteError::TooManyPoints {
            points: entries,
            points_per_weight: None,
        });
    }
    Ok(())
}

impl<R: SlotRule> Router for SlotList<R> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        // At most MAX_POINTS entries; without one there is no place to ask for.
        let entries = u32::try_from(self.entries.len()).ok().filter(|&n| n > 0)?;
        let place = self.rule.place(key, entries);
        self.entries.get(place as usize).copied() // u32 fits
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new(R::NAME, R::ORDER);
        self.rule.describe(&mut description);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.entries.capacity() * size_of::<Slot>()
    }

    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let why = self.rule.hashed(Explanation::of(self, key), key);
        let entries = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let Some(owner) = why.owner() else {
            return why;
        };
        let place = EntryPlace {
            name: "place",
            number: self.rule.place(key, entries).into(),
            of: entries.into(),
            rule: R::RULE.into(),
            digests: None,
            owned: None,
        };
        let entries = self.entries.iter().copied();
        why.placed(Place::Entry(place.owned_by(owner, entries)))
    }
}

impl<R: SlotRule> Rebuild for SlotList<R> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        let members = Members::from_nodes(nodes.iter().cloned())?;
        self.entries = self.rule.fill(&members)?;
        self.members = members;
        Ok(())
    }
}

impl<R: SlotRule> fmt::Debug for SlotList<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotList")
            .field("rule", &R::NAME)
            .field("entries", &self.entries.len())
            .field("members", &self.members)
            .finish()
    }
}
