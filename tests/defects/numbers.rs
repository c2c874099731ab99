//! Signs, widths and ranges.

use keyroute::hash::Md5Word;
use keyroute::{Jump, KeyHasher, MAX_NODES, Members, Node, RouteError, Weight, jump_hash};
use keyroute_interop::seeds::Seed004Fnv;
use keyroute_tests::{json, list, text};

/// The original's hash where `char` has no sign: what must not be computed.
fn unsigned(bytes: &[u8]) -> u32 {
    let mut hash = bytes.iter().fold(0x811c_9dc5u32, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash = hash.wrapping_add(hash << 13);
    hash ^= hash >> 7;
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 17;
    hash.wrapping_add(hash << 5)
}

/// E1: on a target whose `char` is unsigned the original hashes every byte from 0x80 on otherwise. Ours
/// is signed on every target, as the recorded answers are.
#[test]
fn the_compatible_hash_is_signed_on_every_target() {
    for (key, wrong) in [("é", 3_953_699_094), ("节点", 4_121_883_339)] {
        assert_eq!(unsigned(key.as_bytes()), wrong);
        assert_ne!(Seed004Fnv.hash(key.as_bytes()), wrong);
    }
    assert_eq!(Seed004Fnv.hash(b"ascii"), unsigned(b"ascii"));

    let recorded = json("vectors/seed004-fnv-hash/binary.txt");
    let cases = list(&recorded["cases"]);
    let (mut high, mut differ) = (0, 0);
    for case in cases {
        let key = unhex(text(&case[0]));
        high += usize::from(key.iter().any(|&byte| byte >= 0x80));
        differ += usize::from(Seed004Fnv.hash(&key) != unsigned(&key));
    }
    assert_eq!(differ, high);
    assert!(high > cases.len() * 9 / 10, "{high} of {}", cases.len());
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    text.as_bytes()
        .as_chunks::<2>()
        .0
        .iter()
        .map(|&[high, low]| {
            digit(high)
                .zip(digit(low))
                .map_or_else(|| panic!("{text}"), |(high, low)| high << 4 | low)
        })
        .collect()
}

/// E5.
#[test]
fn a_word_past_the_digest_is_refused() {
    for word in 4..=u8::MAX {
        assert!(matches!(
            Md5Word::new(word),
            Err(RouteError::Parameter { .. })
        ));
    }
}

/// E6: an `int` total overflows in the original.
#[test]
fn totals_are_wide() {
    let heavy = |id: &str| {
        Node::new(id)
            .unwrap()
            .with_weight(Weight::new(u32::MAX).unwrap())
    };
    let members = Members::from_nodes([heavy("a"), heavy("b"), heavy("c")]).unwrap();
    assert_eq!(members.total_weight(), 3 * u64::from(u32::MAX));
}

/// B7: JumpHash(k, 0) and JumpHash(k, -5) are −1 there, and 2^32 buckets wrap to a bucket below 0. Here the number of
/// buckets has no sign and 32 bits, and what is no bucket is no answer.
#[test]
fn b7_jump_has_no_answer_outside_its_range() {
    for key in [0, 1, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
        assert_eq!(jump_hash(key, 0), None);
        assert_eq!(jump_hash(key, u32::MAX), None);
        let buckets = u32::try_from(MAX_NODES).unwrap();
        assert!(jump_hash(key, buckets).is_some_and(|bucket| bucket < buckets));
        assert_eq!(jump_hash(key, 1), Some(0));
    }
    assert!(u32::try_from(-5i64).is_err() && u32::try_from(1u64 << 32).is_err());
    assert_eq!(Jump::new().route(b"k"), None);
}
