//! [`Batch`]: changes that are applied together or not at all.

use std::sync::Arc;
use std::time::Duration;

use keyroute_core::{Node, Zone};

use crate::{Listing, Ramp};

/// Changes that are applied together, in this order, or not at all.
///
/// One batch is one rebuild at most, one swap and one epoch. What it says of an id that is not a member is an
/// error, except where a step before it added that id, or the step is [conditional](Self::reweight_from).
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Node, RouteError, Weight};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |node| format!("{}.old:80", node.id()));
/// let change = cluster
///     .apply(
///         Batch::new()
///             .add(Node::new("c")?.with_weight(Weight::new(2)?), "c.new:80".to_owned())
///             .remove("a")
///             .payload("b", "b.new:80".to_owned()),
///     )?
///     .expect("something changed");
/// assert_eq!((change.before(), change.after()), (0, 1));
///
/// // One step that cannot be done, and nothing is.
/// let refused = cluster.apply(Batch::new().remove("b").remove("x"));
/// assert_eq!(refused.unwrap_err(), RouteError::NotMember { id: "x".into() });
/// assert!(cluster.load().member("b").is_some());
/// # Ok::<(), RouteError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a batch does nothing until it is applied"]
pub struct Batch<T> {
    pub(crate) steps: Vec<Step<T>>,
}

/// One change.
#[derive(Clone, Debug)]
pub(crate) enum Step<T> {
    List(Listing<T>),
    Payload(String, T),
    Of(String, Edit),
}

/// A change of one member.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Remove,
    Leave(Duration),
    Stay,
    Reweight(u32),
    ReweightFrom(u32, u32),
    Zone(Option<Zone>),
    Down(bool),
    Drained(bool),
    Ramp(Option<Ramp>),
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { steps: Vec::new() }
    }
}

impl<T> Batch<T> {
    /// No changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// These changes, and then those.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let sick = ["a", "b"].map(|id| Batch::new().down(id));
    /// cluster.apply(sick.into_iter().fold(Batch::new(), Batch::then))?;
    /// assert!(cluster.load().all_members().all(|member| member.status().is_down()));
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn then(mut self, next: Self) -> Self {
        self.steps.extend(next.steps);
        self
    }

    /// The same, each payload to be shared: a list that refuses it, or has no use for it, then drops none.
    pub(crate) fn shared(self) -> Batch<Arc<T>> {
        let shared = |step| match step {
            Step::List(listing) => Step::List(listing.shared()),
            Step::Payload(id, payload) => Step::Payload(id, Arc::new(payload)),
            Step::Of(id, edit) => Step::Of(id, edit),
        };
        let steps = self.steps.into_iter().map(shared).collect();
        Batch { steps }
    }

    fn of(mut self, id: impl Into<String>, edit: Edit) -> Self {
        self.steps.push(Step::Of(id.into(), edit));
        self
    }

    /// A node joins, at the end of the list. One that is [leaving](Self::leave) stays instead, with the weight,
    /// zone and payload given now.
    pub fn add(self, node: Node, payload: T) -> Self {
        self.list(Listing::new(node, payload))
    }

    /// As [`add`](Self::add), of a listing: whose weight may be 0.
    pub fn list(mut self, listing: impl Into<Listing<T>>) -> Self {
        self.steps.push(Step::List(listing.into()));
        self
    }

    /// A node leaves at once.
    pub fn remove(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Remove)
    }

    /// A node leaves when this time is over, unless it is [added](Self::add) again or told to
    /// [stay](Self::stay) before. Until then it keeps its keys; whether it is used is a matter of its health.
    ///
    /// The clock starts at the first [`tick`](crate::Cluster::tick) after this; saying it again does not start
    /// it anew.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_cluster::{Batch, Cluster, Node};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let at = Duration::from_secs;
    /// cluster.tick(at(0))?;
    ///
    /// cluster.apply(Batch::new().leave("b", at(30)))?;
    /// cluster.tick(at(1))?;
    /// cluster.apply(Batch::new().add(Node::new("b")?, ()))?; // back within the time: no key has moved
    /// assert!(cluster.tick(at(100))?.is_none());
    ///
    /// cluster.apply(Batch::new().leave("b", at(30)))?;
    /// cluster.tick(at(101))?;
    /// let change = cluster.tick(at(131))?.expect("the time is over");
    /// assert_eq!(change.removed(), ["b"]);
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn leave(self, id: impl Into<String>, grace: Duration) -> Self {
        self.of(id, Edit::Leave(grace))
    }

    /// A node that was leaving stays.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// cluster.apply(Batch::new().leave("b", Duration::from_secs(30)))?;
    /// cluster.apply(Batch::new().stay("b"))?;
    /// assert!(!cluster.load().member("b").unwrap().status().is_leaving());
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn stay(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Stay)
    }

    /// A node's weight changes; at 0 it stays listed and owns nothing.
    pub fn reweight(self, id: impl Into<String>, weight: u32) -> Self {
        self.of(id, Edit::Reweight(weight))
    }

    /// A node's weight changes, if it is listed with this one before; else the step is passed over. For whoever
    /// reads weights and writes them later: what somebody else did in between stays.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let raise = || Batch::new().reweight_from("a", 1, 2).reweight_from("left", 1, 2);
    /// assert_eq!(cluster.apply(raise())?.unwrap().reweighted().len(), 1);
    /// assert!(cluster.apply(raise())?.is_none()); // "a" has not 1 any more
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn reweight_from(self, id: impl Into<String>, before: u32, after: u32) -> Self {
        self.of(id, Edit::ReweightFrom(before, after))
    }

    /// A node's zone changes.
    pub fn zone(self, id: impl Into<String>, zone: Option<Zone>) -> Self {
        self.of(id, Edit::Zone(zone))
    }

    /// A node's payload changes: another address, say. No key moves, nothing is rebuilt.
    pub fn payload(mut self, id: impl Into<String>, payload: T) -> Self {
        self.steps.push(Step::Payload(id.into(), payload));
        self
    }

    /// A node is down: each of its keys goes to the next node of the key's order. Nothing is rebuilt.
    pub fn down(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Down(true))
    }

    /// A node is up again, and has the keys it had.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let is_up = |id| cluster.load().member(id).unwrap().status().is_up();
    /// cluster.apply(Batch::new().down("a").drain("b"))?;
    /// cluster.apply(Batch::new().up("a").up("b"))?;
    /// assert!(is_up("a") && !is_up("b")); // which is still drained
    /// cluster.apply(Batch::new().undrain("b"))?;
    /// assert!(is_up("b"));
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn up(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Down(false))
    }

    /// A node gives its keys away, as if it had left, and stays listed. Nothing is rebuilt.
    pub fn drain(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Drained(true))
    }

    /// A node that was drained takes its keys again. [`up`](Self::up) shows it.
    pub fn undrain(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Drained(false))
    }

    /// A node starts slowly. In one batch with what brings it ([`add`](Self::add), [`up`](Self::up),
    /// [`undrain`](Self::undrain)) each key moves at most once; a node that already serves gives the keys
    /// beyond its first share away, to take them again.
    pub fn ramp(self, id: impl Into<String>, ramp: Ramp) -> Self {
        self.of(id, Edit::Ramp(Some(ramp)))
    }

    /// A node's ramp ends now: it takes all its keys.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_cluster::{Batch, Cluster, Node, Ramp};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let ramp = Ramp::new(Duration::from_secs(60), 3)?;
    /// cluster.apply(Batch::new().add(Node::new("c")?, ()).ramp("c", ramp))?;
    /// assert_eq!(cluster.load().member("c").unwrap().status().to_string(), "ramp 25.0 %");
    /// cluster.apply(Batch::new().end_ramp("c"))?;
    /// assert!(cluster.load().member("c").unwrap().status().is_up());
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn end_ramp(self, id: impl Into<String>) -> Self {
        self.of(id, Edit::Ramp(None))
    }
}
