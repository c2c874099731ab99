//! [`Edit`]: how the nodes are to change.

use keyroute_core::{Node, NodeId, RouteError, Weight};

use crate::KvError;
use crate::journal::Record;
use crate::open::check_replicas;

/// How the nodes are to change: what [`Store::plan`](crate::Store::plan) foretells and
/// [`Store::begin`](crate::Store::begin) begins.
///
/// ```
/// use keyroute_kv::{Edit, Node, Weight};
///
/// let edits = [
///     Edit::add(Node::new("c")?),
///     Edit::add(Node::new("d")?).at("redis://10.0.0.7:6379"),
///     Edit::add(Node::new("e")?).again(), // a name that one had which left
///     Edit::Remove { id: "a".to_owned() },
///     Edit::Reweight { id: "b".to_owned(), weight: Weight::new(3)? },
///     Edit::Replicas { replicas: 2 },
/// ];
/// # let _ = edits;
/// # Ok::<(), keyroute_kv::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// A node joins.
    Add {
        /// The node.
        node: Node,
        /// Where it is; `None` for an address that is the id's text.
        address: Option<String>,
        /// Whether it may have the name of one that left.
        again: bool,
    },
    /// A node leaves; its keys move first.
    Remove {
        /// Its id.
        id: String,
    },
    /// A node's weight changes.
    Reweight {
        /// Its id.
        id: String,
        /// The weight from then on.
        weight: Weight,
    },
    /// Each key lies on more nodes, or on fewer.
    Replicas {
        /// On how many, 1 to [`MAX_REPLICAS`](crate::MAX_REPLICAS).
        replicas: usize,
    },
}

impl Edit {
    /// A node joins, at an address that is its id's text, under a name that none had before.
    #[must_use]
    pub fn add(node: Node) -> Self {
        Self::Add {
            node,
            address: None,
            again: false,
        }
    }

    /// The same for a node that is at this address. Edits other than `Add` stay as they are.
    #[must_use]
    pub fn at(mut self, to: impl Into<String>) -> Self {
        if let Self::Add { address, .. } = &mut self {
            *address = Some(to.into());
        }
        self
    }

    /// The same for a node that may have the name of one that left. Edits other than `Add` stay as they are.
    #[must_use]
    pub fn again(mut self) -> Self {
        if let Self::Add { again, .. } = &mut self {
            *again = true;
        }
        self
    }

    /// The nodes and replicas after it, if no change is under way. Notes a new node's address in the record.
    pub(crate) fn apply(&self, record: &mut Record) -> Result<(Vec<Node>, usize), KvError> {
        if record.change.is_some() {
            return Err(KvError::ChangeUnderWay);
        }
        let mut nodes = record.fleet.nodes.clone();
        let mut replicas = record.fleet.replicas;
        match self {
            Self::Add {
                node,
                address,
                again,
            } => {
                let id = node.id();
                if nodes.iter().any(|it| it.id() == id) {
                    return Err(RouteError::AlreadyMember { id: id.clone() }.into());
                }
                if !again && record.retired.contains(id) {
                    return Err(KvError::Retired { id: id.clone() });
                }
                let address = address.as_deref().unwrap_or(id.as_str());
                record.addresses.set(id, address);
                nodes.push(node.clone());
                record.addresses.check(&nodes)?;
            }
            Self::Remove { id } => {
                let node = nodes.remove(place_of(&nodes, id)?);
                if nodes.is_empty() {
                    let id = node.id().clone();
                    return Err(KvError::LastNode { id });
                }
            }
            Self::Reweight { id, weight } => {
                let place = place_of(&nodes, id)?;
                nodes[place] = nodes[place].clone().with_weight(*weight);
            }
            Self::Replicas { replicas: wanted } => {
                check_replicas(*wanted)?;
                replicas = *wanted;
            }
        }
        let stays = |id: &&NodeId| nodes.iter().any(|node| node.id() == *id);
        match record.left_overs.iter().find(stays) {
            Some(id) => Err(KvError::LeftOvers { id: id.clone() }),
            None => Ok((nodes, replicas)),
        }
    }
}

pub(crate) fn place_of(nodes: &[Node], id: &str) -> Result<usize, RouteError> {
    let place = nodes.iter().position(|node| *node.id() == *id);
    place.ok_or_else(|| RouteError::NotMember { id: id.to_owned() })
}
