//! [`RedisShard`]: a shard on a Redis server.

use std::fmt;
use std::time::Duration;

use redis::{Cmd, Pipeline, Value};

use crate::redis_link::{Links, MARK, command};
use crate::shard::{Pending, all_answered};
use crate::{Entry, Page, Shard, ShardError};

/// A shard on a Redis server, 7.0 or later: one database, of which all string keys are the store's.
///
/// Keys and values lie there as they are, ends as Redis' own, so that any client can read them. All commands go
/// through one connection, which is opened when it is first needed and again after a failure; requests of many
/// tasks are sent together. `set_many` is one `MSET`, `look_many` one `MGET`.
///
/// A command that was sent and not answered in time may lie in the server's buffers and be done later, when its key
/// has moved away. So a connection that failed is closed **at the server** (`CLIENT KILL`) before another is used, and
/// the connections of an earlier process with it: those with the name `keyroute-kv` on this database. A user that
/// is not allowed to kill, list and name connections is refused with what Redis said.
///
/// A server that started again empty would answer that there is nothing. So the key `keyroute-kv:mark` is the store's
/// own, and a server that has lost it fails until the node is [given up](crate::Store::remove_lost) or the data is back.
///
/// An end after the year 292,278,994, which Redis cannot count, is none. A server that loses what it acknowledged
/// (`appendfsync`, failing over) loses the store's keys as it would any. It must not evict: `maxmemory-policy noeviction`,
/// its default; another policy may evict the mark, too.
///
/// ```no_run
/// use keyroute_kv::{Entry, RedisShard, Shard};
///
/// # async {
/// let shard = RedisShard::open("redis://127.0.0.1:6379/0")?;
/// shard.set(b"user:1", Entry::new("v")).await?;
/// assert_eq!(shard.get(b"user:1").await?, Some(Entry::new("v")));
/// # Ok::<(), keyroute_kv::ShardError>(())
/// # };
/// ```
pub struct RedisShard {
    links: Links,
}

impl fmt::Debug for RedisShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisShard")
            .field("address", self.links.address())
            .finish_non_exhaustive()
    }
}

impl RedisShard {
    /// A shard at this address, `redis://[user:password@]host[:port][/database]` or `unix:///path`; nothing is asked
    /// of it yet. A command that is not answered within two seconds has failed.
    ///
    /// # Errors
    ///
    /// That the address is none.
    pub fn open(address: &str) -> Result<Self, ShardError> {
        Self::with_timeout(address, Duration::from_secs(2))
    }

    /// The same with another time for a command, or a connection, to be answered in.
    ///
    /// # Errors
    ///
    /// That the address is none.
    pub fn with_timeout(address: &str, timeout: Duration) -> Result<Self, ShardError> {
        let links = Links::to(address, timeout).map_err(ShardError::new)?;
        Ok(Self { links })
    }
}

/// Room for the name of a command or of an option.
const NAME_LEN: usize = 4;

/// How Redis is to end an entry.
enum End {
    Never,
    /// Milliseconds since 1970.
    At(i64),
    /// It has ended, before anything Redis can count to.
    Before,
}

impl End {
    fn of(entry: &Entry) -> Self {
        match entry.expires_at.map(i64::try_from) {
            None | Some(Err(_)) => Self::Never,
            Some(Ok(0)) => Self::Before,
            Some(Ok(end)) => Self::At(end),
        }
    }
}

fn set(key: &[u8], entry: &Entry) -> Cmd {
    let mut command = Cmd::with_capacity(5, 2 * NAME_LEN + 20 + key.len() + entry.value.len());
    match End::of(entry) {
        End::Never => command.arg("SET").arg(key).arg(&entry.value),
        End::At(end) => command
            .arg("SET")
            .arg(key)
            .arg(&entry.value)
            .arg("PXAT")
            .arg(end),
        End::Before => command.arg("DEL").arg(key),
    };
    command
}

fn unexpected(value: &Value) -> ShardError {
    ShardError::new(format!("Redis gave an unexpected answer: {value:?}"))
}

/// Whether the key may be a caller's.
fn check(key: &[u8]) -> Result<(), ShardError> {
    if key == MARK.as_bytes() {
        let text = format!("the key {MARK:?} is the store's own on a Redis server");
        return Err(ShardError::new(text));
    }
    Ok(())
}

/// The string that was held.
fn held(value: Value) -> Result<Option<Vec<u8>>, ShardError> {
    match value {
        Value::Nil => Ok(None),
        Value::BulkString(bytes) => Ok(Some(bytes)),
        other => Err(unexpected(&other)),
    }
}

fn number(value: &Value) -> Result<i64, ShardError> {
    match value {
        Value::Int(number) => Ok(*number),
        other => Err(unexpected(other)),
    }
}

fn array(value: Value) -> Result<Vec<Value>, ShardError> {
    match value {
        Value::Array(values) => Ok(values),
        other => Err(unexpected(&other)),
    }
}

impl Shard for RedisShard {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move {
            let found = self.get_many(&[key]).await?;
            Ok(found.into_iter().next().flatten())
        })
    }

    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            check(key)?;
            self.links.ask(&set(key, &entry)).await.map(drop)
        })
    }

    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move {
            check(key)?;
            let mut delete = Cmd::new();
            delete.arg("DEL").arg(key);
            Ok(number(&self.links.ask(&delete).await?)? > 0)
        })
    }

    /// A server that started again hashes its keys anew, and a cursor of before would pass some over. So cursors name
    /// the run that gave them, and one of another run begins anew.
    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        Box::pin(async move {
            let link = self.links.link().await?;
            let run = link.run();
            let of_run = cursor
                .as_deref()
                .and_then(|it| it.strip_prefix(run.as_bytes()));
            let mut cursor = match of_run {
                Some([b':', at @ ..]) => at.to_vec(),
                _ => b"0".to_vec(),
            };
            loop {
                let mut scan = Cmd::new();
                scan.arg("SCAN").arg(&cursor).arg("COUNT").arg(limit.max(1));
                let answer = array(self.links.ask_on(&link, &scan).await?)?;
                let Ok([next, found]) = <[Value; 2]>::try_from(answer) else {
                    return Err(ShardError::new("Redis gave a page without a cursor"));
                };
                cursor = held(next)?.unwrap_or_default();
                let mut keys = Vec::new();
                for key in array(found)? {
                    keys.extend(held(key)?.filter(|key| key != MARK.as_bytes()));
                }
                let ended = cursor == b"0";
                if ended || !keys.is_empty() {
                    let next = [run.as_bytes(), b":", &cursor].concat();
                    return Ok(Page {
                        keys,
                        next: (!ended).then_some(next),
                    });
                }
            }
        })
    }

    fn mark<'a>(&'a self, mark: Option<&'a str>) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            let write = match mark {
                Some(mark) => command(&["SET", MARK, mark]),
                None => command(&["DEL", MARK]),
            };
            self.links.expect(None);
            self.links.ask(&write).await?;
            self.links.expect(mark);
            Ok(())
        })
    }

    fn expect_mark(&self, mark: &str) {
        self.links.expect(Some(mark));
    }

    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async move {
            let mut commands = Pipeline::with_capacity(2);
            commands.cmd("DBSIZE").cmd("EXISTS").arg(MARK);
            match self.links.ask_all(&commands).await?.as_slice() {
                [all, marks] => Ok(u64::try_from(number(all)? - number(marks)?).ok()),
                other => Err(unexpected(&Value::Array(other.to_vec()))),
            }
        })
    }

    fn get_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        Box::pin(async move {
            keys.iter().try_for_each(|key| check(key))?;
            let mut commands = Pipeline::with_capacity(2 * keys.len());
            commands.atomic(); // else it could end between the two
            for key in keys {
                commands.cmd("GET").arg(key).cmd("PEXPIRETIME").arg(key);
            }
            let mut answers = self.links.ask_all(&commands).await?.into_iter();
            let mut entries = Vec::with_capacity(keys.len());
            while let (Some(value), Some(end)) = (answers.next(), answers.next()) {
                let end = u64::try_from(number(&end)?).ok(); // negative is none
                entries.push(held(value)?.map(|value| Entry {
                    value,
                    expires_at: end,
                }));
            }
            all_answered(keys.len(), entries)
        })
    }

    fn look<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move {
            check(key)?;
            let mut get = Cmd::new();
            get.arg("GET").arg(key);
            Ok(held(self.links.ask(&get).await?)?.map(Entry::new))
        })
    }

    fn look_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        Box::pin(async move {
            if keys.is_empty() {
                return Ok(Vec::new()); // `MGET` of nothing is an error
            }
            keys.iter().try_for_each(|key| check(key))?;
            let bytes: usize = keys.iter().map(|key| key.len()).sum();
            let mut command = Cmd::with_capacity(1 + keys.len(), NAME_LEN + bytes);
            command.arg("MGET").arg(keys);
            let mut entries = Vec::with_capacity(keys.len());
            for value in array(self.links.ask(&command).await?)? {
                entries.push(held(value)?.map(Entry::new));
            }
            all_answered(keys.len(), entries)
        })
    }

    fn set_many<'a>(
        &'a self,
        entries: &'a [(&'a [u8], &'a Entry)],
    ) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            entries.iter().try_for_each(|(key, _)| check(key))?;
            let mut commands = Pipeline::new();
            let bytes = entries.iter().map(|(key, it)| key.len() + it.value.len());
            let mut stay =
                Cmd::with_capacity(1 + 2 * entries.len(), NAME_LEN + bytes.sum::<usize>());
            stay.arg("MSET");
            let mut staying = 0_usize;
            for &(key, entry) in entries {
                if matches!(End::of(entry), End::Never) {
                    stay.arg(key).arg(&entry.value);
                    staying += 1;
                } else {
                    commands.add_command(set(key, entry));
                }
            }
            match (staying, staying == entries.len()) {
                (0, true) => return Ok(()),
                (_, true) => return self.links.ask(&stay).await.map(drop),
                (0, false) => {}
                (_, false) => {
                    commands.add_command(stay);
                }
            }
            self.links.ask_all(&commands).await.map(drop)
        })
    }

    fn delete_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<bool>, ShardError>> {
        Box::pin(async move {
            keys.iter().try_for_each(|key| check(key))?;
            let mut commands = Pipeline::with_capacity(keys.len());
            for key in keys {
                commands.cmd("DEL").arg(key);
            }
            let answers = self.links.ask_all(&commands).await?;
            let deleted: Result<Vec<bool>, _> =
                answers.iter().map(|it| Ok(number(it)? > 0)).collect();
            all_answered(keys.len(), deleted?)
        })
    }
}
