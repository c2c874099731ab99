//! What fills promise of counts and movement, partition by partition.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_slot_table::{
    BoundedFill, BuraksezerFill, ByRange, ByRemainder, Fill, KeyHasher, MAX_PARTITIONS, Node,
    NodeId, Partitioner, RendezvousFill, RouteError, SlotTable, Weight, hash::Xxh3, hash_fn,
};
use serde_json::Value;

fn fleet(weights: impl IntoIterator<Item = u32>) -> Vec<Node> {
    let node = |(i, weight)| {
        let node = Node::new(format!("node-{i}")).unwrap();
        node.with_weight(Weight::new(weight).unwrap())
    };
    weights.into_iter().enumerate().map(node).collect()
}

fn equal(count: u32) -> Vec<Node> {
    fleet((0..count).map(|_| 1))
}

fn table<F: Fill>(fill: F, partitions: u32, nodes: Vec<Node>) -> SlotTable<F, ByRange> {
    let partitioner = ByRange::new(Xxh3, partitions).unwrap();
    SlotTable::from_nodes_with(fill, partitioner, nodes).unwrap()
}

fn ids<F: Fill, P: Partitioner>(table: &SlotTable<F, P>) -> Vec<NodeId> {
    let id = |slot| table.members().get(slot).unwrap().id().clone();
    table.owners().map(id).collect()
}

fn counts<F: Fill, P: Partitioner>(table: &SlotTable<F, P>) -> Vec<u32> {
    table.partitions_by_slot().map(|(_, count)| count).collect()
}

/// Case p11: rows of partitions, members, load, and the limit they give.
fn rows() -> Vec<(u32, u32, u32, u32)> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/p11-bounded-partitions-feasible.json"
    );
    let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows = case["inputs"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    rows.iter()
        .map(|row| {
            let number = |field: &str| u32::try_from(row[field].as_u64().unwrap()).unwrap();
            // Loads have two decimals at most.
            let load = row["load"].to_string();
            let (whole, rest) = load.split_once('.').unwrap();
            let thousandths: u32 = format!("{whole}{rest:0<3}").parse().unwrap();
            (
                number("partitions"),
                number("members"),
                thousandths,
                number("cap"),
            )
        })
        .collect()
}

#[test]
fn every_row_is_placed_and_no_member_is_over_its_limit() {
    for (partitions, members, load, limit) in rows() {
        let fill = BoundedFill::new(Xxh3).with_load(load).unwrap();
        let table = table(fill, partitions, equal(members));
        let counts = counts(&table);
        assert_eq!(counts.iter().sum::<u32>(), partitions);
        assert!(counts.iter().all(|&count| count <= limit), "{counts:?}");
        let first = table.members().slots().next().unwrap();
        assert_eq!(table.limit_of(first), Some(limit));
    }
}

/// The package's own rule places them too, since v1.0.0; and with one point a node.
#[test]
fn every_row_is_placed_under_buraksezers_rule() {
    for (partitions, members, load, limit) in rows() {
        for points in [1, 20] {
            let fill = BuraksezerFill::v1_0(Xxh3).with_load(load).unwrap();
            let fill = fill.with_points(points).unwrap();
            let partitioner = ByRemainder::new(Xxh3, partitions).unwrap();
            let table = SlotTable::from_nodes_with(fill, partitioner, equal(members)).unwrap();
            let counts = counts(&table);
            assert_eq!(counts.iter().sum::<u32>(), partitions);
            assert!(counts.iter().all(|&count| count <= limit), "{counts:?}");
        }
    }
}

#[test]
fn where_the_package_panics_there_is_an_error() {
    fn build<H: KeyHasher<Out = u64> + Copy>(
        fill: impl Fn(H) -> BuraksezerFill<H>,
        hasher: H,
        partitions: u32,
        nodes: Vec<Node>,
    ) -> Result<(), RouteError> {
        let partitioner = ByRemainder::new(hasher, partitions).unwrap();
        SlotTable::from_nodes_with(fill(hasher), partitioner, nodes).map(|_| ())
    }
    // Two points, of which only one is looked at. All partitions begin at the first: three fill its
    // node.
    let hasher = hash_fn(|bytes| {
        if bytes.len() == 8 {
            0
        } else {
            Xxh3.hash(bytes)
        }
    });
    let cited = ["0", "1"].map(|id| Node::new(id).unwrap()).to_vec();
    let one_point = |fill: BuraksezerFill<_>| fill.with_points(1)?.with_load(1500);
    assert_eq!(
        build(
            |it| one_point(BuraksezerFill::v0_10(it)).unwrap(),
            hasher,
            5,
            cited.clone()
        ),
        Err(RouteError::NoRoom {
            partition: 3,
            limit: 3,
        })
    );
    assert_eq!(
        build(
            |it| one_point(BuraksezerFill::v1_0(it)).unwrap(),
            hasher,
            5,
            cited
        ),
        Ok(())
    );
    // The floor makes the average 0.
    assert_eq!(
        build(BuraksezerFill::v0_10, Xxh3, 271, equal(300)),
        Err(RouteError::NoRoom {
            partition: 0,
            limit: 0,
        })
    );
    assert_eq!(build(BuraksezerFill::v1_0, Xxh3, 271, equal(300)), Ok(()));
}

#[test]
fn growing_and_shrinking_leaves_no_trace() {
    let fill = BoundedFill::new(Xxh3);
    let nodes = equal(12);
    let fresh = |count: usize| ids(&table(fill, 271, nodes[..count].to_vec()));
    let mut grown = table(fill, 271, vec![]);
    for count in 1..=12 {
        let before = grown.clone();
        grown.add(nodes[count - 1].clone()).unwrap();
        assert_eq!(ids(&grown), fresh(count));
        let counts = counts(&grown);
        let limit = (271 * 5u32).div_ceil(4 * u32::try_from(count).unwrap());
        assert!(counts.iter().all(|&count| count <= limit), "{counts:?}");
        // The newcomer's partitions, and those that limits displace.
        let moved: u32 = before
            .diff(&grown)
            .unwrap()
            .iter()
            .map(|step| step.last - step.first + 1)
            .sum();
        let must = *counts.last().unwrap();
        println!("{count} members: {moved} partitions moved, {must} of them to the newcomer");
        assert!(moved >= must && moved <= 271);
    }
    for count in (1..12).rev() {
        grown.remove(nodes[count].id().as_str()).unwrap();
        assert_eq!(ids(&grown), fresh(count));
    }
    grown.remove("node-0").unwrap();
    assert_eq!(grown.owners().count(), 0);
}

#[test]
fn a_load_of_one_makes_counts_as_even_as_can_be() {
    let even = BoundedFill::new(Xxh3).with_load(1000).unwrap();
    for (partitions, nodes) in [(1024, 3), (1000, 7), (64, 64), (5, 9)] {
        let table = table(even, partitions, equal(nodes));
        let most = counts(&table).into_iter().max();
        assert_eq!(most, Some(partitions.div_ceil(nodes)));
    }
    let weighted = table(even, 16_384, fleet([1, 2, 3, 10]));
    assert_eq!(counts(&weighted), [1024, 2048, 3072, 10_240]);
}

#[test]
fn rendezvous_moves_partitions_only_to_and_from_the_node_that_changes() {
    let weights = [3, 1, 4, 1, 5, 9, 2, 6];
    let fill = RendezvousFill::new(Xxh3);
    let full = table(fill, 2048, fleet(weights));
    for i in 0..weights.len() {
        let id = format!("node-{i}");
        let mut changed = full.clone();
        let node = changed.remove(&id).unwrap();
        let left = full.diff(&changed).unwrap();
        assert!(left.iter().all(|step| *step.from.as_ref().unwrap() == *id));
        let owned = counts(&full)[i];
        let moved: u32 = left.iter().map(|step| step.last - step.first + 1).sum();
        assert_eq!(moved, owned);

        // Back it comes and takes exactly those.
        changed.add(node).unwrap();
        assert!(full.diff(&changed).unwrap().is_empty());

        for weight in [1, 2, 20] {
            let mut changed = full.clone();
            let weight = Weight::new(weight).unwrap();
            let old = changed.reweight(&id, weight).unwrap();
            let steps = full.diff(&changed).unwrap();
            let raised = weight > old;
            assert!(steps.iter().all(|step| {
                let end = if raised { &step.to } else { &step.from };
                *end.as_ref().unwrap() == *id
            }));
            let mut anew = fleet(weights);
            anew[i] = anew[i].clone().with_weight(weight);
            assert_eq!(ids(&changed), ids(&table(fill, 2048, anew)));
        }
    }
}

#[test]
fn moves_are_few_and_say_all() {
    let before = table(RendezvousFill::new(Xxh3), 512, equal(4));
    let after = table(BoundedFill::new(Xxh3), 512, equal(5));
    let steps = before.diff(&after).unwrap();
    let mut owners: Vec<Option<NodeId>> = ids(&before).into_iter().map(Some).collect();
    let mut next = 0;
    for step in &steps {
        assert!(step.first >= next && step.last >= step.first);
        next = step.last + 1;
        for owner in &mut owners[step.first as usize..=step.last as usize] {
            assert_eq!(*owner, step.from);
            owner.clone_from(&step.to);
        }
    }
    assert!(owners.into_iter().flatten().eq(ids(&after)));
    for pair in steps.windows(2) {
        let touch = pair[0].last + 1 == pair[1].first;
        assert!(!touch || (&pair[0].from, &pair[0].to) != (&pair[1].from, &pair[1].to));
    }
    // From nothing, and to nothing.
    let empty = table(RendezvousFill::new(Xxh3), 512, vec![]);
    assert!(
        before
            .diff(&empty)
            .unwrap()
            .iter()
            .all(|step| step.to.is_none())
    );
    let from_nothing = empty
        .diff(&table(BoundedFill::new(Xxh3), 512, equal(1)))
        .unwrap();
    assert_eq!(from_nothing.len(), 1);
    assert_eq!(from_nothing[0].to_string(), r#"0-511: nobody to "node-0""#);
    assert!(matches!(
        before.diff(&table(RendezvousFill::new(Xxh3), 513, vec![])),
        Err(RouteError::Incomparable {
            what: "partitions",
            ..
        })
    ));
}

/// Case p04, sets of serialx/hashring#22 and coreos/torus#246: small weights do not vanish beside large
/// ones.
#[test]
fn small_weights_are_owners_and_replicas() {
    let torus = table(RendezvousFill::new(Xxh3), 16_384, fleet([1024, 1024, 5]));
    let share = counts(&torus)[2];
    assert!(share > 0 && share <= 16_384 / 50, "{share}");
    assert_eq!(torus.replicas(b"any key", 3).len(), 3);
    let serialx = table(RendezvousFill::new(Xxh3), 16_384, fleet(1..1000));
    assert_eq!(serialx.replicas(b"1", 1000).len(), 999);
}

/// Case p14: numbers at and over the edge.
#[test]
fn degenerate_numbers_are_refused_or_work() {
    for partitions in [0, MAX_PARTITIONS + 1, u32::MAX] {
        let refusal = RouteError::Partitions {
            given: partitions,
            limit: MAX_PARTITIONS,
        };
        assert_eq!(ByRange::new(Xxh3, partitions), Err(refusal.clone()));
        assert_eq!(ByRemainder::new(Xxh3, partitions), Err(refusal));
    }
    for load in [0, 999, 1_000_001, u32::MAX] {
        assert!(BoundedFill::new(Xxh3).with_load(load).is_err());
        assert!(BuraksezerFill::v1_0(Xxh3).with_load(load).is_err());
    }
    for points in [0, 10_001, u32::MAX] {
        assert!(BuraksezerFill::v1_0(Xxh3).with_points(points).is_err());
        // … and not by way of a stored form either.
        let mut stored = serde_json::to_value(BuraksezerFill::v1_0(Xxh3)).unwrap();
        stored["points"] = points.into();
        let refusal = serde_json::from_value::<BuraksezerFill<Xxh3>>(stored).unwrap_err();
        assert!(refusal.to_string().contains("1 to 10000"), "{refusal}");
    }
    // Each number is accepted, all points together are not: refused before there is a ring.
    let many = BuraksezerFill::v1_0(Xxh3).with_points(10_000).unwrap();
    let crowd = SlotTable::from_nodes_with(many, ByRemainder::new(Xxh3, 1).unwrap(), equal(1_678));
    assert_eq!(
        crowd.unwrap_err(),
        RouteError::TooManyPoints {
            points: 16_780_000,
            points_per_weight: Some(10_000),
        }
    );
    // 400 partitions for 20 nodes of weight 100; one for five nodes; weights as far apart as can be.
    assert!(
        counts(&table(BoundedFill::new(Xxh3), 400, fleet([100; 20])))
            .iter()
            .all(|&n| n > 0)
    );
    let lone = table(BoundedFill::new(Xxh3), 1, equal(5));
    assert_eq!(counts(&lone).iter().sum::<u32>(), 1);
    let apart = table(BoundedFill::new(Xxh3), 64, fleet([u32::MAX, 1]));
    assert_eq!(counts(&apart).iter().sum::<u32>(), 64);
    let apart = table(RendezvousFill::new(Xxh3), 64, fleet([u32::MAX, 1]));
    assert_eq!(apart.replicas(b"", usize::MAX).len(), 2);
    for key in [&b""[..], &[0, 255, 0xc3, 0x28], &[b'x'; 1 << 20]] {
        assert!(apart.route(key).is_some());
    }
}
