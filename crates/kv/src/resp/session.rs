//! [`Session`]: what commands come to, as many of them as can be asked together.

use std::sync::Arc;

use super::answer::{Answers, Refusal};
use super::command::{Args, Kind, Parsed, expiry};
use super::shared::Shared;
use crate::{Entry, KvError, Store};

/// How many keys are read together: at first, and at most. Fewer, after values that were long.
const READS: (usize, usize) = (16, 512);
/// How many bytes of values should be in memory at once.
const VALUES: usize = 1 << 20;

/// A client's side of the store.
pub(super) struct Session {
    pub(super) shared: Arc<Shared>,
    pub(super) id: u64,
    pub(super) name: Vec<u8>,
    pub(super) quit: bool,
    reads: usize,
}

/// A command that was read, or why it cannot be.
type Read<'a> = Result<Parsed<'a>, Refusal>;

impl Session {
    pub(super) fn new(shared: Arc<Shared>, id: u64) -> Self {
        Self {
            shared,
            id,
            name: Vec::new(),
            quit: false,
            reads: READS.0,
        }
    }

    pub(super) fn has_quit(&self) -> bool {
        self.quit
    }

    pub(super) fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Answers the first of these commands, and those behind it that can be asked with it: reads with reads, writes
    /// with writes. Says how many.
    pub(super) async fn answer(&mut self, commands: &[Read<'_>], answers: &mut Answers) -> usize {
        let (kind, args) = match commands.first() {
            None => return 0,
            Some(Err(refusal)) => {
                answers.refuse(refusal);
                self.quit |= *refusal == Refusal::HTTP; // what follows may have been made to be commands
                return 1;
            }
            Some(Ok((listing, args))) => (listing.kind, *args),
        };
        match kind {
            Kind::Get | Kind::MGet | Kind::Exists => self.read(commands, answers).await,
            Kind::Set | Kind::MSet => self.write(commands, answers).await,
            Kind::Del => self.delete(commands, answers).await,
            other => {
                let before = answers.len();
                if let Err(refusal) = Box::pin(self.single(other, args, answers)).await {
                    answers.truncate(before);
                    answers.refuse(&refusal);
                }
                1
            }
        }
    }

    async fn read(&mut self, commands: &[Read<'_>], answers: &mut Answers) -> usize {
        let mut keys: Vec<&[u8]> = Vec::new();
        let mut run = Vec::new();
        for (kind, args) in run_of(commands, &[Kind::Get, Kind::MGet, Kind::Exists]) {
            if !run.is_empty() && keys.len() + args.len() > self.reads {
                break;
            }
            keys.extend(args.iter());
            run.push((kind, args.len()));
        }
        if keys.len() <= self.reads
            && let Ok(values) = self.values(&keys).await
            && length_of(&values) <= self.shared.limits.answer
        {
            let mut values = values.into_iter();
            for &(kind, length) in &run {
                answer_read(kind, values.by_ref().take(length), answers);
            }
            return run.len();
        }
        // One of them failed, or is long: each by itself.
        let mut keys = &keys[..];
        for &(kind, length) in &run {
            let (own, others) = keys.split_at(length);
            keys = others;
            if let Err(refusal) = self.read_one(kind, own, answers).await {
                answers.refuse(&refusal);
            }
        }
        run.len()
    }

    /// One command, in parts.
    async fn read_one(
        &mut self,
        kind: Kind,
        keys: &[&[u8]],
        answers: &mut Answers,
    ) -> Result<(), Refusal> {
        let mut found = Vec::new();
        let mut bytes = 0;
        let mut left = keys;
        while !left.is_empty() {
            let (now, later) = left.split_at(left.len().min(self.reads));
            left = later;
            let mut values = self.values(now).await?;
            if kind == Kind::Exists {
                values
                    .iter_mut()
                    .flatten()
                    .for_each(|value| *value = Vec::new());
            }
            bytes += length_of(&values);
            if bytes > self.shared.limits.answer {
                return Err(Refusal::ANSWER);
            }
            found.extend(values);
        }
        answer_read(kind, found.into_iter(), answers);
        Ok(())
    }

    async fn values(&mut self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Refusal> {
        let values = match keys {
            [key] => vec![self.store().get(key).await?],
            keys => self.store().get_many(keys).await?,
        };
        let bytes = length_of(&values);
        if bytes > VALUES {
            self.reads = (self.reads / 2).max(1);
        } else if bytes < VALUES / 4 && keys.len() * 2 > self.reads {
            self.reads = (self.reads * 2).min(READS.1);
        }
        Ok(values)
    }

    async fn write(&mut self, commands: &[Read<'_>], answers: &mut Answers) -> usize {
        let now = self.store().now();
        let mut entries: Vec<(Vec<u8>, Entry)> = Vec::new();
        let mut run = Vec::new();
        for (kind, args) in run_of(commands, &[Kind::Set, Kind::MSet]) {
            let before = entries.len();
            let read = match kind {
                Kind::Set => expiry(args.behind(2), now).map(|end| {
                    entries.extend(entries_of(args, end).take(1));
                }),
                _ => {
                    entries.extend(entries_of(args, None));
                    Ok(())
                }
            };
            run.push(read.map(|()| entries.len() - before));
        }
        let written = match entries.pop() {
            None => Vec::new(),
            Some((key, entry)) if entries.is_empty() => {
                vec![self.store().set_entry(&key, entry).await]
            }
            Some(last) => {
                entries.push(last);
                self.store().set_each(entries).await
            }
        };
        let mut written = written.into_iter();
        let number = run.len();
        for command in run {
            let done = command.and_then(|length| Ok(all_of(written.by_ref().take(length))?));
            match done {
                Ok(_) => answers.ok(),
                Err(refusal) => answers.refuse(&refusal),
            }
        }
        number
    }

    async fn delete(&mut self, commands: &[Read<'_>], answers: &mut Answers) -> usize {
        let mut keys: Vec<&[u8]> = Vec::new();
        let mut run = Vec::new();
        for (_, args) in run_of(commands, &[Kind::Del]) {
            keys.extend(args.iter());
            run.push(args.len());
        }
        let deleted = match keys[..] {
            [key] => vec![self.store().delete(key).await],
            _ => self.store().delete_each(&keys).await,
        };
        let mut deleted = deleted.into_iter();
        for &length in &run {
            match all_of(deleted.by_ref().take(length)) {
                Ok(deleted) => {
                    let number = deleted.into_iter().filter(|&was| was).count();
                    answers.integer(u64::try_from(number).unwrap_or(u64::MAX));
                }
                Err(error) => answers.refuse(&error.into()),
            }
        }
        run.len()
    }
}

/// All of them, to the last also if one is an error: those behind are another command's.
fn all_of<T>(mut answers: impl Iterator<Item = Result<T, KvError>>) -> Result<Vec<T>, KvError> {
    let all = answers.by_ref().collect();
    answers.for_each(drop);
    all
}

/// The commands of these kinds, up to the first that is none.
fn run_of<'a, 'b>(
    commands: &'b [Read<'a>],
    kinds: &'b [Kind],
) -> impl Iterator<Item = (Kind, Args<'a>)> + 'b
where
    'a: 'b,
{
    commands.iter().map_while(move |command| {
        let (listing, args) = command.as_ref().ok()?;
        kinds
            .contains(&listing.kind)
            .then_some((listing.kind, *args))
    })
}

/// Keys and values by turns.
fn entries_of(args: Args<'_>, end: Option<u64>) -> impl Iterator<Item = (Vec<u8>, Entry)> {
    let keys = args.iter().step_by(2);
    let values = args.behind(1).iter().step_by(2);
    keys.zip(values).map(move |(key, value)| {
        let mut entry = Entry::new(value);
        entry.expires_at = end;
        (key.to_vec(), entry)
    })
}

fn length_of(values: &[Option<Vec<u8>>]) -> usize {
    values.iter().flatten().map(Vec::len).sum()
}

fn answer_read(
    kind: Kind,
    mut values: impl Iterator<Item = Option<Vec<u8>>>,
    answers: &mut Answers,
) {
    match kind {
        Kind::Get => answers.value(values.next().flatten().as_deref()),
        Kind::Exists => {
            let found = values.flatten().count();
            answers.integer(u64::try_from(found).unwrap_or(u64::MAX));
        }
        _ => {
            let values: Vec<_> = values.collect();
            answers.values(values.iter().map(Option::as_deref));
        }
    }
}
