//! [`LeaseStats`]: what the leases of a cluster are and have come to.

use keyroute_core::{NodeId, Router};

use crate::tally::Sums;
use crate::{Member, Snapshot};

/// What the leases of a cluster are now and have come to since it was made, with every member, idle ones too.
///
/// Each number is right at the moment when it is read, and they are read one after another, while leases are taken and
/// given back. Sums never go down: those of members that have left stay in them. (What these still give to who keeps an old
/// snapshot is added when nobody knows them any more.)
///
/// ```
/// use keyroute_cluster::{Cluster, Exact};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c", "d"])?, |_| ()).with_bound(Exact::new(50)?);
/// let leases: Result<Vec<_>, _> = (0..3).map(|_| cluster.acquire(b"hot")).collect();
///
/// let stats = cluster.stats();
/// assert_eq!((stats.total(), stats.taken(), stats.overflows()), (3, 3, 0));
/// assert_eq!(stats.away(), 2); // one a node, since 1.05 × 3 ÷ 4 is below 1
/// assert_eq!(stats.tried_per_lease(), 2.0); // 1, 2 and 3 nodes
/// assert_eq!(stats.effective_epsilon(), Some(1.0)); // room for 2 on each of 4, over 4 loads
///
/// let held: Vec<u64> = stats.members().iter().map(|member| member.held()).collect();
/// assert_eq!(held.iter().sum::<u64>(), 3);
/// assert!(held.contains(&0));
/// # drop(leases);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseStats {
    total: u64,
    overflows: u64,
    sums: Sums,
    effective_epsilon: Option<f64>,
    members: Vec<MemberStats>,
}

/// What the leases of one member are and have come to; [`LeaseStats`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberStats {
    id: NodeId,
    held: u64,
    capacity: Option<u64>,
    taken: u64,
    away: u64,
}

impl LeaseStats {
    pub(crate) fn of<R: Router, T>(snapshot: &Snapshot<R, T>) -> Self {
        let fleet = snapshot.fleet();
        let total = fleet.load.total();
        let untold = |sums: Sums, member: &Member<T>| sums.plus(member.counter.untold());
        let sums = fleet.whole(|| snapshot.all_members().fold(fleet.former(), untold));
        let members = snapshot.all_members();
        let members: Vec<MemberStats> = members
            .map(|member| MemberStats::of(snapshot, member, total))
            .collect();
        let capacities = members.iter().filter_map(|member| member.capacity);
        let capacity: u128 = capacities.map(u128::from).sum();
        Self {
            total,
            overflows: fleet.load.overflows(),
            sums,
            effective_epsilon: effective_epsilon(capacity, total),
            members,
        }
    }

    /// How many leases there are, and requests that look for a member just now.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many leases were given.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.sums.taken
    }

    /// How many of them away from the key's owner: since that was full, down, drained or in a ramp.
    #[must_use]
    pub fn away(&self) -> u64 {
        self.sums.away
    }

    /// How many of them were given by a member that was full, since all were found full again and again.
    #[must_use]
    pub fn overflows(&self) -> u64 {
        self.overflows
    }

    /// How many times a node was asked for all of them.
    #[must_use]
    pub fn tried(&self) -> u64 {
        self.sums.taken.saturating_add(self.sums.further)
    }

    /// The share of leases that were given away from the key's owner, 0 to 1; 0 before the first.
    #[must_use]
    pub fn away_share(&self) -> f64 {
        ratio(self.away(), self.taken()).unwrap_or(0.0)
    }

    /// How many nodes were asked for a lease on average, from 1; 0 before the first.
    #[must_use]
    pub fn tried_per_lease(&self) -> f64 {
        ratio(self.tried(), self.taken()).unwrap_or(0.0)
    }

    /// How far over its fair share the cluster may be loaded now: the sum of the capacities over the number of loads,
    /// the next one included, less 1. `None` without a bound, and while nobody takes keys.
    ///
    /// Capacities are whole numbers, so it is above the ε that was asked for while there are few loads: at one a
    /// node, every ε up to 1 acts as 1.
    #[must_use]
    pub fn effective_epsilon(&self) -> Option<f64> {
        self.effective_epsilon
    }

    /// Every member: those the router knows in the order of its slots, then those of weight 0 in the order of ids.
    #[must_use]
    pub fn members(&self) -> &[MemberStats] {
        &self.members
    }
}

impl MemberStats {
    fn of<R: Router, T>(snapshot: &Snapshot<R, T>, member: &Member<T>, total: u64) -> Self {
        let Sums { taken, away, .. } = member.counter.sums();
        Self {
            id: member.id.clone(),
            held: member.counter.load.held(),
            capacity: snapshot.capacity(member, total),
            taken,
            away,
        }
    }

    /// The member.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// How many leases it holds.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// How many it may hold, if the next one is placed now: 0 while it takes no keys, `None` without a bound.
    #[must_use]
    pub fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// How many leases it gave since it was listed.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// How many of them for keys of other owners.
    #[must_use]
    pub fn away(&self) -> u64 {
        self.away
    }
}

#[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
fn ratio(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

#[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
fn effective_epsilon(capacity: u128, total: u64) -> Option<f64> {
    let loads = u128::from(total) + 1;
    (capacity > 0).then(|| capacity as f64 / loads as f64 - 1.0)
}
