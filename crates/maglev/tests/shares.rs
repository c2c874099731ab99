//! Shares: to the entry, at every size; and what is refused because a share would be less.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_maglev::{Maglev, Node, RouteError, TableSize, Weight, hash::Xxh3};

fn fleet(weights: impl IntoIterator<Item = u32>) -> Vec<Node> {
    let node = |(i, weight)| {
        let node = Node::new(format!("node-{i:04}")).unwrap();
        node.with_weight(Weight::new(weight).unwrap())
    };
    weights.into_iter().enumerate().map(node).collect()
}

fn build(size: u32, nodes: Vec<Node>) -> Result<Maglev, RouteError> {
    Maglev::from_nodes_with(Xxh3, TableSize::new(size).unwrap(), nodes)
}

/// The entries of each node, in the order of `fleet`.
fn counts(router: &Maglev) -> Vec<u64> {
    let mut counts = vec![0; router.members().slot_bound()];
    for owner in router.entries() {
        counts[owner.index() as usize] += 1;
    }
    counts
}

#[test]
fn equal_nodes_differ_by_one_entry_at_most() {
    for size in [251, 4093, 65_537] {
        for nodes in [1, 2, 3, 10, 99, 100, 250] {
            let counts = counts(&build(size, fleet((0..nodes).map(|_| 9))).unwrap());
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(
                most - least <= 1,
                "{nodes} nodes: {least} to {most} entries"
            );
        }
    }
}

#[test]
fn weighted_nodes_have_their_share_within_less_than_an_entry() {
    let fleets: [Vec<u32>; 7] = [
        (0..100).map(|i| i % 5 + 1).collect(),
        vec![1, 10],
        vec![10, 1],
        vec![1, 100, 400, 500],
        vec![1024, 1024, 5],
        (0..1000).map(|i| if i == 500 { 1000 } else { 1 }).collect(),
        vec![u32::MAX, u32::MAX / 3, u32::MAX / 7],
    ];
    for weights in fleets {
        for size in [4093u32, 65_537] {
            let router = build(size, fleet(weights.iter().copied())).unwrap();
            let all: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
            for (&weight, count) in weights.iter().zip(counts(&router)) {
                let off = (u128::from(count) * all).abs_diff(u128::from(size) * u128::from(weight));
                assert!(
                    off < all,
                    "{weights:?}: weight {weight} has {count} of {size}"
                );
                assert!(count > 0);
            }
        }
    }
}

/// Case p04: facebookincubator/katran#35, where weights 1 and 10 gave about equal shares.
#[test]
fn one_to_ten_is_one_to_ten() {
    let counts = counts(&build(65_537, fleet([1, 10])).unwrap());
    assert!(counts[0].abs_diff(5_957) <= 1 && counts[1].abs_diff(59_580) <= 1);
}

/// Case p14: a table too small for its backends left most of them without an entry, in silence.
#[test]
fn a_share_of_less_than_an_entry_is_refused_with_the_size_that_would_do() {
    let refusal = |nodes: Vec<Node>, size| match build(size, nodes) {
        Err(RouteError::NoEntry { id, size, needed }) => (id.to_string(), size, needed),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refusal(fleet((0..1000).map(|_| 1)), 251),
        ("node-0000".into(), 251, Some(1009))
    );
    assert_eq!(
        refusal(fleet([500, 3, 400]), 251),
        ("node-0001".into(), 251, Some(307))
    );
    assert_eq!(
        refusal(fleet([u32::MAX, 1]), 65_537),
        ("node-0001".into(), 65_537, None)
    );
    // What is asked for is enough, and exact.
    assert!(build(1009, fleet((0..1000).map(|_| 1))).is_ok());
    assert!(build(307, fleet([500, 3, 400])).is_ok());
    assert!(build(251, fleet((0..251).map(|_| 1))).is_ok());
    assert!(build(2, fleet([5, 5])).is_ok());
}

#[test]
fn a_refused_change_leaves_the_router_as_it_was() {
    let mut router = build(7, fleet([1; 7])).unwrap();
    let before: Vec<_> = router.entries().collect();
    let fingerprint = keyroute_maglev::Router::fingerprint(&router);
    let weight = Weight::new(2).unwrap();
    assert!(matches!(
        router.add(Node::new("one more").unwrap()),
        Err(RouteError::NoEntry { .. })
    ));
    assert!(matches!(
        router.reweight("node-0003", weight),
        Err(RouteError::NoEntry { .. })
    ));
    assert!(matches!(
        router.rebuild(&fleet([1; 8])),
        Err(RouteError::NoEntry { .. })
    ));
    assert_eq!(router.members().len(), 7);
    assert!(router.entries().eq(before));
    assert_eq!(keyroute_maglev::Router::fingerprint(&router), fingerprint);
}
