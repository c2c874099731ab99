//! [`Rule`]: which node is preferred, told fast for most and exactly where that does not decide.

use core::cmp::Ordering;
use core::ops::Range;

use super::draw::{draw, greatest};
use super::race::{self, Score, least_two};

/// The nodes as one digest sees them, by place.
///
/// Each has a bound that is quick to tell. The lesser bound is mostly the preferred node's: a node whose bound is
/// over another's reach is not preferred to it.
pub(super) trait Rule {
    type Bound: Copy + PartialOrd;

    /// The most that a bound can be.
    const MOST: Self::Bound;

    /// Whether bounds decide alone: of equal ones the first is preferred.
    const EXACT: bool;

    /// Up to so many nodes are best asked whole for each step of a walk.
    const FEW: usize;

    fn bound(&self, place: usize) -> Self::Bound;

    /// The least bound in this range of places, which is not empty, and whose it is; if bounds decide, the first's.
    fn least(&self, places: Range<usize>) -> (Self::Bound, usize);

    fn reach(&self, place: usize) -> Self::Bound;

    /// The preferred of the nodes that are not `gone`: for few nodes.
    fn first_of_few(&self, gone: impl Fn(usize) -> bool) -> Option<usize>;

    /// Compares two nodes exactly; the greater is preferred.
    fn compare(&self, a: usize, b: usize) -> Ordering;
}

/// All weights equal: the greater draw is preferred.
pub(super) struct ByDraw<'a> {
    pub(super) hashes: &'a [u64],
    pub(super) digest: u64,
}

impl ByDraw<'_> {
    pub(super) fn draw(&self, place: usize) -> u64 {
        draw(self.hashes[place] ^ self.digest)
    }

    pub(super) fn best(&self) -> Option<usize> {
        let (_, place) = greatest::<1>(self.hashes, self.digest);
        (place < self.hashes.len()).then_some(place)
    }
}

impl Rule for ByDraw<'_> {
    type Bound = u64;

    const MOST: u64 = u64::MAX;

    const EXACT: bool = true;

    const FEW: usize = 16;

    fn bound(&self, place: usize) -> u64 {
        !self.draw(place)
    }

    fn least(&self, places: Range<usize>) -> (u64, usize) {
        let from = places.start;
        let (draw, place) = greatest::<1>(&self.hashes[places], self.digest);
        (!draw, from + place)
    }

    fn reach(&self, place: usize) -> u64 {
        self.bound(place)
    }

    fn first_of_few(&self, gone: impl Fn(usize) -> bool) -> Option<usize> {
        greatest_of(
            self.hashes.len(),
            gone,
            |place| self.draw(place),
            |a, b| a > b,
        )
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.bound(b).cmp(&self.bound(a)).then(b.cmp(&a))
    }
}

/// Weights differ: the greater score is preferred.
pub(super) struct ByScore<'a> {
    pub(super) hashes: &'a [u64],
    pub(super) weights: &'a [u32],
    pub(super) inverses: &'a [f64],
    pub(super) digest: u64,
}

impl ByScore<'_> {
    fn draw(&self, place: usize) -> u64 {
        draw(self.hashes[place] ^ self.digest)
    }

    pub(super) fn score(&self, place: usize) -> Score {
        Score::new(self.draw(place), self.weights[place])
    }

    /// The preferred of all nodes: almost always only the least bound is within its own reach.
    pub(super) fn best(&self) -> Option<usize> {
        if self.hashes.is_empty() {
            return None;
        }
        let (_, leader, second) = least_two::<1>(self.hashes, self.inverses, self.digest);
        let reach = self.reach(leader);
        if second > reach {
            return Some(leader);
        }
        let mut best = leader;
        for place in 0..self.hashes.len() {
            if self.bound(place) <= reach && self.compare(place, best).is_gt() {
                best = place;
            }
        }
        Some(best)
    }
}

impl Rule for ByScore<'_> {
    type Bound = f64;

    const MOST: f64 = f64::INFINITY;

    const EXACT: bool = false;

    const FEW: usize = 4;

    fn bound(&self, place: usize) -> f64 {
        race::bound(self.draw(place), self.inverses[place])
    }

    fn least(&self, places: Range<usize>) -> (f64, usize) {
        let from = places.start;
        let hashes = &self.hashes[places.clone()];
        let (bound, place, _) = least_two::<1>(hashes, &self.inverses[places], self.digest);
        (bound, from + place)
    }

    fn reach(&self, place: usize) -> f64 {
        race::reach(self.draw(place), self.weights[place])
    }

    fn first_of_few(&self, gone: impl Fn(usize) -> bool) -> Option<usize> {
        let beats = |a: &Score, b: &Score| a.cmp(b).is_gt();
        greatest_of(self.hashes.len(), gone, |place| self.score(place), beats)
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.score(a).cmp(&self.score(b)).then(b.cmp(&a))
    }
}

/// The first place whose value no other's beats.
fn greatest_of<V>(
    places: usize,
    gone: impl Fn(usize) -> bool,
    value: impl Fn(usize) -> V,
    beats: impl Fn(&V, &V) -> bool,
) -> Option<usize> {
    let mut left = (0..places).filter(|&place| !gone(place));
    let first = left.next()?;
    let mut best = (value(first), first);
    for place in left {
        let value = value(place);
        if beats(&value, &best.0) {
            best = (value, place);
        }
    }
    Some(best.1)
}
