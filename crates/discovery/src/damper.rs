//! [`Damper`]: from what a source says to who is a member. A function of what it is told and when; it reads no clock.

use std::collections::BTreeMap;
use std::mem;
use std::time::Duration;

use keyroute_core::NodeId;

use crate::{Damping, Membership, Report, Sighting, SkipReason, Skipped, SourceError};

/// From what a source says to who is a member.
///
/// It reads no clock: each call says the time, counted from wherever the caller likes; one before an earlier one counts as
/// that. [`Discovery`](crate::Discovery) calls it; call it yourself where members come by another way.
///
/// - Who is seen is a member, as it was seen last. Who is seen but unreadable stays what it was.
/// - Who is absent leaves once it has been for the time of grace. Time in which nothing could be seen does not count, and
///   only a sighting ends it: after a fault the members stay as they are until a whole sighting has come.
/// - A sighting of nobody changes nothing, unless allowed: no clock starts, none stops.
/// - If too many are absent at once, none of those leaves, until they are fewer. What counts is who is absent at all, so
///   leases that end one after the other are one loss.
/// - [`release`](Self::release) lets those leave that are absent now, whatever was held back.
///
/// Cost of a call: O(n log n) comparisons of ids for a sighting of n, O(n) else.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_discovery::{Damper, Damping, Peer, Sighting};
///
/// let peer = |id: &str| Peer::new(id, format!("{id}.local:80"));
/// let at = Duration::from_secs;
/// let mut damper = Damper::new(Damping::default()); // 30 s of grace
/// damper.see(at(0), Sighting::of([peer("a")?, peer("b")?]));
///
/// damper.see(at(5), Sighting::of([peer("a")?])); // b restarts …
/// assert!(!damper.tick(at(20)).changed);
/// damper.see(at(25), Sighting::of([peer("a")?, peer("b")?])); // … and nothing has moved
/// assert_eq!(damper.members().len(), 2);
///
/// damper.see(at(40), Sighting::of([peer("a")?]));
/// assert_eq!(damper.deadline(), Some(at(70)));
/// assert!(damper.tick(at(70)).changed);
/// assert_eq!(damper.members().len(), 1);
/// # Ok::<(), keyroute_discovery::SkipReason>(())
/// ```
#[derive(Clone, Debug)]
pub struct Damper {
    damping: Damping,
    now: Duration,
    members: Membership,
    absences: BTreeMap<NodeId, Absence>,
    /// Since when nothing can be seen.
    deaf: Option<Duration>,
    /// When nobody was seen first, if that is what was seen last and is not believed.
    empty: Option<Duration>,
    /// Whether the last word on too many absences was that they are held.
    holds: bool,
    /// What was reported and has not changed since.
    skipped: Vec<Skipped>,
}

/// Of a member that is not seen.
#[derive(Clone, Copy, Debug)]
struct Absence {
    since: Duration,
    /// Somebody said that it may leave, however many others are absent.
    released: bool,
}

/// What a call to a [`Damper`] came to.
#[derive(Debug, Default)]
#[must_use]
pub struct Outcome {
    /// Whether [`Damper::members`] is another now.
    pub changed: bool,
    /// What to tell.
    pub reports: Vec<Report>,
}

impl Damper {
    /// One that knows nobody.
    #[must_use]
    pub fn new(damping: Damping) -> Self {
        Self::with_members(damping, Membership::new())
    }

    /// One that knows these members, of an earlier run or a list to begin with, and has seen none of them yet.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_discovery::{Damper, Damping, Membership, Peer, Sighting};
    ///
    /// let known: Membership = [Peer::new("a", "10.0.0.1:80")?, Peer::new("b", "10.0.0.2:80")?].into_iter().collect();
    /// let mut damper = Damper::with_members(Damping::default(), known);
    /// damper.see(Duration::ZERO, Sighting::of([Peer::new("a", "10.0.0.1:80")?]));
    /// assert!(damper.members().get("b").is_some()); // for 30 s
    /// # Ok::<(), keyroute_discovery::SkipReason>(())
    /// ```
    #[must_use]
    pub fn with_members(damping: Damping, members: Membership) -> Self {
        Self {
            damping,
            now: Duration::ZERO,
            members,
            absences: BTreeMap::new(),
            deaf: None,
            empty: None,
            holds: false,
            skipped: Vec::new(),
        }
    }

    /// Who is a member.
    #[must_use]
    pub fn members(&self) -> &Membership {
        &self.members
    }

    /// Who of them is absent, in the order of ids.
    pub fn absent(&self) -> impl Iterator<Item = &NodeId> {
        self.absences.keys()
    }

    /// When the next member leaves, if nothing is heard until then: when to [`tick`](Self::tick).
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        if self.deaf.is_some() {
            return None;
        }
        let grace = self.damping.grace;
        let ends = self
            .absences
            .values()
            .map(|it| it.since.saturating_add(grace));
        // Those before now are held back.
        ends.filter(|&end| end > self.now).min()
    }

    /// The source sees this.
    pub fn see(&mut self, now: Duration, sighting: Sighting) -> Outcome {
        self.now = self.now.max(now);
        let mut outcome = Outcome::default();
        self.hear(&mut outcome);
        if self.is_empty_and_held(&sighting, &mut outcome) {
            self.note_skipped(sighting.into_parts().1, &mut outcome);
            self.let_leave(&mut outcome);
            return outcome;
        }
        self.empty = None;
        self.note_absent(&sighting, &mut outcome);
        let (seen, skipped) = sighting.into_parts();
        let beyond = self.take(&seen, &mut outcome);
        self.note_skipped(skipped.into_iter().chain(beyond).collect(), &mut outcome);
        self.let_leave(&mut outcome);
        outcome
    }

    /// The source cannot see, for this reason.
    pub fn lose(&mut self, now: Duration, error: SourceError) -> Outcome {
        self.now = self.now.max(now);
        self.deaf.get_or_insert(self.now);
        Outcome {
            changed: false,
            reports: vec![Report::Lost(error)],
        }
    }

    /// It is this time now.
    pub fn tick(&mut self, now: Duration) -> Outcome {
        self.now = self.now.max(now);
        let mut outcome = Outcome::default();
        self.let_leave(&mut outcome);
        outcome
    }

    /// Those that are absent now may leave when their time is over, however many they are, and if nobody was seen, all
    /// are absent, since that was. While the source cannot see, nobody leaves.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_discovery::{Damper, Damping, Peer, Sighting};
    ///
    /// let mut damper = Damper::new(Damping::default());
    /// let at = Duration::from_secs;
    /// damper.see(at(0), Sighting::of([Peer::new("a", "10.0.0.1:80")?]));
    /// damper.see(at(1), Sighting::default());
    /// assert!(!damper.tick(at(1000)).changed);
    /// assert!(damper.release(at(1000)).changed);
    /// assert!(damper.members().is_empty());
    /// # Ok::<(), keyroute_discovery::SkipReason>(())
    /// ```
    pub fn release(&mut self, now: Duration) -> Outcome {
        self.now = self.now.max(now);
        let mut outcome = Outcome::default();
        if let Some(since) = self.empty.take() {
            for peer in self.members.iter() {
                let absence = Absence {
                    since,
                    released: false,
                };
                self.absences.entry(peer.id().clone()).or_insert(absence);
            }
        }
        for absence in self.absences.values_mut() {
            absence.released = true;
        }
        self.let_leave(&mut outcome);
        outcome
    }

    /// The source can be seen again: the time in which it could not is nobody's absence.
    fn hear(&mut self, outcome: &mut Outcome) {
        let Some(since) = self.deaf.take() else {
            return;
        };
        let after = self.now.saturating_sub(since);
        for absence in self.absences.values_mut() {
            absence.since = absence.since.saturating_add(after);
        }
        if let Some(empty) = &mut self.empty {
            *empty = empty.saturating_add(after);
        }
        outcome.reports.push(Report::Heard { after });
    }

    fn is_empty_and_held(&mut self, sighting: &Sighting, outcome: &mut Outcome) -> bool {
        let names_one = || {
            let named = sighting.names();
            self.members.iter().any(|peer| named.contains(peer.id()))
        };
        if self.damping.allow_empty || !sighting.members().is_empty() || names_one() {
            return false;
        }
        let all_absent = self.absences.len() == self.members.len();
        if self.empty.is_none() && !all_absent {
            self.empty = Some(self.now);
            let members = self.members.len();
            outcome.reports.push(Report::EmptyHeld { members });
        }
        true
    }

    /// Who is not named is absent from now on, who is named no more.
    fn note_absent(&mut self, sighting: &Sighting, outcome: &mut Outcome) {
        let named = sighting.names();
        for peer in self.members.iter() {
            let id = peer.id();
            if named.contains(id) {
                if self.absences.remove(id).is_some() {
                    outcome.reports.push(Report::Returned { id: id.clone() });
                }
            } else if !self.absences.contains_key(id) {
                let absence = Absence {
                    since: self.now,
                    released: false,
                };
                self.absences.insert(id.clone(), absence);
                outcome.reports.push(Report::Absent { id: id.clone() });
            }
        }
    }

    /// Takes members as they are seen; gives those for whom there is no room.
    fn take(&mut self, seen: &Membership, outcome: &mut Outcome) -> Vec<Skipped> {
        let mut beyond = Vec::new();
        for peer in seen.iter() {
            let known = self.members.get(peer.id().as_str());
            if known == Some(peer) {
                continue;
            }
            let limit = self.damping.max_peers;
            if known.is_none() && self.members.len() >= limit {
                beyond.push(Skipped {
                    key: peer.id().to_string(),
                    id: Some(peer.id().clone()),
                    reason: SkipReason::TooMany { limit },
                });
                continue;
            }
            self.members.insert(peer.clone());
            outcome.changed = true;
        }
        beyond
    }

    /// Reports what is skipped, but for what was the last time already.
    fn note_skipped(&mut self, skipped: Vec<Skipped>, outcome: &mut Outcome) {
        let before = mem::replace(&mut self.skipped, skipped);
        let mut by_key: BTreeMap<&str, Vec<&Skipped>> = BTreeMap::new();
        for known in &before {
            by_key.entry(&known.key).or_default().push(known);
        }
        let is_known = |it: &&Skipped| {
            let known = by_key.get(it.key.as_str());
            known.is_some_and(|known| known.contains(it))
        };
        let new = self.skipped.iter().filter(|it| !is_known(it));
        outcome.reports.extend(new.cloned().map(Report::Skipped));
    }

    /// Lets those leave whose time is over, unless they are held back.
    fn let_leave(&mut self, outcome: &mut Outcome) {
        if self.deaf.is_some() {
            return;
        }
        let (grace, now) = (self.damping.grace, self.now);
        let over = |absence: &Absence| absence.since.saturating_add(grace) <= now;
        let unreleased = self.absences.values().filter(|it| !it.released);
        let (absent, members) = (unreleased.clone().count(), self.members.len());
        let percent = self.damping.max_loss;
        let too_many = absent * 100 > usize::from(percent) * members;
        let holds = too_many && unreleased.clone().any(over);
        if holds && !self.holds {
            outcome.reports.push(Report::LossHeld {
                absent,
                members,
                percent,
            });
        }
        self.holds = holds;
        let leaving: Vec<NodeId> = self
            .absences
            .iter()
            .filter(|(_, absence)| over(absence) && (absence.released || !holds))
            .map(|(id, _)| id.clone())
            .collect();
        for id in leaving {
            self.absences.remove(&id);
            self.members.remove(id.as_str());
            outcome.changed = true;
        }
    }
}
