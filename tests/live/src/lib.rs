//! What live tests share: servers that end with the test, free ports, fresh keys.
//!
//! A server that is not installed is a failure with its name, never a skipped test. What the installed
//! version of one lacks is printed by the test `installed`.

#[cfg(feature = "servers")]
mod command;
pub mod etcd;
pub mod haproxy;
pub mod http;
pub mod libmemcached;
#[cfg(feature = "servers")]
pub mod redis;
mod version;
pub mod wire;

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use keyroute_core::buckets::word;

#[cfg(feature = "servers")]
pub use command::command;
pub use version::{Version, about, version};

/// How long a server may take to begin to listen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that runs until this is dropped. It must be one process: what it starts itself would stay.
#[derive(Debug)]
pub struct Server {
    child: Child,
    name: String,
}

impl Server {
    /// Starts a program with these arguments, and waits until all these ports of 127.0.0.1 accept.
    ///
    /// # Panics
    ///
    /// If the program is not installed, ends, or does not listen in time. Its output goes to the test's.
    #[must_use]
    pub fn start(program: &str, arguments: &[&str], ports: &[u16]) -> Self {
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}; `.ci/run live` installs it"));
        let mut server = Self {
            child,
            name: program.into(),
        };
        for &port in ports {
            server.wait_for(port);
        }
        server
    }

    /// Sends it a signal of this name, `STOP` for example.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    fn wait_for(&mut self, port: u16) {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!("{} ended with {status}", self.name);
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{} does not listen on port {port}",
                self.name
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Sends a process a signal of this name.
///
/// # Panics
///
/// If that fails.
pub fn signal(process: u32, name: &str) {
    // The shell's own: a program of this name need not be there.
    let kill = format!("kill -{name} {process}");
    let status = Command::new("sh").args(["-c", &kill]).status();
    let sent = status.is_ok_and(|status| status.success());
    assert!(sent, "kill -{name} {process}");
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As many different free ports of 127.0.0.1, which no other call in this program gets.
///
/// They are below those that systems give to outgoing connections: one of these could take a port before
/// the server does.
///
/// # Panics
///
/// If there are none.
#[must_use]
pub fn free_ports(count: usize) -> Vec<u16> {
    const PORTS: std::ops::Range<u32> = 10_000..32_000;
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let begin = std::process::id();
    let ports: Vec<u16> = PORTS
        .map(|_| {
            let tried = TRIED.fetch_add(1, Ordering::Relaxed);
            PORTS.start + begin.wrapping_add(tried) % (PORTS.end - PORTS.start)
        })
        .filter_map(|port| u16::try_from(port).ok())
        .filter(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok())
        .take(count)
        .collect();
    assert_eq!(ports.len(), count, "so few ports are free");
    ports
}

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new empty folder for the test of this name.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("keyroute-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Random numbers under a seed that is new each time, unless `KEYROUTE_SEED` sets it. It is printed: a
/// failing test shows it.
#[derive(Debug)]
pub struct Fresh {
    seed: u64,
    drawn: u64,
}

impl Fresh {
    /// Numbers of a new seed.
    ///
    /// # Panics
    ///
    /// If `KEYROUTE_SEED` is set to something else than a number.
    #[must_use]
    pub fn new() -> Self {
        let seed = match std::env::var("KEYROUTE_SEED") {
            Ok(seed) => seed
                .parse()
                .unwrap_or_else(|_| panic!("KEYROUTE_SEED is {seed:?}: give a number")),
            Err(_) => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| {
                    word(since.as_secs(), since.subsec_nanos().into())
                }),
        };
        println!("KEYROUTE_SEED={seed}");
        Self { seed, drawn: 0 }
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.drawn += 1;
        word(self.seed, self.drawn)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// A key of up to `longest` of these bytes.
    pub fn key(&mut self, alphabet: &[u8], longest: usize) -> Vec<u8> {
        let length = 1 + self.below(longest as u64);
        (0..length)
            .filter_map(|_| {
                let at = usize::try_from(self.below(alphabet.len() as u64)).ok()?;
                alphabet.get(at).copied()
            })
            .collect()
    }
}

impl Default for Fresh {
    fn default() -> Self {
        Self::new()
    }
}
