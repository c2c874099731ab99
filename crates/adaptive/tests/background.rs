//! The thread: it stops when told to, and outlives panics.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use keyroute_adaptive::{
    Background, Balancer, Change, Judgement, Node, NodeId, Plan, Policy, RouteError, Steady,
    Target, Verdict, Weight, Window,
};

/// Raises every node by one point, always.
struct Raise;

impl Policy for Raise {
    fn judge(&mut self, window: &Window<'_>) -> Judgement {
        let changes = window.nodes.iter().map(|node| Change {
            id: node.id.clone(),
            from: node.points,
            to: Weight::new(node.points.get() + 1).unwrap(),
        });
        Judgement {
            verdict: Verdict::Move(Plan::new(changes.collect(), 1)),
            hot: Vec::new(),
            closes: true,
        }
    }
}

/// A target that calls this before it answers.
struct Calls<F>(F);

impl<F: FnMut()> Target for Calls<F> {
    fn nodes(&mut self) -> Vec<Node> {
        (self.0)();
        vec![Node::new("a").unwrap()]
    }

    fn set_points(&mut self, _changes: &[Change]) -> Result<(), RouteError> {
        (self.0)();
        Err(RouteError::NoMembers)
    }
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{what}: not within 10 s"
        );
        thread::sleep(Duration::from_millis(1));
    }
}

fn every(interval: Duration) -> Balancer<Raise> {
    Balancer::new(Raise).with_interval(interval).unwrap()
}

const MILLI: Duration = Duration::from_millis(1);

#[test]
fn stopping_does_not_wait_for_the_interval() {
    let background = Background::start(every(Duration::from_secs(3600)), Calls(|| ())).unwrap();
    wait_until("first tick", || background.rounds() == 1);
    let start = Instant::now();
    background.stop();
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn after_dropping_the_target_is_not_asked_again() {
    let (calls, asked) = mpsc::channel();
    let background =
        Background::start(every(MILLI), Calls(move || calls.send(()).unwrap())).unwrap();
    asked.recv_timeout(Duration::from_secs(10)).unwrap();
    drop(background);
    // The thread has ended, and dropped the target with its end of the channel.
    while asked.try_recv().is_ok() {}
    assert_eq!(asked.try_recv(), Err(mpsc::TryRecvError::Disconnected));
}

#[test]
fn a_panicking_target_loses_its_rounds_and_nothing_hangs() {
    let calls = AtomicU32::new(0);
    let target = Calls(move || {
        assert!(
            calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(2),
            "on purpose"
        );
    });
    let background = Background::start(every(MILLI), target).unwrap();
    wait_until("panics", || background.panics() >= 3);
    let counter = background.counter(&NodeId::new("a").unwrap());
    counter.count();
    assert!(background.rounds() >= background.panics());
    background.stop();
}

#[test]
fn a_panic_that_panics_when_dropped_loses_its_round_alone() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("on purpose, again")
        }
    }
    let target = Calls(|| std::panic::panic_any(Bomb));
    let background = Background::start(every(MILLI), target).unwrap();
    wait_until("panics", || background.panics() >= 3);
    background.stop();
}

#[test]
fn a_panicking_policy_loses_its_rounds_and_nothing_hangs() {
    struct Panics;
    impl Policy for Panics {
        fn judge(&mut self, _window: &Window<'_>) -> Judgement {
            panic!("on purpose")
        }
    }
    let balancer = Balancer::new(Panics).with_interval(MILLI).unwrap();
    let background = Background::start(balancer, Calls(|| ())).unwrap();
    wait_until("panics", || background.panics() >= 3);
    // The lock was poisoned, and is of use all the same.
    assert!(background.stats().is_empty());
    wait_until("observation", || {
        background.observe(1, &NodeId::new("a").unwrap())
    });
}

#[test]
fn what_the_target_refuses_is_reported() {
    let background = Background::start(every(MILLI), Calls(|| ())).unwrap();
    wait_until("refusal", || background.refusal().is_some());
    assert_eq!(background.refusal(), Some(RouteError::NoMembers));
    let round = background.last_round().unwrap();
    assert!(matches!(round.judgement.verdict, Verdict::Move(_)));
}

#[test]
fn the_target_may_ask_the_balancer() {
    let handle: Arc<OnceLock<Weak<Background<Raise>>>> = Arc::default();
    let in_target = Arc::clone(&handle);
    let target = Calls(move || {
        if let Some(background) = in_target.get().and_then(Weak::upgrade) {
            drop(background.stats());
        }
    });
    let background = Arc::new(Background::start(every(MILLI), target).unwrap());
    handle.set(Arc::downgrade(&background)).unwrap();
    let now = background.rounds();
    wait_until("rounds", || background.rounds() > now + 5);
}

#[test]
fn the_thread_may_be_dropped_by_its_own_target() {
    type Held = Arc<Mutex<Option<Background<Raise>>>>;
    let held: Held = Arc::default();
    let (ended, end) = mpsc::channel();
    let in_target = Arc::clone(&held);
    let target = Calls(move || {
        if in_target.lock().unwrap().take().is_some() {
            ended.send(()).unwrap();
        }
    });
    *held.lock().unwrap() = Some(Background::start(every(MILLI), target).unwrap());
    end.recv_timeout(Duration::from_secs(10)).unwrap();
    // And then it ends: its channel closes with it.
    assert_eq!(
        end.recv_timeout(Duration::from_secs(10)),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
}

#[test]
fn requests_are_counted_from_many_threads_while_it_ticks() {
    let balancer = Balancer::new(Steady::default())
        .with_interval(MILLI)
        .unwrap();
    let background = Background::start(balancer, Calls(|| ())).unwrap();
    let counter = background.counter(&NodeId::new("a").unwrap());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50_000).for_each(|_| counter.count()));
        }
    });
    assert_eq!(counter.get(), 200_000);
}
