//! Did a change make lookups faster? Criterion's statistics for one contestant, before and after.
//!
//! ```sh
//! cargo bench -p keyroute-benches --bench lookup -- vector-ring --save-baseline before
//! cargo bench -p keyroute-benches --bench lookup -- vector-ring --baseline before
//! ```

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use keyroute_benches::contestant::{Lookup, contestants};
use keyroute_benches::workload::{SIZES, Turns};

/// Keys of one timed iteration.
const BLOCK: usize = 1 << 10;

fn lookup(criterion: &mut Criterion) {
    for contestant in contestants() {
        for nodes in SIZES.into_iter().filter(|&nodes| nodes <= contestant.most) {
            // Built and checked when it is first wanted: a filter may leave it out.
            let mut built: Option<Box<dyn Lookup>> = None;
            let mut turns = Turns::default();
            for (question, look_up) in [
                ("independent", independent as Loop),
                ("dependent", dependent),
            ] {
                let mut group = criterion.benchmark_group(contestant.name);
                group.throughput(Throughput::Elements(BLOCK as u64));
                group.bench_function(BenchmarkId::new(question, nodes), |bencher| {
                    let router = built.get_or_insert_with(|| contestant.checked(nodes));
                    bencher.iter(|| look_up(&**router, turns.take(BLOCK + 1)));
                });
            }
        }
    }
}

type Loop = fn(&dyn Lookup, &[&[u8]]) -> u32;

fn independent(router: &dyn Lookup, keys: &[&[u8]]) -> u32 {
    router.independent(&keys[1..])
}

fn dependent(router: &dyn Lookup, keys: &[&[u8]]) -> u32 {
    router.dependent(keys)
}

fn settings() -> Criterion {
    Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! { name = benches; config = settings(); targets = lookup }
criterion_main!(benches);
