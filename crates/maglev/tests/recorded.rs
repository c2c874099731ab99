//! The engine against recorded answers of Envoy, which has its own hashes and its own order of turns.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use keyroute_maglev::hash::Xxh64;
use keyroute_maglev::{KeyHasher, Maglev, Node, Permutation, TableSize, Turns, fill, turns};
use serde_json::Value;

fn read(file: &str) -> Value {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// The recordings whose names begin so: at least this many.
fn recordings(prefix: &str, least: usize) -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let names = fs::read_dir(folder).unwrap().map(|file| {
        let name = file.unwrap().file_name();
        name.into_string().unwrap()
    });
    let found: Vec<_> = names
        .filter(|name| name.starts_with(prefix))
        .map(|name| (name.clone(), read(&name)))
        .collect();
    assert!(
        found.len() >= least,
        "{} recordings of {prefix}",
        found.len()
    );
    found
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn size(value: &Value) -> TableSize {
    TableSize::new(value.as_u64().unwrap().try_into().unwrap()).unwrap()
}

fn at(table: &[u32], hash: u64) -> usize {
    let entry = hash % table.len() as u64;
    table[usize::try_from(entry).unwrap()] as usize
}

/// Envoy's turns: in each round a host takes one if its weights so far reach what its turns have cost,
/// in doubles, and the first costs nothing.
fn envoy_turns(weights: &[u32]) -> impl Iterator<Item = usize> {
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let shares: Vec<f64> = weights
        .iter()
        .map(|&weight| f64::from(weight) / sum)
        .collect();
    let top = shares.iter().copied().fold(0.0, f64::max);
    let mut targets = vec![0.0; shares.len()];
    (1u32..).flat_map(move |round| {
        let mut takers = Vec::new();
        for (host, (share, target)) in shares.iter().zip(&mut targets).enumerate() {
            if f64::from(round) * share >= *target {
                *target += top;
                takers.push(host);
            }
        }
        takers
    })
}

fn envoy(size: TableSize, hosts: &[(&str, u32)]) -> Vec<u32> {
    let permutations: Vec<_> = hosts
        .iter()
        .map(|(name, _)| {
            let [offset, skip] = [0, 1].map(|seed| Xxh64 { seed }.hash(name.as_bytes()));
            Permutation::new(size, offset, skip)
        })
        .collect();
    let weights: Vec<u32> = hosts.iter().map(|&(_, weight)| weight).collect();
    fill(size, &permutations, envoy_turns(&weights)).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
        .collect()
}

#[test]
fn envoy_agrees() {
    // Its documentation's example, by hosts 0 and 1.
    let eleven = TableSize::new(11).unwrap();
    assert_eq!(
        envoy(eleven, &[("10.0.0.1:80", 1), ("10.0.0.2:80", 2)]),
        [1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1]
    );
    for (file, recording) in recordings("envoy-", 3) {
        let mut hosts: Vec<(&str, u32)> = list(&recording["nodes"])
            .iter()
            .map(|host| {
                let weight = host["weight"].as_u64().unwrap();
                (text(&host["name"]), weight.try_into().unwrap())
            })
            .collect();
        hosts.sort_unstable();
        let table = envoy(size(&recording["params"]["table_size"]), &hosts);
        let check = |key: &[u8], host: &Value| {
            let found = hosts[at(&table, Xxh64::default().hash(key))].0;
            assert_eq!(found, text(host), "{file}: {}", key.escape_ascii());
        };
        for case in list(&recording["cases"]) {
            check(text(&case[0]).as_bytes(), &case[1]);
        }
        for case in list(&recording["cases_hex"]) {
            check(&bytes(text(&case[0])), &case[1]);
        }
    }
}

/// The orders of three things.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Case p08: the order of turns decides the table, so it must not be the order of the input.
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
