//! How long does one lookup take when keys are independent?

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use keyroute_benches::contestants::{MeasureLookup, lookups};
use keyroute_benches::settings::{criterion, time_blocks};
use keyroute_benches::workload::SIZES;

struct Throughput<'a> {
    group: BenchmarkGroup<'a, WallTime>,
    nodes: u32,
}

impl MeasureLookup for Throughput<'_> {
    fn lookup(&mut self, name: &str, owner: impl Fn(&[u8]) -> u32) {
        time_blocks(&mut self.group, name, self.nodes, |keys| {
            keys.iter()
                .fold(0, |sum: u32, key| sum.wrapping_add(owner(key)))
        });
    }
}

fn lookup(criterion: &mut Criterion) {
    for nodes in SIZES {
        let group = criterion.benchmark_group("lookup");
        lookups(nodes, &mut Throughput { group, nodes });
    }
}

criterion_group! { name = benches; config = criterion(); targets = lookup }
criterion_main!(benches);
