//! The tables of `docs/laws.md` are made from the sources: what a law says from its documentation, who
//! keeps it from what the crates' tests claim.
//!
//! ```sh
//! KEYROUTE_WRITE=1 cargo test -p keyroute-tests --test laws_document   # writes them anew
//! ```

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod claims;
mod page;
mod strategies;

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use claims::{Claims, bare, claims, families, files, laws, read, root};
use strategies::STRATEGIES;

const COMMAND: &str = "KEYROUTE_WRITE=1 cargo test -p keyroute-tests --test laws_document";
const BEGIN: &str = "<!-- What follows is generated: KEYROUTE_WRITE=1 cargo test -p keyroute-tests --test laws_document -->\n";
const END: &str = "<!-- End of what is generated. -->\n";

/// Each strategy with all that is claimed for it.
fn rows() -> Vec<(&'static str, Claims)> {
    let mut all = claims();
    let row = |strategy: &'static strategies::Strategy| {
        let mut row = Claims::new();
        for router in strategy.claims {
            let place = (strategy.folder.to_owned(), (*router).to_owned());
            let more = all.remove(&place).unwrap_or_else(|| {
                panic!("{place:?}: no test claims laws for it, or two rows show it")
            });
            row.extend(more);
        }
        (strategy.name, row)
    };
    STRATEGIES.iter().map(row).collect()
}

#[test]
fn the_tables_are_those_that_the_claims_make() {
    let place = root().join("docs/laws.md");
    let document = read(&place);
    let (before, rest) = document.split_once(BEGIN).expect("where they begin");
    let (found, after) = rest.split_once(END).expect("where they end");
    let made = format!("\n{}\n", page::page(&rows()));
    if env::var_os("KEYROUTE_WRITE").is_some() {
        fs::write(&place, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
        return;
    }
    let differ = found
        .lines()
        .zip(made.lines())
        .find(|(old, new)| old != new);
    assert!(
        found == made,
        "docs/laws.md is not what the claims say; write it anew with\n  {COMMAND}\nfirst difference: {differ:#?}"
    );
}

#[test]
fn every_router_with_claims_is_in_a_row() {
    let claimed: BTreeSet<(String, String)> = claims().into_keys().collect();
    let mut declared = BTreeSet::new();
    for strategy in STRATEGIES {
        for router in strategy.claims.iter().chain(strategy.variants) {
            let place = (strategy.folder.to_owned(), (*router).to_owned());
            assert!(declared.insert(place), "{router} is in two rows");
        }
    }
    let missing: Vec<_> = claimed.difference(&declared).collect();
    assert!(
        missing.is_empty(),
        "declare these in tests/laws_document/strategies.rs, as strategies or as variants: {missing:#?}"
    );
    let gone: Vec<_> = declared.difference(&claimed).collect();
    assert!(gone.is_empty(), "no test claims laws for {gone:#?}");
}

#[test]
fn every_crate_with_a_router_claims_laws() {
    let claimed: BTreeSet<String> = claims().into_keys().map(|(folder, _)| folder).collect();
    let mut without = Vec::new();
    for folder in fs::read_dir(root().join("crates")).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        // The engine of rings, which their crates claim for; any of the others by name; the suite; presets,
        // which are held to what other systems answered.
        if ["core", "cli", "conformance", "keyroute", "interop"].contains(&name.as_str()) {
            continue;
        }
        let sources = files(&folder.join("src"), ".rs");
        let routes = sources
            .iter()
            .any(|file| bare(&read(file)).contains("Router for "));
        if routes && !claimed.contains(&name) {
            without.push(name);
        }
    }
    assert!(
        without.is_empty(),
        "no laws are claimed for the routers of {without:?}"
    );
}

#[test]
fn a_variant_claims_no_more_than_its_strategy() {
    let claims = claims();
    for (strategy, (_, own)) in STRATEGIES.iter().zip(rows()) {
        for variant in strategy.variants {
            let place = (strategy.folder.to_owned(), (*variant).to_owned());
            let more: Vec<_> = claims[&place]
                .keys()
                .filter(|law| !own.contains_key(*law))
                .collect();
            assert!(
                more.is_empty(),
                "{place:?} claims {more:?}, and {} does not",
                strategy.name
            );
        }
    }
}

#[test]
fn what_is_claimed_and_what_families_name_are_laws() {
    let laws = laws();
    for ((folder, router), claims) in claims() {
        assert!(!claims.is_empty(), "{router} of {folder} claims nothing");
        for law in claims.keys() {
            assert!(laws.contains_key(law), "{router} of {folder} claims {law}");
        }
    }
    for family in families() {
        for law in family.laws {
            assert!(laws.contains_key(&law), "{} names {law}", family.name);
        }
    }
}

#[test]
fn both_rings_claim_the_same() {
    let rows: BTreeMap<_, _> = rows().into_iter().collect();
    assert_eq!(rows["vector ring"], rows["tree ring"]);
}
