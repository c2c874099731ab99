//! Replays a recorded run on our own routers and compares every answer.

use serde_json::Value;

use super::document::{Document, Key, KeyEncoding, Op};
use super::report::{Report, Unusable};
use super::{ring_dump, special_keys};

/// A system, set up: what a file may ask of it.
pub(crate) trait System {
    /// Makes a change, as the original would.
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        Err(unknown_op(op, "none"))
    }

    /// The answer to this key; where a system counts, it counts it.
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable>;

    /// A fact of the run, by its name in `aux` or in the file; `None` for a name that this system does not
    /// have.
    fn aux(&self, _name: &str) -> Result<Option<Value>, Unusable> {
        Ok(None)
    }

    /// A fact that repeats the questions with the answers, as `[[key, answer], …]`: what it says is given, to be
    /// asked again. Other facts are [`aux`](Self::aux).
    fn told(&self, name: &str, _recorded: &Value) -> Result<Option<Value>, Unusable> {
        self.aux(name)
    }

    /// The ring's points with their owners, in the order of the ring, for systems whose files show it.
    fn points(&self) -> Result<Option<Vec<(u128, String)>>, Unusable> {
        Ok(None)
    }

    /// The points as a ring dump shows them, where that is another way.
    fn dump(&self) -> Result<Option<Vec<(u128, String)>>, Unusable> {
        self.points()
    }

    /// Where a key stands among those points.
    fn locate(&self, _key: &[u8]) -> Option<u128> {
        None
    }
}

/// The refusal of an operation that a system does not have.
pub(crate) fn unknown_op(op: &Op, known: &str) -> Unusable {
    Unusable(format!(
        "{op:?} is not an operation of this system, which has {known}"
    ))
}

/// Replays the file on a system that was set up from its `config` and `nodes`.
pub(crate) fn replay(document: Document, system: &mut dyn System) -> Result<Report, Unusable> {
    let Document {
        system: name,
        mut config,
        nodes,
        keys,
        ops,
        events,
        stateful: _,
        cases,
        cases_hex,
        aux,
        more,
        ring,
        special_keys,
    } = document;
    // Where it is not the system's, it is the software's.
    config.harmless("version");
    config.finish()?;
    for node in nodes {
        node.more.finish()?;
    }
    let mut report = Report::new(&name);
    let mut events = events.into_iter().peekable();
    for (number, op) in ops.iter().enumerate() {
        system
            .apply(op)
            .map_err(|problem| problem.at(format!("op {number}")))?;
    }
    for (number, (key, expected)) in cases.iter().enumerate() {
        let place = || format!("case {number}, key {key:?}");
        while let Some((_, op)) = events.next_if(|(at, _)| *at == number) {
            system
                .apply(&op)
                .map_err(|problem| problem.at(format!("event before {}", place())))?;
        }
        let computed = keys.decode(key).and_then(|key| system.answer(&key));
        let computed = computed.map_err(|problem| problem.at(place()))?;
        report.check(place, expected, &computed);
    }
    for (number, (key, expected)) in cases_hex.iter().enumerate() {
        let place = || format!("case in hex {number}, key {key:?}");
        let computed = KeyEncoding::Hex
            .decode(key)
            .and_then(|key| system.answer(&key));
        let computed = computed.map_err(|problem| problem.at(place()))?;
        report.check(place, expected, &computed);
    }
    for mut facts in [aux, more] {
        let names: Vec<String> = facts.names().map(str::to_owned).collect();
        for name in names {
            let Some(expected) = facts.take(&name) else {
                continue;
            };
            match system.told(&name, &expected)? {
                Some(computed) => report.check(|| format!("aux {name}"), &expected, &computed),
                None => facts.put_back(name, expected),
            }
        }
        facts.finish()?;
    }
    if let Some(ring) = ring {
        ring_dump::check(ring, system, &mut report)?;
    }
    special_keys::check(special_keys, &cases, keys, system, &mut report)?;
    Ok(report)
}
