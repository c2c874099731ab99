//! The answers of `window-ring/1`, pinned: `data/window_ring.json` was computed from `docs/hashing.md` by
//! another program (`data/make_window_ring.py`). An answer that changes is a new scheme.

use keyroute_window_ring::WindowRing;
use serde_json::Value;

#[test]
fn answers_are_what_they_were() {
    let golden: Value = serde_json::from_str(include_str!("data/window_ring.json")).unwrap();
    let ids: Vec<String> = serde_json::from_value(golden["ids"].clone()).unwrap();
    let walks: Vec<(String, Vec<String>)> =
        serde_json::from_value(golden["walks"].clone()).unwrap();
    let router = WindowRing::from_ids(ids).unwrap();
    assert_eq!(walks.len(), 120);
    for (key, expected) in walks {
        let found = router.replicas(key.as_bytes(), 10);
        let id = |slot| router.members().get(slot).unwrap().id().to_string();
        assert_eq!(
            found.into_iter().map(id).collect::<Vec<_>>(),
            expected,
            "{key}"
        );
        assert_eq!(
            router.route_id(key.as_bytes()).unwrap(),
            expected[0].as_str()
        );
    }
    let back: WindowRing = serde_json::from_str(&serde_json::to_string(&router).unwrap()).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
}

#[test]
fn the_fingerprint_is_pinned() {
    let router = WindowRing::from_ids(["a", "b"]).unwrap();
    assert_eq!(
        router.fingerprint().to_string(),
        "119f000b17587a38315c12deb103915c"
    );
}
