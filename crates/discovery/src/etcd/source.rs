//! [`Etcd`]: members that are listed in etcd.

use etcd_client::{
    Client, EventType, GetOptions, KeyValue, SortOrder, SortTarget, WatchOptions, WatchResponse,
    WatchStream,
};
use tokio::time::{sleep, timeout};

use crate::backoff::Backoff;
use crate::etcd::entries::Entries;
use crate::{EtcdConfig, EtcdError, News, Source};

/// How many entries are asked for at a time.
const PAGE: i64 = 1000;

/// The longest answer that is taken, in bytes: a page of the longest entries, or as many that change at once.
const MAX_ANSWER: usize = 128 << 20;

/// Members that are listed in etcd (v3), under a prefix.
///
/// All entries are read at one revision, in pages, and watched from the next one on. Whatever ends the watch (a server that
/// stops or loses its leader, a connection that dies, a compaction that the watch fell behind) leads to the same: all is
/// read anew, at one revision, after a pause that grows with each attempt. So what is told is always the state of one
/// revision, and never a part of one.
///
/// A connection that says nothing is asked for its progress, and taken for dead if it does not answer
/// ([`EtcdConfig::with_patience`]). Reads are linearizable and ask for a leader.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use keyroute_discovery::{Cluster, Discovery, Etcd, EtcdConfig};
/// use keyroute_vector_ring::VectorRing;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let etcd = Etcd::new(EtcdConfig::new(["10.0.0.1:2379"], "/services/cache")?);
/// let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
/// tokio::spawn(Discovery::new(etcd).feed(Arc::clone(&cluster), |report| eprintln!("{report}")));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Etcd {
    config: EtcdConfig,
    backoff: Backoff,
    entries: Entries,
    watch: Option<Watch>,
    /// Whether the last attempt failed.
    failed: bool,
}

/// A watch that is open.
struct Watch {
    stream: WatchStream,
    /// Whose connections the stream goes over.
    _client: Client,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// What an answer of a watch comes to.
enum Heard {
    /// Entries are others now.
    Entries,
    /// Nothing is.
    Nothing,
    /// The watch fell behind a compaction: all must be read anew.
    Compacted,
}

impl Etcd {
    /// What is listed there. Nothing is asked before [`Source::next`] is.
    #[must_use]
    pub fn new(config: EtcdConfig) -> Self {
        Self {
            backoff: config.backoff(),
            config,
            entries: Entries::default(),
            watch: None,
            failed: false,
        }
    }

    /// Reads all, and watches from there.
    async fn open(&mut self) -> Result<Watch, EtcdError> {
        let client = self.config.connect().await?;
        let (entries, revision) = self.read(&client).await?;
        let options = WatchOptions::new()
            .with_prefix()
            .with_start_revision(revision + 1)
            .with_progress_notify();
        let mut watching = client.watch_client().max_decoding_message_size(MAX_ANSWER);
        let watch = watching.watch(self.config.prefix(), Some(options));
        let stream = self.config.soon(watch).await?;
        self.entries = entries;
        Ok(Watch {
            stream,
            _client: client,
        })
    }

    /// All entries at one revision.
    async fn read(&self, client: &Client) -> Result<(Entries, i64), EtcdError> {
        let mut kv = client.kv_client().max_decoding_message_size(MAX_ANSWER);
        let prefix = self.config.prefix().as_bytes();
        let end = end_of(prefix);
        let mut entries = Entries::default();
        let mut from = prefix.to_vec();
        let mut revision = 0;
        loop {
            let options = GetOptions::new()
                .with_range(end.clone())
                .with_revision(revision)
                .with_limit(PAGE)
                .with_sort(SortTarget::Key, SortOrder::Ascend);
            let page = self.config.soon(kv.get(from, Some(options))).await?;
            if revision == 0 {
                let header = page.header();
                let what = "a revision";
                revision = header.ok_or(EtcdError::Incomplete { what })?.revision();
            }
            for kv in page.kvs() {
                entries.put(self.name(kv), kv.value());
            }
            match page.kvs().last() {
                Some(last) if page.more() => from = [last.key(), b"\0"].concat(),
                _ => return Ok((entries, revision)),
            }
        }
    }

    /// Waits until the watch says something; asks it if it does not.
    async fn hear(&mut self, watch: &mut Watch) -> Result<Heard, EtcdError> {
        let patience = self.config.patience();
        let message = match timeout(patience, watch.stream.message()).await {
            Ok(message) => message,
            Err(_) => {
                watch.stream.request_progress().await?;
                match timeout(patience, watch.stream.message()).await {
                    Ok(message) => message,
                    Err(_) => return Err(EtcdError::Silent { patience }),
                }
            }
        };
        let ended = |reason: &str| {
            let reason = reason.to_owned();
            EtcdError::Ended { reason }
        };
        let response = message?.ok_or_else(|| ended("without a reason"))?;
        if response.compact_revision() > 0 {
            return Ok(Heard::Compacted);
        }
        if response.canceled() {
            return Err(ended(response.cancel_reason()));
        }
        Ok(self.take(&response))
    }

    fn take(&mut self, response: &WatchResponse) -> Heard {
        let mut heard = Heard::Nothing;
        for event in response.events() {
            let Some(kv) = event.kv() else { continue };
            let name = kv.key().strip_prefix(self.config.prefix().as_bytes());
            let Some(name) = name else { continue };
            match event.event_type() {
                EventType::Put => self.entries.put(name, kv.value()),
                EventType::Delete => self.entries.delete(name),
            }
            heard = Heard::Entries;
        }
        heard
    }

    fn name<'k>(&self, kv: &'k KeyValue) -> &'k [u8] {
        let prefix = self.config.prefix().as_bytes();
        kv.key().strip_prefix(prefix).unwrap_or_default()
    }
}

/// The first key beyond those with this prefix, which ends with a slash.
fn end_of(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

impl Source for Etcd {
    async fn next(&mut self) -> News {
        loop {
            let Some(mut watch) = self.watch.take() else {
                if self.failed {
                    sleep(self.backoff.next()).await;
                }
                match self.open().await {
                    Ok(watch) => {
                        self.failed = false;
                        self.watch = Some(watch);
                        return News::Seen(self.entries.sighting());
                    }
                    Err(error) => {
                        self.failed = true;
                        return News::Lost(error.into());
                    }
                }
            };
            match self.hear(&mut watch).await {
                // Only now: who may read and not watch would else be read again and again without a pause.
                Ok(Heard::Entries) => {
                    self.backoff.reset();
                    self.watch = Some(watch);
                    return News::Seen(self.entries.sighting());
                }
                Ok(Heard::Nothing) => {
                    self.backoff.reset();
                    self.watch = Some(watch);
                }
                Ok(Heard::Compacted) => {}
                Err(error) => {
                    self.failed = true;
                    return News::Lost(error.into());
                }
            }
        }
    }
}
