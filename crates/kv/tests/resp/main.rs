//! A store on a port, asked as clients of Redis ask.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod client;

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use client::{Client, Running, array, text};
use keyroute_kv::MAX_KEY_LEN;
use keyroute_kv::resp::Limits;
use keyroute_vector_ring::VectorRing;
use tokio::time::sleep;

async fn start() -> Running {
    Running::start(Limits::default()).await
}

#[tokio::test]
async fn commands_are_answered_as_redis_answers_them() {
    let server = start().await;
    let mut client = server.client().await;
    for (question, answer) in [
        ("PING", "+PONG"),
        ("ping hello", "$5\r\nhello"),
        (
            "PING a b",
            "-ERR wrong number of arguments for 'ping' command",
        ),
        ("ECHO \"a b\"", "$3\r\na b"),
        ("GET a", "$-1"),
        ("SET a 1", "+OK"),
        ("GET a", "$1\r\n1"),
        ("GET", "-ERR wrong number of arguments for 'get' command"),
        (
            "get a b",
            "-ERR wrong number of arguments for 'get' command",
        ),
        ("SET a \"\"", "+OK"),
        ("GET a", "$0\r\n"),
        ("MSET a 1 b 2 a 3", "+OK"),
        ("MGET a b c a", "*4\r\n$1\r\n3\r\n$1\r\n2\r\n$-1\r\n$1\r\n3"),
        (
            "MSET a 1 b",
            "-ERR wrong number of arguments for 'mset' command",
        ),
        ("EXISTS a b c a", ":3"),
        ("DBSIZE", ":2"),
        ("DEL a a c", ":1"),
        ("DEL a", ":0"),
        ("EXISTS a", ":0"),
        ("TTL a", ":-2"),
        ("TTL b", ":-1"),
        ("PTTL b", ":-1"),
        ("SET b 2 EX 100", "+OK"),
        ("TTL b", ":100"),
        ("SET b 2 PX 100900", "+OK"),
        ("TTL b", ":101"),
        ("SET b 2 PXAT 1", "+OK"),
        ("GET b", "$-1"),
        ("EXISTS b", ":0"),
        ("SET b 2 EXAT 99999999999", "+OK"),
        ("GET b", "$1\r\n2"),
        ("SET b 3 EX 0", "-ERR invalid expire time in 'set' command"),
        (
            "SET b 3 EX x",
            "-ERR value is not an integer or out of range",
        ),
        ("SET b 3 EX", "-ERR syntax error"),
        ("SET b 3 FOO", "-ERR syntax error"),
        (
            "SET b 3 nx",
            "-ERR syntax error: SET takes EX, PX, EXAT and PXAT here, not NX, which would have to read the key and \
             write it as one",
        ),
        ("GET b", "$1\r\n2"),
        ("SELECT 0", "+OK"),
        (
            "SELECT 1",
            "-ERR DB index is out of range: there is one database, 0",
        ),
        ("SELECT x", "-ERR value is not an integer or out of range"),
        ("CONFIG GET save", "*2\r\n$4\r\nsave\r\n$0\r\n"),
        (
            "CONFIG GET appendonly",
            "*2\r\n$10\r\nappendonly\r\n$2\r\nno",
        ),
        ("CONFIG GET *only", "*2\r\n$10\r\nappendonly\r\n$2\r\nno"),
        ("CONFIG GET maxmemory", "*0"),
        ("CLIENT GETNAME", "$-1"),
        ("CLIENT SETNAME me", "+OK"),
        ("CLIENT GETNAME", "$2\r\nme"),
        (
            "CLIENT SETNAME \"a b\"",
            "-ERR Client names cannot contain spaces, newlines or special characters.",
        ),
        ("CLIENT ID", ":1"),
        ("CLIENT SETINFO LIB-NAME x", "+OK"),
        (
            "CLIENT SETINFO COLOUR x",
            "-ERR Unrecognized option: LIB-NAME and LIB-VER are known",
        ),
        (
            "HELLO 3",
            "-NOPROTO unsupported protocol version: this server speaks RESP2",
        ),
        (
            "HELLO x",
            "-ERR Protocol version is not an integer or out of range",
        ),
        (
            "HELLO 2 AUTH a b",
            "-ERR AUTH called, but this server has no users and no passwords",
        ),
        ("HELLO 2 SETNAME", "-ERR syntax error"),
        (
            "HELLO 2 SETNAME you",
            "*14\r\n$6\r\nserver\r\n$8\r\nkeyroute\r\n$7\r\nversion\r\n$5\r\n0.1.0\r\n$5\r\nproto\r\n:2\r\n$2\r\nid\r\n:1\r\n\
             $4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0",
        ),
        ("CLIENT GETNAME", "$3\r\nyou"),
        ("COMMAND COUNT", ":20"),
        (
            "COMMAND INFO get nope",
            "*2\r\n*6\r\n$3\r\nget\r\n:2\r\n*1\r\n+readonly\r\n:1\r\n:1\r\n:1\r\n$-1",
        ),
        (
            "COMMAND DOCS ping",
            "*2\r\n$4\r\nping\r\n*6\r\n$7\r\nsummary\r\n$21\r\nPONG, or its argument\r\n$5\r\nsince\r\n$5\r\n0.1.0\r\n$5\r\n\
             group\r\n$8\r\nkeyroute",
        ),
        (
            "LPUSH a b",
            "-ERR unknown command 'LPUSH', with args beginning with: 'a' 'b' ",
        ),
        ("SCAN x", "-ERR invalid cursor"),
        ("SCAN -1", "-ERR invalid cursor"),
        (
            "SCAN 77",
            "-ERR this cursor is not known, or no longer: begin again with SCAN 0",
        ),
        ("SCAN 0 COUNT", "-ERR syntax error"),
        ("SCAN 0 COUNT 0", "-ERR syntax error"),
        (
            "SCAN 0 COUNT x",
            "-ERR value is not an integer or out of range",
        ),
        (
            "SCAN 0 TYPE list",
            "-ERR syntax error: all keys here are strings",
        ),
        ("QUIT", "+OK"),
    ] {
        client.say(format!("{question}\r\n")).await;
        client.hear(format!("{answer}\r\n")).await;
    }
    assert!(client.hear_all().await.is_empty());
}

#[tokio::test]
async fn keys_and_values_are_bytes_and_keys_have_a_longest() {
    let server = start().await;
    let mut client = server.client().await;
    let (key, value) = (b"\0\r\n$\xff", vec![b'\n'; 300_000]);
    client.ask(array(&[b"SET", key, &value]), "+OK\r\n").await;
    client.say(array(&[b"GET", key])).await;
    client
        .hear([b"$300000\r\n", &value[..], b"\r\n"].concat())
        .await;
    client.ask(array(&[b"SET", b"", b"x"]), "+OK\r\n").await;
    client.ask(array(&[b"GET", b""]), "$1\r\nx\r\n").await;
    let long = vec![b'k'; MAX_KEY_LEN + 1];
    let refused = "-ERR a key has 65537 bytes, at most 65536 are allowed\r\n";
    client.ask(array(&[b"GET", &long]), refused).await;
    // Of a run of reads that one alone is refused.
    let run = [
        array(&[b"GET", b""]),
        array(&[b"GET", &long]),
        array(&[b"EXISTS", b""]),
    ];
    client
        .ask(run.concat(), format!("$1\r\nx\r\n{refused}:1\r\n"))
        .await;
}

#[tokio::test]
async fn a_pipeline_is_done_in_its_order_however_it_comes() {
    let server = start().await;
    let pipeline = "SET a 1\r\nSET b 1\r\nGET a\r\nSET a 2\r\nDEL b\r\nMGET a b\r\nEXISTS a b\r\nSET a 3\r\nMSET a 4 b 4\r\n\
                    SET a x FOO\r\nMGET a b\r\nPING\r\nDEL a\r\nDEL a b\r\nGET a\r\nGET\r\nGET b\r\n";
    let answers = "+OK\r\n+OK\r\n$1\r\n1\r\n+OK\r\n:1\r\n*2\r\n$1\r\n2\r\n$-1\r\n:1\r\n+OK\r\n+OK\r\n-ERR syntax error\r\n\
                   *2\r\n$1\r\n4\r\n$1\r\n4\r\n+PONG\r\n:1\r\n:1\r\n$-1\r\n\
                   -ERR wrong number of arguments for 'get' command\r\n$-1\r\n";
    let mut client = server.client().await;
    client.ask(pipeline, answers).await;
    client.ask(pipeline.repeat(300), answers.repeat(300)).await;
    for byte in pipeline.bytes() {
        client.say([byte]).await;
        tokio::task::yield_now().await;
    }
    client.hear(answers).await;
}

#[tokio::test]
async fn long_runs_are_answered_in_full() {
    let server = start().await;
    let mut client = server.client().await;
    let (mut sets, mut gets, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..3_000 {
        let (key, value) = (format!("key:{number}"), format!("value:{number}"));
        sets.extend(array(&[b"SET", key.as_bytes(), value.as_bytes()]));
        gets.extend(array(&[b"GET", key.as_bytes()]));
        values.extend(format!("${}\r\n{value}\r\n", value.len()).into_bytes());
    }
    client.ask(&sets, "+OK\r\n".repeat(3_000)).await;
    client.ask(&gets, &values).await;
    let keys: Vec<String> = (0..3_000).map(|number| format!("key:{number}")).collect();
    let keys = keys.iter().map(String::as_bytes);
    let mget: Vec<&[u8]> = [&b"MGET"[..]].into_iter().chain(keys.clone()).collect();
    client
        .ask(array(&mget), [b"*3000\r\n", &values[..]].concat())
        .await;
    let exists: Vec<&[u8]> = [&b"EXISTS"[..]].into_iter().chain(keys).collect();
    client.ask(array(&exists), ":3000\r\n").await;
}

#[tokio::test]
async fn a_node_that_fails_fails_its_keys_alone() {
    let server = start().await;
    let mut client = server.client().await;
    let keys: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
    for key in &keys {
        client.ask(format!("SET {key} v\r\n"), "+OK\r\n").await;
    }
    server.down.store(true, Relaxed);
    let error = "-ERR node \"c\" failed: out of  order\r\n";
    let questions: String = keys.iter().map(|key| format!("GET {key}\r\n")).collect();
    client.say(questions).await;
    let mut failed = Vec::new();
    for key in &keys {
        // Which node a key is on shows in whether a write of its own fails.
        let down = server.store.set(key.as_bytes(), "v").await.is_err();
        failed.push(down);
        client.hear(if down { error } else { "$1\r\nv\r\n" }).await;
    }
    assert!(failed.contains(&true) && failed.contains(&false));
    // So do writes that come together.
    let long = vec![b'k'; MAX_KEY_LEN + 1];
    let sets: String = keys.iter().map(|key| format!("SET {key} w\r\n")).collect();
    let too_long = array(&[b"SET", &long, b"w"]);
    client.say([sets.into_bytes(), too_long].concat()).await;
    for &down in &failed {
        client.hear(if down { error } else { "+OK\r\n" }).await;
    }
    let refusal = "-ERR a key has 65537 bytes, at most 65536 are allowed\r\n";
    client.hear(refusal).await;
    let two = |verb: &str, two: &[String], value: &str| {
        let [a, b] = two else { panic!("they are even") };
        format!("{verb} {a}{value} {b}{value}\r\n")
    };
    let sets: String = keys.chunks(2).map(|it| two("MSET", it, " w")).collect();
    client.say(sets).await;
    for down in failed.chunks(2) {
        let down = down.contains(&true);
        client.hear(if down { error } else { "+OK\r\n" }).await;
    }
    let deletions: String = keys.chunks(2).map(|it| two("DEL", it, "")).collect();
    client.say(deletions).await;
    for down in failed.chunks(2) {
        let down = down.contains(&true);
        client.hear(if down { error } else { ":2\r\n" }).await;
    }
    let all = format!("MGET {}\r\n", keys.join(" "));
    client.ask(&all, error).await;
    client
        .ask(format!("DEL {}\r\n", keys.join(" ")), error)
        .await;
    client.ask("PING\r\n", "+PONG\r\n").await;
    server.down.store(false, Relaxed);
    client
        .ask(
            "PING\r\nSET k0 w\r\nGET k0\r\n",
            "+PONG\r\n+OK\r\n$1\r\nw\r\n",
        )
        .await;
}

#[tokio::test]
async fn scans_list_every_key_over_any_connection() {
    let server = start().await;
    let mut client = server.client().await;
    for number in 0..100 {
        client.ask(format!("SET k{number} v\r\n"), "+OK\r\n").await;
    }
    for (options, expected) in [
        ("COUNT 7", 100),
        ("", 100),
        ("MATCH k?", 10),
        ("COUNT 50 MATCH k[12]*", 22),
    ] {
        let mut found = Vec::new();
        let mut cursor = "0".to_owned();
        let mut pages = 0;
        loop {
            let mut other = server.client().await;
            other
                .say(format!("SCAN {cursor} {options}\r\nQUIT\r\n"))
                .await;
            let answer = text(&other.hear_all().await);
            let lines: Vec<&str> = answer.split("\r\n").collect();
            assert_eq!(lines[0], "*2", "{answer}");
            cursor = lines[2].to_owned();
            found.extend(
                lines[4..]
                    .iter()
                    .filter(|line| line.starts_with('k'))
                    .map(|&key| key.to_owned()),
            );
            pages += 1;
            if cursor == "0" {
                break;
            }
        }
        found.sort();
        found.dedup();
        assert_eq!(found.len(), expected, "{options}");
        let wanted = if options.contains("COUNT 50") {
            3..=6
        } else {
            10..=20
        };
        assert!(wanted.contains(&pages), "{options}: {pages} pages");
    }
}

/// Bytes that are no protocol end their connection, and no other; what came before them is answered.
#[tokio::test]
async fn hostile_bytes_end_their_connection_alone() {
    let server = start().await;
    let mut other = server.client().await;
    for (bytes, error) in [
        ("*1\r\n+x\r\n", "expected '$', got '+'"),
        ("*1\r\n*1\r\n", "expected '$', got '*'"),
        ("*99999999\r\n", "invalid multibulk length"),
        ("*2\r\n$3\r\nGET\r\n$67108865\r\n", "invalid bulk length"),
        ("*1\r\n$-1\r\n", "invalid bulk length"),
        ("GET 'a\r\n", "unbalanced quotes in request"),
    ] {
        let mut client = server.client().await;
        client.say(format!("PING\r\n{bytes}")).await;
        let heard = text(&client.hear_all().await);
        assert_eq!(heard, format!("+PONG\r\n-ERR Protocol error: {error}\r\n"));
        other.ask("PING\r\n", "+PONG\r\n").await;
    }
    // A page in a browser can have it send lines of its choice.
    let mut client = server.client().await;
    client
        .say("POST / HTTP/1.1\r\nHost: x\r\n\r\nSET a 1\r\n")
        .await;
    assert_eq!(
        text(&client.hear_all().await),
        "-ERR this is no HTTP server\r\n"
    );
    other.ask("GET a\r\n", "$-1\r\n").await;
    // Random bytes, from a seed of their own each.
    for seed in 1..=200_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bytes: Vec<u8> = (0..200)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                b"*$123\r\n\"\xff AGETSPIN"[usize::try_from(state % 18).unwrap()]
            })
            .collect();
        let mut client = server.client().await;
        client.say(&bytes).await;
        drop(client);
        other.ask("PING\r\n", "+PONG\r\n").await;
    }
}

#[tokio::test]
async fn limits_are_told_and_kept() {
    let server = Running::start(Limits {
        connections: 2,
        bulk: 100_000,
        answer: 150_000,
        incomplete: 100_000,
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    client.ask("PING\r\n", "+PONG\r\n").await;
    let mut second = server.client().await;
    second.ask("PING\r\n", "+PONG\r\n").await;
    let third = text(&server.client().await.hear_all().await);
    assert_eq!(third, "-ERR max number of clients reached\r\n");

    let value = vec![b'v'; 100_000];
    client.ask(array(&[b"SET", b"a", &value]), "+OK\r\n").await;
    client
        .ask(
            "MGET a a\r\n",
            "-ERR the answer is too long: ask for fewer keys at once\r\n",
        )
        .await;
    client.ask("EXISTS a a\r\n", ":2\r\n").await;
    // Two commands that have not come in whole, where there is room for one.
    let begun = [b"*4\r\n$4\r\nMSET\r\n$100000\r\n", &value[..]].concat();
    client.say(&begun).await;
    sleep(Duration::from_millis(200)).await;
    second.say(&begun).await;
    let refused = text(&second.hear_all().await);
    assert!(
        refused.starts_with("-ERR too many bytes of commands"),
        "{refused}"
    );
    client.ask("\r\n$1\r\na\r\n$1\r\nb\r\n", "").await;
    client.hear("-ERR wrong number").await;
    // Both are gone from the counts.
    let mut fourth = server.client().await;
    for _ in 0..100 {
        let info = fourth.bulk("INFO clients\r\n").await;
        if info.contains("connected_clients:2") && info.contains("incomplete_bytes:0") {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("{}", fourth.bulk("INFO\r\n").await);
}

/// A client that does not read its answers gets no more done, and is in nobody's way.
#[tokio::test]
async fn who_does_not_read_waits_alone() {
    let server = start().await;
    let mut client = server.client().await;
    let value = vec![b'v'; 1 << 20];
    client.ask(array(&[b"SET", b"a", &value]), "+OK\r\n").await;
    let mut deaf = server.client().await;
    deaf.say("GET a\r\n".repeat(500)).await;
    sleep(Duration::from_millis(300)).await;
    let done = |info: &str| -> u64 {
        let line = info
            .lines()
            .find(|line| line.starts_with("total_commands_processed:"));
        line.unwrap().split(':').nth(1).unwrap().parse().unwrap()
    };
    let before = done(&client.bulk("INFO stats\r\n").await);
    for _ in 0..50 {
        client.ask("PING\r\n", "+PONG\r\n").await;
    }
    let after = done(&client.bulk("INFO stats\r\n").await);
    assert_eq!(after, before + 51);
    assert!(
        after < 200,
        "{after} commands are done, of whose answers nobody heard any"
    );
    // It hears all of them once it listens.
    let answer = [b"$1048576\r\n", &value[..], b"\r\n"].concat();
    for _ in 0..500 {
        deaf.hear(&answer).await;
    }
    deaf.ask("PING\r\n", "+PONG\r\n").await;
}

#[tokio::test]
async fn a_server_that_stops_answers_what_was_sent() {
    let server = start().await;
    let mut idle = server.client().await;
    idle.ask("PING\r\n", "+PONG\r\n").await;
    let mut busy = server.client().await;
    busy.ask("PING\r\n", "+PONG\r\n").await;
    busy.say("SET a 1\r\n".repeat(1_000)).await;
    busy.say("GET a\r\n*1\r\n$4\r\nPI").await;
    let port = server.port;
    let stopping = server.stop();
    let heard = text(&busy.hear_all().await);
    assert_eq!(heard, "+OK\r\n".repeat(1_000) + "$1\r\n1\r\n");
    assert!(idle.hear_all().await.is_empty());
    stopping.end().await;
    assert!(
        tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_server_does_not_wait_for_ever_for_who_does_not_read() {
    let server = Running::start(Limits {
        grace: Duration::from_millis(200),
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    client
        .ask(array(&[b"SET", b"a", &vec![b'v'; 1 << 20]]), "+OK\r\n")
        .await;
    client.say("GET a\r\n".repeat(500)).await;
    sleep(Duration::from_millis(200)).await;
    server.stop().end().await;
}

/// The value of a field of `KEYROUTE STATUS`.
async fn status(client: &mut Client, field: &str) -> String {
    let info = client.bulk("INFO keyroute\r\n").await;
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {field} in {info}"))
        .to_owned()
}

async fn until_steady(client: &mut Client) {
    for _ in 0..1_000 {
        if status(client, "change").await == "none" {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the change does not end");
}

#[tokio::test]
async fn nodes_change_while_it_serves() {
    let server = start().await;
    let mut client = server.client().await;
    let mut admin = server.client().await;
    for number in 0..2_000 {
        client.say(format!("SET k{number} {number}\r\n")).await;
    }
    client.hear("+OK\r\n".repeat(2_000)).await;
    for edit in [
        "ADD d memory:d WEIGHT 2 ZONE z",
        "REMOVE a",
        "REWEIGHT d 1",
        "ADD e e",
        "ADD f",
        "add a memory:a again",
    ] {
        admin.ask(format!("KEYROUTE {edit}\r\n"), "+OK\r\n").await;
        // Reads and writes meanwhile, on the one connection in their order.
        for number in 0..2_000 {
            let value = format!("{edit}-{number}").replace(' ', "-");
            client
                .say(format!(
                    "GET k{number}\r\nSET k{number} {value}\r\nGET k{number}\r\n"
                ))
                .await;
            let mut found = client.bulk("").await;
            assert!(
                found.ends_with(&number.to_string()),
                "{edit}: {number} has {found:?}"
            );
            client.hear("+OK\r\n").await;
            found = client.bulk("").await;
            assert_eq!(found, value);
        }
        until_steady(&mut admin).await;
        assert_eq!(
            client.bulk("GET k7\r\n").await,
            format!("{edit}-7").replace(' ', "-")
        );
    }
    let nodes = server.store.nodes();
    let ids: Vec<&str> = nodes.iter().map(|node| node.id().as_str()).collect();
    assert_eq!(ids, ["b", "c", "d", "e", "f", "a"]);
    assert_eq!(server.store.address_of("d").unwrap(), "memory:d");
    admin.ask("DBSIZE\r\n", ":2000\r\n").await;
    admin.say("KEYROUTE NODES\r\n").await;
    admin.hear("*6\r\n*8\r\n$2\r\nid\r\n$1\r\nb\r\n$7\r\naddress\r\n$1\r\nb\r\n$6\r\nweight\r\n:1\r\n$4\r\nzone\r\n$0\r\n\r\n").await;
}

#[tokio::test]
async fn a_plan_is_what_then_moves() {
    let server = start().await;
    let mut client = server.client().await;
    for number in 0..900 {
        client.say(format!("SET k{number} v\r\n")).await;
    }
    client.hear("+OK\r\n".repeat(900)).await;
    for edit in ["ADD d WEIGHT 2", "REMOVE a", "REWEIGHT d 1"] {
        client
            .say(format!("KEYROUTE PLAN {edit}\r\nPING\r\n"))
            .await;
        let mut heard = Vec::new();
        while !heard.ends_with(b"\r\n+PONG\r\n") {
            heard.push(
                tokio::io::AsyncReadExt::read_u8(&mut client.0)
                    .await
                    .unwrap(),
            );
        }
        let heard = text(&heard);
        assert!(
            heard.starts_with(
                "*10\r\n$4\r\nkeys\r\n:900\r\n$2\r\nof\r\n$3\r\nall\r\n$5\r\nmoved\r\n:"
            ),
            "{heard}"
        );
        let lines: Vec<&str> = heard.split("\r\n").collect();
        let number = |line: &str| line[1..].parse::<u64>().unwrap();
        let moved = number(lines[10]);
        let copies = lines.windows(2).filter(|two| two[0] == "keys").skip(1);
        assert_eq!(
            copies.map(|two| number(two[1])).sum::<u64>(),
            moved,
            "{heard}"
        );

        // By rings of our own, of the nodes before and after.
        let ring = || VectorRing::from_nodes(server.store.nodes()).unwrap();
        let before = ring();
        client.ask(format!("KEYROUTE {edit}\r\n"), "+OK\r\n").await;
        let after = ring();
        let owner = |ring: &VectorRing, key: &str| ring.route_id(key.as_bytes()).cloned();
        let keys = (0..900).map(|number| format!("k{number}"));
        let moves = keys.filter(|key| owner(&before, key) != owner(&after, key));
        assert_eq!((moves.count() as u64, moved > 0), (moved, true), "{edit}");
        until_steady(&mut client).await;
    }
    server.down.store(true, Relaxed);
    client.ask("KEYROUTE LOST c\r\n", "+OK\r\n").await;
    let ids = server.store.nodes();
    assert!(ids.iter().all(|node| *node.id() != *"c"));
}

#[tokio::test]
async fn a_change_is_paused_resumed_and_aborted() {
    let server = start().await;
    let mut client = server.client().await;
    for number in 0..1_000 {
        client.say(format!("SET k{number} v\r\n")).await;
    }
    client.hear("+OK\r\n".repeat(1_000)).await;
    client
        .ask("SET old v PXAT 1\r\nKEYROUTE PURGE\r\n", "+OK\r\n:1\r\n")
        .await;
    let rate = keyroute_kv::Rate {
        keys_per_second: Some(100),
        ..keyroute_kv::Rate::default()
    };
    server.store.set_rate(rate);
    for (question, answer) in [
        (
            "REPAIR",
            "*6\r\n$4\r\nseen\r\n:1000\r\n$4\r\nkeys\r\n:0\r\n$6\r\nstrays\r\n:0",
        ),
        ("PURGE", ":0"),
        ("STATUS", "*2\r\n$6\r\nchange\r\n$4\r\nnone"),
        ("PAUSE", "-ERR no change is under way"),
        ("ADD d", "+OK"),
        ("PAUSE", "+OK"),
        (
            "ADD e",
            "-ERR a change is under way: wait for its end, or abort it",
        ),
        (
            "REMOVE a",
            "-ERR a change is under way: wait for its end, or abort it",
        ),
    ] {
        client
            .ask(format!("KEYROUTE {question}\r\n"), format!("{answer}\r\n"))
            .await;
    }
    assert_eq!(status(&mut client, "change").await, "paused");
    client.ask("KEYROUTE RESUME\r\n", "+OK\r\n").await;
    assert_eq!(status(&mut client, "change").await, "moving");
    client.ask("KEYROUTE ABORT\r\n", "+OK\r\n").await;
    assert_eq!(status(&mut client, "change").await, "moving back");
    server.store.set_rate(keyroute_kv::Rate::default());
    until_steady(&mut client).await;
    assert_eq!(server.store.nodes().len(), 3);
    client.ask("DBSIZE\r\n", ":1000\r\n").await;
}

#[tokio::test]
async fn what_nodes_cannot_do_is_said() {
    let server = start().await;
    let mut client = server.client().await;
    for (question, answer) in [
        (
            "KEYROUTE",
            "-ERR wrong number of arguments for 'keyroute' command",
        ),
        (
            "KEYROUTE FOO",
            "-ERR unknown subcommand or wrong number of arguments for 'FOO': the help of KEYROUTE HELP lists them",
        ),
        (
            "KEYROUTE ADD a",
            "-ERR node \"a\" is already a member: remove it first, or change its weight",
        ),
        ("KEYROUTE ADD d b", "-ERR"),
        ("KEYROUTE ADD d d WEIGHT 0", "-ERR weight 0"),
        (
            "KEYROUTE ADD d d WEIGHT x",
            "-ERR weight 'x' is not a whole number from 1 to 4294967295",
        ),
        ("KEYROUTE ADD d d COLOUR red", "-ERR syntax error"),
        ("KEYROUTE ADD \"\"", "-ERR a node id is empty"),
        ("KEYROUTE ADD \"\\xff\"", "-ERR \\xff is no UTF-8"),
        ("KEYROUTE REMOVE x", "-ERR node \"x\" is not a member"),
        ("KEYROUTE REWEIGHT x 2", "-ERR node \"x\" is not a member"),
        ("KEYROUTE RESUME", "-ERR no change is under way"),
        ("KEYROUTE ABORT", "-ERR no change is under way"),
    ] {
        client.say(format!("{question}\r\nPING\r\n")).await;
        client.hear(answer).await;
        let mut rest = Vec::new();
        while !rest.ends_with(b"\r\n+PONG\r\n") {
            rest.push(
                tokio::io::AsyncReadExt::read_u8(&mut client.0)
                    .await
                    .unwrap(),
            );
        }
    }
    assert_eq!(server.store.nodes().len(), 3);
    assert!(server.store.progress().is_none());
}
