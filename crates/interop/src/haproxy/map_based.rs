//! [`map_based_table`]: turns by weight.

use alloc::vec::Vec;

/// The table of a map-based backend: a place in the list for each slot.
///
/// `weights` are those of all servers in the order of the file, `usable` says which of them get keys. Weights
/// are divided by the greatest common divisor of all; the table has as many slots as what is left of the usable
/// ones. It is made by giving each slot to the server that waits most.
///
/// ```
/// use keyroute_interop::haproxy::map_based_table;
///
/// assert_eq!(map_based_table(&[2, 4, 6], |_| true), [0, 2, 1, 2, 1, 2]);
/// assert_eq!(map_based_table(&[2, 4, 6], |place| place != 1), [0, 2, 2, 2]);
/// ```
#[must_use]
pub fn map_based_table(weights: &[u32], usable: impl Fn(usize) -> bool) -> Vec<usize> {
    let divisor = weights.iter().copied().fold(0, greatest_common_divisor);
    let servers: Vec<(usize, i64)> = weights
        .iter()
        .enumerate()
        .filter(|&(place, &weight)| weight > 0 && usable(place))
        .map(|(place, &weight)| (place, i64::from(weight / divisor)))
        .collect();
    let total: i64 = servers.iter().map(|(_, weight)| weight).sum();
    let mut scores: Vec<i64> = servers.iter().map(|_| 0).collect();
    (0..total)
        .filter_map(|_| {
            let mut best: Option<(i64, usize)> = None;
            for (server, (score, (_, weight))) in scores.iter_mut().zip(&servers).enumerate() {
                *score += weight;
                let waits = (*score + total) / total;
                if best.is_none_or(|(most, _)| waits > most) {
                    best = Some((waits, server));
                }
            }
            let (_, best) = best?;
            *scores.get_mut(best)? -= total;
            Some(servers.get(best)?.0)
        })
        .collect()
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
