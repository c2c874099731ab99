//! How long does it take to make a router of a list of nodes?

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use keyroute_benches::contestants::{btree_ring, jump, ketama, modulo, vector_ring};
use keyroute_benches::expected::bare_hash;
use keyroute_benches::peers::{self, buckets, build_hashring};
use keyroute_benches::settings::criterion;
use keyroute_benches::workload::{CHANGE_SIZES, POINTS, fleet, keys};
use keyroute_btree_ring::BTreeRing;
use keyroute_core::Node;
use keyroute_jump::Jump;
use keyroute_ketama::Ketama;
use keyroute_modulo::Modulo;
use keyroute_vector_ring::VectorRing;
use pingora_ketama::Continuum;

fn measure<R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    nodes: u32,
    mut build: impl FnMut() -> R,
) {
    group.throughput(Throughput::Elements(u64::from(nodes * POINTS)));
    // The router's end is not timed: criterion drops what a batch gave afterwards.
    group.bench_function(BenchmarkId::new(name, nodes), |bencher| {
        bencher.iter_with_large_drop(&mut build);
    });
}

fn construction(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("construction");
    for nodes in CHANGE_SIZES {
        // Each is built and checked once before it is timed.
        drop((
            vector_ring(nodes),
            btree_ring(nodes),
            ketama(nodes),
            jump(nodes),
            modulo(nodes),
        ));
        drop((peers::hashring(nodes), peers::pingora_ketama(nodes)));
        let fleet: Vec<Node> = fleet(nodes).expect("the fleets are within every limit");
        let list = || black_box(&fleet).iter().cloned();
        let points = &keys()[..(nodes * POINTS) as usize]; // u32 fits

        measure(&mut group, "bare-hash", nodes, || {
            points
                .iter()
                .fold(0, |sum: u32, key| sum.wrapping_add(bare_hash(key)))
        });
        measure(&mut group, "vector-ring", nodes, || {
            VectorRing::from_nodes(list())
        });
        measure(&mut group, "btree-ring", nodes, || {
            BTreeRing::from_nodes(list())
        });
        measure(&mut group, "ketama", nodes, || Ketama::from_nodes(list()));
        measure(&mut group, "jump", nodes, || Jump::from_nodes(list()));
        measure(&mut group, "modulo", nodes, || Modulo::from_nodes(list()));
        measure(&mut group, "hashring", nodes, || {
            build_hashring(black_box(nodes))
        });
        let buckets = buckets(nodes);
        measure(&mut group, "pingora-ketama", nodes, || {
            Continuum::new(black_box(&buckets))
        });
    }
}

criterion_group! { name = benches; config = criterion(); targets = construction }
criterion_main!(benches);
