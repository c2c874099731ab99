//! The stored forms, as programs read them.

use keyroute_plan::hash_fn;
use keyroute_plan::{Layout, Node, Plan, Sizes, Survey};
use keyroute_slot_table::{AssignedFill, Assignment, ByRange, SlotTable};

#[test]
fn a_plan_of_slots() {
    let [a, b] = ["a", "b"].map(|id| Node::new(id).unwrap());
    let fill = AssignedFill::new([Assignment {
        first: 0,
        last: 1023,
        node: a.id().clone(),
    }]);
    let keys = ByRange::new(hash_fn(|key: &[u8]| key.len() as u64), 1024).unwrap();
    let before = SlotTable::from_nodes_with(fill, keys, [a, b]).unwrap();
    let mut after = before.clone();
    after.assign(512..=1023, "b").unwrap();
    let plan = Plan::between(
        &Layout::of_partitions(&before),
        &Layout::of_partitions(&after),
    )
    .unwrap();

    let mut stored = serde_json::to_value(&plan).unwrap();
    let hasher = stored["space"]["partitions"]["hasher"].take();
    assert_eq!(hasher.as_str().map(str::len), Some(16));
    let expected = serde_json::json!({
        "space": {"partitions": {"count": 1024, "rule": "ranges", "hasher": null}},
        "before": [{"id": "a", "weight": 1}, {"id": "b", "weight": 1}],
        "after": [{"id": "a", "weight": 1}, {"id": "b", "weight": 1}],
        "moves": [{
            "first": 512, "last": 1023, "from": ["a"], "to": ["b"],
            "copies": [{"from": "a", "to": "b", "needed": false}],
            "drops": ["a"],
        }],
    });
    assert_eq!(stored, expected);

    let phases = plan
        .phases(&Sizes::uniform(plan.space(), 1024 * 8), 1024)
        .unwrap();
    let shown: Vec<String> = phases.iter().map(|it| it.moves()[0].to_string()).collect();
    let pieces = ["512-639", "640-767", "768-895", "896-1023"];
    assert_eq!(shown, pieces.map(|piece| format!(r#"{piece}: "a" to "b""#)));
    assert_eq!(
        serde_json::to_value(phases[0].bytes()).unwrap(),
        serde_json::json!({
            "moved": 1024, "needed": 0, "needless": 1024, "lost": 0,
            "pairs": [{"from": "a", "to": "b", "needed": 0, "needless": 1024}],
            "nodes": [
                {"id": "a", "sends": 1024, "receives": 0, "drops": 1024},
                {"id": "b", "sends": 0, "receives": 1024, "drops": 0},
            ],
        })
    );
}

#[test]
fn a_plan_of_hashes_and_an_interval() {
    use keyroute_vector_ring::VectorRing;

    let [before, after] = [&["a"][..], &["a", "b"]].map(|ids| VectorRing::from_ids(ids).unwrap());
    let plan = Plan::between(&Layout::of_ranges(&before), &Layout::of_ranges(&after)).unwrap();
    let stored = serde_json::to_value(&plan).unwrap();
    assert_eq!(stored["space"]["hashes"]["bits"], 64);
    for it in stored["moves"].as_array().unwrap() {
        let [from, to] = ["after", "through"].map(|end| {
            let text = it[end].as_str().unwrap();
            assert_eq!(text.len(), 16);
            u128::from_str_radix(text, 16).unwrap()
        });
        let found = plan.move_of(to).unwrap();
        assert_eq!((found.after(), found.through()), (from, to));
    }

    let mut survey = Survey::of(&before, &after);
    for key in 0..1000u32 {
        survey.key(&key.to_le_bytes());
    }
    let stored = serde_json::to_value(survey.interval()).unwrap();
    assert!(
        stored["low"].as_f64() < Some(0.5) && Some(0.5) < stored["high"].as_f64(),
        "{stored}"
    );
}
