//! Faults of digests.

use keyroute_core::{HasherTag, KeyDigest, RouteDigest, RouteError, Slot};

use crate::fault::{Fault, Mutant};

/// Hashes the key and a NUL.
pub(crate) struct DigestsAnotherWay;

impl Fault for DigestsAnotherWay {
    fn digest(it: &Mutant<Self>, key: &[u8]) -> u64 {
        it.ring.digest(&[key, b"\0"].concat()).value()
    }
}

/// The third and the fourth answer in each other's place.
pub(crate) struct SwapsTwoDigests;

impl Fault for SwapsTwoDigests {
    fn route_digests(
        it: &Mutant<Self>,
        tag: HasherTag,
        values: &[u64],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        it.ring.route_digests(tag, values, out)?;
        if out.len() > 3 {
            out.swap(2, 3);
        }
        Ok(())
    }
}

/// Stops at the shorter of both.
pub(crate) struct AnswersWhatFits;

impl Fault for AnswersWhatFits {
    fn route_digests(
        it: &Mutant<Self>,
        tag: HasherTag,
        values: &[u64],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        let fits = values.len().min(out.len());
        it.ring
            .route_digests(tag, &values[..fits], &mut out[..fits])
    }
}

/// A number is a number.
pub(crate) struct TakesForeignDigests;

impl Fault for TakesForeignDigests {
    fn route_digest(it: &Mutant<Self>, digest: KeyDigest<u64>) -> Result<Option<Slot>, RouteError> {
        Ok(it.ring.route_value(digest.value()))
    }
}

/// Checks single ones, not batches.
pub(crate) struct TakesForeignBatches;

impl Fault for TakesForeignBatches {
    fn route_digests(
        it: &Mutant<Self>,
        _tag: HasherTag,
        values: &[u64],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        it.ring.route_digests(it.ring.hasher_tag(), values, out)
    }
}
