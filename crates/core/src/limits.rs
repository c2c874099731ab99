//! The maxima that hold for every strategy; `docs/limits.md` explains them.

/// The longest id or zone name, in bytes (4 KiB).
pub const MAX_ID_LEN: usize = 4096;

/// The most nodes that one router holds (2^24).
pub const MAX_NODES: usize = 1 << 24;

/// The most points that one ring holds (2^24; about 192 MiB in a vector ring of 64-bit positions).
pub const MAX_POINTS: u64 = 1 << 24;
