//! Events: one for each change, at the level it deserves, and no key in any.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keyroute_cluster::{Batch, Cluster, Node, Ramp, Rehashed, sample_key};
use keyroute_maglev::Maglev;
use keyroute_vector_ring::VectorRing;
use support::{change, node};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Level, Metadata, Subscriber};

/// An event: its level, and its fields as text.
type Told = (Level, BTreeMap<String, String>);

/// Keeps all events.
#[derive(Clone, Default)]
struct Keeps {
    told: Arc<Mutex<Vec<Told>>>,
    spans: Arc<AtomicU64>,
}

struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl Subscriber for Keeps {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1 + self.spans.fetch_add(1, Ordering::Relaxed))
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(BTreeMap::new());
        event.record(&mut fields);
        self.told
            .lock()
            .unwrap()
            .push((*event.metadata().level(), fields.0));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What is told while this runs.
fn told(test: impl FnOnce()) -> Vec<Told> {
    let keeps = Keeps::default();
    with_default(keeps.clone(), test);
    let told = keeps.told.lock().unwrap();
    told.clone()
}

fn ring() -> Cluster<VectorRing, u64> {
    Cluster::new(VectorRing::from_ids(["a", "b", "c"]).unwrap(), |_| 0).warning_of_needless_moves()
}

fn maglev() -> Cluster<Rehashed<Maglev>, u64> {
    let ids = (0..20).map(|it| format!("n{it}"));
    Cluster::new(Rehashed::new(Maglev::from_ids(ids).unwrap()), |_| 0)
}

#[test]
fn a_change_is_one_event_that_says_what_changed() {
    let cluster = ring();
    let ramp = Ramp::new(Duration::from_secs(9), 3).unwrap();
    let mut movement = None;
    let events = told(|| {
        let batch = Batch::new()
            .add(node("d"), 0)
            .ramp("d", ramp)
            .remove("b")
            .reweight("a", 2)
            .down("c");
        movement = Some(cluster.apply(batch).unwrap().unwrap().movement());
        assert!(cluster.apply(Batch::new()).unwrap().is_none()); // changes nothing, says nothing
    });
    let movement = movement.unwrap();
    let [(level, fields)] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*level, Level::INFO);
    let field = |name: &str| fields[name].as_str();
    assert_eq!(field("message"), "cluster changed");
    assert_eq!(
        (field("epoch"), field("added"), field("removed")),
        ("1", "\"d\"", "\"b\"")
    );
    assert_eq!(
        (field("reweighted"), field("statuses"), field("payloads")),
        ("1", "1", "0")
    );
    assert_eq!(field("status"), "\"c\" (down)");
    assert_eq!((field("rebuilt"), field("rezoned")), ("true", "0"));
    assert_eq!(field("samples"), "4096");
    assert_eq!(
        (field("needed"), field("needless")),
        (&*movement.needed().to_string(), "0")
    );
    assert!(
        field("micros").parse::<u64>().is_ok() && field("rebuild_micros").parse::<u64>().is_ok()
    );
}

#[test]
fn many_ids_are_not_all_named() {
    let cluster = ring();
    let events = told(|| {
        let many = (0..100).fold(Batch::new(), |batch, number| {
            batch.add(node(&format!("n{number:02}")), 0)
        });
        change(&cluster, many);
    });
    let added = &events[0].1["added"];
    assert!(
        added.starts_with("\"n00\", \"n01\"") && added.ends_with("\"n07\" and 92 more"),
        "{added}"
    );
}

#[test]
fn needless_moves_are_warned_of_where_none_were_promised() {
    let levels = |events: &[Told]| events.iter().map(|(level, _)| *level).collect::<Vec<_>>();
    let plain = maglev();
    assert_eq!(
        levels(&told(|| change(&plain, Batch::new().remove("n3")))),
        [Level::INFO]
    );

    let promised = maglev().warning_of_needless_moves();
    let events = told(|| change(&promised, Batch::new().remove("n3")));
    assert_eq!(levels(&events), [Level::INFO, Level::WARN]);
    assert_eq!(events[0].1["needless"], events[1].1["needless"]);
    assert_ne!(events[1].1["needless"], "0");
    // A promise that is kept is no warning.
    let ring = ring();
    assert_eq!(
        levels(&told(|| change(&ring, Batch::new().remove("a")))),
        [Level::INFO]
    );
}

#[test]
fn a_refused_change_is_told_with_its_error_to_who_debugs() {
    let cluster = ring();
    let events = told(|| {
        cluster
            .apply(Batch::new().remove("a").remove("x"))
            .unwrap_err();
        cluster.apply(Batch::new().add(node("a"), 0)).unwrap_err();
    });
    let told: Vec<_> = events
        .iter()
        .map(|(level, fields)| (*level, fields["error"].as_str()))
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|(level, _)| *level == Level::DEBUG));
    assert!(
        told[0].1.contains("\"x\"") && told[1].1.contains("\"a\""),
        "{told:?}"
    );
    assert_eq!(events[0].1["epoch"], "0");
}

#[test]
fn what_the_strategy_refuses_is_told_too() {
    let build = |nodes: &[Node]| match nodes.len() {
        0..3 => VectorRing::from_nodes(nodes.iter().cloned()),
        _ => Err(keyroute_cluster::RouteError::NoMembers),
    };
    let cluster = Cluster::from_factory(build, [(node("a"), 0), (node("b"), 0)]).unwrap();
    let events = told(|| drop(cluster.apply(Batch::new().add(node("c"), 0)).unwrap_err()));
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].0, Level::DEBUG);
}

#[test]
fn a_subscriber_that_panics_is_warned_of() {
    let cluster = ring();
    let _panics = cluster.subscribe(|_| panic!("on purpose"));
    let events = told(|| change(&cluster, Batch::new().down("a")));
    assert_eq!(events.len(), 2);
    assert_eq!(
        (events[1].0, events[1].1["panics"].as_str()),
        (Level::WARN, "1")
    );
}

/// Lookups say nothing, and what a change says names no key that its sample asked.
#[test]
fn no_key_is_in_any_event() {
    let cluster = ring();
    let key = b"secret:1";
    let events = told(|| {
        assert!(cluster.load().pick(key).is_ok());
        change(&cluster, Batch::new().down("a").add(node("d"), 0));
        assert_eq!(cluster.load().balance(100).members().len(), 4);
    });
    assert_eq!(events.len(), 1);
    let text = format!("{events:?}");
    assert!(!text.contains("secret"));
    for number in 0..4096 {
        let key = sample_key(number);
        let written = [
            format!("{key:?}"),
            u64::from_le_bytes(key).to_string(),
            format!("{:x}", u64::from_le_bytes(key)),
        ];
        assert!(written.iter().all(|it| !text.contains(it.as_str())));
    }
}
