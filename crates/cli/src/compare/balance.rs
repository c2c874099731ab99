//! [`Balance`]: how evenly keys fall on nodes.

use keyroute::Node;

use super::ratio;

/// How far the nodes' loads are from what their weights ask for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Balance {
    /// The keys each node owns, in the order of the fleet.
    pub(crate) keys: Vec<u64>,
    /// The highest load, 1 being fair.
    pub(crate) max_over_mean: f64,
    /// The lowest.
    pub(crate) min_over_mean: f64,
    /// The root mean square distance of the loads from 1, each node counted once. With equal weights
    /// that is the coefficient of variation.
    pub(crate) cv: f64,
    /// How many nodes own no key.
    pub(crate) keyless: usize,
}

impl Balance {
    /// The balance of these nodes, numbered in this order, if keys are owned so.
    pub(crate) fn of_owners(owners: &[u32], nodes: &[Node]) -> Self {
        let mut keys = vec![0; nodes.len()];
        for &owner in owners {
            if let Some(keys) = keys.get_mut(owner as usize) {
                *keys += 1; // u32 fits
            }
        }
        let weights: Vec<u64> = nodes
            .iter()
            .map(|node| node.weight().get().into())
            .collect();
        Self::of(keys, &weights)
    }

    /// The balance of nodes with these numbers of keys and these weights.
    pub(crate) fn of(keys: Vec<u64>, weights: &[u64]) -> Self {
        let total: u128 = keys.iter().map(|&keys| u128::from(keys)).sum();
        let total_weight: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let loads: Vec<f64> = keys
            .iter()
            .zip(weights)
            .map(|(&keys, &weight)| {
                ratio(u128::from(keys) * total_weight, total * u128::from(weight))
            })
            .collect();
        let squares: f64 = loads.iter().map(|load| (load - 1.0) * (load - 1.0)).sum();
        Self {
            max_over_mean: loads.iter().copied().fold(0.0, f64::max),
            min_over_mean: loads.iter().copied().fold(f64::INFINITY, f64::min),
            cv: (squares / ratio(loads.len() as u64, 1u32)).sqrt(),
            keyless: keys.iter().filter(|&&keys| keys == 0).count(),
            keys,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_relative_to_weights() {
        let even = Balance::of(vec![10, 30, 20], &[1, 3, 2]);
        assert_eq!(
            (even.max_over_mean, even.min_over_mean, even.cv),
            (1.0, 1.0, 0.0)
        );
        let skewed = Balance::of(vec![10, 30], &[1, 1]);
        assert_eq!(
            (skewed.max_over_mean, skewed.min_over_mean, skewed.cv),
            (1.5, 0.5, 0.5)
        );
    }

    #[test]
    fn a_node_without_keys_counts() {
        let balance = Balance::of(vec![40, 0], &[1, 1]);
        assert_eq!(
            (balance.min_over_mean, balance.cv, balance.keyless),
            (0.0, 1.0, 1)
        );
    }
}
