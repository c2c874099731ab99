//! [`Life`]: what a model checker needs to see that counters are freed, and not while somebody looks at them.

/// Nothing. Under the model checker a cell that is read by who looks at a counter and written by who frees it, so that
/// the one must come after all of the other; and a mark by which a counter is missed that nobody frees.
#[derive(Debug, Default)]
pub(crate) struct Life {
    #[cfg(loom)]
    seen: loom::cell::UnsafeCell<()>,
    #[cfg(loom)]
    _freed: Freed,
}

impl Life {
    #[inline(always)]
    #[cfg_attr(not(loom), expect(clippy::unused_self, reason = "it is nothing"))]
    pub(crate) fn is_looked_at(&self) {
        #[cfg(loom)]
        self.seen.with(|_| ());
    }

    #[inline(always)]
    #[cfg_attr(not(loom), expect(clippy::unused_self, reason = "it is nothing"))]
    pub(crate) fn ends(&self) {
        #[cfg(loom)]
        self.seen.with_mut(|_| ());
    }
}

#[cfg(loom)]
struct Freed(#[expect(dead_code, reason = "held to be dropped")] loom::alloc::Track<()>);

#[cfg(loom)]
impl Default for Freed {
    fn default() -> Self {
        Self(loom::alloc::Track::new(()))
    }
}

#[cfg(loom)]
impl core::fmt::Debug for Freed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Freed")
    }
}
