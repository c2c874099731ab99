//! The named hash functions, chosen at run time.

use std::fmt;
use std::str::FromStr;

use keyroute::hash::{Crc32, Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64, Md5, Mixed, Xxh3, Xxh32, Xxh64};
use keyroute::{KeyHasher, Position};

/// A named function that is known at run time only. It has the name of the type it stands for, so
/// fingerprints agree with programs that use the type.
#[derive(Clone, Copy)]
pub struct NamedHash<P> {
    hash: fn(&[u8]) -> P,
    name: fn() -> Option<String>,
}

impl<P: Position> NamedHash<P> {
    fn of<H: KeyHasher<Out = P> + Default>() -> Self {
        Self {
            hash: |bytes| H::default().hash(bytes),
            name: || H::default().name(),
        }
    }
}

impl<P: Position> KeyHasher for NamedHash<P> {
    type Out = P;

    fn hash(&self, bytes: &[u8]) -> P {
        (self.hash)(bytes)
    }

    fn name(&self) -> Option<String> {
        (self.name)()
    }
}

impl<P> fmt::Debug for NamedHash<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedHash({:?})", (self.name)())
    }
}

/// The hash functions that `--hash` and fleet files name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashName {
    /// XXH3, 64 bits.
    #[default]
    Xxh3,
    /// XXH64, seed 0.
    Xxh64,
    /// XXH32, seed 0.
    Xxh32,
    /// CRC-32 IEEE.
    Crc32,
    /// FNV-1a, 64 bits.
    Fnv1a64,
    /// FNV-1a, 32 bits.
    Fnv1a32,
    /// FNV-1, 64 bits.
    Fnv1_64,
    /// FNV-1, 32 bits.
    Fnv1_32,
    /// MD5, all 128 bits.
    Md5,
}

/// A hash function with its width.
#[derive(Clone, Copy, Debug)]
pub enum AnyHash {
    /// 32 bits.
    Narrow(NamedHash<u32>),
    /// 64 bits.
    Plain(NamedHash<u64>),
    /// 128 bits.
    Wide(NamedHash<u128>),
}

impl HashName {
    /// All of them, with the names they are called by.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Xxh3, "xxh3"),
        (Self::Xxh64, "xxh64"),
        (Self::Xxh32, "xxh32"),
        (Self::Crc32, "crc32"),
        (Self::Fnv1a64, "fnv1a"),
        (Self::Fnv1a32, "fnv1a-32"),
        (Self::Fnv1_64, "fnv1"),
        (Self::Fnv1_32, "fnv1-32"),
        (Self::Md5, "md5"),
    ];

    /// The function at its own width: what rings use.
    #[must_use]
    pub fn any(self) -> AnyHash {
        match self {
            Self::Xxh3 => AnyHash::Plain(NamedHash::of::<Xxh3>()),
            Self::Xxh64 => AnyHash::Plain(NamedHash::of::<Xxh64>()),
            Self::Fnv1a64 => AnyHash::Plain(NamedHash::of::<Fnv1a64>()),
            Self::Fnv1_64 => AnyHash::Plain(NamedHash::of::<Fnv1_64>()),
            Self::Xxh32 => AnyHash::Narrow(NamedHash::of::<Xxh32>()),
            Self::Crc32 => AnyHash::Narrow(NamedHash::of::<Crc32>()),
            Self::Fnv1a32 => AnyHash::Narrow(NamedHash::of::<Fnv1a32>()),
            Self::Fnv1_32 => AnyHash::Narrow(NamedHash::of::<Fnv1_32>()),
            Self::Md5 => AnyHash::Wide(NamedHash::of::<Md5>()),
        }
    }

    /// The function as 64 bits: 32-bit ones with their bits spread. `None` for 128 bits.
    #[must_use]
    pub fn plain(self) -> Option<NamedHash<u64>> {
        Some(match self {
            Self::Xxh32 => NamedHash::of::<Mixed<Xxh32>>(),
            Self::Crc32 => NamedHash::of::<Mixed<Crc32>>(),
            Self::Fnv1a32 => NamedHash::of::<Mixed<Fnv1a32>>(),
            Self::Fnv1_32 => NamedHash::of::<Mixed<Fnv1_32>>(),
            _ => match self.any() {
                AnyHash::Plain(hash) => hash,
                AnyHash::Narrow(_) | AnyHash::Wide(_) => return None,
            },
        })
    }
}

impl fmt::Display for HashName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL
            .into_iter()
            .find(|(hash, _)| hash == self)
            .map_or("", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for HashName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|&(_, known)| known == name);
        found.map(|(hash, _)| hash).ok_or_else(|| {
            let known = Self::ALL.map(|(_, name)| name).join(", ");
            format!("unknown hash {name:?}: one of {known}")
        })
    }
}
