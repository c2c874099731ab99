//! The order that `Rehashed` gives to a router without one.

mod support;

use keyroute_cluster::{Description, Members, Rehashed, Router, Slot, WalkExt};
use keyroute_maglev::Maglev;
use keyroute_modulo::Modulo;
use support::{NAMES, keys};

/// Over modulo, whose answers are easily had: the orders of another program, written from `docs/hashing.md`.
#[test]
fn the_order_is_pinned() {
    let ids = (0..7).map(|number| format!("n{number}"));
    let router = Rehashed::new(Modulo::from_ids(ids).unwrap());
    let order = |key: &[u8]| -> Vec<u32> {
        router
            .replicas(key, 7)
            .into_iter()
            .map(Slot::index)
            .collect()
    };
    assert_eq!(order(b""), [4, 1, 2, 3, 5, 0, 6]);
    assert_eq!(order(b"user:1"), [5, 0, 4, 3, 2, 1, 6]);
    assert_eq!(order(b"user:2"), [2, 4, 3, 5, 6, 1, 0]);
    assert_eq!(order(b"\x00\xff"), [3, 5, 2, 4, 6, 0, 1]);
    assert_eq!(order(&[b'k'; 200]), [3, 0, 2, 1, 4, 6, 5]);
}

/// Those who take over for a node that is down do so in equal parts, as they own equal parts.
#[test]
fn the_keys_of_a_node_that_is_down_spread_over_all_others() {
    let router = Rehashed::new(Maglev::from_ids(NAMES).unwrap());
    let down = router.members().slot_of("b:80").unwrap();
    let mut counts = [0u32; NAMES.len()];
    let mut all = 0;
    for number in 0..60_000u32 {
        let key = number.to_le_bytes();
        if router.route(&key) == Some(down) {
            let heir = router.first_where(&key, |slot| slot != down).unwrap();
            counts[heir.index() as usize] += 1;
            all += 1;
        }
    }
    assert_eq!(counts[down.index() as usize], 0);
    // About 2000 each; five standard deviations and Maglev's own unevenness.
    let fair = f64::from(all) / 5.0;
    let heirs = counts.iter().filter(|&&count| count > 0);
    assert_eq!(heirs.clone().count(), 5);
    for &count in heirs {
        assert!((f64::from(count) - fair).abs() < 0.13 * fair, "{counts:?}");
    }
}

/// A hash so bad that probes meet one node alone: the others come by id.
#[test]
fn who_is_never_drawn_comes_last_by_id() {
    let constant = keyroute_core::hash_fn(|_: &[u8]| 3u64);
    let router = Rehashed::new(Modulo::from_ids_with(constant, NAMES).unwrap());
    for key in keys().iter().take(20) {
        let ids = router.replica_ids(key.as_bytes(), 9);
        assert_eq!(
            ids,
            ["cache-1", "a:80", "b:80", "c:80", "cache-10", "cache-11"]
        );
    }
}

/// A preset may refuse keys: here those that begin with an odd byte.
struct Refusing(Modulo);

impl Router for Refusing {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        let is_refused = key.first().is_some_and(|byte| byte % 2 == 1);
        if is_refused { None } else { self.0.route(key) }
    }

    fn members(&self) -> &Members {
        self.0.members()
    }

    fn describe(&self) -> Description {
        self.0.describe()
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}

/// Half of the probes are refused, and the order goes on as without them.
#[test]
fn a_probe_that_is_refused_is_passed_over() {
    let plain = Modulo::from_ids(NAMES).unwrap();
    let router = Rehashed::new(Refusing(plain));
    assert_eq!(router.replicas(b"\x01", 9), []);
    let mut orders = std::collections::BTreeSet::new();
    for number in 0..200u32 {
        let order = router.replicas(&[&[0], &number.to_le_bytes()[..]].concat(), 9);
        assert_eq!(order.len(), NAMES.len());
        orders.insert(order[1..].to_vec());
    }
    // By id alone there were no more than the six that leave the owner out.
    assert!(orders.len() > 50, "{}", orders.len());
}
