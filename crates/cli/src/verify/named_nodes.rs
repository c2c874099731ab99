//! [`NamedNodes`]: systems whose nodes have names and come and go, over any of our routers.

use keyroute::{AddNode, Node, RemoveNode, Router};
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::name_of;
use super::replay::{System, unknown_op};
use super::report::Unusable;

/// A router that answers names.
pub(crate) struct NamedNodes<R>(pub(crate) R);

/// The names of nodes without weights.
pub(crate) fn names(document: &Document) -> Result<Vec<&str>, Unusable> {
    let nodes = document.nodes.iter();
    nodes.map(|node| node.unweighted()).collect()
}

impl<R: Router + AddNode + RemoveNode> System for NamedNodes<R> {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => self.0.add(Node::new(name)?).map(drop)?,
            Op::Remove(name) => self.0.remove(name).map(drop)?,
            other => return Err(unknown_op(other, "add and remove")),
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(name_of(self.0.members(), self.0.route(key.bytes()?)))
    }
}
