//! Recorded answers of other systems, checked against our own.
//!
//! A file says how a system was set up and what it answered. The answers are computed from the set-up
//! alone and then compared. Each system is a file here that states its rule.
//!
//! A file is one JSON object, or the same in the compact form of `docs/interop.md`. A field that is not
//! listed here or known to the system is refused, since it may decide an answer.
//!
//! | field | what it is |
//! | --- | --- |
//! | `system` | the name: one of [`systems`] |
//! | `config` | the system's parameters, and the fields of the next table |
//! | `nodes` | names in the order they were added, or `{"name", "weight"}` and what else the system says of a node; empty where the system answers numbers |
//! | `cases` | `[key, answer]` each; the answer is a name or a number, `""` or `null` for nobody |
//! | `rows` | in place of cases, of hash functions: `[key, value, …]` each |
//! | `cases_hex` | more of them, their keys as bytes in hex |
//! | `aux` | facts of the run by name, such as `points` or `final_load` |
//! | `ring` | `count`, and the `first` and `last` points as `[position, name]` |
//! | `special_keys` | lists of cases by where they fall: `exact_hit`, `above_last`, `at_or_below_first` or `below_or_at_first`, `in_arc` (that ends on a shared point), `share_sensitive` |
//! | `version`, `note`, `also_identical_on`, `key_source` | not read |
//! | others | what a system needs beside `config`, or further facts of the run |
//!
//! | in `config` | |
//! | --- | --- |
//! | `key_encoding` | `utf8` (unless said), `hex`, `u64-decimal`, or `u64,u64-decimal` for pairs |
//! | `ops` | made after all nodes were added: `["add", name]`, `["remove", name]`, `["add_w", name, weight]`, `["add_r", name, replicas]`, `["update_w", name, weight]`, `["inc", name]`, `["done", name]`, `["update_load", name, load]`, `["add_bucket"]`, `["remove_bucket", bucket]` |
//! | `stateful` | true if the cases are one run, in order |
//! | `events` | in such a run: `[index, op, …]`, made just before the key with this number |
//! | `note` | not read |
//! | `version` | not read, unless it is a parameter of the system |
//!
//! Who owns a point that two nodes share is stated for each system. Every point is kept, but for stathat's and
//! go-zero's: where a seed's original loses such points on removal, ours does not, and answers otherwise.
//!
//! | system | label of point i | owner of a shared point |
//! | --- | --- | --- |
//! | `seed000-reachcache` | `{node}-{i}` | last added |
//! | `seed001-ring`, `seed001-bounded` | `{node}#{i}` | last added |
//! | `seed002-geecache` | `{i}{node}` | last added |
//! | `seed003-hashring` | `{id}-{i}` | lower id: the original states no rule |
//! | `seed004-fnv` | `{node}#VN{i}` | first added |
//! | `groupcache` | `{i}{node}` | last added |
//! | `stathat` | `{i}{node}` | last added; removed with either |
//! | `go-zero` | `{node}{i}` | all, by another hash of the key |
//! | `serialx-2019` | three words of MD5 of `{node}-{j}` | last listed |
//! | `go-ketama` | four words of MD5 of `{label}-{k}` | first listed: the original states no rule |
//! | `pingora-ketama` | a chain of CRC-32 | first listed in V1, which states no rule; lower address in V2 |
//! | `libketama` | four words of MD5 of `{node}-{i}` | first listed |
//! | `libmemcached` | `{host}-{i}`, or `{host}:{port}-{i}` | first listed |
//! | `twemproxy` | four words of MD5 of `{hashed_label}-{i}` | shorter label, then lower |
//! | `spymemcached` | `{node}-{i}` | last listed |
//! | `uhashring`, `hash_ring` | `{node}-{i}` | last listed |
//! | `node-hashring` | `{node}-{i}` | first listed |
//! | `dalli` | `{node}:{i}` | lower id: the original states no rule |
//! | `pecl-memcache` | `{addr}:{port}-{i}` | first listed |
//!
//! `seed-defects` has a form of its own: nodes that share points, and what that cost the originals.

mod client_ring;
mod compact;
mod document;
mod fields;
mod labelled_ring;
mod named_nodes;
mod replay;
mod report;
mod ring_dump;
mod ring_system;
mod special_keys;

mod bucket_functions;
mod buraksezer;
mod cpp_anchorhash;
mod dalli;
mod envoy;
mod go_ketama;
mod go_maglev;
mod go_mpchash;
mod go_redis_ring;
mod go_rendezvous;
mod go_zero;
mod growing_maps;
mod haproxy;
mod hash_ring;
mod hashring_rs;
mod java;
mod lafikl;
mod libketama;
mod libmemcached;
mod nginx;
mod node_hashring;
mod pecl_memcache;
mod pingora_ketama;
mod pymemcache;
mod seed000_reachcache;
mod seed001_bounded;
mod seed001_ring;
mod seed003_hashring;
mod seed004_fnv;
mod seed004_fnv_hash;
mod seed004_ketama_hash;
mod seed_defects;
mod serialx;
mod spymemcached;
mod stathat;
mod twemproxy;
mod uhashring;

use std::path::Path;

use serde_json::Value;

use document::Document;
use fields::Fields;
use replay::System;

pub use report::{Difference, Report, SHOWN, Unusable};

/// The largest file that is read, 64 MiB.
pub const MAX_FILE_LEN: u64 = 64 << 20;

type SetUp = fn(&mut Document) -> Result<Box<dyn System>, Unusable>;

/// The systems that are replayed case by case.
const SYSTEMS: &[(&str, SetUp)] = &[
    ("buraksezer", buraksezer::set_up),
    ("cpp-anchorhash", cpp_anchorhash::set_up),
    ("dalli", dalli::set_up),
    ("envoy", envoy::set_up),
    ("go-jump", bucket_functions::jump),
    ("go-ketama", go_ketama::set_up),
    ("go-maglev", go_maglev::set_up),
    ("go-mpchash", go_mpchash::set_up),
    ("go-redis-ring", go_redis_ring::set_up),
    ("go-rendezvous", go_rendezvous::set_up),
    ("go-zero", go_zero::set_up),
    ("groupcache", growing_maps::groupcache),
    ("haproxy", haproxy::set_up),
    ("hash4j-jumpback", bucket_functions::jump_back),
    ("hash_ring", hash_ring::set_up),
    ("hashring-rs", hashring_rs::set_up),
    ("java-anchor", java::anchor),
    ("java-binomial", java::binomial),
    ("java-dx", java::dx),
    ("java-flip", java::flip),
    ("java-jump", java::jump),
    ("java-jumpback", java::jump_back),
    ("java-memento", java::memento),
    ("java-multiprobe", java::multi_probe),
    ("java-power", java::power),
    ("java-rendezvous", java::rendezvous),
    ("java-ring", java::ring),
    ("lafikl", lafikl::set_up),
    ("libketama", libketama::set_up),
    ("libmemcached", libmemcached::set_up),
    ("libmemcached-hash", libmemcached::hashes),
    ("lithammer-jump", bucket_functions::lithammer),
    ("nginx", nginx::set_up),
    ("node-hashring", node_hashring::set_up),
    ("pecl-memcache", pecl_memcache::set_up),
    ("pingora-ketama", pingora_ketama::set_up),
    ("pymemcache", pymemcache::set_up),
    ("seed000-reachcache", seed000_reachcache::set_up),
    ("seed001-bounded", seed001_bounded::set_up),
    ("seed001-jump", bucket_functions::jump),
    ("seed001-ring", seed001_ring::set_up),
    ("seed002-geecache", growing_maps::geecache),
    ("seed003-hashring", seed003_hashring::set_up),
    ("seed004-fnv", seed004_fnv::set_up),
    ("seed004-fnv-hash", seed004_fnv_hash::set_up),
    ("seed004-ketama-hash", seed004_ketama_hash::set_up),
    ("serialx", serialx::set_up),
    ("serialx-2019", serialx::before_2020),
    ("spymemcached", spymemcached::set_up),
    ("stathat", stathat::set_up),
    ("twemproxy", twemproxy::set_up),
    ("uhashring", uhashring::set_up),
];

/// The names of the systems whose answers can be checked.
pub fn systems() -> impl Iterator<Item = &'static str> {
    let replayed = SYSTEMS.iter().map(|&(name, _)| name);
    replayed.chain([seed_defects::NAME])
}

/// Checks a file of recorded answers.
///
/// # Errors
///
/// [`Unusable`] if the file cannot be read or is over [`MAX_FILE_LEN`], and as [`check`].
pub fn check_file(path: &Path) -> Result<Report, Unusable> {
    let length = std::fs::metadata(path).map_err(Unusable::new)?.len();
    if length > MAX_FILE_LEN {
        return Err(Unusable(format!(
            "{length} bytes, at most {MAX_FILE_LEN} are read: split the file"
        )));
    }
    check(&std::fs::read_to_string(path).map_err(Unusable::new)?)
}

/// Checks recorded answers, given as JSON or in the compact form.
///
/// # Errors
///
/// [`Unusable`] that says what is wrong: malformed JSON, an unknown system, a field that is not known
/// and may decide an answer, a set-up that the system does not have, or no case.
///
/// ```
/// let report = keyroute_cli::verify::check(r#"{
///     "system": "seed001-jump",
///     "config": {"buckets": 10, "key_encoding": "u64-decimal"},
///     "nodes": [],
///     "cases": [["1", 6], ["2", 3]]
/// }"#)?;
/// assert_eq!((report.checks, report.agree), (2, 1));
/// assert_eq!(report.differences[0].what, "case 1, key \"2\"");
/// # Ok::<(), keyroute_cli::verify::Unusable>(())
/// ```
pub fn check(text: &str) -> Result<Report, Unusable> {
    let mut fields = Fields::of("the file", plain(text)?)?;
    let system = match fields.text("system")? {
        // The one file that does not say its name says what it is about.
        None if fields.names().any(|name| name == "about") => seed_defects::NAME.into(),
        named => fields.required("system", named)?,
    };
    if system == seed_defects::NAME {
        return seed_defects::check(fields);
    }
    let set_up = SYSTEMS.iter().find(|(name, _)| *name == system);
    let (_, set_up) = set_up.ok_or_else(|| {
        let known: Vec<_> = systems().collect();
        Unusable(format!(
            "unknown system {system:?}: one of {}",
            known.join(", ")
        ))
    })?;
    let mut document = Document::read(&system, fields)?;
    let mut system = set_up(&mut document)?;
    replay::replay(document, &mut *system)
}

/// Recorded answers as one JSON value, from either form.
///
/// # Errors
///
/// [`Unusable`] for malformed JSON, or a malformed line.
///
/// ```
/// let file = "keyroute recorded answers, form 1\n{\"nodes\":[\"a\"]}\nkey\t@0\n";
/// let value = keyroute_cli::verify::plain(file)?;
/// assert_eq!(value["cases"][0][1], "a");
/// # Ok::<(), keyroute_cli::verify::Unusable>(())
/// ```
pub fn plain(text: &str) -> Result<Value, Unusable> {
    if text.starts_with(compact::MAGIC) {
        compact::expand(text)
    } else {
        serde_json::from_str(text).map_err(Unusable::new)
    }
}
