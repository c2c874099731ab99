//! Acquiring and releasing allocate nothing.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use keyroute_bounded::{Bounded, Exact};
use keyroute_vector_ring::VectorRing;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, with a count for each thread.
struct Counting;

// SAFETY: every call is passed on unchanged; a thread-local cell without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
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
