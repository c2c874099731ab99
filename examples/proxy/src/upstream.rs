//! [`Upstream`]: what the front end keeps for a node, as its payload: where it is, and connections to it.

use std::fmt;
use std::net::SocketAddr;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// An HTTP server: its address, and a pool of connections of its own.
pub(crate) struct Upstream {
    address: SocketAddr,
    client: Client<HttpConnector, Empty<Bytes>>,
}

impl Upstream {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { address, client }
    }

    /// The whole answer: one that breaks off is an error too.
    pub(crate) async fn get(&self, path: &str) -> Result<Response<Bytes>, Error> {
        let uri: Uri = format!("http://{}{path}", self.address).parse()?;
        let (head, body) = self.client.get(uri).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(Response::from_parts(head, body))
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Upstream").field(&self.address).finish()
    }
}
