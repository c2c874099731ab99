//! [`Rows`]: for each point the next nodes.

use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::{Slot, SlotSet};

/// Points in ascending order, and for each a row: its node and the next distinct ones, clockwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    positions: Vec<u64>,
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
        Self {
            positions: points.iter().map(|&(position, _)| position).collect(),
            entries,
            width,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The first point at or after this position, round the end.
    pub(crate) fn find(&self, position: u64) -> usize {
        let index = self.positions.partition_point(|&point| point < position);
        if index == self.len() { 0 } else { index }
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
        self.positions.capacity() * size_of::<u64>() + self.entries.capacity() * size_of::<Slot>()
    }
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
}
