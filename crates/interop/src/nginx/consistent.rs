//! [`Consistent`]: `hash KEY consistent;`.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;

use keyroute_core::hash::Crc32;
use keyroute_core::{
    AtOrAfter, Contender, Description, Edge, Explanation, Fact, FirstListed, Members, Node, NodeId,
    PointScheme, PointTable, Role, RouteDigest, RouteError, Router, Scheme, Slot,
};
use keyroute_vector_ring::VectorRing;

use super::{RETRIES, Server, down_names, host_and_port};

/// The points of a unit of weight.
const POINTS: u32 = 160;

/// `hash KEY consistent;`: a ring of 160 points for a unit of weight, each a CRC-32 over the server's name and
/// the point before.
///
/// Point = CRC-32 of `HOST 00 PORT` and the last point as four bytes, little-endian; the first point at or
/// after the CRC-32 of the key; of servers on one point the first in the file. (So with glibc; musl
/// sorts such points otherwise.) A server that is listed twice has its points once.
///
/// A point whose server is down is passed over, at most 20 times: then nginx takes servers in turn, and here
/// nobody answers.
///
/// Laws of rings are kept, but for two: the order of the lines decides who owns a shared point, and a
/// key all of whose next 21 points are down has no owner.
///
/// Cost: a lookup is one hash and a binary search; building sorts the points.
#[derive(Clone)]
pub struct Consistent {
    ring: VectorRing<Points>,
    servers: Vec<Server>,
    /// By slot.
    down: Vec<bool>,
}

impl Consistent {
    /// An upstream of these servers, in the order of the file.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`] without servers, which nginx refuses; [`RouteError::TooManyPoints`].
    pub fn new(servers: impl IntoIterator<Item = Server>) -> Result<Self, RouteError> {
        let servers: Vec<Server> = servers.into_iter().collect();
        if servers.is_empty() {
            return Err(RouteError::NoMembers);
        }
        // Lines of one name differ in weight at most: the greatest has the points of all.
        let mut nodes: Vec<(Node, bool)> = Vec::new();
        let mut places: BTreeMap<&NodeId, usize> = BTreeMap::new();
        for server in &servers {
            match places.get(&server.name) {
                Some(&place) => {
                    let (node, down) = &mut nodes[place];
                    *node = node.clone().with_weight(node.weight().max(server.weight));
                    *down &= server.down;
                }
                None => {
                    places.insert(&server.name, nodes.len());
                    let node = Node::from(server.name.clone()).with_weight(server.weight);
                    nodes.push((node, server.down));
                }
            }
        }
        let listed = nodes.iter().map(|(node, _)| node.clone());
        let ring = VectorRing::from_nodes_with(Points, listed)?;
        let mut down = alloc::vec![false; ring.members().slot_bound()];
        for (node, is_down) in &nodes {
            down[ring.members().find(node.id().as_str())?.index() as usize] = *is_down;
        }
        Ok(Self {
            ring,
            servers,
            down,
        })
    }

    /// The ring of all servers, those down included.
    #[must_use]
    pub fn ring(&self) -> &VectorRing<Points> {
        &self.ring
    }

    /// The server that nginx would pick if these were usable: not down, not failed, not tried before.
    /// `None` after 21 points of others; nginx then forgets the hash.
    pub fn pick(&self, key: &[u8], mut usable: impl FnMut(Slot) -> bool) -> Option<Slot> {
        let at = self.ring.digest(key).value();
        let mut last = None;
        self.ring
            .table()
            .forward(at, Edge::Inclusive)
            // Of equal points nginx keeps the first.
            .filter(|&(point, _)| last.replace(point) != Some(point))
            .map(|(_, slot)| slot)
            .take(1 + RETRIES)
            .find(|&slot| usable(slot))
    }
}

impl Router for Consistent {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.pick(key, |slot| !self.down[slot.index() as usize])
    }

    fn members(&self) -> &Members {
        self.ring.members()
    }

    fn describe(&self) -> Description {
        let mut description = self.ring.describe();
        description.field("down", down_names(self.servers.iter()));
        description
    }

    fn heap_bytes(&self) -> usize {
        self.ring.heap_bytes()
            + self.down.capacity()
            + self.servers.capacity() * size_of::<Server>()
    }

    /// The ring's, with the servers passed over because they are down.
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let owner = self.route(key);
        let mut order: Vec<Slot> = Vec::new();
        let _ = self.pick(key, |slot| {
            if !order.contains(&slot) {
                order.push(slot);
            }
            false
        });
        let mut role = Role::Passed;
        let mut left = next;
        let contenders = order.into_iter().filter_map(|slot| {
            let down = self.down[slot.index() as usize];
            role = match role {
                Role::Passed if Some(slot) == owner => Role::Owner,
                Role::Passed => Role::Passed,
                Role::Owner | Role::Next if down => return None,
                Role::Owner | Role::Next => Role::Next,
            };
            if role == Role::Next {
                left = left.checked_sub(1)?;
            }
            let contender = Contender::new(self.members(), slot, role)?;
            Some(if down {
                contender.with(Fact::Down)
            } else {
                contender
            })
        });
        let contenders: Vec<Contender> = contenders.collect();
        self.ring
            .explain_with(key, 0)
            .under(self)
            .contended(contenders)
            .refused("the servers of its next 21 points are down, and nginx takes servers in turn")
    }
}

impl fmt::Debug for Consistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consistent")
            .field("servers", &self.servers)
            .field("ring", &self.ring)
            .finish()
    }
}

/// Where nginx puts its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points;

impl Scheme for Points {
    type Position = u32;
    type Hasher = Crc32;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;

    fn hasher(&self) -> &Crc32 {
        &Crc32
    }

    fn name(&self) -> &'static str {
        "nginx/consistent/1"
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(POINTS)
    }
}

impl PointScheme for Points {
    fn points(&self, node: &Node) -> Result<Vec<u32>, RouteError> {
        let (host, port) = host_and_port(node.id().as_bytes());
        let mut base = crc32fast::Hasher::new();
        base.update(host);
        base.update(&[0]);
        base.update(port);
        let mut last = 0u32;
        let count = usize::try_from(self.count_of(node)).unwrap_or(usize::MAX);
        Ok(core::iter::repeat_with(|| {
            let mut hasher = base.clone();
            hasher.update(&last.to_le_bytes());
            last = hasher.finalize();
            last
        })
        .take(count)
        .collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        u64::from(node.weight().get()) * u64::from(POINTS)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use keyroute_core::{Node, PointScheme, RouteDigest, Router};

    use super::{Consistent, Points};
    use crate::nginx::Server;

    fn servers<const N: usize>(lines: [&str; N]) -> [Server; N] {
        lines.map(|line| line.parse().unwrap())
    }

    #[test]
    fn chains_begin_as_documented() {
        for (name, chain) in [
            (
                "10.0.0.1:8080",
                [4_058_667_663, 1_271_959_144, 2_229_661_422],
            ),
            ("10.0.0.2", [1_684_376_814, 3_904_856_738, 98_081_299]),
            (
                "web-c.example:80",
                [2_185_989_441, 1_479_888_392, 4_202_307_092],
            ),
        ] {
            let points = Points.points(&Node::new(name).unwrap()).unwrap();
            assert_eq!((points.len(), &points[..3]), (160, chain.as_slice()));
        }
    }

    #[test]
    fn a_server_listed_twice_counts_once() {
        let once = Consistent::new(servers(["a weight=3", "b"])).unwrap();
        // The greatest weight has the points of all, wherever it stands.
        for lines in [["a", "b", "a weight=3"], ["a weight=3", "b", "a"]] {
            let twice = Consistent::new(servers(lines)).unwrap();
            for key in 0..2000u32 {
                let key = key.to_string();
                assert_eq!(
                    once.route_id(key.as_bytes()),
                    twice.route_id(key.as_bytes())
                );
            }
        }
    }

    #[test]
    fn after_21_points_of_servers_that_are_down_nobody_answers() {
        let mut lines: Vec<Server> = (0..18)
            .map(|i| alloc::format!("d{i} down").parse().unwrap())
            .collect();
        lines.extend(servers(["up-1", "up-2"]));
        let upstream = Consistent::new(lines).unwrap();
        let keys = 20_000u32;
        let lost = (0..keys)
            .filter(|key| upstream.route(key.to_string().as_bytes()).is_none())
            .count();
        // 0.9^21 of the keys: 10.9 %, as it was measured on a running server.
        assert!((1800..2700).contains(&lost), "{lost}");
    }

    #[test]
    fn no_more_than_21_points_are_looked_at() {
        let upstream = Consistent::new(servers(["a", "b", "c"])).unwrap();
        let mut looked_at = 0;
        let found = upstream.pick(b"alpha", |_| {
            looked_at += 1;
            false
        });
        assert_eq!((found, looked_at), (None, 21));
    }

    #[test]
    fn a_shared_point_is_the_first_servers_and_a_point_serves_its_own_position() {
        // So many points that some are shared.
        let names = ["b", "a"];
        let upstream = Consistent::new(servers(["b weight=900", "a weight=900"])).unwrap();
        let points = names.map(|name| {
            let node = Node::new(name).unwrap();
            let weight = keyroute_core::Weight::new(900).unwrap();
            let points = Points.points(&node.with_weight(weight)).unwrap();
            points.into_iter().collect::<BTreeSet<u32>>()
        });
        let owner = |point: u32| {
            let ring = upstream.ring();
            let slot = ring.route_value(point).unwrap();
            ring.members().get(slot).unwrap().id().as_str()
        };
        let shared: Vec<u32> = points[0].intersection(&points[1]).copied().collect();
        assert!(!shared.is_empty());
        for point in shared {
            assert_eq!(owner(point), "b");
        }
        for (name, points) in names.iter().zip(&points) {
            let own = points.iter().filter(|&&point| owner(point) == *name);
            assert!(own.count() + 10 > points.len(), "{name}");
        }
    }
}
