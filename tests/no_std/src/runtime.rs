//! What std would have brought: an allocator, over C's, and an answer to panics.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;
use core::panic::PanicInfo;

#[link(name = "c")]
unsafe extern "C" {
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn abort() -> !;
}

struct CAllocator;

#[global_allocator]
static ALLOCATOR: CAllocator = CAllocator;

// SAFETY: `aligned_alloc` gives a block of at least this size at this alignment, or null; `free` takes
// back what it gave.
unsafe impl GlobalAlloc for CAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // C wants a size that is a multiple of the alignment, a power of two.
        let size = layout.pad_to_align().size();
        // SAFETY: the alignment is a power of two and divides the size.
        unsafe { aligned_alloc(layout.align(), size) }.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the caller passes a block of `alloc`.
        unsafe { free(block.cast()) }
    }
}

#[panic_handler]
fn panic(_info: &PanicInfo<'_>) -> ! {
    // SAFETY: it has no preconditions.
    unsafe { abort() }
}

// The precompiled `alloc` could unwind and so names these two. Panics abort here: neither is called.

#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    // SAFETY: it has no preconditions.
    unsafe { abort() }
}
