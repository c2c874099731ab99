//! [`Load`]: concurrent clients that ask for popular keys, and note who answered.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use hyper::StatusCode;
use keyroute::hash::mix64;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::backend::{SERVED_AT, SERVED_BY};
use crate::front_end::{AWAY, PICKED};
use crate::upstream::{Error, Upstream};

/// How many keys there are.
pub(crate) const KEYS: u32 = 3_000;

/// The path of the key with this number, which is the key.
pub(crate) fn key(number: u32) -> String {
    format!("/user/{number}")
}

/// What a client was told.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) key: u32,
    pub(crate) by: String,
    pub(crate) at: String,
    /// The key's node was full.
    pub(crate) away: bool,
}

/// What clients ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Demand {
    /// The r-th key has one r-th of the requests of the first: Zipf's law.
    Zipf,
    /// Every key once, and again from the beginning.
    EachInTurn,
    /// One request in two is for this key.
    Hot(u32),
}

/// Requests under way.
pub(crate) struct Load {
    clients: JoinSet<Vec<Result<Answer, Error>>>,
    answered: watch::Receiver<u32>,
}

impl Load {
    /// So many requests, of so many clients at once.
    pub(crate) fn start(
        front_end: SocketAddr,
        demand: Demand,
        requests: u32,
        clients: u32,
    ) -> Self {
        let upstream = Arc::new(Upstream::new(front_end));
        let (answer, answered) = watch::channel(0);
        let (answer, taken) = (Arc::new(answer), Arc::new(AtomicU32::new(0)));
        let mut all = JoinSet::new();
        for _ in 0..clients {
            let (upstream, answer, taken) = (
                Arc::clone(&upstream),
                Arc::clone(&answer),
                Arc::clone(&taken),
            );
            all.spawn(async move {
                let mut answers = Vec::new();
                loop {
                    let turn = taken.fetch_add(1, Ordering::Relaxed);
                    if turn >= requests {
                        return answers;
                    }
                    answers.push(ask(&upstream, demand.key(turn)).await);
                    answer.send_modify(|count| *count += 1);
                }
            });
        }
        Self {
            clients: all,
            answered,
        }
    }

    /// Waits until so many are answered.
    pub(crate) async fn reaches(&mut self, count: u32) {
        // The clients are at work, or have answered all.
        let _ = self.answered.wait_for(|answered| *answered >= count).await;
    }

    /// All answers.
    pub(crate) async fn finish(mut self) -> Vec<Result<Answer, Error>> {
        let mut all = Vec::new();
        while let Some(client) = self.clients.join_next().await {
            match client {
                Ok(answers) => all.extend(answers),
                Err(error) => all.push(Err(error.into())),
            }
        }
        all
    }
}

/// Holds the answer to all that it must say.
async fn ask(front_end: &Upstream, number: u32) -> Result<Answer, Error> {
    let path = key(number);
    let response = front_end.get(&path).await?;
    let header = |name: &str| -> Result<String, Error> {
        let value = response
            .headers()
            .get(name)
            .ok_or(format!("no header {name}"))?;
        Ok(value.to_str()?.to_owned())
    };
    if response.status() != StatusCode::OK {
        return Err(format!("{path}: {}", response.status()).into());
    }
    let (picked, by, at) = (header(PICKED)?, header(SERVED_BY)?, header(SERVED_AT)?);
    if picked != by {
        return Err(format!("{path}: {picked} was picked, {by} answered").into());
    }
    if response.body() != path.as_bytes() {
        return Err(format!("{path}: another key's answer").into());
    }
    Ok(Answer {
        key: number,
        by,
        at,
        away: response.headers().contains_key(AWAY),
    })
}

impl Demand {
    /// The key of this turn: the same in every run.
    fn key(self, turn: u32) -> u32 {
        let random = mix64(u64::from(turn) + 1);
        match self {
            Self::EachInTurn => turn % KEYS,
            Self::Hot(key) if random.is_multiple_of(2) => key,
            Self::Zipf | Self::Hot(_) => zipf(random),
        }
    }
}

/// Zipf's law over [`KEYS`], of a random number.
fn zipf(random: u64) -> u32 {
    /// The requests up to each key, in 2^32 parts of the first one's.
    static UP_TO: LazyLock<Vec<u64>> = LazyLock::new(|| {
        let parts = (1..=u64::from(KEYS)).scan(0, |sum, rank| {
            *sum += (1 << 32) / rank;
            Some(*sum)
        });
        parts.collect()
    });
    let all = UP_TO.last().copied().unwrap_or(1);
    let drawn = random % all;
    let key = UP_TO.partition_point(|up_to| *up_to <= drawn);
    u32::try_from(key).unwrap_or(0)
}
