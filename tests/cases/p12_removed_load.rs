//! Removing a node takes its load out of the total that capacities are computed from.

use keyroute::{Bounded, Exact, Lease, Slot, VectorRing};
use keyroute_tests::{json, node, number};

fn slot(router: &Bounded<VectorRing>, id: &str) -> Slot {
    router.members().slot_of(id).unwrap()
}

#[test]
fn the_load_of_a_removed_node_leaves_the_total_and_stays_away() {
    let case = json("cases/p12-bounded-remove-load.json");
    let expected = |name: &str| number::<u64>(&case["expected"][name]);
    let ids = ["A", "B", "C"];
    let mut router = Bounded::new(VectorRing::from_ids(ids).unwrap(), Exact::new(250).unwrap());

    // Ten in flight on each: leases on a node that has its ten end at once.
    let mut held: Vec<Lease> = Vec::new();
    let mut keys = 0u64..;
    while held.len() < 30 {
        let lease = keys
            .find_map(|key| router.acquire(&key.to_le_bytes()))
            .unwrap();
        if lease.load() <= 10 {
            held.push(lease);
        }
    }
    assert!(router.loads().all(|(_, load)| load == 10));
    assert_eq!(router.total(), expected("total_before"));
    assert_eq!(
        router.capacity(slot(&router, "A")),
        Some(expected("cap_before"))
    );

    router.remove("C").unwrap();
    assert_eq!(router.total(), expected("total_after"));
    for id in ["A", "B"] {
        assert_eq!(
            router.capacity(slot(&router, id)),
            Some(expected("cap_after"))
        );
    }

    // What was sent to C ends without a trace, also once C is back.
    let (gone, staying): (Vec<Lease>, Vec<Lease>) =
        held.into_iter().partition(|lease| *lease.node() == "C");
    assert_eq!((gone.len(), staying.len()), (10, 20));
    router.add(node("C", 1)).unwrap();
    assert_eq!(router.load(slot(&router, "C")), Some(0));
    drop(gone);
    assert_eq!(router.load(slot(&router, "C")), Some(0));
    assert_eq!(router.total(), expected("total_after"));

    drop(staying);
    let drained = &case["expected"]["all_idle_after_drain"];
    assert_eq!(router.total(), number::<u64>(&drained["total"]));
    assert!(router.loads().all(|(_, load)| load == 0));
}
