//! [`Feed`]: makes a cluster's list what discovery says.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use keyroute_cluster::{Cluster, Listing, Ramp, Terms};
use keyroute_core::{NodeId, RouteError, Walk};

use crate::{Membership, Peer, Report};

/// How many members a router may refuse by name before it is asked no more.
const MAX_REFUSALS: usize = 64;

/// Makes a cluster's list what discovery says: one batch, one epoch for each state that is another.
///
/// The list is discovery's from the first state on: members that the cluster has by other hands leave. Health, drain and
/// ramps stay the cluster's. A member that the router refuses by name keeps its weight and zone, or stays out, and the
/// others do not wait for it, up to 64 such members. What is refused otherwise leaves the cluster as it was.
///
/// ```
/// use std::sync::Arc;
///
/// use keyroute_discovery::{Cluster, Feed, Membership, Peer, Report};
/// use keyroute_jump::Jump;
///
/// let cluster = Arc::new(Cluster::new(keyroute_cluster::Rehashed::new(Jump::new()), |_| String::new()));
/// let mut feed = Feed::new(Arc::clone(&cluster), |peer| peer.address().to_owned());
///
/// let peers = [Peer::new("a", "10.0.0.1:80")?, Peer::new("b", "10.0.0.2:80")?.with_weight(2)];
/// let mut refused = Vec::new();
/// feed.set(&peers.into_iter().collect(), |report| match report {
///     Report::MemberRefused { id, .. } => refused.push(id),
///     other => println!("{other}"),
/// });
/// assert_eq!(refused, ["b"]); // jump knows no weights
/// assert_eq!(cluster.load().all_members().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Feed<R, T, P> {
    cluster: Arc<Cluster<R, T>>,
    payload: P,
    ramp: Option<Ramp>,
    keeps_weights: bool,
    /// The weights that were told last.
    told: BTreeMap<NodeId, u32>,
    /// Who was refused last.
    refused: Membership,
}

impl<R, T, P> Feed<R, T, P>
where
    R: Walk,
    T: PartialEq,
    P: FnMut(&Peer) -> T,
{
    /// Feeds this cluster, whose members get this payload: their address, say. It is called for each member of each new
    /// state; where what it gives is equal to what the member has, the member keeps that.
    #[must_use]
    pub fn new(cluster: Arc<Cluster<R, T>>, payload: P) -> Self {
        Self {
            cluster,
            payload,
            ramp: None,
            keeps_weights: false,
            told: BTreeMap::new(),
            refused: Membership::new(),
        }
    }

    /// The same, where newcomers start slowly, but for the first. [`Cluster::tick`] is for you to call then.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use keyroute_cluster::Ramp;
    /// use keyroute_discovery::{Cluster, Feed, Peer};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| ()));
    /// let mut feed = Feed::new(Arc::clone(&cluster), |_| ()).with_ramp(Ramp::new(Duration::from_secs(60), 6)?);
    /// feed.set(&[Peer::new("a", "1")?].into_iter().collect(), |_| ());
    /// feed.set(&[Peer::new("a", "1")?, Peer::new("b", "2")?].into_iter().collect(), |_| ());
    /// assert!(cluster.load().member("a").unwrap().status().is_up());
    /// assert!(cluster.load().member("b").unwrap().status().ramp().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_ramp(self, ramp: Ramp) -> Self {
        let ramp = Some(ramp);
        Self { ramp, ..self }
    }

    /// The same, where weights are somebody else's too, as a balancer's: a member whose weight discovery does not change
    /// keeps the one that it has in the cluster.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use keyroute_cluster::Batch;
    /// use keyroute_discovery::{Cluster, Feed, Membership, Peer};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| ()));
    /// let weight = || cluster.load().member("a").unwrap().weight();
    /// let mut feed = Feed::new(Arc::clone(&cluster), |_| ()).keeping_weights();
    /// let a = Peer::new("a", "10.0.0.1:80")?;
    /// feed.set(&[a.clone()].into_iter().collect(), |_| ());
    ///
    /// cluster.apply(Batch::new().reweight("a", 7))?;
    /// feed.set(&[a.clone(), Peer::new("b", "10.0.0.2:80")?].into_iter().collect(), |_| ());
    /// assert_eq!(weight(), 7);
    /// feed.set(&[a.with_weight(2)].into_iter().collect(), |_| ());
    /// assert_eq!(weight(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keeping_weights(self) -> Self {
        let keeps_weights = true;
        Self {
            keeps_weights,
            ..self
        }
    }

    /// Makes the cluster's list these members, and tells what came of it.
    ///
    /// Cost: a payload a member, and [`Cluster::set_members`], once more for each member that is refused.
    pub fn set(&mut self, members: &Membership, mut report: impl FnMut(Report)) {
        let mut members = members.clone();
        if self.keeps_weights {
            self.keep_weights(&mut members);
        }
        let mut refused = Membership::new();
        let outcome = loop {
            let listings: Vec<Listing<T>> = members
                .iter()
                .map(|peer| peer.listing((self.payload)(peer)))
                .collect();
            let error = match self.cluster.set_members(listings, self.terms()) {
                Ok(change) => break change.map(Report::Changed),
                Err(error) => error,
            };
            let by_name = named(&error).filter(|_| refused.len() < MAX_REFUSALS);
            let Some(peer) = by_name.and_then(|id| members.remove(id.as_str())) else {
                break Some(Report::Refused(error));
            };
            if let Some(known) = self.known(&peer) {
                members.insert(known);
            }
            // Said once, as long as it stays as it is.
            let id = peer.id().clone();
            if self.refused.get(id.as_str()) != Some(&peer) {
                report(Report::MemberRefused { id, error });
            }
            refused.insert(peer);
        };
        self.refused = refused;
        outcome.into_iter().for_each(report);
    }

    fn terms(&self) -> Terms {
        match self.ramp {
            Some(ramp) => Terms::at_once().with_ramp(ramp),
            None => Terms::at_once(),
        }
    }

    /// Leaves weights as the cluster has them, where what is told is what was.
    fn keep_weights(&mut self, members: &mut Membership) {
        let told: BTreeMap<NodeId, u32> = members
            .iter()
            .map(|peer| (peer.id().clone(), peer.weight()))
            .collect();
        let now = self.cluster.load();
        for (id, weight) in &told {
            let (Some(member), Some(peer)) = (now.member(id.as_str()), members.get(id.as_str()))
            else {
                continue;
            };
            if self.told.get(id) == Some(weight) {
                members.insert(peer.clone().with_weight(member.weight()));
            }
        }
        self.told = told;
    }

    /// This member with the weight and zone that the cluster has of it, if it has it and they are others.
    fn known(&self, peer: &Peer) -> Option<Peer> {
        let now = self.cluster.load();
        let member = now.member(peer.id().as_str())?;
        let known = peer.clone().with_weight(member.weight());
        let known = known.in_zone(member.zone().cloned());
        (known != *peer).then_some(known)
    }
}

/// Which member the router refuses, if it is one.
fn named(error: &RouteError) -> Option<&NodeId> {
    match error {
        RouteError::WeightUnsupported { id, .. }
        | RouteError::Unplaceable { id, .. }
        | RouteError::NoEntry { id, .. }
        | RouteError::NoZone { id } => Some(id),
        _ => None,
    }
}

impl<R, T, P> fmt::Debug for Feed<R, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("ramp", &self.ramp)
            .field("keeps_weights", &self.keeps_weights)
            .finish_non_exhaustive()
    }
}
