//! The container beside a plain sorted array: the same points, in the same order, found alike, whatever the
//! history and however the positions lie.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cmp::Ordering;

use keyroute_core::hash::mix64;
use keyroute_vector_ring::{Edge, PointTable, Position, Slot, SortedPoints};

/// Sorted points and nothing else: each answer is a scan.
#[derive(Default)]
struct Plain<P>(Vec<(P, Slot)>);

/// Who wins a tie: an order of slots that is not that of their numbers.
fn ties(a: Slot, b: Slot) -> Ordering {
    let rank = |slot: Slot| mix64(slot.index().into());
    rank(a).cmp(&rank(b))
}

fn order<P: Position>(a: &(P, Slot), b: &(P, Slot)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| ties(a.1, b.1))
}

impl<P: Position> Plain<P> {
    fn insert(&mut self, points: &[(P, Slot)]) {
        self.0.extend(points);
        self.0.sort_by(order);
    }

    fn remove(&mut self, slot: Slot) {
        self.0.retain(|point| point.1 != slot);
    }

    fn first(&self, at: P, edge: Edge) -> usize {
        self.0.partition_point(|point| match edge {
            Edge::Inclusive => point.0 < at,
            Edge::Exclusive => point.0 <= at,
        })
    }

    fn forward(&self, at: P, edge: Edge) -> Vec<(P, Slot)> {
        let (before, after) = self.0.split_at(self.first(at, edge));
        [after, before].concat()
    }

    /// Groups of equal positions from high to low, each in tie order.
    fn backward(&self, at: P, edge: Edge) -> Vec<(P, Slot)> {
        let opposite = match edge {
            Edge::Inclusive => Edge::Exclusive,
            Edge::Exclusive => Edge::Inclusive,
        };
        let (before, after) = self.0.split_at(self.first(at, opposite));
        let groups = |points: &[(P, Slot)]| {
            let groups = points.chunk_by(|a, b| a.0 == b.0).rev();
            groups.flatten().copied().collect::<Vec<_>>()
        };
        [groups(before), groups(after)].concat()
    }
}

/// How the positions of a history lie, drawn from 64 random bits.
type Shape<P> = fn(u64) -> P;

/// One history: nodes join and leave, and after each step both containers answer alike.
fn same<P: Position>(shape: Shape<P>, slots: u32, seed: u64) {
    let mut drawn = seed;
    let mut draw = move |below: u64| {
        drawn += 1;
        mix64(drawn) % below
    };
    let (mut table, mut plain) = (SortedPoints::<P>::default(), Plain::<P>::default());
    let mut joined: Vec<Slot> = Vec::new();
    for step in 0..30 {
        if joined.is_empty() || draw(3) > 0 {
            // Nodes that have points get more of them, too.
            let slot = Slot::new(u32::try_from(draw(slots.into())).unwrap()).unwrap();
            let most = [2, 20, 200][usize::try_from(draw(3)).unwrap()];
            let count = draw(most);
            let points: Vec<_> = (0..count).map(|_| (shape(draw(u64::MAX)), slot)).collect();
            table.insert(points.clone(), &ties);
            plain.insert(&points);
            joined.push(slot);
        } else {
            let leaver = joined.swap_remove(usize::try_from(draw(joined.len() as u64)).unwrap());
            joined.retain(|&slot| slot != leaver);
            table.remove(leaver, &[]);
            plain.remove(leaver);
        }
        let told = format!("{slots} slots, seed {seed}, step {step}");
        let mut asked = vec![P::default(), P::MAX];
        asked.extend((0..20).map(|_| shape(draw(u64::MAX))));
        for _ in 0..20.min(plain.0.len()) {
            let place = usize::try_from(draw(plain.0.len() as u64)).unwrap();
            let at = plain.0[place].0;
            asked.extend([at, at.before(), P::MAX.ahead(at).plus(at)]);
        }
        answers_are(&table, &plain, &asked, &told);
    }
}

fn answers_are<P: Position>(table: &SortedPoints<P>, plain: &Plain<P>, asked: &[P], told: &str) {
    assert_eq!(table.len(), plain.0.len(), "{told}");
    assert_eq!(table.is_empty(), plain.0.is_empty(), "{told}");
    let mut owners = vec![None; asked.len()];
    table.at_or_after_each(asked, &mut owners);
    for (index, (&at, &owner)) in asked.iter().zip(&owners).enumerate() {
        let ahead = plain.forward(at, Edge::Inclusive);
        let behind = plain.backward(at, Edge::Exclusive);
        let expected = ahead.first().map(|point| point.1);
        assert_eq!(table.at_or_after(at), expected, "{told}, at {at}");
        assert_eq!(owner, expected, "{told}, at {at} of a batch");
        let around = ahead.first().map(|&ahead| [behind[0], ahead]);
        assert_eq!(table.around(at), around, "{told}, at {at}");
        for edge in [Edge::Inclusive, Edge::Exclusive] {
            let (forward, backward) = (table.forward(at, edge), table.backward(at, edge));
            // The first few for all, every point for some.
            let met = if index % 8 == 0 { usize::MAX } else { 3 };
            let all = plain.forward(at, edge).into_iter().take(met);
            assert!(forward.take(met).eq(all), "{told}, from {at} {edge:?}");
            let all = plain.backward(at, edge).into_iter().take(met);
            assert!(
                backward.take(met).eq(all),
                "{told}, back from {at} {edge:?}"
            );
        }
    }
}

fn same_in_every_shape<P: Position>(shapes: &[Shape<P>]) {
    for seed in 0..6 {
        for &shape in shapes {
            same(shape, 12, seed << 32);
        }
        // Slots of two bytes and of four, by turns.
        same(shapes[0], 1 << 18, seed << 32 | 1 << 16);
        same(shapes[0], (1 << 16) + 2, seed << 32 | 1 << 17);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "random bits")]
fn half(bits: u64) -> u32 {
    bits as u32
}

#[test]
fn over_32_bits() {
    let shapes: &[Shape<u32>] = &[
        half,
        |bits| half(bits) << 24,            // 256 positions all round
        |bits| half(bits) & 0xff,           // in one arc
        |bits| u32::MAX - (half(bits) & 7), // at the end
        |bits| [0, u32::MAX][half(bits) as usize & 1],
        |_| 1 << 31, // in one place
    ];
    same_in_every_shape(shapes);
    built_alike(shapes);
}

#[test]
fn over_64_bits() {
    let shapes: &[Shape<u64>] = &[
        |bits| bits,
        |bits| bits << 56,
        |bits| bits & 0xff,
        |bits| u64::from(half(bits)),          // the upper half empty
        |bits| u64::MAX - (bits & 7),          // at the end
        |bits| bits & 3 << 32 | bits & 0xff00, // few heads, each with many
        |bits| (bits >> 40) << 40 | bits & 1,  // equal heads now and then
        |_| 0,
    ];
    same_in_every_shape(shapes);
    built_alike(shapes);
}

#[test]
fn over_128_bits() {
    let shapes: &[Shape<u128>] = &[
        |bits| u128::from(bits) << 64 | u128::from(mix64(bits)),
        |bits| u128::from(bits),
        |bits| u128::from(bits & 3) << 96 | u128::from(bits & 0xf0) << 60,
        |bits| u128::MAX - u128::from(bits & 7),
    ];
    same_in_every_shape(shapes);
    built_alike(shapes);
}

/// Points that come at once, few and many, are in the order of a stable sort.
fn built_alike<P: Position>(shapes: &[Shape<P>]) {
    for (&shape, seed) in shapes.iter().zip(0u64..) {
        for count in [1, 63, 64, 65, 1_000, 2_047, 2_048, 5_000, 40_000] {
            // Owners of two bytes, and among them one of four.
            for high in [None, Some(1 << 16)] {
                let drawn = |i: u64| mix64(seed << 40 | count << 20 | i);
                let slot =
                    |i: u64| Slot::new(high.filter(|_| i == count / 2).unwrap_or(half(i % 7)));
                let mut points: Vec<_> = (0..count)
                    .map(|i| (shape(drawn(i)), slot(i).unwrap()))
                    .collect();
                let mut table = SortedPoints::default();
                table.insert(points.clone(), &ties);
                points.sort_by(order);
                let built = table.forward(P::default(), Edge::Inclusive);
                assert!(built.eq(points), "shape {seed}, {count} points, {high:?}");
                let nodes = high.map_or(7, |high| u64::from(high) + 1);
                let estimate = SortedPoints::<P>::estimate(count, nodes);
                // A vector has room for four numbers at least.
                let more = (table.heap_bytes() as u64).checked_sub(estimate);
                assert!(
                    more <= Some(8) && more.is_some(),
                    "{count} points: {more:?}"
                );
            }
        }
    }
}

/// A hundred thousand points crowd in one part of the ring: neither building nor a search counts them one by
/// one, or this would take hours.
#[test]
fn crowds_are_searched_by_halves() {
    let slot = |index| Slot::new(index % 1_000).unwrap();
    let points: Vec<(u64, Slot)> = (0..100_000u32)
        .map(|i| (u64::from(i * 2), slot(i)))
        .collect();
    let mut table = SortedPoints::default();
    table.insert(points.iter().rev().copied().collect(), &ties);
    for at in 0..200_000u64 {
        let index = usize::try_from(at.div_ceil(2)).unwrap() % points.len();
        assert_eq!(table.at_or_after(at), Some(points[index].1), "at {at}");
    }
    let same: Vec<(u64, Slot)> = (0..100_000).map(|i| (7, slot(i))).collect();
    let mut table = SortedPoints::default();
    table.insert(same, &ties);
    let first = (0..1_000).map(slot).min_by(|&a, &b| ties(a, b));
    for at in 0..100_000 {
        assert_eq!(table.at_or_after(at), first);
        assert_eq!(table.around(at).map(|[_, ahead]| ahead.1), first);
    }
}
