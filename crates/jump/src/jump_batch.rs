//! [`jump_hash_batch`]: jump for many keys at once.

use keyroute_core::buckets::covered;

use crate::steps::{WHOLE, advance, below, excess, jump_on, stretch};
use crate::wide;

/// How many keys are at hand at a time.
const BLOCK: usize = 64;

/// [`jump_hash`](crate::jump_hash) of each key.
///
/// All keys of a block make as many rounds as most of them need; those that need more go on one by one.
/// Nothing in these rounds depends on where a key is, so they overlap and become vector instructions.
pub(crate) fn jump_hash_batch(keys: &[u64], buckets: u32, out: &mut [Option<u32>]) {
    if covered(buckets).is_none() {
        return out.fill(None);
    }
    for (keys, out) in keys.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let mut block = Block::new(keys);
        if !wide::advance(&mut block, buckets) {
            // Two doubles a register, in four registers.
            block.advance::<8>(buckets);
        }
        block.finish(keys, buckets, out);
    }
}

/// Where the keys of a block are.
pub(crate) struct Block {
    len: usize,
    states: [u64; BLOCK],
    /// One more than the bucket of the last stop, past the end or not.
    next: [f64; BLOCK],
    /// The bucket of the last stop below the end, over 2^52.
    found: [f64; BLOCK],
    /// Less than 1 where a stop was an odd whole number.
    gap: [f64; BLOCK],
}

impl Block {
    pub(crate) fn new(keys: &[u64]) -> Self {
        let mut states = [0; BLOCK];
        for (state, &key) in states.iter_mut().zip(keys) {
            *state = key;
        }
        Self {
            len: keys.len().min(BLOCK),
            states,
            next: [1.0; BLOCK],
            found: [WHOLE; BLOCK],
            gap: [1.0; BLOCK],
        }
    }

    /// Takes all keys on by the number of rounds that most need, so many of them together.
    #[inline(always)]
    pub(crate) fn advance<const LANES: usize>(&mut self, buckets: u32) {
        let rounds = buckets.ilog2() + 1;
        let end = WHOLE + f64::from(buckets);
        // An even number past the end: far enough for any stop, and near enough to count from.
        let far = f64::from(buckets + buckets % 2);
        let lanes = self
            .states
            .chunks_exact_mut(LANES)
            .zip(self.next.chunks_exact_mut(LANES))
            .zip(self.found.chunks_exact_mut(LANES))
            .zip(self.gap.chunks_exact_mut(LANES));
        for (((states, nexts), founds), gaps) in lanes.take(self.len.div_ceil(LANES)) {
            // Copies, to stay in registers.
            let mut state = [0; LANES];
            state.copy_from_slice(states);
            let (mut next, mut found, mut gap) = ([1.0; LANES], [WHOLE; LANES], [1.0; LANES]);
            for _ in 0..rounds {
                for lane in 0..LANES {
                    state[lane] = advance(state[lane]);
                    let stop = next[lane] * stretch(state[lane]);
                    let stop = if stop < far { stop } else { far };
                    let bucket = below(stop);
                    next[lane] = bucket - (WHOLE - 1.0);
                    let past = next[lane] - stop;
                    gap[lane] = if past < gap[lane] { past } else { gap[lane] };
                    found[lane] = if bucket < end { bucket } else { found[lane] };
                }
            }
            states.copy_from_slice(&state);
            nexts.copy_from_slice(&next);
            founds.copy_from_slice(&found);
            gaps.copy_from_slice(&gap);
        }
    }

    /// Gives the buckets, after what rounds are left for some of these keys.
    pub(crate) fn finish(&mut self, keys: &[u64], buckets: u32, out: &mut [Option<u32>]) {
        let end = f64::from(buckets);
        // First who they are, so that only how many they are is a guess.
        let mut open = [0; BLOCK];
        let mut count = 0;
        for (place, &next) in self.next[..self.len].iter().enumerate() {
            open[count] = place;
            count += usize::from(next < end);
        }
        for &place in &open[..count] {
            self.found[place] = jump_on(self.states[place], self.next[place], end);
        }
        for (out, found) in out.iter_mut().zip(self.found) {
            *out = Some(excess(found));
        }
        // All together first: that is a few vector instructions.
        if self.gap.iter().fold(false, |odd, &gap| odd | (gap <= 0.0)) {
            for ((&gap, &key), out) in self.gap.iter().zip(keys).zip(out) {
                if gap <= 0.0 {
                    *out = crate::jump_hash(key, buckets);
                }
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        let bits = |doubles: &[f64; BLOCK]| doubles.map(f64::to_bits);
        self.states == other.states
            && bits(&self.next) == bits(&other.next)
            && bits(&self.found) == bits(&other.found)
            && bits(&self.gap) == bits(&other.gap)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use keyroute_core::buckets::{MAX_BUCKETS, word};

    /// Whatever the processor has.
    #[test]
    fn eight_at_once_are_one_by_one() {
        for buckets in [1, 2, 3, 10, 17, 1000, 1025, 1_000_001, MAX_BUCKETS] {
            for seed in 0..500 {
                let keys: std::vec::Vec<u64> =
                    (0..=seed % 64).map(|index| word(seed, index)).collect();
                let mut out = std::vec![None; keys.len()];
                let mut block = Block::new(&keys);
                block.advance::<8>(buckets);
                block.finish(&keys, buckets, &mut out);
                for (&key, out) in keys.iter().zip(out) {
                    assert_eq!(out, crate::jump_hash(key, buckets), "{key} of {buckets}");
                }
            }
        }
    }

    /// Draws of 2^31 − 1, thrice: the first stop is 1, an odd whole number.
    #[test]
    fn an_odd_whole_stop_is_noticed() {
        // The state before the one whose top 31 bits are ones, by the inverse of the factor.
        let key = (u64::MAX - 1).wrapping_mul(0xdfe6_6807_999c_ec55);
        assert_eq!(advance(key), u64::MAX);
        let mut out = [None; 9];
        let mut block = Block::new(&[key; 9]);
        block.advance::<8>(1000);
        assert!(block.gap[..9].iter().all(|&gap| gap <= 0.0));
        block.finish(&[key; 9], 1000, &mut out);
        assert_eq!(out, [crate::jump_hash(key, 1000); 9]);
    }
}
