//! [`WatchedFile`]: members from a file that changes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::sleep;

use crate::file_content::{Look, Settling, Verdict, read};
use crate::{News, Source, SourceError};

/// The longest file, 16 MiB: room for the most members that are known by default, with addresses of 200 bytes.
pub const MAX_FILE_LEN: u64 = 16 << 20;

/// How often a file is looked at, unless set.
pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);

/// How long after a look that saw something else the next one comes, at most.
const SETTLE: Duration = Duration::from_millis(100);

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// A list of tables `{"id":…,"address":…,"weight":…,"zone":…}`, or a table that has it under `nodes`.
    Json,
    /// Tables `[[nodes]]` with the same fields: what is in a fleet file of the `keyroute` command.
    Toml,
}

/// Members from a file: read again when it is something else.
///
/// It is looked at by its name every second, and read whole: so it does not matter whether it is written in place,
/// replaced by another of the same name, or reached through links that are swapped, nor whether the file system says when
/// something changed. What a look sees is believed when the next one, a tenth of a second later, sees the same: so no
/// half of a file is taken for a file. A file that is gone, or is no list, is reported, and the members stay.
///
/// Cost: one read of the file every second, on a thread for such work, and twice the file in memory.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_discovery::{FileFormat, News, Source, WatchedFile};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("fleet.toml");
/// std::fs::write(&path, "[[nodes]]\nid = \"a\"\naddress = \"10.0.0.1:80\"\n")?;
/// let mut file = WatchedFile::new(&path)?.with_interval(Duration::from_millis(500));
/// let News::Seen(seen) = file.next().await else { panic!() };
/// assert_eq!(seen.members().get("a").unwrap().address(), "10.0.0.1:80");
///
/// assert!(WatchedFile::new("fleet.yaml").is_err());
/// let named_otherwise = WatchedFile::with_format("fleet.conf", FileFormat::Json);
/// # drop(named_otherwise);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct WatchedFile {
    path: PathBuf,
    format: FileFormat,
    interval: Duration,
    settling: Settling,
    /// How long to wait before the next look.
    wait: Duration,
}

impl WatchedFile {
    /// The file at this path, in the format that its ending says. It need not be there yet.
    ///
    /// # Errors
    ///
    /// [`SourceError::Format`] if the ending says none.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, SourceError> {
        let path = path.into();
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending {
            Some("json") => Ok(Self::with_format(path, FileFormat::Json)),
            Some("toml") => Ok(Self::with_format(path, FileFormat::Toml)),
            _ => Err(SourceError::Format { path }),
        }
    }

    /// The file at this path, in this format.
    #[must_use]
    pub fn with_format(path: impl Into<PathBuf>, format: FileFormat) -> Self {
        Self {
            path: path.into(),
            format,
            interval: DEFAULT_INTERVAL,
            settling: Settling::default(),
            wait: Duration::ZERO,
        }
    }

    /// The same, looked at so often; [`DEFAULT_INTERVAL`] unless set, and a millisecond at least.
    #[must_use]
    pub fn with_interval(self, interval: Duration) -> Self {
        let interval = interval.max(Duration::from_millis(1));
        Self { interval, ..self }
    }

    /// One look, on a thread that may wait for disks and networks.
    async fn look(&self) -> (Look, Option<io::Error>) {
        let path = self.path.clone();
        let bytes = tokio::task::spawn_blocking(move || bytes(&path)).await;
        // It fails only if it panicked, or the runtime ends.
        match bytes.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok(bytes) => (Ok(bytes), None),
            Err(error) => (Err(error.kind().to_string()), Some(error)),
        }
    }

    fn news(&self, look: &Look, error: Option<io::Error>) -> News {
        let path = || self.path.clone();
        let problem = match (look, error) {
            (_, Some(error)) => SourceError::Read {
                path: path(),
                error,
            },
            (Ok(bytes), None) if bytes.len() as u64 > MAX_FILE_LEN => {
                SourceError::TooLong { path: path() }
            }
            (Ok(bytes), None) => match read(self.format, bytes) {
                Ok(sighting) => return News::Seen(sighting),
                Err(problem) => SourceError::Text {
                    path: path(),
                    problem,
                },
            },
            (Err(problem), None) => SourceError::Text {
                path: path(),
                problem: problem.clone(),
            },
        };
        News::Lost(problem)
    }
}

impl Source for WatchedFile {
    async fn next(&mut self) -> News {
        loop {
            sleep(self.wait).await;
            let (look, error) = self.look().await;
            // Put back below: what is said of it needs the rest of `self`.
            let mut settling = std::mem::take(&mut self.settling);
            let news = match settling.look(look) {
                Verdict::Same => {
                    self.wait = self.interval;
                    None
                }
                Verdict::Unsettled => {
                    self.wait = self.interval.min(SETTLE);
                    None
                }
                Verdict::Now(look) => {
                    self.wait = self.interval;
                    Some(self.news(look, error))
                }
            };
            self.settling = settling;
            if let Some(news) = news {
                return news;
            }
        }
    }
}

/// The bytes of a file; one more than is allowed, if it is longer.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_FILE_LEN + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
