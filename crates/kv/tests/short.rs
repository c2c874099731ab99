//! A shard that answers with fewer answers than it was asked for has not answered.

use keyroute_kv::{Edit, Entry, KvError, MemoryShard, Page, Pending, Shard, ShardError, Store};

mod support;
use support::{node, ring};

/// Leaves out one answer of each batch.
#[derive(Default)]
struct Short(MemoryShard);

impl Shard for Short {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        self.0.get(key)
    }
    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        self.0.set(key, entry)
    }
    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        self.0.delete(key)
    }
    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        self.0.scan(cursor, limit)
    }
    fn get_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        self.0.get_many(&keys[1..])
    }
    fn delete_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<bool>, ShardError>> {
        self.0.delete_many(&keys[1..])
    }
}

#[tokio::test]
async fn an_answer_that_is_too_short_is_none() {
    let connect = |_: &_, _: &str| Ok(Short::default());
    let nodes = ["a", "b"].map(node);
    let builder = Store::builder(ring, connect).nodes(nodes);
    let store = builder.open().await.unwrap();
    let keys = ["1", "2", "3", "4", "5", "6"].map(str::as_bytes);
    for key in keys {
        store.set(key, key).await.unwrap();
    }
    // Each is asked for singly then.
    let values = store.get_many(&keys).await.unwrap();
    assert_eq!(values, keys.map(|key| Some(key.to_vec())));
    let deleted = store.delete_many(&keys).await;
    assert!(matches!(deleted, Err(KvError::Shard { .. })));
    let plan = store.plan(&Edit::add(node("c"))).await;
    assert!(matches!(plan, Err(KvError::Shard { .. })));
}
