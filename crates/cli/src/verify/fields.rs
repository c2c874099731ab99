//! [`Fields`]: a JSON object of which every field must be known.

use serde_json::{Map, Value};

use super::report::Unusable;

/// The fields of an object. Each is taken by name; [`finish`](Self::finish) refuses what is left, since
/// a field that nobody read may decide an answer.
#[derive(Debug)]
pub(crate) struct Fields {
    place: String,
    left: Map<String, Value>,
}

impl Fields {
    /// The fields of this object, which errors call `place`.
    pub(crate) fn of(place: &str, value: Value) -> Result<Self, Unusable> {
        match value {
            Value::Object(left) => Ok(Self {
                place: place.into(),
                left,
            }),
            other => Err(Unusable(format!("{place} is not an object: {other}"))),
        }
    }

    /// No fields.
    pub(crate) fn none(place: &str) -> Self {
        Self {
            place: place.into(),
            left: Map::new(),
        }
    }

    /// Takes a field.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name)
    }

    /// Puts a field back that was taken and is not known.
    pub(crate) fn put_back(&mut self, name: String, value: Value) {
        self.left.insert(name, value);
    }

    /// Takes a text.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Unusable> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.malformed(name, "a text", &other)),
        }
    }

    /// Takes a whole number from 0.
    pub(crate) fn whole<N: TryFrom<u64>>(&mut self, name: &str) -> Result<Option<N>, Unusable> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        value
            .as_u64()
            .and_then(|number| N::try_from(number).ok())
            .map(Some)
            .ok_or_else(|| self.malformed(name, "a whole number in range", &value))
    }

    /// Takes a list; an empty one if the field is absent.
    pub(crate) fn list(&mut self, name: &str) -> Result<Vec<Value>, Unusable> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(self.malformed(name, "a list", &other)),
        }
    }

    /// The value, or the error that says the field is missing.
    pub(crate) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Unusable> {
        value.ok_or_else(|| Unusable(format!("{} has no {name:?}", self.place)))
    }

    /// Takes a text that may only say this, or be absent.
    pub(crate) fn only(&mut self, name: &str, accepted: &str) -> Result<(), Unusable> {
        match self.text(name)? {
            Some(text) if text != accepted => Err(Unusable(format!(
                "{} {name:?} is {text:?}: this system has {accepted:?} alone",
                self.place
            ))),
            _ => Ok(()),
        }
    }

    /// Drops a field that decides no answer.
    pub(crate) fn harmless(&mut self, name: &str) {
        self.take(name);
    }

    /// The names that are left.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.left.keys().map(String::as_str)
    }

    /// Refuses fields that nobody took.
    pub(crate) fn finish(self) -> Result<(), Unusable> {
        let unknown: Vec<_> = self.names().map(|name| format!("{name:?}")).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(Unusable(format!(
            "{} has unknown fields, which may decide an answer: {}",
            self.place,
            unknown.join(", ")
        )))
    }

    fn malformed(&self, name: &str, wanted: &str, found: &Value) -> Unusable {
        Unusable(format!("{} {name:?} is not {wanted}: {found}", self.place))
    }
}
