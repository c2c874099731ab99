//! A running nginx against the preset, and against the command, which reads nginx's own configuration.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use keyroute_interop::Router;
use keyroute_interop::nginx::{Consistent, Modulo, Server};
use keyroute_live::http::{Client, HEADER_BYTES, Origin};
use keyroute_live::{Folder, Fresh, Server as Program, free_ports};

const KEYS: usize = 2000;

/// Sends fresh keys through nginx under this directive and these servers, and compares where each landed with
/// the preset, and with what the command says of the same configuration.
fn compare(name: &str, directive: &str, servers: &[String], preset: &dyn Router, keys: usize) {
    let folder = Folder::new(&format!("nginx-{name}"));
    let port = free_ports(1)[0];
    let lines: String = servers
        .iter()
        .map(|server| format!("server {server};\n"))
        .collect();
    let path = folder.path().display();
    let config = folder.path().join("nginx.conf");
    // One process, or workers would outlive a test that ends it.
    fs::write(
        &config,
        format!(
            "daemon off; master_process off; pid {path}/pid; error_log stderr;\n\
             events {{ worker_connections 512; }}\n\
             http {{\n access_log off;\n\
             client_body_temp_path {path}/a; proxy_temp_path {path}/b; fastcgi_temp_path {path}/c;\n\
             uwsgi_temp_path {path}/d; scgi_temp_path {path}/e;\n\
             keepalive_requests 1000000;\n\
             upstream u {{\n {directive}\n {lines} keepalive 128;\n }}\n\
             server {{\n listen 127.0.0.1:{port};\n\
             location / {{\n proxy_pass http://u; proxy_http_version 1.1;\n\
             proxy_set_header Connection \"\";\n }}\n }}\n }}\n"
        ),
    )
    .unwrap();
    let config = config.to_str().unwrap();
    let _nginx = Program::start("nginx", &["-e", "stderr", "-c", config], &[port]);
    let mut client = Client::new(port);
    let mut fresh = Fresh::new();
    let keys: Vec<Vec<u8>> = (0..keys).map(|_| fresh.key(HEADER_BYTES, 40)).collect();
    let routed = routed(config, &folder.path().join("keys"), &keys);
    for (key, routed) in keys.iter().zip(routed) {
        let address = client.ask(b"/", key);
        let name = preset.route_id(key).unwrap().as_str();
        let (host, _) = name.rsplit_once(':').unwrap();
        assert_eq!(host, address, "key {key:x?}");
        assert_eq!(name, routed, "key {key:x?}");
    }
}

/// What the command answers: `keyroute route FILE --from nginx:CONFIG#u`.
fn routed(config: &str, file: &Path, keys: &[Vec<u8>]) -> Vec<String> {
    let mut lines = keys.join(&b'\n');
    lines.push(b'\n');
    fs::write(file, lines).unwrap();
    let from = format!("nginx:{config}#u");
    let mut out = Vec::new();
    let args = ["keyroute", "route", "--from", &from, "--format", "json"];
    let args = args.into_iter().map(String::from);
    keyroute_cli::run(args.chain([file.to_str().unwrap().into()]), &mut out).unwrap();
    let answers = String::from_utf8(out).unwrap();
    let nodes: Vec<String> = answers
        .lines()
        .map(|line| {
            let answer: serde_json::Value = serde_json::from_str(line).unwrap();
            answer["node"].as_str().unwrap().into()
        })
        .collect();
    assert_eq!(nodes.len(), keys.len());
    nodes
}

fn read(lines: &[String]) -> Vec<Server> {
    lines.iter().map(|line| line.parse().unwrap()).collect()
}

/// So many servers, whose parameters follow from their number.
fn servers(
    origin: &Origin,
    network: u8,
    count: u8,
    parameters: impl Fn(u8) -> String,
) -> Vec<String> {
    let port = origin.port();
    (1..=count)
        .map(|host| format!("127.{network}.0.{host}:{port} {}", parameters(host)))
        .collect()
}

#[test]
fn a_consistent_hash_of_50_weighted_servers_agrees() {
    let origin = Origin::start();
    let lines = servers(&origin, 31, 50, |host| format!("weight={}", 1 + host % 7));
    let preset = Consistent::new(read(&lines)).unwrap();
    compare(
        "weights",
        "hash $http_x_key consistent;",
        &lines,
        &preset,
        5 * KEYS,
    );
}

#[test]
fn a_consistent_hash_passes_over_servers_that_are_down() {
    let origin = Origin::start();
    let down = |host: u8| {
        if host.is_multiple_of(3) {
            "down".into()
        } else {
            String::new()
        }
    };
    let lines = servers(&origin, 32, 12, down);
    let preset = Consistent::new(read(&lines)).unwrap();
    compare(
        "down",
        "hash $http_x_key consistent;",
        &lines,
        &preset,
        KEYS,
    );
}

#[test]
fn a_plain_hash_agrees() {
    let origin = Origin::start();
    let lines = servers(&origin, 33, 9, |host| match host {
        4 => "weight=3 down".into(),
        host => format!("weight={}", 1 + host % 4),
    });
    let preset = Modulo::new(read(&lines)).unwrap();
    compare("modulo", "hash $http_x_key;", &lines, &preset, KEYS);
}
