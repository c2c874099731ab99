//! [`Discovery`]: a source, a damper and time, joined.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use keyroute_cluster::Cluster;
use keyroute_core::Walk;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::{Damper, Damping, Feed, Membership, News, Outcome, Peer, Report, Source};

/// A source, damped: tells who is a member, whenever that is something else.
///
/// It does nothing until [`feed`](Self::feed) or [`run`](Self::run) is awaited, most often in a task of its own; these go
/// on until they are dropped. Time is Tokio's, so tests that pause it need no sleep.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use keyroute_discovery::{Cluster, Damping, Discovery, WatchedFile};
/// use keyroute_vector_ring::VectorRing;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("fleet.toml");
/// # std::fs::write(&path, "[[nodes]]\nid = \"cache-1\"\naddress = \"10.0.0.1:11211\"\n")?;
/// let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
/// let discovery = Discovery::new(WatchedFile::new(path)?)
///     .with_damping(Damping::default().with_grace(Duration::from_secs(60)).with_max_loss(50));
/// let release = discovery.release(); // for the operator who knows better
/// let task = tokio::spawn(discovery.feed(Arc::clone(&cluster), |report| eprintln!("{report}")));
///
/// # tokio::time::sleep(Duration::from_secs(5)).await;
/// let now = cluster.load();
/// assert_eq!(now.pick(b"user:1")?.payload(), "10.0.0.1:11211");
/// # drop(release);
/// # task.abort();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Discovery<S> {
    source: S,
    damper: Damper,
    damping: Damping,
    release: Release,
}

/// What [`Discovery::run`] tells.
#[derive(Debug)]
pub enum Event<'a> {
    /// These are the members now.
    Members(&'a Membership),
    /// Something that an operator may want to know.
    Report(Report),
}

/// Lets absent members leave, however many they are: see [`Damper::release`]. Clones are one.
///
/// [`Discovery`] shows one.
#[derive(Clone, Default)]
pub struct Release(Arc<Notify>);

impl Release {
    /// Those that are absent now may leave. Before discovery runs, it is done when it does.
    pub fn now(&self) {
        self.0.notify_one();
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Release")
    }
}

/// Why discovery was woken.
enum Woken {
    News(News),
    Time,
    Release,
}

impl<S: Source> Discovery<S> {
    /// This source, damped as by default.
    #[must_use]
    pub fn new(source: S) -> Self {
        let damping = Damping::default();
        Self {
            source,
            damper: Damper::new(damping),
            damping,
            release: Release::default(),
        }
    }

    /// The same, damped so.
    #[must_use]
    pub fn with_damping(self, damping: Damping) -> Self {
        let damper = Damper::with_members(damping, self.damper.members().clone());
        Self {
            damper,
            damping,
            ..self
        }
    }

    /// The same, with members that are known already: told at once, and absent if the source does not see them.
    ///
    /// ```
    /// use keyroute_discovery::{Discovery, Event, Membership, Peer, StaticList};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let known: Membership = [Peer::new("a", "10.0.0.1:80")?].into_iter().collect();
    /// let silent = StaticList::new(Membership::new());
    /// let mut told = Vec::new();
    /// let run = Discovery::new(silent).with_members(known).run(|event| {
    ///     if let Event::Members(members) = event {
    ///         told.push(members.len());
    ///     }
    /// });
    /// let _ = tokio::time::timeout(std::time::Duration::from_secs(3600), run).await;
    /// assert_eq!(told, [1]); // an empty answer is not believed
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_members(self, members: Membership) -> Self {
        let damper = Damper::with_members(self.damping, members);
        Self { damper, ..self }
    }

    /// What lets absent members leave, however many they are.
    #[must_use]
    pub fn release(&self) -> Release {
        self.release.clone()
    }

    /// Makes the list of a cluster what the source says; the payload of a member is its address.
    ///
    /// What is reported is for a log. It is called between changes, so it should not take long.
    pub async fn feed<R: Walk + Send + Sync>(
        self,
        cluster: Arc<Cluster<R, String>>,
        report: impl FnMut(Report) + Send,
    ) {
        let address = |peer: &Peer| peer.address().to_owned();
        self.feed_with(Feed::new(cluster, address), report).await;
    }

    /// The same for a feed of your own, with other payloads, say.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use keyroute_discovery::{Cluster, Discovery, Feed, Peer, StaticList};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let list = StaticList::new([Peer::new("a", "10.0.0.1:80")?].into_iter().collect());
    /// let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| None));
    /// let feed = Feed::new(Arc::clone(&cluster), |peer: &Peer| peer.address().parse::<std::net::SocketAddr>().ok());
    /// let task = tokio::spawn(Discovery::new(list).feed_with(feed, |report| eprintln!("{report}")));
    /// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    /// assert_eq!(cluster.load().pick(b"user:1")?.payload().unwrap().port(), 80);
    /// # task.abort();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn feed_with<R, T, P>(
        self,
        mut feed: Feed<R, T, P>,
        mut report: impl FnMut(Report) + Send,
    ) where
        R: Walk + Send + Sync,
        T: PartialEq + Send + Sync,
        P: FnMut(&Peer) -> T + Send,
    {
        self.run(|event| match event {
            Event::Members(members) => feed.set(members, &mut report),
            Event::Report(it) => report(it),
        })
        .await;
    }

    /// Tells of members and whatever else there is to tell, for programs without a [`Cluster`]. Reports come before the
    /// members that follow from them.
    pub async fn run(self, mut tell: impl FnMut(Event<'_>) + Send) {
        let Self {
            mut source,
            mut damper,
            damping,
            release,
        } = self;
        let began = Instant::now();
        // When members that are not told yet shall be.
        let mut due = None;
        let mut told = !damper.members().is_empty();
        if told {
            tell(Event::Members(damper.members()));
        }
        loop {
            // Awaited to its end, whatever else happens meanwhile: no source need mind being interrupted.
            let mut next = pin!(source.next());
            loop {
                let deadline = damper.deadline().and_then(|at| began.checked_add(at));
                let deadline = due.into_iter().chain(deadline).min();
                let woken = wait(&mut next, deadline, &release).await;
                let now = Instant::now();
                let elapsed = now.duration_since(began);
                let is_news = matches!(woken, Woken::News(_));
                let Outcome { changed, reports } = match woken {
                    Woken::News(News::Seen(sighting)) => damper.see(elapsed, sighting),
                    Woken::News(News::Lost(error)) => damper.lose(elapsed, error),
                    Woken::Time => damper.tick(elapsed),
                    Woken::Release => damper.release(elapsed),
                };
                for report in reports {
                    tell(Event::Report(report));
                }
                if changed && due.is_none() {
                    // A time that no clock reaches is none: then they are gathered for ever.
                    let gathered = || now.checked_add(damping.gather);
                    due = if told { gathered() } else { Some(now) };
                }
                if due.is_some_and(|due| due <= now) {
                    due = None;
                    told = true;
                    tell(Event::Members(damper.members()));
                }
                if is_news {
                    break;
                }
            }
        }
    }
}

/// Waits for whatever comes first. News before time: who returns in the last moment does not leave.
async fn wait(
    next: &mut (impl Future<Output = News> + Unpin),
    deadline: Option<Instant>,
    release: &Release,
) -> Woken {
    let mut released = pin!(release.0.notified());
    let mut time = pin!(async {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    });
    let mut next = pin!(next);
    poll_fn(|context| {
        if let Poll::Ready(news) = next.as_mut().poll(context) {
            return Poll::Ready(Woken::News(news));
        }
        if released.as_mut().poll(context).is_ready() {
            return Poll::Ready(Woken::Release);
        }
        time.as_mut().poll(context).map(|()| Woken::Time)
    })
    .await
}
