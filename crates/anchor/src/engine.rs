//! [`Buckets`]: the engines, as [`Numbered`](crate::Numbered) uses them.

use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{MAX_NODES, RouteError};

/// A set of numbered buckets of which any may leave, and the function from hashes to those in service.
///
/// Integers only: nodes, names and hashers are the router's business. Implementors:
///
/// - `bucket` depends on the hash and on what `capacity`, `removed` and the number of buckets in service
///   say, on nothing else.
/// - Taking a bucket out of service moves only its hashes; putting one into service moves hashes only to
///   it.
/// - Adding as many buckets to an empty set as are in service or removed, and then taking out those that
///   `removed` lists, in that order, gives the same set.
pub trait Buckets: Clone {
    /// The strategy's name, as `anchor`: errors and descriptions say it.
    const NAME: &'static str;
    /// The revision of its answers, raised whenever one changes.
    const REVISION: u32;

    /// No bucket in service.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a capacity where there is none to set, for none where it must be
    /// set, and for one that is not accepted.
    fn empty(capacity: Option<u32>) -> Result<Self, RouteError>;

    /// The most buckets that can be in service, if that was set when the set was made and decides answers.
    fn capacity(&self) -> Option<u32> {
        None
    }

    /// The bucket of this hash; `None` if none is in service.
    fn bucket(&self, hash: u64) -> Option<u32>;

    /// Whether this bucket is in service.
    fn contains(&self, bucket: u32) -> bool;

    /// The bucket that [`add`](Self::add) would put into service; `None` if no more fit.
    fn next_bucket(&self) -> Option<u32>;

    /// Puts a bucket into service: [`next_bucket`](Self::next_bucket).
    fn add(&mut self) -> Option<u32>;

    /// Takes a bucket out of service; says whether it was in service. When the last one leaves, the set is
    /// as it was when it was made.
    fn remove(&mut self, bucket: u32) -> bool;

    /// The buckets below others in service or removed that are out of service themselves, in the order in
    /// which they left if that matters, else ascending.
    fn removed(&self) -> Vec<u32>;

    /// The buckets that come up for this hash before the one that [`bucket`](Self::bucket) gives, in order, and are
    /// out of service: for explanations.
    fn drawn_before(&self, _hash: u64) -> Vec<u32> {
        Vec::new()
    }

    /// The first `n` buckets in the order of this hash, each once, the one that [`bucket`](Self::bucket) gives first:
    /// for explanations. None where there is no order.
    fn preferred(&self, _hash: u64, _n: usize) -> Vec<u32> {
        Vec::new()
    }

    /// The bytes it holds on the heap.
    fn heap_bytes(&self) -> usize;
}

/// A promise without methods: answers depend on which node is on which bucket, not on the order in which
/// others left.
///
/// [`Ranking`](crate::Ranking) and [`Dx`](crate::Dx) are history-free, the anchors and
/// [`Memento`](crate::Memento) are not:
///
/// ```
/// use keyroute_anchor::{HistoryFree, Ranking};
///
/// fn share_a_table(_: &impl HistoryFree) {}
/// share_a_table(&Ranking::new());
/// ```
///
/// ```compile_fail,E0277
/// use keyroute_anchor::{GrowableAnchor, HistoryFree};
///
/// fn share_a_table(_: &impl HistoryFree) {}
/// share_a_table(&GrowableAnchor::new());
/// ```
#[diagnostic::on_unimplemented(
    message = "the answers of `{Self}` depend on the order in which buckets left",
    note = "clients must share its `state`, or every change in one order; a table of nodes is not enough"
)]
pub trait HistoryFree {}

/// Buckets whose number is preset: [`capacity`](Buckets::capacity) is never `None`.
pub trait Preset: Buckets {}

/// The capacity, if it is one.
pub(crate) fn preset(capacity: Option<u32>) -> Result<u32, RouteError> {
    match capacity {
        Some(capacity) if (1..=MAX_NODES).contains(&(capacity as usize)) => Ok(capacity),
        _ => Err(RouteError::Parameter {
            name: "capacity",
            given: capacity.map_or("not given".into(), |capacity| capacity.to_string()),
            accepted: "1 to 16777216",
        }),
    }
}

/// Nothing, unless a capacity was given.
pub(crate) fn not_preset(capacity: Option<u32>) -> Result<(), RouteError> {
    match capacity {
        None => Ok(()),
        Some(capacity) => Err(RouteError::Parameter {
            name: "capacity",
            given: capacity.to_string(),
            accepted: "none, since these buckets grow",
        }),
    }
}
