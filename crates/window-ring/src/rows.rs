//! [`Rows`]: for each point the next nodes.

use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::{Slot, SlotSet};

/// Points in ascending order, and for each a row: its node and the next distinct ones, clockwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    positions: Vec<u64>,
    /// For each value of a position's top bits how many points stand before it, and at last all of them.
    starts: Vec<u32>,
    /// `width` slots a point.
    entries: Vec<Slot>,
    /// The candidates, or all nodes if they are fewer.
    width: usize,
}

impl Rows {
    /// Rows of this width over these points, which are in order; there are at least `width` nodes among them.
    pub(crate) fn new(points: &[(u64, Slot)], width: usize) -> Self {
        let count = points.len();
        let mut row: Vec<Slot> = Vec::with_capacity(width + 1);
        let mut seen = SlotSet::new();
        for &(_, slot) in points {
            if row.len() == width {
                break;
            }
            if seen.insert(slot) {
                row.push(slot);
            }
        }
        // From the row of the next point: the own node comes first, and if it was not among the others, the
        // last of them is out.
        let mut entries = Vec::with_capacity(count * width);
        for &(_, slot) in points.iter().rev() {
            row.retain(|&other| other != slot);
            row.insert(0, slot);
            row.truncate(width);
            entries.extend(row.iter().rev());
        }
        entries.reverse();
        let positions: Vec<u64> = points.iter().map(|&(position, _)| position).collect();
        Self {
            starts: starts(&positions),
            positions,
            entries,
            width,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The first point at or after this position, round the end.
    ///
    /// One or two points share their top bits, so the search among them is short; however many they are, it is a
    /// binary one.
    pub(crate) fn find(&self, position: u64) -> usize {
        let Some(bits) = index_bits(self.len()) else {
            return 0;
        };
        let top = top(position, bits);
        let [from, to] = [self.starts[top] as usize, self.starts[top + 1] as usize];
        let index = from + self.positions[from..to].partition_point(|&point| point < position);
        if index == self.len() { 0 } else { index }
    }

    /// The positions between which this one stands: that of the last point before, and that of the first at or after
    /// it, where its row begins. Equal ones are the whole ring; `None` without points.
    pub(crate) fn stretch(&self, position: u64) -> Option<[u64; 2]> {
        let through = *self.positions.get(self.find(position))?;
        // Points on one position end one stretch.
        let before = self.positions.partition_point(|&point| point < through);
        let after = self.positions[..before].last().or(self.positions.last())?;
        Some([*after, through])
    }

    /// The row of this point; empty without points.
    pub(crate) fn row(&self, index: usize) -> &[Slot] {
        let from = index * self.width;
        self.entries.get(from..from + self.width).unwrap_or(&[])
    }

    /// The nodes of the points from this one on, once round.
    pub(crate) fn onward(&self, index: usize) -> impl Iterator<Item = Slot> + '_ {
        let nodes = |index: usize| self.row(index).first().copied();
        (index..self.len()).chain(0..index).filter_map(nodes)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.positions.capacity() * size_of::<u64>()
            + self.starts.capacity() * size_of::<u32>()
            + self.entries.capacity() * size_of::<Slot>()
    }
}

/// The top bits of a position that [`Rows`] has an index of: one or two points to each of their values. None
/// without points.
fn index_bits(points: usize) -> Option<u32> {
    points.checked_ilog2()
}

/// The bytes of the index over this many points.
pub(crate) fn index_bytes(points: u64) -> u64 {
    let values = points.checked_ilog2().map_or(0, |bits| (1 << bits) + 1);
    values * size_of::<u32>() as u64
}

fn starts(positions: &[u64]) -> Vec<u32> {
    let Some(bits) = index_bits(positions.len()) else {
        return Vec::new();
    };
    let mut starts = Vec::with_capacity((1 << bits) + 1);
    for (before, &position) in (0..).zip(positions) {
        // This point is the first of its top bits, and of those between the last point's and its own.
        starts.resize(starts.len().max(top(position, bits) + 1), before);
    }
    // 2^24 points at most.
    let all = u32::try_from(positions.len()).unwrap_or(u32::MAX);
    starts.resize((1 << bits) + 1, all);
    starts
}

/// The top bits of a position: of none, 0.
fn top(position: u64, bits: u32) -> usize {
    (position >> 1 >> (63 - bits)) as usize // at most 24 bits, for at most 2^24 points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_next_distinct_nodes() {
        let slot = |index: &u32| Slot::new(*index).unwrap();
        // Clusters, a pair, and a node that stands alone.
        let owners = [0, 0, 1, 2, 0, 0, 0, 3, 2, 1, 4, 4];
        let points: Vec<_> = (10..).zip(owners.iter().map(slot)).collect();
        for width in 1..=5 {
            let rows = Rows::new(&points, width);
            for index in 0..points.len() {
                let mut expected = Vec::new();
                for &(_, slot) in points[index..].iter().chain(&points[..index]) {
                    if !expected.contains(&slot) {
                        expected.push(slot);
                    }
                }
                expected.truncate(width);
                assert_eq!(rows.row(index), expected, "{index}, {width}");
            }
        }
        assert_eq!(Rows::new(&[], 0).row(0), []);
    }

    #[test]
    fn the_index_finds_what_a_search_finds() {
        fn spread(i: u64) -> u64 {
            i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }
        let high = |i: u64| u64::MAX - i % 3;
        let crowd = |i: u64| {
            if i.is_multiple_of(2) {
                spread(i)
            } else {
                (1 << 40) + i / 8
            }
        };
        for place in [spread as fn(u64) -> u64, high, crowd, |i| i] {
            for count in [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1000] {
                let mut points: Vec<_> = (0..count)
                    .map(|i| (place(i), Slot::new(0).unwrap()))
                    .collect();
                points.sort_unstable();
                let rows = Rows::new(&points, 1);
                let near = points.iter().flat_map(|&(position, _)| {
                    [position.wrapping_sub(1), position, position.wrapping_add(1)]
                });
                for position in near
                    .chain((0..500).map(spread))
                    .chain([0, 1 << 63, u64::MAX])
                {
                    let first = points.iter().position(|point| point.0 >= position);
                    assert_eq!(
                        rows.find(position),
                        first.unwrap_or(0),
                        "{count} {position:#x}"
                    );
                }
            }
        }
        assert_eq!(Rows::default().find(7), 0);
    }
}
