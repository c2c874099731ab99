//! The fast searches against the definition, written out and sorted.

use core::cmp::Ordering;

use super::*;
use crate::cost::cost;
use crate::hash::mix64;

/// FNV-1a, 64 bits.
fn fine(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Few answers, so that draws tie.
fn coarse(bytes: &[u8]) -> u64 {
    fine(bytes) & 3
}

fn members(weights: impl IntoIterator<Item = u32>) -> Members {
    let node = |(i, weight): (usize, u32)| {
        let node = Node::new(alloc::format!("n{i}")).unwrap();
        node.with_weight(Weight::new(weight).unwrap())
    };
    Members::from_nodes(weights.into_iter().enumerate().map(node)).unwrap()
}

/// By cost ÷ weight, then by draw, then by id; or by draw and id, where weights are equal.
fn defined(hasher: fn(&[u8]) -> u64, members: &Members, digest: u64) -> Vec<Slot> {
    let mut all: Vec<_> = members
        .iter()
        .map(|(slot, node)| {
            let draw = mix64(digest ^ NodeLabel::new(node.id()).hash(&hasher, 0));
            (
                slot,
                draw,
                u128::from(node.weight().get()),
                node.id().clone(),
            )
        })
        .collect();
    let equal = all.iter().all(|node| node.2 == all[0].2);
    all.sort_by(|(_, a, a_weight, a_id), (_, b, b_weight, b_id)| {
        let scores = if equal {
            Ordering::Equal
        } else {
            (cost(*a) * b_weight).cmp(&(cost(*b) * a_weight))
        };
        scores.then(b.cmp(a)).then(a_id.cmp(b_id))
    });
    all.into_iter().map(|node| node.0).collect()
}

fn order(candidates: &Candidates, digest: u64) -> Vec<Slot> {
    let mut order = Vec::new();
    candidates.walk(digest, &mut SlotSet::new(), &mut |slot| {
        order.push(slot);
        ControlFlow::Continue(())
    });
    order
}

/// Fleets of all sizes round the widths of lanes and blocks; weights equal, alike, far apart, and one that takes
/// almost all.
fn fleets() -> Vec<Members> {
    let mut fleets = Vec::new();
    for nodes in (0..=40).chain([63, 64, 65, 100, 127, 1023, 1024, 1025, 1500]) {
        let number = 0..nodes;
        fleets.push(members(number.clone().map(|_| 1)));
        fleets.push(members(number.clone().map(|i| i % 3 + 1)));
        fleets.push(members(number.clone().map(|i| 1 << (i * 7 % 32))));
        fleets.push(members(number.clone().map(|i| u32::MAX - i % 2)));
        fleets.push(members(number.map(|i| if i == 3 { 1 << 30 } else { 1 })));
    }
    fleets
}

#[test]
fn every_search_says_what_is_defined() {
    for members in fleets() {
        for hasher in [fine as fn(&[u8]) -> u64, coarse] {
            let candidates = Candidates::new(&hasher, &members);
            let digests = if members.len() > 100 { 3 } else { 40 };
            for digest in (0..digests).map(mix64) {
                let expected = defined(hasher, &members, digest);
                assert_eq!(order(&candidates, digest), expected);
                assert_eq!(candidates.best(digest), expected.first().copied());
                let mut gone = SlotSet::new();
                for (at, &slot) in expected.iter().enumerate().take(20) {
                    assert_eq!(candidates.best_outside(digest, &gone), Some(slot), "{at}");
                    gone.insert(slot);
                }
            }
        }
    }
}

#[test]
fn the_best_is_the_first_defined_for_many_digests() {
    for (weights, digests) in [
        (&[1, 1, 1][..], 5000),
        (&[1, 2, 3], 20_000),
        (&[1, 1 << 20, 7, 7, 9], 5000),
    ] {
        let members = members(weights.iter().copied());
        let candidates = Candidates::new(&fine, &members);
        for digest in (0..digests).map(mix64) {
            assert_eq!(
                candidates.best(digest),
                Some(defined(fine, &members, digest)[0])
            );
        }
    }
}

#[test]
fn a_challenge_says_what_the_walk_says() {
    for weights in [[1, 1, 1, 1, 1, 1], [1, 5, 2, 1, 9, 2]] {
        let members = members(weights);
        for candidates in [
            Candidates::new(&fine, &members),
            Candidates::new(&coarse, &members),
        ] {
            for digest in (0..500).map(mix64) {
                let order = order(&candidates, digest);
                assert_eq!(order.len(), weights.len());
                assert_eq!(candidates.best(digest), Some(order[0]));
                for (i, &a) in order.iter().enumerate() {
                    let beats = candidates.challenge(a);
                    for (j, &b) in order.iter().enumerate() {
                        assert_eq!(beats(digest, b), i < j);
                    }
                }
            }
        }
    }
}

#[test]
fn changes_leave_what_a_new_one_would_hold() {
    let mut all = members([1, 1, 1, 1]);
    let mut candidates = Candidates::new(&fine, &all);
    let slot = all.add(Node::new("n10").unwrap()).unwrap();
    candidates.insert(&fine, &all, slot);
    let same = |candidates: &Candidates, all: &Members| {
        for digest in (0..50).map(mix64) {
            assert_eq!(order(candidates, digest), defined(fine, all, digest));
        }
    };
    same(&candidates, &all);
    // Weighted, and equal again.
    for weight in [5, 1] {
        let weight = Weight::new(weight).unwrap();
        all.set_weight("n2", weight).unwrap();
        candidates.set_weight(all.slot_of("n2").unwrap(), weight);
        same(&candidates, &all);
    }
    let (slot, _) = all.remove("n1").unwrap();
    candidates.remove(slot);
    same(&candidates, &all);
}
