//! What a contestant can do, and how it is described.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;

use crate::answers::{self, CHECKED_SLOW};
use crate::workload::{leavers, node};

/// How many distinct nodes [`Replicas`] finds.
pub const REPLICAS: usize = 3;

/// Something that answers keys. Nodes are numbers: node i of [`fleet`](crate::workload::fleet) is i.
///
/// The loops over keys are methods, so that each contestant has its own, compiled around its lookup; only
/// the call of the loop is dynamic.
pub trait Lookup {
    /// The owner of this key; `u32::MAX` if there is none.
    fn owner(&self, key: &[u8]) -> u32;

    /// Looks up keys that are independent of each other, and adds up the answers.
    fn independent(&self, keys: &[&[u8]]) -> u32 {
        let sum = |sum: u32, key: &&[u8]| sum.wrapping_add(self.owner(key));
        keys.iter().fold(0, sum)
    }

    /// Looks up as many keys but one, where the last answer says which of two neighbours is next, so that
    /// lookups cannot overlap.
    fn dependent(&self, keys: &[&[u8]]) -> u32 {
        (1..keys.len()).fold(0, |last: u32, index| {
            self.owner(keys[index - (last & 1) as usize]) // 0 or 1
        })
    }

    /// How many bytes it says it holds on the heap, if it says so.
    fn says_heap_bytes(&self) -> Option<u64> {
        None
    }
}

/// A contestant that answers many keys in one call.
pub trait Batch: Lookup {
    /// Looks up these keys, at most [`BATCH`](crate::workload::BATCH) of them, and adds up the answers.
    fn batch(&self, keys: &[&[u8]]) -> u32;
}

/// A contestant that finds distinct nodes for a key.
pub trait Replicas: Lookup {
    /// The first [`REPLICAS`] nodes in the key's order.
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS];

    /// Does so for each of these keys, and adds up the answers.
    fn each_replicas(&self, keys: &[&[u8]]) -> u32 {
        keys.iter().fold(0, |sum: u32, key| {
            let nodes = self.replicas(key);
            nodes.iter().fold(sum, |sum, node| sum.wrapping_add(*node))
        })
    }
}

/// A contestant whose nodes join and leave.
pub trait Change: Lookup {
    /// This node joins.
    fn join(&mut self, mover: &Mover);

    /// This node, a member, leaves.
    fn leave(&mut self, mover: &Mover);
}

/// A node that joins or leaves.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Its number.
    pub number: u32,
    /// The node as ours know it.
    pub node: keyroute_core::Node,
}

impl Mover {
    /// The node with this number.
    #[must_use]
    pub fn new(number: u32) -> Self {
        let node = node(number);
        Self { number, node }
    }
}

/// What a contestant is compared with: the fastest peer of its own kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the strategies' own")]
pub enum Kind {
    Ring,
    /// Rings that place keys and nodes by MD5.
    Ketama,
    MultiProbe,
    Rendezvous,
    WeightedRendezvous,
    Maglev,
    SlotTable,
    Jump,
    /// Numbered buckets, of which the last may leave, in constant time.
    JumpLike,
    /// Numbered buckets, of which any may leave.
    Anchor,
    Modulo,
}

impl Kind {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Ketama => "ketama",
            Self::MultiProbe => "multi-probe",
            Self::Rendezvous => "rendezvous",
            Self::WeightedRendezvous => "weighted rendezvous",
            Self::Maglev => "Maglev",
            Self::SlotTable => "slot table",
            Self::Jump => "jump",
            Self::JumpLike => "jump, constant time",
            Self::Anchor => "anchor",
            Self::Modulo => "modulo",
        }
    }
}

/// Builds a contestant, again and again; what it is built of was made before.
pub type Builder<L> = Box<dyn Fn() -> Box<L>>;

type Prepare<L> = Box<dyn Fn(u32) -> Builder<L> + Send + Sync>;

/// One contestant: who it is, and how it is built for a fleet of some size.
pub struct Contestant {
    /// Its name, a peer's that of its crate.
    pub name: &'static str,
    /// Whom it is compared with.
    pub kind: Kind,
    /// Whether it is a crate of somebody else's.
    pub is_peer: bool,
    /// How many points a node has on a ring; 0 if there are none.
    pub points: u32,
    /// The largest fleet that it takes, or that is sensible to give it.
    pub most: u32,
    /// Whether a lookup costs as much as the fleet is large.
    pub is_slow: bool,
    /// Whether it has no room for another node.
    pub is_full: bool,
    /// The rule under which its answers are recorded.
    rule: Option<&'static str>,
    build: Prepare<dyn Lookup>,
    batch: Option<Prepare<dyn Batch>>,
    replicas: Option<Prepare<dyn Replicas>>,
    change: Option<Prepare<dyn Change>>,
}

impl Contestant {
    /// What builds it for a fleet of this many nodes.
    #[must_use]
    pub fn builder(&self, nodes: u32) -> Builder<dyn Lookup> {
        (self.build)(nodes)
    }

    /// What builds it, if it answers batches.
    #[must_use]
    pub fn batch_builder(&self, nodes: u32) -> Option<Builder<dyn Batch>> {
        Some(self.batch.as_ref()?(nodes))
    }

    /// What builds it, if it finds replicas.
    #[must_use]
    pub fn replicas_builder(&self, nodes: u32) -> Option<Builder<dyn Replicas>> {
        Some(self.replicas.as_ref()?(nodes))
    }

    /// Itself, checked.
    ///
    /// # Panics
    ///
    /// If its answers are wrong.
    #[must_use]
    pub fn checked(&self, nodes: u32) -> Box<dyn Lookup> {
        let built = self.builder(nodes)();
        self.check(nodes, &*built);
        built
    }

    /// Itself, checked, if it answers batches.
    ///
    /// # Panics
    ///
    /// If its answers are wrong.
    #[must_use]
    pub fn batch(&self, nodes: u32) -> Option<Box<dyn Batch>> {
        let built = self.batch_builder(nodes)?();
        self.check(nodes, &*built);
        answers::check_batch(self.name, nodes, &*built);
        Some(built)
    }

    /// Whether it answers batches.
    #[must_use]
    pub fn has_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// Itself, checked, if it finds replicas.
    ///
    /// # Panics
    ///
    /// If its answers are wrong.
    #[must_use]
    pub fn replicas(&self, nodes: u32) -> Option<Box<dyn Replicas>> {
        let built = self.replicas_builder(nodes)?();
        self.check(nodes, &*built);
        answers::check_replicas(self.name, nodes, self.is_peer, &*built);
        Some(built)
    }

    /// Whether it finds replicas.
    #[must_use]
    pub fn has_replicas(&self) -> bool {
        self.replicas.is_some()
    }

    /// Itself, checked, if its nodes join and leave.
    ///
    /// # Panics
    ///
    /// If its answers are wrong.
    #[must_use]
    pub fn change(&self, nodes: u32) -> Option<Box<dyn Change>> {
        let built = self.change.as_ref()?(nodes)();
        self.check(nodes, &*built);
        Some(built)
    }

    /// Whether its nodes join and leave.
    #[must_use]
    pub fn has_change(&self) -> bool {
        self.change.is_some()
    }

    /// Itself after a tenth of the nodes have left, which are no longer answered; checked.
    ///
    /// # Panics
    ///
    /// If its answers are wrong.
    #[must_use]
    pub fn departed(&self, nodes: u32) -> Option<Box<dyn Lookup>> {
        let mut built = self.change(nodes)?;
        let leavers = leavers(nodes);
        for &number in &leavers {
            built.leave(&Mover::new(number));
        }
        let owner = |key: &[u8]| {
            let owner = built.owner(key);
            assert!(!leavers.contains(&owner), "{}: {owner} has left", self.name);
            owner
        };
        if self.is_peer {
            answers::check_plausible(self.name, nodes, self.is_slow, &owner);
        } else {
            answers::check_recorded(
                &format!("departed/{}", self.name),
                nodes,
                answers::CHECKED,
                &owner,
            );
        }
        Some(built)
    }

    /// Checks what one of its routers answers for a fleet of this many nodes, once in a process: what is built
    /// of the same list again answers alike.
    ///
    /// # Panics
    ///
    /// If an answer is wrong.
    pub fn check(&self, nodes: u32, router: &dyn Lookup) {
        static CHECKED: Mutex<BTreeSet<(&str, u32)>> = Mutex::new(BTreeSet::new());
        let is_checked = |checked: &BTreeSet<_>| checked.contains(&(self.name, nodes));
        if CHECKED.lock().is_ok_and(|checked| is_checked(&checked)) {
            return;
        }
        let owner = |key: &[u8]| router.owner(key);
        match self.rule {
            Some(rule) => answers::check_recorded(rule, nodes, self.recorded_keys(), &owner),
            None => answers::check_plausible(self.name, nodes, self.is_slow, &owner),
        }
        if let Ok(mut checked) = CHECKED.lock() {
            checked.insert((self.name, nodes));
        }
    }

    fn recorded_keys(&self) -> usize {
        if self.is_slow {
            CHECKED_SLOW
        } else {
            answers::CHECKED
        }
    }
}

impl fmt::Debug for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("is_peer", &self.is_peer)
            .finish_non_exhaustive()
    }
}

/// A line of the list of contestants: adds to one, whose type it knows, what that type can do.
pub struct Line<L> {
    contestant: Contestant,
    prepare: fn(u32) -> Box<dyn Fn() -> L>,
}

impl<L: Lookup + 'static> Line<L> {
    /// A contestant that takes fleets of any size; `prepare` makes what builds it.
    pub fn new(
        name: &'static str,
        kind: Kind,
        is_peer: bool,
        prepare: fn(u32) -> Box<dyn Fn() -> L>,
    ) -> Self {
        let contestant = Contestant {
            name,
            kind,
            is_peer,
            points: 0,
            most: u32::MAX,
            is_slow: false,
            is_full: false,
            rule: None,
            build: Box::new(move |nodes| {
                let build = prepare(nodes);
                Box::new(move || Box::new(build()))
            }),
            batch: None,
            replicas: None,
            change: None,
        };
        Self {
            contestant,
            prepare,
        }
    }

    /// Its answers are recorded under this rule.
    #[must_use]
    pub fn rule(mut self, rule: &'static str) -> Self {
        self.contestant.rule = Some(rule);
        self
    }

    /// A node has this many points.
    #[must_use]
    pub fn points(mut self, points: u32) -> Self {
        self.contestant.points = points;
        self
    }

    /// Fleets are not larger than this.
    #[must_use]
    pub fn most(mut self, nodes: u32) -> Self {
        self.contestant.most = nodes;
        self
    }

    /// A lookup costs as much as the fleet is large.
    #[must_use]
    pub fn slow(mut self) -> Self {
        self.contestant.is_slow = true;
        self
    }

    /// It has no room for another node.
    #[must_use]
    pub fn full(mut self) -> Self {
        self.contestant.is_full = true;
        self
    }

    /// It answers batches.
    #[must_use]
    pub fn batches(mut self) -> Self
    where
        L: Batch,
    {
        let prepare = self.prepare;
        self.contestant.batch = Some(Box::new(move |nodes| {
            let build = prepare(nodes);
            Box::new(move || Box::new(build()))
        }));
        self
    }

    /// It finds replicas.
    #[must_use]
    pub fn replicates(mut self) -> Self
    where
        L: Replicas,
    {
        let prepare = self.prepare;
        self.contestant.replicas = Some(Box::new(move |nodes| {
            let build = prepare(nodes);
            Box::new(move || Box::new(build()))
        }));
        self
    }

    /// Its nodes join and leave.
    #[must_use]
    pub fn changes(mut self) -> Self
    where
        L: Change,
    {
        let prepare = self.prepare;
        self.contestant.change = Some(Box::new(move |nodes| {
            let build = prepare(nodes);
            Box::new(move || Box::new(build()))
        }));
        self
    }

    /// The contestant.
    #[must_use]
    pub fn done(self) -> Contestant {
        self.contestant
    }
}

impl<L> fmt::Debug for Line<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.contestant.fmt(f)
    }
}

/// Everybody, ours first.
#[must_use]
pub fn contestants() -> Vec<Contestant> {
    let mut all = crate::ours::contestants();
    all.extend(crate::peers::contestants());
    all
}

/// The contestant with this name.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn contestant(name: &str) -> Contestant {
    let found = contestants().into_iter().find(|one| one.name == name);
    found.unwrap_or_else(|| panic!("no contestant is called {name}"))
}
