//! Faults of explanations: lookups are right.

use keyroute_core::{
    ArcPlace, Contender, Explanation, HashValue, OwnedRange, Place, Role, RouteDigest, Router,
    hash_fn,
};

use crate::fault::{Fault, Mutant};

/// The key without its end.
pub(crate) struct ExplainsAnotherKey;

impl Fault for ExplainsAnotherKey {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let most = key.len().saturating_sub(1);
        it.ring.explain_with(&key[..most], next)
    }
}

/// One without the last node.
pub(crate) struct ExplainsAnotherRouter;

impl Fault for ExplainsAnotherRouter {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let mut other = it.ring.clone();
        if let Some(node) = it.members().listed_nodes().last() {
            let _ = other.remove(node.id().as_str());
        }
        it.ring.explain_with(key, next).under(&other)
    }
}

/// The first member, whoever owns the key.
pub(crate) struct NamesTheFirst;

impl Fault for NamesTheFirst {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let first = it.members().by_id().next();
        let first = first.and_then(|slot| Contender::new(it.members(), slot, Role::Owner));
        it.ring.explain_with(key, next).contended(first)
    }
}

/// So many nodes behind the owner, and one.
pub(crate) struct NamesOneTooMany;

impl Fault for NamesOneTooMany {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        it.ring.explain_with(key, next + 1)
    }
}

/// Sorts what has an order.
pub(crate) struct NamesNextById;

impl Fault for NamesNextById {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let why = it.ring.explain_with(key, next);
        let mut sorted = why.contenders().to_vec();
        sorted.sort_by(|a, b| {
            (a.role != Role::Owner, &a.node).cmp(&(b.role != Role::Owner, &b.node))
        });
        why.contended(sorted)
    }
}

/// The length.
pub(crate) struct ShowsAnotherHash;

impl Fault for ShowsAnotherHash {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let hasher = hash_fn(|key| key.len() as u64);
        it.ring
            .explain_with(key, next)
            .hashed(&hasher, key.len() as u64)
    }
}

/// The explanation with another arc.
fn with_arc(why: Explanation, change: impl FnOnce(&mut ArcPlace)) -> Explanation {
    let mut place = why.place().clone();
    if let Place::Arc(arc) = &mut place {
        change(arc);
    }
    why.placed(place)
}

fn word(at: HashValue) -> u64 {
    u64::try_from(at.value()).unwrap_or_default() // its width is 64
}

/// Begins one position early, on the end of the arc before.
pub(crate) struct ShiftsTheArc;

impl Fault for ShiftsTheArc {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        with_arc(it.ring.explain_with(key, next), |arc| {
            let before = |at| HashValue::of(word(at).wrapping_sub(1));
            (arc.after, arc.through) = (before(arc.after), before(arc.through));
        })
    }
}

/// The arc that the digest's opposite lies in.
pub(crate) struct NamesTheNextArc;

impl Fault for NamesTheNextArc {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let opposite = it.ring.digest(key).value() ^ 1 << 63;
        with_arc(it.ring.explain_with(key, next), |arc| {
            (arc.after, arc.through) = (
                HashValue::of(opposite.wrapping_sub(1)),
                HashValue::of(opposite),
            );
        })
    }
}

/// The arc's part of the ring, not the node's.
pub(crate) struct CountsOneArc;

impl Fault for CountsOneArc {
    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        let Some(owner) = it.ring.route(key) else {
            return it.ring.explain_with(key, next);
        };
        with_arc(it.ring.explain_with(key, next), |arc| {
            let range = OwnedRange {
                after: word(arc.after),
                through: word(arc.through),
                owner,
            };
            arc.owned = range.share();
        })
    }
}
