//! The strategies, chosen at run time.

use std::fmt;
use std::str::FromStr;

use keyroute::{
    AddNode, BTreeRing, Jump, KeyHasher, Modulo, Native, Node, Reweight, RouteError, Router,
    VectorRing, Walk,
};

use crate::change::{Change, Reweighting};
use crate::fleet::Settings;
use crate::hashes::{AnyHash, HashName};

/// ε in thousandths: 1 and more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epsilon(pub u32);

/// A quarter over the fair share.
impl Default for Epsilon {
    fn default() -> Self {
        Self(250)
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl FromStr for Epsilon {
    type Err = String;

    /// A decimal number with at most three digits after the point, read exactly.
    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || {
            format!("epsilon {text:?}: give a decimal number from 0.001 to 1000 in steps of 0.001")
        };
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
            return Err(refuse());
        }
        let whole: u32 = whole.parse().map_err(|_| refuse())?;
        let decimals: u32 = format!("{decimals:0<3}").parse().map_err(|_| refuse())?;
        match whole
            .checked_mul(1000)
            .and_then(|whole| whole.checked_add(decimals))
        {
            Some(thousandths @ 1..=1_000_000) => Ok(Self(thousandths)),
            _ => Err(refuse()),
        }
    }
}

/// The strategies by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StrategyName {
    /// The sorted-array ring.
    #[default]
    VectorRing,
    /// The same ring in an ordered map.
    BTreeRing,
    /// Jump consistent hash.
    Jump,
    /// Hash modulo the number of nodes.
    Modulo,
}

impl StrategyName {
    /// All of them, with the names they are called by.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::VectorRing, "vector-ring"),
        (Self::BTreeRing, "btree-ring"),
        (Self::Jump, "jump"),
        (Self::Modulo, "modulo"),
    ];
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL
            .into_iter()
            .find(|(strategy, _)| strategy == self)
            .map_or("", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for StrategyName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|&(_, known)| known == name);
        found.map(|(strategy, _)| strategy).ok_or_else(|| {
            let known = Self::ALL.map(|(_, name)| name).join(", ");
            format!("unknown strategy {name:?}: one of {known}")
        })
    }
}

/// A router behind a pointer, with what it can do beyond routing asked at run time.
pub trait Strategy: Router + Send + Sync {
    /// Makes one change.
    ///
    /// # Errors
    ///
    /// [`Refusal`]; the router is as it was.
    fn change(&mut self, change: &Change) -> Result<(), Refusal>;

    /// Its preference order, if it has one.
    fn as_walk(&self) -> Option<&dyn Walk>;
}

/// Why a strategy will not do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It cannot, whatever the nodes are.
    #[error("{0}")]
    Unable(&'static str),
    /// It could, but not with this input.
    #[error(transparent)]
    Route(#[from] RouteError),
}

macro_rules! ring_strategy {
    ($($ring:ident),*) => {$(
        impl<H: KeyHasher + Send + Sync> Strategy for $ring<Native<H>> {
            fn change(&mut self, change: &Change) -> Result<(), Refusal> {
                match change {
                    Change::Add(node) => self.add(node.clone()).map(drop)?,
                    Change::Remove(id) => self.remove(id.as_str()).map(drop)?,
                    Change::Reweight(Reweighting { id, weight }) => {
                        Reweight::reweight(self, id.as_str(), *weight).map(drop)?;
                    }
                }
                Ok(())
            }

            fn as_walk(&self) -> Option<&dyn Walk> {
                Some(self)
            }
        }
    )*};
}

ring_strategy!(VectorRing, BTreeRing);

impl<H: KeyHasher<Out = u64> + Send + Sync> Strategy for Jump<H> {
    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::Add(node) => AddNode::add(self, node.clone()).map(drop)?,
            Change::Remove(id) => {
                let slot = self.members().find(id.as_str())?;
                if self.members().listed().last() != Some(&slot) {
                    return Err(Refusal::Unable("removes only the last node of the list"));
                }
                self.remove_last().map(drop)?;
            }
            Change::Reweight(_) => return Err(Refusal::Unable("has no weights")),
        }
        Ok(())
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        None
    }
}

impl<H: KeyHasher + Send + Sync> Strategy for Modulo<H> {
    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::Add(node) => self.add(node.clone()).map(drop)?,
            Change::Remove(id) => self.remove(id.as_str()).map(drop)?,
            Change::Reweight(_) => return Err(Refusal::Unable("has no weights")),
        }
        Ok(())
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        None
    }
}

/// Builds a router over this hash at the hash's own width: three types, one text.
macro_rules! at_its_width {
    ($name:expr, |$hash:ident| $router:expr) => {
        match $name.any() {
            AnyHash::Narrow($hash) => Box::new($router) as Box<dyn Strategy>,
            AnyHash::Plain($hash) => Box::new($router),
            AnyHash::Wide($hash) => Box::new($router),
        }
    };
}

/// Builds a router of these nodes. Settings that a strategy does not have are passed over.
///
/// # Errors
///
/// [`Refusal`]: what the strategy cannot do with these settings or nodes.
pub fn build(
    name: StrategyName,
    settings: &Settings,
    nodes: &[Node],
) -> Result<Box<dyn Strategy>, Refusal> {
    let hash = settings.hash.unwrap_or_default();
    let nodes = nodes.to_vec();
    Ok(match name {
        StrategyName::VectorRing => at_its_width!(hash, |hash| {
            VectorRing::from_nodes_with(native(hash, settings)?, nodes)?
        }),
        StrategyName::BTreeRing => at_its_width!(hash, |hash| {
            BTreeRing::from_nodes_with(native(hash, settings)?, nodes)?
        }),
        StrategyName::Jump => Box::new(Jump::from_nodes_with(plain(hash)?, nodes)?),
        StrategyName::Modulo => {
            at_its_width!(hash, |hash| Modulo::from_nodes_with(hash, nodes)?)
        }
    })
}

fn native<H: KeyHasher>(hasher: H, settings: &Settings) -> Result<Native<H>, RouteError> {
    let scheme = Native::new(hasher);
    match settings.points {
        Some(points) => scheme.with_points_per_weight(points),
        None => Ok(scheme),
    }
}

fn plain(hash: HashName) -> Result<crate::hashes::NamedHash<u64>, Refusal> {
    hash.plain().ok_or(Refusal::Unable(
        "reads 64 bits of hash: choose another than md5",
    ))
}
