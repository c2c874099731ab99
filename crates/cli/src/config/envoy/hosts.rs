//! [`Fleet`]: the hosts of `load_assignment`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;

use keyroute::{Node, NodeId, Weight};
use keyroute_interop::envoy::{Host, Locality};

use super::super::yaml::{Kind, Problem};
use super::address::{at_port, is_address};
use super::fields::{Field, Meaning, Message, meaning};
use super::health::{HEALTHS, Health, HealthRule};
use super::policy::Policy;
use super::refused;
use crate::strategy::Refusal;

/// Fields of an endpoint and of a group of them that change nothing of where a key goes.
const HARMLESS: [&str; 4] = [
    "health_check_config",
    "additional_addresses",
    "proximity",
    "metadata",
];

/// How a cluster finds its hosts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Discovery {
    Static,
    StrictDns,
    LogicalDns,
    /// Otherwise, and not by the file.
    Elsewhere(&'static str),
}

const DISCOVERIES: [(&str, u32, Discovery); 5] = [
    ("STATIC", 0, Discovery::Static),
    ("STRICT_DNS", 1, Discovery::StrictDns),
    ("LOGICAL_DNS", 2, Discovery::LogicalDns),
    ("EDS", 3, Discovery::Elsewhere("EDS")),
    ("ORIGINAL_DST", 4, Discovery::Elsewhere("ORIGINAL_DST")),
];

/// The hosts that take part, and what decides whether they do.
#[derive(Clone, Debug)]
pub(super) struct Fleet {
    hosts: Vec<Host>,
    by_locality: bool,
    by_hostname: bool,
    health: HealthRule,
    /// How many hosts are down and not draining, whether or not they take part.
    down: usize,
    panics: bool,
}

/// A host as the file has it.
struct Found {
    host: Host,
    health: Health,
    line: usize,
}

impl Fleet {
    pub(super) fn read(
        cluster: &Message<'_>,
        policy: &Policy,
        file: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Self, Problem> {
        let discovery = match cluster.field("type")? {
            None => Discovery::Static,
            Some(named) => match named.choice(&DISCOVERIES)? {
                Discovery::Elsewhere(name) => {
                    let says = format!("type is {name}: the hosts are not in the file");
                    return Err(named.value.problem(says));
                }
                discovery => discovery,
            },
        };
        if policy.by_hostname && discovery != Discovery::StrictDns {
            let says = "use_hostname_for_hashing: Envoy takes it for STRICT_DNS alone";
            return Err(cluster.problem(says));
        }
        let assignment = cluster.needed("load_assignment")?.message()?;
        assignment.only(&["cluster_name", "endpoints", "policy"])?;
        let mut reader = Reader {
            discovery,
            policy,
            file,
            notes,
            found: Vec::new(),
            localities: BTreeSet::new(),
            later: false,
        };
        let factor = reader.factor(&assignment)?;
        for group in assignment.list("endpoints")? {
            reader.group(&group)?;
        }
        reader.fleet(cluster, factor)
    }

    /// The hosts as nodes.
    pub(super) fn nodes(&self) -> Vec<Node> {
        self.hosts
            .iter()
            .filter_map(|host| {
                let weight = Weight::new(host.weight()).ok()?;
                Some(Node::from(host.address().clone()).with_weight(weight))
            })
            .collect()
    }

    /// The hosts after `known` nodes have become `nodes`.
    pub(super) fn changed(&self, nodes: &[Node]) -> Result<Vec<Host>, Refusal> {
        // Under panic it is not known here which of the nodes are up.
        let up = nodes.len();
        if self.down > 0
            && up != self.hosts.len()
            && (self.panics || self.health.panics(up, up + self.down))
        {
            return Err(Refusal::Unable(
                "has hosts that are down, and their part decides who serves: change the file",
            ));
        }
        let known: BTreeMap<&NodeId, &Host> = self
            .hosts
            .iter()
            .map(|host| (host.address(), host))
            .collect();
        nodes
            .iter()
            .map(|node| {
                let weight = node.weight().get();
                if let Some(&host) = known.get(node.id()) {
                    return Ok(host.clone().with_weight(weight)?);
                }
                if self.by_locality {
                    return Err(Refusal::Unable(
                        "weights localities, and a new host's is not known: write it into the file",
                    ));
                }
                let id = node.id().as_str();
                let host = Host::new(id)?.with_weight(weight)?;
                match (self.by_hostname, id.rsplit_once(':')) {
                    (true, Some((name, port))) if port.parse::<u16>().is_ok() => {
                        Ok(host.with_hostname(name))
                    }
                    (false, _) if is_address(id) => Ok(host),
                    _ => Err(Refusal::Unable(
                        "places a host by its address and port: name a new one as 10.0.0.1:80",
                    )),
                }
            })
            .collect()
    }
}

struct Reader<'r> {
    discovery: Discovery,
    policy: &'r Policy,
    file: &'r Path,
    notes: &'r mut Vec<String>,
    /// Of priority 0.
    found: Vec<Found>,
    /// Those of priority 0.
    localities: BTreeSet<Locality>,
    /// There are hosts of a later priority.
    later: bool,
}

impl Reader<'_> {
    /// `overprovisioning_factor`, in percent.
    fn factor(&mut self, assignment: &Message<'_>) -> Result<u32, Problem> {
        let Some(policy) = assignment.message("policy")? else {
            return Ok(140);
        };
        let harmless = ["endpoint_stale_after", "drop_overloads"];
        policy.or_passed_over(
            &["overprovisioning_factor"],
            &harmless,
            self.file,
            self.notes,
        )?;
        let factor = policy.field("overprovisioning_factor")?;
        factor.map_or(Ok(140), |factor| factor.small())
    }

    fn group(&mut self, group: &Field<'_>) -> Result<(), Problem> {
        let message = group.message()?;
        let known = [
            "locality",
            "lb_endpoints",
            "load_balancing_weight",
            "priority",
        ];
        message.or_passed_over(&known, &HARMLESS, self.file, self.notes)?;
        let endpoints = message.list("lb_endpoints")?;
        let priority = message.whole("priority", 128)?.unwrap_or(0);
        if priority > 0 {
            self.later |= !endpoints.is_empty();
            self.notes.push(format!(
                "{} line {}: hosts of priority {priority} serve only while those of priority 0 fail",
                self.file.display(),
                message.line
            ));
            return Ok(());
        }
        let named = message.message("locality")?;
        let place = named
            .as_ref()
            .map(locality)
            .transpose()?
            .unwrap_or_default();
        let weight = message
            .field("load_balancing_weight")?
            .map(|weight| weight.small())
            .transpose()?;
        if weight == Some(0) {
            return Err(message.problem(format!(
                "{}: a weight of 0, which Envoy refuses",
                message.path
            )));
        }
        // Envoy notes the weight of a locality that is named, and takes those without for 0.
        let weight = named.and(weight).unwrap_or(0);
        if self.policy.by_locality {
            if self.localities.contains(&place) {
                let says = format!(
                    "{}: a second group of this locality: keep one",
                    message.path
                );
                return Err(message.problem(says));
            }
            if weight == 0 && !endpoints.is_empty() {
                self.notes.push(format!(
                    "{} line {}: {}: without a weight and a locality that is named its hosts take no part",
                    self.file.display(),
                    message.line,
                    message.path
                ));
            }
        }
        self.localities.insert(place.clone());
        for endpoint in endpoints {
            let mut found = self.endpoint(&endpoint)?;
            found.host = found.host.in_locality(place.clone(), weight);
            self.found.push(found);
        }
        Ok(())
    }

    fn endpoint(&mut self, field: &Field<'_>) -> Result<Found, Problem> {
        let message = field.message()?;
        message.only(&[
            "endpoint",
            "health_status",
            "metadata",
            "load_balancing_weight",
        ])?;
        let health = message
            .field("health_status")?
            .map_or(Ok(Health::Up), |health| health.choice(&HEALTHS))?;
        let endpoint = message.needed("endpoint")?.message()?;
        endpoint.or_passed_over(&["address", "hostname"], &HARMLESS, self.file, self.notes)?;
        let hash_key = self.hash_key(&message)?;
        let given = endpoint.text("hostname")?;
        let address = endpoint.needed("address")?;
        let (id, name) = self.address(&address, hash_key.is_some())?;
        let mut host = Host::new(id).map_err(refused(&address))?;
        if let Some(weight) = message.field("load_balancing_weight")? {
            host = host
                .with_weight(weight.small()?)
                .map_err(refused(&weight))?;
        }
        let hostname = if given.is_empty() {
            name.as_str()
        } else {
            &given
        };
        if !hostname.is_empty() {
            host = host.with_hostname(hostname);
        }
        if let Some(hash_key) = hash_key {
            host = host.with_hash_key(hash_key);
        }
        Ok(Found {
            host,
            health,
            line: message.line,
        })
    }

    /// `hash_key` in the metadata `envoy.lb`, if it is text.
    fn hash_key(&mut self, endpoint: &Message<'_>) -> Result<Option<String>, Problem> {
        let Some(metadata) = endpoint.message("metadata")? else {
            return Ok(None);
        };
        let harmless = ["typed_filter_metadata"];
        metadata.or_passed_over(&["filter_metadata"], &harmless, self.file, self.notes)?;
        let Some(filters) = metadata.message("filter_metadata")? else {
            return Ok(None);
        };
        let Some(lb) = filters.datum("envoy.lb") else {
            return Ok(None);
        };
        let Some(Field { path, value }) = lb.message()?.datum("hash_key") else {
            return Ok(None);
        };
        if let Kind::Scalar { text, plain } = &value.kind
            && let Meaning::Text(text) = meaning(text, *plain)
        {
            return Ok(Some(text.into_owned()).filter(|text| !text.is_empty()));
        }
        if let Kind::Tagged(_) = &value.kind {
            return Err(value.unexpected(&path, "text"));
        }
        self.notes.push(format!(
            "{} line {}: {path} is no text, and Envoy passes it over",
            self.file.display(),
            value.line
        ));
        Ok(None)
    }

    /// The text of an address, and its name if DNS resolves it.
    fn address(&mut self, field: &Field<'_>, keyed: bool) -> Result<(String, String), Problem> {
        let address = field.message()?;
        address.only(&["socket_address", "pipe"])?;
        if let Some(pipe) = address.message("pipe")? {
            pipe.or_passed_over(&["path"], &["mode"], self.file, self.notes)?;
            let path = pipe.needed("path")?.text()?.into_owned();
            if self.discovery != Discovery::Static {
                return Err(pipe.problem(format!(
                    "{}: there are pipes in STATIC clusters alone",
                    pipe.path
                )));
            }
            return Ok((path, String::new()));
        }
        let socket = address.needed("socket_address")?.message()?;
        let harmless = ["protocol", "ipv4_compat", "network_namespace_filepath"];
        socket.or_passed_over(&["address", "port_value"], &harmless, self.file, self.notes)?;
        let named = socket.needed("address")?;
        let host = named.text()?;
        let port = socket.needed("port_value")?.whole(65535)?;
        if let Ok(ip) = host.parse::<IpAddr>() {
            let name = match self.discovery {
                Discovery::Static => String::new(),
                _ => host.into_owned(),
            };
            return Ok((at_port(ip, port), name));
        }
        let says = match self.discovery {
            Discovery::Static => format!(
                "{} is {host:?}, and should be an IP address: names are for STRICT_DNS and LOGICAL_DNS",
                named.path
            ),
            // There is but one host.
            Discovery::LogicalDns => return Ok((format!("{host}:{port}"), host.into_owned())),
            _ if keyed || self.policy.by_hostname => {
                self.notes.push(format!(
                    "{} line {}: {host} is taken for one address: each that it has is a host to Envoy",
                    self.file.display(),
                    named.value.line
                ));
                return Ok((format!("{host}:{port}"), host.into_owned()));
            }
            _ => format!(
                "{} is {host:?}: Envoy hashes the addresses that it resolves to, which are not in the file, unless \
                 use_hostname_for_hashing or a hash_key says otherwise",
                named.path
            ),
        };
        Err(named.value.problem(says))
    }

    /// Those that take part.
    fn fleet(self, cluster: &Message<'_>, factor: u32) -> Result<Fleet, Problem> {
        let health = HealthRule {
            threshold: self.policy.panic_threshold,
            factor,
        };
        let hosts = self.found.len();
        if hosts == 0 {
            return Err(cluster.problem("load_assignment has no host of priority 0"));
        }
        if self.discovery == Discovery::LogicalDns && hosts > 1 {
            return Err(cluster.problem("type is LOGICAL_DNS: Envoy takes one host alone"));
        }
        if let Some(degraded) = self
            .found
            .iter()
            .find(|found| found.health == Health::Degraded)
        {
            return Err(Problem {
                line: degraded.line,
                says: "health_status is DEGRADED: how such hosts share in traffic is not read here"
                    .into(),
            });
        }
        let count = |health| {
            let of_health = self.found.iter().filter(|found| found.health == health);
            of_health.count()
        };
        let (up, down) = (count(Health::Up), count(Health::Down));
        let counted = up + down;
        if self.later && (counted == 0 || !health.suffices(up, counted)) {
            return Err(cluster.problem(
                "load_assignment: so few hosts of priority 0 are up that others take a part, which is not read here",
            ));
        }
        let panics = health.panics(up, counted);
        if panics {
            self.notes.push(format!(
                "{up} of {counted} hosts that do not drain are up, under {} %: Envoy takes all {hosts}",
                health.threshold
            ));
        } else if up < hosts {
            let down = hosts - up;
            self.notes.push(format!(
                "{down} of {hosts} hosts are down, and take no part"
            ));
        }
        let with_hosts_up: BTreeSet<&Locality> = self
            .found
            .iter()
            .filter(|found| found.health == Health::Up)
            .map(|found| found.host.locality())
            .collect();
        let lost = self.found.iter().find(|found| {
            found.host.locality_weight() > 0 && !with_hosts_up.contains(found.host.locality())
        });
        if let Some(lost) = lost
            && self.policy.by_locality
            && !panics
        {
            return Err(Problem {
                line: lost.line,
                says: "all hosts of its locality are down, whose weight still counts: this is not read here".into(),
            });
        }
        let taking: Vec<Host> = self
            .found
            .into_iter()
            .filter(|found| panics || found.health == Health::Up)
            .map(|found| found.host)
            .filter(|host| !self.policy.by_locality || host.locality_weight() > 0)
            .collect();
        if taking.is_empty() {
            return Err(cluster.problem("no host of load_assignment takes part"));
        }
        Ok(Fleet {
            hosts: taking,
            by_locality: self.policy.by_locality,
            by_hostname: self.policy.by_hostname,
            health,
            down,
            panics,
        })
    }
}

/// A locality's names.
pub(super) fn locality(message: &Message<'_>) -> Result<Locality, Problem> {
    message.only(&["region", "zone", "sub_zone"])?;
    Ok(Locality {
        region: message.text("region")?.into_owned(),
        zone: message.text("zone")?.into_owned(),
        sub_zone: message.text("sub_zone")?.into_owned(),
    })
}
