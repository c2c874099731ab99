//! [`View`]: what a client answers by, to be published and compared.

use std::collections::BTreeMap;
use std::fmt;

use keyroute_core::{Description, Difference, Fingerprint, Node, NodeId, Walk};

use crate::trail::{Lag, Trail};
use crate::{Agreement, Side, Snapshot};

/// What a cluster answers by, and the fingerprints of its last states: what each client of a fleet publishes, so that
/// somebody compares them.
///
/// It covers all that decides answers: the strategy, its parameters and hashers, members with weights and zones,
/// who is down, drained or in a ramp, the policy, and the bound on leases. Not payloads, members of weight 0, times of
/// grace, or how many leases there are.
///
/// **Epochs of two processes say nothing about each other**: each counts its own changes, from when it started. So views
/// are compared by fingerprints: where one client's newest state is among the last [`TRAIL`](crate::TRAIL) states of
/// another, it is behind, and the change is in flight. How far a ramp is does not count as a state of its own, as
/// clients tick when they like.
///
/// Stored (feature `serde`) it is a record of the description's parts; `Display` is for people. Its size is the list's.
/// [`Fleet`](crate::Fleet) compares many.
///
/// ```
/// use keyroute_cluster::{Agreement, Batch, Cluster, Node, Side};
/// use keyroute_vector_ring::VectorRing;
///
/// let client = || Ok::<_, keyroute_cluster::RouteError>(Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ()));
/// let (one, two) = (client()?, client()?);
/// assert_eq!(one.view().compare(&two.view()), Agreement::Same);
///
/// // Somebody tells both that "c" joins, and one hears it first.
/// one.apply(Batch::new().add(Node::new("c")?, ()))?;
/// let behind = Agreement::Behind { who: Side::Right, changes: 1 };
/// assert_eq!(one.view().compare(&two.view()), behind);
///
/// // That is never heard; but something else is.
/// two.apply(Batch::new().down("b"))?;
/// let differ = one.view().compare(&two.view());
/// let told = "differ: cluster: status of \"b\": up | down; node \"c\": weight 1, no zone | absent";
/// assert_eq!(differ.to_string(), told);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub(crate) epoch: u64,
    pub(crate) description: Description,
    pub(crate) ramps: BTreeMap<NodeId, u32>,
    pub(crate) trail: Trail,
}

/// The field of the policy. Fields of a cluster begin alike, so that none is taken for one of its router's.
const ON_DOWN: &str = "cluster: on down";

/// The field of the bound on leases, which is there if there is one.
const BOUND: &str = "cluster: bound";

/// What the fields of members begin with that are down or drained.
const STATUS: &str = "cluster: status of ";

impl<R: Walk, T> Snapshot<R, T> {
    /// Everything that decides answers once ramps are over: the router's description, the policy, who is down or
    /// drained.
    pub(crate) fn settled(&self) -> Description {
        let mut description = self.router().describe();
        description.field(ON_DOWN, self.on_down().name());
        if let Some(bound) = self.bound() {
            description.field(BOUND, format!("{} thousandths over", bound.thousandths()));
        }
        for member in self.all_members().filter(|member| member.weight() > 0) {
            let status = member.status();
            let says = match (status.is_drained(), status.is_down()) {
                (false, false) => continue,
                (true, false) => "drained",
                (false, true) => "down",
                (true, true) => "down, drained",
            };
            description.field(&status_of(member.id()), says);
        }
        description
    }

    fn ramps(&self) -> BTreeMap<NodeId, u32> {
        let routed = self.all_members().filter(|member| member.weight() > 0);
        routed
            .filter_map(|member| Some((member.id().clone(), member.status().ramp()?)))
            .collect()
    }

    /// Its view; `trail` ends with it.
    pub(crate) fn view(&self, trail: Trail) -> View {
        View {
            epoch: self.epoch(),
            description: self.settled(),
            ramps: self.ramps(),
            trail,
        }
    }
}

fn status_of(id: &NodeId) -> String {
    format!("{STATUS}{id:?}")
}

impl View {
    /// The epoch, as the client counts: to be told, not to be compared.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The fingerprint of the state: of all that decides answers but how far ramps are.
    ///
    /// It is not the router's own, as it covers the policy and who is down or drained (`docs/hashing.md`).
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.trail
            .newest()
            .unwrap_or_else(|| self.description.fingerprint())
    }

    /// What the fingerprint covers, to be read.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The members in a ramp, and the shares of their keys that they take, in 2^32 parts. By id.
    /// [`recent`](Self::recent) shows one.
    #[must_use]
    pub fn ramps(&self) -> &BTreeMap<NodeId, u32> {
        &self.ramps
    }

    /// The fingerprints of the last states, the newest last; none twice in a row. At most [`TRAIL`](crate::TRAIL).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_cluster::{Batch, Cluster, Ramp, TRAIL};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// for weight in 2..=100 {
    ///     cluster.apply(Batch::new().reweight("a", weight))?;
    /// }
    /// cluster.apply(Batch::new().ramp("b", Ramp::new(Duration::from_secs(60), 1)?))?;
    ///
    /// let view = cluster.view();
    /// assert_eq!((view.epoch(), view.recent().count()), (100, TRAIL));
    /// assert_eq!(view.recent().last(), Some(view.fingerprint())); // the ramp is no state of its own
    /// assert_eq!(view.ramps()["b"], 1 << 31); // half of its keys
    /// assert!(view.description().scheme().contains("ring"));
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn recent(&self) -> impl DoubleEndedIterator<Item = Fingerprint> + '_ {
        self.trail.iter()
    }

    /// Whether two clients answer alike; if not, whether one of them is only behind; if not, what differs. [`View`]
    /// shows one.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Agreement {
        if self.fingerprint() == other.fingerprint() {
            return if self.ramps == other.ramps {
                Agreement::Same
            } else {
                Agreement::Ramping
            };
        }
        let (left, right) = (
            self.trail.behind(&other.trail),
            other.trail.behind(&self.trail),
        );
        // Where nodes left and returned, each may have been where the other is. Who is behind has gone the longer
        // way together with the other.
        let common = |lag: Option<Lag>| lag.map_or(0, |lag| lag.common);
        match (left, right) {
            (Some(lag), _) if lag.common > common(right) => Agreement::Behind {
                who: Side::Left,
                changes: lag.changes,
            },
            (_, Some(lag)) if lag.common > common(left) => Agreement::Behind {
                who: Side::Right,
                changes: lag.changes,
            },
            (Some(_), Some(_)) => Agreement::Crossed,
            _ => Agreement::Differ(self.differences(other)),
        }
    }

    /// What differs, as `what: left | right`.
    pub(crate) fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut differences = self.description.differences(&other.description);
        for difference in &mut differences {
            if difference.what.starts_with(STATUS) {
                // Who is not said to be down or drained is up, if it is there at all.
                let up = |side: &mut Option<String>, view: &Self| {
                    let id = |node: &Node| status_of(node.id()) == difference.what;
                    if side.is_none() && view.description.nodes().iter().any(id) {
                        *side = Some("up".to_owned());
                    }
                };
                up(&mut difference.left, self);
                up(&mut difference.right, other);
            }
        }
        differences
    }
}

/// The fingerprint, the epoch, and then what the fingerprint covers, a line an entry.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "fingerprint: {}, epoch {}",
            self.fingerprint(),
            self.epoch
        )?;
        write!(f, "{}", self.description)?;
        for (id, &share) in &self.ramps {
            let percent = f64::from(share) * 100.0 / 2f64.powi(32);
            writeln!(f, "  {id:?} is in a ramp: {percent:.1} %")?;
        }
        Ok(())
    }
}
