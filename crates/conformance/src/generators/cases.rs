//! Whole cases.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Weights, keys, nodes, weights};
use crate::case::below;
use crate::{Case, Step};

/// How many plain keys each case has beside the drawn ones.
const PLAIN_KEYS: u32 = 96;

/// Cases: fleets of 1 to 9 nodes, 3 spares, about 120 keys, up to 10 changes.
pub fn cases(weighing: Weights) -> impl Strategy<Value = Case> {
    let step = prop_oneof![
        3 => any::<u8>().prop_map(Step::Add),
        3 => any::<u8>().prop_map(Step::Remove),
        2 => (any::<u8>(), weights()).prop_map(|(member, weight)| Step::Reweight(member, weight)),
    ];
    let parts = (
        nodes(4..=12, weighing),
        vec(keys(), 8..24),
        vec(step, 0..=10),
        any::<u64>().no_shrink(),
    );
    parts.prop_map(|(mut nodes, drawn, steps, salt)| {
        let spares = nodes.split_off(nodes.len() - 3);
        let id = nodes[below(salt, nodes.len())].id().as_bytes().to_vec();
        let mut keys = vec![Vec::new(), id];
        keys.extend(drawn.iter().map(|key| key.bytes(&nodes)));
        keys.extend((0..PLAIN_KEYS).map(|i| format!("key-{salt:x}-{i}").into_bytes()));
        Case {
            nodes,
            spares,
            keys,
            steps,
            salt,
        }
    })
}
