//! Many MD5s side by side. One waits for itself, step after step; 32 of them fill a machine's vectors.
//!
//! The steps are those of RFC 1321, each over an array with a lane for each key: loops that compile to vector
//! instructions without naming any. 32 lanes took a quarter of the time of one key after the other, 16 and
//! fewer more than half.

/// How many keys are hashed at once.
pub(super) const LANES: usize = 32;

/// The longest key that fits one block with its padding, in bytes.
pub(super) const SHORT: usize = 55;

type Lanes = [u32; LANES];

pub(super) const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// ⌊2^32 × |sin(i + 1)|⌋.
pub(super) const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// The four little-endian words of the MD5 of each of at most [`LANES`] keys of at most [`SHORT`] bytes; lanes
/// without a key have nothing to say.
pub(super) fn words(keys: &[&[u8]]) -> [Lanes; 4] {
    let mut message = [[0; LANES]; 16];
    for (lane, key) in keys.iter().enumerate().take(LANES) {
        for (words, word) in message.iter_mut().zip(block(key)) {
            words[lane] = word;
        }
    }
    let mut state = START.map(|word| [word; LANES]);
    round::<7, 12, 17, 22>(&mut state, &message, 0, |i| i, |b, c, d| d ^ (b & (c ^ d)));
    round::<5, 9, 14, 20>(
        &mut state,
        &message,
        1,
        |i| 5 * i + 1,
        |b, c, d| c ^ (d & (b ^ c)),
    );
    round::<4, 11, 16, 23>(&mut state, &message, 2, |i| 3 * i + 5, |b, c, d| b ^ c ^ d);
    round::<6, 10, 15, 21>(&mut state, &message, 3, |i| 7 * i, |b, c, d| c ^ (b | !d));
    for (word, start) in state.iter_mut().zip(START) {
        for word in word {
            *word = word.wrapping_add(start);
        }
    }
    state
}

/// The one block of a key of at most [`SHORT`] bytes, in little-endian words.
#[inline]
pub(super) fn block(key: &[u8]) -> [u32; 16] {
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    block[key.len()] = 0x80;
    block[56..].copy_from_slice(&(8 * key.len() as u64).to_le_bytes());
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// A round: 16 steps, which read the message's words in the order of `place` and shift by four amounts in turn.
#[inline]
fn round<const S: u32, const T: u32, const U: u32, const V: u32>(
    [a, b, c, d]: &mut [Lanes; 4],
    message: &[Lanes; 16],
    number: usize,
    place: impl Fn(usize) -> usize,
    mix: impl Fn(u32, u32, u32) -> u32 + Copy,
) {
    for i in (0..16).step_by(4) {
        let word = |i: usize| (&message[place(i) % 16], SINES[16 * number + i]);
        step::<S>(a, [b, c, d], word(i), mix);
        step::<T>(d, [a, b, c], word(i + 1), mix);
        step::<U>(c, [d, a, b], word(i + 2), mix);
        step::<V>(b, [c, d, a], word(i + 3), mix);
    }
}

#[inline]
fn step<const SHIFT: u32>(
    a: &mut Lanes,
    [b, c, d]: [&Lanes; 3],
    (word, sine): (&Lanes, u32),
    mix: impl Fn(u32, u32, u32) -> u32,
) {
    for lane in 0..LANES {
        let sum = a[lane].wrapping_add(mix(b[lane], c[lane], d[lane]));
        let sum = sum.wrapping_add(word[lane]).wrapping_add(sine);
        a[lane] = b[lane].wrapping_add(sum.rotate_left(SHIFT));
    }
}
