//! [`Modulo`]: `hash KEY;`.

use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::{
    Contender, Description, EntryPlace, Explanation, Fact, MemberOrder, Members, Node, Place, Role,
    RouteError, Router, Slot, Weight,
};

use super::{RETRIES, Server, down_names};

/// `hash KEY;`: the remainder of a hash by the sum of the weights.
///
/// Round n adds 15 bits of the CRC-32 of `n KEY` (of `KEY` in round 0); the sum modulo the weights of all peers,
/// those down included, picks one in the order of the file. A peer that is down sends the key to the
/// next round, at most 20 times: then nginx takes servers in turn, and here nobody answers.
///
/// Keeps no law of movement: a server that joins or leaves moves nearly all keys, and order matters.
///
/// Cost: a lookup is a hash of the key and a walk over the peers; memory is the list.
#[derive(Clone, Debug)]
pub struct Modulo {
    members: Members,
    servers: Vec<Server>,
    /// In the order of the file, one an address.
    peers: Vec<Peer>,
    total: u32,
}

#[derive(Clone, Copy, Debug)]
struct Peer {
    slot: Slot,
    weight: u32,
    down: bool,
}

impl Modulo {
    /// An upstream of these servers, in the order of the file.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`] without servers, which nginx refuses; [`RouteError::Parameter`] if the
    /// weights add up to over 2^31 − 1.
    pub fn new(servers: impl IntoIterator<Item = Server>) -> Result<Self, RouteError> {
        let servers: Vec<Server> = servers.into_iter().collect();
        if servers.is_empty() {
            return Err(RouteError::NoMembers);
        }
        let sum: u64 = servers
            .iter()
            .map(|server| u64::from(server.weight.get()) * u64::from(server.addresses))
            .fold(0, u64::saturating_add);
        let total =
            i32::try_from(sum)
                .map(i32::unsigned_abs)
                .map_err(|_| RouteError::Parameter {
                    name: "sum of weights",
                    given: alloc::format!("{sum}"),
                    accepted: "at most 2147483647",
                })?;
        let mut members = Members::new();
        let mut peers = Vec::new();
        for server in &servers {
            let name = server.name.as_str();
            let own = server.weight.get().saturating_mul(server.addresses);
            let slot = match members.slot_of(name) {
                None => {
                    let node = Node::from(server.name.clone());
                    members.add(node.with_weight(Weight::new(own)?))?
                }
                Some(slot) => {
                    let before = members.node(name)?.weight().get();
                    members.set_weight(name, Weight::new(before + own)?)?;
                    slot
                }
            };
            let peer = Peer {
                slot,
                weight: server.weight.get(),
                down: server.down,
            };
            peers.extend((0..server.addresses).map(|_| peer));
        }
        Ok(Self {
            members,
            servers,
            peers,
            total,
        })
    }

    /// The remainder and the peer of each round.
    fn rounds<'a>(&'a self, key: &'a [u8]) -> impl Iterator<Item = (u32, &'a Peer)> {
        let mut sum = 0u32;
        let rounds = u32::try_from(RETRIES).unwrap_or(u32::MAX);
        (0..=rounds).filter_map(move |round| {
            sum = sum.wrapping_add(hash(round, key));
            let remainder = sum.checked_rem(self.total)?;
            Some((remainder, self.peer(remainder)?))
        })
    }

    /// The peer of this remainder: its place.
    fn peer(&self, remainder: u32) -> Option<&Peer> {
        let mut left = remainder;
        self.peers.iter().find(|peer| {
            let found = left < peer.weight;
            left = left.saturating_sub(peer.weight);
            found
        })
    }
}

/// 15 bits of the CRC-32 of the round's number, none in round 0, and the key.
fn hash(round: u32, key: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    // At most two digits: rounds go to 20.
    let digits = [b'0' + (round / 10 % 10) as u8, b'0' + (round % 10) as u8];
    hasher.update(match round {
        0 => &[],
        1..=9 => &digits[1..],
        _ => &digits,
    });
    hasher.update(key);
    (hasher.finalize() >> 16) & 0x7fff
}

impl Router for Modulo {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.rounds(key)
            .find_map(|(_, peer)| (!peer.down).then_some(peer.slot))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("nginx/modulo/1", MemberOrder::Listed);
        // Lines of one name stand apart, which the members do not say.
        let lines: Vec<_> = self
            .servers
            .iter()
            .map(|server| {
                alloc::format!(
                    "{}={}x{}",
                    server.name(),
                    server.weight.get(),
                    server.addresses
                )
            })
            .collect();
        description.field("lines", lines.join("\n"));
        description.field("down", down_names(self.servers.iter()));
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes()
            + self.peers.capacity() * size_of::<Peer>()
            + self.servers.capacity() * size_of::<Server>()
    }

    /// The place is that of the round that decides; the peers of the rounds before are passed over.
    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let why = Explanation::of(self, key);
        let mut contenders: Vec<Contender> = Vec::new();
        let mut place = Place::Unsaid;
        for (round, (remainder, peer)) in self.rounds(key).enumerate() {
            let role = if peer.down { Role::Passed } else { Role::Owner };
            let said = Fact::Said(alloc::format!("round {round}: {remainder}"));
            let contender = Contender::new(&self.members, peer.slot, role);
            contenders.extend(contender.map(|it| {
                let it = it.with(said);
                if peer.down { it.with(Fact::Down) } else { it }
            }));
            if !peer.down {
                place = Place::Entry(EntryPlace {
                    name: "place",
                    number: remainder.into(),
                    of: self.total.into(),
                    rule: "the sum of a hash a round, modulo the weights".into(),
                    digests: None,
                    owned: Some(peer.weight.into()),
                });
                break;
            }
        }
        why.placed(place)
            .contended(contenders)
            .refused("the servers of all 21 rounds are down, and nginx takes servers in turn")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use keyroute_core::Router;

    use super::{Modulo, hash};

    #[test]
    fn rounds_hash_as_documented() {
        for (key, hashes) in [
            (b"alpha".as_slice(), [20_704, 26_662]),
            (b"user-1", [32_294, 23_708]),
            (b"/index.html", [27_170, 30_204]),
        ] {
            assert_eq!([0, 1].map(|round| hash(round, key)), hashes);
        }
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(b"10alpha");
        assert_eq!(hash(10, b"alpha"), hasher.finalize() >> 16 & 0x7fff);
    }

    #[test]
    fn weights_are_walked_in_the_order_of_the_file() {
        let lines = ["10.0.0.1:8080", "10.0.0.2 weight=2", "web-c.example:80"];
        let upstream = Modulo::new(lines.map(|line| line.parse().unwrap())).unwrap();
        for (key, server) in [
            (b"alpha".as_slice(), "10.0.0.1:8080"),
            (b"user-1", "10.0.0.2"),
            (b"/index.html", "10.0.0.2"),
        ] {
            assert_eq!(upstream.route_id(key).unwrap(), server);
        }
    }

    #[test]
    fn a_peer_that_is_down_sends_keys_to_the_next_round() {
        let lines = [
            "10.0.0.1:8080 down",
            "10.0.0.2 weight=2",
            "web-c.example:80",
        ];
        let upstream = Modulo::new(lines.map(|line| line.parse().unwrap())).unwrap();
        // 20704 + 26662 = 47366, modulo 4: 2.
        assert_eq!(upstream.route_id(b"alpha").unwrap(), "10.0.0.2");
        let lines = ["a down", "b down"];
        let upstream = Modulo::new(lines.map(|line| line.parse().unwrap())).unwrap();
        assert_eq!(upstream.route(b"alpha"), None);
    }

    #[test]
    fn rounds_add_up() {
        let owner = |lines: [&str; 3], key: &[u8]| {
            let upstream = Modulo::new(lines.map(|line| line.parse().unwrap())).unwrap();
            upstream.route_id(key).unwrap().to_string()
        };
        // 20704 + 26662 is 2 modulo 3, 32294 + 23708 is 1; 26662 alone is 1, 23708 alone is 2.
        assert_eq!(owner(["a", "b down", "c"], b"alpha"), "c");
        assert_eq!(owner(["a", "b", "c down"], b"user-1"), "b");
    }
}
