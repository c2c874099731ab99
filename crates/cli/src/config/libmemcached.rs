//! `libmemcached:'--SERVER=…'`: the options that `memcached()` takes, and with it PHP's and Python's
//! wrappers.
//!
//! The order counts, as in the library: a distribution set after the servers forgets their weights, and a hash
//! set after them leaves the points where they were. So options are kept as a list and replayed. What the
//! library accepts was found by asking 1.1.4, whose manual says otherwise in places.

mod client;
mod options;

use keyroute::KeyHasher;

use super::{Configuration, System};
use crate::CliError;
use crate::strategy::Configured;

use client::{Client, Distribution, replayed};
use options::Options;

pub(super) const SYSTEM: System = System {
    name: "libmemcached",
    form: "OPTIONS",
    read,
};

/// With more servers on a ring than this, Debian's build of the library ends on an assertion.
const ASSERTED_SERVERS: usize = 100;

fn read(text: &str) -> Result<Configuration, CliError> {
    let refuse = |problem: String| CliError::at("libmemcached", problem);
    let mut options = Options::default();
    options.read(text, 0).map_err(refuse)?;
    let Options {
        steps, mut notes, ..
    } = options;
    let client = Client::after(&steps).map_err(|refusal| refuse(refusal.to_string()))?;
    let known = client.servers.clone();
    if known.is_empty() {
        return Err(refuse("there is no server: give --SERVER=HOST".into()));
    }
    if let Distribution::Consistent = client.distribution
        && known.len() > ASSERTED_SERVERS
    {
        notes.push(format!(
            "{} servers on a ring: Debian's build of 1.1.4 aborts over {ASSERTED_SERVERS}, others do not",
            known.len()
        ));
    }
    let name = "libmemcached";
    let hash = client.hash.name().unwrap_or_default();
    let router = match client.distribution {
        Distribution::Modula => Configured::new(name, hash, move |nodes| {
            Client::after(&replayed(&steps, nodes))?.modula()
        }),
        Distribution::Consistent => Configured::new(name, hash, move |nodes| {
            Client::after(&replayed(&steps, nodes))?.ring()
        }),
    };
    // Refused now, not when it is first asked.
    router
        .build(&known)
        .map_err(|refusal| refuse(refusal.to_string()))?;
    Ok(Configuration {
        router: router.with_unroutable(|key| match key.len() {
            0 => Some("libmemcached refuses the empty key"),
            1..=250 => None,
            _ => Some("libmemcached refuses keys of over 250 bytes"),
        }),
        nodes: known,
        notes,
    })
}
