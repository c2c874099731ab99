//! Changes of a fleet, as flags write them: `ID=WEIGHT`, split at the last `=`.

use std::fmt;
use std::str::FromStr;

use keyroute::{Node, NodeId, RouteError, Weight};

/// `ID` or `ID=WEIGHT`: ids often hold colons and may hold `=`, so the last `=` splits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition(pub Node);

impl FromStr for Addition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, weight) = match text.rsplit_once('=') {
            Some((id, weight)) => (id, read_weight(weight)?),
            None => (text, Weight::ONE),
        };
        let node = Node::new(id).map_err(|error| error.to_string())?;
        Ok(Self(node.with_weight(weight)))
    }
}

/// `ID=WEIGHT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reweighting {
    /// The node.
    pub id: NodeId,
    /// Its weight to be.
    pub weight: Weight,
}

impl FromStr for Reweighting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, weight) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("{text:?} has no weight: write ID=WEIGHT"))?;
        let id = NodeId::new(id).map_err(|error| error.to_string())?;
        Ok(Self {
            id,
            weight: read_weight(weight)?,
        })
    }
}

fn read_weight(text: &str) -> Result<Weight, String> {
    let number: u32 = text.parse().map_err(|_| {
        format!(
            "weight {text:?} is not a whole number from 1 to {}",
            u32::MAX
        )
    })?;
    Weight::new(number).map_err(|error| error.to_string())
}

/// In words, as `add cache-11=2`. Control characters in an id are escaped: this is for a terminal.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, weight) = match self {
            Self::Add(node) => (
                "add",
                Some(node.weight()).filter(|weight| *weight != Weight::ONE),
            ),
            Self::Remove(_) => ("remove", None),
            Self::Reweight(change) => ("reweight", Some(change.weight)),
        };
        write!(f, "{verb} {}", printable(self.id().as_str()))?;
        match weight {
            Some(weight) => write!(f, "={weight}"),
            None => Ok(()),
        }
    }
}

/// The text with its control characters escaped.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// One change of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A node joins.
    Add(Node),
    /// A node leaves.
    Remove(NodeId),
    /// A node's weight changes.
    Reweight(Reweighting),
}

impl Change {
    /// The node it names.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        match self {
            Self::Add(node) => node.id(),
            Self::Remove(id) => id,
            Self::Reweight(change) => &change.id,
        }
    }

    /// The same change made to a list of nodes.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::NotMember`]. The list is as it was.
    pub fn apply(&self, nodes: &mut Vec<Node>) -> Result<(), RouteError> {
        let find = |nodes: &[Node], id: &NodeId| {
            let at = nodes.iter().position(|node| node.id() == id);
            at.ok_or_else(|| RouteError::NotMember { id: id.to_string() })
        };
        match self {
            Self::Add(node) => {
                if nodes.iter().any(|held| held.id() == node.id()) {
                    return Err(RouteError::AlreadyMember {
                        id: node.id().clone(),
                    });
                }
                nodes.push(node.clone());
            }
            Self::Remove(id) => {
                nodes.remove(find(nodes, id)?);
            }
            Self::Reweight(Reweighting { id, weight }) => {
                let at = find(nodes, id)?;
                nodes[at] = nodes[at].clone().with_weight(*weight);
            }
        }
        Ok(())
    }
}
