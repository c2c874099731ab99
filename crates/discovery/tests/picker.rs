//! `ClientPicker`: right answers, through changes, without an allocation.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::System;
use std::sync::Arc;

use keyroute_cluster::{Batch, Unavailable};
use keyroute_discovery::{ClientPicker, Cluster, NodeId, Picked};
use keyroute_vector_ring::VectorRing;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn cluster() -> Arc<Cluster<VectorRing, String>> {
    let ring = VectorRing::from_ids(["a", "b", "c"]).unwrap();
    Arc::new(Cluster::new(ring, |node| format!("{}:80", node.id())))
}

// One test, for the allocator counts for all threads.
#[test]
fn picks_agree_with_the_cluster_follow_it_and_allocate_nothing() {
    let cluster = cluster();
    let own = NodeId::new("b").unwrap();
    let mut picker = ClientPicker::new(cluster.reader(), own.clone());
    let mut agrees = |cluster: &Cluster<VectorRing, String>| {
        let mut served = 0;
        for key in 0..500u32 {
            let key = key.to_le_bytes();
            let now = cluster.load();
            let expected = now.pick(&key).unwrap();
            match picker.pick_peer(&key).unwrap() {
                Picked::Own => {
                    assert_eq!(*expected.id(), own);
                    served += 1;
                }
                Picked::Peer(peer) => {
                    assert_eq!(peer.id(), expected.id());
                    assert_ne!(*peer.id(), own);
                    assert_eq!(*peer.payload(), format!("{}:80", peer.id()));
                }
            }
        }
        served
    };
    let served = agrees(&cluster);
    assert!((80..250).contains(&served), "{served}");
    cluster.apply(Batch::new().down("b")).unwrap();
    assert_eq!(agrees(&cluster), 0);
    cluster.apply(Batch::new().up("b").remove("a")).unwrap();
    assert!(agrees(&cluster) > served);
    cluster.apply(Batch::new().remove("b")).unwrap();
    assert_eq!(agrees(&cluster), 0, "who is no member owns nothing");

    let mut picker = ClientPicker::new(cluster.reader(), NodeId::new("c").unwrap());
    picker.pick_peer(b"first").unwrap();
    let region = Region::new(ALLOCATOR);
    let mut peers = 0;
    for key in 0..10_000u32 {
        peers += usize::from(
            picker
                .pick_peer(&key.to_le_bytes())
                .unwrap()
                .peer()
                .is_some(),
        );
    }
    assert_eq!((region.change().allocations, peers), (0, 0));

    cluster.apply(Batch::new().remove("c")).unwrap();
    assert_eq!(picker.pick_peer(b"key").unwrap_err(), Unavailable::NoOwner);
}
