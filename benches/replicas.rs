//! How long does it take to find three distinct nodes of 100 for a key?

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use keyroute_benches::contestants::{
    btree_ring, ketama, multi_probe, ranking, rendezvous, slot_table, token_ring, two_sided,
    vector_ring, window_ring,
};
use keyroute_benches::expected::bare_hash;
use keyroute_benches::peers::{number, pingora_ketama};
use keyroute_benches::settings::{criterion, time_blocks};
use keyroute_benches::workload::keys;
use keyroute_core::{Slot, Walk, WalkExt};
use pingora_ketama::Continuum;

const NODES: u32 = 100;
const REPLICAS: usize = 3;

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, router: &impl Walk) {
    let mut out = [Slot::new(0).expect("the first slot"); REPLICAS];
    for key in &keys()[..1_000] {
        assert_eq!(router.replicas_into(key, &mut out), REPLICAS);
        let distinct = out[0] != out[1] && out[1] != out[2] && out[2] != out[0];
        assert!(
            distinct && router.route(key) == Some(out[0]),
            "{name}: {out:?}"
        );
    }
    time_blocks(group, name, NODES, |keys| {
        keys.iter().fold(0, |sum: u32, key| {
            router.replicas_into(key, &mut out);
            out.iter()
                .fold(sum, |sum, slot| sum.wrapping_add(slot.index()))
        })
    });
}

/// The crate gives the owners of the points in turn; its users keep the distinct ones.
fn pingora_replicas(ring: &Continuum, key: &[u8]) -> [u32; REPLICAS] {
    let mut out = [u32::MAX; REPLICAS];
    let mut found = 0;
    for &address in ring.node_iter(key) {
        let node = number(address);
        if !out[..found].contains(&node) {
            out[found] = node;
            found += 1;
            if found == REPLICAS {
                break;
            }
        }
    }
    out
}

fn replicas(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replicas");
    time_blocks(&mut group, "bare-hash", NODES, |keys| {
        keys.iter()
            .fold(0, |sum: u32, key| sum.wrapping_add(bare_hash(key)))
    });
    measure(&mut group, "vector-ring", &vector_ring(NODES));
    measure(&mut group, "btree-ring", &btree_ring(NODES));
    measure(&mut group, "ketama", &ketama(NODES));
    measure(&mut group, "two-sided", &two_sided(NODES));
    measure(&mut group, "multi-probe", &multi_probe(NODES));
    measure(&mut group, "window-ring", &window_ring(NODES));
    measure(&mut group, "token-ring", &token_ring(NODES));
    measure(&mut group, "rendezvous", &rendezvous(NODES));
    measure(&mut group, "slot-table", &slot_table(NODES));
    measure(&mut group, "ranking", &ranking(NODES));
    let ring = pingora_ketama(NODES);
    time_blocks(&mut group, "pingora-ketama", NODES, |keys| {
        keys.iter().fold(0, |sum: u32, key| {
            let replicas = pingora_replicas(&ring, key);
            replicas
                .iter()
                .fold(sum, |sum, &node| sum.wrapping_add(node))
        })
    });
}

criterion_group! { name = benches; config = criterion(); targets = replicas }
criterion_main!(benches);
