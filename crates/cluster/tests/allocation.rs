//! Lookups allocate nothing, whatever the state of the nodes. One test: it counts for the whole process.

mod support;

use std::alloc::System;
use std::time::Duration;

use keyroute_cluster::{Batch, Cluster, Exact, Node, Ramp, Slot};
use keyroute_vector_ring::VectorRing;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use support::node;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How often the work allocates: the least of three times, for the harness's thread may allocate meanwhile.
fn allocations(mut work: impl FnMut()) -> usize {
    let mut once = || {
        let region = Region::new(ALLOCATOR);
        work();
        let change = region.change();
        change.allocations + change.reallocations
    };
    once().min(once()).min(once())
}

/// What puts a cluster into a state.
type State = fn(Batch<()>, Ramp) -> Batch<()>;

#[test]
fn lookups_allocate_nothing() {
    let ramp = Ramp::new(Duration::from_secs(9), 2).unwrap();
    let states: [State; 3] = [
        |batch, _| batch,
        |batch, _| batch.down("n1").drain("n2"),
        |batch, ramp| batch.ramp("n3", ramp).ramp("n4", ramp),
    ];
    // Beyond 1,024 slots only the reader's set is kept.
    for count in [50, 1500] {
        let nodes = (0..count).map(|place| Node::new(format!("n{place}")).unwrap());
        let cluster = Cluster::new(VectorRing::from_nodes(nodes).unwrap(), |_| ()).with_samples(0);
        let cluster = cluster.with_bound(Exact::new(1).unwrap());
        let mut reader = cluster.reader();
        for state in states {
            cluster.apply(state(Batch::new(), ramp)).unwrap();
            // This thread's first load, and the reader's set.
            let _ = cluster.load().pick(b"k");
            for number in 0..2000u32 {
                let _ = reader.pick(&number.to_le_bytes());
            }
            let by_reader = allocations(|| {
                for number in 0..2000u32 {
                    reader.pick(&number.to_le_bytes()).unwrap();
                }
            });
            assert_eq!(by_reader, 0);
            // A hot key too, whose loads walk far.
            let mut held = Vec::with_capacity(500);
            for _ in 0..500 {
                held.push(reader.acquire(b"hot").unwrap());
            }
            let leases = allocations(|| {
                for number in 0..500u32 {
                    drop(reader.acquire(&number.to_le_bytes()).unwrap());
                    drop(reader.acquire(b"hot").unwrap());
                    if count <= 1024 {
                        drop(cluster.acquire(b"hot").unwrap());
                    }
                }
            });
            assert_eq!(leases, 0);
            drop(held);
            if count <= 1024 {
                let by_load = allocations(|| {
                    let mut slots = [Slot::new(0).unwrap(); 3];
                    for number in 0..2000u32 {
                        let now = cluster.load();
                        let key = number.to_le_bytes();
                        now.pick(&key).unwrap();
                        assert_eq!(now.pick_into(&key, &mut slots), 3);
                        now.spread(&key, 3).turn(number.into()).unwrap();
                        now.spread(&key, 3)
                            .least_by(|pick| u64::from(pick.slot().index()))
                            .unwrap();
                    }
                });
                assert_eq!(by_load, 0);
            }
        }
    }
    // The count can fail.
    assert!(allocations(|| drop(node("counted"))) > 0);
}
