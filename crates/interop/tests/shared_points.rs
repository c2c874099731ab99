//! Who owns a point that two nodes share, and a key that stands on a point: the rules on which the memcached
//! clients differ, on a collision of MD5 words that recorded fleets do not have.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_interop::hash::SpyHash;
use keyroute_interop::hash_ring::HashRing;
use keyroute_interop::{
    Node, RouteDigest, Scheme, VectorRing, libmemcached, node_hashring, spymemcached, twemproxy,
    uhashring,
};

/// Word 1 of MD5 of `n342-8` and word 0 of MD5 of `n1515-28`.
const SHARED: u32 = 1_393_389_416;

/// Who owns the position just before the shared point, and that point itself, when the nodes are listed so.
fn owners<S: Scheme<Position = u32>>(
    build: impl Fn(Vec<Node>) -> VectorRing<S>,
    listed: [&str; 2],
) -> [String; 2] {
    let nodes = listed.map(|id| Node::new(id).unwrap());
    let ring = build(nodes.to_vec());
    [SHARED - 1, SHARED].map(|at| {
        let slot = ring.route_value(at).unwrap();
        ring.members().get(slot).unwrap().id().to_string()
    })
}

/// A client: its name, its owners for nodes listed so, who should own the shared point when the shorter node
/// is listed first and when the longer is, and whether a key on that point is its owner's.
type Client<'a> = (
    &'a str,
    &'a dyn Fn([&str; 2]) -> [String; 2],
    [&'a str; 2],
    bool,
);

#[test]
fn each_client_has_its_own_rule_for_a_shared_point() {
    let (short, long) = ("n342", "n1515");
    let first = [short, long];
    let last = [long, short];
    let shorter = [short, short];

    let clients: [Client<'_>; 6] = [
        (
            "libmemcached",
            &|ids| owners(|nodes| libmemcached::ketama_weighted(nodes).unwrap(), ids),
            first,
            true,
        ),
        (
            "twemproxy",
            &|ids| {
                let keys = twemproxy::KeyHash::default;
                owners(|nodes| twemproxy::ketama(keys(), nodes).unwrap(), ids)
            },
            shorter,
            true,
        ),
        (
            "spymemcached",
            &|ids| {
                owners(
                    |nodes| spymemcached::ketama(SpyHash::Ketama, nodes).unwrap(),
                    ids,
                )
            },
            last,
            true,
        ),
        (
            "uhashring",
            &|ids| {
                let scheme = uhashring::Ketama::default;
                owners(
                    |nodes| VectorRing::from_nodes_with(scheme(), nodes).unwrap(),
                    ids,
                )
            },
            last,
            false,
        ),
        (
            "hash_ring",
            &|ids| {
                owners(
                    |nodes| VectorRing::from_nodes_with(HashRing, nodes).unwrap(),
                    ids,
                )
            },
            last,
            false,
        ),
        (
            "node-hashring",
            &|ids| {
                let scheme = node_hashring::HashRing::default;
                owners(
                    |nodes| VectorRing::from_nodes_with(scheme(), nodes).unwrap(),
                    ids,
                )
            },
            first,
            true,
        ),
    ];
    for (system, owners, expected, owns_its_key) in clients {
        let [[before, on], [before_reversed, on_reversed]] =
            [[short, long], [long, short]].map(owners);
        assert_eq!([&before, &before_reversed], expected, "{system}");
        if owns_its_key {
            assert_eq!([on, on_reversed], expected, "{system}");
        } else {
            // The next point is the shorter's, whatever the order.
            assert_eq!(on, on_reversed, "{system}");
            assert_eq!(on, short, "{system}");
        }
    }
}
