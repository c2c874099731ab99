//! [`Damping`]: what is believed at once, what later, and what not at all.

use std::time::Duration;

/// How long a member may be absent, unless set.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(30);

/// How long changes are gathered, unless set.
pub const DEFAULT_GATHER: Duration = Duration::from_millis(100);

/// How many members may be known, unless set: what a ring of 160 points a member has room for.
pub const DEFAULT_MAX_PEERS: usize = 1 << 16;

/// What of a source is believed at once, what later, and what not until somebody says so.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_discovery::Damping;
///
/// let damping = Damping::default()
///     .with_grace(Duration::from_secs(60)) // a restart takes less
///     .with_max_loss(50);                  // if more than half are absent at once, it is the source that fails
/// # assert_ne!(damping, Damping::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damping {
    pub(crate) grace: Duration,
    pub(crate) gather: Duration,
    pub(crate) allow_empty: bool,
    pub(crate) max_loss: u8,
    pub(crate) max_peers: usize,
}

impl Default for Damping {
    fn default() -> Self {
        Self {
            grace: DEFAULT_GRACE,
            gather: DEFAULT_GATHER,
            allow_empty: false,
            max_loss: 100,
            max_peers: DEFAULT_MAX_PEERS,
        }
    }
}

impl Damping {
    /// A member leaves when it has been absent for this long; [`DEFAULT_GRACE`] unless set. Time in which the source could
    /// not be seen does not count.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Changes that come within this time of each other are told as one; [`DEFAULT_GATHER`] unless set. None waits longer,
    /// and the first state not at all.
    #[must_use]
    pub fn with_gather(self, gather: Duration) -> Self {
        Self { gather, ..self }
    }

    /// A sighting without any member is believed like others. Unless set, it changes nothing, and is reported.
    #[must_use]
    pub fn allowing_empty(self) -> Self {
        let allow_empty = true;
        Self {
            allow_empty,
            ..self
        }
    }

    /// If more than this part of the members, in percent, is absent at once, none of them leaves; 100 unless set, which is
    /// no limit, as is more.
    #[must_use]
    pub fn with_max_loss(self, percent: u8) -> Self {
        let max_loss = percent.min(100);
        Self { max_loss, ..self }
    }

    /// So many members may be known; [`DEFAULT_MAX_PEERS`] unless set. Newcomers beyond are skipped, the greatest ids
    /// first.
    #[must_use]
    pub fn with_max_peers(self, max_peers: usize) -> Self {
        Self { max_peers, ..self }
    }
}
