//! Lookups.

use crate::answers::bare_hash;
use crate::contestant::{Contestant, Kind, Lookup};
use crate::questions::{Entrant, FASTEST_PEER, NANOSECONDS, Question, contestants_at};
use crate::rounds::{Timed, time};
use crate::workload::{self, SIZES, Turns};

pub(super) const LOOKUP: Question = Question {
    name: "lookup",
    asks: "How long does one lookup take when keys are independent?",
    unit: NANOSECONDS,
    against: FASTEST_PEER,
    sizes: &[3, 10, 100, 1_000, 10_000, 100_000],
    entrants: |nodes| {
        let mut all = vec![bare(BareHash::independent)];
        all.extend(contestants_at(nodes).map(|one| independent(one, nodes)));
        all
    },
};

pub(super) const LATENCY: Question = Question {
    name: "latency",
    asks: "How long does one lookup take when the next key depends on its answer?",
    unit: NANOSECONDS,
    against: FASTEST_PEER,
    sizes: &SIZES,
    entrants: |nodes| {
        let mut all = vec![bare(BareHash::dependent)];
        all.extend(contestants_at(nodes).map(|one| {
            Entrant::of(one, move |one| {
                let router = one.checked(nodes);
                keys_and_one_more(move |keys| router.dependent(keys))
            })
        }));
        all
    },
};

pub(super) const BATCH: Question = Question {
    name: "batch",
    asks: "What does one key of a batch of 1,024 cost, hashing included? (Peers have no batches: they look \
           up one by one.)",
    unit: NANOSECONDS,
    against: FASTEST_PEER,
    sizes: &SIZES,
    entrants: |nodes| {
        let mut all = vec![bare(BareHash::independent)];
        for one in contestants_at(nodes) {
            if one.has_batch() {
                all.push(Entrant::of(one, move |one| {
                    let router = one.batch(nodes).expect("it has batches");
                    keys(move |keys| {
                        let batches = keys.chunks(workload::BATCH);
                        batches.fold(0, |sum, keys| router.batch(keys).wrapping_add(sum))
                    })
                }));
            } else if one.is_peer {
                all.push(independent(one, nodes));
            }
        }
        all
    },
};

pub(super) const NUMBERED: Question = Question {
    name: "numbered",
    asks: "How long does one lookup take among numbered buckets, at powers of two and just beyond?",
    unit: NANOSECONDS,
    against: FASTEST_PEER,
    sizes: &[10, 17, 1_000, 1_025, 1_000_000, 1_000_001],
    entrants: |nodes| {
        let numbered = [Kind::Jump, Kind::JumpLike, Kind::Anchor];
        contestants_at(nodes)
            .filter(|one| numbered.contains(&one.kind))
            .map(|one| independent(one, nodes))
            .collect()
    },
};

pub(super) const REPLICAS: Question = Question {
    name: "replicas",
    asks: "How long does it take to find three distinct nodes for a key?",
    unit: NANOSECONDS,
    against: FASTEST_PEER,
    sizes: &[10, 100, 1_000],
    entrants: |nodes| {
        contestants_at(nodes)
            .filter(Contestant::has_replicas)
            .map(|one| {
                Entrant::of(one, move |one| {
                    let router = one.replicas(nodes).expect("it has replicas");
                    keys(move |keys| router.each_replicas(keys))
                })
            })
            .collect()
    },
};

fn independent(one: Contestant, nodes: u32) -> Entrant {
    Entrant::of(one, move |one| {
        let router = one.checked(nodes);
        keys(move |keys| router.independent(keys))
    })
}

/// What every strategy must pay.
struct BareHash;

impl Lookup for BareHash {
    fn owner(&self, key: &[u8]) -> u32 {
        bare_hash(key)
    }
}

/// The hash alone, keys independent.
pub(super) fn bare_hash_alone() -> impl Timed {
    keys(|keys| BareHash.independent(keys))
}

fn bare(look_up: fn(&BareHash, &[&[u8]]) -> u32) -> Entrant {
    Entrant::new("bare hash", "", false, move || {
        keys_and_one_more(move |keys| look_up(&BareHash, keys))
    })
}

/// Times this work, once a key.
pub(super) fn keys(mut work: impl FnMut(&[&[u8]]) -> u32) -> impl Timed {
    let mut turns = Turns::default();
    move |times: u32| {
        let keys = turns.take(times as usize); // u32 fits
        time(|| work(keys))
    }
}

/// Times this work, once a key but one.
fn keys_and_one_more(mut work: impl FnMut(&[&[u8]]) -> u32) -> impl Timed {
    let mut turns = Turns::default();
    move |times: u32| {
        let keys = turns.take(times as usize + 1); // u32 fits
        time(|| work(keys))
    }
}
