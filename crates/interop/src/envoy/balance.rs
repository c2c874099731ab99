//! [`HashBalance`]: `hash_balance_factor`.

use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{RouteError, Slot};
use rand_mt::Mt;

use super::Cluster;
use super::cluster::double;

/// `hash_balance_factor` over a ring or a table: a host that has more than its part of the active requests passes
/// them on, to hosts in an order drawn from the request's hash.
///
/// A host whose active requests *equal* its slots takes one more.
///
/// Cost: nothing over the lookup if the first host takes the request; else a generator of 2.5 kB and a list of the
/// hosts are made.
#[derive(Clone, Debug)]
pub struct HashBalance {
    factor: u32,
    hosts: Vec<(Slot, f64)>,
}

impl HashBalance {
    /// The balance of this cluster under a factor in percent.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for less than 100 percent, which Envoy refuses.
    pub fn new(cluster: &Cluster, factor: u32) -> Result<Self, RouteError> {
        if factor < 100 {
            return Err(RouteError::Parameter {
                name: "hash_balance_factor",
                given: factor.to_string(),
                accepted: "a percentage from 100",
            });
        }
        let listed = cluster.members.listed();
        let weights = cluster.shares.iter().map(|host| host.weight);
        Ok(Self {
            factor,
            hosts: listed.into_iter().zip(weights).collect(),
        })
    }

    /// The host for a request of this hash, for which the ring or table says `first`, if hosts have so many active
    /// requests, this one not among them. `None` if `first` is no host.
    pub fn pick(&self, hash: u64, first: Slot, active: impl Fn(Slot) -> u32) -> Option<Slot> {
        let all = self
            .hosts
            .iter()
            .fold(0u32, |sum, &(slot, _)| sum.wrapping_add(active(slot)));
        let total = all
            .wrapping_add(1)
            .wrapping_mul(self.factor)
            .wrapping_add(99)
            / 100;
        let overload = |slot: Slot, weight: f64| {
            let slots = ceil(f64::from(total) * weight).max(1.0);
            f64::from(active(slot)) / slots
        };
        let &(_, weight) = self.hosts.iter().find(|&&(slot, _)| slot == first)?;
        let mut best = (overload(first, weight), first);
        if best.0 <= 1.0 {
            return Some(first);
        }
        #[expect(clippy::cast_possible_truncation, reason = "the low half is the seed")]
        let mut random = Mt::new(hash as u32);
        let mut hosts = self.hosts.clone();
        for place in 0..hosts.len() {
            let left = u32::try_from(hosts.len() - place).unwrap_or(u32::MAX);
            let step = below(&mut random, left);
            hosts.swap(place, place + step as usize);
            let (slot, weight) = hosts[place];
            if slot == first {
                continue;
            }
            let overload = overload(slot, weight);
            if overload <= 1.0 {
                return Some(slot);
            }
            if overload < best.0 {
                best = (overload, slot);
            }
        }
        Some(best.1)
    }
}

/// A number below `bound`, as libstdc++'s uniform distribution draws it.
fn below(random: &mut Mt, bound: u32) -> u32 {
    let width = (1u64 << 32) / u64::from(bound.max(1));
    loop {
        let drawn = u64::from(random.next_u32()) / width;
        if let Ok(drawn) = u32::try_from(drawn)
            && drawn < bound
        {
            return drawn;
        }
    }
}

/// The least whole number that is no less. The argument is from 0 to 2^32.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to 2^32; there is no `ceil` without std"
)]
fn ceil(number: f64) -> f64 {
    let whole = double(number as u64);
    if whole < number { whole + 1.0 } else { whole }
}

#[cfg(test)]
mod tests {
    use super::{HashBalance, Mt, below};
    use crate::envoy::{Cluster, Host};

    #[test]
    fn the_generator_is_the_usual_one() {
        let mut random = Mt::new(5489);
        let drawn = [random.next_u32(), random.next_u32(), random.next_u32()];
        assert_eq!(drawn, [3_499_211_612, 581_869_302, 3_890_346_734]);
        // 3499211612 ÷ floor(2^32 ÷ 10).
        assert_eq!(below(&mut Mt::new(5489), 10), 8);
    }

    #[test]
    fn a_host_takes_one_more_than_its_slots() {
        let hosts = ["a:1", "b:1"].map(|host| Host::new(host).unwrap());
        let cluster = Cluster::new(hosts).unwrap();
        let [a, b] = ["a:1", "b:1"].map(|host| cluster.members().slot_of(host).unwrap());
        let balance = HashBalance::new(&cluster, 100).unwrap();
        let pick = |loads: [u32; 2]| balance.pick(7, a, |slot| loads[usize::from(slot == b)]);
        assert_eq!(pick([1, 0]), Some(a)); // one slot each, and it holds one
        assert_eq!(pick([2, 0]), Some(a)); // two slots each
        assert_eq!(pick([3, 0]), Some(b)); // still two
        assert_eq!(pick([9, 9]), Some(a)); // ten slots each
        assert!(HashBalance::new(&cluster, 99).is_err());
    }
}
