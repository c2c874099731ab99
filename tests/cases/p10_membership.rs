//! Adding a node twice, or again with another weight, leaves one node; one removal takes it away.
//!
//! An `add` of a member is refused and changes nothing; another weight goes through `reweight`.

use keyroute::{
    AddNode, BTreeRing, Ketama, Modulo, NodeId, RemoveNode, Reweight, RouteError, Router,
    VectorRing, Weight,
};
use keyroute_tests::{json, keys, list, node, number, owners, text, texts};
use serde_json::Value;

/// Runs the operations as a user of the router would who reads its errors.
fn run<R: AddNode + RemoveNode>(
    router: &mut R,
    ops: &[Value],
    reweight: impl Fn(&mut R, &str, Weight),
) {
    for op in ops {
        let op = list(op);
        let id = text(&op[1]);
        let member = router.members().slot_of(id).is_some();
        let before = router.fingerprint();
        match text(&op[0]) {
            "add" => {
                let newcomer = node(id, number(&op[2]));
                let weight = newcomer.weight();
                let added = router.add(newcomer);
                if member {
                    let id = NodeId::new(id).unwrap();
                    assert_eq!(added, Err(RouteError::AlreadyMember { id: id.clone() }));
                    assert_eq!(router.fingerprint(), before);
                    if router.members().node(id.as_str()).unwrap().weight() != weight {
                        reweight(router, id.as_str(), weight);
                    }
                } else {
                    assert!(added.is_ok());
                }
            }
            "remove" if member => drop(router.remove(id).unwrap()),
            "remove" => {
                let absent = RouteError::NotMember { id: id.into() };
                assert_eq!(router.remove(id), Err(absent));
                assert_eq!(router.fingerprint(), before);
            }
            other => panic!("{other}"),
        }
    }
}

fn members(router: &dyn Router) -> Vec<(String, u32)> {
    let members = router.members();
    let nodes = members.by_id().filter_map(|slot| members.get(slot));
    nodes
        .map(|node| (node.id().to_string(), node.weight().get()))
        .collect()
}

/// Runs every sequence, all of weight 1 if the router has no weights.
fn check<R: AddNode + RemoveNode>(
    new: impl Fn() -> R,
    weighted: bool,
    reweight: impl Fn(&mut R, &str, Weight) + Copy,
) {
    let case = json("cases/p10-idempotent-membership.json");
    let keys = keys("k", "", 10_000);
    let mut checked = 0;
    for sequence in list(&case["inputs"]["sequences"]) {
        let name = text(&sequence["name"]);
        let ops = list(&sequence["ops"]);
        let heavy = ops
            .iter()
            .any(|op| op.get(2).is_some_and(|weight| *weight != 1));
        // Payloads belong to a later part of the library.
        if name == "replace-payload" || heavy && !weighted {
            continue;
        }
        let mut router = new();
        run(&mut router, ops, reweight);
        let mut fresh = new();
        if let Some(same) = sequence.get("same_routes_as") {
            run(&mut fresh, list(same), reweight);
        } else {
            let after = &sequence["members_after"];
            let after = if after.as_array().is_some_and(Vec::is_empty) {
                Vec::new()
            } else {
                texts(after)
            };
            let found: Vec<String> = members(&router).into_iter().map(|(id, _)| id).collect();
            assert_eq!(found, after, "{name}");
            for (id, weight) in members(&router) {
                fresh.add(node(&id, weight)).unwrap();
            }
        }
        assert_eq!(members(&router), members(&fresh), "{name}");
        assert_eq!(owners(&router, &keys), owners(&fresh, &keys), "{name}");
        assert_eq!(router.fingerprint(), fresh.fingerprint(), "{name}");
        checked += 1;
    }
    assert_eq!(checked, if weighted { 7 } else { 4 });
}

fn reweight<R: Reweight>(router: &mut R, id: &str, weight: Weight) {
    router.reweight(id, weight).unwrap();
}

#[test]
fn every_sequence_leaves_what_a_fresh_router_has() {
    check(VectorRing::new, true, reweight);
    check(BTreeRing::new, true, reweight);
    check(Ketama::new, true, reweight);
    check(Modulo::new, false, |_, id, _| panic!("{id} has no weight"));
}
