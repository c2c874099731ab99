//! What moves when a node is down (its keys, exactly) and when the fleet changes (2 C ÷ (C + 1) times what must).

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_core::hash::{Xxh3, mix64};
use keyroute_window_ring::{Node, RouteDigest, RouteError, Weight, Window, WindowRing};

fn router(nodes: u32, window: Window) -> WindowRing {
    let ids = (0..nodes).map(|i| format!("node-{i}"));
    WindowRing::from_ids_with(Xxh3, window, ids).unwrap()
}

fn owners(router: &WindowRing) -> Vec<String> {
    let id = |digest| {
        let slot = router.route_value(mix64(digest)).unwrap();
        router.members().get(slot).unwrap().id().to_string()
    };
    (0..100_000u64).map(id).collect()
}

/// C of n rows lose the leaver and get another candidate. Of the keys there, those that the leaver did not own, (C − 1)
/// ÷ C, move if it draws more than the C that were there: 1 ÷ (C + 1). So beside the 1 ÷ n that must move,
/// (C − 1) ÷ (C + 1) times as many do.
#[test]
fn changes_move_up_to_twice_what_must() {
    for candidates in [1, 2, 4, 8, 16] {
        let full = router(60, Window::new(candidates).unwrap());
        let before = owners(&full);
        let (mut must, mut moved) = (0.0, 0.0);
        for leaver in (0..60).step_by(4).map(|i| format!("node-{i}")) {
            let mut rest = full.clone();
            rest.remove(&leaver).unwrap();
            for (was, is) in before.iter().zip(owners(&rest)) {
                moved += f64::from(*was != is);
                must += f64::from(*was == leaver);
            }
        }
        // Joining is leaving, the other way round: the same pairs of owners.
        let c = f64::from(candidates);
        let (found, expected) = (moved / must, 2.0 * c / (c + 1.0));
        println!("{candidates} candidates: {found:.3} times, {expected:.3} expected");
        assert!(
            (found - expected).abs() < 0.07 * (expected - 1.0) + 1e-9,
            "{candidates}: {found}"
        );
    }
}

#[test]
fn a_node_that_is_down_moves_only_its_own_keys() {
    let router = router(40, Window::new(4).unwrap());
    // All four candidates of some keys are among these.
    let down: Vec<_> = (0..12)
        .map(|i| {
            router
                .members()
                .slot_of(&format!("node-{}", 3 * i))
                .unwrap()
        })
        .collect();
    let mut beyond_the_window = 0;
    for key in (0..20_000u32).map(|key| key.to_le_bytes()) {
        for up_to in 0..down.len() {
            let of = |down: &[_]| {
                router
                    .first_where(&key, |slot| !down.contains(&slot))
                    .unwrap()
            };
            let (before, after) = (of(&down[..up_to]), of(&down[..=up_to]));
            assert!(before == after || before == down[up_to]);
        }
        let four = router.replicas(&key, 4);
        beyond_the_window += u32::from(four.iter().all(|slot| down.contains(slot)));
    }
    assert!(beyond_the_window > 50, "{beyond_the_window}");
}

#[test]
fn what_does_not_fit_is_refused() {
    for candidates in [0, 65, u32::MAX] {
        let refusal = Window::new(candidates).unwrap_err();
        assert!(matches!(
            refusal,
            RouteError::Parameter {
                name: "candidates",
                ..
            }
        ));
    }
    assert!(Window::default().with_points(0).is_err());
    let heavy = Node::new("b").unwrap().with_weight(Weight::new(2).unwrap());
    let mut ring = router(2, Window::default());
    let before = ring.fingerprint();
    assert!(matches!(
        ring.add(heavy).unwrap_err(),
        RouteError::WeightUnsupported { weight: 2, .. }
    ));
    let wide = Window::new(64).unwrap().with_points(1 << 22).unwrap();
    let refusal = WindowRing::from_ids_with(Xxh3, wide, ["a"]).unwrap_err();
    assert!(matches!(
        refusal,
        RouteError::Parameter {
            name: "points × candidates",
            ..
        }
    ));
    let many = Window::new(1).unwrap().with_points(1 << 24).unwrap();
    let refusal = WindowRing::from_ids_with(Xxh3, many, ["a", "b"]).unwrap_err();
    assert!(matches!(refusal, RouteError::TooManyPoints { .. }));
    assert_eq!(ring.fingerprint(), before);
}

#[test]
fn memory_is_what_was_estimated() {
    use keyroute_window_ring::Router;

    let router = router(500, Window::default());
    let bytes = router.heap_bytes() - router.members().heap_bytes();
    let estimate = usize::try_from(Window::default().estimate(500)).unwrap();
    // And 8 bytes a node.
    assert!(
        (estimate..estimate + 8192).contains(&bytes),
        "{bytes} {estimate}"
    );
}
