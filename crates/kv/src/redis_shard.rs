//! [`RedisShard`]: a shard on a Redis server.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, Pipeline, RedisResult, Value};
use tokio::sync::Mutex;

use crate::shard::{Pending, all_answered};
use crate::{Entry, Page, Shard, ShardError};

/// What its connections are called, so that those of a process that died are found.
const NAME: &str = "keyroute-kv";

/// How long a connection that could not be opened is not tried again.
const RETRY: Duration = Duration::from_millis(100);

/// The key under which the mark lies.
const MARK: &str = "keyroute-kv:mark";

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
    client: Client,
    config: AsyncConnectionConfig,
    link: ArcSwapOption<Link>,
    /// Held by who opens a connection.
    opening: Mutex<Opening>,
    /// The mark without which a server is another.
    expected: ArcSwapOption<String>,
}

/// A connection, and how the server knows it.
struct Link {
    connection: MultiplexedConnection,
    known: Known,
}

/// How a server knows a connection. A server that started again counts its connections anew.
#[derive(Clone, PartialEq, Eq)]
struct Known {
    run: String,
    id: String,
    address: String,
    database: String,
}

struct Opening {
    /// What must be closed first.
    before: Before,
    /// When the last try failed, and why.
    failed: Option<(Instant, String)>,
}

enum Before {
    /// Whatever a process before this one left.
    Process,
    Link(Known),
}

impl fmt::Debug for RedisShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisShard")
            .field("address", &self.client.get_connection_info().addr())
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
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout));
        Ok(Self {
            client: Client::open(address).map_err(ShardError::new)?,
            config,
            link: ArcSwapOption::empty(),
            opening: Mutex::new(Opening {
                before: Before::Process,
                failed: None,
            }),
            expected: ArcSwapOption::empty(),
        })
    }

    async fn link(&self) -> Result<Arc<Link>, ShardError> {
        if let Some(link) = self.link.load_full() {
            return Ok(link);
        }
        let asked = Instant::now();
        let mut opening = self.opening.lock().await;
        if let Some(link) = self.link.load_full() {
            return Ok(link);
        }
        // Who waited while another tried in vain does not try again, each as long.
        if let Some((at, text)) = &opening.failed
            && (*at >= asked || at.elapsed() < RETRY)
        {
            return Err(ShardError::new(text.clone()));
        }
        match self.open_link(&mut opening.before).await {
            Ok(link) => {
                opening.failed = None;
                let link = Arc::new(link);
                self.link.store(Some(link.clone()));
                Ok(link)
            }
            Err(error) => {
                opening.failed = Some((Instant::now(), error.to_string()));
                Err(error)
            }
        }
    }

    /// A connection to the server that the store knows.
    async fn open_link(&self, before: &mut Before) -> Result<Link, ShardError> {
        let mut link = self.connect(before).await.map_err(ShardError::new)?;
        if let Some(expected) = self.expected.load_full() {
            let get = command(&["GET", MARK]);
            let mark: RedisResult<Option<String>> = get.query_async(&mut link.connection).await;
            if mark.map_err(ShardError::new)? != Some((*expected).clone()) {
                return Err(ShardError::new(
                    "the server does not hold what it held: it has lost its mark, as one does that started again \
                     empty, or another server is at its address",
                ));
            }
        }
        Ok(link)
    }

    /// A connection, the only one of the store's.
    async fn connect(&self, before: &mut Before) -> RedisResult<Link> {
        let connection = self
            .client
            .get_multiplexed_async_connection_with_config(&self.config);
        let mut connection = connection.await?;
        let known = Known::ask(&mut connection).await?;
        match before {
            Before::Process => known.close_namesakes(&mut connection).await?,
            Before::Link(old) if old.run == known.run => old.close(&mut connection).await?,
            Before::Link(_) => {} // a server that started again has no connection of before
        }
        let name = command(&["CLIENT", "SETNAME", NAME]);
        let () = name.query_async(&mut connection).await?;
        *before = Before::Link(known.clone());
        Ok(Link { connection, known })
    }

    /// After a failure of the connection, or a silence, the next command opens another.
    fn judge<T>(&self, link: &Arc<Link>, answer: RedisResult<T>) -> Result<T, ShardError> {
        answer.map_err(|error| {
            if error.is_timeout() || error.is_io_error() || error.is_unrecoverable_error() {
                let now = self.link.load();
                if now.as_ref().is_some_and(|it| Arc::ptr_eq(it, link)) {
                    self.link.compare_and_swap(&now, None);
                }
            }
            ShardError::new(error)
        })
    }

    async fn ask(&self, command: &Cmd) -> Result<Value, ShardError> {
        let link = self.link().await?;
        let answer = command.query_async(&mut link.connection.clone()).await;
        self.judge(&link, answer)
    }

    async fn ask_all(&self, commands: &Pipeline) -> Result<Vec<Value>, ShardError> {
        if commands.is_empty() {
            return Ok(Vec::new()); // the client takes that for a mistake
        }
        let link = self.link().await?;
        let answer = commands.query_async(&mut link.connection.clone()).await;
        self.judge(&link, answer)
    }
}

fn command(words: &[&str]) -> Cmd {
    let mut command = Cmd::new();
    for word in words {
        command.arg(*word);
    }
    command
}

impl Known {
    async fn ask(connection: &mut MultiplexedConnection) -> RedisResult<Self> {
        let info: String = command(&["INFO", "server"]).query_async(connection).await?;
        let client: String = command(&["CLIENT", "INFO"]).query_async(connection).await?;
        let run = info.lines().find_map(|line| line.strip_prefix("run_id:"));
        Ok(Self {
            run: run.unwrap_or_default().trim().to_owned(),
            id: field(&client, "id=").to_owned(),
            address: field(&client, "addr=").to_owned(),
            database: field(&client, "db=").to_owned(),
        })
    }

    /// Closes this connection at the server, if it is there still: what it sent and was not done is not done then.
    async fn close(&self, connection: &mut MultiplexedConnection) -> RedisResult<()> {
        let kill = ["CLIENT", "KILL", "ID", &self.id, "ADDR", &self.address];
        command(&kill).query_async(connection).await
    }

    /// Closes all others of the store's on this database.
    async fn close_namesakes(&self, connection: &mut MultiplexedConnection) -> RedisResult<()> {
        let list: String = command(&["CLIENT", "LIST"]).query_async(connection).await?;
        for line in list.lines() {
            let mine = field(line, "name=") == NAME && field(line, "db=") == self.database;
            if mine && field(line, "id=") != self.id {
                let other = Self {
                    run: self.run.clone(),
                    id: field(line, "id=").to_owned(),
                    address: field(line, "addr=").to_owned(),
                    database: self.database.clone(),
                };
                other.close(connection).await?;
            }
        }
        Ok(())
    }
}

/// The value of a field in a line of `CLIENT LIST`; its name stands with the `=`.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let values = line.split_ascii_whitespace();
    let mut values = values.filter_map(|word| word.strip_prefix(name));
    values.next().unwrap_or_default()
}

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
    let mut command = Cmd::new();
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
            self.ask(&set(key, &entry)).await.map(drop)
        })
    }

    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move {
            check(key)?;
            let mut delete = Cmd::new();
            delete.arg("DEL").arg(key);
            Ok(number(&self.ask(&delete).await?)? > 0)
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
            let link = self.link().await?;
            let run = &link.known.run;
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
                let answer = scan.query_async(&mut link.connection.clone()).await;
                let answer = array(self.judge(&link, answer)?)?;
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
            self.expected.store(None);
            self.ask(&write).await?;
            self.expected
                .store(mark.map(|mark| Arc::new(mark.to_owned())));
            Ok(())
        })
    }

    fn expect_mark(&self, mark: &str) {
        self.expected.store(Some(Arc::new(mark.to_owned())));
    }

    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async move {
            let mut commands = Pipeline::with_capacity(2);
            commands.cmd("DBSIZE").cmd("EXISTS").arg(MARK);
            match self.ask_all(&commands).await?.as_slice() {
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
            let mut answers = self.ask_all(&commands).await?.into_iter();
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
            Ok(held(self.ask(&get).await?)?.map(Entry::new))
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
            let mut command = Cmd::new();
            command.arg("MGET").arg(keys);
            let mut entries = Vec::with_capacity(keys.len());
            for value in array(self.ask(&command).await?)? {
                entries.push(held(value)?.map(Entry::new));
            }
            all_answered(keys.len(), entries)
        })
    }

    fn set_many<'a>(
        &'a self,
        entries: Vec<(&'a [u8], Entry)>,
    ) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            entries.iter().try_for_each(|(key, _)| check(key))?;
            let mut commands = Pipeline::new();
            let mut stay = Cmd::new();
            stay.arg("MSET");
            let mut staying = 0_usize;
            for (key, entry) in &entries {
                if matches!(End::of(entry), End::Never) {
                    stay.arg(*key).arg(&entry.value);
                    staying += 1;
                } else {
                    commands.add_command(set(key, entry));
                }
            }
            match (staying, staying == entries.len()) {
                (0, true) => return Ok(()),
                (_, true) => return self.ask(&stay).await.map(drop),
                (0, false) => {}
                (_, false) => {
                    commands.add_command(stay);
                }
            }
            self.ask_all(&commands).await.map(drop)
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
            let answers = self.ask_all(&commands).await?;
            let deleted: Result<Vec<bool>, _> =
                answers.iter().map(|it| Ok(number(it)? > 0)).collect();
            all_answered(keys.len(), deleted?)
        })
    }
}
