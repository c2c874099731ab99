//! Clients of memcached.

use keyroute::{Node, RouteError, VectorRing};
use keyroute_interop::hash::{MemcachedHash, SpyHash};
use keyroute_interop::pymemcache::{Murmur3Text, server_name};
use keyroute_interop::{
    PyMemcache, dalli, hash_ring, libmemcached, node_hashring, pecl_memcache, spymemcached,
    uhashring,
};

use super::super::adapter;
use super::super::registry::{Listing, boxed};
use super::{hashed_as_is, made, preset, ringed};

pub(super) static PRESETS: [Listing; 14] = [
    preset(
        "libmemcached-ketama",
        "libmemcached 1.1.4, `KETAMA`; points are MD5's once a weight is over 1",
        "memcached/one_at_a_time",
        |it| {
            ringed(it, |nodes| {
                libmemcached::ketama(MemcachedHash::OneAtATime, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "libmemcached-ketama-weighted",
        "libmemcached 1.1.4, `KETAMA_WEIGHTED`; pylibmc's and PHP's ketama",
        "md5",
        |it| {
            ringed(it, |nodes| {
                libmemcached::ketama_weighted(nodes.iter().cloned())
            })
        },
    ),
    preset(
        "libmemcached-modula",
        "libmemcached 1.1.4, its default; weights are ignored",
        "memcached/one_at_a_time",
        |it| {
            made(it, |nodes| {
                libmemcached::Modula::of_servers(MemcachedHash::OneAtATime, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "spymemcached-ketama",
        "spymemcached 2.12.3, `KetamaConnectionFactory`; weights are ignored",
        "spymemcached/ketama",
        |it| {
            ringed(it, |nodes| {
                spymemcached::ketama(SpyHash::Ketama, with_ports(nodes)?)
            })
        },
    ),
    preset(
        "spymemcached-ketama-weighted",
        "spymemcached 2.12.3, `KetamaNodeLocator` with weights",
        "spymemcached/ketama",
        |it| {
            ringed(it, |nodes| {
                spymemcached::weighted_ketama(SpyHash::Ketama, with_ports(nodes)?)
            })
        },
    ),
    preset(
        "spymemcached-array-mod",
        "spymemcached 2.12.3, its default; weights are ignored",
        "spymemcached/native",
        |it| {
            made(it, |nodes| {
                spymemcached::ArrayMod::of_nodes(SpyHash::Native, with_ports(nodes)?)
            })
        },
    ),
    preset(
        "pymemcache",
        "pymemcache 4.0.0, `HashClient`: a rendezvous",
        "murmur3",
        |it| {
            let servers = hashed_as_is(
                it.nodes,
                |node| {
                    let name = server_name(node.id().as_str());
                    name.is_ok_and(|name| name == node.id().as_str())
                },
                "is hashed otherwise by pymemcache: give HOST:PORT, or a socket's path",
            )?;
            boxed(adapter::unweighted(PyMemcache::new(Murmur3Text::new(0), servers)?).walking())
        },
    ),
    preset(
        "dalli",
        "dalli 3.0.6: a ring of shares, searched backwards",
        "crc32",
        |it| {
            ringed(it, |nodes| {
                let servers = hashed_as_is(
                    nodes,
                    |node| {
                        let server = dalli::server(node.id().as_str());
                        server.map_or(true, |server| server.id() == node.id())
                    },
                    "is hashed otherwise by dalli: give HOST:PORT, or a socket's path",
                )?;
                dalli::ring(dalli::KeyManager::default(), servers)
            })
        },
    ),
    preset(
        "pecl-memcache-consistent",
        "pecl-memcache 4.0.5.2, its default: a ring, asked from 1024 places",
        "memcached/crc32a",
        |it| {
            made(it, |nodes| {
                let hash = pecl_memcache::KeyHash::default();
                pecl_memcache::Consistent::of_servers(hash, with_ports(nodes)?)
            })
        },
    ),
    preset(
        "pecl-memcache-standard",
        "pecl-memcache 4.0.5.2, `hash_strategy=standard`",
        "memcached/crc32a",
        |it| {
            made(it, |nodes| {
                let hash = pecl_memcache::KeyHash::default();
                pecl_memcache::Standard::of_servers(hash, with_ports(nodes)?)
            })
        },
    ),
    preset(
        "uhashring",
        "uhashring 2.5, `HashRing()`: 160 points for a unit of weight",
        "md5",
        |it| {
            ringed(it, |nodes| {
                VectorRing::from_nodes_with(uhashring::Meta::default(), nodes.iter().cloned())
            })
        },
    ),
    preset(
        "uhashring-ketama",
        "uhashring 2.5, `hash_fn=\"ketama\"`: shares of 40 labels",
        "md5",
        |it| {
            ringed(it, |nodes| {
                VectorRing::from_nodes_with(uhashring::Ketama::default(), nodes.iter().cloned())
            })
        },
    ),
    preset(
        "node-hashring",
        "npm's hashring 3.2.0: shares of 40 labels",
        "md5",
        |it| {
            ringed(it, |nodes| {
                let scheme = node_hashring::HashRing::default();
                VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
            })
        },
    ),
    preset(
        "hash_ring",
        "PyPI's hash_ring 1.3.1 and hashring 1.5.1: shares of 40 labels",
        "md5",
        |it| {
            ringed(it, |nodes| {
                VectorRing::from_nodes_with(hash_ring::HashRing, nodes.iter().cloned())
            })
        },
    ),
];

/// Names that are always hashed with a port.
fn with_ports(nodes: &[Node]) -> Result<Vec<Node>, RouteError> {
    hashed_as_is(
        nodes,
        |node| {
            let port = node.id().as_str().rsplit_once(':');
            port.is_some_and(|(_, port)| port.parse::<u16>().is_ok())
        },
        "has no port, which this client always hashes: give HOST:PORT",
    )
}
