//! [`Writer`]: the list behind the lock, and the one way in which it changes.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use keyroute_core::{MemberOrder, Node, NodeId, RouteError, Router, Walk};

use crate::differences::Differences;
use crate::draft::Draft;
use crate::movement::Owners;
use crate::policy::Policy;
use crate::remake::check_members;
use crate::roster::Roster;
use crate::stopwatch::Stopwatch;
use crate::tally::Counter;
use crate::timers::Timers;
use crate::trail::Trail;
use crate::{Change, Remake, Snapshot};

/// The list, its timers, and what the next snapshot is made with.
pub(crate) struct Writer<R, T> {
    pub(crate) roster: Roster<T>,
    pub(crate) timers: Timers,
    remake: Box<dyn Remake<R> + Send>,
    /// Whether the router reads the order of listing and is made of the list as it is.
    ordered: bool,
    policy: Policy,
    samples: u32,
    /// The owners under the current snapshot, counted when first needed.
    owners: Option<Owners>,
    /// The last states; empty until the first change of one.
    pub(crate) trail: Trail,
    now: Duration,
}

impl<R: Router, T> Writer<R, T> {
    pub(crate) fn new(
        router: &R,
        roster: Roster<T>,
        remake: Box<dyn Remake<R> + Send>,
        samples: u32,
    ) -> Self {
        let ordered = remake.follows_order() && router.describe().order() == MemberOrder::Listed;
        Self {
            roster,
            timers: Timers::default(),
            remake,
            ordered,
            policy: Policy::default(),
            samples,
            owners: None,
            trail: Trail::default(),
            now: Duration::ZERO,
        }
    }

    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }

    /// Under another policy keys may have other owners than were counted.
    pub(crate) fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
        self.owners = None;
    }

    /// From now on so many sample keys.
    pub(crate) fn set_samples(&mut self, samples: u32) {
        self.samples = samples;
        self.owners = None;
    }

    pub(crate) fn ordered(&self) -> bool {
        self.ordered
    }

    /// The time, which never goes back.
    pub(crate) fn advance(&mut self, now: Duration) -> Duration {
        self.now = self.now.max(now);
        self.now
    }

    pub(crate) fn draft(&self) -> Draft<T> {
        Draft {
            roster: self.roster.clone(),
            timers: self.timers.clone(),
        }
    }

    /// The nodes of the next router, if it must be made anew.
    fn nodes_of(&self, draft: &Draft<T>, differences: &Differences) -> Option<Vec<Node>> {
        if !(differences.are_of_nodes() || differences.relisted) {
            return None;
        }
        let (mut before, mut after) = (self.roster.nodes(), draft.roster.nodes());
        if self.ordered {
            return (before != after).then_some(after);
        }
        let nodes = after.clone();
        before.sort();
        after.sort();
        (before != after).then_some(nodes)
    }
}

/// A change, and what it replaced.
pub(crate) type Commit<R, T> = (Change, Retired<R, T>);

/// What a change replaced, to be dropped without the lock: payloads may be slow to drop, or ask the cluster.
pub(crate) struct Retired<R, T>(
    #[expect(dead_code, reason = "held to be dropped")] Arc<Snapshot<R, T>>,
    #[expect(dead_code, reason = "held to be dropped")] Roster<T>,
);

impl<R: Walk, T> Writer<R, T> {
    /// Makes the draft the list, and what follows from it the cluster; says what changed, if anything did.
    ///
    /// All that can fail comes before all that changes. The change began at `since`.
    pub(crate) fn commit(
        &mut self,
        draft: Draft<T>,
        since: Stopwatch,
        current: &ArcSwap<Snapshot<R, T>>,
    ) -> Result<Option<Commit<R, T>>, RouteError> {
        let differences = Differences::between(&self.roster, &draft.roster);
        let nodes = self.nodes_of(&draft, &differences);
        if nodes.is_none() && differences.are_none() {
            // A place in the list may be another: of a member of weight 0, which the router does not know yet.
            self.roster = draft.roster;
            self.timers = draft.timers;
            return Ok(None);
        }
        let old = current.load_full();
        let mut rebuild_time = Duration::ZERO;
        let new = match &nodes {
            None => old.renewed(differences.renewed(), &draft.roster, self.policy),
            Some(nodes) => {
                let making = Stopwatch::start();
                let router = self.remake.remake(old.router(), nodes)?;
                rebuild_time = making.elapsed();
                check_members(&router, nodes)?;
                let epoch = old.epoch() + 1;
                Snapshot::new(epoch, Arc::new(router), &draft.roster, self.policy)
            }
        };
        let owners = Owners::of(&new, self.samples);
        let before = self.owners.take();
        let before = before.unwrap_or_else(|| Owners::of(&old, self.samples));
        let left = left(&self.roster, &draft.roster, &differences);
        let movement = before.movement(&old, &owners, &new);
        let change = Change {
            before: old.epoch(),
            rebuilt: nodes.is_some(),
            movement,
            differences,
            rebuild_time,
            time: since.elapsed(),
        };
        if nodes.is_some() || change.differences.are_of_health() {
            self.follow(&old, &new);
        }
        let roster = mem::replace(&mut self.roster, draft.roster);
        self.timers = draft.timers;
        self.owners = Some(owners);
        let fleet = Arc::clone(&self.roster.fleet);
        fleet.whole(|| {
            current.store(Arc::new(new));
            // After: whoever has the total without their loads has the list without them, too.
            for counter in left {
                counter.leave();
            }
        });
        let retired = Retired(old, roster);
        Ok(Some((change, retired)))
    }
}

impl<R: Walk, T> Writer<R, T> {
    /// Notes that the state is another.
    pub(crate) fn follow(&mut self, old: &Snapshot<R, T>, new: &Snapshot<R, T>) {
        if self.trail.is_empty() {
            self.trail.push(old.settled().fingerprint());
        }
        self.trail.push(new.settled().fingerprint());
    }
}

/// The counters of those who were members and are no more; also of one that was removed and added at once, which
/// starts anew. It has a new payload then, be it equal.
fn left<T>(before: &Roster<T>, after: &Roster<T>, differences: &Differences) -> Vec<Arc<Counter>> {
    let ids = differences.removed.iter().chain(&differences.payloads);
    let counter = |roster: &Roster<T>, id: &NodeId| {
        let member = roster.get(id.as_str())?;
        Some(Arc::clone(&member.counter))
    };
    ids.filter_map(|id| {
        let old = counter(before, id)?;
        let stays = counter(after, id).is_some_and(|new| Arc::ptr_eq(&old, &new));
        (!stays).then_some(old)
    })
    .collect()
}
