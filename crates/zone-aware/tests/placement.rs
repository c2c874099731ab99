//! Where replicas come to stand, what is said where they cannot be apart, and what moves.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use keyroute_conformance::{Verdict, Violation, hold};
use keyroute_rendezvous::Rendezvous;
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::{
    AddNode, Node, NodeId, Rebuild, RouteError, Router, Slot, Spread, Walk, WalkExt, Zone,
    ZoneAware,
};

fn node(id: &str, zone: &str) -> Node {
    match Zone::new(zone) {
        Ok(zone) => Node::new(id).unwrap().with_zone(zone),
        Err(_) => Node::new(id).unwrap(),
    }
}

/// Nodes a0, a1, …, b0, … with zones of these sizes.
fn fleet(sizes: &[usize]) -> Vec<Node> {
    let zones = ["a", "b", "c", "d"].into_iter().zip(sizes);
    zones
        .flat_map(|(zone, &size)| (0..size).map(move |i| node(&format!("{zone}{i}"), zone)))
        .collect()
}

fn over_ring(nodes: Vec<Node>) -> ZoneAware<VectorRing> {
    ZoneAware::new(VectorRing::from_nodes(nodes).unwrap())
}

fn keys(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|n| format!("user:{n}"))
}

fn zone_of<R: Router>(router: &ZoneAware<R>, slot: Slot) -> Option<Zone> {
    router.members().get(slot).unwrap().zone().cloned()
}

/// The greedy filter, written out.
fn by_hand<R: Walk>(inner: &R, key: &[u8], n: usize) -> Vec<Slot> {
    let order = inner.replicas(key, usize::MAX);
    let (mut zones, mut firsts, mut others) = (BTreeSet::new(), Vec::new(), Vec::new());
    for slot in order {
        let zone = inner.members().get(slot).unwrap().zone();
        if zones.insert(zone) {
            firsts.push(slot);
        } else {
            others.push(slot);
        }
    }
    firsts.into_iter().chain(others).take(n).collect()
}

#[test]
fn it_is_the_greedy_filter_and_every_way_to_ask_agrees() {
    fn law<R: Walk>(subject: &keyroute_conformance::Subject<ZoneAware<R>>) -> Verdict {
        subject.each(|case| {
            let router = subject.make(&case.nodes)?;
            for key in &case.keys {
                let owner = router.get_ref().route(key);
                for n in (0..=case.nodes.len() + 1).chain([usize::MAX]) {
                    let placement = router.place(key, n);
                    let expected = by_hand(router.get_ref(), key, n);
                    let mut out = vec![Slot::new(9999).unwrap(); n.min(20)];
                    let spread = router.place_into(key, &mut out);
                    let alike = placement.slots() == expected
                        && router.get_ref().zone_replicas(key, n) == expected
                        && router.replicas(key, n) == expected
                        && router.place_where(key, n, |_| true).slots() == expected
                        && out[..spread.nodes] == expected[..expected.len().min(20)]
                        && placement.spread() == router.spread(n)
                        && (n == 0 || placement.slots().first().copied() == owner);
                    if !alike {
                        return Err(Violation::new(format!(
                            "{n} replicas of {key:?}: {placement:?}, not {expected:?}; {out:?} {spread:?}"
                        )));
                    }
                }
            }
            Ok(())
        })
    }
    hold(
        |nodes| VectorRing::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
        law,
    );
    hold(
        |nodes| Rendezvous::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
        law,
    );
}

#[test]
fn placing_among_some_is_placing_as_if_the_others_had_left() {
    let nodes = fleet(&[3, 2, 4]);
    let router = over_ring(nodes.clone());
    let gone = ["a1", "b0", "b1", "c3"]; // all of zone b among them
    let stay = nodes
        .into_iter()
        .filter(|node| !gone.contains(&node.id().as_str()));
    let less = over_ring(stay.collect());
    for key in keys(500) {
        let up = |slot| !gone.contains(&router.members().get(slot).unwrap().id().as_str());
        for n in 0..=10 {
            let found = router.place_where(key.as_bytes(), n, up);
            let expected = less.place(key.as_bytes(), n);
            assert!(found.ids().eq(expected.ids()), "{key} {n}");
            assert_eq!(found.spread(), expected.spread());
        }
    }
}

#[test]
fn too_few_zones_and_too_few_nodes_are_told_apart() {
    let router = over_ring(fleet(&[2, 1]));
    let told = |n| {
        let placement = router.place(b"k", n);
        (placement.clone().complete().err(), placement.apart().err())
    };
    assert_eq!(told(0), (None, None));
    assert_eq!(told(2), (None, None));
    let zones = Some(RouteError::TooFewZones { asked: 3, zones: 2 });
    assert_eq!(told(3), (None, zones));
    let nodes = Some(RouteError::TooFewNodes { asked: 5, nodes: 3 });
    assert_eq!(told(5), (nodes.clone(), nodes));
    let spread = router.spread(usize::MAX);
    assert_eq!((spread.nodes, spread.zones), (3, 2));
    assert_eq!(spread.missing_nodes(), usize::MAX - 3);
    assert_eq!(
        told(5).0.unwrap().to_string(),
        "5 replicas on 3 nodes: ask for 3 at most, or add nodes"
    );

    let empty = over_ring(Vec::new());
    let none = Spread {
        asked: 1,
        nodes: 0,
        zones: 0,
    };
    assert_eq!(
        (empty.place(b"k", 1).spread(), empty.spread(1)),
        (none, none)
    );
}

#[test]
fn nodes_without_a_zone_stand_together_or_are_refused() {
    let mixed = || vec![node("a0", "a"), node("x", ""), node("y", "")];
    let router = over_ring(mixed());
    for key in keys(200) {
        let two = router.place(key.as_bytes(), 2);
        assert!(two.spread().is_apart(), "x and y are one zone: {two:?}");
        assert_eq!(router.place(key.as_bytes(), 3).spread().zones, 2);
        assert_eq!(router.place(key.as_bytes(), 3).in_zone(None).count(), 2);
    }

    let refusal = RouteError::NoZone {
        id: NodeId::new("x").unwrap(),
    };
    let ring = VectorRing::from_nodes(mixed()).unwrap();
    assert_eq!(ZoneAware::requiring_zones(ring).unwrap_err(), refusal);

    let ring = VectorRing::from_nodes(fleet(&[1, 1])).unwrap();
    let mut strict = ZoneAware::requiring_zones(ring).unwrap();
    let before = strict.fingerprint();
    assert_eq!(strict.add(node("x", "")).unwrap_err(), refusal);
    assert_eq!(strict.rebuild(&mixed()).unwrap_err(), refusal);
    assert_eq!(strict.fingerprint(), before);
    assert!(strict.requires_zones());
    strict.add(node("c0", "c")).unwrap();
    assert_eq!(strict.spread(3).zones, 3);
    assert_eq!(
        refusal.to_string(),
        "node \"x\" has no zone: say where it stands, or allow nodes without one"
    );
}

#[test]
fn the_name_and_the_fingerprint_are_not_the_inner_routers() {
    let router = over_ring(fleet(&[2, 1]));
    let inner = router.get_ref();
    assert_eq!(
        router.describe().scheme(),
        "zone-aware/1 over ring/native/1"
    );
    assert_ne!(router.fingerprint(), Router::fingerprint(inner));
    assert!(router.describe().fields().eq(inner.describe().fields()));
}

#[test]
fn replicas_of_a_zone_come_first_for_who_reads_there() {
    let router = over_ring(fleet(&[2, 2, 2]));
    let b = Zone::new("b").unwrap();
    for key in keys(200) {
        let placement = router.place(key.as_bytes(), 4);
        let local: Vec<Slot> = placement.local_first(Some(&b)).collect();
        let (here, there): (Vec<Slot>, Vec<Slot>) = placement
            .slots()
            .iter()
            .partition(|&&slot| zone_of(&router, slot).as_ref() == Some(&b));
        assert_eq!(local, [here, there].concat());
        assert!(placement.in_zone(Some(&b)).count() >= 1);
        let nowhere = Zone::new("z").unwrap();
        assert!(
            placement
                .local_first(Some(&nowhere))
                .eq(placement.slots().iter().copied())
        );
    }
}

/// Each key of a zone that is down goes to its own next zone, and none of the others moves.
#[test]
fn the_keys_of_a_zone_that_is_down_spread_over_the_others() {
    let router = over_ring(fleet(&[4, 4, 4]));
    let a = Zone::new("a").unwrap();
    let mut taken: BTreeMap<Option<Zone>, usize> = BTreeMap::new();
    let mut lost = 0;
    for key in keys(20_000) {
        let key = key.as_bytes();
        let up = |slot| zone_of(&router, slot).as_ref() != Some(&a);
        let owner = router.route(key).unwrap();
        let next = router.first_where(key, up).unwrap();
        // As it would be without the zone; and a replica has it already.
        assert_eq!(Some(next), router.get_ref().first_where(key, up));
        assert!(router.place(key, 2).slots().contains(&next) || up(owner));
        if up(owner) {
            assert_eq!(next, owner);
        } else {
            lost += 1;
            *taken.entry(zone_of(&router, next)).or_default() += 1;
        }
    }
    assert_eq!(taken.len(), 2);
    for (zone, count) in taken {
        // Half each, as far as a ring of so few nodes is even.
        let part = f64::from(u32::try_from(count).unwrap()) / f64::from(lost);
        assert!((0.35..0.65).contains(&part), "{zone:?} took {part:.3}");
    }
}

/// A node that is down is passed over to another zone, which has a replica; the inner order may name its neighbour
/// at home, which has none.
#[test]
fn a_node_that_is_down_is_passed_over_to_the_next_replica() {
    let router = over_ring(fleet(&[4, 4]));
    let mut at_home = 0;
    for key in keys(1000) {
        let key = key.as_bytes();
        let owner = router.route(key).unwrap();
        let next = router.first_where(key, |slot| slot != owner).unwrap();
        assert_eq!(router.place(key, 2).slots(), [owner, next]);
        assert_ne!(zone_of(&router, next), zone_of(&router, owner));
        let neighbour = router
            .get_ref()
            .first_where(key, |slot| slot != owner)
            .unwrap();
        at_home += usize::from(zone_of(&router, neighbour) == zone_of(&router, owner));
    }
    assert!((300..560).contains(&at_home), "{at_home} of 1000"); // 3 of 7 others are at home
}

/// The README's figure. Sets change by one node; it may come in before some that stay.
#[test]
fn what_a_leaver_moves_is_measured() {
    let nodes = fleet(&[3, 3, 3]);
    let before = over_ring(nodes.clone());
    let (mut held, mut reordered) = (0, 0);
    for leaver in &nodes {
        let mut less = nodes.clone();
        less.retain(|node| node != leaver);
        let after = over_ring(less);
        for key in keys(2000) {
            let old: Vec<&NodeId> = before.place(key.as_bytes(), 3).ids().collect();
            let new: Vec<&NodeId> = after.place(key.as_bytes(), 3).ids().collect();
            if !old.contains(&leaver.id()) {
                assert_eq!(old, new);
                continue;
            }
            held += 1;
            let stayed: Vec<&NodeId> = old.into_iter().filter(|id| *id != leaver.id()).collect();
            assert!(stayed.iter().all(|id| new.contains(id)), "one replaces one");
            reordered += usize::from(!new.starts_with(&stayed));
        }
    }
    assert_eq!(held, 3 * 2000, "each key has three replicas");
    assert_eq!(reordered, 2101, "35 % of the sets have another order");
}

#[test]
fn the_stored_form_gives_the_same_router() {
    let router =
        ZoneAware::requiring_zones(VectorRing::from_nodes(fleet(&[2, 1])).unwrap()).unwrap();
    let text = serde_json::to_string(&router).unwrap();
    let back: ZoneAware<VectorRing> = serde_json::from_str(&text).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
    assert!(back.requires_zones());

    let lax = serde_json::to_string(&over_ring(vec![node("x", "")])).unwrap();
    assert!(lax.ends_with("\"requires_zones\":false}"), "{lax}");
    let strict = lax.replace("\"requires_zones\":false", "\"requires_zones\":true");
    let refusal = serde_json::from_str::<ZoneAware<VectorRing>>(&strict).unwrap_err();
    assert!(
        refusal.to_string().starts_with("node \"x\" has no zone"),
        "{refusal}"
    );
}
