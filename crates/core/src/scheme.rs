//! [`Scheme`]: everything that decides a ring's answers, the container apart.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::Debug;

use crate::{
    AtOrAfter, Description, KeyHasher, Lookup, MemberOrder, Members, Node, Position, RouteError,
    Slot,
};

/// Which positions nodes take, how a key is placed, which point serves it, and who wins a tie.
///
/// A scheme is a value: [`Native`](crate::Native), [`Labelled`](crate::Labelled),
/// [`Tokens`](crate::Tokens), or your own. Any scheme works in any container. One whose points
/// depend on the other members (weighted ketama) implements `Scheme` alone: its rings can be rebuilt
/// but not added to. One whose nodes are independent implements [`PointScheme`] too.
///
/// Implementors: `name` and `describe` must say all that decides an answer. Points
/// are computed from bytes and fixed-width integers, the same on every machine.
pub trait Scheme {
    /// The width of the ring.
    type Position: Position;
    /// What places keys.
    type Hasher: KeyHasher<Out = Self::Position>;
    /// Which point serves a position.
    type Lookup: Lookup;
    /// Who wins where points are equal.
    type Ties: TieOrder;

    /// What places keys. (What places points may be another.)
    fn hasher(&self) -> &Self::Hasher;

    /// The scheme's name and revision, as `ring/native/1`.
    fn name(&self) -> &'static str;

    /// Says what else decides an answer. The ring itself says the hasher of keys, the lookup, the tie
    /// order and the points per unit of weight.
    fn describe(&self, _to: &mut Description) {}

    /// How many points these members will take.
    fn count(&self, members: &Members) -> u64;

    /// The points of all members, in any order.
    ///
    /// # Errors
    ///
    /// [`RouteError::Unplaceable`] or another refusal that names the node.
    fn fleet_points(&self, members: &Members) -> Result<Vec<(Self::Position, Slot)>, RouteError>;

    /// The points per unit of weight, if the number of a node's points follows from its weight: the
    /// way out of [`RouteError::TooManyPoints`].
    fn points_per_weight(&self) -> Option<u32> {
        None
    }
}

/// A scheme in which a node's points depend on that node alone.
///
/// Such a ring can be added to and removed from, and adding moves keys only to the newcomer. Raising
/// a weight must only add points: point j may not depend on the weight.
#[diagnostic::on_unimplemented(
    message = "in the scheme `{Self}` a node's points depend on the other members",
    note = "so one node cannot join, leave or change its weight alone: `rebuild` the ring from the \
            whole list"
)]
pub trait PointScheme: Scheme {
    /// The points of one node. Its [`fleet_points`](Scheme::fleet_points) is
    /// [`points_of_each`](Self::points_of_each).
    ///
    /// # Errors
    ///
    /// [`RouteError::Unplaceable`] or another refusal that names the node.
    fn points(&self, node: &Node) -> Result<Vec<Self::Position>, RouteError>;

    /// How many points one node takes.
    fn count_of(&self, node: &Node) -> u64;

    /// The points of all members, node by node.
    ///
    /// # Errors
    ///
    /// As [`points`](Self::points).
    fn points_of_each(&self, members: &Members) -> Result<Vec<(Self::Position, Slot)>, RouteError> {
        // The ring has refused more than MAX_POINTS before it asks for points.
        let count = self.count_of_each(members).min(crate::MAX_POINTS);
        let mut all = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        for (slot, node) in members.iter() {
            all.extend(
                self.points(node)?
                    .into_iter()
                    .map(|position| (position, slot)),
            );
        }
        Ok(all)
    }

    /// The number of points of all members together.
    fn count_of_each(&self, members: &Members) -> u64 {
        members
            .iter()
            .map(|(_, node)| self.count_of(node))
            .fold(0, u64::saturating_add)
    }
}

/// Who comes first where points of several nodes share a position. Every point is kept: the order only
/// ranks them, and removing the winner uncovers the next.
pub trait TieOrder: Copy + Default + Debug {
    /// Its name in descriptions.
    const NAME: &'static str;
    /// Which order of the members it reads.
    const ORDER: MemberOrder;

    /// Compares two members that share a position: `Less` comes first.
    fn cmp(members: &Members, a: Slot, b: Slot) -> Ordering;
}

/// The lower id comes first: the native order, independent of history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ById;

impl TieOrder for ById {
    const NAME: &'static str = "by id";
    const ORDER: MemberOrder = MemberOrder::ById;

    fn cmp(members: &Members, a: Slot, b: Slot) -> Ordering {
        members.cmp_id(a, b)
    }
}

/// The node listed first comes first, as in systems that sort a list stably or keep the first insert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstListed;

impl TieOrder for FirstListed {
    const NAME: &'static str = "first listed";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn cmp(members: &Members, a: Slot, b: Slot) -> Ordering {
        members.cmp_listing(a, b)
    }
}

/// The node listed last comes first, as in systems whose map overwrites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastListed;

impl TieOrder for LastListed {
    const NAME: &'static str = "last listed";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn cmp(members: &Members, a: Slot, b: Slot) -> Ordering {
        members.cmp_listing(b, a)
    }
}

macro_rules! adapter {
    ($(#[$doc:meta])* $name:ident, $parameter:ident: $bound:ident, Lookup = $lookup:ty, Ties = $ties:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
        pub struct $name<S, $parameter> {
            scheme: S,
            #[cfg_attr(feature = "serde", serde(skip))]
            rule: core::marker::PhantomData<$parameter>,
        }

        impl<S: Scheme, $parameter: $bound> $name<S, $parameter> {
            /// The same scheme under this rule.
            #[must_use]
            pub fn new(scheme: S, _rule: $parameter) -> Self {
                Self { scheme, rule: core::marker::PhantomData }
            }
        }

        impl<S: Scheme, $parameter: $bound> Scheme for $name<S, $parameter> {
            type Position = S::Position;
            type Hasher = S::Hasher;
            type Lookup = $lookup;
            type Ties = $ties;

            fn hasher(&self) -> &S::Hasher {
                self.scheme.hasher()
            }
            fn name(&self) -> &'static str {
                self.scheme.name()
            }
            fn describe(&self, to: &mut Description) {
                self.scheme.describe(to);
            }
            fn count(&self, members: &Members) -> u64 {
                self.scheme.count(members)
            }
            fn fleet_points(&self, members: &Members) -> Result<Vec<(S::Position, Slot)>, RouteError> {
                self.scheme.fleet_points(members)
            }
            fn points_per_weight(&self) -> Option<u32> {
                self.scheme.points_per_weight()
            }
        }

        impl<S: PointScheme, $parameter: $bound> PointScheme for $name<S, $parameter> {
            fn points(&self, node: &Node) -> Result<Vec<S::Position>, RouteError> {
                self.scheme.points(node)
            }
            fn count_of(&self, node: &Node) -> u64 {
                self.scheme.count_of(node)
            }
        }
    };
}

adapter!(
    /// A scheme with another [`Lookup`] rule.
    ///
    /// ```
    /// use keyroute_core::{Nearest, Native, WithLookup, hash::Xxh3};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::with_scheme(WithLookup::new(Native::new(Xxh3), Nearest));
    /// # let _ = ring;
    /// ```
    WithLookup, L: Lookup, Lookup = L, Ties = S::Ties
);

adapter!(
    /// A scheme with another [`TieOrder`].
    ///
    /// ```
    /// use keyroute_core::{LastListed, Native, WithTies, hash::Xxh3};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::with_scheme(WithTies::new(Native::new(Xxh3), LastListed));
    /// # let _ = ring;
    /// ```
    WithTies, O: TieOrder, Lookup = S::Lookup, Ties = O
);

/// The lookup of schemes that do not say another.
pub(crate) type DefaultLookup = AtOrAfter;
