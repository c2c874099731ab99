//! Two nodes claim one 32-bit point: adding, removing and adding again lose nothing.

use keyroute::hash::{Crc32, Md5};
use keyroute::{
    AddNode, BTreeRing, KeyHasher, Labelled, Ranges, RemoveNode, RouteError, VectorRing,
};
use keyroute_ketama::{BTreeKetama, Ketama, KetamaPoints};
use keyroute_tests::{arcs, json, keys, list, node, number, orders, owners, text, texts};
use serde_json::Value;

/// Runs a generic check on both rings of both variants.
macro_rules! on_every_ring {
    ($check:ident) => {
        let case = json("cases/p01-collision-removal.json");
        let [md5, crc32] = list(&case["inputs"]["variants"]) else {
            panic!("two variants");
        };
        assert_eq!(
            (text(&md5["name"]), text(&crc32["name"])),
            ("ketama-md5", "crc32-bar")
        );
        let labelled = || {
            let scheme = Labelled::new("{node}|{i}", Crc32).unwrap();
            scheme.with_points_per_weight(20).unwrap()
        };
        $check(
            md5,
            || Ketama::with_scheme(KetamaPoints::default()),
            Ketama::points,
        );
        $check(
            md5,
            || BTreeKetama::with_scheme(KetamaPoints::default()),
            BTreeKetama::points,
        );
        $check(
            crc32,
            || VectorRing::with_scheme(labelled()),
            VectorRing::points,
        );
        $check(
            crc32,
            || BTreeRing::with_scheme(labelled()),
            BTreeRing::points,
        );
    };
}

fn filled<R: AddNode>(mut ring: R, ids: &[String]) -> R {
    for id in ids {
        ring.add(node(id, 1)).unwrap();
    }
    ring
}

/// The probes, and k0 to k9999.
fn probes(variant: &Value) -> Vec<String> {
    let probes = list(&variant["probe_keys_inside_shared_arc"]);
    let mut all = keys("k", "", 10_000);
    all.extend(probes.iter().map(|probe| text(&probe["key"]).to_owned()));
    all
}

/// The nodes that share a point: removing the first or the second must not hurt the other.
fn colliding(variant: &Value) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = list(&variant["shared"])
        .iter()
        .map(|shared| {
            let [a, b] = list(&shared["claimants"]) else {
                panic!("two claimants");
            };
            (text(&a["node"]).to_owned(), text(&b["node"]).to_owned())
        })
        .collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

#[test]
fn insertion_order_does_not_decide_the_owner() {
    fn check<R: AddNode + Ranges>(variant: &Value, new: impl Fn() -> R, _: impl Fn(&R) -> usize) {
        let probes = probes(variant);
        let routes: Vec<_> = orders(&texts(&variant["nodes"]))
            .iter()
            .map(|order| filled(new(), order))
            .map(|ring| (owners(&ring, &probes), arcs(&ring)))
            .collect();
        assert_eq!(routes.len(), 6);
        assert!(routes.iter().all(|route| *route == routes[0]));
    }
    on_every_ring!(check);
}

#[test]
fn removing_one_of_a_colliding_pair_leaves_the_others_as_if_it_had_never_been() {
    fn check<R: AddNode + RemoveNode + Ranges>(
        variant: &Value,
        new: impl Fn() -> R,
        points: impl Fn(&R) -> usize,
    ) {
        let (nodes, probes) = (texts(&variant["nodes"]), probes(variant));
        let pairs = colliding(variant);
        assert_eq!(pairs.len(), 1);
        for (a, b) in &pairs {
            for removed in [a, b] {
                for order in orders(&nodes) {
                    let mut ring = filled(new(), &order);
                    ring.remove(removed).unwrap();
                    let staying: Vec<String> =
                        nodes.iter().filter(|id| *id != removed).cloned().collect();
                    let fresh = filled(new(), &staying);
                    assert_eq!(owners(&ring, &probes), owners(&fresh, &probes));
                    assert_eq!(arcs(&ring), arcs(&fresh));
                    assert_eq!(points(&ring), points(&fresh));
                    assert_eq!(ring.fingerprint(), fresh.fingerprint());
                }
            }
        }
    }
    on_every_ring!(check);
}

#[test]
fn adding_and_removing_is_the_identity() {
    fn check<R: AddNode + RemoveNode + Ranges>(
        variant: &Value,
        new: impl Fn() -> R,
        points: impl Fn(&R) -> usize,
    ) {
        let nodes = texts(&variant["nodes"]);
        for newcomer in &nodes {
            let others: Vec<String> = nodes.iter().filter(|id| *id != newcomer).cloned().collect();
            let mut ring = filled(new(), &others);
            let before = (arcs(&ring), points(&ring), ring.fingerprint());
            ring.add(node(newcomer, 1)).unwrap();
            assert_ne!(arcs(&ring), before.0);
            ring.remove(newcomer).unwrap();
            assert_eq!((arcs(&ring), points(&ring), ring.fingerprint()), before);
        }
    }
    on_every_ring!(check);
}

#[test]
fn every_node_can_leave_once_in_every_order() {
    fn check<R: AddNode + RemoveNode>(
        variant: &Value,
        new: impl Fn() -> R,
        points: impl Fn(&R) -> usize,
    ) {
        let nodes = texts(&variant["nodes"]);
        for order in orders(&nodes) {
            let mut ring = filled(new(), &nodes);
            for id in &order {
                assert_eq!(ring.remove(id), Ok(node(id, 1)));
                let absent = RouteError::NotMember { id: id.clone() };
                assert_eq!(ring.remove(id), Err(absent));
            }
            assert!(ring.members().is_empty());
            assert_eq!(points(&ring), 0);
            assert_eq!(ring.route(b"k0"), None);
        }
    }
    on_every_ring!(check);
}

#[test]
fn every_claimed_point_is_kept() {
    fn check<R: AddNode>(variant: &Value, new: impl Fn() -> R, points: impl Fn(&R) -> usize) {
        let ring = filled(new(), &texts(&variant["nodes"]));
        assert_eq!(points(&ring), number::<usize>(&variant["points_claimed"]));
    }
    on_every_ring!(check);
}

/// The case itself: the tokens are shared as it says.
#[test]
fn the_shared_tokens_are_as_recorded() {
    let case = json("cases/p01-collision-removal.json");
    for variant in list(&case["inputs"]["variants"]) {
        for shared in list(&variant["shared"]) {
            for claimant in list(&shared["claimants"]) {
                let id = text(&claimant["node"]);
                let token = if let Some(k) = claimant["k"].as_u64() {
                    Md5::words(format!("{id}-{k}").as_bytes())[number::<usize>(&claimant["slice"])]
                } else {
                    Crc32.hash(format!("{id}|{}", claimant["i"]).as_bytes())
                };
                assert_eq!(token, number::<u32>(&shared["token"]));
            }
        }
    }
}
