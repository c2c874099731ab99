//! How long does it take one node to join?

use criterion::{Criterion, criterion_group, criterion_main};
use keyroute_benches::change::{Changes, join, join_hashring, leave, leave_hashring, leave_last};
use keyroute_benches::contestants::{btree_ring, jump, ketama, modulo, owner, vector_ring};
use keyroute_benches::peers::{hashring, hashring_owner};
use keyroute_benches::settings::criterion;
use keyroute_benches::workload::CHANGE_SIZES;

fn add(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("add");
    for nodes in CHANGE_SIZES {
        let mut add = Changes::new(&mut group, nodes, nodes..nodes + 16);
        add.time_bare_hash();
        add.time("vector-ring", vector_ring(nodes), owner, join, leave);
        add.time("btree-ring", btree_ring(nodes), owner, join, leave);
        add.time("ketama", ketama(nodes), owner, join, leave);
        add.time("jump", jump(nodes), owner, join, leave_last);
        add.time("modulo", modulo(nodes), owner, join, leave_last);
        add.time(
            "hashring",
            hashring(nodes),
            hashring_owner,
            join_hashring,
            leave_hashring,
        );
    }
}

criterion_group! { name = benches; config = criterion(); targets = add }
criterion_main!(benches);
