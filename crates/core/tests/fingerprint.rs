//! The canonical encoding, byte for byte as `docs/hashing.md` writes it down.

use keyroute_core::{Fingerprint, Node, Router, Weight, Zone};
use keyroute_vector_ring::VectorRing;

/// A text as the encoding holds it: its length as a u64, then its bytes.
fn text(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.bytes());
    bytes
}

/// FNV-1a over 128 bits of length, bytes, length, written from the document and not from the code.
fn hash(bytes: &[u8]) -> String {
    let length = (bytes.len() as u64).to_le_bytes();
    let mut state: u128 = 0x6c62272e07bb014262b821756295c58d;
    for byte in length.iter().chain(bytes).chain(&length) {
        state ^= u128::from(*byte);
        state = state.wrapping_mul((1 << 88) + 0x13b);
    }
    format!("{state:032x}")
}

#[test]
fn the_worked_example_of_the_document_holds() {
    let b = Node::new("b")
        .unwrap()
        .with_weight(Weight::new(2).unwrap())
        .with_zone(Zone::new("z").unwrap());
    let ring = VectorRing::from_nodes([b, Node::new("a").unwrap()]).unwrap();

    let mut bytes = text("keyroute/fingerprint/1");
    bytes.extend(text("ring/native/1"));
    bytes.extend(text("by id"));
    bytes.extend(4u64.to_le_bytes());
    for (name, value) in [
        ("hasher", "xxh3-64, 64 bits"),
        ("lookup", "at or after"),
        ("points_per_weight", "160"),
        ("ties", "by id"),
    ] {
        bytes.extend(text(name));
        bytes.extend(text(value));
    }
    bytes.extend(2u64.to_le_bytes());
    bytes.extend(text("a"));
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(text(""));
    bytes.extend(text("b"));
    bytes.extend(2u32.to_le_bytes());
    bytes.extend(text("z"));

    assert_eq!(ring.describe().encode(), bytes);
    assert_eq!(ring.fingerprint().to_string(), hash(&bytes));
    // Pinned: another value here is a route-breaking change.
    let pinned: Fingerprint = "8414c6b98f4d61b8ee1d5f645747cfce".parse().unwrap();
    assert_eq!(ring.fingerprint(), pinned);
}
