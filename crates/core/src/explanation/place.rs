//! [`Place`]: where a key stands, in the terms of each family of strategies.

use alloc::string::String;
use alloc::vec::Vec;

use super::HashValue;
use crate::{EqualParts, NodeId, Slot};

/// Where a key stands, and by what rule that place belongs to a node.
///
/// ```
/// use keyroute_core::{DrawnPlace, HashValue, NodeId, Place, PointPlace, ProbePlace, Router, WindowPlace};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b"])?;
/// let why = ring.explain(b"user:1");
/// let Place::Arc(arc) = why.place() else { unreachable!("a ring has arcs") };
/// assert!(arc.owned > 0.2 && arc.point.of == 160);
///
/// // What strategies say that are no rings, and how it is told.
/// let told = |place| ring.explain(b"user:1").placed(place).to_string();
/// let drawn = DrawnPlace { bucket: 4, in_service: 3, before: vec![7] };
/// assert!(told(Place::Drawn(drawn)).contains("bucket    4, drawn behind 7, out of service; 3 are in service\n"));
///
/// let place = |number: u64| HashValue::of(number);
/// let point: PointPlace = arc.point.clone();
/// let probe = ProbePlace { number: 2, of: 21, position: place(1), distance: place(9), point };
/// assert!(told(Place::Probe(probe)).contains("probe     2 of 21 is closest: 0x"));
///
/// let candidates = vec![NodeId::new("b")?, NodeId::new("a")?];
/// let window = WindowPlace { position: place(2), after: place(1), through: place(5), candidates };
/// assert!(told(Place::Window(window)).contains("window    b, a: the greatest draw takes it\n"));
///
/// let best = Place::Best { nodes: 2, rule: "the greatest draw".into() };
/// assert!(told(best).contains("asked     all of 2: the greatest draw takes it\n"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Place {
    /// The router does not say.
    #[default]
    Unsaid,
    /// On an arc of a ring.
    Arc(ArcPlace),
    /// Behind a point of a ring, by the closest of several probes.
    Probe(ProbePlace),
    /// On an entry of a table, a bucket of a list.
    Entry(EntryPlace),
    /// On a bucket that was drawn until one came up that is in service.
    Drawn(DrawnPlace),
    /// Nowhere: each node is asked, and the best has the key.
    Best {
        /// How many nodes are asked.
        nodes: usize,
        /// What the best one has, as `the greatest draw`.
        rule: String,
    },
    /// On an arc of a ring whose next nodes compete.
    Window(WindowPlace),
}

/// An arc of a ring, and the point that serves it. [`contains`](Self::contains) shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct ArcPlace {
    /// Where the key stands.
    pub position: HashValue,
    /// The last position before the arc.
    pub after: HashValue,
    /// The last position of the arc. Where both are equal it is the whole ring.
    pub through: HashValue,
    /// The point that serves it.
    pub point: PointPlace,
    /// The rule that finds the point, as `at or after`.
    pub lookup: String,
    /// All arcs of that point's node together, as a part of the ring.
    pub owned: f64,
}

impl ArcPlace {
    /// Whether a position lies in the arc.
    ///
    /// ```
    /// use keyroute_core::{Place, Router};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let why = VectorRing::from_ids(["a", "b"])?.explain(b"user:1");
    /// let Place::Arc(arc) = why.place() else { unreachable!("a ring has arcs") };
    /// assert!(arc.contains(arc.position) && arc.contains(arc.through) && !arc.contains(arc.after));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn contains(&self, position: HashValue) -> bool {
        // Clockwise from the first position of the arc, as `OwnedRange` counts.
        let mask = u128::MAX >> (128 - self.through.bits());
        let ahead = |to: HashValue| to.value().wrapping_sub(self.after.value()) & mask;
        let before = |distance: u128| distance.wrapping_sub(1) & mask;
        before(ahead(position)) <= before(ahead(self.through))
    }
}

/// A point of a ring, and whose it is. [`Explanation`](crate::Explanation) shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct PointPlace {
    /// Where it stands.
    pub position: HashValue,
    /// Its node.
    pub node: NodeId,
    /// Which of the node's points it is, from 1, in the order of their positions.
    pub number: u64,
    /// How many points the node has.
    pub of: u64,
    /// Other nodes with a point there, in the order of preference.
    pub others: Vec<NodeId>,
    /// The rule that puts the node before them, as `by id`.
    pub ties: String,
}

/// The closest of several probes, and the point it finds. [`Place`] shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct ProbePlace {
    /// Which probe, from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// Where it stands.
    pub position: HashValue,
    /// How far ahead the point is, or what the rule takes for that.
    pub distance: HashValue,
    /// The point that serves the key.
    pub point: PointPlace,
}

/// An entry of a table, a bucket of a list, a partition. [`in_parts`](Self::in_parts) shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct EntryPlace {
    /// What the strategy calls it, as `partition`.
    pub name: &'static str,
    /// Its number, from 0.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// How a key finds its number.
    pub rule: String,
    /// The first and the last of the digests that find it, where they are a range.
    pub digests: Option<[HashValue; 2]>,
    /// How many the same node owns.
    pub owned: Option<u64>,
}

/// A bucket in service, and those drawn before it. [`Place`] shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct DrawnPlace {
    /// The bucket.
    pub bucket: u32,
    /// How many are in service.
    pub in_service: u64,
    /// The buckets that came up before it, in order, which are out of service.
    pub before: Vec<u32>,
}

/// A stretch of a ring, and the nodes that compete for its keys. [`Place`] shows one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize))]
pub struct WindowPlace {
    /// Where the key stands.
    pub position: HashValue,
    /// The last position before the stretch.
    pub after: HashValue,
    /// Its last position, where the first candidate's point stands. Where both are equal it is the whole ring.
    pub through: HashValue,
    /// The candidates, in the order of the ring: the greatest draw takes the key.
    pub candidates: Vec<NodeId>,
}

impl EntryPlace {
    /// The part of all 64-bit digests that holds this one, called by this name.
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use keyroute_core::{EntryPlace, EqualParts, Slot};
    ///
    /// let quarters = EqualParts::new(NonZeroU32::new(4).unwrap());
    /// let [a, b] = [0, 1].map(|index| Slot::new(index).unwrap());
    /// let place = EntryPlace::in_parts("entry", quarters, 1 << 63).owned_by(a, [b, b, a, b]);
    /// assert_eq!((place.number, place.of, place.owned), (2, 4, Some(1)));
    /// ```
    #[must_use]
    pub fn in_parts(name: &'static str, parts: EqualParts, digest: u64) -> Self {
        let number = parts.of(digest);
        Self {
            name,
            number: number.into(),
            of: parts.count().into(),
            rule: "equal parts of the digests".into(),
            digests: Some(parts.digests(number)),
            owned: None,
        }
    }

    /// The same, and how many of these entries are this owner's.
    #[must_use]
    pub fn owned_by(mut self, owner: Slot, entries: impl IntoIterator<Item = Slot>) -> Self {
        let own = entries.into_iter().filter(|&entry| entry == owner);
        self.owned = Some(own.count() as u64);
        self
    }
}

impl Place {
    /// The part of all digests that the node at this place owns, where it can be told exactly; up to 1.
    ///
    /// ```
    /// use keyroute_core::Router;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let why = VectorRing::from_ids(["a"])?.explain(b"user:1");
    /// assert_eq!(why.place().owned(), Some(1.0)); // alone
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn owned(&self) -> Option<f64> {
        match self {
            Self::Arc(arc) => Some(arc.owned),
            Self::Entry(entry) => Some(entry.owned? as f64 / entry.of as f64),
            _ => None,
        }
    }
}
