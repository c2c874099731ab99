//! [`build`]: a router by name.

use keyroute::{
    BTreeRing, Bounded, Exact, Jump, Ketama, KetamaPoints, KeyHasher, Modulo, Native, Node,
    RouteError, VectorRing,
};

use super::{Refusal, Strategy, StrategyName};
use crate::fleet::Settings;
use crate::hashes::{AnyHash, HashName, NamedHash};

/// Builds a router over this hash at the hash's own width: three types, one text.
macro_rules! at_its_width {
    ($name:expr, |$hash:ident| $router:expr) => {
        match $name.any() {
            AnyHash::Narrow($hash) => Box::new($router) as Box<dyn Strategy>,
            AnyHash::Plain($hash) => Box::new($router),
            AnyHash::Wide($hash) => Box::new($router),
        }
    };
}

/// Builds a router of these nodes. Settings that a strategy does not have are passed over.
///
/// # Errors
///
/// [`Refusal`]: what the strategy cannot do with these settings or nodes.
pub fn build(
    name: StrategyName,
    settings: &Settings,
    nodes: &[Node],
) -> Result<Box<dyn Strategy>, Refusal> {
    let hash = settings.hash.unwrap_or_default();
    let nodes = nodes.to_vec();
    Ok(match name {
        StrategyName::VectorRing => at_its_width!(hash, |hash| {
            VectorRing::from_nodes_with(native(hash, settings)?, nodes)?
        }),
        StrategyName::BTreeRing => at_its_width!(hash, |hash| {
            BTreeRing::from_nodes_with(native(hash, settings)?, nodes)?
        }),
        StrategyName::Bounded => {
            let rule = Exact::new(settings.epsilon.unwrap_or_default().0)?;
            at_its_width!(hash, |hash| Bounded::new(
                VectorRing::from_nodes_with(native(hash, settings)?, nodes)?,
                rule
            ))
        }
        StrategyName::Ketama => {
            let mut scheme = KetamaPoints::default();
            if let Some(points) = settings.points {
                scheme = scheme.with_points_per_weight(points)?;
            }
            Box::new(Ketama::from_nodes_with(scheme, nodes)?)
        }
        StrategyName::Libketama => Box::new(Ketama::libketama(nodes)?),
        StrategyName::Jump => Box::new(Jump::from_nodes_with(plain(hash)?, nodes)?),
        StrategyName::Modulo => {
            at_its_width!(hash, |hash| Modulo::from_nodes_with(hash, nodes)?)
        }
    })
}

fn native<H: KeyHasher>(hasher: H, settings: &Settings) -> Result<Native<H>, RouteError> {
    let scheme = Native::new(hasher);
    match settings.points {
        Some(points) => scheme.with_points_per_weight(points),
        None => Ok(scheme),
    }
}

fn plain(hash: HashName) -> Result<NamedHash<u64>, Refusal> {
    hash.plain().ok_or(Refusal::Unable(
        "reads 64 bits of hash: choose another than md5",
    ))
}
