//! Building [`SortedPoints`] from points in any order: they are dealt into chunks, and each chunk is sorted.
//!
//! ```text
//!   points    in any order
//!     │ deal: by the top bits of their heads, into the place in the columns where their chunk will lie
//!     ▼
//!   columns   │ chunk 0 │ chunk 1 │ chunk 2 │ …    each of a thousand points: it fits in the first cache
//!     │ sort each chunk: keys of a head and a place in the chunk, by two digits of a byte
//!     ▼
//!   columns   sorted by the top bits and 16 more; what shares all of these is few, and sorted by comparison
//! ```
//!
//! None of this compares two points that are not nearly equal, so that there is next to no branch to guess; and
//! beside the points themselves and the columns there is no third copy of all.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::{replace, swap};

use keyroute_core::{Position, Slot};

use crate::SortedPoints;
use crate::index::Index;
use crate::owners::{Owners, narrow};
use crate::search::WINDOW;

/// A chunk has as many points as this, or up to twice as many.
const CHUNK: usize = 1 << 10;

/// With more chunks, the places where the next points go would outgrow the caches.
const MOST_CHUNKS: usize = 1 << 12;

/// Up to so many points take longer to sort by digits than by comparison.
const FEW: usize = 64;

type Ties<'a> = &'a dyn Fn(Slot, Slot) -> Ordering;

impl<P: Position> SortedPoints<P> {
    /// Sorts the points, and makes the index of what is sorted. O(n), and O(n log n) where points crowd.
    pub(crate) fn build(points: Vec<(P, Slot)>, ties: Ties<'_>) -> Self {
        let chunks = Chunks::of(&points);
        let fit = chunks.highest.is_none_or(|slot| narrow(slot).is_some());
        let (heads, rests, owners) = if fit {
            let (heads, rests, owners) =
                sorted(points, chunks, |slot| narrow(slot).unwrap_or(0), ties);
            (heads, rests, Owners::narrow(owners))
        } else {
            let (heads, rests, owners) = sorted(points, chunks, Slot::index, ties);
            (heads, rests, Owners::wide(owners))
        };
        let mut built = Self {
            index: Index::of(&heads),
            heads,
            owners,
            rests,
        };
        built.seal();
        built
    }
}

/// How points fall into chunks.
struct Chunks {
    /// So many top bits of a head are the number of its chunk.
    bits: u32,
    /// Where each chunk begins.
    starts: Vec<usize>,
    /// The highest slot of all points, seen in passing.
    highest: Option<Slot>,
}

impl Chunks {
    fn of<P: Position>(points: &[(P, Slot)]) -> Self {
        let bits = (points.len() / CHUNK).clamp(1, MOST_CHUNKS).ilog2();
        let (mut counts, mut highest) = (alloc::vec![0; 1 << bits], None);
        for &(position, slot) in points {
            counts[chunk(position.split().0, bits)] += 1;
            highest = highest.max(Some(slot));
        }
        sum_before(&mut counts);
        Self {
            bits,
            starts: counts,
            highest,
        }
    }
}

/// The number of the chunk of this head.
fn chunk(head: u32, bits: u32) -> usize {
    (u64::from(head) << bits >> 32) as usize // no more bits than a u32
}

/// Puts in the place of each count the sum of those before.
fn sum_before(counts: &mut [usize]) {
    let mut before = 0;
    for count in counts {
        before += replace(count, before);
    }
}

/// The heads, rests and owners of these points, sorted, with room for a window more.
fn sorted<P: Position, O: Copy + Default + Into<u32>>(
    points: Vec<(P, Slot)>,
    chunks: Chunks,
    owner: impl Fn(Slot) -> O,
    ties: Ties<'_>,
) -> (Vec<u32>, Vec<P::Rest>, Vec<O>) {
    let (count, room) = (points.len(), points.len() + WINDOW);
    let mut heads = Vec::with_capacity(room);
    let mut owners = Vec::with_capacity(room);
    let mut rests = alloc::vec![P::Rest::default(); count];
    heads.resize(count, 0);
    owners.resize(count, O::default());
    let mut columns = Columns {
        heads: &mut heads,
        rests: &mut rests,
        owners: &mut owners,
    };
    let Chunks {
        bits,
        starts: mut next,
        ..
    } = chunks;
    for (position, slot) in points {
        let (head, rest) = position.split();
        let next = &mut next[chunk(head, bits)];
        columns.put(*next, head, rest, owner(slot));
        *next += 1;
    }
    let mut scratch = Scratch::default();
    let mut start = 0;
    for end in next {
        let (chunk, others) = columns.split_at(end - start);
        chunk.sort(bits, &mut scratch, ties);
        (columns, start) = (others, end);
    }
    (heads, rests, owners)
}

/// Points apart: a head, a rest and an owner at each index.
struct Columns<'a, R, O> {
    heads: &'a mut [u32],
    rests: &'a mut [R],
    owners: &'a mut [O],
}

/// What the sort of a chunk needs, kept for the next.
#[derive(Default)]
struct Scratch<R, O> {
    keys: Vec<u64>,
    others: Vec<u64>,
    rests: Vec<R>,
    owners: Vec<O>,
}

impl<'a, R: Copy + Ord, O: Copy + Into<u32>> Columns<'a, R, O> {
    fn put(&mut self, index: usize, head: u32, rest: R, owner: O) {
        self.heads[index] = head;
        self.rests[index] = rest;
        self.owners[index] = owner;
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (heads, heads_after) = self.heads.split_at_mut(index);
        let (rests, rests_after) = self.rests.split_at_mut(index);
        let (owners, owners_after) = self.owners.split_at_mut(index);
        let before = Columns {
            heads,
            rests,
            owners,
        };
        let after = Columns {
            heads: heads_after,
            rests: rests_after,
            owners: owners_after,
        };
        (before, after)
    }

    /// Sorts this chunk, whose heads share so many top bits.
    fn sort(self, bits: u32, scratch: &mut Scratch<R, O>, ties: Ties<'_>) {
        let keys = &mut scratch.keys;
        keys.clear();
        keys.extend((0..).zip(&*self.heads).map(|(at, &head)| key(head, at)));
        if keys.len() <= FEW {
            keys.sort_unstable();
        } else {
            sort_by_digits(keys, &mut scratch.others, bits);
        }
        for crowd in keys.chunk_by_mut(|&a, &b| sorted_bits(a, bits) == sorted_bits(b, bits)) {
            if crowd.len() > 1 {
                // Points that compare equal are equal: one node's, at one position.
                crowd.sort_unstable_by(|&a, &b| self.order(a, b, ties));
            }
        }
        for (place, &key) in self.heads.iter_mut().zip(&*keys) {
            *place = head(key);
        }
        arrange(self.rests, keys, &mut scratch.rests);
        arrange(self.owners, keys, &mut scratch.owners);
    }

    /// The order of points, given their keys.
    fn order(&self, a: u64, b: u64, ties: Ties<'_>) -> Ordering {
        let position = |key| (head(key), self.rests[at(key)]);
        let slot = |key| Slot::new(self.owners[at(key)].into());
        position(a).cmp(&position(b)).then_with(|| {
            // Every owner was a slot's index.
            slot(a)
                .zip(slot(b))
                .map_or(Ordering::Equal, |(a, b)| ties(a, b))
        })
    }
}

/// What is sorted of a chunk: a head, and the place in the chunk where its point was.
fn key(head: u32, at: u32) -> u64 {
    u64::from(head) << 32 | u64::from(at)
}

fn head(key: u64) -> u32 {
    (key >> 32) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn at(key: u64) -> usize {
    key as u32 as usize
}

/// Of a key's head the 16 bits below those that all of a chunk share.
fn sorted_bits(key: u64, bits: u32) -> usize {
    (key << bits >> 48) as usize
}

/// Sorts by [`sorted_bits`]: by their lower byte, then by the upper one, equal ones as they were.
fn sort_by_digits(keys: &mut Vec<u64>, others: &mut Vec<u64>, bits: u32) {
    let digits = |key| {
        let sorted_bits = sorted_bits(key, bits);
        [sorted_bits & 0xff, sorted_bits >> 8]
    };
    let mut counts = [[0; 1 << 8]; 2];
    for &key in &*keys {
        let [low, high] = digits(key);
        counts[0][low] += 1;
        counts[1][high] += 1;
    }
    others.resize(keys.len(), 0);
    for (which, mut next) in counts.into_iter().enumerate() {
        sum_before(&mut next);
        for &key in &*keys {
            let next = &mut next[digits(key)[which]];
            others[*next] = key;
            *next += 1;
        }
        swap(keys, others);
    }
}

/// Puts what was at each key's place where that key is now.
fn arrange<T: Copy>(column: &mut [T], keys: &[u64], before: &mut Vec<T>) {
    before.clear();
    before.extend_from_slice(column);
    for (place, &key) in column.iter_mut().zip(keys) {
        *place = before[at(key)];
    }
}
