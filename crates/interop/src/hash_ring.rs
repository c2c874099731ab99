//! `hash_ring` and hashring, in Python.

use alloc::vec::Vec;

use keyroute_core::hash::{Md5, Md5Word};
use keyroute_core::{After, LastListed, Members, RouteError, Scheme, Slot};

use crate::label_points::labelled;
use crate::python_text::name_of;
use crate::share::Fleet;

pub use crate::python_text::{EMPTY_NAME, python_name};

/// The ring of PyPI's `hash_ring` and of hashring, its successor in Python 3: `hash_ring/1`.
///
/// - **Labels**: ⌊40 × n × weight ÷ total⌋ a node, one division in doubles; of each label `name-i` the first
///   **three** words of its MD5: 120 points at equal weights. **A share under one label is none**, silently.
/// - **A key on a point belongs to the next point**. Ties go to the node listed last.
/// - Since shares depend on all nodes, **adding one moves keys between the others** where weights differ.
/// - Weights are whole here. There they may be fractions: multiply them all until they are none.
/// - A name may be empty: [`EMPTY_NAME`].
///
/// The option `compatibility: "hash_ring"` of npm's hashring is not this: see
/// [`node_hashring`](crate::node_hashring).
///
/// Source: hashring 1.5.1 and `hash_ring` 1.3.1, whose answers are the same.
///
/// ```
/// use keyroute_interop::{VectorRing, hash_ring::HashRing};
///
/// let ring = VectorRing::from_ids_with(HashRing, ["10.0.1.1:11211", "10.0.1.2:11212"])?;
/// assert_eq!(ring.route_id(b"user:1001").unwrap(), "10.0.1.2:11212");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashRing;

impl Scheme for HashRing {
    type Position = u32;
    type Hasher = Md5Word;
    type Lookup = After;
    type Ties = LastListed;

    fn hasher(&self) -> &Md5Word {
        &Md5Word::FIRST
    }

    fn name(&self) -> &'static str {
        "hash_ring/1"
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        members
            .iter()
            .map(|(_, node)| fleet.quotient_in_doubles(node.weight().get(), 40) * 3)
            .sum()
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let labels = fleet.quotient_in_doubles(node.weight().get(), 40);
            let of_node = labelled(name_of(node.id()), '-', labels, |label| {
                Md5::words(label).into_iter().take(3)
            });
            points.extend(of_node.map(|point| (point, slot)));
        }
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use keyroute_vector_ring::VectorRing;

    use super::*;

    /// Label 0 of each gives the key's position in word 0: a key that is a label stands on its point.
    #[test]
    fn a_key_on_a_point_belongs_to_the_next() {
        let ring = VectorRing::from_ids_with(HashRing, ["a", "b"]).unwrap();
        let mut points = ring.scheme().fleet_points(ring.members()).unwrap();
        points.sort_unstable();
        assert_eq!(points.len(), 240);
        for i in 0..40 {
            let label = alloc::format!("b-{i}");
            let [at, ..] = Md5::words(label.as_bytes());
            let next = points.partition_point(|&(position, _)| position <= at) % points.len();
            assert_eq!(ring.route(label.as_bytes()), Some(points[next].1));
        }
    }
}
