//! Pinned answers of `rendezvous/1`. They come from another implementation, in Python (the package
//! `xxhash` 4.x, logarithms with 60 digits), of what `docs/hashing.md` says.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_rendezvous::{Node, Rendezvous, Weight};

fn first_three(weight_of: impl Fn(u32) -> u32, key: &str) -> Vec<String> {
    let node = |i| {
        let node = Node::new(format!("node-{i}")).unwrap();
        node.with_weight(Weight::new(weight_of(i)).unwrap())
    };
    let router = Rendezvous::from_nodes((0..10).map(node)).unwrap();
    let slots = router.replicas(key.as_bytes(), 3);
    let id = |slot| router.members().get(slot).unwrap().id().to_string();
    slots.into_iter().map(id).collect()
}

#[test]
fn orders_are_pinned() {
    for (key, plain, weighted) in [
        ("user:1", [5, 7, 2], [5, 2, 7]),
        ("user:2", [2, 0, 4], [2, 0, 8]),
        ("", [8, 4, 0], [8, 4, 2]),
        ("key-77", [8, 5, 0], [8, 5, 7]),
        ("/index.html", [7, 0, 4], [7, 0, 2]),
    ] {
        let ids = |numbers: [u32; 3]| numbers.map(|number| format!("node-{number}"));
        assert_eq!(first_three(|_| 7, key), ids(plain), "{key:?}");
        assert_eq!(first_three(|i| i % 3 + 1, key), ids(weighted), "{key:?}");
    }
}
