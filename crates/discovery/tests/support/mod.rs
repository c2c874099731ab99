//! A cluster that discovery feeds, and what was reported meanwhile.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keyroute_discovery::{Cluster, Damping, Discovery, Release, Source};
use keyroute_vector_ring::VectorRing;
use tokio::task::JoinHandle;

/// How long a member may be absent.
pub const GRACE: Duration = Duration::from_secs(10);

/// A cluster whose payloads are addresses; until this is dropped it is fed.
pub struct Fed {
    pub cluster: Arc<Cluster<VectorRing, String>>,
    pub release: Release,
    pub task: JoinHandle<()>,
    reports: Arc<Mutex<Vec<String>>>,
}

impl Fed {
    /// Fed by this source, with [`GRACE`].
    pub fn by(source: impl Source + Send + 'static, damping: Damping) -> Self {
        let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
        let reports = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&reports);
        let discovery = Discovery::new(source).with_damping(damping.with_grace(GRACE));
        let release = discovery.release();
        let task = tokio::spawn(discovery.feed(Arc::clone(&cluster), move |report| {
            log.lock().unwrap().push(report.to_string());
        }));
        Self {
            cluster,
            release,
            task,
            reports,
        }
    }

    /// The ids of its members, in order.
    pub fn ids(&self) -> BTreeSet<String> {
        let now = self.cluster.load();
        now.all_members().map(|it| it.id().to_string()).collect()
    }

    pub fn epoch(&self) -> u64 {
        self.cluster.load().epoch()
    }

    /// How many reports said so.
    pub fn reported(&self, what: &str) -> usize {
        let reports = self.reports.lock().unwrap();
        reports
            .iter()
            .filter(|report| report.contains(what))
            .count()
    }
}

impl Drop for Fed {
    fn drop(&mut self) {
        self.task.abort();
    }
}
