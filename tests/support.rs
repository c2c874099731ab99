//! What the tests share: recorded data, streams of keys, counts. A missing file is a failure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use keyroute::{
    KeyHasher, Labelled, Node, Ranges, RouteError, Router, TieOrder, VectorRing, Weight, WithTies,
};
use serde_json::Value;

/// The path of a file or folder under `tests/data`.
#[must_use]
pub fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(path)
}

/// A JSON file under `tests/data`, or one of recorded answers in either form.
///
/// # Panics
///
/// If the file is missing or malformed.
#[must_use]
pub fn json(path: &str) -> Value {
    let place = data(path);
    let text = std::fs::read_to_string(&place)
        .unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    keyroute_cli::verify::plain(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", place.display()))
}

/// The elements of an array.
///
/// # Panics
///
/// If the value is not an array, or is an empty one: a test over it would pass without a check.
#[must_use]
pub fn list(value: &Value) -> &[Value] {
    let elements = value
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {value}"));
    assert!(!elements.is_empty(), "an empty list checks nothing");
    elements
}

/// The text.
///
/// # Panics
///
/// If the value is not a text.
#[must_use]
pub fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a text: {value}"))
}

/// The whole number, in any width.
///
/// # Panics
///
/// If the value is not a number, or does not fit.
#[must_use]
pub fn number<N: TryFrom<u64>>(value: &Value) -> N {
    value
        .as_u64()
        .and_then(|number| N::try_from(number).ok())
        .unwrap_or_else(|| panic!("not a number of this width: {value}"))
}

/// The keys `{head}0{tail}`, `{head}1{tail}` and so on.
#[must_use]
pub fn keys(head: &str, tail: &str, count: u32) -> Vec<String> {
    (0..count).map(|i| format!("{head}{i}{tail}")).collect()
}

/// The keys `user:0:session` to `user:{count - 1}:session`, over which most figures were measured.
#[must_use]
pub fn sessions(count: u32) -> Vec<String> {
    keys("user:", ":session", count)
}

/// The owner of each key; an empty text for none.
#[must_use]
pub fn owners(router: &dyn Router, keys: &[String]) -> Vec<String> {
    keys.iter()
        .map(|key| router.route_id(key.as_bytes()))
        .map(|owner| owner.map(ToString::to_string).unwrap_or_default())
        .collect()
}

/// How many keys each member owns; members without a key are counted too.
#[must_use]
pub fn loads(router: &dyn Router, keys: &[String]) -> BTreeMap<String, u32> {
    let members = router.members().iter();
    let mut loads: BTreeMap<String, u32> = members
        .map(|(_, node)| (node.id().to_string(), 0))
        .collect();
    for owner in owners(router, keys) {
        *loads.entry(owner).or_default() += 1;
    }
    loads
}

/// The keys that change owner, as (from, to).
#[must_use]
pub fn moves<'a>(before: &'a [String], after: &'a [String]) -> Vec<(&'a str, &'a str)> {
    before
        .iter()
        .zip(after)
        .filter(|(before, after)| before != after)
        .map(|(before, after)| (before.as_str(), after.as_str()))
        .collect()
}

/// Which ids own which positions: (last position, owner), clockwise.
#[must_use]
pub fn arcs<R: Ranges>(router: &R) -> Vec<(R::Width, String)> {
    let owner = |slot| router.members().get(slot).map(|node| node.id().to_string());
    let mut arcs: Vec<_> = router
        .ranges()
        .into_iter()
        .map(|range| (range.through, owner(range.owner).unwrap_or_default()))
        .collect();
    arcs.sort();
    arcs
}

/// The part of the ring that each member owns; members without an arc are absent.
#[must_use]
pub fn shares<R: Ranges>(router: &R) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    for range in router.ranges() {
        if let Some(owner) = router.members().get(range.owner) {
            *shares.entry(owner.id().to_string()).or_default() += range.share();
        }
    }
    shares
}

/// All orders of the elements.
#[must_use]
pub fn orders<T: Clone>(elements: &[T]) -> Vec<Vec<T>> {
    let Some((first, rest)) = elements.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for place in 0..=order.len() {
            let mut order = order.clone();
            order.insert(place, first.clone());
            all.push(order);
        }
    }
    all
}

/// A node of this weight.
///
/// # Panics
///
/// If the id or the weight is refused.
#[must_use]
pub fn node(id: &str, weight: u32) -> Node {
    let node = Node::new(id).and_then(|node| Ok(node.with_weight(Weight::new(weight)?)));
    node.unwrap_or_else(|error| panic!("{id:?}: {error}"))
}

/// Nodes of weight 1.
///
/// # Panics
///
/// If an id is refused.
#[must_use]
pub fn nodes(ids: &[impl AsRef<str>]) -> Vec<Node> {
    ids.iter().map(|id| node(id.as_ref(), 1)).collect()
}

/// The texts of a list.
///
/// # Panics
///
/// If it is not a list of texts, or an empty one.
#[must_use]
pub fn texts(value: &Value) -> Vec<String> {
    list(value).iter().map(|id| text(id).to_owned()).collect()
}

/// A ring of labelled points with this tie order, nodes in this order.
///
/// # Panics
///
/// If the ring refuses.
pub fn labelled_ring<H: KeyHasher, T: TieOrder>(
    label: &str,
    hasher: H,
    points: u32,
    ties: T,
    ids: &[&str],
) -> VectorRing<WithTies<Labelled<H>, T>> {
    let build = || {
        let scheme = Labelled::new(label, hasher)?.with_points_per_weight(points)?;
        let nodes: Result<Vec<Node>, RouteError> = ids.iter().map(Node::new).collect();
        VectorRing::from_nodes_with(WithTies::new(scheme, ties), nodes?)
    };
    build().unwrap_or_else(|error| panic!("{error}"))
}

/// The Markdown files whose Rust examples are compiled and run.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/architecture.md")]
    struct Architecture;
    #[doc = include_str!("../docs/hashing.md")]
    struct Hashing;
    #[doc = include_str!("../docs/limits.md")]
    struct Limits;
}
