//! [`State`]: what operations go by, one ring or two, and how all learn that it is another.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex as Plain, PoisonError};

use tokio::sync::{Mutex, oneshot, watch};

use crate::ring::{Holder, Ring};
use crate::roles::{Moved, Roles};

/// What an operation goes by. It holds it from beginning to end, so the last that lets go tells that no operation
/// goes by it any more.
pub(crate) struct State {
    /// Higher with each.
    pub(crate) generation: u64,
    pub(crate) phase: Phase,
    /// Never sent: the other end hears that it is dropped.
    _held: oneshot::Sender<()>,
}

pub(crate) enum Phase {
    Steady(Arc<Ring>),
    Change(Change),
    /// Nothing goes on, until it is said that it does: a node of the ring is exchanged, or a change was closed.
    Shut {
        ring: Arc<Ring>,
        opened: watch::Receiver<bool>,
    },
}

impl State {
    /// A state, and what ends when nobody holds it.
    pub(crate) fn new(generation: u64, phase: Phase) -> (Arc<Self>, oneshot::Receiver<()>) {
        let (held, let_go) = oneshot::channel();
        let state = Self {
            generation,
            phase,
            _held: held,
        };
        (Arc::new(state), let_go)
    }

    pub(crate) fn change(&self) -> Option<&Change> {
        match &self.phase {
            Phase::Steady(_) | Phase::Shut { .. } => None,
            Phase::Change(change) => Some(change),
        }
    }

    /// All nodes, in the order of their ids.
    pub(crate) fn holders(&self) -> Vec<Arc<Holder>> {
        let mut holders: Vec<Arc<Holder>> = match &self.phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => ring.holders().cloned().collect(),
            Phase::Change(it) => it.from.holders().chain(it.to.holders()).cloned().collect(),
        };
        holders.sort_by(|a, b| a.id.cmp(&b.id));
        holders.dedup_by(|a, b| a.id == b.id);
        holders
    }
}

/// Two rings: keys move from the one to the other.
pub(crate) struct Change {
    pub(crate) from: Arc<Ring>,
    pub(crate) to: Arc<Ring>,
    /// Whether it goes back to where it began.
    pub(crate) back: bool,
    /// Whether no operation goes by an earlier state any more. Until then no key may move: such an operation would
    /// write it where it was.
    pub(crate) ready: watch::Sender<bool>,
    pub(crate) paused: watch::Sender<bool>,
    pub(crate) mover: Mutex<MoverPlace>,
    pub(crate) counts: Counts,
    pub(crate) last_error: Plain<Option<String>>,
}

/// How far the mover has come.
#[derive(Default)]
pub(crate) struct MoverPlace {
    /// Whether `counts.total` is known.
    pub(crate) counted: bool,
    /// How many of the nodes before have been gone through.
    pub(crate) nodes: usize,
    /// Where to go on in the next.
    pub(crate) cursor: Option<Vec<u8>>,
    /// Whether it has come to the end.
    pub(crate) ended: bool,
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) total: AtomicU64,
    pub(crate) seen: AtomicU64,
    pub(crate) moved: AtomicU64,
    pub(crate) bytes: AtomicU64,
}

impl Counts {
    pub(crate) fn count(&self, moved: Moved) {
        self.moved.fetch_add(moved.keys, Relaxed);
        self.bytes.fetch_add(moved.bytes, Relaxed);
    }
}

impl Change {
    pub(crate) fn new(from: Arc<Ring>, to: Arc<Ring>, back: bool, paused: bool) -> Self {
        Self {
            from,
            to,
            back,
            ready: watch::Sender::new(false),
            paused: watch::Sender::new(paused),
            mover: Mutex::default(),
            counts: Counts::default(),
            last_error: Plain::default(),
        }
    }

    pub(crate) fn roles_of(&self, key: &[u8]) -> Roles<'_> {
        Roles::new(self.from.holders_of(key), self.to.holders_of(key))
    }

    /// Waits until keys may move: as long as the longest operation that began before the change.
    pub(crate) async fn until_ready(&self) {
        if *self.ready.borrow() {
            return;
        }
        // It cannot fail: the sender is here.
        let _ = self.ready.subscribe().wait_for(|ready| *ready).await;
    }

    pub(crate) fn note(&self, error: Option<String>) {
        *self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = error;
    }
}
