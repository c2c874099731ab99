//! How long does it take one node to leave?

use criterion::{Criterion, criterion_group, criterion_main};
use keyroute_benches::change::{Changes, join, join_hashring, leave, leave_hashring, leave_last};
use keyroute_benches::contestants::{btree_ring, jump, ketama, modulo, owner, vector_ring};
use keyroute_benches::peers::{hashring, hashring_owner};
use keyroute_benches::settings::criterion;
use keyroute_benches::workload::CHANGE_SIZES;

fn remove(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("remove");
    for nodes in CHANGE_SIZES {
        // Sixteen nodes spread over the list.
        let leavers = (0..nodes).step_by(nodes as usize / 16).take(16); // u32 fits
        let mut anyone = Changes::new(&mut group, nodes, leavers);
        anyone.time_bare_hash();
        anyone.time("vector-ring", vector_ring(nodes), owner, leave, join);
        anyone.time("btree-ring", btree_ring(nodes), owner, leave, join);
        anyone.time("ketama", ketama(nodes), owner, leave, join);
        anyone.time(
            "hashring",
            hashring(nodes),
            hashring_owner,
            leave_hashring,
            join_hashring,
        );

        // Those that number their buckets lose the last.
        let mut last = Changes::new(&mut group, nodes, [nodes - 1]);
        last.time("jump", jump(nodes), owner, leave_last, join);
        last.time("modulo", modulo(nodes), owner, leave_last, join);
    }
}

criterion_group! { name = benches; config = criterion(); targets = remove }
criterion_main!(benches);
