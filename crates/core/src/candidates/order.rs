//! [`Order`]: the nodes one after another, as one digest prefers them.

use core::ops::Range;

use super::rule::Rule;

/// The most blocks.
const BLOCKS: usize = 16;

/// The fewest nodes of a block, unless there are fewer.
const LEAST: usize = 8;

/// Finds the preferred node, then the next. All nodes are asked once, and for a further step those again that
/// share a block with the last answer, n ÷ 16.
pub(super) struct Order<R: Rule> {
    rule: R,
    nodes: usize,
    /// Nodes a block.
    block: usize,
    blocks: usize,
    /// Of each block the least bound of a node that is left; [`Rule::MOST`] if none is.
    bounds: [R::Bound; BLOCKS],
    /// Whose it is; the number of all nodes if none is left.
    places: [usize; BLOCKS],
}

impl<R: Rule> Order<R> {
    /// All nodes, at places below `nodes`.
    pub(super) fn new(rule: R, nodes: usize) -> Self {
        let block = nodes.div_ceil(BLOCKS).max(LEAST);
        let mut order = Self {
            rule,
            nodes,
            block,
            blocks: nodes.div_ceil(block),
            bounds: [R::MOST; BLOCKS],
            places: [nodes; BLOCKS],
        };
        for block in 0..order.blocks {
            let (bound, place) = order.rule.least(order.block(block));
            order.bounds[block] = bound;
            order.places[block] = place;
        }
        order
    }

    /// The preferred of the nodes left.
    pub(super) fn first(&self, gone: impl Fn(usize) -> bool) -> Option<usize> {
        let leader = self.leader()?;
        if R::EXACT {
            return Some(leader);
        }
        let reach = self.rule.reach(leader);
        let mut best = leader;
        for (block, &bound) in self.bounds[..self.blocks].iter().enumerate() {
            if bound > reach {
                continue;
            }
            for place in self.block(block) {
                let within = place != best && self.rule.bound(place) <= reach && !gone(place);
                if within && self.rule.compare(place, best).is_gt() {
                    best = place;
                }
            }
        }
        Some(best)
    }

    /// Takes note that the node at this place is gone, as `gone` says by now.
    pub(super) fn leave(&mut self, place: usize, gone: impl Fn(usize) -> bool) {
        self.ask_again(place / self.block, gone);
    }

    /// Takes note of all that are gone.
    pub(super) fn leave_all(&mut self, gone: impl Fn(usize) -> bool) {
        for block in 0..self.blocks {
            // Of the others it matters when they come first.
            if gone(self.places[block]) {
                self.ask_again(block, &gone);
            }
        }
    }

    fn ask_again(&mut self, block: usize, gone: impl Fn(usize) -> bool) {
        let (mut least, mut at) = (R::MOST, self.nodes);
        for place in self.block(block) {
            let bound = self.rule.bound(place);
            let less = ((bound < least) | (at == self.nodes)) & !gone(place);
            least = if less { bound } else { least };
            at = if less { place } else { at };
        }
        self.bounds[block] = least;
        self.places[block] = at;
    }

    /// The node of the least bound, the first if several have it.
    fn leader(&self) -> Option<usize> {
        let (mut least, mut at) = (R::MOST, self.nodes);
        let bounds = self.bounds[..self.blocks].iter();
        for (&bound, &place) in bounds.zip(&self.places) {
            // No branch, for none could be foreseen. A node with the most there is comes before none.
            let less = (bound < least) | (at == self.nodes);
            least = if less { bound } else { least };
            at = if less { place } else { at };
        }
        (at < self.nodes).then_some(at)
    }

    fn block(&self, block: usize) -> Range<usize> {
        let from = block * self.block;
        from..(from + self.block).min(self.nodes)
    }
}
