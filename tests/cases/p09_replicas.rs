//! N owners are N different nodes, also when the walk passes the end of the ring.

use keyroute::hash::Xxh3;
use keyroute::{
    BTreeRing, Ketama, KetamaPoints, KeyHasher, Native, RemoveNode, Tokens, VectorRing, Walk,
    WalkExt, hash_fn,
};
use keyroute_tests::{json, keys, list, nodes, number, texts};

/// Keys are their own hashes, four bytes each.
fn position(key: &[u8]) -> u32 {
    key.first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[test]
fn every_query_is_answered_as_listed() {
    let case = json("cases/p09-get-n-distinct.json");
    let mut scheme = Tokens::new(hash_fn(position));
    let mut ids = Vec::new();
    for (id, tokens) in case["inputs"]["tokens"].as_object().unwrap() {
        scheme = scheme.with(id, list(tokens).iter().map(number)).unwrap();
        ids.push(id);
    }
    fn check<R: Walk>(ring: &R, case: &serde_json::Value) {
        let answers = list(&case["expected"]["answers"]);
        assert_eq!(answers.len(), list(&case["inputs"]["queries"]).len());
        for answer in answers {
            let key = number::<u32>(&answer["hash"]).to_le_bytes();
            let n: usize = number(&answer["n"]);
            let found: Vec<&str> = ring
                .replica_ids(&key, n)
                .into_iter()
                .map(AsRef::as_ref)
                .collect();
            let expected = if n == 0 {
                Vec::new()
            } else {
                texts(&answer["nodes"])
            };
            assert_eq!(found, expected, "{answer}");
            assert_eq!(
                ring.replica_ids(&key, 1),
                ring.route_id(&key).into_iter().collect::<Vec<_>>()
            );
        }
    }
    check(
        &VectorRing::from_nodes_with(scheme.clone(), nodes(&ids)).unwrap(),
        &case,
    );
    check(
        &BTreeRing::from_nodes_with(scheme, nodes(&ids)).unwrap(),
        &case,
    );
}

/// Five nodes of a hundred points.
fn on_real_rings(check: impl Fn(&mut dyn Changing)) {
    let ids = ["a", "b", "c", "d", "e"];
    let native = Native::new(Xxh3).with_points_per_weight(100).unwrap();
    let ketama = KetamaPoints::default().with_points_per_weight(100).unwrap();
    check(&mut VectorRing::from_nodes_with(native, nodes(&ids)).unwrap());
    check(&mut BTreeRing::from_nodes_with(native, nodes(&ids)).unwrap());
    check(&mut Ketama::from_nodes_with(ketama, nodes(&ids)).unwrap());
}

trait Changing: Walk + RemoveNode {}
impl<R: Walk + RemoveNode> Changing for R {}

#[test]
fn replicas_are_distinct_begin_with_the_owner_and_grow_by_one() {
    on_real_rings(|ring| {
        for key in keys("k", "", 10_000) {
            let key = key.as_bytes();
            let three = ring.replicas(key, 3);
            let mut distinct = three.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), 3);
            assert_eq!(ring.route(key), Some(three[0]));
            assert_eq!(ring.replicas(key, 4)[..3], three);
            assert_eq!(ring.replicas(key, 9).len(), 5);
        }
    });
}

#[test]
fn without_its_owner_a_key_goes_to_its_second() {
    on_real_rings(|ring| {
        let keys = keys("k", "", 10_000);
        let before: Vec<Vec<String>> = keys.iter().map(|key| order(ring, key)).collect();
        ring.remove("c").unwrap();
        for (key, mut before) in keys.iter().zip(before) {
            before.retain(|id| id != "c");
            assert_eq!(order(ring, key), before, "{key}");
        }
    });
}

fn order<R: Walk + ?Sized>(ring: &R, key: &str) -> Vec<String> {
    let ids = ring.replica_ids(key.as_bytes(), 5);
    ids.into_iter().map(ToString::to_string).collect()
}

/// What the test above stands on: the hasher of the tokens is the identity.
#[test]
fn keys_are_their_own_hashes() {
    assert_eq!(hash_fn(position).hash(&7u32.to_le_bytes()), 7);
}
