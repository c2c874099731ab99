//! [`FrontEnd`]: routes each request by its key, and goes on where a node fails.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use keyroute::prelude::*;
use keyroute::{Batch, Cluster, ClusterLease};
use tokio::net::TcpListener;

use crate::upstream::Upstream;

/// The header in which the front end says whom it picked.
pub(crate) const PICKED: &str = "picked";

/// The header that says that the key's node was full, and another one picked.
pub(crate) const AWAY: &str = "away";

/// Nodes that are down are probed with one request in so many: what happens depends on requests, not on seconds.
const PROBE_EVERY: u64 = 64;

/// What is handed over with each request, until it is answered.
type Held = ClusterLease<Upstream>;

pub(crate) type Fleet = Cluster<VectorRing, Upstream>;

/// The front end.
pub(crate) struct FrontEnd {
    fleet: Fleet,
    requests: AtomicU64,
    retries: AtomicU64,
    /// Leases on nodes that held more than they may.
    excesses: AtomicU64,
}

impl FrontEnd {
    pub(crate) fn new(fleet: Fleet) -> Arc<Self> {
        Arc::new(Self {
            fleet,
            requests: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            excesses: AtomicU64::new(0),
        })
    }

    pub(crate) fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// How often a request went on to another node because one failed.
    pub(crate) fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    /// How often a node took more than its capacity, though another had room.
    pub(crate) fn excesses(&self) -> u64 {
        self.excesses.load(Ordering::Relaxed)
    }

    /// Listens until the program ends.
    pub(crate) async fn listen(self: &Arc<Self>) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let front_end = Arc::clone(self);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&front_end).serve(TokioIo::new(stream)));
            }
        });
        Ok(address)
    }

    async fn serve(self: Arc<Self>, stream: TokioIo<tokio::net::TcpStream>) {
        let service = service_fn(|request| {
            let front_end = Arc::clone(&self);
            async move { Ok::<_, Infallible>(front_end.answer(request).await) }
        });
        // A client that hangs up has its reasons.
        let _ = http1::Builder::new()
            .serve_connection(stream, service)
            .await;
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let turn = self.requests.fetch_add(1, Ordering::Relaxed);
        if turn.is_multiple_of(PROBE_EVERY) {
            self.probe();
        }
        let key = request.uri().path();
        // Who fails is down for the next lease, so this ends.
        while let Ok(lease) = self.fleet.acquire(key.as_bytes()) {
            if !lease.is_overflow() && lease.capacity().is_some_and(|most| lease.load() > most) {
                self.excesses.fetch_add(1, Ordering::Relaxed);
            }
            // The lease borrows nothing: no snapshot is held while the node works.
            match lease.payload().get(key).await {
                Ok(response) => return Self::answered(&lease, response),
                Err(_) => {
                    self.retries.fetch_add(1, Ordering::Relaxed);
                    self.lost(&lease);
                }
            }
        }
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response
    }

    fn answered(lease: &Held, response: Response<Bytes>) -> Response<Full<Bytes>> {
        let mut response = response.map(Full::new);
        let id = lease.id().as_str();
        let headers = response.headers_mut();
        headers.insert(PICKED, id.parse().expect("ids are plain text"));
        // Full nodes are asked and passed over; those that are down are not asked.
        if lease.tried() > 1 {
            headers.insert(AWAY, HeaderValue::from_static("yes"));
        }
        response
    }

    /// Marks a node down, unless it has another address by now: then it was another one that failed.
    fn lost(&self, lease: &Held) {
        let now = self.fleet.snapshot();
        let failed = lease.member().shared_payload();
        let member = now.member(lease.id().as_str());
        if member.is_some_and(|it| Arc::ptr_eq(&it.shared_payload(), &failed)) {
            // It may have left since: then there is nothing to mark.
            let _ = self.fleet.apply(Batch::new().down(lease.id().as_str()));
        }
    }

    /// Asks nodes that are down whether they are up, and marks those that are.
    fn probe(self: &Arc<Self>) {
        let now = self.fleet.snapshot();
        for member in now.all_members().filter(|it| it.status().is_down()) {
            let (id, upstream) = (member.id().clone(), member.shared_payload());
            let front_end = Arc::clone(self);
            tokio::spawn(async move {
                if upstream.get("/health").await.is_ok() {
                    // It may have left since.
                    let _ = front_end.fleet.apply(Batch::new().up(id.as_str()));
                }
            });
        }
    }
}
