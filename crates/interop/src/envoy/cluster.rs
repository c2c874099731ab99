//! [`Cluster`]: hosts, and their shares.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use keyroute_core::{Members, Node, Quoted, RouteError, Weight};

use super::{Host, Locality};

/// The healthy hosts of a cluster, in Envoy's order, and their shares in doubles.
///
/// If fewer than half of all hosts are healthy, give all of them, as Envoy does by default.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// In Envoy's order.
    pub(super) shares: Vec<Share>,
    pub(super) members: Members,
}

/// A host as the algorithms see it.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pub(super) key: String,
    /// Its part of all weights.
    pub(super) weight: f64,
}

impl Cluster {
    /// Hosts in the order of the configuration; localities do not count.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`] if two have one address, [`RouteError::TooManyNodes`].
    pub fn new(hosts: impl IntoIterator<Item = Host>) -> Result<Self, RouteError> {
        let hosts: Vec<Host> = hosts.into_iter().collect();
        Self::of_groups(&[(1.0, hosts)], false)
    }

    /// The same under `use_hostname_for_hashing`: a host with a name is placed by it.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn by_hostname(hosts: impl IntoIterator<Item = Host>) -> Result<Self, RouteError> {
        let hosts: Vec<Host> = hosts.into_iter().collect();
        Self::of_groups(&[(1.0, hosts)], true)
    }

    /// The same under `locality_weighted_lb_config`: each locality's weight is split among its hosts.
    ///
    /// Localities come in the order of their names, but for the one of the proxy itself (`own`), which comes
    /// first. One of weight 0 is left out.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn by_locality(
        hosts: impl IntoIterator<Item = Host>,
        own: Option<&Locality>,
        use_hostname: bool,
    ) -> Result<Self, RouteError> {
        let mut localities: Vec<(Locality, u32, Vec<Host>)> = Vec::new();
        for host in hosts {
            match localities
                .iter_mut()
                .find(|(found, ..)| found == host.locality())
            {
                Some((.., hosts)) => hosts.push(host),
                None => {
                    let (locality, weight) = (host.locality().clone(), host.locality_weight());
                    localities.push((locality, weight, alloc::vec![host]));
                }
            }
        }
        localities.retain(|&(_, weight, _)| weight > 0);
        localities.sort_by(|(a, ..), (b, ..)| {
            (Some(a) != own)
                .cmp(&(Some(b) != own))
                .then_with(|| a.cmp(b))
        });
        let sum: u64 = localities
            .iter()
            .map(|&(_, weight, _)| u64::from(weight))
            .sum();
        let groups: Vec<(f64, Vec<Host>)> = localities
            .into_iter()
            .map(|(_, weight, hosts)| (f64::from(weight) / double(sum), hosts))
            .collect();
        Self::of_groups(&groups, use_hostname)
    }

    fn of_groups(groups: &[(f64, Vec<Host>)], use_hostname: bool) -> Result<Self, RouteError> {
        let mut shares = Vec::new();
        let mut nodes = Vec::new();
        for (group_weight, hosts) in groups {
            let sum: u64 = hosts.iter().map(|host| u64::from(host.weight())).sum();
            for host in hosts {
                shares.push(Share {
                    key: host.key(use_hostname).to_string(),
                    // Multiplied first, then divided: the order shows in the last bit.
                    weight: f64::from(host.weight()) * group_weight / double(sum),
                });
                let node = Node::from(host.address().clone());
                nodes.push(node.with_weight(Weight::new(host.weight())?));
            }
        }
        Ok(Self {
            shares,
            members: Members::from_nodes(nodes)?,
        })
    }

    /// The hosts, listed in Envoy's order.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Says the keys and shares, which decide all answers.
    pub(super) fn describe(&self, to: &mut keyroute_core::Description) {
        for (place, share) in self.shares.iter().enumerate() {
            let bits = share.weight.to_bits();
            to.field(
                &alloc::format!("host {place}"),
                alloc::format!("{} {bits:016x}", Quoted(&share.key)),
            );
        }
    }
}

/// A sum of weights as a double, rounded if it is over 2^53.
#[expect(clippy::cast_precision_loss, reason = "as Envoy rounds it")]
pub(super) fn double(number: u64) -> f64 {
    number as f64
}
