//! Stored forms that somebody has tampered with: each is refused, or gives a router that works.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod tampered;

use std::fmt::Debug;

use keyroute::hash::Xxh3;
use keyroute::prelude::*;
use keyroute::{
    AssignedFill, Assignment, BoundedFill, BuraksezerFill, ByRange, ByRemainder, Flip, Libketama,
    RendezvousFill, TableSize, Tokens,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use tampered::tampered;

/// Ids that are prefixes of each other, or hold what text may hold.
const IDS: [&str; 6] = ["a", "ab", "a1", "11", "\0", "e\u{301}"];

fn nodes(count: usize) -> Vec<Node> {
    IDS.iter()
        .take(count)
        .map(|id| Node::new(id).unwrap())
        .collect()
}

/// Every change of the router's stored form is an error, or a router that routes and is stored again.
fn check<R: Router + Serialize + DeserializeOwned>(router: Result<R, impl Debug>) {
    let stored = serde_json::to_value(router.unwrap()).unwrap();
    let (mut read, mut refused) = (0, 0);
    for changed in tampered(&stored) {
        let text = changed.to_string();
        let Ok(router) = serde_json::from_str::<R>(&text) else {
            refused += 1;
            continue;
        };
        read += 1;
        for key in [&b""[..], b"user:1", b"\0"] {
            let owner = router.route(key);
            assert_eq!(owner.is_none(), router.members().is_empty(), "{text}");
            assert!(
                owner.is_none_or(|slot| router.members().get(slot).is_some()),
                "{text}"
            );
        }
        let again = serde_json::to_string(&router).unwrap();
        let again: R = serde_json::from_str(&again).unwrap();
        assert_eq!(again.fingerprint(), router.fingerprint(), "{text}");
    }
    // Some changes, as another order of the nodes, are no damage.
    assert!(read > 0 && refused > read, "{read} read, {refused} refused");
}

#[test]
fn of_rings() {
    check(VectorRing::from_nodes(nodes(4)));
    check(TwoSidedRing::from_nodes(nodes(4)));
    check(BTreeRing::from_nodes(nodes(4)));
    check(MultiProbe::from_nodes(nodes(4)));
    check(WindowRing::from_nodes(nodes(4)));
    check(Ketama::from_nodes(nodes(4)));
    check(VectorRing::from_nodes_with(Libketama, nodes(3)));
    let tokens = Tokens::new(Xxh3).with("a", [3, 1]).unwrap();
    check(VectorRing::from_nodes_with(
        tokens.with("ab", [2]).unwrap(),
        nodes(2),
    ));
}

#[test]
fn of_a_token_ring_with_a_history() {
    let mut ring = TokenRing::from_nodes(nodes(4))
        .unwrap()
        .with_tokens_per_weight(3)
        .unwrap();
    ring.remove("a").unwrap();
    ring.add(Node::new("a").unwrap().with_weight(Weight::new(2).unwrap()))
        .unwrap();
    check(Ok::<_, ()>(ring));
}

#[test]
fn of_tables() {
    let by_range = ByRange::new(Xxh3, 31).unwrap();
    check(Rendezvous::from_nodes(nodes(4)));
    check(Maglev::from_nodes_with(
        Xxh3,
        TableSize::new(251).unwrap(),
        nodes(4),
    ));
    check(SlotTable::from_nodes_with(
        RendezvousFill::new(Xxh3),
        by_range,
        nodes(3),
    ));
    check(SlotTable::from_nodes_with(
        BoundedFill::new(Xxh3),
        by_range,
        nodes(3),
    ));
    let part = |first, last, id: &str| Assignment {
        first,
        last,
        node: NodeId::new(id).unwrap(),
    };
    let assigned = AssignedFill::new([part(0, 9, "a"), part(10, 30, "ab")]);
    check(SlotTable::from_nodes_with(assigned, by_range, nodes(2)));
    for fill in [BuraksezerFill::v0_10(Xxh3), BuraksezerFill::v1_0(Xxh3)] {
        check(SlotTable::from_nodes_with(
            fill,
            ByRemainder::new(Xxh3, 31).unwrap(),
            nodes(3),
        ));
    }
}

#[test]
fn of_buckets() {
    check(Jump::from_nodes(nodes(4)));
    check(JumpBack::from_nodes(nodes(4)));
    check(Flip::from_nodes(nodes(4)));
    check(Modulo::from_nodes(nodes(4)));
}

#[test]
fn of_buckets_some_of_which_have_left() {
    fn left<R: RemoveNode>(mut router: R) -> Result<R, RouteError> {
        router.remove("ab")?;
        router.remove("a")?;
        Ok(router)
    }
    check(left(Ranking::from_nodes(nodes(6)).unwrap()));
    check(left(GrowableAnchor::from_nodes(nodes(6)).unwrap()));
    check(left(Memento::from_nodes(nodes(6)).unwrap()));
    check(left(
        Dx::with_capacity(8).unwrap().with_nodes(nodes(6)).unwrap(),
    ));
    check(left(
        Anchor::with_capacity(8)
            .unwrap()
            .with_nodes(nodes(6))
            .unwrap(),
    ));
}

#[test]
fn of_zones() {
    let zone = |node: Node| node.with_zone(Zone::new("z").unwrap());
    let zoned: Vec<Node> = nodes(3).into_iter().map(zone).collect();
    let ring = VectorRing::from_nodes(zoned).unwrap();
    check(ZoneAware::requiring_zones(ring));
}
