//! Names that differ only in their last characters still spread over the ring.

use keyroute::hash::{Crc32, Fnv1a32};
use keyroute::{
    BTreeRing, Jump, Ketama, KeyHasher, Labelled, Modulo, PointScheme, Router, Tokens, VectorRing,
    hash_fn,
};
use keyroute_tests::{json, keys, list, loads, nodes, number, owners, shares, texts};
use serde_json::Value;

fn case() -> Value {
    json("cases/p02-balance-sequential-names.json")
}

fn endpoints() -> Vec<String> {
    (0..300).map(|i| format!("endpoint-{i}")).collect()
}

/// Every strategy at its defaults; whether it is a ring.
fn strategies(ids: &[String]) -> Vec<(&'static str, Box<dyn Router>, bool)> {
    vec![
        (
            "vector-ring",
            Box::new(VectorRing::from_ids(ids).unwrap()),
            true,
        ),
        (
            "btree-ring",
            Box::new(BTreeRing::from_ids(ids).unwrap()),
            true,
        ),
        ("ketama", Box::new(Ketama::from_ids(ids).unwrap()), true),
        ("jump", Box::new(Jump::from_ids(ids).unwrap()), false),
        ("modulo", Box::new(Modulo::from_ids(ids).unwrap()), false),
    ]
}

/// Largest and smallest share over the mean, in thousandths.
fn extremes(router: &dyn Router, keys: &[String]) -> (u32, u32) {
    let loads = loads(router, keys);
    let of_mean = |load: u32| {
        let scaled = u64::from(load) * loads.len() as u64 * 1000;
        u32::try_from(scaled / keys.len() as u64).unwrap()
    };
    let most = loads.values().copied().max().unwrap();
    let least = loads.values().copied().min().unwrap();
    (of_mean(most), of_mean(least))
}

/// A limit of the case, in thousandths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a limit between 0 and 2, of two decimals"
)]
fn limit(name: &str) -> u32 {
    (case()["expected"][name].as_f64().unwrap() * 1000.0).round() as u32
}

#[test]
fn every_strategy_is_balanced_at_its_defaults() {
    let sets = case();
    let sets = sets["inputs"]["node_sets"].as_object().unwrap().clone();
    let keys: Vec<String> = (1..=20_000).map(|i| format!("sku-{i}")).collect();
    let mut named = 0;
    for (set, ids) in sets.iter().filter(|(_, ids)| ids.is_array()) {
        for (name, router, ring) in strategies(&texts(ids)) {
            let (most, least) = extremes(&*router, &keys);
            let limit = if ring {
                let floor = limit("min_over_mean_ring_160_points");
                assert!(least >= floor, "{name}, {set}: {least}");
                limit("max_over_mean_ring_160_points")
            } else {
                limit("max_over_mean_rendezvous_maglev_jump")
            };
            assert!(most <= limit, "{name}, {set}: {most}");
        }
        named += 1;
    }
    assert_eq!(named, 4);

    let keys: Vec<String> = (1..=60_000).map(|i| format!("sku-{i}")).collect();
    for (name, router, _) in strategies(&endpoints()) {
        let (most, _) = extremes(&*router, &keys);
        assert!(most <= 1500, "{name}, 300 endpoints: {most}");
    }
}

#[test]
fn no_token_is_lost() {
    let sets = case();
    let sets = sets["inputs"]["node_sets"].as_object().unwrap().clone();
    let named = sets.values().filter(|ids| ids.is_array()).map(texts);
    for ids in named.chain([endpoints()]) {
        let ring = VectorRing::from_ids(&ids).unwrap();
        let mut positions: Vec<u64> = ring
            .scheme()
            .points_of_each(ring.members())
            .unwrap()
            .into_iter()
            .map(|(position, _)| position)
            .collect();
        positions.sort_unstable();
        positions.dedup();
        assert_eq!(positions.len(), ids.len() * 160);
        assert_eq!(ring.points(), positions.len());
    }
}

#[test]
fn reversing_300_endpoints_changes_no_route() {
    let keys = keys("sku-", "", 60_000);
    let mut reversed = endpoints();
    reversed.reverse();
    let (before, after) = (strategies(&endpoints()), strategies(&reversed));
    for ((name, before, ring), (_, after, _)) in before.iter().zip(&after) {
        // Jump and modulo take an ordered list, and say so: their fingerprints differ.
        assert_eq!(before.fingerprint() == after.fingerprint(), *ring, "{name}");
        if *ring {
            assert_eq!(owners(before, &keys), owners(after, &keys), "{name}");
        }
    }
}

/// The reported skews, on rings built as the reported systems build them.
#[test]
fn the_cited_schemes_are_skewed_as_reported() {
    let case = case();
    let [skipper, stathat, tinode, _] = list(&case["inputs"]["known_bad"]) else {
        panic!("known_bad");
    };
    let set = |name: &str| texts(&case["inputs"]["node_sets"][name]);

    let ids = set("skipper-ports");
    let scheme = ids
        .iter()
        .fold(Tokens::new(hash_fn(|_| 0u32)), |tokens, id| {
            tokens.with(id, [Fnv1a32.hash(id.as_bytes())]).unwrap()
        });
    let ring = VectorRing::from_nodes_with(scheme, nodes(&ids)).unwrap();
    let share = shares(&ring)["http://127.0.0.1:9009"];
    assert!((share - skipper["share_of_port_9009"].as_f64().unwrap()).abs() < 0.0001);

    let ids = set("stathat-memcached");
    let scheme = Labelled::new("{i}{node}", Crc32).unwrap();
    let scheme = scheme.with_points_per_weight(20).unwrap();
    let ring = VectorRing::from_nodes_with(scheme, nodes(&ids)).unwrap();
    for (id, share) in shares(&ring) {
        let expected = stathat["shares"][&id].as_f64().unwrap();
        assert!((share - expected).abs() < 0.0001, "{id}: {share}");
    }

    let scheme = Labelled::new("{i}{node}", Fnv1a32).unwrap();
    let scheme = scheme.with_points_per_weight(20).unwrap();
    let mut tokens: Vec<u32> = nodes(&set("tinode"))
        .iter()
        .flat_map(|node| scheme.points(node).unwrap())
        .collect();
    tokens.sort_unstable();
    let gaps = tokens
        .windows(2)
        .filter(|pair| pair[1] - pair[0] == 16_777_619);
    let expected: usize = number(&tinode["gaps_equal_to_fnv_prime_16777619"]);
    assert_eq!(gaps.count(), expected);
}
