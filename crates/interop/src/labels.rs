//! [`Labels`]: the rings of systems that hash a text label for each point.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use keyroute_core::{
    Description, KeyHasher, Labelled, Lookup, Members, Node, PointScheme, RouteError, Scheme, Slot,
    TieOrder, Weight,
};
use keyroute_vector_ring::VectorRing;

/// What tells one such system from another.
pub trait LabelRule {
    /// The preset's name and revision.
    const NAME: &'static str;
    /// How a label is written, as a [`Template`](keyroute_core::Template).
    const LABEL: &'static str;
    /// Whether a node of weight w has w times the points; otherwise weights are refused.
    const WEIGHTED: bool;
    /// Which point serves a key.
    type Lookup: Lookup;
    /// Who owns a point that two nodes share.
    type Ties: TieOrder;
}

/// A ring's scheme as such a system has it: point i of a node is the hash of its label with i, from 0, and a key
/// is placed by the same hash.
///
/// Every point is kept: a node that shares one with another uncovers the other's when it leaves.
pub struct Labels<R, H> {
    labelled: Labelled<H>,
    rule: PhantomData<R>,
}

impl<R: LabelRule, H: KeyHasher> Labels<R, H> {
    /// So many points a node, or for a unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn new(hasher: H, points: u32) -> Result<Self, RouteError> {
        let labelled = Labelled::new(R::LABEL, hasher)?.with_points_per_weight(points)?;
        Ok(Self {
            labelled,
            rule: PhantomData,
        })
    }

    /// A ring of nodes with these names, in this order, each of so many points.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), [`VectorRing::from_nodes_with`] and [`Node::new`].
    pub fn ring(
        hasher: H,
        points: u32,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<VectorRing<Self>, RouteError> {
        VectorRing::from_ids_with(Self::new(hasher, points)?, names)
    }
}

impl<R: LabelRule, H: KeyHasher> Scheme for Labels<R, H> {
    type Position = H::Out;
    type Hasher = H;
    type Lookup = R::Lookup;
    type Ties = R::Ties;

    fn hasher(&self) -> &H {
        self.labelled.hasher()
    }

    fn name(&self) -> &'static str {
        R::NAME
    }

    fn describe(&self, to: &mut Description) {
        self.labelled.describe(to);
    }

    fn count(&self, members: &Members) -> u64 {
        self.labelled.count(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(H::Out, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        self.labelled.points_per_weight()
    }
}

impl<R: LabelRule, H: KeyHasher> PointScheme for Labels<R, H> {
    fn points(&self, node: &Node) -> Result<Vec<H::Out>, RouteError> {
        if !R::WEIGHTED {
            unweighted(R::NAME, node)?;
        }
        self.labelled.points(node)
    }

    fn count_of(&self, node: &Node) -> u64 {
        self.labelled.count_of(node)
    }
}

/// Refuses a weight other than 1 in a system without weights.
pub(crate) fn unweighted(strategy: &'static str, node: &Node) -> Result<(), RouteError> {
    if node.weight() == Weight::ONE {
        return Ok(());
    }
    Err(RouteError::WeightUnsupported {
        id: node.id().clone(),
        weight: node.weight().get(),
        strategy,
    })
}

// By hand, since a rule is never a value.
impl<R, H: Clone> Clone for Labels<R, H> {
    fn clone(&self) -> Self {
        Self {
            labelled: self.labelled.clone(),
            rule: PhantomData,
        }
    }
}

impl<R: LabelRule, H: fmt::Debug> fmt::Debug for Labels<R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Labels")
            .field("system", &R::NAME)
            .field("labelled", &self.labelled)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::hash::Crc32;
    use keyroute_core::{Node, RouteError, Weight};

    use crate::{Groupcache, Serialx, SerialxHash};

    #[test]
    fn weights_are_points_or_refused() {
        let heavy = || Node::new("b").unwrap().with_weight(Weight::new(3).unwrap());
        let mut ring = Groupcache::ring(Crc32, 50, ["a"]).unwrap();
        let before = ring.fingerprint();
        assert!(matches!(
            ring.add(heavy()),
            Err(RouteError::WeightUnsupported { weight: 3, .. })
        ));
        assert!(ring.reweight("a", heavy().weight()).is_err());
        assert_eq!((ring.fingerprint(), ring.points()), (before, 50));
        assert!(Groupcache::ring(Crc32, 0, ["a"]).is_err());

        let mut ring = Serialx::weighted(SerialxHash::Md5, [heavy()]).unwrap();
        assert_eq!(ring.points(), 3);
        ring.reweight("b", Weight::ONE).unwrap();
        assert_eq!(ring.points(), 1);
    }
}
