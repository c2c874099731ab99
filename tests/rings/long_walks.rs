//! Walks over more nodes than fit into the set that needs no allocation.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use keyroute::hash::Xxh3;
use keyroute::{BTreeRing, Native, SlotSet, VectorRing, Walk};
use keyroute_tests::keys;

#[test]
fn a_walk_over_3000_nodes_visits_each_once_and_in_one_order() {
    let scheme = || Native::new(Xxh3).with_points_per_weight(2).unwrap();
    let ids = keys("node-", "", 3000);
    let nodes = || ids.iter().map(|id| keyroute::Node::new(id).unwrap());
    let sorted = VectorRing::from_nodes_with(scheme(), nodes()).unwrap();
    let tree = BTreeRing::from_nodes_with(scheme(), nodes()).unwrap();
    let mut seen = SlotSet::new();
    for key in keys("user:", "", 20) {
        let all = sorted.replicas(key.as_bytes(), usize::MAX);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 3000);
        assert_eq!(tree.replicas(key.as_bytes(), 3000), all);
        let mut lent = Vec::new();
        sorted.walk_with(key.as_bytes(), &mut seen, &mut |slot| {
            lent.push(slot);
            ControlFlow::Continue(())
        });
        assert_eq!(lent, all, "with the set of the walk before");
    }
}
