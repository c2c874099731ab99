//! [`Backend`]: servers under a hash type.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::{
    Contender, Description, Edge, EntryPlace, Explanation, KeyHasher, MemberOrder, Members,
    Nearest, Node, Place, PointPlace, PointTable, Role, RouteError, Router, Slot, Weight,
};
use keyroute_vector_ring::VectorRing;

use super::points::POINTS;
use super::server::resolved_ids;
use super::{HashType, Method, Points, Server, map_based_table};

/// A backend that balances by hash. Its members are the servers that get keys: not disabled, of a weight over
/// 0, and no backups; or, if there are none such, the first usable backup, or all of them
/// ([`with_all_backups`](Self::with_all_backups)).
///
/// The answer is that for a key that is there: for an empty one HAProxy takes servers in turn.
///
/// Not kept of the laws of rings: order matters, since lines without `id` are known by their position; and
/// map-based backends move nearly all keys at each change.
///
/// Cost: a lookup is one hash and a binary search, or one division if map-based. Memory: 8 bytes a point, 16
/// points a unit of weight; or 4 bytes a slot, a slot a unit.
#[derive(Clone, Debug)]
pub struct Backend {
    hash_type: HashType,
    servers: Vec<Server>,
    table: Table,
}

#[derive(Clone, Debug)]
enum Table {
    Ring(VectorRing<Points>),
    Map { members: Members, slots: Vec<Slot> },
}

impl Backend {
    /// Servers in the order of the file.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] if two have one id, [`RouteError::AlreadyMember`] if two have one name.
    pub fn new(
        hash_type: HashType,
        servers: impl IntoIterator<Item = Server>,
    ) -> Result<Self, RouteError> {
        Self::of(hash_type, servers.into_iter().collect(), false)
    }

    /// The same under `option allbackups`: where only backups are usable, all of them get keys.
    ///
    /// ```
    /// use keyroute_interop::{Router, haproxy::{Backend, HashType, Server}};
    ///
    /// let lines = ["s1 10.0.0.1:80 disabled", "s2 10.0.0.2:80 backup", "s3 10.0.0.3:80 backup"];
    /// let servers = lines.map(|line| line.parse::<Server>().unwrap());
    /// let first = Backend::new(HashType::default(), servers.clone())?;
    /// let all = Backend::with_all_backups(HashType::default(), servers)?;
    /// assert_eq!((first.members().len(), all.members().len()), (1, 2));
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_all_backups(
        hash_type: HashType,
        servers: impl IntoIterator<Item = Server>,
    ) -> Result<Self, RouteError> {
        Self::of(hash_type, servers.into_iter().collect(), true)
    }

    fn of(
        hash_type: HashType,
        servers: Vec<Server>,
        all_backups: bool,
    ) -> Result<Self, RouteError> {
        let ids = resolved_ids(&servers)?;
        let in_use = in_use(&servers, all_backups);
        // Names must differ, whether the servers get keys or not.
        Members::from_nodes(
            servers
                .iter()
                .map(|server| Node::from(server.node_id().clone())),
        )?;
        let usable: Result<Vec<Node>, RouteError> = servers
            .iter()
            .zip(&in_use)
            .filter(|&(_, &in_use)| in_use)
            .map(|(server, _)| {
                let weight = Weight::new(server.weight())?;
                Ok(Node::from(server.node_id().clone()).with_weight(weight))
            })
            .collect();
        let table = match hash_type.method {
            Method::Consistent => {
                let bases: BTreeMap<_, _> = servers
                    .iter()
                    .zip(&ids)
                    .map(|(server, &id)| (server.node_id().clone(), server.base(id)))
                    .collect();
                let points = Points {
                    key: hash_type.key,
                    bases,
                };
                Table::Ring(VectorRing::from_nodes_with(points, usable?)?)
            }
            Method::MapBased => {
                let members = Members::from_nodes(usable?)?;
                let weights: Vec<u32> = servers.iter().map(Server::weight).collect();
                let slots = map_based_table(&weights, |place| in_use[place])
                    .into_iter()
                    .map(|place| members.find(servers[place].name()))
                    .collect::<Result<_, _>>()?;
                Table::Map { members, slots }
            }
        };
        Ok(Self {
            hash_type,
            servers,
            table,
        })
    }

    /// The line that says what is done with a key.
    #[must_use]
    pub fn hash_type(&self) -> HashType {
        self.hash_type
    }

    /// The servers as given.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The server for a hash that was made otherwise, as `balance source` does
    /// ([`KeyHash::of_number`](super::KeyHash::of_number)).
    #[must_use]
    pub fn route_hash(&self, hash: u32) -> Option<Slot> {
        self.pick_hash(hash, |_| true)
    }

    /// The server that a key goes to if these are acceptable: not to be avoided, under their limits. On a
    /// ring the next entries upwards are asked in turn; if none will do, the highest entry is taken.
    ///
    /// A map-based backend has no other server for a key.
    pub fn pick(&self, key: &[u8], acceptable: impl FnMut(Slot) -> bool) -> Option<Slot> {
        self.pick_hash(self.hash_type.key.hash(key), acceptable)
    }

    fn pick_hash(&self, hash: u32, mut acceptable: impl FnMut(Slot) -> bool) -> Option<Slot> {
        match &self.table {
            Table::Ring(ring) => {
                let table = ring.table();
                let next = table.forward(hash, Edge::Inclusive).next()?;
                // The entry before: the last of those at its position.
                let (at, _) = table.backward(hash, Edge::Exclusive).next()?;
                let before = table
                    .forward(at, Edge::Inclusive)
                    .take_while(|&(position, _)| position == at)
                    .last()?;
                let (entry, from) = if hash.wrapping_sub(at) <= next.0.wrapping_sub(hash) {
                    (Some(before), table.forward(at, Edge::Exclusive))
                } else {
                    (None, table.forward(hash, Edge::Inclusive))
                };
                let found = entry
                    .into_iter()
                    .chain(from)
                    .map(|(_, slot)| slot)
                    .find(|&slot| acceptable(slot));
                found.or_else(|| {
                    let highest = table.backward(0, Edge::Exclusive).next()?.0;
                    let entries = table.forward(highest, Edge::Inclusive);
                    let last = entries.take_while(|&(position, _)| position == highest);
                    last.last().map(|(_, slot)| slot)
                })
            }
            Table::Map { slots, .. } => {
                let slot = u64::from(hash).checked_rem(slots.len() as u64)?;
                usize::try_from(slot)
                    .ok()
                    .and_then(|at| slots.get(at))
                    .copied()
            }
        }
    }

    /// The explanation with the place of this hash, and the servers that come next on a ring.
    pub(super) fn explain_hash(&self, why: Explanation, hash: u32, next: usize) -> Explanation {
        let members = self.members();
        let owner = self.route_hash(hash);
        match &self.table {
            Table::Ring(ring) => {
                let ties = "by the listing, behind the key the other way round";
                let mut place = Place::on_ring::<Nearest, _, _>(ring.table(), members, ties, hash);
                if let (Place::Arc(arc), Some(owner)) = (&mut place, owner)
                    && let Ok(point) = u32::try_from(arc.point.position.value())
                    && let Some(of_owner) =
                        PointPlace::of(ring.table(), members, ties, point, owner)
                {
                    arc.point = of_owner;
                }
                let mut order: Vec<Slot> = Vec::new();
                while order.len() < members.len().min(next.saturating_add(1)) {
                    // Where none is left the highest entry is taken again.
                    match self.pick_hash(hash, |slot| !order.contains(&slot)) {
                        Some(slot) if !order.contains(&slot) => order.push(slot),
                        _ => break,
                    }
                }
                let contenders = order.into_iter().filter_map(|slot| {
                    let role = if Some(slot) == owner {
                        Role::Owner
                    } else {
                        Role::Next
                    };
                    Contender::new(members, slot, role)
                });
                let contenders: Vec<Contender> = contenders.collect();
                why.placed(place).contended(contenders)
            }
            Table::Map { slots, .. } => {
                let (Some(owner), of) = (owner, slots.len() as u64) else {
                    return why;
                };
                let place = EntryPlace {
                    name: "entry",
                    number: u64::from(hash).checked_rem(of).unwrap_or(0),
                    of,
                    rule: "the remainder of the digest".into(),
                    digests: None,
                    owned: None,
                };
                why.placed(Place::Entry(place.owned_by(owner, slots.iter().copied())))
            }
        }
    }

    /// How many requests a server may have in flight under `hash-balance-factor`, if the backend has
    /// `in_flight` and one more comes. `None` for a slot without server.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a factor of 100 percent or less, or over 2^31 − 1.
    pub fn limit(
        &self,
        slot: Slot,
        factor: u32,
        in_flight: u64,
    ) -> Result<Option<u64>, RouteError> {
        if factor <= 100 || i32::try_from(factor).is_err() {
            return Err(RouteError::Parameter {
                name: "hash-balance-factor",
                given: factor.to_string(),
                accepted: "a percentage over 100, up to 2147483647",
            });
        }
        let members = self.members();
        let eweight = |slot: Slot| {
            let node = members.get(slot);
            node.map_or(0, |node| u64::from(node.weight().get()) * u64::from(POINTS))
        };
        let listed = members.listed();
        let all: u64 = listed.iter().map(|&slot| eweight(slot)).sum();
        let before: u64 = listed
            .iter()
            .take_while(|&&other| other != slot)
            .map(|&slot| eweight(slot))
            .sum();
        let total = (in_flight.saturating_add(1))
            .saturating_mul(factor.into())
            .saturating_add(99)
            / 100;
        if members.get(slot).is_none() {
            return Ok(None);
        }
        let (quotient, rest) = (total / all, total % all);
        let own = eweight(slot);
        let slots = own * quotient + ((before + own) * rest) / all - (before * rest) / all;
        Ok(Some(slots.max(1)))
    }
}

/// Which of these servers get keys.
fn in_use(servers: &[Server], all_backups: bool) -> Vec<bool> {
    let active = |server: &Server| server.is_usable() && !server.is_backup();
    if servers.iter().any(active) {
        return servers.iter().map(active).collect();
    }
    let mut left = if all_backups { usize::MAX } else { 1 };
    let backup = servers.iter().map(|server| {
        let takes = server.is_usable() && left > 0;
        left -= usize::from(takes);
        takes
    });
    backup.collect()
}

impl Router for Backend {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.pick(key, |_| true)
    }

    fn members(&self) -> &Members {
        match &self.table {
            Table::Ring(ring) => ring.members(),
            Table::Map { members, .. } => members,
        }
    }

    fn describe(&self) -> Description {
        match &self.table {
            Table::Ring(ring) => ring.describe(),
            Table::Map { members, .. } => {
                let mut description = Description::new("haproxy/map-based/1", MemberOrder::Listed);
                description.hasher("hasher", &self.hash_type.key);
                // Weights are divided by what all of them have in common, the unusable included.
                let weights: Vec<_> = self
                    .servers
                    .iter()
                    .map(|server| server.weight().to_string())
                    .collect();
                description.field("weights of all", weights.join(" "));
                description.members(members);
                description
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        let table = match &self.table {
            Table::Ring(ring) => ring.heap_bytes(),
            Table::Map { members, slots } => {
                members.heap_bytes() + slots.capacity() * size_of::<Slot>()
            }
        };
        table + self.servers.capacity() * size_of::<Server>()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let hasher = self.hash_type.key;
        let hash = hasher.hash(key);
        self.explain_hash(Explanation::of(self, key).hashed(&hasher, hash), hash, next)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use keyroute_core::Router;

    use super::Backend;
    use crate::haproxy::Server;

    fn backend<const N: usize>(hash_type: &str, lines: [&str; N]) -> Backend {
        let servers = lines.map(|line| line.parse::<Server>().unwrap());
        Backend::new(hash_type.parse().unwrap(), servers).unwrap()
    }

    #[test]
    fn the_nearest_point_serves_and_a_tie_goes_back() {
        let backend = backend("consistent", ["s1 x", "s2 x weight 2"]);
        for (key, server) in [
            (b"alpha".as_slice(), "s2"),
            (b"user-1", "s2"),
            (b"/index.html", "s2"),
        ] {
            assert_eq!(backend.route_id(key).unwrap(), server);
        }
        let owner = |hash: u32| {
            let slot = backend.route_hash(hash).unwrap();
            backend.members().get(slot).unwrap().id().as_str()
        };
        // Lowest points: 414606662 s2, 494948004 s1, 643086982 s1, 788043787 s1, 828942252 s2.
        let middle = 414_606_662 + (494_948_004 - 414_606_662) / 2;
        assert_eq!((owner(414_606_662), owner(494_948_004)), ("s2", "s1"));
        assert_eq!((owner(middle), owner(middle + 1)), ("s2", "s1")); // the distance is even: a tie
        let middle = 788_043_787 + (828_942_252 - 788_043_787) / 2; // odd: no tie
        assert_eq!((owner(middle), owner(middle + 1)), ("s1", "s2"));
        // The highest is 4113562117 s2; round the end it is nearer to the lowest from here on.
        assert_eq!((owner(u32::MAX), owner(0)), ("s2", "s2"));
    }

    #[test]
    fn of_servers_on_one_point_the_nearer_entry_serves() {
        // Ids count modulo 2^20: both have the same points.
        let backend = backend("consistent", ["first x id 5", "last x id 1048581"]);
        let point = crate::haproxy::mix(5 * 4096);
        let owner = |hash: u32| {
            let slot = backend.route_hash(hash).unwrap();
            backend.members().get(slot).unwrap().id().as_str()
        };
        assert_eq!(owner(point), "first");
        assert_eq!(owner(point.wrapping_sub(1)), "first");
        assert_eq!(owner(point.wrapping_add(1)), "last");
    }

    #[test]
    fn who_is_unacceptable_is_passed_over_upwards() {
        let backend = backend("consistent", ["s1 x", "s2 x weight 2"]);
        let s1 = backend.members().slot_of("s1").unwrap();
        let s2 = backend.members().slot_of("s2").unwrap();
        for key in [b"alpha".as_slice(), b"user-1", b"x"] {
            assert_eq!(backend.pick(key, |slot| slot != s2), Some(s1));
            // The highest entry is s2's.
            assert_eq!(backend.pick(key, |_| false), Some(s2));
        }
    }

    #[test]
    fn limits_spread_the_remainder_by_position() {
        let backend = backend("consistent", ["a x", "b x", "c x"]);
        let limits = |in_flight| {
            ["a", "b", "c"].map(|name| {
                let slot = backend.members().slot_of(name).unwrap();
                backend.limit(slot, 150, in_flight).unwrap().unwrap()
            })
        };
        assert_eq!(limits(0), [1, 1, 1]); // 2 in all; none is under 1
        assert_eq!(limits(2), [1, 2, 2]); // 5 in all
        assert_eq!(limits(3), [2, 2, 2]);
        let slot = backend.members().slot_of("a").unwrap();
        assert!(backend.limit(slot, 100, 0).is_err());
    }

    #[test]
    fn backups_wait_for_all_others_to_go() {
        let lines = |first: &str| {
            [
                first,
                "b x backup weight 0",
                "c x backup weight 3",
                "d x backup",
            ]
            .map(|line| line.parse::<Server>().unwrap())
        };
        let members = |backend: &Backend| {
            let nodes = backend.members().listed_nodes();
            nodes.map(|node| node.id().to_string()).collect::<Vec<_>>()
        };
        for hash_type in ["consistent", "map-based"] {
            let hash_type = hash_type.parse().unwrap();
            let first = Backend::new(hash_type, lines("a x disabled")).unwrap();
            assert_eq!(members(&first), ["c"]);
            let all = Backend::with_all_backups(hash_type, lines("a x weight 0")).unwrap();
            assert_eq!(members(&all), ["c", "d"]);
            let up = Backend::with_all_backups(hash_type, lines("a x")).unwrap();
            assert_eq!(members(&up), ["a"]);
        }
    }

    #[test]
    fn servers_that_get_no_key_are_no_members() {
        let backend = backend(
            "map-based",
            ["a x weight 4", "b x weight 6 disabled", "c x weight 0"],
        );
        assert_eq!(backend.members().len(), 1);
        assert_eq!(backend.route_id(b"k").unwrap(), "a");
        let empty = Backend::new("map-based".parse().unwrap(), []).unwrap();
        assert_eq!(empty.route(b"k"), None);
        let empty = Backend::new("consistent".parse().unwrap(), []).unwrap();
        assert_eq!(empty.route(b"k"), None);
    }
}
