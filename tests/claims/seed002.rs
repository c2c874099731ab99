//! The map: keys past the last point are not rare.

use keyroute::hash::Crc32;
use keyroute::{KeyHasher, LastListed, PointScheme};
use keyroute_tests::{labelled_ring, sessions};

/// A comment says the search never ends past the last point, and the modulo is for rigour only. Without
/// it these keys would be an index out of bounds.
#[test]
fn of_10000_keys_111_lie_past_the_last_point() {
    let ring = labelled_ring("{i}{node}", Crc32, 50, LastListed, &["a", "b", "c"]);
    let mut points = ring.scheme().points_of_each(ring.members()).unwrap();
    points.sort_unstable();
    let (first, last) = (points[0], points[points.len() - 1]);
    let keys = sessions(10_000);
    let past: Vec<_> = keys
        .iter()
        .filter(|key| Crc32.hash(key.as_bytes()) > last.0)
        .collect();
    assert_eq!(past.len(), 111);
    for key in past {
        assert_eq!(ring.route(key.as_bytes()), Some(first.1));
    }
}
