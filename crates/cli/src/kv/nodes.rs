//! The nodes that flags and files name, with their addresses.

use std::str::FromStr;

use keyroute::{Node, NodeId, Weight, Zone};
use keyroute_kv::Store;

use crate::fleet::Fleet;

/// A node, and where it is; no address is that of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(super) node: Node,
    pub(super) address: Option<String>,
}

impl Placed {
    pub(super) fn address(&self) -> &str {
        self.address
            .as_deref()
            .unwrap_or_else(|| self.node.id().as_str())
    }

    /// Those of a fleet file.
    pub(super) fn of(fleet: &Fleet) -> Vec<Self> {
        let address = |id: &NodeId| {
            let found = fleet.addresses.iter().find(|(node, _)| node.id() == id);
            found.map(|(_, address)| address.clone())
        };
        let placed = fleet.nodes.iter().map(|node| Self {
            node: node.clone(),
            address: address(node.id()),
        });
        placed.collect()
    }
}

/// `ID[=ADDRESS][,weight=W][,zone=Z]`.
impl FromStr for Placed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or_default();
        let (id, address) = match first.split_once('=') {
            None => (first, None),
            Some((_, "")) => return Err("there is no address behind the `=`".into()),
            Some((id, address)) => (id, Some(address.to_owned())),
        };
        let mut node = Node::new(id).map_err(|error| error.to_string())?;
        for part in parts {
            match part.split_once('=') {
                Some(("weight", weight)) => {
                    let number: u32 = weight.parse().map_err(|_| {
                        format!(
                            "weight {weight:?} is not a whole number from 1 to {}",
                            u32::MAX
                        )
                    })?;
                    node = node.with_weight(Weight::new(number).map_err(|it| it.to_string())?);
                }
                Some(("zone", zone)) => {
                    node = node.with_zone(Zone::new(zone).map_err(|it| it.to_string())?);
                }
                _ => return Err(format!("{part:?} is neither weight=W nor zone=Z")),
            }
        }
        Ok(Self { node, address })
    }
}

/// What these nodes differ in from those that the store has, in words; none if in nothing.
pub(super) fn difference(store: &Store, given: &[Placed]) -> Option<String> {
    let mut differences = Vec::new();
    let there = store.nodes();
    for Placed { node, .. } in given {
        if !there.iter().any(|it| it.id() == node.id()) {
            differences.push(format!("node {:?} is not in the journal", node.id()));
        }
    }
    for node in there {
        let Some(wanted) = given.iter().find(|it| it.node.id() == node.id()) else {
            differences.push(format!("node {:?} is in the journal alone", node.id()));
            continue;
        };
        let address = store.address_of(node.id().as_str()).unwrap_or_default();
        let zone = |node: &Node| {
            node.zone()
                .map_or("none".to_owned(), |it| format!("{:?}", it.as_str()))
        };
        for (what, journal, flags) in [
            (
                "address",
                format!("{address:?}"),
                format!("{:?}", wanted.address()),
            ),
            (
                "weight",
                node.weight().to_string(),
                wanted.node.weight().to_string(),
            ),
            ("zone", zone(&node), zone(&wanted.node)),
        ] {
            if journal != flags {
                let id = node.id();
                differences.push(format!(
                    "node {id:?} has {what} {journal} in the journal, {flags} is given"
                ));
            }
        }
    }
    (!differences.is_empty()).then(|| differences.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_with_what_is_said_of_them() {
        let node = Node::new("a").unwrap();
        let weighted = node.clone().with_weight(Weight::new(3).unwrap());
        let all = weighted.clone().with_zone(Zone::new("z").unwrap());
        for (text, node, address) in [
            ("a", node.clone(), None),
            ("a=memory:a", node, Some("memory:a")),
            ("a,weight=3", weighted, None),
            (
                "a=redis://h:1/2,zone=z,weight=3",
                all,
                Some("redis://h:1/2"),
            ),
        ] {
            let address = address.map(str::to_owned);
            assert_eq!(text.parse(), Ok(Placed { node, address }));
        }
        for text in [
            "",
            "=x",
            "a=",
            "a,weight=0",
            "a,weight=x",
            "a,size=1",
            "a,zone=",
            "a,",
        ] {
            assert!(text.parse::<Placed>().is_err(), "{text}");
        }
    }
}
