//! [`Ketama::libketama`] against recorded answers of the library, and its gotchas.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use keyroute_ketama::{
    Ketama, Libketama, Members, Node, NodeId, Ranges, RouteDigest, RouteError, Scheme, Walk,
    Weight, libketama_servers,
};
use serde_json::Value;

fn node(id: &str, weight: u32) -> Node {
    Node::new(id)
        .unwrap()
        .with_weight(Weight::new(weight).unwrap())
}

fn recordings() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (
                path.display().to_string(),
                serde_json::from_str(&text).unwrap(),
            )
        })
        .collect()
}

fn nodes(recording: &Value) -> Vec<Node> {
    let nodes = recording["nodes"].as_array().unwrap();
    nodes
        .iter()
        .map(|it| {
            let weight = it["weight"].as_u64().unwrap();
            node(it["name"].as_str().unwrap(), weight.try_into().unwrap())
        })
        .collect()
}

#[test]
fn every_recorded_route_agrees() {
    let mut routes = 0;
    for (file, recording) in recordings() {
        let ring = Ketama::libketama(nodes(&recording)).unwrap();
        for case in recording["cases"].as_array().unwrap() {
            let key = case[0].as_str().unwrap();
            let owner = ring.route_id(key.as_bytes()).unwrap();
            assert_eq!(owner, case[1].as_str().unwrap(), "{file}: key {key:?}");
            routes += 1;
        }
    }
    assert!(routes > 1000, "only {routes} recorded routes were found");
}

#[test]
fn every_recorded_ring_agrees_point_by_point() {
    for (file, recording) in recordings() {
        let nodes = nodes(&recording);
        let ring = Ketama::libketama(nodes.clone()).unwrap();
        let dump = &recording["ring"];
        assert_eq!(Some(ring.points() as u64), dump["count"].as_u64(), "{file}");

        let members = ring.members();
        let mut points = Libketama.fleet_points(members).unwrap();
        points.sort_by(|a, b| a.0.cmp(&b.0).then(members.cmp_listing(a.1, b.1)));
        let points: Vec<(u64, &str)> = points
            .into_iter()
            .map(|(at, slot)| (u64::from(at), members.get(slot).unwrap().id().as_str()))
            .collect();
        let recorded = |part: &str| -> Vec<(u64, String)> {
            let part = dump[part].as_array().unwrap();
            part.iter()
                .map(|point| {
                    let at = point[0].as_u64().unwrap();
                    (at, point[1].as_str().unwrap().to_owned())
                })
                .collect()
        };
        let ours = |points: &[(u64, &str)]| -> Vec<(u64, String)> {
            points.iter().map(|&(at, id)| (at, id.to_owned())).collect()
        };
        let (first, last) = (recorded("first"), recorded("last"));
        assert_eq!(ours(&points[..first.len()]), first, "{file}");
        assert_eq!(ours(&points[points.len() - last.len()..]), last, "{file}");
    }
}

#[test]
fn the_worked_example_agrees() {
    let ring = Ketama::libketama([node("10.0.1.1:11211", 1), node("10.0.1.2:11212", 1)]).unwrap();
    let owner = |key: &str| ring.route_id(key.as_bytes()).unwrap().as_str();
    assert_eq!(owner("foo"), "10.0.1.2:11212");
    assert_eq!(owner("user:1001"), "10.0.1.2:11212");
    assert_eq!(owner("clé"), "10.0.1.1:11211");
    assert_eq!(ring.digest(b"foo").value(), 3_675_831_724);
}

/// The points of all servers together, and of the first, of these weights.
fn points(weights: &[u32]) -> (u64, u64) {
    let ids = weights.iter().enumerate();
    let nodes = ids.map(|(i, &weight)| node(&format!("s{i}"), weight));
    let members = Members::from_nodes(nodes).unwrap();
    let first = members.slot_of("s0").unwrap();
    let points = Libketama.fleet_points(&members).unwrap();
    assert_eq!(points.len() as u64, Libketama.count(&members));
    let of_first = points.iter().filter(|&&(_, slot)| slot == first).count();
    (points.len() as u64, of_first as u64)
}

#[test]
fn equal_weights_give_160_points_except_where_the_floats_fall_short() {
    for n in 1..=128 {
        let each = if n == 61 || n == 122 { 156 } else { 160 };
        for weight in [1, 256] {
            let weights = vec![weight; usize::try_from(n).unwrap()];
            assert_eq!(points(&weights), (n * each, each), "{n} servers");
        }
    }
}

#[test]
fn the_other_sizes_that_fall_short_are_known_too() {
    let mut members = Members::new();
    let mut short = Vec::new();
    for n in 1..=2000 {
        members.add(node(&format!("s{n}"), 1)).unwrap();
        match Libketama.count(&members) {
            points if points == n * 156 => short.push(n),
            points => assert_eq!(points, n * 160, "{n} servers"),
        }
    }
    assert_eq!(
        short,
        [
            61, 122, 237, 244, 474, 488, 933, 948, 951, 953, 976, 1699, 1813, 1829, 1831, 1837,
            1866, 1896, 1902, 1906, 1952, 1987
        ]
    );
}

#[test]
fn uneven_weights_round_as_the_library_does() {
    assert_eq!(points(&[21, 10, 9]).1, 62 * 4); // 63 in exact arithmetic
    assert_eq!(points(&[29, 16, 15]).1, 58 * 4); // 57 in libmemcached
}

#[test]
fn a_server_whose_share_is_under_one_digest_owns_nothing_and_is_not_walked_to() {
    let ring = Ketama::libketama([node("big", 1000), node("tiny", 1)]).unwrap();
    assert_eq!(ring.points(), 4 * 79);
    let tiny = ring.members().slot_of("tiny").unwrap();
    let mut met = Vec::new();
    ring.walk(b"user:1", &mut |slot| {
        met.push(slot);
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(met, [ring.members().slot_of("big").unwrap()]);
    assert!(ring.ranges().iter().all(|range| range.owner != tiny));
}

#[test]
fn a_key_ends_at_its_first_nul() {
    let ring = Ketama::libketama((0..50).map(|i| node(&format!("s{i}"), 1))).unwrap();
    for i in 0..100 {
        let (short, long) = (format!("user:{i}"), format!("user:{i}\0tail"));
        assert_eq!(ring.route(short.as_bytes()), ring.route(long.as_bytes()));
    }
    assert_eq!(ring.route(b""), ring.route(b"\0"));
    // The native ring reads all of it, and its digests are not the other's.
    let native = Ketama::from_ids(["a"]).unwrap();
    assert_ne!(native.digest(b"a").value(), native.digest(b"a\0b").value());
    assert!(matches!(
        ring.route_digest(native.digest(b"a")),
        Err(RouteError::ForeignDigest { .. })
    ));
}

#[test]
fn names_that_the_library_cannot_hold_are_refused_and_nothing_changes() {
    let mut ring = Ketama::libketama([node("a", 1)]).unwrap();
    let before = ring.fingerprint();
    let long = "x".repeat(23);
    for id in [long.as_str(), "a b", "a\tb", "a\nb", "a\rb", "a\0b", "#a"] {
        let refused = ring.rebuild(&[node("b", 1), node(id, 1)]).unwrap_err();
        let named = NodeId::new(id).unwrap();
        assert!(
            matches!(&refused, RouteError::Unplaceable { id, .. } if *id == named),
            "{refused}"
        );
    }
    assert_eq!(ring.fingerprint(), before);
    assert!(ring.rebuild(&[node(&"x".repeat(22), 1)]).is_ok());
}

#[test]
fn more_servers_than_a_ring_has_points_for_are_refused_before_any_is_made() {
    let too_many = (0..104_858).map(|i| node(&format!("s{i}"), 1));
    assert_eq!(
        Ketama::libketama(too_many).unwrap_err().to_string(),
        "16777280 points, at most 16777216 are allowed: split the fleet"
    );
}

#[test]
fn the_server_listed_first_wins_a_shared_position() {
    // 172.31.1.125-35 and 172.31.1.202-38 share position 1009926488.
    let (one, other) = ("172.31.1.125", "172.31.1.202");
    for listed in [[one, other], [other, one]] {
        let ring = Ketama::libketama(listed.map(|id| node(id, 1))).unwrap();
        let owner = ring.route_value(1_009_926_488).unwrap();
        assert_eq!(ring.members().get(owner).unwrap().id(), listed[0]);
        assert_eq!(ring.points(), 320);
    }
}

#[test]
fn the_order_of_the_list_is_in_the_fingerprint() {
    let fingerprint = |ids: [&str; 2]| {
        Ketama::libketama(ids.map(|id| node(id, 1)))
            .unwrap()
            .fingerprint()
    };
    assert_ne!(fingerprint(["a", "b"]), fingerprint(["b", "a"]));
}

#[test]
fn the_server_file_is_read_with_its_quirks() {
    let read = |file: &str| -> Vec<(String, u32)> {
        let servers = libketama_servers(file).unwrap();
        servers
            .iter()
            .map(|server| (server.id().to_string(), server.weight().get()))
            .collect()
    };
    let pairs = |pairs: &[(&str, u32)]| -> Vec<(String, u32)> {
        pairs.iter().map(|&(id, w)| (id.to_owned(), w)).collect()
    };
    assert_eq!(read(""), []);
    assert_eq!(
        read("# servers\n\na:1\t600\nb:1 300\n"),
        pairs(&[("a:1", 600), ("b:1", 300)])
    );
    assert_eq!(read("a 25"), pairs(&[("a", 2)])); // no final line break
    assert_eq!(read("a 25\r\nb 30M\n"), pairs(&[("a", 25), ("b", 30)]));
    for refused in [
        "a\n\nab\n",
        "a \n",
        "a 0\n",
        "a 5",
        "a -3\n",
        "a 4294967296\n",
        " 5\n",
    ] {
        assert!(libketama_servers(refused).is_err(), "{refused:?}");
    }
}
