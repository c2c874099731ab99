//! [`RingHash`]: `RING_HASH`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use keyroute_core::hash::Xxh64;
use keyroute_core::{
    AtOrAfter, Description, Edge, Explanation, FirstListed, KeyHasher, MAX_POINTS, Members,
    PointTable, RouteDigest, RouteError, Router, Scheme, Slot, SlotSet, Walk,
};
use keyroute_vector_ring::VectorRing;

use super::cluster::{Cluster, double};

/// `hash_function`: where points stand. Keys are hashed by XXH64 under both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashFunction {
    /// `XX_HASH`: XXH64 with seed 0.
    #[default]
    XxHash,
    /// `MURMUR_HASH_2`: MurmurHash64A with seed 0xC70F6907, as libstdc++'s `std::hash` has it.
    Murmur2,
}

impl HashFunction {
    /// Its name in a configuration.
    fn name(self) -> &'static str {
        match self {
            Self::XxHash => "XX_HASH",
            Self::Murmur2 => "MURMUR_HASH_2",
        }
    }

    fn hash(self, bytes: &[u8]) -> u64 {
        match self {
            Self::XxHash => Xxh64::default().hash(bytes),
            Self::Murmur2 => murmur2::murmur64a(bytes, 0xc70f_6907),
        }
    }
}

/// `minimum_ring_size` and `maximum_ring_size`: 1024 and 8,388,608 unless said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingSizes {
    /// About how many points there are at least: the host of the least weight has a whole number of them.
    pub minimum: u64,
    /// About how many there are at most.
    pub maximum: u64,
}

impl Default for RingSizes {
    fn default() -> Self {
        Self {
            minimum: 1024,
            maximum: 8_388_608,
        }
    }
}

/// The greatest `maximum_ring_size`.
const MAX_RING_SIZE: u64 = 8_388_608;

/// Envoy's ring.
///
/// Point i of a host is the hash of `KEY_i`; the first point at or after the XXH64 of the key serves it. A host
/// has points by its share of a scale, which the host of the least weight sets; sums run over all hosts in their
/// order, in doubles, so that equal hosts can differ by a point, and hosts can have none. Points of two hosts at one
/// position are left to an unstable sort; here the host listed first has it.
///
/// Cost: a lookup is a hash and a binary search; building sorts the points, 12 bytes each.
#[derive(Clone, Debug)]
pub struct RingHash {
    ring: VectorRing<Points>,
}

impl RingHash {
    /// A ring over this cluster.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a minimum over the maximum, or a maximum over 8,388,608, both of which Envoy
    /// refuses, and for a minimum of 0, which it takes for none.
    pub fn new(
        cluster: &Cluster,
        sizes: RingSizes,
        function: HashFunction,
    ) -> Result<Self, RouteError> {
        if sizes.minimum == 0 || sizes.minimum > sizes.maximum || sizes.maximum > MAX_RING_SIZE {
            return Err(RouteError::Parameter {
                name: "ring sizes",
                given: alloc::format!("{} to {}", sizes.minimum, sizes.maximum),
                accepted: "1 to the maximum, which is at most 8388608",
            });
        }
        let points = Points {
            cluster: cluster.clone(),
            sizes,
            function,
        };
        let members = &cluster.members;
        let hosts = members.listed();
        let hosts = hosts
            .into_iter()
            .filter_map(|slot| members.get(slot).cloned());
        Ok(Self {
            ring: VectorRing::from_nodes_with(points, hosts)?,
        })
    }

    /// The ring itself.
    #[must_use]
    pub fn ring(&self) -> &VectorRing<Points> {
        &self.ring
    }

    /// The host for a request hash that was made otherwise ([`RequestHash`](super::RequestHash)).
    #[must_use]
    pub fn route_hash(&self, hash: u64) -> Option<Slot> {
        self.ring.route_value(hash)
    }

    /// The host of selection number `attempt`, from 0, under a retry host predicate: each further attempt
    /// takes the next point, which may be the same host's again.
    #[must_use]
    pub fn retry(&self, hash: u64, attempt: usize) -> Option<Slot> {
        let points = self.ring.points();
        let mut ahead = self.ring.table().forward(hash, Edge::Inclusive);
        let (_, slot) = ahead.nth(attempt.checked_rem(points)?)?;
        Some(slot)
    }
}

impl Router for RingHash {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.ring.route(key)
    }

    fn members(&self) -> &Members {
        self.ring.members()
    }

    fn describe(&self) -> Description {
        self.ring.describe()
    }

    fn heap_bytes(&self) -> usize {
        self.ring.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.ring.explain_with(key, next)
    }
}

impl Walk for RingHash {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> core::ops::ControlFlow<()>,
    ) {
        self.ring.walk_with(key, seen, visit);
    }
}

/// Where Envoy puts its points.
#[derive(Clone, Debug)]
pub struct Points {
    cluster: Cluster,
    sizes: RingSizes,
    function: HashFunction,
}

impl Points {
    /// How many points each host has, in their order.
    fn counts(&self) -> Vec<u64> {
        let shares = &self.cluster.shares;
        let least = shares
            .iter()
            .fold(1.0, |least: f64, host| least.min(host.weight));
        let scale =
            (ceil(least * double(self.sizes.minimum)) / least).min(double(self.sizes.maximum));
        let (mut current, mut target) = (0.0, 0.0);
        shares
            .iter()
            .map(|host| {
                target += scale * host.weight;
                let mut count = 0;
                while current < target {
                    count += 1;
                    current += 1.0;
                }
                count
            })
            .collect()
    }
}

/// The least whole number that is no less. The argument is from 0 to 2^23.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to 2^23; there is no `ceil` without std"
)]
fn ceil(number: f64) -> f64 {
    let whole = double(number as u64);
    if whole < number { whole + 1.0 } else { whole }
}

impl Scheme for Points {
    type Position = u64;
    type Hasher = Xxh64;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;

    fn hasher(&self) -> &Xxh64 {
        &Xxh64 { seed: 0 }
    }

    fn name(&self) -> &'static str {
        "envoy/ring-hash/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("minimum_ring_size", self.sizes.minimum);
        to.field("maximum_ring_size", self.sizes.maximum);
        to.field("hash_function", self.function.name());
        self.cluster.describe(to);
    }

    fn count(&self, members: &Members) -> u64 {
        if members.is_empty() {
            return 0;
        }
        // The sizes bound it; the sum of the shares is 1 but for rounding.
        self.sizes.maximum.min(MAX_POINTS)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u64, Slot)>, RouteError> {
        let mut points = Vec::new();
        let mut label = String::new();
        let hosts = self.cluster.shares.iter().zip(members.listed());
        for ((host, slot), count) in hosts.zip(self.counts()) {
            for index in 0..count {
                label.clear();
                label.push_str(&host.key);
                // Writing to a text does not fail.
                let _ = write!(label, "_{index}");
                points.push((self.function.hash(label.as_bytes()), slot));
            }
        }
        if points.is_empty() && !members.is_empty() {
            return Err(RouteError::Parameter {
                name: "maximum_ring_size",
                given: self.sizes.maximum.to_string(),
                accepted: "sizes that give some host a point",
            });
        }
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use keyroute_core::{Edge, PointTable, Router};

    use super::{HashFunction, RingHash, RingSizes};
    use crate::envoy::{Cluster, Host, Locality};

    fn cluster(weights: &[u32]) -> Cluster {
        let hosts = weights.iter().zip(1..).map(|(&weight, number)| {
            let host = Host::new(alloc::format!("10.0.0.{number}:80")).unwrap();
            host.with_weight(weight).unwrap()
        });
        Cluster::new(hosts).unwrap()
    }

    fn points(ring: &RingHash) -> Vec<(u64, &str)> {
        ring.ring
            .table()
            .forward(0, Edge::Inclusive)
            .map(|(point, slot)| (point, ring.members().get(slot).unwrap().id().as_str()))
            .collect()
    }

    #[test]
    fn points_stand_as_documented() {
        let sizes = RingSizes {
            minimum: 8,
            ..RingSizes::default()
        };
        let (a, b) = ("10.0.0.1:80", "10.0.0.2:80");
        let ring = RingHash::new(&cluster(&[1, 2]), sizes, HashFunction::XxHash).unwrap();
        assert_eq!(
            points(&ring),
            [
                (199_667_921_421_136_021, b),
                (1_744_051_470_726_137_489, a),
                (3_427_322_753_669_346_294, b),
                (4_409_844_978_069_837_358, b),
                (7_308_710_240_875_172_168, a),
                (8_104_747_467_494_260_863, b),
                (8_431_885_850_995_268_104, a),
                (10_441_506_188_794_307_846, b),
                (14_114_772_491_875_458_529, b),
            ]
        );
        for (key, host) in [(b"".as_slice(), b), (b"alpha", b), (b"user-1", b)] {
            assert_eq!(ring.route_id(key).unwrap(), host);
        }
        let ring = RingHash::new(&cluster(&[1, 2]), sizes, HashFunction::Murmur2).unwrap();
        let found = points(&ring);
        assert_eq!(
            found[..5],
            [
                (5_669_168_430_306_224_028, b),
                (6_888_113_857_166_800_644, a),
                (7_158_627_133_698_655_752, b),
                (8_437_940_819_752_621_927, b),
                (11_291_105_447_752_360_442, a),
            ]
        );
        assert_eq!(HashFunction::Murmur2.hash(b""), 6_142_509_188_972_423_790);
    }

    #[test]
    fn sums_are_kept_in_doubles() {
        let ring = |weights: &[u32], sizes| {
            RingHash::new(&cluster(weights), sizes, HashFunction::XxHash).unwrap()
        };
        // 14 points each and one over: the sum of the shares falls short of 1 by a bit.
        let equal = [1; 75];
        assert_eq!(ring(&equal, RingSizes::default()).ring.points(), 1051);
        let weights: Vec<u32> = (1..=20).collect();
        let sizes = RingSizes {
            minimum: 100,
            ..RingSizes::default()
        };
        assert_eq!(ring(&weights, sizes).ring.points(), 210);
        let few = RingSizes {
            minimum: 10,
            maximum: 10,
        };
        assert_eq!(ring(&equal, few).ring.points(), 11); // one more than the maximum
    }

    #[test]
    fn retries_take_the_next_point() {
        let sizes = RingSizes {
            minimum: 8,
            ..RingSizes::default()
        };
        let ring = RingHash::new(&cluster(&[1, 2]), sizes, HashFunction::XxHash).unwrap();
        let name = |attempt| {
            let slot = ring.retry(2_000_000_000_000_000_000, attempt).unwrap();
            ring.members().get(slot).unwrap().id().as_str()
        };
        let (a, b) = ("10.0.0.1:80", "10.0.0.2:80");
        assert_eq!([0, 1, 2, 7, 8, 9].map(name), [b, b, a, b, a, b]);
    }

    #[test]
    fn sizes_that_envoy_refuses_are_refused() {
        for (minimum, maximum) in [(0, 10), (11, 10), (1, 8_388_609)] {
            let sizes = RingSizes { minimum, maximum };
            assert!(RingHash::new(&cluster(&[1]), sizes, HashFunction::XxHash).is_err());
        }
    }

    #[test]
    fn shares_of_localities_are_multiplied_before_they_are_divided() {
        // Divided first, the last host would have two points.
        let mut hosts = Vec::new();
        for (region, locality_weight, weights) in [("a", 2, [4, 2, 4]), ("b", 1, [4, 3, 4])] {
            for (number, weight) in weights.into_iter().enumerate() {
                let locality = Locality {
                    region: region.into(),
                    ..Locality::default()
                };
                let host = Host::new(alloc::format!("{region}{number}:80")).unwrap();
                let host = host.with_weight(weight).unwrap();
                hosts.push(host.in_locality(locality, locality_weight));
            }
        }
        let points = super::Points {
            cluster: Cluster::by_locality(hosts, None, false).unwrap(),
            sizes: RingSizes {
                minimum: 8,
                ..RingSizes::default()
            },
            function: HashFunction::XxHash,
        };
        assert_eq!(points.counts(), [3, 2, 3, 1, 1, 1]);
    }
}
