//! What fingerprints hash does not follow the Unicode tables of a compiler: ids and prefixes are shown as they
//! are, whatever `Debug` would escape.

use keyroute_interop::hash::MemcachedHash;
use keyroute_interop::{Description, KeyHasher, Router, dalli, envoy, haproxy, libmemcached};

/// A mark, a format character and one that is not assigned: `Debug` escapes all three.
const ODD: &str = "a\u{301}\u{feff}\u{378}";

fn shows(description: &Description) {
    let texts = description
        .fields()
        .map(|(name, value)| format!("{name} {value}"));
    let shown: Vec<String> = texts.filter(|text| text.contains(ODD)).collect();
    assert!(!shown.is_empty(), "{ODD:?} is escaped in {description}");
}

#[test]
fn ids_are_described_as_they_are() {
    let servers = [format!("{ODD} x").parse().unwrap()];
    let backend = haproxy::Backend::new("consistent".parse().unwrap(), servers).unwrap();
    shows(&backend.describe());

    let cluster = envoy::Cluster::new([envoy::Host::new(ODD).unwrap()]).unwrap();
    shows(&envoy::Maglev::new(&cluster, 7).unwrap().describe());
    let sizes = envoy::RingSizes::default();
    let ring = envoy::RingHash::new(&cluster, sizes, envoy::HashFunction::XxHash).unwrap();
    shows(&ring.describe());
}

#[test]
fn names_of_hashers_say_prefixes_as_they_are() {
    let key_hash = libmemcached::KeyHash::new(MemcachedHash::Md5).unwrap();
    let key_hash = key_hash.with_prefix(ODD).unwrap();
    assert!(key_hash.name().unwrap().contains(ODD));
    let key_hash = dalli::KeyManager::default().with_namespace(ODD);
    assert!(key_hash.name().unwrap().contains(ODD));
}
