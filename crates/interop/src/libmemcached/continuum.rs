//! [`Continuum`]: the ring.

use alloc::vec::Vec;

use keyroute_core::{
    AtOrAfter, Description, FirstListed, KeyHasher, Members, RouteError, Scheme, Slot,
};

use super::KeyHash;
use super::address::Address;
use crate::hash::MemcachedHash;
use crate::label_points::{labelled, md5_points};
use crate::share::Fleet;

/// Points of a server on a ring without weights.
const POINTS: u64 = 100;

/// The ring of libmemcached: `libmemcached/1`.
///
/// A node's id is its address, `host:port`; without a port that is 11211. IPv6 stands in brackets. A path
/// is a unix socket added with the call for sockets; write `/path:11211` for one added with the ordinary
/// call, as PHP does.
///
/// - **Labels** are `host-i` on port 11211 and `host:port-i` on others; under [`spy`](Self::spy)
///   `/host:port-i` on all. IPv6 loses its brackets; a socket has port 0.
/// - **With weights**, the four words of MD5 of as many labels as a share in single precision gives: 160
///   points at equal weights, but 156 at n = 25, 47, 50 and others. **A share under one label is none**,
///   silently.
/// - **Without**, 100 labels a server and one point each, by the hash of points; weights are ignored.
/// - **Ties** go to the server added first (1.0.x left that to its sort). A key on a point is that point's.
/// - Since shares depend on all servers, **adding one moves keys between the others**.
/// - Over 100 servers Debian's build of 1.1.4 aborts on an assertion. 1.0.16 and this do not.
///
/// Source: 1.1.4, `hosts.cc`, `hash.cc`, `behavior.cc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuum {
    spy: bool,
    weighted: bool,
    point_hash: MemcachedHash,
    key_hash: KeyHash,
}

impl Continuum {
    /// `KETAMA=1`, whatever the weights: points and keys by this hash.
    ///
    /// # Errors
    ///
    /// As [`KeyHash::new`].
    pub fn ketama(hash: MemcachedHash) -> Result<Self, RouteError> {
        Ok(Self {
            spy: false,
            weighted: false,
            point_hash: hash,
            key_hash: KeyHash::new(hash)?,
        })
    }

    /// `KETAMA_WEIGHTED=1`: points and keys by MD5, shares by weight.
    #[must_use]
    pub fn ketama_weighted() -> Self {
        Self {
            spy: false,
            weighted: true,
            point_hash: MemcachedHash::Md5,
            key_hash: KeyHash::MD5,
        }
    }

    /// With weights, and so points by MD5; keys stay with their hash: `DISTRIBUTION=CONSISTENT_WEIGHTED`,
    /// or a server of weight over 1 added to a ring.
    #[must_use]
    pub fn with_weights(mut self) -> Self {
        self.weighted = true;
        self
    }

    /// `DISTRIBUTION=KETAMA_SPY`: spymemcached's labels with a slash in front, which spymemcached itself
    /// leaves out for IP literals.
    #[must_use]
    pub fn spy(mut self) -> Self {
        self.spy = true;
        self
    }

    /// Keys hashed so, and points as before: `HASH` set once the servers were added, or with weights.
    #[must_use]
    pub fn with_key_hash(mut self, key_hash: KeyHash) -> Self {
        self.key_hash = key_hash;
        self
    }

    /// How many labels a server has.
    fn labels(&self, fleet: Fleet, weight: u32) -> u64 {
        if self.weighted {
            fleet.in_singles(weight)
        } else {
            POINTS
        }
    }
}

impl Scheme for Continuum {
    type Position = u32;
    type Hasher = KeyHash;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;

    fn hasher(&self) -> &KeyHash {
        &self.key_hash
    }

    fn name(&self) -> &'static str {
        "libmemcached/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("labels", if self.spy { "spy" } else { "ketama" });
        if self.weighted {
            to.field("points", "md5 words by weight");
        } else {
            to.field("points", "100 by hash");
            to.hasher("point hash", &self.point_hash);
        }
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        let points = if self.weighted { 4 } else { 1 };
        members
            .iter()
            .map(|(_, node)| {
                self.labels(fleet, node.weight().get())
                    .saturating_mul(points)
            })
            .fold(0, u64::saturating_add)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let base = Address::of(node.id())?.label(self.spy);
            let labels = self.labels(fleet, node.weight().get());
            if self.weighted {
                points.extend(md5_points(&base, labels).map(|point| (point, slot)));
            } else {
                let by_hash = labelled(&base, '-', labels, |label| [self.point_hash.hash(label)]);
                points.extend(by_hash.map(|point| (point, slot)));
            }
        }
        Ok(points)
    }
}
