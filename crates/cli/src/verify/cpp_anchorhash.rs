//! `cpp-anchorhash`: the authors' AnchorHash in C++, of pairs of numbers.

use keyroute_interop::CppAnchorHash;
use serde_json::Value;

use super::bucket_functions::no_nodes;
use super::document::{Document, Key, Op};
use super::replay::{System, unknown_op};
use super::report::Unusable;

struct Anchor(CppAnchorHash);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    no_nodes(document)?;
    let config = &mut document.config;
    let (capacity, working) = (config.whole("capacity")?, config.whole("working")?);
    let capacity = config.required("capacity", capacity)?;
    let working = config.required("working", working)?;
    Ok(Box::new(Anchor(CppAnchorHash::new(capacity, working)?)))
}

impl System for Anchor {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        let possible = match op {
            Op::AddBucket => self.0.add_bucket().is_some(),
            Op::RemoveBucket(bucket) => {
                u32::try_from(*bucket).is_ok_and(|bucket| self.0.remove_bucket(bucket))
            }
            other => return Err(unknown_op(other, "add_bucket and remove_bucket")),
        };
        match possible {
            true => Ok(()),
            false => Err(Unusable(format!("{op:?} is not possible here"))),
        }
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let Key::Pair(one, other) = *key else {
            return Err(Unusable::new(
                "the system's keys are pairs: key_encoding u64,u64-decimal",
            ));
        };
        let bucket = self.0.compute_bucket(one, other);
        bucket
            .map(Value::from)
            .ok_or_else(|| Unusable::new("no bucket is in service"))
    }
}
