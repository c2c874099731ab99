//! Hashes used for placement are fixed functions of bytes, and so are routes.
//!
//! Of the case's algorithms those we offer are compared: CRC-32, the FNV family, XXH32, XXH64, MD5. XXH3
//! and FNV-1 (32 bits) are not in it; their values were made with the C implementation of xxHash (0.8,
//! through Python's `xxhash`) and with a three-line program. Only this machine was run.

use keyroute::hash::{Crc32, Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64, Md5, Md5Word, Xxh3, Xxh32, Xxh64};
use keyroute::{BTreeRing, Jump, Ketama, KeyHasher, Modulo, Router, VectorRing};
use keyroute_tests::{json, keys, list, nodes, number, text};
use serde_json::Value;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn vectors() -> Vec<(Vec<u8>, Value)> {
    let case = json("cases/p13-hash-golden.json");
    let vectors = list(&case["inputs"]["vectors"]);
    assert_eq!(vectors.len(), 13);
    vectors
        .iter()
        .map(|vector| (unhex(text(&vector["hex"])), vector.clone()))
        .collect()
}

#[test]
fn the_golden_hashes_are_ours() {
    for (bytes, golden) in vectors() {
        let narrow: [(&str, u32); 3] = [
            ("crc32", Crc32.hash(&bytes)),
            ("fnv1a32", Fnv1a32.hash(&bytes)),
            ("xxh32_seed0", Xxh32::default().hash(&bytes)),
        ];
        for (name, hash) in narrow {
            assert_eq!(
                hash,
                number::<u32>(&golden[name]),
                "{name} of {}",
                golden["hex"]
            );
        }
        let wide: [(&str, u64); 3] = [
            ("fnv1a64", Fnv1a64.hash(&bytes)),
            ("fnv1_64", Fnv1_64.hash(&bytes)),
            ("xxh64_seed0", Xxh64::default().hash(&bytes)),
        ];
        for (name, hash) in wide {
            assert_eq!(
                format!("{hash:016x}"),
                text(&golden[name]),
                "{name} of {}",
                golden["hex"]
            );
        }
        let md5 = Md5.hash(&bytes).to_le_bytes();
        assert_eq!(md5[..], unhex(text(&golden["md5"])));
        for (index, word) in (0..).zip(list(&golden["md5_le32_slices"])) {
            let word: u32 = number(word);
            assert_eq!(Md5Word::new(index).unwrap().hash(&bytes), word);
            assert_eq!(Md5::words(&bytes)[usize::from(index)], word);
        }
    }
}

#[test]
fn the_golden_hashes_of_what_the_case_lacks_are_ours() {
    let golden: [(u64, u32); 13] = [
        (0x2d06_8005_38d3_94c2, 2_166_136_261),
        (0xe6c6_32b6_1e96_4e1f, 84_696_446),
        (0x78af_5f94_892f_3950, 1_134_309_195),
        (0x982a_cdf8_04e9_7d99, 568_266_918),
        (0x7b97_0a29_9cc6_5f88, 1_589_850_725),
        (0x4aa9_2a3e_16bb_30d5, 433_948_326),
        (0x2348_fe2d_f9d3_aab1, 1_555_756_422),
        (0x6a45_b79a_7b54_9b1f, 1_554_173_086),
        (0x2fc8_b92f_5e91_da3d, 3_058_035_807),
        (0xda7b_b2af_d006_5c7a, 394_503_655),
        (0x987f_adaa_1d89_6370, 1_761_956_079),
        (0x89e0_31d9_0ced_9591, 1_935_558_117),
        (0x4e15_1cfc_44a9_680c, 2_993_196_389),
    ];
    for ((bytes, _), (xxh3, fnv)) in vectors().into_iter().zip(golden) {
        assert_eq!(
            (Xxh3.hash(&bytes), Fnv1_32.hash(&bytes)),
            (xxh3, fnv),
            "{bytes:x?}"
        );
    }
}

/// XXH3 takes another way at 17, 129 and 241 bytes, and at each full kilobyte: byte i is
/// (i × 151 + length × 31 + 7) mod 256.
#[test]
fn xxh3_is_golden_at_every_length_class() {
    for (length, golden) in [
        (15, 0xda07_a7df_159f_07c8u64),
        (16, 0xa438_a2ab_f331_23ea),
        (17, 0xf19c_8d61_60bf_cc18),
        (64, 0xfca8_6aa9_e4e3_386c),
        (65, 0x57d1_91bf_28de_4754),
        (128, 0x9966_e095_c934_f483),
        (129, 0x4859_4453_2647_87e5),
        (240, 0xb8ec_08a2_4b99_e77c),
        (241, 0x4e02_9d02_9d27_a54f),
        (255, 0x32bf_b8bc_1958_f492),
        (256, 0xc305_e336_74a7_90bc),
        (257, 0xd561_3c9f_6f4f_21dd),
        (300, 0xdbb6_501c_cce1_39e1),
        (512, 0x1091_f3bb_7b12_32c4),
        (1024, 0x0ee0_7e81_e866_7f12),
        (1025, 0x6cbb_0d7d_05ee_b345),
        (5000, 0xc65b_9b6b_2efe_4eba),
    ] {
        let bytes: Vec<u8> = (0..length)
            .map(|i: u32| (i * 151 + length * 31 + 7).to_le_bytes()[0])
            .collect();
        assert_eq!(Xxh3.hash(&bytes), golden, "{length} bytes");
    }
}

/// The default hasher has a name, with its version in it.
#[test]
fn the_default_hasher_is_named() {
    let ring = VectorRing::from_ids(["a"]).unwrap();
    let description = ring.describe();
    let hasher = description.fields().find(|&(name, _)| name == "hasher");
    assert_eq!(hasher, Some(("hasher", "xxh3-64, 64 bits")));
}

/// 100 keys over five nodes, by every strategy: a dependency or a compiler that moves one fails here.
#[test]
fn routes_are_pinned() {
    let ids = ["node-0", "node-1", "node-2", "node-3", "node-4"];
    let routers: [(&str, Box<dyn Router>); 6] = [
        ("vector-ring", Box::new(VectorRing::from_ids(ids).unwrap())),
        ("btree-ring", Box::new(BTreeRing::from_ids(ids).unwrap())),
        ("jump", Box::new(Jump::from_ids(ids).unwrap())),
        ("modulo", Box::new(Modulo::from_ids(ids).unwrap())),
        ("ketama", Box::new(Ketama::from_ids(ids).unwrap())),
        (
            "libketama",
            Box::new(Ketama::libketama(nodes(&ids)).unwrap()),
        ),
    ];
    let pinned = json("pinned-routes.json");
    assert_eq!(pinned.as_object().unwrap().len(), routers.len());
    for (name, router) in &routers {
        let routes: String = keys("key-", "", 100)
            .iter()
            .map(|key| router.route_id(key.as_bytes()).unwrap().as_str())
            .map(|id| id.strip_prefix("node-").unwrap())
            .collect();
        assert_eq!(routes, text(&pinned[*name]), "{name}");
    }
}
