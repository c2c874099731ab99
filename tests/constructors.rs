//! All strategies are built, stored and told apart in one way.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute::hash::Xxh3;
use keyroute::{
    BTreeRing, Binomial, BinomialPublished, BoundedFill, ByRange, Flip, GrowableAnchor, Jump,
    JumpBack, Ketama, Maglev, Memento, Modulo, MultiProbe, MultiProbeScheme, Native, Nearest, Node,
    Power, Ranking, Rendezvous, RendezvousFill, RouteError, Router, SlotTable, TableSize,
    TokenRing, TwoSidedRing, VectorRing, Window, WindowRing, WithLookup,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

const IDS: [&str; 3] = ["b", "a", "c"];

fn nodes(ids: &[&str]) -> Vec<Node> {
    ids.iter().map(|id| Node::new(id).unwrap()).collect()
}

/// What every router says when it is given one node twice, an id that is none, and a stored form that
/// was tampered with; and that it comes back from its stored form.
fn is_stored<R: Router + Serialize + DeserializeOwned>(router: &R) {
    let stored = serde_json::to_value(router).unwrap();
    let read = |value: &serde_json::Value| serde_json::from_value::<R>(value.clone());
    let back = read(&stored).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
    for key in 0..1000u32 {
        let key = key.to_le_bytes();
        assert_eq!(back.route_id(&key), router.route_id(&key));
    }

    let text = stored.to_string();
    for (part, other) in [
        (r#""id":"a""#, r#""id":"b""#),
        (r#""id":"a""#, r#""id":"""#),
        ("xxh3-64", "xxh64"),
        (r#""weight":1"#, r#""weight":0"#),
    ] {
        let tampered = text.replacen(part, other, 1);
        assert!(
            tampered != text || part == "xxh3-64",
            "{text} has no {part}"
        );
        let tampered: serde_json::Value = serde_json::from_str(&tampered).unwrap();
        assert!(tampered == stored || read(&tampered).is_err(), "{tampered}");
    }
    let mut more = stored;
    more["unknown"] = true.into();
    assert!(read(&more).is_err(), "{more}");
}

macro_rules! one_shape {
    ($($name:ident: $Router:ty, ($($with:expr),*);)*) => {$(
        #[test]
        fn $name() {
            let made = <$Router>::from_ids(IDS).unwrap();
            let print = made.fingerprint();
            let same = |other: Result<$Router, RouteError>| assert_eq!(other.unwrap().fingerprint(), print);
            same(<$Router>::from_nodes(nodes(&IDS)));
            same(<$Router>::from_nodes_with($($with,)* nodes(&IDS)));
            same(<$Router>::from_ids_with($($with,)* IDS));

            let mut grown = <$Router>::new();
            assert_eq!(grown.fingerprint(), <$Router>::default().fingerprint());
            assert_eq!(grown.route(b"key"), None);
            for node in nodes(&IDS) {
                grown.add(node).unwrap();
            }
            same(Ok(grown.clone()));
            let mut other = <$Router>::from_ids(["z"]).unwrap();
            assert_ne!(other.fingerprint(), print);
            other.rebuild(&nodes(&IDS)).unwrap();
            same(Ok(other.clone()));

            let twice = RouteError::AlreadyMember { id: nodes(&["a"])[0].id().clone() };
            let doubled = nodes(&["a", "b", "a"]);
            assert_eq!(<$Router>::from_nodes(doubled.clone()).unwrap_err(), twice);
            assert_eq!(<$Router>::from_ids(["a", "a"]).unwrap_err(), twice);
            assert_eq!(grown.add(nodes(&["a"]).remove(0)).unwrap_err(), twice);
            assert_eq!(grown.rebuild(&doubled).unwrap_err(), twice);
            same(Ok(grown));
            assert_eq!(<$Router>::from_ids(["a", ""]).unwrap_err(), RouteError::EmptyId);
            let long = "x".repeat(4097);
            let refusal = <$Router>::from_ids_with($($with,)* [long]).unwrap_err();
            assert_eq!(refusal, RouteError::IdTooLong { length: 4097 });

            is_stored(&made);
        }
    )*};
}

one_shape! {
    vector_ring: VectorRing, (Native::new(Xxh3));
    two_sided_ring: TwoSidedRing, (WithLookup::new(Native::new(Xxh3), Nearest));
    btree_ring: BTreeRing, (Native::new(Xxh3));
    ketama: Ketama, (keyroute::KetamaPoints::default());
    multi_probe: MultiProbe, (MultiProbeScheme::new(Xxh3));
    token_ring: TokenRing, (Xxh3);
    window_ring: WindowRing, (Xxh3, Window::default());
    rendezvous: Rendezvous, (Xxh3);
    maglev: Maglev, (Xxh3, TableSize::default());
    slot_table: SlotTable, (RendezvousFill::new(Xxh3), ByRange::default());
    jump: Jump, (Xxh3);
    jump_back: JumpBack, (Xxh3);
    flip: Flip, (Xxh3);
    power: Power, (Xxh3);
    binomial: Binomial, (Xxh3);
    binomial_published: BinomialPublished, (Xxh3);
    modulo: Modulo, (Xxh3);
    ranking: Ranking, (Xxh3);
    growable_anchor: GrowableAnchor, (Xxh3);
    memento: Memento, (Xxh3);
}

/// Those whose parameters have no default, built as they are.
#[test]
fn what_has_parameters_is_stored_with_them() {
    is_stored(
        &keyroute::Anchor::with_capacity(7)
            .unwrap()
            .with_nodes(nodes(&IDS))
            .unwrap(),
    );
    is_stored(
        &keyroute::Dx::with_capacity(7)
            .unwrap()
            .with_nodes(nodes(&IDS))
            .unwrap(),
    );
    is_stored(&Maglev::from_ids_with(Xxh3, TableSize::new(251).unwrap(), IDS).unwrap());
    let fill = BoundedFill::new(Xxh3).with_load(1_000).unwrap();
    is_stored(&SlotTable::from_ids_with(fill, ByRange::new(Xxh3, 100).unwrap(), IDS).unwrap());
}
