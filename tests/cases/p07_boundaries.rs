//! An arc ends at its token, and hashes past the last token wrap to the first.

use keyroute::hash::mix64;
use keyroute::{BTreeRing, Ranges, RouteDigest, Tokens, VectorRing};
use keyroute_tests::{json, list, nodes, number, text};
use serde_json::Value;

fn case() -> Value {
    json("cases/p07-wrap-and-boundary.json")
}

/// Keys are not hashed here: only hashes are routed.
type Listed = Tokens<fn(&[u8]) -> u32>;

/// The tokens of an object, by node, and the nodes.
fn tokens(object: &Value) -> (Listed, Vec<String>) {
    let mut scheme = Tokens::new((|_: &[u8]| 0) as fn(&[u8]) -> u32);
    let mut ids = Vec::new();
    for (id, tokens) in object.as_object().unwrap() {
        scheme = scheme.with(id, list(tokens).iter().map(number)).unwrap();
        ids.push(id.clone());
    }
    (scheme, ids)
}

macro_rules! on_both_rings {
    ($tokens:expr, $check:expr) => {
        let (scheme, ids) = tokens($tokens);
        $check(VectorRing::from_nodes_with(scheme.clone(), nodes(&ids)).unwrap());
        $check(BTreeRing::from_nodes_with(scheme, nodes(&ids)).unwrap());
    };
}

fn owner<R: RouteDigest<Width = u32>>(ring: &R, hash: u32) -> &str {
    let slot = ring.route_value(hash).unwrap();
    ring.members().get(slot).unwrap().id().as_str()
}

#[test]
fn every_lookup_is_as_listed() {
    fn check<R: RouteDigest<Width = u32>>(ring: R) {
        for lookup in list(&case()["expected"]["lookups"]) {
            let found = owner(&ring, number(&lookup["hash"]));
            assert_eq!(found, text(&lookup["owner"]), "{lookup}");
        }
    }
    on_both_rings!(&case()["inputs"]["tokens"], check);
}

#[test]
fn ranges_are_the_listed_arcs_and_fill_the_ring() {
    fn check<R: Ranges<Width = u32> + RouteDigest<Width = u32>>(ring: R) {
        let case = case();
        let ranges = ring.ranges();
        let mut found: Vec<(String, u32, u32, u64)> = ranges
            .iter()
            .map(|range| {
                let id = ring.members().get(range.owner).unwrap().id().to_string();
                let size = range.size().and_then(|size| size.try_into().ok()).unwrap();
                (id, range.after, range.through, size)
            })
            .collect();
        found.sort();
        let mut expected = Vec::new();
        for (id, arcs) in case["expected"]["ranges"].as_object().unwrap() {
            for arc in list(arcs) {
                let [after, through] = ["after", "through"].map(|name| number(&arc[name]));
                expected.push((id.clone(), after, through, number(&arc["size"])));
            }
        }
        expected.sort();
        assert_eq!(found, expected);

        let sum: u64 = found.iter().map(|range| range.3).sum();
        assert_eq!(sum, number::<u64>(&case["expected"]["sum_of_ranges"]));
        for (id, total) in case["expected"]["owned_total"].as_object().unwrap() {
            let owned = found
                .iter()
                .filter(|range| range.0 == *id)
                .map(|range| range.3);
            assert_eq!(owned.sum::<u64>(), number::<u64>(total));
        }
        let wrapping = ranges.iter().filter(|range| range.after >= range.through);
        assert_eq!(wrapping.count(), 1);

        for i in 0..10_000 {
            let hash = u32::try_from(mix64(i) >> 32).unwrap();
            let mut holders = ranges.iter().filter(|range| range.contains(hash));
            let holder = holders.next().unwrap().owner;
            assert!(holders.next().is_none());
            assert_eq!(ring.route_value(hash), Some(holder));
        }
    }
    on_both_rings!(&case()["inputs"]["tokens"], check);
}

#[test]
fn one_token_owns_the_whole_ring() {
    fn check<R: Ranges<Width = u32> + RouteDigest<Width = u32>>(ring: R) {
        let expected = &case()["expected"]["single_token_ring"];
        for hash in [0, 999, 1000, 1001, u32::MAX] {
            assert_eq!(owner(&ring, hash), text(&expected["every_hash_owner"]));
        }
        let [whole] = ring.ranges()[..] else {
            panic!("one range");
        };
        assert_eq!(whole.size(), Some(number(&expected["size"])));
    }
    on_both_rings!(&case()["expected"]["single_token_ring"]["tokens"], check);
}
