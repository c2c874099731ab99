//! `serialx` and `serialx-2019`: rings in Go, since and before July 2020.

use keyroute::{Node, PointScheme, Scheme, VectorRing, Weight};
use keyroute_interop::{Serialx, Serialx2019, SerialxHash};
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::fields::Fields;
use super::labelled_ring::{name_of, names_of};
use super::replay::{System, unknown_op};
use super::report::Unusable;

/// The n of `GetNodes`; none for `GetNode`.
fn method(document: &mut Document) -> Result<Option<usize>, Unusable> {
    let config = &mut document.config;
    match config.text("method")?.as_deref() {
        None | Some("get_node") => Ok(None),
        Some("get_nodes") => {
            let n = config.whole("n")?;
            config.required("n", n).map(Some)
        }
        Some(other) => Err(Unusable(format!(
            "unknown method {other:?}: get_node or get_nodes"
        ))),
    }
}

/// The nodes, with what `weights` says: a number for each, or nothing at all.
pub(crate) fn weighted(document: &mut Document) -> Result<Vec<(String, u32)>, Unusable> {
    let weights = document.config.take("weights");
    let mut weights = weights
        .map(|weights| Fields::of("weights", weights))
        .transpose()?;
    let mut nodes = Vec::new();
    for node in &document.nodes {
        let name = node.unweighted()?.to_owned();
        let weight = match &mut weights {
            None => 1,
            Some(weights) => {
                let weight = weights.whole(&name)?;
                weights.required(&name, weight)?
            }
        };
        nodes.push((name, weight));
    }
    if let Some(weights) = weights {
        weights.finish()?;
    }
    Ok(nodes)
}

fn nodes(of: &[(String, u32)]) -> Result<Vec<Node>, Unusable> {
    of.iter()
        .map(|(name, weight)| Ok(Node::new(name)?.with_weight(Weight::new(*weight)?)))
        .collect()
}

fn ask<S: Scheme>(
    ring: &VectorRing<S>,
    key: &Key,
    several: Option<usize>,
) -> Result<Value, Unusable> {
    let (key, members) = (key.bytes()?, ring.members());
    match several {
        None => Ok(name_of(members, ring.route(key))),
        Some(n) if n > members.len() => Err(Unusable(format!(
            "{n} of {} nodes: the original refuses",
            members.len()
        ))),
        Some(n) => Ok(names_of(members, ring.replicas(key, n))),
    }
}

/// What a change comes to: weight 0, a node that is there already or not at all, and a weight that it has, are
/// no change in either version.
enum Change<'a> {
    None,
    Add(&'a str, Weight),
    Remove(&'a str),
    Reweight(&'a str, Weight),
}

fn change<'a>(op: &'a Op, weight_of: impl Fn(&str) -> Option<u32>) -> Result<Change<'a>, Unusable> {
    let weight = |weight: u64| -> Result<Option<Weight>, Unusable> {
        let weight = u32::try_from(weight)
            .map_err(|_| Unusable(format!("weight {weight} is over 4294967295")))?;
        Ok(Weight::new(weight).ok())
    };
    Ok(match op {
        Op::Add(name) if weight_of(name).is_none() => Change::Add(name, Weight::ONE),
        Op::AddWeighted(name, of) if weight_of(name).is_none() => {
            weight(*of)?.map_or(Change::None, |weight| Change::Add(name, weight))
        }
        Op::UpdateWeight(name, of) if weight_of(name).is_some() => {
            weight(*of)?.map_or(Change::None, |weight| Change::Reweight(name, weight))
        }
        Op::Remove(name) if weight_of(name).is_some() => Change::Remove(name),
        Op::Add(_) | Op::AddWeighted(..) | Op::UpdateWeight(..) | Op::Remove(_) => Change::None,
        other => return Err(unknown_op(other, "add, add_w, update_w and remove")),
    })
}

struct Ring<S: PointScheme>(VectorRing<S>, Option<usize>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("label", "{node}-{i}")?;
    let hash = match config.text("hash")?.as_deref() {
        None | Some("md5") => SerialxHash::Md5,
        Some("sha1-first16") => SerialxHash::Sha1,
        Some(other) => {
            return Err(Unusable(format!(
                "unknown hash {other:?}: md5 or sha1-first16"
            )));
        }
    };
    let several = method(document)?;
    let ring = Serialx::weighted(hash, nodes(&weighted(document)?)?)?;
    Ok(Box::new(Ring(ring, several)))
}

impl<S: PointScheme> System for Ring<S> {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        let members = self.0.members();
        let weight_of = |name: &str| Some(members.node(name).ok()?.weight().get());
        match change(op, weight_of)? {
            Change::None => {}
            Change::Add(name, weight) => {
                self.0.add(Node::new(name)?.with_weight(weight))?;
            }
            Change::Remove(name) => {
                self.0.remove(name)?;
            }
            Change::Reweight(name, weight) => {
                self.0.reweight(name, weight)?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        ask(&self.0, key, self.1)
    }
}

/// A ring that is rebuilt at each change, from its list.
struct Old {
    list: Vec<(String, u32)>,
    ring: VectorRing<Serialx2019>,
    several: Option<usize>,
}

pub(crate) fn before_2020(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    document.config.only("label", "{node}-{j}")?;
    document.config.only("hash", "md5")?;
    let several = method(document)?;
    let list = weighted(document)?;
    let ring = VectorRing::from_nodes_with(Serialx2019, nodes(&list)?)?;
    Ok(Box::new(Old {
        list,
        ring,
        several,
    }))
}

impl System for Old {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        let found = |name: &str| self.list.iter().find(|(known, _)| known == name);
        match change(op, |name| Some(found(name)?.1))? {
            Change::None => return Ok(()),
            Change::Add(name, weight) => self.list.push((name.into(), weight.get())),
            Change::Remove(name) => self.list.retain(|(known, _)| known != name),
            Change::Reweight(name, weight) => {
                let named = self.list.iter_mut().find(|(known, _)| known == name);
                named.into_iter().for_each(|node| node.1 = weight.get());
            }
        }
        Ok(self.ring.rebuild(&nodes(&self.list)?)?)
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        ask(&self.ring, key, self.several)
    }
}
