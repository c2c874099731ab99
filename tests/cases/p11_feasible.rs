//! Placing m loads on n nodes under ⌈c·m/n⌉ always fits, with few points too.
//!
//! Growing and shrinking under load is a test of the bounded crate.

use keyroute::hash::Xxh3;
use keyroute::{Bounded, CapacityRule, Exact, Lease, Native, TruncatedAverage, VectorRing};
use keyroute_tests::{json, list, nodes, number};

/// Places the loads; none may be refused, and no node may hold more than the cap.
fn place<C: CapacityRule>(rule: C, points: u32, loads: u32, members: u32, cap: u64) {
    let ids: Vec<String> = (0..members).map(|i| i.to_string()).collect();
    let scheme = Native::new(Xxh3).with_points_per_weight(points).unwrap();
    let ring = VectorRing::from_nodes_with(scheme, nodes(&ids)).unwrap();
    let router = Bounded::new(ring, rule);
    let held: Vec<Lease> = (0..loads)
        .map(|i| router.acquire(&i.to_le_bytes()).unwrap())
        .collect();
    assert_eq!(router.overflows(), 0);
    assert!(router.loads().all(|(_, load)| load <= cap));
    assert_eq!(
        router.loads().map(|(_, load)| load).sum::<u64>(),
        held.len() as u64
    );
}

#[test]
fn every_row_is_placed() {
    let case = json("cases/p11-bounded-partitions-feasible.json");
    for row in list(&case["inputs"]["rows"]) {
        let load = row["load"].as_f64().unwrap();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a factor of two decimals, 1 to 1.5"
        )]
        let thousandths = ((load - 1.0) * 1000.0).round() as u32;
        let (loads, members): (u32, u32) = (number(&row["partitions"]), number(&row["members"]));
        for points in [1, 2, 160] {
            // Exactly even (a factor of 1) exists under the truncated rule alone.
            match Exact::new(thousandths) {
                Ok(rule) => place(rule, points, loads, members, number(&row["cap"])),
                Err(_) => {
                    assert_eq!(thousandths, 0);
                    let rule = TruncatedAverage::new(0.0).unwrap();
                    place(rule, points, loads, members, number(&row["cap"]));
                }
            }
        }
    }
}
