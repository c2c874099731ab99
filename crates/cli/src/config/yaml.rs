//! YAML as a tree with lines, for configurations that are written in it. JSON is YAML.
//!
//! Scalars stay text: what `on` or `007` means is for the system to say, and only a parser that keeps quotes
//! apart from plain text lets it. Hence the events of `granit-parser`, and a tree that is built here.

use std::collections::HashMap;
use std::path::Path;

use granit_parser::{Event, Parser, ScalarStyle, Span, Tag};

use crate::CliError;

/// The deepest that values may nest, with what aliases stand for: a bound on recursion.
const MAX_DEPTH: usize = 200;

/// About the most memory that a tree may take, 256 MiB, with all that aliases stand for.
const MAX_BYTES: usize = 256 << 20;

/// The most characters of a value that an error repeats.
const MAX_QUOTED: usize = 60;

/// About what a value takes beside its text.
const VALUE_BYTES: usize = 96;

/// Reads a file's text, which must be one document, or none.
///
/// # Errors
///
/// What is wrong, and in which line: syntax, a name that stands twice in one mapping, aliases that stand for
/// more than [`MAX_BYTES`], values nested deeper than [`MAX_DEPTH`].
pub(super) fn parse(text: &str) -> Result<Option<Value>, Problem> {
    let mut reader = Reader::default();
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| Problem {
            line: error.marker().line(),
            says: error.info().to_string(),
        })?;
        reader.event(event, span)?;
    }
    Ok(reader.document.map(|built| built.value))
}

/// What is wrong with a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// From 1.
    pub(super) line: usize,
    pub(super) says: String,
}

impl Problem {
    /// The error of this file.
    pub(super) fn in_file(self, file: &Path) -> CliError {
        let Self { line, says } = self;
        CliError::at(format_args!("{} line {line}", file.display()), says)
    }
}

/// A value, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) kind: Kind,
    /// From 1.
    pub(super) line: usize,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, and whether it stands without quotes.
    Scalar {
        /// After escapes.
        text: String,
        /// Without quotes, so that it may be meant as a number or a word like `true`.
        plain: bool,
    },
    Sequence(Vec<Value>),
    /// In the order of the file, names once each.
    Mapping(Vec<Entry>),
    /// Anything with this tag: what tags mean differs between readers.
    Tagged(String),
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The line of the name, from 1.
    pub(super) line: usize,
    pub(super) value: Value,
}

impl Value {
    /// The problem that this value is.
    pub(super) fn problem(&self, says: impl Into<String>) -> Problem {
        Problem {
            line: self.line,
            says: says.into(),
        }
    }

    /// The text of a scalar, which `what` must be.
    pub(super) fn text(&self, what: &str) -> Result<&str, Problem> {
        match &self.kind {
            Kind::Scalar { text, .. } => Ok(text),
            _ => Err(self.unexpected(what, "text")),
        }
    }

    /// The values of a sequence, which `what` must be.
    pub(super) fn sequence(&self, what: &str) -> Result<&[Self], Problem> {
        match &self.kind {
            Kind::Sequence(values) => Ok(values),
            _ => Err(self.unexpected(what, "a sequence")),
        }
    }

    /// The entries of a mapping, which `what` must be.
    pub(super) fn mapping(&self, what: &str) -> Result<&[Entry], Problem> {
        match &self.kind {
            Kind::Mapping(entries) => Ok(entries),
            _ => Err(self.unexpected(what, "a mapping")),
        }
    }

    /// Says what this is instead of what it should be.
    pub(super) fn unexpected(&self, what: &str, should: &str) -> Problem {
        let is = match &self.kind {
            Kind::Scalar { text, plain: true } if text.is_empty() => "nothing".into(),
            Kind::Scalar { text, .. } => match text.char_indices().nth(MAX_QUOTED) {
                Some((end, _)) => format!("{:?}…", &text[..end]),
                None => format!("{text:?}"),
            },
            Kind::Sequence(_) => "a sequence".into(),
            Kind::Mapping(_) => "a mapping".into(),
            Kind::Tagged(tag) => format!("tagged {tag}, and tags are not read here"),
        };
        self.problem(format!("{what} is {is}, and should be {should}"))
    }
}

/// A value with what bounds it.
#[derive(Clone)]
struct Built {
    value: Value,
    bytes: usize,
    /// How deep it nests: 0 for a scalar.
    height: usize,
}

/// A collection whose end is to come.
struct Open {
    built: Built,
    anchor: usize,
    tag: Option<String>,
    /// Of a mapping: the name whose value is to come.
    name: Option<Name>,
    /// Of a mapping: the names so far, and their lines.
    names: HashMap<String, usize>,
}

struct Name {
    text: String,
    line: usize,
    /// It has the tag `!ignore`, by which Envoy passes an entry over.
    ignored: bool,
}

#[derive(Default)]
struct Reader {
    /// Outermost first.
    open: Vec<Open>,
    anchors: HashMap<usize, Built>,
    document: Option<Built>,
    bytes: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, at: Span) -> Result<(), Problem> {
        let line = at.start.line();
        match event {
            Event::DocumentStart(..) if self.document.is_some() => {
                return Err(Problem {
                    line,
                    says: "a second document: there must be one".into(),
                });
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let bytes = VALUE_BYTES + text.len();
                // Where nothing stands, the parser says the sign for nothing.
                let nothing = plain && at.is_empty();
                let text = if nothing {
                    String::new()
                } else {
                    text.into_owned()
                };
                let value = self.built(Kind::Scalar { text, plain }, line, bytes, 0)?;
                self.done(value, anchor, tag.as_deref().map(written))?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.begin(Kind::Sequence(Vec::new()), line, anchor, tag.as_deref())?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.begin(Kind::Mapping(Vec::new()), line, anchor, tag.as_deref())?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    self.done(open.built, open.anchor, open.tag)?;
                }
            }
            Event::Alias(anchor) => {
                let Some(built) = self.anchors.get(&anchor).cloned() else {
                    return Err(Problem {
                        line,
                        says: "an alias inside of what it stands for".into(),
                    });
                };
                let built = self.built(built.value.kind, line, built.bytes, built.height)?;
                self.done(built, 0, None)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(
        &mut self,
        kind: Kind,
        line: usize,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), Problem> {
        let built = self.built(kind, line, VALUE_BYTES, 1)?;
        self.open.push(Open {
            built,
            anchor,
            tag: tag.map(written),
            name: None,
            names: HashMap::new(),
        });
        Ok(())
    }

    /// A value, if it keeps within the bounds.
    fn built(
        &mut self,
        kind: Kind,
        line: usize,
        bytes: usize,
        height: usize,
    ) -> Result<Built, Problem> {
        let refuse = |says: String| Err(Problem { line, says });
        if self.open.len() + height > MAX_DEPTH {
            return refuse(format!("values nest deeper than {MAX_DEPTH}"));
        }
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MAX_BYTES {
            return refuse(format!("takes over {} MiB to read", MAX_BYTES >> 20));
        }
        Ok(Built {
            value: Value { kind, line },
            bytes,
            height,
        })
    }

    /// Puts a whole value where it belongs.
    fn done(
        &mut self,
        mut built: Built,
        anchor: usize,
        tag: Option<String>,
    ) -> Result<(), Problem> {
        let line = built.value.line;
        if anchor != 0 {
            let Built { value, .. } = &built;
            let kept = self.built(value.kind.clone(), line, built.bytes, built.height)?;
            self.anchors.insert(anchor, kept);
        }
        let names = self.open.last().is_some_and(|open| {
            matches!(open.built.value.kind, Kind::Mapping(_)) && open.name.is_none()
        });
        if let (Some(tag), false) = (&tag, names) {
            built.value.kind = Kind::Tagged(tag.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.document = Some(built);
            return Ok(());
        };
        open.built.bytes += built.bytes;
        open.built.height = open.built.height.max(built.height + 1);
        match (&mut open.built.value.kind, open.name.take()) {
            (Kind::Mapping(entries), Some(name)) => {
                if name.ignored {
                    return Ok(());
                }
                entries.push(Entry {
                    name: name.text,
                    line: name.line,
                    value: built.value,
                });
            }
            (Kind::Mapping(_), None) => {
                let Kind::Scalar { text, plain } = built.value.kind else {
                    return Err(built.value.unexpected("a name", "text"));
                };
                if plain && text == "<<" {
                    let says = "a merge key, <<, which no system read here takes".into();
                    return Err(Problem { line, says });
                }
                if let Some(first) = open.names.insert(text.clone(), line) {
                    let says = format!("{text} stands there twice, first in line {first}");
                    return Err(Problem { line, says });
                }
                open.name = Some(Name {
                    text,
                    line,
                    ignored: tag.as_deref() == Some("!ignore"),
                });
            }
            (Kind::Sequence(values), _) => values.push(built.value),
            (Kind::Scalar { .. } | Kind::Tagged(_), _) => {}
        }
        Ok(())
    }
}

/// A tag as the file has it.
fn written(tag: &Tag) -> String {
    format!("{}{}", tag.original_handle(), tag.suffix())
}

#[cfg(test)]
mod tests {
    use super::{Entry, Kind, Value, parse};

    fn scalar(text: &str, plain: bool, line: usize) -> Value {
        let text = text.into();
        Value {
            kind: Kind::Scalar { text, plain },
            line,
        }
    }

    fn entry(name: &str, value: Value) -> Entry {
        Entry {
            name: name.into(),
            line: value.line,
            value,
        }
    }

    /// The entries of the mapping that a text is.
    fn entries(text: &str) -> Vec<Entry> {
        match parse(text).unwrap().unwrap().kind {
            Kind::Mapping(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    fn refused(text: &str) -> String {
        let problem = parse(text).unwrap_err();
        format!("line {}: {}", problem.line, problem.says)
    }

    #[test]
    fn scalars_keep_their_text_and_say_whether_they_are_plain() {
        let text = "a: 127.0.0.1:11211:1 name\nb: 'on'\nc: \"\\u00e9\"\nd: 007\ne: ~\nf:\ng: ''\n";
        let expected = [
            entry("a", scalar("127.0.0.1:11211:1 name", true, 1)),
            entry("b", scalar("on", false, 2)),
            entry("c", scalar("é", false, 3)),
            entry("d", scalar("007", true, 4)),
            entry("e", scalar("~", true, 5)),
            entry("f", scalar("", true, 6)),
            entry("g", scalar("", false, 7)),
        ];
        assert_eq!(entries(text), expected);
        let read = parse("- \n- a\n").unwrap().unwrap();
        assert_eq!(read.sequence("").unwrap()[0], scalar("", true, 1));
    }

    #[test]
    fn json_is_read_and_lines_count() {
        let read = entries("{\"a\":\n\t[\"x\\/\\ud834\\udd1e\", 5,\n {}], \"b\": true}");
        let list = Value {
            kind: Kind::Sequence(vec![
                scalar("x/𝄞", false, 2),
                scalar("5", true, 2),
                Value {
                    kind: Kind::Mapping(Vec::new()),
                    line: 3,
                },
            ]),
            line: 2,
        };
        assert_eq!(read[0].value, list);
        assert_eq!((read[1].name.as_str(), read[1].line), ("b", 3));
    }

    #[test]
    fn aliases_stand_for_what_they_name() {
        let read = entries("a: &x {p: [q]}\nb: *x\nc: &x r\nd: *x\n");
        assert_eq!(read[0].value.kind, read[1].value.kind);
        assert_eq!(read[1].value.line, 2);
        assert_eq!(read[3].value, scalar("r", true, 4));
    }

    #[test]
    fn tags_keep_a_value_from_being_read_and_ignored_entries_are_gone() {
        let read = entries("!ignore a: &x 1\nb: !!str 5\nc: !foo [1]\nd: *x\n");
        let names: Vec<&str> = read.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "d"]);
        assert_eq!(read[0].value.kind, Kind::Tagged("!!str".into()));
        assert_eq!(read[1].value.kind, Kind::Tagged("!foo".into()));
        let said = read[1].value.sequence("c").unwrap_err().says;
        assert!(said.contains("c is tagged !foo"), "{said}");
        assert_eq!(read[2].value, scalar("1", true, 4));
    }

    #[test]
    fn nothing_is_no_value() {
        for text in ["", "\n\n", "# only\n"] {
            assert_eq!(parse(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn what_is_ambiguous_or_broken_is_refused_by_line() {
        for (text, says) in [
            (
                "a: 1\nb: 2\na: 3\n",
                "line 3: a stands there twice, first in line 1",
            ),
            ("a: {b: 1,\n \"b\": 2}\n", "line 2: b stands there twice"),
            ("a: 1\n---\nb: 2\n", "line 2: a second document"),
            ("x: &x {a: 1}\ny:\n  <<: *x\n", "line 3: a merge key"),
            ("? [a]\n: 1\n", "line 1: a name is a sequence"),
            ("? {a: b}\n: 1\n", "line 1: a name is a mapping"),
            ("a: *nobody\n", "line 1: "),
            (
                "a: &x [*x]\n",
                "line 1: an alias inside of what it stands for",
            ),
            ("a: [1\n", "line "),
            ("a: \"x\n", "line "),
            ("a:\n\t- x\n", "line 2: "),
            ("{\"a\": 1", "line "),
            ("a: }\n", "line 1: "),
            ("\0", "line 1: "),
        ] {
            let said = refused(text);
            assert!(said.starts_with(says), "{text}: {said}");
        }
    }

    fn nested(open: &str, deep: usize, close: &str) -> String {
        format!("{}x{}", open.repeat(deep), close.repeat(deep))
    }

    #[test]
    fn hostile_texts_are_refused() {
        // Each alias stands for ten of the one before: 10^12 in all.
        let mut laughs = "a0: &a0 ha\n".to_string();
        for level in 1..=12 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            laughs += &format!("a{level}: &a{level} [{aliases}]\n");
        }
        // Nests one deeper a line, in aliases alone.
        let mut stairs = "a0: &a0 []\n".to_string();
        for level in 1..1000 {
            stairs += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
        }
        // A long text many times.
        let long = format!(
            "a: &a {}\nb: [{}]\n",
            "x".repeat(1 << 20),
            "*a, ".repeat(300)
        );
        for (text, says) in [
            (laughs, "takes over 256 MiB to read"),
            (stairs, "values nest deeper than 200"),
            (long, "takes over 256 MiB to read"),
            (nested("[", 201, "]"), "values nest deeper than 200"),
            (nested("{a: ", 201, "}"), "values nest deeper than 200"),
            (nested("- ", 201, ""), "values nest deeper than 200"),
            // Here the parser's own bound comes first.
            (nested("[", 100_000, "]"), "recursion limit"),
            (nested("- ", 100_000, ""), "values nest deeper than 200"),
            ("- x\n".repeat(3_000_000), "takes over 256 MiB to read"),
        ] {
            let said = refused(&text);
            assert!(said.contains(says), "{}: {said}", &text[..40]);
        }
        parse(&nested("[", 200, "]")).unwrap();
    }

    #[test]
    fn errors_repeat_a_part_of_long_texts() {
        let said = |text: &str| scalar(text, true, 1).mapping("it").unwrap_err().says;
        let (short, long) = ("é".repeat(60), "é".repeat(61));
        assert!(said(&short).contains(&format!("{short:?}, and")));
        assert!(said(&long).contains(&format!("{short:?}…, and")));
    }

    #[test]
    fn many_names_are_told_apart_in_good_time() {
        let text: String = (0..200_000).map(|name| format!("a{name}: 1\n")).collect();
        assert_eq!(entries(&text).len(), 200_000);
    }
}
