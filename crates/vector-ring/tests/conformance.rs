//! The laws that the vector ring keeps, under good hashes and under hashes cut so short that points
//! collide.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::{Crc32, Md5, Xxh3, Xxh32};
use keyroute_vector_ring::{
    After, AtOrBefore, FirstListed, KeyHasher, Labelled, LastListed, Native, Nearest, RouteError,
    TwoSidedRing, VectorRing, WithLookup, WithTies,
};

/// The native scheme with few points, so that a cut ring has free positions too.
fn sparse<H: KeyHasher>(hasher: H) -> Result<Native<H>, RouteError> {
    Native::new(hasher).with_points_per_weight(12)
}

laws! {
    native: |nodes| VectorRing::from_nodes(nodes.iter().cloned()),
    keeps [
        ring, walk_ranges, order_free, remove_then_add_is_the_identity, changes_undone_last_first_leave_no_trace,
        balances_as_a_ring(160), shares_follow_the_weights(160), every_node_owns_something,
    ],

    // Searching both ways is worth twice the points.
    nearest: |nodes| {
        let scheme = WithLookup::new(Native::new(Xxh3), Nearest);
        VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ranges, walks, digest_walks, balances_as_a_ring(320), every_node_owns_something],

    // The same by name, and all that it keeps.
    two_sided: |nodes| TwoSidedRing::from_nodes(nodes.iter().cloned()),
    keeps [
        ring, order_free, remove_then_add_is_the_identity,
        balances_as_a_ring(320), shares_follow_the_weights(320), every_node_owns_something,
    ],

    // Every position taken several times over.
    top_8_bits: |nodes| {
        VectorRing::from_nodes_with(Native::new(Cut::top(Xxh3, 8)), nodes.iter().cloned())
    },
    keeps [ring, walk_ranges, order_free, remove_then_add_is_the_identity],

    // Positions side by side, and one arc that is nearly the whole ring. A node of weight 1 has one
    // point, so that a walk depends on every single one.
    low_8_bits: |nodes| {
        let scheme = Native::new(Cut::low(Xxh3, 8)).with_points_per_weight(1)?;
        VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ring, walk_ranges, order_free, remove_then_add_is_the_identity],

    last_listed_over_32_bits: |nodes| {
        let scheme = WithTies::new(sparse(Cut::top(Xxh32::default(), 8))?, LastListed);
        VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ring, walk_ranges],

    first_listed_after: |nodes| {
        let scheme = WithLookup::new(WithTies::new(sparse(Cut::low(Xxh3, 8))?, FirstListed), After);
        VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ring, walk_ranges],

    at_or_before_over_128_bits: |nodes| {
        let scheme = WithLookup::new(sparse(Cut::top(Md5, 10))?, AtOrBefore);
        VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ring, walk_ranges, order_free, remove_then_add_is_the_identity],

    nearest_of_top_8_bits: |nodes| {
        let scheme = WithLookup::new(sparse(Cut::top(Xxh3, 8))?, Nearest);
        VectorRing::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ring, order_free, remove_then_add_is_the_identity],

    // Labels that two nodes share, and a linear hash.
    ambiguous_labels: |nodes| {
        VectorRing::from_nodes_with(Labelled::new("{i}{node}", Crc32)?, nodes.iter().cloned())
    },
    keeps [ring, walk_ranges, order_free, remove_then_add_is_the_identity],
}
