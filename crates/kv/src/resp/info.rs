//! `INFO`: the server's state, for people and for programs that watch it.

use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;

use super::shared::Shared;
use crate::{KvError, Store};

/// The sections, in their order.
const SECTIONS: [&str; 5] = ["server", "clients", "stats", "keyspace", "keyroute"];

/// These sections, or all: lines `name:value` under headings.
pub(super) async fn text(shared: &Shared, sections: &[&[u8]]) -> String {
    let everything: [&[u8]; 3] = [b"default", b"all", b"everything"];
    let is = |asked: &[u8], name: &[u8]| asked.eq_ignore_ascii_case(name);
    let all = sections.is_empty()
        || sections
            .iter()
            .any(|asked| everything.iter().any(|name| is(asked, name)));
    let mut text = String::new();
    for section in SECTIONS {
        if !all && !sections.iter().any(|asked| is(asked, section.as_bytes())) {
            continue;
        }
        let lines = match section {
            "server" => server(shared),
            "clients" => clients(shared),
            "stats" => stats(shared),
            "keyspace" => keyspace(&shared.store).await,
            _ => keyroute(&shared.store),
        };
        if !text.is_empty() {
            text += "\r\n";
        }
        let (first, rest) = section.split_at(1);
        let _ = write!(text, "# {}{rest}\r\n", first.to_uppercase()); // to a string nothing fails
        for (name, value) in lines {
            let _ = write!(text, "{name}:{value}\r\n");
        }
    }
    text
}

type Lines = Vec<(&'static str, String)>;

fn server(shared: &Shared) -> Lines {
    vec![
        ("keyroute_version", env!("CARGO_PKG_VERSION").to_owned()),
        ("redis_mode", "standalone".to_owned()),
        ("process_id", std::process::id().to_string()),
        ("tcp_port", shared.port.to_string()),
        (
            "uptime_in_seconds",
            shared.began.elapsed().as_secs().to_string(),
        ),
    ]
}

fn clients(shared: &Shared) -> Lines {
    let connected = shared.counts.clients.load(Relaxed);
    vec![
        ("connected_clients", connected.to_string()),
        ("maxclients", shared.limits.connections.to_string()),
        (
            "incomplete_bytes",
            shared.counts.incomplete.load(Relaxed).to_string(),
        ),
    ]
}

fn stats(shared: &Shared) -> Lines {
    let counts = &shared.counts;
    vec![
        (
            "total_connections_received",
            counts.accepted.load(Relaxed).to_string(),
        ),
        (
            "rejected_connections",
            counts.rejected.load(Relaxed).to_string(),
        ),
        (
            "total_commands_processed",
            counts.commands.load(Relaxed).to_string(),
        ),
    ]
}

async fn keyspace(store: &Store) -> Lines {
    let keys = keys(store).await;
    let keys = keys.ok().filter(|&keys| keys > 0);
    let line = |keys| ("db0", format!("keys={keys},expires=0,avg_ttl=0"));
    keys.map(line).into_iter().collect()
}

fn keyroute(store: &Store) -> Lines {
    let mut lines = vec![
        ("nodes", store.nodes().len().to_string()),
        ("replicas", store.replicas().to_string()),
    ];
    lines.extend(progress(store));
    lines
}

/// How the change of the nodes is going, by name and value.
pub(super) fn progress(store: &Store) -> Lines {
    let Some(it) = store.progress() else {
        return vec![("change", "none".to_owned())];
    };
    let change = match (it.back, it.paused) {
        (_, true) => "paused",
        (true, _) => "moving back",
        _ => "moving",
    };
    let unlisted: Vec<&str> = it.unlisted.iter().map(crate::NodeId::as_str).collect();
    vec![
        ("change", change.to_owned()),
        ("aborted", if it.back { "yes" } else { "no" }.to_owned()),
        ("keys", it.keys.to_string()),
        ("seen", it.seen.to_string()),
        ("moved", it.moved.to_string()),
        ("moved_bytes", it.bytes.to_string()),
        ("unlisted", unlisted.join(",")),
        (
            "error",
            it.error.unwrap_or_default().replace(char::is_control, " "),
        ),
    ]
}

/// How many keys there are, about: those that have ended are counted until their shard forgets them, and during a
/// change some are counted twice.
pub(super) async fn keys(store: &Store) -> Result<u64, KvError> {
    let (holders, copies) = store.holders_and_copies();
    let mut keys = 0;
    for holder in holders {
        let count = holder.shard.count().await;
        let count = count.map_err(|error| holder.failed(error))?;
        let Some(count) = count else {
            let id = holder.id.clone();
            return Err(KvError::CannotList { id });
        };
        keys += count;
    }
    Ok(keys / copies)
}
