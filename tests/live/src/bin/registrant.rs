//! A process that lists itself in etcd until its input ends: `registrant ENDPOINT PREFIX ID ADDRESS SECONDS`.

use std::error::Error;
use std::io::{self, Read};
use std::time::Duration;

use keyroute_discovery::{Claim, EtcdConfig, Peer, Registration};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, prefix, id, address, seconds] = arguments.as_slice() else {
        return Err("give ENDPOINT PREFIX ID ADDRESS SECONDS".into());
    };
    let etcd = EtcdConfig::new([endpoint], prefix)?
        .with_patience(Duration::from_secs(1))
        .with_most_pause(Duration::from_millis(500));
    let own = Peer::new(id, address)?;
    let ttl = Duration::from_secs(seconds.parse()?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let registration = runtime.block_on(Registration::begin(etcd, own, ttl, Claim::IfFree))?;
    io::stdin().read_to_end(&mut Vec::new())?;
    runtime.block_on(registration.close())?;
    Ok(())
}
