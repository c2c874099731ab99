//! [`Router`] and what a router may be able to do beyond routing.
//!
//! What a strategy can do is said by the traits it implements, never by a flag: a router that can
//! only shrink from the tail cannot be asked to remove from the middle.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::{
    Description, EXPLAINED_NEXT, Explanation, Fingerprint, HasherTag, KeyDigest, Members, Node,
    NodeId, OwnedRange, Position, RouteDigest, RouteError, Slot, SlotSet, Walk, WalkDigest,
    WalkRanges, Weight,
};

/// Says which node owns a key.
///
/// Callers: [`route`](Self::route) allocates nothing and takes no lock; it answers `None` only when
/// there are no members (or where a preset documents a refusal). The empty key is a key. Equal
/// [`fingerprint`](Self::fingerprint)s mean equal answers, on every machine and in every release.
///
/// Implementors: the answer must depend on the key's bytes and on what `describe` says, and on
/// nothing else; in particular not on the order in which members joined, unless the description
/// says [`MemberOrder::Listed`](crate::MemberOrder::Listed). `route` must not panic.
///
/// The trait is object safe, and `&R`, `Box<R>` and `Arc<R>` are routers too.
///
/// ```
/// use keyroute_core::{Description, MemberOrder, Members, Node, Router, RouteError, Slot};
///
/// /// Sends every key to the node with the lowest id.
/// struct Lowest(Members);
///
/// impl Router for Lowest {
///     fn route(&self, _key: &[u8]) -> Option<Slot> {
///         self.0.by_id().next()
///     }
///     fn members(&self) -> &Members {
///         &self.0
///     }
///     fn describe(&self) -> Description {
///         let mut it = Description::new("example/lowest/1", MemberOrder::ById);
///         it.members(&self.0);
///         it
///     }
///     fn heap_bytes(&self) -> usize {
///         self.0.heap_bytes()
///     }
/// }
///
/// let router: Box<dyn Router> = Box::new(Lowest(Members::from_nodes([Node::new("b")?, Node::new("a")?])?));
/// assert_eq!(router.route_id(b"user:1").unwrap().as_str(), "a");
/// # Ok::<(), RouteError>(())
/// ```
pub trait Router {
    /// The slot of the node that owns this key; `None` without members.
    fn route(&self, key: &[u8]) -> Option<Slot>;

    /// The nodes it routes to.
    fn members(&self) -> &Members;

    /// Everything that decides its answers: scheme, parameters, hashers, members.
    fn describe(&self) -> Description;

    /// The bytes it holds on the heap, members included.
    fn heap_bytes(&self) -> usize;

    /// The hash of [`describe`](Self::describe). Computed each time: O(n), so keep it.
    fn fingerprint(&self) -> Fingerprint {
        self.describe().fingerprint()
    }

    /// The id of the node that owns this key.
    fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        Some(self.members().get(self.route(key)?)?.id())
    }

    /// The owners of many keys: `out[i]` is `route(keys[i])`.
    ///
    /// # Errors
    ///
    /// [`RouteError::BatchLength`] if `out` is longer or shorter than `keys`; `out` is then as it
    /// was.
    fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
        crate::error::check_batch(keys.len(), out.len())?;
        for (key, out) in keys.iter().zip(out) {
            *out = self.route(key);
        }
        Ok(())
    }

    /// Why this key goes where it goes: an answer for people, and the next three nodes of its order.
    ///
    /// ```
    /// use keyroute_core::Router;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let router: Box<dyn Router> = Box::new(VectorRing::from_ids(["cache-1", "cache-2", "cache-3"])?);
    /// println!("{}", router.explain(b"user:1"));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    ///
    /// Says no more and no less than `route` decides by, and costs far more; see [`Explanation`].
    fn explain(&self, key: &[u8]) -> Explanation {
        self.explain_with(key, EXPLAINED_NEXT)
    }

    /// The same with this many nodes behind the owner, where there is an order of nodes.
    ///
    /// Implementors: begin with [`Explanation::of`], which is the answer of a router that says nothing of its
    /// own, and add where the key stands. The owner must be `route`'s, and the nodes in the order of the walk.
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let _ = next; // nothing is known of an order here
        Explanation::of(self, key)
    }
}

/// Routers that a node can join.
///
/// Strategies that claim the law *adding moves keys only to the newcomer* leave all others in place.
pub trait AddNode: Router {
    /// Adds a node; where order matters, at the end of the list.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], or what the strategy refuses. The router is as it was.
    fn add(&mut self, node: Node) -> Result<Slot, RouteError>;
}

/// Routers that any node can leave.
///
/// Strategies that claim the law *removing moves only the leaver's keys* leave all others in place.
pub trait RemoveNode: Router {
    /// Removes the node with this id and gives it back.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    fn remove(&mut self, id: &str) -> Result<Node, RouteError>;
}

/// Routers that only the last node of the list can leave.
pub trait RemoveLast: Router {
    /// Removes the last node and gives it back.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`].
    fn remove_last(&mut self) -> Result<Node, RouteError>;
}

/// Routers whose nodes' weights can change.
///
/// Strategies that claim the laws *raising a weight moves keys only to that node* and *lowering a weight
/// moves keys only from that node* leave all others in place.
pub trait Reweight: Router {
    /// Changes the weight of the node with this id and gives its old one.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], or what the strategy refuses. The router is as it was.
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError>;
}

/// Routers that can be made anew from a whole list of nodes: all of them, but some *only* this way,
/// since each node's points depend on all members. No law says how few keys then move.
pub trait Rebuild: Router {
    /// Replaces the members. Slots are given anew.
    ///
    /// # Errors
    ///
    /// What the strategy refuses. The router is as it was.
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError>;
}

/// A promise without methods: the order in which nodes joined or were listed decides nothing.
pub trait OrderFree: Router {}

macro_rules! forward_shared {
    ($($pointer:ty),*) => {$(
        impl<R: Router + ?Sized> Router for $pointer {
            fn route(&self, key: &[u8]) -> Option<Slot> {
                (**self).route(key)
            }
            fn members(&self) -> &Members {
                (**self).members()
            }
            fn describe(&self) -> Description {
                (**self).describe()
            }
            fn heap_bytes(&self) -> usize {
                (**self).heap_bytes()
            }
            fn fingerprint(&self) -> Fingerprint {
                (**self).fingerprint()
            }
            fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
                (**self).route_id(key)
            }
            fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
                (**self).route_batch(keys, out)
            }
            fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
                (**self).explain_with(key, next)
            }
        }

        impl<R: OrderFree + ?Sized> OrderFree for $pointer {}

        impl<P: Position, R: RouteDigest<Width = P> + ?Sized> RouteDigest for $pointer {
            type Width = P;

            fn hasher_tag(&self) -> HasherTag {
                (**self).hasher_tag()
            }
            fn digest(&self, key: &[u8]) -> KeyDigest<P> {
                (**self).digest(key)
            }
            fn route_value(&self, value: P) -> Option<Slot> {
                (**self).route_value(value)
            }
            fn route_digests(&self, tag: HasherTag, values: &[P], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
                (**self).route_digests(tag, values, out)
            }
        }

        impl<R: Walk + ?Sized> Walk for $pointer {
            fn walk_with(&self, key: &[u8], seen: &mut SlotSet, visit: &mut dyn FnMut(Slot) -> ControlFlow<()>) {
                (**self).walk_with(key, seen, visit);
            }
            fn first_into(&self, key: &[u8], out: &mut [Slot]) -> usize {
                (**self).first_into(key, out)
            }
        }

        impl<R: WalkDigest + ?Sized> WalkDigest for $pointer {
            fn walk_value_with(
                &self,
                value: Self::Width,
                seen: &mut SlotSet,
                visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
            ) {
                (**self).walk_value_with(value, seen, visit);
            }
        }

        impl<R: WalkRanges + ?Sized> WalkRanges for $pointer {
            fn walk_ranges(&self) -> Vec<OwnedRange<Self::Width>> {
                (**self).walk_ranges()
            }
        }
    )*};
}

forward_shared!(&R, Box<R>, Arc<R>);

impl<R: AddNode + ?Sized> AddNode for Box<R> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        (**self).add(node)
    }
}

impl<R: RemoveNode + ?Sized> RemoveNode for Box<R> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        (**self).remove(id)
    }
}

impl<R: RemoveLast + ?Sized> RemoveLast for Box<R> {
    fn remove_last(&mut self) -> Result<Node, RouteError> {
        (**self).remove_last()
    }
}

impl<R: Reweight + ?Sized> Reweight for Box<R> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        (**self).reweight(id, weight)
    }
}

impl<R: Rebuild + ?Sized> Rebuild for Box<R> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        (**self).rebuild(nodes)
    }
}
