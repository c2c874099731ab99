//! The authors' AnchorHash in C++, with its four arrays and CRC-32C.

use keyroute_anchor::{AnchorBuckets, Buckets, Draws};

use crate::{Change, cases, changes, number, recordings};

/// The x86 instruction: CRC-32C over the key's bytes, from the seed's low half, nothing inverted.
fn crc(key: u64, seed: u64) -> u64 {
    let byte = |state: u64, byte: u8| {
        (0..8).fold(state ^ u64::from(byte), |state, _| {
            (state >> 1) ^ (0x82f6_3b78 * (state & 1))
        })
    };
    key.to_le_bytes().into_iter().fold(seed & 0xffff_ffff, byte)
}

/// A pair of keys: each hash changes both.
struct Pair {
    keys: (u64, u64),
    hash: u64,
}

impl Pair {
    fn new(text: &str) -> Self {
        let (one, other) = text.split_once(',').unwrap();
        let keys = (one.parse().unwrap(), other.parse().unwrap());
        Self {
            keys,
            hash: crc(keys.0, keys.1),
        }
    }
}

impl Draws for Pair {
    fn first(&mut self, buckets: u32) -> u32 {
        (self.hash % u64::from(buckets)).try_into().unwrap()
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        let (one, other) = self.keys;
        self.hash = crc(one.wrapping_sub(self.hash), other.wrapping_add(self.hash));
        self.first(bound)
    }
}

#[test]
fn the_crc_is_castagnolis() {
    // CRC-32C as it is published is inverted before and after.
    let inverted = crc(u64::from_le_bytes(*b"12345678"), 0xffff_ffff) ^ 0xffff_ffff;
    assert_eq!(inverted, 0x6087_809a);
}

#[test]
fn every_recorded_answer_agrees() {
    let mut answers = 0;
    for (file, recording) in recordings("cpp-anchorhash") {
        let config = &recording["config"];
        let mut anchor = AnchorBuckets::new(number(&config["capacity"])).unwrap();
        for bucket in 0..number(&config["working"]) {
            assert_eq!(anchor.add(), Some(bucket));
        }
        for (change, _) in changes(&recording) {
            match change {
                Change::Remove(bucket) => assert!(anchor.remove(bucket), "{file}: {bucket}"),
                Change::Add => assert!(anchor.add().is_some(), "{file}"),
            }
        }
        for (key, bucket) in cases(&recording) {
            let found = anchor.bucket_by(&mut Pair::new(key));
            assert_eq!(found, Some(bucket), "{file}: {key}");
            answers += 1;
        }
    }
    assert!(answers >= 400, "only {answers} answers were found");
}
