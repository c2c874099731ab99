//! The answers of the family, pinned: `data/*.json` were computed from the byte contract and the papers by
//! another program (`data/make_golden.py`). An answer that changes is a new strategy.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_core::hash::NativeHasher;
use keyroute_jump::{
    BinomialHash, BucketFunction, Bucketed, FlipHash, JumpBackHash, JumpHash, PowerHash,
};
use serde_json::Value;

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn unhex(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// Keys go where they went, and fingerprints are what they were.
fn routes_as_pinned<F: BucketFunction<u64>>(golden: &Value) {
    let nodes: Vec<&str> = list(&golden["nodes"]).iter().map(text).collect();
    let places = list(&golden["places"]);
    assert!(places.len() >= 200, "{}", places.len());
    for count in 1..=nodes.len() {
        let shards = Bucketed::<F, NativeHasher>::from_ids(&nodes[..count]).unwrap();
        let fingerprint = text(&golden["fingerprints"][count - 1]);
        let found = shards.fingerprint().to_string();
        assert_eq!(found, fingerprint, "{}, {count} nodes", F::NAME);
        for place in places {
            let key = text(&place[0]);
            let owner = shards.route_id(&unhex(key)).unwrap();
            let bucket = number(&place[1][count - 1]) as usize;
            assert_eq!(owner, nodes[bucket], "{}, key {key} of {count}", F::NAME);
        }
    }
}

/// The bare function, up to the greatest number of buckets.
fn answers_as_pinned<F: BucketFunction<u64>>(golden: &Value) {
    let buckets = list(&golden["buckets"]);
    let mut answers = 0;
    for row in list(&golden["numbers"]) {
        let hash = text(&row[0]).parse().unwrap();
        for (buckets, bucket) in buckets.iter().zip(list(&row[1])) {
            let found = F::bucket(hash, number(buckets));
            let name = F::NAME;
            assert_eq!(found, Some(number(bucket)), "{name}, {hash} of {buckets}");
            answers += 1;
        }
    }
    assert!(answers > 1000, "{answers}");
}

macro_rules! pinned {
    ($($name:ident: $function:ty, $file:literal;)*) => {$(
        #[test]
        fn $name() {
            let golden = serde_json::from_str(include_str!($file)).unwrap();
            routes_as_pinned::<$function>(&golden);
            answers_as_pinned::<$function>(&golden);
        }
    )*};
}

pinned! {
    jump: JumpHash, "data/jump.json";
    jump_back: JumpBackHash, "data/jump-back.json";
    flip: FlipHash, "data/flip.json";
    power: PowerHash, "data/power.json";
    binomial: BinomialHash, "data/binomial.json";
}
