//! [`advance`]: the rounds of a block in registers of four doubles, where the processor has them.
//!
//! The same code as everywhere, compiled for AVX2 as well: a batch then takes two thirds of the time. Without
//! `std` nobody says what the processor has, so it is asked here.

use crate::jump_batch::Block;

/// Takes all keys of the block on, if the processor can; says whether it did.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn advance(_block: &mut Block, _buckets: u32) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::advance;

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "what the processor has is known only when it runs"
)]
mod avx2 {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use core::sync::atomic::{AtomicU8, Ordering};

    use super::Block;

    /// Takes all keys of the block on, if the processor can; says whether it did.
    pub(crate) fn advance(block: &mut Block, buckets: u32) -> bool {
        let can = is_there();
        if can {
            // SAFETY: the processor has AVX2, and the system keeps its registers.
            unsafe { advance_wide(block, buckets) };
        }
        can
    }

    #[target_feature(enable = "avx2")]
    fn advance_wide(block: &mut Block, buckets: u32) {
        block.advance::<16>(buckets);
    }

    /// Whether there is AVX2. Asked once: that takes longer than a batch.
    fn is_there() -> bool {
        const UNKNOWN: u8 = 0;
        const NO: u8 = 1;
        const YES: u8 = 2;
        static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);

        match KNOWN.load(Ordering::Relaxed) {
            UNKNOWN => {
                let there = ask();
                KNOWN.store(if there { YES } else { NO }, Ordering::Relaxed);
                there
            }
            known => known == YES,
        }
    }

    /// Intel's manual, volume 1, 14.3 and 14.7: AVX and AVX2, and that the system keeps the registers.
    fn ask() -> bool {
        const OSXSAVE_AND_AVX: u32 = 1 << 27 | 1 << 28;
        const AVX2: u32 = 1 << 5;
        const SSE_AND_AVX_STATE: u64 = 0b110;

        __cpuid(0).eax >= 7
            && __cpuid(1).ecx & OSXSAVE_AND_AVX == OSXSAVE_AND_AVX
            // SAFETY: OSXSAVE says that there is the instruction, and that it may be used.
            && unsafe { _xgetbv(0) } & SSE_AND_AVX_STATE == SSE_AND_AVX_STATE
            && __cpuid_count(7, 0).ebx & AVX2 != 0
    }

    #[cfg(test)]
    mod tests {
        extern crate std;

        use super::*;
        use keyroute_core::buckets::{MAX_BUCKETS, word};

        #[test]
        fn what_the_processor_has_is_what_std_says() {
            assert_eq!(is_there(), std::is_x86_feature_detected!("avx2"));
            assert_eq!(ask(), is_there());
        }

        #[test]
        fn wide_registers_change_nothing() {
            for buckets in [1, 2, 10, 17, 1000, 1025, 1_000_001, MAX_BUCKETS] {
                for seed in 0..500 {
                    let keys: std::vec::Vec<u64> =
                        (0..=seed % 64).map(|index| word(seed, index)).collect();
                    let (mut wide, mut narrow) = (Block::new(&keys), Block::new(&keys));
                    if advance(&mut wide, buckets) {
                        narrow.advance::<16>(buckets);
                        assert!(wide.is(&narrow), "{seed} of {buckets}");
                    } else {
                        assert!(wide.is(&narrow), "it did something");
                    }
                }
            }
        }
    }
}
