//! `nginx:FILE[#UPSTREAM]`: an `upstream` block of an nginx configuration, of `http` or of `stream`.

mod syntax;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use keyroute::{Node, RouteError, Router};
use keyroute_interop::nginx::{Consistent, Modulo, Server};

use super::{Configuration, System, choose, file_and_name, text_of, weights_by_id};
use crate::CliError;
use crate::strategy::{Configured, Refusal};

use syntax::Directive;

pub(super) const SYSTEM: System = System {
    name: "nginx",
    form: "FILE[#UPSTREAM]",
    read,
};

/// Files that include one another deeper than this are taken for a circle.
const MAX_INCLUDES: usize = 32;

/// Directives of an upstream that change nothing of where a key goes.
const HARMLESS: [&str; 9] = [
    "keepalive",
    "keepalive_requests",
    "keepalive_time",
    "keepalive_timeout",
    "ntlm",
    "queue",
    "resolver",
    "resolver_timeout",
    "zone",
];

/// Parameters of a server that count only while servers fail, fill up or come back.
const PASSING: [&str; 4] = ["max_conns", "max_fails", "fail_timeout", "slow_start"];

fn read(text: &str) -> Result<Configuration, CliError> {
    let (file, name) = file_and_name(text);
    let mut found = Found {
        folder: file.parent().unwrap_or(Path::new("")).into(),
        upstreams: Vec::new(),
        notes: Vec::new(),
    };
    found.file(file, &["http", "stream"], 0)?;
    let upstream = choose(file, "upstream", &found.upstreams, |up| &up.name, name)?;
    let mut configuration = upstream.configuration()?;
    configuration.notes.extend(found.notes);
    Ok(configuration)
}

/// What a file and those it includes hold.
struct Found {
    /// Where names of files begin, in all files.
    folder: PathBuf,
    upstreams: Vec<Upstream>,
    notes: Vec<String>,
}

/// An `upstream` block with what it includes.
struct Upstream {
    name: String,
    place: String,
    lines: Vec<(String, Directive)>,
}

impl Found {
    /// Looks through a file for upstreams, in these blocks too.
    fn file(&mut self, file: &Path, blocks: &[&str], depth: usize) -> Result<(), CliError> {
        let directives = parsed(file)?;
        self.directives(file, &directives, blocks, depth)
    }

    fn directives(
        &mut self,
        file: &Path,
        directives: &[Directive],
        blocks: &[&str],
        depth: usize,
    ) -> Result<(), CliError> {
        for directive in directives {
            let place = place(file, directive);
            match (directive.name(), &directive.block) {
                ("upstream", Some(block)) => {
                    let [name] = directive.arguments() else {
                        return Err(CliError::at(place, "upstream takes one name"));
                    };
                    let mut upstream = Upstream {
                        name: name.clone(),
                        place,
                        lines: Vec::new(),
                    };
                    self.lines(file, block, &mut upstream, depth)?;
                    self.upstreams.push(upstream);
                }
                ("include", None) => {
                    let included = self.included(directive, depth);
                    match included.map_err(|problem| CliError::at(&place, problem))? {
                        Included::Missing(missing) => self.notes.push(format!(
                            "{place}: {} is not there: what it includes is not read",
                            missing.display()
                        )),
                        Included::Files(files) => {
                            for file in files {
                                self.file(&file, blocks, depth + 1)?;
                            }
                        }
                    }
                }
                (name, Some(block)) if blocks.contains(&name) => {
                    self.directives(file, block, &[], depth)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The lines of an upstream, with those it includes.
    fn lines(
        &self,
        file: &Path,
        block: &[Directive],
        upstream: &mut Upstream,
        depth: usize,
    ) -> Result<(), CliError> {
        for directive in block {
            let place = place(file, directive);
            if directive.name() != "include" || directive.block.is_some() {
                upstream.lines.push((place, directive.clone()));
                continue;
            }
            let included = self.included(directive, depth);
            match included.map_err(|problem| CliError::at(&place, problem))? {
                Included::Missing(missing) => {
                    let problem = format!("{} is not there, and holds servers", missing.display());
                    return Err(CliError::at(place, problem));
                }
                Included::Files(files) => {
                    for file in files {
                        self.lines(&file, &parsed(&file)?, upstream, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The files that a directive includes: a pattern may find none.
    fn included(&self, directive: &Directive, depth: usize) -> Result<Included, String> {
        let [pattern] = directive.arguments() else {
            return Err("include takes one name".into());
        };
        if depth == MAX_INCLUDES {
            return Err(format!(
                "files include one another over {MAX_INCLUDES} deep"
            ));
        }
        let path = self.folder.join(pattern);
        if !pattern.contains(['*', '?', '[']) {
            return Ok(if path.exists() {
                Included::Files(vec![path])
            } else {
                Included::Missing(path)
            });
        }
        let pattern = path.to_string_lossy();
        let options = glob::MatchOptions {
            require_literal_separator: true,
            require_literal_leading_dot: true,
            ..glob::MatchOptions::default()
        };
        let found = glob::glob_with(&pattern, options).map_err(|error| error.to_string())?;
        let files: Result<_, _> = found.collect();
        files
            .map(Included::Files)
            .map_err(|error: glob::GlobError| error.to_string())
    }
}

enum Included {
    Files(Vec<PathBuf>),
    Missing(PathBuf),
}

fn parsed(file: &Path) -> Result<Vec<Directive>, CliError> {
    syntax::parse(&text_of(file)?).map_err(|problem| CliError::at(file.display(), problem))
}

fn place(file: &Path, directive: &Directive) -> String {
    format!("{} line {}", file.display(), directive.line)
}

/// How an upstream chooses.
#[derive(Clone, Copy)]
enum Method {
    Consistent,
    Modulo,
}

impl Upstream {
    fn configuration(&self) -> Result<Configuration, CliError> {
        let mut servers = Vec::new();
        let mut hash: Option<(Method, &str)> = None;
        let mut notes = Vec::new();
        for (place, directive) in &self.lines {
            let refuse = |problem: String| Err(CliError::at(place, problem));
            match (directive.name(), directive.arguments()) {
                ("server", arguments) => {
                    let server = server(arguments, place, &mut notes);
                    servers.push(server.map_err(|problem| CliError::at(place, problem))?);
                }
                ("hash", _) if hash.is_some() => {
                    return refuse("a second hash, of which nginx takes the last: keep one".into());
                }
                ("hash", [key]) => hash = Some((Method::Modulo, key)),
                ("hash", [key, how]) if how == "consistent" => {
                    hash = Some((Method::Consistent, key));
                }
                ("hash", arguments) => {
                    return refuse(format!(
                        "hash {}: write hash KEY, or hash KEY consistent",
                        arguments.join(" ")
                    ));
                }
                (name, _) if HARMLESS.contains(&name) => {
                    notes.push(format!("{place}: {name} changes no key's server"));
                }
                (name, _) => {
                    return refuse(format!(
                        "{name}: may change where a key goes, and is not read here: only hash is"
                    ));
                }
            }
        }
        let Some((method, key)) = hash else {
            return Err(CliError::at(
                &self.place,
                format!(
                    "upstream {:?} has no hash: without one no key decides the server",
                    self.name
                ),
            ));
        };
        if servers.is_empty() {
            let problem = format!("upstream {:?} has no server", self.name);
            return Err(CliError::at(&self.place, problem));
        }
        notes.insert(0, format!("a key here is the value of {key} in nginx"));
        if let Method::Modulo = method {
            for server in servers.iter().filter(|server| server.is_named()) {
                notes.push(format!(
                    "{}: nginx counts each address that the name has: taken as one",
                    server.name()
                ));
            }
        }
        let refuse = |error: RouteError| CliError::at(&self.place, error);
        let name = format!("nginx:{}", self.name);
        let (router, nodes) = match method {
            Method::Consistent => configured(name, servers, Consistent::new),
            Method::Modulo => configured(name, servers, Modulo::new),
        }
        .map_err(refuse)?;
        Ok(Configuration {
            router: router
                .with_unroutable(|key| {
                    key.is_empty()
                        .then_some("nginx takes servers in turn for an empty key")
                })
                .with_nobody("21 times a server that is down: nginx then takes servers in turn"),
            nodes,
            notes,
        })
    }
}

/// The router of these servers, and its nodes: a server may stand in several lines.
fn configured<R: Router + Send + Sync + 'static>(
    name: String,
    servers: Vec<Server>,
    make: fn(Vec<Server>) -> Result<R, RouteError>,
) -> Result<(Configured, Vec<Node>), RouteError> {
    let nodes: Vec<Node> = make(servers.clone())?
        .members()
        .listed_nodes()
        .cloned()
        .collect();
    let known = nodes.clone();
    let router = Configured::new(name, "crc32", move |nodes| {
        Ok(make(changed(&servers, &known, nodes)?)?)
    });
    Ok((router, nodes))
}

/// The lines after `known` nodes have become `nodes`.
fn changed(servers: &[Server], known: &[Node], nodes: &[Node]) -> Result<Vec<Server>, Refusal> {
    let (before, after) = (weights_by_id(known), weights_by_id(nodes));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for server in servers {
        *counts.entry(server.name()).or_default() += 1;
    }
    let mut lines = Vec::new();
    for server in servers {
        let name = server.name();
        let Some(&weight) = after.get(name) else {
            continue;
        };
        lines.push(if before.get(name) == Some(&weight) {
            server.clone()
        } else if counts.get(name) == Some(&1) {
            server.clone().with_weight(weight)
        } else {
            return Err(Refusal::Unable(
                "has this server in several lines: their weights do not follow from their sum",
            ));
        });
    }
    for node in nodes {
        let name = node.id().as_str();
        if !counts.contains_key(name) {
            let server: Server = name.parse()?;
            if server.name() != name {
                return Err(Refusal::Unable(
                    "takes what stands behind a blank for parameters: name a server without",
                ));
            }
            lines.push(server.with_weight(node.weight()));
        }
    }
    Ok(lines)
}

/// Reads what stands behind `server`.
fn server(arguments: &[String], place: &str, notes: &mut Vec<String>) -> Result<Server, String> {
    if let Some(word) = arguments
        .iter()
        .find(|word| word.contains(char::is_whitespace))
    {
        return Err(format!(
            "{word:?} holds blanks: no server has such a name or parameter"
        ));
    }
    for word in arguments.iter().skip(1) {
        let (name, _) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "service" | "resolve" => {
                return Err(format!(
                    "{word}: the servers come from DNS while nginx runs, and are not in the file"
                ));
            }
            "route" | "drain" => notes.push(format!("{place}: {word} changes nothing of a hash")),
            name if PASSING.contains(&name) => notes.push(format!(
                "{place}: {word} counts only while servers fail, fill up or come back"
            )),
            _ => {}
        }
    }
    let server: Result<Server, RouteError> = arguments.join(" ").parse();
    server.map_err(|error| error.to_string())
}
