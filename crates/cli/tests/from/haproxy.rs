//! `haproxy:FILE[#BACKEND]`.

use keyroute_interop::haproxy::{Backend, Balance, Balanced, Server};

use super::common::{file, keyroute, keyroute_on, path};
use super::{expected, refused, routed};

/// A configuration with a backend `b` of these lines, in `mode http`.
fn backend(lines: &str) -> String {
    let text = format!(
        "defaults\n mode http\n timeout server 3s\nfrontend f\n bind :80\nbackend b\n{lines}\n"
    );
    format!("haproxy:{}", file("haproxy.cfg", text))
}

/// What a backend of these servers answers.
fn preset(balance: &str, hash_type: &str, servers: &[&str]) -> Balanced {
    let servers = servers.iter().map(|line| line.parse::<Server>().unwrap());
    let backend = Backend::new(hash_type.parse().unwrap(), servers).unwrap();
    Balanced::new(balance.parse::<Balance>().unwrap(), backend)
}

fn targets() -> Vec<u8> {
    (0..500)
        .flat_map(|i| format!("/part-{}/{}/{i}?q={i}\n", i % 7, i % 31).into_bytes())
        .collect()
}

/// What the notes say.
fn notes(source: &str, key: &[u8]) -> String {
    let run = keyroute_on(&format!("route --from {source}"), key);
    let notes = run.stderr.clone();
    run.ok();
    notes
}

const SERVERS: [&str; 4] = [
    "a 10.0.0.1:80 weight 3 check",
    "b 10.0.0.2:80 id 9",
    "c 10.0.0.3:80 disabled",
    "d 10.0.0.4:80 weight 2",
];

fn all_servers() -> String {
    SERVERS.map(|line| format!(" server {line}\n")).concat()
}

#[test]
fn each_hash_type_and_part_of_a_target_routes_as_its_preset() {
    for (hash_type, balance) in [
        ("consistent", "uri"),
        ("consistent djb2", "uri whole"),
        ("map-based crc32 avalanche", "uri depth 2"),
        ("consistent wt6", "uri len 9 whole"),
    ] {
        let source = backend(&format!(
            " balance {balance}\n hash-type {hash_type}\n{}",
            all_servers()
        ));
        let preset = preset(balance, hash_type, &SERVERS);
        assert_eq!(routed(&source, &targets()), expected(&preset, &targets()));
    }
    // Without hash-type: map-based, sdbm.
    let source = backend(&format!(" balance uri\n{}", all_servers()));
    let preset = preset("uri", "map-based", &SERVERS);
    assert_eq!(routed(&source, &targets()), expected(&preset, &targets()));
}

#[test]
fn keys_are_what_balance_says() {
    for (balance, keys) in [
        ("source", "10.1.2.3\n2001:db8::17\n192.0.2.1\n"),
        ("hdr(x-user)", "ada\n ada , bob\n\"a,b\",c\n"),
        ("url_param id check_post", "17\na%20b\n"),
        ("rdp-cookie(mstshash)", "user-1\n"),
        ("hash src,ipmask(24)", "10.1.2.0\n2001:db8::\n"),
        ("hash req.hdr_val(x-user)", "17\n-3\n"),
        ("hash req.hdr(x-user),lower", "a,b\n"),
    ] {
        let source = backend(&format!(
            " balance {balance}\n hash-type consistent\n{}",
            all_servers()
        ));
        let preset = preset(balance, "consistent", &SERVERS);
        assert_eq!(
            routed(&source, keys.as_bytes()),
            expected(&preset, keys.as_bytes()),
            "{balance}"
        );
    }
}

#[test]
fn a_key_that_haproxy_does_not_hash_is_an_error() {
    for (balance, key, says) in [
        ("source", "host", "is no IP address"),
        ("uri", "?a", "takes servers in turn"),
        ("hdr(a)", ",a", "takes servers in turn"),
        ("hash int(3)", "x", "is no number"),
    ] {
        let source = backend(&format!(" balance {balance}\n{}", all_servers()));
        let run = keyroute_on(&format!("route --from {source}"), key.as_bytes());
        assert!(run.stderr.contains(says), "{balance}: {}", run.stderr);
        run.with_code(2);
    }
    let source = backend(" balance uri\n server a 10.0.0.1:80 weight 0");
    let said = refused(&source);
    assert!(
        said.contains("line 6: backend \"b\" has no server that is up"),
        "{said}"
    );
}

#[test]
fn versions_that_hash_ids_twice_have_a_name() {
    let text = "backend b\n balance source\n hash-type consistent\n server a h:1\n server b h:2\n";
    let file = file("haproxy.cfg", text);
    let key = |source: &str| {
        (0..64)
            .map(|i| routed(source, format!("10.0.0.{i}").as_bytes()))
            .collect::<String>()
    };
    let usual = format!("haproxy:{file}");
    let twice = format!("haproxy-3.0:{file}");
    assert_ne!(key(&usual), key(&twice));
    let lines = ["a h:1", "b h:2"].map(|line| line.parse::<Server>().unwrap());
    let servers = lines.map(Server::with_id_hashed_twice);
    let backend = Backend::new("consistent".parse().unwrap(), servers).unwrap();
    let preset = Balanced::new(Balance::Source, backend);
    let keys: Vec<u8> = (0..64)
        .flat_map(|i| format!("10.0.0.{i}\n").into_bytes())
        .collect();
    assert_eq!(routed(&twice, &keys), expected(&preset, &keys));
    assert!(notes(&usual, b"10.0.0.1").contains("write haproxy-3.0:FILE"));
    assert!(notes(&twice, b"10.0.0.1").contains("the ring of HAProxy 3.0.0 to 3.2"));
}

#[test]
fn defaults_stand_behind_the_backends_below_them() {
    let text = "defaults base\n mode http\n balance uri depth 1\n hash-type consistent\n default-server weight 3\n\
                defaults other from base\n hash-type map-based djb2\n\
                backend named from base\n server a h:1\n server b h:2 weight 1\n\
                backend last\n server a h:1\n server b h:2 weight 1\n\
                backend own from base\n balance uri\n default-server weight 5\n server a h:1\n server b h:2\n";
    let file = file("haproxy.cfg", text);
    for (name, balance, hash_type, servers) in [
        (
            "named",
            "uri depth 1",
            "consistent",
            ["a h:1 weight 3", "b h:2"],
        ),
        (
            "last",
            "uri depth 1",
            "map-based djb2",
            ["a h:1 weight 3", "b h:2"],
        ),
        (
            "own",
            "uri",
            "consistent",
            ["a h:1 weight 5", "b h:2 weight 5"],
        ),
    ] {
        let preset = preset(balance, hash_type, &servers);
        let answers = routed(&format!("haproxy:{file}#{name}"), &targets());
        assert_eq!(answers, expected(&preset, &targets()), "{name}");
    }
    let said = refused(&format!("haproxy:{file}"));
    assert!(
        said.contains("choose one backend with #NAME: named, last, own"),
        "{said}"
    );
}

#[test]
fn default_servers_count_for_what_follows_them() {
    let source = backend(
        " balance uri\n hash-type consistent\n server a h:1\n default-server weight 7\n server b h:2\n \
         default-server disabled\n server c h:3\n server d h:4 enabled weight 2\n",
    );
    let preset = preset(
        "uri",
        "consistent",
        &[
            "a h:1",
            "b h:2 weight 7",
            "c h:3 disabled",
            "d h:4 weight 2",
        ],
    );
    assert_eq!(routed(&source, &targets()), expected(&preset, &targets()));
}

#[test]
fn templates_stand_for_their_servers() {
    let source = backend(
        " balance uri\n hash-type consistent\n server z h:1\n server-template t 2-4 h:1 weight 2 id 7\n server y h:1",
    );
    let servers = [
        "z h:1",
        "t2 h:1 weight 2 id 7",
        "t3 h:1 weight 2",
        "t4 h:1 weight 2",
        "y h:1",
    ];
    let preset = preset("uri", "consistent", &servers);
    assert_eq!(routed(&source, &targets()), expected(&preset, &targets()));
}

#[test]
fn backups_wait() {
    let up = backend(
        " balance uri\n server a h:1 weight 2\n server b h:2 backup weight 3\n server c h:3 weight 4",
    );
    let answers = routed(&up, &targets());
    assert_eq!(
        answers,
        expected(
            &preset(
                "uri",
                "map-based",
                &["a h:1 weight 2", "b h:2 backup weight 3", "c h:3 weight 4"]
            ),
            &targets()
        )
    );
    assert!(!answers.contains("\tb\n"));
    let lines = " balance uri\n server a h:1 disabled\n server b h:2 backup\n server c h:3 backup";
    assert!(!routed(&backend(lines), &targets()).contains("\tc\n"));
    let all = routed(
        &backend(&format!("{lines}\n option allbackups")),
        &targets(),
    );
    assert!(all.contains("\tb\n") && all.contains("\tc\n"));
    let none = format!("{lines}\n option allbackups\n no option allbackups");
    assert!(!routed(&backend(&none), &targets()).contains("\tc\n"));
}

#[test]
fn what_changes_nothing_is_said_and_passed_over() {
    let source = backend(
        " balance hdr(host)\n hash-type consistent\n timeout connect 3s\n option httpchk GET /\n option redispatch\n \
         http-request set-header x y\n hash-balance-factor 150\n stick-table type ip size 1k\n \
         server a h:1 check inter 2s weight 2\n server b h:2 check backup",
    );
    let notes = notes(&source, b"k");
    for note in [
        "a key here is the value of the header of hdr(host)",
        "timeout (line 3, 9)",
        "option httpchk (line 10)",
        "stick-table (line 14)",
        "only while servers fail, fill up or come back: hash-balance-factor (line 13), option redispatch (line 11)",
        "a key is what they leave: http-request (line 12)",
        "check (line 15, 16), inter (line 15)",
        "where no other server can: b",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
}

#[test]
fn what_changes_routing_is_refused_by_name() {
    let server = "\n server a h:1";
    for (lines, says) in [
        ("", "line 6: backend \"b\" has no balance"),
        (" balance uri", "line 6: backend \"b\" has no server"),
        (
            " balance roundrobin",
            "line 7: balance is roundrobin: give an algorithm that hashes",
        ),
        (" balance leastconn", "balance is leastconn"),
        (" balance random(2)", "balance is random(2)"),
        (" balance uri len 0", "balance uri is len \"0\""),
        (" balance hash var(txn.a)", "balance hash is var"),
        (" balance hdr(host) use_domain_only", "use_domain_only"),
        (" balance uri\n hash-type ring", "line 8: hash-type is"),
        (
            " balance uri\n hash-balance-factor 90",
            "hash-balance-factor 90: give 0, or",
        ),
        (
            " balance uri\n mode tcp",
            "line 7: balance uri needs mode http",
        ),
        (" balance uri\n mode log", "mode log"),
        (
            " balance uri\n disabled",
            "line 8: backend \"b\" is disabled",
        ),
        (
            " balance uri\n cookie S insert",
            "line 8: cookie sends clients that come back",
        ),
        (
            " balance uri\n stick on src",
            "stick on sends clients that come back",
        ),
        (
            " balance uri\n stick match src",
            "stick match sends clients",
        ),
        (
            " balance uri\n use-server a if TRUE",
            "use-server chooses servers by rules",
        ),
        (" balance uri\n dispatch h:1", "dispatch sends all"),
        (
            " balance uri\n option transparent",
            "option transparent sends",
        ),
        (
            " balance uri\n option magic",
            "option magic may change where a key goes",
        ),
        (
            " balance uri\n balanse uri",
            "line 8: balanse may change where a key goes",
        ),
        (
            " balance uri\n.if 1\n hash-type consistent\n.endif",
            "line 9: hash-type: stands under the .if of line 8",
        ),
        (
            " balance uri\n default-server id 3",
            "default-server has an id",
        ),
        (" balance uri\n default-server wight 3", "server is wight"),
        (
            " balance uri\n server b",
            "server takes a name and an address",
        ),
        (
            " balance uri\n server b h:1 weight 257",
            "line 8: server is 257: give a weight from 0 to 256",
        ),
        (
            " balance uri\n server b h:1 track a",
            "server is track: give no track",
        ),
        (" balance uri\n server b h:1 \"\" id 3", "an empty word"),
        (
            " balance uri\n server b h:1 id 2\n server c h:1 id 2",
            "id is 2 twice",
        ),
        (" balance uri\n server a h:1", "\"a\""),
        (
            " balance uri\n server-template t 3-1 h:1",
            "server-template 3-1: give",
        ),
        (
            " balance uri\n server-template t 3",
            "server-template takes a prefix",
        ),
        (
            " balance uri\n server b h:1 hash-key addr",
            "h:1 is none: write the IP address",
        ),
        (
            " balance uri\n server b 10.0.0.1:+1 hash-key addr-port",
            "depends on the client's",
        ),
        (
            " balance uri\n server \"$KEYROUTE_NOWHERE\" h:1",
            "the variable KEYROUTE_NOWHERE is not set",
        ),
        (" balance uri\n log \"x", "line 8: a \" is not closed"),
    ] {
        let said = refused(&backend(&format!(
            "{lines}{}",
            if says.contains("no server") {
                ""
            } else {
                server
            }
        )));
        assert!(said.contains(says), "{lines}: {said}");
    }
}

#[test]
fn a_listener_may_send_requests_elsewhere() {
    let text = |line: &str| {
        let text =
            format!("listen l\n bind :80\n balance source\n {line}\n server a h:1\nbackend b\n");
        format!("haproxy:{}#l", file("haproxy.cfg", text))
    };
    let said = refused(&text("default_backend b"));
    assert!(said.contains("name that one with #BACKEND"), "{said}");
    let said = notes(&text("use_backend b if TRUE"), b"10.0.0.1");
    assert!(said.contains("use_backend (line 4)"), "{said}");
    // A backend is not asked for its default one.
    let inherited = "defaults\n default_backend x\nbackend b\n balance source\n server a h:1\n";
    let source = format!("haproxy:{}", file("haproxy.cfg", inherited));
    assert_eq!(routed(&source, b"10.0.0.1"), "10.0.0.1\ta\n");
}

#[test]
fn the_language_is_read_as_haproxy_reads_it() {
    let text = "global\n setenv KEYROUTE_WEIGHT 3\n user haproxy\n\ndefaults # d\n\tmode 'http'\n\
                backend 'b'\n balance \"uri\" depth 1#whole\n hash-type con\"sis\"tent\n \
                server a\\ 1 h:1 weight \"$KEYROUTE_WEIGHT\"\n server b h:2 weight \"${KEYROUTE_NOWHERE-2}\"\r\n\
                peers p\n server z h:3\n";
    let source = format!("haproxy:{}#b", file("haproxy.cfg", text));
    let servers = [["a 1", "h:1", "weight", "3"], ["b", "h:2", "weight", "2"]];
    let servers = servers.map(|words| Server::from_words(words, |_| {}).unwrap());
    let backend = Backend::new("consistent".parse().unwrap(), servers).unwrap();
    let preset = Balanced::new("uri depth 1".parse().unwrap(), backend);
    assert_eq!(routed(&source, &targets()), expected(&preset, &targets()));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    for (source, says) in [
        (
            "haproxy:/nowhere/haproxy.cfg".into(),
            "/nowhere/haproxy.cfg: ",
        ),
        (
            format!("haproxy:{}", file("latin1.cfg", b"\xff")),
            "no UTF-8",
        ),
        (
            format!("haproxy:{}", file("empty.cfg", "")),
            "has no backend",
        ),
        (
            format!("haproxy:{}", file("cut.cfg", "backend b")),
            "the last line has no end",
        ),
        (
            format!("haproxy:{}#c", file("one.cfg", "backend b\n")),
            "no backend \"c\": there are b",
        ),
        (
            format!("haproxy:{}#b", file("two.cfg", "backend b\nlisten b\n")),
            "more than once",
        ),
    ] {
        let said = refused(&source);
        assert!(said.contains(says), "{source}: {said}");
    }
    assert!(path("empty.cfg").exists());
}

#[test]
fn changes_are_made_as_a_new_file_would() {
    let source = backend(
        " balance uri\n hash-type consistent\n server a h:1 id 1\n server b h:2 id 2\n server c h:3 disabled id 3",
    );
    let compared = keyroute(&format!(
        "compare --from {source} --strategies modulo --keys-pattern /k-{{}} --count 5000 --add d=2 --remove b \
         --add c --reweight a=3 --format json --no-timing"
    ));
    let compared: serde_json::Value = serde_json::from_str(&compared.ok()).unwrap();
    let first = &compared["strategies"][0];
    assert_eq!(first["strategy"], "haproxy:b");
    assert_eq!(first["hash"], "haproxy/sdbm avalanche");
    assert_eq!(first["changes"][0]["movement"]["needless"], 0, "{first}");
    // Ids by place: the servers below a line that leaves are others.
    let source =
        backend(" balance uri\n hash-type consistent\n server a h:1\n server b h:2\n server c h:3");
    let compared = keyroute(&format!(
        "compare --from {source} --strategies modulo --keys-pattern /k-{{}} --count 5000 --remove a --format json \
         --no-timing"
    ));
    let compared: serde_json::Value = serde_json::from_str(&compared.ok()).unwrap();
    let movement = &compared["strategies"][0]["changes"][0]["movement"];
    assert!(movement["needless"].as_u64().unwrap() > 1000, "{movement}");
    let compared = keyroute(&format!(
        "compare --from {source} --strategies modulo --no-timing --reweight a=257"
    ));
    let said = compared.ok();
    assert!(
        said.contains("haproxy:b: server is 257: give a weight from 0 to 256"),
        "{said}"
    );
}

#[test]
fn two_configurations_differ_or_not() {
    let text = |balance: &str| {
        format!("backend b\n mode http\n balance {balance}\n server a h:1\n server b h:2\n")
    };
    let left = format!("haproxy:{}", file("left.cfg", text("uri")));
    let right = format!("haproxy:{}", file("right.cfg", text("uri len 5")));
    assert_eq!(keyroute(&format!("diff {left} {left}")).ok(), "");
    let differences = keyroute(&format!("diff {left} {right}")).with_code(1);
    assert!(differences.contains("balance"), "{differences}");
}
