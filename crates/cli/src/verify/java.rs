//! `java-*`: a collection of algorithms in Java, each with the collection's own hashes.

use keyroute_interop::java::{
    AnchorEngine, BinomialEngine, DxEngine, FlipEngine, Hash, JumpBackEngine, JumpEngine,
    KeyedBuckets, MementoEngine, MultiProbeEngine, PowerEngine, RemovalEngine, RendezvousEngine,
    RingEngine, SizedEngine, SizedFunction,
};
use serde_json::Value;

use super::bucket_functions::no_nodes;
use super::document::{Document, Key, Op};
use super::named_nodes::{NamedNodes, names};
use super::replay::{System, unknown_op};
use super::report::Unusable;

/// An engine of numbered buckets, and what it returned from each change.
struct Numbered<E> {
    engine: E,
    returned: Vec<u32>,
}

/// What the engines of numbered buckets have in common.
trait Engine {
    fn bucket(&self, key: &[u8]) -> Option<u32>;
    fn add(&mut self) -> Option<u32>;
    /// Gives the bucket that was removed.
    fn remove(&mut self, bucket: u32) -> Option<u32>;
}

impl<F: SizedFunction> Engine for SizedEngine<F> {
    fn bucket(&self, key: &[u8]) -> Option<u32> {
        self.bucket(key)
    }
    fn add(&mut self) -> Option<u32> {
        self.add_bucket()
    }
    /// The original ignores which bucket is meant.
    fn remove(&mut self, _bucket: u32) -> Option<u32> {
        self.remove_bucket()
    }
}

impl<B: KeyedBuckets> Engine for RemovalEngine<B> {
    fn bucket(&self, key: &[u8]) -> Option<u32> {
        self.bucket(key)
    }
    fn add(&mut self) -> Option<u32> {
        self.add_bucket()
    }
    fn remove(&mut self, bucket: u32) -> Option<u32> {
        self.remove_bucket(bucket).then_some(bucket)
    }
}

impl<E: Engine> System for Numbered<E> {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        let changed = match op {
            Op::AddBucket => self.engine.add(),
            Op::RemoveBucket(bucket) => u32::try_from(*bucket)
                .ok()
                .and_then(|bucket| self.engine.remove(bucket)),
            other => return Err(unknown_op(other, "add_bucket and remove_bucket")),
        };
        let changed = changed.ok_or_else(|| Unusable(format!("{op:?} is not possible here")))?;
        self.returned.push(changed);
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let bucket = self.engine.bucket(key.bytes()?);
        bucket
            .map(Value::from)
            .ok_or_else(|| Unusable::new("the original refuses the empty key"))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        Ok((name == "ops_returned").then(|| self.returned.clone().into()))
    }
}

/// The number under this name, which must be there.
fn number(document: &mut Document, name: &str) -> Result<u32, Unusable> {
    let found = document.config.whole(name)?;
    document.config.required(name, found)
}

fn hash(document: &mut Document) -> Result<Hash, Unusable> {
    let name = document.config.text("hash")?;
    Ok(document.config.required("hash", name)?.parse()?)
}

fn numbered<E: Engine + 'static>(
    document: &Document,
    engine: E,
) -> Result<Box<dyn System>, Unusable> {
    no_nodes(document)?;
    Ok(Box::new(Numbered {
        engine,
        returned: Vec::new(),
    }))
}

macro_rules! sized {
    ($($set_up:ident: $engine:ty;)*) => {$(
        pub(crate) fn $set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
            document.config.harmless("upstream_dep"); // a version
            let engine = <$engine>::new(number(document, "size")?, hash(document)?)?;
            numbered(document, engine)
        }
    )*};
}

sized! {
    binomial: BinomialEngine;
    flip: FlipEngine;
    jump: JumpEngine;
    jump_back: JumpBackEngine;
    memento: MementoEngine;
    power: PowerEngine;
}

macro_rules! roomy {
    ($($set_up:ident: $engine:ty;)*) => {$(
        pub(crate) fn $set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
            let (size, capacity) = (number(document, "size")?, number(document, "capacity")?);
            let engine = <$engine>::with_capacity(size, capacity, hash(document)?)?;
            numbered(document, engine)
        }
    )*};
}

roomy! {
    anchor: AnchorEngine;
    dx: DxEngine;
}

pub(crate) fn rendezvous(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let hash = hash(document)?;
    let engine = RendezvousEngine::from_names(hash, names(document)?)?;
    Ok(Box::new(NamedNodes(engine)))
}

pub(crate) fn multi_probe(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let (hash, probes) = (hash(document)?, number(document, "probes")?);
    let engine = MultiProbeEngine::from_names(hash, probes, names(document)?)?;
    Ok(Box::new(NamedNodes(engine)))
}

pub(crate) fn ring(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let (hash, virtual_nodes) = (hash(document)?, number(document, "vnodes")?);
    let engine = RingEngine::from_names(hash, virtual_nodes, names(document)?)?;
    Ok(Box::new(NamedNodes(engine)))
}
