//! [`Balance`]: the `balance` line, which says what of a request is hashed.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;

use keyroute_core::{KeyHasher, RouteError};

use super::expression::{Kind, kind_of};
use super::{KeyHash, UriPart, first_header_value};

/// A `balance` line that hashes: what a key is, and which of its bytes are hashed.
///
/// ```
/// use keyroute_interop::haproxy::{Balance, UriPart};
///
/// let part = UriPart { depth: 2, ..UriPart::default() };
/// assert_eq!("uri depth 2".parse(), Ok(Balance::Uri(part)));
/// assert_eq!("hash src,ipmask(24)".parse(), Ok(Balance::Address));
/// assert!("roundrobin".parse::<Balance>().is_err()); // no key decides there
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// `source`: a key is the client's IP address as text; its number stands in place of a hash.
    Source,
    /// `uri`: a key is a request's target, and this part of it is hashed.
    Uri(UriPart),
    /// `hdr(NAME)`: a key is the header's value, of which [`first_header_value`] is hashed.
    Header,
    /// `url_param`, `rdp-cookie`, or `hash` with an expression of text or bytes: a key is the value.
    Value,
    /// `hash` with an expression of an IP address: a key is the address as text, and its 4 or 16 bytes are
    /// hashed.
    Address,
    /// `hash` with an expression of a number: a key is the number in decimal, and its 8 bytes are hashed, the
    /// highest first.
    Number,
}

impl Balance {
    /// The hash of a key; `None` if it is empty or no such key, for which HAProxy takes servers in turn.
    ///
    /// Allocates nothing.
    ///
    /// ```
    /// use keyroute_interop::haproxy::{Balance, HashType};
    ///
    /// let with = HashType::default().key;
    /// assert_eq!(Balance::Source.hash(with, b"10.0.0.1"), Some(0x0a00_0001));
    /// assert_eq!(Balance::Source.hash(with, b"host"), None);
    /// ```
    #[must_use]
    pub fn hash(self, with: KeyHash, key: &[u8]) -> Option<u32> {
        let bytes = |bytes: &[u8]| (!bytes.is_empty()).then(|| with.hash(bytes));
        let text = || core::str::from_utf8(key).ok();
        match self {
            Self::Value => bytes(key),
            Self::Header => bytes(first_header_value(key)),
            Self::Uri(part) => bytes(part.of(key)),
            Self::Source => Some(
                with.of_number(match text()?.parse().ok()? {
                    IpAddr::V4(address) => address.to_bits(),
                    IpAddr::V6(address) => address
                        .octets()
                        .chunks_exact(4)
                        .filter_map(|word| word.try_into().ok().map(u32::from_be_bytes))
                        .fold(0, |number, word| number ^ word),
                }),
            ),
            Self::Address => match text()?.parse().ok()? {
                IpAddr::V4(address) => bytes(&address.octets()),
                IpAddr::V6(address) => bytes(&address.octets()),
            },
            Self::Number => bytes(&text()?.parse::<i64>().ok()?.to_be_bytes()),
        }
    }

    /// Whether it needs `mode http`: without it HAProxy takes servers in turn.
    #[must_use]
    pub fn needs_http(words: &[&str]) -> bool {
        let algorithm = words.first().copied().unwrap_or_default();
        matches!(algorithm, "uri" | "url_param") || algorithm.starts_with("hdr(")
    }

    /// Reads a line, a word each, without the word `balance`.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for an algorithm that takes no key, for what HAProxy refuses, for an expression
    /// of which it is not known here what it gives, and for `use_domain_only`.
    pub fn from_words(words: &[&str]) -> Result<Self, RouteError> {
        let refuse = |given: &str, accepted| {
            Err(RouteError::Parameter {
                name: "balance",
                given: given.to_string(),
                accepted,
            })
        };
        let Some((&algorithm, rest)) = words.split_first() else {
            return refuse(
                "empty",
                "source, uri, hdr(NAME), url_param, rdp-cookie or hash",
            );
        };
        let (name, argument) = match algorithm.split_once('(') {
            Some((name, argument)) => (name, argument.strip_suffix(')')),
            None => (algorithm, None),
        };
        match (name, argument, rest) {
            ("source", None, _) => Ok(Self::Source),
            ("uri", None, words) => uri(words).map(Self::Uri),
            ("url_param", None, [_]) => Ok(Self::Value),
            ("url_param", None, [_, "check_post", ..]) => Ok(Self::Value),
            ("url_param", ..) => refuse(
                &words.join(" "),
                "url_param NAME, or url_param NAME check_post",
            ),
            ("hdr", Some(name), []) if !name.is_empty() => Ok(Self::Header),
            ("hdr", Some(_), ["use_domain_only"]) => refuse(
                "hdr with use_domain_only",
                "hdr(NAME): which part of a name is its domain is not known here",
            ),
            ("hdr", ..) => refuse(&words.join(" "), "hdr(NAME)"),
            ("rdp-cookie", argument, []) if argument.is_none_or(|name| !name.is_empty()) => {
                Ok(Self::Value)
            }
            ("rdp-cookie", ..) => refuse(&words.join(" "), "rdp-cookie, or rdp-cookie(NAME)"),
            ("hash", None, [expression]) => Ok(match kind_of(expression)? {
                Kind::Bytes => Self::Value,
                Kind::Address => Self::Address,
                Kind::Number => Self::Number,
            }),
            ("hash", ..) => refuse(&words.join(" "), "hash EXPRESSION, a word"),
            _ => refuse(
                algorithm,
                "an algorithm that hashes a key: source, uri, hdr(NAME), url_param, rdp-cookie or hash",
            ),
        }
    }
}

/// What stands behind `uri`.
fn uri(words: &[&str]) -> Result<UriPart, RouteError> {
    let mut part = UriPart::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut number = || {
            let given = words.next().copied().unwrap_or_default();
            let number = given.parse::<usize>().ok();
            number
                .filter(|number| (1..=i32::MAX as usize).contains(number))
                .ok_or_else(|| RouteError::Parameter {
                    name: "balance uri",
                    given: alloc::format!("{word} {given:?}"),
                    accepted: "a number from 1 to 2147483647 behind len and depth",
                })
        };
        match word {
            "whole" => part.whole = true,
            "path-only" => part.path_only = true,
            "len" => part.length = number()?,
            "depth" => part.depth = number()?,
            _ => {
                return Err(RouteError::Parameter {
                    name: "balance uri",
                    given: word.to_string(),
                    accepted: "whole, path-only, len N or depth N",
                });
            }
        }
    }
    Ok(part)
}

impl FromStr for Balance {
    type Err = RouteError;

    /// Reads a line's words as [`from_words`](Self::from_words) does; blanks part them.
    fn from_str(line: &str) -> Result<Self, RouteError> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        Self::from_words(&words)
    }
}

/// What is done with a key, in few words: two lines that say the same of any key are written alike.
impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self {
            Self::Source => return f.write_str("source"),
            Self::Header => return f.write_str("hdr"),
            Self::Value => return f.write_str("value"),
            Self::Address => return f.write_str("address"),
            Self::Number => return f.write_str("number"),
            Self::Uri(part) => part,
        };
        f.write_str("uri")?;
        for (is_so, word) in [(part.whole, " whole"), (part.path_only, " path-only")] {
            f.write_str(if is_so { word } else { "" })?;
        }
        for (number, word) in [(part.length, "len"), (part.depth, "depth")] {
            if number > 0 {
                write!(f, " {word} {number}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use keyroute_core::KeyHasher;

    use super::{Balance, UriPart};
    use crate::haproxy::HashType;

    #[test]
    fn lines_are_read_as_haproxy_reads_them() {
        let all = UriPart::default();
        for (line, read) in [
            ("source", Balance::Source),
            ("source x", Balance::Source),
            ("uri", Balance::Uri(all)),
            (
                "uri whole len 9 path-only depth 2 len 3",
                Balance::Uri(UriPart {
                    whole: true,
                    length: 3,
                    depth: 2,
                    path_only: true,
                }),
            ),
            ("url_param id", Balance::Value),
            ("url_param id check_post 64", Balance::Value),
            ("hdr(Host)", Balance::Header),
            ("rdp-cookie", Balance::Value),
            ("rdp-cookie(mstshash)", Balance::Value),
            ("hash req.hdr(a),lower", Balance::Value),
            ("hash src", Balance::Address),
            ("hash req.hdr(a),length", Balance::Number),
        ] {
            assert_eq!(line.parse(), Ok(read), "{line}");
        }
        for line in [
            "",
            "roundrobin",
            "static-rr",
            "leastconn",
            "first",
            "random(2)",
            "uri len",
            "uri len 0",
            "uri depth -1",
            "uri deep 3",
            "url_param",
            "url_param a b",
            "hdr",
            "hdr()",
            "hdr(a) b",
            "hdr(a) use_domain_only",
            "rdp-cookie()",
            "hash",
            "hash src lower",
            "hash nothing",
        ] {
            assert!(line.parse::<Balance>().is_err(), "{line}");
        }
    }

    #[test]
    fn each_line_hashes_its_bytes() {
        let with = "consistent".parse::<HashType>().unwrap().key;
        let hash = |line: &str, key: &[u8]| line.parse::<Balance>().unwrap().hash(with, key);
        for (line, key, bytes) in [
            ("uri len 3", b"/a/b".as_slice(), b"/a/".as_slice()),
            ("hdr(a)", b" x, y", b"x"),
            ("hash req.hdr(a)", b" x, y", b" x, y"),
            ("hash src", b"10.0.0.1", &[10, 0, 0, 1]),
            (
                "hash src",
                b"2001:db8::1",
                &[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            ),
            ("hash int(3)", b"258", &[0, 0, 0, 0, 0, 0, 1, 2]),
            ("hash int(3)", b"-1", &[255; 8]),
        ] {
            assert_eq!(hash(line, key), Some(with.hash(bytes)), "{line}");
        }
        assert_eq!(
            hash("source", b"10.0.0.1"),
            Some(with.of_number(0x0a00_0001))
        );
        assert_eq!(
            hash("source", b"2001:db8::2001:db9"),
            Some(with.of_number(1)) // its words, xored
        );
        for (line, key) in [
            ("source", b"".as_slice()),
            ("source", b"10.0.0"),
            ("uri", b"?a"),
            ("hdr(a)", b" ,a"),
            ("url_param a", b""),
            ("hash src", b"x"),
            ("hash int(3)", b"1.5"),
            ("hash int(3)", b"9223372036854775808"),
        ] {
            assert_eq!(hash(line, key), None, "{line}");
        }
    }

    #[test]
    fn what_is_written_is_what_is_hashed() {
        for (line, written) in [
            (
                "uri depth 2 whole len 9 path-only",
                "uri whole path-only len 9 depth 2",
            ),
            ("uri", "uri"),
            ("hdr(a)", "hdr"),
            ("url_param a", "value"),
            ("source", "source"),
            ("hash src", "address"),
            ("hash int(3)", "number"),
        ] {
            assert_eq!(line.parse::<Balance>().unwrap().to_string(), written);
        }
    }
}
