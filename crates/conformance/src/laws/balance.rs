//! How evenly keys are spread, and that it is neither worse nor better than chance allows.
//!
//! Statistical laws ask one router with many keys, under the suite's seed. `KEYROUTE_CASES` does not
//! change them.

use keyroute_core::{Node, RouteError, Router, Weight};

use crate::chance::{CHI_SQUARE, LEAST_POINTS, least, most, ring_variance, spread};
use crate::violation::ensure;
use crate::{Subject, Verdict, Violation};

/// Nodes whose names differ in the last characters only, as names in the field do.
fn numbered(weights: impl IntoIterator<Item = u32>) -> Result<Vec<Node>, RouteError> {
    weights
        .into_iter()
        .enumerate()
        .map(|(number, weight)| {
            Ok(Node::new(format!("node-{number}"))?.with_weight(Weight::new(weight)?))
        })
        .collect()
}

/// The keys that each of these nodes owns, of this many. Nodes that own none count too.
fn loads<R: Router>(
    subject: &Subject<R>,
    nodes: &[Node],
    keys: u32,
) -> Result<Vec<f64>, Violation> {
    let router = subject.make(nodes)?;
    let seed = subject.inputs().seed;
    let mut by_slot = vec![0u32; router.members().slot_bound()];
    for number in 0..keys {
        let key = format!("user:{seed}:{number}");
        if let Some(slot) = router.route(key.as_bytes()) {
            by_slot[slot.index() as usize] += 1;
        }
    }
    let load = |node: &Node| {
        let slot = router.members().find(node.id().as_str())?;
        Ok(f64::from(by_slot[slot.index() as usize]))
    };
    nodes.iter().map(load).collect()
}

/// Equal nodes own equal shares, as if each key were drawn for one of them: by chi-square, on 10 and
/// on 100 nodes. A bias of 3.2 % (root mean square) is seen with a probability of 99.9 %.
///
/// For strategies with equal shares (jump, rendezvous, modulo). A ring's shares differ by
/// construction: it [`balances_as_a_ring`].
///
/// # Errors
///
/// The violation.
pub fn balances_evenly<R: Router>(subject: &Subject<R>) -> Verdict {
    for (count, lower, upper) in CHI_SQUARE {
        let keys = 200_000;
        let loads = loads(subject, &numbered((0..count).map(|_| 1))?, keys)?;
        let expected = f64::from(keys) / f64::from(count);
        let chi_square: f64 = loads
            .iter()
            .map(|load| (load - expected).powi(2) / expected)
            .sum();
        ensure!(
            (lower..upper).contains(&chi_square),
            "{count} equal nodes: chi-square is {chi_square:.2}, chance allows {lower} to {upper}"
        );
    }
    Ok(())
}

/// The shares of equal nodes differ as those of a ring with this many points a node do, neither more
/// nor less: by the coefficient of variation, the greatest and the least share of 1000 nodes.
///
/// From 40 points on. A ring that searches the nearest point in both directions counts its points
/// twice.
///
/// # Errors
///
/// The violation.
pub fn balances_as_a_ring<R: Router>(subject: &Subject<R>, points: u32) -> Verdict {
    ensure!(
        points >= LEAST_POINTS,
        "{points} points a node: the limits hold from {LEAST_POINTS} on"
    );
    let (count, keys) = (1000, 500_000);
    let loads = loads(subject, &numbered((0..count).map(|_| 1))?, keys)?;
    let (n, keys) = (f64::from(count), f64::from(keys));
    let variance = ring_variance(1.0 / n, n * f64::from(points), keys);
    let relative: Vec<f64> = loads.iter().map(|load| load * n / keys).collect();

    let found: f64 = relative
        .iter()
        .map(|share| (share - 1.0).powi(2))
        .sum::<f64>()
        / n;
    // The rule is about the deviation, half as wide as about its square.
    let (cv, expected, half) = (found.sqrt(), variance.sqrt(), spread(n) / 2.0);
    ensure!(
        (cv / expected - 1.0).abs() <= half,
        "{count} equal nodes: the shares' coefficient of variation is {cv:.4}, \
         that of a ring with {points} points a node {expected:.4} ± {:.4}",
        half * expected
    );
    for (node, share) in relative.iter().enumerate() {
        ensure!(
            (least(variance)..=most(variance)).contains(share),
            "{count} equal nodes: node-{node} has {share:.3} of its share, chance allows {:.3} to {:.3}",
            least(variance),
            most(variance)
        );
    }
    Ok(())
}

/// Shares follow the weights, on a ring with this many points for a unit of weight: by the share of
/// each of 300 nodes of weight 1 to 5, and by all their deviations together.
///
/// A strategy without points (weighted rendezvous) claims `u32::MAX`: nothing but the sample is then
/// left to chance.
///
/// # Errors
///
/// The violation.
pub fn shares_follow_the_weights<R: Router>(
    subject: &Subject<R>,
    points_per_weight: u32,
) -> Verdict {
    ensure!(
        points_per_weight >= LEAST_POINTS,
        "{points_per_weight} points for a unit of weight: the limits hold from {LEAST_POINTS} on"
    );
    let (count, keys) = (300, 500_000);
    let nodes = numbered((0..count).map(|number| number % 5 + 1))?;
    let loads = loads(subject, &nodes, keys)?;
    let weight = |node: &Node| f64::from(node.weight().get());
    let total: f64 = nodes.iter().map(weight).sum();
    let mut squares = 0.0;
    for (node, load) in nodes.iter().zip(&loads) {
        let p = weight(node) / total;
        let variance = ring_variance(p, total * f64::from(points_per_weight), keys.into());
        let share = load / (p * f64::from(keys));
        ensure!(
            (least(variance)..=most(variance)).contains(&share),
            "node {:?} of weight {} has {share:.3} of its share, chance allows {:.3} to {:.3}",
            node.id(),
            node.weight(),
            least(variance),
            most(variance)
        );
        squares += (share - 1.0).powi(2) / variance;
    }
    let n = f64::from(count);
    let mean = squares / n;
    ensure!(
        (mean - 1.0).abs() <= spread(n),
        "the shares deviate from the weights {mean:.3} times as much as chance would, \
         which allows 1 ± {:.3}",
        spread(n)
    );
    Ok(())
}

/// Every node owns something: each of 100 equal ones, and one whose weight is small beside others'.
///
/// A ring of 40 points a node fails this by chance less than once in 10^9.
///
/// # Errors
///
/// The violation.
pub fn every_node_owns_something<R: Router>(subject: &Subject<R>) -> Verdict {
    let mut fleets = vec![vec![1; 100]];
    if subject.weighs() {
        // The second is a case from the field: a share of floor(5 × points / 2053) was 0.
        fleets.extend([vec![1, 100, 400, 500], vec![1024, 1024, 5]]);
    }
    for weights in fleets {
        let nodes = numbered(weights)?;
        let loads = loads(subject, &nodes, 100_000)?;
        if let Some((node, _)) = nodes.iter().zip(loads).find(|&(_, load)| load == 0.0) {
            return Err(Violation::new(format!(
                "node {:?} of weight {} owns none of 100000 keys",
                node.id(),
                node.weight()
            )));
        }
    }
    Ok(())
}
