//! Bob Jenkins' lookup3 (2006, public domain): `hashlittle`.

/// `hashlittle` of these bytes. Without a byte nothing is mixed.
pub(super) fn hashlittle(bytes: &[u8], seed: u32) -> u32 {
    // The length is counted modulo 2^32.
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
    let start = 0xdead_beef_u32
        .wrapping_add(bytes.len() as u32)
        .wrapping_add(seed);
    let mut state = [start; 3];
    // The last block, of 1 to 12 bytes, is not mixed but finished.
    let Some(last) = bytes.len().checked_sub(1).map(|end| end / 12 * 12) else {
        return start;
    };
    for block in bytes[..last].chunks_exact(12) {
        add(&mut state, block);
        mix(&mut state);
    }
    add(&mut state, &bytes[last..]);
    finish(state)
}

/// Adds up to twelve bytes as three little-endian words.
fn add(state: &mut [u32; 3], block: &[u8]) {
    for (word, bytes) in state.iter_mut().zip(block.chunks(4)) {
        let mut padded = [0; 4];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = word.wrapping_add(u32::from_le_bytes(padded));
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    for (x, y, z, turn) in [
        (0, 2, 1, 4),
        (1, 0, 2, 6),
        (2, 1, 0, 8),
        (0, 2, 1, 16),
        (1, 0, 2, 19),
        (2, 1, 0, 4),
    ] {
        let mut words = [*a, *b, *c];
        words[x] = words[x].wrapping_sub(words[y]) ^ words[y].rotate_left(turn);
        words[y] = words[y].wrapping_add(words[z]);
        [*a, *b, *c] = words;
    }
}

fn finish(mut words: [u32; 3]) -> u32 {
    for (x, y, turn) in [
        (2, 1, 14),
        (0, 2, 11),
        (1, 0, 25),
        (2, 1, 16),
        (0, 2, 4),
        (1, 0, 14),
        (2, 1, 24),
    ] {
        words[x] = (words[x] ^ words[y]).wrapping_sub(words[y].rotate_left(turn));
    }
    words[2]
}
