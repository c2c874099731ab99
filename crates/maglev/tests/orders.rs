//! The engine against the paper's example, and in every order of its input.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use keyroute_maglev::{Maglev, Node, Permutation, TableSize, Turns, fill, turns};
use serde_json::Value;

/// The orders of three things.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

fn read(file: &str) -> Value {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn size(value: &Value) -> TableSize {
    TableSize::new(value.as_u64().unwrap().try_into().unwrap()).unwrap()
}

#[test]
fn the_paper_example_agrees_in_every_order() {
    let case = read("p08-maglev-order.json");
    let size = size(&case["inputs"]["table_size"]);
    let backends = list(&case["inputs"]["permutations"]);
    let table = |order: &[usize]| -> Value {
        let permutations: Vec<_> = order
            .iter()
            .map(|&place| {
                let [offset, skip] =
                    ["offset", "skip"].map(|field| backends[place][field].as_u64().unwrap());
                Permutation::new(size, offset, skip - 1)
            })
            .collect();
        let weights = vec![1; order.len()];
        let taken: Turns = turns(&weights);
        let table = fill(size, &permutations, taken).unwrap();
        let name = |taker: u32| backends[order[taker as usize]]["backend"].clone();
        table.into_iter().map(name).collect()
    };
    let expected = &case["expected"];
    assert_eq!(table(&[0, 1, 2]), expected["table_for_sorted_order"]);
    assert_eq!(table(&[0, 2]), expected["table_after_removing_B1"]);
    for order in ORDERS {
        let name = order.map(|place| format!("B{place}")).join("-");
        let naive = &expected["naive_tables_by_input_order"][&name];
        assert_eq!(table(&order), *naive, "{name}");
    }
}

#[test]
fn the_order_of_the_input_decides_nothing_and_a_guest_leaves_no_trace() {
    for count in [3usize, 5, 50] {
        let nodes: Vec<Node> = (0..count)
            .map(|i| Node::new(format!("backend-{i}")).unwrap())
            .collect();
        let tables = ORDERS.map(|order| {
            // Three runs of the list, in each order.
            let mut runs: Vec<&[Node]> = nodes.chunks(count.div_ceil(3)).collect();
            runs.resize(3, &[]);
            let listed = order.map(|run| runs[run].to_vec()).concat();
            Maglev::from_nodes(listed).unwrap()
        });
        let ids = |router: &Maglev| -> Vec<String> {
            let id = |slot| router.members().get(slot).unwrap().id().to_string();
            router.entries().map(id).collect()
        };
        for table in &tables {
            assert!(ids(table) == ids(&tables[0]), "{count} backends");
            assert_eq!(table.fingerprint(), tables[0].fingerprint());
        }
        let mut visited = tables[0].clone();
        visited.add(Node::new("guest").unwrap()).unwrap();
        visited.remove("guest").unwrap();
        assert!(ids(&visited) == ids(&tables[0]));
    }
}

#[test]
fn turns_that_end_or_are_nobodys_fill_no_table() {
    let size = TableSize::new(7).unwrap();
    let one = [Permutation::new(size, 3, 4)];
    assert!(fill(size, &one, turns(&[1])).is_some());
    assert_eq!(fill(size, &one, turns(&[1]).take(6)), None);
    assert_eq!(fill(size, &one, turns(&[1, 1])), None);
    assert_eq!(fill(size, &[], turns(&[])), None);
}
