//! [`Skipped`]: an entry that was passed over, and why.

use std::fmt;

use keyroute_core::{NodeId, RouteError};
use thiserror::Error;

use crate::MAX_ADDRESS_LEN;

/// The longest entry, in bytes: an id, an address and a zone of the greatest length, and room for what others add.
pub const MAX_ENTRY_LEN: usize = 1 << 16;

/// An entry that was passed over: under which key, and why.
///
/// If it is known whom it is about, that member counts as seen, and keeps what was last known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its key, or its place in a list, as text; bytes that are none are shown as `\u{fffd}`.
    pub key: String,
    /// Whom it is about, if that is known.
    pub id: Option<NodeId>,
    /// Why.
    pub reason: SkipReason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the entry {:?} is skipped: {}", self.key, self.reason)
    }
}

/// Why an entry is none.
///
/// ```
/// use keyroute_discovery::{Peer, SkipReason};
///
/// let why = |value: &str| Peer::from_json("cache-1", value.as_bytes()).unwrap_err();
/// assert_eq!(why(r#"{"address": "10.0.0.1:80", "weight": -1}"#), SkipReason::Weight { given: "-1".into() });
/// assert_eq!(why(r#"{"weight": 1}"#), SkipReason::NoAddress);
/// assert_eq!(
///     why(r#"{"address": "10.0.0.1:80", "id": "cache-2"}"#).to_string(),
///     "it says id \"cache-2\", but stands under \"cache-1\": say the same, or leave the id out"
/// );
/// assert!(matches!(why("{"), SkipReason::Syntax { .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// A key whose bytes are no text.
    #[error("its key is not UTF-8: ids are text")]
    KeyNotText,
    /// A value over [`MAX_ENTRY_LEN`].
    #[error("it has {length} bytes, at most {MAX_ENTRY_LEN} are allowed")]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A value that is not the table that it must be.
    #[error("it cannot be read: {problem}")]
    Syntax {
        /// What the reader says, with the place.
        problem: String,
    },
    /// An entry of a list without an id.
    #[error("it has no id: give it one")]
    NoId,
    /// An id that is not the one of its key.
    #[error("it says id {id:?}, but stands under {key:?}: say the same, or leave the id out")]
    OtherId {
        /// What it says.
        id: String,
        /// The last part of its key.
        key: String,
    },
    /// No address, or an empty one.
    #[error("it has no address: give it one")]
    NoAddress,
    /// An address over [`MAX_ADDRESS_LEN`].
    #[error("its address has {length} bytes, at most {MAX_ADDRESS_LEN} are allowed: shorten it")]
    AddressTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A weight that is no whole number in the range.
    #[error("its weight is {given}: give a whole number from 0 to {}", u32::MAX)]
    Weight {
        /// The weight, as text.
        given: String,
    },
    /// An id or a zone that is empty or too long.
    #[error(transparent)]
    Invalid(#[from] RouteError),
    /// An id that a list has more than once, each time with something else.
    #[error("its id is listed again with something else: list it once")]
    Repeated,
    /// A newcomer for whom there is no room.
    #[error(
        "{limit} members are known, and no more are allowed: raise the limit, or split the fleet"
    )]
    TooMany {
        /// The most there may be.
        limit: usize,
    },
}
