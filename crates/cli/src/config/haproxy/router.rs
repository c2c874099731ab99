//! [`Plan`]: the router of a backend, made of its servers or of others.

use std::collections::BTreeSet;

use keyroute::{KeyHasher, Node, RouteError, Router, Weight};
use keyroute_interop::haproxy::{Backend, Balance, Balanced, HashKey, HashType, Server};

use super::servers::Servers;
use crate::config::{Configuration, weights_by_id};
use crate::strategy::{Configured, Refusal};

/// All that decides where keys go.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) balance: Balance,
    pub(super) hash_type: HashType,
    pub(super) all_backups: bool,
    pub(super) servers: Servers,
}

impl Plan {
    /// The configuration of the backend of this name.
    ///
    /// # Errors
    ///
    /// As [`Backend::new`].
    pub(super) fn configuration(
        self,
        name: &str,
        notes: Vec<String>,
    ) -> Result<Configuration, RouteError> {
        let router = self.router(self.servers.read.clone())?;
        let nodes: Vec<Node> = router.members().listed_nodes().cloned().collect();
        let (balance, with) = (self.balance, self.hash_type.key);
        let known = nodes.clone();
        let configured = Configured::new(
            format!("haproxy:{name}"),
            with.name().unwrap_or_default(),
            move |nodes| Ok(self.router(self.changed(&known, nodes)?)?),
        )
        .with_unroutable(move |key| match balance.hash(with, key) {
            Some(_) => None,
            None => Some(unhashed(balance)),
        })
        .with_nobody("has no server that is up");
        Ok(Configuration {
            router: configured,
            nodes,
            notes,
        })
    }

    fn router(&self, servers: Vec<Server>) -> Result<Balanced, RouteError> {
        let backend = if self.all_backups {
            Backend::with_all_backups(self.hash_type, servers)
        } else {
            Backend::new(self.hash_type, servers)
        };
        Ok(Balanced::new(self.balance, backend?))
    }

    /// The servers of the file after `known` nodes, those that get keys, have become `nodes`. The line of a node
    /// that has left is gone, which gives servers below it other ids; one that gets no keys stays, or gets
    /// them if it is named.
    fn changed(&self, known: &[Node], nodes: &[Node]) -> Result<Vec<Server>, Refusal> {
        let (before, after) = (weights_by_id(known), weights_by_id(nodes));
        let listed: BTreeSet<&str> = self.servers.read.iter().map(Server::name).collect();
        let mut servers = Vec::new();
        for server in &self.servers.read {
            match (before.get(server.name()), after.get(server.name())) {
                (Some(_), None) => {}
                (None, None) => servers.push(server.clone()),
                (Some(was), Some(is)) if was == is => servers.push(server.clone()),
                (Some(_), Some(is)) => servers.push(server.clone().with_weight(is.get())?),
                (None, Some(&is)) => servers.push(up(server.clone(), is)?),
            }
        }
        for node in nodes {
            let id = node.id().as_str();
            if !listed.contains(id) {
                let server = self.servers.newcomer(id)?;
                if server.hash_key() != HashKey::Id && server.hash_key() != HashKey::Id32 {
                    return Err(Refusal::Unable(
                        "knows servers by more than a name here (hash-key): write the new one into the file",
                    ));
                }
                servers.push(up(server, node.weight())?);
            }
        }
        Ok(servers)
    }
}

/// A server that gets keys.
fn up(server: Server, weight: Weight) -> Result<Server, RouteError> {
    let server = server.with_disabled(false).with_backup(false);
    server.with_weight(weight.get())
}

/// Why there is no hash.
fn unhashed(balance: Balance) -> &'static str {
    match balance {
        Balance::Source | Balance::Address => "is no IP address",
        Balance::Number => "is no number of 64 bits",
        Balance::Uri(_) | Balance::Header | Balance::Value => {
            "leaves nothing to hash: HAProxy then takes servers in turn"
        }
    }
}
