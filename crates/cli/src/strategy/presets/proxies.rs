//! Proxies: nginx, HAProxy, Envoy, twemproxy.

use keyroute::{Node, RouteError};
use keyroute_interop::envoy::{Cluster, HashFunction, Host, Maglev, RingHash, RingSizes};
use keyroute_interop::haproxy::{self, Backend};
use keyroute_interop::nginx::{self, Consistent, Modulo};
use keyroute_interop::twemproxy;

use super::super::registry::Listing;
use super::{hashed_as_is, made, preset, ringed, walked};

pub(super) static PRESETS: [Listing; 9] = [
    preset(
        "nginx-consistent",
        "nginx 1.22 to 1.31, `hash KEY consistent`",
        "crc32",
        |it| made(it, |nodes| Consistent::new(nginx_servers(nodes)?)),
    ),
    preset(
        "nginx-modulo",
        "nginx 1.22 to 1.31, `hash KEY`",
        "crc32",
        |it| made(it, |nodes| Modulo::new(nginx_servers(nodes)?)),
    ),
    preset(
        "haproxy-consistent",
        "HAProxy 2.6 to 3.5, `hash-type consistent`; ids are places in the list",
        "haproxy/sdbm avalanche",
        |it| made(it, |nodes| backend("consistent", nodes, false)),
    ),
    preset(
        "haproxy-consistent-3.0",
        "HAProxy 3.0.0 to 3.2 before October 2025, `hash-type consistent`",
        "haproxy/sdbm avalanche",
        |it| made(it, |nodes| backend("consistent", nodes, true)),
    ),
    preset(
        "haproxy-map-based",
        "HAProxy 2.6 to 3.5, `hash-type map-based`, its default",
        "haproxy/sdbm",
        |it| made(it, |nodes| backend("map-based", nodes, false)),
    ),
    preset(
        "envoy-ring-hash",
        "Envoy 1.40, `RING_HASH`, 1024 points at least",
        "xxh64",
        |it| {
            walked(it, |nodes| {
                RingHash::new(&cluster(nodes)?, RingSizes::default(), HashFunction::XxHash)
            })
        },
    ),
    preset(
        "envoy-maglev",
        "Envoy 1.40, `MAGLEV`, 65,537 entries",
        "xxh64",
        |it| {
            made(it, |nodes| {
                Maglev::new(&cluster(nodes)?, Maglev::DEFAULT_TABLE_SIZE)
            })
        },
    ),
    preset(
        "twemproxy-ketama",
        "twemproxy 0.4.1 to 0.5.0, `distribution: ketama`, its default",
        "memcached/fnv1a_64",
        |it| {
            ringed(it, |nodes| {
                twemproxy::ketama(twemproxy::KeyHash::default(), identities(nodes)?)
            })
        },
    ),
    preset(
        "twemproxy-modula",
        "twemproxy 0.4.1 to 0.5.0, `distribution: modula`",
        "memcached/fnv1a_64",
        |it| {
            made(it, |nodes| {
                let hash = twemproxy::KeyHash::default();
                twemproxy::Modula::of_servers(hash, identities(nodes)?)
            })
        },
    ),
];

/// Lines of `server`, whose first word is the id.
fn nginx_servers(nodes: &[Node]) -> Result<Vec<nginx::Server>, RouteError> {
    let read = |node: &Node| format!("{} weight={}", node.id(), node.weight()).parse();
    hashed_as_is(
        nodes,
        |node| {
            let server: Result<nginx::Server, _> = read(node);
            server.is_ok_and(|server| server.name() == node.id().as_str() && !server.is_down())
        },
        "is not one word, as nginx's servers are: give a name or an address without blanks",
    )?
    .iter()
    .map(read)
    .collect()
}

/// Lines of `server`, whose first word is the id; the address decides nothing.
fn backend(method: &str, nodes: &[Node], hashed_twice: bool) -> Result<Backend, RouteError> {
    let servers: Result<Vec<haproxy::Server>, RouteError> = hashed_as_is(
        nodes,
        |node| {
            !node
                .id()
                .as_str()
                .contains(|c: char| c.is_ascii_whitespace())
        },
        "is not one word, as HAProxy's servers are: give a name without blanks",
    )?
    .iter()
    .map(|node| {
        let line = format!("{} 0.0.0.0 weight {}", node.id(), node.weight());
        let server: haproxy::Server = line.parse()?;
        Ok(if hashed_twice {
            server.with_id_hashed_twice()
        } else {
            server
        })
    })
    .collect();
    Backend::new(method.parse()?, servers?)
}

/// Endpoints, known by their addresses.
fn cluster(nodes: &[Node]) -> Result<Cluster, RouteError> {
    let host = |node: &Node| Host::new(node.id().as_str())?.with_weight(node.weight().get());
    let hosts: Result<Vec<Host>, RouteError> = nodes.iter().map(host).collect();
    Cluster::new(hosts?)
}

/// Aliases, or addresses as twemproxy hashes them.
fn identities(nodes: &[Node]) -> Result<Vec<Node>, RouteError> {
    hashed_as_is(
        nodes,
        |node| {
            let id = node.id().as_str();
            if id.starts_with('/') {
                return id.ends_with(':');
            }
            // What is no address is an alias.
            let read = twemproxy::server(&format!("{id}:{}", node.weight()));
            read.map_or(true, |server| server.id() == node.id())
        },
        "is hashed otherwise by twemproxy: give an alias, the host alone if its port is 11211, or a \
         socket's path and a colon",
    )
}
