//! `buraksezer/consistent`, both versions.

use alloc::string::{String, ToString};

use crc::{CRC_64_GO_ISO, Crc, Table};
use keyroute_core::{KeyHasher, RouteError};
use keyroute_slot_table::{BuraksezerFill, ByRemainder, SlotTable};

/// A table as `buraksezer/consistent` fills it; [`BuraksezerFill`] says the rules, [`SlotTable`] the costs.
///
/// Made by [`Buraksezer`]. `LocateKey` is `route`, `GetPartitionOwner` is `owner_of`, `GetClosestN` is
/// `closest`, but fails for more nodes than there are.
pub type BuraksezerTable<H> = SlotTable<BuraksezerFill<H>, ByRemainder<H>>;

/// The package's `Config`: how to make a [`BuraksezerTable`].
///
/// ```
/// use keyroute_interop::{Buraksezer, hash::Xxh64};
///
/// let table = Buraksezer::default().v1_0(Xxh64::default(), ["node-A", "node-B", "node-C"])?;
/// assert_eq!(table.partition_of(b"key-0"), 167);
/// assert!(table.partitions_by_slot().all(|(_, partitions)| partitions <= 113));
///
/// // More nodes than partitions leave v0.10 without room, where the package panics.
/// let names = (0..300).map(|i| format!("node-{i}"));
/// assert!(Buraksezer::default().v0_10(Xxh64::default(), names).is_err());
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buraksezer {
    /// `PartitionCount`: 271 unless said.
    pub partition_count: u32,
    /// `ReplicationFactor`: the points of a member, 20 unless said.
    pub replication_factor: u32,
    /// `Load`: 1.25 unless said, of at most three decimals.
    pub load: f64,
}

impl Default for Buraksezer {
    fn default() -> Self {
        Self {
            partition_count: 271,
            replication_factor: 20,
            load: 1.25,
        }
    }
}

impl Buraksezer {
    /// A table of these members as v1.0.0 fills it.
    ///
    /// # Errors
    ///
    /// [`RouteError::Partitions`], [`RouteError::PointsPerWeight`], [`RouteError::Parameter`] for a load that is
    /// not 1 to 1000 in thousandths, [`RouteError::NoRoom`], and as
    /// [`SlotTable::from_ids_with`].
    pub fn v1_0<H: KeyHasher<Out = u64> + Clone>(
        self,
        hasher: H,
        members: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<BuraksezerTable<H>, RouteError> {
        self.table(BuraksezerFill::v1_0(hasher.clone()), hasher, members)
    }

    /// A table of these members as v0.10.0 and earlier fill it.
    ///
    /// # Errors
    ///
    /// As [`v1_0`](Self::v1_0).
    pub fn v0_10<H: KeyHasher<Out = u64> + Clone>(
        self,
        hasher: H,
        members: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<BuraksezerTable<H>, RouteError> {
        self.table(BuraksezerFill::v0_10(hasher.clone()), hasher, members)
    }

    fn table<H: KeyHasher<Out = u64>>(
        self,
        fill: BuraksezerFill<H>,
        hasher: H,
        members: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<BuraksezerTable<H>, RouteError> {
        let fill = fill
            .with_points(self.replication_factor)?
            .with_load(thousandths(self.load)?)?;
        let partitioner = ByRemainder::new(hasher, self.partition_count)?;
        SlotTable::from_ids_with(fill, partitioner, members)
    }
}

/// A load in thousandths, if it is a whole number of them: what the fill divides by 1000 is then the same
/// double.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a load that does not fit is not one that comes back"
)]
fn thousandths(load: f64) -> Result<u32, RouteError> {
    let thousandths = (load * 1000.0 + 0.5) as u32;
    if f64::from(thousandths) / 1000.0 == load {
        return Ok(thousandths);
    }
    Err(RouteError::Parameter {
        name: "load",
        given: load.to_string(),
        accepted: "a number of at most three decimals",
    })
}

static CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_GO_ISO);

/// CRC-64 with ISO's polynomial as Go has it (all ones before and after); 64 bits, `crc64-go-iso`.
///
/// ```
/// use keyroute_interop::{Crc64Iso, KeyHasher};
///
/// assert_eq!(Crc64Iso.hash(b"123456789"), 0xb909_56c7_75a4_1001);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crc64Iso;

impl KeyHasher for Crc64Iso {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        CRC.checksum(bytes)
    }

    fn name(&self) -> Option<String> {
        Some("crc64-go-iso".into())
    }
}
