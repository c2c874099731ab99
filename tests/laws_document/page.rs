//! The generated part of `docs/laws.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::claims::{Claims, Family, families, laws};

/// Laws that go together in the document.
struct Section {
    title: String,
    /// The heading of its column in the table of all.
    short: String,
    text: String,
    laws: Vec<String>,
}

fn sections(families: Vec<Family>, laws: &BTreeMap<String, String>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for family in families {
        // One that is made of others has no laws of its own.
        let told = |law: &String| sections.iter().any(|section| section.laws.contains(law));
        let own: Vec<String> = family.laws.into_iter().filter(|law| !told(law)).collect();
        if !own.is_empty() {
            sections.push(Section {
                title: format!("`{}`", family.name),
                short: format!("`{}`", family.name),
                text: format!("For routers that are {}: {}.", family.bounds, family.about),
                laws: own,
            });
        }
    }
    let told = |law: &String| sections.iter().any(|section| section.laws.contains(law));
    let rest: Vec<String> = laws.keys().filter(|law| !told(law)).cloned().collect();
    sections.push(Section {
        title: "In no family".to_owned(),
        short: "others".to_owned(),
        text:
            "Claimed one by one. A number is a parameter of the claim; `∞` stands for `u32::MAX`."
                .to_owned(),
        laws: rest,
    });
    sections
}

/// What a claim looks like: nothing, a tick, or its number.
fn cell(claims: &Claims, law: &str) -> String {
    match claims.get(law).map(String::as_str) {
        None => String::new(),
        Some("u32::MAX") => "∞".to_owned(),
        Some(number) if number.parse::<u32>().is_ok() => number.to_owned(),
        Some(_) => "✓".to_owned(),
    }
}

fn header(out: &mut String, cells: &[String]) {
    let columns = " :-: |".repeat(cells.len());
    writeln!(
        out,
        "| strategy | {} |\n| --- |{columns}",
        cells.join(" | ")
    )
    .unwrap();
}

/// Names as they stand in a row or a sentence.
fn names(names: &[&str], of: usize) -> String {
    if names.len() == of {
        format!("all {of}")
    } else {
        names.join(", ")
    }
}

fn overview(out: &mut String, sections: &[Section], rows: &[(&str, Claims)]) {
    let shorts: Vec<String> = sections
        .iter()
        .map(|section| section.short.clone())
        .collect();
    header(out, &shorts);
    for (name, claims) in rows {
        let cells: Vec<String> = sections
            .iter()
            .map(|section| {
                let kept = section
                    .laws
                    .iter()
                    .filter(|law| claims.contains_key(*law))
                    .count();
                match kept {
                    0 => String::new(),
                    all if all == section.laws.len() => "✓".to_owned(),
                    some => format!("{some}/{}", section.laws.len()),
                }
            })
            .collect();
        writeln!(out, "| {name} | {} |", cells.join(" | ")).unwrap();
    }
}

fn section(
    out: &mut String,
    section: &Section,
    says: &BTreeMap<String, String>,
    rows: &[(&str, Claims)],
) {
    writeln!(out, "\n### {}\n\n{}\n", section.title, section.text).unwrap();
    writeln!(out, "| | law | says |\n| --: | --- | --- |").unwrap();
    for (number, law) in section.laws.iter().enumerate() {
        writeln!(out, "| {} | `{law}` | {} |", number + 1, says[law]).unwrap();
    }
    // Strategies that keep the same laws share a row; their order is that of the first of each.
    let mut alike: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
    for (name, claims) in rows {
        let cells: Vec<String> = section.laws.iter().map(|law| cell(claims, law)).collect();
        match alike.iter_mut().find(|(of, _)| *of == cells) {
            Some((_, names)) => names.push(name),
            None => alike.push((cells, vec![name])),
        }
    }
    out.push('\n');
    let numbers: Vec<String> = (1..=section.laws.len())
        .map(|number| number.to_string())
        .collect();
    header(out, &numbers);
    let mut without = String::new();
    for (cells, who) in &alike {
        if cells.iter().all(String::is_empty) {
            without = format!("\nNot claimed for {}.\n", names(who, rows.len()));
        } else {
            writeln!(
                out,
                "| {} | {} |",
                names(who, rows.len()),
                cells.join(" | ")
            )
            .unwrap();
        }
    }
    out.push_str(&without);
}

/// The generated part, for these strategies and what they claim.
pub(crate) fn page(rows: &[(&str, Claims)]) -> String {
    let says = laws();
    let sections = sections(families(), &says);
    let mut out = String::new();
    writeln!(
        out,
        "{} laws, {} strategies. ✓: all laws of the family; 2/3: so many of them.\n",
        says.len(),
        rows.len()
    )
    .unwrap();
    overview(&mut out, &sections, rows);
    for it in &sections {
        section(&mut out, it, &says, rows);
    }
    out
}
