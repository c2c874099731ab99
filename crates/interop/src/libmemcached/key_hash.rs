//! [`KeyHash`]: how keys are hashed.

use alloc::format;
use alloc::string::String;

use keyroute_core::{KeyHasher, Quoted, RouteError};

use crate::hash::MemcachedHash;

/// The longest key that is hashed with its prefix, in bytes.
const MAX_KEY: usize = 250;

/// How libmemcached hashes a key: by one of its hashes, with the prefix in front if
/// `HASH_WITH_PREFIX_KEY` is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHash {
    hash: MemcachedHash,
    /// `None` without the flag. With it, keys are copied even behind no prefix.
    prefix: Option<String>,
}

impl KeyHash {
    /// By MD5, as `KETAMA_WEIGHTED` sets it.
    pub(super) const MD5: Self = Self {
        hash: MemcachedHash::Md5,
        prefix: None,
    };

    /// By this hash.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for Hsieh's, which libmemcached as packaged refuses to set, and for the
    /// two CRCs that only twemproxy has.
    pub fn new(hash: MemcachedHash) -> Result<Self, RouteError> {
        if let MemcachedHash::Hsieh | MemcachedHash::Crc16 | MemcachedHash::Crc32a = hash {
            return Err(RouteError::Parameter {
                name: "HASH",
                given: hash.plain_name().into(),
                accepted: "default, md5, crc, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, murmur, jenkins or murmur3",
            });
        }
        Ok(Self { hash, prefix: None })
    }

    /// The hash of this name, as libmemcached's tools write it.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a name that it does not have, and as [`new`](Self::new).
    pub fn named(name: &str) -> Result<Self, RouteError> {
        let hash = match name {
            "default" | "one_at_a_time" => MemcachedHash::OneAtATime,
            "md5" => MemcachedHash::Md5,
            "crc" => MemcachedHash::Crc,
            "fnv1_64" => MemcachedHash::Fnv1_64,
            "fnv1a_64" => MemcachedHash::Fnv1a64,
            "fnv1_32" => MemcachedHash::Fnv1_32,
            "fnv1a_32" => MemcachedHash::Fnv1a32,
            "murmur" => MemcachedHash::Murmur,
            "murmur3" => MemcachedHash::Murmur3,
            "jenkins" => MemcachedHash::Jenkins,
            "hsieh" => MemcachedHash::Hsieh,
            _ => {
                return Err(RouteError::Parameter {
                    name: "HASH",
                    given: name.into(),
                    accepted: "default, md5, crc, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, murmur, jenkins or murmur3",
                });
            }
        };
        Self::new(hash)
    }

    /// With this prefix in front, which may be empty: `HASH_WITH_PREFIX_KEY=1` and `PREFIX`. **Prefix and key of over 250 bytes
    /// together hash to 0**, and bytes from the first NUL on count as NULs. Without the flag a prefix
    /// decides nothing.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a prefix with a NUL in it, or over 250 bytes.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Self, RouteError> {
        if prefix.len() > MAX_KEY || prefix.contains('\0') {
            return Err(RouteError::Parameter {
                name: "PREFIX",
                given: format!("{prefix:?}"),
                accepted: "at most 250 bytes without a NUL",
            });
        }
        self.prefix = Some(prefix.into());
        Ok(self)
    }

    /// The hash.
    #[must_use]
    pub fn hash_function(&self) -> MemcachedHash {
        self.hash
    }
}

impl KeyHasher for KeyHash {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        let Some(prefix) = &self.prefix else {
            return self.hash.hash(key);
        };
        let length = prefix.len().saturating_add(key.len());
        let mut buffer = [0; MAX_KEY];
        let Some(text) = buffer.get_mut(..length) else {
            return 0;
        };
        let (front, back) = text.split_at_mut(prefix.len());
        front.copy_from_slice(prefix.as_bytes());
        let end = key.iter().position(|&byte| byte == 0).unwrap_or(key.len());
        back[..end].copy_from_slice(&key[..end]);
        self.hash.hash(text)
    }

    fn name(&self) -> Option<String> {
        let hash = self.hash.name()?;
        Some(match &self.prefix {
            None => hash,
            Some(prefix) => format!("{hash} after {}", Quoted(prefix)),
        })
    }
}
