//! [`Modula`]: the hash modulo the number of servers.

use alloc::vec::Vec;

use keyroute_core::{
    Description, Explanation, KeyHasher, MemberOrder, Members, Node, RouteError, Slot,
};

use super::KeyHash;
use crate::hash::MemcachedHash;
use crate::slot_list::{SlotList, SlotRule, repeated};

/// `DISTRIBUTION=MODULA`, the default: the hash modulo the number of servers; weights are ignored.
pub type Modula = SlotList<ModulaRule>;

impl Modula {
    /// These servers in this order; keys are hashed so.
    ///
    /// # Errors
    ///
    /// As [`KeyHash::new`] and [`SlotList::new`].
    ///
    /// ```
    /// use keyroute_interop::hash::MemcachedHash;
    /// use keyroute_interop::{Node, Router, libmemcached::Modula};
    ///
    /// let modula = Modula::of_servers(MemcachedHash::OneAtATime, [Node::new("a")?, Node::new("b")?])?;
    /// assert_eq!(modula.route_id(b"foo").unwrap(), "b"); // 596015325 is odd
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn of_servers(
        hash: MemcachedHash,
        servers: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::new(ModulaRule::new(KeyHash::new(hash)?), servers)
    }
}

/// The rule of [`Modula`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulaRule {
    key_hash: KeyHash,
    masked: bool,
}

impl ModulaRule {
    /// `DISTRIBUTION=MODULA`: `hash % n`.
    #[must_use]
    pub fn new(key_hash: KeyHash) -> Self {
        Self {
            key_hash,
            masked: false,
        }
    }

    /// `DISTRIBUTION=VIRTUAL_BUCKET` without a map: `hash & (n − 1)`, so that unless n is a power of two
    /// **some servers own nothing**. No answer of it is recorded; it is compared with the installed library.
    #[must_use]
    pub fn virtual_bucket(key_hash: KeyHash) -> Self {
        Self {
            key_hash,
            masked: true,
        }
    }
}

impl SlotRule for ModulaRule {
    const NAME: &'static str = "libmemcached-modula/1";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError> {
        repeated(members, members.listed(), |_| 1)
    }

    fn place(&self, key: &[u8], entries: u32) -> u32 {
        let hash = self.key_hash.hash(key);
        if self.masked {
            hash & (entries - 1)
        } else {
            hash % entries
        }
    }

    fn hashed(&self, why: Explanation, key: &[u8]) -> Explanation {
        why.hashed(&self.key_hash, self.key_hash.hash(key))
    }

    fn describe(&self, to: &mut Description) {
        to.field(
            "place",
            if self.masked {
                "hash & (n - 1)"
            } else {
                "hash % n"
            },
        );
        to.hasher("hasher", &self.key_hash);
    }
}
