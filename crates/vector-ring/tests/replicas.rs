//! Replicas written into a slice: whichever way they are found, they are the first of the walk.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_conformance::Cut;
use keyroute_core::hash::Xxh3;
use keyroute_vector_ring::{
    After, AtOrBefore, Lookup, Native, Nearest, Probes, Slot, VectorRing, WalkExt, WithLookup,
};

fn are_the_first_of_the_walk<L: Lookup>(lookup: L) {
    for bits in [4, 8, 64] {
        for nodes in [0, 1, 2, 5, 40] {
            let scheme = Native::new(Cut::top(Xxh3, bits));
            let scheme = scheme.with_points_per_weight(20).unwrap();
            let ids = (0..nodes).map(|node| format!("node-{node}"));
            let scheme = WithLookup::new(scheme, lookup);
            let ring = VectorRing::from_ids_with(scheme, ids).unwrap();
            // Few are found without a set of those met, many with one.
            for wanted in [0, 1, 2, 3, 15, 16, 17, 39, 40, 60] {
                for key in 0..40u32 {
                    let key = key.to_le_bytes();
                    let unset = Slot::new(1_000).unwrap();
                    let mut out = vec![unset; wanted];
                    let found = ring.replicas_into(&key, &mut out);
                    let told = format!("{lookup:?}, {bits} bits, {wanted} of {nodes} nodes");
                    assert_eq!(out[..found], ring.replicas(&key, wanted), "{told}");
                    assert!(out[found..].iter().all(|&slot| slot == unset), "{told}");
                }
            }
        }
    }
}

#[test]
fn replicas_in_a_slice_are_the_first_of_the_walk() {
    are_the_first_of_the_walk(keyroute_vector_ring::AtOrAfter);
    are_the_first_of_the_walk(After);
    are_the_first_of_the_walk(AtOrBefore);
    are_the_first_of_the_walk(Nearest);
    are_the_first_of_the_walk(Probes::<21>);
}

#[test]
fn batches_are_as_one_by_one_however_they_are_cut() {
    for nodes in [0, 1, 30, 400] {
        let ring = VectorRing::from_ids((0..nodes).map(|node| format!("node-{node}"))).unwrap();
        let keys: Vec<String> = (0..1_000).map(|key| format!("user:{key}")).collect();
        let keys: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
        for length in [0, 1, 127, 128, 129, 1_000] {
            let mut owners = vec![None; length];
            ring.route_batch(&keys[..length], &mut owners).unwrap();
            let one_by_one = keys[..length].iter().map(|key| ring.route(key));
            assert!(one_by_one.eq(owners), "{length} keys, {nodes} nodes");
        }
        assert!(ring.route_batch(&keys, &mut [None; 999]).is_err());
    }
}
