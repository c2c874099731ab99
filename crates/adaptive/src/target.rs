//! [`Target`]: whose points are balanced.

use alloc::sync::Arc;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::sync::{Mutex, PoisonError, RwLock};

use keyroute_core::{Node, NodeId, Reweight, RouteError};

use crate::Change;

/// Something with nodes whose points can be set: a router, a router behind a lock, a cluster.
///
/// Points are weights. With a ring of one point for a unit of weight, and weights of about 100, steps are fine enough.
/// On native rings fewer points are the same points without the last ones, so no key between other nodes moves
/// (the laws *raising a weight* and *lowering a weight* of [`Reweight`]).
///
/// Implemented for `&mut R` of every router `R` that can [`Reweight`]; with the feature `std` for `&Mutex<R>` and
/// `&RwLock<R>`; by `keyroute-cluster` for `&Cluster`; and for an [`Arc`] of whatever has it for its reference.
///
/// A lock is taken for each call and for nothing else, never around the balancer's own; a poisoned one is taken all the
/// same, since a router that refuses stays as it was.
///
/// ```
/// use keyroute_adaptive::{Change, NodeId, Target, Weight};
/// use keyroute_vector_ring::{Native, VectorRing, hash::Xxh3};
///
/// let scheme = Native::new(Xxh3).with_points_per_weight(1)?;
/// let mut ring = VectorRing::from_ids_with(scheme, ["a", "b"])?;
/// let to = Weight::new(120)?;
/// let change = Change { id: NodeId::new("a")?, from: Weight::ONE, to };
/// (&mut ring).set_points(&[change.clone()])?;
/// assert_eq!(ring.points(), 121);
///
/// (&mut ring).set_points(&[change])?; // it has not 1 point any more: somebody else was there first
/// assert_eq!(ring.points(), 121);
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
pub trait Target {
    /// The nodes, with the points they have now.
    fn nodes(&mut self) -> Vec<Node>;

    /// Those of the nodes that do not take all their keys now, being down, drained or starting slowly: they are
    /// [excused](crate::Balancer::excuse) from judgement. None unless said.
    fn excused(&mut self) -> Vec<NodeId> {
        Vec::new()
    }

    /// Gives nodes new points, all together. Passes over a node that left, or that has other points than
    /// [`from`](Change::from): somebody else changed it meanwhile.
    ///
    /// # Errors
    ///
    /// What the router refuses. It is as it was.
    fn set_points(&mut self, changes: &[Change]) -> Result<(), RouteError>;
}

impl<R: Reweight + ?Sized> Target for &mut R {
    fn nodes(&mut self) -> Vec<Node> {
        self.members()
            .iter()
            .map(|(_, node)| node.clone())
            .collect()
    }

    fn set_points(&mut self, changes: &[Change]) -> Result<(), RouteError> {
        let mut done: Vec<&Change> = Vec::new();
        for change in changes {
            let members = self.members();
            let slot = members.slot_of(change.id.as_str());
            let node = slot.and_then(|slot| members.get(slot));
            if node.is_none_or(|node| node.weight() != change.from) {
                continue;
            }
            if let Err(error) = self.reweight(change.id.as_str(), change.to) {
                for change in done.into_iter().rev() {
                    // It had these points a moment ago.
                    self.reweight(change.id.as_str(), change.from)?;
                }
                return Err(error);
            }
            done.push(change);
        }
        Ok(())
    }
}

impl<T: ?Sized> Target for Arc<T>
where
    for<'t> &'t T: Target,
{
    fn nodes(&mut self) -> Vec<Node> {
        (&**self).nodes()
    }

    fn excused(&mut self) -> Vec<NodeId> {
        (&**self).excused()
    }

    fn set_points(&mut self, changes: &[Change]) -> Result<(), RouteError> {
        (&**self).set_points(changes)
    }
}

#[cfg(feature = "std")]
macro_rules! locked {
    ($($lock:ident by $guard:ident),*) => {$(
        impl<R: Reweight> Target for &$lock<R> {
            fn nodes(&mut self) -> Vec<Node> {
                let mut router = self.$guard().unwrap_or_else(PoisonError::into_inner);
                (&mut *router).nodes()
            }

            fn set_points(&mut self, changes: &[Change]) -> Result<(), RouteError> {
                let mut router = self.$guard().unwrap_or_else(PoisonError::into_inner);
                (&mut *router).set_points(changes)
            }
        }
    )*};
}

#[cfg(feature = "std")]
locked!(Mutex by lock, RwLock by write);
