//! [`Meter`]: a cluster's state and changes as metrics.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use keyroute_core::{NodeId, Walk};
use metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use crate::outbox::Outbox;
use crate::{Balance, Change, Cluster, Member, Snapshot, Subscription};

/// How many keys a meter asks for the shares of members, unless [told otherwise](Meter::with_samples), as [`Meter`]
/// shows.
pub const METERED_SAMPLES: u32 = 65_536;

const EPOCH: &str = "keyroute_epoch";
const MEMBERS: &str = "keyroute_members";
const MOVED: &str = "keyroute_change_moved";
const CHANGE_TIME: &str = "keyroute_change_seconds";
const REBUILD_TIME: &str = "keyroute_rebuild_seconds";
const PANICS: &str = "keyroute_subscriber_panics_total";
const KEY_SHARE: &str = "keyroute_node_key_share";
const MAX_LOAD: &str = "keyroute_max_load";
const MIN_LOAD: &str = "keyroute_min_load";
const KEYLESS: &str = "keyroute_keyless_members";
const LEASES: &str = "keyroute_leases";
const NODE_LEASES: &str = "keyroute_node_leases";
const TAKEN: &str = "keyroute_leases_taken_total";
const AWAY: &str = "keyroute_leases_away_total";
const OVERFLOWS: &str = "keyroute_lease_overflows_total";
#[cfg(feature = "adaptive")]
const REQUEST_SHARE: &str = "keyroute_node_request_share";

/// A cluster's state and changes, through the [`metrics`] facade: to whichever recorder the program has installed.
///
/// | series | kind | unit | labels, beside `cluster` | written |
/// | --- | --- | --- | --- | --- |
/// | `keyroute_epoch` | gauge | changes since the cluster was made | | with each change |
/// | `keyroute_members` | gauge | members | `status`: `up`, `ramp`, `down`, `drained`, `weightless`; each member is in one, drained before down | with each change |
/// | `keyroute_change_moved` | histogram | share of the sample keys that moved, 0 to 1 | `need`: `needed`, `needless` | with each change |
/// | `keyroute_change_seconds` | histogram | seconds, see [`Change::time`] | | with each change |
/// | `keyroute_rebuild_seconds` | histogram | seconds, see [`Change::rebuild_time`] | | with each change that made a router |
/// | `keyroute_subscriber_panics_total` | counter | panics, see [`Cluster::panics`] | | by [`observe`](Self::observe) |
/// | `keyroute_node_key_share` | gauge | share of the keys, 0 to 1, see [`Balance::share`] | `node` | by `observe` |
/// | `keyroute_max_load`, `keyroute_min_load` | gauge | load over fair load, see [`Balance`] | | by `observe` |
/// | `keyroute_keyless_members` | gauge | members that are due keys and have none | | by `observe` |
/// | `keyroute_leases` | gauge | leases in flight | | by `observe` |
/// | `keyroute_node_leases` | gauge | leases that the node holds | `node` | by `observe` |
/// | `keyroute_leases_taken_total`, `keyroute_leases_away_total`, `keyroute_lease_overflows_total` | counters | leases given; of these away from the key's owner; of these by a node that was full, see [`LeaseStats`](crate::LeaseStats) | | by `observe` |
/// | `keyroute_node_request_share` | gauge | share of the requests, 0 to 1 | `node` | by `observe_requests` (feature `adaptive`) |
///
/// There are as many series of a node as there are members. Who leaves, has them set to 0 with that change, and so has
/// everything else that is a gauge when the meter is dropped: the facade cannot take a series back, so let the exporter
/// forget those that are idle. Ids are labels; no key is.
///
/// Lookups pay nothing. A change pays O(n) here, on the thread that made it; `observe` asks a sample of keys, on the
/// thread that calls it, as often as one likes. Drop the meter before its cluster: without, the last state stays.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Meter, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
/// let meter = Meter::start(&cluster, "sessions").with_samples(10_000); // instead of METERED_SAMPLES
/// cluster.apply(Batch::new().add(Node::new("c")?, ()))?; // epoch, members, movement, times
/// let balance = meter.observe();                         // shares; before each scrape, say
/// assert!(balance.max_load() < 1.5);
/// drop(meter); // its gauges are 0
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[must_use = "the meter stops where it is dropped"]
pub struct Meter<R, T> {
    shared: Arc<Shared<R, T>>,
    outbox: Arc<Outbox>,
    samples: u32,
    _subscription: Subscription,
}

struct Shared<R, T> {
    current: Arc<ArcSwap<Snapshot<R, T>>>,
    /// The label that tells clusters of one program apart.
    cluster: String,
    /// Held while series are written, so that no older state is written over a newer one.
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    stopped: bool,
    /// The series of nodes that are not 0 by themselves.
    of_nodes: BTreeSet<(NodeId, &'static str)>,
}

impl<R, T> Meter<R, T>
where
    R: Walk + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    /// Writes the cluster's state, and from now on its changes, under this label.
    pub fn start(cluster: &Cluster<R, T>, label: impl Into<String>) -> Self {
        describe();
        let shared = Arc::new(Shared {
            current: cluster.shared_current(),
            cluster: label.into(),
            written: Mutex::default(),
        });
        let subscription = cluster.subscribe({
            let shared = Arc::clone(&shared);
            move |change| shared.change(change)
        });
        shared.state(&mut shared.lock());
        Self {
            shared,
            outbox: cluster.shared_outbox(),
            samples: METERED_SAMPLES,
            _subscription: subscription,
        }
    }

    /// The same meter, which asks so many keys for the shares of members; [`METERED_SAMPLES`] unless set.
    pub fn with_samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// Writes the shares of keys and the leases as they are now, and gives the former. Costs a lookup a key of the sample.
    #[expect(
        clippy::must_use_candidate,
        reason = "what it is for is what it writes"
    )]
    pub fn observe(&self) -> Balance {
        let shared = &*self.shared;
        // Not under the lock: a change that is told meanwhile need not wait.
        let balance = shared.current.load_full().balance(self.samples);
        let mut written = shared.lock();
        let now = shared.state(&mut written);
        let members = balance.members().iter();
        for member in members.filter(|member| now.member(member.id.as_str()).is_some()) {
            let share = balance.share(member.id.as_str()).unwrap_or(0.0);
            shared.of_node(&mut written, KEY_SHARE, &member.id, share);
        }
        shared.gauge(MAX_LOAD, balance.max_load());
        shared.gauge(MIN_LOAD, balance.min_load());
        shared.gauge(KEYLESS, count(balance.keyless().count()));
        shared.count(PANICS, self.outbox.panics());
        let leases = now.stats();
        shared.gauge(LEASES, exact(leases.total()));
        for member in leases.members() {
            shared.of_node(&mut written, NODE_LEASES, member.id(), exact(member.held()));
        }
        shared.count(TAKEN, leases.taken());
        shared.count(AWAY, leases.away());
        shared.count(OVERFLOWS, leases.overflows());
        balance
    }

    /// Writes each member's share of the requests that a balancer counted; of members it does not know, 0.
    ///
    /// ```
    /// use keyroute_adaptive::{Balancer, Steady};
    /// use keyroute_cluster::{Cluster, Meter};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let meter = Meter::start(&cluster, "sessions");
    /// let balancer = Balancer::new(Steady::default()); // which counts the requests
    /// meter.observe_requests(&balancer.stats());
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[cfg(feature = "adaptive")]
    pub fn observe_requests(&self, stats: &keyroute_adaptive::Stats) {
        let shared = &*self.shared;
        let mut written = shared.lock();
        let now = shared.state(&mut written);
        for member in now.all_members() {
            let share = stats.share(member.id().as_str()).unwrap_or(0.0);
            shared.of_node(&mut written, REQUEST_SHARE, member.id(), share);
        }
    }
}

impl<R, T> Shared<R, T> {
    /// Writers leave it sound at each step.
    fn lock(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gauge(&self, name: &'static str, value: f64) {
        gauge!(name, "cluster" => self.cluster.clone()).set(value);
    }

    fn count(&self, name: &'static str, total: u64) {
        counter!(name, "cluster" => self.cluster.clone()).absolute(total);
    }

    fn members(&self, status: &'static str, members: usize) {
        let series = gauge!(MEMBERS, "cluster" => self.cluster.clone(), "status" => status);
        series.set(count(members));
    }

    fn of_node(&self, written: &mut Written, name: &'static str, id: &NodeId, value: f64) {
        self.set_of_node(name, id, value);
        written.of_nodes.insert((id.clone(), name));
    }

    fn set_of_node(&self, name: &'static str, id: &NodeId, value: f64) {
        let (cluster, node) = (self.cluster.clone(), id.to_string());
        gauge!(name, "cluster" => cluster, "node" => node).set(value);
    }

    /// Everything that says how the cluster is goes to 0, and nothing is written any more.
    fn stop(&self) {
        let mut written = self.lock();
        written.stopped = true;
        for (id, name) in std::mem::take(&mut written.of_nodes) {
            self.set_of_node(name, &id, 0.0);
        }
        for name in [EPOCH, MAX_LOAD, MIN_LOAD, KEYLESS, LEASES] {
            self.gauge(name, 0.0);
        }
        for status in STATUSES {
            self.members(status, 0);
        }
    }
}

impl<R: Walk, T> Shared<R, T> {
    /// Writes a change, and the state after it or a later one.
    fn change(&self, change: &Change) {
        let mut written = self.lock();
        if written.stopped {
            return;
        }
        let movement = change.movement();
        if movement.samples() > 0 {
            let needed = movement.share() - movement.needless_share();
            for (need, share) in [("needed", needed), ("needless", movement.needless_share())] {
                histogram!(MOVED, "cluster" => self.cluster.clone(), "need" => need).record(share);
            }
        }
        histogram!(CHANGE_TIME, "cluster" => self.cluster.clone()).record(change.time());
        if change.rebuilt() {
            histogram!(REBUILD_TIME, "cluster" => self.cluster.clone())
                .record(change.rebuild_time());
        }
        self.state(&mut written);
    }

    /// Writes the state as it is now, and 0 to what is written of nodes that left; gives it.
    fn state(&self, written: &mut Written) -> Arc<Snapshot<R, T>> {
        let now = self.current.load_full();
        self.gauge(EPOCH, exact(now.epoch()));
        for status in STATUSES {
            let here = now.all_members().filter(|it| status_of(it) == status);
            self.members(status, here.count());
        }
        written.of_nodes.retain(|(id, name)| {
            let stays = now.member(id.as_str()).is_some();
            if !stays {
                self.set_of_node(name, id, 0.0);
            }
            stays
        });
        now
    }
}

const STATUSES: [&str; 5] = ["up", "ramp", "down", "drained", "weightless"];

/// The one of [`STATUSES`] that says why a member takes no keys, as picks see it; the strongest reason first.
fn status_of<T>(member: &Member<T>) -> &'static str {
    let status = member.status();
    if member.weight() == 0 {
        "weightless"
    } else if status.is_drained() {
        "drained"
    } else if status.is_down() {
        "down"
    } else if status.ramp().is_some() {
        "ramp"
    } else {
        "up"
    }
}

/// Exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a double")]
fn exact(count: u64) -> f64 {
    count as f64
}

/// Exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a double")]
fn count(count: usize) -> f64 {
    count as f64
}

fn describe() {
    describe_gauge!(EPOCH, Unit::Count, "Changes since the cluster was made.");
    describe_gauge!(MEMBERS, Unit::Count, "Members by status; each is in one.");
    describe_histogram!(
        MOVED,
        "Share of the sample keys that a change moved, 0 to 1."
    );
    describe_histogram!(CHANGE_TIME, Unit::Seconds, "Time that a change took.");
    describe_histogram!(
        REBUILD_TIME,
        Unit::Seconds,
        "Time that a router took to be made."
    );
    describe_counter!(PANICS, Unit::Count, "Panics of subscribers.");
    describe_gauge!(KEY_SHARE, "Share of the keys that the node has, 0 to 1.");
    describe_gauge!(
        MAX_LOAD,
        "Keys of the most loaded node over its fair share."
    );
    describe_gauge!(
        MIN_LOAD,
        "Keys of the least loaded node over its fair share."
    );
    describe_gauge!(
        KEYLESS,
        Unit::Count,
        "Members that are due keys and have none."
    );
    describe_gauge!(LEASES, Unit::Count, "Leases in flight.");
    describe_gauge!(NODE_LEASES, Unit::Count, "Leases that the node holds.");
    describe_counter!(TAKEN, Unit::Count, "Leases given.");
    describe_counter!(AWAY, Unit::Count, "Leases given away from the key's owner.");
    describe_counter!(
        OVERFLOWS,
        Unit::Count,
        "Leases given by a node that was full."
    );
    #[cfg(feature = "adaptive")]
    describe_gauge!(
        REQUEST_SHARE,
        "Share of the requests that the node had, 0 to 1."
    );
}

impl<R, T> Drop for Meter<R, T> {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl<R, T> fmt::Debug for Meter<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter")
            .field("cluster", &self.shared.cluster)
            .field("samples", &self.samples)
            .finish_non_exhaustive()
    }
}
