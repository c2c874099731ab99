//! [`inherent_lookups!`](crate::inherent_lookups) and [`inherent_walks!`](crate::inherent_walks): the main
//! methods of a router as inherent ones, so that its user imports no trait.

/// Within an `impl` block of a [`Router`](crate::Router): its lookups, members and fingerprint as inherent
/// methods.
///
/// ```
/// use keyroute_core::{Description, MemberOrder, Members, Router, Slot};
///
/// struct First(Members);
///
/// impl Router for First {
///     fn route(&self, _key: &[u8]) -> Option<Slot> {
///         self.0.by_id().next()
///     }
///     fn members(&self) -> &Members {
///         &self.0
///     }
///     fn describe(&self) -> Description {
///         Description::new("example/first", MemberOrder::ById)
///     }
///     fn heap_bytes(&self) -> usize {
///         self.0.heap_bytes()
///     }
/// }
///
/// impl First {
///     keyroute_core::inherent_lookups!();
/// }
///
/// assert_eq!(First(Members::new()).route_id(b"user:1"), None);
/// ```
#[macro_export]
macro_rules! inherent_lookups {
    () => {
        /// The slot of the node that owns this key; `None` without members.
        #[must_use]
        pub fn route(&self, key: &[u8]) -> Option<$crate::Slot> {
            $crate::Router::route(self, key)
        }

        /// The id of the node that owns this key; `None` without members.
        #[must_use]
        pub fn route_id(&self, key: &[u8]) -> Option<&$crate::NodeId> {
            $crate::Router::route_id(self, key)
        }

        /// The nodes and their slots.
        #[must_use]
        pub fn members(&self) -> &$crate::Members {
            $crate::Router::members(self)
        }

        /// What two processes compare to know that they answer alike.
        #[must_use]
        pub fn fingerprint(&self) -> $crate::Fingerprint {
            $crate::Router::fingerprint(self)
        }

        /// Why this key goes where it goes, and the next nodes of its order, where there is one.
        #[must_use]
        pub fn explain(&self, key: &[u8]) -> $crate::Explanation {
            $crate::Router::explain(self, key)
        }
    };
}

/// Within an `impl` block of a [`Walk`](crate::Walk): replicas and the choice among nodes that are up, as
/// inherent methods.
///
/// `Rendezvous` and the rings beside it have their methods so; see
/// [`inherent_lookups!`](crate::inherent_lookups).
#[macro_export]
macro_rules! inherent_walks {
    () => {
        /// The first `n` nodes of the key's order, the owner first.
        #[must_use]
        pub fn replicas(&self, key: &[u8], n: usize) -> $crate::__private::Vec<$crate::Slot> {
            $crate::WalkExt::replicas(self, key, n)
        }

        /// The first node of the key's order that satisfies the predicate: how to pass over nodes that are
        /// down.
        pub fn first_where(
            &self,
            key: &[u8],
            accept: impl FnMut($crate::Slot) -> bool,
        ) -> Option<$crate::Slot> {
            $crate::WalkExt::first_where(self, key, accept)
        }
    };
}
