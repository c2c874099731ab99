//! `haproxy:FILE[#BACKEND]`: a `backend` or `listen` section of an HAProxy configuration, with the `defaults`
//! that stand behind it.

mod backend;
mod directives;
mod environment;
mod router;
mod sections;
mod servers;
mod syntax;

use std::path::Path;

use super::{Configuration, System, choose, file_and_name, text_of};
use crate::CliError;

use backend::Backend;
use environment::Environment;
use sections::{Kind, Line, Section, sections};

/// All versions from 2.6 on, but those of [`OF_3_0`].
pub(super) const SYSTEM: System = System {
    name: "haproxy",
    form: "FILE[#BACKEND]",
    read: |text| read(text, Ring::Usual),
};

/// 3.0.0 to 3.2 before October 2025, whose rings are others where servers are known by their ids.
pub(super) const OF_3_0: System = System {
    name: "haproxy-3.0",
    form: "FILE[#BACKEND]",
    read: |text| read(text, Ring::IdsHashedTwice),
};

/// Which versions' ring it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ring {
    Usual,
    IdsHashedTwice,
}

fn read(text: &str, ring: Ring) -> Result<Configuration, CliError> {
    let (file, name) = file_and_name(text);
    let text = text_of(file)?;
    let sections = sections(&text, &mut Environment::of_process())
        .map_err(|(line, problem)| CliError::at(place(file, line), problem))?;
    let backends: Vec<&Section> = sections
        .iter()
        .filter(|section| matches!(section.kind, Kind::Backend | Kind::Listen))
        .collect();
    let section = choose(file, "backend", &backends, |section| &section.name, name)?;
    let mut backend = Backend::new(section, ring);
    for (section, line) in lines(file, &sections, section)? {
        backend
            .line(section, line)
            .map_err(|problem| CliError::at(place(file, line.number), problem))?;
    }
    backend
        .configuration()
        .map_err(|(line, problem)| CliError::at(place(file, line), problem))
}

/// The lines that say what a backend does, those of its `defaults` first.
fn lines<'a>(
    file: &Path,
    sections: &'a [Section],
    section: &'a Section,
) -> Result<Vec<(&'a Section, &'a Line)>, CliError> {
    let mut behind = vec![section];
    // A section begins with one above it, so that this ends.
    while let Some(above) = behind.last().and_then(|section| section.defaults) {
        behind.push(&sections[above]);
    }
    let mut lines = Vec::new();
    for section in behind.into_iter().rev() {
        if let Some(doubt) = &section.head.doubt {
            let problem = format!("{}: {doubt}", section.head.words.join(" "));
            return Err(CliError::at(place(file, section.head.number), problem));
        }
        lines.extend(section.lines.iter().map(|line| (section, line)));
    }
    Ok(lines)
}

fn place(file: &Path, line: usize) -> String {
    format!("{} line {line}", file.display())
}
