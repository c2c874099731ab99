#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod labels;
mod libketama;
mod points;
mod server_file;

pub use labels::digest_words;
pub use libketama::{CStringMd5, LIBKETAMA_MAX_NAME, Libketama, libketama_digests};
pub use points::KetamaPoints;
pub use server_file::libketama_servers;

#[cfg(feature = "btree")]
pub use keyroute_btree_ring::TreePoints;
pub use keyroute_vector_ring::SortedPoints;

pub use keyroute_core::*;

keyroute_core::named_ring! {
    /// The ketama ring, in a sorted array; [`KetamaPoints`] says where its points stand.
    ///
    /// | | cost, n nodes of V points |
    /// | --- | --- |
    /// | lookup | O(1): one MD5, one entry of an index, eight consecutive points |
    /// | add, remove, reweight | V/4 MD5s, and O(nV): one pass over the arrays |
    /// | build | nV/4 MD5s, and O(nV) |
    /// | memory | 8 bytes a point, the index among them |
    ///
    /// ```
    /// use keyroute_ketama::{Ketama, Node};
    ///
    /// let mut ring = Ketama::from_ids(["cache-1", "cache-2"])?;
    /// let before = ring.route_id(b"user:1").cloned();
    /// ring.add(Node::new("cache-3")?)?;
    /// let after = ring.route_id(b"user:1").cloned();
    /// assert!(after == before || after.unwrap() == "cache-3");
    /// # Ok::<(), keyroute_ketama::RouteError>(())
    /// ```
    pub struct Ketama<S = KetamaPoints>(SortedPoints<S::Position>);
}

impl Ketama {
    /// A ring that answers as the C library does with these servers **in this order**; weights are
    /// the memory column of its file. [`Libketama`] says the rules.
    ///
    /// It can be rebuilt but not added to: every server's points depend on all the others.
    ///
    /// # Errors
    ///
    /// [`RouteError::Unplaceable`] for a name that libketama cannot hold: over
    /// [`LIBKETAMA_MAX_NAME`] bytes, or with a blank, a tab, a line break or a NUL in it, or beginning
    /// with `#`. [`RouteError::AlreadyMember`], [`RouteError::TooManyPoints`].
    ///
    /// ```
    /// use keyroute_ketama::{Ketama, libketama_servers};
    ///
    /// let ring = Ketama::libketama(libketama_servers("10.0.1.1:11211\t600\n10.0.1.2:11211\t300\n")?)?;
    /// assert_eq!(ring.points(), 4 * (53 + 26));
    /// # Ok::<(), keyroute_ketama::RouteError>(())
    /// ```
    ///
    /// ```compile_fail,E0277
    /// # use keyroute_ketama::{Ketama, Node};
    /// let mut ring = Ketama::libketama([]).unwrap();
    /// ring.add(Node::new("10.0.1.3:11211").unwrap()); // does not compile: rebuild it
    /// ```
    pub fn libketama(
        servers: impl IntoIterator<Item = Node>,
    ) -> Result<Ketama<Libketama>, RouteError> {
        Ketama::from_nodes_with(Libketama, servers)
    }
}

#[cfg(feature = "btree")]
keyroute_core::named_ring! {
    /// [`Ketama`] in an ordered map: the same answers, cheap membership changes, slower lookups.
    ///
    /// ```
    /// use keyroute_ketama::{BTreeKetama, Ketama};
    ///
    /// let nodes = ["cache-1", "cache-2"];
    /// let (tree, array) = (BTreeKetama::from_ids(nodes)?, Ketama::from_ids(nodes)?);
    /// assert_eq!(tree.fingerprint(), array.fingerprint());
    /// # Ok::<(), keyroute_ketama::RouteError>(())
    /// ```
    pub struct BTreeKetama<S = KetamaPoints>(TreePoints<S::Position>);
}
