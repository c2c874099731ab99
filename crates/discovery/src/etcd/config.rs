//! [`EtcdConfig`]: where etcd is, and how it is spoken to.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use etcd_client::{Client, ConnectOptions};
use keyroute_core::NodeId;
use tokio::time::timeout;

use crate::EtcdError;
use crate::backoff::Backoff;

/// How long an answer may take, unless set.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest pause between two attempts, unless set.
const MOST_PAUSE: Duration = Duration::from_secs(10);

/// Where etcd is, under which prefix the members are listed, and how etcd is spoken to.
///
/// A member stands under PREFIX/ID, with a value as [`Peer::to_json`](crate::Peer::to_json) writes it. What follows the
/// prefix is the id as a whole, so ids may have slashes in them.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_discovery::EtcdConfig;
///
/// let config = EtcdConfig::new(["10.0.0.1:2379", "10.0.0.2:2379"], "/services/cache")?
///     .with_patience(Duration::from_secs(2))
///     .with_options(|options| options.with_user("reader", "secret"));
/// assert_eq!(config.prefix(), "/services/cache/");
/// assert!(EtcdConfig::new(["10.0.0.1:2379"], "").is_err());
/// # Ok::<(), keyroute_discovery::EtcdError>(())
/// ```
#[derive(Clone)]
pub struct EtcdConfig {
    endpoints: Vec<String>,
    prefix: String,
    options: ConnectOptions,
    patience: Duration,
    most_pause: Duration,
    seed: u64,
}

impl EtcdConfig {
    /// etcd at these endpoints, `HOST:PORT` or as a URL; members under this prefix, which ends with a slash whether
    /// written or not.
    ///
    /// # Errors
    ///
    /// [`EtcdError::Empty`] if there is no endpoint, or nothing but slashes in the prefix: all of etcd is no list.
    pub fn new<E: Into<String>>(
        endpoints: impl IntoIterator<Item = E>,
        prefix: impl AsRef<str>,
    ) -> Result<Self, EtcdError> {
        let endpoints: Vec<String> = endpoints.into_iter().map(Into::into).collect();
        let prefix = prefix.as_ref();
        if endpoints.is_empty() {
            let (what, of) = ("the list of endpoints", "endpoint");
            return Err(EtcdError::Empty { what, of });
        }
        if prefix.trim_matches('/').is_empty() {
            let (what, of) = ("the prefix", "character that is no slash");
            return Err(EtcdError::Empty { what, of });
        }
        Ok(Self {
            endpoints,
            prefix: format!("{}/", prefix.trim_end_matches('/')),
            // A server without a leader must say so: what it has may be old.
            options: ConnectOptions::new().with_require_leader(true),
            patience: PATIENCE,
            most_pause: MOST_PAUSE,
            seed: RandomState::new().hash_one(prefix),
        })
    }

    /// The same, where an answer may take so long; 5 s unless set. So long may a connection be silent before it is asked
    /// whether it lives, and so long may it take to say so.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The same, where the pause between two attempts to connect grows up to so long; 10 s unless set.
    #[must_use]
    pub fn with_most_pause(self, most_pause: Duration) -> Self {
        Self { most_pause, ..self }
    }

    /// The same, where the jitter of pauses is drawn under this seed; random unless set.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same, with options of the client: a user, TLS (with a feature of `etcd-client`), whatever else it has.
    #[must_use]
    pub fn with_options(mut self, edit: impl FnOnce(ConnectOptions) -> ConnectOptions) -> Self {
        self.options = edit(self.options);
        self
    }

    /// The prefix, with its slash.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Under which key this member stands.
    pub(crate) fn key(&self, id: &NodeId) -> String {
        format!("{}{id}", self.prefix)
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn backoff(&self) -> Backoff {
        Backoff::new(self.most_pause, self.seed)
    }

    /// A client with connections of its own: those of an earlier one may be dead and not know it.
    pub(crate) async fn connect(&self) -> Result<Client, EtcdError> {
        // Pings go through whether or not there is anything to say, and find out whether the other side lives.
        let options = self
            .options
            .clone()
            .with_keep_alive(self.patience, self.patience)
            .with_keep_alive_while_idle(true)
            .with_connect_timeout(self.patience);
        self.soon(Client::connect(&self.endpoints, Some(options)))
            .await
    }

    /// An answer, or that there is none in time.
    pub(crate) async fn soon<T>(
        &self,
        answer: impl Future<Output = Result<T, etcd_client::Error>>,
    ) -> Result<T, EtcdError> {
        let patience = self.patience;
        match timeout(patience, answer).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(EtcdError::Silent { patience }),
        }
    }
}

/// Shows neither user nor password.
impl fmt::Debug for EtcdConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdConfig")
            .field("endpoints", &self.endpoints)
            .field("prefix", &self.prefix)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
