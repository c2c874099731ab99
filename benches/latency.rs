//! How long does one lookup take when the next key depends on its answer?

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use keyroute_benches::contestants::{MeasureLookup, lookups};
use keyroute_benches::settings::{criterion, time_blocks};
use keyroute_benches::workload::SIZES;

struct Chain<'a> {
    group: BenchmarkGroup<'a, WallTime>,
    nodes: u32,
}

impl MeasureLookup for Chain<'_> {
    fn lookup(&mut self, name: &str, owner: impl Fn(&[u8]) -> u32) {
        time_blocks(&mut self.group, name, self.nodes, |keys| {
            // The last answer says which of two neighbours is next, so lookups cannot overlap.
            (0..keys.len()).fold(0, |last: u32, index| {
                owner(keys[index ^ (last & 1) as usize]) // 0 or 1
            })
        });
    }
}

fn latency(criterion: &mut Criterion) {
    for nodes in SIZES {
        let group = criterion.benchmark_group("latency");
        lookups(nodes, &mut Chain { group, nodes });
    }
}

criterion_group! { name = benches; config = criterion(); targets = latency }
criterion_main!(benches);
