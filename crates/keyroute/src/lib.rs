#![doc = include_str!("../README.md")]
#![no_std]

pub use keyroute_core::*;

/// Balancing: counters, policies, a balancer. See [`keyroute_adaptive`].
#[cfg(feature = "adaptive")]
pub use keyroute_adaptive as adaptive;
#[cfg(feature = "anchor")]
pub use keyroute_anchor::{
    Anchor, BucketState, Dx, GrowableAnchor, HistoryFree, Memento, Numbered, Ranking,
};
#[cfg(feature = "bounded")]
pub use keyroute_bounded::{
    Admission, AtOrBelow, Below, Bounded, Candidate, CapacityRule, Count, Demand, Exact,
    Forwarding, InWalkOrder, Lease, LocalCount, MAX_EPSILON, MAX_EPSILON_THOUSANDTHS, NoOverflow,
    Overflow, SharedCount, ToLeastLoaded, ToOwner, TruncatedAverage,
};
#[cfg(feature = "btree-ring")]
pub use keyroute_btree_ring::{BTreeRing, TreePoints};
#[cfg(feature = "async")]
pub use keyroute_cluster::Watch;
#[cfg(feature = "cluster")]
pub use keyroute_cluster::{
    Agreement, BACKLOG, Balance, Batch, ByRebuild, Change, Changes, Cluster, DEFAULT_SAMPLES,
    Fleet, FleetClient, FleetGroup, InSteps, Lease as ClusterLease, LeaseStats, Listing, Loaded,
    MAX_RAMP_STEPS, Member, MemberKeys, MemberStats, Movement, OnDown, Pick, Ramp, Reader,
    Rehashed, Remake, Reweighted, Sharers, Side, Snapshot, Status, StatusChange, Subscription,
    TRAIL, Terms, Unavailable, View, sample_key,
};
#[cfg(all(feature = "cluster", not(feature = "bounded")))]
pub use keyroute_cluster::{Exact, MAX_EPSILON_THOUSANDTHS};
#[cfg(feature = "metrics")]
pub use keyroute_cluster::{METERED_SAMPLES, Meter};
/// Who is a member, from etcd, a file or a list. See [`keyroute_discovery`].
#[cfg(feature = "discovery")]
pub use keyroute_discovery as discovery;
#[cfg(feature = "jump")]
pub use keyroute_jump::{
    Binomial, BinomialPublished, Flip, Jump, JumpBack, Power, binomial_hash,
    binomial_hash_published, flip_hash, jump_back_hash, jump_hash, power_hash,
};
#[cfg(feature = "ketama")]
pub use keyroute_ketama::{Ketama, KetamaPoints, LIBKETAMA_MAX_NAME, Libketama, libketama_servers};
/// A key-value store whose shards change while it serves. See [`keyroute_kv`].
#[cfg(feature = "kv")]
pub use keyroute_kv as kv;
#[cfg(feature = "maglev")]
pub use keyroute_maglev::{Maglev, TableSize};
#[cfg(feature = "modulo")]
pub use keyroute_modulo::Modulo;
#[cfg(feature = "multi-probe")]
pub use keyroute_multi_probe::{MultiProbe, MultiProbeScheme, ProbedPoints};
/// What moves before it moves: plans and surveys. See [`keyroute_plan`].
#[cfg(feature = "plan")]
pub use keyroute_plan as plan;
#[cfg(feature = "rendezvous")]
pub use keyroute_rendezvous::Rendezvous;
#[cfg(feature = "slot-table")]
pub use keyroute_slot_table::{
    AssignedFill, Assignment, BoundedFill, BuraksezerFill, ByRange, ByRemainder,
    DEFAULT_PARTITIONS, MAX_PARTITIONS, PartitionMove, Partitioner, RendezvousFill, SlotTable,
};
#[cfg(feature = "redis")]
pub use keyroute_slot_table::{RedisCrc16, RedisSlots, redis_slot};
#[cfg(feature = "token-ring")]
pub use keyroute_token_ring::{DEFAULT_TOKENS_PER_WEIGHT, TokenRing};
#[cfg(feature = "vector-ring")]
pub use keyroute_vector_ring::{SortedPoints, TwoSidedRing, VectorRing};
#[cfg(feature = "window-ring")]
pub use keyroute_window_ring::{
    DEFAULT_WINDOW_POINTS, MAX_CANDIDATES, MAX_ROW_ENTRIES, Window, WindowRing,
};
#[cfg(feature = "zone-aware")]
pub use keyroute_zone_aware::{NodeShare, Ownership, Placement, Spread, ZoneAware, ZoneShare};

/// What most programs use: the strategies whose features are on, the traits, nodes.
///
/// ```
/// use keyroute::prelude::*;
///
/// let shards = Jump::from_ids(["shard-0", "shard-1"])?;
/// assert!(shards.route(b"user:1").is_some());
/// # Ok::<(), RouteError>(())
/// ```
pub mod prelude {
    pub use keyroute_core::{
        AddNode, KeyHasher, Members, Node, NodeId, Ranges, Rebuild, RemoveLast, RemoveNode,
        Reweight, RouteDigest, RouteError, Router, Slot, Walk, WalkExt, Weight, Zone,
    };

    #[cfg(feature = "anchor")]
    pub use keyroute_anchor::{Anchor, BucketState, Dx, GrowableAnchor, Memento, Ranking};
    #[cfg(feature = "bounded")]
    pub use keyroute_bounded::{Bounded, Exact, Lease};
    #[cfg(feature = "btree-ring")]
    pub use keyroute_btree_ring::BTreeRing;
    #[cfg(feature = "cluster")]
    pub use keyroute_cluster::{Batch, Cluster, Listing, OnDown, Ramp, Reader, Rehashed, Terms};
    #[cfg(feature = "jump")]
    pub use keyroute_jump::{Jump, JumpBack, jump_back_hash, jump_hash};
    #[cfg(feature = "ketama")]
    pub use keyroute_ketama::Ketama;
    #[cfg(feature = "maglev")]
    pub use keyroute_maglev::Maglev;
    #[cfg(feature = "modulo")]
    pub use keyroute_modulo::Modulo;
    #[cfg(feature = "multi-probe")]
    pub use keyroute_multi_probe::MultiProbe;
    #[cfg(feature = "rendezvous")]
    pub use keyroute_rendezvous::Rendezvous;
    #[cfg(feature = "slot-table")]
    pub use keyroute_slot_table::SlotTable;
    #[cfg(feature = "token-ring")]
    pub use keyroute_token_ring::TokenRing;
    #[cfg(feature = "vector-ring")]
    pub use keyroute_vector_ring::{TwoSidedRing, VectorRing};
    #[cfg(feature = "window-ring")]
    pub use keyroute_window_ring::WindowRing;
    #[cfg(feature = "zone-aware")]
    pub use keyroute_zone_aware::ZoneAware;
}
