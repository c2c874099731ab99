//! `nginx:FILE[#UPSTREAM]`.

use keyroute_interop::nginx::{Consistent, Modulo, Server};

use super::common::{file, keyroute, keyroute_on, path, with_args};
use super::{expected, refused, routed};

const SERVERS: [&str; 3] = ["10.0.0.1:8080 weight=3", "10.0.0.2", "web-c.example:80"];

fn servers() -> Vec<Server> {
    SERVERS.iter().map(|line| line.parse().unwrap()).collect()
}

/// A configuration with an upstream `u` of these lines.
fn upstream(lines: &str) -> String {
    let text = format!("events {{}}\nhttp {{\nupstream u {{\n{lines}\n}}\n}}\n");
    format!("nginx:{}", file("nginx.conf", text))
}

fn all_servers() -> String {
    SERVERS.map(|line| format!("server {line};\n")).concat()
}

fn keys() -> Vec<u8> {
    (0..500)
        .flat_map(|i| format!("/page-{i}?q={i}\n").into_bytes())
        .collect()
}

#[test]
fn each_method_routes_as_its_preset() {
    let consistent = upstream(&format!("hash $request_uri consistent;{}", all_servers()));
    let ring = Consistent::new(servers()).unwrap();
    assert_eq!(routed(&consistent, &keys()), expected(&ring, &keys()));

    let modulo = upstream(&format!("{} hash \"$request_uri\";", all_servers()));
    let list = Modulo::new(servers()).unwrap();
    assert_eq!(routed(&modulo, &keys()), expected(&list, &keys()));
}

#[test]
fn servers_that_are_down_keep_their_place() {
    let down = upstream("hash $uri consistent; server a; server b down; server c weight=2;");
    let lines = ["a", "b down", "c weight=2"].map(|line| line.parse().unwrap());
    let ring = Consistent::new(lines).unwrap();
    let answers = routed(&down, &keys());
    assert_eq!(answers, expected(&ring, &keys()));
    assert!(!answers.contains("\tb\n"));
}

#[test]
fn quotes_comments_and_blocks_are_read_as_nginx_reads_them() {
    let source = upstream(
        "# server z;\n hash '$host$uri' \"consistent\"; server \"10.0.0.1:8080\" weight=3;\n\
         server\n 10.0.0.2; # server y;\n server 'web-c.example:80';",
    );
    let ring = Consistent::new(servers()).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
}

#[test]
fn included_files_belong_to_the_whole() {
    let folder = path("conf.d");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("2.part", "server web-c.example:80;");
    write("1.part", "server 10.0.0.1:8080 weight=3; server 10.0.0.2;");
    write(".hidden.part", "server z;");
    write(
        "up.conf",
        "upstream u { hash $uri consistent; include conf.d/*.part; }",
    );
    let text = "http { include conf.d/up.conf; include mime.types; include none/*.conf; }";
    let source = format!("nginx:{}#u", file("nginx.conf", text));
    let run = keyroute_on(&format!("route --from {source}"), &keys());
    assert!(
        run.stderr.contains("mime.types is not there"),
        "{}",
        run.stderr
    );
    let ring = Consistent::new(servers()).unwrap();
    assert_eq!(run.ok(), expected(&ring, &keys()));
}

#[test]
fn upstreams_of_streams_are_read_too_and_the_name_chooses() {
    let text = "stream { upstream a { hash $remote_addr consistent; server x:1; } }
                http { upstream b { server y; server z; hash $uri; } server { location / {} } }";
    let source = format!("nginx:{}", file("nginx.conf", text));
    assert_eq!(routed(&format!("{source}#a"), b"k"), "k\tx:1\n");
    let said = refused(&source);
    assert!(
        said.contains("choose one upstream with #NAME: a, b"),
        "{said}"
    );
    let said = refused(&format!("{source}#c"));
    assert!(said.contains("no upstream \"c\": there are a, b"), "{said}");
}

#[test]
fn what_changes_nothing_is_said_and_passed_over() {
    let source = upstream(
        "zone z 64k; hash $uri; keepalive 8; server a max_fails=3; server 10.0.0.1; server UNIX:/tmp/s;",
    );
    let run = keyroute_on(&format!("route --from {source}"), b"k");
    for note in [
        "a key here is the value of $uri",
        "line 4: zone changes no key's server",
        "keepalive",
        "max_fails=3 counts only while servers fail",
        "a: nginx counts each address",
    ] {
        assert!(run.stderr.contains(note), "{note}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("10.0.0.1: nginx"), "{}", run.stderr);
    assert!(!run.stderr.contains("UNIX:/tmp/s: nginx"), "{}", run.stderr);
    run.ok();
}

#[test]
fn what_changes_routing_is_refused_by_name() {
    for (lines, says) in [
        ("server a;", "line 3: upstream \"u\" has no hash"),
        ("hash $uri;", "line 3: upstream \"u\" has no server"),
        (
            "least_conn; server a;",
            "line 4: least_conn: may change where a key goes",
        ),
        ("ip_hash; server a;", "ip_hash: may change"),
        ("hash $uri; random two; server a;", "random: may change"),
        (
            "hash $uri; balancer_by_lua_block { x } server a;",
            "balancer_by_lua_block: may",
        ),
        ("hash $uri; hash $host; server a;", "a second hash"),
        (
            "hash $uri fast; server a;",
            "hash $uri fast: write hash KEY",
        ),
        ("hash; server a;", "write hash KEY"),
        ("hash $uri; server a backup;", "line 4: server is backup"),
        ("hash $uri; server a weight=0;", "weight"),
        ("hash $uri; server a wight=2;", "wight=2"),
        (
            "hash $uri; server a resolve;",
            "resolve: the servers come from DNS",
        ),
        (
            "hash $uri; server a service=http;",
            "service=http: the servers come from DNS",
        ),
        ("hash $uri; server \"a b\";", "\"a b\" holds blanks"),
        ("hash $uri; server;", "an address"),
        (
            "hash $uri; include none; server a;",
            "is not there, and holds servers",
        ),
        ("hash $uri; server a", "unexpected '}': ';' is missing"),
    ] {
        let said = refused(&upstream(lines));
        assert!(said.contains(says), "{lines}: {said}");
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let circle = file("circle.conf", "include circle.conf;");
    for (source, says) in [
        ("nginx:/nowhere/nginx.conf".into(), "/nowhere/nginx.conf: "),
        (
            format!("nginx:{}", file("latin1.conf", b"\xff")),
            "no UTF-8",
        ),
        (
            format!("nginx:{circle}"),
            "include one another over 32 deep",
        ),
        (
            format!("nginx:{}", file("empty.conf", "")),
            "has no upstream",
        ),
    ] {
        let said = refused(&source);
        assert!(said.contains(says), "{source}: {said}");
    }
}

#[test]
fn a_key_that_nginx_takes_in_turn_is_an_error() {
    let source = upstream("hash $uri consistent; server a; server b;");
    let run = keyroute_on(&format!("route --from {source}"), b"x\n\ny\n");
    assert!(
        run.stderr
            .contains("takes servers in turn for an empty key"),
        "{}",
        run.stderr
    );
    run.with_code(2);
    let source = upstream("hash $uri consistent; server a down;");
    let run = keyroute_on(&format!("route --from {source}"), b"x\n");
    assert!(
        run.stderr.contains("21 times a server that is down"),
        "{}",
        run.stderr
    );
    run.with_code(2);
}

#[test]
fn changes_are_made_as_a_new_file_would() {
    let source = upstream("hash $uri consistent; server a weight=2; server b; server c;");
    let compared = keyroute(&format!(
        "compare --from {source} --strategies modulo --add d=2 --reweight a=1 --remove b \
         --format json --no-timing"
    ));
    let compared: serde_json::Value = serde_json::from_str(&compared.ok()).unwrap();
    let first = &compared["strategies"][0];
    assert_eq!(first["strategy"], "nginx:u");
    assert_eq!(first["hash"], "crc32");
    let movement = &first["changes"][0]["movement"];
    assert_eq!(movement["needless"], 0, "{movement}");
    assert!(movement["needed"].as_u64().unwrap() > 10_000, "{movement}");
    assert_eq!(compared["strategies"][1]["strategy"], "modulo");
}

#[test]
fn a_newcomer_is_a_name_and_no_line() {
    let source = upstream("hash $uri; server a; server b;");
    let from = format!("--from={source}");
    for id in ["c weight=5=1", "c;"] {
        let args = ["compare", &from, "--add", id, "--strategies", "modulo"];
        let table = with_args(&[&args[..], &["--no-timing"]].concat()).ok();
        assert!(table.contains("for parameters"), "{id}: {table}");
    }
}

#[test]
fn two_configurations_differ_or_not() {
    let text = |weight: u32| {
        format!("upstream u {{ hash $uri consistent; server a weight={weight}; server b; }}")
    };
    let left = format!("nginx:{}", file("left.conf", text(2)));
    let right = format!("nginx:{}", file("right.conf", text(3)));
    assert_eq!(keyroute(&format!("diff {left} {left}")).ok(), "");
    let differences = keyroute(&format!("diff {left} {right}")).with_code(1);
    assert!(differences.contains("weight"), "{differences}");
}

#[test]
fn a_server_in_several_lines_counts_as_nginx_counts_it() {
    let source = upstream("hash $uri; server a; server b; server a weight=2;");
    let lines = ["a", "b", "a weight=2"].map(|line| line.parse().unwrap());
    assert_eq!(
        routed(&source, &keys()),
        expected(&Modulo::new(lines).unwrap(), &keys())
    );
}
