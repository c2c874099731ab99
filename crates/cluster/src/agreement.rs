//! [`Agreement`]: what comparing two views comes to.

use std::fmt;

use keyroute_core::Difference;

/// One of two views that are compared. [`View`](crate::View) shows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that was asked.
    Left,
    /// The one that it was asked about.
    Right,
}

/// How two clients stand to each other. [`View`](crate::View) shows one.
///
/// What is [in flight](Self::is_in_flight) ends by itself, if both hear of the same changes: be alarmed if it lasts. A
/// client that is more than [`TRAIL`](crate::TRAIL) changes behind, or that started after the other's newest change,
/// cannot be told from one that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Agreement {
    /// They answer alike.
    Same,
    /// They answer alike but for nodes in a ramp, which are not equally far.
    Ramping,
    /// One was where the other is now.
    Behind {
        /// Which is behind.
        who: Side,
        /// How many states the other went through since, at least; 1 or more. Where the state came more than once,
        /// and what came before does not tell which it was, it is the last.
        changes: usize,
    },
    /// Each was where the other is now: nodes left and returned, and who is behind cannot be told.
    Crossed,
    /// Neither was where the other is now. What differs, the asked one's on the left.
    Differ(Vec<Difference>),
}

impl Agreement {
    /// Whether they answer alike.
    ///
    /// ```
    /// use keyroute_cluster::Agreement;
    ///
    /// assert!(Agreement::Same.is_same() && !Agreement::Ramping.is_same());
    /// ```
    #[must_use]
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }

    /// Whether a change is on its way that will make them the same.
    ///
    /// ```
    /// use keyroute_cluster::Agreement;
    ///
    /// assert!(Agreement::Ramping.is_in_flight() && Agreement::Crossed.is_in_flight());
    /// assert!(!Agreement::Same.is_in_flight() && !Agreement::Differ(Vec::new()).is_in_flight());
    /// ```
    #[must_use]
    pub fn is_in_flight(&self) -> bool {
        !matches!(self, Self::Same | Self::Differ(_))
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("same"),
            Self::Ramping => f.write_str("same, but for how far ramps are"),
            Self::Behind { who, changes } => {
                let who = match who {
                    Side::Left => "left",
                    Side::Right => "right",
                };
                let plural = if *changes == 1 { "" } else { "s" };
                write!(f, "in flight: the {who} is {changes} change{plural} behind")
            }
            Self::Crossed => {
                f.write_str("in flight: each was where the other is now, so nodes come and go")
            }
            Self::Differ(differences) => {
                let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
                write!(f, "differ: {}", told.join("; "))
            }
        }
    }
}
