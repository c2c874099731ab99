//! Ids, weights, zones, and fleets of distinct nodes.

use std::collections::BTreeSet;

use keyroute_core::{Node, NodeId, Weight, Zone};
use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// What a number is put behind: `1` and `11` make `111` of two points, `s1:1` and `s1:11` as well.
const STEMS: [&str; 8] = [
    "m",
    "node",
    "node-",
    "",
    "1",
    "s1:1",
    "10.0.0.1:80",
    "cache.eu-west-1a.example.org:1121",
];

/// Numbers that begin and end alike.
const NUMBERS: [u32; 10] = [0, 1, 2, 10, 11, 12, 100, 110, 111, 112];

/// Ids that look alike, or like something else.
const ODD: [&str; 28] = [
    "a",
    "a-",
    "a-1",
    "-1",
    "-",
    "A",
    "a ",
    " ",
    "a\0",
    "\0",
    "a\0b",
    "a#1",
    "a#VN1",
    "a|1",
    "a/b",
    "a,b",
    "a=1",
    "a\tb",
    "a\n",
    "{node}",
    "{i}",
    "{node}-{i}",
    "knoten-ä",
    "knoten-a\u{308}", // the same to the eye
    "节点-1",
    "🦀",
    "\u{feff}a",
    "key-1",
];

/// Lengths of long ids without their number; the most is 4096 with it.
const LENGTHS: [usize; 3] = [100, 300, 4090];

/// A node of each odd id and one of a long one: what a strategy that cannot place some ids refuses.
pub(crate) fn odd_nodes() -> Vec<Node> {
    let long = "n".repeat(LENGTHS[0]);
    let ids = ODD.into_iter().chain([long.as_str()]);
    ids.filter_map(|id| Node::new(id).ok()).collect()
}

/// Hostile ids, as [`NodeId`] accepts them.
pub fn ids() -> impl Strategy<Value = NodeId> {
    let number = prop_oneof![select(&NUMBERS[..]), 0..130u32];
    let numbered = (select(&STEMS[..]), number).prop_map(|(stem, i)| format!("{stem}{i}"));
    let odd = select(&ODD[..]).prop_map(String::from);
    let any_text = vec(any::<char>(), 1..8).prop_map(String::from_iter);
    // Equal to their very end, as long as ids may be.
    let long = (select(&LENGTHS[..]), 0..30u32)
        .prop_map(|(length, i)| format!("{}{i}", "n".repeat(length)));
    prop_oneof![8 => numbered, 4 => odd, 2 => any_text, 1 => long]
        .prop_filter_map("not an id", |text| NodeId::new(text).ok())
}

/// Which weights are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// 1 for every node: for strategies without weights.
    AllOne,
    /// Mostly 1, some greater.
    Mixed,
}

/// Small weights, mostly 1: a ring takes points for each unit.
pub fn weights() -> impl Strategy<Value = Weight> {
    prop_oneof![4 => Just(1), 3 => 2..6u32, 1 => 6..14u32]
        .prop_filter_map("not a weight", |weight| Weight::new(weight).ok())
}

/// No zone, or one of a few.
pub fn zones() -> impl Strategy<Value = Option<Zone>> {
    select(&["", "a", "b", "a1", "zone-ä"][..]).prop_map(|name| Zone::new(name).ok())
}

/// Fleets of nodes with distinct ids. Where equal ids were drawn fewer come, never fewer than the
/// least number asked for.
pub fn nodes(count: impl Into<SizeRange>, weighing: Weights) -> impl Strategy<Value = Vec<Node>> {
    let count = count.into();
    let least = count.start();
    let node = (ids(), weights(), zones()).prop_map(move |(id, weight, zone)| {
        let node = Node::from(id);
        let node = match weighing {
            Weights::AllOne => node,
            Weights::Mixed => node.with_weight(weight),
        };
        match zone {
            Some(zone) => node.with_zone(zone),
            None => node,
        }
    });
    vec(node, count).prop_map(move |nodes| distinct(nodes, least))
}

fn distinct(mut nodes: Vec<Node>, least: usize) -> Vec<Node> {
    let mut seen = BTreeSet::new();
    nodes.retain(|node| seen.insert(node.id().clone()));
    for number in 0.. {
        if nodes.len() >= least {
            break;
        }
        if let Ok(id) = NodeId::new(format!("spare-{number}"))
            && seen.insert(id.clone())
        {
            nodes.push(id.into());
        }
    }
    nodes
}
