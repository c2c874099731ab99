//! A web server that says which of its addresses was asked, and a client that sends keys through a proxy.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A web server on one port of every loopback address. It answers each request with the address that was
/// asked, as text.
#[derive(Debug)]
pub struct Origin {
    port: u16,
}

impl Origin {
    /// Starts one that runs until the program ends.
    ///
    /// # Panics
    ///
    /// If no port is free.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind(("0.0.0.0", 0)).unwrap_or_else(|error| panic!("{error}"));
        let port = listener.local_addr().map_or(0, |address| address.port());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || serve(stream));
            }
        });
        Self { port }
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// Answers requests without a body until the other side is gone.
fn serve(stream: TcpStream) -> Option<()> {
    let asked = stream.local_addr().ok()?.ip().to_string();
    // One packet an answer, or each would wait for the last one's acknowledgement.
    stream.set_nodelay(true).ok()?;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{asked}",
        asked.len()
    );
    let mut answers = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        while !matches!(line.as_slice(), b"\r\n") {
            line.clear();
            if lines.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
        }
        answers.write_all(answer.as_bytes()).ok()?;
    }
}

/// A connection to a proxy, kept open.
#[derive(Debug)]
pub struct Client {
    port: u16,
    answers: BufReader<TcpStream>,
    /// Whether it has been answered.
    served: bool,
}

impl Client {
    /// Connects.
    ///
    /// # Panics
    ///
    /// If nobody listens there.
    #[must_use]
    pub fn new(port: u16) -> Self {
        Self {
            port,
            answers: Self::connect(port),
            served: false,
        }
    }

    fn connect(port: u16) -> BufReader<TcpStream> {
        let stream =
            TcpStream::connect(("127.0.0.1", port)).unwrap_or_else(|error| panic!("{error}"));
        // A request is one small packet that waits for its answer.
        stream
            .set_nodelay(true)
            .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
            .unwrap_or_else(|error| panic!("{error}"));
        BufReader::new(stream)
    }

    /// Asks for a target with the key in `X-Key`; gives the address of the origin that answered.
    ///
    /// A proxy that has begun to listen may still close a connection before it serves the first (Envoy did, once in
    /// some hundred starts). So until there was an answer it connects again; from then on a closed connection is a
    /// failure.
    ///
    /// # Panics
    ///
    /// If the answer is not the origin's.
    pub fn ask(&mut self, target: &[u8], key: &[u8]) -> String {
        let began = Instant::now();
        loop {
            if let Some(address) = self.try_ask(target, key) {
                self.served = true;
                return address;
            }
            assert!(
                !self.served && began.elapsed() < PATIENCE,
                "no answer for target {target:x?}, key {key:x?}"
            );
            std::thread::sleep(Duration::from_millis(20));
            self.answers = Self::connect(self.port);
        }
    }

    fn try_ask(&mut self, target: &[u8], key: &[u8]) -> Option<String> {
        let request = [
            b"GET ",
            target,
            b" HTTP/1.1\r\nhost: live\r\nx-key: ",
            key,
            b"\r\n\r\n",
        ];
        self.answers.get_mut().write_all(&request.concat()).ok()?;
        let status = self.line()?;
        let mut length = 0;
        loop {
            let line = self.line()?;
            if line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        self.answers.read_exact(&mut body).ok()?;
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        String::from_utf8(body).ok()
    }

    /// The next line of an answer; `None` at its end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        (self.answers.read_line(&mut line).ok()? > 0).then_some(line)
    }
}

/// The bytes that a header's value may hold in every server here, blanks at the ends and commas aside.
pub const HEADER_BYTES: &[u8] =
    b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:;/?@=<>(){}[]\xc3\xa9\xff";
