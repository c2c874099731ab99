//! `dgryski/go-maglev`.

use core::hash::Hasher;

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use keyroute_core::RouteError;
use keyroute_maglev::{Permutation, TableSize, fill};

/// Maglev in Go: keys are numbers, answers are indices into the list of names, whose order decides.
///
/// A key is not hashed: number n reads entry n mod M. Rebuilding with dead nodes leaves them out of the turns
/// and keeps the others' indices.
///
/// Cost: a build fills M entries, some ten probes each; a lookup is one division. Memory: 4 × M bytes.
///
/// Source: `maglev.go` at commit 8961b9b with SipHash of `dchest/siphash`. What makes the original hang
/// (no name, all dead, M not prime) is refused here; dead indices may come in any order.
///
/// ```
/// use keyroute_interop::GoMaglev;
///
/// let mut table = GoMaglev::new(["backend-0", "backend-1", "backend-2"], 7)?;
/// assert_eq!((0..7).map(|key| table.lookup(key)).collect::<Vec<_>>(), [1, 2, 0, 2, 0, 1, 0]);
/// table.rebuild(&[1])?;
/// assert_eq!((0..7).map(|key| table.lookup(key)).collect::<Vec<_>>(), [0, 2, 0, 2, 0, 2, 0]);
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GoMaglev {
    names: Vec<String>,
    size: TableSize,
    permutations: Vec<Permutation>,
    table: Vec<u32>,
}

impl GoMaglev {
    /// The original's `SmallM`.
    pub const SMALL: u32 = 65_537;
    /// The original's `BigM`.
    pub const BIG: u32 = 655_373;

    /// A table of `size` entries over these names.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`] without names, [`RouteError::TableSize`] for a size that is no prime or
    /// out of range.
    pub fn new(
        names: impl IntoIterator<Item = impl AsRef<str>>,
        size: u32,
    ) -> Result<Self, RouteError> {
        let size = TableSize::new(size)?;
        let names: Vec<String> = names.into_iter().map(|name| name.as_ref().into()).collect();
        let permutations = names
            .iter()
            .map(|name| {
                let hash = siphash(name.as_bytes());
                Permutation::new(size, hash >> 32, hash & 0xffff_ffff)
            })
            .collect();
        let mut maglev = Self {
            names,
            size,
            permutations,
            table: Vec::new(),
        };
        maglev.rebuild(&[])?;
        Ok(maglev)
    }

    /// Fills the table anew, without the nodes of these indices.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for an index that no name has, [`RouteError::NoMembers`] if none is left. The table is as it was.
    pub fn rebuild(&mut self, dead: &[usize]) -> Result<(), RouteError> {
        if let Some(index) = dead.iter().find(|&&index| index >= self.names.len()) {
            return Err(RouteError::Parameter {
                name: "dead index",
                given: index.to_string(),
                accepted: "indices of the names, from 0",
            });
        }
        let dead: BTreeSet<usize> = dead.iter().copied().collect();
        let alive: Vec<usize> = (0..self.names.len())
            .filter(|index| !dead.contains(index))
            .collect();
        self.table = fill(self.size, &self.permutations, alive.iter().copied().cycle())
            .ok_or(RouteError::NoMembers)?;
        Ok(())
    }

    /// The index of the node that this key goes to.
    #[must_use]
    pub fn lookup(&self, key: u64) -> usize {
        let entry = key % u64::from(self.size.get());
        let node = usize::try_from(entry)
            .ok()
            .and_then(|at| self.table.get(at));
        node.map_or(0, |&node| node as usize) // never 0 by default: the table has so many entries
    }

    /// The names, by index.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The table: an index for each entry.
    #[must_use]
    pub fn table(&self) -> &[u32] {
        &self.table
    }
}

fn siphash(bytes: &[u8]) -> u64 {
    let mut hasher = siphasher::sip::SipHasher24::new_with_keys(0xdead_beef_cafe_babe, 0);
    hasher.write(bytes);
    hasher.finish()
}
