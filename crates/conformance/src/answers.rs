//! [`Answers`]: what a router says, to be compared with what it says later or what another says.
//!
//! All of it works on `dyn Router`, so that it is compiled once.

use std::fmt;

use keyroute_core::{Description, Fingerprint, Node, NodeId, Router, Slot, Walk};

use crate::violation::ensure;
use crate::{Verdict, Violation};

/// All that a router's users can see, for these keys. Slots are left out: they are not identities.
pub(crate) struct Answers<'k> {
    keys: &'k [Vec<u8>],
    owners: Vec<Owner>,
    members: Vec<Node>,
    description: Description,
    fingerprint: Fingerprint,
}

impl<'k> Answers<'k> {
    pub(crate) fn of(router: &dyn Router, keys: &'k [Vec<u8>]) -> Self {
        Self {
            keys,
            owners: keys.iter().map(|key| Owner::of(router, key)).collect(),
            members: members(router),
            description: router.describe(),
            fingerprint: router.fingerprint(),
        }
    }

    /// The router must answer so too: keys, members, description, fingerprint.
    pub(crate) fn must_equal(&self, other: &dyn Router, when: &str) -> Verdict {
        if let Some(moved) = self.moves(other).next() {
            return Err(moved.violation(when));
        }
        let members = members(other);
        ensure!(
            members == self.members,
            "{when}, the members are {members:?}, not {:?}",
            self.members
        );
        let description = other.describe();
        if let Some(difference) = self.description.differences(&description).first() {
            return Err(Violation::new(format!(
                "{when}, the description differs: {difference}"
            )));
        }
        let fingerprint = other.fingerprint();
        ensure!(
            fingerprint == self.fingerprint,
            "{when}, the fingerprint is {fingerprint}, not {}",
            self.fingerprint
        );
        Ok(())
    }

    /// The keys whose owner the other router names differently.
    pub(crate) fn moves<'a>(&'a self, other: &'a dyn Router) -> impl Iterator<Item = Move<'a>> {
        self.keys
            .iter()
            .zip(&self.owners)
            .filter_map(|(key, from)| {
                let to = Owner::of(other, key);
                (to != *from).then_some(Move {
                    key,
                    from: from.clone(),
                    to,
                })
            })
    }
}

/// A key that two routers, or one before and after, give to different nodes.
pub(crate) struct Move<'a> {
    key: &'a [u8],
    pub(crate) from: Owner,
    pub(crate) to: Owner,
}

impl Move<'_> {
    pub(crate) fn violation(&self, when: &str) -> Violation {
        let (key, from, to) = (shown(self.key), &self.from, &self.to);
        Violation::new(format!("{when}, key {key} moved from {from} to {to}"))
    }
}

/// Who owns a key, by id.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    Nobody,
    Member(NodeId),
    /// A slot that holds no member: never right.
    Ghost(Slot),
}

impl Owner {
    pub(crate) fn of(router: &dyn Router, key: &[u8]) -> Self {
        match router.route(key) {
            None => Self::Nobody,
            Some(slot) => match router.members().get(slot) {
                None => Self::Ghost(slot),
                Some(node) => Self::Member(node.id().clone()),
            },
        }
    }

    pub(crate) fn is(&self, node: &Node) -> bool {
        matches!(self, Self::Member(id) if id == node.id())
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody => write!(f, "nobody"),
            Self::Member(id) => write!(f, "{id:?}"),
            Self::Ghost(slot) => write!(f, "slot {slot}, which holds no member"),
        }
    }
}

/// The members by id.
pub(crate) fn members(router: &dyn Router) -> Vec<Node> {
    let mut nodes: Vec<Node> = router
        .members()
        .iter()
        .map(|(_, node)| node.clone())
        .collect();
    nodes.sort();
    nodes
}

/// The key's whole walk, by ids.
pub(crate) fn walk(router: &dyn Walk, key: &[u8]) -> Result<Vec<NodeId>, Violation> {
    let mut ids = Vec::new();
    // A walk that repeats nodes may never end.
    let most = 4 * router.members().len() + 4;
    let mut stranger = None;
    router.walk(key, &mut |slot| {
        match router.members().get(slot) {
            Some(node) => ids.push(node.id().clone()),
            None => stranger = Some(slot),
        }
        if stranger.is_some() || ids.len() > most {
            std::ops::ControlFlow::Break(())
        } else {
            std::ops::ControlFlow::Continue(())
        }
    });
    match stranger {
        Some(slot) => Err(Violation::new(format!(
            "the walk of key {} visits {slot:?}, which holds no member",
            shown(key)
        ))),
        None => Ok(ids),
    }
}

/// A key as it is printed: quoted, bytes that are not printable ASCII escaped, long keys cut.
pub(crate) fn shown(key: &[u8]) -> String {
    const MOST: usize = 80;
    if key.len() <= MOST {
        format!("\"{}\"", key.escape_ascii())
    } else {
        format!("\"{}…\" of {} bytes", key[..MOST].escape_ascii(), key.len())
    }
}
