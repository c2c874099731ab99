#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// A system a file.
mod buraksezer;
mod cpp_anchorhash;
pub mod dalli;
pub mod envoy;
mod go_jump;
mod go_ketama;
mod go_maglev;
mod go_mpchash;
mod go_redis_ring;
mod go_rendezvous;
mod go_zero;
mod groupcache;
pub mod haproxy;
pub mod hash_ring;
mod hashring_rs;
pub mod java;
mod lafikl;
pub mod libmemcached;
pub mod nginx;
pub mod node_hashring;
pub mod pecl_memcache;
mod pingora_ketama;
pub mod pymemcache;
pub mod seeds;
mod serialx;
mod serialx_2019;
pub mod spymemcached;
mod stathat;
pub mod twemproxy;
pub mod uhashring;

// Engines and hash functions that only other systems need.
mod blake2b;
mod closest_probe;
mod highest_score;
mod labels;
mod slot_list;

// Parts that several systems share.
pub mod hash;
mod label_points;
mod python_text;
mod share;

pub use blake2b::Blake2bWord;
pub use buraksezer::{Buraksezer, BuraksezerTable, Crc64Iso};
pub use closest_probe::{ClosestProbe, Probing};
pub use cpp_anchorhash::CppAnchorHash;
pub use go_jump::{Crc64, go_jump, lithammer_jump};
pub use go_ketama::{GoKetama, HashFunc1, HashFunc2};
pub use go_maglev::GoMaglev;
pub use go_mpchash::{GoMpchash, SteppedProbes};
pub use go_redis_ring::{GoRedisRing, TaggedScore};
pub use go_rendezvous::{GoRendezvous, Stirred};
pub use go_zero::{GoZero, Murmur3Word};
pub use groupcache::{Groupcache, GroupcacheRule};
pub use hashring_rs::{Hashring, HashringValue, StrSipHash};
pub use highest_score::{HighestScore, Score};
pub use labels::{LabelRule, Labels};
pub use lafikl::{Lafikl, LafiklPoints, LafiklRule};
pub use pingora_ketama::{ByAddress, PingoraKetama, PingoraVersion, V1, V2};
pub use pymemcache::PyMemcache;
pub use serialx::{Serialx, SerialxHash, SerialxRule};
pub use serialx_2019::Serialx2019;
pub use slot_list::{SlotList, SlotRule};
pub use stathat::Stathat;

/// libketama, the C library: its rule is in `keyroute-ketama`.
pub use keyroute_ketama::{CStringMd5, LIBKETAMA_MAX_NAME, Libketama, libketama_servers};

pub use keyroute_vector_ring::VectorRing;

/// hash4j's JumpBackHash (`ConsistentJumpBackBucketHasher` 0.17 to 0.30, over SplitMix64).
pub use keyroute_core::buckets::jump_back_hash as hash4j_jump_back;

pub use keyroute_core::*;
