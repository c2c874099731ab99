//! `dgryski/go-rendezvous`.

use alloc::vec::Vec;

use keyroute_core::{Description, KeyHasher, Node, RouteError};

use crate::{HighestScore, Score};

/// Rendezvous in Go: the hashes of key and node, xored and stirred; the greatest wins, of equal ones the
/// node listed first. Nodes of equal hashes: only the first ever wins.
///
/// The hash function is the caller's, as there. Its `Remove` always panics; here nodes can leave.
///
/// Source: `rdv.go` at commit 9f7001d.
///
/// ```
/// use keyroute_interop::{GoRendezvous, Router, hash::Fnv1a64};
///
/// let nodes = GoRendezvous::from_names(Fnv1a64, ["node-A", "node-B", "node-C"])?;
/// assert_eq!(nodes.route_id(b"user:0:session").unwrap(), "node-C");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type GoRendezvous<H> = HighestScore<Stirred<H>>;

impl<H: KeyHasher<Out = u64>> GoRendezvous<H> {
    /// Nodes with these names.
    ///
    /// # Errors
    ///
    /// As [`HighestScore::new`] and [`Node::new`].
    pub fn from_names(
        hasher: H,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = names.into_iter().map(Node::new).collect();
        Self::new(Stirred(hasher), nodes?)
    }
}

/// The two hashes, xored, through one step of xorshift*.
#[derive(Clone, Copy, Debug)]
pub struct Stirred<H>(pub H);

impl<H: KeyHasher<Out = u64>> Score for Stirred<H> {
    const NAME: &'static str = "go-rendezvous/1";
    type OfKey<'k> = u64;
    type OfNode = u64;
    type Value = u64;
    const LATER_WINS: bool = false;

    fn of_key(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }

    fn of_node(&self, node: &Node) -> u64 {
        self.0.hash(node.id().as_bytes())
    }

    fn value(&self, key: &u64, node: &u64) -> u64 {
        xorshift_star(key ^ node)
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.0);
    }
}

/// Marsaglia's xorshift with Vigna's multiplier.
pub(crate) fn xorshift_star(mut x: u64) -> u64 {
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    x.wrapping_mul(2_685_821_657_736_338_717)
}
