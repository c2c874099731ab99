//! [`Status`]: whether a member may be given keys, and why not.

use std::fmt;

/// Whether a member may be given keys now: up unless said.
///
/// Reasons are kept apart, so that one does not undo the other: a node that is drained and down is still
/// drained when it comes up again.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
/// cluster.apply(Batch::new().down("a").drain("a"))?;
/// cluster.apply(Batch::new().up("a"))?;
///
/// let status = cluster.load().member("a").unwrap().status();
/// assert!(status.is_drained() && !status.is_down() && !status.is_up());
/// assert_eq!(status.to_string(), "drained");
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub(crate) down: bool,
    pub(crate) drained: bool,
    pub(crate) leaving: bool,
    pub(crate) ramp: Option<u32>,
}

/// Every key, as a share in 2^32 parts.
pub(crate) const WHOLE: u64 = 1 << 32;

impl Status {
    /// Whether it takes every key that finds it first.
    #[must_use]
    pub fn is_up(self) -> bool {
        self.share() == WHOLE
    }

    /// Whether health says that it is down.
    #[must_use]
    pub fn is_down(self) -> bool {
        self.down
    }

    /// Whether it was drained by [`Batch::drain`](crate::Batch::drain).
    #[must_use]
    pub fn is_drained(self) -> bool {
        self.drained
    }

    /// Whether it leaves when its time of grace is over. Until then it keeps its keys.
    #[must_use]
    pub fn is_leaving(self) -> bool {
        self.leaving
    }

    /// In a ramp, the share of its keys that it takes now, in 2^32 parts.
    #[must_use]
    pub fn ramp(self) -> Option<u32> {
        self.ramp
    }

    /// The share of its keys that it takes, in 2^32 parts.
    pub(crate) fn share(self) -> u64 {
        match self.ramp {
            _ if self.down || self.drained => 0,
            Some(share) => share.into(),
            None => WHOLE,
        }
    }
}

/// The reasons, as in `down, ramp 25.0 %`; `up` without one.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ramp = self
            .ramp
            .map(|share| format!("ramp {:.1} %", f64::from(share) * 100.0 / 2f64.powi(32)));
        let reasons = [
            self.down.then(|| "down".to_owned()),
            self.drained.then(|| "drained".to_owned()),
            ramp,
            self.leaving.then(|| "leaving".to_owned()),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        if reasons.is_empty() {
            f.write_str("up")
        } else {
            f.write_str(&reasons.join(", "))
        }
    }
}
