//! `envoy:FILE[#CLUSTER]`.

use keyroute_interop::Router;
use keyroute_interop::envoy::{Cluster, HashFunction, Host, Locality, Maglev, RingHash, RingSizes};
use serde_json::{Value, json};

use super::common::{file, keyroute, keyroute_on};
use super::{expected, refused, routed};

/// An endpoint at 10.0.0.`host`.
fn endpoint(host: u8) -> Value {
    json!({"endpoint": {"address": {"socket_address": {"address": format!("10.0.0.{host}"), "port_value": 80}}}})
}

/// The same with these fields too.
fn with(mut to: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        to[name] = value.clone();
    }
    to
}

/// Four hosts of weights 1 to 4.
fn endpoints() -> Vec<Value> {
    (1..=4)
        .map(|host| with(endpoint(host), &json!({"load_balancing_weight": host})))
        .collect()
}

fn hosts() -> Vec<Host> {
    (1..=4)
        .map(|host| {
            let at = Host::new(format!("10.0.0.{host}:80")).unwrap();
            at.with_weight(host).unwrap()
        })
        .collect()
}

fn ring() -> RingHash {
    let cluster = Cluster::new(hosts()).unwrap();
    RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap()
}

/// A cluster `c` of these groups of endpoints, with these fields too.
fn cluster_of(groups: &Value, fields: &Value) -> Value {
    let cluster = json!({
        "name": "c",
        "connect_timeout": "1s",
        "lb_policy": "RING_HASH",
        "load_assignment": {"cluster_name": "c", "endpoints": groups},
    });
    with(cluster, fields)
}

/// A file with this cluster.
fn bootstrap(cluster: &Value) -> String {
    let text = json!({"static_resources": {"clusters": [cluster]}});
    format!("envoy:{}", file("envoy.json", format!("{text:#}")))
}

/// A file with a cluster of the four hosts and these fields.
fn fields(fields: &Value) -> String {
    bootstrap(&cluster_of(&json!([{"lb_endpoints": endpoints()}]), fields))
}

/// A file with a cluster of these endpoints.
fn of(endpoints: &Value) -> String {
    bootstrap(&cluster_of(
        &json!([{"lb_endpoints": endpoints}]),
        &json!({}),
    ))
}

fn yaml(text: &str) -> String {
    format!("envoy:{}", file("envoy.yaml", text))
}

fn typed(kind: &str, fields: &Value) -> Value {
    let kind = format!("type.googleapis.com/envoy.extensions.load_balancing_policies.{kind}");
    let config = with(json!({"@type": kind}), fields);
    json!({
        "lb_policy": null,
        "load_balancing_policy": {"policies": [{"typed_extension_config": {"name": "p", "typed_config": config}}]},
    })
}

fn keys() -> Vec<u8> {
    (0..500)
        .flat_map(|i| format!("user-{i}\n").into_bytes())
        .collect()
}

/// The notes of a run that goes well.
fn notes(source: &str) -> String {
    let run = keyroute_on(&format!("route --from {source}"), b"k");
    let notes = run.stderr.clone();
    run.ok();
    notes
}

#[test]
fn each_policy_routes_as_its_preset() {
    let cluster = Cluster::new(hosts()).unwrap();
    assert_eq!(
        routed(&fields(&json!({})), &keys()),
        expected(&ring(), &keys())
    );

    let sizes = RingSizes {
        minimum: 70,
        maximum: 500,
    };
    let murmur = RingHash::new(&cluster, sizes, HashFunction::Murmur2).unwrap();
    let config = json!({"minimum_ring_size": 70, "maximum_ring_size": 500, "hash_function": "MURMUR_HASH_2"});
    let source = fields(&json!({"ring_hash_lb_config": config}));
    assert_eq!(routed(&source, &keys()), expected(&murmur, &keys()));
    let source = fields(&typed("ring_hash.v3.RingHash", &config));
    assert_eq!(routed(&source, &keys()), expected(&murmur, &keys()));

    // The typed form numbers its functions otherwise.
    for (number, function) in [
        (0, HashFunction::XxHash),
        (1, HashFunction::XxHash),
        (2, HashFunction::Murmur2),
    ] {
        let ring = RingHash::new(&cluster, RingSizes::default(), function).unwrap();
        let config = json!({"hash_function": number});
        let source = fields(&typed("ring_hash.v3.RingHash", &config));
        assert_eq!(
            routed(&source, &keys()),
            expected(&ring, &keys()),
            "{number}"
        );
    }

    let table = Maglev::new(&cluster, Maglev::DEFAULT_TABLE_SIZE).unwrap();
    let source = fields(&json!({"lb_policy": "MAGLEV"}));
    assert_eq!(routed(&source, &keys()), expected(&table, &keys()));
    let small = Maglev::new(&cluster, 1021).unwrap();
    let source = fields(&json!({"lb_policy": "MAGLEV", "maglev_lb_config": {"table_size": 1021}}));
    assert_eq!(routed(&source, &keys()), expected(&small, &keys()));
    let source = fields(&typed("maglev.v3.Maglev", &json!({"table_size": 1021})));
    assert_eq!(routed(&source, &keys()), expected(&small, &keys()));
}

#[test]
fn fields_have_two_spellings_and_numbers_two_forms() {
    let cluster = Cluster::new(hosts()).unwrap();
    let sizes = RingSizes {
        minimum: 70,
        ..RingSizes::default()
    };
    let ring = RingHash::new(&cluster, sizes, HashFunction::Murmur2).unwrap();
    let endpoints: Vec<Value> = (1..=4)
        .map(|host| {
            json!({
                "endpoint": {"address": {"socketAddress": {"address": format!("10.0.0.{host}"), "portValue": "80"}}},
                "loadBalancingWeight": host.to_string(),
            })
        })
        .collect();
    for (policy, function) in [
        (json!(2), json!(1)),
        (json!("ring_hash"), json!("murmur_hash_2")),
    ] {
        let source = bootstrap(&json!({
            "name": "c",
            "lbPolicy": policy,
            "ringHashLbConfig": {"minimumRingSize": "70", "hashFunction": function},
            "loadAssignment": {"clusterName": "c", "endpoints": [{"lbEndpoints": endpoints}]},
        }));
        assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
    }
}

#[test]
fn yaml_with_anchors_is_read() {
    let source = yaml(
        "# comment\n\
         !ignore shared:\n  - &policy {minimum_ring_size: 70}\n\
         static_resources:\n  clusters:\n  - name: other\n  - name: \"c\"\n    type: static\n    \
         lb_policy: RING_HASH\n    ring_hash_lb_config: *policy\n    maglev_lb_config: ~\n    \
         load_assignment:\n      cluster_name: c\n      endpoints:\n      - lb_endpoints:\n        \
         - &one\n          endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 80}}}\n        \
         - endpoint:\n            address:\n              socket_address: {address: 2001:DB8::1, port_value: 80}\n        \
         - endpoint: {address: {pipe: {path: /tmp/s}}}\n",
    );
    let hosts = ["10.0.0.1:80", "[2001:db8::1]:80", "/tmp/s"].map(|at| Host::new(at).unwrap());
    let sizes = RingSizes {
        minimum: 70,
        ..RingSizes::default()
    };
    let cluster = Cluster::new(hosts).unwrap();
    let ring = RingHash::new(&cluster, sizes, HashFunction::XxHash).unwrap();
    let source = format!("{source}#c");
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
}

#[test]
fn the_name_chooses_a_cluster() {
    let text = json!({"static_resources": {"clusters": [{"name": "a"}, {"name": "b"}]}});
    let source = format!("envoy:{}", file("two.json", text.to_string()));
    let said = refused(&source);
    assert!(
        said.contains("choose one cluster with #NAME: a, b"),
        "{said}"
    );
    let said = refused(&format!("{source}#c"));
    assert!(said.contains("no cluster \"c\": there are a, b"), "{said}");
    let said = refused(&format!("{source}#a"));
    assert!(
        said.contains("lb_policy is ROUND_ROBIN, unless it is said"),
        "{said}"
    );
}

#[test]
fn a_hash_key_places_a_host() {
    let key =
        |key: Value| json!({"metadata": {"filter_metadata": {"envoy.lb": {"hash_key": key}}}});
    let source = of(&json!([
        with(endpoint(1), &key(json!("cache-1"))),
        with(endpoint(2), &key(json!("on"))),
        with(endpoint(3), &key(json!(5))),
        with(endpoint(4), &key(json!(""))),
    ]));
    let hosts = (1..=4).map(|host| {
        let at = Host::new(format!("10.0.0.{host}:80")).unwrap();
        match host {
            1 => at.with_hash_key("cache-1"),
            2 => at.with_hash_key("on"),
            _ => at,
        }
    });
    let cluster = Cluster::new(hosts).unwrap();
    let ring = RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
    let said = notes(&source);
    assert!(said.contains("envoy.lb.hash_key is no text"), "{said}");
    assert_eq!(said.matches("hash_key is no text").count(), 1, "{said}");
}

#[test]
fn localities_share_by_their_weights_and_the_proxys_own_comes_first() {
    let group = |region: &str, weight: u32, hosts: [u8; 2]| {
        json!({
            "locality": {"region": region, "sub_zone": "s"},
            "load_balancing_weight": weight,
            "lb_endpoints": hosts.map(endpoint),
        })
    };
    let groups = json!([
        group("b", 1, [1, 2]),
        group("a", 3, [3, 4]),
        {"load_balancing_weight": 5, "lb_endpoints": [endpoint(5)]},
        {"locality": {"region": "d"}, "lb_endpoints": [endpoint(6)]},
    ]);
    let locality = |region: &str| Locality {
        region: region.into(),
        sub_zone: "s".into(),
        ..Locality::default()
    };
    let hosts = [("b", 1, [1, 2]), ("a", 3, [3, 4])].map(|(region, weight, hosts)| {
        hosts.map(|host: u8| {
            let at = Host::new(format!("10.0.0.{host}:80")).unwrap();
            at.in_locality(locality(region), weight)
        })
    });
    for own in [None, Some("b")] {
        let own = own.map(locality);
        let cluster = Cluster::by_locality(hosts.concat(), own.as_ref(), false).unwrap();
        // So few points that their order decides who has one more.
        let sizes = RingSizes {
            minimum: 10,
            maximum: 10,
        };
        let ring = RingHash::new(&cluster, sizes, HashFunction::XxHash).unwrap();
        let small = json!({"minimum_ring_size": 10, "maximum_ring_size": 10});
        let older = json!({
            "common_lb_config": {"locality_weighted_lb_config": {}},
            "ring_hash_lb_config": small,
        });
        let newer = with(small, &json!({"locality_weighted_lb_config": {}}));
        for fields in [older, typed("ring_hash.v3.RingHash", &newer)] {
            let mut text =
                json!({"static_resources": {"clusters": [cluster_of(&groups, &fields)]}});
            if own.is_some() {
                text["node"] = json!({"locality": {"region": "b", "subZone": "s"}});
            }
            let source = format!("envoy:{}", file("localities.json", text.to_string()));
            let run = keyroute_on(&format!("route --from {source}"), &keys());
            let left = "its hosts take no part";
            assert_eq!(run.stderr.matches(left).count(), 2, "{}", run.stderr);
            assert_eq!(run.ok(), expected(&ring, &keys()));
        }
    }
    // Without the field, localities are one list.
    let source = bootstrap(&cluster_of(
        &json!([group("b", 1, [1, 2]), group("a", 3, [3, 4])]),
        &json!({}),
    ));
    let flat = (1..=4).map(|host| Host::new(format!("10.0.0.{host}:80")).unwrap());
    let cluster = Cluster::new(flat).unwrap();
    let ring = RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
}

#[test]
fn names_stand_for_addresses_unless_something_else_is_hashed() {
    let named = |name: &str| json!({"endpoint": {"address": {"socket_address": {"address": name, "port_value": 80}}}});
    let endpoints = json!([
        named("a.example"),
        {"endpoint": {"hostname": "b", "address": named("x.example")["endpoint"]["address"]}},
        endpoint(3),
    ]);
    let by_name = json!({
        "type": "STRICT_DNS",
        "common_lb_config": {"consistent_hashing_lb_config": {"use_hostname_for_hashing": true}},
    });
    let groups = json!([{"lb_endpoints": endpoints}]);
    let source = bootstrap(&cluster_of(&groups, &by_name));
    let hosts = [
        ("a.example:80", "a.example"),
        ("x.example:80", "b"),
        ("10.0.0.3:80", "10.0.0.3"),
    ];
    let hosts = hosts.map(|(at, name)| Host::new(at).unwrap().with_hostname(name));
    let cluster = Cluster::by_hostname(hosts).unwrap();
    let ring = RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
    assert!(notes(&source).contains("a.example is taken for one address"));

    let deprecated = with(
        typed(
            "ring_hash.v3.RingHash",
            &json!({"use_hostname_for_hashing": true}),
        ),
        &json!({"type": "STRICT_DNS"}),
    );
    let source = bootstrap(&cluster_of(&groups, &deprecated));
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
    // The newer field stands alone where it is.
    let both = json!({"use_hostname_for_hashing": true, "consistent_hashing_lb_config": {}});
    let both = with(
        typed("ring_hash.v3.RingHash", &both),
        &json!({"type": "STRICT_DNS"}),
    );
    let said = refused(&bootstrap(&cluster_of(&groups, &both)));
    assert!(
        said.contains("Envoy hashes the addresses that it resolves to"),
        "{said}"
    );

    let dns = json!({"type": "STRICT_DNS"});
    let said = refused(&bootstrap(&cluster_of(&groups, &dns)));
    assert!(
        said.contains("address is \"a.example\": Envoy hashes the addresses"),
        "{said}"
    );
    let keyed = with(
        named("a.example"),
        &json!({"metadata": {"filter_metadata": {"envoy.lb": {"hash_key": "k"}}}}),
    );
    let source = bootstrap(&cluster_of(&json!([{"lb_endpoints": [keyed]}]), &dns));
    assert_eq!(routed(&source, b"k"), "k\ta.example:80\n");
    let one = json!([{"lb_endpoints": [named("a.example")]}]);
    let source = bootstrap(&cluster_of(&one, &json!({"type": "LOGICAL_DNS"})));
    assert_eq!(routed(&source, b"k"), "k\ta.example:80\n");
}

#[test]
fn hosts_that_are_down_take_no_part_unless_too_many_are() {
    let down = |host| with(endpoint(host), &json!({"health_status": "UNHEALTHY"}));
    let ring_of = |hosts: &[u8]| {
        let hosts = hosts
            .iter()
            .map(|host| Host::new(format!("10.0.0.{host}:80")).unwrap());
        let cluster = Cluster::new(hosts).unwrap();
        RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap()
    };
    let source = of(&json!([endpoint(1), down(2), endpoint(3), endpoint(4)]));
    assert_eq!(
        routed(&source, &keys()),
        expected(&ring_of(&[1, 3, 4]), &keys())
    );
    assert!(notes(&source).contains("1 of 4 hosts are down"));
    // Half is not under half.
    let source = of(&json!([endpoint(1), down(2), endpoint(3), down(4)]));
    assert_eq!(
        routed(&source, &keys()),
        expected(&ring_of(&[1, 3]), &keys())
    );
    // Hosts that drain are no part of all.
    let draining = |host| with(endpoint(host), &json!({"health_status": "DRAINING"}));
    let source = of(&json!([
        endpoint(1),
        down(2),
        endpoint(3),
        down(4),
        draining(5)
    ]));
    assert_eq!(
        routed(&source, &keys()),
        expected(&ring_of(&[1, 3]), &keys())
    );
    assert!(notes(&source).contains("3 of 5 hosts are down"));
    let few = json!([down(1), down(2), endpoint(3), down(4)]);
    let source = of(&few);
    assert_eq!(
        routed(&source, &keys()),
        expected(&ring_of(&[1, 2, 3, 4]), &keys())
    );
    assert!(
        notes(&source)
            .contains("1 of 4 hosts that do not drain are up, under 50 %: Envoy takes all 4")
    );
    let lower = json!({"common_lb_config": {"healthy_panic_threshold": {"value": 20}}});
    let source = bootstrap(&cluster_of(&json!([{"lb_endpoints": few}]), &lower));
    assert_eq!(routed(&source, &keys()), expected(&ring_of(&[3]), &keys()));
    // Three in four are enough for all traffic, whatever the threshold.
    let higher = json!({"common_lb_config": {"healthyPanicThreshold": {"value": "90.4"}}});
    let most = json!([{"lb_endpoints": [endpoint(1), down(2), endpoint(3), endpoint(4)]}]);
    let source = bootstrap(&cluster_of(&most, &higher));
    assert_eq!(
        routed(&source, &keys()),
        expected(&ring_of(&[1, 3, 4]), &keys())
    );

    let source = of(&json!([
        endpoint(1),
        down(2),
        endpoint(3),
        down(4),
        endpoint(5)
    ]));
    let said = keyroute(&format!(
        "compare --from {source} --remove 10.0.0.1:80 --remove 10.0.0.3:80 --no-timing"
    ));
    let said = said.ok();
    assert!(said.contains("has hosts that are down"), "{said}");
}

#[test]
fn later_priorities_take_no_part_while_the_first_is_up() {
    let groups = |first: &Value| {
        json!([
            {"lb_endpoints": [first, endpoint(2)]},
            {"priority": 1, "lb_endpoints": [endpoint(3)]},
        ])
    };
    let source = bootstrap(&cluster_of(&groups(&endpoint(1)), &json!({})));
    let cluster =
        Cluster::new(["10.0.0.1:80", "10.0.0.2:80"].map(|at| Host::new(at).unwrap())).unwrap();
    let ring = RingHash::new(&cluster, RingSizes::default(), HashFunction::XxHash).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
    assert!(
        notes(&source).contains("hosts of priority 1 serve only while those of priority 0 fail")
    );
    let down = with(endpoint(1), &json!({"health_status": 2}));
    let said = refused(&bootstrap(&cluster_of(&groups(&down), &json!({}))));
    assert!(said.contains("so few hosts of priority 0 are up"), "{said}");
}

#[test]
fn what_changes_nothing_is_said_and_passed_over() {
    let source = fields(&json!({
        "health_checks": [{}],
        "outlier_detection": {},
        "circuit_breakers": {},
        "maglev_lb_config": {"table_size": 6},
        "common_lb_config": {
            "update_merge_window": "1s",
            "zone_aware_lb_config": {},
            "consistent_hashing_lb_config": {"hash_balance_factor": 150},
        },
    }));
    let said = notes(&source);
    for note in [
        "health_checks counts only while hosts fail",
        "outlier_detection counts only while hosts fail",
        ": circuit_breakers changes no key's host",
        "connect_timeout changes",
        ": maglev_lb_config does not count under this policy",
        "common_lb_config.update_merge_window changes",
        "common_lb_config.zone_aware_lb_config changes",
        "hash_balance_factor a host with over 150 % of its part",
        "envoy.json line ",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    assert_eq!(routed(&source, &keys()), expected(&ring(), &keys()));
    let source = fields(&with(
        typed(
            "ring_hash.v3.RingHash",
            &json!({"hash_balance_factor": 120}),
        ),
        &json!({"lb_policy": "MAGLEV"}),
    ));
    let said = notes(&source);
    assert!(
        said.contains("lb_policy does not count under this policy"),
        "{said}"
    );
    assert!(said.contains("over 120 %"), "{said}");
    assert_eq!(routed(&source, &keys()), expected(&ring(), &keys()));
}

/// A file whose listener has these routes to the cluster.
fn with_routes(routes: &Value) -> String {
    let manager = json!({"route_config": {"virtual_hosts": [{"routes": routes}]}});
    let listener = json!({"filter_chains": [{"filters": [{"typed_config": manager}]}]});
    let cluster = cluster_of(&json!([{"lb_endpoints": endpoints()}]), &json!({}));
    let text = json!({"static_resources": {"listeners": [listener], "clusters": [cluster]}});
    format!("envoy:{}", file("routes.json", format!("{text:#}")))
}

#[test]
fn routes_say_what_a_key_is() {
    let header = json!({"header": {"header_name": "x-key"}});
    let cookie = json!({"cookie": {"name": "sid"}});
    let ip = json!({"connectionProperties": {"sourceIp": true}});
    let query = json!({"query_parameter": {"name": "q"}, "terminal": true});
    let state = json!({"filter_state": {"key": "s"}});
    for (policies, note) in [
        (
            json!([header]),
            "a key here is header x-key; requests without it",
        ),
        (json!([cookie]), "a key here is cookie sid;"),
        (json!([ip]), "a key here is the source's IP address;"),
        (json!([state]), "a key here is filter state s;"),
        (
            json!([query, header]),
            "the first that a request has of query parameter q, header x-key;",
        ),
        (
            json!([header, cookie]),
            "has of header x-key, cookie sid, if it has one alone: Envoy combines",
        ),
        (
            json!([{"header": {"header_name": "a", "regex_rewrite": {}}}]),
            "header a, after its regex_rewrite;",
        ),
        (
            json!([]),
            "a route to the cluster without hash_policy: its requests go to random hosts",
        ),
    ] {
        for route in [
            json!({"cluster": "c", "hash_policy": policies}),
            json!({"weightedClusters": {"clusters": [{"name": "d"}, {"name": "c"}]}, "hashPolicy": policies}),
        ] {
            let said = notes(&with_routes(&json!([{"route": route}])));
            assert!(said.contains(note), "{route}: {said}");
            assert!(said.contains("routes.json line "), "{route}: {said}");
        }
    }
    let elsewhere = json!([{"route": {"cluster": "d", "hash_policy": [header]}}]);
    let said = notes(&with_routes(&elsewhere));
    assert!(
        said.contains("a key here is the one value that a route's hash_policy takes"),
        "{said}"
    );
    let twice = json!({"route": {"cluster": "c", "hash_policy": [header]}});
    let said = notes(&with_routes(&json!([twice, twice])));
    assert_eq!(said.matches("header x-key").count(), 1, "{said}");
}

#[test]
fn connections_and_a_policys_own_keys_are_told_too() {
    let tcp = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
        "cluster": "c",
        "hash_policy": [{"source_ip": {}}],
    });
    let said = notes(&with_routes(&json!([{"typed_config": tcp}])));
    assert!(
        said.contains("a key here is the source's IP address"),
        "{said}"
    );
    let own = json!({"consistent_hashing_lb_config": {"hash_policy": [{"header": {"header_name": "x-own"}}]}});
    let said = notes(&fields(&typed("maglev.v3.Maglev", &own)));
    assert!(said.contains("a key here is header x-own"), "{said}");
}

#[test]
fn a_headers_value_has_no_blanks_around_it() {
    let route = |policies: Value| json!([{"route": {"cluster": "c", "hash_policy": policies}}]);
    let header = json!({"header": {"header_name": "x-key"}});
    let source = with_routes(&route(json!([header])));
    let run = keyroute_on(&format!("route --from {source}"), b"a\n b\n");
    assert!(
        run.stderr
            .contains("Envoy drops blanks around a header's value"),
        "{}",
        run.stderr
    );
    run.with_code(2);
    // An empty value has a hash.
    assert_eq!(
        routed(&source, b"\n"),
        format!("\t{}\n", ring().route_id(b"").unwrap())
    );
    let cookie = json!({"cookie": {"name": "sid"}});
    for policies in [json!([header, cookie]), json!([cookie])] {
        routed(&with_routes(&route(policies)), b" b\n");
    }
}

#[test]
fn what_changes_routing_is_refused_by_name() {
    for (cluster, says) in [
        (
            json!({"lb_policy": "ROUND_ROBIN"}),
            "lb_policy is ROUND_ROBIN: no key decides the host",
        ),
        (
            json!({"lb_policy": "LEAST_REQUEST"}),
            "lb_policy is LEAST_REQUEST",
        ),
        (json!({"lb_policy": "random"}), "lb_policy is RANDOM"),
        (json!({"lb_policy": 6}), "lb_policy is CLUSTER_PROVIDED"),
        (
            json!({"lb_policy": "RINGHASH"}),
            "lb_policy is \"RINGHASH\", and should be one of ROUND_ROBIN,",
        ),
        (json!({"lb_policy": 7}), "load_balancing_policy is missing"),
        (json!({"lbPolicy": "MAGLEV"}), "is the same field as"),
        (
            json!({"lb_subset_config": {}}),
            "lb_subset_config: a request's metadata chooses",
        ),
        (
            json!({"cluster_type": {"name": "x"}}),
            "cluster_type: the hosts come from an extension",
        ),
        (
            json!({"type": "EDS", "eds_cluster_config": {}}),
            "type is EDS: the hosts are not in the file",
        ),
        (json!({"type": "ORIGINAL_DST"}), "type is ORIGINAL_DST"),
        (json!({"hsts": 1}), "hsts: is not read here"),
        (
            json!({"ring_hash_lb_config": {"ring_size": 5}}),
            "ring_hash_lb_config.ring_size: is not read here",
        ),
        (
            json!({"ring_hash_lb_config": 5}),
            "ring_hash_lb_config is \"5\", and should be a mapping",
        ),
        (
            json!({"ring_hash_lb_config": {"minimum_ring_size": 0}}),
            "ring_hash_lb_config: ring sizes is 0 to 8388608",
        ),
        (
            json!({"ring_hash_lb_config": {"minimum_ring_size": 9, "maximum_ring_size": 8}}),
            "9 to 8",
        ),
        (
            json!({"ring_hash_lb_config": {"maximum_ring_size": 8_388_609}}),
            "8388609",
        ),
        (
            json!({"ring_hash_lb_config": {"minimum_ring_size": "x"}}),
            "minimum_ring_size is \"x\", and should be a whole",
        ),
        (
            json!({"ring_hash_lb_config": {"minimum_ring_size": "010"}}),
            "\"010\"",
        ),
        (
            json!({"ring_hash_lb_config": {"minimum_ring_size": 1.5}}),
            "\"1.5\"",
        ),
        (
            json!({"ring_hash_lb_config": {"minimum_ring_size": -1}}),
            "\"-1\"",
        ),
        (
            json!({"ring_hash_lb_config": {"hash_function": "MD5"}}),
            "hash_function is \"MD5\", and should be one of XX_HASH",
        ),
        (
            json!({"lb_policy": "MAGLEV", "maglev_lb_config": {"table_size": 6}}),
            "maglev_lb_config.table_size: ",
        ),
        (
            json!({"lb_policy": "MAGLEV", "maglev_lb_config": {"table_size": 5_000_077}}),
            "table_size: ",
        ),
        (
            json!({"lb_policy": "MAGLEV", "maglev_lb_config": {"table_size": 5_000_000_000_u64}}),
            "may be 4294967295 at most",
        ),
        (
            json!({"common_lb_config": {"x": 1}}),
            "common_lb_config.x: is not read here",
        ),
        (
            json!({"common_lb_config": {"consistent_hashing_lb_config": {"hash_balance_factor": 99}}}),
            "common_lb_config.consistent_hashing_lb_config.hash_balance_factor: ",
        ),
        (
            json!({"common_lb_config": {"consistent_hashing_lb_config": {"use_hostname_for_hashing": true}}}),
            "Envoy takes it for STRICT_DNS alone",
        ),
        (
            json!({"common_lb_config": {"consistent_hashing_lb_config": {"use_hostname_for_hashing": "true"}}}),
            "should be true or false",
        ),
        (
            json!({"common_lb_config": {"locality_weighted_lb_config": {}, "zone_aware_lb_config": {}}}),
            "Envoy takes one of zone_aware_lb_config and locality",
        ),
        (
            json!({"common_lb_config": {"healthy_panic_threshold": 30}}),
            "should be a mapping",
        ),
        (
            json!({"common_lb_config": {"healthy_panic_threshold": {"value": 101}}}),
            "a number from 0 to 100",
        ),
        (
            json!({"load_assignment": null}),
            "load_assignment is missing",
        ),
        (
            json!({"load_assignment": {"endpoints": []}}),
            "load_assignment has no host of priority 0",
        ),
        (
            json!({"load_assignment": {"named_endpoints": {}}}),
            "load_assignment.named_endpoints: is not read",
        ),
        (
            json!({"load_assignment": {"policy": {"weighted_priority_health": true}}}),
            "load_assignment.policy.weighted_priority_health: is not read here",
        ),
        (
            json!({"load_balancing_policy": {"policies": []}}),
            "load_balancing_policy.policies is empty",
        ),
        (
            typed("least_request.v3.LeastRequest", &json!({})),
            "least_request.v3.LeastRequest is not read here: RingHash and Maglev are",
        ),
        (
            typed("maglev.v3.Maglev", &json!({"minimum_ring_size": 5})),
            "typed_config.minimum_ring_size: is not read here",
        ),
        (
            typed("ring_hash.v3.RingHash", &json!({"table_size": 5})),
            "typed_config.table_size: is not read here",
        ),
        (
            with(
                typed("maglev.v3.Maglev", &json!({})),
                &json!({"common_lb_config": {"locality_weighted_lb_config": {}}}),
            ),
            "common_lb_config.locality_weighted_lb_config: Envoy takes no such field beside",
        ),
    ] {
        let said = refused(&fields(&cluster));
        assert!(said.contains("envoy.json line "), "{cluster}: {said}");
        assert!(said.contains(says), "{cluster}: {said}");
    }
}

#[test]
fn endpoints_that_decide_otherwise_are_refused_by_name() {
    let socket = |fields: Value| json!({"endpoint": {"address": {"socket_address": fields}}});
    for (endpoint, says) in [
        (json!({}), "lb_endpoints[0].endpoint is missing"),
        (
            json!({"endpoint_name": "x"}),
            "lb_endpoints[0].endpoint_name: is not read here",
        ),
        (json!({"endpoint": {}}), "endpoint.address is missing"),
        (
            json!({"endpoint": {"address": {}}}),
            "address.socket_address is missing",
        ),
        (
            json!({"endpoint": {"address": {"envoy_internal_address": {}}}}),
            "address.envoy_internal_address: is not read here",
        ),
        (
            socket(json!({"address": "10.0.0.1"})),
            "socket_address.port_value is missing",
        ),
        (
            socket(json!({"address": "10.0.0.1", "port_value": 65536})),
            "may be 65535 at most",
        ),
        (
            socket(json!({"address": "10.0.0.1", "named_port": "http"})),
            "socket_address.named_port: is not read",
        ),
        (
            socket(json!({"address": "a", "resolver_name": "r", "port_value": 1})),
            "resolver_name: is not read",
        ),
        (
            socket(json!({"address": "a.example", "port_value": 1})),
            "\"a.example\", and should be an IP address",
        ),
        (
            socket(json!({"address": "10.0.0.01", "port_value": 1})),
            "should be an IP address",
        ),
        (
            socket(json!({"address": 5, "port_value": 1})),
            "socket_address.address is 5, which is no text without quotes",
        ),
        (
            with(endpoint(1), &json!({"load_balancing_weight": 0})),
            "load_balancing_weight: ",
        ),
        (
            with(endpoint(1), &json!({"health_status": "DEGRADED"})),
            "health_status is DEGRADED",
        ),
        (
            with(endpoint(1), &json!({"health_status": "FINE"})),
            "health_status is \"FINE\", and should be one of",
        ),
        (
            with(endpoint(1), &json!({"wieght": 0})),
            "lb_endpoints[0].wieght: is not read here",
        ),
    ] {
        let said = refused(&of(&json!([endpoint])));
        assert!(said.contains("envoy.json line "), "{endpoint}: {said}");
        assert!(said.contains(says), "{endpoint}: {said}");
    }
    let said = refused(&of(&json!([endpoint(1), endpoint(1)])));
    assert!(said.contains("10.0.0.1:80"), "{said}");
    let weighted = json!({"common_lb_config": {"locality_weighted_lb_config": {}}});
    for (groups, says) in [
        (
            json!([{"lb_endpoints": [endpoint(1)]}]),
            "no host of load_assignment takes part",
        ),
        (
            json!([
                {"locality": {"zone": "a"}, "load_balancing_weight": 1, "lb_endpoints": [endpoint(1)]},
                {"locality": {"zone": "a"}, "load_balancing_weight": 1, "lb_endpoints": [endpoint(2)]},
            ]),
            "load_assignment.endpoints[1]: a second group of this locality",
        ),
        (
            json!([
                {"locality": {"zone": "a"}, "load_balancing_weight": 1, "lb_endpoints": [endpoint(1)]},
                {
                    "locality": {"zone": "b"},
                    "load_balancing_weight": 1,
                    "lb_endpoints": [with(endpoint(2), &json!({"health_status": "TIMEOUT"}))],
                },
            ]),
            "all hosts of its locality are down",
        ),
        (
            json!([{"locality": {"rack": "a"}}]),
            "locality.rack: is not read here",
        ),
        (json!([{"load_balancing_weight": 0}]), "a weight of 0"),
        (
            json!([{"leds_cluster_locality_config": {}}]),
            "leds_cluster_locality_config: is not read",
        ),
        (
            json!({"a": 1}),
            "load_assignment.endpoints is a mapping, and should be a sequence",
        ),
    ] {
        let said = refused(&bootstrap(&cluster_of(&groups, &weighted)));
        assert!(said.contains(says), "{groups}: {said}");
    }
}

#[test]
fn files_that_are_no_bootstrap_are_refused() {
    for (text, says) in [
        ("", "has no cluster"),
        ("{}", "has no cluster"),
        ("- a", "line 1: what stands there is a sequence"),
        (
            "static_resources: {clusters: [{name: 5}]}",
            "line 1: static_resources.clusters[0].name is 5, which is no text",
        ),
        (
            "static_resources:\n  clusters:\n  - {}\n",
            "line 3: static_resources.clusters[0].name is missing",
        ),
        (
            "static_resources: !!map {}",
            "static_resources is tagged !!map",
        ),
        (
            "static_resources: {clusters: [{name: c, name: d}]}",
            "name stands there twice",
        ),
        (
            "a: &a {name: c}\nb:\n  <<: *a\n",
            "envoy.yaml line 3: a merge key",
        ),
        ("a: 1\n---\nb: 2\n", "line 2: a second document"),
        ("static_resources: [", "envoy.yaml line "),
        (
            "{\"static_resources\": {\"clusters\": [}}",
            "envoy.yaml line 1",
        ),
    ] {
        let said = refused(&yaml(text));
        assert!(said.contains(says), "{text}: {said}");
    }
    let said = refused(&format!("envoy:{}", file("latin1.yaml", b"\xff")));
    assert!(said.contains("no UTF-8"), "{said}");
    let said = refused("envoy:/nowhere/envoy.yaml#c");
    assert!(said.contains("/nowhere/envoy.yaml: "), "{said}");
}

#[test]
fn changes_are_made_as_a_new_file_would() {
    let source = fields(&json!({"ring_hash_lb_config": {"minimum_ring_size": 2000}}));
    let compared = keyroute(&format!(
        "compare --from {source} --strategies modulo --add 10.0.0.9:80=2 --remove 10.0.0.1:80 \
         --reweight 10.0.0.2:80=4 --format json --no-timing"
    ));
    let compared: Value = serde_json::from_str(&compared.ok()).unwrap();
    let first = &compared["strategies"][0];
    assert_eq!(first["strategy"], "envoy:c");
    assert_eq!(first["hash"], "xxh64");
    let movement = &first["changes"][0]["movement"];
    assert!(movement["needed"].as_u64().unwrap() > 10_000, "{movement}");
    let said = keyroute(&format!(
        "compare --from {source} --add new-host --no-timing"
    ))
    .ok();
    assert!(said.contains("name a new one as 10.0.0.1:80"), "{said}");
    for address in ["[2001:db8::2]:80", "/tmp/new"] {
        let said = keyroute(&format!(
            "compare --from {source} --add {address} --no-timing"
        ));
        let said = said.ok();
        assert!(!said.contains("name a new one"), "{said}");
    }
}

#[test]
fn two_configurations_differ_or_not() {
    let write = |name: &str, minimum: u32| {
        let config = json!({"ring_hash_lb_config": {"minimum_ring_size": minimum}});
        let cluster = cluster_of(&json!([{"lb_endpoints": endpoints()}]), &config);
        let text = json!({"static_resources": {"clusters": [cluster]}});
        format!("envoy:{}", file(name, text.to_string()))
    };
    let (left, right) = (write("left.json", 1024), write("right.json", 512));
    let same = fields(&json!({}));
    assert_eq!(keyroute(&format!("diff {left} {same}")).ok(), "");
    let differences = keyroute(&format!("diff {left} {right}")).with_code(1);
    assert!(differences.contains("minimum_ring_size"), "{differences}");
    let fingerprint = |source: &str| keyroute(&format!("fingerprint --from {source}")).ok();
    assert_eq!(fingerprint(&left), fingerprint(&same));
    assert_ne!(fingerprint(&left), fingerprint(&right));
}
