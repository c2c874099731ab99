//! [`Cut`]: a hasher with so few different answers that collisions are certain.

use keyroute_core::{KeyHasher, Position};

/// A hasher of which only some bits are kept.
///
/// On a ring of 64-bit positions two points hardly ever meet, so tests with good hashes never see
/// what happens then. Cut to 8 bits, every fleet has nodes on one point, nodes whose points are all
/// hidden behind others', and keys that hit points exactly. Every exact law must hold all the same.
///
/// ```
/// use keyroute_conformance::Cut;
/// use keyroute_core::{KeyHasher, hash::Xxh3};
///
/// let whole = Xxh3.hash(b"user:1");
/// assert_eq!(Cut::top(Xxh3, 8).hash(b"user:1"), whole & 0xff00_0000_0000_0000);
/// assert_eq!(Cut::low(Xxh3, 8).hash(b"user:1"), whole & 0xff);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut<H> {
    hasher: H,
    bits: u32,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Top,
    Low,
}

impl<H: KeyHasher> Cut<H> {
    /// Keeps the top bits: few positions, evenly spread.
    #[must_use]
    pub fn top(hasher: H, bits: u32) -> Self {
        Self {
            hasher,
            bits,
            end: End::Top,
        }
    }

    /// Keeps the low bits: few positions, side by side, and one arc that is nearly the whole ring.
    #[must_use]
    pub fn low(hasher: H, bits: u32) -> Self {
        Self {
            hasher,
            bits,
            end: End::Low,
        }
    }
}

/// Widths whose ends can be kept.
pub trait Ends: Position {
    /// The value with all but its top bits zero.
    #[must_use]
    fn top(self, bits: u32) -> Self;
    /// The value with all but its low bits zero.
    #[must_use]
    fn low(self, bits: u32) -> Self;
}

macro_rules! ends {
    ($($width:ty),*) => {$(
        impl Ends for $width {
            fn top(self, bits: u32) -> Self {
                let cleared = Self::BITS.saturating_sub(bits);
                self.checked_shr(cleared).and_then(|kept| kept.checked_shl(cleared)).unwrap_or(0)
            }

            fn low(self, bits: u32) -> Self {
                let cleared = Self::BITS.saturating_sub(bits);
                self.checked_shl(cleared).and_then(|kept| kept.checked_shr(cleared)).unwrap_or(0)
            }
        }
    )*};
}

ends!(u32, u64, u128);

impl<H: KeyHasher> KeyHasher for Cut<H>
where
    H::Out: Ends,
{
    type Out = H::Out;

    fn hash(&self, bytes: &[u8]) -> H::Out {
        let whole = self.hasher.hash(bytes);
        match self.end {
            End::Top => whole.top(self.bits),
            End::Low => whole.low(self.bits),
        }
    }

    fn name(&self) -> Option<String> {
        let name = self.hasher.name()?;
        let end = match self.end {
            End::Top => "top",
            End::Low => "low",
        };
        Some(format!("{end}-{}-bits({name})", self.bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept_in_every_width() {
        assert_eq!(Ends::top(0xabcd_ef01_u32, 8), 0xab00_0000);
        assert_eq!(Ends::low(0xabcd_ef01_u32, 8), 0x01);
        assert_eq!(Ends::top(u128::MAX, 1), 1 << 127);
        assert_eq!(Ends::low(u128::MAX, 12), 0xfff);
        assert_eq!((Ends::top(7u64, 0), Ends::low(7u64, 0)), (0, 0));
        assert_eq!((Ends::top(7u64, 64), Ends::low(7u64, 99)), (7, 7));
    }
}
