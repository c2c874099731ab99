//! [`Ramp`]: slow start, the share of its keys that a newcomer takes over time.

use std::time::Duration;

use keyroute_core::RouteError;

/// The most steps that a ramp may have, as [`Ramp`] shows.
pub const MAX_RAMP_STEPS: u32 = 1_000_000;

/// Slow start: a newcomer takes its keys in equal steps over a time.
///
/// With n steps it takes one part in n + 1 at once and one more at the end of each n-th of the time; when the
/// time is over it takes all. The clock starts at the first [`tick`](crate::Cluster::tick) after the ramp was
/// set, and shares grow at ticks only, so tick at least as often as there are steps.
///
/// Which keys it takes is a matter of the key and the node's id, and a share that grows keeps what it had: so
/// during one node's ramp each key moves at most once, and only to that node. Its source is Envoy's slow start
/// and Skipper's fade-in, done so that no key goes back and forth.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_cluster::{MAX_RAMP_STEPS, Ramp};
///
/// let ramp = Ramp::new(Duration::from_secs(60), 3)?;
/// let share = |seconds| ramp.share(Duration::from_secs(seconds)).map(|share| share >> 30); // in quarters
/// assert_eq!([share(0), share(19), share(20), share(40), share(60)], [Some(1), Some(1), Some(2), Some(3), None]);
///
/// assert!(Ramp::new(Duration::from_secs(60), MAX_RAMP_STEPS).is_ok());
/// assert_eq!(Ramp::new(Duration::ZERO, 0).unwrap_err().to_string(), "ramp steps is 0: give 1 to 1000000");
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramp {
    time: Duration,
    steps: u32,
}

impl Ramp {
    /// A ramp over this time in this many steps, 1 to [`MAX_RAMP_STEPS`].
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for no steps or too many.
    pub fn new(time: Duration, steps: u32) -> Result<Self, RouteError> {
        if (1..=MAX_RAMP_STEPS).contains(&steps) {
            Ok(Self { time, steps })
        } else {
            Err(RouteError::Parameter {
                name: "ramp steps",
                given: steps.to_string(),
                accepted: "1 to 1000000",
            })
        }
    }

    /// The share after this time, in 2^32 parts; `None` when the ramp is over.
    #[must_use]
    pub fn share(self, elapsed: Duration) -> Option<u32> {
        if elapsed >= self.time {
            return None;
        }
        // Nanoseconds fit 94 bits and steps 20.
        let step = elapsed.as_nanos() * u128::from(self.steps) / self.time.as_nanos().max(1);
        let parts = (step + 1) << 32;
        u32::try_from(parts / u128::from(self.steps + 1)).ok()
    }
}
