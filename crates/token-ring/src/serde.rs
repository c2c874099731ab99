//! The stored form: `{tokens, tokens_per_weight, nodes}`, the tokens with the hasher of keys, nodes in the order of listing. Tokens are
//! stored, not made anew: they are what the ring is.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use keyroute_core::{KeyHasher, Members, Node, PointsPerWeight, Tokens};

use crate::TokenRing;

#[derive(Serialize)]
#[serde(rename = "TokenRing", bound = "H: KeyHasher<Out = u64> + Serialize")]
struct TokenRingRef<'a, H: KeyHasher> {
    tokens: Tokens<H>,
    tokens_per_weight: PointsPerWeight,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(
    rename = "TokenRing",
    deny_unknown_fields,
    bound = "H: KeyHasher<Out = u64> + Deserialize<'de>"
)]
struct TokenRingRecord<H: KeyHasher> {
    tokens: Tokens<H>,
    tokens_per_weight: PointsPerWeight,
    nodes: Vec<Node>,
}

impl<H: KeyHasher<Out = u64> + Clone + Serialize> Serialize for TokenRing<H> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        TokenRingRef {
            tokens: self.tokens(),
            tokens_per_weight: self.tokens_per_weight(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, H: KeyHasher<Out = u64> + Clone + Deserialize<'de>> Deserialize<'de> for TokenRing<H> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let record = TokenRingRecord::<H>::deserialize(from)?;
        Self::from_tokens(record.tokens, record.nodes)
            .and_then(|ring| ring.with_tokens_per_weight(record.tokens_per_weight.get()))
            .map_err(D::Error::custom)
    }
}
