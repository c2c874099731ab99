//! The ring of 150 points beside modulo, the points-per-node tables, and jump.

use std::collections::BTreeMap;

use keyroute::hash::{Crc32, ZeroExtend};
use keyroute::{KeyHasher, Labelled, LastListed, VectorRing, WithTies, jump_hash};
use keyroute_modulo::Modulo;
use keyroute_tests::{keys, labelled_ring, loads, moves, owners, sessions};

const NODES: [&str; 4] = ["node-A", "node-B", "node-C", "node-D"];

fn ring(points: u32, ids: &[&str]) -> VectorRing<WithTies<Labelled<Crc32>, LastListed>> {
    labelled_ring("{node}#{i}", Crc32, points, LastListed, ids)
}

/// Claimed: 7483 and 2449 of 10,000. "Three times less" is right.
#[test]
fn three_to_four_nodes_moves_7484_keys_by_modulo_and_2462_on_the_ring() {
    let keys = sessions(10_000);
    let modulo = |count| {
        let router = Modulo::from_ids_with(Crc32, &NODES[..count]).unwrap();
        owners(&router, &keys)
    };
    let ring = |count| owners(&ring(150, &NODES[..count]), &keys);

    assert_eq!(moves(&modulo(3), &modulo(4)).len(), 7484);
    let (before, after) = (ring(3), ring(4));
    let moves = moves(&before, &after);
    assert_eq!(moves.len(), 2462);
    assert!(moves.iter().all(|&(_, to)| to == "node-D"));
}

/// Claimed: 2488, 2541, 2522, 2449, and 2 % off at most. It is 25.9 %.
#[test]
fn after_growing_the_four_nodes_hold_3148_2398_1992_and_2462_keys() {
    let loads = loads(&ring(150, &NODES), &sessions(10_000));
    assert_eq!(
        loads.into_values().collect::<Vec<_>>(),
        [3148, 2398, 1992, 2462]
    );
}

/// Claimed: 67.4, 18.2, 3.1 and 1.6 % off, and that more points always help. Measured: 197.3, 164.9,
/// 2.5 and 17.5 %.
#[test]
fn more_points_of_crc32_do_not_always_help() {
    let keys = keys("key-", "", 30_000);
    for (points, expected) in [
        (1, [51, 29_733, 216]),
        (10, [26_489, 1400, 2111]),
        (150, [10_247, 9769, 9984]),
        (500, [11_060, 10_689, 8251]),
    ] {
        let loads = loads(&ring(points, &["A", "B", "C"]), &keys);
        assert_eq!(
            loads.into_values().collect::<Vec<_>>(),
            expected,
            "{points} points"
        );
    }
}

/// The largest deviation from an even share, in tenths of a percent, for 1, 10, 150 and 500 points.
#[test]
fn other_names_are_no_more_monotonic() {
    let keys = keys("key-", "", 30_000);
    for (ids, expected) in [
        (["node-A", "node-B", "node-C"], [1959, 763, 113, 134]),
        (
            ["10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"],
            [612, 347, 40, 130],
        ),
    ] {
        let deviations = [1, 10, 150, 500].map(|points| {
            let loads = loads(&ring(points, &ids), &keys);
            let worst = loads
                .values()
                .map(|&load| load.abs_diff(10_000))
                .max()
                .unwrap();
            (worst + 5) / 10 // of 10,000, in thousandths
        });
        assert_eq!(deviations, expected, "{ids:?}");
    }
}

/// Claimed: 1.0002 %, over keys that are not given. The ideal is 1 %.
#[test]
fn jump_from_99_to_100_buckets_moves_one_percent() {
    let moved = |keys: u64| {
        (0..keys)
            .filter(|&key| jump_hash(key, 99) != jump_hash(key, 100))
            .count()
    };
    assert_eq!(moved(1_000_000), 9939);
    assert_eq!(moved(10_000_000), 100_349);
}

/// Claimed: within 0.5 %. That holds for sequential integers (0.069 %), not for hashes (0.53 %).
#[test]
fn jump_over_ten_buckets_is_as_even_as_its_keys() {
    let worst = |hashes: &mut dyn Iterator<Item = u64>| {
        let mut loads = BTreeMap::new();
        for hash in hashes {
            *loads.entry(jump_hash(hash, 10).unwrap()).or_insert(0u32) += 1;
        }
        assert_eq!(loads.len(), 10);
        loads
            .values()
            .map(|&load| load.abs_diff(100_000))
            .max()
            .unwrap()
    };
    assert_eq!(worst(&mut (0..1_000_000)), 69);
    let keys = sessions(1_000_000);
    let hashes = keys
        .iter()
        .map(|key| ZeroExtend(Crc32).hash(key.as_bytes()));
    assert_eq!(worst(&mut { hashes }), 527);
}

/// "The result fits n buckets": above 2^31 the article's numbers wrap to negative ones. Ours refuses.
#[test]
fn jump_refuses_what_it_cannot_number() {
    assert_eq!(jump_hash(1, u32::MAX), None);
    assert_eq!(jump_hash(1, 1 << 31), None);
    assert!(jump_hash(1, (1 << 31) - 1).is_some());
}
