//! [`Sweep`]: how many points, and which hash? The balance of a ring for each pair.

use keyroute::{Node, NodeId, RouteError};

use super::{Balance, KeyArena, Numbering, ratio};
use crate::CliError;
use crate::fleet::Settings;
use crate::hashes::HashName;
use crate::progress::Progress;
use crate::strategy::{self, StrategyName};

/// What is the same for all pairs.
#[derive(Debug)]
pub(crate) struct Sweep<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) keys: &'a KeyArena,
    pub(crate) points: &'a [u32],
    pub(crate) hashes: &'a [HashName],
    /// How many fleets are tried: this one, and others of the same weights and other ids. One fleet is
    /// one draw: with ten nodes of 160 points the CV lies between 2.7 % and 13 %.
    pub(crate) trials: u32,
}

/// One row: so many points, and the balance with each hash.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) points: u32,
    /// 1/√V: the CV of a large fleet whose points are random.
    pub(crate) rule_of_thumb: f64,
    /// The CV of this fleet and so many keys, if points and keys are random.
    pub(crate) expected_cv: f64,
    pub(crate) cells: Vec<Result<Spread, String>>,
}

/// The balances of all trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// The median CV.
    pub(crate) cv: f64,
    /// The median of the highest loads.
    pub(crate) max_over_mean: f64,
    /// The median of the lowest loads.
    pub(crate) min_over_mean: f64,
    /// The highest load of all trials.
    pub(crate) worst_max_over_mean: f64,
}

impl Sweep<'_> {
    /// Measures all pairs.
    ///
    /// # Errors
    ///
    /// [`CliError`] if an id is too long to be made another for a trial.
    pub(crate) fn run(&self) -> Result<Vec<Row>, CliError> {
        // The last trial's ids are the longest: if they fit, all do.
        self.fleet(self.trials)?;
        let pairs = self.points.len() * self.hashes.len();
        let work = pairs as u64 * u64::from(self.trials) * self.keys.len() as u64;
        let mut progress = Progress::new("comparing", Some(work));
        let rows = self.points.iter().map(|&points| Row {
            points,
            rule_of_thumb: 1.0 / f64::from(points).sqrt(),
            expected_cv: self.expected_cv(points),
            cells: self
                .hashes
                .iter()
                .map(|&hash| self.spread(points, hash, &mut progress))
                .collect(),
        });
        Ok(rows.collect())
    }

    /// The fleet of a trial: the first is the given one.
    fn fleet(&self, trial: u32) -> Result<Vec<Node>, RouteError> {
        let rename = |node: &Node| {
            if trial == 1 {
                return Ok(node.clone());
            }
            let id = NodeId::new(format!("{}~{trial}", node.id()))?;
            Ok(Node::from(id).with_weight(node.weight()))
        };
        self.nodes.iter().map(rename).collect()
    }

    fn spread(
        &self,
        points: u32,
        hash: HashName,
        progress: &mut Progress,
    ) -> Result<Spread, String> {
        let settings = Settings {
            hash: Some(hash),
            points: Some(points),
            ..Settings::default()
        };
        let (mut cvs, mut highest, mut lowest) = (Vec::new(), Vec::new(), Vec::new());
        for trial in 1..=self.trials {
            let nodes = self.fleet(trial).map_err(|error| error.to_string())?;
            let ring = strategy::build(StrategyName::default(), &settings, &nodes)
                .map_err(|refusal| refusal.to_string());
            progress.advance(self.keys.len() as u64);
            let owners = Numbering::of(&nodes).owners(ring?.router(), self.keys);
            let balance = Balance::of_owners(&owners, &nodes);
            cvs.push(balance.cv);
            highest.push(balance.max_over_mean);
            lowest.push(balance.min_over_mean);
        }
        Ok(Spread {
            cv: median(&mut cvs),
            max_over_mean: median(&mut highest),
            min_over_mean: median(&mut lowest),
            worst_max_over_mean: highest.into_iter().fold(0.0, f64::max),
        })
    }

    /// A node of weight w of W has w·V of W·V random points, so its share is Beta distributed; and the
    /// keys are drawn at random, too. For equal weights: √((n − 1)/(nV + 1) + (1 − 1/n)/k), k keys a
    /// node.
    fn expected_cv(&self, points: u32) -> f64 {
        let total: u64 = self
            .nodes
            .iter()
            .map(|node| u64::from(node.weight().get()))
            .sum();
        let all_points = ratio(u128::from(total) * u128::from(points) + 1, 1u32);
        let keys = ratio(self.keys.len() as u64, 1u32);
        let variances = self.nodes.iter().map(|node| {
            let share = ratio(node.weight().get(), total);
            (1.0 - share) / share * (1.0 / all_points + 1.0 / keys)
        });
        (variances.sum::<f64>() / ratio(self.nodes.len() as u64, 1u32)).sqrt()
    }
}

/// The middle one; of an even number the higher of the two.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;

    fn sweep(nodes: &[Node], points: &[u32], trials: u32) -> Vec<Row> {
        let keys = KeyArena::read(&mut Keys::sample(20_000)).unwrap();
        let sweep = Sweep {
            nodes,
            keys: &keys,
            points,
            hashes: &[HashName::Xxh3],
            trials,
        };
        sweep.run().unwrap()
    }

    fn nodes(count: u32) -> Vec<Node> {
        (0..count)
            .map(|i| Node::new(format!("node-{i}")).unwrap())
            .collect()
    }

    #[test]
    fn a_good_hash_comes_close_to_what_is_expected() {
        for row in sweep(&nodes(100), &[1, 10, 100], 5) {
            let found = row.cells[0].as_ref().unwrap();
            // The median of five fleets of 100: the spread of one is 1/sqrt(200).
            let ratio = found.cv / row.expected_cv;
            assert!((0.8..1.2).contains(&ratio), "{row:?}");
            assert!(found.worst_max_over_mean >= found.max_over_mean);
        }
    }

    #[test]
    fn the_expectation_is_that_of_the_closed_form() {
        let row = &sweep(&nodes(10), &[160], 1)[0];
        // sqrt(9 / 1601 + 0.9 / 2000)
        assert!((row.expected_cv - 0.077_920).abs() < 1e-6, "{row:?}");
        assert!((row.rule_of_thumb - 0.079_057).abs() < 1e-6, "{row:?}");
    }

    #[test]
    fn a_node_of_double_weight_is_expected_to_vary_less() {
        let plain = nodes(2);
        let mut weighted = nodes(2);
        weighted[0] = weighted[0].clone().with_weight(3u32.try_into().unwrap());
        let expected = |nodes: &[Node]| sweep(nodes, &[10], 1)[0].expected_cv;
        // Shares 3/4 and 1/4 of 40 points: variances (1/3 + 3) / 2 / 41, beside 1 / 21.
        let ratio = (expected(&weighted) / expected(&plain)).powi(2);
        assert!(
            (ratio - (5.0 / 3.0 / 41.0) / (1.0 / 21.0)).abs() < 0.01,
            "{ratio}"
        );
    }

    #[test]
    fn more_points_than_a_ring_holds_are_refused_in_their_cell() {
        let rows = sweep(&nodes(2), &[1, 1 << 24], 1);
        assert!(rows[0].cells[0].is_ok());
        let reason = rows[1].cells[0].as_ref().unwrap_err();
        assert!(reason.contains("at most 16777216"), "{reason}");
    }
}
