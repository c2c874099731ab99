//! Redis servers, and a line to one that can be held up.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::{Folder, Server, free_ports};

/// A Redis server that keeps nothing when it ends.
#[derive(Debug)]
pub struct Redis {
    server: Option<Server>,
    port: u16,
    folder: Folder,
}

impl Redis {
    /// Starts one on a free port.
    ///
    /// # Panics
    ///
    /// If it is not installed or does not start.
    #[must_use]
    pub fn start(name: &str) -> Self {
        let port = free_ports(1)[0];
        let mut redis = Self {
            server: None,
            port,
            folder: Folder::new(&format!("{name}-{port}")),
        };
        redis.start_again();
        redis
    }

    /// So many.
    #[must_use]
    pub fn start_many(name: &str, count: usize) -> Vec<Self> {
        (0..count).map(|_| Self::start(name)).collect()
    }

    /// Starts it again after [`kill`](Self::kill): empty, on its port.
    pub fn start_again(&mut self) {
        let (port, folder) = (self.port.to_string(), self.folder.path().to_owned());
        let folder = folder.to_string_lossy();
        #[rustfmt::skip]
        let arguments = [
            "--port", &port, "--bind", "127.0.0.1", "--dir", &folder, "--save", "", "--appendonly", "no",
            "--logfile", "log",
        ];
        self.server = Some(Server::start("redis-server", &arguments, &[self.port]));
    }

    /// Kills it at once.
    pub fn kill(&mut self) {
        self.server = None;
    }

    /// Stops it: it takes connections and bytes, and does nothing.
    pub fn stop(&self) {
        self.signal("STOP");
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        if let Some(server) = &self.server {
            server.signal(name);
        }
    }

    /// Its port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address as a URL.
    #[must_use]
    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// A connection of its own.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn connection(&self) -> redis::Connection {
        redis::Client::open(self.address())
            .and_then(|client| client.get_connection())
            .unwrap_or_else(|error| panic!("{}: {error}", self.address()))
    }

    /// All keys and their values, asked of the server itself, but for a store's own.
    ///
    /// # Panics
    ///
    /// If it does not answer.
    #[must_use]
    pub fn dump(&self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut connection = self.connection();
        let mut ask = |command: &mut redis::Cmd| -> redis::Value {
            let answer = command.query(&mut connection);
            answer.unwrap_or_else(|error| panic!("{}: {error}", self.address()))
        };
        let (mut cursor, mut all) = (0_u64, BTreeMap::new());
        loop {
            let page = ask(redis::cmd("SCAN").arg(cursor).arg("COUNT").arg(5000));
            let (next, keys): (u64, Vec<Vec<u8>>) = read(page);
            if !keys.is_empty() {
                let values: Vec<Vec<u8>> = read(ask(redis::cmd("MGET").arg(&keys)));
                all.extend(keys.into_iter().zip(values));
            }
            cursor = next;
            if cursor == 0 {
                all.remove(&b"keyroute-kv:mark"[..]);
                return all;
            }
        }
    }
}

fn read<T: redis::FromRedisValue>(value: redis::Value) -> T {
    redis::from_redis_value(value).unwrap_or_else(|error| panic!("{error}"))
}

/// A line to a server, whose bytes can be held up on their way there.
#[derive(Debug)]
pub struct Line {
    port: u16,
    held: Arc<Mutex<Vec<Arc<AtomicBool>>>>,
    opened: Arc<AtomicUsize>,
}

impl Line {
    /// A line to this port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// If none can be had.
    #[must_use]
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
        let port = listener.local_addr().map_or(0, |it| it.port());
        let line = Self {
            port,
            held: Arc::default(),
            opened: Arc::default(),
        };
        let (held, opened) = (line.held.clone(), line.opened.clone());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue; // the client's end closes
                };
                let hold = Arc::new(AtomicBool::new(false));
                if let Ok(mut held) = held.lock() {
                    held.push(hold.clone());
                }
                opened.fetch_add(1, SeqCst);
                for (from, to, hold) in [
                    (client.try_clone(), server.try_clone(), hold),
                    (Ok(server), Ok(client), Arc::default()),
                ] {
                    if let (Ok(from), Ok(to)) = (from, to) {
                        thread::spawn(move || pass_on(from, to, &hold));
                    }
                }
            }
        });
        line
    }

    /// Its address as a Redis server's.
    #[must_use]
    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// How many connections there have been.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.opened.load(SeqCst)
    }

    /// Whether what is sent on the connections that there are now stays on its way.
    pub fn hold(&self, hold: bool) {
        if let Ok(held) = self.held.lock() {
            held.iter().for_each(|it| it.store(hold, SeqCst));
        }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, hold: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        while hold.load(SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write); // it may be closed already
    let _ = from.shutdown(Shutdown::Read);
}
