//! [`Policy`]: what was counted goes in, what to do comes out.

use alloc::boxed::Box;
use alloc::vec::Vec;

use keyroute_core::{NodeId, Weight};

use crate::KeyLoad;

/// Decides which nodes get more points, and which fewer.
///
/// A policy reads no clock, takes no lock and knows no router: the same windows give the same judgements.
///
/// ```
/// use keyroute_adaptive::{Judgement, Policy, Verdict, Window};
///
/// /// Leaves everything as it is.
/// struct Never;
///
/// impl Policy for Never {
///     fn judge(&mut self, _window: &Window<'_>) -> Judgement {
///         Judgement { verdict: Verdict::Even, hot: Vec::new(), closes: true }
///     }
/// }
/// # let window = Window { nodes: &[], keys: &[], keys_seen: 0 };
/// # assert_eq!(Never.judge(&window).verdict, Verdict::Even);
/// ```
pub trait Policy {
    /// Judges what was counted since the window began.
    fn judge(&mut self, window: &Window<'_>) -> Judgement;
}

impl<P: Policy + ?Sized> Policy for &mut P {
    fn judge(&mut self, window: &Window<'_>) -> Judgement {
        (**self).judge(window)
    }
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn judge(&mut self, window: &Window<'_>) -> Judgement {
        (**self).judge(window)
    }
}

/// What was counted since the window began.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The members, each once, by id.
    pub nodes: &'a [NodeLoad],
    /// The most frequent keys, if anybody watches keys.
    pub keys: &'a [KeyLoad],
    /// How many requests those were found among: all of this window, or a sample.
    pub keys_seen: u64,
}

/// One node in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLoad {
    /// The node.
    pub id: NodeId,
    /// The points it has: its weight in the router.
    pub points: Weight,
    /// The points it was given by whoever runs the fleet: a node of twice the number should have twice the load.
    pub given: Weight,
    /// Its requests in this window.
    pub requests: u64,
    /// Whether it was a member for the whole window, with the points it has, and somebody counted for it.
    pub whole: bool,
}

/// What a policy says of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What to do.
    pub verdict: Verdict,
    /// Keys too hot for points to help, the hottest first.
    pub hot: Vec<HotKey>,
    /// Whether counting starts anew. Otherwise the window goes on, and the next judgement sees more of it.
    pub closes: bool,
}

/// What to do after a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet: there were too few requests.
    TooFew {
        /// How many there were.
        samples: u64,
        /// How many it takes.
        needed: u64,
    },
    /// Nothing yet: a node is off, but not by more than chance may have it.
    Unclear,
    /// Nothing: no node is off by more than is accepted.
    Even,
    /// Nothing: nodes are off, but stand at their bounds, or the step that is due is less than a point.
    Stuck,
    /// Points are to change.
    Move(Plan),
}

/// A key that has too much of its node's load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// Its digest, as the caller gave it.
    pub digest: u64,
    /// The node that it went to.
    pub node: NodeId,
    /// At least so many of the window's requests were for it.
    pub requests: u64,
}

/// New points for some nodes; the others keep theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    changes: Vec<Change>,
    points_before: u64,
}

/// New points for one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The node.
    pub id: NodeId,
    /// The points it has.
    pub from: Weight,
    /// The points it gets.
    pub to: Weight,
}

impl Change {
    /// How many points come or go.
    #[must_use]
    pub fn points(&self) -> u32 {
        self.to.get().abs_diff(self.from.get())
    }
}

impl Plan {
    /// These changes, of nodes that have so many points together, those that keep theirs included.
    #[must_use]
    pub fn new(changes: Vec<Change>, points_before: u64) -> Self {
        Self {
            changes,
            points_before,
        }
    }

    /// The changes, by id.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The points that come and those that go, over all points before, in thousandths, rounded up.
    ///
    /// On a ring that is about the part of all keys that moves: a point that goes gives its arc away, a point that
    /// comes takes one, of an average point's length.
    ///
    /// ```
    /// use keyroute_adaptive::{Change, NodeId, Plan, Weight};
    ///
    /// let (from, to) = (Weight::new(100)?, Weight::new(80)?);
    /// let plan = Plan::new(vec![Change { id: NodeId::new("a")?, from, to }], 1000);
    /// assert_eq!(plan.movement_thousandths(), 20);
    /// # Ok::<(), keyroute_adaptive::RouteError>(())
    /// ```
    #[must_use]
    pub fn movement_thousandths(&self) -> u64 {
        let points: u128 = self.changes.iter().map(|it| u128::from(it.points())).sum();
        let part = (points * 1000).div_ceil(u128::from(self.points_before.max(1)));
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}
