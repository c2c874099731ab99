//! [`Flows`]: who sends how much to whom.

use std::collections::BTreeMap;

use keyroute_core::NodeId;

use crate::Transfer;

/// Who sends how much to whom, and how much of it was needed: positions, keys or bytes, whatever was counted.
///
/// Numbers that would go over 2^128 stand still there.
///
/// ```
/// use keyroute_plan::{Node, Survey};
/// use keyroute_vector_ring::VectorRing;
///
/// let before = VectorRing::from_ids(["a", "b"])?;
/// let mut after = before.clone();
/// after.add(Node::new("c")?)?;
/// let mut survey = Survey::of(&before, &after);
/// for key in 0..1000u32 {
///     survey.key(&key.to_le_bytes());
/// }
/// for ((from, to), flow) in survey.flows().iter() {
///     println!("{from:?} sends {to:?} {} keys", flow.amount());
/// }
/// assert_eq!(survey.flows().moved(), survey.flows().needed());
/// # Ok::<(), keyroute_plan::RouteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    flows: BTreeMap<Ends, Flow>,
    nodes: BTreeMap<NodeId, NodeFlow>,
    total: Flow,
    lost: u128,
}

/// From whom to whom; from nobody where nobody held it before.
pub type Ends = (Option<NodeId>, NodeId);

/// How much goes one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flow {
    /// What the change needed.
    pub needed: u128,
    /// What it did not.
    pub needless: u128,
}

impl Flow {
    /// Both together.
    #[must_use]
    pub fn amount(self) -> u128 {
        self.needed.saturating_add(self.needless)
    }

    fn add(&mut self, amount: u128, needed: bool) {
        let of = if needed {
            &mut self.needed
        } else {
            &mut self.needless
        };
        *of = of.saturating_add(amount);
    }
}

/// What one node has to do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeFlow {
    /// What is read from it.
    pub sends: u128,
    /// What is written to it.
    pub receives: u128,
    /// What it may drop.
    pub drops: u128,
}

impl Flows {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts so much that moves like this.
    pub fn count(&mut self, transfer: &Transfer, amount: u128) {
        let add = |to: &mut u128| *to = to.saturating_add(amount);
        for copy in transfer.copies() {
            let ends = (copy.from.cloned(), copy.to.clone());
            self.flows.entry(ends).or_default().add(amount, copy.needed);
            self.total.add(amount, copy.needed);
            if let Some(from) = copy.from {
                add(&mut self.nodes.entry(from.clone()).or_default().sends);
            }
            add(&mut self.nodes.entry(copy.to.clone()).or_default().receives);
        }
        for node in transfer.drops() {
            add(&mut self.nodes.entry(node.clone()).or_default().drops);
        }
        if transfer.to().is_empty() {
            add(&mut self.lost);
        }
    }

    /// The same in another measure, of which `total` is spread evenly over `of` of this one: bytes, for keys.
    ///
    /// ```
    /// use keyroute_plan::Flows;
    ///
    /// assert_eq!(Flows::new().scaled(1 << 40, 1000).moved(), 0);
    /// ```
    #[must_use]
    pub fn scaled(&self, total: u64, of: u64) -> Self {
        let scale = |amount: &mut u128| {
            *amount = amount.saturating_mul(total.into()) / u128::from(of.max(1));
        };
        let mut scaled = self.clone();
        let flows = scaled.flows.values_mut();
        for flow in flows.chain([&mut scaled.total]) {
            scale(&mut flow.needed);
            scale(&mut flow.needless);
        }
        for node in scaled.nodes.values_mut() {
            scale(&mut node.sends);
            scale(&mut node.receives);
            scale(&mut node.drops);
        }
        scale(&mut scaled.lost);
        scaled
    }

    /// Each pair of nodes of which one sends to the other, in the order of ids.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Ends, Flow)> {
        self.flows.iter().map(|(ends, &flow)| (ends, flow))
    }

    /// Each node that has to do with it, in the order of ids.
    #[must_use]
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (&NodeId, NodeFlow)> {
        self.nodes.iter().map(|(id, &flow)| (id, flow))
    }

    /// What is copied altogether.
    #[must_use]
    pub fn moved(&self) -> u128 {
        self.total.amount()
    }

    /// What of it the change needed.
    #[must_use]
    pub fn needed(&self) -> u128 {
        self.total.needed
    }

    /// What of it the change did not need.
    #[must_use]
    pub fn needless(&self) -> u128 {
        self.total.needless
    }

    /// What nobody holds afterwards, since no members are left.
    #[must_use]
    pub fn lost(&self) -> u128 {
        self.lost
    }

    /// The most that one node sends or receives: what the time of a migration follows from, at one bandwidth for
    /// all and both ways at once.
    #[must_use]
    pub fn busiest(&self) -> u128 {
        let most = self.nodes.values().map(|it| it.sends.max(it.receives));
        most.max().unwrap_or(0)
    }

    /// How long that takes, if what is counted are bytes and each node sends so many a second and receives as many
    /// at the same time. `None` at 0 bytes a second, or over 584 years.
    ///
    /// ```
    /// use std::time::Duration;
    /// use keyroute_plan::Flows;
    ///
    /// assert_eq!(Flows::new().time(100_000_000), Some(Duration::ZERO));
    /// ```
    #[must_use]
    pub fn time(&self, bytes_a_second: u64) -> Option<std::time::Duration> {
        let nanos = self
            .busiest()
            .checked_mul(1_000_000_000)?
            .checked_div(bytes_a_second.into())?;
        u64::try_from(nanos)
            .ok()
            .map(std::time::Duration::from_nanos)
    }
}
