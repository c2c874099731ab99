//! Each shard keeps to what `Shard` asks for.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_kv::{Entry, FileJournal, MemoryShard, Node, NodeId, RedbShard, Shard, Store};

mod support;

async fn keeps_to_the_trait(shard: &dyn Shard) {
    assert_eq!(shard.get(b"k").await.unwrap(), None);
    assert!(!shard.delete(b"k").await.unwrap());
    for entry in [
        Entry::new(""),
        Entry::new("v"),
        Entry::new("v").until(0),
        Entry::new(vec![0, 1, 255]).until(u64::MAX),
        Entry::new(vec![7; 100_000]),
    ] {
        shard.set(b"k", entry.clone()).await.unwrap();
        assert_eq!(shard.get(b"k").await.unwrap(), Some(entry));
    }
    assert!(shard.delete(b"k").await.unwrap());
    assert_eq!(shard.get(b"k").await.unwrap(), None);

    // Any bytes are a key, none too.
    let mut keys: Vec<Vec<u8>> = (0..=255).map(|it| vec![it]).collect();
    keys.extend((0..50).map(|it| format!("user:{it:03}").into_bytes()));
    keys.push(Vec::new());
    keys.sort();
    let entries: Vec<Entry> = keys.iter().map(|key| Entry::new(key.clone())).collect();
    let pairs = keys.iter().map(Vec::as_slice).zip(&entries);
    let pairs: Vec<(&[u8], &Entry)> = pairs.collect();
    shard.set_many(&pairs).await.unwrap();
    let count = shard.count().await.unwrap();
    assert_eq!(count, Some(keys.len() as u64));
    let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    for (key, entry) in keys.iter().zip(shard.get_many(&lent).await.unwrap()) {
        assert_eq!(entry, Some(Entry::new(key.clone())));
    }
    for limit in [0, 1, 7, keys.len(), 1000] {
        let mut found = Vec::new();
        let mut cursor = None;
        loop {
            let page = shard.scan(cursor, limit).await.unwrap();
            assert!(page.keys.len() <= limit.max(1));
            found.extend(page.keys);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, keys);
    }
    // What has ended is forgotten, and nothing else.
    for number in [0, 3, 4, 9] {
        let entry = Entry::new("v").until(if number == 9 { 8 } else { 7 });
        shard.set(&keys[number], entry).await.unwrap();
    }
    for (now, limit, ended) in [(6, 2, 0), (7, 2, 3), (7, 1000, 0)] {
        let (mut cursor, mut looked, mut forgotten) = (None, 0, 0);
        loop {
            let page = shard.purge(now, cursor, limit).await.unwrap();
            looked += page.looked;
            forgotten += page.ended;
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        let left = shard.count().await.unwrap().unwrap();
        assert_eq!((forgotten, looked), (ended, left + ended));
    }
    assert_eq!(shard.get(&keys[3]).await.unwrap(), None);
    assert_eq!(
        shard.get(&keys[9]).await.unwrap(),
        Some(Entry::new("v").until(8))
    );
    for number in [0, 3, 4, 9] {
        let entry = Entry::new(keys[number].clone());
        shard.set(&keys[number], entry).await.unwrap();
    }
    // What stays is listed, though others go while it is gone through.
    let page = shard.scan(None, 10).await.unwrap();
    for key in &keys[5..15] {
        shard.delete(key).await.unwrap();
    }
    let rest = shard.scan(page.next, 1000).await.unwrap();
    assert_eq!(rest.keys, keys[15..]);
}

#[tokio::test]
async fn memory_is_a_shard() {
    keeps_to_the_trait(&MemoryShard::new()).await;
}

#[tokio::test]
async fn a_file_is_a_shard() {
    let directory = tempfile::tempdir().unwrap();
    keeps_to_the_trait(&RedbShard::open(directory.path().join("a.redb")).unwrap()).await;
}

#[tokio::test]
async fn a_file_keeps_what_it_held_and_is_opened_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.redb");
    let shard = RedbShard::open(&path).unwrap();
    assert!(RedbShard::open(&path).is_err());
    shard.set(b"k", Entry::new("v").until(9)).await.unwrap();
    drop(shard);
    let shard = RedbShard::open(&path).unwrap();
    assert_eq!(
        shard.get(b"k").await.unwrap(),
        Some(Entry::new("v").until(9))
    );
}

#[tokio::test]
async fn a_file_commits_writes_that_come_together() {
    let directory = tempfile::tempdir().unwrap();
    let shard = std::sync::Arc::new(RedbShard::open(directory.path().join("a.redb")).unwrap());
    let writes: Vec<_> = (0..500u32)
        .map(|it| {
            let shard = shard.clone();
            tokio::spawn(async move { shard.set(&it.to_be_bytes(), Entry::new("v")).await })
        })
        .collect();
    for write in writes {
        write.await.unwrap().unwrap();
    }
    assert_eq!(shard.count().await.unwrap(), Some(500));
}

/// What is set behind a purge's back is no longer what it saw.
#[tokio::test]
async fn a_file_looks_again_before_it_forgets() {
    let directory = tempfile::tempdir().unwrap();
    let shard = RedbShard::open(directory.path().join("a.redb")).unwrap();
    for round in 0..50 {
        shard.set(b"k", Entry::new("ended").until(1)).await.unwrap();
        let stays = Entry::new("stays");
        let (set, purged) = tokio::join!(shard.set(b"k", stays.clone()), shard.purge(2, None, 9));
        set.unwrap();
        purged.unwrap();
        assert_eq!(shard.get(b"k").await.unwrap(), Some(stays), "in {round}");
    }
}

#[tokio::test]
async fn a_store_over_files_changes_as_any() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_owned();
    let open = |nodes: Vec<Node>| {
        let root = root.clone();
        let journal = FileJournal::open(root.join("store.json")).unwrap();
        let shard = move |id: &NodeId, _: &str| RedbShard::open(root.join(format!("{id}.redb")));
        Store::builder(support::ring, shard)
            .journal(journal)
            .nodes(nodes)
            .open()
    };
    let store = open(["a", "b"].map(support::node).to_vec()).await.unwrap();
    let keys: Vec<Vec<u8>> = (0..100)
        .map(|it| format!("user:{it}").into_bytes())
        .collect();
    for key in &keys {
        store.set(key, key.clone()).await.unwrap();
    }
    store.add(support::node("c")).await.unwrap();
    store.advance(30).await.unwrap();
    drop(store); // in the midst of it
    let store = open(Vec::new()).await.unwrap();
    assert!(store.progress().is_some());
    let lock = FileJournal::open(root.join("store.json")).unwrap_err();
    assert_eq!(lock.kind(), std::io::ErrorKind::WouldBlock);
    store.run().await;
    for key in &keys {
        assert_eq!(store.get(key).await.unwrap().as_ref(), Some(key));
    }
    let listed = support::scan_all(&store, 9).await;
    assert!(
        listed
            .keys()
            .eq(keys.iter().collect::<std::collections::BTreeSet<_>>())
    );
    assert!(listed.values().all(|&times| times == 1));
}

#[tokio::test]
async fn a_file_that_is_not_the_one_that_was_written_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_owned();
    let path = move |id: &str| root.join(format!("{id}.redb"));
    let open = || {
        let path = path.clone();
        Store::builder(support::ring, move |id: &NodeId, _: &str| {
            RedbShard::open(path(id.as_str()))
        })
        .nodes(["a", "b"].map(support::node))
        .journal(FileJournal::open(directory.path().join("store.json")).unwrap())
        .open()
    };
    let store = open().await.unwrap();
    store.add(support::node("c")).await.unwrap();
    store.run().await;
    store.remove("b").await.unwrap();
    store.run().await;
    for number in 0..50 {
        store
            .set(format!("k{number}").as_bytes(), "v")
            .await
            .unwrap();
    }
    drop(store);
    let there = open().await.unwrap();
    assert_eq!(there.get(b"k1").await.unwrap(), Some(b"v".to_vec()));
    drop(there);

    std::fs::remove_file(path("c")).unwrap();
    let store = open().await.unwrap();
    let mut failed = 0;
    for number in 0..50 {
        match store.get(format!("k{number}").as_bytes()).await {
            Ok(value) => assert_eq!(value, Some(b"v".to_vec())),
            Err(error) => {
                assert!(error.to_string().contains("bears another mark"), "{error}");
                failed += 1;
            }
        }
    }
    assert!(failed > 0);
    store.remove_lost("c").await.unwrap();
    store.run().await;
    store.set(b"k1", "w").await.unwrap();
    drop(store);

    // It joins again as any other, and is known from then on.
    let store = open().await.unwrap();
    std::fs::remove_file(path("c")).unwrap();
    store.add_again(support::node("c")).await.unwrap();
    store.run().await;
    drop(store);
    let store = open().await.unwrap();
    for number in 0..50 {
        store.get(format!("k{number}").as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn a_half_made_file_is_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.redb");
    std::fs::write(directory.path().join("a.redb.new"), "half").unwrap();
    let shard = RedbShard::open(&path).unwrap();
    shard.set(b"k", Entry::new("v")).await.unwrap();
    drop(shard);
    let shard = RedbShard::open(&path).unwrap();
    assert_eq!(shard.get(b"k").await.unwrap(), Some(Entry::new("v")));
    assert!(!directory.path().join("a.redb.new").exists());
}
