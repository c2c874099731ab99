//! [`Bytes`]: a number of bytes, as flags and files write it.

use std::str::FromStr;

use bytesize::ByteSize;

/// A number of bytes, written whole or as `2KiB`. What 64 bits cannot hold is refused, not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl FromStr for Bytes {
    type Err = String;

    #[expect(clippy::cast_precision_loss, reason = "of units, powers of 2 and 10")]
    fn from_str(text: &str) -> Result<Self, String> {
        let none = || {
            format!(
                "{text:?} is no size: write whole bytes or a unit, as 1048576, 300MB or 1.5GiB, up to {}",
                u64::MAX
            )
        };
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '.');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        if unit.is_empty() {
            return number.parse().map(Self).map_err(|_| none());
        }
        let size: ByteSize = text.parse().map_err(|_| none())?;
        let one: ByteSize = format!("1{unit}").parse().map_err(|_| none())?;
        let number: f64 = number.parse().map_err(|_| none())?;
        // 2^64, to which the greatest number of 64 bits is rounded.
        if number * one.as_u64() as f64 >= u64::MAX as f64 {
            return Err(none());
        }
        Ok(Self(size.as_u64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_or_have_a_unit_and_fit() {
        for (text, bytes) in [
            ("0", 0),
            ("1048576", 1 << 20),
            ("1.5KiB", 1536),
            ("2 MB", 2_000_000),
            ("15EiB", 15 << 60),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in [
            "",
            "-1",
            "1.5",
            "NaN",
            "1e3",
            "18446744073709551616",
            "16EiB",
            "100000000EiB",
            "99999999999999999999B",
        ] {
            let refusal = text.parse::<Bytes>().unwrap_err();
            assert!(
                refusal.contains(&format!("{text:?} is no size")),
                "{refusal}"
            );
            assert!(refusal.ends_with("up to 18446744073709551615"), "{refusal}");
        }
    }
}
