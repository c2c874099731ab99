//! [`RedbShard`]: a shard in one file.

use std::fmt;
use std::fs;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use futures_util::future::join_all;
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use tokio::sync::oneshot;

use crate::journal::{beside, put};
use crate::shard::Pending;
use crate::{Entry, Page, Purged, Shard, ShardError};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("entries");

const MARK: TableDefinition<'_, (), &str> = TableDefinition::new("mark");

/// The most writes in one commit.
const COMMIT: usize = 4096;

/// A shard in one file, a B-tree of the `redb` crate: what it has answered is on the disk.
///
/// Reads go to the tree at once. Writes go through a thread that commits all that have come while it was busy: one
/// flush for as many as wait. An entry costs 1 byte, or 9 if it ends, beside its key and value. Reads block their
/// thread as long as the disk takes. The file is locked while this lives; dropping it waits for the last commit.
///
/// ```
/// use keyroute_kv::{Entry, RedbShard, Shard};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let directory = tempfile::tempdir()?;
/// let shard = RedbShard::open(directory.path().join("a.redb"))?;
/// shard.set(b"user:1", Entry::new("v")).await?;
/// drop(shard);
/// let shard = RedbShard::open(directory.path().join("a.redb"))?;
/// assert_eq!(shard.get(b"user:1").await?, Some(Entry::new("v")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RedbShard {
    database: Arc<Database>,
    /// Whether the store took it for another one.
    other: AtomicBool,
    /// There until it is dropped, and then the writer ends.
    jobs: Option<Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl fmt::Debug for RedbShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedbShard").finish_non_exhaustive()
    }
}

impl RedbShard {
    /// The shard in this file, made if it is not there.
    ///
    /// # Errors
    ///
    /// What opening gives: among others that another process has it open, or that it is none of redb's.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ShardError> {
        let path = path.as_ref();
        if !path.exists() {
            make(path).map_err(ShardError::new)?;
        }
        let database = Arc::new(Database::open(path).map_err(ShardError::new)?);
        let (jobs, queue) = channel();
        let written = database.clone();
        let writer = thread::Builder::new()
            .name("keyroute-kv-redb".to_owned())
            .spawn(move || write_all(&written, &queue))
            .map_err(ShardError::new)?;
        Ok(Self {
            database,
            other: AtomicBool::new(false),
            jobs: Some(jobs),
            writer: Some(writer),
        })
    }

    fn check(&self) -> Result<(), ShardError> {
        if self.other.load(Relaxed) {
            return Err(ShardError::new(
                "this file is not the one that was written: it bears another mark, or none",
            ));
        }
        Ok(())
    }

    fn read_mark(&self) -> Result<Option<String>, redb::Error> {
        let table = self.database.begin_read()?.open_table(MARK)?;
        Ok(table.get(())?.map(|mark| mark.value().to_owned()))
    }

    fn write_mark(&self, mark: Option<&str>) -> Result<(), redb::Error> {
        let transaction = self.database.begin_write()?;
        {
            let mut table = transaction.open_table(MARK)?;
            match mark {
                Some(mark) => table.insert((), mark)?,
                None => table.remove(())?,
            };
        }
        Ok(transaction.commit()?)
    }

    /// Gives how many of the edits found something.
    async fn write(&self, edits: Vec<Edit>) -> Result<u64, ShardError> {
        self.check()?;
        let (answer, answered) = oneshot::channel();
        let job = Job { edits, answer };
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        match sent {
            Some(Ok(())) => answered.await.map_err(ShardError::new)?,
            _ => Err(ShardError::new("its writer has ended")),
        }
    }

    fn read(&self, keys: &[&[u8]]) -> Result<Vec<Option<Entry>>, redb::Error> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            entries.push(table.get(key)?.map(|stored| decode(stored.value())));
        }
        Ok(entries)
    }

    fn page(&self, cursor: Option<&[u8]>, limit: usize) -> Result<Page, redb::Error> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let after = cursor.map_or(Bound::Unbounded, Bound::Excluded);
        let mut keys = Vec::new();
        for found in table.range::<&[u8]>((after, Bound::Unbounded))?.take(limit) {
            keys.push(found?.0.value().to_vec());
        }
        let next = keys.last().filter(|_| keys.len() == limit).cloned();
        Ok(Page { keys, next })
    }

    fn length(&self) -> Result<u64, redb::Error> {
        Ok(self.database.begin_read()?.open_table(TABLE)?.len()?)
    }
}

/// Makes the file beside its place, and puts it there when it is whole: a process that is killed meanwhile leaves no
/// half of one.
fn make(path: &Path) -> Result<(), redb::Error> {
    let new = beside(path, "new");
    if new.exists() {
        fs::remove_file(&new)?; // such a half
    }
    let database = Database::create(&new)?;
    let transaction = database.begin_write()?;
    transaction.open_table(TABLE)?; // so that readers find one
    transaction.open_table(MARK)?;
    transaction.commit()?;
    drop(database);
    put(&new, path)?;
    Ok(())
}

impl Drop for RedbShard {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join(); // one that panicked has told its callers
        }
    }
}

/// A key, and what is done to it.
type Edit = (Vec<u8>, Do);

enum Do {
    /// These bytes are stored.
    Put(Vec<u8>),
    Delete,
    /// It is deleted if it has ended by this time.
    End(u64),
}

/// Edits that are done together, and who waits to hear how many of them found something.
struct Job {
    edits: Vec<Edit>,
    answer: oneshot::Sender<Result<u64, ShardError>>,
}

fn write_all(database: &Database, queue: &Receiver<Job>) {
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        jobs.extend(queue.try_iter().take(COMMIT - 1));
        let written = commit(database, &jobs);
        match written {
            Ok(found) => {
                for (job, found) in jobs.into_iter().zip(found) {
                    let _ = job.answer.send(Ok(found)); // nobody may wait any more
                }
            }
            Err(error) => {
                let text = error.to_string();
                for job in jobs {
                    let _ = job.answer.send(Err(ShardError::new(text.clone())));
                }
            }
        }
    }
}

/// Does all of it or nothing.
fn commit(database: &Database, jobs: &[Job]) -> Result<Vec<u64>, redb::Error> {
    let transaction = database.begin_write()?;
    let mut found = Vec::with_capacity(jobs.len());
    {
        let mut table = transaction.open_table(TABLE)?;
        for job in jobs {
            let mut was = 0;
            for (key, edit) in &job.edits {
                let key = key.as_slice();
                was += u64::from(match edit {
                    Do::Put(bytes) => table.insert(key, bytes.as_slice())?.is_some(),
                    Do::Delete => table.remove(key)?.is_some(),
                    Do::End(now) => {
                        let stored = table.get(key)?;
                        let ended = stored.is_some_and(|it| !decode(it.value()).is_live(*now));
                        ended && table.remove(key)?.is_some()
                    }
                });
            }
            found.push(was);
        }
    }
    transaction.commit()?;
    Ok(found)
}

/// A 0 and the value; or a 1, the end in eight bytes, the lowest first, and the value.
fn encode(entry: &Entry) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(9 + entry.value.len());
    match entry.expires_at {
        None => bytes.push(0),
        Some(end) => {
            bytes.push(1);
            bytes.extend(end.to_le_bytes());
        }
    }
    bytes.extend(&entry.value);
    bytes
}

fn decode(bytes: &[u8]) -> Entry {
    match bytes {
        [1, rest @ ..] if rest.len() >= 8 => {
            let (end, value) = rest.split_at(8);
            let mut number = [0; 8];
            number.copy_from_slice(end);
            Entry::new(value).until(u64::from_le_bytes(number))
        }
        [_, value @ ..] => Entry::new(value),
        [] => Entry::new([]),
    }
}

impl Shard for RedbShard {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move { Ok(self.get_many(&[key]).await?.pop().flatten()) })
    }

    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            let edit = (key.to_vec(), Do::Put(encode(&entry)));
            self.write(vec![edit]).await.map(drop)
        })
    }

    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move {
            let found = self.write(vec![(key.to_vec(), Do::Delete)]).await?;
            Ok(found > 0)
        })
    }

    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        Box::pin(async move {
            self.check()?;
            let page = self.page(cursor.as_deref(), limit.max(1));
            page.map_err(ShardError::new)
        })
    }

    /// Of one instant.
    fn get_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        Box::pin(async move {
            self.check()?;
            self.read(keys).map_err(ShardError::new)
        })
    }

    /// As many commits as for one, mostly: see [`RedbShard`].
    fn delete_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<bool>, ShardError>> {
        Box::pin(async {
            let deleted = join_all(keys.iter().map(|key| self.delete(key)));
            deleted.await.into_iter().collect() // an error only when all have ended
        })
    }

    fn purge(
        &self,
        now: u64,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'_, Result<Purged, ShardError>> {
        Box::pin(async move {
            let Page { keys, next } = self.scan(cursor, limit).await?;
            let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let found = self.get_many(&lent).await?;
            let looked = keys.len() as u64;
            let all = keys.into_iter().zip(found);
            let over = all.filter(|(_, entry)| entry.as_ref().is_some_and(|it| !it.is_live(now)));
            // The writer looks again: another entry may be there by then.
            let edits: Vec<Edit> = over.map(|(key, _)| (key, Do::End(now))).collect();
            let ended = if edits.is_empty() {
                0
            } else {
                self.write(edits).await?
            };
            Ok(Purged {
                looked,
                ended,
                next,
            })
        })
    }

    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async move {
            self.check()?;
            self.length().map(Some).map_err(ShardError::new)
        })
    }

    fn mark<'a>(&'a self, mark: Option<&'a str>) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move { self.write_mark(mark).map_err(ShardError::new) })
    }

    fn expect_mark(&self, mark: &str) {
        let borne = self.read_mark().ok().flatten();
        self.other.store(borne.as_deref() != Some(mark), Relaxed);
    }

    fn set_many<'a>(
        &'a self,
        entries: &'a [(&'a [u8], &'a Entry)],
    ) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            let edits = entries
                .iter()
                .map(|(key, entry)| (key.to_vec(), Do::Put(encode(entry))));
            self.write(edits.collect()).await.map(drop)
        })
    }
}
