//! [`Links`]: the connection to a Redis server, one at a time, and only to the server that the store knows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ConnectionAddr, Pipeline, RedisResult, Value};
use tokio::sync::Mutex;

use crate::ShardError;

/// What its connections are called, so that those of a process that died are found.
const NAME: &str = "keyroute-kv";

/// How long a connection that could not be opened is not tried again.
const RETRY: Duration = Duration::from_millis(100);

/// The key under which the mark lies.
pub(crate) const MARK: &str = "keyroute-kv:mark";

/// Opens the connection when it is asked for, and again after a failure: the one before is closed **at the server** then,
/// so that nothing it sent is done later.
pub(crate) struct Links {
    client: Client,
    config: AsyncConnectionConfig,
    link: ArcSwapOption<Link>,
    /// Held by who opens a connection.
    opening: Mutex<Opening>,
    /// The mark without which a server is another.
    expected: ArcSwapOption<String>,
}

/// A connection, and how the server knows it.
pub(crate) struct Link {
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

impl Link {
    /// Which run of the server it is to: another after each of its starts.
    pub(crate) fn run(&self) -> &str {
        &self.known.run
    }
}

impl Links {
    /// To this address. Nothing is opened yet.
    pub(crate) fn to(address: &str, timeout: Duration) -> RedisResult<Self> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout));
        Ok(Self {
            client: Client::open(address)?,
            config,
            link: ArcSwapOption::empty(),
            opening: Mutex::new(Opening {
                before: Before::Process,
                failed: None,
            }),
            expected: ArcSwapOption::empty(),
        })
    }

    pub(crate) fn address(&self) -> &ConnectionAddr {
        self.client.get_connection_info().addr()
    }

    /// From now on a connection is opened to a server with this mark alone, or to any.
    pub(crate) fn expect(&self, mark: Option<&str>) {
        self.expected
            .store(mark.map(|mark| Arc::new(mark.to_owned())));
    }

    /// The connection that is there, or another.
    pub(crate) async fn link(&self) -> Result<Arc<Link>, ShardError> {
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

    pub(crate) async fn ask(&self, command: &Cmd) -> Result<Value, ShardError> {
        let link = self.link().await?;
        self.ask_on(&link, command).await
    }

    /// On this connection and no other.
    pub(crate) async fn ask_on(
        &self,
        link: &Arc<Link>,
        command: &Cmd,
    ) -> Result<Value, ShardError> {
        let answer = command.query_async(&mut link.connection.clone()).await;
        self.judge(link, answer)
    }

    pub(crate) async fn ask_all(&self, commands: &Pipeline) -> Result<Vec<Value>, ShardError> {
        if commands.is_empty() {
            return Ok(Vec::new()); // the client takes that for a mistake
        }
        let link = self.link().await?;
        let answer = commands.query_async(&mut link.connection.clone()).await;
        self.judge(&link, answer)
    }
}

pub(crate) fn command(words: &[&str]) -> Cmd {
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
