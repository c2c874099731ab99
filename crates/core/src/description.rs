//! [`Description`]: everything that decides a router's answers, as something to read and compare.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::hash::identify;
use crate::{Fingerprint, KeyHasher, Members, Node, Slot};

/// Which order of the members a scheme reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberOrder {
    /// None: members are a set, described in the order of their ids.
    ById,
    /// The order of listing, or the nodes' numbers: it decides answers, so it is part of the description.
    Listed,
}

/// Everything that decides a router's answers: scheme, parameters, hashers, members. Not how points
/// are stored; slots and history only where a strategy lets them decide.
///
/// Routers make it in [`Router::describe`](crate::Router::describe); its hash is the
/// [`Fingerprint`]. `Display` is the readable form, a line an entry.
///
/// ```
/// use keyroute_core::{Description, MemberOrder, Members, Node, hash_fn};
///
/// let mut members = Members::from_nodes([Node::new("a")?, Node::new("b")?])?;
/// let describe = |members: &Members| {
///     let mut it = Description::new("example/1", MemberOrder::ById);
///     it.field("points_per_weight", 160);
///     it.members(members);
///     it
/// };
/// let before = describe(&members);
/// members.remove("b")?;
/// let after = describe(&members);
/// assert_ne!(before.fingerprint(), after.fingerprint());
/// assert_eq!(before.differences(&after)[0].to_string(), r#"node "b": weight 1, no zone | absent"#);
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    scheme: String,
    order: MemberOrder,
    fields: BTreeMap<String, String>,
    members: Vec<Node>,
}

impl Description {
    /// A description that names this scheme: its name and revision, as `ring/native/1`.
    #[must_use]
    pub fn new(scheme: &str, order: MemberOrder) -> Self {
        Self {
            scheme: scheme.into(),
            order,
            fields: BTreeMap::new(),
            members: Vec::new(),
        }
    }

    /// Says a parameter. A name said twice keeps the later value.
    pub fn field(&mut self, name: &str, value: impl ToString) {
        self.fields.insert(name.into(), value.to_string());
    }

    /// Says a hasher: its width, and its name or, without one, `unnamed` and its answers to 16
    /// fixed probes.
    pub fn hasher<H: KeyHasher + ?Sized>(&mut self, name: &str, hasher: &H) {
        use crate::Position;
        self.field(
            name,
            alloc::format!("{}, {} bits", identify(hasher), H::Out::BITS),
        );
    }

    /// Says the members, in the order of the scheme.
    pub fn members(&mut self, members: &Members) {
        let slots = match self.order {
            MemberOrder::ById => members.by_id().collect(),
            MemberOrder::Listed => members.listed(),
        };
        self.members_in(members, slots);
    }

    /// Says the members in this order: of a scheme that numbers its nodes itself, and so reads an order
    /// that is neither that of ids nor that of listing.
    pub fn members_in(&mut self, members: &Members, slots: impl IntoIterator<Item = Slot>) {
        self.members = slots
            .into_iter()
            .filter_map(|slot| members.get(slot).cloned())
            .collect();
    }

    /// The scheme, with its revision.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Whether the order of listing matters.
    #[must_use]
    pub fn order(&self) -> MemberOrder {
        self.order
    }

    /// The parameters, by name.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The members, in the order that [`order`](Self::order) says.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.members
    }

    /// The hash of the canonical encoding.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.encode())
    }

    /// The canonical encoding, as `docs/hashing.md` spells it out: numbers little-endian, texts and
    /// lists with their length in front.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        text(&mut out, "keyroute/fingerprint/1");
        text(&mut out, &self.scheme);
        text(
            &mut out,
            match self.order {
                MemberOrder::ById => "by id",
                MemberOrder::Listed => "listed",
            },
        );
        count(&mut out, self.fields.len());
        for (name, value) in &self.fields {
            text(&mut out, name);
            text(&mut out, value);
        }
        count(&mut out, self.members.len());
        for node in &self.members {
            text(&mut out, node.id().as_str());
            out.extend(node.weight().get().to_le_bytes());
            // Zones are never empty, so the empty text is free to say "no zone".
            text(&mut out, node.zone().map_or("", |zone| zone.as_str()));
        }
        out
    }

    /// What differs between this description and another: an empty list if they are equal.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        let mut compare = |what: String, left: Option<String>, right: Option<String>| {
            if left != right {
                differences.push(Difference { what, left, right });
            }
        };
        compare(
            "scheme".into(),
            Some(self.scheme.clone()),
            Some(other.scheme.clone()),
        );
        for name in self.fields.keys().chain(
            other
                .fields
                .keys()
                .filter(|name| !self.fields.contains_key(*name)),
        ) {
            compare(
                name.clone(),
                self.fields.get(name).cloned(),
                other.fields.get(name).cloned(),
            );
        }
        let (left, right) = (by_id(&self.members), by_id(&other.members));
        for id in left
            .keys()
            .chain(right.keys().filter(|id| !left.contains_key(*id)))
        {
            compare(
                alloc::format!("node {id:?}"),
                left.get(id).map(|node| attributes(node)),
                right.get(id).map(|node| attributes(node)),
            );
        }
        // Compared last and only among equal sets: else every missing node would show twice.
        if differences.is_empty() && self != other {
            let (left, right) = (Some(ids(self)), Some(ids(other)));
            differences.push(Difference {
                what: "order of listing".into(),
                left,
                right,
            });
        }
        differences
    }
}

fn count(out: &mut Vec<u8>, count: usize) {
    out.extend((count as u64).to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    count(out, text.len());
    out.extend(text.as_bytes());
}

fn by_id(nodes: &[Node]) -> BTreeMap<&str, &Node> {
    nodes
        .iter()
        .map(|node| (node.id().as_str(), node))
        .collect()
}

fn attributes(node: &Node) -> String {
    match node.zone() {
        Some(zone) => alloc::format!("weight {}, zone {zone:?}", node.weight()),
        None => alloc::format!("weight {}, no zone", node.weight()),
    }
}

fn ids(description: &Description) -> String {
    let ids: Vec<_> = description
        .members
        .iter()
        .map(|node| alloc::format!("{:?}", node.id()))
        .collect();
    match description.order {
        MemberOrder::ById => "does not matter".into(),
        MemberOrder::Listed => ids.join(", "),
    }
}

/// Values that are lists have their items on lines; shown, each value has one.
fn in_one_line(value: &str) -> String {
    let lines: Vec<&str> = value.lines().collect();
    lines.join(", ")
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "scheme: {}", self.scheme)?;
        for (name, value) in &self.fields {
            writeln!(f, "{name}: {}", in_one_line(value))?;
        }
        let order = match self.order {
            MemberOrder::ById => "in any order",
            MemberOrder::Listed => "in this order",
        };
        writeln!(f, "nodes: {}, {order}", self.members.len())?;
        for node in &self.members {
            writeln!(f, "  {:?}: {}", node.id(), attributes(node))?;
        }
        Ok(())
    }
}

/// One thing that differs between two [`Description`]s; `Display` shows `what: left | right`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field, or the node.
    pub what: String,
    /// Its value on the left; `None` where it is absent.
    pub left: Option<String>,
    /// Its value on the right; `None` where it is absent.
    pub right: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |side: &Option<String>| match side {
            Some(value) => in_one_line(value),
            None => "absent".into(),
        };
        write!(
            f,
            "{}: {} | {}",
            self.what,
            side(&self.left),
            side(&self.right)
        )
    }
}
