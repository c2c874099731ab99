//! [`Balanced`]: a backend under a `balance` line.

use keyroute_core::{Description, Explanation, Members, Router, Slot};

use super::{Backend, Balance};

/// A [`Backend`] whose keys are what a request says under its `balance` line: targets, addresses, values.
///
/// A key that HAProxy does not hash, for which it takes servers in turn, has no owner.
///
/// Cost: as the backend.
///
/// ```
/// use keyroute_interop::{Router, haproxy::{Backend, Balance, Balanced}};
///
/// let servers = ["s1 10.0.0.1:80".parse()?, "s2 10.0.0.2:80".parse()?];
/// let backend = Backend::new("consistent".parse()?, servers)?;
/// let plain = backend.route(b"/images").unwrap();
/// let balanced = Balanced::new("uri depth 1".parse()?, backend);
/// assert_eq!(balanced.route(b"/images/1.png?size=3"), Some(plain));
/// assert_eq!(balanced.route(b"?"), None);
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Balanced {
    balance: Balance,
    backend: Backend,
}

impl Balanced {
    /// A backend under this line.
    #[must_use]
    pub fn new(balance: Balance, backend: Backend) -> Self {
        Self { balance, backend }
    }

    /// The line.
    #[must_use]
    pub fn balance(&self) -> Balance {
        self.balance
    }

    /// The backend.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.backend
    }
}

impl Router for Balanced {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        let hash = self.balance.hash(self.backend.hash_type().key, key)?;
        self.backend.route_hash(hash)
    }

    fn members(&self) -> &Members {
        self.backend.members()
    }

    fn describe(&self) -> Description {
        let mut description = self.backend.describe();
        description.field("balance", self.balance);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.backend.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let why = Explanation::of(self, key).noted("balance", self.balance);
        let key_hash = self.backend.hash_type().key;
        match self.balance.hash(key_hash, key) {
            None => why.refused("HAProxy does not hash it, and takes servers in turn"),
            Some(hash) => self
                .backend
                .explain_hash(why.hashed(&key_hash, hash), hash, next),
        }
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::Router;

    use super::Balanced;
    use crate::haproxy::{Backend, Server};

    #[test]
    fn what_is_hashed_is_part_of_the_fingerprint() {
        let balanced = |balance: &str| {
            let servers = ["a x", "b x"].map(|line| line.parse::<Server>().unwrap());
            let backend = Backend::new("consistent".parse().unwrap(), servers).unwrap();
            Balanced::new(balance.parse().unwrap(), backend).fingerprint()
        };
        assert_eq!(balanced("url_param a"), balanced("hash req.hdr(b)"));
        assert_ne!(balanced("url_param a"), balanced("uri"));
        assert_ne!(balanced("uri"), balanced("uri len 3"));
    }
}
