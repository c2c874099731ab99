//! What a router costs whose type is not known.

use std::hint::black_box;

use keyroute_core::{Router, Slot};
use keyroute_jump::JumpBack;
use keyroute_maglev::Maglev;
use keyroute_vector_ring::VectorRing;

use crate::answers::{CHECKED, check_recorded};
use crate::questions::lookup::keys;
use crate::questions::{Entrant, NANOSECONDS, Question};
use crate::workload::fleet;

pub(super) const DYN: Question = Question {
    name: "dyn",
    asks: "What does one lookup cost through `dyn Router`, keys independent?",
    unit: NANOSECONDS,
    against: "the same router, its type known",
    sizes: &[100],
    entrants: |nodes| {
        let mut all = Vec::new();
        all.extend(both("vector-ring", "ring/native", nodes, |n| {
            VectorRing::from_nodes(fleet(n)).ok()
        }));
        all.extend(both("maglev", "maglev", nodes, |n| {
            Maglev::from_nodes(fleet(n)).ok()
        }));
        all.extend(both("jump-back", "jump-back", nodes, |n| {
            JumpBack::from_nodes(fleet(n)).ok()
        }));
        all
    },
};

fn both<R: Router + 'static>(
    name: &'static str,
    rule: &'static str,
    nodes: u32,
    make: fn(u32) -> Option<R>,
) -> [Entrant; 2] {
    let checked = move || {
        let router = make(nodes).expect("the fleets are within every limit");
        check_recorded(rule, nodes, CHECKED, &|key| owner(&router, key));
        router
    };
    [
        Entrant::new(name, name, true, move || {
            let router = checked();
            keys(move |keys| independent(&router, keys))
        }),
        Entrant::new(format!("{name}, dyn"), name, false, move || {
            let router: Box<dyn Router> = Box::new(checked());
            // Or the compiler would see through it.
            keys(move |keys| independent(black_box(&*router), keys))
        }),
    ]
}

fn independent<R: Router + ?Sized>(router: &R, keys: &[&[u8]]) -> u32 {
    keys.iter()
        .fold(0, |sum: u32, key| sum.wrapping_add(owner(router, key)))
}

fn owner<R: Router + ?Sized>(router: &R, key: &[u8]) -> u32 {
    router.route(key).map_or(u32::MAX, Slot::index)
}
