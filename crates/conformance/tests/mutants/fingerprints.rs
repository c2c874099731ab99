//! Faults of descriptions and fingerprints.

use keyroute_core::{Description, Fingerprint, MemberOrder, Members, Node, Router, Weight};

use crate::fault::{Fault, Mutant};

/// The sound description of other members, or in another order.
fn described<F: Fault>(it: &Mutant<F>, order: MemberOrder, nodes: Vec<Node>) -> Description {
    let sound = it.ring.describe();
    let mut described = Description::new(sound.scheme(), order);
    for (name, value) in sound.fields() {
        described.field(name, value);
    }
    described.members(&Members::from_nodes(nodes).unwrap());
    described
}

fn listed<F: Fault>(it: &Mutant<F>) -> Vec<Node> {
    let members = it.members();
    let nodes = members.listed().into_iter();
    nodes
        .filter_map(|slot| members.get(slot).cloned())
        .collect()
}

/// Says something that differs between equal routers.
pub(crate) struct CountsInstances;

impl Fault for CountsInstances {
    fn describe(it: &Mutant<Self>) -> Description {
        let mut described = it.ring.describe();
        described.field("instance", format!("{:p}", it.members()));
        described
    }
}

/// Computed when it was empty.
pub(crate) struct CachesItsFingerprint;

impl Fault for CachesItsFingerprint {
    fn fingerprint(it: &Mutant<Self>) -> Fingerprint {
        described(it, MemberOrder::ById, Vec::new()).fingerprint()
    }
}

/// Leaves the weights out.
pub(crate) struct IgnoresWeights;

impl Fault for IgnoresWeights {
    fn describe(it: &Mutant<Self>) -> Description {
        let even = |node: Node| node.with_weight(Weight::ONE);
        described(
            it,
            MemberOrder::Listed,
            listed(it).into_iter().map(even).collect(),
        )
    }
}

/// Leaves the zones out.
pub(crate) struct IgnoresZones;

impl Fault for IgnoresZones {
    fn describe(it: &Mutant<Self>) -> Description {
        let zoneless = |node: Node| Node::from(node.id().clone()).with_weight(node.weight());
        described(
            it,
            MemberOrder::Listed,
            listed(it).into_iter().map(zoneless).collect(),
        )
    }
}

/// Says how many there are, not who.
pub(crate) struct CountsMembers;

impl Fault for CountsMembers {
    fn describe(it: &Mutant<Self>) -> Description {
        let mut described = described(it, MemberOrder::Listed, Vec::new());
        for node in listed(it) {
            let zone = node.zone().map_or("", |zone| zone.as_str());
            let weight = node.weight();
            described.field("members", it.members().len());
            described.field(&format!("of weight {weight} in {zone}"), "some");
        }
        described
    }
}

/// The last listed wins ties, and this is not said.
pub(crate) struct HidesItsOrder;

impl Fault for HidesItsOrder {
    const BITS: u32 = 8;

    fn describe(it: &Mutant<Self>) -> Description {
        described(it, MemberOrder::ById, listed(it))
    }
}

/// Says that order matters, and then not which.
pub(crate) struct ForgetsItsOrder;

impl Fault for ForgetsItsOrder {
    fn describe(it: &Mutant<Self>) -> Description {
        let mut nodes = listed(it);
        nodes.sort();
        described(it, MemberOrder::Listed, nodes)
    }
}
