//! A name and an index joined without a separator give two nodes one label; ours cannot be confused.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use keyroute::hash::Xxh3;
use keyroute::{Native, NodeId, PointScheme, RouteError, Template, VectorRing, hash_fn};
use keyroute_tests::{json, list, node, nodes, number, texts};
use serde_json::Value;

fn sets() -> Vec<Value> {
    let case = json("cases/p03-label-ambiguity.json");
    list(&case["inputs"]["sets"]).to_vec()
}

#[test]
fn every_node_has_exactly_its_points() {
    for set in sets() {
        let points: u32 = number(&set["points"]);
        let scheme = Native::new(Xxh3).with_points_per_weight(points).unwrap();
        let ring = VectorRing::from_nodes_with(scheme, nodes(&texts(&set["nodes"]))).unwrap();
        let mut owners: BTreeMap<u64, _> = BTreeMap::new();
        for (position, slot) in ring.scheme().points_of_each(ring.members()).unwrap() {
            assert_eq!(owners.insert(position, slot), None, "{set}");
        }
        for (slot, _) in ring.members().iter() {
            let owned = owners.values().filter(|&&owner| owner == slot).count();
            assert_eq!(owned, points as usize, "{set}");
        }
    }
}

/// The ambiguous forms, which compatible schemes must copy, clash as counted.
#[test]
fn the_ambiguous_forms_clash_as_recorded() {
    for set in sets() {
        let Some(form) = set.get("ambiguous_form").and_then(Value::as_str) else {
            continue;
        };
        let template = Template::new(form).unwrap();
        let mut claims: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
        for id in texts(&set["nodes"]) {
            for index in 0..number(&set["points"]) {
                let label = template.label(&id, index);
                claims.entry(label).or_default().push((id.clone(), index));
            }
        }
        let clashes = claims.values().filter(|claimants| claimants.len() > 1);
        assert_eq!(clashes.count(), number::<usize>(&set["duplicate_labels"]));
        for (label, claimants) in set["sample"].as_object().unwrap() {
            let mut expected: Vec<(String, u32)> =
                serde_json::from_value(claimants.clone()).unwrap();
            expected.sort();
            let mut found = claims[label].clone();
            found.sort();
            assert_eq!(found, expected, "{label:?}");
        }
    }
}

/// Every id of up to three of these characters, and every index up to 299: the bytes that are hashed
/// are all different.
#[test]
fn native_labels_are_injective() {
    let hashed = RefCell::new(Vec::new());
    let hasher = hash_fn(|label| {
        hashed.borrow_mut().push(label.to_vec());
        0u64
    });
    let scheme = Native::new(hasher).with_points_per_weight(300).unwrap();
    let characters = ["a", "1", "0", "-", "#", "\0", "é", "\u{1}"];
    let mut ids: Vec<String> = characters.iter().map(ToString::to_string).collect();
    for _ in 0..2 {
        let longer = ids.iter().flat_map(|id| {
            characters
                .iter()
                .map(move |character| format!("{id}{character}"))
        });
        ids.extend(longer.collect::<Vec<_>>());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 8 + 64 + 512);
    hashed.borrow_mut().clear(); // what the hasher was asked before
    for id in &ids {
        assert_eq!(scheme.points(&node(id, 1)).unwrap().len(), 300);
    }
    let hashed = hashed.into_inner();
    let distinct: BTreeSet<&Vec<u8>> = hashed.iter().collect();
    assert_eq!(
        (hashed.len(), distinct.len()),
        (ids.len() * 300, ids.len() * 300)
    );
}

#[test]
fn an_empty_name_is_a_typed_error_and_odd_ones_are_names() {
    assert_eq!(NodeId::new(""), Err(RouteError::EmptyId));
    let odd = ["\0", "a\0b", "-", "é", "a\n", " ", "{node}", "{i}"];
    let ring = VectorRing::from_ids(odd).unwrap();
    assert_eq!(ring.points(), odd.len() * 160);
    let scheme_of = Template::new("{node}-{i}").unwrap();
    assert_eq!(scheme_of.label("{i}", 3), "{i}-3");
}
