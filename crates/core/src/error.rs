//! [`RouteError`]: why a router refused, and what to do next.

use alloc::string::String;
use core::fmt;

use crate::{HasherTag, MAX_ID_LEN, MAX_NODES, MAX_POINTS, NodeId};

/// Why a router or one of its parts refused an input. The router is as it was before.
///
/// Each message names the value, the limit, and what would be accepted.
///
/// ```
/// use keyroute_core::{NodeId, RouteError};
///
/// let error = NodeId::new("x".repeat(5000)).unwrap_err();
/// assert_eq!(error, RouteError::IdTooLong { length: 5000 });
/// assert_eq!(error.to_string(), "a node id has 5000 bytes, at most 4096 are allowed: shorten it");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouteError {
    /// A node id of no bytes.
    EmptyId,
    /// A node id over [`MAX_ID_LEN`] bytes.
    IdTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A zone name of no bytes.
    EmptyZone,
    /// A zone name over [`MAX_ID_LEN`] bytes.
    ZoneTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A weight of 0.
    ZeroWeight,
    /// A weight over 1 given to a strategy without weights.
    WeightUnsupported {
        /// The node.
        id: NodeId,
        /// The weight it was given.
        weight: u32,
        /// The strategy.
        strategy: &'static str,
    },
    /// The node is already a member.
    AlreadyMember {
        /// The node.
        id: NodeId,
    },
    /// The node is not a member.
    NotMember {
        /// The id as asked for.
        id: String,
    },
    /// There is no last node to remove.
    NoMembers,
    /// More than [`MAX_NODES`] nodes, or what the strategy allows.
    TooManyNodes {
        /// The most that fit.
        limit: u64,
    },
    /// Every bucket of a strategy with a preset number of them has a node.
    CapacityExhausted {
        /// How many buckets there are.
        capacity: u32,
    },
    /// More than [`MAX_POINTS`] points.
    TooManyPoints {
        /// How many there would be.
        points: u64,
        /// The points per unit of weight, if the scheme's points follow from weights.
        points_per_weight: Option<u32>,
    },
    /// 0 points per unit of weight, or a number that the scheme cannot make.
    PointsPerWeight {
        /// The number given.
        given: u32,
        /// Which numbers are accepted.
        accepted: &'static str,
    },
    /// A label template that does not hold `{node}` and `{i}` exactly once each.
    Template {
        /// The template.
        template: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A digest that another hasher made.
    ForeignDigest {
        /// The tag of the router's hasher.
        expected: HasherTag,
        /// The tag that the digest carries.
        found: HasherTag,
    },
    /// A batch whose answers do not fit its questions.
    BatchLength {
        /// The number of keys or digests.
        keys: usize,
        /// The room for answers.
        out: usize,
    },
    /// A parameter of a strategy outside its range.
    Parameter {
        /// Its name.
        name: &'static str,
        /// The value given, as text.
        given: String,
        /// Which values are accepted.
        accepted: &'static str,
    },
    /// A node that the scheme cannot place.
    Unplaceable {
        /// The node.
        id: NodeId,
        /// Why, and what would be accepted.
        reason: &'static str,
    },
    /// A size of a table that is not a prime, or outside the range.
    TableSize {
        /// The size given.
        given: u32,
        /// The nearest greater size that is accepted; the greatest of all if there is none.
        accepted: u32,
    },
    /// A table in which a node would get no entry.
    NoEntry {
        /// The node.
        id: NodeId,
        /// The size of the table.
        size: u32,
        /// The least size in which its share is an entry, if there is one.
        needed: Option<u32>,
    },
    /// A number of partitions outside its range.
    Partitions {
        /// The number given.
        given: u32,
        /// The most that are accepted.
        limit: u32,
    },
    /// A partition that a table does not have.
    NoPartition {
        /// The partition.
        partition: u32,
        /// How many there are, counted from 0.
        partitions: u32,
    },
    /// Partitions that an assignment leaves out.
    Unassigned {
        /// The first of them.
        first: u32,
        /// The last of them.
        last: u32,
    },
    /// A partition that an assignment gives away twice.
    AssignedTwice {
        /// The partition.
        partition: u32,
        /// Both nodes; they may be one.
        to: [NodeId; 2],
    },
    /// A node that cannot leave, since partitions are assigned to it.
    StillAssigned {
        /// The node.
        id: NodeId,
        /// How many partitions are.
        partitions: u32,
    },
    /// A partition that no node has room for.
    NoRoom {
        /// The partition.
        partition: u32,
        /// The most partitions that a node may hold.
        limit: u32,
    },
    /// A node without a zone, where each must name one.
    NoZone {
        /// The node.
        id: NodeId,
    },
    /// More replicas than nodes were asked for.
    TooFewNodes {
        /// How many replicas.
        asked: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// More replicas than zones were asked for, each in a zone of its own.
    TooFewZones {
        /// How many replicas.
        asked: usize,
        /// How many zones there are.
        zones: usize,
    },
    /// Two tables that cannot be compared entry by entry.
    Incomparable {
        /// What differs, as `partitions`.
        what: &'static str,
        /// Its value on the left.
        left: String,
        /// Its value on the right.
        right: String,
    },
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyId => write!(f, "a node id is empty: give it 1 to {MAX_ID_LEN} bytes"),
            Self::IdTooLong { length } => {
                write!(
                    f,
                    "a node id has {length} bytes, at most {MAX_ID_LEN} are allowed: shorten it"
                )
            }
            Self::EmptyZone => write!(
                f,
                "a zone name is empty: give it 1 to {MAX_ID_LEN} bytes, or leave the zone out"
            ),
            Self::ZoneTooLong { length } => write!(
                f,
                "a zone name has {length} bytes, at most {MAX_ID_LEN} are allowed: shorten it"
            ),
            Self::ZeroWeight => write!(
                f,
                "weight 0: a router holds only nodes of weight 1 to {}; leave a drained node out",
                u32::MAX
            ),
            Self::WeightUnsupported {
                id,
                weight,
                strategy,
            } => write!(
                f,
                "node {id:?} has weight {weight}, but {strategy} has no weights: give it weight 1, \
                 or choose a strategy with weights"
            ),
            Self::AlreadyMember { id } => write!(
                f,
                "node {id:?} is already a member: remove it first, or change its weight"
            ),
            Self::NotMember { id } => {
                write!(
                    f,
                    "node {id:?} is not a member: check the id, it is compared by its bytes"
                )
            }
            Self::NoMembers => write!(f, "there is no node: list one, or add one first"),
            Self::TooManyNodes { limit } => {
                write!(f, "at most {limit} nodes fit: split the fleet")
            }
            Self::CapacityExhausted { capacity } => write!(
                f,
                "all {capacity} buckets have a node: make a router of greater capacity, which moves keys"
            ),
            Self::TooManyPoints {
                points,
                points_per_weight: None,
            } => write!(
                f,
                "{points} points, at most {MAX_POINTS} are allowed: split the fleet"
            ),
            Self::TooManyPoints {
                points,
                points_per_weight: Some(points_per_weight),
            } => {
                write!(
                    f,
                    "{points} points at {points_per_weight} per unit of weight, "
                )?;
                write!(f, "at most {MAX_POINTS} are allowed: ")?;
                let weight = points / u64::from((*points_per_weight).max(1));
                match MAX_POINTS / weight.max(1) {
                    0 => write!(f, "divide all weights by {}", points.div_ceil(MAX_POINTS)),
                    fits => write!(f, "{fits} points per unit of weight fit"),
                }
            }
            Self::PointsPerWeight { given, accepted } => {
                write!(f, "{given} points per unit of weight: give {accepted}")
            }
            Self::Template { template, problem } => write!(
                f,
                "label template {template:?} {problem}: write {{node}} and {{i}} once each, \
                 as in \"{{node}}-{{i}}\""
            ),
            Self::ForeignDigest { expected, found } => write!(
                f,
                "the digest was made by hasher {found}, this router uses {expected}: \
                 make it with this router's `digest`"
            ),
            Self::BatchLength { keys, out } => {
                write!(
                    f,
                    "{keys} keys but room for {out} answers: lend as many as there are keys"
                )
            }
            Self::Parameter {
                name,
                given,
                accepted,
            } => {
                write!(f, "{name} is {given}: give {accepted}")
            }
            Self::Unplaceable { id, reason } => write!(f, "node {id:?} {reason}"),
            Self::TableSize { given, accepted } => write!(
                f,
                "table size {given} is not a prime, or is out of range: give {accepted}"
            ),
            Self::NoEntry { id, size, needed } => {
                write!(f, "node {id:?} would get none of {size} table entries: ")?;
                match needed {
                    Some(needed) => write!(f, "give the table {needed}"),
                    None => write!(f, "raise its weight, no table is large enough"),
                }
            }
            Self::Partitions { given, limit } => {
                write!(f, "{given} partitions: give 1 to {limit}")
            }
            Self::NoPartition {
                partition,
                partitions,
            } => write!(
                f,
                "partition {partition} does not exist: they are numbered 0 to {}",
                partitions.saturating_sub(1)
            ),
            Self::Unassigned { first, last } => write!(
                f,
                "partitions {first} to {last} are assigned to no node: assign every partition"
            ),
            Self::AssignedTwice {
                partition,
                to: [a, b],
            } => write!(
                f,
                "partition {partition} is assigned to {a:?} and to {b:?}: assign it once"
            ),
            Self::StillAssigned { id, partitions } => write!(
                f,
                "node {id:?} cannot leave, {partitions} partitions are assigned to it: assign them \
                 to other nodes first"
            ),
            Self::NoRoom { partition, limit } => write!(
                f,
                "no node has room for partition {partition}, each may hold {limit}: raise the load"
            ),
            Self::NoZone { id } => write!(
                f,
                "node {id:?} has no zone: say where it stands, or allow nodes without one"
            ),
            Self::TooFewNodes { asked, nodes } => write!(
                f,
                "{asked} replicas on {nodes} nodes: ask for {nodes} at most, or add nodes"
            ),
            Self::TooFewZones { asked, zones } => write!(
                f,
                "{asked} replicas in zones of their own, but there are {zones}: ask for {zones} at most, or \
                 accept replicas that share a zone"
            ),
            Self::Incomparable { what, left, right } => write!(
                f,
                "tables of different {what} cannot be compared: {left} and {right}"
            ),
        }
    }
}

impl core::error::Error for RouteError {}

/// Checks that a batch has one place for each answer.
pub(crate) fn check_batch(keys: usize, out: usize) -> Result<(), RouteError> {
    if keys == out {
        Ok(())
    } else {
        Err(RouteError::BatchLength { keys, out })
    }
}

/// Checks that the router can hold one more than this many nodes.
pub(crate) fn check_room(nodes: usize) -> Result<(), RouteError> {
    if nodes < MAX_NODES {
        Ok(())
    } else {
        Err(RouteError::TooManyNodes {
            limit: MAX_NODES as u64,
        })
    }
}
