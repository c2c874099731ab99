//! Redis Cluster's hash slots.

use alloc::string::String;

use crc::{CRC_16_XMODEM, Crc, Table};
use keyroute_core::KeyHasher;

use crate::ByRemainder;

/// The slots of a Redis Cluster: [`RedisCrc16`] mod 16,384. Our partitions are their slots.
///
/// ```
/// use keyroute_slot_table::{AssignedFill, Assignment, Node, NodeId, RedisSlots, SlotTable};
///
/// // As `CLUSTER SLOTS` says it.
/// let [a, b] = [NodeId::new("10.0.0.1:6379")?, NodeId::new("10.0.0.2:6379")?];
/// let owners = AssignedFill::new([
///     Assignment { first: 0, last: 8191, node: a.clone() },
///     Assignment { first: 8192, last: 16_383, node: b.clone() },
/// ]);
/// let table = SlotTable::from_nodes_with(owners, RedisSlots::redis(), [a.into(), b.into()])?;
///
/// assert_eq!(table.partition_of(b"foo"), 12_182);
/// assert_eq!(table.route_id(b"foo").unwrap(), "10.0.0.2:6379");
/// assert_eq!(table.partition_of(b"{user1000}.following"), table.partition_of(b"{user1000}.followers"));
/// # Ok::<(), keyroute_slot_table::RouteError>(())
/// ```
pub type RedisSlots = ByRemainder<RedisCrc16>;

/// The slot of a key in a Redis Cluster, 0 to 16,383: what `CLUSTER KEYSLOT` answers.
///
/// ```
/// use keyroute_slot_table::redis_slot;
///
/// assert_eq!(redis_slot(b"123456789"), 0x31c3);
/// ```
#[must_use]
pub fn redis_slot(key: &[u8]) -> u16 {
    CRC.checksum(redis_hashed_part(key)) % 16_384
}

/// The hasher of Redis Cluster: CRC-16 (XMODEM: polynomial 0x1021, initial value 0) of the key, or of
/// its hash tag, if it has one. Its name is `redis-crc16`.
///
/// The hash tag is what stands between the first `{` and the first `}` after it, unless that is
/// nothing. Keys of one tag fall into one partition.
///
/// Source: the Redis Cluster specification, "Key distribution model" and "Hash tags".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedisCrc16;

impl KeyHasher for RedisCrc16 {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        CRC.checksum(redis_hashed_part(bytes)).into()
    }

    fn name(&self) -> Option<String> {
        Some("redis-crc16".into())
    }
}

static CRC: Crc<u16, Table<1>> = Crc::<u16, Table<1>>::new(&CRC_16_XMODEM);

/// The part of a key that Redis hashes: its hash tag, or all of it.
///
/// ```
/// use keyroute_slot_table::redis_hashed_part;
///
/// assert_eq!(redis_hashed_part(b"{user1000}.following"), b"user1000");
/// assert_eq!(redis_hashed_part(b"{}{a}"), b"{}{a}");
/// ```
#[must_use]
pub fn redis_hashed_part(key: &[u8]) -> &[u8] {
    let tag = || {
        let open = key.iter().position(|&byte| byte == b'{')?;
        let behind = key.get(open + 1..)?;
        let length = behind.iter().position(|&byte| byte == b'}')?;
        behind.get(..length).filter(|tag| !tag.is_empty())
    };
    tag().unwrap_or(key)
}
