//! What a bounded router says of a key beside what the inner router says.

use keyroute_bounded::{Bounded, Exact, Router};
use keyroute_core::{Fact, Node, Role, Zone};
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::ZoneAware;

#[test]
fn a_node_has_its_zone_and_then_its_load() {
    let node = |id: &str| {
        let zone = Zone::new(if id < "c" { "left" } else { "right" }).unwrap();
        Node::new(id).unwrap().with_zone(zone)
    };
    let ring = VectorRing::from_nodes(["a", "b", "c", "d"].map(node)).unwrap();
    let bounded = Bounded::new(ZoneAware::new(ring), Exact::new(250).unwrap());
    let home = bounded.route(b"hot").unwrap(); // nothing is loaded yet
    let _lease = bounded.acquire(b"hot").unwrap();

    let why = bounded.explain_with(b"hot", 4);
    let first = &why.contenders()[0];
    assert_eq!((first.slot, first.role), (home, Role::Passed)); // full with one
    assert_eq!(why.contenders().len(), 4);
    for it in why.contenders() {
        assert!(
            matches!(it.facts[..], [Fact::Zone { .. }, Fact::Load { .. }]),
            "{it:?}"
        );
    }
}
