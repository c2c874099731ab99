//! [`Layers`]: a key's endless sequence of buckets, the same for any number of them.

use keyroute_core::MAX_NODES;
use keyroute_core::buckets::word;

/// The highest layer: 24, enough for [`MAX_NODES`] buckets.
const HIGHEST: u32 = MAX_NODES.ilog2();

/// Draws that a layer makes for each number it holds before it falls back on counting. A bucket in
/// service is missed until then with a chance of e^−64.
const DRAWS_PER_BUCKET: u32 = 64;

/// Layer j gives numbers below 2^j: each time it draws, with even chances, whether that is a number of its
/// own, the upper half, or what layer j − 1 gives next. Layer 0 gives 0.
///
/// So what layer j gives is independent and even over 0 to 2^j − 1, if that of layer j − 1 is over its
/// range: by induction it is. And what it gives, less its own numbers, is what layer j − 1 gives. Hence for
/// every n the numbers below n that come up are independent and even, and those for n + 1 are the same with
/// n put in between.
///
/// A layer that has drawn 64 times for each of its numbers gives those of its own in turn, and then leaves
/// all to the layer below: every number comes up at last, and the second property holds throughout.
///
/// Bit j of word t says what draw t of layer j gives, 1 for a number of its own; that number's lower bits
/// are the top ones of word j × 2^32 + t.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    hash: u64,
    /// The layer that is asked.
    top: u32,
    /// Its draws so far.
    drawn: u32,
    below: Below,
    draws_per_bucket: u32,
}

/// How often the layer below the top one was asked. Most lookups end before it is asked twice, so only
/// then are all layers' draws counted.
#[derive(Clone, Debug)]
enum Below {
    Never,
    Once,
    /// With the draws of each layer so far.
    Often([u32; HIGHEST as usize]),
}

impl Layers {
    /// The first number of the least layer that gives all numbers of this mask, and the rest. Most lookups
    /// end with the first, so it is found without asking layer by layer.
    pub(crate) fn begin(hash: u64, mask: u32) -> (u32, Self) {
        let top = mask.count_ones().min(HIGHEST);
        let own = first_own(hash, top);
        let layers = Self {
            hash,
            top,
            drawn: 1,
            below: if own == top {
                Below::Never
            } else {
                Below::Once
            },
            draws_per_bucket: DRAWS_PER_BUCKET,
        };
        (first_number(hash, own), layers)
    }

    /// What the layer gives next.
    pub(crate) fn next(&mut self) -> u32 {
        let (hash, draws) = (self.hash, self.draws_per_bucket);
        let Some(below) = self.top.checked_sub(1) else {
            return 0;
        };
        if let Some(number) = draw(hash, self.top, &mut self.drawn, draws) {
            return number;
        }
        match &mut self.below {
            Below::Never => {
                self.below = Below::Once;
                first_number(hash, first_own(hash, below))
            }
            Below::Once => {
                let mut drawn = after_first(hash, below);
                let number = next(hash, below, &mut drawn, draws);
                self.below = Below::Often(drawn);
                number
            }
            Below::Often(drawn) => next(hash, below, drawn, draws),
        }
    }
}

/// What this layer gives next, after these draws of each.
fn next(hash: u64, layer: u32, drawn: &mut [u32], draws_per_bucket: u32) -> u32 {
    for layer in (1..=layer).rev() {
        let drawn = &mut drawn[layer as usize]; // u32 fits
        if let Some(number) = draw(hash, layer, drawn, draws_per_bucket) {
            return number;
        }
    }
    0
}

/// A layer's next draw: a number of its own, or `None` for one of the layer below.
fn draw(hash: u64, layer: u32, drawn: &mut u32, draws_per_bucket: u32) -> Option<u32> {
    // At most 64 × 2^24 draws and 2^23 numbers: no overflow.
    let (draws, half) = (draws_per_bucket << layer, 1 << (layer - 1));
    let draw = *drawn;
    if draw < draws {
        *drawn += 1;
        let own = word(hash, draw.into()) >> layer & 1 == 1;
        own.then(|| own_number(hash, layer, draw))
    } else if draw < draws + half {
        *drawn += 1;
        Some(half + (draw - draws))
    } else {
        None
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most 31 bits are left")]
fn own_number(hash: u64, layer: u32, draw: u32) -> u32 {
    let word = word(hash, u64::from(layer) << 32 | u64::from(draw));
    // In two shifts: layer 1 has no lower bits.
    1 << (layer - 1) | (word >> 1 >> (u64::BITS - layer)) as u32
}

/// The layer whose own number this layer gives first.
fn first_own(hash: u64, layer: u32) -> u32 {
    let asked = (2 << layer) - 2;
    (word(hash, 0) & asked).checked_ilog2().unwrap_or(0)
}

/// The first own number of a layer.
fn first_number(hash: u64, layer: u32) -> u32 {
    match layer {
        0 => 0,
        _ => own_number(hash, layer, 0),
    }
}

/// The draws of each layer when this one has given its first number.
fn after_first(hash: u64, layer: u32) -> [u32; HIGHEST as usize] {
    let mut drawn = [0; HIGHEST as usize];
    drawn[first_own(hash, layer) as usize..=layer as usize].fill(1); // u32 fits
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    /// The layer that gives the numbers below 2^layer, all draws counted from the start.
    fn counted(hash: u64, draws_per_bucket: u32, layer: u32) -> Layers {
        Layers {
            hash,
            top: layer,
            drawn: 0,
            below: Below::Often([0; HIGHEST as usize]),
            draws_per_bucket,
        }
    }

    /// The order in which the numbers below 2^layer first come up, and how many were given until then.
    fn order(hash: u64, draws: u32, layer: u32) -> (Vec<u32>, usize) {
        let mut layers = counted(hash, draws, layer);
        let (mut met, mut order) = (BTreeSet::new(), Vec::new());
        let mut given = 0;
        while order.len() < 1 << layer {
            let number = layers.next();
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
        let mut layers = counted(7, 0, 5);
        for _ in 0..31 {
            layers.next();
        }
        assert!((0..1000).all(|_| layers.next() == 0));
    }

    #[test]
    fn counting_late_changes_nothing() {
        for (hash, layer) in (0..5000).zip((0..=HIGHEST).cycle()) {
            let (first, mut late) = Layers::begin(hash, (1 << layer) - 1);
            let mut counted = counted(hash, DRAWS_PER_BUCKET, layer);
            assert_eq!(first, counted.next(), "{hash} {layer}");
            for _ in 0..20 {
                assert_eq!(late.next(), counted.next(), "{hash} {layer}");
            }
        }
    }

    // At and just below a power of two a number takes 2 draws, just above it 4.
    #[test]
    fn a_number_takes_two_to_four_draws() {
        for (below, layer, expected) in [(256, 8, 2.0), (257, 9, 4.0), (384, 9, 8.0 / 3.0)] {
            let mut draws = 0;
            for hash in 0..20_000 {
                let mut layers = counted(hash, DRAWS_PER_BUCKET, layer);
                while layers.next() >= below {}
                let Below::Often(drawn) = layers.below else {
                    panic!("not counted");
                };
                draws += layers.drawn + drawn.iter().sum::<u32>();
            }
            let mean = f64::from(draws) / 20_000.0;
            assert!((mean - expected).abs() < 0.1, "{below}: {mean}");
        }
    }

    #[test]
    fn the_highest_layer_gives_all_that_fits() {
        let (_, mut layers) = Layers::begin(3, u32::MAX);
        let given: Vec<u32> = (0..1000).map(|_| layers.next()).collect();
        assert!(given.iter().all(|&number| (number as usize) < MAX_NODES));
        assert!(
            given
                .iter()
                .any(|&number| (number as usize) > MAX_NODES / 100 * 99)
        );
    }
}
