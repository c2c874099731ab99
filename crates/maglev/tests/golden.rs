//! Pinned tables of `maglev/1`, and what is stored of one. The numbers come from another
//! implementation, in Python (the package `xxhash` 4.x), of what `docs/hashing.md` says.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_maglev::{Maglev, Node, TableSize, Weight, hash::Xxh3};

fn nodes(weights: &[(&str, u32)]) -> Vec<Node> {
    let node = |&(id, weight)| {
        let node = Node::new(id).unwrap();
        node.with_weight(Weight::new(weight).unwrap())
    };
    weights.iter().map(node).collect()
}

fn table(size: u32, weights: &[(&str, u32)]) -> String {
    let size = TableSize::new(size).unwrap();
    let router = Maglev::from_nodes_with(Xxh3, size, nodes(weights)).unwrap();
    let id = |slot| router.members().get(slot).unwrap().id().to_string();
    router.entries().map(id).collect()
}

#[test]
fn small_tables_are_pinned() {
    assert_eq!(table(7, &[("a", 1), ("b", 1)]), "abbabaa");
    assert_eq!(
        table(53, &[("c", 1), ("b", 1), ("a", 1)]),
        "bcbaccccccbbbbaaabaaacbaacbcaccbacccabbaabbabcbaacbba"
    );
    assert_eq!(
        table(53, &[("b", 2), ("a", 1), ("c", 5)]),
        "bcccccccccbbcbcbacccbcbcacccaccbccccabcaacbcbcbccccbc"
    );
}

#[test]
fn a_large_table_is_pinned() {
    let weights: Vec<(String, u32)> = (0..10).map(|i| (format!("node-{i}"), i % 3 + 1)).collect();
    let weights: Vec<(&str, u32)> = weights.iter().map(|(id, w)| (id.as_str(), *w)).collect();
    let router = Maglev::from_nodes(nodes(&weights)).unwrap();
    for (key, owner) in [
        ("user:1", "node-9"),
        ("user:2", "node-9"),
        ("", "node-1"),
        ("key-77", "node-0"),
        ("/index.html", "node-0"),
    ] {
        assert_eq!(router.route_id(key.as_bytes()).unwrap(), owner, "{key:?}");
    }
    // Slots are places in the list.
    let sum = router.entries().fold(0u64, |sum, owner| {
        sum.wrapping_mul(31)
            .wrapping_add(u64::from(owner.index()) + 1)
    });
    assert_eq!(sum, 0x7443_c208_a18f_d311);
}

#[test]
fn the_stored_recipe_gives_the_same_router() {
    let router = Maglev::from_nodes_with(
        Xxh3,
        TableSize::new(251).unwrap(),
        nodes(&[("b", 2), ("a", 1)]),
    )
    .unwrap();
    let stored = serde_json::to_string(&router).unwrap();
    assert_eq!(
        stored,
        r#"{"hasher":"xxh3-64","table_size":251,"nodes":[{"id":"b","weight":2},{"id":"a","weight":1}]}"#
    );
    let back: Maglev = serde_json::from_str(&stored).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
    assert!(back.entries().eq(router.entries()));
}

#[test]
fn a_stored_recipe_goes_through_the_same_checks() {
    let read = |text: &str| serde_json::from_str::<Maglev>(text).map(drop);
    assert!(read(r#"{"hasher":"xxh3-64","table_size":251,"nodes":[{"id":"a"}]}"#).is_ok());
    let refused = [
        r#"{"hasher":"crc32","table_size":251,"nodes":[{"id":"a"}]}"#,
        r#"{"hasher":"xxh3-64","table_size":252,"nodes":[{"id":"a"}]}"#,
        r#"{"hasher":"xxh3-64","table_size":2,"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#,
        r#"{"hasher":"xxh3-64","table_size":251,"nodes":[{"id":"a"},{"id":"a"}]}"#,
        r#"{"hasher":"xxh3-64","table_size":251,"nodes":[],"entries":[]}"#,
        r#"{"hasher":"xxh3-64","nodes":[]}"#,
    ];
    for text in refused {
        assert!(read(text).is_err(), "{text}");
    }
}
