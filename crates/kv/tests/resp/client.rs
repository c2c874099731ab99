//! A server over shards in memory, and clients that say bytes and hear bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use keyroute_kv::resp::{Limits, Server};
use keyroute_kv::{
    Entry, MemoryShard, Node, NodeId, Page, Pending, Purged, Shard, ShardError, Store,
};
use keyroute_vector_ring::VectorRing;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// What no answer takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Running {
    pub(crate) store: Store,
    pub(crate) port: u16,
    /// While it is set, node `c` fails.
    pub(crate) down: Arc<AtomicBool>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

/// A shard that fails while it is told to.
struct Failing {
    shard: MemoryShard,
    down: Arc<AtomicBool>,
}

impl Failing {
    fn check(&self) -> Result<(), ShardError> {
        if self.down.load(Relaxed) {
            return Err(ShardError::new("out of\r\norder"));
        }
        Ok(())
    }
}

impl Shard for Failing {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move {
            self.check()?;
            self.shard.get(key).await
        })
    }

    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            self.check()?;
            self.shard.set(key, entry).await
        })
    }

    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move {
            self.check()?;
            self.shard.delete(key).await
        })
    }

    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        self.shard.scan(cursor, limit)
    }

    fn purge(
        &self,
        now: u64,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'_, Result<Purged, ShardError>> {
        self.shard.purge(now, cursor, limit)
    }

    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        self.shard.count()
    }
}

impl Running {
    /// A server of nodes a, b and c.
    pub(crate) async fn start(limits: Limits) -> Self {
        let down = Arc::new(AtomicBool::new(false));
        let fails = down.clone();
        let shard = move |id: &NodeId, _: &str| -> Result<Arc<dyn Shard>, ShardError> {
            Ok(Arc::new(Failing {
                shard: MemoryShard::new(),
                down: if *id == *"c" {
                    fails.clone()
                } else {
                    Arc::default()
                },
            }))
        };
        let router = |nodes: &[Node]| {
            let ring = VectorRing::from_nodes(nodes.iter().cloned())?;
            Ok(Box::new(ring) as keyroute_kv::AnyRouter)
        };
        let nodes = ["a", "b", "c"].map(|id| Node::new(id).unwrap());
        let store = Store::builder_of_any(router, shard).nodes(nodes).open();
        let store = store.await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, stopped) = oneshot::channel();
        let server = Server::new(store.clone()).with_limits(limits);
        let server = server.serve(listener, async {
            let _ = stopped.await;
        });
        Self {
            store,
            port,
            down,
            stop,
            server: tokio::spawn(server),
        }
    }

    pub(crate) async fn client(&self) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client(stream)
    }

    /// Tells it to stop.
    pub(crate) fn stop(self) -> Stopping {
        let _ = self.stop.send(());
        Stopping(self.server)
    }
}

pub(crate) struct Stopping(JoinHandle<std::io::Result<()>>);

impl Stopping {
    pub(crate) async fn end(self) {
        timeout(PATIENCE, self.0).await.unwrap().unwrap().unwrap();
    }
}

pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        let said = self.0.write_all(bytes.as_ref());
        timeout(PATIENCE, said).await.unwrap().unwrap();
    }

    /// The next bytes must be these.
    pub(crate) async fn hear(&mut self, expected: impl AsRef<[u8]>) {
        let expected = expected.as_ref();
        let mut heard = vec![0; expected.len()];
        let mut length = 0;
        while length < heard.len() && heard[..length] == expected[..length] {
            let read = timeout(PATIENCE, self.0.read(&mut heard[length..])).await;
            match read.unwrap_or_else(|_| panic!("nothing behind {:?}", text(&heard[..length]))) {
                Ok(0) | Err(_) => break,
                Ok(more) => length += more,
            }
        }
        assert_eq!(text(&heard[..length]), text(expected));
    }

    pub(crate) async fn ask(&mut self, question: impl AsRef<[u8]>, answer: impl AsRef<[u8]>) {
        self.say(question).await;
        self.hear(answer).await;
    }

    /// All until the server closes.
    pub(crate) async fn hear_all(mut self) -> Vec<u8> {
        let mut heard = Vec::new();
        let read = timeout(PATIENCE, self.0.read_to_end(&mut heard)).await;
        let _ = read.unwrap(); // it may be reset
        heard
    }

    /// The bulk string that answers.
    pub(crate) async fn bulk(&mut self, question: &str) -> String {
        self.say(question).await;
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(timeout(PATIENCE, self.0.read_u8()).await.unwrap().unwrap());
        }
        let length: usize = text(&line[1..line.len() - 2]).parse().unwrap();
        let mut bytes = vec![0; length + 2];
        timeout(PATIENCE, self.0.read_exact(&mut bytes))
            .await
            .unwrap()
            .unwrap();
        text(&bytes[..length])
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A command as clients send it.
pub(crate) fn array(args: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", args.len()).into_bytes();
    for arg in args {
        bytes.extend(format!("${}\r\n", arg.len()).into_bytes());
        bytes.extend_from_slice(arg);
        bytes.extend(b"\r\n");
    }
    bytes
}
