//! The future for the next change, under an executor of ten lines.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use keyroute_cluster::{Batch, Cluster, Watch};
use keyroute_vector_ring::VectorRing;
use support::change;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn cluster() -> Cluster<VectorRing, u64> {
    Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| 0).with_samples(0)
}

#[test]
fn a_change_that_is_already_there_is_answered_at_once() {
    let cluster = cluster();
    let mut watch = cluster.watch();
    change(&cluster, Batch::new().down("a"));
    change(&cluster, Batch::new().up("a"));
    // Two changes, one answer: the latest state.
    assert_eq!(block_on(watch.changed()).unwrap().epoch(), 2);
}

#[test]
fn no_change_is_slept_through() {
    let cluster = cluster();
    let watch = cluster.watch();
    let last = 300;
    let follow = async |mut watch: Watch<VectorRing, u64>| {
        let mut met = 0;
        while let Some(snapshot) = watch.changed().await {
            assert!(snapshot.epoch() > met);
            met = snapshot.epoch();
            if met == last {
                break;
            }
        }
        met
    };
    thread::scope(|scope| {
        let follower = scope.spawn(|| block_on(follow(watch)));
        for turn in 1..=last {
            change(&cluster, Batch::new().payload("a", turn));
        }
        assert_eq!(follower.join().unwrap(), last);
    });
}

#[test]
fn a_pending_future_can_be_dropped_and_loses_nothing() {
    let cluster = cluster();
    let mut watch = cluster.watch();
    {
        let mut future = pin!(watch.changed());
        let mut context = Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_pending());
    }
    change(&cluster, Batch::new().down("a"));
    assert_eq!(block_on(watch.changed()).unwrap().epoch(), 1);
}

#[test]
fn the_end_of_the_cluster_is_the_end_of_the_watch() {
    let cluster = cluster();
    let mut watch = cluster.watch();
    change(&cluster, Batch::new().down("a"));
    thread::scope(|scope| {
        let follower = scope.spawn(move || {
            let first = block_on(watch.changed()).map(|snapshot| snapshot.epoch());
            (first, block_on(watch.changed()).is_none())
        });
        drop(cluster);
        assert_eq!(follower.join().unwrap(), (Some(1), true));
    });
}
