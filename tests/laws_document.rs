//! `docs/laws.md` says which laws there are and who keeps which: the sources and the claims in the tests
//! must say the same.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;

fn read(path: &str) -> String {
    let place = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path);
    std::fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()))
}

/// The names that stand between commas, with what is in brackets behind them.
fn items(list: &str) -> Vec<(String, String)> {
    let uncommented = list.lines().map(|line| line.split("//").next().unwrap());
    let text: String = uncommented.collect();
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| match item.split_once('(') {
            Some((name, rest)) => (name.to_owned(), rest.trim_end_matches(')').to_owned()),
            None => (item.to_owned(), String::new()),
        })
        .collect()
}

/// The text between two others.
fn between<'a>(text: &'a str, head: &str, tail: &str) -> &'a str {
    let (_, rest) = text
        .split_once(head)
        .unwrap_or_else(|| panic!("no {head:?}"));
    rest.split(tail).next().unwrap()
}

/// The families, as the macro spells them out.
fn families() -> BTreeMap<String, Vec<(String, String)>> {
    let macros = read("crates/conformance/src/macros.rs");
    let mut families = BTreeMap::new();
    for arm in macros.split("([$make:expr] ").skip(1) {
        let name = arm.split(['(', ' ']).next().unwrap();
        if arm.contains("$crate::__claims!") && !name.starts_with('$') {
            families.insert(name.to_owned(), items(between(arm, "[$make]", "$($($rest")));
        }
    }
    assert!(families.len() > 10, "families: {families:?}");
    families
}

/// The laws that a test claims for a router, with their parameters.
fn claims(file: &str, router: &str) -> BTreeMap<String, String> {
    let families = families();
    let source = read(file);
    let mut left = items(between(
        between(&source, &format!("\n    {router}: "), "\n    ],"),
        "keeps [",
        "],\n",
    ));
    let mut claims = BTreeMap::new();
    while let Some((name, parameter)) = left.pop() {
        match families.get(&name) {
            Some(family) => left.extend(family.iter().cloned()),
            None => {
                claims.insert(name, parameter);
            }
        }
    }
    claims
}

/// The laws as the sources declare them.
fn declared() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/conformance/src/laws");
    let mut laws = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for declaration in source.split("\npub fn ").skip(1) {
            laws.push(declaration.split(['<', '(']).next().unwrap().to_owned());
        }
    }
    laws.sort();
    laws
}

/// The rows of the document's tables: a law, and a cell for each router.
fn rows() -> BTreeMap<String, Vec<String>> {
    let document = read("docs/laws.md");
    let tables = between(&document, "## Who keeps which", "\n## Statistics");
    let mut rows = BTreeMap::new();
    for line in tables.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let law = cells.next().unwrap().trim_matches('`').to_owned();
        let says = cells.next().unwrap();
        assert!(!says.is_empty(), "{law} says nothing");
        let twice = rows.insert(law, cells.map(str::to_owned).collect());
        assert!(twice.is_none(), "{line} is there twice");
    }
    rows
}

#[test]
fn the_document_lists_every_law_once() {
    let listed: Vec<String> = rows().into_keys().collect();
    assert_eq!(listed, declared());
}

#[test]
fn the_document_says_who_keeps_which() {
    let routers = [
        ("crates/vector-ring/tests/conformance.rs", "native"),
        ("crates/ketama/tests/conformance.rs", "ketama"),
        ("crates/ketama/tests/conformance.rs", "libketama"),
        ("crates/jump/tests/conformance.rs", "jump"),
        ("crates/modulo/tests/conformance.rs", "modulo"),
        ("crates/bounded/tests/conformance.rs", "idle"),
    ];
    let rows = rows();
    let mut wrong = Vec::new();
    for (column, (file, router)) in routers.into_iter().enumerate() {
        let claims = claims(file, router);
        assert!(claims.len() > 15, "{router}: {claims:?}");
        for (law, cells) in &rows {
            let expected = match claims.get(law).map(String::as_str) {
                None => "",
                Some(number) if number.parse::<u32>().is_ok() => number,
                Some(_) => "✓",
            };
            if cells[column] != expected {
                wrong.push(format!(
                    "{law} of {router}: {expected:?}, not {:?}",
                    cells[column]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The document says `rings` of both.
#[test]
fn both_rings_claim_the_same() {
    let vector = claims("crates/vector-ring/tests/conformance.rs", "native");
    assert_eq!(
        vector,
        claims("crates/btree-ring/tests/conformance.rs", "native")
    );
}
