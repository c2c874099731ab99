//! What a snapshot says of a key: who was passed over and why, who takes it, who comes next.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use keyroute_cluster::{
    Batch, Cluster, Exact, Node, OnDown, Ramp, Rehashed, Router, WalkExt, Zone,
};
use keyroute_core::{Contender, Explanation, Fact, Role};
use keyroute_maglev::Maglev;
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::ZoneAware;

const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn cluster() -> Cluster<VectorRing, ()> {
    Cluster::new(VectorRing::from_ids(IDS).unwrap(), |_| ())
}

/// The ids of the key's order, as if all were up.
fn order(cluster: &Cluster<VectorRing, ()>, key: &[u8]) -> Vec<String> {
    let snapshot = cluster.load();
    let ids = snapshot.router().replica_ids(key, IDS.len());
    ids.into_iter().map(ToString::to_string).collect()
}

fn roles(why: &Explanation) -> Vec<(&str, Role)> {
    let contenders = why.contenders().iter();
    contenders.map(|it| (it.node.as_str(), it.role)).collect()
}

fn first(why: &Explanation) -> &Contender {
    &why.contenders()[0]
}

#[test]
fn nodes_down_and_drained_are_passed_with_their_reasons() {
    let cluster = cluster();
    let order = order(&cluster, b"user:1");
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|place| order[place].as_str());
    cluster
        .apply(Batch::new().down(a).drain(b).down(d))
        .unwrap();
    let snapshot = cluster.load();
    let why = snapshot.explain(b"user:1");
    let expected = [
        (a, Role::Passed),
        (b, Role::Passed),
        (c, Role::Owner),
        (e, Role::Next),
    ];
    assert_eq!(roles(&why), expected);
    let facts: Vec<&[Fact]> = why.passed().map(|it| &it.facts[..]).collect();
    assert_eq!(facts, [&[Fact::Down][..], &[Fact::Drained]]);
    assert_eq!(why.owner_id(), Some(snapshot.pick(b"user:1").unwrap().id()));
    // The place is the key's home, whoever takes it.
    assert_eq!(why.weighed().unwrap().node.as_str(), a);
    let text = why.to_string();
    assert!(
        text.contains(&format!(
            "\n  passed    {a} (down)\n  passed    {b} (drained)\n"
        )),
        "{text}"
    );
    assert!(
        text.contains("epoch 1, a node that is down is passed over"),
        "{text}"
    );
    assert_eq!(why.fingerprint(), snapshot.fingerprint());
}

#[test]
fn what_the_inner_router_says_of_a_node_stays() {
    let node = |id: &str| {
        let zone = Zone::new(if id < "c" { "left" } else { "right" }).unwrap();
        Node::new(id).unwrap().with_zone(zone)
    };
    let router = ZoneAware::new(VectorRing::from_nodes(IDS.map(node)).unwrap());
    let cluster = Cluster::new(router, |_| ());
    let home = cluster.load().pick(b"user:1").unwrap().id().clone();
    cluster.apply(Batch::new().down(home.as_str())).unwrap();
    let snapshot = cluster.load();
    let why = snapshot.explain_with(b"user:1", IDS.len());
    let zones = why.contenders().iter().map(|it| match it.facts[0] {
        Fact::Zone { first, .. } => first,
        ref fact => panic!("{fact:?}"),
    });
    assert_eq!(zones.collect::<Vec<_>>(), [true, true, false, false, false]);
    let passed = why.passed().next().unwrap();
    assert_eq!(
        (&passed.node, &passed.facts[1..]),
        (&home, &[Fact::Down][..])
    );
}

#[test]
fn without_members_the_reason_is_told_once() {
    let cluster = Cluster::new(VectorRing::new(), |_: &Node| ());
    let why = cluster.load().explain(b"user:1");
    assert_eq!(why.refusal(), Some("there are no nodes"));
}

#[test]
fn under_fail_fast_a_node_that_is_down_ends_the_search() {
    let cluster = cluster().with_policy(OnDown::FailFast);
    let order = order(&cluster, b"user:1");
    cluster
        .apply(Batch::new().drain(&*order[0]).down(&*order[1]))
        .unwrap();
    let snapshot = cluster.load();
    let why = snapshot.explain(b"user:1");
    assert_eq!((why.owner(), snapshot.route(b"user:1")), (None, None));
    assert_eq!(
        roles(&why),
        [(&*order[0], Role::Passed), (&*order[1], Role::Passed)]
    );
    let error = snapshot.pick(b"user:1").unwrap_err().to_string();
    assert_eq!(why.refusal(), Some(&*error));
    assert!(
        why.to_string()
            .starts_with(&format!("key \"user:1\" has no owner: {error}\n"))
    );
}

#[test]
fn a_ramp_says_its_share_and_where_the_key_stands() {
    let cluster = cluster();
    let ramp = Ramp::new(Duration::from_secs(60), 3).unwrap();
    cluster
        .apply(
            Batch::new()
                .add(Node::new("new").unwrap(), ())
                .ramp("new", ramp),
        )
        .unwrap();
    let snapshot = cluster.load();
    let (mut within, mut without) = (0, 0);
    for number in 0..400 {
        let key = format!("user:{number}");
        let why = snapshot.explain(key.as_bytes());
        assert_eq!(why.owner(), snapshot.route(key.as_bytes()));
        let home = first(&why);
        if home.node != "new" {
            continue;
        }
        let &[Fact::Ramp { share, hash }] = &home.facts[..] else {
            panic!("{home:?}");
        };
        assert_eq!(share, 1 << 30);
        assert_eq!(hash < share, home.role == Role::Owner);
        *(if hash < share {
            &mut within
        } else {
            &mut without
        }) += 1;
    }
    assert!(within > 5 && without > 20, "{within} {without}");
}

#[test]
fn where_all_are_in_a_ramp_one_takes_the_key_before_its_turn() {
    let ramp = Ramp::new(Duration::from_secs(60), 1_000).unwrap();
    let cluster = cluster();
    let ramps = IDS
        .iter()
        .fold(Batch::new(), |batch, &id| batch.ramp(id, ramp));
    cluster.apply(ramps).unwrap();
    let snapshot = cluster.load();
    let why = snapshot.explain_with(b"user:1", 9);
    assert_eq!(why.owner(), snapshot.route(b"user:1"));
    assert_eq!(why.passed().count(), 5);
    let taken = why
        .contenders()
        .iter()
        .find(|it| it.role == Role::Owner)
        .unwrap();
    assert!(taken.facts.contains(&Fact::Reserve), "{taken:?}");
    assert_eq!(why.next().count(), 4);
}

#[test]
fn members_of_weight_0_are_said_to_be_unrouted() {
    let cluster = cluster();
    cluster.apply(Batch::new().reweight("b", 0)).unwrap();
    let why = cluster.load().explain(b"user:1");
    assert!(
        why.notes()
            .any(|note| note == ("unrouted", "\"b\" has weight 0")),
        "{why}"
    );
}

#[test]
fn under_a_bound_leases_are_counted_and_the_next_one_is_named() {
    let cluster = cluster().with_bound(Exact::new(250).unwrap());
    let mut leases = Vec::new();
    for _ in 0..40 {
        let why = cluster.load().explain_with(b"hot", 4);
        let said = why
            .notes()
            .find(|(name, _)| *name == "lease")
            .unwrap()
            .1
            .to_string();
        let held: u64 = why
            .contenders()
            .iter()
            .map(|it| match it.facts[..] {
                [Fact::Load { held, .. }] => held,
                ref facts => panic!("{facts:?}"),
            })
            .sum();
        assert_eq!(held, leases.len() as u64);
        let lease = cluster.acquire(b"hot").unwrap();
        assert!(
            said.starts_with(&format!("the next is on {:?}, ", lease.id())),
            "{said}: {lease:?}"
        );
        leases.push(lease);
    }
}

/// Who is full is passed over under either policy, and behind it who is down is, too.
#[test]
fn the_next_lease_passes_a_node_down_behind_a_full_one() {
    let cluster = cluster()
        .with_policy(OnDown::FailFast)
        .with_bound(Exact::new(1).unwrap());
    let order = order(&cluster, b"user:1");
    cluster.apply(Batch::new().down(&*order[1])).unwrap();
    let held = cluster.acquire(b"user:1").unwrap();
    assert_eq!(*held.id(), *order[0]);
    let why = cluster.load().explain(b"user:1");
    let (_, said) = why.notes().find(|(name, _)| *name == "lease").unwrap();
    let expected = format!("the next is on {:?}, behind 1 that are full", order[2]);
    assert!(said.starts_with(&expected), "{said}");
    assert_eq!(*cluster.acquire(b"user:1").unwrap().id(), *order[2]);
}

#[test]
fn a_table_has_its_entry_and_the_next_nodes_of_further_hashes() {
    let router = Rehashed::new(Maglev::from_ids(IDS).unwrap());
    let cluster = Cluster::new(router, |_| ());
    let home = cluster.load().pick(b"user:1").unwrap().id().clone();
    cluster.apply(Batch::new().down(home.as_str())).unwrap();
    let snapshot = cluster.load();
    let why = snapshot.explain(b"user:1");
    assert_eq!(
        (first(&why).node.clone(), first(&why).role),
        (home, Role::Passed)
    );
    assert_eq!(why.owner(), snapshot.route(b"user:1"));
    assert!(why.to_string().contains("\n  entry     "), "{why}");
    assert!(
        why.to_string()
            .contains("cluster/1 over rehashed/1 over maglev/1"),
        "{why}"
    );
}
