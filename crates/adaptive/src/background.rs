//! [`Background`]: a thread that balances.

use alloc::string::ToString;
use core::mem;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use keyroute_core::{NodeId, RouteError};

use crate::{Balancer, Counter, Policy, Round, Stats, Target, Verdict};

/// A thread that asks a [`Balancer`] every interval and sets its target's points.
///
/// Dropping it, or [`stop`](Self::stop), wakes the thread and waits for it: no longer than the target takes that
/// is asked just then.
///
/// **Locks.** The balancer's lock is held while it counts and judges, never while the target is asked. So all
/// methods may be called under the target's own lock, and from the target.
///
/// If target or policy panics, that round is lost and [counted](Self::panics), and the next one comes.
///
/// ```
/// use std::sync::{Arc, RwLock};
/// use std::time::Duration;
///
/// use keyroute_adaptive::{Background, Balancer, Node, NodeId, Steady, Weight};
/// use keyroute_vector_ring::{Native, VectorRing, hash::Xxh3};
///
/// let node = |id: &str| Ok::<_, keyroute_adaptive::RouteError>(Node::new(id)?.with_weight(Weight::new(100)?));
/// let scheme = Native::new(Xxh3).with_points_per_weight(1)?;
/// let ring = Arc::new(RwLock::new(VectorRing::from_nodes_with(scheme, [node("a")?, node("b")?])?));
///
/// let background = Background::start(Balancer::new(Steady::default()), ring.clone())?;
/// let (a, b) = (background.counter(&NodeId::new("a")?), background.counter(&NodeId::new("b")?));
/// a.add(1);
/// b.add(3);
/// assert_eq!(background.stats().share("b"), Some(0.75));
/// drop(background);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Background<P> {
    shared: Arc<Shared<P>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared<P> {
    balancer: Mutex<Balancer<P>>,
    report: Mutex<Report>,
    stopped: Mutex<bool>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Report {
    rounds: u64,
    panics: u64,
    last: Option<Round>,
    refusal: Option<RouteError>,
}

/// No state behind these locks is ever half changed for long: each holder leaves it sound at every step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P> Background<P> {
    /// Starts the thread. The first window begins at once.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn start(balancer: Balancer<P>, target: impl Target + Send + 'static) -> io::Result<Self>
    where
        P: Policy + Send + 'static,
    {
        let shared = Arc::new(Shared {
            balancer: Mutex::new(balancer),
            report: Mutex::default(),
            stopped: Mutex::new(false),
            wake: Condvar::new(),
        });
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("keyroute-adaptive".to_string())
            .spawn(move || of_thread.run(target))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// The counter of this node; see [`Balancer::counter`]. Takes the lock: keep what it gives.
    #[must_use]
    pub fn counter(&self, id: &NodeId) -> Counter {
        lock(&self.shared.balancer).counter(id)
    }

    /// The counters of a router's members by slot; see [`LoadCounters::by_slot`](crate::LoadCounters::by_slot).
    #[must_use]
    pub fn by_slot(&self, members: &keyroute_core::Members) -> alloc::vec::Vec<Option<Counter>> {
        lock(&self.shared.balancer).by_slot(members)
    }

    /// A request for the key of this digest went to this node; see [`Balancer::observe`]. Never waits: if the lock
    /// is taken, the request is not observed, and it gives `false`. Busy callers give it one request of many.
    #[expect(
        clippy::must_use_candidate,
        reason = "a lost sample is nothing to act on"
    )]
    pub fn observe(&self, digest: u64, node: &NodeId) -> bool {
        let mut balancer = match self.shared.balancer.try_lock() {
            Ok(balancer) => balancer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        balancer.observe(digest, node);
        true
    }

    /// The shares of this window so far; see [`Balancer::stats`].
    #[must_use]
    pub fn stats(&self) -> Stats {
        lock(&self.shared.balancer).stats()
    }

    /// What the last tick came to.
    #[must_use]
    pub fn last_round(&self) -> Option<Round> {
        lock(&self.shared.report).last.clone()
    }

    /// How many ticks there were.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        lock(&self.shared.report).rounds
    }

    /// How many of them ended in a panic of the target or the policy.
    #[must_use]
    pub fn panics(&self) -> u64 {
        lock(&self.shared.report).panics
    }

    /// What the target refused in the last tick, if it did.
    #[must_use]
    pub fn refusal(&self) -> Option<RouteError> {
        lock(&self.shared.report).refusal.clone()
    }

    /// Stops the thread and waits for it. So does dropping.
    pub fn stop(self) {
        drop(self);
    }
}

impl<P> Drop for Background<P> {
    fn drop(&mut self) {
        *lock(&self.shared.stopped) = true;
        self.shared.wake.notify_all();
        // Its own thread may drop it, as a part of the target: that one ends by itself.
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            // It catches panics; one while it ends has nobody to go to.
            let _ = thread.join();
        }
    }
}

impl<P: Policy> Shared<P> {
    fn run(&self, mut target: impl Target) {
        let start = Instant::now();
        let interval = lock(&self.balancer).interval();
        loop {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                self.round(start.elapsed(), &mut target)
            }));
            let outcome = outcome.map_err(|panic| {
                // What it panicked with may panic when it is dropped.
                catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(mem::forget)
            });
            self.note(outcome.ok());
            if self.wait(interval) {
                return;
            }
        }
    }

    /// One round, the target asked without a lock of ours.
    fn round(
        &self,
        now: Duration,
        target: &mut impl Target,
    ) -> (Option<Round>, Option<RouteError>) {
        let nodes = target.nodes();
        let excused = target.excused();
        let round = {
            let mut balancer = lock(&self.balancer);
            balancer.excuse(excused);
            balancer.decide(now, &nodes)
        };
        let refusal = match round.as_ref().map(|it| &it.judgement.verdict) {
            Some(Verdict::Move(plan)) => target.set_points(plan.changes()).err(),
            _ => None,
        };
        (round, refusal)
    }

    /// `None` after a panic.
    fn note(&self, outcome: Option<(Option<Round>, Option<RouteError>)>) {
        let mut report = lock(&self.report);
        report.rounds += 1;
        match outcome {
            Some((round, refusal)) => {
                report.last = round.or(report.last.take());
                report.refusal = refusal;
            }
            None => report.panics += 1,
        }
    }

    /// Waits for an interval, or less if it is to stop; whether it is.
    fn wait(&self, interval: Duration) -> bool {
        let stopped = lock(&self.stopped);
        let (stopped, _) = self
            .wake
            .wait_timeout_while(stopped, interval, |stopped| !*stopped)
            .unwrap_or_else(PoisonError::into_inner);
        *stopped
    }
}
