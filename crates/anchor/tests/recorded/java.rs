//! A Java collection's AnchorHash, MementoHash and DxHash, with its hash layer.

use keyroute_anchor::hash::{Crc32, Xxh32};
use keyroute_anchor::{AnchorBuckets, Buckets, Draws, DxBuckets, KeyHasher, MementoBuckets};
use serde_json::Value;

use crate::{Change, cases, changes, number, recordings};

const ANCHOR_SEED: u32 = 0xdead_beef;

/// The collection's hash functions: 32 bits of a non-negative number.
#[derive(Clone, Copy)]
enum Hash {
    Xx,
    Murmur3,
    Crc32,
}

impl Hash {
    fn of(recording: &Value) -> Self {
        match recording["config"]["hash"].as_str().unwrap() {
            "XX" => Self::Xx,
            "MURMUR3" => Self::Murmur3,
            "CRC32" => Self::Crc32,
            other => panic!("an unknown hash function: {other}"),
        }
    }

    fn bytes(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Xx => Xxh32::default().hash(bytes).into(),
            // The absolute value of a signed number.
            Self::Murmur3 => murmur3(bytes).cast_signed().unsigned_abs().into(),
            Self::Crc32 => Crc32.hash(bytes).into(),
        }
    }

    /// A text and a seed; 0 stands for none.
    fn text(self, text: &str, seed: u32) -> u64 {
        let mut bytes = text.as_bytes().to_vec();
        if seed != 0 {
            bytes.extend(seed.to_be_bytes());
        }
        self.bytes(&bytes)
    }
}

/// MurmurHash3 (Appleby, public domain), x86, 32 bits, seed 0.
fn murmur3(bytes: &[u8]) -> u32 {
    let scrambled = |block: u32| {
        let block = block.wrapping_mul(0xcc9e_2d51).rotate_left(15);
        block.wrapping_mul(0x1b87_3593)
    };
    let mut hash = 0u32;
    let mut blocks = bytes.chunks_exact(4);
    for block in &mut blocks {
        hash ^= scrambled(u32::from_le_bytes(block.try_into().unwrap()));
        hash = hash
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    let mut rest = [0; 4];
    rest[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
    hash ^= scrambled(u32::from_le_bytes(rest));
    hash ^= u32::try_from(bytes.len()).unwrap();
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

fn modulo(hash: u64, bound: u32) -> u32 {
    (hash % u64::from(bound)).try_into().unwrap()
}

/// Each hash is hashed again, with the bucket that left.
struct Anchored<'k> {
    hash: Hash,
    key: &'k str,
    last: u64,
}

impl Draws for Anchored<'_> {
    fn first(&mut self, buckets: u32) -> u32 {
        self.last = self.hash.text(self.key, ANCHOR_SEED);
        modulo(self.last, buckets)
    }

    fn next(&mut self, left: u32, bound: u32) -> u32 {
        let mut bytes = self.last.to_be_bytes().to_vec();
        bytes.extend(left.to_be_bytes());
        bytes.extend(ANCHOR_SEED.to_be_bytes());
        self.last = self.hash.bytes(&bytes);
        modulo(self.last, bound)
    }
}

/// Jump as Guava computes it, then the key with the bucket that left.
struct Remembered<'k> {
    hash: Hash,
    key: &'k str,
}

impl Draws for Remembered<'_> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "31 bits fit; the quotient saturates as in Java"
    )]
    fn first(&mut self, buckets: u32) -> u32 {
        let mut state = self.hash.text(self.key, 0);
        let mut candidate = 0;
        loop {
            state = state
                .wrapping_mul(2_862_933_555_777_941_757)
                .wrapping_add(1);
            let draw = f64::from(((state >> 33) as i32).wrapping_add(1)) / f64::from(1u32 << 31);
            let next = (f64::from(candidate + 1) / draw) as i32;
            match u32::try_from(next) {
                Ok(next) if next < buckets => candidate = next,
                _ => return candidate,
            }
        }
    }

    fn next(&mut self, left: u32, bound: u32) -> u32 {
        modulo(self.hash.text(self.key, left), bound)
    }
}

/// The generator of Java's standard library.
struct Random(u64);

impl Random {
    const MULTIPLIER: u64 = 0x5_deec_e66d;
    const MASK: u64 = (1 << 48) - 1;

    fn new(seed: u64) -> Self {
        Self((seed ^ Self::MULTIPLIER) & Self::MASK)
    }

    /// 31 bits.
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(Self::MULTIPLIER).wrapping_add(11) & Self::MASK;
        self.0 >> 17
    }
}

impl Draws for Random {
    fn first(&mut self, buckets: u32) -> u32 {
        let bound = u64::from(buckets);
        if buckets.is_power_of_two() {
            return ((bound * self.draw()) >> 31).try_into().unwrap();
        }
        loop {
            let draw = self.draw();
            // Draws of the last stretch, which is not whole, are made again.
            if draw - draw % bound + bound - 1 < 1 << 31 {
                return modulo(draw, buckets);
            }
        }
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        self.first(bound)
    }
}

/// Puts the recorded number of buckets into service, and makes the recorded changes.
fn set_up<B: Buckets>(file: &str, recording: &Value, mut buckets: B) -> B {
    for bucket in 0..number(&recording["config"]["size"]) {
        assert_eq!(buckets.add(), Some(bucket));
    }
    for (change, said) in changes(recording) {
        let changed = match change {
            Change::Remove(bucket) => buckets.remove(bucket).then_some(bucket),
            Change::Add => buckets.add(),
        };
        assert_eq!(changed, said, "{file}");
    }
    buckets
}

#[test]
fn every_recorded_answer_of_anchor_hash_agrees() {
    let mut answers = 0;
    for (file, recording) in recordings("java-anchor") {
        let hash = Hash::of(&recording);
        let anchor = AnchorBuckets::new(number(&recording["config"]["capacity"])).unwrap();
        let anchor = set_up(&file, &recording, anchor);
        for (key, bucket) in cases(&recording) {
            let found = anchor.bucket_by(&mut Anchored { hash, key, last: 0 });
            assert_eq!(found, Some(bucket), "{file}: {key:?}");
            answers += 1;
        }
    }
    assert!(answers >= 800, "only {answers} answers were found");
}

#[test]
fn every_recorded_answer_of_memento_hash_agrees() {
    let mut answers = 0;
    for (file, recording) in recordings("java-memento") {
        let hash = Hash::of(&recording);
        let memento = set_up(&file, &recording, MementoBuckets::new());
        for (key, bucket) in cases(&recording) {
            let found = memento.bucket_by(&mut Remembered { hash, key });
            assert_eq!(found, Some(bucket), "{file}: {key:?}");
            answers += 1;
        }
    }
    assert!(answers >= 800, "only {answers} answers were found");
}

/// The collection puts the bucket that left last into service first, as an anchor must; this engine, which
/// need not, is told which.
#[test]
fn every_recorded_answer_of_dx_hash_agrees() {
    let mut answers = 0;
    for (file, recording) in recordings("java-dx") {
        let hash = Hash::of(&recording);
        let size = number(&recording["config"]["size"]);
        let mut dx = DxBuckets::new(number(&recording["config"]["capacity"])).unwrap();
        for bucket in 0..size {
            assert!(dx.insert(bucket));
        }
        let mut left = Vec::new();
        for (change, said) in changes(&recording) {
            match change {
                Change::Remove(bucket) => {
                    assert!(dx.remove(bucket));
                    left.push(bucket);
                    assert_eq!(said, Some(bucket), "{file}");
                }
                Change::Add => {
                    let bucket = left.pop().unwrap();
                    assert!(dx.insert(bucket));
                    assert_eq!(said, Some(bucket), "{file}");
                }
            }
        }
        for (key, bucket) in cases(&recording) {
            let found = dx.bucket_by(&mut Random::new(hash.text(key, 0)));
            assert_eq!(found, Some(bucket), "{file}: {key:?}");
            answers += 1;
        }
    }
    assert!(answers >= 800, "only {answers} answers were found");
}
