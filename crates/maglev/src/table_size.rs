//! [`TableSize`]: how many entries a table has.

use core::fmt;
use core::num::NonZeroU32;

use keyroute_core::RouteError;

/// The number of entries of a table: a prime, 65,537 unless said.
///
/// A prime, since only then does every step that a node may take lead it through all entries. An entry
/// takes 4 bytes. A hundred entries a node keep needless movement low; a thousand are better.
///
/// ```
/// use keyroute_maglev::{RouteError, TableSize};
///
/// assert_eq!(TableSize::new(4093)?.get(), 4093);
/// assert_eq!(TableSize::new(4096), Err(RouteError::TableSize { given: 4096, accepted: 4099 }));
/// assert_eq!(TableSize::at_least(100_000).map(TableSize::get), Some(100_003));
/// # Ok::<(), RouteError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableSize(NonZeroU32);

impl TableSize {
    /// The greatest: 16,777,213, the greatest prime below 2^24 (64 MiB).
    pub const MAX: Self = Self(NonZeroU32::MIN.saturating_add(16_777_212));

    /// A table of this many entries.
    ///
    /// # Errors
    ///
    /// [`RouteError::TableSize`] for numbers that are not primes, and over [`MAX`](Self::MAX).
    pub fn new(size: u32) -> Result<Self, RouteError> {
        let next = Self::at_least(size.into()).unwrap_or(Self::MAX);
        if next.get() == size {
            Ok(next)
        } else {
            Err(RouteError::TableSize {
                given: size,
                accepted: next.get(),
            })
        }
    }

    /// The least size of at least this many entries; `None` over [`MAX`](Self::MAX).
    #[must_use]
    pub fn at_least(entries: u64) -> Option<Self> {
        let from = u32::try_from(entries).ok()?;
        let prime = (from..=Self::MAX.get()).find(|&size| is_prime(size))?;
        NonZeroU32::new(prime).map(Self)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }

    pub(crate) fn non_zero(self) -> NonZeroU32 {
        self.0
    }
}

/// By trial division: at most 4095 of them.
fn is_prime(number: u32) -> bool {
    number >= 2
        && (2..)
            .take_while(|divisor| divisor * divisor <= number)
            .all(|divisor| !number.is_multiple_of(divisor))
}

impl Default for TableSize {
    fn default() -> Self {
        Self(NonZeroU32::MIN.saturating_add(65_536))
    }
}

impl fmt::Display for TableSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for TableSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_primes() {
        for size in [
            2, 3, 5, 7, 251, 1021, 4093, 65_537, 655_373, 5_000_011, 16_777_213,
        ] {
            assert_eq!(TableSize::new(size).map(TableSize::get), Ok(size));
        }
        assert_eq!(TableSize::default().get(), 65_537);
        assert_eq!(TableSize::MAX.get(), 16_777_213);
    }

    #[test]
    fn another_size_is_refused_with_one_that_would_do() {
        for (given, accepted) in [
            (0, 2),
            (1, 2),
            (4, 5),
            (9, 11),
            (65_536, 65_537),
            (65_535, 65_537),
            (16_777_214, 16_777_213),
            (u32::MAX, 16_777_213),
        ] {
            let refusal = RouteError::TableSize { given, accepted };
            assert_eq!(TableSize::new(given), Err(refusal));
        }
        assert_eq!(TableSize::at_least(16_777_214), None);
        assert_eq!(TableSize::at_least(u64::MAX), None);
    }
}
