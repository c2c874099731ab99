//! [`HashValue`]: a digest or a position of any width.

use core::fmt;

use crate::Position;

/// A digest or a position on a ring, with its width. `Display` is hexadecimal, as long as the width asks for.
///
/// ```
/// use keyroute_core::HashValue;
///
/// assert_eq!(HashValue::of(0xbeefu32).to_string(), "0x0000beef");
/// assert_eq!(HashValue::of(7u64).bits(), 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashValue {
    value: u128,
    bits: u32,
}

impl HashValue {
    /// This number, of its own width.
    #[must_use]
    pub fn of<P: Position>(position: P) -> Self {
        Self {
            value: position.widen(),
            bits: P::BITS,
        }
    }

    /// The number.
    #[must_use]
    pub fn value(self) -> u128 {
        self.value
    }

    /// The width, in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.bits
    }
}

impl fmt::Display for HashValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.bits as usize / 4; // at most 32
        write!(f, "0x{:0digits$x}", self.value)
    }
}
