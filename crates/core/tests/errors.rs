//! Every refusal names the value and the limit, and says what to do next.

use keyroute_core::{HasherTag, NodeId, RouteError};

#[test]
fn every_error_says_what_is_wrong_and_what_to_do() {
    let id = || NodeId::new("a\tb").unwrap();
    let tag = HasherTag::of(&|_: &[u8]| 0u64);
    let said = [
        (
            RouteError::EmptyId,
            "a node id is empty: give it 1 to 4096 bytes",
        ),
        (
            RouteError::IdTooLong { length: 4097 },
            "a node id has 4097 bytes, at most 4096 are allowed: shorten it",
        ),
        (
            RouteError::EmptyZone,
            "a zone name is empty: give it 1 to 4096 bytes, or leave the zone out",
        ),
        (
            RouteError::ZoneTooLong { length: 4097 },
            "a zone name has 4097 bytes, at most 4096 are allowed: shorten it",
        ),
        (
            RouteError::ZeroWeight,
            "weight 0: a router holds only nodes of weight 1 to 4294967295; leave a drained node out",
        ),
        (
            RouteError::WeightUnsupported {
                id: id(),
                weight: 2,
                strategy: "jump",
            },
            "node \"a\\tb\" has weight 2, but jump has no weights: give it weight 1, or choose a strategy with weights",
        ),
        (
            RouteError::AlreadyMember { id: id() },
            "node \"a\\tb\" is already a member: remove it first, or change its weight",
        ),
        (
            RouteError::NotMember { id: "x".into() },
            "node \"x\" is not a member: check the id, it is compared by its bytes",
        ),
        (
            RouteError::NoMembers,
            "there is no node: list one, or add one first",
        ),
        (
            RouteError::TooManyNodes { limit: 16_777_216 },
            "at most 16777216 nodes fit: split the fleet",
        ),
        (
            RouteError::CapacityExhausted { capacity: 64 },
            "all 64 buckets have a node: make a router of greater capacity, which moves keys",
        ),
        (
            RouteError::TableSize {
                given: 65_536,
                accepted: 65_537,
            },
            "table size 65536 is not a prime, or is out of range: give 65537",
        ),
        (
            RouteError::NoEntry {
                id: id(),
                size: 251,
                needed: Some(1009),
            },
            "node \"a\\tb\" would get none of 251 table entries: give the table 1009",
        ),
        (
            RouteError::NoEntry {
                id: id(),
                size: 251,
                needed: None,
            },
            "node \"a\\tb\" would get none of 251 table entries: raise its weight, no table is large \
             enough",
        ),
        (
            RouteError::Partitions {
                given: 0,
                limit: 1_048_576,
            },
            "0 partitions: give 1 to 1048576",
        ),
        (
            RouteError::NoPartition {
                partition: 16_384,
                partitions: 16_384,
            },
            "partition 16384 does not exist: they are numbered 0 to 16383",
        ),
        (
            RouteError::Unassigned { first: 3, last: 5 },
            "partitions 3 to 5 are assigned to no node: assign every partition",
        ),
        (
            RouteError::AssignedTwice {
                partition: 7,
                to: [id(), NodeId::new("b").unwrap()],
            },
            "partition 7 is assigned to \"a\\tb\" and to \"b\": assign it once",
        ),
        (
            RouteError::StillAssigned {
                id: id(),
                partitions: 12,
            },
            "node \"a\\tb\" cannot leave, 12 partitions are assigned to it: assign them to other nodes \
             first",
        ),
        (
            RouteError::NoRoom {
                partition: 0,
                limit: 0,
            },
            "no node has room for partition 0, each may hold 0: raise the load",
        ),
        (
            RouteError::Incomparable {
                what: "partitions",
                left: "271".into(),
                right: "16384".into(),
            },
            "tables of different partitions cannot be compared: 271 and 16384",
        ),
        (
            RouteError::PointsPerWeight {
                given: 0,
                accepted: "1 to 16777216",
            },
            "0 points per unit of weight: give 1 to 16777216",
        ),
        (
            RouteError::Template {
                template: "{i}".into(),
                problem: "has no {node}",
            },
            "label template \"{i}\" has no {node}: write {node} and {i} once each, as in \"{node}-{i}\"",
        ),
        (
            RouteError::BatchLength { keys: 2, out: 1 },
            "2 keys but room for 1 answers: lend as many as there are keys",
        ),
        (
            RouteError::Parameter {
                name: "epsilon",
                given: "0".into(),
                accepted: "1 to 9",
            },
            "epsilon is 0: give 1 to 9",
        ),
        (
            RouteError::Unplaceable {
                id: id(),
                reason: "has no tokens: give it at least one",
            },
            "node \"a\\tb\" has no tokens: give it at least one",
        ),
    ];
    for (error, text) in said {
        assert_eq!(error.to_string(), text);
    }
    let foreign = RouteError::ForeignDigest {
        expected: tag,
        found: tag,
    }
    .to_string();
    assert!(
        foreign.contains("make it with this router's `digest`"),
        "{foreign}"
    );
}

#[test]
fn a_ring_with_too_many_points_names_a_scale_that_fits() {
    use keyroute_vector_ring::{Native, Node, VectorRing, Weight, hash::Xxh3};

    let node = |id, weight| {
        Node::new(id)
            .unwrap()
            .with_weight(Weight::new(weight).unwrap())
    };
    let fleet = [node("big", 1_000_000), node("small", 1)];
    let error = VectorRing::from_nodes(fleet.clone())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "160000160 points at 160 per unit of weight, at most 16777216 are allowed: 16 points per unit \
         of weight fit"
    );
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    assert_eq!(
        VectorRing::from_nodes_with(scheme, fleet).unwrap().points(),
        1_000_001
    );

    let error = VectorRing::from_nodes([node("huge", u32::MAX)])
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("divide all weights by 40960"), "{error}");
}
