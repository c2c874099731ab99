//! The presets of `keyroute-interop` that answer for a fleet's ids and weights, each with its system's
//! defaults. They change as their systems do: most are made anew of the changed list.
//!
//! A preset's name is its scheme's, in the same words, and like it stands for one rule for ever: where a
//! system has had several, each has a name of its own. What a system could not be told is refused: ids that
//! it would hash under another name, weights that it does not have.

mod libraries;
mod memcached;
mod proxies;

use keyroute::{Node, Ranges, RouteDigest, RouteError, Router, Walk, WalkRanges, Weight};

use super::layouts::Layouts;
use super::recipe::Recipe;
use super::registry::{Built, Listing, boxed, listing};
use super::remade::remade;

/// All of them, families together.
pub(super) fn presets() -> impl Iterator<Item = &'static Listing> {
    [
        &proxies::PRESETS[..],
        &memcached::PRESETS[..],
        &libraries::PRESETS[..],
    ]
    .into_iter()
    .flatten()
}

/// A preset: its name, its system and version, the hash of its keys, and how it is built.
const fn preset(
    name: &'static str,
    summary: &'static str,
    hash: &'static str,
    build: fn(&Recipe<'_>) -> Built,
) -> Listing {
    listing(name, summary, &[], build).hashing_with(hash)
}

/// Made anew at each change; without an order of nodes.
fn made<R, F>(it: &Recipe<'_>, make: F) -> Built
where
    R: Router + Send + Sync + 'static,
    F: Fn(&[Node]) -> Result<R, RouteError> + Send + Sync + 'static,
{
    boxed(remade(it.nodes.to_vec(), move |nodes| Ok(make(nodes)?))?)
}

/// Made anew at each change; with its order of nodes.
fn walked<R, F>(it: &Recipe<'_>, make: F) -> Built
where
    R: Walk + Send + Sync + 'static,
    F: Fn(&[Node]) -> Result<R, RouteError> + Send + Sync + 'static,
{
    boxed(remade(it.nodes.to_vec(), move |nodes| Ok(make(nodes)?))?.walking())
}

/// Made anew at each change; a ring, with its ranges.
fn ringed<R, F>(it: &Recipe<'_>, make: F) -> Built
where
    R: Ranges + WalkRanges + RouteDigest<Width = <R as Ranges>::Width> + Send + Sync + 'static,
    F: Fn(&[Node]) -> Result<R, RouteError> + Send + Sync + 'static,
{
    let router = remade(it.nodes.to_vec(), move |nodes| Ok(make(nodes)?))?;
    boxed(router.walking().laid_out(Layouts::of_ring()))
}

/// Refuses weights, for systems that have none.
fn unweighted<'a>(system: &'static str, nodes: &'a [Node]) -> Result<&'a [Node], RouteError> {
    match nodes.iter().find(|node| node.weight() != Weight::ONE) {
        None => Ok(nodes),
        Some(node) => Err(RouteError::WeightUnsupported {
            id: node.id().clone(),
            weight: node.weight().get(),
            strategy: system,
        }),
    }
}

/// The ids, of systems that have no weights.
fn names<'a>(
    system: &'static str,
    nodes: &'a [Node],
) -> Result<impl Iterator<Item = &'a str>, RouteError> {
    Ok(unweighted(system, nodes)?
        .iter()
        .map(|node| node.id().as_str()))
}

/// Refuses ids that the system reads as something else: it would then hash another text than the id.
fn hashed_as_is(
    nodes: &[Node],
    is_read_as_is: impl Fn(&Node) -> bool,
    reason: &'static str,
) -> Result<Vec<Node>, RouteError> {
    match nodes.iter().find(|node| !is_read_as_is(node)) {
        None => Ok(nodes.to_vec()),
        Some(node) => Err(RouteError::Unplaceable {
            id: node.id().clone(),
            reason,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::StrategyName;
    use super::*;

    #[test]
    fn names_are_distinct_from_all_others_and_summaries_fit_a_line() {
        let mut names: BTreeSet<&str> = StrategyName::all().map(StrategyName::name).collect();
        names.extend(["all", "presets"]);
        for Listing { name, summary, .. } in presets() {
            assert!(names.insert(name), "{name}");
            assert!(name.len() <= 28 && summary.len() <= 78, "{name}");
        }
    }

    #[test]
    fn presets_have_no_settings_and_are_compared_only_if_named() {
        for listing in presets() {
            assert!(
                listing.settings.is_empty() && !listing.shown,
                "{}",
                listing.name
            );
            assert!(listing.own_hash.is_some(), "{}", listing.name);
        }
    }
}
