//! The answers, against arithmetic; membership; stored recipes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_modulo::hash::Crc32;
use keyroute_modulo::{KeyHasher, Modulo, Node, RouteDigest, RouteError, Weight, hash_fn};

fn ids(router: &Modulo<Crc32>) -> Vec<&str> {
    let members = router.members();
    let slots = members.listed().into_iter();
    slots
        .map(|slot| members.get(slot).unwrap().id().as_str())
        .collect()
}

fn weighted(id: &str, weight: u32) -> Node {
    Node::new(id)
        .unwrap()
        .with_weight(Weight::new(weight).unwrap())
}

#[test]
fn every_width_gives_the_remainder_of_the_whole_number() {
    let nodes = ["0", "1", "2", "3", "4", "5", "6"];
    let wide = 0xfedc_ba98_7654_3210_0123_4567_89ab_cdef_u128;
    let narrow = Modulo::from_ids_with(hash_fn(|_| 0xffff_fffe_u32), nodes).unwrap();
    let middle = Modulo::from_ids_with(hash_fn(|_| u64::MAX), nodes).unwrap();
    let whole = Modulo::from_ids_with(hash_fn(move |_| wide), nodes).unwrap();
    assert_eq!(narrow.route(b"").unwrap().index(), 0xffff_fffe_u32 % 7);
    assert_eq!(u64::from(middle.route(b"").unwrap().index()), u64::MAX % 7);
    assert_eq!(u128::from(whole.route(b"").unwrap().index()), wide % 7);
}

#[test]
fn answers_are_pinned() {
    let router = Modulo::from_ids(["a", "b", "c", "d", "e"]).unwrap();
    let owner = |key: &str| router.route_id(key.as_bytes()).unwrap().as_str();
    let keys = ["", "user:1", "user:2", "https://example.org/", "clé", "\0"];
    assert_eq!(keys.map(owner), ["d", "a", "e", "c", "c", "d"]);
    assert_eq!(
        router.fingerprint().to_string(),
        "e6ffcaeaa9c7a4f55ec15a854c887ea3"
    );
}

#[test]
fn a_node_behind_the_removed_one_moves_up() {
    let mut router = Modulo::from_ids_with(Crc32, ["a", "b", "c"]).unwrap();
    assert_eq!(router.remove("b").unwrap().id(), &"b");
    router.add(Node::new("d").unwrap()).unwrap();
    assert_eq!(ids(&router), ["a", "c", "d"]);
    for key in (0..100u32).map(u32::to_le_bytes) {
        let place = Crc32.hash(&key) % 3;
        assert_eq!(
            router.route_id(&key).unwrap(),
            &["a", "c", "d"][place as usize]
        );
    }
    assert_eq!(router.remove_last().unwrap().id(), &"d");
    assert_eq!(ids(&router), ["a", "c"]);
}

#[test]
fn refusals_are_typed_and_change_nothing() {
    let mut router = Modulo::from_ids_with(Crc32, ["a", "b"]).unwrap();
    let before = router.fingerprint();
    let refused = router.add(weighted("c", 2)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "node \"c\" has weight 2, but modulo has no weights: give it weight 1, or choose a strategy with weights"
    );
    assert!(matches!(
        router.add(Node::new("a").unwrap()),
        Err(RouteError::AlreadyMember { .. })
    ));
    assert!(matches!(
        router.remove("c"),
        Err(RouteError::NotMember { .. })
    ));
    let nodes = [Node::new("x").unwrap(), weighted("y", 3)];
    assert!(router.rebuild(&nodes).is_err());
    assert_eq!(router.fingerprint(), before);
}

#[test]
fn without_nodes_there_is_no_owner() {
    let mut router = Modulo::with_hasher(Crc32);
    assert_eq!(router.route(b"user:1"), None);
    assert_eq!(router.remove_last(), Err(RouteError::NoMembers));
}

#[test]
fn a_digest_routes_as_its_key_and_a_foreign_one_is_refused() {
    let router = Modulo::from_ids_with(Crc32, ["a", "b", "c"]).unwrap();
    let digest = router.digest(b"user:1");
    assert_eq!(
        router.route_digest(digest).unwrap(),
        router.route(b"user:1")
    );
    let other = Modulo::from_ids_with(hash_fn(|_| 7u32), ["a"]).unwrap();
    assert!(matches!(
        router.route_digest(other.digest(b"user:1")),
        Err(RouteError::ForeignDigest { .. })
    ));
}

#[test]
fn the_stored_recipe_gives_the_same_router() {
    let mut router = Modulo::from_ids_with(Crc32, ["b", "x", "a"]).unwrap();
    router.remove("x").unwrap();
    let stored = serde_json::to_string(&router).unwrap();
    assert_eq!(
        stored,
        r#"{"hasher":"crc32","nodes":[{"id":"b","weight":1},{"id":"a","weight":1}]}"#
    );
    let back: Modulo<Crc32> = serde_json::from_str(&stored).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
}

#[test]
fn a_stored_recipe_goes_through_the_same_checks() {
    let read = |text: &str| serde_json::from_str::<Modulo<Crc32>>(text).map(drop);
    assert!(read(r#"{"hasher":"crc32","nodes":[{"id":"a"}]}"#).is_ok());
    assert!(read(r#"{"hasher":"crc32","nodes":[{"id":"a"},{"id":"a"}]}"#).is_err());
    assert!(read(r#"{"hasher":"crc32","nodes":[{"id":"a","weight":2}]}"#).is_err());
    assert!(read(r#"{"hasher":"xxh3-64","nodes":[{"id":"a"}]}"#).is_err());
    assert!(read(r#"{"hasher":"crc32","nodes":[],"points":1}"#).is_err());
}
