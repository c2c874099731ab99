//! `lafikl/consistent`.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::mem::size_of;
use core::ops::ControlFlow;

use keyroute_core::{
    AddNode, AtOrAfter, Description, Explanation, LastListed, Members, Node, RemoveNode,
    RouteError, Router, Slot, SlotSet, Walk,
};
use keyroute_vector_ring::VectorRing;

use crate::{Blake2bWord, LabelRule, Labels};

/// lafikl's `Consistent`: a ring of ten points a host, and loads that the caller counts.
///
/// Point i of a host is [`Blake2bWord`] of `{host}{i}`, i from 0 to 9; the first point at or after the key's
/// hash owns it. Labels are unambiguous with ten points, and 64-bit points do not collide, so all laws of
/// rings are kept.
///
/// [`get_least`](Self::get_least) walks on from there to the first host with room; it counts nothing, so
/// call [`inc`](Self::inc), and [`done`](Self::done) when the load ends. What `RouteDigest` and `Bounded`
/// promise of loads holds for none of this: a host that leaves leaves its load in the total, and a load
/// may be negative.
///
/// Cost: a lookup is a BLAKE2b and a binary search; adding and removing are O(n).
///
/// Source: `consistent.go` at commit bdd3606.
///
/// ```
/// use keyroute_interop::{Lafikl, Router};
///
/// let mut hosts = Lafikl::new(["127.0.0.1:7000", "127.0.0.1:7001", "127.0.0.1:7002"])?;
/// assert_eq!(hosts.route_id(b"user:0:session").unwrap(), "127.0.0.1:7000");
/// for _ in 0..2 {
///     assert_eq!(hosts.get_least(b"user:0:session")?, hosts.route(b"user:0:session"));
///     hosts.inc("127.0.0.1:7000"); // both fit: ⌈1 × 1.25⌉ = 2
/// }
/// assert_ne!(hosts.get_least(b"user:0:session")?, hosts.route(b"user:0:session"));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lafikl {
    ring: VectorRing<LafiklPoints>,
    /// By slot.
    loads: Vec<i64>,
    total: i64,
}

/// Where [`Lafikl`]'s points stand.
pub type LafiklPoints = Labels<LafiklRule, Blake2bWord>;

/// The rule of [`LafiklPoints`].
#[derive(Clone, Copy, Debug)]
pub struct LafiklRule;

impl LabelRule for LafiklRule {
    const NAME: &'static str = "lafikl/1";
    const LABEL: &'static str = "{node}{i}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = LastListed;
}

impl Lafikl {
    /// The original's constant.
    pub const REPLICAS: u32 = 10;

    /// Hosts with these names, idle.
    ///
    /// # Errors
    ///
    /// As [`VectorRing::from_ids_with`].
    pub fn new(hosts: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::with_replicas(Self::REPLICAS, hosts)
    }

    /// The same with so many points a host: the original with another constant.
    ///
    /// # Errors
    ///
    /// As [`Labels::ring`].
    pub fn with_replicas(
        replicas: u32,
        hosts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let ring = LafiklPoints::ring(Blake2bWord, replicas, hosts)?;
        Ok(Self {
            loads: alloc::vec![0; ring.members().slot_bound()],
            ring,
            total: 0,
        })
    }

    /// The first host, from the key on, that may take one more load; `None` without hosts. A total below 0
    /// becomes 0.
    ///
    /// A host may take one more if its load + 1 is at most ⌈1.25 × a⌉, where a is the total + 1 divided by
    /// the number of hosts, rounded down, and at least 1.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] if no host may: the original then searches for ever. It takes loads that
    /// do not add up to the total, as after [`done`](Self::done) without [`inc`](Self::inc).
    pub fn get_least(&mut self, key: &[u8]) -> Result<Option<Slot>, RouteError> {
        if self.members().is_empty() {
            return Ok(None);
        }
        self.total = self.total.max(0);
        let cap = self.cap(self.total.wrapping_add(1));
        let mut taker = None;
        self.ring.walk(key, &mut |slot| {
            if as_float(self.load(slot)) + 1.0 <= cap {
                taker = Some(slot);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if taker.is_none() {
            return Err(RouteError::Parameter {
                name: "total load",
                given: self.total.to_string(),
                accepted: "at least what the hosts hold: the original never returns",
            });
        }
        Ok(taker)
    }

    /// Counts a load on this host; nothing if it is absent.
    pub fn inc(&mut self, host: &str) {
        self.change(host, |load| load.wrapping_add(1));
    }

    /// Ends a load on this host; nothing if it is absent.
    pub fn done(&mut self, host: &str) {
        self.change(host, |load| load.wrapping_sub(1));
    }

    /// Sets the load of this host, and the total with it; nothing if it is absent.
    pub fn update_load(&mut self, host: &str, load: i64) {
        self.change(host, |_| load);
    }

    fn change(&mut self, host: &str, change: impl FnOnce(i64) -> i64) {
        let slot = self.ring.members().slot_of(host);
        if let Some(load) = slot.and_then(|slot| self.loads.get_mut(slot.index() as usize)) {
            let before = *load;
            *load = change(before);
            self.total = self.total.wrapping_sub(before).wrapping_add(*load);
        }
    }

    /// The load of the host in this slot.
    #[must_use]
    pub fn load(&self, slot: Slot) -> i64 {
        self.loads.get(slot.index() as usize).copied().unwrap_or(0)
    }

    /// The original's `MaxLoad`: ⌈1.25 × a⌉, where a is the total divided by the number of hosts, rounded
    /// towards 0, and 1 instead of 0. `None` without hosts, where the original panics.
    ///
    /// As there, it is not quite what [`get_least`](Self::get_least) applies, and **a total of 0
    /// becomes 1** by asking.
    pub fn max_load(&mut self) -> Option<i64> {
        if self.members().is_empty() {
            return None;
        }
        if self.total == 0 {
            self.total = 1;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "as the original, but for saturating"
        )]
        Some(self.cap(self.total) as i64)
    }

    /// The points of the hosts.
    #[must_use]
    pub fn ring(&self) -> &VectorRing<LafiklPoints> {
        &self.ring
    }

    fn cap(&self, total: i64) -> f64 {
        let hosts = i64::try_from(self.members().len()).unwrap_or(i64::MAX);
        let average = as_float(total.checked_div(hosts).unwrap_or(0));
        ceil(if average == 0.0 { 1.0 } else { average } * 1.25)
    }
}

#[expect(clippy::cast_precision_loss, reason = "as the original")]
fn as_float(number: i64) -> f64 {
    number as f64
}

/// Rounds up: core has no function for it.
#[expect(clippy::cast_possible_truncation, reason = "below 2^52 it fits")]
fn ceil(number: f64) -> f64 {
    const WHOLE_FROM: f64 = 4_503_599_627_370_496.0;
    if number <= -WHOLE_FROM || number >= WHOLE_FROM {
        return number;
    }
    let towards_zero = as_float(number as i64);
    if towards_zero < number {
        towards_zero + 1.0
    } else {
        towards_zero
    }
}

impl Router for Lafikl {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.ring.route(key)
    }

    fn members(&self) -> &Members {
        self.ring.members()
    }

    /// Without the loads: `route` does not read them.
    fn describe(&self) -> Description {
        self.ring.describe()
    }

    fn heap_bytes(&self) -> usize {
        self.ring.heap_bytes() + self.loads.capacity() * size_of::<i64>()
    }

    /// Without the loads: `route` does not read them.
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.ring.explain_with(key, next)
    }
}

impl Walk for Lafikl {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.ring.walk_with(key, seen, visit);
    }
}

impl AddNode for Lafikl {
    /// The host is idle.
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let slot = self.ring.add(node)?;
        self.loads.resize(self.ring.members().slot_bound(), 0);
        self.loads[slot.index() as usize] = 0;
        Ok(slot)
    }
}

impl RemoveNode for Lafikl {
    /// Its load stays in the total.
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.ring.remove(id)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use keyroute_core::{AddNode, KeyHasher, Node, RemoveNode, Router};

    use super::{Lafikl, ceil};
    use crate::Blake2bWord;

    #[test]
    fn points_are_as_documented() {
        for (label, point) in [
            (b"127.0.0.1:70011".as_slice(), 5_878_122_255_627_379_171),
            (b"127.0.0.1:70029", 620_979_408_107_750_519),
            (b"user:0:session", 8_399_037_500_547_596_799),
        ] {
            assert_eq!(Blake2bWord.hash(label), point);
        }
        let hosts = Lafikl::new(["127.0.0.1:7000", "127.0.0.1:7001", "127.0.0.1:7002"]).unwrap();
        assert_eq!(hosts.ring().points(), 30);
        // A key on a point belongs to that point.
        assert_eq!(
            hosts.route_id(b"127.0.0.1:70013").unwrap(),
            "127.0.0.1:7001"
        );
    }

    #[test]
    fn a_leaver_leaves_its_load_in_the_total() {
        let mut hosts = Lafikl::new(["a", "b"]).unwrap();
        hosts.update_load("a", 100);
        hosts.remove("a").unwrap();
        assert_eq!(hosts.max_load(), Some(125));
        hosts.add(Node::new("c").unwrap()).unwrap(); // in the slot of "a", idle
        let c = hosts.members().slot_of("c").unwrap();
        assert_eq!((hosts.load(c), hosts.max_load()), (0, Some(63)));
    }

    #[test]
    fn the_average_is_a_whole_number() {
        let mut hosts = Lafikl::new(["a", "b", "c"]).unwrap();
        // ⌊(total + 1) ÷ 3⌋ is 1 up to a total of 4, and 2 from 5 on: caps 2 and 3.
        let full = |hosts: &mut Lafikl, loads: [i64; 3]| {
            for (host, load) in ["a", "b", "c"].into_iter().zip(loads) {
                hosts.update_load(host, load);
            }
            let slot = hosts.get_least(b"k").unwrap().unwrap();
            hosts.load(slot)
        };
        assert_eq!(full(&mut hosts, [2, 2, 0]), 0);
        let owner = hosts.route(b"k").unwrap();
        full(&mut hosts, [2, 2, 1]);
        assert_eq!(hosts.get_least(b"k").unwrap(), Some(owner));
    }

    #[test]
    fn an_average_of_nothing_is_one() {
        let mut hosts = Lafikl::new(["a", "b", "c"]).unwrap();
        let owner = hosts.route_id(b"k").unwrap().to_string();
        for _ in 0..2 {
            assert_eq!(hosts.get_least(b"k").unwrap(), hosts.route(b"k"));
            hosts.inc(&owner);
        }
        assert_ne!(hosts.get_least(b"k").unwrap(), hosts.route(b"k"));
        assert_eq!(hosts.max_load(), Some(2));
    }

    #[test]
    fn totals_are_reset_and_asked_into_being_as_there() {
        let mut hosts = Lafikl::new(["a"]).unwrap();
        assert_eq!(hosts.max_load(), Some(2));
        assert_eq!(hosts.total, 1);
        hosts.update_load("a", 0);
        hosts.total = 0;
        hosts.done("a");
        hosts.done("a");
        assert_eq!(
            (hosts.total, hosts.load(hosts.route(b"k").unwrap())),
            (-2, -2)
        );
        assert!(hosts.get_least(b"k").unwrap().is_some());
        assert_eq!(hosts.total, 0);
        hosts.done("nobody");
        hosts.inc("nobody");
        assert_eq!(hosts.total, 0);
    }

    #[test]
    fn where_the_original_never_returns_there_is_an_error() {
        let mut hosts = Lafikl::new(["a", "b"]).unwrap();
        hosts.update_load("a", -100);
        hosts.update_load("b", 100);
        hosts.remove("a").unwrap(); // the total is 0, but "b" holds 100
        assert!(hosts.get_least(b"k").is_err());
        let mut none = Lafikl::new([""; 0]).unwrap();
        assert_eq!((none.get_least(b"k"), none.max_load()), (Ok(None), None));
    }

    #[test]
    fn rounding_up_is_rounding_up() {
        for (number, up) in [
            (1.25, 2.0),
            (2.5, 3.0),
            (5.0, 5.0),
            (-1.25, -1.0),
            (-0.5, 0.0),
        ] {
            assert_eq!(ceil(number).to_bits() << 1, f64::to_bits(up) << 1);
        }
        assert_eq!(ceil(1e19), 1e19);
        assert_eq!(ceil(-1e19), -1e19);
    }
}
