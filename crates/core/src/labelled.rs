//! [`Labelled`]: points from text labels, as existing systems make them.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::scheme::DefaultLookup;
use crate::{
    ById, Description, KeyHasher, Members, Node, PointScheme, PointsPerWeight, RouteError, Scheme,
    Slot,
};

/// How a label is written: text around `{node}` and `{i}`, once each, as `{node}-{i}`.
///
/// The index is decimal, from 0, without padding. A template whose `{i}` touches `{node}` gives two
/// nodes one label when names begin or end in digits: `{i}{node}` writes `111.2.3.4` for point 11 of
/// `1.2.3.4` and for point 1 of `11.2.3.4`. Such templates are accepted, since systems in the field use
/// them; all points are kept, and the tie order decides.
///
/// ```
/// use keyroute_core::Template;
///
/// assert_eq!(Template::new("{node}#VN{i}")?.label("a", 7), "a#VN7");
/// assert!(Template::new("{node}").is_err());
/// assert!(Template::new("{node}{node}{i}").is_err());
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    node_at: usize,
    index_at: usize,
}

const NODE: &str = "{node}";
const INDEX: &str = "{i}";

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// [`RouteError::Template`] unless it holds `{node}` and `{i}` exactly once each.
    pub fn new(template: &str) -> Result<Self, RouteError> {
        let refuse = |problem| RouteError::Template {
            template: template.into(),
            problem,
        };
        let once = |part, missing, twice| {
            let mut found = template.match_indices(part);
            let (at, _) = found.next().ok_or_else(|| refuse(missing))?;
            if found.next().is_some() {
                Err(refuse(twice))
            } else {
                Ok(at)
            }
        };
        Ok(Self {
            node_at: once(NODE, "has no {node}", "has {node} twice")?,
            index_at: once(INDEX, "has no {i}", "has {i} twice")?,
            text: template.into(),
        })
    }

    /// The label of a node's point.
    #[must_use]
    pub fn label(&self, node: &str, index: u32) -> String {
        let mut label = String::new();
        self.write(node, index, &mut label);
        label
    }

    /// The template's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn write(&self, node: &str, index: u32, label: &mut String) {
        use fmt::Write;

        let (text, node_at, index_at) = (&self.text, self.node_at, self.index_at);
        // Writing to a string cannot fail.
        let _ = if node_at < index_at {
            let (head, middle, tail) = (
                &text[..node_at],
                &text[node_at + NODE.len()..index_at],
                &text[index_at + INDEX.len()..],
            );
            write!(label, "{head}{node}{middle}{index}{tail}")
        } else {
            let (head, middle, tail) = (
                &text[..index_at],
                &text[index_at + INDEX.len()..node_at],
                &text[node_at + NODE.len()..],
            );
            write!(label, "{head}{index}{middle}{node}{tail}")
        };
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// Points from the hash of a text label: `ring/labelled/1`.
///
/// For systems that route this way already; for a new one [`Native`](crate::Native) is the better
/// choice. Keys are placed by the same hasher. Ties: the lower id comes first, unless
/// [`WithTies`](crate::WithTies) says otherwise. Lookup: at or after.
///
/// ```
/// use keyroute_core::{Labelled, LastListed, WithTies, hash_fn};
/// use keyroute_vector_ring::VectorRing;
///
/// let hasher = hash_fn(|label: &[u8]| label.iter().fold(0u32, |h, &b| h.wrapping_mul(31) + u32::from(b)));
/// let scheme = Labelled::new("{node}#{i}", hasher)?.with_points_per_weight(150)?;
/// let ring = VectorRing::with_scheme(WithTies::new(scheme, LastListed));
/// # let _ = ring;
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Labelled<H> {
    template: Template,
    hasher: H,
    points_per_weight: PointsPerWeight,
}

impl<H: KeyHasher> Labelled<H> {
    /// Labels of this template through this hasher, with
    /// [`DEFAULT_POINTS_PER_WEIGHT`](crate::DEFAULT_POINTS_PER_WEIGHT).
    ///
    /// # Errors
    ///
    /// [`RouteError::Template`], as [`Template::new`].
    pub fn new(template: &str, hasher: H) -> Result<Self, RouteError> {
        let template = Template::new(template)?;
        Ok(Self {
            template,
            hasher,
            points_per_weight: PointsPerWeight::default(),
        })
    }

    /// The same scheme with this many points per unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn with_points_per_weight(mut self, points: u32) -> Result<Self, RouteError> {
        self.points_per_weight = PointsPerWeight::new(points)?;
        Ok(self)
    }
}

impl<H: KeyHasher> Scheme for Labelled<H> {
    type Position = H::Out;
    type Hasher = H;
    type Lookup = DefaultLookup;
    type Ties = ById;

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn name(&self) -> &'static str {
        "ring/labelled/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("label", &self.template);
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(H::Out, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(self.points_per_weight.get())
    }
}

impl<H: KeyHasher> PointScheme for Labelled<H> {
    fn points(&self, node: &Node) -> Result<Vec<H::Out>, RouteError> {
        let mut label = String::new();
        let points = self.points_per_weight.indices(node).map(|index| {
            label.clear();
            self.template.write(node.id().as_str(), index, &mut label);
            self.hasher.hash(label.as_bytes())
        });
        Ok(points.collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        self.points_per_weight.count(node)
    }
}
