//! The laws that jump keeps.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;
use keyroute_jump::{Binomial, BinomialPublished, Flip, Jump, JumpBack, Power};

laws! {
    jump: |nodes| Jump::from_nodes(nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests, balances_evenly, every_node_owns_something],

    jump_back: |nodes| JumpBack::from_nodes(nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests, balances_evenly, every_node_owns_something],

    flip: |nodes| Flip::from_nodes(nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests, balances_evenly, every_node_owns_something],

    power: |nodes| Power::from_nodes(nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests, balances_evenly, every_node_owns_something],

    binomial: |nodes| Binomial::from_nodes(nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests, balances_evenly, every_node_owns_something],

    // As published it is not even: no claim of balance.
    binomial_published: |nodes| BinomialPublished::from_nodes(nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests, every_node_owns_something],

    // 256 digests: keys that share theirs, and nodes that own no key.
    top_8_bits: |nodes| Jump::from_nodes_with(Cut::top(Xxh3, 8), nodes.iter().cloned()),
    keeps [lookup, growth, tail, rebuilding, digests],
}
