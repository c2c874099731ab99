//! What does a request cost under bounded loads, its lease taken and another given back?

use std::collections::VecDeque;

use criterion::{Criterion, criterion_group, criterion_main};
use keyroute_benches::contestants::{owner, vector_ring};
use keyroute_benches::expected::{bare_hash, check};
use keyroute_benches::settings::{criterion, time_blocks};
use keyroute_benches::workload::keys;
use keyroute_bounded::{Bounded, Exact, Lease};
use keyroute_vector_ring::VectorRing;

/// In nodes.
const FLEETS: [u32; 3] = [10, 100, 1_000];

/// Requests in flight for each node.
const IN_FLIGHT: usize = 10;

/// A quarter over the fair share.
const EPSILON: u32 = 250;

fn bounded(nodes: u32) -> Bounded<VectorRing> {
    let rule = Exact::new(EPSILON).expect("an epsilon within the limits");
    let router = Bounded::new(vector_ring(nodes), rule);
    check("ring/native", nodes, |key| owner(&router, key)); // idle, it is the ring
    router
}

fn take(router: &Bounded<VectorRing>, key: &[u8]) -> Lease {
    router
        .acquire(key)
        .expect("the exact rule admits somewhere")
}

fn acquire(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("acquire");
    for nodes in FLEETS {
        time_blocks(&mut group, "bare-hash", nodes, |keys| {
            keys.iter()
                .fold(0, |sum: u32, key| sum.wrapping_add(bare_hash(key)))
        });

        let router = bounded(nodes);
        time_blocks(&mut group, "idle", nodes, |keys| {
            for key in keys {
                drop(take(&router, key));
            }
        });

        // The oldest request ends when a new one comes.
        let first = &keys()[..IN_FLIGHT * nodes as usize]; // u32 fits
        let mut leases: VecDeque<Lease> = first.iter().map(|key| take(&router, key)).collect();
        time_blocks(&mut group, "loaded", nodes, |keys| {
            for key in keys {
                leases.pop_front();
                leases.push_back(take(&router, key));
            }
        });

        // At most ⌈1.25 × 10⌉ anywhere, and nothing is left in the end.
        assert_eq!(router.total(), leases.len() as u64);
        assert!(router.loads().all(|(_, load)| load <= 13), "{router:?}");
        drop(leases);
        assert_eq!(router.total(), 0);
    }
}

criterion_group! { name = benches; config = criterion(); targets = acquire }
criterion_main!(benches);
