//! [`Document`]: a file of recorded answers, read strictly.

use serde_json::Value;

use super::fields::Fields;
use super::report::Unusable;

/// A file of recorded answers: how the system was set up, and what it said.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) system: String,
    /// What is left once keys, operations and events were taken: the system's own parameters.
    pub(crate) config: Fields,
    pub(crate) nodes: Vec<Listed>,
    pub(crate) keys: KeyEncoding,
    /// Made after all nodes were added, before any key is routed.
    pub(crate) ops: Vec<Op>,
    /// Made just before the key with this number, from 0; sorted by it.
    pub(crate) events: Vec<(usize, Op)>,
    /// Whether the cases are one run, in order; otherwise each stands alone.
    pub(crate) stateful: bool,
    pub(crate) cases: Vec<(String, Value)>,
    /// Cases whose keys are written in hex, whatever `keys` says.
    pub(crate) cases_hex: Vec<(String, Value)>,
    /// Further facts of the run.
    pub(crate) aux: Fields,
    /// What the file says beside all this: settings that the system takes out, and further facts.
    pub(crate) more: Fields,
    /// The ring's points: their count, the first and the last.
    pub(crate) ring: Option<Fields>,
    /// Keys that were searched for, by what they hit.
    pub(crate) special_keys: Fields,
}

/// A node as listed.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) weight: Option<u32>,
    /// What else is said of it: the system takes it out.
    pub(crate) more: Fields,
}

/// How keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyEncoding {
    Utf8,
    Hex,
    Number,
    Pair,
}

/// A key as a system receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Bytes(Vec<u8>),
    Number(u64),
    Pair(u64, u64),
}

/// A change of the fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Add(String),
    Remove(String),
    AddWeighted(String, u64),
    AddReplicas(String, u64),
    UpdateWeight(String, u64),
    Inc(String),
    Done(String),
    UpdateLoad(String, i64),
    AddBucket,
    RemoveBucket(u64),
}

impl Document {
    /// Reads all but the system's name, which was taken from `fields`.
    pub(crate) fn read(system: &str, mut fields: Fields) -> Result<Self, Unusable> {
        for name in ["version", "note", "also_identical_on", "key_source"] {
            fields.harmless(name);
        }
        let config = fields.take("config");
        let mut config = Fields::of("config", fields.required("config", config)?)?;
        config.harmless("note");
        let keys = match config.text("key_encoding")?.as_deref() {
            None | Some("utf8") => KeyEncoding::Utf8,
            Some("hex") => KeyEncoding::Hex,
            Some("u64-decimal") => KeyEncoding::Number,
            Some("u64,u64-decimal") => KeyEncoding::Pair,
            Some(other) => return Err(Unusable(format!("unknown key_encoding {other:?}"))),
        };
        let stateful = match config.take("stateful") {
            None => false,
            Some(Value::Bool(stateful)) => stateful,
            Some(other) => return Err(Unusable(format!("\"stateful\" is {other}: true or false"))),
        };
        let ops = numbered("op", &config.list("ops")?, |op| Op::read(elements(op)?))?;
        let mut events = numbered("event", &config.list("events")?, event)?;
        events.sort_by_key(|&(at, _)| at);
        // Values of functions come in rows: a key, and its values.
        let rows = numbered("row", &fields.list("rows")?, row)?;
        let nodes = match fields.take("nodes") {
            None if !rows.is_empty() => Some(Value::Array(Vec::new())),
            nodes => nodes,
        };
        let Value::Array(nodes) = fields.required("nodes", nodes)? else {
            return Err(Unusable::new("\"nodes\" is not a list"));
        };
        let nodes = numbered("node", &nodes, Listed::read)?;
        let mut cases = numbered("case", &fields.list("cases")?, case)?;
        cases.extend(rows);
        let cases_hex = numbered("case in hex", &fields.list("cases_hex")?, case)?;
        if cases.is_empty() && cases_hex.is_empty() {
            return Err(Unusable::new("the file has no case"));
        }
        if let Some((at, _)) = events.iter().find(|(at, _)| *at >= cases.len()) {
            return Err(Unusable(format!(
                "an event before key {at}, but there are {} cases",
                cases.len()
            )));
        }
        if !stateful && !events.is_empty() {
            return Err(Unusable::new("events in a run that is not \"stateful\""));
        }
        let mut part = |name| Fields::of(name, fields.take(name).unwrap_or_else(empty));
        let (aux, special_keys) = (part("aux")?, part("special_keys")?);
        let ring = fields.take("ring").map(|ring| Fields::of("ring", ring));
        let ring = ring.transpose()?;
        Ok(Self {
            system: system.into(),
            config,
            nodes,
            keys,
            ops,
            events,
            stateful,
            cases,
            cases_hex,
            aux,
            more: fields,
            ring,
            special_keys,
        })
    }
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

/// Reads each element; an error says which was wrong.
pub(crate) fn numbered<T>(
    what: &str,
    list: &[Value],
    read: impl Fn(&Value) -> Result<T, Unusable>,
) -> Result<Vec<T>, Unusable> {
    (0..)
        .zip(list)
        .map(|(number, value)| {
            read(value).map_err(|problem: Unusable| problem.at(format!("{what} {number}")))
        })
        .collect()
}

fn elements(value: &Value) -> Result<&[Value], Unusable> {
    value
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| Unusable(format!("not a list: {value}")))
}

fn case(value: &Value) -> Result<(String, Value), Unusable> {
    match elements(value)? {
        [Value::String(key), expected] => Ok((key.clone(), expected.clone())),
        _ => Err(Unusable(format!("not [key, expected]: {value}"))),
    }
}

fn row(value: &Value) -> Result<(String, Value), Unusable> {
    match elements(value)? {
        [Value::String(key), values @ ..] => Ok((key.clone(), values.into())),
        _ => Err(Unusable(format!("not [key, value, …]: {value}"))),
    }
}

fn event(value: &Value) -> Result<(usize, Op), Unusable> {
    let not_event = || Unusable(format!("not [index, op, …]: {value}"));
    let (at, op) = elements(value)?.split_first().ok_or_else(not_event)?;
    let at = at.as_u64().and_then(|at| usize::try_from(at).ok());
    Ok((at.ok_or_else(not_event)?, Op::read(op)?))
}

impl Listed {
    /// A name, or an object of name and weight.
    fn read(value: &Value) -> Result<Self, Unusable> {
        if let Value::String(name) = value {
            return Ok(Self {
                name: name.clone(),
                weight: None,
                more: Fields::none("a node"),
            });
        }
        let mut more = Fields::of("a node that is not a name", value.clone())?;
        let name = more.text("name")?;
        let name = more.required("name", name)?;
        let weight = more.whole("weight")?;
        Ok(Self { name, weight, more })
    }

    /// The name of a node in a system that has no weights.
    pub(crate) fn unweighted(&self) -> Result<&str, Unusable> {
        match self.weight {
            None => Ok(&self.name),
            Some(weight) => Err(Unusable(format!(
                "node {:?} has weight {weight}, but the system has no weights",
                self.name
            ))),
        }
    }
}

impl Op {
    fn read(parts: &[Value]) -> Result<Self, Unusable> {
        let written = || Value::Array(parts.to_vec());
        let [Value::String(op), arguments @ ..] = parts else {
            return Err(Unusable(format!("not [op, …]: {}", written())));
        };
        let known = match (op.as_str(), arguments) {
            ("add", [Value::String(name)]) => Some(Self::Add(name.clone())),
            ("remove", [Value::String(name)]) => Some(Self::Remove(name.clone())),
            ("add_w", [Value::String(name), weight]) => weight
                .as_u64()
                .map(|weight| Self::AddWeighted(name.clone(), weight)),
            ("add_r", [Value::String(name), replicas]) => replicas
                .as_u64()
                .map(|replicas| Self::AddReplicas(name.clone(), replicas)),
            ("update_w", [Value::String(name), weight]) => weight
                .as_u64()
                .map(|weight| Self::UpdateWeight(name.clone(), weight)),
            ("inc", [Value::String(name)]) => Some(Self::Inc(name.clone())),
            ("done", [Value::String(name)]) => Some(Self::Done(name.clone())),
            ("update_load", [Value::String(name), load]) => load
                .as_i64()
                .map(|load| Self::UpdateLoad(name.clone(), load)),
            ("add_bucket", []) => Some(Self::AddBucket),
            ("remove_bucket", [bucket]) => bucket.as_u64().map(Self::RemoveBucket),
            _ => None,
        };
        known.ok_or_else(|| Unusable(format!("unknown operation {}", written())))
    }
}

impl KeyEncoding {
    /// The key that this text writes.
    pub(crate) fn decode(self, text: &str) -> Result<Key, Unusable> {
        Ok(match self {
            Self::Utf8 => Key::Bytes(text.as_bytes().to_vec()),
            Self::Hex => {
                let mut bytes = Vec::new();
                crate::keys::unhex(text.as_bytes(), &mut bytes).map_err(Unusable)?;
                Key::Bytes(bytes)
            }
            Self::Number => Key::Number(number(text)?),
            Self::Pair => {
                let (first, second) = text
                    .split_once(',')
                    .ok_or_else(|| Unusable(format!("{text:?} is not a pair of numbers")))?;
                Key::Pair(number(first)?, number(second)?)
            }
        })
    }
}

fn number(text: &str) -> Result<u64, Unusable> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| Unusable(format!("{text:?} is not an unsigned 64-bit number")))
}

impl Key {
    /// The bytes of a key of a system that hashes bytes.
    pub(crate) fn bytes(&self) -> Result<&[u8], Unusable> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) | Self::Pair(..) => Err(Unusable::new(
                "the system's keys are bytes: key_encoding utf8 or hex",
            )),
        }
    }

    /// The number that is a key of a system of numbers.
    pub(crate) fn number(&self) -> Result<u64, Unusable> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Bytes(_) | Self::Pair(..) => Err(Unusable::new(
                "the system's keys are numbers: key_encoding u64-decimal",
            )),
        }
    }
}
