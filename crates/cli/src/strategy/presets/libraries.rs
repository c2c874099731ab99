//! Libraries of Go and Rust.

use keyroute::hash::{Crc32, Fnv1a64};
use keyroute::{Node, VectorRing};
use keyroute_interop::{
    GoKetama, GoMpchash, GoRedisRing, GoRendezvous, GoZero, Groupcache, HashFunc1, Hashring,
    HashringValue, Lafikl, PingoraKetama, Serialx, Serialx2019, SerialxHash, Stathat,
};

use super::super::adapter;
use super::super::registry::{Listing, boxed};
use super::{names, preset, ringed, unweighted, walked};

pub(super) static PRESETS: [Listing; 13] = [
    preset(
        "pingora-ketama-v1",
        "Rust's pingora-ketama 0.9.1, V1, its default; ids are socket addresses",
        "crc32",
        |it| ringed(it, |nodes| PingoraKetama::v1(weights(nodes))),
    ),
    preset(
        "pingora-ketama-v2",
        "Rust's pingora-ketama 0.9.1, V2 at 160 points; ids are socket addresses",
        "crc32",
        |it| ringed(it, |nodes| PingoraKetama::v2(160, weights(nodes))),
    ),
    preset(
        "hashring-rs",
        "Rust's hashring 0.3.6 over texts: one point a node",
        "siphash",
        |it| {
            ringed(it, |nodes| {
                Hashring::ring(HashringValue::Text, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "groupcache",
        "golang/groupcache at 2c02b82, its pool's 50 replicas",
        "crc32",
        |it| {
            ringed(it, |nodes| {
                VectorRing::from_nodes_with(Groupcache::new(Crc32, 50)?, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "stathat",
        "stathat/consistent at 30ea17e: 20 points, history counts",
        "crc32",
        |it| {
            let map = Stathat::new(
                Crc32,
                Stathat::<Crc32>::REPLICAS,
                names("stathat", it.nodes)?,
            )?;
            boxed(adapter::in_place(
                map,
                |map, node| {
                    unweighted("stathat", std::slice::from_ref(node))?;
                    map.add(node.id().as_str())
                },
                |map, id| {
                    map.remove(id.as_str());
                },
            ))
        },
    ),
    preset(
        "lafikl",
        "lafikl/consistent at bdd3606: 10 points",
        "blake2b",
        |it| boxed(adapter::unweighted(Lafikl::new(names("lafikl", it.nodes)?)?).walking()),
    ),
    preset(
        "serialx",
        "serialx/hashring at 22c0c7a, since July 2020: a point for a unit of weight",
        "serialx-md5",
        |it| {
            ringed(it, |nodes| {
                Serialx::weighted(SerialxHash::Md5, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "serialx-2019",
        "serialx/hashring at 8b29126, before July 2020: shares of 40 labels",
        "md5",
        |it| {
            ringed(it, |nodes| {
                VectorRing::from_nodes_with(Serialx2019, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "go-zero",
        "zeromicro/go-zero's core/hash at 11f2109: 100 points",
        "murmur3-x64-128-word0",
        |it| {
            let mut ring = GoZero::new(GoZero::MIN_REPLICAS)?;
            for name in names("go-zero", it.nodes)? {
                ring.add(name)?;
            }
            boxed(adapter::in_place(
                ring,
                |ring, node| {
                    unweighted("go-zero", std::slice::from_ref(node))?;
                    ring.add(node.id().as_str())
                },
                |ring, id| {
                    ring.remove(id.as_str());
                },
            ))
        },
    ),
    preset(
        "go-redis-ring",
        "go-redis 9.22.0, `Ring`: a rendezvous of hash tags",
        "xxh64",
        |it| {
            let shards = GoRedisRing::from_names(names("go-redis-ring", it.nodes)?)?;
            boxed(adapter::unweighted(shards).walking())
        },
    ),
    preset(
        "go-ketama",
        "dgryski/go-ketama at 8c95656, `New`",
        "md5",
        |it| walked(it, |nodes| GoKetama::continuum(HashFunc1, weights(nodes))),
    ),
    preset(
        "go-mpchash",
        "dgryski/go-mpchash at 7382f34: 21 probes, seeds 1 and 2",
        "siphash",
        |it| {
            let names = names("go-mpchash", it.nodes)?;
            boxed(adapter::unweighted(GoMpchash::from_names(
                21,
                [1, 2],
                names,
            )?))
        },
    ),
    preset(
        "go-rendezvous",
        "dgryski/go-rendezvous at 9f7001d, with 64-bit FNV-1a",
        "fnv1a-64",
        |it| {
            let nodes = GoRendezvous::from_names(Fnv1a64, names("go-rendezvous", it.nodes)?)?;
            boxed(adapter::unweighted(nodes).walking())
        },
    ),
];

/// Ids and weights.
fn weights(nodes: &[Node]) -> impl Iterator<Item = (&str, u32)> {
    nodes
        .iter()
        .map(|node| (node.id().as_str(), node.weight().get()))
}
