//! [`Balance`]: which share of the keys each member has now.

use std::fmt;

use keyroute_core::{NodeId, Walk};

use crate::{Member, Snapshot, sample_key};

/// Which share of a sample of keys each member is picked for, members without any included.
///
/// A member is **due** keys by its weight, and of these the part that its status lets it take: none while it is down
/// or drained, in a ramp the ramp's share. A member's *load* is its keys over what it is due; 1 is fair. The sample
/// is the same in every process ([`sample_key`]). Of a node that is due k of its keys the load is known to about
/// 1/√k: 100 nodes want 1,000,000 keys for 1 %.
///
/// Asking costs a lookup a key. [`Snapshot::balance`] makes one.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |_| ());
/// cluster.apply(Batch::new().drain("c"))?;
/// let balance = cluster.load().balance(30_000);
/// assert_eq!(balance.share("c"), Some(0.0)); // and it is due none, so it is not keyless
/// assert!(balance.max_load() < 1.3 && balance.min_load() > 0.7);
/// assert_eq!(balance.keyless().count(), 0);
/// assert_eq!(balance.fair_share("a"), Some(0.5));
/// println!("{balance}"); // 3 members: loads 0.94 to 1.06 of fair, 0 without a key
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    members: Vec<MemberKeys>,
    owned: u64,
    due: u128,
}

/// The sample keys of one member.
///
/// [`Balance`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberKeys {
    /// The member.
    pub id: NodeId,
    /// How many of the sample's keys it is picked for.
    pub keys: u64,
    /// Its weight times the part of its keys that its status lets it take, in 2^32 parts.
    pub(crate) due: u64,
}

impl Balance {
    /// The members, by id.
    #[must_use]
    pub fn members(&self) -> &[MemberKeys] {
        &self.members
    }

    fn member(&self, id: &str) -> Option<&MemberKeys> {
        let place = self
            .members
            .binary_search_by(|member| member.id.as_str().cmp(id));
        Some(&self.members[place.ok()?])
    }

    /// The share of the keys that this member has, 0 to 1; `None` of a stranger. Keys that nobody serves are no part.
    #[must_use]
    pub fn share(&self, id: &str) -> Option<f64> {
        Some(ratio(self.member(id)?.keys.into(), self.owned.into()))
    }

    /// The share of the keys that this member is due, 0 to 1; `None` of a stranger.
    #[must_use]
    pub fn fair_share(&self, id: &str) -> Option<f64> {
        Some(ratio(self.member(id)?.due.into(), self.due))
    }

    /// The highest load, 1 being fair: max over mean. 0 where nobody is due a key.
    #[must_use]
    pub fn max_load(&self) -> f64 {
        self.loads().fold(0.0, f64::max)
    }

    /// The lowest load: 0 if somebody who is due keys has none. 0 where nobody is due a key.
    #[must_use]
    pub fn min_load(&self) -> f64 {
        self.loads().reduce(f64::min).unwrap_or(0.0)
    }

    /// Who is due keys and has none.
    pub fn keyless(&self) -> impl Iterator<Item = &NodeId> {
        let keyless = |member: &&MemberKeys| member.due > 0 && member.keys == 0;
        self.members.iter().filter(keyless).map(|member| &member.id)
    }

    fn loads(&self) -> impl Iterator<Item = f64> {
        let due = self.members.iter().filter(|member| member.due > 0);
        due.map(|member| {
            ratio(member.keys.into(), self.owned.into()) / ratio(member.due.into(), self.due)
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
fn ratio(part: u128, whole: u128) -> f64 {
    part as f64 / whole.max(1) as f64
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} members: loads {:.2} to {:.2} of fair, {} without a key",
            self.members.len(),
            self.min_load(),
            self.max_load(),
            self.keyless().count()
        )
    }
}

impl<R: Walk, T> Snapshot<R, T> {
    /// Which share of so many sample keys each member has. Allocates the answer.
    #[must_use]
    pub fn balance(&self, samples: u32) -> Balance {
        let mut keys = vec![0; self.router().members().slot_bound()];
        let mut owned = 0;
        for number in 0..samples {
            if let Ok(pick) = self.pick(&sample_key(number)) {
                keys[pick.slot().index() as usize] += 1; // u32 fits, and picks are members
                owned += 1;
            }
        }
        let of = |member: &Member<T>| {
            let slot = self.router().members().slot_of(member.id().as_str());
            let (weight, share) = member.strength();
            MemberKeys {
                id: member.id().clone(),
                keys: slot.map_or(0, |slot| keys[slot.index() as usize]),
                due: u64::from(weight).saturating_mul(share),
            }
        };
        let mut members: Vec<MemberKeys> = self.all_members().map(of).collect();
        members.sort_by(|a, b| a.id.cmp(&b.id));
        let due = members.iter().map(|member| u128::from(member.due)).sum();
        Balance {
            members,
            owned,
            due,
        }
    }
}
