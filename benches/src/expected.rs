//! The answers that must come out.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::workload::{SIZES, keys};

/// How many keys a check routes: the first 65,536.
pub const CHECKED: usize = 1 << 16;

/// The digest of all keys: XXH3 over their bytes, each followed by a NUL.
pub const KEYS_DIGEST: u64 = 0x72eb_2977_4e2b_eef3;

/// The [digest](digest_of) of the owners of the first [`CHECKED`] keys, for each rule of placement at
/// each size of [`SIZES`]. The two rings share a rule, and so a line.
///
/// `tests/workload.rs` derives ours anew, without our routers. The peers' are recorded from the
/// versions that the lock file names.
const ANSWERS: [(&str, [u64; 5]); 6] = [
    (
        "ring/native",
        [
            0x9b6b_c88b_4850_82d2,
            0x9340_f07b_fae5_e642,
            0x4cad_120d_3ccb_07cd,
            0x553c_3ceb_dc01_d90c,
            0xe458_ee98_96dd_b9ba,
        ],
    ),
    (
        "ring/ketama",
        [
            0xe977_3520_3f75_878f,
            0xa4c3_9e72_774e_3bfa,
            0xd288_571d_8497_9556,
            0xf333_d56f_da82_84dd,
            0x666e_208b_1702_cd7a,
        ],
    ),
    (
        "jump",
        [
            0xe866_c834_5807_c7e1,
            0xf9bf_3294_ab27_ef63,
            0x12d8_6bc5_eac5_053e,
            0xbd54_aeae_fab2_3096,
            0x4020_bc5c_ac98_3913,
        ],
    ),
    (
        "modulo",
        [
            0x6d0a_ae90_e281_81dd,
            0x776e_ec2e_9d26_d8f4,
            0x75a6_5cd8_1dc0_e4b0,
            0x3002_c427_9744_c8ab,
            0xcf4e_3390_eb59_b03f,
        ],
    ),
    (
        "hashring",
        [
            0x35f5_35b5_1082_85ce,
            0xe557_5e57_9e5f_1a1c,
            0xe772_994d_cc07_10f7,
            0x73a0_e85b_789b_7550,
            0x9f5e_00af_a50f_fdc6,
        ],
    ),
    (
        "pingora-ketama",
        [
            0xca14_65f2_ae40_a63e,
            0x966e_b0dd_10f8_6144,
            0x52ad_2738_6b8f_5162,
            0x13aa_bcf4_c6ba_868c,
            0x5d78_729a_abbe_f901,
        ],
    ),
];

/// Checks that `owner` gives the expected answers of this rule for a fleet of this many nodes.
///
/// # Panics
///
/// If one differs, or none is expected of this rule at this size.
pub fn check(rule: &str, nodes: u32, owner: impl Fn(&[u8]) -> u32) {
    let found = digest_of(&keys()[..CHECKED], owner);
    let expected = expected(rule, nodes);
    assert_eq!(
        found, expected,
        "{rule}, {nodes} nodes: the owners' digest is {found:#018x}, expected {expected:#018x}"
    );
}

/// The digest expected of this rule for a fleet of this many nodes.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn expected(rule: &str, nodes: u32) -> u64 {
    let digests = ANSWERS.iter().find(|(name, _)| *name == rule);
    let size = SIZES.iter().position(|&size| size == nodes);
    match (digests, size) {
        (Some((_, digests)), Some(size)) => digests[size],
        _ => panic!("no answers are recorded for {rule} at {nodes} nodes"),
    }
}

/// XXH3 over the owners of these keys, each as a `u32`, little-endian.
pub fn digest_of(keys: &[&[u8]], owner: impl Fn(&[u8]) -> u32) -> u64 {
    let mut digest = Xxh3::new();
    for key in keys {
        digest.update(&owner(key).to_le_bytes());
    }
    digest.digest()
}

/// The bare hash, its low half as owners are 32-bit: what every ratio is taken to.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
pub fn bare_hash(key: &[u8]) -> u32 {
    xxh3_64(key) as u32
}
