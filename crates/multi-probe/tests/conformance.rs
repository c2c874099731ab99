//! The laws that multi-probe hashing keeps: all of a ring's but those about ranges, which it does not have,
//! and about balance, which `shares.rs` looks at.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::{Md5, Xxh3, Xxh32};
use keyroute_multi_probe::{MultiProbe, MultiProbeScheme};

laws! {
    multi_probe: |nodes| MultiProbe::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        order_free, remove_then_add_is_the_identity, changes_undone_last_first_leave_no_trace,
    ],

    one_probe: |nodes| {
        let scheme = MultiProbeScheme::<_, 1>::new(Xxh3);
        MultiProbe::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [growth, removal, weights, walks, walks_that_change],

    // Many nodes on one point, and probes that stand on points.
    top_8_bits: |nodes| {
        let scheme = MultiProbeScheme::<_, 5>::new(Cut::top(Xxh3, 8));
        MultiProbe::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change,
        order_free, remove_then_add_is_the_identity,
    ],

    low_8_bits: |nodes| {
        let scheme = MultiProbeScheme::<_, 5>::new(Cut::low(Xxh3, 8)).with_points_per_weight(7)?;
        MultiProbe::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change,
        order_free, remove_then_add_is_the_identity,
    ],

    over_32_bits: |nodes| {
        let scheme = MultiProbeScheme::<_, 5>::new(Cut::top(Xxh32::default(), 8));
        MultiProbe::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [lookup, growth, removal, weights, digests, walks, walks_that_change, order_free],

    over_128_bits: |nodes| {
        MultiProbe::from_nodes_with(MultiProbeScheme::<_, 5>::new(Md5), nodes.iter().cloned())
    },
    keeps [lookup, growth, removal, weights, digests, walks, walks_that_change, order_free],
}
