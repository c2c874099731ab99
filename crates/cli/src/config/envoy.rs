//! `envoy:FILE[#CLUSTER]`: a cluster among the static resources of an Envoy bootstrap, in YAML or JSON.
//!
//! What Envoy 1.40 makes of a file is said in its API and shown by its `--mode validate`; the parts that decide
//! a key's host are read whole here, and a field among them that is not known is an error.

mod address;
mod fields;
mod health;
mod hosts;
mod policy;
mod requests;

use std::path::Path;

use keyroute::{Node, RouteError};
use keyroute_interop::envoy::{Cluster, Locality, Maglev, RingHash};

use super::yaml::{self, Problem};
use super::{Configuration, System, choose, file_and_name, text_of};
use crate::CliError;
use crate::strategy::{Configured, Refusal};

use fields::{Field, Message};
use hosts::Fleet;
use policy::{Algorithm, Policy};

pub(super) const SYSTEM: System = System {
    name: "envoy",
    form: "FILE[#CLUSTER]",
    read,
};

/// Fields of a cluster that decide where a key goes.
const DECIDING: [&str; 10] = [
    "name",
    "type",
    "lb_policy",
    "ring_hash_lb_config",
    "maglev_lb_config",
    "common_lb_config",
    "load_balancing_policy",
    "load_assignment",
    "health_checks",
    "outlier_detection",
];

/// Fields of a cluster that change nothing of where a key goes.
const HARMLESS: [&str; 41] = [
    "alt_stat_name",
    "circuit_breakers",
    "cleanup_interval",
    "close_connections_on_host_health_failure",
    "common_http_protocol_options",
    "connect_timeout",
    "connection_pool_per_downstream_connection",
    "dns_failure_refresh_rate",
    "dns_jitter",
    "dns_lookup_family",
    "dns_refresh_rate",
    "dns_resolution_config",
    "dns_resolvers",
    "eds_cluster_config",
    "filters",
    "http2_protocol_options",
    "http_protocol_options",
    "ignore_health_on_host_removal",
    "least_request_lb_config",
    "lrs_report_endpoint_metrics",
    "lrs_server",
    "max_requests_per_connection",
    "metadata",
    "original_dst_lb_config",
    "per_connection_buffer_limit_bytes",
    "preconnect_policy",
    "protocol_selection",
    "respect_dns_ttl",
    "round_robin_lb_config",
    "track_cluster_stats",
    "track_timeout_budgets",
    "transport_socket",
    "transport_socket_matches",
    "typed_dns_resolver_config",
    "typed_extension_protocol_options",
    "upstream_bind_config",
    "upstream_config",
    "upstream_connection_options",
    "upstream_http_protocol_options",
    "use_tcp_for_dns_lookups",
    "wait_for_warm_on_init",
];

fn read(text: &str) -> Result<Configuration, CliError> {
    let (file, name) = file_and_name(text);
    let text = text_of(file)?;
    let in_file = |problem: Problem| problem.in_file(file);
    let root = yaml::parse(&text).map_err(in_file)?;
    let Some(root) = &root else {
        return Err(CliError::at(file.display(), "has no cluster"));
    };
    let root = Field::root(root).message().map_err(in_file)?;
    let clusters = clusters(&root).map_err(in_file)?;
    let (name, cluster) = choose(file, "cluster", &clusters, |(name, _)| name, name)?;
    configuration(file, &root, name, cluster).map_err(in_file)
}

/// The clusters that a file holds, with their names.
fn clusters<'v>(root: &Message<'v>) -> Result<Vec<(String, Message<'v>)>, Problem> {
    let Some(resources) = root.message("static_resources")? else {
        return Ok(Vec::new());
    };
    let clusters = resources.list("clusters")?;
    clusters
        .iter()
        .map(|cluster| {
            let cluster = cluster.message()?;
            let name = cluster.needed("name")?.text()?.into_owned();
            // Its fields are said by their way from the cluster.
            Ok((name, cluster.with_path("")))
        })
        .collect()
}

fn configuration(
    file: &Path,
    root: &Message<'_>,
    name: &str,
    cluster: &Message<'_>,
) -> Result<Configuration, Problem> {
    let mut notes = Vec::new();
    if let Some(subsets) = cluster.first_of(&["lb_subset_config"]) {
        return Err(Problem {
            line: subsets.line,
            says: "lb_subset_config: a request's metadata chooses among subsets of hosts, which is not read here"
                .into(),
        });
    }
    if let Some(kind) = cluster.first_of(&["cluster_type"]) {
        return Err(Problem {
            line: kind.line,
            says: "cluster_type: the hosts come from an extension, and are not in the file".into(),
        });
    }
    cluster.or_passed_over(&DECIDING, &HARMLESS, file, &mut notes)?;
    for name in ["health_checks", "outlier_detection"] {
        if let Some(entry) = cluster.first_of(&[name]) {
            notes.push(format!(
                "{} line {}: {name} counts only while hosts fail: here none does",
                file.display(),
                entry.line
            ));
        }
    }
    let policy = Policy::read(cluster, file, &mut notes)?;
    let fleet = Fleet::read(cluster, &policy, file, &mut notes)?;
    let own = own_locality(root)?;
    let asked = requests::read(root.entries(), name, &policy.hash_policy, file);
    notes.splice(0..0, asked.notes);

    let nodes = fleet.nodes();
    let router = configured(name, policy, fleet, own);
    router
        .build(&nodes)
        .map_err(|refusal| cluster.problem(refusal.to_string()))?;
    let router = if asked.headers_alone {
        router.with_unroutable(blanks_around)
    } else {
        router
    };
    Ok(Configuration {
        router,
        nodes,
        notes,
    })
}

/// The router of a cluster.
fn configured(name: &str, policy: Policy, fleet: Fleet, own: Option<Locality>) -> Configured {
    let name = format!("envoy:{name}");
    let cluster = move |nodes: &[Node]| -> Result<Cluster, Refusal> {
        let hosts = fleet.changed(nodes)?;
        Ok(match (policy.by_locality, policy.by_hostname) {
            (true, by_hostname) => Cluster::by_locality(hosts, own.as_ref(), by_hostname)?,
            (false, true) => Cluster::by_hostname(hosts)?,
            (false, false) => Cluster::new(hosts)?,
        })
    };
    match policy.algorithm {
        Algorithm::RingHash(sizes, function) => Configured::new(name, "xxh64", move |nodes| {
            Ok(RingHash::new(&cluster(nodes)?, sizes, function)?)
        }),
        Algorithm::Maglev(table_size) => Configured::new(name, "xxh64", move |nodes| {
            Ok(Maglev::new(&cluster(nodes)?, table_size)?)
        }),
    }
}

/// Where the proxy itself is, which comes first among localities.
fn own_locality(root: &Message<'_>) -> Result<Option<Locality>, Problem> {
    let Some(node) = root.message("node")? else {
        return Ok(None);
    };
    node.message("locality")?
        .map(|locality| hosts::locality(&locality))
        .transpose()
}

/// Why a key cannot be a header's value, if so.
fn blanks_around(key: &[u8]) -> Option<&'static str> {
    let trimmed = key.trim_ascii();
    (trimmed != key).then_some("Envoy drops blanks around a header's value: give the key without")
}

/// The problem of a value that the preset refuses.
fn refused<'v>(field: &'v Field<'v>) -> impl Fn(RouteError) -> Problem + 'v {
    |error| field.value.problem(format!("{}: {error}", field.path))
}
