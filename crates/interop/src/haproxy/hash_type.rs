//! [`HashType`]: the `hash-type` line, and the hashes of keys.

use alloc::format;
use alloc::string::{String, ToString};
use core::str::FromStr;

use keyroute_core::{KeyHasher, RouteError};

/// A `hash-type` line: what is done with a key.
///
/// ```
/// use keyroute_interop::haproxy::{HashType, Method};
///
/// let bare: HashType = "consistent".parse()?;
/// assert!(bare.key.avalanche); // the default function with the modifier
/// let named: HashType = "consistent sdbm".parse()?;
/// assert!(!named.key.avalanche); // naming that function leaves the modifier out
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashType {
    /// How hashes become servers.
    pub method: Method,
    /// How keys become hashes.
    pub key: KeyHash,
}

/// How hashes become servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A table of turns, read by the remainder.
    MapBased,
    /// A ring.
    Consistent,
}

/// How keys become hashes; 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash {
    /// The function.
    pub function: Function,
    /// Whether its answer goes through [`mix`].
    pub avalanche: bool,
}

/// A hash function of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `h = h × 65599 + byte`.
    Sdbm,
    /// `h = h × 33 + byte`, from 5381.
    Djb2,
    /// CRC-32.
    Crc32,
    /// HAProxy's own, with rotations that depend on the data.
    Wt6,
    /// The key read as a decimal number, its low 32 bits (2.9 and later).
    None,
}

/// No `hash-type` line: map-based, sdbm.
impl Default for HashType {
    fn default() -> Self {
        Self {
            method: Method::MapBased,
            key: KeyHash {
                function: Function::Sdbm,
                avalanche: false,
            },
        }
    }
}

impl FromStr for HashType {
    type Err = RouteError;

    /// Reads `METHOD [FUNCTION] [avalanche]`, with or without the word `hash-type`.
    fn from_str(line: &str) -> Result<Self, RouteError> {
        let refuse = |accepted| RouteError::Parameter {
            name: "hash-type",
            given: line.to_string(),
            accepted,
        };
        let mut words = line.split_ascii_whitespace().peekable();
        words.next_if_eq(&"hash-type");
        let method = match words.next() {
            Some("map-based") => Method::MapBased,
            Some("consistent") => Method::Consistent,
            _ => return Err(refuse("map-based or consistent first")),
        };
        let named = words.peek().is_some();
        let function = match words.next() {
            None | Some("sdbm") => Function::Sdbm,
            Some("djb2") => Function::Djb2,
            Some("crc32") => Function::Crc32,
            Some("wt6") => Function::Wt6,
            Some("none") => Function::None,
            Some(_) => return Err(refuse("sdbm, djb2, wt6, crc32 or none second")),
        };
        let avalanche = match words.next() {
            None => !named && method == Method::Consistent,
            Some("avalanche") => true,
            Some(_) => return Err(refuse("avalanche third, or nothing")),
        };
        match words.next() {
            None => Ok(Self {
                method,
                key: KeyHash {
                    function,
                    avalanche,
                },
            }),
            Some(_) => Err(refuse("three words at most")),
        }
    }
}

impl KeyHash {
    /// The hash of a number that stands in place of a hash, as `balance source` has it: an IPv4 address as one
    /// big-endian number, or the four words of an IPv6 address xored.
    #[must_use]
    pub fn of_number(self, number: u32) -> u32 {
        if self.avalanche { mix(number) } else { number }
    }
}

impl KeyHasher for KeyHash {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        self.of_number(self.function.hash(key))
    }

    fn name(&self) -> Option<String> {
        let function = match self.function {
            Function::Sdbm => "sdbm",
            Function::Djb2 => "djb2",
            Function::Crc32 => "crc32",
            Function::Wt6 => "wt6",
            Function::None => "none",
        };
        let avalanche = if self.avalanche { " avalanche" } else { "" };
        Some(format!("haproxy/{function}{avalanche}"))
    }
}

impl Function {
    /// The hash of these bytes.
    #[must_use]
    pub fn hash(self, key: &[u8]) -> u32 {
        let fold = |start: u32, factor: u32| {
            key.iter().fold(start, |hash, &byte| {
                hash.wrapping_mul(factor).wrapping_add(byte.into())
            })
        };
        match self {
            Self::Sdbm => fold(0, 65_599),
            Self::Djb2 => fold(5381, 33),
            Self::Crc32 => crc32fast::hash(key),
            Self::Wt6 => wt6(key),
            Self::None => number(key),
        }
    }
}

fn wt6(key: &[u8]) -> u32 {
    let (mut x, mut y) = (0xa53c_965a_u32, 0x5ca6_953a_u32);
    let (mut s, mut t) = (6, 18);
    for &byte in key {
        let byte = u32::from(byte);
        x = !(x ^ byte);
        y = !y.wrapping_add(byte);
        (x, y) = (y.rotate_left(s), x.rotate_left(t));
        let turns = ((x >> 16) ^ y) & 0xffff;
        s = turns & 31;
        t = turns >> 11;
    }
    x ^ y
}

/// The decimal digits in front, and their low 32 bits.
fn number(key: &[u8]) -> u32 {
    key.iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0u32, |number, &digit| {
            number
                .wrapping_mul(10)
                .wrapping_add(u32::from(digit - b'0'))
        })
}

/// The mixer of positions, and of keys under `avalanche`: a bijection of 32 bits.
///
/// ```
/// use keyroute_interop::haproxy::mix;
///
/// assert_eq!([0, 1, 4096].map(mix), [2_874_071_335, 881_230_262, 1_237_450_891]);
/// ```
#[must_use]
pub fn mix(mut a: u32) -> u32 {
    a = a.wrapping_mul(4097).wrapping_add(0x7ed5_5d16);
    a = a ^ 0xc761_c23c ^ (a >> 19);
    a = a.wrapping_mul(33).wrapping_add(0x1656_67b1);
    a = a.wrapping_add(0xd3a2_646c) ^ (a << 9);
    a = a.wrapping_mul(9).wrapping_add(0xfd70_46c5);
    a = a ^ 0xb55a_4f09 ^ (a >> 16);
    a.wrapping_mul(3_221_225_473)
}

#[cfg(test)]
mod tests {
    use super::{Function, HashType, Method, mix};

    #[test]
    fn functions_answer_as_documented() {
        let functions = [
            Function::Sdbm,
            Function::Djb2,
            Function::Crc32,
            Function::Wt6,
        ];
        for (key, hashes) in [
            (
                b"abc".as_slice(),
                [807_794_786, 193_485_963, 891_568_578, 2_483_038_440],
            ),
            (b"\xff", [255, 177_828, 4_278_190_080, 1_932_728_997]),
            (
                b"hello world",
                [430_867_652, 894_552_257, 222_957_957, 1_866_899_626],
            ),
        ] {
            assert_eq!(functions.map(|function| function.hash(key)), hashes);
        }
        assert_eq!(Function::None.hash(b"4294967303"), 7);
        assert_eq!([mix(4097), mix(u32::MAX)], [2_761_370_759, 2_120_532_354]);
    }

    #[test]
    fn lines_are_read_as_haproxy_reads_them() {
        for (line, method, avalanche) in [
            ("hash-type consistent", Method::Consistent, true),
            ("consistent sdbm", Method::Consistent, false),
            ("consistent djb2 avalanche", Method::Consistent, true),
            ("map-based", Method::MapBased, false),
            ("map-based crc32 avalanche", Method::MapBased, true),
        ] {
            let read: HashType = line.parse().unwrap();
            assert_eq!(
                (read.method, read.key.avalanche),
                (method, avalanche),
                "{line}"
            );
        }
        for line in [
            "",
            "ring",
            "consistent md5",
            "consistent avalanche",
            "consistent sdbm x",
            "consistent sdbm avalanche x",
        ] {
            assert!(line.parse::<HashType>().is_err(), "{line}");
        }
    }
}
