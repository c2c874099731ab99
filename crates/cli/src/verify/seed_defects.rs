//! `seed-defects`: nodes of the seed systems that share points, and what that cost the originals.
//!
//! Our compatible rings keep every point and state who owns a shared one. What the originals did on
//! removal is a loss, and is recomputed here on rings of explicit tokens from which the lost points are
//! taken:
//!
//! | original | owner of a shared point | after removal of one of its nodes |
//! | --- | --- | --- |
//! | seed 000 | last added | the point stays, without an owner: a key that hits it panics |
//! | seed 001 | last added | the point is gone |
//! | seed 002, groupcache | last added | nothing can be removed |
//! | seed 003 | either: an unstable sort decides | the point is the other node's |
//! | seed 004 | first added | the point is gone |
//!
//! For seed 003 an order cannot be recomputed; its figures are checked to be possible: a sampled key hits
//! a shared point, its two owners are the two nodes of that point, and no more keys are counted than hit
//! shared points.

use std::collections::{BTreeMap, BTreeSet};

use keyroute::hash::Crc32;
use keyroute::{
    ById, FirstListed, KeyHasher, Labelled, LastListed, Node, Template, TieOrder, Tokens,
    VectorRing, WithTies,
};
use keyroute_interop::seeds::Seed004Fnv;
use serde_json::{Value, json};

use super::document::numbered;
use super::fields::Fields;
use super::labelled_ring::{LabelledRing, name_of};
use super::report::{Report, Unusable};

/// The name of the file's system, which it does not say itself.
pub(crate) const NAME: &str = "seed-defects";

/// What becomes of a shared point when one of its nodes is removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removal {
    /// It stays without an owner; its keys panic.
    Orphans,
    /// It goes with the removed node.
    Takes,
    /// It is the other node's.
    Clean,
    /// Nothing can be removed.
    Absent,
}

pub(crate) fn check(mut fields: Fields) -> Result<Report, Unusable> {
    fields.harmless("about");
    let cases = fields.list("cases")?;
    if cases.is_empty() {
        return Err(Unusable::new("the file has no case"));
    }
    fields.finish()?;
    let mut report = Report::new(NAME);
    for (number, case) in cases.into_iter().enumerate() {
        let place = format!("case {number}");
        check_case(Fields::of(&place, case)?, &mut report).map_err(|problem| problem.at(place))?;
    }
    Ok(report)
}

fn check_case(mut fields: Fields, report: &mut Report) -> Result<(), Unusable> {
    let scheme = fields.text("scheme")?;
    let scheme = fields.required("scheme", scheme)?;
    let (system, label) = scheme
        .split_once(", label ")
        .ok_or_else(|| Unusable(format!("scheme {scheme:?} names no label")))?;
    let label = label.split_once(',').map_or(label, |(label, _)| label);
    let (last, first, by_id) = (LastListed, FirstListed, ById);
    match (system, label) {
        ("seed 000 ReachCache v0.0.2", "{node}-{i}") => {
            Case::read(fields, label, Crc32, last, Removal::Orphans)?.check(report)
        }
        ("seed 001 ring", "{node}#{i}") => {
            Case::read(fields, label, Crc32, last, Removal::Takes)?.check(report)
        }
        ("seed 002 Map" | "golang/groupcache consistenthash", "{i}{node}") => {
            Case::read(fields, label, Crc32, last, Removal::Absent)?.check(report)
        }
        ("seed 003 HashRing", "{id}-{i}") => {
            Case::read(fields, "{node}-{i}", Crc32, by_id, Removal::Clean)?.check(report)
        }
        ("seed 004 C++", "{node}#VN{i}") => {
            Case::read(fields, label, Seed004Fnv, first, Removal::Takes)?.check(report)
        }
        _ => Err(Unusable(format!("unknown scheme {scheme:?}"))),
    }
}

type Ring<H, T> = LabelledRing<WithTies<Labelled<H>, T>>;

/// One case: a fleet under a scheme.
struct Case<H, T> {
    fields: Fields,
    name: String,
    label: Template,
    hasher: H,
    ties: T,
    removal: Removal,
    vnodes: u32,
    nodes: Vec<String>,
    keys: Vec<String>,
}

impl<H: KeyHasher<Out = u32> + Copy, T: TieOrder> Case<H, T> {
    fn read(
        mut fields: Fields,
        label: &str,
        hasher: H,
        ties: T,
        removal: Removal,
    ) -> Result<Self, Unusable> {
        let name = fields.text("name")?;
        let vnodes = fields.whole("vnodes")?;
        let nodes = numbered("node", &fields.list("nodes")?, |node| {
            let name = node.as_str().map(str::to_owned);
            name.ok_or_else(|| Unusable(format!("not a name: {node}")))
        })?;
        let stream = fields.text("key_stream")?;
        let stream = fields.required("key_stream", stream)?;
        fields.harmless("note");
        fields.harmless("expected_of_a_correct_library");
        Ok(Self {
            name: fields.required("name", name)?,
            label: Template::new(label)?,
            hasher,
            ties,
            removal,
            vnodes: fields.required("vnodes", vnodes)?,
            nodes,
            keys: keys(&stream)?,
            fields,
        })
    }

    fn check(mut self, report: &mut Report) -> Result<(), Unusable> {
        self.check_shared_points(report)?;
        let tested = self.fields.take("keys_tested").unwrap_or_default();
        self.compare(report, "keys_tested", &tested, &json!(self.keys.len()));
        self.check_order(report)?;
        if let Some(removed) = self.fields.text("removed_node")? {
            self.check_removal(&removed, report)?;
        }
        self.fields.finish()
    }

    fn compare(&self, report: &mut Report, what: &str, expected: &Value, computed: &Value) {
        report.check(|| format!("{}, {what}", self.name), expected, computed);
    }

    /// Each label of a later node whose position an earlier node holds, in that order.
    fn check_shared_points(&mut self, report: &mut Report) -> Result<(), Unusable> {
        let mut holders: BTreeMap<u32, (&str, String)> = BTreeMap::new();
        let mut shared = Vec::new();
        for node in &self.nodes {
            for index in 0..self.vnodes {
                let label = self.label.label(node, index);
                let position = self.hasher.hash(label.as_bytes());
                match holders.get(&position) {
                    Some((holder, first)) if holder != node => {
                        shared.push(json!([first, label, position]));
                    }
                    _ => {
                        holders.insert(position, (node, label));
                    }
                }
            }
        }
        let recorded = self.fields.list("shared_points")?;
        for place in 0..recorded.len().max(shared.len()) {
            let (expected, computed) = (at(&recorded, place), at(&shared, place));
            self.compare(
                report,
                &format!("shared_points {place}"),
                &expected,
                &computed,
            );
        }
        Ok(())
    }

    /// The owners under the list's order and under the reversed one.
    fn check_order(&mut self, report: &mut Report) -> Result<(), Unusable> {
        let forward = self.ring(self.nodes.iter())?;
        let reverse = self.ring(self.nodes.iter().rev())?;
        let count = "keys_whose_owner_depends_on_insertion_order";
        let sample = "order_sample_key_forward_reverse";
        if self.removal == Removal::Clean {
            return self.check_contested(&forward, count, sample, report);
        }
        self.check_differing(count, sample, report, |key| {
            (forward.owner(key), reverse.owner(key))
        })
    }

    /// Where the original's order is anybody's guess, what it says must at least be possible.
    fn check_contested(
        &mut self,
        ring: &Ring<H, T>,
        count: &str,
        sample: &str,
        report: &mut Report,
    ) -> Result<(), Unusable> {
        let (positions, shared) = (ring.positions()?, ring.shared()?);
        let contested = |key: &str| -> Option<u32> {
            let at = self.hasher.hash(key.as_bytes());
            let end = positions.range(at..).next().or(positions.first())?;
            shared.get(end).copied()
        };
        let most = self
            .keys
            .iter()
            .filter(|key| contested(key).is_some())
            .count();
        let counted = self.fields.take(count).unwrap_or_default();
        let possible = counted
            .as_u64()
            .is_some_and(|counted| counted <= most as u64);
        let computed = if possible {
            counted.clone()
        } else {
            json!(most)
        };
        self.compare(report, count, &counted, &computed);
        for (place, row) in self.fields.list(sample)?.iter().enumerate() {
            let claimants: BTreeSet<String> = row
                .get(0)
                .and_then(Value::as_str)
                .and_then(contested)
                .into_iter()
                .flat_map(|position| self.claimants(position))
                .collect();
            let owners: BTreeSet<String> = [row.get(1), row.get(2)]
                .into_iter()
                .filter_map(|owner| Some(owner?.as_str()?.to_owned()))
                .collect();
            let possible = owners.len() == 2 && owners.is_subset(&claimants);
            let computed = if possible {
                row.clone()
            } else {
                json!(claimants)
            };
            self.compare(report, &format!("{sample} {place}"), row, &computed);
        }
        Ok(())
    }

    /// The nodes with a point here.
    fn claimants(&self, position: u32) -> Vec<String> {
        let holds = |node: &&String| self.tokens(node).contains(&position);
        self.nodes.iter().filter(holds).cloned().collect()
    }

    /// What the original answered once `removed` had left, beside a ring that never held it.
    fn check_removal(&mut self, removed: &str, report: &mut Report) -> Result<(), Unusable> {
        let staying: Vec<String> = self
            .nodes
            .iter()
            .filter(|node| *node != removed)
            .cloned()
            .collect();
        let taken: BTreeSet<u32> = match self.removal {
            Removal::Orphans | Removal::Takes => self.tokens(removed).into_iter().collect(),
            Removal::Clean => BTreeSet::new(),
            Removal::Absent => {
                return Err(Unusable::new(
                    "\"removed_node\", but nothing can be removed",
                ));
            }
        };
        let mut lost = BTreeSet::new();
        let mut scheme = Tokens::new(self.hasher);
        let mut members = Vec::new();
        for node in &staying {
            let (gone, kept): (Vec<u32>, Vec<u32>) = self
                .tokens(node)
                .into_iter()
                .partition(|position| taken.contains(position));
            lost.extend(gone);
            scheme = scheme.with(node, kept)?;
            members.push(Node::new(node)?);
        }
        if self.removal == Removal::Orphans && !lost.is_empty() {
            scheme = scheme.with("PANIC", lost)?;
            members.push(Node::new("PANIC")?);
        }
        let after = VectorRing::from_nodes_with(WithTies::new(scheme, self.ties), members)?;
        let fresh = self.ring(staying.iter())?;
        for (name, computed) in [
            ("ring_points_after_remove", after.points() as u64),
            ("ring_points_fresh", fresh.points()),
        ] {
            if let Some(expected) = self.fields.take(name) {
                self.compare(report, name, &expected, &json!(computed));
            }
        }
        self.check_differing(
            "keys_where_add_all_then_remove_differs_from_never_added",
            "removal_sample_key_after_remove_fresh",
            report,
            |key| (name_of(after.members(), after.route(key)), fresh.owner(key)),
        )
    }

    /// Checks how many keys have two answers, and the first of them.
    fn check_differing(
        &mut self,
        count: &str,
        sample: &str,
        report: &mut Report,
        answers: impl Fn(&[u8]) -> (Value, Value),
    ) -> Result<(), Unusable> {
        let rows: Vec<Value> = self
            .keys
            .iter()
            .map(|key| (key, answers(key.as_bytes())))
            .filter(|(_, (one, other))| one != other)
            .map(|(key, (one, other))| json!([key, one, other]))
            .collect();
        let counted = self.fields.take(count).unwrap_or_default();
        self.compare(report, count, &counted, &json!(rows.len()));
        // A sample of no keys is written as null.
        let recorded = match self.fields.take(sample) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(recorded)) => recorded,
            Some(other) => return Err(Unusable(format!("{sample} is not a list: {other}"))),
        };
        for (place, expected) in recorded.iter().enumerate() {
            self.compare(
                report,
                &format!("{sample} {place}"),
                expected,
                &at(&rows, place),
            );
        }
        Ok(())
    }

    fn ring<'a>(&self, nodes: impl Iterator<Item = &'a String>) -> Result<Ring<H, T>, Unusable> {
        let scheme = Labelled::new(self.label.as_str(), self.hasher)?;
        let scheme = scheme.with_points_per_weight(self.vnodes)?;
        let mut ring = LabelledRing::new(WithTies::new(scheme, self.ties));
        for node in nodes {
            ring.add(node)?;
        }
        Ok(ring)
    }

    fn tokens(&self, node: &str) -> Vec<u32> {
        (0..self.vnodes)
            .map(|index| self.hasher.hash(self.label.label(node, index).as_bytes()))
            .collect()
    }
}

fn at(list: &[Value], place: usize) -> Value {
    list.get(place).cloned().unwrap_or_default()
}

/// The keys of a stream, written as `user:{i}:session, i = 0..19999`.
fn keys(stream: &str) -> Result<Vec<String>, Unusable> {
    let read = || -> Option<Vec<String>> {
        let (pattern, last) = stream.split_once(", i = 0..")?;
        let (head, tail) = pattern.split_once("{i}")?;
        let last: u32 = last.parse().ok().filter(|&last| last < 10_000_000)?;
        Some((0..=last).map(|i| format!("{head}{i}{tail}")).collect())
    };
    read().ok_or_else(|| Unusable(format!("key_stream {stream:?} is not understood")))
}
