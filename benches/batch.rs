//! What does one key of a batch cost, hashing included?

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use keyroute_benches::contestants::{btree_ring, jump, ketama, modulo, vector_ring};
use keyroute_benches::expected::bare_hash;
use keyroute_benches::settings::{criterion, time_blocks};
use keyroute_benches::workload::{BLOCK, SIZES};
use keyroute_core::{Router, Slot};

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, nodes: u32, router: &impl Router) {
    let mut owners = vec![None; BLOCK];
    let check = |keys: &[&[u8]], owners: &[Option<Slot>]| {
        let same = keys
            .iter()
            .zip(owners)
            .all(|(key, &owner)| router.route(key) == owner);
        assert!(
            same,
            "{name}, {nodes} nodes: a batch differs from single lookups"
        );
    };
    let first = &keyroute_benches::workload::keys()[..BLOCK];
    router
        .route_batch(first, &mut owners)
        .expect("equal lengths");
    check(first, &owners);

    time_blocks(group, name, nodes, |keys| {
        router.route_batch(keys, &mut owners)
    });
}

fn batch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("batch");
    for nodes in SIZES {
        let mut hashes = vec![0; BLOCK];
        time_blocks(&mut group, "bare-hash", nodes, |keys| {
            for (key, hash) in keys.iter().zip(&mut hashes) {
                *hash = bare_hash(key);
            }
        });
        measure(&mut group, "vector-ring", nodes, &vector_ring(nodes));
        measure(&mut group, "btree-ring", nodes, &btree_ring(nodes));
        measure(&mut group, "ketama", nodes, &ketama(nodes));
        measure(&mut group, "jump", nodes, &jump(nodes));
        measure(&mut group, "modulo", nodes, &modulo(nodes));
    }
}

criterion_group! { name = benches; config = criterion(); targets = batch }
criterion_main!(benches);
