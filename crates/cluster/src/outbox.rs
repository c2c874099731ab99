//! [`Outbox`]: changes on their way to subscribers.

use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{BACKLOG, Change};

/// Delivers changes in their order, one at a time, without the lock that guards the list.
///
/// Whoever changes the cluster delivers. If a delivery is under way already, be it on another thread or further
/// up on this one (a subscriber that changes the cluster), that one goes on until nothing waits.
#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    panics: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Letter>,
    delivering: bool,
    /// Replaced as a whole: letters share it.
    subscribers: Arc<[Arc<Subscriber>]>,
}

/// A change and who was subscribed when it happened.
struct Letter {
    change: Arc<Change>,
    to: Arc<[Arc<Subscriber>]>,
}

type Call = dyn Fn(&Arc<Change>) + Send + Sync;

pub(crate) struct Subscriber {
    active: AtomicBool,
    call: Box<Call>,
}

impl Outbox {
    pub(crate) fn subscribe(&self, call: Box<Call>) -> Arc<Subscriber> {
        let subscriber = Arc::new(Subscriber {
            active: AtomicBool::new(true),
            call,
        });
        let mut state = self.lock();
        let all = state.subscribers.iter().chain([&subscriber]);
        state.subscribers = all.cloned().collect();
        subscriber
    }

    pub(crate) fn unsubscribe(&self, subscriber: &Arc<Subscriber>) {
        subscriber.active.store(false, Ordering::Release);
        let mut state = self.lock();
        let others = state.subscribers.iter();
        let others = others.filter(|other| !Arc::ptr_eq(other, subscriber));
        state.subscribers = others.cloned().collect();
    }

    /// Puts a change behind those that wait; over [`BACKLOG`] of them the oldest is dropped.
    pub(crate) fn post(&self, change: &Arc<Change>) {
        let mut state = self.lock();
        if state.subscribers.is_empty() {
            return;
        }
        if state.waiting.len() == BACKLOG {
            state.waiting.pop_front();
        }
        let letter = Letter {
            change: Arc::clone(change),
            to: Arc::clone(&state.subscribers),
        };
        state.waiting.push_back(letter);
    }

    /// Delivers what waits, unless somebody does already.
    pub(crate) fn deliver(&self) {
        {
            let mut state = self.lock();
            if state.delivering {
                return;
            }
            state.delivering = true;
        }
        while let Some(letter) = self.next() {
            let active = |subscriber: &&Arc<Subscriber>| subscriber.active.load(Ordering::Acquire);
            for subscriber in letter.to.iter().filter(active) {
                let call = AssertUnwindSafe(|| (subscriber.call)(&letter.change));
                if let Err(panic) = catch_unwind(call) {
                    // What it panicked with may panic when it is dropped.
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(mem::forget);
                    self.panics.fetch_add(1, Ordering::Relaxed);
                    #[cfg(feature = "tracing")]
                    crate::trace::panicked(&letter.change, self.panics());
                }
            }
        }
    }

    /// The next to be delivered. That nothing waits and that nobody delivers any more is one decision, so that
    /// what is posted meanwhile is not left lying.
    fn next(&self) -> Option<Letter> {
        let mut state = self.lock();
        let next = state.waiting.pop_front();
        state.delivering = next.is_some();
        next
    }

    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Nothing panics while it is held.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
