//! The stored form of a router: its hasher's name and its state.

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use keyroute_core::KeyHasher;

use crate::{BucketState, Buckets, Numbered};

#[derive(Serialize)]
#[serde(rename = "Numbered")]
struct NumberedRef<'a, H> {
    hasher: &'a H,
    state: BucketState,
}

#[derive(Deserialize)]
#[serde(rename = "Numbered", deny_unknown_fields)]
struct NumberedRecord<H> {
    hasher: H,
    state: BucketState,
}

impl<B: Buckets, H: KeyHasher<Out = u64> + Serialize> Serialize for Numbered<B, H> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        NumberedRef {
            hasher: self.hasher(),
            state: self.state(),
        }
        .serialize(to)
    }
}

impl<'de, B, H> Deserialize<'de> for Numbered<B, H>
where
    B: Buckets,
    H: KeyHasher<Out = u64> + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let NumberedRecord { hasher, state } = NumberedRecord::deserialize(from)?;
        Self::from_state_with(hasher, state).map_err(D::Error::custom)
    }
}
