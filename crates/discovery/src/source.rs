//! [`Source`]: who says who is a member.

use std::error::Error;
use std::future::Future;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::{MAX_FILE_LEN, Sighting};

/// Who says who is a member: etcd, a file, a list, or your own.
///
/// A source tells whole states, never parts of one: what it says replaces what it said before.
///
/// ```
/// use keyroute_discovery::{News, Peer, Sighting, Source, SourceError};
///
/// /// Asks the resolver every half minute.
/// struct Names {
///     host: &'static str,
///     asked: bool,
/// }
///
/// impl Source for Names {
///     async fn next(&mut self) -> News {
///         if std::mem::replace(&mut self.asked, true) {
///             tokio::time::sleep(std::time::Duration::from_secs(30)).await;
///         }
///         match tokio::net::lookup_host((self.host, 80)).await {
///             Ok(found) => {
///                 let addresses = found.map(|address| address.to_string());
///                 News::Seen(Sighting::of(addresses.filter_map(|text| Peer::new(&text, &text).ok())))
///             }
///             Err(error) => News::Lost(SourceError::Other(error.into())),
///         }
///     }
/// }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let mut names = Names { host: "127.0.0.1", asked: false };
/// let News::Seen(seen) = names.next().await else { panic!() };
/// assert_eq!(seen.members().get("127.0.0.1:80").unwrap().weight(), 1);
/// # });
/// ```
pub trait Source {
    /// Waits for what is new: at the first call the state as it is, later another one. Whoever says nothing new any more
    /// never returns. The future is always awaited to its end, or dropped together with the source.
    fn next(&mut self) -> impl Future<Output = News> + Send;
}

/// What a source says.
#[derive(Debug)]
pub enum News {
    /// These are the members now, all of them.
    Seen(Sighting),
    /// Who is a member cannot be seen at the moment. The source goes on trying.
    Lost(SourceError),
}

/// Why a source cannot see who is a member.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file that cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A file that is no list of members.
    #[error("{}: {problem}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// A file over [`MAX_FILE_LEN`].
    #[error("{} is over {MAX_FILE_LEN} bytes: split the fleet", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// A file whose name says no format that is known.
    #[error("{} ends neither in .json nor in .toml: say its format", path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// etcd cannot be reached, or refuses.
    #[cfg(feature = "etcd")]
    #[error(transparent)]
    Etcd(#[from] crate::EtcdError),
    /// What a source of your own says.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}
