//! The native scheme's points, as `docs/hashing.md` writes their bytes down. The numbers come from
//! another implementation of XXH3 (the Python package `xxhash` 3.x).

use keyroute_core::hash::Xxh3;
use keyroute_core::{Native, Node, PointScheme, RouteDigest, Weight};
use keyroute_vector_ring::VectorRing;

#[test]
fn points_hash_the_length_the_id_and_the_index() {
    let points = |id, weight| {
        let node = Node::new(id)
            .unwrap()
            .with_weight(Weight::new(weight).unwrap());
        Native::new(Xxh3).points(&node).unwrap()
    };
    assert_eq!(
        points("a", 1)[..3],
        [0x98123f6cec13a4c3, 0x332d8fde124825df, 0xfdd1e9112dca61a0]
    );
    assert_eq!(
        [points("node-11", 1)[0], points("node-11", 1)[159]],
        [0x5bfe4480c11685b9, 0x16e51b2438ca399d]
    );
    assert_eq!(
        points("a", 3)[..160],
        points("a", 1),
        "point j does not depend on the weight"
    );
    assert_eq!(points("a", 3).len(), 480);
}

#[test]
fn a_key_is_placed_by_its_hash_alone() {
    let ring = VectorRing::from_ids(["a", "b"]).unwrap();
    assert_eq!(ring.digest(b"user:1").value(), 0x3b577afd7fed9501);
    assert_eq!(ring.route_id(b"user:1").unwrap(), "a");
}
