//! Criterion's settings.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

use crate::workload::{BLOCK, Blocks, keys};

/// About a second a benchmark: all of them take a few minutes. Longer runs are asked for on the
/// command line (`--measurement-time`, `--sample-size`).
///
/// Many samples, so that the shortest last a fraction of a millisecond and some are undisturbed on a
/// busy machine; few resamples, since nobody reads the confidence intervals of a fastest sample.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .without_plots()
        .sample_size(100)
        .nresamples(2_000)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(700))
}

/// Times `block` over the blocks of keys in turn.
pub fn time_blocks<O>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    nodes: u32,
    mut block: impl FnMut(&'static [&'static [u8]]) -> O,
) {
    keys(); // made before any clock runs
    group.throughput(Throughput::Elements(BLOCK as u64));
    group.bench_function(BenchmarkId::new(name, nodes), |bencher| {
        let mut blocks = Blocks::default();
        bencher.iter(|| block(blocks.next_block()));
    });
}
