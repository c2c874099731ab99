//! A wire to a server, that a test can cut or make slow.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A port of 127.0.0.1 from which bytes go to a server's, and back.
#[derive(Debug)]
pub struct Wire {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    cut: bool,
    delay: Duration,
    streams: Vec<TcpStream>,
}

impl Wire {
    /// A wire to this port, until the program ends.
    ///
    /// # Panics
    ///
    /// If no port is free.
    #[must_use]
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap_or_else(|it| panic!("{it}"));
        let port = listener.local_addr().map_or(0, |address| address.port());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that is not there is a connection that ends.
                let _ = join(client, server, &shared);
            }
        });
        Self { port, state }
    }

    /// Where it begins, for clients.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Ends all connections, and those that come until it is [mended](Self::mend).
    pub fn cut(&self) {
        let mut state = lock(&self.state);
        state.cut = true;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets connections be made again.
    pub fn mend(&self) {
        lock(&self.state).cut = false;
    }

    /// From now on what is sent arrives so much later, in both directions.
    pub fn delay(&self, delay: Duration) {
        lock(&self.state).delay = delay;
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn join(client: TcpStream, server: u16, state: &Arc<Mutex<State>>) -> std::io::Result<()> {
    if lock(state).cut {
        return Ok(());
    }
    let server = TcpStream::connect(("127.0.0.1", server))?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
        lock(state).streams.push(stream.try_clone()?);
    }
    for (from, to) in [(client.try_clone()?, server.try_clone()?), (server, client)] {
        let state = Arc::clone(state);
        thread::spawn(move || carry(from, to, &state));
    }
    Ok(())
}

fn carry(mut from: TcpStream, mut to: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut bytes).ok().filter(|&count| count > 0);
        let Some(count) = count else {
            let _ = to.shutdown(Shutdown::Both);
            return None;
        };
        let delay = lock(state).delay;
        thread::sleep(delay);
        to.write_all(&bytes[..count]).ok()?;
    }
}
