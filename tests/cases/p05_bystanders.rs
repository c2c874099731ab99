//! Adding a node moves no key between nodes that did not change.

use std::collections::BTreeMap;

use keyroute::hash::Xxh3;
use keyroute::{
    AddNode, BTreeRing, Jump, Ketama, KetamaPoints, Libketama, Native, Node, RemoveNode, Scheme,
    VectorRing,
};
use keyroute_tests::{json, keys, list, moves, node, nodes, number, owners, text};
use serde_json::Value;

fn case() -> Value {
    json("cases/p05-bystander-stability.json")
}

fn start() -> Vec<Node> {
    let case = case();
    let weights = case["inputs"]["start_weights"].as_object().unwrap();
    assert_eq!(weights.len(), 8);
    weights
        .iter()
        .map(|(id, weight)| node(id, number(weight)))
        .collect()
}

fn added() -> Node {
    let added = &case()["inputs"]["added"];
    node(text(&added["node"]), number(&added["weight"]))
}

/// Adds the node and takes it out again: keys move to it alone, and about as many as its weight says.
fn check<R: AddNode>(mut router: R, newcomer: &Node, leave: impl Fn(&mut R, &str)) {
    let keys = keys("k", "", 20_000);
    let (before, fingerprint) = (owners(&router, &keys), router.fingerprint());
    router.add(newcomer.clone()).unwrap();
    let after = owners(&router, &keys);
    let moves = moves(&before, &after);
    assert!(moves.iter().all(|&(_, to)| *newcomer.id() == to));

    let total = router.members().total_weight();
    let ideal = 20_000 * u64::from(newcomer.weight().get()) / total;
    let moved = moves.len() as u64;
    assert!(
        moved.abs_diff(ideal) * 4 <= ideal,
        "{moved}, {ideal} are its share"
    );

    leave(&mut router, newcomer.id().as_str());
    assert_eq!(owners(&router, &keys), before);
    assert_eq!(router.fingerprint(), fingerprint);
}

fn remove<R: RemoveNode>(router: &mut R, id: &str) {
    router.remove(id).unwrap();
}

/// The weights are in the hundreds, so 16 points for each unit are plenty.
#[test]
fn a_heavy_newcomer_takes_keys_but_moves_none_between_others() {
    let native = Native::new(Xxh3).with_points_per_weight(16).unwrap();
    let ketama = KetamaPoints::default().with_points_per_weight(16).unwrap();
    check(
        VectorRing::from_nodes_with(native, start()).unwrap(),
        &added(),
        remove,
    );
    check(
        BTreeRing::from_nodes_with(native, start()).unwrap(),
        &added(),
        remove,
    );
    check(
        Ketama::from_nodes_with(ketama, start()).unwrap(),
        &added(),
        remove,
    );
}

#[test]
fn the_third_of_three_equal_nodes_moves_none_between_the_first_two() {
    let (two, third) = (nodes(&["a", "b"]), node("c", 1));
    check(VectorRing::from_nodes(two.clone()).unwrap(), &third, remove);
    check(BTreeRing::from_nodes(two.clone()).unwrap(), &third, remove);
    check(Ketama::from_nodes(two.clone()).unwrap(), &third, remove);
    check(Jump::from_nodes(two).unwrap(), &third, |jump, id| {
        assert_eq!(jump.remove_last().unwrap().id(), &id);
    });
}

/// The ketama preset is known to move bystanders: exactly as many as the reference says. Its rings
/// can be rebuilt and not added to, which says so by type.
#[test]
fn the_ketama_preset_moves_bystanders_as_recorded() {
    let case = case();
    let reference = &case["inputs"]["ketama_reference"];
    let mut servers = start();
    let mut ring = Ketama::libketama(servers.clone()).unwrap();
    let digests = |ring: &Ketama<Libketama>| {
        let mut digests: BTreeMap<String, u64> = BTreeMap::new();
        for (_, slot) in ring.scheme().fleet_points(ring.members()).unwrap() {
            let id = ring.members().get(slot).unwrap().id().to_string();
            *digests.entry(id).or_default() += 1;
        }
        digests.values_mut().for_each(|points| *points /= 4);
        digests
    };
    let recorded = |name: &str| -> BTreeMap<String, u64> {
        serde_json::from_value(reference[name].clone()).unwrap()
    };
    let keys = keys("k", "", number(&reference["of"]));
    let before = owners(&ring, &keys);
    assert_eq!(digests(&ring), recorded("per_node_md5_blocks_before"));

    servers.push(added());
    ring.rebuild(&servers).unwrap();
    assert_eq!(digests(&ring), recorded("per_node_md5_blocks_after"));
    let after = owners(&ring, &keys);
    let moves = moves(&before, &after);
    let bystanders = moves.iter().filter(|(_, to)| *added().id() != *to);
    assert_eq!(moves.len(), number::<usize>(&reference["moved_keys"]));
    assert_eq!(
        bystanders.count(),
        number::<usize>(&reference["moved_between_unchanged_nodes"])
    );
}

/// A ring whose total is fixed takes points from old nodes at every join. Ours do not.
#[test]
fn a_join_takes_no_points_from_others() {
    let case = case();
    assert_eq!(list(&case["check"]).len(), 4);
    let mut ring = VectorRing::from_ids(["a", "b"]).unwrap();
    let (before, each) = (ring.points(), ring.points() / 2);
    ring.add(node("c", 1)).unwrap();
    assert_eq!(ring.points(), before + each);
}
