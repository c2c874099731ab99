//! The draw of a node for a digest, and the search for the greatest.

/// The step of [`mix64`](crate::hash::mix64) that hash and digest take before they meet: it shifts and xors
/// alone, so `fold(a ^ b)` is `fold(a) ^ fold(b)`.
pub(super) fn fold(word: u64) -> u64 {
    word ^ word >> 33
}

/// The draw of a node for a digest, `mix64(digest ^ hash)`, of `fold(digest) ^ fold(hash)`: uniform over 64
/// bits, a bijection of either hash. A linear combination would make two nodes' draws differ by a constant,
/// and balance would go.
#[inline]
pub(super) fn draw(folded: u64) -> u64 {
    let word = fold(folded.wrapping_mul(0xff51_afd7_ed55_8ccd));
    fold(word.wrapping_mul(0xc4ce_b9fe_1a85_ec53))
}

/// The greatest draw among nodes of these folded hashes, and its place, of equal draws the first. Without nodes
/// the place is none of theirs.
///
/// `L` races run side by side, each of every L-th node, so that no step waits for the one before. No step has
/// a branch, so a compiler makes vectors of them where vectors multiply.
#[inline(always)]
pub(super) fn greatest<const L: usize>(hashes: &[u64], digest: u64) -> (u64, usize) {
    let (rows, rest) = hashes.as_chunks::<L>();
    let mut most = [0; L];
    // In which row: of equal draws the first, which is row 0 if all are 0.
    let mut at = [0; L];
    let mut step = |lane: usize, row: usize, hash: u64| {
        let draw = draw(hash ^ digest);
        let better = draw > most[lane];
        most[lane] = if better { draw } else { most[lane] };
        at[lane] = if better { row } else { at[lane] };
    };
    for (row, hashes) in rows.iter().enumerate() {
        for (lane, &hash) in hashes.iter().enumerate() {
            step(lane, row, hash);
        }
    }
    for (lane, &hash) in rest.iter().enumerate() {
        step(lane, rows.len(), hash);
    }
    // A lane without nodes has the draw 0 at a place behind theirs: it never wins.
    let (mut best, mut place) = (most[0], at[0] * L);
    for lane in 1..L {
        let other = at[lane] * L + lane;
        let better = most[lane] > best || most[lane] == best && other < place;
        best = if better { most[lane] } else { best };
        place = if better { other } else { place };
    }
    (best, place)
}
