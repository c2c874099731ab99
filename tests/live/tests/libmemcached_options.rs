//! Strings of options under the installed libmemcached, and as the command reads them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_cli::config::Source;
use keyroute_live::Fresh;
use keyroute_live::libmemcached::{Asker, Questions, SIGNED_BYTES};

/// Strings of options that are tried.
const STRINGS: usize = 200;

/// Keys that each is asked for.
const KEYS: usize = 100;

fn word<'a>(fresh: &mut Fresh, words: &[&'a str]) -> &'a str {
    words[usize::try_from(fresh.below(words.len() as u64)).unwrap()]
}

fn server(fresh: &mut Fresh, number: usize) -> String {
    let host = match fresh.below(3) {
        0 => format!("10.0.{}.{number}", fresh.below(256)),
        1 => format!("Cache-{number}.example.org"),
        _ => format!("m{number}_{}", fresh.below(1000)),
    };
    let port = match fresh.below(3) {
        0 => String::new(),
        1 => word(fresh, &[":11211", ":0", ":1"]).into(),
        _ => format!(":{}", fresh.below(65_536)),
    };
    let weight = match fresh.below(4) {
        0 => format!("/?{}", fresh.below(6)),
        _ => String::new(),
    };
    match fresh.below(12) {
        0 => format!("--SOCKET=\"/tmp/{number}.sock{port}\""),
        _ => format!("--SERVER={host}{port}{weight}"),
    }
}

/// A string of options in any order, each in one of its forms.
fn options(fresh: &mut Fresh) -> String {
    let count = 1 + usize::try_from(fresh.below(12)).unwrap();
    let mut options: Vec<String> = (0..count).map(|number| server(fresh, number)).collect();
    let mut insert = |fresh: &mut Fresh, option: String| {
        let at = usize::try_from(fresh.below(options.len() as u64 + 1)).unwrap();
        options.insert(at, option);
    };
    for _ in 0..fresh.below(3) {
        let distribution = word(
            fresh,
            &["consistent", "CONSISTENT", "consistent,MD5", "modula"],
        );
        insert(fresh, format!("--DISTRIBUTION={distribution}"));
    }
    let hashes = [
        "MD5", "crc", "FNV1_64", "fnv1a_64", "FNV1_32", "FNV1A_32", "MURMUR", "jenkins",
    ];
    if fresh.below(2) == 0 {
        let hash = word(fresh, &hashes);
        let option = format!("--{}={hash}", word(fresh, &["HASH", "hash"]));
        insert(fresh, option);
    }
    let rare = [
        "--SORT-HOSTS",
        "--HASH-WITH-NAMESPACE",
        "--NAMESPACE=\"app:1\"",
        "--TCP-NODELAY",
        "--BINARY-PROTOCOL",
        "--POOL-MIN=3",
        "--NUMBER-OF-REPLICAS=2",
        "--REMOVE-FAILED-SERVERS=1",
        "RESET",
        "END",
    ];
    for option in rare {
        if fresh.below(6) == 0 {
            insert(fresh, option.into());
        }
    }
    options.join(" ")
}

fn key(fresh: &mut Fresh) -> Vec<u8> {
    let last = if SIGNED_BYTES { 255 } else { 127 };
    let bytes: Vec<u8> = (0..=last).collect();
    fresh.key(&bytes, 100)
}

#[test]
fn options_in_any_order_agree() {
    let asker = Asker::compile("options");
    let mut fresh = Fresh::new();
    let mut routed = 0;
    for _ in 0..STRINGS {
        let text = options(&mut fresh);
        let mut questions = Questions::default();
        questions.options(&text);
        let source: Source = format!("libmemcached:{text}").parse().unwrap();
        let said = asker.ask(&questions).unwrap();
        assert_eq!(said, ["ok"], "{text}");
        let configuration = match source.read() {
            Ok(configuration) => configuration,
            // No server is left after RESET, or none before END.
            Err(error) => {
                assert!(
                    error.to_string().contains("there is no server"),
                    "{text}: {error}"
                );
                continue;
            }
        };
        let strategy = configuration.router.build(&configuration.nodes).unwrap();
        let keys: Vec<Vec<u8>> = (0..KEYS).map(|_| key(&mut fresh)).collect();
        for key in &keys {
            questions.key(key);
        }
        let answers = asker
            .ask(&questions)
            .unwrap_or_else(|| panic!("the library ends: {text}"));
        for (key, answer) in keys.iter().zip(&answers[1..]) {
            let ours = strategy.router().route_id(key).unwrap();
            assert_eq!(spelled(ours.as_str()), *answer, "key {key:x?}, {text}");
        }
        routed += 1;
    }
    assert!(routed > STRINGS / 2, "{routed}");
}

/// A node as the library names it: host and port.
fn spelled(id: &str) -> String {
    match (id.rsplit_once(':'), id.starts_with('/')) {
        (Some((host, port)), _) => format!("{host}\t{port}"),
        (None, true) => format!("{id}\t0"),
        (None, false) => format!("{id}\t11211"),
    }
}

#[test]
fn what_the_library_refuses_is_refused() {
    let asker = Asker::compile("refusals");
    let server = "--SERVER=10.0.0.1";
    let refused = [
        "",
        "x",
        "--SERVER",
        "--SERVER=",
        "--SERVER=aa",
        "--SERVER=a1",
        "--SERVER=ab-",
        "--SERVER=.abc",
        "--SERVER=123",
        "--SERVER=md5",
        "--SERVER=END",
        "--SERVER=::1",
        "--SERVER=[::1]:1",
        "--SERVER=\"abc\"",
        "--SERVER=abc:",
        "--SERVER=abc/?",
        "--SERVER=abc/?x",
        "--SERVER=abc:99999999999",
        "--SERVER=abc:1/?4294967297",
        "--SERVER=abc,--SERVER=abd",
        "--SERVER=abc  --SERVER=abd",
        " --SERVER=abc",
        "--SERVER=abc ",
        "--SERVER=abc\n--SERVER=abd",
        "--SOCKET=/tmp/a",
        "--SOCKET=\"\"",
        "--FOO --SERVER=abc",
        "--KETAMA --SERVER=abc",
        "--SERVER=abc # x",
    ]
    .map(String::from);
    let after_a_server = [
        "--HASH=HSIEH",
        "--HASH=MURMUR3",
        "--HASH=DEFAULT",
        "--HASH=x",
        "--HASH=MD5 --HASH=MD5",
        "--DISTRIBUTION=ketama",
        "--DISTRIBUTION=consistent_weighted",
        "--NAMESPACE=\"\"",
        "--NAMESPACE=\"a b\"",
        "--NAMESPACE=fo",
        "--NAMESPACE=foo:",
        "--NAMESPACE=md5",
        "--NAMESPACE=foo --NAMESPACE=foo",
        "--TCP-KEEPIDLE=3",
        "--VERIFY-KEY=1",
        "--POOL-MIN",
        "--POOL-MIN=x",
        "--REMOVE-FAILED-SERVERS",
        "--REMOVE_FAILED_SERVERS",
        "--NUMBER-OF-REPLICAS",
        "--SERVER-FAILURE-LIMIT=2",
        "INCLUDE \"/nowhere\"",
        "--CONFIGURE-FILE=\"/nowhere\"",
        "--CONFIGURE-FILE=/nowhere",
    ]
    .map(|option| format!("{server} {option}"));
    let long = format!("{server} --NAMESPACE=\"{}\"", "x".repeat(128));
    for text in refused.into_iter().chain(after_a_server).chain([long]) {
        let source: Source = format!("libmemcached:{text}").parse().unwrap();
        assert!(source.read().is_err(), "{text:?} was taken");
        if !text.contains('\n') {
            let mut questions = Questions::default();
            questions.options(&text);
            let said = asker.ask(&questions).unwrap();
            assert_eq!(said, ["refused"], "{text:?}");
        }
    }
}
