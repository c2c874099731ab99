//! Our strategies.

use std::marker::PhantomData;

use keyroute_anchor::{Anchor, Dx, GrowableAnchor, Memento, Ranking};
use keyroute_btree_ring::BTreeRing;
use keyroute_core::hash::Xxh3;
use keyroute_core::{
    AddNode, Node, RemoveLast, RemoveNode, RouteError, Router, Slot, Walk, WalkExt,
};
use keyroute_jump::{Binomial, BinomialPublished, Flip, Jump, JumpBack, Power};
use keyroute_ketama::Ketama;
use keyroute_maglev::{Maglev, TableSize};
use keyroute_modulo::Modulo;
use keyroute_multi_probe::MultiProbe;
use keyroute_rendezvous::Rendezvous;
use keyroute_slot_table::SlotTable;
use keyroute_token_ring::TokenRing;
use keyroute_vector_ring::{TwoSidedRing, VectorRing};
use keyroute_window_ring::WindowRing;

use crate::contestant::{Batch, Change, Contestant, Kind, Line, Lookup, Mover, REPLICAS, Replicas};
use crate::workload::{BATCH, POINTS, fleet, weighted_fleet};

/// All of them.
#[must_use]
pub fn contestants() -> Vec<Contestant> {
    use Kind::{
        Anchor as AnyLeaves, Jump as Chain, JumpLike, Ketama as Md5Ring, Maglev as Table,
        Modulo as Rest, MultiProbe as Probes, Rendezvous as Highest, Ring, SlotTable as Slots,
        WeightedRendezvous,
    };
    vec![
        line("vector-ring", Ring, |n| of(n, VectorRing::from_nodes))
            .rule("ring/native")
            .points(POINTS)
            .most(100_000)
            .replicates()
            .changes()
            .done(),
        line("btree-ring", Ring, |n| of(n, BTreeRing::from_nodes))
            .rule("ring/native")
            .points(POINTS)
            .most(100_000)
            .replicates()
            .changes()
            .done(),
        line("two-sided", Ring, |n| of(n, TwoSidedRing::from_nodes))
            .rule("ring/nearest")
            .points(POINTS)
            .most(100_000)
            .replicates()
            .changes()
            .done(),
        line("ketama", Md5Ring, |n| of(n, Ketama::from_nodes))
            .rule("ring/ketama")
            .points(POINTS)
            .most(100_000)
            .replicates()
            .changes()
            .done(),
        line("token-ring", Ring, |n| of(n, TokenRing::from_nodes))
            .rule("token-ring")
            .points(16)
            .most(10_000)
            .replicates()
            .done(),
        line("window-ring", Ring, |n| of(n, WindowRing::from_nodes))
            .rule("window-ring")
            .points(64)
            .most(100_000)
            .replicates()
            .changes()
            .done(),
        line("multi-probe", Probes, |n| of(n, MultiProbe::from_nodes))
            .rule("multi-probe")
            .points(1)
            .most(100_000)
            .replicates()
            .changes()
            .done(),
        line("rendezvous", Highest, |n| of(n, Rendezvous::from_nodes))
            .rule("rendezvous")
            .most(10_000)
            .replicates()
            .changes()
            .done(),
        line("rendezvous, weighted", WeightedRendezvous, |n| {
            of_weighted(n, Rendezvous::from_nodes)
        })
        .rule("rendezvous/weighted")
        .slow()
        .most(10_000)
        .replicates()
        .done(),
        line("maglev", Table, |n| of(n, Maglev::from_nodes))
            .rule("maglev")
            .most(10_000)
            .changes()
            .done(),
        line("maglev, 100 n", Table, |n| of(n, maglev_like_peers))
            .rule("maglev/100n")
            .most(100_000)
            .done(),
        line("slot-table", Slots, |n| of(n, SlotTable::from_nodes))
            .rule("slot-table")
            .most(10_000)
            .replicates()
            .changes()
            .done(),
        line("jump", Chain, |n| of_list(n, Jump::from_nodes))
            .rule("jump")
            .changes()
            .done(),
        line("jump-back", JumpLike, |n| of_list(n, JumpBack::from_nodes))
            .rule("jump-back")
            .changes()
            .done(),
        line("flip", JumpLike, |n| of_list(n, Flip::from_nodes))
            .rule("flip")
            .changes()
            .done(),
        line("power", JumpLike, |n| of_list(n, Power::from_nodes))
            .rule("power")
            .changes()
            .done(),
        line("binomial", JumpLike, |n| of_list(n, Binomial::from_nodes))
            .rule("binomial")
            .changes()
            .done(),
        line("binomial-published", JumpLike, |n| {
            of_list(n, BinomialPublished::from_nodes)
        })
        .rule("binomial-published")
        .changes()
        .done(),
        line("ranking", AnyLeaves, |n| of(n, Ranking::from_nodes))
            .rule("ranking")
            .replicates()
            .changes()
            .done(),
        line("dx", AnyLeaves, |n| {
            of(n, |fleet| {
                Dx::with_capacity(twice(&fleet))?.with_nodes(fleet)
            })
        })
        .rule("dx")
        .changes()
        .done(),
        line("anchor", AnyLeaves, |n| {
            of(n, |fleet| {
                Anchor::with_capacity(twice(&fleet))?.with_nodes(fleet)
            })
        })
        .rule("anchor")
        .changes()
        .done(),
        line("dx, no spare", AnyLeaves, |n| {
            of(n, |fleet| {
                Dx::with_capacity(once(&fleet))?.with_nodes(fleet)
            })
        })
        .rule("dx/no-spare")
        .full()
        .changes()
        .done(),
        line("anchor, no spare", AnyLeaves, |n| {
            of(n, |fleet| {
                Anchor::with_capacity(once(&fleet))?.with_nodes(fleet)
            })
        })
        .rule("anchor/no-spare")
        .full()
        .changes()
        .done(),
        line("growable-anchor", AnyLeaves, |n| {
            of(n, GrowableAnchor::from_nodes)
        })
        .rule("jump-back") // while nobody has left
        .changes()
        .done(),
        line("memento", AnyLeaves, |n| of(n, Memento::from_nodes))
            .rule("jump-back") // while nobody has left
            .changes()
            .done(),
        line("modulo", Rest, |n| of_list(n, Modulo::from_nodes))
            .rule("modulo")
            .changes()
            .done(),
    ]
}

fn line<L: Batch + 'static>(
    name: &'static str,
    kind: Kind,
    prepare: fn(u32) -> Box<dyn Fn() -> L>,
) -> Line<L> {
    Line::new(name, kind, false, prepare).batches()
}

/// One of our routers, and which of its nodes may leave.
#[derive(Debug)]
pub struct Ours<R, Leaver = Anyone>(R, PhantomData<Leaver>);

/// Any node may leave.
#[derive(Debug)]
pub struct Anyone;

/// Only the last node of the list may leave.
#[derive(Debug)]
pub struct Last;

type Make<R> = fn(Vec<Node>) -> Result<R, RouteError>;

/// Building takes a list of nodes, which is made before; that it is copied each time is part of the work.
fn build<R: 'static, L: 'static>(fleet: Vec<Node>, make: Make<R>) -> Box<dyn Fn() -> Ours<R, L>> {
    Box::new(move || {
        let router = make(fleet.clone());
        Ours(
            router.expect("the fleets are within every limit"),
            PhantomData,
        )
    })
}

fn of<R: 'static>(nodes: u32, make: Make<R>) -> Box<dyn Fn() -> Ours<R>> {
    build(fleet(nodes), make)
}

fn of_weighted<R: 'static>(nodes: u32, make: Make<R>) -> Box<dyn Fn() -> Ours<R>> {
    build(weighted_fleet(nodes), make)
}

fn of_list<R: 'static>(nodes: u32, make: Make<R>) -> Box<dyn Fn() -> Ours<R, Last>> {
    build(fleet(nodes), make)
}

/// A table of the size that peers have: the first prime from a hundred times the nodes.
fn maglev_like_peers(fleet: Vec<Node>) -> Result<Maglev, RouteError> {
    let size = TableSize::at_least(100 * fleet.len() as u64).unwrap_or(TableSize::MAX);
    Maglev::from_nodes_with(Xxh3, size, fleet)
}

/// A capacity of this fleet: no bucket is free.
fn once(fleet: &[Node]) -> u32 {
    u32::try_from(fleet.len()).unwrap_or(u32::MAX)
}

/// A capacity of twice this fleet: half of the buckets are free.
fn twice(fleet: &[Node]) -> u32 {
    once(fleet).saturating_mul(2)
}

/// The number of the node in this slot. Fleets are listed in the order of their numbers, so it is the slot's.
fn number(slot: Option<Slot>) -> u32 {
    slot.map_or(u32::MAX, Slot::index)
}

impl<R: Router, L> Lookup for Ours<R, L> {
    fn owner(&self, key: &[u8]) -> u32 {
        number(self.0.route(key))
    }

    fn says_heap_bytes(&self) -> Option<u64> {
        Some(self.0.heap_bytes() as u64)
    }
}

impl<R: Router, L> Batch for Ours<R, L> {
    fn batch(&self, keys: &[&[u8]]) -> u32 {
        let mut out = [None; BATCH];
        let out = &mut out[..keys.len()];
        self.0.route_batch(keys, out).expect("as long as the keys");
        let add = |sum: u32, slot: &Option<Slot>| sum.wrapping_add(number(*slot));
        out.iter().fold(0, add)
    }
}

impl<R: Walk, L> Replicas for Ours<R, L> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let mut out = [Slot::new(0).expect("the first slot"); REPLICAS];
        let found = self.0.replicas_into(key, &mut out);
        assert_eq!(found, REPLICAS, "too small a fleet");
        out.map(Slot::index)
    }
}

impl<R: AddNode + RemoveNode> Change for Ours<R, Anyone> {
    fn join(&mut self, mover: &Mover) {
        self.0.add(mover.node.clone()).expect("a newcomer");
    }

    fn leave(&mut self, mover: &Mover) {
        self.0.remove(mover.node.id().as_str()).expect("a member");
    }
}

impl<R: AddNode + RemoveLast> Change for Ours<R, Last> {
    fn join(&mut self, mover: &Mover) {
        self.0.add(mover.node.clone()).expect("a newcomer");
    }

    fn leave(&mut self, _: &Mover) {
        self.0.remove_last().expect("a member");
    }
}
