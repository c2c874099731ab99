//! What the sources say: the laws, the families, and what each crate's tests claim.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The laws that are claimed for a router, each with its parameter, or with nothing.
pub(crate) type Claims = BTreeMap<String, String>;

/// A family of laws, as the macro spells it out and its documentation describes it.
pub(crate) struct Family {
    pub(crate) name: String,
    /// For routers that are.
    pub(crate) bounds: String,
    /// What its laws are about.
    pub(crate) about: String,
    pub(crate) laws: Vec<String>,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files under this folder whose names end so, in order; none if there is no such folder.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return files;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The source without comments and without what strings hold.
pub(crate) fn bare(source: &str) -> String {
    let mut bare = String::new();
    for line in source.lines() {
        let mut quoted = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if quoted => drop(chars.next()),
                '"' => {
                    quoted = !quoted;
                    bare.push('"');
                }
                _ if quoted => {}
                '/' if chars.peek() == Some(&'/') => break,
                _ => bare.push(c),
            }
        }
        bare.push('\n');
    }
    bare
}

/// The length of the text up to the bracket that closes it.
fn closed(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    panic!("brackets do not match in {text:?}");
}

/// The names between commas, with what is in brackets behind them.
fn items(list: &str) -> Vec<(String, String)> {
    let mut items = Vec::new();
    let mut rest = list.trim();
    while !rest.is_empty() {
        let end = rest.find([',', '(']).unwrap_or(rest.len());
        let name = rest[..end].trim().to_owned();
        rest = &rest[end..];
        let mut parameter = String::new();
        if let Some(inside) = rest.strip_prefix('(') {
            let end = closed(inside);
            inside[..end].trim().clone_into(&mut parameter);
            rest = &inside[end + 1..];
        }
        rest = rest.trim_start().trim_start_matches(',').trim_start();
        items.push((name, parameter));
    }
    items
}

/// The routers of each `laws!` in a source, and the list behind `keeps`.
fn routers(source: &str) -> Vec<(String, String)> {
    let source = bare(source);
    let mut routers = Vec::new();
    for block in source.split("laws! {").skip(1) {
        let mut rest = block[..closed(block)].trim();
        while !rest.is_empty() {
            let (name, behind) = rest.split_once(':').expect("a router and its closure");
            let (_, behind) = behind
                .split_once("keeps [")
                .unwrap_or_else(|| panic!("what {name} keeps"));
            let end = closed(behind);
            routers.push((name.trim().to_owned(), behind[..end].to_owned()));
            rest = behind[end + 1..].trim_start_matches([',', ' ', '\n']);
        }
    }
    routers
}

/// The families of the macro, in its order.
pub(crate) fn families() -> Vec<Family> {
    let source = read(&root().join("crates/conformance/src/macros.rs"));
    let code = bare(&source);
    let mut families: Vec<Family> = Vec::new();
    for arm in code.split("([$make:expr] ").skip(1) {
        let name = arm.split(['(', ' ']).next().unwrap();
        let Some((_, body)) = arm.split_once("[$make]") else {
            continue;
        };
        let list = body.split("$($($rest").next().unwrap();
        if name.starts_with('$') || list.contains('}') {
            continue;
        }
        let mut laws = Vec::new();
        for (item, _) in items(list) {
            match families.iter().find(|family| family.name == item) {
                Some(family) => laws.extend(family.laws.iter().cloned()),
                None => laws.push(item),
            }
        }
        let row = source
            .lines()
            .filter_map(|line| line.strip_prefix("/// | `"))
            .find(|row| row.split(['`', '(']).next() == Some(name))
            .unwrap_or_else(|| panic!("no row on {name} in the documentation of laws!"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        families.push(Family {
            name: name.to_owned(),
            bounds: plain(cells[1]),
            about: plain(cells[2]),
            laws,
        });
    }
    assert!(families.len() > 10, "families: {}", families.len());
    families
}

/// Text for readers of a page, without links into the crate's documentation.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let (name, behind) = link.split_once(']').expect("a link ends");
        plain.push_str(name);
        rest = match behind.strip_prefix('(') {
            Some(target) => target.split_once(')').expect("a target ends").1,
            None => behind,
        };
    }
    plain.push_str(rest);
    plain.replace('|', "\\|")
}

/// The laws as the sources declare them, each with the first paragraph of its documentation.
pub(crate) fn laws() -> BTreeMap<String, String> {
    let mut laws = BTreeMap::new();
    for file in files(&root().join("crates/conformance/src/laws"), ".rs") {
        let source = read(&file);
        let mut says = Vec::new();
        for line in source.lines() {
            if let Some(text) = line.strip_prefix("///") {
                says.push(text.trim());
            } else if let Some(declaration) = line.strip_prefix("pub fn ") {
                let name = declaration.split(['<', '(']).next().unwrap();
                let first: Vec<&str> = says.split(|line| line.is_empty()).next().unwrap().to_vec();
                assert!(!first.is_empty(), "{name} says nothing");
                laws.insert(name.to_owned(), plain(&first.join(" ")));
            } else if !line.starts_with("#[") {
                says.clear();
            }
        }
    }
    assert!(laws.len() > 50, "laws: {}", laws.len());
    laws
}

/// What each router in the crates' tests claims, families spelled out, by folder and name. The suite's own
/// tests aside, whose routers are no strategies.
pub(crate) fn claims() -> BTreeMap<(String, String), Claims> {
    let families = families();
    let mut all = BTreeMap::new();
    for folder in fs::read_dir(root().join("crates")).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if name == "conformance" {
            continue;
        }
        for file in files(&folder.join("tests"), ".rs") {
            for (router, list) in routers(&read(&file)) {
                let mut claims = Claims::new();
                for (item, parameter) in items(&list) {
                    match families.iter().find(|family| family.name == item) {
                        Some(family) => {
                            let laws = family.laws.iter().cloned();
                            claims.extend(laws.map(|law| (law, String::new())));
                        }
                        None => drop(claims.insert(item, parameter)),
                    }
                }
                let twice = all.insert((name.clone(), router.clone()), claims);
                assert!(twice.is_none(), "{name} has two routers named {router}");
            }
        }
    }
    assert!(all.len() > 20, "routers: {}", all.len());
    all
}
