//! [`Layers`]: a key's endless sequence of buckets, the same for any number of them.

use keyroute_core::MAX_NODES;
use keyroute_core::buckets::word;

/// The highest layer: 24, enough for [`MAX_NODES`] buckets.
const HIGHEST: u32 = MAX_NODES.ilog2();

/// Draws that a layer makes for each number it holds before it falls back on counting. A bucket in
/// service is missed until then with a chance of e^−64.
const DRAWS_PER_BUCKET: u32 = 64;

/// Layer j draws numbers below 2^j. A number of its upper half it gives; for one of its lower half it
/// gives what layer j − 1 gives next. Layer 0 gives 0.
///
/// So what layer j gives is independent and even over 0 to 2^j − 1, if that of layer j − 1 is over its
/// range: by induction it is. And what it gives, less the numbers of 2^(j−1) and above, is what layer
/// j − 1 gives. Hence for every n the numbers below n that come up are independent and even, and those
/// for n + 1 are the same with n put in between.
///
/// A layer that has drawn 64 times for each of its numbers gives those of its upper half in turn, and then
/// leaves all to the layer below: every number comes up at last, and the second property holds
/// throughout.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    hash: u64,
    /// Draws of each layer so far.
    drawn: [u32; HIGHEST as usize + 1],
    draws_per_bucket: u32,
}

impl Layers {
    pub(crate) fn new(hash: u64) -> Self {
        Self::with_draws(hash, DRAWS_PER_BUCKET)
    }

    fn with_draws(hash: u64, draws_per_bucket: u32) -> Self {
        Self {
            hash,
            drawn: [0; HIGHEST as usize + 1],
            draws_per_bucket,
        }
    }

    /// What this layer gives next, or the highest if there is no such layer.
    pub(crate) fn next(&mut self, layer: u32) -> u32 {
        for layer in (1..=layer.min(HIGHEST)).rev() {
            let drawn = &mut self.drawn[layer as usize]; // u32 fits
            let half = 1 << (layer - 1);
            // At most 64 × 2^24 draws and 2^23 numbers: no overflow.
            let draws = self.draws_per_bucket << layer;
            let number = if *drawn < draws {
                top_bits(
                    word(self.hash, u64::from(layer) << 32 | u64::from(*drawn)),
                    layer,
                )
            } else {
                // Counted, and from the last one on a number of the lower half.
                (*drawn - draws + half) % (2 * half)
            };
            if *drawn < draws + half {
                *drawn += 1;
            }
            if number >= half {
                return number;
            }
        }
        0
    }
}

/// The top bits of a word, from 1 to 32 of them.
#[expect(clippy::cast_possible_truncation, reason = "at most 32 bits are left")]
fn top_bits(word: u64, bits: u32) -> u32 {
    (word >> (u64::BITS - bits)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    /// The order in which the numbers below 2^layer first come up, and how many were given until then.
    fn order(hash: u64, draws: u32, layer: u32) -> (Vec<u32>, usize) {
        let mut layers = Layers::with_draws(hash, draws);
        let (mut met, mut order) = (BTreeSet::new(), Vec::new());
        let mut given = 0;
        while order.len() < 1 << layer {
            let number = layers.next(layer);
            assert!(number < 1 << layer);
            given += 1;
            if met.insert(number) {
                order.push(number);
            }
        }
        (order, given)
    }

    // Whether layers draw, count or do both: a smaller layer's order is the greater's without the rest.
    #[test]
    fn an_order_of_fewer_is_the_order_of_more_without_the_rest() {
        for draws in [0, 1, 2, DRAWS_PER_BUCKET] {
            for hash in 0..500 {
                let (mut more, _) = order(hash, draws, 7);
                for layer in (0..7).rev() {
                    more.retain(|&number| number < 1 << layer);
                    assert_eq!(order(hash, draws, layer).0, more, "{draws} {hash} {layer}");
                }
            }
        }
    }

    #[test]
    fn without_draws_every_number_is_counted_and_the_sequence_stays_at_0() {
        let (order, given) = order(7, 0, 5);
        let halves = [16..32, 8..16, 4..8, 2..4, 1..2, 0..1];
        assert!(order.into_iter().eq(halves.into_iter().flatten()));
        assert_eq!(given, 32);
        let mut layers = Layers::with_draws(7, 0);
        for _ in 0..31 {
            layers.next(5);
        }
        assert!((0..1000).all(|_| layers.next(5) == 0));
    }

    // At and just below a power of two a number takes 2 words, just above it 4.
    #[test]
    fn a_number_takes_two_to_four_words() {
        for (below, layer, expected) in [(256, 8, 2.0), (257, 9, 4.0), (384, 9, 8.0 / 3.0)] {
            let mut words = 0;
            for hash in 0..20_000 {
                let mut layers = Layers::new(hash);
                while layers.next(layer) >= below {}
                words += layers.drawn.iter().sum::<u32>();
            }
            let mean = f64::from(words) / 20_000.0;
            assert!((mean - expected).abs() < 0.1, "{below}: {mean}");
        }
    }

    #[test]
    fn the_highest_layer_gives_all_that_fits() {
        let mut layers = Layers::new(3);
        let given: Vec<u32> = (0..1000).map(|_| layers.next(HIGHEST)).collect();
        assert!(given.iter().all(|&number| (number as usize) < MAX_NODES));
        assert!(
            given
                .iter()
                .any(|&number| (number as usize) > MAX_NODES / 100 * 99)
        );
    }
}
