//! Equal weights give equal points, for every number of nodes; the preset rounds as its original does.
//!
//! The tables are computed in IEEE operations alone, so another machine has no other table; only this
//! one was run.

use keyroute::{BTreeRing, Ketama, KetamaPoints, PointScheme, Scheme, VectorRing};
use keyroute_tests::{json, keys, list, moves, node, nodes, number, owners};

#[test]
fn equal_weights_give_equal_points_for_1_to_1000_nodes() {
    let mut ring = VectorRing::new();
    let mut tree = BTreeRing::new();
    for n in 1..=1000 {
        let newcomer = node(&format!("node-{n}"), 1);
        ring.add(newcomer.clone()).unwrap();
        tree.add(newcomer.clone()).unwrap();
        // 160 joined and none left: then every node has 160, as the first did.
        assert_eq!((ring.points(), tree.points()), (n * 160, n * 160));
        assert_eq!(KetamaPoints::default().count_of(&newcomer), 160);
    }
    let mut counts = vec![0; ring.members().slot_bound()];
    for (_, slot) in ring.scheme().points_of_each(ring.members()).unwrap() {
        counts[slot.index() as usize] += 1;
    }
    assert_eq!(counts, [160; 1000]);
}

#[test]
fn the_ketama_preset_has_156_points_exactly_where_its_original_does() {
    let case = json("cases/p06-ketama-rounding.json");
    let sizes = &case["inputs"]["sizes_1_to_128_where_a_node_gets_39_instead_of_40_blocks"];
    let short: Vec<usize> = list(&sizes["binary32_quotient_double_products_cast_to_binary32"])
        .iter()
        .map(number)
        .collect();
    assert_eq!(short, [61, 122]);
    for n in 1..=128 {
        let ids: Vec<String> = (0..n).map(|i| format!("10.0.0.{i}:11211")).collect();
        let ring = Ketama::libketama(nodes(&ids)).unwrap();
        let mut counts = vec![0; n];
        for (_, slot) in ring.scheme().fleet_points(ring.members()).unwrap() {
            counts[slot.index() as usize] += 1;
        }
        let expected = if short.contains(&n) { 156 } else { 160 };
        assert_eq!(counts, vec![expected; n], "{n} servers");
    }
}

/// With 160 points at every size the twenty-fifth node moves 715 keys, and none between the others.
#[test]
fn the_twenty_fifth_node_moves_what_160_points_move() {
    let case = json("cases/p06-ketama-rounding.json");
    let expected: usize =
        number(&case["inputs"]["effect_at_n_25"]["moves_24_to_25_with_160_points"]);
    let keys = keys("k", "", 20_000);
    let ids: Vec<String> = (1..=25).map(|i| format!("10.0.0.{i}:11212")).collect();
    let mut ring = Ketama::from_ids(&ids[..24]).unwrap();
    let before = owners(&ring, &keys);
    ring.add(node(&ids[24], 1)).unwrap();
    let after = owners(&ring, &keys);
    let moves = moves(&before, &after);
    assert_eq!(moves.len(), expected);
    assert!(moves.iter().all(|&(_, to)| to == ids[24]));
}
