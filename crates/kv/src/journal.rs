//! [`Journal`]: the one small record that makes a change outlive its process.
//!
//! Which nodes there are, and whether they are changing into others. How far that has come is not in it: each key's
//! own place says whether it has moved.

use std::fs::{self, File};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use keyroute_core::{Fingerprint, Node, NodeId};
use serde::{Deserialize, Serialize};

use crate::KvError;
use crate::addresses::Addresses;
use crate::marks::Marks;
use crate::open::fleet_of;
use crate::ring::MakeRouter;

/// Where a store's record is kept: all of it, replaced in one piece.
///
/// After `store` has returned, `load` gives its text, through any crash; one that dies or fails in `store` may leave
/// the old text or the new, and nothing between.
pub trait Journal: Send + Sync {
    /// The text that was stored last; `None` if there is none.
    ///
    /// # Errors
    ///
    /// What reading gives.
    fn load(&self) -> io::Result<Option<Vec<u8>>>;

    /// Replaces the text.
    ///
    /// # Errors
    ///
    /// What writing gives.
    fn store(&self, text: &[u8]) -> io::Result<()>;
}

/// A journal in a file: written beside it, flushed, renamed, and the directory flushed.
///
/// Locked while this lives, so that two processes cannot change one store.
///
/// ```
/// use keyroute_kv::{FileJournal, Journal};
///
/// let directory = tempfile::tempdir()?;
/// let journal = FileJournal::open(directory.path().join("store.json"))?;
/// journal.store(b"text")?;
/// assert_eq!(journal.load()?.as_deref(), Some(&b"text"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    _lock: File,
}

impl FileJournal {
    /// The journal in this file, which need not exist; a file beside it, `….lock`, is locked.
    ///
    /// # Errors
    ///
    /// If the lock file cannot be made, or another process holds it ([`io::ErrorKind::WouldBlock`]).
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let lock = File::create(beside(&path, "lock"))?;
        lock.try_lock()?;
        Ok(Self { path, _lock: lock })
    }
}

/// A file beside this one, of its name and this extension more.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Renames a file that has been flushed, for good.
pub(crate) fn put(new: &Path, path: &Path) -> io::Result<()> {
    fs::rename(new, path)?;
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

impl Journal for FileJournal {
    fn load(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn store(&self, text: &[u8]) -> io::Result<()> {
        let new = beside(&self.path, "new");
        let mut file = File::create(&new)?;
        file.write_all(text)?;
        file.sync_all()?;
        put(&new, &self.path)
    }
}

/// A journal in memory: for tests, and for stores whose shards end with the process too. Clones are one journal.
///
/// ```
/// use keyroute_kv::{Journal, MemoryJournal};
///
/// let journal = MemoryJournal::default();
/// journal.store(b"text")?;
/// assert_eq!(journal.clone().load()?.as_deref(), Some(&b"text"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal(Arc<Mutex<Option<Vec<u8>>>>);

impl Journal for MemoryJournal {
    fn load(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone())
    }

    fn store(&self, text: &[u8]) -> io::Result<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_vec());
        Ok(())
    }
}

/// What the journal holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) version: One,
    /// Higher with each state.
    pub(crate) generation: u64,
    /// Where a change began.
    pub(crate) fleet: Fleet,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) change: Option<ChangeRecord>,
    /// Where the nodes of both are.
    #[serde(default, skip_serializing_if = "Addresses::is_empty")]
    pub(crate) addresses: Addresses,
    /// By which their shards are known again.
    #[serde(default, skip_serializing_if = "Marks::is_empty")]
    pub(crate) marks: Marks,
    /// Names of nodes that have left.
    #[serde(default)]
    pub(crate) retired: Vec<NodeId>,
    /// Nodes that are not to be asked any more, in the order in which they were lost. They leave with this change, or
    /// with the one that follows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lost: Vec<NodeId>,
    /// Nodes that may hold keys which moved away unseen.
    #[serde(default)]
    pub(crate) left_overs: Vec<NodeId>,
}

/// The version of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) struct One;

impl From<One> for u32 {
    fn from(_: One) -> Self {
        1
    }
}

impl TryFrom<u32> for One {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        match version {
            1 => Ok(Self),
            other => Err(format!("version {other}, known is 1")),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fleet {
    pub(crate) nodes: Vec<Node>,
    pub(crate) replicas: usize,
    /// Of the router over these nodes.
    pub(crate) fingerprint: Fingerprint,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeRecord {
    pub(crate) fleet: Fleet,
    pub(crate) back: bool,
    pub(crate) paused: bool,
}

impl Record {
    /// Those of before a change and those of after it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        let after = self.change.as_ref().map(|change| &change.fleet.nodes);
        self.fleet.nodes.iter().chain(after.into_iter().flatten())
    }

    pub(crate) fn load(journal: &dyn Journal) -> Result<Option<Self>, KvError> {
        let text = journal
            .load()
            .map_err(|error| KvError::Journal(error.into()))?;
        let record = text.map(|text| serde_json::from_slice(&text));
        record
            .transpose()
            .map_err(|error| KvError::JournalText(error.into()))
    }

    pub(crate) fn store(&self, journal: &dyn Journal) -> Result<(), KvError> {
        let text =
            serde_json::to_vec_pretty(self).map_err(|error| KvError::JournalText(error.into()))?;
        journal
            .store(&text)
            .map_err(|error| KvError::Journal(error.into()))
    }

    /// The record after the change that it tells of: where that leaves lost nodes, another follows.
    pub(crate) fn settled(&self, make: &MakeRouter) -> Result<Self, KvError> {
        let mut record = self.clone();
        record.generation += 1;
        let Some(change) = record.change.take() else {
            return Ok(record);
        };
        if !change.back {
            let before = mem::replace(&mut record.fleet, change.fleet);
            let after = &record.fleet;
            record.retired.retain(|id| !after.has(id));
            let left = before.nodes.iter().map(Node::id);
            record
                .retired
                .extend(left.filter(|id| !after.has(id)).cloned());
        }
        let fleet = &record.fleet;
        record.addresses.keep(&fleet.nodes);
        record.marks.keep(fleet);
        record.left_overs.retain(|id| fleet.has(id));
        record.lost.retain(|id| fleet.has(id));
        if !record.lost.is_empty() {
            record.change = Some(ChangeRecord {
                fleet: fleet.without(&record.lost, make)?,
                back: false,
                paused: change.paused,
            });
        }
        Ok(record)
    }
}

impl Fleet {
    pub(crate) fn has(&self, id: &NodeId) -> bool {
        self.nodes.iter().any(|node| node.id() == id)
    }

    pub(crate) fn without(&self, lost: &[NodeId], make: &MakeRouter) -> Result<Self, KvError> {
        let nodes = self.nodes.iter().filter(|node| !lost.contains(node.id()));
        fleet_of(make, nodes.cloned().collect(), self.replicas)
    }
}
