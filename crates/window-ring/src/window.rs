//! [`Window`]: how many nodes compete, and how many points each has.

use core::mem::size_of;

use keyroute_core::{MAX_NODES, MAX_POINTS, PointsPerWeight, RouteError, Slot};

use crate::rows::index_bytes;

/// The points of a node unless said.
pub const DEFAULT_WINDOW_POINTS: u32 = 64;

/// The most candidates a key may have.
pub const MAX_CANDIDATES: u32 = 64;

/// The most entries of all rows together, points × candidates: 2^27, which take 512 MiB.
pub const MAX_ROW_ENTRIES: u64 = 1 << 27;

/// The two sizes of a window ring: candidates a key (C, 8 unless said) and points a node (V, 64 unless said).
///
/// Shares differ by about 1 ÷ √(V × C): 4.4 % unless said.
///
/// ```
/// use keyroute_window_ring::Window;
///
/// let window = Window::new(4)?.with_points(100)?;
/// assert_eq!((window.candidates(), window.points()), (4, 100));
/// assert!(Window::new(0).is_err() && Window::new(65).is_err());
/// # Ok::<(), keyroute_window_ring::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    candidates: u32,
    points: PointsPerWeight,
}

impl Window {
    /// This many candidates, of 64 points a node. With one it is a plain ring.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is 1 to [`MAX_CANDIDATES`].
    pub fn new(candidates: u32) -> Result<Self, RouteError> {
        if !(1..=MAX_CANDIDATES).contains(&candidates) {
            return Err(RouteError::Parameter {
                name: "candidates",
                given: alloc::format!("{candidates}"),
                accepted: "1 to 64",
            });
        }
        Ok(Self {
            candidates,
            ..Self::default()
        })
    }

    /// The same window over this many points a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn with_points(mut self, points: u32) -> Result<Self, RouteError> {
        self.points = PointsPerWeight::new(points)?;
        Ok(self)
    }

    /// How many nodes compete for a key.
    #[must_use]
    pub fn candidates(self) -> u32 {
        self.candidates
    }

    /// How many points a node has.
    #[must_use]
    pub fn points(self) -> u32 {
        self.points.get()
    }

    /// The bytes that points and rows of this many nodes will hold, members aside: 8 a point, 2 to 4 for the index
    /// of points, and 4 an entry of its row.
    ///
    /// ```
    /// use keyroute_window_ring::Window;
    ///
    /// assert_eq!(Window::default().estimate(1000), 2_691_076);
    /// ```
    #[must_use]
    pub fn estimate(self, nodes: u64) -> u64 {
        let row = u64::from(self.candidates).min(nodes) * size_of::<Slot>() as u64;
        let points = nodes.saturating_mul(self.points().into());
        points
            .saturating_mul(size_of::<u64>() as u64 + row)
            .saturating_add(index_bytes(points))
    }

    /// Fails for more points or entries than a ring holds.
    pub(crate) fn check(self, nodes: usize) -> Result<(), RouteError> {
        // MAX_NODES is 2^24 and a node has at most 2^24 points.
        let points = nodes.min(MAX_NODES) as u64 * u64::from(self.points());
        if points > MAX_POINTS {
            return Err(RouteError::TooManyPoints {
                points,
                points_per_weight: Some(self.points()),
            });
        }
        let entries = points * u64::from(self.candidates);
        if entries > MAX_ROW_ENTRIES {
            return Err(RouteError::Parameter {
                name: "points × candidates",
                given: alloc::format!("{entries}"),
                accepted: "at most 134217728: fewer candidates, or fewer points a node",
            });
        }
        Ok(())
    }
}

impl Default for Window {
    fn default() -> Self {
        Self {
            candidates: 8,
            points: PointsPerWeight::of::<DEFAULT_WINDOW_POINTS>(),
        }
    }
}
