//! [`Script`]: what happens to the fleet, and what must come of it.
//!
//! Nothing waits for a time to pass: a step goes on when so many requests are answered, or when the fleet says that
//! it has noticed.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use keyroute::prelude::*;
use keyroute::{Batch, Changes, Exact, Ramp};

use crate::backend::Backend;
use crate::front_end::{Fleet, FrontEnd};
use crate::ledger::{Answers, Ledger, Step};
use crate::load::{Demand, KEYS, Load};
use crate::oracle::{Between, Oracle, Takes};
use crate::upstream::{Error, Upstream};

/// Requests while the fleet changes.
const DURING: u32 = 1_500;

/// After so many of them it does.
const BEFORE: u32 = 500;

/// Clients at once.
const CLIENTS: u32 = 24;

/// What a node may hold over its share of the requests under way, in thousandths, while a key is hot.
const EPSILON: u32 = 250;

/// Rounds of requests after which the front end must have noticed that a node is back.
const MOST_ROUNDS: u32 = 200;

/// The fleet, its front end and its ledger.
pub(crate) struct Script {
    backends: BTreeMap<String, Backend>,
    front_end: Arc<FrontEnd>,
    address: SocketAddr,
    changes: Changes,
    oracle: Oracle,
    pub(crate) ledger: Ledger,
}

fn name(number: u32) -> String {
    format!("node-{number:02}")
}

impl Script {
    /// A fleet of this many nodes.
    pub(crate) async fn new(nodes: u32) -> Result<Self, Error> {
        let mut backends = BTreeMap::new();
        let mut oracle = Oracle::default();
        let mut members = Vec::new();
        for id in (1..=nodes).map(name) {
            let backend = Backend::start(&id).await?;
            members.push((Node::new(id.as_str())?, Upstream::new(backend.address())));
            oracle.set(&id, 1, Takes::All);
            backends.insert(id, backend);
        }
        let front_end = FrontEnd::new(Fleet::from_members(VectorRing::new(), members)?);
        Ok(Self {
            backends,
            address: front_end.listen().await?,
            changes: front_end.fleet().changes(),
            front_end,
            oracle,
            ledger: Ledger::default(),
        })
    }

    /// All that happens.
    pub(crate) async fn play(&mut self) -> Result<(), Error> {
        let step = self.begin("all up").await?;
        self.end(step).await?;
        let at_first = self.ledger.owners();

        for sick in [&["node-07"][..], &["node-02", "node-11", "node-19"]] {
            self.kill(sick).await?;
            self.revive(sick).await?;
            self.holds_as(&at_first, "all are up again");
        }

        self.drain("node-03", Takes::None, Batch::drain).await?;
        self.drain("node-03", Takes::All, Batch::undrain).await?;
        self.holds_as(&at_first, "all take keys again");

        self.reweight("node-05", 2).await?;
        self.reweight("node-05", 1).await?;
        self.holds_as(&at_first, "all weigh as before");

        self.move_house("node-09").await?;
        self.flap("node-12").await?;
        self.holds_as(&at_first, "nothing had to move");

        self.rush(0).await?;
        self.holds_as(&at_first, "the rush is over");

        self.ramp_in("node-21").await?;
        self.leave("node-21").await?;
        self.holds_as(&at_first, "the newcomer has left");
        Ok(())
    }

    /// Dies without a word: the front end finds out by a request that fails, and the client does not.
    async fn kill(&mut self, ids: &[&str]) -> Result<(), Error> {
        let step = self.begin(&format!("{} killed", ids.join(", "))).await?;
        for id in ids {
            self.backend(id)?.kill().await;
            self.oracle.set(id, 1, Takes::None);
        }
        self.end(step).await
    }

    /// Comes back at the same address, and a probe notices.
    async fn revive(&mut self, ids: &[&str]) -> Result<(), Error> {
        let step = self.begin(&format!("{} revived", ids.join(", "))).await?;
        for id in ids {
            self.backend(id)?.revive().await?;
            self.oracle.set(id, 1, Takes::All);
        }
        let step = self.until(step, |script| {
            let now = script.front_end.fleet().load();
            now.all_members().all(|member| member.status().is_up())
        });
        let step = step.await?;
        self.end(step).await
    }

    /// Gives its keys away or takes them again, and serves on.
    async fn drain(
        &mut self,
        id: &str,
        takes: Takes,
        batch: fn(Batch<Upstream>, String) -> Batch<Upstream>,
    ) -> Result<(), Error> {
        let verb = match takes {
            Takes::None => "drained",
            _ => "undrained",
        };
        let step = self.begin(&format!("{id} {verb}")).await?;
        self.oracle.set(id, 1, takes);
        self.apply(batch(Batch::new(), id.to_owned()))?;
        self.end(step).await
    }

    async fn reweight(&mut self, id: &str, weight: u32) -> Result<(), Error> {
        let step = self.begin(&format!("{id} weighs {weight}")).await?;
        self.oracle.set(id, weight, Takes::All);
        self.apply(Batch::new().reweight(id, weight))?;
        self.end(step).await
    }

    /// Goes on at another address: no key moves.
    async fn move_house(&mut self, id: &str) -> Result<(), Error> {
        let step = self.begin(&format!("{id} moves to another port")).await?;
        let new = Backend::start(id).await?;
        let address = new.address();
        self.apply(Batch::new().payload(id, Upstream::new(address)))?;
        let old = self.backends.insert(id.to_owned(), new);
        self.end(step).await?;
        // Requests that were on their way to it are answered.
        if let Some(mut old) = old {
            old.kill().await;
        }
        Ok(())
    }

    /// Discovery loses sight of it, and finds it again within its time of grace.
    async fn flap(&mut self, id: &str) -> Result<(), Error> {
        let seconds = Duration::from_secs;
        let step = self
            .begin(&format!("{id} lost and found within its grace"))
            .await?;
        self.apply(Batch::new().leave(id, seconds(30)))?;
        self.tick(seconds(100))?;
        self.tick(seconds(129))?;
        let step = self.until(step, |_| true).await?; // requests while it is away
        self.apply(Batch::new().stay(id))?;
        self.tick(seconds(1000))?;
        self.end(step).await
    }

    /// One key has half of all requests. Its node takes what it may, and others the rest; then they come home.
    async fn rush(&mut self, key: u32) -> Result<(), Error> {
        self.front_end.fleet().set_bound(Some(Exact::new(EPSILON)?));
        let mut step = self
            .begin(&format!("key {key} is hot, nodes bounded"))
            .await?;
        let hot = Load::start(self.address, Demand::Hot(key), DURING, CLIENTS);
        step.earlier
            .extend(std::mem::replace(&mut step.load, hot).finish().await);
        self.end_with(step, 1).await?;
        self.front_end.fleet().set_bound(None);
        let rush = "the rush";
        if self.ledger.away() == 0 {
            self.ledger
                .fault(rush, "and no request was answered away from home");
        }
        let excesses = self.front_end.excesses();
        if excesses > 0 {
            self.ledger.fault(
                rush,
                &format!("a node held more than it may, {excesses} times"),
            );
        }
        let left = self.front_end.fleet().stats().total();
        if left > 0 {
            self.ledger
                .fault(rush, &format!("and {left} leases are left"));
        }
        Ok(())
    }

    /// A newcomer takes its keys in four steps.
    async fn ramp_in(&mut self, id: &str) -> Result<(), Error> {
        let seconds = Duration::from_secs;
        let backend = Backend::start(id).await?;
        let step = self
            .begin(&format!("{id} joins with a quarter of its keys"))
            .await?;
        self.oracle.set(id, 1, Takes::Some);
        let upstream = Upstream::new(backend.address());
        self.backends.insert(id.to_owned(), backend);
        let ramp = Ramp::new(seconds(30), 3)?;
        self.apply(Batch::new().add(Node::new(id)?, upstream).ramp(id, ramp))?;
        self.tick(seconds(2000))?;
        self.end(step).await?;
        for (time, share) in [(2010, "half"), (2020, "three quarters"), (2030, "all")] {
            let step = self.begin(&format!("{id} takes {share}")).await?;
            if time == 2030 {
                self.oracle.set(id, 1, Takes::All);
            }
            self.tick(seconds(time))?;
            self.end(step).await?;
        }
        Ok(())
    }

    /// Discovery loses sight of it for good.
    async fn leave(&mut self, id: &str) -> Result<(), Error> {
        let seconds = Duration::from_secs;
        let step = self.begin(&format!("{id} lost, its grace over")).await?;
        self.oracle.remove(id);
        self.apply(Batch::new().leave(id, seconds(30)))?;
        self.tick(seconds(3000))?;
        self.tick(seconds(3030))?;
        self.end(step).await?;
        self.backend(id)?.kill().await;
        self.backends.remove(id);
        Ok(())
    }

    fn backend(&mut self, id: &str) -> Result<&mut Backend, Error> {
        self.backends
            .get_mut(id)
            .ok_or_else(|| format!("there is no {id}").into())
    }

    /// A change that must change something.
    fn apply(&mut self, batch: Batch<Upstream>) -> Result<(), Error> {
        let changed = self.front_end.fleet().apply(batch)?;
        changed
            .map(drop)
            .ok_or_else(|| "a change changed nothing".into())
    }

    fn tick(&self, now: Duration) -> Result<(), Error> {
        self.front_end.fleet().tick(now)?;
        Ok(())
    }

    /// Starts clients; the fleet is about to change.
    async fn begin(&self, name: &str) -> Result<Running, Error> {
        let mut load = Load::start(self.address, Demand::Zipf, DURING, CLIENTS);
        load.reaches(BEFORE).await;
        Ok(Running {
            name: name.to_owned(),
            before: self.oracle.clone(),
            retries: self.front_end.retries(),
            load,
            earlier: Vec::new(),
        })
    }

    /// Goes on asking until this has come true.
    async fn until(
        &self,
        mut step: Running,
        is_true: impl Fn(&Self) -> bool,
    ) -> Result<Running, Error> {
        for _ in 0..MOST_ROUNDS {
            let next = Load::start(self.address, Demand::Zipf, BEFORE, CLIENTS);
            step.earlier
                .extend(std::mem::replace(&mut step.load, next).finish().await);
            if is_true(self) {
                return Ok(step);
            }
        }
        Err(format!("{}: not noticed after {MOST_ROUNDS} rounds", step.name).into())
    }

    /// The fleet has changed: ends these clients, has every key asked for, and enters what came of it.
    async fn end(&mut self, step: Running) -> Result<(), Error> {
        self.end_with(step, CLIENTS).await
    }

    /// The same, by so many clients at once: one alone finds every node idle.
    async fn end_with(&mut self, step: Running, clients: u32) -> Result<(), Error> {
        let mut during = step.earlier;
        during.extend(step.load.finish().await);
        let settled = Load::start(self.address, Demand::EachInTurn, KEYS, clients);
        let settled = settled.finish().await;
        self.ledger.check_addresses(&step.name, &settled, |id| {
            self.backends.get(id).map(|it| it.address().to_string())
        });
        while let Some(change) = self.changes.try_next() {
            if change.movement().needless() > 0 {
                self.ledger.fault(&step.name, &change.to_string());
            }
        }
        self.ledger.enter(Step {
            name: step.name,
            owners: Between::of(&step.before, &self.oracle)?,
            bounded: self.front_end.fleet().load().bound().is_some(),
            during,
            settled,
            retries: self.front_end.retries() - step.retries,
        });
        Ok(())
    }

    /// Every key is where it was.
    fn holds_as(&mut self, owners: &BTreeMap<u32, String>, why: &str) {
        if self.ledger.owners() != *owners {
            self.ledger.fault(why, "and not every key is where it was");
        }
    }
}

/// A step that is not over.
struct Running {
    name: String,
    before: Oracle,
    retries: u64,
    load: Load,
    /// Answers of clients before these.
    earlier: Answers,
}
