//! [`StaticList`]: members that do not change.

use std::future;

use crate::{Membership, News, Sighting, Source};

/// Members that do not change: said once.
///
/// ```
/// use std::sync::Arc;
///
/// use keyroute_discovery::{Cluster, Discovery, Peer, StaticList};
/// use keyroute_vector_ring::VectorRing;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let list = StaticList::new([Peer::new("a", "10.0.0.1:80")?, Peer::new("b", "10.0.0.2:80")?].into_iter().collect());
/// let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
/// let fed = tokio::spawn(Discovery::new(list).feed(Arc::clone(&cluster), |report| println!("{report}")));
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// assert_eq!(cluster.load().member("b").unwrap().payload(), "10.0.0.2:80");
/// # fed.abort();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct StaticList {
    members: Option<Membership>,
}

impl StaticList {
    /// These members.
    #[must_use]
    pub fn new(members: Membership) -> Self {
        Self {
            members: Some(members),
        }
    }
}

impl Source for StaticList {
    async fn next(&mut self) -> News {
        match self.members.take() {
            Some(members) => News::Seen(Sighting::of(members.iter().cloned())),
            None => future::pending().await,
        }
    }
}
