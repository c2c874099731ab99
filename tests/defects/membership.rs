//! Adding twice, removing, empty rings, and the ways to build one.

use keyroute::hash::Crc32;
use keyroute::{
    BTreeRing, Jump, Labelled, LastListed, Native, Node, NodeId, RouteError, Template, VectorRing,
};
use keyroute_tests::{arcs, labelled_ring};

/// A1, D1: the originals' rings grow to 100 entries, and one removal leaves 50 without an owner.
#[test]
fn a1_d1_a_node_added_twice_is_refused_and_removed_once() {
    for label in ["{node}-{i}", "{i}{node}"] {
        let mut ring = labelled_ring(label, Crc32, 50, LastListed, &["A"]);
        let again = ring.add(Node::new("A").unwrap());
        let id = NodeId::new("A").unwrap();
        assert_eq!(again, Err(RouteError::AlreadyMember { id }));
        assert_eq!(ring.points(), 50);
        assert!(ring.route_id(b"x").is_some());
        ring.remove("A").unwrap();
        assert_eq!((ring.points(), ring.route(b"x")), (0, None));
        assert!(ring.remove("A").is_err());
    }
}

/// A7: the original adds such nodes and its ring stays empty.
#[test]
fn a7_no_points_per_node_is_refused() {
    let refused = |error: RouteError| matches!(error, RouteError::PointsPerWeight { given: 0, .. });
    let native = Native::new(Crc32).with_points_per_weight(0);
    assert!(native.is_err_and(refused));
    let labelled = Labelled::new("{node}-{i}", Crc32).unwrap();
    assert!(labelled.with_points_per_weight(0).is_err_and(refused));
}

/// A7's kin: a label that does not tell points apart.
#[test]
fn a7_a_label_without_its_index_is_refused() {
    assert!(Template::new("{node}-").is_err());
    assert!(Labelled::new("{i}", Crc32).is_err());
}

/// D3: the map of seed 002 has no removal; on our ring of its labels any node can leave, C6's too.
#[test]
fn nodes_of_ambiguous_labels_can_leave() {
    let nodes = ["1.2.3.4:80", "11.2.3.4:80"];
    for leaving in nodes {
        let mut ring = labelled_ring("{i}{node}", Crc32, 50, LastListed, &nodes);
        ring.remove(leaving).unwrap();
        assert_eq!(ring.points(), 50);
        let owner = ring.route_id(b"x").unwrap();
        assert!(owner.as_str() != leaving);
    }
}

/// E3, E4: there are no nodes but those that were given, and building at once or one by one is the same.
#[test]
fn a_new_router_is_empty_and_grows_to_the_same_ring() {
    let ids = ["b", "a", "c"];
    let mut grown = VectorRing::new();
    let mut tree = BTreeRing::new();
    assert!(grown.members().is_empty() && tree.members().is_empty());
    assert!(Jump::new().members().is_empty());
    for id in ids {
        grown.add(Node::new(id).unwrap()).unwrap();
        tree.add(Node::new(id).unwrap()).unwrap();
    }
    let built = VectorRing::from_ids(ids).unwrap();
    assert_eq!(arcs(&grown), arcs(&built));
    assert_eq!(arcs(&tree), arcs(&built));
    assert_eq!(grown.fingerprint(), built.fingerprint());
}

/// E7.
#[test]
fn an_empty_router_answers_none() {
    assert_eq!(VectorRing::new().route_id(b"x"), None);
    assert_eq!(BTreeRing::new().route_id(b"x"), None);
    assert_eq!(Jump::new().route_id(b"x"), None);
    let emptied = labelled_ring("{node}-{i}", Crc32, 50, LastListed, &[]);
    assert_eq!(emptied.route_id(b"x"), None);
}
