//! Routers that need only a key's digest.

use keyroute_core::{HasherTag, KeyDigest, RouteDigest, RouteError, Slot};

use crate::answers::shown;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// A key's digest goes where the key goes, by way of its value or its tagged value.
///
/// # Errors
///
/// The violation.
pub fn a_digest_goes_where_its_key_goes<R: RouteDigest>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        for nodes in [&case.nodes[..], &[]] {
            let router = subject.make(nodes)?;
            for key in &case.keys {
                let digest = router.digest(key);
                let (slot, value, tagged) = (
                    router.route(key),
                    router.route_value(digest.value()),
                    router.route_digest(digest)?,
                );
                ensure!(
                    value == slot && tagged == slot,
                    "key {} goes to {slot:?}, its digest to {tagged:?}, the value to {value:?}",
                    shown(key)
                );
            }
        }
        Ok(())
    })
}

/// A batch of digests gives what single ones give; one with more or fewer places is refused.
///
/// # Errors
///
/// The violation.
pub fn a_batch_of_digests_equals_single_ones<R: RouteDigest>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let tag = router.hasher_tag();
        let values: Vec<_> = case
            .keys
            .iter()
            .map(|key| router.digest(key).value())
            .collect();
        let mut out = vec![Slot::new(77); values.len()];
        router.route_digests(tag, &values, &mut out)?;
        for ((key, &value), slot) in case.keys.iter().zip(&values).zip(out) {
            let single = router.route_value(value);
            ensure!(
                slot == single,
                "the digest of key {} goes to {single:?} alone and to {slot:?} in a batch",
                shown(key)
            );
        }
        let mut short = vec![None; values.len() - 1];
        let refusal = router.route_digests(tag, &values, &mut short);
        ensure!(
            matches!(refusal, Err(RouteError::BatchLength { .. })),
            "a batch of digests with too few places gives {refusal:?}"
        );
        Ok(())
    })
}

/// A digest that another hasher made is refused, alone and in a batch, which writes nothing.
///
/// # Errors
///
/// The violation.
pub fn a_foreign_digest_is_refused<R: RouteDigest>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let expected = router.hasher_tag();
        let found = HasherTag::of(&|bytes: &[u8]| {
            bytes
                .iter()
                .fold(9u64, |sum, &b| 3 * sum % 997 + u64::from(b))
        });
        let foreign = Err(RouteError::ForeignDigest { expected, found });
        for key in &case.keys {
            let digest = router.digest(key);
            ensure!(
                digest.tag() == expected,
                "the digest of key {} has the tag {}, the router {expected}",
                shown(key),
                digest.tag()
            );
            let refusal = router.route_digest(KeyDigest::new(found, digest.value()));
            ensure!(
                refusal == foreign,
                "a foreign digest of key {} gives {refusal:?}",
                shown(key)
            );
        }
        let mark = Slot::new(77);
        let mut out = [mark];
        let refusal = router.route_digests(found, &[router.digest(b"").value()], &mut out);
        ensure!(
            refusal == foreign.map(|_: Option<Slot>| ()),
            "a batch of foreign digests gives {refusal:?}"
        );
        ensure!(out == [mark], "a refused batch of digests wrote {out:?}");
        Ok(())
    })
}
