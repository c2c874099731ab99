//! What is refused takes no memory, and what is asked for in excess takes what there is.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use keyroute::{BTreeRing, Ketama, VectorRing};
use keyroute_tests::node;

thread_local! {
    /// Bytes held by this thread now, and the most since the count began.
    static HELD: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// The system's allocator, with a count of bytes for each thread.
struct Counting;

// SAFETY: every call is passed on unchanged; a thread-local cell without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (held, most) = HELD.get();
        let held = held + layout.size();
        HELD.set((held, most.max(held)));
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let (held, most) = HELD.get();
        HELD.set((held.saturating_sub(layout.size()), most));
        // SAFETY: the block is one of `System`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes held at once during the work, beside those held before.
fn peak(work: impl FnOnce()) -> usize {
    let (held, _) = HELD.get();
    HELD.set((held, held));
    work();
    HELD.get().1 - held
}

/// A weight of a million at 160 points would take gigabytes.
#[test]
fn a_ring_too_large_is_refused_before_it_is_built() {
    let both = || [node("huge", 1_000_000), node("one", 1)];
    let mut ring = VectorRing::from_ids(["one"]).unwrap();
    let huge = node("huge", 1_000_000);
    let peak = peak(|| {
        assert!(VectorRing::from_nodes(both()).is_err());
        assert!(BTreeRing::from_nodes(both()).is_err());
        assert!(Ketama::from_nodes(both()).is_err());
        assert!(ring.add(huge.clone()).is_err());
        assert!(ring.reweight("one", huge.weight()).is_err());
        assert!(ring.rebuild(&both()).is_err());
    });
    assert!(peak < 64 << 10, "{peak} bytes");
}

#[test]
fn replicas_beyond_the_members_allocate_for_the_members() {
    let ring = VectorRing::from_ids(["a", "b", "c"]).unwrap();
    let peak = peak(|| assert_eq!(ring.replicas(b"k", usize::MAX).len(), 3));
    assert!(peak < 256, "{peak} bytes");
}

#[test]
fn the_count_counts() {
    let counted = peak(|| drop(std::hint::black_box(vec![1u8; 1000])));
    assert!((1000..2000).contains(&counted), "{counted}");
}
