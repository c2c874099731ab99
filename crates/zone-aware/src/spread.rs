//! [`Spread`]: how far replicas reach.

use keyroute_core::RouteError;

/// How many replicas were asked for, and how many nodes and zones they came to stand on.
///
/// ```
/// use keyroute_zone_aware::Spread;
///
/// let spread = Spread { asked: 3, nodes: 3, zones: 2 };
/// assert!(spread.is_complete() && !spread.is_apart());
/// assert_eq!((spread.missing_nodes(), spread.missing_zones(), spread.sharing()), (0, 1, 1));
///
/// // A spread that no placement has lacks nothing, and does not panic.
/// let odd = Spread { asked: 1, nodes: 2, zones: 3 };
/// assert_eq!((odd.missing_nodes(), odd.missing_zones(), odd.sharing()), (0, 0, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many replicas were asked for.
    pub asked: usize,
    /// How many there are, each on a node of its own: no more than asked, no more than nodes.
    pub nodes: usize,
    /// In how many zones they stand: no more than nodes. Nodes without a zone stand in one, which has no
    /// name.
    pub zones: usize,
}

impl Spread {
    /// Whether there are as many replicas as asked for.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.nodes == self.asked
    }

    /// Whether each replica has a zone of its own. (True of none.)
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.zones == self.nodes
    }

    /// How many replicas there are too few.
    #[must_use]
    pub fn missing_nodes(&self) -> usize {
        self.asked.saturating_sub(self.nodes)
    }

    /// How many zones there are too few for each replica asked for to have its own.
    #[must_use]
    pub fn missing_zones(&self) -> usize {
        self.asked.saturating_sub(self.zones)
    }

    /// How many replicas stand in the zone of another that comes before them.
    #[must_use]
    pub fn sharing(&self) -> usize {
        self.nodes.saturating_sub(self.zones)
    }

    /// Fails unless there are as many replicas as asked for.
    ///
    /// # Errors
    ///
    /// [`RouteError::TooFewNodes`].
    pub fn check_complete(&self) -> Result<(), RouteError> {
        if self.is_complete() {
            return Ok(());
        }
        Err(RouteError::TooFewNodes {
            asked: self.asked,
            nodes: self.nodes,
        })
    }

    /// Fails unless there are as many replicas as asked for, each in a zone of its own.
    ///
    /// # Errors
    ///
    /// [`RouteError::TooFewNodes`], or [`RouteError::TooFewZones`].
    pub fn check_apart(&self) -> Result<(), RouteError> {
        self.check_complete()?;
        if self.is_apart() {
            return Ok(());
        }
        Err(RouteError::TooFewZones {
            asked: self.asked,
            zones: self.zones,
        })
    }
}
