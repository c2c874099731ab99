//! nginx's `hash` directive in an `upstream` block: [`Consistent`] for `hash KEY consistent;`, [`Modulo`]
//! for `hash KEY;`.
//!
//! Source: `src/http/modules/ngx_http_upstream_hash_module.c` and `ngx_http_upstream_round_robin.c`, 1.22.1
//! to 1.31, which route alike.
//!
//! A server is known by the first argument of its line, byte for byte: `10.0.0.1` and `10.0.0.1:80` reach one
//! socket and route differently. nginx asks no hash at all for the empty key, and takes the servers in
//! turn; here the empty key is hashed like another, so do not ask for it.
//!
//! ```
//! use keyroute_interop::{Router, nginx};
//!
//! let upstream = nginx::Consistent::new([
//!     "10.0.0.1:8080".parse::<nginx::Server>()?,
//!     "10.0.0.2 weight=2".parse()?,
//!     "web-c.example:80".parse()?,
//! ])?;
//! assert_eq!(upstream.route_id(b"alpha").unwrap(), "web-c.example:80");
//! assert_eq!(upstream.route_id(b"user-1").unwrap(), "10.0.0.2");
//! # Ok::<(), keyroute_interop::RouteError>(())
//! ```

use alloc::string::{String, ToString};
use core::net::IpAddr;
use core::str::FromStr;

use keyroute_core::{NodeId, RouteError, Weight};

mod consistent;
mod modulo;

pub use consistent::{Consistent, Points};
pub use modulo::Modulo;

/// How many points or rounds nginx looks at after the first before it forgets the hash.
const RETRIES: usize = 20;

/// A `server` line, without the word `server`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    name: NodeId,
    weight: Weight,
    down: bool,
    addresses: u32,
}

impl Server {
    /// The first argument, as written.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// `weight=`, 1 unless said.
    #[must_use]
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// Whether it is known by a name, of which DNS may give several addresses: no IP address and no socket.
    ///
    /// ```
    /// use keyroute_interop::nginx::Server;
    ///
    /// let is_named = |line: &str| Ok::<_, keyroute_interop::RouteError>(line.parse::<Server>()?.is_named());
    /// assert!(is_named("web-c.example:80")?);
    /// assert!(!is_named("10.0.0.1")? && !is_named("[::1]:80")? && !is_named("unix:/tmp/a.sock")?);
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    #[must_use]
    pub fn is_named(&self) -> bool {
        let (host, _) = host_and_port(self.name.as_bytes());
        let host = core::str::from_utf8(host).unwrap_or_default();
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        !is_socket(self.name.as_bytes()) && bare.unwrap_or(host).parse::<IpAddr>().is_err()
    }

    /// Whether it is marked `down`: it keeps its place and gets no key.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.down
    }

    /// The same with this weight.
    #[must_use]
    pub fn with_weight(mut self, weight: Weight) -> Self {
        self.weight = weight;
        self
    }

    /// The same, resolving to so many addresses (1 unless said). They change nothing of a consistent hash,
    /// and count one by one under modulo.
    #[must_use]
    pub fn with_addresses(mut self, addresses: u32) -> Self {
        self.addresses = addresses.max(1);
        self
    }
}

impl FromStr for Server {
    type Err = RouteError;

    /// Reads `NAME [weight=N] [down] …`, up to a `;` if there is one. Parameters that do not change where a key goes while servers are well are
    /// passed over; `backup`, which nginx refuses beside `hash`, is refused.
    fn from_str(line: &str) -> Result<Self, RouteError> {
        let refuse = |given: &str, accepted| RouteError::Parameter {
            name: "server",
            given: given.to_string(),
            accepted,
        };
        let line = line.trim();
        let mut words = line
            .strip_suffix(';')
            .unwrap_or(line)
            .split_ascii_whitespace();
        let name = words
            .next()
            .ok_or_else(|| refuse(line, "an address, then parameters"))?;
        let mut server = Self {
            name: NodeId::new(name)?,
            weight: Weight::ONE,
            down: false,
            addresses: 1,
        };
        for word in words {
            match word.split_once('=') {
                None if word == "down" => server.down = true,
                None if word == "resolve" || word == "drain" => {}
                Some(("weight", weight)) => {
                    let weight = weight
                        .parse()
                        .map_err(|_| refuse(word, "weight= and a whole number from 1"))?;
                    server.weight = Weight::new(weight)?;
                }
                Some((
                    "max_conns" | "max_fails" | "fail_timeout" | "slow_start" | "route" | "service"
                    | "sid",
                    _,
                )) => {}
                None if word == "backup" => {
                    return Err(refuse(
                        word,
                        "parameters other than backup: hash forbids it",
                    ));
                }
                _ => {
                    return Err(refuse(
                        word,
                        "weight=, down, max_conns=, max_fails=, fail_timeout=, slow_start=, \
                         route=, service=, sid=, resolve, drain",
                    ));
                }
            }
        }
        Ok(server)
    }
}

/// A name's part before the port, and the port; without a port it is empty.
fn host_and_port(name: &[u8]) -> (&[u8], &[u8]) {
    if is_socket(name) {
        return (&name[5..], b"");
    }
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let (rest, port) = name.split_at(name.len() - digits.count());
    match rest.split_last() {
        Some((b':', host)) => (host, port),
        _ => (name, b""),
    }
}

fn is_socket(name: &[u8]) -> bool {
    name.get(..5)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"unix:"))
}

/// The names of the servers that are down, for descriptions.
fn down_names<'a>(servers: impl Iterator<Item = &'a Server>) -> String {
    let mut names = String::new();
    for server in servers.filter(|server| server.down) {
        names.push_str(server.name());
        names.push('\n');
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{Server, host_and_port};

    #[test]
    fn ports_are_digits_behind_the_last_colon() {
        let split = |name: &'static str| {
            let (host, port) = host_and_port(name.as_bytes());
            (
                core::str::from_utf8(host).ok(),
                core::str::from_utf8(port).ok(),
            )
        };
        for (name, host, port) in [
            ("10.0.0.1:8080", "10.0.0.1", "8080"),
            ("10.0.0.1", "10.0.0.1", ""),
            ("10.0.0.1:0081", "10.0.0.1", "0081"),
            ("a:", "a", ""),
            ("[::1]:8080", "[::1]", "8080"),
            ("[::1]", "[::1]", ""),
            ("::1", ":", "1"),
            ("node7", "node7", ""),
            ("123", "123", ""),
            (":80", "", "80"),
            ("unix:/tmp/a.sock", "/tmp/a.sock", ""),
            ("UNIX:/tmp/a:80", "/tmp/a:80", ""),
            ("unix", "unix", ""),
        ] {
            assert_eq!(split(name), (Some(host), Some(port)), "{name}");
        }
    }

    #[test]
    fn lines_are_read_as_nginx_reads_them() {
        let server: Server = " a.example:80  weight=5 max_fails=3 down;".parse().unwrap();
        assert_eq!(server.name(), "a.example:80");
        assert_eq!((server.weight().get(), server.is_down()), (5, true));
        for (line, says) in [
            ("", "server is : give an address"),
            ("a weight=0", "weight"),
            ("a weight=x", "weight=x"),
            ("a weight=-1", "weight=-1"),
            ("a backup", "backup"),
            ("a wieght=3", "wieght=3"),
        ] {
            let error = line.parse::<Server>().unwrap_err();
            let error = alloc::string::ToString::to_string(&error);
            assert!(error.contains(says), "{line}: {error}");
        }
    }
}
