//! The sections of a file, and which `defaults` stand behind each.

use super::environment::Environment;
use super::syntax;

/// A line of a section.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) words: Vec<String>,
    /// From 1.
    pub(super) number: usize,
    /// Why it may say something else to HAProxy, if so.
    pub(super) doubt: Option<String>,
}

impl Line {
    /// The words, from this place on.
    pub(super) fn from(&self, place: usize) -> Vec<&str> {
        let words = self.words.iter().skip(place);
        words.map(String::as_str).collect()
    }
}

/// What sections can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Global,
    Defaults,
    Backend,
    Listen,
    /// One that says nothing of backends.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Its first line, which begins it.
    pub(super) head: Line,
    pub(super) lines: Vec<Line>,
    /// The `defaults` section that it begins with, by its place among the sections.
    pub(super) defaults: Option<usize>,
}

/// Words that begin sections of other kinds.
const OTHERS: [&str; 15] = [
    "acme",
    "cache",
    "crt-store",
    "fcgi-app",
    "frontend",
    "http-errors",
    "log-forward",
    "log-profile",
    "mailers",
    "peers",
    "program",
    "resolvers",
    "ring",
    "traces",
    "userlist",
];

/// Reads a file's text into sections.
///
/// # Errors
///
/// The line, and what HAProxy refuses in it or what is not read here.
pub(super) fn sections(
    text: &str,
    environment: &mut Environment,
) -> Result<Vec<Section>, (usize, String)> {
    let mut sections: Vec<Section> = Vec::new();
    let mut conditions = Conditions::default();
    let count = text.lines().count();
    if !text.is_empty() && !text.ends_with('\n') {
        let problem = "the last line has no end, and HAProxy refuses the file: it may be cut off";
        return Err((count, problem.into()));
    }
    for (number, text) in (1..).zip(text.lines()) {
        let at = |problem: String| (number, problem);
        let read = syntax::words(text, number, environment).map_err(at)?;
        let mut line = Line {
            words: read.words,
            number,
            doubt: read.doubt,
        };
        let Some(first) = line.words.first().cloned() else {
            continue;
        };
        if first.starts_with('.') {
            let read = conditions.read(&first, number, sections.len());
            read.map_err(at)?;
            continue;
        }
        if let Some((condition, _)) = conditions.open.last() {
            line.doubt = Some(format!(
                "stands under the .if of line {condition}, which is not evaluated: give a file without it"
            ));
        }
        if let Some(kind) = kind(&first) {
            conditions.loose = None;
            sections.push(section(kind, line, &sections).map_err(at)?);
            continue;
        }
        if let Some(condition) = conditions.loose {
            return Err(at(format!(
                "{first} belongs to one section or another, as the .if of line {condition} decides: give a file \
                 without it"
            )));
        }
        let Some(section) = sections.last_mut() else {
            return Err(at(format!("{first} stands before the first section")));
        };
        if section.kind == Kind::Global {
            let doubtful = line.doubt.as_ref().filter(|_| first.ends_with("env"));
            if let Some(doubt) = doubtful {
                return Err(at(format!("{first}: {doubt}")));
            }
            environment.change(&line.words).map_err(at)?;
        }
        section.lines.push(line);
    }
    match conditions.open.first() {
        Some((number, _)) => Err((*number, ".if is not closed with .endif".into())),
        None => Ok(sections),
    }
}

fn kind(word: &str) -> Option<Kind> {
    match word {
        "global" => Some(Kind::Global),
        "defaults" => Some(Kind::Defaults),
        "backend" => Some(Kind::Backend),
        "listen" => Some(Kind::Listen),
        word => OTHERS.contains(&word).then_some(Kind::Other),
    }
}

/// The directives that choose lines. They are not evaluated: a line under one is in doubt.
#[derive(Default)]
struct Conditions {
    /// The lines of `.if` that are open, each with how many sections there were.
    open: Vec<(usize, usize)>,
    /// The line of an `.if` in which a section began that may not be there: which section goes on is open.
    loose: Option<usize>,
}

impl Conditions {
    /// A directive that begins with a dot, after so many sections.
    fn read(&mut self, directive: &str, line: usize, sections: usize) -> Result<(), String> {
        match directive {
            ".if" => self.open.push((line, sections)),
            ".elif" | ".else" | ".endif" => {
                let Some(&(condition, before)) = self.open.last() else {
                    return Err(format!("{directive} without .if"));
                };
                if sections > before {
                    self.loose = Some(condition);
                }
                if directive == ".endif" {
                    self.open.pop();
                }
            }
            ".alert" if self.open.is_empty() => {
                return Err(".alert: HAProxy does not start with this file".into());
            }
            ".alert" | ".diag" | ".notice" | ".warning" => {}
            other => {
                return Err(format!(
                    "{other} is not known: .if, .elif, .else, .endif, .diag, .notice, .warning and .alert are"
                ));
            }
        }
        Ok(())
    }
}

/// A section that begins with this line, after these.
fn section(kind: Kind, head: Line, before: &[Section]) -> Result<Section, String> {
    let named: Vec<&str> = head.from(1);
    let (name, from) = match (kind, named.as_slice()) {
        (Kind::Global | Kind::Other, _) => (named.first().copied().unwrap_or_default(), None),
        (Kind::Defaults, ["from", from, ..]) => ("", Some(*from)),
        (_, [name, "from", from, ..]) => (*name, Some(*from)),
        (Kind::Defaults, []) => ("", None),
        (_, [name, ..]) => (*name, None),
        (_, []) => return Err(format!("{} takes a name", head.words.join(" "))),
    };
    let mut earlier = before
        .iter()
        .enumerate()
        .filter(|(_, section)| section.kind == Kind::Defaults)
        .filter(|(_, section)| from.is_none_or(|from| section.name == from));
    let defaults = match (from, kind) {
        (Some(from), _) => match (earlier.next(), earlier.next()) {
            (Some((place, _)), None) => Some(place),
            (None, _) => return Err(format!("there is no defaults section {from:?} above")),
            (Some(_), Some(_)) => {
                return Err(format!(
                    "defaults {from:?} stands above more than once: HAProxy refuses it"
                ));
            }
        },
        (None, Kind::Backend | Kind::Listen) => earlier.next_back().map(|(place, _)| place),
        (None, _) => None,
    };
    Ok(Section {
        kind,
        name: name.into(),
        head,
        lines: Vec::new(),
        defaults,
    })
}

#[cfg(test)]
mod tests {
    use super::super::environment::Environment;
    use super::{Kind, Section, sections};

    fn read(text: &str) -> Result<Vec<Section>, (usize, String)> {
        sections(text, &mut Environment::new(|_| None))
    }

    #[test]
    fn sections_begin_with_their_words() {
        let read = read(
            "global\n user a\n setenv W 3\ndefaults d1\n mode http\nfrontend f\n bind :80\n\
             backend b # c\n\tserver a \"$W\"\n\ndefaults d2 from d1\nlisten l from d2\n",
        )
        .unwrap();
        let heads: Vec<_> = read
            .iter()
            .map(|section| (section.kind, section.name.as_str(), section.defaults))
            .collect();
        assert_eq!(
            heads,
            [
                (Kind::Global, "", None),
                (Kind::Defaults, "d1", None),
                (Kind::Other, "f", None),
                (Kind::Backend, "b", Some(1)),
                (Kind::Defaults, "d2", Some(1)),
                (Kind::Listen, "l", Some(4)),
            ]
        );
        assert_eq!(read[3].lines[0].words, ["server", "a", "3"]);
        assert_eq!(read[3].lines[0].number, 9);
    }

    #[test]
    fn lines_under_conditions_are_in_doubt() {
        let read = read("backend b\n.if 1\n a\n.else\n b\n.endif\n c\n.if 0\nbackend x\n d\n.endif\nbackend y\n")
            .unwrap();
        let doubtful = |section: &Section| {
            let lines = section.lines.iter();
            lines.map(|line| line.doubt.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(doubtful(&read[0]), [true, true, false]);
        assert_eq!(doubtful(&read[1]), [true]);
        let heads: Vec<_> = read
            .iter()
            .map(|section| section.head.doubt.is_some())
            .collect();
        assert_eq!(heads, [false, true, false]);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_line() {
        for (text, line, says) in [
            ("backend b", 1, "the last line has no end"),
            ("a b\n", 1, "a stands before the first section"),
            ("backend\n", 1, "backend takes a name"),
            ("\nbackend b from d\n", 2, "no defaults section \"d\" above"),
            (
                "defaults d\ndefaults d\nbackend b from d\n",
                3,
                "more than once",
            ),
            ("backend b\n.if 1\n", 2, ".if is not closed"),
            (".endif\n", 1, ".endif without .if"),
            (".elseif\n", 1, ".elseif is not known"),
            (".alert no\n", 1, "does not start"),
            ("backend b\n 'a\n", 2, "a ' is not closed"),
            ("global\n setenv A\n", 2, "takes a name and a value"),
            (
                "global\n.if 1\n setenv A 1\n.endif\n",
                3,
                "setenv: stands under the .if of line 2",
            ),
            (
                "global\n setenv A \"$B\"\n",
                2,
                "setenv: the variable B is not set",
            ),
            (
                "backend b\n.if 1\nbackend c\n.else\n x\n.endif\n",
                5,
                "one section or another",
            ),
            (
                "backend b\n.if 1\nbackend c\n.endif\n x\n",
                5,
                "one section or another",
            ),
        ] {
            let (at, problem) = read(text).unwrap_err();
            assert!(problem.contains(says), "{text:?}: {problem}");
            assert_eq!(at, line, "{text:?}");
        }
    }
}
