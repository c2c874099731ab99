//! [`Count`]: how loads are counted, by many threads or by one.

use core::cell::Cell;
use core::fmt::Debug;

#[cfg(not(loom))]
use core::sync::atomic::{AtomicUsize, Ordering};
#[cfg(loom)]
use loom::sync::atomic::{AtomicUsize, Ordering};

/// A number of loads: [`SharedCount`] between threads, or [`LocalCount`] to one.
///
/// Sealed: a router's memory is freed by its counts.
pub trait Count: sealed::Steps + Default + Debug {}

/// A count that any thread may change, each time in one atomic step: what [`Bounded`](crate::Bounded) has unless
/// said.
#[derive(Debug, Default)]
pub struct SharedCount(AtomicUsize);

/// A count of one thread's loads, in plain memory: what [`for_one_thread`](crate::Bounded::for_one_thread) has.
#[derive(Debug, Default)]
pub struct LocalCount(Cell<usize>);

impl Count for SharedCount {}
impl Count for LocalCount {}

pub(crate) mod sealed {
    /// What is done to a count, each in one step for all who see it. All but `get` give what it was before.
    pub trait Steps {
        fn get(&self) -> usize;
        fn add(&self, more: usize) -> usize;
        fn subtract(&self, less: usize) -> usize;
        fn set_bits(&self, bits: usize) -> usize;
        /// Adds one if it may; the answer holds for the number that is added to.
        fn add_if(&self, may: impl Fn(usize) -> bool) -> Option<usize>;
    }
}

impl sealed::Steps for SharedCount {
    #[inline]
    fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    #[inline]
    fn add(&self, more: usize) -> usize {
        self.0.fetch_add(more, Ordering::AcqRel)
    }

    #[inline]
    fn subtract(&self, less: usize) -> usize {
        self.0.fetch_sub(less, Ordering::AcqRel)
    }

    #[inline]
    fn set_bits(&self, bits: usize) -> usize {
        self.0.fetch_or(bits, Ordering::AcqRel)
    }

    #[inline]
    fn add_if(&self, may: impl Fn(usize) -> bool) -> Option<usize> {
        self.0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
                may(count).then_some(count + 1)
            })
            .ok()
    }
}

impl LocalCount {
    #[inline]
    fn change(&self, to: impl FnOnce(usize) -> usize) -> usize {
        let before = self.0.get();
        self.0.set(to(before));
        before
    }
}

impl sealed::Steps for LocalCount {
    #[inline]
    fn get(&self) -> usize {
        self.0.get()
    }

    #[inline]
    fn add(&self, more: usize) -> usize {
        self.change(|count| count.wrapping_add(more))
    }

    #[inline]
    fn subtract(&self, less: usize) -> usize {
        self.change(|count| count.wrapping_sub(less))
    }

    #[inline]
    fn set_bits(&self, bits: usize) -> usize {
        self.change(|count| count | bits)
    }

    #[inline]
    fn add_if(&self, may: impl Fn(usize) -> bool) -> Option<usize> {
        loop {
            let count = self.0.get();
            if !may(count) {
                return None;
            }
            // An admission test is anybody's code, and may itself acquire and release.
            if self.0.get() == count {
                self.0.set(count + 1);
                return Some(count);
            }
        }
    }
}
