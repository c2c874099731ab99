//! [`Recipe`]: what a router is built of.

use keyroute::{AssignedFill, ByRange, KeyHasher, Native, Node, RouteError, TableSize, VectorRing};

use super::Refusal;
use crate::fleet::Settings;
use crate::hashes::{AnyHash, NamedHash};

/// Settings and nodes, in the forms that constructors take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe<'a> {
    pub(super) settings: &'a Settings,
    pub(super) nodes: &'a [Node],
    pub(super) partitions: u32,
}

impl Recipe<'_> {
    /// The nodes, in the order of the fleet.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().cloned()
    }

    /// The hash function, at its own width.
    pub(super) fn any_hash(&self) -> AnyHash {
        self.settings.hash.unwrap_or_default().any()
    }

    /// The hash function as one of 64 bits.
    pub(super) fn hash(&self) -> Result<NamedHash<u64>, Refusal> {
        let hash = self.settings.hash.unwrap_or_default();
        hash.plain().ok_or(Refusal::Unable(
            "reads 64 bits of hash: choose another than md5",
        ))
    }

    /// The scheme of our rings.
    pub(super) fn native<H: KeyHasher>(&self, hasher: H) -> Result<Native<H>, RouteError> {
        Native::new(hasher).with_points_per_weight(self.settings.points_or_default())
    }

    pub(super) fn vector_ring<H: KeyHasher>(
        &self,
        hasher: H,
    ) -> Result<VectorRing<Native<H>>, RouteError> {
        VectorRing::from_nodes_with(self.native(hasher)?, self.nodes())
    }

    pub(super) fn table_size(&self) -> Result<TableSize, RouteError> {
        TableSize::new(self.settings.table_size_or_default())
    }

    pub(super) fn by_range(&self) -> Result<ByRange<NamedHash<u64>>, Refusal> {
        Ok(ByRange::new(self.hash()?, self.partitions)?)
    }

    /// The owners that the fleet says.
    pub(super) fn assigned(&self) -> AssignedFill {
        AssignedFill::new(self.settings.owners.iter().cloned())
    }

    /// ε over an even share, in thousandths of that share.
    pub(super) fn load(&self) -> u32 {
        1000 + self.settings.epsilon.unwrap_or_default().0
    }

    pub(super) fn capacity(&self) -> u32 {
        self.settings.capacity_or_default()
    }
}
