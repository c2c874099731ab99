//! Functions from a key and a number of buckets to a bucket: `seed001-jump`, `go-jump`,
//! `lithammer-jump`, `hash4j-jumpback`.

use keyroute::KeyHasher;
use keyroute::hash::{Crc32, Fnv1_64, Fnv1a64, ZeroExtend};
use keyroute_interop::{Crc64, go_jump, hash4j_jump_back, lithammer_jump};
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::replay::{System, unknown_op};
use super::report::Unusable;

/// A number of buckets, and the function.
struct Buckets<F> {
    count: i64,
    function: F,
}

fn system<F>(document: &mut Document, function: F) -> Result<Box<dyn System>, Unusable>
where
    F: Fn(&Key, i64) -> Result<i32, Unusable> + 'static,
{
    no_nodes(document)?;
    let config = &mut document.config;
    let count = config.take("buckets");
    let count = config.required("buckets", count)?;
    let count = count
        .as_i64()
        .ok_or_else(|| Unusable(format!("buckets is {count}: give a whole number")))?;
    Ok(Box::new(Buckets { count, function }))
}

/// `seed001-jump` and `go-jump`: the paper's function over numbers, −1 without buckets.
pub(crate) fn jump(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    system(document, |key, buckets| {
        Ok(go_jump(key.number()?, buckets)?)
    })
}

/// `lithammer-jump`: the same over hashes of text, for one bucket where there is none.
pub(crate) fn lithammer(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let name = document.config.text("hasher")?;
    let hash: fn(&[u8]) -> u64 = match name.as_deref() {
        Some("crc32") => |key| ZeroExtend(Crc32).hash(key),
        Some("crc64") => |key| Crc64.hash(key),
        Some("fnv1") => |key| Fnv1_64.hash(key),
        Some("fnv1a") => |key| Fnv1a64.hash(key),
        other => {
            return Err(Unusable(format!(
                "unknown hasher {other:?}: crc32, crc64, fnv1 or fnv1a"
            )));
        }
    };
    system(document, move |key, buckets| {
        Ok(lithammer_jump(hash(key.bytes()?), buckets)?)
    })
}

/// `hash4j-jumpback`: `JumpBackHash` over numbers.
pub(crate) fn jump_back(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    document.config.only("prng", "SplitMix64_V1")?;
    system(document, |key, buckets| {
        let bucket = u32::try_from(buckets)
            .ok()
            .and_then(|buckets| hash4j_jump_back(key.number().ok()?, buckets))
            .and_then(|bucket| i32::try_from(bucket).ok());
        key.number()?;
        bucket.ok_or_else(|| {
            Unusable(format!(
                "{buckets} buckets: the original takes 1 to 2147483647"
            ))
        })
    })
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

impl<F: Fn(&Key, i64) -> Result<i32, Unusable>> System for Buckets<F> {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::AddBucket => self.count += 1,
            Op::RemoveBucket(bucket) if i64::try_from(*bucket).ok() == Some(self.count - 1) => {
                self.count -= 1;
            }
            Op::RemoveBucket(bucket) => {
                return Err(Unusable(format!(
                    "bucket {bucket} of {} cannot be removed: only the last can",
                    self.count
                )));
            }
            other => return Err(unknown_op(other, "add_bucket and remove_bucket")),
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        (self.function)(key, self.count).map(Value::from)
    }
}
