//! Acquiring and releasing allocate nothing; and counters are freed, once, whoever is the last to hold them.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use keyroute_bounded::{Below, Bounded, Count, Exact, InWalkOrder, Node};
use keyroute_vector_ring::VectorRing;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static FREED: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, with counts for each thread.
struct Counting;

// SAFETY: every call is passed on unchanged; a thread-local cell without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        FREED.set(FREED.get() + 1);
        // SAFETY: the block is one of `System`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn acquiring_allocates_nothing_up_to_1024_slots() {
    let ids = (0..1024).map(|i| format!("node-{i}"));
    let router = Bounded::new(VectorRing::from_ids(ids).unwrap(), Exact::new(1).unwrap());
    // Loads that spill over, so that walks are long.
    let held: Vec<_> = (0..3000).filter_map(|_| router.acquire(b"hot")).collect();
    let counted = allocations(|| {
        for key in 0..1000u64 {
            let lease = router.acquire(&key.to_le_bytes()).unwrap();
            assert!(router.route(b"hot").is_some());
            drop(lease);
            drop(router.acquire(b"hot"));
        }
    });
    assert_eq!(counted, 0);
    // The count counts.
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1);
    drop(held);
}

/// A router and leases of it end in this order, after the node of some has left. All blocks are freed, none twice.
fn ends<K: Count>(
    made: impl Fn() -> Bounded<VectorRing, Exact, Below, InWalkOrder, K>,
    leave: bool,
    router_first: bool,
) {
    let freed = FREED.get();
    let allocated = allocations(|| {
        let mut router = made();
        let mut leases: Vec<_> = (0..9).filter_map(|_| router.acquire(b"hot")).collect();
        leases.truncate(7);
        if leave {
            let gone = leases[3].node().to_string();
            router.remove(&gone).unwrap();
            drop(leases.pop());
            router.add(Node::new(&gone).unwrap()).unwrap();
        }
        if router_first {
            drop(router);
            assert!(leases.iter().all(|lease| !lease.node().as_str().is_empty()));
        }
        drop(leases);
    });
    assert!(allocated > 0);
    let told = format!("a node left: {leave}, the router ended first: {router_first}");
    assert_eq!(FREED.get() - freed, allocated, "{told}");
}

#[test]
fn counters_are_freed_whoever_is_the_last_to_hold_them() {
    let made = || {
        let ring = VectorRing::from_ids(["a", "b", "c"]).unwrap();
        Bounded::new(ring, Exact::new(250).unwrap())
    };
    for (leave, router_first) in [(false, false), (false, true), (true, false), (true, true)] {
        ends(made, leave, router_first);
        ends(|| made().for_one_thread(), leave, router_first);
    }
}
