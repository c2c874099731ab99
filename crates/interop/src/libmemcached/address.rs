//! [`Address`]: a server as libmemcached reads it, and its label.

use alloc::format;
use alloc::string::{String, ToString};

use keyroute_core::{Node, NodeId, RouteError};

/// The port that labels leave out.
const DEFAULT_PORT: u16 = 11211;

/// Sorts servers as `SORT_HOSTS` does: by the bytes of the host, then by port.
///
/// # Errors
///
/// [`RouteError::Unplaceable`] for an id whose port is over 65535; the list is as it was.
pub fn sort_hosts(servers: &mut [Node]) -> Result<(), RouteError> {
    for server in &*servers {
        Address::of(server.id())?;
    }
    servers.sort_by(|a, b| {
        let key = |node: &Node| {
            Address::of(node.id())
                .map(|address| (address.host.to_string(), address.port))
                .ok()
        };
        key(a).cmp(&key(b))
    });
    Ok(())
}

/// What libmemcached knows of a server.
pub(super) struct Address<'a> {
    host: &'a str,
    port: u16,
}

impl<'a> Address<'a> {
    /// Reads an id.
    pub(super) fn of(id: &'a NodeId) -> Result<Self, RouteError> {
        let text = id.as_str();
        let is_path = text.starts_with('/');
        let whole = Self {
            host: text,
            port: if is_path { 0 } else { DEFAULT_PORT },
        };
        let bare = |host: &'a str| {
            let inner = host
                .strip_prefix('[')
                .and_then(|host| host.strip_suffix(']'));
            inner.unwrap_or(host)
        };
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port))
                if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                (host, port)
            }
            _ => {
                return Ok(Self {
                    host: bare(text),
                    ..whole
                });
            }
        };
        // Colons before the last are IPv6's, which without brackets has no port.
        if host.contains(':') && !host.ends_with(']') && !is_path {
            return Ok(whole);
        }
        let port = port.parse().map_err(|_| RouteError::Unplaceable {
            id: id.clone(),
            reason: "has no port of 16 bits after its last colon: give 0 to 65535",
        })?;
        Ok(Self {
            host: bare(host),
            port,
        })
    }

    /// The label without its index.
    pub(super) fn label(&self, spy: bool) -> String {
        let Self { host, port } = self;
        if spy {
            format!("/{host}:{port}")
        } else if *port == DEFAULT_PORT {
            (*host).into()
        } else {
            format!("{host}:{port}")
        }
    }
}
