//! The text of an [`Explanation`], for people.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::{
    ArcPlace, Contender, DrawnPlace, EntryPlace, Explanation, HashValue, Place, PointPlace,
    ProbePlace, WindowPlace,
};
use crate::NodeId;

/// A line for each thing that is known, names in a column.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {} ", Key(self.key()))?;
        match (self.owner_id(), self.refusal()) {
            (Some(owner), _) => writeln!(f, "is on {}", id(owner))?,
            (None, Some(why)) => writeln!(f, "has no owner: {why}")?,
            (None, None) => writeln!(f, "has no owner")?,
        }
        if let (Some(digest), Some(hasher)) = (self.digest(), self.hasher()) {
            line(
                f,
                "digest",
                format_args!("{digest} ({})", hasher_name(hasher)),
            )?;
        }
        place(f, self.place())?;
        if let Some(weighed) = self.weighed() {
            let owned = self.place().owned();
            let owned = owned.map_or(String::new(), |owned| {
                format!(", and it owns {}", percent(owned))
            });
            line(
                f,
                "share",
                format_args!(
                    "{} has weight {} of {}: that asks for {}{owned}",
                    id(&weighed.node),
                    weighed.weight,
                    weighed.total,
                    percent(weighed.share())
                ),
            )?;
        }
        for contender in self.passed() {
            line(f, "passed", contender)?;
        }
        if let Some(taker) = self.taker().filter(|taker| !taker.facts.is_empty()) {
            line(f, "taken", taker)?;
        }
        self.next_lines(f)?;
        for (name, text) in self.notes() {
            line(f, name, text)?;
        }
        let scheme = self.description().scheme();
        let fingerprint = self.fingerprint();
        line(
            f,
            "scheme",
            format_args!("{scheme}, fingerprint {fingerprint}"),
        )
    }
}

impl Explanation {
    /// Names alone fit a line; with facts each has its own.
    fn next_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next: Vec<&Contender> = self.next().collect();
        if next.iter().any(|it| !it.facts.is_empty()) {
            return next.into_iter().try_for_each(|it| line(f, "then", it));
        }
        match next.is_empty() {
            true => Ok(()),
            false => {
                let names: Vec<String> = next.iter().map(ToString::to_string).collect();
                line(f, "then", names.join(", "))
            }
        }
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, text: impl fmt::Display) -> fmt::Result {
    writeln!(f, "  {name:<9} {text}")
}

fn place(f: &mut fmt::Formatter<'_>, place: &Place) -> fmt::Result {
    match place {
        Place::Unsaid => Ok(()),
        Place::Arc(ArcPlace {
            after,
            through,
            point: served,
            lookup,
            ..
        }) => {
            let arc = stretch(*after, *through);
            line(
                f,
                "arc",
                format_args!("{arc}, served by {} ({lookup})", point(served)),
            )?;
            tie(f, served)
        }
        Place::Probe(ProbePlace {
            number,
            of,
            position,
            distance,
            point: served,
        }) => {
            line(
                f,
                "probe",
                format_args!("{number} of {of} is closest: {position}, {distance} away"),
            )?;
            line(f, "point", point(served))?;
            tie(f, served)
        }
        Place::Entry(entry) => line(f, entry.name, EntryText(entry)),
        Place::Drawn(DrawnPlace {
            bucket,
            in_service,
            before,
        }) => {
            let drawn = match before.as_slice() {
                [] => "drawn at once".into(),
                before => format!("drawn behind {}, out of service", numbers(before)),
            };
            line(
                f,
                "bucket",
                format_args!("{bucket}, {drawn}; {in_service} are in service"),
            )
        }
        Place::Best { nodes, rule } => {
            line(f, "asked", format_args!("all of {nodes}: {rule} takes it"))
        }
        Place::Window(WindowPlace {
            after,
            through,
            candidates,
            ..
        }) => {
            line(f, "arc", stretch(*after, *through))?;
            let names: Vec<_> = candidates.iter().map(id).collect();
            line(
                f,
                "window",
                format_args!("{}: the greatest draw takes it", names.join(", ")),
            )
        }
    }
}

fn stretch(after: HashValue, through: HashValue) -> String {
    if after == through {
        "the whole ring".into()
    } else {
        format!("({after}, {through}]")
    }
}

fn point(point: &PointPlace) -> String {
    format!(
        "point {} of {} of {}, at {}",
        point.number,
        point.of,
        id(&point.node),
        point.position
    )
}

/// Who else has a point there, if anybody.
fn tie(f: &mut fmt::Formatter<'_>, point: &PointPlace) -> fmt::Result {
    if point.others.is_empty() {
        return Ok(());
    }
    let others: Vec<_> = point.others.iter().map(id).collect();
    line(
        f,
        "tie",
        format_args!("with {}, decided {}", others.join(", "), point.ties),
    )
}

struct EntryText<'a>(&'a EntryPlace);

impl fmt::Display for EntryText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EntryPlace {
            number,
            of,
            rule,
            digests,
            owned,
            ..
        } = self.0;
        write!(f, "{number} of 0 to {}, by {rule}", of.saturating_sub(1))?;
        if let Some([first, last]) = digests {
            write!(f, " ({first} to {last})")?;
        }
        match owned {
            Some(owned) => write!(f, "; its node has {owned}"),
            None => Ok(()),
        }
    }
}

fn numbers(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// A hasher without a name is told by its answers, which say nothing to people.
fn hasher_name(hasher: &str) -> &str {
    match hasher.strip_prefix("unnamed ") {
        Some(_) => "unnamed",
        None => hasher,
    }
}

fn id(id: &NodeId) -> Cow<'_, str> {
    name(id.as_str())
}

/// A name as it is, where it is plain; else in quotes, as any text that might be taken for another.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"\\,()".contains(&byte);
    if !name.is_empty() && name.bytes().all(plain) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("{name:?}"))
    }
}

/// A key in quotes: text as `Debug` shows it, bytes that are no text as `\xff`.
struct Key<'a>(&'a [u8]);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for chunk in self.0.utf8_chunks() {
            let quoted = format!("{:?}", chunk.valid());
            f.write_str(&quoted[1..quoted.len() - 1])?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_bytes_are_shown_in_one_line() {
        for (key, shown) in [
            (b"user:1".as_slice(), r#""user:1""#),
            (b"", r#""""#),
            (b"a\"b\\c\n\x1b[1m", r#""a\"b\\c\n\u{1b}[1m""#),
            (b"\xff\x00ok\xc3", r#""\xff\0ok\xc3""#),
            ("\u{202e}é".as_bytes(), "\"\\u{202e}é\""),
        ] {
            assert_eq!(Key(key).to_string(), shown);
        }
    }

    #[test]
    fn names_that_could_be_mistaken_are_quoted() {
        for (text, shown) in [
            ("cache-1:11211", "cache-1:11211"),
            ("a b", "\"a b\""),
            ("a,b", "\"a,b\""),
            ("", "\"\""),
            ("a\nb", "\"a\\nb\""),
            ("é", "\"é\""),
        ] {
            assert_eq!(name(text), shown);
        }
    }
}
