//! The container beside a plain sorted list: the same points in the same order whatever the history, also where
//! many stand in one place; and nothing is left when all have gone.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cmp::Ordering;

use keyroute_btree_ring::{Edge, PointTable, Position, Slot, TreePoints};
use keyroute_core::hash::mix64;

/// Who wins a tie: an order of slots that is not that of their numbers.
fn ties(a: Slot, b: Slot) -> Ordering {
    let rank = |slot: Slot| mix64(slot.index().into());
    rank(a).cmp(&rank(b))
}

/// The points from here, once round, of a list in order of positions and ties.
fn forward<P: Position>(list: &[(P, Slot)], at: P, edge: Edge) -> Vec<(P, Slot)> {
    let (behind, ahead): (Vec<_>, Vec<_>) = list.iter().partition(|point| match edge {
        Edge::Inclusive => point.0 < at,
        Edge::Exclusive => point.0 <= at,
    });
    [ahead, behind].concat()
}

/// The same against the clock: positions from high to low, ties as ever.
fn backward<P: Position>(list: &[(P, Slot)], at: P, edge: Edge) -> Vec<(P, Slot)> {
    let opposite = match edge {
        Edge::Inclusive => Edge::Exclusive,
        Edge::Exclusive => Edge::Inclusive,
    };
    let ahead = forward(list, at, opposite);
    let crowds = ahead.chunk_by(|a, b| a.0 == b.0).rev();
    crowds.flatten().copied().collect()
}

fn answers_are<P: Position>(table: &TreePoints<P>, list: &[(P, Slot)], at: P, told: &str) {
    let ahead = forward(list, at, Edge::Inclusive);
    let owner = ahead.first().map(|point| point.1);
    assert_eq!(table.at_or_after(at), owner, "{told}, at {at}");
    let behind = backward(list, at, Edge::Exclusive);
    let around = ahead.first().map(|&ahead| [behind[0], ahead]);
    assert_eq!(table.around(at), around, "{told}, at {at}");
    for edge in [Edge::Inclusive, Edge::Exclusive] {
        let all: Vec<_> = table.forward(at, edge).collect();
        assert_eq!(all, forward(list, at, edge), "{told}, from {at} {edge:?}");
        let all: Vec<_> = table.backward(at, edge).collect();
        assert_eq!(all, backward(list, at, edge), "{told}, back from {at}");
    }
}

/// Nodes join with some points and leave; positions are cut out of random bits.
fn same<P: Position>(cut: fn(u64) -> P, seed: u64) {
    let mut drawn = seed << 32;
    let mut draw = move |below: u64| {
        drawn += 1;
        mix64(drawn) % below
    };
    let mut table = TreePoints::<P>::default();
    let mut list: Vec<(P, Slot)> = Vec::new();
    let leave = |table: &mut TreePoints<P>, list: &mut Vec<(P, Slot)>, leaver: Slot| {
        let gone = list.extract_if(.., |point| point.1 == leaver);
        let positions: Vec<P> = gone.map(|point| point.0).collect();
        table.remove(leaver, &positions);
    };
    for step in 0..60 {
        let slot = Slot::new(u32::try_from(draw(12)).unwrap()).unwrap();
        if draw(3) > 0 {
            // A node that has points gets more of them, some where it has one already.
            let points: Vec<_> = (0..draw(40)).map(|_| (cut(draw(u64::MAX)), slot)).collect();
            list.extend(&points);
            list.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| ties(a.1, b.1)));
            table.insert(points, &ties);
        } else {
            leave(&mut table, &mut list, slot);
        }
        let told = format!("seed {seed}, step {step}");
        assert_eq!(table.len(), list.len(), "{told}");
        let mut asked = vec![P::default(), P::MAX, cut(draw(u64::MAX))];
        if !list.is_empty() {
            let place = usize::try_from(draw(list.len() as u64)).unwrap();
            asked.extend([list[place].0, list[place].0.before()]);
        }
        for at in asked {
            answers_are(&table, &list, at, &told);
        }
        // A position where it has no point is nothing to take it from.
        let absent = Slot::new(12).unwrap();
        table.remove(
            absent,
            &list.iter().map(|point| point.0).collect::<Vec<_>>(),
        );
        assert_eq!(table.len(), list.len(), "{told}");
    }
    for index in 0..12 {
        leave(&mut table, &mut list, Slot::new(index).unwrap());
    }
    assert_eq!((table.len(), table.heap_bytes()), (0, 0), "seed {seed}");
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "random bits")]
fn whatever_the_history_and_wherever_points_stand() {
    for seed in 0..8 {
        same::<u64>(|bits| bits, seed);
        same::<u64>(|bits| bits << 56, seed); // 256 positions all round
        same::<u64>(|bits| bits & 0xff, seed); // in one arc
        same::<u64>(|bits| u64::MAX - (bits & 1), seed); // at the end
        same::<u64>(|_| 0, seed); // in one place
        same::<u32>(|bits| bits as u32, seed);
        same::<u32>(|bits| (bits as u32) << 24, seed);
        same::<u128>(|bits| u128::from(bits) << 120, seed);
    }
}
