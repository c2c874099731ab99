//! [`Policy`]: how a cluster chooses.

use std::path::Path;

use keyroute_interop::envoy::{Cluster, HashBalance, HashFunction, Maglev, RingSizes};

use super::super::yaml::Problem;
use super::fields::{Field, Message};
use super::refused;
use super::requests::Part;

/// How hosts are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Algorithm {
    RingHash(RingSizes, HashFunction),
    /// With its `table_size`.
    Maglev(u32),
}

/// What decides, but for the hosts.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    pub(super) algorithm: Algorithm,
    /// `locality_weighted_lb_config`.
    pub(super) by_locality: bool,
    /// `use_hostname_for_hashing`.
    pub(super) by_hostname: bool,
    /// `healthy_panic_threshold`, in percent, rounded.
    pub(super) panic_threshold: f64,
    /// Its own `hash_policy`, which replaces those of routes.
    pub(super) hash_policy: Vec<Part>,
}

/// The fields of a ring.
const RING: [&str; 3] = ["hash_function", "minimum_ring_size", "maximum_ring_size"];

/// The field of a table.
const TABLE: [&str; 1] = ["table_size"];

/// Fields that the typed forms of both have.
const TYPED: [&str; 3] = [
    "@type",
    "consistent_hashing_lb_config",
    "locality_weighted_lb_config",
];

/// Fields that the typed ring has in an older place too.
const OLDER: [&str; 2] = ["use_hostname_for_hashing", "hash_balance_factor"];

/// Fields of `common_lb_config` that change nothing of a hash.
const HARMLESS: [&str; 5] = [
    "zone_aware_lb_config",
    "update_merge_window",
    "ignore_new_hosts_until_first_hc",
    "close_connections_on_host_set_change",
    "override_host_status",
];

/// The types of the typed forms.
const RING_TYPE: &str = "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash";
const TABLE_TYPE: &str = "envoy.extensions.load_balancing_policies.maglev.v3.Maglev";

/// What `lb_policy` may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    RingHash,
    Maglev,
    /// Says why no key decides.
    Other(&'static str),
    Typed,
}

const NAMED: [(&str, u32, Named); 7] = [
    ("ROUND_ROBIN", 0, Named::Other("ROUND_ROBIN")),
    ("LEAST_REQUEST", 1, Named::Other("LEAST_REQUEST")),
    ("RING_HASH", 2, Named::RingHash),
    ("RANDOM", 3, Named::Other("RANDOM")),
    ("MAGLEV", 5, Named::Maglev),
    ("CLUSTER_PROVIDED", 6, Named::Other("CLUSTER_PROVIDED")),
    ("LOAD_BALANCING_POLICY_CONFIG", 7, Named::Typed),
];

const FUNCTIONS: [(&str, u32, HashFunction); 2] = [
    ("XX_HASH", 0, HashFunction::XxHash),
    ("MURMUR_HASH_2", 1, HashFunction::Murmur2),
];

const TYPED_FUNCTIONS: [(&str, u32, HashFunction); 3] = [
    ("DEFAULT_HASH", 0, HashFunction::XxHash),
    ("XX_HASH", 1, HashFunction::XxHash),
    ("MURMUR_HASH_2", 2, HashFunction::Murmur2),
];

impl Policy {
    pub(super) fn read(
        cluster: &Message<'_>,
        file: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Self, Problem> {
        let common = cluster.message("common_lb_config")?;
        if let Some(common) = &common {
            let known = [
                "healthy_panic_threshold",
                "locality_weighted_lb_config",
                "consistent_hashing_lb_config",
            ];
            common.or_passed_over(&known, &HARMLESS, file, notes)?;
        }
        let mut policy = match cluster.message("load_balancing_policy")? {
            Some(typed) => Self::typed(cluster, &typed, common.as_ref(), file, notes)?,
            None => Self::named(cluster, common.as_ref(), file, notes)?,
        };
        if let Some(common) = &common
            && let Some(threshold) = common.message("healthy_panic_threshold")?
        {
            policy.panic_threshold = percent(&threshold)?;
        }
        Ok(policy)
    }

    /// `lb_policy`, with what belongs to it.
    fn named(
        cluster: &Message<'_>,
        common: Option<&Message<'_>>,
        file: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Self, Problem> {
        let field = cluster.field("lb_policy")?;
        let named = match &field {
            Some(field) => field.choice(&NAMED)?,
            None => Named::Other("ROUND_ROBIN, unless it is said"),
        };
        let (algorithm, other) = match named {
            Named::RingHash => {
                let config = cluster.field("ring_hash_lb_config")?;
                (
                    ring(config.as_ref(), &RING, &FUNCTIONS)?,
                    "maglev_lb_config",
                )
            }
            Named::Maglev => {
                let config = cluster.field("maglev_lb_config")?;
                (table(config.as_ref(), &TABLE)?, "ring_hash_lb_config")
            }
            Named::Typed => {
                return Err(
                    cluster.problem("load_balancing_policy is missing, and lb_policy asks for it")
                );
            }
            Named::Other(name) => {
                let says = format!(
                    "lb_policy is {name}: no key decides the host; RING_HASH and MAGLEV are read here"
                );
                return Err(match &field {
                    Some(field) => field.value.problem(says),
                    None => cluster.problem(says),
                });
            }
        };
        passed_over(cluster, &[other], file, notes);
        let hashing = match common {
            Some(common) => common.message("consistent_hashing_lb_config")?,
            None => None,
        };
        let by_locality = match common {
            Some(common) => common.field("locality_weighted_lb_config")?.is_some(),
            None => false,
        };
        if let (true, Some(zones)) = (
            by_locality,
            common.and_then(|common| common.first_of(&["zone_aware_lb_config"])),
        ) {
            return Err(Problem {
                line: zones.line,
                says: "common_lb_config: Envoy takes one of zone_aware_lb_config and locality_weighted_lb_config".into(),
            });
        }
        let mut policy = Self::of(algorithm, by_locality);
        if let Some(hashing) = hashing {
            hashing.only(&OLDER)?;
            policy.hashing(&hashing, file, notes)?;
        }
        Ok(policy)
    }

    /// `load_balancing_policy`, whose first policy counts.
    fn typed(
        cluster: &Message<'_>,
        typed: &Message<'_>,
        common: Option<&Message<'_>>,
        file: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Self, Problem> {
        typed.only(&["policies"])?;
        if let Some(also) = common.and_then(|common| {
            common.first_of(&[
                "locality_weighted_lb_config",
                "consistent_hashing_lb_config",
                "zone_aware_lb_config",
            ])
        }) {
            return Err(Problem {
                line: also.line,
                says: format!(
                    "common_lb_config.{}: Envoy takes no such field beside load_balancing_policy",
                    also.name
                ),
            });
        }
        passed_over(
            cluster,
            &["lb_policy", "ring_hash_lb_config", "maglev_lb_config"],
            file,
            notes,
        );
        let policies = typed.list("policies")?;
        let Some(first) = policies.first() else {
            return Err(typed.problem("load_balancing_policy.policies is empty"));
        };
        if let Some(second) = policies.get(1) {
            notes.push(format!(
                "{} line {}: {} counts only where Envoy lacks those before it",
                file.display(),
                second.value.line,
                second.path
            ));
        }
        let policy = first.message()?;
        policy.only(&["typed_extension_config"])?;
        let extension = policy.needed("typed_extension_config")?.message()?;
        extension.only(&["name", "typed_config"])?;
        let config = extension.needed("typed_config")?;
        let message = config.message()?;
        let url = message.needed("@type")?;
        let named = url.text()?;
        let algorithm = match named.rsplit('/').next().unwrap_or_default() {
            RING_TYPE => {
                let fields = [&RING[..], &TYPED, &OLDER].concat();
                ring(Some(&config), &fields, &TYPED_FUNCTIONS)?
            }
            TABLE_TYPE => table(Some(&config), &[&TABLE[..], &TYPED].concat())?,
            other => {
                return Err(url
                    .value
                    .problem(format!("{other} is not read here: RingHash and Maglev are")));
            }
        };
        let by_locality = message.field("locality_weighted_lb_config")?.is_some();
        let mut policy = Self::of(algorithm, by_locality);
        match message.message("consistent_hashing_lb_config")? {
            Some(hashing) => {
                hashing.only(&[&OLDER[..], &["hash_policy"]].concat())?;
                policy.hashing(&hashing, file, notes)?;
                for part in hashing.list("hash_policy")? {
                    policy.hash_policy.push(Part::of(part.value));
                }
            }
            // The older fields count only without the newer.
            None => policy.hashing(&message, file, notes)?,
        }
        Ok(policy)
    }

    fn of(algorithm: Algorithm, by_locality: bool) -> Self {
        Self {
            algorithm,
            by_locality,
            by_hostname: false,
            panic_threshold: 50.0,
            hash_policy: Vec::new(),
        }
    }

    /// `use_hostname_for_hashing` and `hash_balance_factor`.
    fn hashing(
        &mut self,
        config: &Message<'_>,
        file: &Path,
        notes: &mut Vec<String>,
    ) -> Result<(), Problem> {
        self.by_hostname = config.boolean("use_hostname_for_hashing")?.unwrap_or(false);
        if let Some(factor) = config.field("hash_balance_factor")? {
            let percent = factor.small()?;
            let none = Cluster::new([]).map_err(refused(&factor))?;
            HashBalance::new(&none, percent).map_err(refused(&factor))?;
            notes.push(format!(
                "{} line {}: under {} a host with over {percent} % of its part of the active requests passes them \
                 on: here no host has any",
                file.display(),
                factor.value.line,
                factor.path
            ));
        }
        Ok(())
    }
}

/// Notes fields that belong to another policy.
fn passed_over(cluster: &Message<'_>, names: &[&str], file: &Path, notes: &mut Vec<String>) {
    for name in names {
        if let Some(entry) = cluster.first_of(&[name]) {
            notes.push(format!(
                "{} line {}: {} does not count under this policy",
                file.display(),
                entry.line,
                entry.name
            ));
        }
    }
}

/// The ring that a message describes.
fn ring(
    config: Option<&Field<'_>>,
    fields: &[&str],
    functions: &[(&str, u32, HashFunction)],
) -> Result<Algorithm, Problem> {
    let mut sizes = RingSizes::default();
    let mut function = HashFunction::default();
    if let Some(config) = config {
        let message = config.message()?;
        message.only(fields)?;
        if let Some(minimum) = message.whole("minimum_ring_size", u64::MAX)? {
            sizes.minimum = minimum;
        }
        if let Some(maximum) = message.whole("maximum_ring_size", u64::MAX)? {
            sizes.maximum = maximum;
        }
        if let Some(named) = message.field("hash_function")? {
            function = named.choice(functions)?;
        }
        // Checked against no hosts, to name the place.
        let none = Cluster::new([]).map_err(refused(config))?;
        keyroute_interop::envoy::RingHash::new(&none, sizes, function).map_err(refused(config))?;
    }
    Ok(Algorithm::RingHash(sizes, function))
}

/// The table that a message describes.
fn table(config: Option<&Field<'_>>, fields: &[&str]) -> Result<Algorithm, Problem> {
    let mut size = Maglev::DEFAULT_TABLE_SIZE;
    if let Some(config) = config {
        let message = config.message()?;
        message.only(fields)?;
        if let Some(said) = message.field("table_size")? {
            size = said.small()?;
            let none = Cluster::new([]).map_err(refused(&said))?;
            Maglev::new(&none, size).map_err(refused(&said))?;
        }
    }
    Ok(Algorithm::Maglev(size))
}

/// A `Percent`, rounded to a whole number as Envoy does.
fn percent(message: &Message<'_>) -> Result<f64, Problem> {
    message.only(&["value"])?;
    let Some(value) = message.field("value")? else {
        return Ok(0.0);
    };
    let (text, _) = value.scalar("a number")?;
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .map(f64::round)
        .ok_or_else(|| {
            value
                .value
                .unexpected(&value.path, "a number from 0 to 100")
        })
}
