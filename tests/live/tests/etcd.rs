//! Discovery and registration against etcd: routing goes on through all that can happen to it, and then converges.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use etcd_client::{Client, GetOptions};
use keyroute_cluster::Cluster;
use keyroute_core::Router;
use keyroute_discovery::{
    Claim, Damping, Discovery, Etcd as Source, EtcdConfig, Peer, Registration, RegistrationError,
    Standing,
};
use keyroute_live::etcd::Etcd;
use keyroute_live::signal;
use keyroute_live::wire::Wire;
use keyroute_vector_ring::VectorRing;
use tokio::runtime::Runtime;

const PREFIX: &str = "/live/cache";

/// How long an entry outlives a process that died.
const TTL: Duration = Duration::from_secs(2);

/// How long a member may be absent.
const GRACE: Duration = Duration::from_secs(6);

/// How long anything may take that does happen.
const PATIENCE: Duration = Duration::from_secs(40);

type Ring = Cluster<VectorRing, String>;

fn config(endpoint: &str) -> EtcdConfig {
    EtcdConfig::new([endpoint], PREFIX)
        .unwrap()
        .with_patience(Duration::from_secs(1))
        .with_most_pause(Duration::from_millis(500))
}

fn peer(id: &str) -> Peer {
    Peer::new(id, format!("{id}.local:80")).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < PATIENCE,
            "{what}: not within {PATIENCE:?}"
        );
        thread::sleep(Duration::from_millis(20));
    }
}

/// A router that discovery feeds, and a thread that asks it all the time.
struct World {
    runtime: Runtime,
    cluster: Arc<Ring>,
    reports: Arc<Mutex<Vec<String>>>,
    picks: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    picker: Option<JoinHandle<()>>,
}

impl World {
    fn begin(endpoint: &str) -> Self {
        Self::begin_with(config(endpoint))
    }

    fn begin_with(config: EtcdConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
        let reports = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&reports);
        let damping = Damping::default().with_grace(GRACE);
        let discovery = Discovery::new(Source::new(config)).with_damping(damping);
        runtime.spawn(discovery.feed(Arc::clone(&cluster), move |report| {
            log.lock().unwrap().push(report.to_string());
        }));
        Self {
            runtime,
            cluster,
            reports,
            picks: Arc::default(),
            stop: Arc::default(),
            picker: None,
        }
    }

    /// Waits for these members, and begins to ask.
    fn serve(&mut self, ids: &[&str]) {
        self.until_ids(ids);
        let mut reader = self.cluster.reader();
        let (picks, stop) = (Arc::clone(&self.picks), Arc::clone(&self.stop));
        self.picker = Some(thread::spawn(move || {
            let mut key = 0u64;
            while !stop.load(Ordering::Relaxed) {
                let now = reader.snapshot();
                let pick = now.pick(&key.to_le_bytes()).expect("routing goes on");
                assert_eq!(*pick.payload(), format!("{}.local:80", pick.id()));
                key += 1;
                picks.fetch_add(1, Ordering::Relaxed);
                if key.is_multiple_of(64) {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }));
    }

    fn ids(&self) -> Vec<String> {
        let now = self.cluster.load();
        let ids: BTreeSet<String> = now.all_members().map(|it| it.id().to_string()).collect();
        ids.into_iter().collect()
    }

    fn until_ids(&self, ids: &[&str]) {
        until(&format!("members {ids:?}"), || self.ids() == ids);
        let fresh = ids.iter().map(|id| {
            let peer = peer(id);
            peer.listing(peer.address().to_owned())
        });
        let fresh = Cluster::from_members(VectorRing::new(), fresh).unwrap();
        let (found, expected) = (self.cluster.load(), fresh.load());
        assert_eq!(found.fingerprint(), expected.fingerprint());
    }

    fn epoch(&self) -> u64 {
        self.cluster.load().epoch()
    }

    fn reported(&self, what: &str) -> usize {
        let reports = self.reports.lock().unwrap();
        reports
            .iter()
            .filter(|report| report.contains(what))
            .count()
    }

    fn until_reported(&self, what: &str, times: usize) {
        until(what, || self.reported(what) >= times);
    }

    /// Runs what happens to etcd, during which picks go on and no key moves.
    fn unmoved<T>(&self, happens: impl FnOnce() -> T) -> T {
        let (epoch, picks) = (self.epoch(), self.picks.load(Ordering::Relaxed));
        let answer = happens();
        assert_eq!(self.epoch(), epoch, "{:#?}", self.reports.lock().unwrap());
        assert!(self.picks.load(Ordering::Relaxed) > picks, "nobody picked");
        answer
    }

    fn list(&self, etcd: &Etcd, id: &str) -> Registration {
        let begun = Registration::begin(config(&etcd.endpoint()), peer(id), TTL, Claim::IfFree);
        self.runtime.block_on(begun).unwrap()
    }

    fn client(&self, etcd: &Etcd) -> Client {
        let connected = Client::connect([etcd.endpoint()], None);
        self.runtime.block_on(connected).unwrap()
    }

    fn put(&self, etcd: &Etcd, id: &[u8], value: &str) {
        let mut client = self.client(etcd);
        let key = [PREFIX.as_bytes(), b"/", id].concat();
        self.runtime.block_on(client.put(key, value, None)).unwrap();
    }

    fn delete(&self, etcd: &Etcd, id: &str) {
        let mut client = self.client(etcd);
        let key = format!("{PREFIX}/{id}");
        self.runtime.block_on(client.delete(key, None)).unwrap();
    }

    /// The value of an entry, as etcd has it.
    fn get(&self, etcd: &Etcd, id: &str) -> Option<String> {
        let mut client = self.client(etcd);
        let key = format!("{PREFIX}/{id}");
        let got = self.runtime.block_on(client.get(key, None)).unwrap();
        let value = got.kvs().first()?.value_str().unwrap();
        Some(value.to_owned())
    }

    /// Waits until etcd answers as a whole: it may accept connections before.
    fn until_etcd_answers(&self, etcd: &Etcd) {
        until("etcd answers", || {
            let asked = async {
                let mut client = Client::connect([etcd.endpoint()], None).await?;
                let options = GetOptions::new().with_prefix().with_count_only();
                client.get(PREFIX, Some(options)).await
            };
            let in_time = async { tokio::time::timeout(Duration::from_secs(1), asked).await };
            let answer = self.runtime.block_on(in_time);
            answer.is_ok_and(|answer| answer.is_ok())
        });
    }

    /// Ends it, and says how often was picked.
    fn end(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(picker) = self.picker.take() {
            picker.join().unwrap();
        }
        self.runtime.shutdown_background();
        self.picks.load(Ordering::Relaxed)
    }
}

/// A process that lists itself, killed when this is dropped.
struct Registrant(Child);

impl Registrant {
    fn start(etcd: &Etcd, id: &str) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_registrant"))
            .args([&etcd.endpoint(), PREFIX, id, peer(id).address()])
            .arg(TTL.as_secs().to_string())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        Self(child)
    }

    fn tell(&self, what: &str) {
        signal(self.0.id(), what);
    }

    /// Ends it as it likes to end.
    fn end(&mut self) {
        drop(self.0.stdin.take());
        let status = self.0.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Registrant {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn routing_goes_on_while_etcd_stands_still_is_killed_and_starts_again() {
    let mut etcd = Etcd::start("faults");
    let mut world = World::begin(&etcd.endpoint());
    let ids = ["a", "b", "c", "d"];
    let listed = ids.map(|id| world.list(&etcd, id));
    world.serve(&ids);

    // It stands still for longer than leases live.
    world.unmoved(|| {
        etcd.stand_still();
        world.until_reported("cannot be seen", 1);
        thread::sleep(TTL * 2);
        assert!(listed.iter().all(|it| it.standing() == Standing::Unlisted));
        etcd.go_on();
        world.until_reported("is seen again", 1);
        until("all are listed again", || {
            listed.iter().all(|it| it.standing() == Standing::Listed)
        });
        thread::sleep(GRACE + Duration::from_secs(1));
    });
    world.until_ids(&ids);

    // It is killed, and comes back with its data after a while.
    world.unmoved(|| {
        etcd.kill();
        let seen = world.reported("is seen again");
        thread::sleep(TTL * 2);
        etcd.start_again();
        world.until_reported("is seen again", seen + 1);
        until("all are listed again", || {
            listed.iter().all(|it| it.standing() == Standing::Listed)
        });
        thread::sleep(GRACE + Duration::from_secs(1));
    });
    world.until_ids(&ids);

    // What happened meanwhile is seen.
    etcd.kill();
    etcd.start_again();
    world.until_etcd_answers(&etcd);
    let newcomer = world.list(&etcd, "e");
    let [first, ..] = listed;
    world.runtime.block_on(first.close()).unwrap();
    world.until_ids(&["b", "c", "d", "e"]);
    drop(newcomer);
    println!("{} picks", world.end());
}

#[test]
fn what_was_missed_and_compacted_is_read_whole() {
    let etcd = Etcd::start("compaction");
    let wire = Wire::to(etcd.port());
    // The wire will be slow.
    let patience = Duration::from_secs(4);
    let mut world = World::begin_with(config(&wire.endpoint()).with_patience(patience));
    for id in ["a", "b", "c"] {
        world.put(&etcd, id.as_bytes(), &peer(id).to_json());
    }
    world.serve(&["a", "b", "c"]);

    // While the watcher is away the fleet becomes another, and the history is forgotten.
    world.unmoved(|| {
        wire.cut();
        world.until_reported("cannot be seen", 1);
        for id in ["d", "e"] {
            world.put(&etcd, id.as_bytes(), &peer(id).to_json());
        }
        for id in ["a", "b"] {
            world.delete(&etcd, id);
        }
        compact(&world, &etcd);
        thread::sleep(Duration::from_secs(1));
    });
    wire.mend();
    // Whole first, with those that are absent for a while; then without.
    world.until_ids(&["a", "b", "c", "d", "e"]);
    world.until_ids(&["c", "d", "e"]);

    // History is forgotten between reading and watching, again and again: that is no fault.
    let (lost, heard) = (
        world.reported("cannot be seen"),
        world.reported("is seen again"),
    );
    wire.cut();
    wire.delay(Duration::from_millis(200));
    world.until_reported("cannot be seen", lost + 1);
    wire.mend();
    world.until_reported("is seen again", heard + 1);
    let lost = world.reported("cannot be seen");
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(4) {
        world.put(&etcd, b"f", &peer("f").to_json());
        world.put(&etcd, b"f", &peer("f").to_json());
        compact(&world, &etcd);
    }
    world.delete(&etcd, "c");
    wire.delay(Duration::ZERO);
    world.until_ids(&["d", "e", "f"]);
    assert_eq!(
        world.reported("cannot be seen"),
        lost,
        "{:#?}",
        world.reports
    );
    println!("{} picks", world.end());
}

fn compact(world: &World, etcd: &Etcd) {
    let mut client = world.client(etcd);
    let compacted = async {
        let got = client.get(PREFIX, None).await?;
        let revision = got.header().unwrap().revision();
        client.compact(revision, None).await
    };
    // It may be compacted to here already.
    let _ = world.runtime.block_on(compacted);
}

#[test]
fn a_registrant_whose_lease_ended_comes_back_by_itself() {
    let etcd = Etcd::start("lease");
    let mut world = World::begin(&etcd.endpoint());
    let mut registrants = ["a", "b", "c"].map(|id| Registrant::start(&etcd, id));
    world.serve(&["a", "b", "c"]);

    // It stands still until its entry is gone, but not for long: nothing moves.
    world.unmoved(|| {
        registrants[1].tell("STOP");
        until("its lease ended", || world.get(&etcd, "b").is_none());
        world.until_reported("\"b\" is absent", 1);
        registrants[1].tell("CONT");
        until("it is listed again", || world.get(&etcd, "b").is_some());
        world.until_reported("\"b\" is back in time", 1);
        thread::sleep(GRACE + Duration::from_secs(1));
    });

    // For longer: it leaves, and comes back when it goes on.
    registrants[1].tell("STOP");
    world.until_ids(&["a", "c"]);
    registrants[1].tell("CONT");
    world.until_ids(&["a", "b", "c"]);

    // It is killed: as before. It ends by itself: etcd knows at once.
    registrants[0].tell("KILL");
    registrants[2].end();
    assert_eq!(world.get(&etcd, "c"), None);
    world.until_ids(&["b"]);
    println!("{} picks", world.end());
}

#[test]
fn wrong_entries_cost_neither_the_watch_nor_the_members() {
    let etcd = Etcd::start("malformed");
    let mut world = World::begin(&etcd.endpoint());
    // Some are there before it begins, with more than a page of good ones.
    world.put(&etcd, b"junk", "not json");
    for id in ["a", "b", "c"] {
        world.put(&etcd, id.as_bytes(), &peer(id).to_json());
    }
    world.serve(&["a", "b", "c"]);

    world.unmoved(|| {
        for (id, value) in [
            (&b"a"[..], r#"{"address":"elsewhere:80","weight":-1}"#),
            (b"b", r#"{"address":"elsewhere:80","id":"a"}"#),
            (b"c", "{"),
            (b"", r#"{"address":"nameless:80"}"#),
            (b"\xff\xfe", r#"{"address":"unreadable:80"}"#),
            (
                b"long",
                &format!("{{\"address\":\"{}\"}}", "x".repeat(5000)),
            ),
            (b"no-zone", r#"{"address":"x:80","zone":""}"#),
        ] {
            world.put(&etcd, id, value);
        }
        for why in [
            "its weight is -1",
            "it says id \"a\", but stands under \"b\"",
            "\"c\" is skipped: it cannot be read",
            "a node id is empty",
            "its key is not UTF-8",
            "its address has 5000 bytes",
            "a zone name is empty",
        ] {
            world.until_reported(why, 1);
        }
        thread::sleep(GRACE + Duration::from_secs(1));
    });
    assert_eq!(world.reported("\"junk\" is skipped"), 1, "said once");

    // The watch goes on.
    world.put(&etcd, b"d", &peer("d").to_json());
    world.until_ids(&["a", "b", "c", "d"]);
    // And who is deleted while unreadable leaves.
    world.delete(&etcd, "c");
    world.until_ids(&["a", "b", "d"]);
    println!("{} picks", world.end());
}

#[test]
fn more_entries_than_a_page_are_read_whole() {
    let etcd = Etcd::start("pages");
    let mut world = World::begin(&etcd.endpoint());
    world.put(&etcd, b"first", &peer("first").to_json());
    world.serve(&["first"]);
    let client = world.client(&etcd);
    let filled = async {
        for number in 0..2300 {
            let id = format!("node-{number:04}");
            let key = format!("{PREFIX}/{id}");
            client
                .kv_client()
                .put(key, peer(&id).to_json(), None)
                .await?;
        }
        Ok::<(), etcd_client::Error>(())
    };
    world.runtime.block_on(filled).unwrap();
    until("all by the watch", || world.ids().len() == 2301);
    // One that begins later reads them in pages.
    let later = World::begin(&etcd.endpoint());
    until("all by reading", || later.ids().len() == 2301);
    assert_eq!(later.epoch(), 1, "the first state is the whole one");
    assert_eq!(
        later.cluster.load().fingerprint(),
        world.cluster.load().fingerprint()
    );
    later.end();
    world.end();
}

#[test]
fn an_id_is_one_process_and_an_entry_is_defended() {
    let etcd = Etcd::start("claims");
    let world = World::begin(&etcd.endpoint());
    let first = world.list(&etcd, "a");
    world.until_ids(&["a"]);

    // Another one is refused, and leaves no trace.
    let other = Peer::new("a", "elsewhere:80").unwrap();
    let begin = |claim| Registration::begin(config(&etcd.endpoint()), other.clone(), TTL, claim);
    let refused = world.runtime.block_on(begin(Claim::IfFree)).unwrap_err();
    let value = peer("a").to_json();
    match refused {
        RegistrationError::Taken { id, value: found } => {
            assert_eq!((id.as_str(), &found), ("a", &value));
        }
        other => panic!("{other}"),
    }
    assert_eq!(first.standing(), Standing::Listed);

    // Somebody deletes the entry: it is put again.
    world.delete(&etcd, "a");
    until("it is put again", || {
        world.get(&etcd, "a").as_ref() == Some(&value)
    });

    // It is taken over: the first one says so, and does not fight.
    let second = world.runtime.block_on(begin(Claim::TakeOver)).unwrap();
    until("it knows", || {
        first.standing() == Standing::Taken(other.to_json())
    });
    thread::sleep(TTL * 2);
    assert_eq!(world.get(&etcd, "a"), Some(other.to_json()));
    assert_eq!(second.standing(), Standing::Listed);

    // The second one leaves, at once; the first one is back.
    world.runtime.block_on(second.close()).unwrap();
    until("the first is back", || {
        world.get(&etcd, "a").as_ref() == Some(&value)
    });
    until("it knows", || first.standing() == Standing::Listed);

    // Dropped, its entry goes too.
    drop(first);
    until("it is gone", || world.get(&etcd, "a").is_none());
    world.end();
}
