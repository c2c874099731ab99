//! [`Backend`]: what the lines of a backend come to.

use std::collections::BTreeMap;

use keyroute_interop::haproxy::{Balance, HashKey, HashType, Method, Server};

use super::Ring;
use super::directives::{Effect, effect};
use super::router;
use super::sections::{Kind, Line, Section};
use super::servers::Servers;
use crate::config::Configuration;

/// A backend, as its lines are read.
pub(super) struct Backend<'a> {
    section: &'a Section,
    ring: Ring,
    balance: Option<(usize, Vec<String>)>,
    hash_type: HashType,
    mode: String,
    all_backups: bool,
    disabled: Option<usize>,
    servers: Servers,
    /// Directives that are passed over, by what they do, with their lines.
    passed_over: [BTreeMap<String, Vec<usize>>; 3],
}

impl<'a> Backend<'a> {
    pub(super) fn new(section: &'a Section, ring: Ring) -> Self {
        Self {
            section,
            ring,
            balance: None,
            hash_type: HashType::default(),
            mode: "tcp".into(),
            all_backups: false,
            disabled: None,
            servers: Servers::new(ring),
            passed_over: [const { BTreeMap::new() }; 3],
        }
    }

    /// Reads a line of the backend, or of `defaults` that stand behind it.
    ///
    /// # Errors
    ///
    /// What in the line may send keys elsewhere, or HAProxy refuses.
    pub(super) fn line(&mut self, section: &Section, line: &Line) -> Result<(), String> {
        let words = line.from(0);
        let second = words.get(1).copied().unwrap_or_default();
        let first = words.first().copied().unwrap_or_default();
        let in_backend = section.kind != Kind::Defaults;
        if let Some(doubt) = line.doubt.as_ref().filter(|_| decides(&words)) {
            return Err(format!("{first}: {doubt}"));
        }
        match first {
            "balance" => self.balance = Some((line.number, owned(&words[1..]))),
            "hash-type" => {
                let read = words.join(" ").parse();
                self.hash_type = read.map_err(|error: keyroute::RouteError| error.to_string())?;
            }
            "mode" => self.mode = second.into(),
            "option" if second == "allbackups" => self.all_backups = true,
            "no" | "default" if words[1..].starts_with(&["option", "allbackups"]) => {
                self.all_backups = false;
            }
            "disabled" => self.disabled = Some(line.number),
            "enabled" => self.disabled = None,
            "default-server" => self.servers.default_server(line)?,
            "server" if in_backend => self.servers.server(line)?,
            "server-template" if in_backend => self.servers.template(line)?,
            _ => {
                check_factor(&words)?;
                return self.pass_over(&words, line);
            }
        }
        Ok(())
    }

    /// Passes over a line that moves no key, or says why not.
    fn pass_over(&mut self, words: &[&str], line: &Line) -> Result<(), String> {
        let negated = matches!(words.first(), Some(&("no" | "default")));
        let (effect, name) = effect(&words[usize::from(negated)..]);
        let place = match effect {
            Effect::None => 0,
            Effect::Passing => 1,
            Effect::Rewriting => 2,
            Effect::Elsewhere(_) if negated => 0,
            // A backend that is no listener has no other.
            Effect::Elsewhere(_)
                if name == "default_backend" && self.section.kind == Kind::Backend =>
            {
                0
            }
            Effect::Elsewhere(why) => return Err(format!("{name} {why}")),
            Effect::Unknown => {
                return Err(match &line.doubt {
                    Some(doubt) => format!("{name}: {doubt}"),
                    None => format!(
                        "{name} may change where a key goes, and is not known here: see what it does, and leave \
                         it out of a copy"
                    ),
                });
            }
        };
        let lines = self.passed_over[place].entry(name).or_default();
        lines.push(line.number);
        Ok(())
    }

    /// The whole.
    ///
    /// # Errors
    ///
    /// A line, and what is missing or does not fit.
    pub(super) fn configuration(self) -> Result<Configuration, (usize, String)> {
        let head = self.section.head.number;
        let name = &self.section.name;
        let refuse = |line: usize, problem: String| Err((line, problem));
        if let Some(line) = self.disabled {
            return refuse(
                line,
                format!("backend {name:?} is disabled: it takes no request"),
            );
        }
        if !matches!(self.mode.as_str(), "http" | "tcp") {
            let problem = format!("backend {name:?} has mode {}: give http or tcp", self.mode);
            return refuse(head, problem);
        }
        let Some((line, words)) = &self.balance else {
            let problem = format!(
                "backend {name:?} has no balance: HAProxy takes servers in turn, or at random since 3.3, and no \
                 key decides"
            );
            return refuse(head, problem);
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let balance = Balance::from_words(&words).map_err(|error| (*line, error.to_string()))?;
        if self.mode != "http" && Balance::needs_http(&words) {
            let problem = format!(
                "balance {} needs mode http: in mode {} HAProxy takes servers in turn",
                words[0], self.mode
            );
            return refuse(*line, problem);
        }
        if self.servers.read.is_empty() {
            return refuse(head, format!("backend {name:?} has no server"));
        }
        let mut notes = vec![key_note(balance, &words)];
        notes.extend(self.version_note());
        notes.extend(self.idle_note());
        for (effect, passed_over) in PASSED_OVER.iter().zip(&self.passed_over) {
            notes.extend(named(effect, passed_over));
        }
        notes.extend(named(
            "parameters of servers that count only while servers fail, fill up or come back",
            &self.servers.passed_over,
        ));
        let idle = |server: &Server| !server.is_usable();
        if self.servers.read.iter().all(idle) {
            let problem = format!(
                "backend {name:?} has no server that is up: all are disabled, or of weight 0"
            );
            return refuse(head, problem);
        }
        let plan = router::Plan {
            balance,
            hash_type: self.hash_type,
            all_backups: self.all_backups,
            servers: self.servers,
        };
        plan.configuration(name, notes)
            .map_err(|error| (head, error.to_string()))
    }

    /// Which versions have this ring, if versions differ.
    fn version_note(&self) -> Option<String> {
        let by_id = |server: &Server| server.hash_key() == HashKey::Id;
        if self.hash_type.method != Method::Consistent || !self.servers.read.iter().any(by_id) {
            return None;
        }
        Some(match self.ring {
            Ring::Usual => {
                "HAProxy 3.0.0 to 3.2 before October 2025 has another ring: for that one write \
                            haproxy-3.0:FILE"
                    .into()
            }
            Ring::IdsHashedTwice => {
                "this is the ring of HAProxy 3.0.0 to 3.2 before October 2025".into()
            }
        })
    }

    /// Which servers get no key, if any.
    fn idle_note(&self) -> Option<String> {
        let idle: Vec<&str> = self
            .servers
            .read
            .iter()
            .filter(|server| !server.is_usable() || server.is_backup())
            .map(|server| server.name())
            .collect();
        (!idle.is_empty()).then(|| {
            format!(
                "disabled, of weight 0, or a backup, which gets keys only where no other server can: {}",
                idle.join(", ")
            )
        })
    }
}

/// Whether a line is one of those that [`Backend::line`] reads.
fn decides(words: &[&str]) -> bool {
    match words {
        ["option", option, ..] | ["no" | "default", "option", option, ..] => {
            *option == "allbackups"
        }
        [first, ..] => DECIDING.contains(first),
        [] => false,
    }
}

/// The directives that are read, `option allbackups` aside.
const DECIDING: [&str; 8] = [
    "balance",
    "default-server",
    "disabled",
    "enabled",
    "hash-type",
    "mode",
    "server",
    "server-template",
];

/// What directives that are passed over do, in the order of their places.
const PASSED_OVER: [&str; 3] = [
    "directives that change no key's server",
    "directives that count only while servers fail, fill up or come back",
    "directives that may change or keep requests before they are hashed: a key is what they leave",
];

/// What was passed over, a name each with its lines.
fn named(what: &str, passed_over: &BTreeMap<String, Vec<usize>>) -> Option<String> {
    let names = passed_over.iter().map(|(name, lines)| {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        format!("{name} (line {})", lines.join(", "))
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| format!("passed over: {what}: {}", names.join(", ")))
}

/// What a key is.
fn key_note(balance: Balance, words: &[&str]) -> String {
    let line = words.join(" ");
    match balance {
        Balance::Source => "a key here is a client's IP address, as text".into(),
        Balance::Uri(_) => format!(
            "a key here is a request's target, as /path?query, of which balance {line} hashes a part"
        ),
        Balance::Header => format!(
            "a key here is the value of the header of {line}, up to the first comma outside of quotes"
        ),
        Balance::Value => format!("a key here is the value of {line}"),
        Balance::Address => format!("a key here is the value of {line}, an IP address as text"),
        Balance::Number => format!("a key here is the value of {line}, a number in decimal"),
    }
}

fn check_factor(words: &[&str]) -> Result<(), String> {
    let ["hash-balance-factor", rest @ ..] = words else {
        return Ok(());
    };
    let given = rest.first().copied().unwrap_or_default();
    match given.parse::<u32>() {
        Ok(factor) if factor == 0 || factor > 100 => Ok(()),
        _ => Err(format!(
            "hash-balance-factor {given}: give 0, or a percentage over 100"
        )),
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().copied().map(Into::into).collect()
}
