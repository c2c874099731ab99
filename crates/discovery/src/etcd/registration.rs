//! [`Registration`]: a process that lists itself.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use keyroute_core::NodeId;
use thiserror::Error;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::etcd::claim::Entry;
use crate::etcd::keeper::{Entered, Keeper, Session, State};
use crate::{EtcdConfig, EtcdError, Peer};

/// How long an entry outlives a process that crashed, most often: shorter than the [time of
/// grace](crate::DEFAULT_GRACE) of those who read it.
pub const DEFAULT_TTL: Duration = Duration::from_secs(10);

/// A process that lists itself in etcd, as long as it lives and this is kept.
///
/// The entry stands under a lease, which a task renews three times in its life. A process that dies is forgotten when the
/// lease ends; one that is dropped or [closed](Self::close) takes its entry away, so that others learn at once.
///
/// **After a fault** (no connection, etcd restarted, this process stopped for longer than the lease lives) the lease is
/// renewed if it still lives; else there is a new one, and the entry is put again. The same is done if somebody deleted
/// the entry. Attempts go on, with growing pauses, as long as the process lives.
///
/// **One id, one process.** Where another process's entry stands, beginning is an error, unless told to take over. Whose
/// entry was taken over does not fight for it: it waits until nothing stands there. A process that crashed and comes back
/// before its lease has ended finds its own old entry, and cannot know it for its own: take over, or wait for
/// the time to live.
///
/// **Ownership.** Who must not act once others may think it gone asks [`standing`](Self::standing) before it acts: it says
/// `Listed` only while the lease lives for sure, by this process's clock, and counts from when the last renewal was sent.
///
/// ```no_run
/// use keyroute_discovery::{Claim, DEFAULT_TTL, EtcdConfig, Peer, Registration, Standing};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let etcd = EtcdConfig::new(["10.0.0.1:2379"], "/services/cache")?;
/// let own = Peer::new("cache-1", "10.0.1.1:11211")?;
/// let mut registration = Registration::begin(etcd, own, DEFAULT_TTL, Claim::IfFree).await?;
/// assert_eq!(registration.standing(), Standing::Listed);
///
/// // … serve; somewhere a task may watch over it:
/// while let Some(standing) = registration.changed().await {
///     println!("{standing:?}");
/// }
/// registration.close().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "the entry is taken away when this is dropped"]
pub struct Registration {
    id: NodeId,
    state: watch::Receiver<State>,
    /// Dropped to tell the task to end.
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), EtcdError>>,
}

/// What to do where another's entry stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claim {
    /// Refuse.
    #[default]
    IfFree,
    /// Replace it. Only when beginning: whose entry is replaced later does not replace it back.
    TakeOver,
}

/// How an entry stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is listed.
    Listed,
    /// It may not be, for the lease was not renewed in time. Attempts go on.
    Unlisted,
    /// Another's entry stands in its place: this value. Attempts go on.
    Taken(String),
}

/// Why a process could not list itself.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// Another's entry stands there.
    #[error("member {id:?} is listed already, as {value}: choose another id, or take over")]
    Taken {
        /// The member.
        id: NodeId,
        /// The value that stands there.
        value: String,
    },
    /// etcd cannot be reached, or refuses.
    #[error(transparent)]
    Etcd(#[from] EtcdError),
}

impl Registration {
    /// Lists this member, under a lease that lives so long; etcd counts in whole seconds and has a least number of them.
    ///
    /// Must be called on a Tokio runtime, whose timers run while this is kept.
    ///
    /// # Errors
    ///
    /// [`RegistrationError::Taken`] if another's entry stands there and the claim is [`Claim::IfFree`], or what etcd says.
    /// Nothing is listed then.
    pub async fn begin(
        config: EtcdConfig,
        own: Peer,
        ttl: Duration,
        claim: Claim,
    ) -> Result<Self, RegistrationError> {
        let entry = Entry {
            key: config.key(own.id()),
            value: own.to_json(),
            take_over: claim == Claim::TakeOver,
        };
        let id = own.id().clone();
        let (tell, state) = watch::channel(State::default());
        let mut keeper = Keeper::new(config, entry, ttl, tell);
        let entered = keeper.enter().await;
        let session = match entered {
            Ok(Entered::Listed(session)) => session,
            Ok(Entered::Taken(value)) => {
                // A lease that is forgotten ends by itself.
                let _ = keeper.withdraw().await;
                return Err(RegistrationError::Taken { id, value });
            }
            Err(error) => {
                let _ = keeper.withdraw().await;
                return Err(error.into());
            }
        };
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            serve_until(&mut keeper, session, stopped).await;
            keeper.withdraw().await
        });
        Ok(Self {
            id,
            state,
            stop,
            task,
        })
    }

    /// Whom it lists.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// How the entry stands now.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let state = self.state.borrow();
        match (&state.taken, state.until) {
            (Some(value), _) => Standing::Taken(value.clone()),
            (None, Some(until)) if Instant::now() < until => Standing::Listed,
            (None, _) => Standing::Unlisted,
        }
    }

    /// Waits until the task that renews the lease finds the entry to stand otherwise; `None` if it has ended. That a lease
    /// has run out is noticed when etcd is heard again: [`standing`](Self::standing) says it at once.
    pub async fn changed(&mut self) -> Option<Standing> {
        self.state.changed().await.ok()?;
        Some(self.standing())
    }

    /// Takes the entry away, and waits until that is done.
    ///
    /// # Errors
    ///
    /// What etcd says; the entry then goes when the lease ends.
    pub async fn close(self) -> Result<(), EtcdError> {
        drop(self.stop);
        let what = "nothing: the task that renews the lease has panicked";
        self.task
            .await
            .unwrap_or(Err(EtcdError::Incomplete { what }))
    }
}

/// Keeps the entry listed until the other end of `stopped` is gone.
async fn serve_until(keeper: &mut Keeper, session: Box<Session>, stopped: oneshot::Receiver<()>) {
    let mut serve = pin!(keeper.serve(Some(session)));
    let mut stopped = pin!(stopped);
    poll_fn(|context| {
        let ended = serve.as_mut().poll(context).is_ready();
        if ended || stopped.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("id", &self.id)
            .field("standing", &self.standing())
            .finish_non_exhaustive()
    }
}
