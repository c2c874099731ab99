//! HAProxy: which of the things that presets know the installed version has.

use std::fmt;

use crate::{Version, about};

/// Something that decides where keys go, which not every HAProxy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// `hash-type … none`.
    KeysAsNumbers,
    /// `hash-key addr` and `addr-port`.
    HashKeyOfAddress,
    /// `hash-key id32` and `guid`.
    HashKeyOfId32OrGuid,
    /// The ring on which ids are hashed twice.
    IdsHashedTwice,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::KeysAsNumbers,
        Self::HashKeyOfAddress,
        Self::HashKeyOfId32OrGuid,
        Self::IdsHashedTwice,
    ];

    /// What holds the preset to it where it is missing.
    #[must_use]
    pub fn otherwise_checked_by(self) -> &'static str {
        match self {
            Self::KeysAsNumbers => "unit tests, from its source",
            Self::HashKeyOfAddress => "a recording of 3.4.0 (addr-port) and unit tests",
            Self::HashKeyOfId32OrGuid => "unit tests, with points that 3.4.0 had",
            Self::IdsHashedTwice => "a recording of 3.2.0",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::KeysAsNumbers => "hash-type … none (2.9 and later)",
            Self::HashKeyOfAddress => "hash-key addr and addr-port (3.0 and later)",
            Self::HashKeyOfId32OrGuid => "hash-key id32 and guid (3.4 and later)",
            Self::IdsHashedTwice => "the ring of 3.0.0 to 3.2 before October 2025",
        })
    }
}

/// The installed HAProxy.
#[derive(Debug)]
pub struct Haproxy {
    /// Its version.
    pub version: Version,
    /// The year and month of its release, which it says beside the version.
    released: (u32, u32),
}

impl Haproxy {
    /// Asks it.
    ///
    /// # Panics
    ///
    /// If it is not installed, or says no version or no day.
    #[must_use]
    pub fn installed() -> Self {
        let text = about("haproxy", "-v");
        Self::read(&text).unwrap_or_else(|| panic!("no version and day in {text:?}"))
    }

    fn read(text: &str) -> Option<Self> {
        let released = text.split_whitespace().find_map(|word| {
            let mut numbers = word.split('/').map(str::parse);
            let [Ok(year), Ok(month), Ok(_)] = [numbers.next()?, numbers.next()?, numbers.next()?]
            else {
                return None;
            };
            Some((year, month))
        });
        Some(Self {
            version: Version::find(text)?,
            released: released?,
        })
    }

    /// Whether it has that.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        let version = self.version;
        match feature {
            Feature::KeysAsNumbers => version >= Version([2, 9, 0]),
            Feature::HashKeyOfAddress => version >= Version([3, 0, 0]),
            Feature::HashKeyOfId32OrGuid => version >= Version([3, 4, 0]),
            Feature::IdsHashedTwice => {
                (Version([3, 0, 0])..Version([3, 3, 0])).contains(&version)
                    && self.released < (2025, 10)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Feature, Haproxy};

    #[test]
    fn features_follow_from_what_haproxy_says() {
        for (text, has) in [
            (
                "HAProxy version 2.6.12-1+deb12u3 2025/10/03 - https://haproxy.org/",
                [false; 4],
            ),
            (
                "HAProxy version 2.9.0-1 2023/12/05",
                [true, false, false, false],
            ),
            (
                "HAProxy version 3.2.0-e134140 2025/05/28",
                [true, true, false, true],
            ),
            (
                "HAProxy version 3.2.9-1 2025/11/21",
                [true, true, false, false],
            ),
            (
                "HAProxy version 3.4.0 2026/06/02",
                [true, true, true, false],
            ),
        ] {
            let haproxy =
                Haproxy::read(text).map(|haproxy| Feature::ALL.map(|feature| haproxy.has(feature)));
            assert_eq!(haproxy, Some(has), "{text}");
        }
        assert!(Haproxy::read("HAProxy version 3.2.0").is_none());
    }
}
