//! What is stored is the recipe, and read back it goes through the checks again.

use keyroute_multi_probe::hash::Xxh3;
use keyroute_multi_probe::{MultiProbe, MultiProbeScheme};

#[test]
fn a_router_comes_back() {
    let router = MultiProbe::from_ids(["a", "b", "c"]).unwrap();
    let text = serde_json::to_string(&router).unwrap();
    assert_eq!(
        text,
        r#"{"scheme":{"hasher":"xxh3-64","points_per_weight":1,"probes":21},"nodes":[{"id":"a","weight":1},{"id":"b","weight":1},{"id":"c","weight":1}]}"#
    );
    let back: MultiProbe = serde_json::from_str(&text).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
    assert_eq!(back.route_id(b"user:1"), router.route_id(b"user:1"));
}

#[test]
fn another_number_of_probes_is_refused() {
    let text = r#"{"hasher":"xxh3-64","points_per_weight":1,"probes":5}"#;
    assert!(serde_json::from_str::<MultiProbeScheme<Xxh3, 5>>(text).is_ok());
    let refusal = serde_json::from_str::<MultiProbeScheme>(text).unwrap_err();
    assert!(refusal.to_string().contains("5 probes a key"), "{refusal}");
    let none = r#"{"hasher":"xxh3-64","points_per_weight":0,"probes":21}"#;
    assert!(serde_json::from_str::<MultiProbeScheme>(none).is_err());
}
