//! [`EtcdError`]: what etcd, or the way there, says.

use std::time::Duration;

use thiserror::Error;

/// What etcd, or the way there, says.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EtcdError {
    /// A prefix that is empty, or no endpoint.
    #[error("{what} is empty: give at least one {of}")]
    Empty {
        /// What is empty.
        what: &'static str,
        /// What there must be one of.
        of: &'static str,
    },
    /// The client's own error: no connection, a refusal, a server without a leader.
    #[error("etcd: {0}")]
    Client(#[source] Box<etcd_client::Error>),
    /// No answer in time.
    #[error("etcd does not answer within {patience:?}")]
    Silent {
        /// How long was waited.
        patience: Duration,
    },
    /// The server ended a watch.
    #[error("etcd ended the watch: {reason}")]
    Ended {
        /// Why, as it says.
        reason: String,
    },
    /// An answer that lacks what the protocol says it has.
    #[error("etcd's answer lacks {what}")]
    Incomplete {
        /// What it lacks.
        what: &'static str,
    },
}

impl From<etcd_client::Error> for EtcdError {
    fn from(error: etcd_client::Error) -> Self {
        Self::Client(Box::new(error))
    }
}
