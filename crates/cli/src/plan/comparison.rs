//! [`compare`]: what moves between two routers, as exactly as it can be known.

use keyroute::plan::{Flow, Flows, Plan, Survey};
use keyroute::{NodeId, Router};

use super::sizes::Weighing;
use crate::CliError;
use crate::commands::order_of;
use crate::keys::{KeyArgs, Otherwise};
use crate::progress::Progress;
use crate::strategy::{Choice, Holders, Mapped, Strategy};

/// What is said of flags that need sizes.
pub(crate) const BYTES_UNKNOWN: &str =
    "bytes are not known: give --bytes, --sizes or --range-sizes, too";

/// A fleet's router, and what it is called.
pub(crate) struct Side {
    pub(crate) name: String,
    pub(crate) choice: Choice,
    pub(crate) strategy: Box<dyn Strategy>,
}

impl Side {
    pub(crate) fn router(&self) -> &dyn Router {
        self.strategy.router()
    }
}

/// What moves, and how that is known.
#[derive(Debug)]
pub(crate) enum Comparison {
    /// Computed from both routers' data.
    Exact {
        plan: Plan,
        bytes: Option<Flows>,
        phases: Option<Vec<keyroute::plan::Phase>>,
    },
    /// Asked key by key.
    Counted {
        keys: u64,
        from: String,
        /// Whether the keys are a sample of our own, and not the caller's.
        sample: bool,
        moved: u64,
        interval: keyroute::plan::Interval,
        flows: Flows,
        bytes: Option<Flows>,
        /// Why there is no plan of ranges.
        reason: &'static str,
    },
}

impl Comparison {
    /// Who sends how much to whom: positions, or keys.
    pub(crate) fn flows(&self) -> Flows {
        match self {
            Self::Exact { plan, .. } => plan.flows(),
            Self::Counted { flows, .. } => flows.clone(),
        }
    }

    pub(crate) fn bytes(&self) -> Option<&Flows> {
        match self {
            Self::Exact { bytes, .. } | Self::Counted { bytes, .. } => bytes.as_ref(),
        }
    }

    /// The parts of all keys that are copied, of these those that the change needed, and the others.
    pub(crate) fn totals(&self, flows: &Flows) -> [f64; 3] {
        let of: [fn(Flow) -> u128; 3] = [Flow::amount, |flow| flow.needed, |flow| flow.needless];
        of.map(|of| self.copied(flows, None, of))
    }

    /// The part of all keys that is copied; of copies made by one node, if one is given.
    ///
    /// Several copies of each of 2^128 positions are more than numbers hold, and amounts stand still there. Of one
    /// way from node to node they never are, so that then parts are added up.
    pub(crate) fn copied(
        &self,
        flows: &Flows,
        sender: Option<&NodeId>,
        of: fn(Flow) -> u128,
    ) -> f64 {
        let ways = || {
            let ways = flows.iter();
            let sent = ways.filter(|((from, _), _)| sender.is_none() || from.as_ref() == sender);
            sent.map(|(_, flow)| of(flow))
        };
        match ways().fold(0, u128::saturating_add) {
            u128::MAX => ways().map(|amount| self.share(amount)).sum(),
            amount => self.share(amount),
        }
    }

    /// The part of all keys that so much is.
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub(crate) fn share(&self, amount: u128) -> f64 {
        match self {
            Self::Exact { plan, .. } => plan.space().share(amount),
            Self::Counted { keys, .. } => amount as f64 / (*keys).max(1) as f64,
        }
    }
}

/// Compares two fleets' routers: by their layouts, or, if keys are given or the layouts have no space in common, by
/// keys.
pub(crate) fn compare(
    [before, after]: [&Side; 2],
    holders: Holders,
    keys: &KeyArgs,
    weighing: &Weighing,
    budget: Option<u64>,
) -> Result<Comparison, CliError> {
    let given = keys.file.is_some() || keys.keys_pattern.is_some();
    if !given && let Some((plan, mapped)) = side_by_side(before, after, holders) {
        let sizes = weighing.sizes(plan.space(), &|key| mapped.position(key))?;
        let bytes = sizes.as_ref().map(|sizes| plan.bytes(sizes));
        let phases = match (budget, &sizes) {
            (None, _) => None,
            (Some(_), None) => {
                return Err(CliError::at("--budget", BYTES_UNKNOWN));
            }
            (Some(budget), Some(sizes)) => {
                let phases = plan.phases(sizes, budget);
                Some(phases.map_err(|error| CliError::at("--budget", error))?)
            }
        };
        return Ok(Comparison::Exact {
            plan,
            bytes,
            phases,
        });
    }
    if budget.is_some() {
        let problem =
            "keys are counted one by one here, and phases are cut from ranges: leave it out";
        return Err(CliError::at("--budget", problem));
    }
    let reason = if given {
        "keys were given"
    } else {
        "the two share no ranges of hashes"
    };
    survey([before, after], holders, keys, weighing, reason)
}

/// The plan of two layouts of one space, if there are such, and the first of them.
fn side_by_side<'a>(
    before: &'a Side,
    after: &Side,
    holders: Holders,
) -> Option<(Plan, Mapped<'a>)> {
    let others = after.strategy.layouts(holders);
    before
        .strategy
        .layouts(holders)
        .into_iter()
        .find_map(|mapped| {
            let plan = |other: &Mapped<'_>| Plan::between(&mapped.layout, &other.layout).ok();
            let plan = others.iter().find_map(plan)?;
            Some((plan, mapped))
        })
}

fn survey(
    [before, after]: [&Side; 2],
    holders: Holders,
    keys: &KeyArgs,
    weighing: &Weighing,
    reason: &'static str,
) -> Result<Comparison, CliError> {
    let walks;
    let zoned;
    let mut survey = if holders.replicas == 1 {
        Survey::of(before.router(), after.router())
    } else {
        walks = [
            order_of(
                &*before.strategy,
                &before.choice,
                "leave --replicas out, or ",
            )?,
            order_of(&*after.strategy, &after.choice, "leave --replicas out, or ")?,
        ];
        if holders.zones {
            zoned = walks.map(keyroute::ZoneAware::new);
            Survey::of_replicas(&zoned[0], &zoned[1], holders.replicas)
        } else {
            Survey::of_replicas(walks[0], walks[1], holders.replicas)
        }
    };
    let mut moved_keys = 0u64;
    let (from, sample) = match weighing.keys() {
        Some((file, sized)) => {
            for (key, bytes) in sized {
                moved_keys += u64::from(survey.key_of(key, *bytes).is_some());
            }
            (file.to_owned(), false)
        }
        None => {
            let mut keys = keys.open(Otherwise::Sample)?;
            let mut progress = Progress::new("asking for keys", None);
            let from = keys.source();
            while let Some(key) = keys.next()? {
                moved_keys += u64::from(survey.key(key).is_some());
                progress.advance(1);
            }
            (from, reason != "keys were given")
        }
    };
    let bytes = match weighing {
        Weighing::Total(total) => Some(survey.flows().scaled(*total, survey.keys())),
        Weighing::Keys(..) => Some(survey.bytes().clone()),
        Weighing::Ranges(..) => {
            let problem = "keys are counted one by one here, not ranges: give --sizes";
            return Err(CliError::at("--range-sizes", problem));
        }
        Weighing::Unknown => None,
    };
    Ok(Comparison::Counted {
        keys: survey.keys(),
        from,
        sample,
        moved: moved_keys,
        interval: survey.interval(),
        flows: survey.flows().clone(),
        bytes,
        reason,
    })
}

/// A node as it is shown; who sends where nobody did.
pub(crate) fn sender(from: Option<&NodeId>) -> &str {
    from.map_or("nobody", NodeId::as_str)
}
