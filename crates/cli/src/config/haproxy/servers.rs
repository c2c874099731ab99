//! `server`, `default-server` and `server-template` lines.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use keyroute::RouteError;
use keyroute_interop::haproxy::{HashKey, Server};

use super::Ring;
use super::sections::Line;

/// The most servers of a template.
const MAX_TEMPLATE: u32 = 1 << 16;

/// The servers of a backend, as its lines are read.
#[derive(Clone, Debug)]
pub(super) struct Servers {
    ring: Ring,
    /// What `default-server` lines have said so far.
    defaults: Vec<String>,
    pub(super) read: Vec<Server>,
    /// Parameters that are passed over, with their lines.
    pub(super) passed_over: BTreeMap<String, Vec<usize>>,
}

impl Servers {
    pub(super) fn new(ring: Ring) -> Self {
        Self {
            ring,
            defaults: Vec::new(),
            read: Vec::new(),
            passed_over: BTreeMap::new(),
        }
    }

    /// Reads a `default-server` line.
    pub(super) fn default_server(&mut self, line: &Line) -> Result<(), String> {
        check_words(line)?;
        self.defaults.extend_from_slice(&line.words[1..]);
        let server = self.one("default-server", "0.0.0.0", &[], line.number)?;
        match server.id() {
            Some(_) => Err("default-server has an id: write ids at servers".into()),
            None => Ok(()),
        }
    }

    /// Reads a `server` line.
    pub(super) fn server(&mut self, line: &Line) -> Result<(), String> {
        check_words(line)?;
        let [_, name, address, parameters @ ..] = line.words.as_slice() else {
            return Err("server takes a name and an address, then parameters".into());
        };
        let server = self.one(name, address, parameters, line.number)?;
        self.read.push(server);
        Ok(())
    }

    /// Reads a `server-template` line: the servers it stands for.
    pub(super) fn template(&mut self, line: &Line) -> Result<(), String> {
        check_words(line)?;
        let [_, prefix, numbers, address, parameters @ ..] = line.words.as_slice() else {
            return Err(
                "server-template takes a prefix, a number or a range, an address, then parameters"
                    .into(),
            );
        };
        let range = range(numbers)?;
        let first = *range.start();
        for number in range {
            let name = format!("{prefix}{number}");
            let server = self.one(&name, address, parameters, line.number)?;
            if server.hash_key() == HashKey::Guid {
                return Err(
                    "server-template with hash-key guid: which guids they get is not known here"
                        .into(),
                );
            }
            // An id is the first one's; the others take theirs by their places.
            let id = server.id().filter(|_| number == first);
            let server = server.with_id(id).map_err(|error| error.to_string())?;
            self.read.push(server);
        }
        Ok(())
    }

    /// A server that the file does not have, in a new last line that says nothing more.
    ///
    /// # Errors
    ///
    /// [`RouteError`] for a name that no node has.
    pub(super) fn newcomer(&self, name: &str) -> Result<Server, RouteError> {
        let read = Server::from_words(self.words(name, "-", &[]), |_| {});
        Ok(self.as_versions_place(read?))
    }

    /// A server of this name, under the defaults so far.
    fn one(
        &mut self,
        name: &str,
        address: &str,
        parameters: &[String],
        line: usize,
    ) -> Result<Server, String> {
        let mut passed = Vec::new();
        let read = Server::from_words(self.words(name, address, parameters), |parameter| {
            passed.push(parameter.to_owned());
        });
        let server = read.map_err(|error| error.to_string())?;
        for parameter in passed {
            let lines = self.passed_over.entry(parameter).or_default();
            // A template passes many servers, all in one line.
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        check_address(&server, address)?;
        Ok(self.as_versions_place(server))
    }

    fn words<'a>(
        &'a self,
        name: &'a str,
        address: &'a str,
        parameters: &'a [String],
    ) -> impl Iterator<Item = &'a str> {
        let parameters = self.defaults.iter().chain(parameters);
        [name, address]
            .into_iter()
            .chain(parameters.map(String::as_str))
    }

    fn as_versions_place(&self, server: Server) -> Server {
        match self.ring {
            Ring::Usual => server,
            Ring::IdsHashedTwice => server.with_id_hashed_twice(),
        }
    }
}

/// HAProxy reads a server's line up to an empty word.
fn check_words(line: &Line) -> Result<(), String> {
    if line.words.iter().any(String::is_empty) {
        return Err("an empty word, behind which HAProxy reads nothing: leave it out".into());
    }
    Ok(())
}

/// Whether a server's address says all that its `hash-key` reads.
fn check_address(server: &Server, address: &str) -> Result<(), String> {
    let by_port = server.hash_key() == HashKey::AddressAndPort;
    if !by_port && server.hash_key() != HashKey::Address {
        return Ok(());
    }
    let is_path =
        address.starts_with('/') || address.starts_with("unix@") || address.starts_with("abns");
    if server.address().is_none() && !is_path {
        return Err(format!(
            "hash-key reads the address, and {address} is none: write the IP address"
        ));
    }
    if by_port && (address.contains(":+") || address.contains(":-")) {
        return Err(format!(
            "hash-key addr-port reads the port, and that of {address} depends on the client's: write the port"
        ));
    }
    Ok(())
}

/// `N` for 1 to N, or `LOW-HIGH`.
fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (low, high) = text.split_once('-').unwrap_or(("1", text));
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| digits)
    };
    match (number(low), number(high)) {
        (Some(low), Some(high)) if low <= high && high - low < MAX_TEMPLATE => Ok(low..=high),
        (Some(low), Some(high)) if low <= high => Err(format!(
            "server-template {text}: give at most {MAX_TEMPLATE} servers"
        )),
        _ => Err(format!(
            "server-template {text}: give a number over 0, or LOW-HIGH"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn templates_count_from_one_or_in_a_range() {
        assert_eq!(range("3"), Ok(1..=3));
        assert_eq!(range("0-2"), Ok(0..=2));
        assert_eq!(range("7-7"), Ok(7..=7));
        for text in [
            "0", "3-1", "", "-", "1-", "-3", "a", "+3", "1-2-3", "65537", "0-65536",
        ] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
