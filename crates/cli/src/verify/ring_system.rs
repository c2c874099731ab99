//! [`RingSystem`]: systems that are one of our rings under their scheme.

use keyroute::{Position, RouteDigest, Scheme, TieOrder, VectorRing};
use serde_json::Value;

use super::document::Key;
use super::labelled_ring::name_of;
use super::replay::System;
use super::report::Unusable;

/// A ring that is not changed while it is asked. Systems whose nodes come and go are
/// [`NamedNodes`](super::named_nodes::NamedNodes).
pub(crate) struct RingSystem<S: Scheme>(pub(crate) VectorRing<S>);

impl<S: Scheme> System for RingSystem<S> {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(name_of(self.0.members(), self.0.route(key.bytes()?)))
    }

    fn points(&self) -> Result<Option<Vec<(u128, String)>>, Unusable> {
        points(&self.0).map(Some)
    }

    fn locate(&self, key: &[u8]) -> Option<u128> {
        Some(self.0.digest(key).value().widen())
    }
}

/// All points of a ring with their owners' names, in the order of the ring.
pub(crate) fn points<S: Scheme>(ring: &VectorRing<S>) -> Result<Vec<(u128, String)>, Unusable> {
    let members = ring.members();
    let mut points = ring.scheme().fleet_points(members)?;
    points.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| S::Ties::cmp(members, a.1, b.1)));
    let named = points.into_iter().filter_map(|(position, slot)| {
        Some((position.widen(), members.get(slot)?.id().to_string()))
    });
    Ok(named.collect())
}
