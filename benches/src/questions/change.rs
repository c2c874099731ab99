//! Building, and changes of the members.

use std::time::Duration;

use crate::answers::{CHECKED, digest_of};
use crate::contestant::{Change, Kind, Mover};
use crate::questions::lookup::keys;
use crate::questions::{
    Entrant, FASTEST_PEER, MICROSECONDS, NANOSECONDS, Question, contestants_at,
};
use crate::rounds::{Timed, time};
use crate::workload;

pub(super) const DEPARTED: Question = Question {
    name: "departed",
    asks: "How long does one lookup take after a tenth of the numbered buckets have left?",
    unit: NANOSECONDS,
    against: FASTEST_PEER,
    sizes: &[1_000, 10_000, 50_000, 1_000_000],
    entrants: |nodes| {
        contestants_at(nodes)
            .filter(|one| one.kind == Kind::Anchor)
            .map(|one| {
                Entrant::of(one, move |one| {
                    let router = one.departed(nodes).expect("any bucket may leave");
                    keys(move |keys| router.independent(keys))
                })
            })
            .collect()
    },
};

pub(super) const BUILD: Question = Question {
    name: "build",
    asks: "How long does it take to build a router of a list of nodes?",
    unit: MICROSECONDS,
    against: FASTEST_PEER,
    sizes: &[100, 1_000, 10_000, 100_000, 1_000_000],
    entrants: |nodes| {
        // Other crates of these kinds are functions: they have no list of nodes.
        let is_function = |kind| matches!(kind, Kind::Jump | Kind::JumpLike);
        contestants_at(nodes)
            .filter(|one| !(one.is_peer && is_function(one.kind)))
            // One build of that many points takes ten seconds.
            .filter(|one| nodes <= 10_000 || one.name != "btree-ring")
            .map(|one| {
                Entrant::of(one, move |one| {
                    drop(one.checked(nodes));
                    let build = one.builder(nodes);
                    move |times: u32| {
                        (0..times).fold(Duration::ZERO, |sum, _| {
                            let mut built = None;
                            let spent = time(|| built = Some(build()));
                            drop(built); // its end is not timed
                            sum + spent
                        })
                    }
                })
            })
            .collect()
    },
};

pub(super) const ADD: Question = Question {
    name: "add",
    asks: "How long does it take one node to join?",
    unit: MICROSECONDS,
    against: FASTEST_PEER,
    sizes: &[100, 1_000],
    // Sixteen newcomers.
    entrants: |nodes| {
        changes(nodes, Direction::Join, |nodes| {
            (nodes..nodes + 16).collect()
        })
    },
};

pub(super) const REMOVE: Question = Question {
    name: "remove",
    asks: "How long does it take one node to leave? (Jump and its like lose the last of their list.)",
    unit: MICROSECONDS,
    against: FASTEST_PEER,
    sizes: &[100, 1_000],
    // Sixteen nodes spread over the list.
    entrants: |nodes| {
        changes(nodes, Direction::Leave, |nodes| {
            (0..nodes).step_by(nodes as usize / 16).take(16).collect() // u32 fits
        })
    },
};

fn changes(nodes: u32, direction: Direction, movers: fn(u32) -> Vec<u32>) -> Vec<Entrant> {
    let able = contestants_at(nodes).filter(|one| match direction {
        Direction::Join => one.has_change() && !one.is_full,
        Direction::Leave => one.has_change(),
    });
    able.map(|one| {
        Entrant::of(one, move |one| {
            let router = one.change(nodes).expect("its nodes come and go");
            // Where only the last of the list may leave, it is the one that comes back.
            let movers = match (one.kind, direction) {
                (Kind::Jump | Kind::JumpLike | Kind::Modulo, Direction::Leave) => vec![nodes - 1],
                _ => movers(nodes),
            };
            Changes::new(one.name, router, direction, movers)
        })
    })
    .collect()
}

#[derive(Clone, Copy)]
enum Direction {
    Join,
    Leave,
}

/// Times a change without its undoing.
///
/// The movers come in turn, so that no branch or cache line learns one of them. Reading the clock takes some
/// 25 ns, which shows where a change takes less than a microsecond. The router keeps its buffers from one change to
/// the next, as one does that changes often.
struct Changes {
    name: &'static str,
    router: Box<dyn Change>,
    direction: Direction,
    movers: Vec<Mover>,
    next: usize,
    before: u64,
}

impl Changes {
    fn new(
        name: &'static str,
        router: Box<dyn Change>,
        direction: Direction,
        movers: Vec<u32>,
    ) -> Self {
        let before = answers(&*router);
        Self {
            name,
            router,
            direction,
            movers: movers.into_iter().map(Mover::new).collect(),
            next: 0,
            before,
        }
    }
}

impl Timed for Changes {
    fn run(&mut self, times: u32) -> Duration {
        let mut sum = Duration::ZERO;
        for _ in 0..times {
            let mover = &self.movers[self.next];
            self.next = (self.next + 1) % self.movers.len();
            sum += match self.direction {
                Direction::Join => {
                    let spent = time(|| self.router.join(mover));
                    self.router.leave(mover);
                    spent
                }
                Direction::Leave => {
                    let spent = time(|| self.router.leave(mover));
                    self.router.join(mover);
                    spent
                }
            };
        }
        sum
    }

    fn finish(&mut self) {
        let after = answers(&*self.router);
        assert_eq!(after, self.before, "{}: a change was not undone", self.name);
    }
}

/// The digest of its answers; of fewer than elsewhere, since some peers are slow.
fn answers(router: &dyn Change) -> u64 {
    digest_of(&workload::keys()[..CHECKED >> 6], |key| router.owner(key))
}
