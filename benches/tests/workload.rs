//! The workload is what it says, and the expected answers are derived anew, by obvious code that
//! shares nothing with the routers but the hash function.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use keyroute_benches::answers::{
    CHECKED, KEYS_DIGEST, check_plausible, check_recorded, digest_of, recorded,
};
use keyroute_benches::contestant::{Kind, contestant, contestants};
use keyroute_benches::workload::{KEYS, POINTS, SIZES, Turns, fleet, keys, node, weight};
use keyroute_core::hash::Md5;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

#[test]
fn a_million_distinct_keys_of_16_to_24_bytes_come_in_no_order() {
    let keys = keys();
    assert_eq!(keys.len(), KEYS);
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), KEYS);

    let mut lengths = BTreeMap::new();
    for key in keys {
        *lengths.entry(key.len()).or_insert(0_usize) += 1;
    }
    assert!(lengths.keys().copied().eq(16..=24), "{lengths:?}");
    let (least, most) = (lengths.values().min(), lengths.values().max());
    // A ninth each, 116,508; the standard deviation is about 320.
    assert!(most.unwrap() - least.unwrap() < 3_000, "{lengths:?}");

    // Of neighbours, the later key is the greater one as often as not (standard deviation about 300).
    let rises = keys.windows(2).filter(|pair| pair[0] < pair[1]).count();
    assert!(rises.abs_diff(KEYS / 2) < 2_000, "{rises} rises");
    let hash_rises = keys
        .windows(2)
        .filter(|pair| xxh3_64(pair[0]) < xxh3_64(pair[1]));
    let hash_rises = hash_rises.count();
    assert!(hash_rises.abs_diff(KEYS / 2) < 2_000, "{hash_rises} rises");
}

#[test]
fn the_keys_never_change() {
    let mut digest = Xxh3::new();
    for key in keys() {
        digest.update(key);
        digest.update(&[0]);
    }
    assert_eq!(digest.digest(), KEYS_DIGEST, "{:#018x}", digest.digest());
}

#[test]
fn turns_take_all_keys() {
    let mut turns = Turns::default();
    for some in keys().chunks_exact(1 << 10) {
        assert_eq!(turns.take(1 << 10), some);
    }
    assert_eq!(turns.take(KEYS), keys());
    assert_eq!(turns.take(3), &keys()[..3]);
}

/// What is recorded; a size that nobody recorded fails.
fn expected(rule: &str, nodes: u32) -> u64 {
    recorded(rule, nodes)
        .unwrap_or_else(|| panic!("nothing is recorded of {rule} at {nodes} nodes"))
}

/// The native points from their definition: XXH3 of (length of id, id, index), little-endian.
fn native_points(nodes: u32) -> BTreeMap<u64, u32> {
    let mut points = BTreeMap::new();
    for number in 0..nodes {
        let node = node(number);
        let id = node.id().as_bytes();
        for index in 0..POINTS {
            let length = u32::try_from(id.len()).expect("a short id");
            let mut label = length.to_le_bytes().to_vec();
            label.extend(id);
            label.extend(index.to_le_bytes());
            let before = points.insert(xxh3_64(&label), number);
            assert_eq!(before, None, "two points at one position: tell who wins");
        }
    }
    points
}

#[test]
fn the_expected_owners_on_a_ring_are_those_of_its_definition() {
    for nodes in SIZES {
        let points = native_points(nodes);
        let first = points.first_key_value().unwrap();
        let found = digest_of(&keys()[..CHECKED], |key| {
            *points.range(xxh3_64(key)..).next().unwrap_or(first).1
        });
        assert_eq!(
            found,
            expected("ring/native", nodes),
            "{nodes} nodes: {found:#018x}"
        );
    }
}

/// The native ketama points from their definition: the four words of the MD5 of `{id}-{i}`; where two
/// nodes claim a position, the lower id has it.
fn ketama_points(nodes: u32) -> BTreeMap<u32, u32> {
    let id = |number| node(number).id().clone();
    let mut points = BTreeMap::new();
    for number in 0..nodes {
        for digest in 0..POINTS / 4 {
            let label = format!("{}-{digest}", id(number));
            for position in Md5::words(label.as_bytes()) {
                let holder = points.entry(position).or_insert(number);
                if id(number) < id(*holder) {
                    *holder = number;
                }
            }
        }
    }
    points
}

#[test]
fn the_expected_owners_on_a_ketama_ring_are_those_of_its_definition() {
    for nodes in SIZES {
        let points = ketama_points(nodes);
        let first = points.first_key_value().unwrap();
        let found = digest_of(&keys()[..CHECKED], |key| {
            let [at, ..] = Md5::words(key);
            *points.range(at..).next().unwrap_or(first).1
        });
        assert_eq!(
            found,
            expected("ring/ketama", nodes),
            "{nodes} nodes: {found:#018x}"
        );
    }
}

/// The paper's loop, in exact integers: floor((b + 1) · 2^31 / r) where r = draw + 1. The paper rounds
/// the quotient 2^31 / r first, which differs for few keys; here for none.
fn jump_bucket(mut key: u64, buckets: u64) -> u64 {
    let mut next = 0;
    loop {
        let bucket = next;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        next = ((bucket + 1) << 31) / ((key >> 33) + 1);
        if next >= buckets {
            return bucket;
        }
    }
}

#[test]
fn the_expected_owners_of_jump_and_modulo_are_those_of_their_definitions() {
    let keys = &keys()[..CHECKED];
    for nodes in SIZES
        .into_iter()
        .chain([17, 1_025, 100_000, 1_000_000, 1_000_001])
    {
        let found = digest_of(keys, |key| {
            u32::try_from(jump_bucket(xxh3_64(key), nodes.into())).unwrap()
        });
        assert_eq!(
            found,
            expected("jump", nodes),
            "jump, {nodes} nodes: {found:#018x}"
        );
    }
    for nodes in SIZES.into_iter().chain([100_000, 1_000_000]) {
        let found = digest_of(keys, |key| {
            u32::try_from(xxh3_64(key) % u64::from(nodes)).unwrap()
        });
        assert_eq!(
            found,
            expected("modulo", nodes),
            "modulo, {nodes} nodes: {found:#018x}"
        );
    }
}

/// MurmurHash3's 64-bit finaliser.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    z = (z ^ (z >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    z ^ (z >> 33)
}

/// The first native point of each node, in the order of their numbers.
fn first_points(nodes: u32) -> Vec<u64> {
    let point = |number| {
        let node = node(number);
        let id = node.id().as_bytes();
        let length = u32::try_from(id.len()).expect("a short id");
        xxh3_64(&[&length.to_le_bytes(), id, &[0; 4]].concat())
    };
    (0..nodes).map(point).collect()
}

#[test]
fn the_expected_owners_on_a_two_sided_ring_are_those_of_its_definition() {
    for nodes in SIZES {
        let points = native_points(nodes);
        let (first, last) = (points.first_key_value(), points.last_key_value());
        let found = digest_of(&keys()[..CHECKED], |key| {
            let at = xxh3_64(key);
            let behind = points.range(..at).next_back().or(last).unwrap();
            let ahead = points.range(at..).next().or(first).unwrap();
            let nearer = if at.wrapping_sub(*behind.0) <= ahead.0.wrapping_sub(at) {
                behind
            } else {
                ahead
            };
            *nearer.1
        });
        assert_eq!(found, expected("ring/nearest", nodes), "{nodes} nodes");
    }
}

#[test]
fn the_expected_owners_of_multi_probe_are_those_of_its_definition() {
    for nodes in SIZES {
        let numbers = first_points(nodes).into_iter().zip(0..);
        let points: BTreeMap<u64, u32> = numbers.collect();
        let first = points.first_key_value().unwrap();
        let found = digest_of(&keys()[..CHECKED], |key| {
            let digest = xxh3_64(key);
            let distances = (1..=21_u64).map(|number| {
                let mut word = digest.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                word ^= word >> 31;
                let (point, owner) = points.range(word..).next().unwrap_or(first);
                (point.wrapping_sub(word), number, *owner)
            });
            distances.min().unwrap().2
        });
        assert_eq!(found, expected("multi-probe", nodes), "{nodes} nodes");
    }
}

/// Ten thousand nodes for 65,536 keys would take most of the time of all tests: the ring's sizes but that.
#[test]
fn the_expected_owners_of_rendezvous_are_those_of_its_definition() {
    for nodes in [3, 10, 100, 1_000] {
        let hashes = first_points(nodes);
        let owner = |digest: u64| {
            let draws = hashes.iter().map(|hash| mix(digest ^ hash));
            draws.zip(0..).max().unwrap().1
        };
        let found = digest_of(&keys()[..CHECKED], |key| owner(xxh3_64(key)));
        assert_eq!(found, expected("rendezvous", nodes), "{nodes} nodes");

        let partitions: Vec<u32> = (1..=16_384).map(|number| owner(mix(number))).collect();
        let found = digest_of(&keys()[..CHECKED], |key| {
            let partition = (u128::from(xxh3_64(key)) * 16_384) >> 64;
            partitions[usize::try_from(partition).unwrap()]
        });
        assert_eq!(found, expected("slot-table", nodes), "{nodes} nodes");
    }
}

/// The standard deviation of the nodes' shares over their mean.
fn variation(nodes: u32, owner: impl Fn(&[u8]) -> u32) -> f64 {
    let mut counts = vec![0_u32; nodes as usize];
    for key in keys() {
        counts[owner(key) as usize] += 1; // out of bounds for a key without an owner
    }
    let keys = u32::try_from(KEYS).expect("2^20");
    let mean = f64::from(keys) / f64::from(nodes);
    let squares: f64 = counts.iter().map(|&c| (f64::from(c) - mean).powi(2)).sum();
    (squares / f64::from(nodes)).sqrt() / mean
}

/// Same names, same labels, same words of MD5: who is timed beside ours does the same work.
#[test]
fn the_ketama_crate_answers_as_ours() {
    let [ours, other] = ["ketama", "ketama (crate)"].map(|name| contestant(name).builder(100)());
    for key in &keys()[..CHECKED] {
        assert_eq!(other.owner(key), ours.owner(key), "{key:?}");
    }
}

/// A thousand nodes, 1,049 keys a node: the shares differ as theory says for 160 random points a node
/// (√(999/160001 + 1/1049) = 8.5 %) or for none (√(1/1049) = 3.1 %), within six standard deviations.
#[test]
fn rings_and_jumps_spread_all_keys_as_theory_says() {
    let nodes = 1_000;
    let mut measured = 0;
    for one in contestants()
        .iter()
        .filter(|one| nodes <= one.most && !one.is_slow)
    {
        let theory = match (one.kind, one.points) {
            // The nearer of two sides halves the variance of the larger arc.
            (Kind::Ring | Kind::Ketama, POINTS) if one.name != "two-sided" => 0.0847,
            (Kind::Jump | Kind::JumpLike | Kind::Modulo, _) => 0.0309,
            _ => continue,
        };
        let router = one.checked(nodes);
        let ratio = variation(nodes, |key| router.owner(key)) / theory;
        assert!(
            (0.866..1.134).contains(&ratio),
            "{}: {ratio:.3} of theory",
            one.name
        );
        measured += 1;
    }
    assert!(measured >= 18, "{measured} contestants");
}

#[test]
fn a_wrong_router_is_not_measured() {
    let ring = contestant("vector-ring").checked(10);
    // One key of all that are checked goes elsewhere.
    let wrong = |key: &[u8]| {
        let owner = ring.owner(key);
        if key == keys()[12_345] {
            (owner + 1) % 10
        } else {
            owner
        }
    };
    let right = |key: &[u8]| ring.owner(key);
    let is_refused = |rule, nodes, owner: &dyn Fn(&[u8]) -> u32| {
        let check = AssertUnwindSafe(|| check_recorded(rule, nodes, CHECKED, owner));
        catch_unwind(check).is_err()
    };
    assert!(!is_refused("ring/native", 10, &right));
    assert!(is_refused("ring/native", 10, &wrong));
    // Nor is one whose answers nobody recorded.
    assert!(is_refused("ring/native", 11, &right));
    assert!(is_refused("unheard of", 10, &right));
}

#[test]
fn a_peer_that_cannot_be_right_is_not_measured() {
    let jump = contestant("jump").checked(10);
    let is_refused = |owner: &dyn Fn(&[u8]) -> u32| {
        catch_unwind(AssertUnwindSafe(|| {
            check_plausible("a peer", 10, false, owner);
        }))
        .is_err()
    };
    assert!(!is_refused(&|key| jump.owner(key)));
    // A node that is not there; another answer each time; half of the nodes without a key.
    assert!(is_refused(&|key| jump.owner(key) + 1));
    let asked = Cell::new(0);
    assert!(is_refused(&|key| {
        asked.set(asked.get() + 1);
        (jump.owner(key) + asked.get()) % 10
    }));
    assert!(is_refused(&|key| jump.owner(key) / 2));
}

/// Each peer of the list is a crate that this package names, and is listed under its kind; each kind with peers has
/// one of ours.
#[test]
fn everybody_is_listed_once() {
    let all = contestants();
    let names: BTreeSet<_> = all.iter().map(|one| one.name).collect();
    assert_eq!(names.len(), all.len());
    let manifest = include_str!("../Cargo.toml");
    let peers = manifest.split_once("# The peers.").unwrap().1;
    let crates: Vec<_> = peers
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .collect();
    let mut seen = BTreeSet::new();
    for one in all.iter().filter(|one| one.is_peer) {
        let name = one.name.split([',', ' ']).next().unwrap();
        assert!(
            crates.iter().any(|(known, _)| *known == name),
            "{}",
            one.name
        );
        seen.insert(name);
        assert!(
            all.iter()
                .any(|ours| !ours.is_peer && ours.kind == one.kind),
            "{}",
            one.name
        );
    }
    let named = crates
        .iter()
        .filter(|(_, how)| how.contains("workspace"))
        .count();
    // All but the first line of [lints].
    assert_eq!(seen.len(), named, "{seen:?}");
}

#[test]
fn the_expected_owners_of_weighted_rendezvous_follow_weights() {
    let nodes = 10;
    let router = contestant("rendezvous, weighted").checked(nodes);
    let mut counts = vec![0_u32; nodes as usize];
    for key in keys() {
        counts[router.owner(key) as usize] += 1;
    }
    let total: u32 = (0..nodes).map(weight).sum();
    let keys = f64::from(u32::try_from(KEYS).expect("2^20"));
    for (number, count) in (0..nodes).zip(counts) {
        let fair = keys * f64::from(weight(number)) / f64::from(total);
        // Six standard deviations.
        assert!(
            (f64::from(count) - fair).abs() < 6.0 * fair.sqrt(),
            "{number}: {count}, {fair:.0}"
        );
    }
}

#[test]
fn the_fleet_lists_nodes_by_their_numbers() {
    assert_eq!(fleet(10)[7], node(7));
}
