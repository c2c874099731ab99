//! [`Backend`]: a node of the fleet, with a listener of its own that can die and come back.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::{JoinHandle, JoinSet};

/// The header in which a backend says who it is, and where.
pub(crate) const SERVED_BY: &str = "served-by";
pub(crate) const SERVED_AT: &str = "served-at";

/// What a request takes: enough that requests overlap.
const WORK: Duration = Duration::from_millis(1);

/// A node. Its address stays its own while it is dead.
pub(crate) struct Backend {
    id: Arc<str>,
    address: SocketAddr,
    /// Bound and never listening: nobody else is given the port, and connections are refused.
    _reserved: TcpSocket,
    running: Option<JoinHandle<()>>,
}

impl Backend {
    /// A node that serves.
    pub(crate) async fn start(id: &str) -> io::Result<Self> {
        let reserved = bound((Ipv4Addr::LOCALHOST, 0).into())?;
        let mut backend = Self {
            id: id.into(),
            address: reserved.local_addr()?,
            _reserved: reserved,
            running: None,
        };
        backend.revive().await?;
        Ok(backend)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Drops the listener and every connection, whatever they are at.
    pub(crate) async fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            // It says that it was aborted; by then the listener is closed.
            let _ = running.await;
        }
    }

    /// Serves again, at the same address.
    pub(crate) async fn revive(&mut self) -> io::Result<()> {
        self.kill().await;
        let listener = bound(self.address)?.listen(1024)?;
        self.running = Some(tokio::spawn(serve(
            listener,
            Arc::clone(&self.id),
            self.address,
        )));
        Ok(())
    }
}

fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Serves until it is aborted, and its connections with it.
async fn serve(listener: TcpListener, id: Arc<str>, address: SocketAddr) {
    let mut connections = JoinSet::new();
    loop {
        // One that could not be accepted was the client's; the next may be.
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        while connections.try_join_next().is_some() {}
        let id = Arc::clone(&id);
        connections.spawn(async move {
            let service = service_fn(move |request| answer(request, Arc::clone(&id), address));
            // A client that hangs up is no fault of a backend.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Says who answers, and the key that it was asked for.
async fn answer(
    request: Request<Incoming>,
    id: Arc<str>,
    address: SocketAddr,
) -> Result<Response<Full<Bytes>>, Infallible> {
    tokio::time::sleep(WORK).await;
    let key = request.uri().path().to_owned();
    let mut response = Response::new(Full::from(key));
    let headers = response.headers_mut();
    headers.insert(SERVED_BY, id.parse().expect("ids are plain text"));
    headers.insert(
        SERVED_AT,
        address
            .to_string()
            .parse()
            .expect("addresses are plain text"),
    );
    Ok(response)
}
