//! [`Owners`]: whose the points are.

use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::Slot;

use crate::change;
use crate::search::{WINDOW, window};

/// The slots of points: two bytes each while all are below 65,536, four once one is not.
///
/// Half the bytes leave more of a cache to others. One of the two is always empty, so that the check whether
/// a window lies within is also the one that tells them apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    narrow: Vec<u16>,
    wide: Vec<u32>,
}

/// The slot in two bytes; `None` if it needs four.
pub(crate) fn narrow(slot: Slot) -> Option<u16> {
    u16::try_from(slot.index()).ok()
}

impl Owners {
    /// Bytes a point, of so many nodes.
    pub(crate) fn width(nodes: u64) -> usize {
        match nodes {
            0..=0x1_0000 => size_of::<u16>(),
            _ => size_of::<u32>(),
        }
    }

    /// Slots of two bytes.
    pub(crate) fn narrow(slots: Vec<u16>) -> Self {
        let wide = Vec::new();
        Self {
            narrow: slots,
            wide,
        }
    }

    /// Slots of four bytes.
    pub(crate) fn wide(slots: Vec<u32>) -> Self {
        let narrow = Vec::new();
        Self {
            narrow,
            wide: slots,
        }
    }

    /// Makes place for slots of four bytes.
    fn widen(&mut self) {
        let narrow = core::mem::take(&mut self.narrow);
        if !narrow.is_empty() {
            self.wide.reserve_exact(narrow.capacity());
            self.wide.extend(narrow.into_iter().map(u32::from));
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Slot> {
        let narrow = self.narrow.get(index).map(|&slot| slot.into());
        Slot::new(narrow.or_else(|| self.wide.get(index).copied())?)
    }

    /// The slots that begin here, a window long, unless they need four bytes.
    #[inline]
    pub(crate) fn window(&self, start: usize) -> Option<[u16; WINDOW]> {
        window(&self.narrow, start).copied()
    }

    /// Where this slot stands, ascending.
    pub(crate) fn places(&self, slot: Slot) -> Vec<usize> {
        if !self.wide.is_empty() {
            return change::places(&self.wide, slot.index());
        }
        narrow(slot).map_or_else(Vec::new, |slot| change::places(&self.narrow, slot))
    }

    /// Follows the slots with this one, as often as the length says.
    pub(crate) fn resize(&mut self, length: usize, slot: Slot) {
        match narrow(slot) {
            Some(slot) if self.wide.is_empty() => self.narrow.resize(length, slot),
            _ => {
                self.widen();
                self.wide.resize(length, slot.index());
            }
        }
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.narrow.truncate(length);
        self.wide.truncate(length);
    }

    /// As [`change::put_in`].
    pub(crate) fn put_in(&mut self, slots: &[Slot], places: &[usize]) {
        let all: Option<Vec<u16>> = slots.iter().map(|&slot| narrow(slot)).collect();
        match all {
            Some(slots) if self.wide.is_empty() => {
                change::put_in(&mut self.narrow, &slots, places);
            }
            _ => {
                self.widen();
                let slots: Vec<u32> = slots.iter().map(|slot| slot.index()).collect();
                change::put_in(&mut self.wide, &slots, places);
            }
        }
    }

    /// As [`change::take_out`].
    pub(crate) fn take_out(&mut self, places: &[usize]) {
        if self.wide.is_empty() {
            change::take_out(&mut self.narrow, places);
        } else {
            change::take_out(&mut self.wide, places);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.narrow.capacity() * size_of::<u16>() + self.wide.capacity() * size_of::<u32>()
    }
}
