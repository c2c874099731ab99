//! How much moves, from whom, where it lies: small cases with known answers.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_plan::{Flows, Layout, Node, NodeId, Plan, PlanError, Sizes, Survey, hash_fn};
use keyroute_slot_table::{AssignedFill, Assignment, ByRange, SlotTable};
use keyroute_vector_ring::VectorRing;

/// A table of eight partitions: the first four are a's, the others b's.
fn halves() -> SlotTable<AssignedFill, ByRange<impl keyroute_plan::KeyHasher<Out = u64> + Clone>> {
    let [a, b] = ["a", "b"].map(|id| Node::new(id).unwrap());
    let part = |first, last, node: &Node| Assignment {
        first,
        last,
        node: node.id().clone(),
    };
    let fill = AssignedFill::new([part(0, 3, &a), part(4, 7, &b)]);
    let keys = ByRange::new(
        hash_fn(|key: &[u8]| u64::from(key.first().copied().unwrap_or(0)) << 56),
        8,
    )
    .unwrap();
    SlotTable::from_nodes_with(fill, keys, [a, b]).unwrap()
}

/// Partitions 2 to 5 change hands: 2 and 3 to b, 4 and 5 to a.
fn exchange() -> Plan {
    let before = halves();
    let mut after = before.clone();
    after.assign(2..=3, "b").unwrap();
    after.assign(4..=5, "a").unwrap();
    Plan::between(
        &Layout::of_partitions(&before),
        &Layout::of_partitions(&after),
    )
    .unwrap()
}

fn of(flows: &Flows, node: &str) -> [u128; 3] {
    let (_, it) = flows.nodes().find(|(id, _)| **id == *node).unwrap();
    [it.sends, it.receives, it.drops]
}

#[test]
fn ends_belong_to_their_ranges() {
    let plan = exchange();
    assert_eq!(plan.moves().len(), 2);
    // A key at each position, of as many bytes as powers of ten tell apart.
    let sizes = Sizes::of_keys((0..8).map(|at| (at, 10u64.pow(u32::try_from(at).unwrap()))));
    let bytes: Vec<u64> = plan.moves().iter().map(|it| sizes.of(it)).collect();
    assert_eq!(bytes, [1_100, 110_000]);
    assert_eq!(sizes.total(), 11_111_111);
}

#[test]
fn between_ranges_with_sizes_there_is_nothing() {
    let plan = exchange();
    let sizes = Sizes::of_ranges(plan.space(), [(1, 2, 20), (5, 7, 300)]).unwrap();
    let bytes: Vec<u64> = plan.moves().iter().map(|it| sizes.of(it)).collect();
    assert_eq!(bytes, [10, 100], "half of the one, a third of the other");
    assert_eq!(sizes.total(), 320);
    for (ranges, problem) in [
        ([(1, 2, 20), (2, 3, 1)], "begins before"),
        ([(3, 2, 20), (5, 6, 1)], "ends before"),
        ([(1, 2, 20), (5, 8, 1)], "leaves the space"),
    ] {
        let refusal = Sizes::of_ranges(plan.space(), ranges).unwrap_err();
        assert!(matches!(refusal, PlanError::Sizes { .. }));
        let text = refusal.to_string();
        assert!(text.contains(problem), "{text}");
        assert!(text.contains("positions are 0 to 7"), "{text}");
    }
}

#[test]
fn each_node_is_told_what_it_sends_receives_and_drops() {
    let before = halves();
    let mut after = before.clone();
    after.assign(1..=3, "b").unwrap();
    let flows = Plan::between(
        &Layout::of_partitions(&before),
        &Layout::of_partitions(&after),
    );
    let flows = flows.unwrap().flows();
    assert_eq!(of(&flows, "a"), [3, 0, 3]);
    assert_eq!(of(&flows, "b"), [0, 3, 0]);
    assert_eq!(flows.busiest(), 3, "b receives as much as a sends");

    // Two senders and one receiver: the receiver is the busiest; the other way round the sender is.
    let grow = |ids: &[&str]| Layout::of_ranges(&VectorRing::from_ids(ids).unwrap());
    let plan = Plan::between(&grow(&["a", "b"]), &grow(&["a", "b", "c"])).unwrap();
    assert_eq!(plan.flows().busiest(), of(&plan.flows(), "c")[1]);
    assert_eq!(plan.inverse().flows().busiest(), of(&plan.flows(), "c")[1]);
    let half = plan.flows().scaled(1 << 20, u64::MAX);
    assert!(half.moved() < 1 << 20 && half.moved() > 1 << 16);
}

#[test]
fn all_copies_that_are_left_may_be_dropped() {
    let layout = |ids: &[&str]| Layout::of_replicas(&VectorRing::from_ids(ids).unwrap(), 2);
    let plan = Plan::between(&layout(&["a", "b"]), &layout(&["c", "d"])).unwrap();
    let flows = plan.flows();
    for node in ["a", "b"] {
        assert_eq!(of(&flows, node)[2], plan.space().size());
    }
}

/// The budget that a refusal asks for is the least that would do.
#[test]
fn what_moves_as_a_whole_says_which_budget_it_needs() {
    let layout = |ids: &[&str]| Layout::of_replicas(&VectorRing::from_ids(ids).unwrap(), 3);
    for (others, copies) in [(["d"].as_slice(), 1), (&["d", "e"], 2)] {
        let ids = [["a"].as_slice(), others].concat();
        let plan = Plan::between(&layout(&["a"]), &layout(&ids)).unwrap();
        let keys = [(5, 0), (0x10, 40), (0x11, 100), (0x12, 7), (1 << 60, 100)];
        let sizes = Sizes::of_keys(keys);
        let least = 100 * copies;
        assert!(plan.phases(&sizes, least).is_ok());
        for budget in [least - 1, 40 * copies] {
            let refusal = plan.phases(&sizes, budget).unwrap_err();
            let PlanError::Indivisible {
                bytes: 100,
                copies: sent,
                ..
            } = refusal
            else {
                panic!("{refusal:?}");
            };
            assert_eq!(sent, copies);
            let text = refusal.to_string();
            assert!(text.contains(", 0000000000000011] move"), "{text}");
            assert!(text.ends_with(&format!("of {least} or more")), "{text}");
        }
    }

    // Of partitions it is named by its number.
    let sizes = Sizes::of_ranges(exchange().space(), [(2, 2, 3), (3, 3, 9)]).unwrap();
    let refusal = exchange().phases(&sizes, 8).unwrap_err().to_string();
    assert!(refusal.starts_with("9 bytes in 3-3 move"), "{refusal}");
}

/// A node that leaves may be gone: where another holder stays, copies are read from that.
#[test]
fn copies_are_read_from_who_stays() {
    let layout = |ids: &[&str]| Layout::of_replicas(&VectorRing::from_ids(ids).unwrap(), 2);
    let plan = Plan::between(&layout(&["a", "b", "c"]), &layout(&["b", "c"])).unwrap();
    let copies = plan.moves().iter().flat_map(|it| it.transfer().copies());
    let mut from_owner = 0;
    for copy in copies {
        assert!(copy.from.is_some_and(|id| *id != "a"), "{copy:?}");
        from_owner += 1;
    }
    assert!(from_owner > 10);
    // Where it is the only one, there is no other.
    let only = |ids: &[&str]| Layout::of_ranges(&VectorRing::from_ids(ids).unwrap());
    let plan = Plan::between(&only(&["a", "b"]), &only(&["b"])).unwrap();
    let froms = plan.moves().iter().flat_map(|it| it.transfer().copies());
    assert!(
        froms
            .into_iter()
            .all(|copy| copy.from == Some(&NodeId::new("a").unwrap()))
    );
}

#[test]
fn a_key_that_nobody_holds_afterwards_has_moved() {
    let (before, after) = (VectorRing::from_ids(["a"]).unwrap(), VectorRing::new());
    let mut survey = Survey::of(&before, &after);
    assert!(survey.key(b"k").is_some());
    assert_eq!((survey.keys(), survey.moved()), (1, 1));
    assert_eq!((survey.flows().moved(), survey.flows().lost()), (0, 1));

    let mut back = Survey::of_replicas(&after, &before, 3);
    assert!(back.key_of(b"k", 7).is_some_and(|it| it.from().is_empty()));
    assert_eq!(back.bytes().moved(), 7);
}
