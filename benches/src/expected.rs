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
/// `tests/workload.rs` derives those of the simpler rules anew, without our routers. The others of ours are
/// recorded from routers whose answers their crates hold to those of other programs; the peers' from the versions
/// that the lock file names.
const ANSWERS: [(&str, [u64; 5]); 21] = [
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
        "ring/nearest",
        [
            0xd8af_a392_5d2e_f8b9,
            0xc26f_3e1f_0411_8800,
            0x11b4_1b8e_b337_11e4,
            0xe6d7_c9e9_6cbe_6590,
            0xd410_67f2_07c3_cfab,
        ],
    ),
    (
        "multi-probe",
        [
            0xd630_af0a_435b_919e,
            0x2ec6_163c_d523_7bbe,
            0x7a0c_94ea_85f0_de3c,
            0x47fd_ab6f_adc0_594d,
            0xcd47_2eae_eb8c_1843,
        ],
    ),
    (
        "window-ring",
        [
            0x4370_3d96_2bb6_513b,
            0x6355_a38c_bc97_a1ab,
            0x0290_4d47_2556_4c12,
            0x7f70_ceef_55b8_969b,
            0x2985_d63b_e411_7bb1,
        ],
    ),
    (
        "token-ring",
        [
            0xe578_6c67_b25b_f7fd,
            0x7196_b2db_28e2_5e47,
            0xbcf0_360f_f249_8071,
            0xb1e9_52a3_c03c_d15d,
            0x6700_bf44_7a2f_9993,
        ],
    ),
    (
        "rendezvous",
        [
            0x4370_3d96_2bb6_513b,
            0x3e40_ac8a_af17_eaa7,
            0x6093_5b6f_6d38_36ed,
            0x9f31_bb43_c71f_63be,
            0x3c64_92ac_437a_c96d,
        ],
    ),
    (
        "maglev",
        [
            0x8dbc_0d66_33bf_3ce0,
            0x5307_6a21_63c8_cab5,
            0x55c2_442d_970f_e55d,
            0xa1d1_3877_8131_b538,
            0x43c7_aefa_9913_d19e,
        ],
    ),
    (
        "slot-table",
        [
            0xe0df_bf89_e891_d50b,
            0x9673_1191_12e6_6f27,
            0x11c5_138f_f5ea_4580,
            0x0fad_0283_185e_3d51,
            0xb3a9_5836_dbd2_887a,
        ],
    ),
    (
        "jump-back",
        [
            0x69a7_3dd0_b217_f4ab,
            0xaa02_521a_aec0_ab5a,
            0x3e7f_fe76_08b5_738a,
            0xabc4_a758_cb33_46e3,
            0x48b9_c12d_0c4f_fd02,
        ],
    ),
    (
        "flip",
        [
            0x27bc_6f61_fd3a_eab9,
            0xdb6a_09d5_dedc_3685,
            0x9350_27b3_d07b_46df,
            0x0acd_83c2_82df_1168,
            0xb476_e978_2a60_2d27,
        ],
    ),
    (
        "power",
        [
            0x42a5_0d33_19dd_a71b,
            0x72cc_b6a8_15a0_7c0f,
            0x2360_f4d5_d6b3_151d,
            0xb89e_cc5c_f75e_b7a4,
            0xbbfc_329d_9ed5_9006,
        ],
    ),
    (
        "binomial",
        [
            0x8860_5386_2d75_5f95,
            0xdaf7_58ec_87ce_4405,
            0x9d15_7a2f_cdde_d664,
            0xb615_b31b_49b9_7434,
            0x00f0_1a2a_ecc9_bcc6,
        ],
    ),
    (
        "binomial-published",
        [
            0xdc32_5bf4_d004_7754,
            0x1088_a69b_f362_196b,
            0x7160_c5ce_4d7e_35ac,
            0x0d28_9084_2f28_dec4,
            0x6cd3_dc15_d0fc_415b,
        ],
    ),
    (
        "ranking",
        [
            0x2d8a_b8bf_3b68_1588,
            0xd84a_5b37_8e1b_28f5,
            0x873f_575f_9e59_b89b,
            0x0c6d_5086_177d_efd8,
            0x6c31_4d05_02a9_9c5b,
        ],
    ),
    (
        "dx",
        [
            0x1ff4_0f5f_3c6a_7362,
            0x970d_6bb0_4ba7_613d,
            0x5c2d_46b1_97f9_43a8,
            0x91d8_ed9e_09fd_4cec,
            0xd119_036f_c3c6_64fc,
        ],
    ),
    (
        "anchor",
        [
            0x16f4_66b1_51c0_8909,
            0xc2dc_b061_ada7_47f6,
            0x9f2b_6c10_f1d3_7433,
            0x407d_235a_ab1d_ff45,
            0x95f7_b77c_fcfe_16ad,
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
