//! `stathat/consistent`.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::mem::size_of;
use core::ops::Bound::{Excluded, Unbounded};

use keyroute_core::{
    After, Contender, Description, Explanation, KeyHasher, MAX_POINTS, MemberOrder, Members, Node,
    Place, PointTable, Quoted, Role, RouteError, Router, Slot,
};
use keyroute_vector_ring::SortedPoints;

/// stathat's `Consistent`: a map from points to elements, changed as the original changes it.
///
/// Point i of an element is the 32-bit hash of `{i}{element}`, i in decimal from 0; a key belongs to the first
/// point **strictly after** its hash. The hash is [`Crc32`](crate::hash::Crc32), or
/// [`Fnv1a32`](crate::hash::Fnv1a32) under `UseFnv`.
///
/// - The label is ambiguous where names begin with a digit. The element added last takes a shared point, and
///   **removing either element removes it for both**: history decides. The description names such points.
/// - `count` grows with every `Add`, of a present element too, and shrinks with every `Remove`, of an absent
///   one too; [`get_n`](Self::get_n) and [`get_two`](Self::get_two) go by it. Where the original would
///   search for ever there is an error.
///
/// Keeps none of the laws of change where points are shared; where none is, all of a ring's.
///
/// Cost: a lookup is a search in an ordered map; a change is so many hashes as an element has points.
///
/// Source: `consistent.go` at commit 30ea17e.
///
/// ```
/// use keyroute_interop::{Router, Stathat, hash::Crc32};
///
/// let mut ring = Stathat::new(Crc32, 20, ["alpha", "beta", "gamma"])?;
/// assert_eq!(ring.route_id(b"user:0:session").unwrap(), "alpha");
/// assert_eq!(ring.route_id(b"w99").unwrap(), "beta"); // round the end
/// ring.remove("nobody");
/// assert_eq!(ring.get_n(b"w99", 3)?.len(), 2); // the count is 2 now
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone)]
pub struct Stathat<H> {
    hasher: H,
    replicas: u32,
    members: Members,
    owners: BTreeMap<u32, Slot>,
    count: i64,
}

/// The original's `NumberOfReplicas` unless it is set.
const REPLICAS: u32 = 20;

impl<H: KeyHasher<Out = u32>> Stathat<H> {
    /// The replicas of an element unless said.
    pub const REPLICAS: u32 = REPLICAS;

    /// A map of these elements, added in this order, of so many replicas each.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] unless the replicas are 1 to 2^24, and as [`add`](Self::add).
    pub fn new(
        hasher: H,
        replicas: u32,
        elements: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        if replicas == 0 || u64::from(replicas) > MAX_POINTS {
            return Err(RouteError::PointsPerWeight {
                given: replicas,
                accepted: "1 to 16777216",
            });
        }
        let mut map = Self {
            hasher,
            replicas,
            members: Members::new(),
            owners: BTreeMap::new(),
            count: 0,
        };
        for element in elements {
            map.add(element.as_ref())?;
        }
        Ok(map)
    }

    /// The original's `Add`: the element takes all its points, from whoever has them. It may be present.
    ///
    /// # Errors
    ///
    /// As [`Node::new`], [`RouteError::TooManyNodes`], [`RouteError::TooManyPoints`]. The map is as it was.
    pub fn add(&mut self, element: &str) -> Result<(), RouteError> {
        let slot = match self.members.slot_of(element) {
            Some(slot) => slot,
            None => {
                let points = (self.owners.len() as u64).saturating_add(self.replicas.into());
                if points > MAX_POINTS {
                    return Err(RouteError::TooManyPoints {
                        points,
                        points_per_weight: Some(self.replicas),
                    });
                }
                self.members.add(Node::new(element)?)?
            }
        };
        for point in self.points(element) {
            self.owners.insert(point, slot);
        }
        self.count = self.count.wrapping_add(1);
        Ok(())
    }

    /// The original's `Remove`: takes the points of all the element's labels out, whoever owns them. It may be
    /// absent.
    pub fn remove(&mut self, element: &str) {
        for point in self.points(element) {
            self.owners.remove(&point);
        }
        // What it owned were points of its labels: they are gone.
        let _absent = self.members.remove(element);
        self.count = self.count.wrapping_sub(1);
    }

    /// The original's `Set`: removes elements that are not listed, adds those that are new, in this order.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); the elements are then partly changed, as many as fit.
    pub fn set(&mut self, elements: &[&str]) -> Result<(), RouteError> {
        let leaving = self.members.iter().map(|(_, node)| node.id());
        let leaving: Vec<_> = leaving
            .filter(|id| !elements.contains(&id.as_str()))
            .cloned()
            .collect();
        for id in leaving {
            self.remove(id.as_str());
        }
        for element in elements {
            if self.members.slot_of(element).is_none() {
                self.add(element)?;
            }
        }
        Ok(())
    }

    /// The original's `GetN`: distinct elements clockwise from the owner, at most `n` and at most as many as
    /// the count says. An empty map gives none.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] where the original never returns: it looks for more elements than there
    /// are (no number at all counts as more) and began at its first point.
    pub fn get_n(&self, key: &[u8], n: usize) -> Result<Vec<Slot>, RouteError> {
        let wanted = i64::try_from(n).unwrap_or(i64::MAX).min(self.count);
        let mut found: Vec<Slot> = Vec::new();
        for slot in self.clockwise(key) {
            if !found.contains(&slot) {
                found.push(slot);
            }
            if i64::try_from(found.len()) == Ok(wanted) {
                return Ok(found);
            }
        }
        self.check_ends(key, wanted)?;
        Ok(found)
    }

    /// The original's `GetTwo`: the owner and the next other element, which is none if the count is 1. With one
    /// element and another count it is the owner again.
    ///
    /// # Errors
    ///
    /// As [`get_n`](Self::get_n).
    pub fn get_two(&self, key: &[u8]) -> Result<[Option<Slot>; 2], RouteError> {
        let owner = self.route(key);
        if owner.is_none() || self.count == 1 {
            return Ok([owner, None]);
        }
        let other = self.clockwise(key).find(|&slot| Some(slot) != owner);
        if other.is_none() {
            self.check_ends(key, 2)?;
        }
        Ok([owner, other.or(owner)])
    }

    /// The points with their owners, ascending.
    pub fn circle(&self) -> impl Iterator<Item = (u32, Slot)> + '_ {
        self.owners.iter().map(|(&point, &slot)| (point, slot))
    }

    /// The points of all labels, those that others own or that are gone included.
    pub fn labelled_points(&self) -> Vec<(u32, Slot)> {
        let of = |(slot, node): (Slot, &Node)| {
            let points = self.points(node.id().as_str());
            points.into_iter().map(move |point| (point, slot))
        };
        self.members.iter().flat_map(of).collect()
    }

    /// The owners of the points, once round from the key.
    fn clockwise(&self, key: &[u8]) -> impl Iterator<Item = Slot> + '_ {
        let at = self.hasher.hash(key);
        let ahead = self.owners.range((Excluded(at), Unbounded));
        ahead.chain(self.owners.range(..=at)).map(|(_, &slot)| slot)
    }

    /// A search that finds too few ends when it is back at its start, unless that is the first point: the
    /// original steps over it.
    fn check_ends(&self, key: &[u8], wanted: i64) -> Result<(), RouteError> {
        let at = self.hasher.hash(key);
        let first = self.owners.first_key_value().map(|(&first, _)| first);
        let last = self.owners.last_key_value().map(|(&last, _)| last);
        let begins_first =
            first.is_some_and(|first| at < first) || last.is_some_and(|last| last <= at);
        if begins_first {
            return Err(RouteError::Parameter {
                name: "elements wanted",
                given: wanted.to_string(),
                accepted: "1 to the number of elements: the original never returns",
            });
        }
        Ok(())
    }

    fn points(&self, element: &str) -> Vec<u32> {
        let mut label = String::new();
        let point = |index| {
            label.clear();
            // Writing to a string cannot fail.
            let _ = write!(label, "{index}{element}");
            self.hasher.hash(label.as_bytes())
        };
        (0..self.replicas).map(point).collect()
    }
}

impl<H: KeyHasher<Out = u32>> Router for Stathat<H> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.clockwise(key).next()
    }

    fn members(&self) -> &Members {
        &self.members
    }

    /// Points that are not the last listed's are said one by one: history gave them.
    fn describe(&self) -> Description {
        let mut description = Description::new("stathat/1", MemberOrder::Listed);
        description.hasher("hasher", &self.hasher);
        description.field("replicas", self.replicas);
        let mut usual: BTreeMap<u32, Slot> = BTreeMap::new();
        for slot in self.members.listed() {
            let id = self.members.get(slot).map(Node::id);
            let points = id.map(|id| self.points(id.as_str()));
            usual.extend(points.into_iter().flatten().map(|point| (point, slot)));
        }
        let mut unusual = String::new();
        for (point, slot) in &usual {
            let owner = self.owners.get(point);
            if owner != Some(slot) {
                let _ = match owner.and_then(|&owner| self.members.get(owner)) {
                    Some(owner) => writeln!(unusual, "{point:x} {}", Quoted(owner.id().as_str())),
                    None => writeln!(unusual, "{point:x}"),
                };
            }
        }
        description.field("points by history", unusual);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        // B-tree nodes are on average about two thirds full.
        self.members.heap_bytes() + self.owners.len() * size_of::<(u32, Slot)>() * 3 / 2
    }

    /// There is always one owner of a point, so nothing is said of ties.
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let at = self.hasher.hash(key);
        let mut table = SortedPoints::default();
        table.insert(self.circle().collect(), &|a, b| a.cmp(&b));
        let why = Explanation::of(self, key);
        let mut order: Vec<Slot> = Vec::new();
        for slot in self.clockwise(key) {
            if order.len() > next {
                break;
            }
            if !order.contains(&slot) {
                order.push(slot);
            }
        }
        let contenders = order.into_iter().enumerate().filter_map(|(place, slot)| {
            let role = if place == 0 { Role::Owner } else { Role::Next };
            Contender::new(&self.members, slot, role)
        });
        let contenders: Vec<Contender> = contenders.collect();
        why.hashed(&self.hasher, at)
            .placed(Place::on_ring::<After, _, _>(
                &table,
                &self.members,
                "by history",
                at,
            ))
            .contended(contenders)
    }
}

impl<H> fmt::Debug for Stathat<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stathat")
            .field("replicas", &self.replicas)
            .field("members", &self.members)
            .field("points", &self.owners.len())
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::hash::Crc32;
    use keyroute_core::{KeyHasher, Router, hash_fn};

    use super::Stathat;

    #[test]
    fn a_key_on_a_point_belongs_to_the_next() {
        let ring = Stathat::new(Crc32, 20, ["alpha", "beta", "gamma"]).unwrap();
        let points: alloc::vec::Vec<u32> = ring.circle().map(|(point, _)| point).collect();
        assert_eq!(
            (points.len(), points[0], points[59]),
            (60, 20_323_220, 4_266_714_098)
        );
        // Successor of 0xa37a6879, which is the point itself: 19alpha.
        assert_eq!(Crc32.hash(b"0alpha"), 0xa37a_6879);
        assert_eq!(
            points[points.partition_point(|&p| p <= 0xa37a_6879)],
            2_798_643_594
        );
    }

    #[test]
    fn a_shared_point_goes_with_either() {
        // `111.2.3.4:80` is point 11 of one and point 1 of the other.
        let names = ["1.2.3.4:80", "11.2.3.4:80"];
        for gone in names {
            let mut ring = Stathat::new(Crc32, 20, names).unwrap();
            let both = ring.circle().count();
            let before = ring.fingerprint();
            ring.remove(gone);
            let kept = names.into_iter().find(|&name| name != gone).unwrap();
            let fresh = Stathat::new(Crc32, 20, [kept]).unwrap();
            // 38 points, 2 of them shared.
            assert_eq!(
                (both, ring.circle().count(), fresh.circle().count()),
                (39, 19, 20)
            );
            assert_ne!(ring.fingerprint(), fresh.fingerprint());
            ring.add(kept).unwrap();
            assert_eq!(ring.fingerprint(), fresh.fingerprint());
            assert_ne!(before, fresh.fingerprint());
        }
    }

    #[test]
    fn an_element_added_again_takes_shared_points_back() {
        let mut ring = Stathat::new(Crc32, 20, ["1.2.3.4:80", "11.2.3.4:80"]).unwrap();
        let at = Crc32.hash(b"111.2.3.4:80");
        let owner = |ring: &Stathat<Crc32>| {
            let (_, slot) = ring.circle().find(|&(point, _)| point == at).unwrap();
            ring.members().get(slot).unwrap().id().clone()
        };
        assert_eq!(owner(&ring), "11.2.3.4:80");
        ring.add("1.2.3.4:80").unwrap();
        assert_eq!(owner(&ring), "1.2.3.4:80");
    }

    /// Points and keys at the number they write.
    fn numbers() -> impl KeyHasher<Out = u32> {
        hash_fn(|text| {
            let digits = text.iter().filter(|byte| byte.is_ascii_digit());
            digits.fold(0u32, |n, digit| n * 10 + u32::from(digit - b'0'))
        })
    }

    #[test]
    fn the_count_is_what_searches_go_by() {
        // Points 0 of the first, 1 of the second … each once: labels `0a1` and `0b2` are 1 and 2.
        let mut ring = Stathat::new(numbers(), 1, ["a1", "b2"]).unwrap();
        assert_eq!(ring.get_n(b"0", 9).unwrap().len(), 2);
        assert_eq!(ring.get_n(b"0", 1).unwrap().len(), 1);
        assert!(ring.get_n(b"0", 0).is_err() && ring.get_n(b"2", 0).is_err());
        assert_eq!(ring.get_n(b"1", 0).unwrap().len(), 2); // begins at the second point, and ends
        ring.add("b2").unwrap();
        for (key, ends) in [(b"0", false), (b"1", true), (b"2", false)] {
            assert_eq!(ring.get_n(key, 3).is_ok(), ends, "{key:?}");
            assert_eq!(ring.get_n(key, 2).unwrap().len(), 2);
            assert!(ring.get_two(key).unwrap()[1].is_some());
        }
        ring.remove("b2");
        ring.remove("nobody");
        // One element, count 1.
        assert_eq!(ring.get_two(b"0").unwrap()[1], None);
        ring.remove("nobody");
        assert!(ring.get_two(b"0").is_err() && ring.get_n(b"0", 2).is_err());
        let two = Stathat::new(numbers(), 2, ["a1", "a1"]).unwrap();
        // Points 1 and 11 of one element, count 2.
        let [owner, other] = two.get_two(b"5").unwrap();
        assert!(owner.is_some() && owner == other);
        assert!(two.get_two(b"0").is_err() && two.get_two(b"11").is_err());
    }

    #[test]
    fn setting_adds_what_is_new_and_removes_what_is_not_listed() {
        let mut ring = Stathat::new(Crc32, 20, ["a", "b", "c"]).unwrap();
        ring.set(&["d", "b", "a"]).unwrap();
        let anew = Stathat::new(Crc32, 20, ["a", "b", "d"]).unwrap();
        assert_eq!(ring.fingerprint(), anew.fingerprint());
        assert_eq!(ring.count, 3);
        assert!(Stathat::new(Crc32, 0, ["a"]).is_err());
        assert!(Stathat::new(Crc32, (1 << 24) + 1, ["a"]).is_err());
    }
}
