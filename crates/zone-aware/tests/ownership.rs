//! Ownership agrees with the placement, key by key and position by position.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use keyroute_anchor::Ranking;
use keyroute_conformance::{Cut, Subject, Verdict, Violation, hold};
use keyroute_core::hash::{Xxh3, Xxh32};
use keyroute_core::{
    AtOrBefore, Native, Node, NodeId, RouteDigest, Slot, Tokens, Walk, WalkRanges, WithLookup,
    Zone, hash_fn,
};
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::{Ownership, ZoneAware};

fn node(id: &str, zone: &str) -> Node {
    Node::new(id).unwrap().with_zone(Zone::new(zone).unwrap())
}

/// A 32-bit ring whose keys stand at their number.
fn by_tokens(
    tokens: &[(&str, &str, &[u32])],
) -> ZoneAware<VectorRing<Tokens<impl keyroute_core::KeyHasher<Out = u32>>>> {
    let at = |key: &[u8]| u32::from_le_bytes(key.try_into().unwrap_or_default());
    let mut scheme = Tokens::new(hash_fn(at));
    for (id, _, tokens) in tokens {
        scheme = scheme.with(id, tokens.iter().copied()).unwrap();
    }
    let nodes = tokens.iter().map(|(id, zone, _)| node(id, zone));
    ZoneAware::new(VectorRing::from_nodes_with(scheme, nodes).unwrap())
}

/// (primary, any) of each node.
fn shares(ownership: &Ownership) -> BTreeMap<&str, (u128, u128)> {
    let nodes = ownership.nodes().iter();
    nodes
        .map(|node| (node.id.as_str(), (node.primary, node.any)))
        .collect()
}

const RING: u128 = 1 << 32;

/// grafana/dskit#324: ownership by the first replica alone showed one of two zones' nodes as idle.
#[test]
fn a_zone_whose_tokens_stand_just_behind_anothers_owns_everything_too() {
    let router = by_tokens(&[
        ("in-a", "a", &[1000, 20_000, 300_000]),
        ("in-b", "b", &[1001, 20_001, 300_001]),
    ]);
    let one = router.ownership(1);
    assert_eq!(
        shares(&one),
        [("in-a", (RING - 3, RING - 3)), ("in-b", (3, 3))].into()
    );
    let two = router.ownership(2);
    assert_eq!(two.whole(), RING);
    assert_eq!(
        shares(&two),
        [("in-a", (RING - 3, RING)), ("in-b", (3, RING))].into()
    );
    for zone in two.zones() {
        assert_eq!((zone.any, zone.replicas), (RING, RING), "{zone:?}");
        assert!((two.share(zone.any) - 1.0).abs() < 1e-12);
    }
    // More replicas than nodes add nothing.
    assert_eq!(shares(&router.ownership(9)), shares(&two));
    assert!(router.ownership(0).nodes().iter().all(|node| node.any == 0));
}

/// The same tokens on six nodes: each zone is split as its own ring would be.
#[test]
fn with_a_replica_in_each_zone_each_is_split_as_if_alone() {
    let router = by_tokens(&[
        ("a1", "a", &[1000]),
        ("a2", "a", &[20_000]),
        ("a3", "a", &[300_000]),
        ("b1", "b", &[1001]),
        ("b2", "b", &[20_001]),
        ("b3", "b", &[300_001]),
    ]);
    let first = RING - 299_000; // behind the last token and round to the first
    let expected = [
        ("a1", (first - 1, first)),
        ("a2", (18_999, 19_000)),
        ("a3", (279_999, 280_000)),
        ("b1", (1, first)),
        ("b2", (1, 19_000)),
        ("b3", (1, 280_000)),
    ];
    assert_eq!(shares(&router.ownership(2)), expected.into());
}

/// apache/cassandra-java-driver#137: replicas were missed where one node holds consecutive tokens.
#[test]
fn consecutive_tokens_of_one_node_and_of_one_zone_hide_nobody() {
    let router = by_tokens(&[
        ("a1", "a", &[10, 11, 12, 13]),
        ("a2", "a", &[14, 15]),
        ("b1", "b", &[1_000_000]),
        ("b2", "b", &[2_000_000]),
    ]);
    let at = |position: u32, n| {
        let placement = router.place(&position.to_le_bytes(), n);
        let ids: Vec<&str> = placement.ids().map(NodeId::as_str).collect();
        (ids.join(" "), placement.spread().zones)
    };
    assert_eq!(at(10, 2), ("a1 b1".into(), 2));
    assert_eq!(at(14, 2), ("a2 b1".into(), 2));
    assert_eq!(at(14, 3), ("a2 b1 b2".into(), 2));
    assert_eq!(at(1_000_001, 4), ("b2 a1 a2 b1".into(), 2));
    let three = router.ownership(3);
    let zones: Vec<(u128, u128)> = three.zones().iter().map(|z| (z.any, z.replicas)).collect();
    assert_eq!(
        zones.iter().map(|zone| zone.0).collect::<Vec<_>>(),
        [RING, RING]
    );
    assert_eq!(zones.iter().map(|zone| zone.1).sum::<u128>(), 3 * RING);
}

/// What the placement of each key says, added up by hand.
fn by_hand<R: Walk>(
    router: &ZoneAware<R>,
    keys: &[Vec<u8>],
    n: usize,
) -> BTreeMap<Slot, (u128, u128)> {
    let mut counts: BTreeMap<Slot, (u128, u128)> = router
        .members()
        .slots()
        .map(|slot| (slot, (0, 0)))
        .collect();
    for key in keys {
        for (rank, slot) in router.place(key, n).slots().iter().enumerate() {
            let count = counts.get_mut(slot).unwrap();
            count.0 += u128::from(rank == 0);
            count.1 += 1;
        }
    }
    counts
}

fn counted_keys_agree<R: Walk>(subject: &Subject<ZoneAware<R>>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        for n in 0..=case.nodes.len() + 1 {
            let ownership = router.ownership_of(&case.keys, n);
            let nodes = ownership.nodes().iter();
            let found: BTreeMap<_, _> = nodes
                .map(|node| (node.slot, (node.primary, node.any)))
                .collect();
            let expected = by_hand(&router, &case.keys, n);
            // Zones, from the nodes and from the placements.
            let in_zone = |zone: &Option<Zone>, key: &[u8]| {
                let placement = router.place(key, n);
                u128::from(placement.in_zone(zone.as_ref()).next().is_some())
            };
            let zones = ownership.zones().iter().all(|it| {
                let nodes = ownership.nodes().iter().filter(|node| node.zone == it.zone);
                let sums = nodes.fold((0, 0), |sum, node| (sum.0 + node.primary, sum.1 + node.any));
                let any: u128 = case.keys.iter().map(|key| in_zone(&it.zone, key)).sum();
                sums == (it.primary, it.replicas) && any == it.any
            });
            if found != expected || !zones || ownership.whole() != case.keys.len() as u128 {
                return Err(Violation::new(format!(
                    "with {n} replicas: {ownership:?}, by hand {expected:?}"
                )));
            }
        }
        Ok(())
    })
}

/// Positions of a small ring, each asked by itself: 8 bits of 64, so that ranges are few and ties many.
fn counted_positions_agree<R>(subject: &Subject<ZoneAware<R>>) -> Verdict
where
    R: WalkRanges + RouteDigest<Width = u64>,
{
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let most = case.nodes.len();
        for n in [1, 2, most] {
            let ownership = router.ownership(n);
            let mut by_hand: BTreeMap<Slot, (u128, u128)> = BTreeMap::new();
            // All points stand at multiples of 2^56: the walk is one between them.
            for top in 0..256u64 {
                for (position, size) in [(top << 56, 1), ((top << 56) + 1, (1u128 << 56) - 1)] {
                    let mut rank = 0;
                    keyroute_core::WalkDigest::walk_value(&router, position, &mut |slot| {
                        let count = by_hand.entry(slot).or_default();
                        count.0 += if rank == 0 { size } else { 0 };
                        count.1 += size;
                        rank += 1;
                        if rank == n {
                            std::ops::ControlFlow::Break(())
                        } else {
                            std::ops::ControlFlow::Continue(())
                        }
                    });
                }
            }
            for node in ownership.nodes() {
                let expected = by_hand.get(&node.slot).copied().unwrap_or_default();
                if (node.primary, node.any) != expected {
                    return Err(Violation::new(format!(
                        "{n} replicas: {node:?}, not {expected:?}"
                    )));
                }
            }
            if ownership.whole() != 1 << 64 {
                return Err(Violation::new(format!(
                    "the whole is {}",
                    ownership.whole()
                )));
            }
        }
        Ok(())
    })
}

#[test]
fn counted_keys_agree_with_the_placement_of_each() {
    hold(
        |nodes| VectorRing::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
        counted_keys_agree,
    );
    hold(
        |nodes| Ranking::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
        counted_keys_agree,
    );
}

#[test]
fn counted_positions_agree_with_the_walk_from_each() {
    hold(
        |nodes| {
            let scheme = Native::new(Cut::top(Xxh3, 8)).with_points_per_weight(4)?;
            VectorRing::from_nodes_with(scheme, nodes.iter().cloned()).map(ZoneAware::new)
        },
        counted_positions_agree,
    );
    hold(
        |nodes| {
            let scheme = Native::new(Cut::top(Xxh3, 8)).with_points_per_weight(4)?;
            let scheme = WithLookup::new(scheme, AtOrBefore);
            VectorRing::from_nodes_with(scheme, nodes.iter().cloned()).map(ZoneAware::new)
        },
        counted_positions_agree,
    );
}

/// Keys fall into positions as their hashes do, so both reports come to the same shares.
#[test]
fn both_reports_come_to_the_same() {
    let nodes = ["a1", "a2", "b1", "b2", "b3", "c1"].map(|id| node(id, &id[..1]));
    let scheme = Native::new(Xxh32::default());
    let router = ZoneAware::new(VectorRing::from_nodes_with(scheme, nodes).unwrap());
    for n in 1..=6 {
        let positions = router.ownership(n);
        let keys = router.ownership_of((0..40_000).map(|i| format!("user:{i}")), n);
        for (one, other) in positions.nodes().iter().zip(keys.nodes()) {
            let (exact, sample) = (positions.share(one.any), keys.share(other.any));
            // Five standard deviations of the sample.
            assert!(
                (exact - sample).abs() < 5.0 * 0.5 / 200.0,
                "{n}: {one:?} {other:?}"
            );
        }
        assert_eq!(
            positions
                .nodes()
                .iter()
                .map(|node| node.primary)
                .sum::<u128>(),
            RING
        );
    }
}

/// Zones of 4, 4 and 1: the lone node holds everything once each zone has a replica, and before that more than
/// its part.
#[test]
fn a_small_zone_holds_as_much_as_a_large_one() {
    let mut nodes: Vec<Node> = (0..8)
        .map(|i| node(&format!("{}{i}", ["a", "b"][i % 2]), ["a", "b"][i % 2]))
        .collect();
    nodes.push(node("c", "c"));
    let router = ZoneAware::new(VectorRing::from_nodes(nodes).unwrap());
    let lone = |n| {
        let ownership = router.ownership(n);
        let zone = ownership
            .zones()
            .iter()
            .find(|it| it.zone == Zone::new("c").ok())
            .unwrap();
        (ownership.share(zone.primary), ownership.share(zone.any))
    };
    let (primary, one) = lone(1);
    assert!(
        (primary - one).abs() < 1e-12 && (0.07..0.16).contains(&one),
        "{one}"
    ); // 1 of 9
    let (_, two) = lone(2);
    assert!((0.2..0.4).contains(&two), "{two}"); // first, or the second zone of others: 1/9 + 8/9 × 1/5
    assert!((lone(3).1 - 1.0).abs() < 1e-12);
}
