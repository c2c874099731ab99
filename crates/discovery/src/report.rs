//! [`Report`]: what an operator may want to know.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use keyroute_cluster::Change;
use keyroute_core::{NodeId, RouteError};

use crate::{Skipped, SourceError};

/// What an operator may want to know: to be logged or counted. Its text is one line.
///
/// ```
/// use keyroute_discovery::Report;
///
/// let report = Report::LossHeld { absent: 7, members: 10, percent: 50 };
/// assert_eq!(
///     report.to_string(),
///     "7 of 10 members are absent, over 50 %: none leaves until they are fewer or this is released"
/// );
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Report {
    /// An entry was passed over. Said once, as long as it stays as it is.
    Skipped(Skipped),
    /// Who is a member cannot be seen. Members stay, and their absence is not counted.
    Lost(SourceError),
    /// The source is seen again, after so long.
    Heard {
        /// How long it was not.
        after: Duration,
    },
    /// A member is absent; it leaves unless it comes back in time.
    Absent {
        /// The member.
        id: NodeId,
    },
    /// A member that was absent is back, in time.
    Returned {
        /// The member.
        id: NodeId,
    },
    /// Nobody was seen, which is not believed.
    EmptyHeld {
        /// How many members stay.
        members: usize,
    },
    /// More members are absent than may leave at once.
    LossHeld {
        /// How many are absent.
        absent: usize,
        /// How many members there are, with those.
        members: usize,
        /// The most that may be absent, in percent.
        percent: u8,
    },
    /// The cluster has changed.
    Changed(Arc<Change>),
    /// The router refuses a member, which keeps the weight and zone that it had, or stays out.
    MemberRefused {
        /// The member.
        id: NodeId,
        /// What the router says.
        error: RouteError,
    },
    /// The router refuses the members; the cluster is as it was.
    Refused(RouteError),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(skipped) => skipped.fmt(f),
            Self::Lost(error) => write!(f, "membership cannot be seen, and stays: {error}"),
            Self::Heard { after } => write!(f, "membership is seen again, after {after:.1?}"),
            Self::Absent { id } => write!(f, "member {id:?} is absent"),
            Self::Returned { id } => write!(f, "member {id:?} is back in time"),
            Self::EmptyHeld { members } => write!(
                f,
                "the source lists nobody: the {members} members stay until it does or this is released"
            ),
            Self::LossHeld {
                absent,
                members,
                percent,
            } => write!(
                f,
                "{absent} of {members} members are absent, over {percent} %: none leaves until they are fewer or \
                 this is released"
            ),
            Self::Changed(change) => change.fmt(f),
            Self::MemberRefused { id, error } => write!(f, "member {id:?} is refused: {error}"),
            Self::Refused(error) => write!(f, "the members are refused: {error}"),
        }
    }
}
