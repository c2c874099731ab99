//! `--from`: routers that the configuration of other systems describes.
//!
//! Each system is a file here that reads its configuration into a [`Configuration`], with its preset in
//! `keyroute-interop`. A directive that changes where a key goes and that the preset does not have is an
//! error that names it; so is one that nobody here knows, where it stands among those that decide. What is
//! known to change nothing is passed over with a note.

mod envoy;
mod haproxy;
mod libmemcached;
mod nginx;
mod twemproxy;
mod yaml;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use keyroute::{Node, Weight};

use crate::CliError;
use crate::fleet::{Fleet, Settings};
use crate::strategy::{Choice, Configured};

/// The longest configuration, 64 MiB, with all that it includes.
const MAX_LEN: u64 = 64 << 20;

/// The systems whose configuration is read.
static SYSTEMS: [System; 6] = [
    nginx::SYSTEM,
    haproxy::SYSTEM,
    haproxy::OF_3_0,
    envoy::SYSTEM,
    libmemcached::SYSTEM,
    twemproxy::SYSTEM,
];

/// A system whose configuration is read.
struct System {
    name: &'static str,
    /// How its configuration is named, after the name and a colon.
    form: &'static str,
    read: fn(&str) -> Result<Configuration, CliError>,
}

/// Where a configuration is: `SYSTEM:FILE#NAME`, or as the system says.
#[derive(Clone)]
pub struct Source {
    system: &'static System,
    rest: String,
}

impl Source {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// [`CliError::Input`] that names the file, the line and the directive.
    pub fn read(&self) -> Result<Configuration, CliError> {
        (self.system.read)(&self.rest)
    }

    /// Reads the configuration as a fleet and what routes to it; shows its notes on standard error.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn load(&self) -> Result<(Fleet, Choice), CliError> {
        let configuration = self.read()?;
        for note in &configuration.notes {
            eprintln!("keyroute: note: {note}");
        }
        let fleet = Fleet {
            nodes: configuration.nodes,
            drained: Vec::new(),
            addresses: Vec::new(),
            settings: Settings::default(),
        };
        Ok((fleet, Choice::Configured(configuration.router)))
    }

    /// Says how sources are written, a system each.
    pub(crate) fn forms() -> String {
        let forms = SYSTEMS
            .iter()
            .map(|system| format!("{}:{}", system.name, system.form));
        forms.collect::<Vec<_>>().join(", ")
    }

    /// A source, if the text begins with the name of a system and a colon.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(':')?;
        let system = SYSTEMS.iter().find(|system| system.name == name)?;
        Some(Self {
            system,
            rest: rest.into(),
        })
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::find(text).ok_or_else(|| format!("write one of {}", Self::forms()))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.system.name, self.rest)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a configuration says.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The router, to be made of these nodes or of others.
    pub router: Configured,
    /// The nodes, in the order of the configuration, those that are down included.
    pub nodes: Vec<Node>,
    /// What a reader should know: what keys are, what was passed over.
    pub notes: Vec<String>,
}

/// `FILE#NAME` in two; the last `#` splits.
fn file_and_name(text: &str) -> (&Path, Option<&str>) {
    match text.rsplit_once('#') {
        Some((file, name)) => (Path::new(file), Some(name).filter(|name| !name.is_empty())),
        None => (Path::new(text), None),
    }
}

/// The one of this name, or the only one there is.
///
/// `what` is what they are called, as `upstream`.
fn choose<'a, T>(
    file: &Path,
    what: &str,
    all: &'a [T],
    name_of: impl Fn(&T) -> &str,
    name: Option<&str>,
) -> Result<&'a T, CliError> {
    let known = || {
        let names: Vec<&str> = all.iter().map(&name_of).collect();
        names.join(", ")
    };
    let mut found = all
        .iter()
        .filter(|one| name.is_none_or(|name| name_of(one) == name));
    match (found.next(), found.next(), name) {
        (Some(one), None, _) => Ok(one),
        (Some(_), Some(_), Some(name)) => Err(CliError::at(
            file.display(),
            format!("{what} {name:?} stands there more than once: keep one"),
        )),
        (Some(_), Some(_), None) => Err(CliError::at(
            file.display(),
            format!("choose one {what} with #NAME: {}", known()),
        )),
        (None, ..) if all.is_empty() => Err(CliError::at(file.display(), format!("has no {what}"))),
        (None, ..) => Err(CliError::at(
            file.display(),
            format!(
                "has no {what} {:?}: there are {}",
                name.unwrap_or_default(),
                known()
            ),
        )),
    }
}

/// The weights of nodes by id, for lists that are compared line by line.
fn weights_by_id(nodes: &[Node]) -> BTreeMap<&str, Weight> {
    let pairs = nodes.iter().map(|node| (node.id().as_str(), node.weight()));
    pairs.collect()
}

/// All of a file, if it is text of at most [`MAX_LEN`] bytes.
fn text_of(file: &Path) -> Result<String, CliError> {
    let mut text = String::new();
    let read = File::open(file).and_then(|open| open.take(MAX_LEN + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > MAX_LEN => Err(CliError::at(
            file.display(),
            format!("over {MAX_LEN} bytes: too long for a configuration"),
        )),
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(CliError::at(
            file.display(),
            "is no UTF-8 text, and node ids must be",
        )),
        Err(error) => Err(CliError::at(file.display(), error)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Source, choose, file_and_name};

    #[test]
    fn sources_are_a_system_and_what_it_reads() {
        let source: Source = "nginx:/etc/nginx.conf#up".parse().unwrap();
        assert_eq!(source.to_string(), "nginx:/etc/nginx.conf#up");
        for text in ["", "nginx", "ngin:x", "/etc/nginx:conf"] {
            let error = text.parse::<Source>().unwrap_err();
            assert!(error.contains("nginx:FILE[#UPSTREAM]"), "{text}: {error}");
        }
    }

    #[test]
    fn the_last_hash_sign_splits() {
        assert_eq!(file_and_name("a"), (Path::new("a"), None));
        assert_eq!(file_and_name("a#b"), (Path::new("a"), Some("b")));
        assert_eq!(file_and_name("a#b#c"), (Path::new("a#b"), Some("c")));
        assert_eq!(file_and_name("a#b#"), (Path::new("a#b"), None));
    }

    #[test]
    fn without_a_name_there_must_be_one() {
        let choose = |all: &[&'static str], name| {
            let chosen = choose(Path::new("f"), "pool", all, |one| one, name);
            chosen.copied().map_err(|error| error.to_string())
        };
        assert_eq!(choose(&["a"], None), Ok("a"));
        assert_eq!(choose(&["a", "b"], Some("b")), Ok("b"));
        for (all, name, says) in [
            (&["a", "b"][..], None, "f: choose one pool with #NAME: a, b"),
            (&["a"], Some("b"), "f: has no pool \"b\": there are a"),
            (
                &["a", "a"],
                Some("a"),
                "f: pool \"a\" stands there more than once: keep one",
            ),
            (&[], None, "f: has no pool"),
        ] {
            assert_eq!(choose(all, name), Err(says.into()));
        }
    }
}
