//! [`Trail`]: the fingerprints of a cluster's last states.

use std::collections::VecDeque;

use keyroute_core::Fingerprint;

/// How many of its last states a cluster keeps the fingerprints of, the newest included:
/// [`View::recent`](crate::View::recent) shows them.
pub const TRAIL: usize = 32;

/// The fingerprints of the last states that decide answers, ramps aside, the newest last. None
/// twice in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trail(VecDeque<Fingerprint>);

impl Trail {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, fingerprint: Fingerprint) {
        if self.0.back() == Some(&fingerprint) {
            return;
        }
        if self.0.len() == TRAIL {
            self.0.pop_front();
        }
        self.0.push_back(fingerprint);
    }

    pub(crate) fn newest(&self) -> Option<Fingerprint> {
        self.0.back().copied()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Fingerprint> + '_ {
        self.0.iter().copied()
    }

    /// How many changes this is behind another: how many came there after the state that is the newest here. `None`
    /// if that is not among those before the newest there.
    ///
    /// A state may stand there more than once, where nodes left and returned. Then the place counts before which most
    /// is as it is here, and of equal ones the last.
    pub(crate) fn behind(&self, other: &Self) -> Option<Lag> {
        let newest = self.newest()?;
        let states: Vec<Fingerprint> = other.iter().collect();
        let lags = (1..states.len()).filter_map(|changes| {
            let place = states.len() - 1 - changes;
            let common = states[..=place].iter().rev().zip(self.0.iter().rev());
            let common = common.take_while(|(there, here)| there == here).count();
            (states[place] == newest).then_some(Lag { common, changes })
        });
        lags.reduce(|best, lag| if lag.common > best.common { lag } else { best })
    }
}

/// How far one trail is behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lag {
    /// How many states up to the common one both went through.
    pub(crate) common: usize,
    /// How many changes came after it.
    pub(crate) changes: usize,
}

impl FromIterator<Fingerprint> for Trail {
    /// Of the last ones, as they were pushed.
    fn from_iter<I: IntoIterator<Item = Fingerprint>>(states: I) -> Self {
        let mut trail = Self::default();
        for state in states {
            trail.push(state);
        }
        trail
    }
}
