//! A change that is closed while operations that began before are still under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use keyroute_kv::{Entry, MemoryShard, Next, NodeId, Page, Pending, Shard, ShardError, Store};
use tokio::sync::Notify;
use tokio::task::yield_now;

mod support;
use support::{node, owner, ring};

/// Cannot list its keys; one set waits.
struct Slow {
    within: MemoryShard,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    /// Whether the next set waits.
    holds: AtomicBool,
    opens: Notify,
}

impl Shard for Slow {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        self.within.get(key)
    }
    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            if self.gate.holds.swap(false, SeqCst) {
                self.gate.opens.notified().await;
            }
            self.within.set(key, entry).await
        })
    }
    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        self.within.delete(key)
    }
    fn scan<'a>(
        &'a self,
        _cursor: Option<Vec<u8>>,
        _limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        Box::pin(async { Err(ShardError::new("it cannot list its keys")) })
    }
    fn lists(&self) -> bool {
        false
    }
}

/// A reader that moves a key is slow, the change is closed, and the key is written or deleted: what was answered last
/// counts, whenever the reader's copy comes.
#[tokio::test]
async fn what_a_slow_reader_moves_does_not_replace_what_came_after_the_end() {
    for (replicas, deletes) in [(1, false), (1, true), (2, false), (2, true)] {
        let gate = Arc::new(Gate::default());
        let within = gate.clone();
        let connect = move |_id: &NodeId, _address: &str| {
            Ok(Slow {
                within: MemoryShard::new(),
                gate: within.clone(),
            })
        };
        let names = &["a", "b", "c"][..=replicas];
        let (before, joins) = names.split_at(replicas);
        let before: Vec<_> = before.iter().map(|id| node(id)).collect();
        let store = Store::builder(ring, connect)
            .nodes(before.clone())
            .replicas(replicas)
            .open()
            .await
            .unwrap();
        let all: Vec<_> = names.iter().map(|id| node(id)).collect();
        let moves = |key: &Vec<u8>| owner(&all, key) == joins[0];
        let mut keys = (0..100u32).map(|it| it.to_le_bytes().to_vec());
        let key = keys.find(moves).unwrap();
        store.set(&key, "old").await.unwrap();
        store.add(node(joins[0])).await.unwrap();
        while store.advance(10).await.unwrap().next != Next::Touched {}

        gate.holds.store(true, SeqCst);
        let (slow, read) = (store.clone(), key.clone());
        let reader = tokio::spawn(async move { slow.get(&read).await });
        let until = async {
            while gate.holds.load(SeqCst) {
                yield_now().await;
            }
        };
        until.await;
        let (ended, written) = (store.clone(), key.clone());
        let writer = tokio::spawn(async move {
            ended.close().await.unwrap();
            if deletes {
                ended.delete(&written).await.unwrap();
            } else {
                ended.set(&written, "new").await.unwrap();
            }
        });
        for _ in 0..100 {
            yield_now().await;
        }
        gate.opens.notify_one();
        assert_eq!(reader.await.unwrap().unwrap(), Some(b"old".to_vec()));
        writer.await.unwrap();
        let expected = (!deletes).then(|| b"new".to_vec());
        assert_eq!(
            store.get(&key).await.unwrap(),
            expected,
            "{replicas} {deletes}"
        );
    }
}
