//! What of a request is hashed: the `hash_policy` of the routes that lead to a cluster.

use std::path::Path;

use super::super::yaml::{Entry, Kind, Value};
use super::fields::is;

/// The type of the filter whose connections are hashed by themselves.
const TCP_PROXY: &str = "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy";

/// One entry of a `hash_policy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// What it hashes, as `header x-key`.
    pub(super) what: String,
    header: bool,
    terminal: bool,
}

impl Part {
    /// Reads an entry; what is not known is said so.
    pub(super) fn of(policy: &Value) -> Self {
        let mut part = Self {
            what: "something that is not known here".into(),
            header: false,
            terminal: false,
        };
        for entry in fields(policy) {
            let named = |name: &str| text(&entry.value, name).unwrap_or("?");
            if is(entry, "header") {
                part.header = true;
                part.what = format!("header {}", named("header_name"));
                if find(&entry.value, "regex_rewrite").is_some() {
                    part.what += ", after its regex_rewrite";
                }
            } else if is(entry, "cookie") {
                part.what = format!("cookie {}", named("name"));
            } else if is(entry, "query_parameter") {
                part.what = format!("query parameter {}", named("name"));
            } else if is(entry, "filter_state") {
                part.what = format!("filter state {}", named("key"));
            } else if is(entry, "connection_properties") || is(entry, "source_ip") {
                part.what = "the source's IP address".into();
            } else if is(entry, "terminal") {
                part.terminal =
                    matches!(&entry.value.kind, Kind::Scalar { text, .. } if text == "true");
            }
        }
        part
    }
}

/// What a file says of the keys of a cluster.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// What a key here stands for.
    pub(super) notes: Vec<String>,
    /// All keys are values of headers.
    pub(super) headers_alone: bool,
}

/// What keys of this cluster are, by its own policy or else by the routes of the file.
pub(super) fn read(root: &[Entry], cluster: &str, own: &[Part], file: &Path) -> Asked {
    let mut routes = Vec::new();
    if own.is_empty() {
        for entry in root {
            search(&entry.value, cluster, &mut routes);
        }
    } else {
        routes.push((None, own.to_vec()));
    }
    let mut asked = Asked {
        headers_alone: !routes.is_empty()
            && routes
                .iter()
                .all(|(_, parts)| !parts.is_empty() && parts.iter().all(|part| part.header)),
        ..Asked::default()
    };
    if routes.is_empty() {
        let note = "a key here is the one value that a route's hash_policy takes of a request";
        asked.notes.push(note.into());
    }
    let mut said: Vec<&[Part]> = Vec::new();
    for (line, parts) in &routes {
        if said.contains(&parts.as_slice()) {
            continue;
        }
        said.push(parts);
        let place = line.map_or(String::new(), |line| {
            format!("{} line {line}: ", file.display())
        });
        asked.notes.push(format!("{place}{}", says(parts)));
    }
    asked
}

/// What keys are under a list of policies.
fn says(parts: &[Part]) -> String {
    let all: Vec<&str> = parts.iter().map(|part| part.what.as_str()).collect();
    match parts {
        [] => "a route to the cluster without hash_policy: its requests go to random hosts".into(),
        [one] => format!(
            "a key here is {}; requests without it go to random hosts",
            one.what
        ),
        [first @ .., _] if first.iter().all(|part| part.terminal) => format!(
            "a key here is the first that a request has of {}; requests without any go to random hosts",
            all.join(", ")
        ),
        _ => format!(
            "a key here is what a request has of {}, if it has one alone: Envoy combines the hashes of several",
            all.join(", ")
        ),
    }
}

/// Looks for routes to a cluster, and for filters that send connections to it.
fn search(value: &Value, cluster: &str, routes: &mut Vec<(Option<usize>, Vec<Part>)>) {
    match &value.kind {
        Kind::Sequence(values) => {
            for value in values {
                search(value, cluster, routes);
            }
        }
        Kind::Mapping(entries) => {
            let tcp = text(value, "@type").is_some_and(|url| url.ends_with(TCP_PROXY));
            if tcp && leads_to(value, cluster) {
                routes.push((Some(value.line), parts(value)));
            }
            for entry in entries {
                if entry.name == "route" && leads_to(&entry.value, cluster) {
                    routes.push((Some(entry.line), parts(&entry.value)));
                }
                search(&entry.value, cluster, routes);
            }
        }
        Kind::Scalar { .. } | Kind::Tagged(_) => {}
    }
}

/// Whether a route's action leads to this cluster, among others perhaps.
fn leads_to(action: &Value, cluster: &str) -> bool {
    let weighted = || {
        let clusters = find(find(action, "weighted_clusters")?, "clusters")?;
        let Kind::Sequence(clusters) = &clusters.kind else {
            return None;
        };
        let is_it = |one: &Value| text(one, "name") == Some(cluster);
        clusters.iter().any(is_it).then_some(())
    };
    text(action, "cluster") == Some(cluster) || weighted().is_some()
}

fn parts(action: &Value) -> Vec<Part> {
    match find(action, "hash_policy").map(|list| &list.kind) {
        Some(Kind::Sequence(policies)) => policies.iter().map(Part::of).collect(),
        _ => Vec::new(),
    }
}

fn fields(value: &Value) -> &[Entry] {
    match &value.kind {
        Kind::Mapping(entries) => entries,
        _ => &[],
    }
}

fn find<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let entry = fields(value).iter().find(|entry| is(entry, name));
    entry.map(|entry| &entry.value)
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    match &find(value, name)?.kind {
        Kind::Scalar { text, .. } => Some(text),
        _ => None,
    }
}
