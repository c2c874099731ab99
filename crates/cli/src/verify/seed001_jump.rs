//! `seed001-jump`: the paper's function over numbers.

use keyroute::jump_hash;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::replay::{System, unknown_op};
use super::report::Unusable;

struct Jump {
    buckets: i64,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    no_nodes(document)?;
    let config = &mut document.config;
    let buckets = config.take("buckets");
    let buckets = config.required("buckets", buckets)?;
    let buckets = buckets
        .as_i64()
        .ok_or_else(|| Unusable(format!("buckets is {buckets}: give a whole number")))?;
    Ok(Box::new(Jump { buckets }))
}

/// Refuses nodes: the system answers numbers.
pub(crate) fn no_nodes(document: &Document) -> Result<(), Unusable> {
    if document.nodes.is_empty() {
        Ok(())
    } else {
        Err(Unusable::new(
            "\"nodes\" is not empty, but the system knows none",
        ))
    }
}

impl System for Jump {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::AddBucket => self.buckets += 1,
            Op::RemoveBucket(bucket) if i64::try_from(*bucket).ok() == Some(self.buckets - 1) => {
                self.buckets -= 1;
            }
            Op::RemoveBucket(bucket) => {
                return Err(Unusable(format!(
                    "bucket {bucket} of {} cannot be removed: only the last can",
                    self.buckets
                )));
            }
            other => return Err(unknown_op(other, "add_bucket and remove_bucket")),
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.number()?;
        if self.buckets <= 0 {
            // What the original answers without buckets.
            return Ok((-1).into());
        }
        let bucket = u32::try_from(self.buckets)
            .ok()
            .and_then(|buckets| jump_hash(key, buckets));
        bucket.map(Value::from).ok_or_else(|| {
            Unusable(format!(
                "{} buckets: from 2^31 on the original's numbers wrap to negative ones",
                self.buckets
            ))
        })
    }
}
