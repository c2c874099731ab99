//! [`Server`]: a `server` line.

use alloc::string::{String, ToString};
use core::net::IpAddr;
use core::str::FromStr;

use keyroute_core::{NodeId, RouteError};
use xxhash_rust::xxh32::xxh32;

use super::harmless::{is_flag, is_valued};
use super::mix;

/// The greatest weight.
const MAX_WEIGHT: u32 = 256;

/// The greatest id.
const MAX_ID: u32 = i32::MAX as u32;

/// What a server's points are made from: its `hash-key`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashKey {
    /// Its id, of which 20 bits count.
    #[default]
    Id,
    /// All 32 bits of its id (3.4 and later).
    Id32,
    /// Its IP address (3.0 and later).
    Address,
    /// Its IP address and port (3.0 and later).
    AddressAndPort,
    /// Its `guid` (3.4 and later).
    Guid,
}

/// A `server` line, without that word.
///
/// ```
/// use keyroute_interop::haproxy::Server;
///
/// let server: Server = "s1 10.0.0.1:8080 id 7 weight 3 hash-key addr-port check".parse()?;
/// assert_eq!((server.name(), server.id(), server.weight()), ("s1", Some(7), 3));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    name: NodeId,
    address: Option<IpAddr>,
    port: u16,
    id: Option<u32>,
    weight: u32,
    hash_key: HashKey,
    guid: Option<String>,
    disabled: bool,
    backup: bool,
    hashed_twice: bool,
}

impl Server {
    /// Reads `NAME ADDRESS[:PORT] [PARAMETER…]`, a word each; of a parameter said twice the last counts, so that
    /// those of `default-server` lines may stand before a server's own. Parameters that are known not to move
    /// keys while servers are well are passed over, and said to `passed_over`.
    ///
    /// ```
    /// use keyroute_interop::haproxy::Server;
    ///
    /// let mut passed_over = Vec::new();
    /// let words = ["s1", "10.0.0.1:80", "weight", "3", "check", "weight", "5", "inter", "2s"];
    /// let server = Server::from_words(words, |parameter| passed_over.push(parameter))?;
    /// assert_eq!((server.weight(), passed_over.as_slice()), (5, &["check", "inter"][..]));
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a value out of its range, and for a parameter that is not known not to move
    /// keys.
    pub fn from_words<'a>(
        words: impl IntoIterator<Item = &'a str>,
        mut passed_over: impl FnMut(&'a str),
    ) -> Result<Self, RouteError> {
        let mut words = words.into_iter();
        let (Some(name), Some(address)) = (words.next(), words.next()) else {
            return Err(refuse(
                "a line without them",
                "a name, an address, then parameters",
            ));
        };
        let (address, port) = address_of(address);
        let mut server = Self {
            name: NodeId::new(name)?,
            address,
            port,
            id: None,
            weight: 1,
            hash_key: HashKey::Id,
            guid: None,
            disabled: false,
            backup: false,
            hashed_twice: false,
        };
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| refuse(word, "a value behind it"))
            };
            match word {
                "disabled" => server.disabled = true,
                "enabled" => server.disabled = false,
                "backup" => server.backup = true,
                "no-backup" => server.backup = false,
                "id" => {
                    let given = value()?;
                    server.id = given.parse().ok().filter(|id| (1..=MAX_ID).contains(id));
                    if server.id.is_none() {
                        return Err(refuse(given, "an id from 1 to 2147483647"));
                    }
                }
                "weight" => {
                    let given = value()?;
                    let weight = given.parse().ok().filter(|&weight| weight <= MAX_WEIGHT);
                    server.weight =
                        weight.ok_or_else(|| refuse(given, "a weight from 0 to 256"))?;
                }
                "guid" => server.guid = Some(value()?.to_string()),
                "hash-key" => {
                    server.hash_key = match value()? {
                        "id" => HashKey::Id,
                        "id32" => HashKey::Id32,
                        "addr" => HashKey::Address,
                        "addr-port" => HashKey::AddressAndPort,
                        "guid" => HashKey::Guid,
                        other => return Err(refuse(other, "id, id32, addr, addr-port or guid")),
                    }
                }
                "track" => {
                    return Err(refuse(
                        "track",
                        "no track: another server's state is then this one's, and is not read here",
                    ));
                }
                word if is_flag(word) => passed_over(word),
                word if is_valued(word) => {
                    value()?;
                    passed_over(word);
                }
                word => return Err(refuse(word, "parameters that are known not to move keys")),
            }
        }
        Ok(server)
    }

    /// The same with this weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] if it is over 256.
    pub fn with_weight(mut self, weight: u32) -> Result<Self, RouteError> {
        if weight > MAX_WEIGHT {
            return Err(refuse(&weight.to_string(), "a weight from 0 to 256"));
        }
        self.weight = weight;
        Ok(self)
    }

    /// The same with this id, or with the one that its place gives it.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] if it is 0, or over 2147483647.
    pub fn with_id(mut self, id: Option<u32>) -> Result<Self, RouteError> {
        if let Some(id) = id.filter(|id| !(1..=MAX_ID).contains(id)) {
            return Err(refuse(&id.to_string(), "an id from 1 to 2147483647"));
        }
        self.id = id;
        Ok(self)
    }

    /// The same, disabled or not.
    #[must_use]
    pub fn with_disabled(mut self, disabled: bool) -> Self {
        self.disabled = disabled;
        self
    }

    /// The same, as a backup or not.
    #[must_use]
    pub fn with_backup(mut self, backup: bool) -> Self {
        self.backup = backup;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Its id, if one is written.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// Its weight, 0 to 256; 1 unless written.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Its `hash-key`.
    #[must_use]
    pub fn hash_key(&self) -> HashKey {
        self.hash_key
    }

    /// Its IP address, if it is written as one.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Whether it is disabled.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        self.disabled
    }

    /// Whether it gets keys only while all that are no backups are unusable.
    #[must_use]
    pub fn is_backup(&self) -> bool {
        self.backup
    }

    /// Whether it may get keys: it is not disabled, and its weight is not 0.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.disabled && self.weight > 0
    }

    /// The same, placed as 3.0.0 to 3.2 before October 2025 place a server that is known by its id.
    #[must_use]
    pub fn with_id_hashed_twice(mut self) -> Self {
        self.hashed_twice = true;
        self
    }

    pub(super) fn node_id(&self) -> &NodeId {
        &self.name
    }

    /// What its points are made from, by its id as resolved.
    pub(super) fn base(&self, id: u32) -> u32 {
        let by_id = if self.hashed_twice {
            mix(id)
        } else {
            id.wrapping_mul(4096)
        };
        match (self.hash_key, self.address, &self.guid) {
            (HashKey::Id32, ..) => mix(id.swap_bytes()),
            (HashKey::Address, Some(IpAddr::V4(address)), _) => {
                mix(u32::from_le_bytes(address.octets()))
            }
            (HashKey::AddressAndPort, Some(IpAddr::V4(address)), _) => {
                let port = mix(self.port.into());
                mix(port.wrapping_add(u32::from_le_bytes(address.octets())))
            }
            (HashKey::Address, Some(IpAddr::V6(address)), _) => xxh32(&address.octets(), 0),
            (HashKey::AddressAndPort, Some(IpAddr::V6(address)), _) => {
                xxh32(&address.octets(), mix(self.port.into()))
            }
            (HashKey::Guid, _, Some(guid)) => xxh32(guid.as_bytes(), 0),
            // Without an address or a guid it is known by its id after all.
            (HashKey::Id | HashKey::Address | HashKey::AddressAndPort | HashKey::Guid, ..) => by_id,
        }
    }
}

/// The ids of servers in the order of the file: those written, and for the others the next free position.
pub(super) fn resolved_ids(servers: &[Server]) -> Result<alloc::vec::Vec<u32>, RouteError> {
    let mut written: alloc::vec::Vec<u32> = servers.iter().filter_map(|server| server.id).collect();
    written.sort_unstable();
    if let Some(pair) = written.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(RouteError::Parameter {
            name: "id",
            given: alloc::format!("{} twice", pair[0]),
            accepted: "ids that differ",
        });
    }
    let mut next = 1u32;
    Ok(servers
        .iter()
        .map(|server| {
            let id = server.id.unwrap_or_else(|| {
                while written.binary_search(&next).is_ok() {
                    next += 1;
                }
                next
            });
            next += 1;
            id
        })
        .collect())
}

fn refuse(given: &str, accepted: &'static str) -> RouteError {
    RouteError::Parameter {
        name: "server",
        given: given.to_string(),
        accepted,
    }
}

impl FromStr for Server {
    type Err = RouteError;

    /// Reads a line's words as [`from_words`](Self::from_words) does; blanks part them.
    fn from_str(line: &str) -> Result<Self, RouteError> {
        Self::from_words(line.split_ascii_whitespace(), |_| {})
    }
}

/// The IP address, if it is one, and the port, 0 if there is none. What stands behind the last colon is the
/// port, without brackets too.
fn address_of(text: &str) -> (Option<IpAddr>, u16) {
    let text = text
        .strip_prefix("ipv4@")
        .or_else(|| text.strip_prefix("ipv6@"))
        .unwrap_or(text);
    let (host, port) = text.rsplit_once(':').unwrap_or((text, ""));
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    (host.parse().ok(), port.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{HashKey, Server, resolved_ids};

    fn server(line: &str) -> Server {
        line.parse().unwrap()
    }

    #[test]
    fn bases_are_those_of_each_hash_key() {
        let base = |line: &str| server(line).base(1);
        assert_eq!(base("a 10.0.0.1:8080"), 4096);
        assert_eq!(
            server("a 10.0.0.1").with_id_hashed_twice().base(1),
            881_230_262
        );
        assert_eq!(base("a 10.0.0.1:8080 hash-key id32"), 3_959_731_533);
        assert_eq!(base("a 10.0.0.1:8080 hash-key addr"), 1_842_195_262);
        assert_eq!(base("a 10.0.0.1:8080 hash-key addr-port"), 3_490_643_789);
        assert_eq!(base("a [2001:db8::1]:8080 hash-key addr"), 172_839_367);
        assert_eq!(base("a 2001:db8::1:8080 hash-key addr-port"), 1_476_673_540);
        assert_eq!(
            base("a x:1 hash-key guid guid srv:rack1:unit-1"),
            2_251_845_007
        );
        // Nothing to make them from.
        assert_eq!(base("a x:1 hash-key guid"), 4096);
        assert_eq!(base("a name.example:1 hash-key addr"), 4096);
    }

    #[test]
    fn ids_that_are_not_written_are_the_next_free_positions() {
        let ids = |lines: &[&str]| {
            let servers: Vec<Server> = lines.iter().map(|line| server(line)).collect();
            resolved_ids(&servers)
        };
        assert_eq!(ids(&["a x", "b x", "c x"]), Ok([1, 2, 3].into()));
        assert_eq!(ids(&["a x id 2", "b x", "c x"]), Ok([2, 3, 4].into()));
        assert_eq!(ids(&["a x", "b x", "c x id 2"]), Ok([1, 3, 2].into()));
        assert_eq!(
            ids(&["a x", "b x id 9", "c x id 3", "d x"]),
            Ok([1, 9, 3, 4].into())
        );
        assert!(ids(&["a x id 2", "b x id 2"]).is_err());
    }

    #[test]
    fn lines_are_read_as_haproxy_reads_them() {
        let read = server("s1 127.0.0.1:80 check inter 2s weight 256 disabled maxconn 10");
        assert_eq!((read.weight(), read.is_usable()), (256, false));
        assert!(!server("s1 x weight 0").is_usable());
        assert!(server("s1 x backup").is_backup());
        assert!(!server("s1 x backup no-check no-backup").is_backup());
        assert!(server("s1 x disabled enabled").is_usable());
        assert_eq!(server("s1 x weight 3 id 4 weight 5 id 6").weight(), 5);
        assert_eq!(server("s1 x weight 3 id 4 weight 5 id 6").id(), Some(6));
        assert_eq!(
            server("s x hash-key addr-port").hash_key(),
            HashKey::AddressAndPort
        );
        for line in [
            "",
            "s1",
            "s1 x weight",
            "s1 x weight 257",
            "s1 x weight -1",
            "s1 x id 0",
            "s1 x id 2147483648",
            "s1 x hash-key name",
            "s1 x wieght 3",
            "s1 x track b/s",
            "s1 x no-weight",
            "s1 x no-inter 3",
            "s1 x check-sni",
        ] {
            assert!(line.parse::<Server>().is_err(), "{line}");
        }
    }
}
