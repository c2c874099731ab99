//! What a plan promises, over random fleets and changes: exact, disjoint, complete, minimal, and undone by its
//! inverse.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_interop::twemproxy::{Ketama, KeyHash};
use keyroute_maglev::{Maglev, TableSize};
use keyroute_plan::hash::Xxh3;
use keyroute_plan::*;
use keyroute_slot_table::{ByRange, RendezvousFill, SlotTable};
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::ZoneAware;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Fleets of up to eight nodes, of nine, with weights up to four.
fn fleets() -> impl Strategy<Value = (Vec<Node>, Vec<Node>)> {
    let fleet = || proptest::collection::btree_map(0..9u8, 1..5u32, 0..8);
    (fleet(), fleet()).prop_map(|(before, after)| {
        let nodes = |weights: std::collections::BTreeMap<u8, u32>| {
            let node = |(id, weight): (u8, u32)| {
                let zone = Zone::new(format!("z{}", id % 3)).unwrap();
                let node = Node::new(format!("n{id}")).unwrap().with_zone(zone);
                node.with_weight(Weight::new(weight).unwrap())
            };
            weights.into_iter().map(node).collect()
        };
        (nodes(before), nodes(after))
    })
}

/// Who holds a position before and after, asked of the routers themselves.
type Holders<'a> = dyn Fn(u128) -> (Vec<NodeId>, Vec<NodeId>) + 'a;

/// What holds of every plan.
fn check(before: &Layout, after: &Layout, asked: &[u128], holders: &Holders<'_>) {
    let plan = Plan::between(before, after).unwrap();
    let space = plan.space();

    // Applied to a position, it is the new router's answer: at keys, and on both sides of every end.
    let ends = plan.moves().iter().flat_map(|it| {
        let past = if it.through() == space.last() {
            0
        } else {
            it.through() + 1
        };
        [it.after(), it.first(), it.through(), past]
    });
    for position in ends.chain(asked.iter().copied()).chain([0, space.last()]) {
        let (from, to) = holders(position);
        match plan.move_of(position) {
            None => assert_eq!(from, to, "{position:x} stays"),
            Some(it) => {
                assert_eq!(it.transfer().from(), from, "{it} at {position:x}");
                assert_eq!(it.transfer().to(), to, "{it} at {position:x}");
                assert_ne!(from, to);
            }
        }
    }

    // Disjoint and in order; minimal: no two neighbours could be one.
    let moves = plan.moves();
    let sizes: u128 = moves.iter().map(Move::size).sum();
    assert!(sizes <= space.size());
    for pair in moves.windows(2) {
        assert!(
            pair[0].through() <= pair[1].after(),
            "{} meets {}",
            pair[0],
            pair[1]
        );
    }
    for (at, it) in moves.iter().enumerate() {
        let next = &moves[(at + 1) % moves.len()];
        // Hashes are a ring, partitions a list.
        let last = matches!(space, Space::Partitions(_)) && at + 1 == moves.len();
        if moves.len() > 1 && !last && it.through() == next.after() {
            assert_ne!(
                it.transfer(),
                next.transfer(),
                "{it} and {next} could be one"
            );
        }
    }

    // Back again.
    let back = Plan::between(after, before).unwrap();
    assert_eq!(plan.inverse(), back);
    assert_eq!(back.inverse(), plan);
}

fn ids<'a>(members: &'a Members, slots: impl IntoIterator<Item = Slot> + 'a) -> Vec<NodeId> {
    let node = |slot| members.get(slot).unwrap().id().clone();
    slots.into_iter().map(node).collect()
}

/// The owner's plan of two routers with ranges.
fn check_ranges<R>(before: &R, after: &R, values: &[R::Width2])
where
    R: Ranged,
{
    let asked: Vec<u128> = values.iter().map(|value| value.widen()).collect();
    check(
        &Layout::of_ranges(before),
        &Layout::of_ranges(after),
        &asked,
        &|position| {
            let value = R::narrow(position);
            (
                ids(before.members(), before.route_value(value)),
                ids(after.members(), after.route_value(value)),
            )
        },
    );
}

/// Both ranges and digests, of one width.
trait Ranged: Ranges<Width = Self::Width2> + RouteDigest<Width = Self::Width2> {
    type Width2: Position;
    fn narrow(position: u128) -> Self::Width2;
}

macro_rules! ranged {
    ($($router:ty: $width:ty),*) => {$(
        impl Ranged for $router {
            type Width2 = $width;
            fn narrow(position: u128) -> $width {
                position.try_into().unwrap()
            }
        }
    )*};
}

ranged!(VectorRing: u64, Maglev: u64, SlotTable: u64, VectorRing<Ketama>: u32);

/// The same cases in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(0x706c_616e),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn of_rings((before, after) in fleets(), asked in any::<[u64; 32]>()) {
        let [before, after] = [before, after].map(|nodes| VectorRing::from_nodes(nodes).unwrap());
        check_ranges(&before, &after, &asked);
    }

    #[test]
    fn of_a_preset((before, after) in fleets(), asked in any::<[u32; 32]>()) {
        let [before, after] = [before, after].map(|nodes| {
            let scheme = Ketama::new(KeyHash::named("fnv1a_32").unwrap());
            VectorRing::from_nodes_with(scheme, nodes).unwrap()
        });
        check_ranges(&before, &after, &asked);
    }

    #[test]
    fn of_replicas((before, after) in fleets(), n in 0..5usize, asked in any::<[u64; 32]>()) {
        let [before, after] = [before, after].map(|nodes| VectorRing::from_nodes(nodes).unwrap());
        let asked = asked.map(u128::from);
        check(&Layout::of_replicas(&before, n), &Layout::of_replicas(&after, n), &asked, &|position| {
            let first = |ring: &VectorRing| {
                let value = u64::try_from(position).unwrap();
                let mut slots = Vec::new();
                ring.walk_value(value, &mut |slot| {
                    if slots.len() < n {
                        slots.push(slot);
                    }
                    std::ops::ControlFlow::Continue(())
                });
                ids(ring.members(), slots)
            };
            (first(&before), first(&after))
        });
    }

    #[test]
    fn of_replicas_in_zones((before, after) in fleets(), n in 1..4usize, keys in any::<[u64; 32]>()) {
        let router = |nodes| ZoneAware::new(VectorRing::from_nodes(nodes).unwrap());
        let [before, after] = [before, after].map(router);
        let plan = Plan::between(&Layout::of_replicas(&before, n), &Layout::of_replicas(&after, n)).unwrap();
        for key in keys.map(u64::to_le_bytes) {
            let [from, to] = [&before, &after].map(|it| ids(it.members(), it.replicas(&key, n)));
            match plan.move_of(before.digest(&key).value().into()) {
                None => prop_assert_eq!(from, to),
                Some(it) => prop_assert_eq!((it.transfer().from(), it.transfer().to()), (&*from, &*to)),
            }
        }
    }

    #[test]
    fn of_tables((before, after) in fleets(), size in 37..200u64) {
        let size = TableSize::at_least(size).unwrap();
        let maglevs = [&before, &after]
            .map(|nodes| Maglev::from_nodes_with(Xxh3, size, nodes.clone()).unwrap());
        let tables = [before, after].map(|nodes| {
            let keys = ByRange::new(Xxh3, size.get()).unwrap();
            SlotTable::from_nodes_with(RendezvousFill::default(), keys, nodes).unwrap()
        });
        check_partitions(&maglevs);
        check_partitions(&tables);
        check_against_the_tables_own(&tables);
        check_ranges(&maglevs[0], &maglevs[1], &[]);
        check_ranges(&tables[0], &tables[1], &[]);
    }

    #[test]
    fn in_phases((before, after) in fleets(), total in 0..1u64 << 50, parts in 1..40u64, n in 1..4usize) {
        let [before, after] = [before, after].map(|nodes| VectorRing::from_nodes(nodes).unwrap());
        let plan = Plan::between(&Layout::of_replicas(&before, n), &Layout::of_replicas(&after, n)).unwrap();
        let budget = (total / parts).max(8);
        check_phases(&plan, &Sizes::uniform(plan.space(), total), budget);
    }

    #[test]
    fn in_phases_of_keys(
        (before, after) in fleets(),
        keys in proptest::collection::vec((any::<u64>(), 0..100u64), 0..200),
        budget in 99..3000u64,
    ) {
        let [before, after] = [before, after].map(|nodes| VectorRing::from_nodes(nodes).unwrap());
        let plan = Plan::between(&Layout::of_ranges(&before), &Layout::of_ranges(&after)).unwrap();
        let at = |key: u64| u128::from(before.digest(&key.to_le_bytes()).value());
        let sizes = Sizes::of_keys(keys.iter().map(|&(key, bytes)| (at(key), bytes)));

        // In bytes it is what a survey of the same keys counts.
        let mut survey = Survey::of(&before, &after);
        for &(key, bytes) in &keys {
            survey.key_of(&key.to_le_bytes(), bytes);
        }
        let counted = survey.bytes();
        prop_assert_eq!(plan.bytes(&sizes).moved(), counted.moved());
        for (ends, flow) in plan.bytes(&sizes).iter().filter(|(_, flow)| flow.amount() > 0) {
            prop_assert!(counted.iter().any(|it| it == (ends, flow)));
        }
        prop_assert_eq!(plan.bytes(&sizes).needless(), counted.needless());
        check_phases(&plan, &sizes, budget);
    }
}

/// Phases are the plan, and each keeps the budget.
fn check_phases(plan: &Plan, sizes: &Sizes, budget: u64) {
    let phases = plan.phases(sizes, budget).unwrap();
    let mut flows = Flows::new();
    let mut positions = Flows::new();
    for phase in &phases {
        assert!(phase.bytes().busiest() <= u128::from(budget));
        assert!(!phase.moves().is_empty());
        for it in phase.moves() {
            flows.count(it.transfer(), sizes.of(it).into());
            positions.count(it.transfer(), it.size());
            for position in [it.first(), it.through()] {
                assert_eq!(plan.move_of(position).unwrap().transfer(), it.transfer());
            }
        }
    }
    assert_eq!(positions, plan.flows(), "every position once");
    // Where ranges are cut, bytes are rounded on both sides of the cut, but none are lost.
    assert_eq!(flows, plan.bytes(sizes));
}

fn check_partitions<R: Partitioned>([before, after]: &[R; 2]) {
    let all: Vec<u128> = (0..before.partitioning().count).map(u128::from).collect();
    check(
        &Layout::of_partitions(before),
        &Layout::of_partitions(after),
        &all,
        &|position| {
            let owner = |router: &R| {
                let owner = router.partition_owner(position.try_into().unwrap());
                ids(router.members(), owner)
            };
            (owner(before), owner(after))
        },
    );
}

/// A table says itself which of its partitions move.
fn check_against_the_tables_own([before, after]: &[SlotTable; 2]) {
    let plan = Plan::between(
        &Layout::of_partitions(before),
        &Layout::of_partitions(after),
    );
    let plan = plan.unwrap();
    let found = plan.moves().iter().map(|it| {
        let transfer = it.transfer();
        (
            it.first(),
            it.through(),
            transfer.from().first(),
            transfer.to().first(),
        )
    });
    let steps = before.diff(after).unwrap();
    let expected = steps.iter().map(|it| {
        (
            it.first.into(),
            it.last.into(),
            it.from.as_ref(),
            it.to.as_ref(),
        )
    });
    assert!(found.eq(expected), "{:?}, {steps:?}", plan.moves());
}

#[test]
fn of_two_spaces_there_is_none() {
    let ring = VectorRing::from_ids(["a", "b"]).unwrap();
    let [small, large] = [37, 101].map(|size| {
        let size = TableSize::new(size).unwrap();
        Maglev::from_ids_with(Xxh3, size, ["a", "b"]).unwrap()
    });
    let [entries, more] = [&small, &large].map(Layout::of_partitions);
    assert!(matches!(
        Plan::between(&entries, &more),
        Err(PlanError::Spaces { .. })
    ));
    assert!(Plan::between(&Layout::of_ranges(&ring), &entries).is_err());

    // Hashes they have in common: a ring and a table of one hasher can be compared.
    let plan = Plan::between(&Layout::of_ranges(&ring), &Layout::of_ranges(&small)).unwrap();
    assert!(!plan.is_empty());
    assert_eq!(
        plan.flows().needed(),
        0,
        "nobody gained: it is the price of the other strategy"
    );
}

#[test]
fn what_had_to_move_and_what_had_not() {
    let node = |id: &str, weight| {
        Node::new(id)
            .unwrap()
            .with_weight(Weight::new(weight).unwrap())
    };
    let plan = |before: &[Node], after: &[Node], n| {
        let [before, after] =
            [before, after].map(|nodes| VectorRing::from_nodes(nodes.to_vec()).unwrap());
        Plan::between(
            &Layout::of_replicas(&before, n),
            &Layout::of_replicas(&after, n),
        )
        .unwrap()
    };
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|id| node(id, 2));
    let before = [a.clone(), b.clone(), c.clone()];
    let changes: [Vec<Node>; 4] = [
        vec![a.clone(), b.clone(), c.clone(), d.clone()],
        vec![a.clone(), b.clone()],
        vec![a.clone(), b.clone(), node("c", 3)],
        vec![a.clone(), b.clone(), node("c", 1)],
    ];
    for after in &changes {
        for n in 1..=3 {
            let flows = plan(&before, after, n).flows();
            assert_eq!(flows.needless(), 0, "{n} replicas, to {after:?}");
        }
    }

    // Maglev pays for its speed.
    let before = Maglev::from_nodes(before).unwrap();
    let after = Maglev::from_nodes(changes[0].clone()).unwrap();
    let flows = Plan::between(
        &Layout::of_partitions(&before),
        &Layout::of_partitions(&after),
    )
    .unwrap()
    .flows();
    let movement = before.movement(&after).unwrap();
    assert!(movement.needless > 0);
    assert_eq!(flows.moved(), movement.moved.into());
    assert_eq!(flows.needless(), movement.needless.into());
}

#[test]
fn to_nobody_and_from_nobody() {
    let none = Layout::of_ranges(&VectorRing::new());
    let ring = Layout::of_ranges(&VectorRing::from_ids(["a", "b"]).unwrap());
    let fill = Plan::between(&none, &ring).unwrap();
    assert_eq!(fill.flows().moved(), 1 << 64);
    assert!(
        fill.flows()
            .iter()
            .all(|((from, _), flow)| from.is_none() && flow.needless == 0)
    );
    let empty = fill.inverse();
    assert_eq!(empty.flows().moved(), 0);
    assert_eq!(empty.flows().lost(), 1 << 64);
    assert!(Plan::between(&none, &none).unwrap().is_empty());
}
