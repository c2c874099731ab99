//! `--from`: routers that the configuration of other systems describes, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;

mod envoy;
mod haproxy;
mod libmemcached;
mod nginx;
mod twemproxy;

use common::{keyroute, keyroute_on};
use keyroute::Router;

/// What `route` answers for these keys under this configuration.
fn routed(source: &str, keys: &[u8]) -> String {
    keyroute_on(&format!("route --from {source}"), keys).ok()
}

/// The same as a router answers.
fn expected(router: &dyn Router, keys: &[u8]) -> String {
    let keys = std::str::from_utf8(keys).unwrap();
    keys.lines()
        .map(|key| format!("{key}\t{}\n", router.route_id(key.as_bytes()).unwrap()))
        .collect()
}

/// What `route` says against this configuration.
fn refused(source: &str) -> String {
    keyroute(&format!(
        "route --keys-pattern k{{}} --count 1 --from {source}"
    ))
    .refused()
}

#[test]
fn a_source_is_one_of_the_systems() {
    let said = refused("ngin:x");
    assert!(said.contains("nginx:FILE[#UPSTREAM]"), "{said}");
}

#[test]
fn a_configuration_says_all_there_is_to_say() {
    for flags in ["--fleet f", "--strategy jump", "--hash crc32", "--points 9"] {
        let said = keyroute(&format!("route {flags} --from nginx:x")).refused();
        assert!(said.contains("cannot be used with"), "{said}");
    }
}
