//! What is installed: versions, and the features that they have.

use std::fmt;
use std::process::Command;

/// A version: three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u32; 3]);

impl Version {
    /// The first that stands in a text: three numbers with dots between.
    ///
    /// ```
    /// use keyroute_live::Version;
    ///
    /// let text = "HAProxy version 2.6.12-1+deb12u3 2025/10/03 - https://haproxy.org/";
    /// assert_eq!(Version::find(text), Some(Version([2, 6, 12])));
    /// assert_eq!(Version::find("nginx/1.22 (Debian)"), None);
    /// ```
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        text.split(|character: char| character != '.' && !character.is_ascii_digit())
            .find_map(|word| {
                let mut numbers = word.split('.').map(str::parse);
                let version = [numbers.next()?, numbers.next()?, numbers.next()?];
                let [Ok(major), Ok(minor), Ok(patch)] = version else {
                    return None;
                };
                Some(Self([major, minor, patch]))
            })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(formatter, "{major}.{minor}.{patch}")
    }
}

/// What a program says of its version, on whichever of its outputs.
///
/// # Panics
///
/// If it is not installed, or fails.
#[must_use]
pub fn about(program: &str, argument: &str) -> String {
    let output = Command::new(program)
        .arg(argument)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; `.ci/run live` installs it"));
    assert!(
        output.status.success(),
        "{program} {argument}: {}",
        output.status
    );
    [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat()
}

/// The version of a program.
///
/// # Panics
///
/// As [`about`], and if it says none.
#[must_use]
pub fn version(program: &str, argument: &str) -> Version {
    let text = about(program, argument);
    Version::find(&text).unwrap_or_else(|| panic!("{program} {argument}: no version in {text:?}"))
}
