//! Routers say why a key goes where it goes, and say what they do.
//!
//! An explanation costs far more than a lookup, so each case asks for one key in five.

use keyroute_core::{
    HashValue, OwnedRange, Place, Position, Ranges, RouteDigest, Router, Slot, Walk,
};

use crate::answers::shown;
use crate::violation::ensure;
use crate::{Case, Subject, Verdict};

fn keys(case: &Case) -> impl Iterator<Item = &Vec<u8>> {
    case.keys.iter().step_by(5)
}

/// An explanation is of the key that was asked for and names its owner and the router's fingerprint, in a box too.
///
/// # Errors
///
/// The violation.
pub fn an_explanation_names_the_owner<R: Router>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        for nodes in [&case.nodes[..], &[]] {
            let router = subject.make(nodes)?;
            for key in keys(case) {
                let why = router.explain(key);
                ensure!(
                    why.key() == key.as_slice(),
                    "the explanation of key {} is of key {}",
                    shown(key),
                    shown(why.key())
                );
                let (owner, id) = (router.route(key), router.route_id(key));
                ensure!(
                    why.owner() == owner && why.owner_id() == id,
                    "key {} goes to {owner:?}, {id:?}, and is said to be on {:?}, {:?}",
                    shown(key),
                    why.owner(),
                    why.owner_id()
                );
                let fingerprint = router.fingerprint();
                ensure!(
                    why.fingerprint() == fingerprint,
                    "key {} is explained under the fingerprint {}, the router's is {fingerprint}",
                    shown(key),
                    why.fingerprint()
                );
                let text = why.to_string();
                ensure!(
                    text.lines().count() == text.split('\n').count() - 1
                        && text.starts_with("key \""),
                    "the text of key {} is no list of lines: {text:?}",
                    shown(key)
                );
                let boxed: &dyn Router = &&router;
                ensure!(
                    boxed.explain(key) == why,
                    "behind a pointer key {} is explained otherwise",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// The nodes of an explanation, those passed over aside, begin the key's walk: as many as were asked for, or the
/// owner alone where a router names no next ones.
///
/// # Errors
///
/// The violation.
pub fn an_explanation_follows_the_walk<R: Walk>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in keys(case) {
            let mut walk: Vec<Slot> = Vec::new();
            router.walk(key, &mut |slot| {
                walk.push(slot);
                core::ops::ControlFlow::Continue(())
            });
            for next in [0, 1, 3, case.nodes.len()] {
                let why = router.explain_with(key, next);
                let named: Vec<Slot> = why
                    .owner()
                    .into_iter()
                    .chain(why.next().map(|it| it.slot))
                    .collect();
                let expected = &walk[..walk.len().min(next + 1)];
                ensure!(
                    named == expected || named.len() == 1 && named.first() == walk.first(),
                    "the walk of key {} begins with {expected:?}, its explanation names {named:?}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// The digest that an explanation shows is the key's.
///
/// # Errors
///
/// The violation.
pub fn an_explanation_shows_the_digest<R: RouteDigest>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for key in keys(case) {
            let (digest, why) = (
                HashValue::of(router.digest(key).value()),
                router.explain(key),
            );
            ensure!(
                why.digest().is_none_or(|shown| shown == digest),
                "the digest of key {} is {digest}, and {:?} is shown",
                shown(key),
                why.digest()
            );
        }
        Ok(())
    })
}

/// The arc, or the entry, that an explanation names holds the key's digest and is part of a range of its node; and the
/// node owns as much of all digests as is said.
///
/// # Errors
///
/// The violation.
pub fn an_explained_place_holds_the_key<R>(subject: &Subject<R>) -> Verdict
where
    R: Ranges + RouteDigest<Width = <R as Ranges>::Width>,
{
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let ranges = router.ranges();
        for key in keys(case) {
            let (value, why) = (router.digest(key).value(), router.explain(key));
            let Some((before, last)) = ends(why.place()) else {
                continue;
            };
            let home = why.weighed().map(|weighed| weighed.node.clone());
            let range = ranges.iter().find(|range| range.contains(value));
            let owner = range.and_then(|range| router.members().get(range.owner));
            ensure!(
                owner.map(|node| node.id()) == home.as_ref(),
                "key {} is said to be at the place of {home:?}, its range is owned by {owner:?}",
                shown(key)
            );
            let is_part = range.is_some_and(|range| is_part(range, before, value.widen(), last));
            ensure!(
                is_part,
                "key {}, at {value:x}, is said to stand after {before:x}, up to {last:x}; its range is {range:x?}",
                shown(key)
            );
            let own = ranges.iter().filter(|other| range.is_some_and(|range| range.owner == other.owner));
            let share: f64 = own.map(OwnedRange::share).sum();
            let said = why.place().owned();
            ensure!(
                // Entries of a table are as even as whole digests allow.
                said.is_some_and(|said| (said - share).abs() < 1e-6),
                "the node of key {} owns {share} of all digests, and is said to own {said:?}",
                shown(key)
            );
        }
        Ok(())
    })
}

/// The last position before a place, and its last one.
fn ends(place: &Place) -> Option<(u128, u128)> {
    match place {
        Place::Arc(arc) => Some((arc.after.value(), arc.through.value())),
        Place::Entry(entry) => {
            let [first, last] = entry.digests?;
            let mask = u128::MAX >> (128 - first.bits());
            Some((first.value().wrapping_sub(1) & mask, last.value()))
        }
        _ => None,
    }
}

/// Whether the stretch after `before`, through `last`, holds the position and lies in the range.
fn is_part<P: Position>(range: &OwnedRange<P>, before: u128, at: u128, last: u128) -> bool {
    let mask = u128::MAX >> (128 - P::BITS);
    // How far from the first position of the range.
    let first = range.after.widen().wrapping_add(1);
    let from = |position: u128| position.wrapping_sub(first) & mask;
    let (begin, at, last) = (from(before.wrapping_add(1)), from(at), from(last));
    begin <= at && at <= last && last <= from(range.through.widen())
}
