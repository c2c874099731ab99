//! Messages in proto3's JSON form, as Envoy reads it from YAML.
//!
//! A field stands under its name or under the name's lowerCamelCase. A value of `null` is none. A plain
//! scalar is what yaml-cpp takes it for: `on` is a truth value, `0x10` a number, and no text.

use std::borrow::Cow;
use std::path::Path;

use super::super::yaml::{Entry, Kind, Problem, Value};

/// A value and the way to it, from the cluster.
#[derive(Clone, Debug)]
pub(super) struct Field<'v> {
    pub(super) path: String,
    pub(super) value: &'v Value,
}

/// A mapping and the way to it.
#[derive(Clone, Debug)]
pub(super) struct Message<'v> {
    pub(super) path: String,
    pub(super) line: usize,
    entries: &'v [Entry],
}

impl<'v> Message<'v> {
    /// The field of this name, in either spelling, unless it is `null`.
    pub(super) fn field(&self, name: &str) -> Result<Option<Field<'v>>, Problem> {
        let mut found = self.entries.iter().filter(|entry| is(entry, name));
        let Some(entry) = found.next() else {
            return Ok(None);
        };
        if let Some(second) = found.next() {
            return Err(Problem {
                line: second.line,
                says: format!(
                    "{} is the same field as {}, in line {}: keep one",
                    second.name, entry.name, entry.line
                ),
            });
        }
        if let Kind::Scalar { text, plain } = &entry.value.kind
            && let Meaning::Null = meaning(text, *plain)
        {
            return Ok(None);
        }
        Ok(Some(Field {
            path: self.path_to(name),
            value: &entry.value,
        }))
    }

    /// The value of this name in a message of data, whose names have one spelling.
    pub(super) fn datum(&self, name: &str) -> Option<Field<'v>> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        Some(Field {
            path: self.path_to(name),
            value: &entry.value,
        })
    }

    /// The field of this name, which must be there.
    pub(super) fn needed(&self, name: &str) -> Result<Field<'v>, Problem> {
        self.field(name)?
            .ok_or_else(|| self.problem(format!("{} is missing", self.path_to(name))))
    }

    /// The message of this name, if it is there.
    pub(super) fn message(&self, name: &str) -> Result<Option<Self>, Problem> {
        self.field(name)?.map(|field| field.message()).transpose()
    }

    /// The list of this name; empty if it is not there.
    pub(super) fn list(&self, name: &str) -> Result<Vec<Field<'v>>, Problem> {
        self.field(name)?
            .map_or(Ok(Vec::new()), |field| field.list())
    }

    /// The text of this name; empty if it is not there.
    pub(super) fn text(&self, name: &str) -> Result<Cow<'v, str>, Problem> {
        self.field(name)?
            .map_or(Ok(Cow::Borrowed("")), |field| field.text())
    }

    /// The whole number of this name, if it is there.
    pub(super) fn whole(&self, name: &str, most: u64) -> Result<Option<u64>, Problem> {
        self.field(name)?.map(|field| field.whole(most)).transpose()
    }

    /// The truth value of this name, if it is there.
    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.field(name)?.map(|field| field.boolean()).transpose()
    }

    /// Refuses a field that is none of these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Problem> {
        self.or_passed_over(known, &[], Path::new(""), &mut Vec::new())
    }

    /// Refuses a field that is neither known nor harmless, and notes those that are harmless.
    pub(super) fn or_passed_over(
        &self,
        known: &[&str],
        harmless: &[&str],
        file: &Path,
        notes: &mut Vec<String>,
    ) -> Result<(), Problem> {
        for entry in self.entries {
            let among = |names: &[&str]| names.iter().any(|name| is(entry, name));
            if among(known) {
                continue;
            }
            let path = self.path_to(&entry.name);
            if !among(harmless) {
                return Err(Problem {
                    line: entry.line,
                    says: format!("{path}: is not read here, and may change where a key goes"),
                });
            }
            notes.push(format!(
                "{} line {}: {path} changes no key's host",
                file.display(),
                entry.line
            ));
        }
        Ok(())
    }

    /// The entries as they stand in the file.
    pub(super) fn entries(&self) -> &'v [Entry] {
        self.entries
    }

    /// The same, with this way to it.
    pub(super) fn with_path(self, path: impl Into<String>) -> Self {
        let path = path.into();
        Self { path, ..self }
    }

    /// The first of these fields that is there.
    pub(super) fn first_of(&self, names: &[&str]) -> Option<&'v Entry> {
        self.entries
            .iter()
            .find(|entry| names.iter().any(|name| is(entry, name)))
    }

    /// The problem that this message is.
    pub(super) fn problem(&self, says: impl Into<String>) -> Problem {
        Problem {
            line: self.line,
            says: says.into(),
        }
    }

    pub(super) fn path_to(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.into()
        } else {
            format!("{}.{name}", self.path)
        }
    }
}

impl<'v> Field<'v> {
    /// The root of a file.
    pub(super) fn root(value: &'v Value) -> Self {
        Self {
            path: String::new(),
            value,
        }
    }

    pub(super) fn message(&self) -> Result<Message<'v>, Problem> {
        let what = if self.path.is_empty() {
            "what stands there"
        } else {
            &self.path
        };
        Ok(Message {
            path: self.path.clone(),
            line: self.value.line,
            entries: self.value.mapping(what)?,
        })
    }

    pub(super) fn list(&self) -> Result<Vec<Self>, Problem> {
        let values = self.value.sequence(&self.path)?;
        Ok(values
            .iter()
            .enumerate()
            .map(|(place, value)| Self {
                path: format!("{}[{place}]", self.path),
                value,
            })
            .collect())
    }

    pub(super) fn text(&self) -> Result<Cow<'v, str>, Problem> {
        let (text, plain) = self.scalar("text")?;
        match meaning(text, plain) {
            Meaning::Text(text) => Ok(text),
            Meaning::Null | Meaning::Bool(_) | Meaning::Number => Err(self.value.problem(format!(
                "{} is {text}, which is no text without quotes: quote it",
                self.path
            ))),
        }
    }

    /// A whole number up to `most`, plain or as text.
    pub(super) fn whole(&self, most: u64) -> Result<u64, Problem> {
        let should = "a whole number in decimal digits";
        let (text, _) = self.scalar(should)?;
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        // Zeros before it mean octal digits, but not in quotes.
        let number = (digits && (text == "0" || !text.starts_with('0')))
            .then(|| text.parse().ok())
            .flatten()
            .ok_or_else(|| self.value.unexpected(&self.path, should))?;
        if number > most {
            let says = format!("{} is {number}, and may be {most} at most", self.path);
            return Err(self.value.problem(says));
        }
        Ok(number)
    }

    /// A number of 32 bits.
    pub(super) fn small(&self) -> Result<u32, Problem> {
        let number = self.whole(u32::MAX.into())?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    pub(super) fn boolean(&self) -> Result<bool, Problem> {
        let (text, plain) = self.scalar("true or false")?;
        match meaning(text, plain) {
            Meaning::Bool(is) => Ok(is),
            _ => Err(self.value.unexpected(&self.path, "true or false")),
        }
    }

    /// The place, in this list, of the name or number that this is.
    pub(super) fn choice<T: Copy>(&self, all: &[(&str, u32, T)]) -> Result<T, Problem> {
        let (text, _) = self.scalar("a name")?;
        let found = all.iter().find(|(name, number, _)| {
            text.eq_ignore_ascii_case(name) || text.parse() == Ok(*number)
        });
        found.map(|&(.., what)| what).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|&(name, ..)| name).collect();
            self.value
                .unexpected(&self.path, &format!("one of {}", names.join(", ")))
        })
    }

    pub(super) fn scalar(&self, should: &str) -> Result<(&'v str, bool), Problem> {
        match &self.value.kind {
            Kind::Scalar { text, plain } => Ok((text, *plain)),
            _ => Err(self.value.unexpected(&self.path, should)),
        }
    }
}

/// Whether an entry is the field of this name, in either spelling.
pub(super) fn is(entry: &Entry, name: &str) -> bool {
    entry.name == name || is_camel(&entry.name, name)
}

/// Whether `camel` is `snake` in lowerCamelCase.
fn is_camel(camel: &str, snake: &str) -> bool {
    let mut rest = camel.chars();
    let mut upper = false;
    for expected in snake.chars() {
        if expected == '_' {
            upper = true;
            continue;
        }
        let expected = if upper {
            expected.to_ascii_uppercase()
        } else {
            expected
        };
        upper = false;
        if rest.next() != Some(expected) {
            return false;
        }
    }
    rest.next().is_none()
}

/// What Envoy takes a scalar for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'t> {
    Null,
    Bool(bool),
    Number,
    Text(Cow<'t, str>),
}

/// What Envoy takes a scalar for: text in quotes is text, the rest is tried as other things first. Whole
/// numbers beyond 32 bits become text.
pub(super) fn meaning(text: &str, plain: bool) -> Meaning<'_> {
    if !plain {
        return Meaning::Text(text.into());
    }
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Meaning::Null;
    }
    if let Some(is) = truth(text) {
        return Meaning::Bool(is);
    }
    if let Some(number) = whole(text) {
        return match i32::try_from(number) {
            Ok(_) => Meaning::Number,
            Err(_) => Meaning::Text(number.to_string().into()),
        };
    }
    let in_a_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if text.bytes().all(in_a_number) && text.parse::<f64>().is_ok() {
        return Meaning::Number;
    }
    let bare = text.trim_start_matches(['+', '-']);
    if matches!(bare, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Meaning::Number;
    }
    Meaning::Text(text.into())
}

/// A truth value, in small letters, capitals, or with one capital first.
fn truth(text: &str) -> Option<bool> {
    let small = text.to_ascii_lowercase();
    let is = match small.as_str() {
        "y" | "yes" | "true" | "on" => true,
        "n" | "no" | "false" | "off" => false,
        _ => return None,
    };
    let (first, rest) = text.split_at(1);
    let capital = |text: &str| text.bytes().all(|byte| byte.is_ascii_uppercase());
    let one_case = text == small || capital(text);
    (one_case || (capital(first) && rest == &small[1..])).then_some(is)
}

/// A whole number in decimal, octal (after `0`) or hexadecimal digits (after `0x`).
fn whole(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // No second sign, which Rust would take.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = i128::from(u64::from_str_radix(digits, radix).ok()?);
    i64::try_from(if negative { -number } else { number }).ok()
}

#[cfg(test)]
mod tests {
    use super::{Meaning, is_camel, meaning};

    #[test]
    fn a_name_has_two_spellings() {
        for (camel, snake) in [
            ("name", "name"),
            ("lbPolicy", "lb_policy"),
            ("ringHashLbConfig", "ring_hash_lb_config"),
            ("http2ProtocolOptions", "http2_protocol_options"),
        ] {
            assert!(is_camel(camel, snake), "{camel}");
        }
        for camel in ["lbpolicy", "LbPolicy", "lbPolic", "lbPolicyX", "lb_policy"] {
            assert!(!is_camel(camel, "lb_policy"), "{camel}");
        }
    }

    #[test]
    fn plain_scalars_are_what_envoy_takes_them_for() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(meaning(text, true), Meaning::Null, "{text}");
        }
        for (text, is) in [
            ("y", true),
            ("Yes", true),
            ("TRUE", true),
            ("on", true),
            ("N", false),
            ("no", false),
            ("False", false),
            ("OFF", false),
        ] {
            assert_eq!(meaning(text, true), Meaning::Bool(is), "{text}");
        }
        for text in [
            "0",
            "5",
            "-5",
            "+5",
            "007",
            "08",
            "0x1F",
            "1.5",
            ".5",
            "1.",
            "1e3",
            "2147483647",
            ".inf",
            "-.INF",
            ".nan",
        ] {
            assert_eq!(meaning(text, true), Meaning::Number, "{text}");
        }
        for text in [
            "yEs", "nO", "nul", "NuLL", "10.0.0.1", "0x", "0xg", "1e", "inf", "nan", "--5", "+-5",
            "5 ", "é", "-", ".", "1_000", "tRUE",
        ] {
            assert_eq!(meaning(text, true), Meaning::Text(text.into()), "{text}");
        }
        assert_eq!(
            meaning("2147483648", true),
            Meaning::Text("2147483648".into())
        );
        // Octal digits.
        assert_eq!(meaning("017777777777", true), Meaning::Number);
        assert_eq!(
            meaning("020000000000", true),
            Meaning::Text("2147483648".into())
        );
        assert_eq!(
            meaning("0x80000000", true),
            Meaning::Text("2147483648".into())
        );
        for text in ["", "~", "true", "5"] {
            assert_eq!(meaning(text, false), Meaning::Text(text.into()), "{text}");
        }
    }
}
