//! No law sees which lookup or tie order is in force. Here all of them are compared, in both
//! containers and all widths, with brute force over explicit tokens that collide, lie on both sides of
//! the end of the ring, and opposite each other.

use keyroute::{
    AddNode, After, AtOrAfter, AtOrBefore, BTreeRing, ById, FirstListed, KeyHasher, LastListed,
    Nearest, Node, Position, Probes, Ranges, RemoveNode, RouteDigest, Tokens, VectorRing, Walk,
    WalkExt, WithLookup, WithTies,
};
use keyroute_conformance::generators::{Weights, nodes};
use keyroute_conformance::{Inputs, Verdict, Violation};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::brute_force::{Defined, Ranked, walk, walk_by};

/// A hasher whose keys are positions: their bytes, little-endian.
#[derive(Clone, Copy, Debug)]
struct Placed<P>(std::marker::PhantomData<P>);

/// Widths in which test positions can be written.
trait Width: Position + From<u32> {
    fn read(key: &[u8]) -> Self;
    fn write(self) -> Vec<u8>;
}

macro_rules! widths {
    ($($width:ty),*) => {$(
        impl Width for $width {
            fn read(key: &[u8]) -> Self {
                // The router hashes probes of other lengths to know its hasher by.
                key.try_into().map_or(Self::MAX / 3, Self::from_le_bytes)
            }
            fn write(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )*};
}

widths!(u32, u64, u128);

impl<P: Width> KeyHasher for Placed<P> {
    type Out = P;

    fn hash(&self, key: &[u8]) -> P {
        P::read(key)
    }
}

/// A few positions around 0, around the middle and at the end of the ring, so that tokens collide,
/// touch, and are as far behind a key as ahead of it.
fn position<P: Width>(number: u8) -> P {
    let small = P::from(u32::from(number / 3));
    match number % 3 {
        0 => small,
        1 => P::MAX.plus(P::default().plus(small)),
        _ => P::MAX.halved().plus(small),
    }
}

const NUMBERS: u8 = 24;

/// A fleet whose nodes have tokens, and changes: which member leaves and joins again at the end.
type Drawn = (Vec<(Node, Vec<u8>)>, Vec<Index>);

fn fleets() -> impl Strategy<Value = Drawn> {
    let tokens = vec(vec(0..NUMBERS, 1..5), 8);
    let fleet = (nodes(1..8, Weights::AllOne), tokens)
        .prop_map(|(nodes, tokens)| nodes.into_iter().zip(tokens).collect());
    (fleet, vec(any::<Index>(), 0..4))
}

fn keeps_the_definitions<P: Width, L: Defined, O: Ranked>() -> Verdict {
    Inputs::from_env()?.each(fleets(), |(fleet, changes)| {
        let mut listed: Vec<(Node, Vec<P>)> = Vec::new();
        let mut tokens = Tokens::new(Placed(std::marker::PhantomData));
        for (node, numbers) in fleet {
            let points: Vec<P> = numbers.iter().map(|&number| position(number)).collect();
            tokens = tokens.with(node.id(), points.clone())?;
            listed.push((node.clone(), points));
        }
        let scheme = WithLookup::new(WithTies::new(tokens, O::default()), L::default());
        let nodes = || fleet.iter().map(|(node, _)| node.clone());
        let mut sorted = VectorRing::from_nodes_with(scheme.clone(), nodes())?;
        let mut tree = BTreeRing::from_nodes_with(scheme, nodes())?;
        agree::<P, L, O>(&sorted, &listed)?;
        agree::<P, L, O>(&tree, &listed)?;
        for change in changes {
            let mover = listed.remove(change.index(listed.len()));
            come_back(&mut sorted, &mover.0)?;
            come_back(&mut tree, &mover.0)?;
            listed.push(mover);
            agree::<P, L, O>(&sorted, &listed)?;
            agree::<P, L, O>(&tree, &listed)?;
        }
        Ok(())
    })
}

/// Probes have no ranges; their walks and owners are compared alone, over fleets without a history.
fn probes_keep_the_definition<P: Width, O: Ranked>() -> Verdict {
    Inputs::from_env()?.each(fleets(), |(fleet, _)| {
        let mut listed: Vec<(Node, Vec<P>)> = Vec::new();
        let mut tokens = Tokens::new(Placed(std::marker::PhantomData));
        for (node, numbers) in fleet {
            let points: Vec<P> = numbers.iter().map(|&number| position(number)).collect();
            tokens = tokens.with(node.id(), points.clone())?;
            listed.push((node.clone(), points));
        }
        let scheme = WithLookup::new(WithTies::new(tokens, O::default()), Probes::<3>);
        let nodes = || fleet.iter().map(|(node, _)| node.clone());
        let sorted = VectorRing::from_nodes_with(scheme.clone(), nodes())?;
        let tree = BTreeRing::from_nodes_with(scheme, nodes())?;
        for at in (0..NUMBERS).map(position::<P>) {
            let expected = walk_by(&listed, O::ranked, |point| {
                let probes = Probes::<3>::of(at).into_iter().zip(0u8..);
                probes.map(|(probe, i)| (probe.ahead(point), i)).min()
            });
            let found = [
                (sorted.replicas(&at.write(), listed.len()), sorted.route_value(at)),
                (tree.replicas(&at.write(), listed.len()), tree.route_value(at)),
            ];
            for (walk, owner) in found {
                let places = walk.iter().map(|slot| slot.index() as usize);
                if !places.eq(expected.iter().copied()) || owner != walk.first().copied() {
                    return Err(Violation::new(format!(
                        "at {at:#x} the walk is {walk:?}, the owner {owner:?}; by definition the walk \
                         is {expected:?}"
                    )));
                }
            }
        }
        Ok(())
    })
}

#[test]
fn probes_by_id_and_by_listing() {
    probes_keep_the_definition::<u32, ById>().unwrap();
    probes_keep_the_definition::<u64, LastListed>().unwrap();
    probes_keep_the_definition::<u128, FirstListed>().unwrap();
}

fn come_back<R: AddNode + RemoveNode>(ring: &mut R, node: &Node) -> Verdict {
    ring.remove(node.id().as_str())?;
    ring.add(node.clone())?;
    Ok(())
}

fn agree<P: Width, L: Defined, O: Ranked>(
    ring: &(impl Walk + RouteDigest<Width = P> + Ranges<Width = P>),
    listed: &[(Node, Vec<P>)],
) -> Verdict {
    let one = P::from(1);
    let ranges = ring.ranges();
    for number in 0..NUMBERS {
        let token: P = position(number);
        for at in [token.before(), token, token.plus(one)] {
            let id = |slot| ring.members().get(slot).unwrap().id();
            let expected: Vec<_> = walk::<P, L, O>(at, listed)
                .into_iter()
                .map(|place| listed[place].0.id())
                .collect();
            let found: Vec<_> = ring
                .replicas(&at.write(), listed.len())
                .into_iter()
                .map(id)
                .collect();
            let owner = ring.route_value(at).map(id);
            let holder = ranges.iter().find(|range| range.contains(at));
            let holder = holder.map(|range| id(range.owner));
            let routed = ring.route_id(&at.write());
            let first = expected.first().copied();
            if found != expected || owner != first || holder != first || routed != first {
                return Err(Violation::new(format!(
                    "at {at:#x} the walk is {found:?}, the owner {owner:?} and {routed:?}, that of \
                     the range {holder:?}; by definition the walk is {expected:?}"
                )));
            }
        }
    }
    Ok(())
}

macro_rules! every {
    ($($name:ident: $lookup:ty, $ties:ty;)*) => {$(
        #[test]
        fn $name() {
            keeps_the_definitions::<u32, $lookup, $ties>().unwrap();
            keeps_the_definitions::<u64, $lookup, $ties>().unwrap();
            keeps_the_definitions::<u128, $lookup, $ties>().unwrap();
        }
    )*};
}

every! {
    at_or_after_by_id: AtOrAfter, ById;
    at_or_after_first_listed: AtOrAfter, FirstListed;
    at_or_after_last_listed: AtOrAfter, LastListed;
    after_by_id: After, ById;
    after_first_listed: After, FirstListed;
    after_last_listed: After, LastListed;
    at_or_before_by_id: AtOrBefore, ById;
    at_or_before_first_listed: AtOrBefore, FirstListed;
    at_or_before_last_listed: AtOrBefore, LastListed;
    nearest_by_id: Nearest, ById;
    nearest_first_listed: Nearest, FirstListed;
    nearest_last_listed: Nearest, LastListed;
}

/// The comparison can fail: the rules differ on these tokens, and so do the tie orders.
#[test]
fn the_tokens_tell_the_rules_apart() {
    let node = |id| Node::new(id).unwrap();
    let listed = [(node("b"), vec![10u64, 20]), (node("a"), vec![10u64, 30])];
    let at_10 = [
        walk::<u64, AtOrAfter, ById>(10, &listed)[0],
        walk::<u64, AtOrAfter, FirstListed>(10, &listed)[0],
        walk::<u64, AtOrAfter, LastListed>(10, &listed)[0],
        walk::<u64, After, ById>(10, &listed)[0],
    ];
    assert_eq!(at_10, [1, 0, 1, 0]);
    assert_eq!(walk::<u64, AtOrBefore, FirstListed>(29, &listed), [0, 1]);
    assert_eq!(walk::<u64, Nearest, FirstListed>(29, &listed), [1, 0]);
    // As far from 20 as from 30: the one behind.
    assert_eq!(walk::<u64, Nearest, LastListed>(25, &listed), [0, 1]);
}
