//! [`Server`]: accepts connections until it is told to stop.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Limits;
use super::answer::{Answers, Refusal};
use super::connection::Connection;
use super::shared::Shared;
use crate::Store;

/// How long it waits when it cannot accept, which is mostly for want of file descriptors.
const REST: Duration = Duration::from_millis(50);

/// How far away the next end of a timer is, at most. Shards ask within a time, and the runtime makes a system call to
/// wake itself for a timer that ends before all others; so it does for none of theirs.
const DUE: Duration = Duration::from_millis(500);

/// A store on a port, in the protocol of Redis.
///
/// ```
/// use keyroute_kv::resp::Server;
/// use keyroute_kv::{MemoryShard, Node, Store};
/// use keyroute_vector_ring::VectorRing;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// use tokio::net::{TcpListener, TcpStream};
/// use tokio::sync::oneshot;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let store = Store::builder(
///     |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
///     |_id, _address| Ok(MemoryShard::new()),
/// )
/// .nodes([Node::new("a")?, Node::new("b")?])
/// .open()
/// .await?;
///
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let address = listener.local_addr()?;
/// let (stop, stopped) = oneshot::channel::<()>();
/// let server = tokio::spawn(Server::new(store).serve(listener, async {
///     let _ = stopped.await;
/// }));
///
/// let mut client = TcpStream::connect(address).await?;
/// client.write_all(b"SET user:1 v\r\nGET user:1\r\n").await?;
/// let mut answers = [0; 12];
/// client.read_exact(&mut answers).await?;
/// assert_eq!(&answers, b"+OK\r\n$1\r\nv\r\n");
///
/// let _ = stop.send(());
/// server.await??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Server {
    store: Store,
    limits: Limits,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("store", &self.store)
            .field("limits", &self.limits)
            .finish()
    }
}

impl Server {
    /// A server of this store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self {
            store,
            limits: Limits::default(),
        }
    }

    /// The same with these limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Serves connections until `stop` ends; then answers what clients have sent, for as long as
    /// [`grace`](Limits::grace) says, and returns. All the while it runs the store's mover.
    ///
    /// Needs a Tokio runtime with I/O and time.
    ///
    /// # Errors
    ///
    /// If the listener has no address. That a connection cannot be accepted is no error: it is tried again.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let port = listener.local_addr()?.port();
        let grace = self.limits.grace;
        let shared = Arc::new(Shared::new(self.store, self.limits, port));
        let stopping = watch::Sender::new(false);
        let mut connections = JoinSet::new();
        let mut mover = JoinSet::new();
        mover.spawn(move_keys(shared.clone()));

        let mut stop = std::pin::pin!(stop);
        let mut due = tokio::time::interval(DUE);
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = due.tick() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => accept(stream, &shared, &stopping, &mut connections),
                    Err(_) => tokio::time::sleep(REST).await,
                },
                Some(_) = connections.join_next() => {} // what a connection ended with concerns its client alone
            }
        }
        drop(listener);
        stopping.send_replace(true);
        let all = async { while connections.join_next().await.is_some() {} };
        let in_time = tokio::time::timeout(grace, all).await;
        if in_time.is_err() {
            connections.shutdown().await;
        }
        mover.shutdown().await;
        Ok(())
    }
}

fn accept(
    mut stream: TcpStream,
    shared: &Arc<Shared>,
    stopping: &watch::Sender<bool>,
    connections: &mut JoinSet<()>,
) {
    let counts = &shared.counts;
    if counts.clients.load(Relaxed) >= shared.limits.connections {
        counts.rejected.fetch_add(1, Relaxed);
        let mut answers = Answers::default();
        answers.refuse(&Refusal::CLIENTS);
        connections.spawn(async move {
            // It fits the socket's buffer, so nobody waits; one who has gone needs not hear it.
            let _ = stream.write_all_buf(answers.bytes()).await;
        });
        return;
    }
    let client = Client::new(shared.clone());
    let id = counts.accepted.fetch_add(1, Relaxed) + 1;
    let stop = stopping.subscribe();
    connections.spawn(async move {
        // Without it answers would wait for more of them.
        let _ = stream.set_nodelay(true);
        let connection = Connection::new(stream, client.0.clone(), id);
        let _ = connection.run(stop).await; // a client that went away
    });
}

/// Counts a client while it lives.
struct Client(Arc<Shared>);

impl Client {
    fn new(shared: Arc<Shared>) -> Self {
        shared.counts.clients.fetch_add(1, Relaxed);
        Self(shared)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.0.counts.clients.fetch_sub(1, Relaxed);
    }
}

/// Moves keys whenever there is a change.
async fn move_keys(shared: Arc<Shared>) {
    loop {
        let change = shared.change.notified();
        shared.store.run().await;
        change.await;
    }
}
