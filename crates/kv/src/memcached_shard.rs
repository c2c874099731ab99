//! [`MemcachedShard`]: a shard on a memcached server.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_memcached::{AsciiProtocol, Client, Error, Status, Value};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::shard::Pending;
use crate::{Entry, Page, Shard, ShardError};

/// The longest key of memcached, in bytes.
const MAX_KEY_LEN: usize = 250;
/// The most keys of one `get`.
const KEYS: usize = 64;
/// In the flags of a value that ends: its last eight bytes say when. Others have no flags.
const ENDS: u32 = 1;

/// A shard on a memcached server. It cannot list its keys, so they move when they are touched: see
/// [`Store::close`](crate::Store::close).
///
/// Keys of printable ASCII lie there as they are; of others, `%` and each byte that is not printable is written `%XX`, and
/// the empty key is a `%`. Written so a key has at most 250 bytes, and a longer one is an error. Values lie there as
/// they are; one that ends has its end behind it, eight bytes, the lowest first, and 1 in its flags, and memcached
/// itself forgets it within some seconds. A value over the server's limit, 1 MiB unless it was told, is an error.
///
/// One connection, IPv4, opened when it is first needed and again after it broke; one request at a time, `get_many`
/// being one for up to 64 keys. One that is not answered in time has failed, but those behind it wait
/// for its answer still: so none is done after a later one.
///
/// Memcached forgets keys when it is full, and all when it ends: a store on it is a cache.
///
/// ```no_run
/// use keyroute_kv::{Entry, MemcachedShard, Shard};
///
/// # async {
/// let shard = MemcachedShard::open("127.0.0.1:11211");
/// shard.set(b"user:1", Entry::new("v")).await?;
/// assert_eq!(shard.get(b"user:1").await?, Some(Entry::new("v")));
/// # Ok::<(), keyroute_kv::ShardError>(())
/// # };
/// ```
pub struct MemcachedShard {
    address: Arc<str>,
    timeout: Duration,
    client: Arc<Mutex<Option<Client>>>,
}

impl fmt::Debug for MemcachedShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemcachedShard")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl MemcachedShard {
    /// A shard at this address, `host:port`, `memcached://host:port` or `unix:///path`; nothing is asked of it
    /// yet. What is not answered within two seconds has failed.
    #[must_use]
    pub fn open(address: &str) -> Self {
        Self::with_timeout(address, Duration::from_secs(2))
    }

    /// The same with another time for a request to be answered in.
    #[must_use]
    pub fn with_timeout(address: &str, timeout: Duration) -> Self {
        let host = address.strip_prefix("memcached://").unwrap_or(address);
        let address = if host.contains("://") {
            host.to_owned()
        } else {
            format!("tcp://{host}") // as the client says it
        };
        Self {
            address: address.into(),
            timeout,
            client: Arc::default(),
        }
    }

    /// Does this with the connection, to its end even if nobody waits for it any more: the next has its turn only
    /// then.
    async fn with<T: Send + 'static>(
        &self,
        work: impl for<'c> FnOnce(&'c mut Client) -> Pending<'c, Result<T, Error>> + Send + 'static,
    ) -> Result<T, ShardError> {
        let silent = |_| ShardError::new(format!("no answer within {:?}", self.timeout));
        let turn = self.client.clone().lock_owned();
        let mut client = timeout(self.timeout, turn).await.map_err(silent)?;
        let (address, patience) = (self.address.clone(), self.timeout);
        let done = tokio::spawn(async move {
            if client.as_ref().is_none_or(Client::is_closed) {
                let opened = timeout(patience, Client::new(&address)).await;
                *client = Some(opened.map_err(|_| "no connection in time")??);
            }
            match client.as_mut() {
                Some(client) => Ok(work(client).await?),
                None => Err("no connection".into()),
            }
        });
        let done = timeout(self.timeout, done).await.map_err(silent)?;
        done.map_err(ShardError::new)?
            .map_err(|error: Failure| ShardError::new(error))
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The key as memcached takes it.
fn written(key: &[u8]) -> Result<Vec<u8>, ShardError> {
    let mut text = Vec::with_capacity(key.len());
    for &byte in key {
        match byte {
            b'%' => text.extend(b"%25"),
            b'!'..=b'~' => text.push(byte),
            _ => text.extend(format!("%{byte:02X}").into_bytes()),
        }
    }
    if text.is_empty() {
        text.push(b'%');
    }
    if text.len() <= MAX_KEY_LEN {
        return Ok(text);
    }
    Err(ShardError::new(format!(
        "a key has {} bytes as memcached must have it, at most {MAX_KEY_LEN} are allowed",
        text.len()
    )))
}

fn entry(value: Value) -> Result<Entry, ShardError> {
    let data = value.data.unwrap_or_default();
    match value.flags.unwrap_or(0) {
        0 => Ok(Entry::new(data)),
        ENDS => match data.split_last_chunk() {
            Some((value, end)) => Ok(Entry::new(value).until(u64::from_le_bytes(*end))),
            None => Err(ShardError::new("a value that ends does not say when")),
        },
        flags => Err(ShardError::new(format!(
            "a value has the flags {flags}: it was not set by this store"
        ))),
    }
}

/// Value, flags, and when memcached may forget it: seconds since 1970, 0 for never, below 0 for at once.
fn parts(entry: Entry) -> (Vec<u8>, u32, i64) {
    /// What memcached takes for seconds from now instead.
    const MONTH: u64 = 30 * 24 * 60 * 60;
    /// It reads 32 bits, one of them the sign.
    const FAR: u64 = 1 << 31;
    let mut value = entry.value;
    let Some(end) = entry.expires_at else {
        return (value, 0, 0);
    };
    value.extend(end.to_le_bytes());
    // Its clock ticks by the second: a little later is early enough.
    let seconds = match end / 1000 + 2 {
        ..=MONTH => -1,
        FAR.. => 0,
        seconds => i64::try_from(seconds).unwrap_or(0),
    };
    (value, ENDS, seconds)
}

impl Shard for MemcachedShard {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move {
            let key = written(key)?;
            let found = self.with(move |client| Box::pin(client.get(key))).await?;
            found.map(entry).transpose()
        })
    }

    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            let key = written(key)?;
            let (value, flags, end) = parts(entry);
            self.with(move |client| {
                Box::pin(async move {
                    let value = value.as_slice();
                    client.set(key, value, Some(end), Some(flags)).await
                })
            })
            .await
        })
    }

    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move {
            let deleted = self.delete_many(&[key]).await?;
            Ok(deleted == [true])
        })
    }

    fn scan<'a>(
        &'a self,
        _cursor: Option<Vec<u8>>,
        _limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        Box::pin(async { Err(ShardError::new("memcached cannot list its keys")) })
    }

    fn lists(&self) -> bool {
        false
    }

    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async move {
            let stats = self.with(|client| Box::pin(client.stats())).await?;
            Ok(stats.get("curr_items").and_then(|it| it.parse().ok()))
        })
    }

    fn get_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        Box::pin(async move {
            let mut entries = Vec::with_capacity(keys.len());
            for keys in keys.chunks(KEYS) {
                let keys: Vec<Vec<u8>> = keys
                    .iter()
                    .map(|key| written(key))
                    .collect::<Result<_, _>>()?;
                let asked = keys.clone();
                let found = self
                    .with(move |client| {
                        Box::pin(async move {
                            match client.get_multi(asked).await {
                                Err(Error::Protocol(Status::NotFound)) => Ok(Vec::new()), // none at all
                                found => found,
                            }
                        })
                    })
                    .await?;
                let found: BTreeMap<Vec<u8>, Value> =
                    found.into_iter().map(|it| (it.key.clone(), it)).collect();
                for key in keys {
                    // It stays there: a key may be asked for twice.
                    entries.push(found.get(&key).cloned().map(entry).transpose()?);
                }
            }
            Ok(entries)
        })
    }

    fn delete_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<bool>, ShardError>> {
        Box::pin(async move {
            let keys: Vec<Vec<u8>> = keys
                .iter()
                .map(|key| written(key))
                .collect::<Result<_, _>>()?;
            self.with(move |client| {
                Box::pin(async move {
                    let mut deleted = Vec::with_capacity(keys.len());
                    for key in keys {
                        deleted.push(match client.delete(key).await {
                            Ok(()) => true,
                            Err(Error::Protocol(Status::NotFound)) => false,
                            Err(error) => return Err(error),
                        });
                    }
                    Ok(deleted)
                })
            })
            .await
        })
    }
}
