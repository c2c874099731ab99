//! The laws of its strategy, which an idle router keeps.

use keyroute_bounded::{Bounded, Exact, TruncatedAverage};
use keyroute_conformance::laws;
use keyroute_vector_ring::VectorRing;

laws! {
    idle: |nodes| {
        let ring = VectorRing::from_nodes(nodes.iter().cloned())?;
        Ok(Bounded::new(ring, Exact::new(250)?))
    },
    keeps [
        lookup, order_free, growth, removal, rebuilding, weights,
        balances_as_a_ring(160), shares_follow_the_weights(160), every_node_owns_something,
    ],

    // The tightest rule, which ignores weights.
    idle_and_tight: |nodes| {
        let ring = VectorRing::from_nodes(nodes.iter().cloned())?;
        Ok(Bounded::new(ring, TruncatedAverage::new(0.0)?))
    },
    keeps [lookup, order_free, growth, removal, rebuilding, weights],
}
