//! What is asked, of whom, at which sizes.

mod bounded;
mod change;
pub(crate) mod cluster;
mod cluster_change;
mod dynamic;
mod lookup;

use std::fmt;

use crate::contestant::Contestant;
use crate::rounds::Timed;

/// All questions, in the order in which they are asked.
pub const QUESTIONS: [Question; 14] = [
    lookup::LOOKUP,
    lookup::LATENCY,
    lookup::BATCH,
    lookup::NUMBERED,
    lookup::REPLICAS,
    change::DEPARTED,
    change::BUILD,
    change::ADD,
    change::REMOVE,
    bounded::ACQUIRE,
    cluster::CLUSTER,
    cluster::THREADS,
    cluster_change::CLUSTER_CHANGE,
    dynamic::DYN,
];

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Its name on the command line.
    pub name: &'static str,
    /// The question, in one line.
    pub asks: &'static str,
    /// The unit of its answers, and how many nanoseconds that is.
    pub unit: (&'static str, f64),
    /// What its ratios are to.
    pub against: &'static str,
    /// The sizes of fleets at which it is asked.
    pub sizes: &'static [u32],
    /// Who answers at this size.
    pub entrants: fn(u32) -> Vec<Entrant>,
}

/// One who answers a question, not yet built.
pub struct Entrant {
    /// Who it is.
    pub who: Who,
    /// Builds, checks, and makes ready.
    pub make: Box<dyn FnOnce() -> Box<dyn Timed>>,
}

/// Who answers a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The name in tables.
    pub name: String,
    /// Ratios are taken within a group.
    pub group: &'static str,
    /// Whether ratios are taken to it (if it is the fastest of these) or of it.
    pub is_reference: bool,
}

impl Entrant {
    fn new<T: Timed + 'static>(
        name: impl Into<String>,
        group: &'static str,
        is_reference: bool,
        make: impl FnOnce() -> T + 'static,
    ) -> Self {
        let name = name.into();
        Self {
            who: Who {
                name,
                group,
                is_reference,
            },
            make: Box::new(|| Box::new(make())),
        }
    }

    /// A contestant, among those of its kind; the peers are the reference.
    fn of<T: Timed + 'static>(
        contestant: Contestant,
        make: impl FnOnce(&Contestant) -> T + 'static,
    ) -> Self {
        let (name, group, is_peer) = (contestant.name, contestant.kind.name(), contestant.is_peer);
        Self::new(name, group, is_peer, move || make(&contestant))
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant")
            .field("who", &self.who)
            .finish_non_exhaustive()
    }
}

/// Everybody who takes fleets of this size.
fn contestants_at(nodes: u32) -> impl Iterator<Item = Contestant> {
    let all = crate::contestant::contestants().into_iter();
    all.filter(move |contestant| nodes <= contestant.most)
}

const NANOSECONDS: (&str, f64) = ("ns", 1.0);
const MICROSECONDS: (&str, f64) = ("µs", 1e3);
const FASTEST_PEER: &str = "the fastest peer of the same kind";
