//! `twemproxy:FILE[#POOL]`.

use keyroute::Node;
use keyroute_interop::twemproxy::{KeyHash, Modula, ketama, server};

use super::common::{file, keyroute, keyroute_on};
use super::{expected, refused, routed};

/// In lines of a pool: with and without a port that counts, an alias, a socket.
const SERVERS: [&str; 5] = [
    "10.0.0.1:11211:1",
    "10.0.0.2:11212:3",
    "10.0.0.3:11211:2 cache-3",
    "/tmp/a.sock:1",
    "/tmp/b.sock:1 b",
];

const NEEDED: &str = "listen: 127.0.0.1:22121\n";

fn servers() -> Vec<Node> {
    SERVERS.iter().map(|line| server(line).unwrap()).collect()
}

/// The lines as entries of a pool `p`.
fn pool(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!("twemproxy:{}", file("pool.yml", format!("p:\n{lines}")))
}

fn all_servers() -> String {
    let lines = SERVERS.map(|line| format!("  - {line}\n"));
    format!("servers:\n{}", lines.concat())
}

fn keys() -> Vec<u8> {
    (0..500)
        .flat_map(|i| format!("user:{{{}}}:{i}\n", i % 40).into_bytes())
        .collect()
}

#[test]
fn every_hash_and_distribution_routes_as_its_preset() {
    for hash in [
        "one_at_a_time",
        "md5",
        "crc16",
        "crc32",
        "crc32a",
        "fnv1_64",
        "fnv1a_64",
        "fnv1_32",
        "fnv1a_32",
        "hsieh",
        "murmur",
        "jenkins",
    ] {
        let key_hash = KeyHash::named(hash).unwrap();
        let lines = |distribution| {
            let servers = all_servers();
            pool(&format!(
                "{NEEDED}hash: {hash}\ndistribution: {distribution}\n{servers}"
            ))
        };
        let ring = ketama(key_hash.clone(), servers()).unwrap();
        assert_eq!(
            routed(&lines("ketama"), &keys()),
            expected(&ring, &keys()),
            "{hash}"
        );
        let list = Modula::of_servers(key_hash, servers()).unwrap();
        assert_eq!(
            routed(&lines("modula"), &keys()),
            expected(&list, &keys()),
            "{hash}"
        );
    }
}

#[test]
fn what_is_not_said_is_as_twemproxy_has_it() {
    let source = pool(&format!("{NEEDED}{}", all_servers()));
    let ring = ketama(KeyHash::named("fnv1a_64").unwrap(), servers()).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
}

#[test]
fn a_tag_is_what_is_hashed() {
    for tag in ["\"{}\"", "'{}'"] {
        let source = pool(&format!("{NEEDED}hash_tag: {tag}\n{}", all_servers()));
        let key_hash = KeyHash::default().with_hash_tag("{}").unwrap();
        let ring = ketama(key_hash, servers()).unwrap();
        assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
    }
}

#[test]
fn comments_quotes_and_order_change_nothing() {
    let mut lines = SERVERS.map(|line| format!(" - '{line}' # {line}\n"));
    lines.reverse();
    let source = pool(&format!(
        "# a comment\n\nservers:\n\n{}\"hash\": \"md5\"\n{NEEDED}",
        lines.concat()
    ));
    let ring = ketama(KeyHash::named("md5").unwrap(), servers()).unwrap();
    assert_eq!(routed(&source, &keys()), expected(&ring, &keys()));
}

#[test]
fn the_name_chooses_a_pool() {
    let text = "a:\n  listen: 127.0.0.1:1\n  servers:\n  - x:1:1\n\
                b:\n  listen: 127.0.0.1:2\n  servers:\n  - y:1:1\n";
    let source = format!("twemproxy:{}", file("pools.yml", text));
    assert_eq!(routed(&format!("{source}#b"), b"k"), "k\ty:1\n");
    let said = refused(&source);
    assert!(said.contains("choose one pool with #NAME: a, b"), "{said}");
    let said = refused(&format!("{source}#c"));
    assert!(said.contains("no pool \"c\": there are a, b"), "{said}");
}

#[test]
fn what_changes_nothing_is_said_and_passed_over() {
    let passed = [
        "timeout: 400",
        "backlog: 1024",
        "client_connections: 9",
        "tcpkeepalive: true",
        "redis_auth: secret",
        "redis_db: 3",
        "preconnect: true",
        "server_connections: 2",
        "server_retry_timeout: 2000",
        "server_failure_limit: 3",
    ];
    let source = pool(&format!(
        "{NEEDED}redis: true\nauto_eject_hosts: true\n{}\n{}",
        passed.join("\n"),
        all_servers()
    ));
    let run = keyroute_on(&format!("route --from {source}"), &keys());
    for (line, directive) in (5..).zip(passed) {
        let (name, _) = directive.split_once(':').unwrap();
        let note = format!("pool.yml line {line}: {name} changes no key's server");
        assert!(run.stderr.contains(&note), "{note}: {}", run.stderr);
    }
    assert!(
        run.stderr
            .contains("line 4: auto_eject_hosts moves keys while servers fail"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("secret"), "{}", run.stderr);
    let ring = ketama(KeyHash::default(), servers()).unwrap();
    assert_eq!(run.ok(), expected(&ring, &keys()));
}

#[test]
fn hosts_that_are_never_ejected_need_no_note() {
    let source = pool(&format!(
        "{NEEDED}auto_eject_hosts: false\n{}",
        all_servers()
    ));
    let run = keyroute_on(&format!("route --from {source}"), b"k");
    assert_eq!(run.stderr, "");
    run.ok();
}

#[test]
fn what_twemproxy_refuses_is_refused_by_name_and_line() {
    let one = "servers:\n- a:1:1\n";
    for (lines, says) in [
        ("hash: MD5\n", "line 2: hash is MD5: give one_at_a_time"),
        ("hash: ~\n", "line 2: hash"),
        ("hash:\n", "line 2: hash"),
        ("hash:\n- md5\n", "hash is a sequence, and should be text"),
        (
            "distribution: random\n",
            "line 2: distribution random: no key decides",
        ),
        (
            "distribution: rand\n",
            "distribution \"rand\": there are ketama, modula, random",
        ),
        ("hash_tag: \"{\"\n", "line 2: hash_tag is \"{\": give"),
        ("hash_tag: \"é}\"\n", "hash_tag is \"é}\": give"),
        (
            "hash_tag: {}\n",
            "line 2: brackets and braces is what twemproxy refuses",
        ),
        (
            "timeuot: 1\n",
            "line 2: timeuot: twemproxy has no such directive",
        ),
        (
            "timeout: soon\n",
            "line 2: timeout is \"soon\", and should be a number",
        ),
        ("timeout: -1\n", "timeout is \"-1\""),
        ("timeout:\n", "timeout is nothing"),
        ("server_connections: 0\n", "should be a number from 1"),
        (
            "redis: yes\n",
            "redis is \"yes\", and should be true or false",
        ),
        ("auto_eject_hosts: 1\n", "auto_eject_hosts is \"1\""),
        (
            "auto_eject_hosts:\n  a: b\n",
            "auto_eject_hosts is a mapping",
        ),
        (
            "redis_auth: x\n",
            "line 2: redis_auth is for a pool with redis: true",
        ),
        ("redis: true\nredis_auth: ''\n", "redis_auth is \"\""),
        (
            "hash: md5\nhash: md5\n",
            "line 3: hash stands there twice, first in line 2",
        ),
        (
            "timeout: &a 1\n",
            "line 2: an anchor is what twemproxy refuses",
        ),
        (
            "timeout: !!int 1\n",
            "line 2: a tag is what twemproxy refuses",
        ),
        ("<<: x\n", "line 2: a merge key"),
    ] {
        let said = refused(&pool(&format!("{lines}{NEEDED}{one}")));
        assert!(said.contains("pool.yml line "), "{lines}: {said}");
        assert!(said.contains(says), "{lines}: {said}");
    }
}

#[test]
fn servers_that_twemproxy_refuses_are_refused() {
    for (lines, says) in [
        ("", "line 1: pool \"p\" has no servers"),
        ("servers:\n", "servers is nothing, and should be a sequence"),
        ("servers: a:1:1\n", "servers is \"a:1:1\""),
        ("servers: [a:1:1]\n", "brackets and braces"),
        ("servers:\n- a:1:0\n", "line 4: a server is \"a:1:0\": give"),
        ("servers:\n- a:1\n", "\"a:1\""),
        ("servers:\n- a:0:1\n", "a server is \""),
        ("servers:\n- a:1:+1\n", "a server is \""),
        ("servers:\n- a:1:1 my name\n", "a server is \""),
        ("servers:\n- /tmp/a:b:1\n", "a server is \""),
        (
            "servers:\n- a: b\n",
            "a server is a mapping, and should be text",
        ),
        (
            "servers:\n- a:1:1\n- a:1:2\n",
            "line 5: a second server \"a:1\"",
        ),
        ("servers:\n- a:1:1 n\n- b:1:2 n\n", "a second server \"n\""),
    ] {
        let said = refused(&pool(&format!("{NEEDED}{lines}")));
        assert!(said.contains(says), "{lines}: {said}");
    }
    let said = refused(&pool("servers:\n- a:1:1\n"));
    assert!(said.contains("pool \"p\" has no listen"), "{said}");
}

#[test]
fn files_that_are_no_pools_are_refused() {
    for (text, says) in [
        ("", "other.yml: has no pool"),
        ("# nothing\n", "has no pool"),
        (
            "p: x\n",
            "line 1: pool \"p\" is \"x\", and should be a mapping",
        ),
        ("p:\n", "pool \"p\" is nothing"),
        ("- p\n", "line 1: what stands there is a sequence"),
        ("p: {listen: a}\n", "brackets and braces"),
        (
            "---\np:\n",
            "line 1: the beginning of a document, ---, is what",
        ),
        (
            "p:\n  listen: x\n...\n",
            "line 3: the end of a document, ..., is what",
        ),
        (
            "p:\n  a: b\np:\n  a: b\n",
            "line 3: p stands there twice, first in line 1",
        ),
        ("p:\n\tlisten: x\n", "other.yml line 2: "),
        ("p: 'x\n", "other.yml line "),
        ("? [a]\n: b\n", "brackets and braces"),
    ] {
        let said = refused(&format!("twemproxy:{}", file("other.yml", text)));
        assert!(said.contains(says), "{text}: {said}");
    }
}

#[test]
fn a_key_that_memcached_cannot_have_is_an_error() {
    let source = pool(&format!("{NEEDED}{}", all_servers()));
    let long = "x".repeat(251);
    for (key, says) in [
        ("", "memcached has no empty key"),
        ("a b", "holds a blank"),
        ("a\rb", "holds a blank"),
        (&long, "over 250 bytes"),
    ] {
        let run = keyroute_on(
            &format!("route --from {source}"),
            format!("x\n{key}\ny\n").as_bytes(),
        );
        assert!(run.stderr.contains(says), "{key}: {}", run.stderr);
        run.with_code(2);
    }
    routed(&source, &long.as_bytes()[..250]);
}

#[test]
fn redis_takes_any_key() {
    let source = pool(&format!("{NEEDED}redis: true\n{}", all_servers()));
    let ring = ketama(KeyHash::default(), servers()).unwrap();
    let long = "x".repeat(300);
    for key in ["", "a b", &long] {
        let owner = ring.route_id(key.as_bytes()).unwrap();
        let said = routed(&source, format!("{key}\n").as_bytes());
        assert_eq!(said, format!("{key}\t{owner}\n"));
    }
}

#[test]
fn changes_are_made_as_a_new_file_would() {
    let source = pool(&format!("{NEEDED}hash: md5\n{}", all_servers()));
    let compared = keyroute(&format!(
        "compare --from {source} --strategies modulo --add 10.0.0.9:9000=2 --remove cache-3 \
         --reweight b=2 --format json --no-timing"
    ));
    let compared: serde_json::Value = serde_json::from_str(&compared.ok()).unwrap();
    let first = &compared["strategies"][0];
    assert_eq!(first["strategy"], "twemproxy:p");
    assert_eq!(first["hash"], "md5");
    let movement = &first["changes"][0]["movement"];
    assert!(movement["needed"].as_u64().unwrap() > 10_000, "{movement}");

    let said = keyroute(&format!(
        "compare --from {source} --add 10.0.0.9:11211 --no-timing"
    ));
    let said = said.ok();
    assert!(said.contains("by its host alone"), "{said}");
}

#[test]
fn two_configurations_differ_or_not() {
    let write = |name: &str, lines: &str| {
        let text = format!("p:\n  {NEEDED}{lines}");
        format!("twemproxy:{}", file(name, text))
    };
    let left = write("left.yml", "  servers:\n  - a:1:1\n  - b:1:1\n");
    let turned = write(
        "turned.yml",
        "  timeout: 5\n  servers:\n  - b:1:1\n  - a:1:1\n",
    );
    let other = write(
        "other.yml",
        "  hash: md5\n  servers:\n  - a:1:1\n  - b:1:1\n",
    );
    assert_eq!(keyroute(&format!("diff {left} {turned}")).ok(), "");
    let differences = keyroute(&format!("diff {left} {other}")).with_code(1);
    assert!(differences.contains("md5"), "{differences}");
    let fingerprint = |source: &str| keyroute(&format!("fingerprint --from {source}")).ok();
    assert_eq!(fingerprint(&left), fingerprint(&turned));
    assert_ne!(fingerprint(&left), fingerprint(&other));
}
