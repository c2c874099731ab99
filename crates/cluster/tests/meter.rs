//! Metrics: what is written, and that nothing of who left stays.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use keyroute_adaptive::{Balancer, Steady};
use keyroute_cluster::{Batch, Cluster, Exact, Listing, Meter, NodeId, Ramp, Rehashed};
use keyroute_maglev::Maglev;
use keyroute_vector_ring::VectorRing;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use support::{change, node};

type Held = Cluster<VectorRing, u64>;

fn cluster() -> Held {
    Cluster::new(VectorRing::from_ids(["a", "b", "c"]).unwrap(), |_| 0)
}

/// All series by name and labels, `name{a=x,b=y}`; a histogram's values since the last look.
fn series(from: &Snapshotter) -> BTreeMap<String, Vec<f64>> {
    let mut all = BTreeMap::new();
    for (key, _, _, value) in from.snapshot().into_vec() {
        let labels: Vec<String> = key
            .key()
            .labels()
            .map(|it| format!("{}={}", it.key(), it.value()))
            .collect();
        let name = format!("{}{{{}}}", key.key().name(), labels.join(","));
        let values = match value {
            DebugValue::Counter(count) => vec![f64::from(u32::try_from(count).unwrap())],
            DebugValue::Gauge(value) => vec![value.0],
            DebugValue::Histogram(values) => values.iter().map(|value| value.0).collect(),
        };
        all.insert(name, values);
    }
    all
}

/// Runs this with a recorder of its own.
fn recorded(test: impl FnOnce(&Snapshotter)) {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || test(&snapshotter));
}

fn statuses(all: &BTreeMap<String, Vec<f64>>) -> [f64; 5] {
    ["up", "ramp", "down", "drained", "weightless"]
        .map(|status| all[&format!("keyroute_members{{cluster=x,status={status}}}")][0])
}

#[test]
fn the_state_is_written_at_once_and_with_each_change() {
    recorded(|look| {
        let cluster = cluster();
        cluster.apply(Batch::new().payload("a", 1)).unwrap();
        let _meter = Meter::start(&cluster, "x");
        let all = series(look);
        assert_eq!(all["keyroute_epoch{cluster=x}"], [1.0]);
        assert_eq!(statuses(&all), [3.0, 0.0, 0.0, 0.0, 0.0]);

        let ramp = Ramp::new(Duration::from_secs(9), 3).unwrap();
        let idle = Listing::new(node("idle"), 0).drained();
        let batch = Batch::new()
            .down("a")
            .drain("a")
            .down("b")
            .add(node("d"), 0)
            .ramp("d", ramp)
            .list(idle);
        let told = cluster.apply(batch).unwrap().unwrap();
        let all = series(look);
        assert_eq!(all["keyroute_epoch{cluster=x}"], [2.0]);
        // Who is down and drained is counted once.
        assert_eq!(statuses(&all), [1.0, 1.0, 1.0, 1.0, 1.0]);
        let moved = told.movement();
        assert!(moved.share() > 0.0);
        assert_eq!(
            all["keyroute_change_moved{cluster=x,need=needed}"],
            [moved.share()]
        );
        assert_eq!(all["keyroute_change_moved{cluster=x,need=needless}"], [0.0]);
        assert_eq!(
            all["keyroute_change_seconds{cluster=x}"],
            [told.time().as_secs_f64()]
        );
        assert_eq!(
            all["keyroute_rebuild_seconds{cluster=x}"],
            [told.rebuild_time().as_secs_f64()]
        );
        assert!(told.rebuild_time() > Duration::ZERO && told.rebuild_time() <= told.time());

        // No router is made for health.
        let told = cluster.apply(Batch::new().undrain("a")).unwrap().unwrap();
        assert_eq!(told.rebuild_time(), Duration::ZERO);
        let all = series(look);
        assert_eq!(statuses(&all), [1.0, 1.0, 2.0, 0.0, 1.0]);
        assert!(
            all.get("keyroute_rebuild_seconds{cluster=x}")
                .is_none_or(Vec::is_empty)
        );
        assert_eq!(all["keyroute_change_seconds{cluster=x}"].len(), 1);
    });
}

#[test]
fn needless_moves_are_told_apart() {
    recorded(|look| {
        let maglev = Rehashed::new(Maglev::from_ids((0..20).map(|it| format!("n{it}"))).unwrap());
        let cluster = Cluster::new(maglev, |_| 0);
        let _meter = Meter::start(&cluster, "x");
        let moved = cluster
            .apply(Batch::new().remove("n3"))
            .unwrap()
            .unwrap()
            .movement();
        assert!(moved.needless() > 0);
        let all = series(look);
        assert_eq!(
            all["keyroute_change_moved{cluster=x,need=needless}"],
            [moved.needless_share()]
        );
        let needed = all["keyroute_change_moved{cluster=x,need=needed}"][0];
        assert!((needed + moved.needless_share() - moved.share()).abs() < 1e-12);
    });
}

#[test]
fn shares_of_keys_are_written_when_asked_for_those_without_a_key_included() {
    recorded(|look| {
        let cluster = cluster();
        let meter = Meter::start(&cluster, "x").with_samples(10_000);
        assert!(series(look).keys().all(|name| !name.contains("node=")));
        cluster.apply(Batch::new().down("b")).unwrap();
        let balance = meter.observe();
        assert_eq!(balance, cluster.load().balance(10_000));
        let all = series(look);
        for id in ["a", "b", "c"] {
            let name = format!("keyroute_node_key_share{{cluster=x,node={id}}}");
            assert_eq!(all[&name], [balance.share(id).unwrap()]);
        }
        assert_eq!(all["keyroute_node_key_share{cluster=x,node=b}"], [0.0]);
        assert_eq!(all["keyroute_max_load{cluster=x}"], [balance.max_load()]);
        assert_eq!(all["keyroute_min_load{cluster=x}"], [balance.min_load()]);
        assert_eq!(all["keyroute_keyless_members{cluster=x}"], [0.0]);
        assert_eq!(all["keyroute_subscriber_panics_total{cluster=x}"], [0.0]);

        // Of so few keys most of many members have none, and that shows.
        let more = (0..500).fold(Batch::new(), |batch, number| {
            batch.add(node(&format!("n{number}")), 0)
        });
        cluster.apply(more).unwrap();
        let keyless = meter.with_samples(100).observe().keyless().count();
        assert!(keyless >= 400);
        let all = series(look);
        assert_eq!(all["keyroute_min_load{cluster=x}"], [0.0]);
        let gauge = all["keyroute_keyless_members{cluster=x}"][0];
        assert!((gauge - f64::from(u32::try_from(keyless).unwrap())).abs() < 0.5 || gauge == 0.0);
    });
}

#[test]
fn who_leaves_has_its_series_set_to_zero_with_that_change() {
    recorded(|look| {
        let cluster = cluster();
        let mut balancer = Balancer::new(Steady::default());
        let meter = Meter::start(&cluster, "x");
        let counter = balancer.counter(&NodeId::new("a").unwrap());
        balancer.tick(Duration::ZERO, &cluster).unwrap();
        counter.add(10);
        meter.observe();
        meter.observe_requests(&balancer.stats());
        let names =
            ["key", "request"].map(|of| format!("keyroute_node_{of}_share{{cluster=x,node=a}}"));
        let all = series(look);
        assert!(names.iter().all(|name| all[name][0] > 0.0), "{all:?}");

        cluster.apply(Batch::new().remove("a")).unwrap();
        let all = series(look);
        assert!(names.iter().all(|name| all[name] == [0.0]), "{all:?}");
        // What was counted of it before is not written again.
        meter.observe_requests(&balancer.stats());
        meter.observe();
        let all = series(look);
        assert!(names.iter().all(|name| all[name] == [0.0]), "{all:?}");
        let shares =
            ["b", "c"].map(|id| all[&format!("keyroute_node_key_share{{cluster=x,node={id}}}")][0]);
        assert!((shares[0] + shares[1] - 1.0).abs() < 1e-12);
        assert_eq!(all["keyroute_node_request_share{cluster=x,node=b}"], [0.0]);
    });
}

#[test]
fn there_are_as_many_series_of_nodes_that_are_not_zero_as_members() {
    recorded(|look| {
        let cluster = cluster();
        let meter = Meter::start(&cluster, "x");
        for round in 0..30 {
            let id = format!("n{round}");
            cluster.apply(Batch::new().add(node(&id), 0)).unwrap();
            meter.observe();
            cluster.apply(Batch::new().remove(id)).unwrap();
        }
        let all = series(look);
        let alive = all
            .iter()
            .filter(|(name, values)| name.contains("node=") && values[0] > 0.0);
        assert_eq!(alive.count(), 3);
    });
}

#[test]
fn a_dropped_meter_leaves_nothing_and_writes_nothing() {
    recorded(|look| {
        let cluster = cluster();
        let meter = Meter::start(&cluster, "x");
        cluster.apply(Batch::new().down("a")).unwrap();
        meter.observe();
        drop(series(look)); // histograms are history
        drop(meter);
        let gone = |all: &BTreeMap<String, Vec<f64>>| {
            let left: Vec<_> = all
                .iter()
                .filter(|(_, values)| values.iter().any(|&value| value != 0.0))
                .collect();
            assert!(left.is_empty(), "{left:?}");
        };
        gone(&series(look));
        change(&cluster, Batch::new().add(node("d"), 0));
        gone(&series(look));
    });
}

#[test]
fn clusters_are_told_apart_by_their_label() {
    recorded(|look| {
        let (one, two) = (cluster(), cluster());
        let _meters = (Meter::start(&one, "one"), Meter::start(&two, "two"));
        change(&one, Batch::new().down("a"));
        let all = series(look);
        let epochs =
            ["one", "two"].map(|name| all[&format!("keyroute_epoch{{cluster={name}}}")][0]);
        assert_eq!(epochs, [1.0, 0.0]);
    });
}

#[test]
fn a_subscriber_that_panics_is_counted() {
    recorded(|look| {
        let cluster = cluster();
        let _panics = cluster.subscribe(|_| panic!("on purpose"));
        let meter = Meter::start(&cluster, "x");
        change(&cluster, Batch::new().down("a"));
        meter.observe();
        let all = series(look);
        assert_eq!(all["keyroute_subscriber_panics_total{cluster=x}"], [1.0]);
        assert_eq!(all["keyroute_epoch{cluster=x}"], [1.0]);
    });
}

#[test]
fn leases_are_written_when_asked_for_and_leave_with_their_node() {
    recorded(|look| {
        let cluster = cluster().with_bound(Exact::new(50).unwrap());
        let meter = Meter::start(&cluster, "x");
        let leases: Result<Vec<_>, _> = (0..30).map(|_| cluster.acquire(b"hot")).collect();
        let mut leases = leases.unwrap();
        meter.observe();
        let stats = cluster.stats();
        let all = series(look);
        let value =
            |all: &BTreeMap<String, Vec<f64>>, name: &str| all[&format!("keyroute_{name}")][0];
        assert_eq!(value(&all, "leases{cluster=x}"), 30.0);
        assert_eq!(value(&all, "leases_taken_total{cluster=x}"), 30.0);
        assert!(stats.away() > 0);
        assert_eq!(
            value(&all, "leases_away_total{cluster=x}"),
            f64::from(u32::try_from(stats.away()).unwrap())
        );
        assert_eq!(value(&all, "lease_overflows_total{cluster=x}"), 0.0);
        for member in stats.members() {
            let held = value(
                &all,
                &format!("node_leases{{cluster=x,node={}}}", member.id()),
            );
            assert!(held > 0.0 && held == f64::from(u32::try_from(member.held()).unwrap()));
        }
        // Who leaves holds none, and who is given one back less.
        cluster.apply(Batch::new().remove("a")).unwrap();
        assert_eq!(value(&series(look), "node_leases{cluster=x,node=a}"), 0.0);
        leases.retain(|lease| *lease.id() == "b");
        meter.observe();
        let all = series(look);
        let held = f64::from(u32::try_from(leases.len()).unwrap());
        assert_eq!(value(&all, "node_leases{cluster=x,node=a}"), 0.0);
        assert_eq!(
            (
                value(&all, "node_leases{cluster=x,node=b}"),
                value(&all, "node_leases{cluster=x,node=c}")
            ),
            (held, 0.0)
        );
        assert_eq!(value(&all, "leases{cluster=x}"), held);
        drop(meter);
        assert_eq!(value(&series(look), "leases{cluster=x}"), 0.0);
    });
}
