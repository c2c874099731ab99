//! An operator's assignment: complete, once each, of members; and how it changes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_slot_table::{
    AssignedFill, Assignment, ByRange, Node, NodeId, Rebuild, RendezvousFill, RouteError, Router,
    SlotTable, hash::Xxh3,
};

type Table = SlotTable<AssignedFill, ByRange>;

fn id(id: &str) -> NodeId {
    NodeId::new(id).unwrap()
}

fn range(first: u32, last: u32, node: &str) -> Assignment {
    let node = id(node);
    Assignment { first, last, node }
}

/// A table of 100 partitions and the nodes a, b and c.
fn build(assignments: Vec<Assignment>) -> Result<Table, RouteError> {
    let nodes = ["a", "b", "c"].map(|it| Node::from(id(it)));
    let partitioner = ByRange::new(Xxh3, 100).unwrap();
    SlotTable::from_nodes_with(AssignedFill::new(assignments), partitioner, nodes)
}

#[test]
fn what_is_not_complete_or_said_twice_is_refused() {
    let refusal = |assignments| build(assignments).map(|_| ()).unwrap_err();
    let unassigned = |first, last| RouteError::Unassigned { first, last };
    assert_eq!(refusal(vec![]), unassigned(0, 99));
    assert_eq!(refusal(vec![range(0, 98, "a")]), unassigned(99, 99));
    assert_eq!(refusal(vec![range(1, 99, "a")]), unassigned(0, 0));
    assert_eq!(
        refusal(vec![range(50, 99, "b"), range(0, 39, "a")]),
        unassigned(40, 49)
    );
    assert_eq!(
        refusal(vec![range(0, 60, "a"), range(60, 99, "b")]),
        RouteError::AssignedTwice {
            partition: 60,
            to: [id("a"), id("b")],
        }
    );
    assert_eq!(
        refusal(vec![range(0, 99, "a"), range(7, 8, "a")]),
        RouteError::AssignedTwice {
            partition: 7,
            to: [id("a"), id("a")],
        }
    );
    assert_eq!(
        refusal(vec![range(0, 100, "a")]),
        RouteError::NoPartition {
            partition: 100,
            partitions: 100,
        }
    );
    assert_eq!(
        refusal(vec![range(0, u32::MAX, "a")]),
        RouteError::NoPartition {
            partition: u32::MAX,
            partitions: 100,
        }
    );
    assert!(matches!(
        refusal(vec![
            range(0, 49, "a"),
            range(60, 50, "b"),
            range(61, 99, "b")
        ]),
        RouteError::Parameter { .. }
    ));
    assert_eq!(
        refusal(vec![range(0, 49, "a"), range(50, 99, "x")]),
        RouteError::NotMember { id: "x".into() }
    );
}

#[test]
fn how_an_assignment_is_written_decides_nothing() {
    let whole = build(vec![range(0, 59, "a"), range(60, 99, "b")]).unwrap();
    let pieces = build(vec![
        range(60, 79, "b"),
        range(30, 59, "a"),
        range(80, 99, "b"),
        range(0, 29, "a"),
    ])
    .unwrap();
    assert_eq!(whole.fingerprint(), pieces.fingerprint());
    assert_eq!(
        pieces.assignments(),
        [range(0, 59, "a"), range(60, 99, "b")]
    );
    assert_eq!(pieces.fill().assignments(), pieces.assignments());
    // Its ids are quoted: no id can pass for a range.
    let odd = AssignedFill::new([range(0, 99, "a\" 60-99 \"b")]);
    let partitioner = ByRange::new(Xxh3, 100).unwrap();
    let nodes = [Node::from(id("a\" 60-99 \"b"))];
    let odd = SlotTable::from_nodes_with(odd, partitioner, nodes).unwrap();
    assert!(
        odd.describe()
            .to_string()
            .contains(r#"0-99 "a\" 60-99 \"b""#)
    );
}

#[test]
fn partitions_move_as_they_are_told() {
    let mut table = build(vec![range(0, 59, "a"), range(60, 99, "b")]).unwrap();
    let before = table.clone();
    table.assign(50..=69, "c").unwrap();
    let expected = [range(0, 49, "a"), range(50, 69, "c"), range(70, 99, "b")];
    assert_eq!(table.assignments(), expected);
    assert_eq!(
        table.fingerprint(),
        build(expected.into()).unwrap().fingerprint()
    );
    let moves: Vec<String> = before
        .diff(&table)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(moves, [r#"50-59: "a" to "c""#, r#"60-69: "b" to "c""#]);

    let same = table.clone();
    for (range, id) in [(0..=100, "a"), (100..=100, "a"), (0..=9, "x")] {
        assert!(table.assign(range, id).is_err());
    }
    assert!(
        table
            .assign(std::ops::RangeInclusive::new(9, 8), "a")
            .is_err()
    );
    assert_eq!(table.fingerprint(), same.fingerprint());
    assert!(table.owners().eq(same.owners()));
}

#[test]
fn a_node_comes_with_nothing_and_leaves_with_nothing() {
    let mut table = build(vec![range(0, 99, "a")]).unwrap();
    let before = table.clone();
    let newcomer = table.add(Node::from(id("d"))).unwrap();
    assert!(table.partitions_by_slot().any(|it| it == (newcomer, 0)));
    assert!(before.diff(&table).unwrap().is_empty());
    assert_eq!(
        table.remove("a"),
        Err(RouteError::StillAssigned {
            id: id("a"),
            partitions: 100,
        })
    );
    table.assign(0..=99, "d").unwrap();
    table.remove("a").unwrap();
    table.remove("b").unwrap();
    table.remove("c").unwrap();
    assert!(matches!(
        table.remove("d"),
        Err(RouteError::StillAssigned { .. })
    ));
    assert_eq!(table.route_id(b"user:1"), Some(&id("d")));
    // Nor can all be replaced while one that is gone owns something.
    let refusal = table.rebuild(&[Node::from(id("a"))]);
    assert_eq!(refusal, Err(RouteError::NotMember { id: "d".into() }));
    assert!(Rebuild::rebuild(&mut table, &[]).is_err());
    assert_eq!(table.members().len(), 1);
}

#[test]
fn any_table_can_be_taken_over_as_an_assignment() {
    let nodes = ["a", "b", "c"].map(|it| Node::from(id(it)));
    let partitioner = ByRange::new(Xxh3, 1000).unwrap();
    let drawn =
        SlotTable::from_nodes_with(RendezvousFill::new(Xxh3), partitioner, nodes.clone()).unwrap();
    let fill = AssignedFill::new(drawn.assignments());
    let taken = SlotTable::from_nodes_with(fill, partitioner, nodes).unwrap();
    assert!(drawn.diff(&taken).unwrap().is_empty());
    assert_ne!(drawn.fingerprint(), taken.fingerprint());
}
