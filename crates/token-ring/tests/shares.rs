//! How even the shares are, exactly and two-sided, and the time a large build may take.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_core::hash::{Xxh3, mix64};
use keyroute_token_ring::{Node, Ranges, TokenRing, Weight};

/// The coefficient of variation, the greatest and the least share for their weights.
fn spread(ring: &TokenRing) -> (f64, f64, f64) {
    let mut shares = vec![0.0; ring.members().slot_bound()];
    for range in ring.ranges() {
        shares[range.owner.index() as usize] += range.share();
    }
    let total = f64::from(u32::try_from(ring.members().total_weight()).unwrap());
    let relative: Vec<f64> = ring
        .members()
        .iter()
        .map(|(slot, node)| shares[slot.index() as usize] * total / f64::from(node.weight().get()))
        .collect();
    let count = f64::from(u32::try_from(relative.len()).unwrap());
    let squares: f64 = relative.iter().map(|share| (share - 1.0).powi(2)).sum();
    let greatest = relative.iter().copied().fold(0.0, f64::max);
    let least = relative.iter().copied().fold(f64::MAX, f64::min);
    ((squares / count).sqrt(), greatest, least)
}

fn ring(nodes: u32, tokens: u32) -> TokenRing {
    let mut ring = TokenRing::new().with_tokens_per_weight(tokens).unwrap();
    let nodes: Vec<_> = (0..nodes)
        .map(|i| Node::new(format!("node-{i}")).unwrap())
        .collect();
    ring.rebuild(&nodes).unwrap();
    ring
}

/// Simulated by another program: these do not depend on ids or hashes, save where shares are equal.
#[test]
fn shares_are_as_even_as_simulated() {
    for (nodes, tokens, cv, greatest, least) in [
        (100, 4, 0.140, 1.170, 0.684),
        (100, 8, 0.086, 1.087, 0.779),
        (100, 16, 0.050, 1.042, 0.824),
        (300, 16, 0.057, 1.049, 0.811),
        (100, 32, 0.027, 1.021, 0.895),
    ] {
        let found = spread(&ring(nodes, tokens));
        println!("{nodes} × {tokens}: {found:.4?}");
        assert!(
            (found.0 - cv).abs() < 0.003,
            "{nodes} × {tokens}: CV {}",
            found.0
        );
        assert!(
            (found.1 - greatest).abs() < 0.01,
            "{nodes} × {tokens}: {}",
            found.1
        );
        assert!(
            (found.2 - least).abs() < 0.02,
            "{nodes} × {tokens}: {}",
            found.2
        );
    }
}

/// Simulated: 1.263 on average and 1.348 in the worst of 40; CV 9.1 %.
#[test]
fn shares_after_a_tenth_has_left() {
    let (mut greatest, mut cvs) = (0.0, 0.0);
    let rounds = 20;
    for round in 0..rounds {
        let mut ring = ring(100, 16);
        let mut ids: Vec<u64> = (0..100).collect();
        ids.sort_by_key(|&i| mix64(i + 1000 * round));
        for id in &ids[..10] {
            ring.remove(&format!("node-{id}")).unwrap();
        }
        let (cv, most, least) = spread(&ring);
        assert!((1.1..1.45).contains(&most), "{most}");
        assert!(least > 0.65, "{least}");
        greatest += most / 20.0;
        cvs += cv / 20.0;
    }
    assert!((1.2..1.32).contains(&greatest), "{greatest}");
    assert!((0.08..0.105).contains(&cvs), "{cvs}");
}

#[test]
fn shares_follow_the_weights() {
    let nodes = (0..90).map(|i| {
        let weight = Weight::new(i % 3 + 1).unwrap();
        Node::new(format!("node-{i}")).unwrap().with_weight(weight)
    });
    let ring = TokenRing::from_nodes_with(Xxh3, nodes).unwrap();
    let (cv, greatest, least) = spread(&ring);
    assert!(
        cv < 0.08 && greatest < 1.1 && least > 0.7,
        "{cv} {greatest} {least}"
    );
}

/// A quarter of 80 nodes changes its weight, one after another.
#[test]
fn shares_follow_weights_that_change() {
    for (from, to) in [(1, 2), (2, 1), (1, 8), (8, 1), (3, 2)] {
        let weight = |weight| Weight::new(weight).unwrap();
        let nodes = (0..80).map(|i| {
            let own = if i % 4 == 0 { from } else { 2 };
            Node::new(format!("node-{i}"))
                .unwrap()
                .with_weight(weight(own))
        });
        let mut ring = TokenRing::from_nodes_with(Xxh3, nodes).unwrap();
        for i in (0..80).step_by(4) {
            let id = format!("node-{i}");
            assert_eq!(ring.reweight(&id, weight(to)).unwrap(), weight(from));
            assert_eq!(ring.tokens().of(&id).len(), 16 * to as usize);
        }
        let (cv, greatest, least) = spread(&ring);
        println!("{from} to {to}: {cv:.3}, {greatest:.3}, {least:.3}");
        assert!(cv < 0.2, "{from} to {to}: {cv}");
    }
}

/// A change of weight that were quadratic in tokens would take minutes.
#[test]
fn a_heavy_node_gives_back_its_tokens_at_once() {
    let heavy = Node::new("heavy")
        .unwrap()
        .with_weight(Weight::new(40_000).unwrap());
    let mut ring = TokenRing::from_nodes_with(Xxh3, [heavy, Node::new("light").unwrap()]).unwrap();
    ring.reweight("heavy", Weight::ONE).unwrap();
    assert_eq!(ring.len(), 32);
    let (cv, _, _) = spread(&ring);
    assert!(cv < 0.1, "{cv}");
}

/// A build that were quadratic in points would take minutes.
#[test]
fn ten_thousand_nodes_are_built_at_once() {
    let ring = ring(10_000, 16);
    assert_eq!(ring.len(), 160_000);
    let (cv, _, _) = spread(&ring);
    assert!(cv < 0.08, "{cv}");
}
