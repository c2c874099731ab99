//! What a file's text says, and when it is worth reading: two looks that see the same.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::entry::Written;
use crate::{FileFormat, Sighting, SkipReason, Skipped};

/// What one look at a file saw: its bytes, or a description of why there are none.
pub(crate) type Look = Result<Vec<u8>, String>;

/// Which look at a file is to be believed: one that sees what the look before saw.
///
/// Who writes a file in place shows a part of it for a while, and who moves files about none. Both look like something
/// else a moment later.
#[derive(Debug, Default)]
pub(crate) struct Settling {
    believed: Option<Look>,
    last: Option<Look>,
}

/// What to do after a look.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict<'a> {
    /// All is as it was.
    Same,
    /// It is something else: look again soon.
    Unsettled,
    /// It is this now.
    Now(&'a Look),
}

impl Settling {
    /// Takes another look into account.
    pub(crate) fn look(&mut self, look: Look) -> Verdict<'_> {
        if self.believed.as_ref() == Some(&look) {
            self.last = None;
            return Verdict::Same;
        }
        if self.last.as_ref() != Some(&look) {
            self.last = Some(look);
            return Verdict::Unsettled;
        }
        self.last = None;
        Verdict::Now(self.believed.insert(look))
    }
}

/// A list of tables, each to be read by itself: one that is wrong is no reason to lose the others.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed<V> {
    Bare(Vec<V>),
    Named { nodes: Vec<V> },
}

/// The members that a file's text lists.
pub(crate) fn read(format: FileFormat, text: &[u8]) -> Result<Sighting, String> {
    let text = str::from_utf8(text).map_err(|error| error.to_string())?;
    match format {
        FileFormat::Json => {
            let value: serde_json::Value =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            Ok(sighting(list(value)?))
        }
        FileFormat::Toml => {
            let value: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
            Ok(sighting(list(toml::Value::Table(value))?))
        }
    }
}

/// A value that can be read as a type.
trait Value: DeserializeOwned {
    fn read<T: DeserializeOwned>(self) -> Result<T, String>;
}

impl Value for serde_json::Value {
    fn read<T: DeserializeOwned>(self) -> Result<T, String> {
        serde_json::from_value(self).map_err(|error| error.to_string())
    }
}

impl Value for toml::Value {
    fn read<T: DeserializeOwned>(self) -> Result<T, String> {
        self.try_into()
            .map_err(|error: toml::de::Error| error.to_string())
    }
}

fn list<V: Value>(value: V) -> Result<Vec<V>, String> {
    match value.read() {
        Ok(Listed::Bare(values) | Listed::Named { nodes: values }) => Ok(values),
        Err(_) => Err("it holds no list `nodes`: write one, be it empty".into()),
    }
}

fn sighting<V: Value>(values: Vec<V>) -> Sighting {
    let mut peers = Vec::new();
    let mut skipped = Vec::new();
    for (number, value) in (1..).zip(values) {
        let written = value.read::<Written>();
        let id = written.as_ref().ok().and_then(Written::id);
        let peer = written
            .map_err(|problem| SkipReason::Syntax { problem })
            .and_then(|written| written.peer(None));
        match peer {
            Ok(peer) => peers.push(peer),
            Err(reason) => {
                let key = id
                    .as_ref()
                    .map_or_else(|| format!("nodes[{number}]"), ToString::to_string);
                skipped.push(Skipped { key, id, reason });
            }
        }
    }
    Sighting::of(peers).with_skipped(skipped)
}

#[cfg(test)]
mod tests {
    use super::{Look, Settling, Verdict, read};
    use crate::{FileFormat, SkipReason};

    fn look(text: &str) -> Look {
        Ok(text.into())
    }

    #[test]
    fn a_look_is_believed_once_the_next_sees_the_same() {
        let mut settling = Settling::default();
        assert_eq!(settling.look(look("a")), Verdict::Unsettled);
        assert_eq!(settling.look(look("a")), Verdict::Now(&look("a")));
        assert_eq!(settling.look(look("a")), Verdict::Same);
        assert_eq!(settling.look(look("ab")), Verdict::Unsettled);
        assert_eq!(settling.look(look("abc")), Verdict::Unsettled);
        assert_eq!(settling.look(look("abc")), Verdict::Now(&look("abc")));
    }

    #[test]
    fn what_comes_back_in_between_was_never_gone() {
        let mut settling = Settling::default();
        settling.look(look("a"));
        settling.look(look("a"));
        let gone: Look = Err("not found".into());
        assert_eq!(settling.look(gone.clone()), Verdict::Unsettled);
        assert_eq!(settling.look(look("a")), Verdict::Same);
        // Two that are not in a row are no two.
        assert_eq!(settling.look(gone.clone()), Verdict::Unsettled);
        assert_eq!(settling.look(gone.clone()), Verdict::Now(&gone));
        assert_eq!(settling.look(look("a")), Verdict::Unsettled);
        assert_eq!(settling.look(look("a")), Verdict::Now(&look("a")));
    }

    #[test]
    fn both_formats_say_the_same() {
        let toml = "[router]\nstrategy = \"jump\"\n[[nodes]]\nid = \"a\"\naddress = \"1\"\n[[nodes]]\nid = \"b\"\n\
                    address = \"2\"\nweight = 3\nzone = \"z\"\n";
        let json = r#"[{"id":"a","address":"1"},{"id":"b","address":"2","weight":3,"zone":"z"}]"#;
        let named = format!("{{\"nodes\":{json}}}");
        let seen = read(FileFormat::Toml, toml.as_bytes()).unwrap();
        assert_eq!(seen.members().get("b").unwrap().weight(), 3);
        assert_eq!(seen.members().len(), 2);
        for text in [json, &named] {
            assert_eq!(read(FileFormat::Json, text.as_bytes()).unwrap(), seen);
        }
    }

    #[test]
    fn a_wrong_entry_costs_no_other() {
        let toml = "nodes = [{ id = \"a\", address = \"1\" }, { id = \"b\", address = \"2\", weight = 1.5 }, \
                    { address = \"3\" }, 4, { id = \"\", address = \"5\" }]";
        let seen = read(FileFormat::Toml, toml.as_bytes()).unwrap();
        assert_eq!(seen.members().len(), 1);
        let keys: Vec<&str> = seen.skipped().iter().map(|it| it.key.as_str()).collect();
        assert_eq!(keys, ["b", "nodes[3]", "nodes[4]", "nodes[5]"]);
        let reasons: Vec<_> = seen.skipped().iter().map(|it| &it.reason).collect();
        let given = "1.5".into();
        assert_eq!(*reasons[0], SkipReason::Weight { given });
        assert_eq!(*reasons[1], SkipReason::NoId);
        assert!(matches!(reasons[2], SkipReason::Syntax { .. }));
        assert!(matches!(reasons[3], SkipReason::Invalid(_)));
    }

    #[test]
    fn text_without_a_list_is_refused() {
        for (format, text) in [
            (FileFormat::Json, &b""[..]),
            (FileFormat::Json, b"{}"),
            (FileFormat::Json, br#"[{"id":"a","address":"1"}"#),
            (FileFormat::Json, b"\xff"),
            (FileFormat::Toml, b""),
            (FileFormat::Toml, b"[[nodes]]\nid = \"a"),
            (FileFormat::Toml, b"nodes = 3"),
        ] {
            assert!(read(format, text).is_err(), "{text:?}");
        }
        assert!(
            read(FileFormat::Json, b"[]").unwrap().members().is_empty(),
            "an empty list is one"
        );
    }
}
