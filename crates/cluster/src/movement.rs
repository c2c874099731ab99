//! [`Movement`]: how many keys a change moved, and how many of them had to.

use std::fmt;

use keyroute_core::hash::mix64;
use keyroute_core::{Slot, Walk};

use crate::{Member, Snapshot};

/// How many sample keys a cluster asks at each change, unless [told otherwise](crate::Cluster::with_samples), as
/// [`Movement`] shows.
pub const DEFAULT_SAMPLES: u32 = 4096;

/// How many of a fixed set of sample keys have another owner after a change.
///
/// A move was **needed** if the node it left was removed, lost weight or takes fewer keys than before, or the
/// node it went to joined, gained weight or takes more. Any other was needless. The sample is the same in every
/// process and release ([`sample_key`]); at 4096 keys a share of 1 % is known to 0.16 % (one standard error).
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, DEFAULT_SAMPLES};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c", "d"])?, |_| ());
/// let movement = cluster.apply(Batch::new().remove("a"))?.unwrap().movement();
/// assert_eq!((movement.samples(), movement.needless()), (DEFAULT_SAMPLES, 0));
/// assert_eq!(movement.moved(), movement.needed());
/// assert!(movement.share() > 0.1 && movement.share() < 0.4);
/// assert_eq!(movement.needless_share(), 0.0);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Movement {
    samples: u32,
    moved: u32,
    needed: u32,
}

impl Movement {
    /// How many keys were asked.
    #[must_use]
    pub fn samples(self) -> u32 {
        self.samples
    }

    /// How many have another owner, or one where they had none, or none where they had one.
    #[must_use]
    pub fn moved(self) -> u32 {
        self.moved
    }

    /// How many of them had to move.
    #[must_use]
    pub fn needed(self) -> u32 {
        self.needed
    }

    /// How many of them had not.
    #[must_use]
    pub fn needless(self) -> u32 {
        self.moved - self.needed
    }

    /// The share of the sample that moved, 0 to 1; 0 without a sample.
    #[must_use]
    pub fn share(self) -> f64 {
        self.part(self.moved)
    }

    /// The share of the sample that moved without need, 0 to 1.
    #[must_use]
    pub fn needless_share(self) -> f64 {
        self.part(self.needless())
    }

    fn part(self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.samples.max(1))
    }
}

impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} % of {} sample keys moved, {:.1} % needlessly",
            self.share() * 100.0,
            self.samples,
            self.needless_share() * 100.0
        )
    }
}

/// The sample key with this number: the eight little-endian bytes of [`mix64`] of the number after it.
///
/// ```
/// use keyroute_cluster::sample_key;
///
/// assert_eq!(sample_key(0), 0xb456_bcfc_34c2_cb2cu64.to_le_bytes());
/// ```
#[must_use]
pub fn sample_key(number: u32) -> [u8; 8] {
    mix64(u64::from(number) + 1).to_le_bytes()
}

/// Who owns each sample key, as slots of one snapshot.
#[derive(Debug)]
pub(crate) struct Owners(Vec<Option<Slot>>);

impl Owners {
    pub(crate) fn of<R: Walk, T>(snapshot: &Snapshot<R, T>, samples: u32) -> Self {
        let owner = |number| Some(snapshot.pick(&sample_key(number)).ok()?.slot());
        Self((0..samples).map(owner).collect())
    }

    /// What moved from these, which `old` counts slots for, to those.
    pub(crate) fn movement<R: Walk, T>(
        &self,
        old: &Snapshot<R, T>,
        then: &Self,
        new: &Snapshot<R, T>,
    ) -> Movement {
        let mut movement = Movement::default();
        for (&from, &to) in self.0.iter().zip(&then.0) {
            movement.samples += 1;
            let from = from.and_then(|slot| old.at(slot));
            let to = to.and_then(|slot| new.at(slot));
            if from.map(Member::id) != to.map(Member::id) {
                movement.moved += 1;
                let now = |member: &Member<T>| new.member(member.id.as_str());
                let then = |member: &Member<T>| old.member(member.id.as_str());
                let gave = from.is_some_and(|it| is_weaker(now(it), it));
                let took = to.is_some_and(|it| is_weaker(then(it), it));
                movement.needed += u32::from(gave || took);
            }
        }
        movement
    }
}

/// Whether it was, or is, of less weight than this, or takes less of its keys. Both may change at once, so that neither
/// is compared alone: whose weight doubles while it takes half is as strong as before, and keys come and go all the same.
fn is_weaker<T>(other: Option<&Member<T>>, than: &Member<T>) -> bool {
    let (weight, share) = than.strength();
    other.is_none_or(|other| {
        let (other_weight, other_share) = other.strength();
        other_weight < weight || other_share < share
    })
}
