//! `twemproxy:FILE[#POOL]`: a pool of a twemproxy (nutcracker) configuration.
//!
//! What it refuses of YAML, of a pool and of a server is refused here, as version 0.5.0 does.

use std::collections::BTreeSet;
use std::path::Path;

use granit_parser::{Event, Parser, StructureStyle};
use keyroute::{Node, RouteError};
use keyroute_interop::twemproxy::{KeyHash, Modula, ketama, server};

use super::yaml::{self, Entry, Problem, Value};
use super::{Configuration, System, choose, file_and_name, text_of};
use crate::CliError;
use crate::strategy::{Configured, Refusal};

pub(super) const SYSTEM: System = System {
    name: "twemproxy",
    form: "FILE[#POOL]",
    read,
};

/// What the value of a directive must be.
#[derive(Clone, Copy)]
enum Form {
    Text,
    /// Digits alone.
    Number,
    /// `true` or `false`.
    Bool,
}

/// Directives of a pool that change nothing of where a key goes.
const HARMLESS: [(&str, Form); 11] = [
    ("listen", Form::Text),
    ("timeout", Form::Number),
    ("backlog", Form::Number),
    ("client_connections", Form::Number),
    ("tcpkeepalive", Form::Bool),
    ("redis_auth", Form::Text),
    ("redis_db", Form::Number),
    ("preconnect", Form::Bool),
    ("server_connections", Form::Number),
    ("server_retry_timeout", Form::Number),
    ("server_failure_limit", Form::Number),
];

/// What hashes keys unless `hash` says.
const DEFAULT_HASH: &str = "fnv1a_64";

/// The longest key that twemproxy takes of memcached's clients, in bytes.
const MAX_MEMCACHED_KEY: usize = 250;

fn read(text: &str) -> Result<Configuration, CliError> {
    let (file, name) = file_and_name(text);
    let text = text_of(file)?;
    let root = plain(&text)
        .and_then(|()| yaml::parse(&text))
        .map_err(|problem| problem.in_file(file))?;
    let pools = match &root {
        None => &[],
        Some(root) => root
            .mapping("what stands there")
            .map_err(|problem| problem.in_file(file))?,
    };
    let pool = choose(file, "pool", pools, |pool| &pool.name, name)?;
    let read = Pool::read(file, pool).and_then(|read| read.configuration(pool));
    read.map_err(|problem| problem.in_file(file))
}

/// Refuses what twemproxy refuses of YAML.
fn plain(text: &str) -> Result<(), Problem> {
    for next in Parser::new_from_str(text) {
        // An error is said by who reads the file next.
        let Ok((event, span)) = next else { break };
        let flow = "brackets and braces";
        let what = match event {
            Event::DocumentStart(true, _) => "the beginning of a document, ---,",
            Event::DocumentEnd if !span.is_empty() => "the end of a document, ...,",
            Event::SequenceStart(StructureStyle::Flow, ..) => flow,
            Event::MappingStart(StructureStyle::Flow, ..) => flow,
            Event::Alias(_) => "an alias",
            ref node if node.anchor_id().is_some() => "an anchor",
            ref node if node.tag().is_some() => "a tag",
            _ => continue,
        };
        return Err(Problem {
            line: span.start.line(),
            says: format!("{what} is what twemproxy refuses: write block style alone"),
        });
    }
    Ok(())
}

/// What a pool says.
struct Pool {
    hash: String,
    key_hash: KeyHash,
    modula: bool,
    redis: bool,
    servers: Vec<Node>,
    notes: Vec<String>,
}

impl Pool {
    fn read(file: &Path, pool: &Entry) -> Result<Self, Problem> {
        let entries = pool.value.mapping(&format!("pool {:?}", pool.name))?;
        let find = |name: &str| {
            let entry = entries.iter().find(|entry| entry.name == name);
            entry.map(|entry| &entry.value)
        };
        let refuse = |says: String| Problem {
            line: pool.line,
            says,
        };
        let mut key_hash = KeyHash::default();
        let mut hash = DEFAULT_HASH;
        if let Some(named) = find("hash") {
            hash = named.text("hash")?;
            key_hash = KeyHash::named(hash).map_err(refused(named))?;
        }
        if let Some(tag) = find("hash_tag") {
            let tagged = key_hash.with_hash_tag(tag.text("hash_tag")?);
            key_hash = tagged.map_err(refused(tag))?;
        }
        let modula = match find("distribution") {
            None => false,
            Some(distribution) => match distribution.text("distribution")? {
                "ketama" => false,
                "modula" => true,
                "random" => {
                    let says = "distribution random: no key decides the server";
                    return Err(distribution.problem(says));
                }
                other => {
                    let says = format!("distribution {other:?}: there are ketama, modula, random");
                    return Err(distribution.problem(says));
                }
            },
        };
        let redis = find("redis").is_some_and(|redis| redis.text("redis") == Ok("true"));
        let mut notes = Vec::new();
        for entry in entries {
            let name = entry.name.as_str();
            let place = format!("{} line {}", file.display(), entry.line);
            match name {
                "hash" | "hash_tag" | "distribution" | "servers" => {}
                "redis" => check(entry, Form::Bool)?,
                "auto_eject_hosts" => {
                    check(entry, Form::Bool)?;
                    if entry.value.text(name) == Ok("true") {
                        notes.push(format!(
                            "{place}: auto_eject_hosts moves keys while servers fail: here none does"
                        ));
                    }
                }
                _ => {
                    let known = HARMLESS.iter().find(|(known, _)| *known == name);
                    let Some(&(_, form)) = known else {
                        return Err(Problem {
                            line: entry.line,
                            says: format!("{name}: twemproxy has no such directive"),
                        });
                    };
                    check(entry, form)?;
                    if name != "listen" {
                        notes.push(format!("{place}: {name} changes no key's server"));
                    }
                }
            }
        }
        if find("listen").is_none() {
            return Err(refuse(format!("pool {:?} has no listen", pool.name)));
        }
        if let (Some(auth), false) = (find("redis_auth"), redis) {
            return Err(auth.problem("redis_auth is for a pool with redis: true"));
        }
        let none = || refuse(format!("pool {:?} has no servers", pool.name));
        let lines = find("servers").ok_or_else(none)?.sequence("servers")?;
        let servers: Vec<Node> = lines
            .iter()
            .map(|line| server(line.text("a server")?).map_err(refused(line)))
            .collect::<Result<_, _>>()?;
        let mut ids = BTreeSet::new();
        for (node, line) in servers.iter().zip(lines) {
            if !ids.insert(node.id()) {
                let says = format!("a second server {:?}: keep one", node.id().as_str());
                return Err(line.problem(says));
            }
        }
        if servers.is_empty() {
            return Err(none());
        }
        Ok(Self {
            hash: hash.into(),
            key_hash,
            modula,
            redis,
            servers,
            notes,
        })
    }

    fn configuration(self, pool: &Entry) -> Result<Configuration, Problem> {
        let name = format!("twemproxy:{}", pool.name);
        let (hash, key_hash, known) = (self.hash, self.key_hash, self.servers.clone());
        let router = if self.modula {
            Configured::new(name, hash, move |nodes| {
                let nodes = as_identities(&known, nodes)?;
                Ok(Modula::of_servers(key_hash.clone(), nodes)?)
            })
        } else {
            Configured::new(name, hash, move |nodes| {
                let nodes = as_identities(&known, nodes)?;
                Ok(ketama(key_hash.clone(), nodes)?)
            })
        };
        router.build(&self.servers).map_err(|refusal| Problem {
            line: pool.line,
            says: refusal.to_string(),
        })?;
        let router = if self.redis {
            router
        } else {
            router.with_unroutable(no_memcached_key)
        };
        Ok(Configuration {
            router,
            nodes: self.servers,
            notes: self.notes,
        })
    }
}

/// Refuses a value that this directive cannot have.
fn check(entry: &Entry, form: Form) -> Result<(), Problem> {
    let name = entry.name.as_str();
    let text = entry.value.text(name)?;
    let accepted = match form {
        Form::Text => !text.is_empty(),
        Form::Number => {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
                // A server without connections has no part in anything.
                && (name != "server_connections" || text.bytes().any(|byte| byte != b'0'))
        }
        Form::Bool => matches!(text, "true" | "false"),
    };
    if accepted {
        return Ok(());
    }
    Err(entry.value.unexpected(
        name,
        match form {
            Form::Text => "text",
            Form::Number if name == "server_connections" => "a number from 1",
            Form::Number => "a number",
            Form::Bool => "true or false",
        },
    ))
}

/// The problem of a value that the preset refuses.
fn refused(value: &Value) -> impl Fn(RouteError) -> Problem {
    |error| value.problem(error.to_string())
}

/// Nodes whose ids are what twemproxy hashes: new ones are as lines without an alias.
fn as_identities(known: &[Node], nodes: &[Node]) -> Result<Vec<Node>, Refusal> {
    let misnamed = |node: &&Node| {
        node.id().as_str().ends_with(":11211") && known.iter().all(|known| known.id() != node.id())
    };
    match nodes.iter().find(misnamed) {
        Some(_) => Err(Refusal::Unable(
            "hashes a server on port 11211 by its host alone: name it without the port",
        )),
        None => Ok(nodes.to_vec()),
    }
}

/// Why a key cannot be one of memcached's text protocol, if so.
fn no_memcached_key(key: &[u8]) -> Option<&'static str> {
    if key.is_empty() {
        Some("memcached has no empty key")
    } else if key.len() > MAX_MEMCACHED_KEY {
        Some("over 250 bytes: twemproxy takes no such key of memcached's clients")
    } else if key.iter().any(|byte| matches!(byte, b' ' | b'\r' | b'\n')) {
        Some("holds a blank or the end of a line, at which a key of memcached's ends")
    } else {
        None
    }
}
