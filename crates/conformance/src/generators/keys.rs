//! Keys, some of which depend on the fleet.

use keyroute_core::Node;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::case::mix;

/// A key that is drawn before the fleet is known: [`bytes`](Self::bytes) makes the key.
#[derive(Clone, Debug)]
pub enum KeyDraw {
    /// The number of a plain key: `user:7:session`.
    Plain(u32),
    /// The id of a node.
    Id(Index),
    /// What some system hashes for a point of a node: template and index of the point.
    Label(Index, &'static str, u32),
    /// This many bytes from this seed: NUL, newlines and invalid UTF-8 among them.
    Binary(usize, u64),
}

impl KeyDraw {
    /// The key, for this fleet (of at least one node).
    #[must_use]
    pub fn bytes(&self, nodes: &[Node]) -> Vec<u8> {
        match *self {
            Self::Plain(number) => format!("user:{number}:session").into_bytes(),
            Self::Id(index) => index.get(nodes).id().as_bytes().to_vec(),
            Self::Label(index, template, point) => {
                let id = index.get(nodes).id();
                label(template, id.as_str(), point)
            }
            Self::Binary(length, seed) => {
                let mut state = seed;
                let byte = |_| {
                    state = mix(state);
                    state.to_le_bytes()[7]
                };
                (0..length).map(byte).collect()
            }
        }
    }
}

/// The native scheme's label, which no text template writes.
const NATIVE: &str = "native";

const TEMPLATES: [&str; 6] = [
    "{node}-{i}",
    "{node}#{i}",
    "{node}{i}",
    "{i}{node}",
    "{node}#VN{i}",
    NATIVE,
];

fn label(template: &str, id: &str, point: u32) -> Vec<u8> {
    if template == NATIVE {
        let length = u32::try_from(id.len()).unwrap_or(u32::MAX).to_le_bytes();
        return [&length[..], id.as_bytes(), &point.to_le_bytes()].concat();
    }
    // `{i}` first: an id may hold it.
    let text = template.replace("{i}", &point.to_string());
    text.replace("{node}", id).into_bytes()
}

/// Hostile keys. The empty one is among the binary ones.
pub fn keys() -> impl Strategy<Value = KeyDraw> {
    prop_oneof![
        2 => (0..1000u32).prop_map(KeyDraw::Plain),
        1 => any::<Index>().prop_map(KeyDraw::Id),
        2 => (any::<Index>(), select(&TEMPLATES[..]), 0..160u32)
            .prop_map(|(node, template, point)| KeyDraw::Label(node, template, point)),
        3 => (0..=300usize, any::<u64>().no_shrink())
            .prop_map(|(length, seed)| KeyDraw::Binary(length, seed)),
    ]
}
