//! [`Fingerprint`]: 128 bits that name a router's answers.

use core::fmt;
use core::str::FromStr;

/// What two routers compare to know that they answer alike: 128 bits, shown as 32 hex digits.
///
/// Equal fingerprints mean equal scheme, parameters, hasher and members, hence equal answers; where
/// they differ, compare the [`Description`](crate::Description)s to see *what* differs. The bytes
/// that are hashed are written down in `docs/hashing.md`.
///
/// ```
/// use keyroute_core::Fingerprint;
///
/// let fingerprint: Fingerprint = "000102030405060708090a0b0c0d0e0f".parse()?;
/// assert_eq!(fingerprint.to_string(), "000102030405060708090a0b0c0d0e0f");
/// assert!("12".parse::<Fingerprint>().is_err());
/// # Ok::<(), keyroute_core::ParseFingerprintError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The fingerprint of these bytes: their length as a `u64` and the bytes, through [`fnv1a_128`].
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let length = (bytes.len() as u64).to_le_bytes();
        // The length goes last too: its eight rounds spread the last bytes over the whole width.
        Self(fnv1a_128(
            length.iter().chain(bytes).chain(&length).copied(),
        ))
    }

    /// The 16 bytes, most significant first.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The low 64 bits.
    pub(crate) fn low(self) -> u64 {
        let [.., a, b, c, d, e, f, g, h] = self.to_bytes();
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

/// FNV-1a over 128 bits (Fowler, Noll, Vo; offset and prime as published).
fn fnv1a_128(bytes: impl Iterator<Item = u8>) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.fold(OFFSET, |state, byte| {
        (state ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 32 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseFingerprintError;

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fingerprint is 32 hex digits")
    }
}

impl core::error::Error for ParseFingerprintError {}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Self, ParseFingerprintError> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ParseFingerprintError);
        }
        u128::from_str_radix(text, 16)
            .map(Self)
            .map_err(|_| ParseFingerprintError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv1a_128_gives_the_published_answers() {
        // From the FNV test suite (fnv reference, test vectors for "" and "a").
        assert_eq!(
            fnv1a_128([].into_iter()),
            0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        );
        assert_eq!(
            fnv1a_128([b'a'].into_iter()),
            0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964
        );
    }

    #[test]
    fn the_split_of_the_bytes_matters() {
        assert_ne!(Fingerprint::of(b""), Fingerprint::of(b"\0"));
        assert_ne!(Fingerprint::of(b"ab"), Fingerprint::of(b"ba"));
    }
}
