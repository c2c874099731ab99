//! Tokens leave the ring and come back; what does not fit is refused.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_token_ring::hash::Xxh3;
use keyroute_token_ring::{Node, RouteDigest, RouteError, TokenRing, Tokens, Weight};

fn node(id: &str) -> Node {
    Node::new(id).unwrap()
}

#[test]
fn a_ring_of_exported_tokens_answers_alike_and_grows_alike() {
    let mut ring = TokenRing::from_ids(["a", "b", "c", "d"]).unwrap();
    ring.remove("b").unwrap();
    ring.add(node("e")).unwrap();
    let nodes: Vec<Node> = ["a", "c", "d", "e"].map(node).into();
    let mut copy = TokenRing::from_tokens(ring.tokens(), nodes.clone()).unwrap();
    assert_eq!(copy.fingerprint(), ring.fingerprint());
    // History decides: anew the nodes take other tokens.
    assert_ne!(
        TokenRing::from_nodes(nodes).unwrap().tokens(),
        ring.tokens()
    );
    ring.add(node("f")).unwrap();
    copy.add(node("f")).unwrap();
    assert_eq!(copy.tokens(), ring.tokens());

    let text = serde_json::to_string(&ring).unwrap();
    let back: TokenRing = serde_json::from_str(&text).unwrap();
    assert_eq!(back.fingerprint(), ring.fingerprint());
}

#[test]
fn a_copy_by_the_order_of_listing_has_the_same_fingerprint() {
    // A free slot taken again tells the order of slots and that of listing apart.
    let mut ring = TokenRing::from_ids(["a", "b", "c"]).unwrap();
    ring.remove("a").unwrap();
    ring.add(node("d")).unwrap();
    let listed = ring.members().listed().into_iter();
    let nodes: Vec<Node> = listed
        .map(|slot| ring.members().get(slot).unwrap().clone())
        .collect();
    let copy = TokenRing::from_tokens(ring.tokens(), nodes).unwrap();
    assert_eq!(copy.fingerprint(), ring.fingerprint());

    let by_slot = ring.members().iter().map(|(_, node)| node.clone());
    let copy = TokenRing::from_tokens(ring.tokens(), by_slot).unwrap();
    assert_ne!(copy.fingerprint(), ring.fingerprint());
    assert_eq!(copy.tokens(), ring.tokens());
}

#[test]
fn tokens_and_nodes_must_fit() {
    let tokens = Tokens::new(Xxh3).with("a", [1]).unwrap();
    let without = TokenRing::from_tokens(tokens.clone(), [node("a"), node("b")]);
    assert!(matches!(
        without.unwrap_err(),
        RouteError::Unplaceable { .. }
    ));
    let strange = TokenRing::from_tokens(tokens, []).unwrap_err();
    assert_eq!(strange, RouteError::NotMember { id: "a".into() });
}

#[test]
fn too_many_tokens_are_refused_before_work_begins() {
    let heavy = node("b").with_weight(Weight::new(u32::MAX).unwrap());
    let mut ring = TokenRing::from_ids(["a"]).unwrap();
    let before = ring.fingerprint();
    let refusal = ring.add(heavy.clone()).unwrap_err();
    assert!(matches!(
        refusal,
        RouteError::TooManyPoints {
            points_per_weight: Some(16),
            ..
        }
    ));
    assert!(ring.rebuild(&[heavy]).is_err());
    let refusal = ring
        .reweight("a", Weight::new(u32::MAX).unwrap())
        .unwrap_err();
    assert!(matches!(refusal, RouteError::TooManyPoints { .. }));
    assert_eq!(ring.fingerprint(), before);
    assert!(ring.with_tokens_per_weight(0).is_err());
}

/// Tokens side by side leave the long arc to their neighbour, and that is the one that is split.
#[test]
fn tokens_from_elsewhere_are_evened_out() {
    let mut tokens = Tokens::new(Xxh3).with("a", [0]).unwrap();
    for (id, token) in [("b", 1), ("c", 2)] {
        tokens = tokens.with(id, [token]).unwrap();
    }
    let mut ring = TokenRing::from_tokens(tokens, ["a", "b", "c"].map(node)).unwrap();
    ring.add(node("d")).unwrap();
    assert_eq!(ring.len(), 19);
    // A quarter of the ring in sixteen tokens, which were a's; b and c have one position each as before.
    let owner = |value| {
        ring.members()
            .get(ring.route_value(value).unwrap())
            .unwrap()
            .id()
            .as_str()
    };
    assert_eq!(
        [owner(1), owner(2), owner(3), owner(u64::MAX)],
        ["b", "c", "d", "a"]
    );
}

#[test]
fn a_node_alone_has_its_tokens_evenly() {
    let mut ring = TokenRing::from_ids(["a"]).unwrap();
    ring.reweight("a", Weight::new(3).unwrap()).unwrap();
    let anew = node("a").with_weight(Weight::new(3).unwrap());
    assert_eq!(
        ring.fingerprint(),
        TokenRing::from_nodes([anew]).unwrap().fingerprint()
    );
}

/// Tokens from elsewhere may stand on one position: those behind the first have no arc to give.
#[test]
fn tokens_on_one_position_are_taken_and_given_back() {
    let tokens = Tokens::new(Xxh3)
        .with("a", [5, 5])
        .and_then(|tokens| tokens.with("b", [5, 5, 5]))
        .unwrap();
    let nodes =
        [("a", 2), ("b", 3)].map(|(id, weight)| node(id).with_weight(Weight::new(weight).unwrap()));
    let ring = TokenRing::from_tokens(tokens, nodes).unwrap();
    let owner = |ring: &TokenRing, value| {
        let slot = ring.route_value(value).unwrap();
        ring.members().get(slot).unwrap().id().to_string()
    };

    // b owns nothing, and takes from a.
    let mut raised = ring.clone();
    raised.reweight("b", Weight::new(4).unwrap()).unwrap();
    assert_eq!(raised.tokens().of("b").len(), 4);
    assert_eq!([owner(&raised, 5), owner(&raised, 6)], ["a", "b"]);
    // a has the whole ring, of which b can give it none.
    let before = ring.fingerprint();
    let mut stuck = ring.clone();
    let refusal = stuck.reweight("a", Weight::new(3).unwrap()).unwrap_err();
    assert!(matches!(refusal, RouteError::Unplaceable { .. }));
    assert_eq!(stuck.fingerprint(), before);
    // With one token left it keeps the ring: b's stand behind it.
    let mut lowered = ring;
    lowered.reweight("a", Weight::ONE).unwrap();
    assert_eq!(lowered.tokens().of("a"), [5]);
    assert_eq!(owner(&lowered, 6), "a");
}
