//! [`Remade`]: a router that is made anew of its list of nodes at each change, as systems do that read a
//! configuration.

use keyroute::{Node, Router, Walk};

use super::layouts::{Holders, Layouts, Mapped};
use super::{BoxedWalk, Loads, Refusal, Strategy};
use crate::change::Change;

/// A router, the list that it was made of, and how.
pub(super) struct Remade<R, F> {
    router: R,
    nodes: Vec<Node>,
    make: F,
    walk: Option<fn(&R) -> &dyn Walk>,
    own_walk: Option<fn(R) -> BoxedWalk>,
    layouts: Layouts<R>,
}

/// Makes a router of this list, and again of every list that a change comes to.
///
/// # Errors
///
/// What `make` refuses.
pub(super) fn remade<R, F>(nodes: Vec<Node>, make: F) -> Result<Remade<R, F>, Refusal>
where
    F: Fn(&[Node]) -> Result<R, Refusal>,
{
    Ok(Remade {
        router: make(&nodes)?,
        nodes,
        make,
        walk: None,
        own_walk: None,
        layouts: Layouts::default(),
    })
}

impl<R: Walk + Send + Sync + 'static, F> Remade<R, F> {
    /// The same with its preference order.
    pub(super) fn walking(mut self) -> Self {
        self.walk = Some(|router| router);
        self.own_walk = Some(|router| Box::new(router));
        self
    }
}

impl<R, F> Remade<R, F> {
    /// The same with these layouts.
    pub(super) fn laid_out(mut self, layouts: Layouts<R>) -> Self {
        self.layouts = layouts;
        self
    }
}

impl<R, F> Strategy for Remade<R, F>
where
    R: Router + Send + Sync,
    F: Fn(&[Node]) -> Result<R, Refusal> + Send + Sync,
{
    fn router(&self) -> &dyn Router {
        &self.router
    }

    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        let mut nodes = self.nodes.clone();
        change.apply(&mut nodes)?;
        self.router = (self.make)(&nodes)?;
        self.nodes = nodes;
        Ok(())
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        self.walk.map(|walk| walk(&self.router))
    }

    fn into_walk(self: Box<Self>) -> Option<BoxedWalk> {
        self.own_walk.map(|walk| walk(self.router))
    }

    fn as_loads(&self) -> Option<&dyn Loads> {
        None
    }

    fn layouts(&self, holders: Holders) -> Vec<Mapped<'_>> {
        self.layouts.of(&self.router, holders)
    }
}

#[cfg(test)]
mod tests {
    use keyroute::{Modulo, NodeId, RouteError};

    use super::*;

    fn node(id: &str) -> Node {
        Node::new(id).unwrap()
    }

    #[test]
    fn changes_make_it_anew_of_the_list_in_its_order() {
        let make = |nodes: &[Node]| Ok(Modulo::from_nodes(nodes.iter().cloned())?);
        let mut router = remade(vec![node("b"), node("a"), node("c")], make).unwrap();
        router.change(&Change::Add(node("0"))).unwrap();
        router
            .change(&Change::Remove(NodeId::new("a").unwrap()))
            .unwrap();
        let anew = Modulo::from_nodes([node("b"), node("c"), node("0")]).unwrap();
        assert_eq!(router.router().fingerprint(), anew.fingerprint());
    }

    #[test]
    fn a_refused_change_leaves_router_and_list() {
        let make = |nodes: &[Node]| {
            if nodes.len() > 2 {
                return Err(RouteError::TooManyNodes { limit: 2 }.into());
            }
            Ok(Modulo::from_nodes(nodes.iter().cloned())?)
        };
        assert!(remade(vec![node("a"), node("b"), node("c")], make).is_err());
        let mut router = remade(vec![node("a"), node("b")], make).unwrap();
        let before = router.router().fingerprint();
        let full = router.change(&Change::Add(node("c")));
        assert_eq!(full, Err(RouteError::TooManyNodes { limit: 2 }.into()));
        assert!(router.change(&Change::Add(node("a"))).is_err());
        assert_eq!(router.router().fingerprint(), before);
        // The list is as it was, too: the next change is of two nodes.
        let gone = Change::Remove(NodeId::new("a").unwrap());
        router.change(&gone).unwrap();
        router.change(&Change::Add(node("c"))).unwrap();
    }
}
