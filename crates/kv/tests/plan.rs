//! What a plan says is what then moves.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a test may panic, and its numbers are small"
)]

use std::collections::{BTreeMap, HashMap};
use std::mem::discriminant;
use std::sync::atomic::Ordering::SeqCst;

use keyroute_kv::{Edit, Entry, Flows, KvError, Next, RouteError, Store, Weight};

mod support;
use support::{Numbers, World, finish, moody, node, planned, ring};

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

/// Keys of all sizes, of which some have ended.
async fn fill(store: &Store, world: &World, keys: u64, draw: &mut Numbers) {
    world.clock.store(10, SeqCst);
    for number in 0..keys {
        let mut entry = Entry::new(vec![b'v'; draw.below(40) as usize]);
        if draw.below(10) == 0 {
            entry = entry.until(5 + draw.below(10));
        }
        store.set_entry(&key(number), entry).await.unwrap();
    }
}

type Copies = BTreeMap<Vec<u8>, BTreeMap<String, Entry>>;

/// Of each node how many copies there are, and their bytes, that the other does not have.
fn more(of: &Copies, than: &Copies, now: u64) -> BTreeMap<String, (u128, u128)> {
    let mut more: BTreeMap<String, (u128, u128)> = BTreeMap::new();
    for (key, copies) in of {
        for (id, entry) in copies {
            if entry.is_live(now) && !than.get(key).is_some_and(|it| it.contains_key(id)) {
                let sum = more.entry(id.clone()).or_default();
                sum.0 += 1;
                sum.1 += entry.value.len() as u128;
            }
        }
    }
    more
}

fn per_node(copies: &Flows, bytes: &Flows, receives: bool) -> BTreeMap<String, (u128, u128)> {
    let of = |flows: &Flows| -> BTreeMap<String, u128> {
        let nodes = flows.nodes();
        let amount = nodes.map(|(id, flow)| {
            let amount = if receives { flow.receives } else { flow.drops };
            (id.to_string(), amount)
        });
        amount.collect()
    };
    let (copies, bytes) = (of(copies), of(bytes));
    let both = copies.into_iter().filter(|(_, copies)| *copies > 0);
    both.map(|(id, copies)| (id.clone(), (copies, bytes[&id])))
        .collect()
}

fn some_edit(store: &Store, draw: &mut Numbers, step: u64) -> Edit {
    let nodes = store.nodes();
    let id = nodes[draw.below(nodes.len() as u64) as usize]
        .id()
        .to_string();
    match draw.below(4) {
        0 if nodes.len() > 2 => Edit::Remove { id },
        1 => Edit::Reweight {
            id,
            weight: Weight::new(1 + draw.below(4) as u32).unwrap(),
        },
        2 => Edit::Replicas {
            replicas: 1 + draw.below(3) as usize,
        },
        _ => Edit::add(node(&format!("n{step}"))).at(format!("at {step}")),
    }
}

#[tokio::test]
async fn what_moves_is_what_was_planned() {
    let mut kinds = HashMap::new();
    for (seed, make) in [
        (1, ring as fn(&[_]) -> _),
        (2, moody),
        (3, ring),
        (4, moody),
    ] {
        let mut draw = Numbers(seed);
        let world = World::new();
        let nodes = ["a", "b", "c"].map(node);
        let builder = world.builder_over(make).nodes(nodes);
        let store = builder
            .replicas(seed as usize % 3 + 1)
            .open()
            .await
            .unwrap();
        fill(&store, &world, 400, &mut draw).await;
        let now = world.clock.load(SeqCst);
        for step in 0..12 {
            let edit = some_edit(&store, &mut draw, step);
            let (before, sets) = (world.copies(), world.sets.load(SeqCst));
            let plan = store.plan(&edit).await.unwrap();
            assert_eq!(store.plan(&edit).await.unwrap(), plan);
            assert_eq!(
                (world.copies(), world.sets.load(SeqCst)),
                (before.clone(), sets)
            );
            let live = before
                .values()
                .filter(|it| it.values().any(|it| it.is_live(now)));
            assert!(plan.all && plan.keys == live.count() as u64);

            store.begin(edit.clone()).await.unwrap();
            let (mut moved, mut bytes) = (0, 0);
            loop {
                let step = store.advance(7).await.unwrap();
                moved += step.moved;
                bytes += step.bytes;
                if step.next == Next::Done {
                    break;
                }
            }
            let after = world.copies();
            let of = format!("{edit:?} in step {step} of {seed}");
            assert_eq!((moved, bytes), (plan.moved, plan.moved_bytes), "{of}");
            // Nodes are called by their addresses here.
            let named = |counts: BTreeMap<String, (u128, u128)>| -> BTreeMap<String, (u128, u128)> {
                let id = |at: String| {
                    at.strip_prefix("at ")
                        .map_or(at.clone(), |it| format!("n{it}"))
                };
                counts.into_iter().map(|(at, sum)| (id(at), sum)).collect()
            };
            let receives = per_node(&plan.copies, &plan.bytes, true);
            assert_eq!(named(more(&after, &before, now)), receives, "{of}");
            let drops = per_node(&plan.copies, &plan.bytes, false);
            assert_eq!(named(more(&before, &after, now)), drops, "{of}");
            let sum: u128 = receives.values().map(|it| it.0).sum();
            assert_eq!(plan.copies.moved(), sum);
            let sets = u128::from(world.sets.load(SeqCst) - sets);
            assert_eq!(sets, sum, "each copy is written once: {of}");
            *kinds.entry(discriminant(&edit)).or_insert(0) += plan.moved;
        }
    }
    assert_eq!(kinds.len(), 4);
    assert!(kinds.values().all(|&moved| moved > 300), "{kinds:?}");
}

#[tokio::test]
async fn a_plan_tells_what_a_change_needs() {
    let world = World::new();
    let nodes = ["a", "b", "c"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    fill(&store, &world, 500, &mut Numbers(1)).await;
    let keys: Vec<Vec<u8>> = (0..500).map(key).collect();
    let add = store.plan(&Edit::add(node("d"))).await.unwrap();
    assert!(add.moved > 80 && add.copies.needless() == 0);
    let all = planned(&store.nodes(), &["a", "b", "c", "d"].map(node), 1, &keys);
    assert!(add.moved <= all && all < add.moved + 60); // those that have ended are not in it
    let two = store.plan(&Edit::Replicas { replicas: 2 }).await.unwrap();
    assert_eq!(
        (two.moved, two.copies.needed()),
        (two.keys, two.keys.into())
    );
    let same = store.plan(&Edit::Replicas { replicas: 1 }).await.unwrap();
    assert_eq!((same.moved, same.copies), (0, Flows::new()));

    // A router that keeps nothing in place moves what it need not.
    let store = World::new().builder_over(moody);
    let store = store.nodes(["a", "b", "c"].map(node)).open().await.unwrap();
    fill(&store, &world, 500, &mut Numbers(1)).await;
    let add = store.plan(&Edit::add(node("d"))).await.unwrap();
    assert!(add.copies.needless() > 50);
}

#[tokio::test]
async fn a_sample_tells_about_which_part_moves() {
    let world = World::new();
    let nodes = ["a", "b", "c", "e"].map(node);
    let mut outside = 0;
    for replicas in [1, 2] {
        let builder = world.builder().nodes(nodes.clone()).replicas(replicas);
        let store = builder.open().await.unwrap();
        if replicas == 2 {
            store.set_replicas(2).await.unwrap();
            finish(&store).await.unwrap();
        }
        fill(&store, &world, 4000, &mut Numbers(5)).await;
        for number in 0..20 {
            let edit = match number {
                0..15 => Edit::add(node(&format!("n{number}"))),
                _ => Edit::Reweight {
                    id: "c".to_owned(),
                    weight: Weight::new(number).unwrap(),
                },
            };
            let plan = store.plan(&edit).await.unwrap();
            let reads = world.operations.load(SeqCst);
            let sample = store.plan_sample(&edit, 400).await.unwrap();
            let reads = world.operations.load(SeqCst) - reads;
            assert!(reads < 1200, "{reads}");
            assert!(!sample.all && sample.keys >= 380 && sample.keys <= 404);
            let part = plan.moved as f64 / plan.keys as f64;
            let interval = sample.interval();
            outside += u32::from(part < interval.low || interval.high < part);
            assert!(interval.high - interval.low < 0.11);
        }
        let edit = Edit::add(node("n"));
        let plan = store.plan(&edit).await.unwrap();
        assert_eq!(store.plan_sample(&edit, 1_000_000).await.unwrap(), plan);
        let none = store.plan_sample(&edit, 0).await.unwrap();
        assert!(!none.all && none.keys == 0 && none.interval().high == 1.0);
    }
    assert!(outside <= 4, "{outside} of 40, where 2 are to be expected");
}

#[tokio::test]
async fn what_would_be_refused_is_refused() {
    let world = World::new();
    let nodes = [(node("a"), "there"), (node("b"), "b")];
    let store = world.builder().nodes_at(nodes).open().await.unwrap();
    store.set(b"k", "v").await.unwrap();
    let member = store
        .plan(&Edit::add(node("a")).at("new"))
        .await
        .unwrap_err();
    assert!(matches!(member, KvError::Route(RouteError::AlreadyMember { id }) if id == "a"));
    let taken = store
        .plan(&Edit::add(node("c")).at("there"))
        .await
        .unwrap_err();
    assert!(matches!(taken, KvError::AddressTaken { id, .. } if id == "a"));
    let id = "x".to_owned();
    let unknown = store.plan(&Edit::Remove { id }).await.unwrap_err();
    assert!(matches!(unknown, KvError::Route(RouteError::NotMember { id }) if id == "x"));
    let none = store
        .plan(&Edit::Replicas { replicas: 0 })
        .await
        .unwrap_err();
    assert!(matches!(none, KvError::Replicas { given: 0 }));
    // Planning has asked no node that would join, and noted nothing.
    store.plan(&Edit::add(node("c"))).await.unwrap();
    assert_eq!(store.address_of("c"), None);

    let edit = Edit::add(node("c"));
    store.begin(edit.clone()).await.unwrap();
    let busy = store.plan(&edit).await.unwrap_err();
    assert!(matches!(busy, KvError::ChangeUnderWay));
    finish(&store).await.unwrap();
    let id = "c".to_owned();
    store.begin(Edit::Remove { id }).await.unwrap();
    finish(&store).await.unwrap();
    let retired = store.plan(&edit).await.unwrap_err();
    assert!(matches!(retired, KvError::Retired { id } if id == "c"));
    store.plan(&edit.again()).await.unwrap();

    let world = World::new().that_cannot_list();
    let store = world.builder().nodes([node("a")]).open().await.unwrap();
    let dumb = store.plan(&Edit::add(node("b"))).await.unwrap_err();
    assert!(matches!(dumb, KvError::CannotList { id } if id == "a"));
}

#[tokio::test]
async fn a_change_that_begins_meanwhile_does_not_wait_for_the_plan_but_ends_it() {
    let world = World::new().that_yields();
    let nodes = ["a", "b"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    fill(&store, &world, 2000, &mut Numbers(1)).await;
    let edit = Edit::add(node("c"));
    let (planned, begun) = tokio::join!(store.plan(&edit), store.add(node("d")));
    begun.unwrap();
    assert!(matches!(planned, Err(KvError::ChangeUnderWay)));
}
