//! [`Contender`]: a node of a key's order, and what came of it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::HashValue;
use crate::{Members, NodeId, Slot, Zone};

/// A node of a key's order: whether it takes the key, and what is known of it.
///
/// ```
/// use keyroute_core::{Contender, Fact, Members, Node, Role, Slot};
///
/// let members = Members::from_nodes([Node::new("a")?])?;
/// let slot = members.slot_of("a").unwrap();
/// let full = Contender::new(&members, slot, Role::Passed).unwrap();
/// let full = full.with(Fact::Load { held: 5, capacity: 5 });
/// assert_eq!(full.to_string(), "a (holds 5 of 5)");
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct Contender {
    /// Its slot.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub slot: Slot,
    /// Its id.
    pub node: NodeId,
    /// Whether it takes the key.
    pub role: Role,
    /// What is known of it.
    pub facts: Vec<Fact>,
}

impl Contender {
    /// The member in this slot, in this role; `None` if the slot is not in use.
    #[must_use]
    pub fn new(members: &Members, slot: Slot, role: Role) -> Option<Self> {
        Some(Self {
            slot,
            node: members.get(slot)?.id().clone(),
            role,
            facts: Vec::new(),
        })
    }

    /// The same, and this is known of it.
    #[must_use]
    pub fn with(mut self, fact: Fact) -> Self {
        self.facts.push(fact);
        self
    }
}

/// The id, and in parentheses what is known of the node.
impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", super::text::name(self.node.as_str()))?;
        if self.facts.is_empty() {
            return Ok(());
        }
        let facts: Vec<String> = self.facts.iter().map(ToString::to_string).collect();
        write!(f, " ({})", facts.join(", "))
    }
}

/// Whether a node takes a key. [`Contender`] shows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Role {
    /// It comes before the owner, and was passed over: its facts say why.
    Passed,
    /// It takes the key.
    Owner,
    /// It would, if those before it could not.
    Next,
}

/// What is known of a node, for one key. [`Contender`] shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fact {
    /// Its number in a draw; the greatest is preferred.
    Draw(HashValue),
    /// Its number in a draw, and what that costs for its weight: the least is preferred.
    Cost {
        /// The number.
        draw: HashValue,
        /// The negated logarithm of the draw as a part of all, over the weight; rounded.
        cost: f64,
    },
    /// Its score, as the system compares it.
    Score(String),
    /// The loads it holds, and how many it may hold.
    Load {
        /// How many it holds.
        held: u64,
        /// How many it may hold when the next one is placed.
        capacity: u64,
    },
    /// No node admits a load: this one takes it all the same.
    Overflow,
    /// It stands in this zone, as the first node of the key's order or a later one.
    Zone {
        /// The zone; `None` for the one without a name.
        zone: Option<Zone>,
        /// Whether it is the first of the zone.
        first: bool,
        /// Its place in the order without zones, from 1.
        place: usize,
    },
    /// It is down.
    Down,
    /// It was drained.
    Drained,
    /// It will leave, and keeps its keys until then.
    Leaving,
    /// It is in a ramp: it takes keys whose hash with it is below the share, both in 2^32 parts.
    Ramp {
        /// The share.
        share: u32,
        /// The key's hash with the node.
        hash: u32,
    },
    /// It is in a ramp that does not admit the key, but nobody else is left.
    Reserve,
    /// Something else, in words.
    Said(String),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draw(draw) => write!(f, "draw {draw}"),
            Self::Cost { draw, cost } => write!(f, "draw {draw}, cost {cost:.6} for its weight"),
            Self::Score(score) => write!(f, "score {score}"),
            Self::Load { held, capacity } => write!(f, "holds {held} of {capacity}"),
            Self::Overflow => f.write_str("takes what nobody admits"),
            Self::Zone { zone, first, place } => {
                let rank = if *first { "first of" } else { "again in" };
                match zone {
                    Some(zone) => {
                        write!(f, "{rank} zone {}", super::text::name(zone.as_str()))?;
                    }
                    None => write!(f, "{rank} those without a zone")?,
                }
                write!(f, ", place {place} without zones")
            }
            Self::Down => f.write_str("down"),
            Self::Drained => f.write_str("drained"),
            Self::Leaving => f.write_str("leaving"),
            Self::Ramp { share, hash } => {
                let percent = |part: u32| f64::from(part) * 100.0 / 4_294_967_296.0;
                let is = if hash < share { "within" } else { "not within" };
                write!(
                    f,
                    "ramp {:.1} %, key at {:.1} %: {is}",
                    percent(*share),
                    percent(*hash)
                )
            }
            Self::Reserve => f.write_str("takes it before its turn, as nobody else is left"),
            Self::Said(text) => f.write_str(text),
        }
    }
}
