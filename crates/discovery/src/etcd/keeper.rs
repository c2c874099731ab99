//! [`Keeper`]: holds a lease, and the entry under it, until it is told to stop.

use std::time::Duration;

use etcd_client::{Client, Error, LeaseKeepAliveStream, LeaseKeeper};
use tokio::sync::watch::Sender;
use tokio::time::{Instant, sleep, timeout};

use crate::backoff::Backoff;
use crate::etcd::claim::{Claimed, Entry, claim, is_ours};
use crate::{EtcdConfig, EtcdError};

/// How an entry stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Until when the lease lives for sure, if it is held.
    pub(crate) until: Option<Instant>,
    /// What somebody else has put there.
    pub(crate) taken: Option<String>,
}

impl State {
    fn kind(&self) -> (bool, Option<&str>) {
        (self.until.is_some(), self.taken.as_deref())
    }
}

/// Holds a lease, and the entry under it.
pub(crate) struct Keeper {
    config: EtcdConfig,
    entry: Entry,
    ttl: Duration,
    backoff: Backoff,
    state: Sender<State>,
    /// The lease that is held, or was when etcd was heard last.
    lease: Option<i64>,
    /// The one before, under which the entry may still stand.
    former: Option<i64>,
}

/// A connection on which the lease is kept alive.
pub(crate) struct Session {
    client: Client,
    lease: i64,
    keeper: LeaseKeeper,
    answers: LeaseKeepAliveStream,
}

/// What an attempt to list the entry came to.
pub(crate) enum Entered {
    Listed(Box<Session>),
    /// Somebody else's stands there: this.
    Taken(String),
}

impl Keeper {
    pub(crate) fn new(
        config: EtcdConfig,
        entry: Entry,
        ttl: Duration,
        state: Sender<State>,
    ) -> Self {
        Self {
            backoff: config.backoff(),
            config,
            entry,
            ttl,
            state,
            lease: None,
            former: None,
        }
    }

    /// Lists the entry: under the lease that it had, if that lives, or under a new one.
    pub(crate) async fn enter(&mut self) -> Result<Entered, EtcdError> {
        let client = self.config.connect().await?;
        let sent = Instant::now();
        let kept = match self.lease {
            Some(lease) => self.keep_alive(&client, lease).await?,
            None => None,
        };
        let (keeper, answers) = match kept {
            Some(kept) => kept,
            None => self.grant(&client).await?,
        };
        let lease = keeper.id();
        match claim(&self.config, &client, &self.entry, lease, self.former).await? {
            Claimed::Theirs(value) => {
                self.tell(None, Some(value.clone()));
                Ok(Entered::Taken(value))
            }
            Claimed::Ours => {
                self.former = None;
                // Whoever takes it later is not to be fought with.
                self.entry.take_over = false;
                self.tell(Some(sent + self.ttl), None);
                Ok(Entered::Listed(Box::new(Session {
                    client,
                    lease,
                    keeper,
                    answers,
                })))
            }
        }
    }

    /// Keeps the entry listed, through faults. Returns never; it is dropped instead.
    pub(crate) async fn serve(&mut self, mut session: Option<Box<Session>>) {
        loop {
            if let Some(session) = session.take() {
                // Whatever it was: what helps is to list it again.
                let _ = self.keep(session).await;
            }
            match self.enter().await {
                Ok(Entered::Listed(entered)) => {
                    self.backoff.reset();
                    session = Some(entered);
                }
                Ok(Entered::Taken(_)) | Err(_) => {
                    self.note_end();
                    sleep(self.backoff.next()).await;
                }
            }
        }
    }

    /// Gives the lease back, and with it the entry: others learn at once.
    pub(crate) async fn withdraw(&mut self) -> Result<(), EtcdError> {
        let leases = [self.lease.take(), self.former.take()];
        if leases == [None, None] {
            return Ok(());
        }
        self.tell(None, None);
        let mut client = self.config.connect().await?.lease_client();
        for lease in leases.into_iter().flatten() {
            match self.config.soon(client.revoke(lease)).await {
                Err(EtcdError::Client(error)) if is_not_found(&error) => {}
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// Renews the lease, three times in its life, and looks whether the entry is there; until something fails.
    async fn keep(&mut self, mut session: Box<Session>) -> Result<(), EtcdError> {
        let third = self.ttl / 3;
        loop {
            sleep(third).await;
            let sent = Instant::now();
            session.keeper.keep_alive().await?;
            let patience = self.config.patience();
            let answer = match timeout(patience, session.answers.message()).await {
                Ok(answer) => answer?,
                Err(_) => return Err(EtcdError::Silent { patience }),
            };
            let lives = answer.is_some_and(|answer| answer.ttl() > 0);
            let lease = session.lease;
            if !lives || !is_ours(&self.config, &session.client, &self.entry, lease).await? {
                return Ok(());
            }
            self.tell(Some(sent + self.ttl), None);
        }
    }

    /// Renews this lease, if it lives.
    async fn keep_alive(
        &self,
        client: &Client,
        lease: i64,
    ) -> Result<Option<(LeaseKeeper, LeaseKeepAliveStream)>, EtcdError> {
        let mut client = client.lease_client();
        match self.config.soon(client.keep_alive(lease)).await {
            Ok(kept) => Ok(Some(kept)),
            Err(EtcdError::Client(error)) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn grant(
        &mut self,
        client: &Client,
    ) -> Result<(LeaseKeeper, LeaseKeepAliveStream), EtcdError> {
        // The whole seconds that etcd counts in.
        let seconds = self.ttl.as_secs() + u64::from(self.ttl.subsec_nanos() > 0);
        let seconds = i64::try_from(seconds.max(1)).unwrap_or(i64::MAX);
        let mut leases = client.lease_client();
        let granted = self.config.soon(leases.grant(seconds, None)).await?;
        let lease = granted.id();
        // Etcd has a shortest life of its own.
        let life = Duration::from_secs(u64::try_from(granted.ttl()).unwrap_or(0));
        self.ttl = self.ttl.max(life);
        self.former = self.lease.replace(lease).or(self.former);
        let what = "the lease that it granted";
        let kept = self.keep_alive(client, lease).await?;
        kept.ok_or(EtcdError::Incomplete { what })
    }

    /// Says that the lease may have ended, once that is so.
    fn note_end(&self) {
        let until = self.state.borrow().until;
        if until.is_some_and(|until| until <= Instant::now()) {
            self.tell(None, None);
        }
    }

    fn tell(&self, until: Option<Instant>, taken: Option<String>) {
        let new = State { until, taken };
        self.state.send_if_modified(|state| {
            let other = state.kind() != new.kind();
            *state = new;
            other
        });
    }
}

/// Whether a lease is no more.
fn is_not_found(error: &Error) -> bool {
    match error {
        Error::LeaseKeepAliveError(_) => true,
        // NOT_FOUND of gRPC.
        Error::GRpcStatus(status) => status.code() as i32 == 5,
        _ => false,
    }
}
