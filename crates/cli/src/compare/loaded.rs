//! [`Loaded`]: bounded loads, filled.

use keyroute::Node;

use super::{Balance, KeyArena, Numbering};
use crate::strategy::Loads;

/// What became of the keys as loads that come one after the other and all stay.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The balance of the loads.
    pub(crate) balance: Balance,
    /// The loads that the node nearest to its capacity holds…
    pub(crate) fullest_load: u64,
    /// …and its capacity, under the total at which the last load came.
    pub(crate) fullest_capacity: u64,
    /// How many loads went to another node than the key's owner.
    pub(crate) away: u64,
}

impl Loaded {
    /// Fills a router that holds nothing. `owners` are the keys' owners while nothing is held.
    pub(crate) fn fill(
        router: &dyn Loads,
        keys: &KeyArena,
        owners: &[u32],
        numbering: &Numbering,
        nodes: &[Node],
    ) -> Self {
        let numbers = numbering.by_slot(router.members());
        let mut capacities = Vec::new();
        let mut placed = Vec::with_capacity(keys.len());
        for (key, left) in keys.iter().zip((0..keys.len()).rev()) {
            if left == 0 {
                // What the last load is admitted under.
                let slots = router.members().slots();
                capacities = slots
                    .map(|slot| (numbers[slot.index() as usize], router.capacity(slot)))
                    .collect();
            }
            if let Some(lease) = router.acquire(key) {
                placed.push(numbers[lease.slot().index() as usize]);
                // Never given back: the load stays until the process ends. A lease each would take
                // more memory than the keys.
                std::mem::forget(lease);
            }
        }
        let away = placed.iter().zip(owners).filter(|(to, home)| to != home);
        let away = away.count() as u64;
        let balance = Balance::of_owners(&placed, nodes);
        // Loads are below 2^24, so the shifted quotient is exact enough to compare.
        let fullest = capacities
            .into_iter()
            .filter_map(|(node, capacity)| Some((*balance.keys.get(node as usize)?, capacity?)))
            .max_by_key(|&(load, capacity)| (u128::from(load) << 64) / u128::from(capacity.max(1)));
        let (fullest_load, fullest_capacity) = fullest.unwrap_or_default();
        Self {
            balance,
            fullest_load,
            fullest_capacity,
            away,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Settings;
    use crate::keys::Keys;
    use crate::strategy::{self, Epsilon};

    #[test]
    fn no_node_holds_more_than_its_capacity_and_somebody_is_sent_away() {
        let nodes: Vec<Node> = ["a", "b", "c"].map(|id| Node::new(id).unwrap()).to_vec();
        let keys = KeyArena::read(&mut Keys::sample(999)).unwrap();
        let settings = Settings {
            points: Some(1),
            epsilon: Some(Epsilon(100)),
            ..Settings::default()
        };
        let router = strategy::build("bounded".parse().unwrap(), &settings, &nodes).unwrap();
        let numbering = Numbering::of(&nodes);
        let owners = numbering.owners(router.router(), &keys);
        let idle = Balance::of_owners(&owners, &nodes);
        let loads = router.as_loads().unwrap();
        let loaded = Loaded::fill(loads, &keys, &owners, &numbering, &nodes);
        // 1.1 x 999 / 3 = 366.3, rounded up.
        assert!(idle.keys.iter().any(|&keys| keys > 367), "{idle:?}");
        assert_eq!(loaded.fullest_capacity, 367);
        assert!((360..=367).contains(&loaded.fullest_load), "{loaded:?}");
        assert_eq!(loaded.balance.keys.iter().sum::<u64>(), 999);
        assert_eq!(loaded.balance.keys.iter().max(), Some(&loaded.fullest_load));
        assert!(loaded.away > 0);
    }
}
