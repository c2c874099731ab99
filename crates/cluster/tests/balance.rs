//! Shares of keys: all members are in them, also those without a key.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::time::Duration;

use keyroute_cluster::{Balance, Batch, Cluster, Listing, Ramp, sample_key};
use keyroute_vector_ring::VectorRing;
use support::{STRATEGIES, change, node, weighted};

/// Two nodes of equal weight.
fn pair() -> Cluster<VectorRing, ()> {
    Cluster::from_factory(
        |nodes| VectorRing::from_nodes(nodes.iter().cloned()),
        ["a", "b"].map(|id| (node(id), ())),
    )
    .unwrap()
}

#[test]
fn shares_are_what_picks_say_and_add_up() {
    for strategy in STRATEGIES {
        let cluster = strategy.cluster(&["a:80", "b:80", "c:80"]);
        change(&cluster, Batch::new().down("b:80"));
        let now = cluster.load();
        let balance = now.balance(6000);
        let mut sum = 0.0;
        for id in ["a:80", "b:80", "c:80"] {
            let has = |number: &u32| *now.pick(&sample_key(*number)).unwrap().id() == *id;
            let keys = u32::try_from((0..6000).filter(has).count()).unwrap();
            assert!((balance.share(id).unwrap() - f64::from(keys) / 6000.0).abs() < 1e-12);
            sum += balance.share(id).unwrap();
        }
        assert!((sum - 1.0).abs() < 1e-12);
        assert_eq!(
            (balance.share("b:80"), balance.fair_share("b:80")),
            (Some(0.0), Some(0.0))
        );
        assert_eq!(
            (balance.fair_share("a:80"), balance.share("x")),
            (Some(0.5), None)
        );
    }
}

#[test]
fn a_member_without_a_key_is_counted() {
    let cluster = pair();
    // So few keys that one of many members has none.
    let more = (0..200).fold(Batch::new(), |batch, number| {
        batch.add(node(&format!("n{number}")), ())
    });
    cluster.apply(more).unwrap();
    let balance = cluster.load().balance(300);
    assert_eq!(balance.members().len(), 202);
    let keyless = balance.keyless().count();
    assert!(keyless > 0);
    assert_eq!(
        keyless,
        balance
            .members()
            .iter()
            .filter(|member| member.keys == 0)
            .count()
    );
    assert_eq!(balance.min_load(), 0.0);
    assert!(
        balance
            .to_string()
            .ends_with(&format!("{keyless} without a key"))
    );
}

#[test]
fn loads_are_by_weight_and_by_what_the_status_lets_a_node_take() {
    let cluster = pair();
    let ramp = Ramp::new(Duration::from_secs(9), 1).unwrap(); // half of its keys at once
    let idle = Listing::new(node("idle"), ()).drained();
    cluster
        .apply(
            Batch::new()
                .add(weighted("heavy", 4), ())
                .ramp("heavy", ramp)
                .list(idle),
        )
        .unwrap();
    let balance = cluster.load().balance(40_000);
    // Of 1 + 1 + 4/2.
    for (id, fair) in [("a", 0.25), ("b", 0.25), ("heavy", 0.5), ("idle", 0.0)] {
        let share = balance.fair_share(id).unwrap();
        assert!((share - fair).abs() < 1e-9, "{id}: {share}");
    }
    let loads = |balance: &Balance| {
        let load = |id: &str| balance.share(id).unwrap() / balance.fair_share(id).unwrap();
        ["a", "b", "heavy"].map(load)
    };
    let all = loads(&balance);
    assert!((balance.max_load() - all.iter().copied().fold(0.0, f64::max)).abs() < 1e-12);
    assert!((balance.min_load() - all.iter().copied().fold(9.0, f64::min)).abs() < 1e-12);
    assert_eq!(balance.keyless().count(), 0);
}

#[test]
fn nobody_to_ask_is_no_load() {
    let empty = Cluster::new(VectorRing::new(), |_| ());
    let balance = empty.load().balance(100);
    assert!(balance.members().is_empty());
    assert_eq!((balance.max_load(), balance.min_load()), (0.0, 0.0));
    let cluster = pair();
    cluster.apply(Batch::new().down("a").drain("b")).unwrap();
    let balance = cluster.load().balance(100);
    assert_eq!(
        (
            balance.max_load(),
            balance.min_load(),
            balance.keyless().count()
        ),
        (0.0, 0.0, 0)
    );
    assert_eq!(balance.share("a"), Some(0.0));
    assert_eq!(cluster.load().balance(0).members().len(), 2);
}
