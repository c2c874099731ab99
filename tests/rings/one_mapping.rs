//! The tree ring is the vector ring bit for bit, whatever has happened to both: the same slots for
//! keys, hashes and walks, the same ranges, points and fingerprints.

use keyroute::hash::{Crc32, Md5, Xxh3};
use keyroute::{
    After, ArcLookup, AtOrBefore, BTreeRing, FirstListed, KeyHasher, Labelled, LastListed, Native,
    Nearest, Node, PointScheme, Position, Ranges, RouteDigest, RouteError, VectorRing, WithLookup,
    WithTies,
};
use keyroute_conformance::generators::{Weights, cases};
use keyroute_conformance::{Case, Cut, Inputs, Step, Verdict, Violation};

fn are_one<S: PointScheme<Lookup: ArcLookup>>(
    scheme: impl Fn() -> Result<S, RouteError>,
) -> Verdict {
    Inputs::from_env()?.each(cases(Weights::Mixed), |case| {
        let nodes = || case.nodes.iter().cloned();
        let mut sorted = VectorRing::from_nodes_with(scheme()?, nodes())?;
        let mut tree = BTreeRing::from_nodes_with(scheme()?, nodes())?;
        answer_alike(&sorted, &tree, case, "as built")?;
        for &step in &case.steps {
            // Outside and inside alike: refusals must agree too.
            let all: Vec<&Node> = case.nodes.iter().chain(&case.spares).collect();
            let at = |number| all[usize::from(number) % all.len()];
            let same = match step {
                Step::Add(number) => sorted.add(at(number).clone()) == tree.add(at(number).clone()),
                Step::Remove(number) => {
                    let id = at(number).id().as_str();
                    sorted.remove(id) == tree.remove(id)
                }
                Step::Reweight(number, weight) => {
                    let id = at(number).id().as_str();
                    sorted.reweight(id, weight) == tree.reweight(id, weight)
                }
            };
            let when = format!("after {step:?}");
            if !same {
                return Err(Violation::new(format!(
                    "{when} one refuses, or gives another slot"
                )));
            }
            answer_alike(&sorted, &tree, case, &when)?;
        }
        sorted.rebuild(&case.spares)?;
        tree.rebuild(&case.spares)?;
        answer_alike(&sorted, &tree, case, "rebuilt")
    })
}

fn answer_alike<S: PointScheme<Lookup: ArcLookup>>(
    sorted: &VectorRing<S>,
    tree: &BTreeRing<S>,
    case: &Case,
    when: &str,
) -> Verdict {
    let differ = |what: &str| Err(Violation::new(format!("{when}, {what} differ")));
    if sorted.fingerprint() != tree.fingerprint() || sorted.points() != tree.points() {
        return differ("fingerprints or points");
    }
    for key in &case.keys {
        let all = case.nodes.len() + case.spares.len();
        if sorted.route(key) != tree.route(key)
            || sorted.replicas(key, all) != tree.replicas(key, all)
        {
            return differ(&format!("owners or walks of key {}", key.escape_ascii()));
        }
    }
    let ranges = sorted.ranges();
    if ranges != tree.ranges() {
        return differ("ranges");
    }
    for range in ranges {
        for at in [range.after, range.through, range.through.before()] {
            if sorted.route_value(at) != tree.route_value(at) {
                return differ(&format!("owners of {at:x}"));
            }
        }
    }
    Ok(())
}

/// The native scheme with few points, so that a cut ring has free positions too.
fn native<H: KeyHasher>(hasher: H) -> Result<Native<H>, RouteError> {
    Native::new(hasher).with_points_per_weight(12)
}

macro_rules! one_mapping {
    ($($name:ident: $scheme:expr;)*) => {$(
        #[test]
        fn $name() {
            are_one(|| Ok($scheme)).unwrap();
        }
    )*};
}

one_mapping! {
    under_the_default_scheme: Native::new(Xxh3);
    under_crc32_labels: Labelled::new("{node}{i}", Crc32)?;
    over_128_bits: native(Md5)?;
    on_256_positions: native(Cut::top(Xxh3, 8))?;
    on_256_positions_side_by_side: native(Cut::low(Xxh3, 8))?;
    on_256_positions_of_32_bits: native(Cut::top(Crc32, 8))?;
    on_4096_positions_of_128_bits: native(Cut::low(Md5, 12))?;
    on_2_positions: native(Cut::top(Xxh3, 1))?;
    on_1_position: native(Cut::top(Xxh3, 0))?;
    first_listed: WithTies::new(native(Cut::top(Xxh3, 8))?, FirstListed);
    last_listed: WithTies::new(native(Cut::low(Xxh3, 8))?, LastListed);
    after: WithLookup::new(native(Cut::top(Xxh3, 8))?, After);
    at_or_before: WithLookup::new(native(Cut::low(Xxh3, 8))?, AtOrBefore);
    nearest: WithLookup::new(native(Cut::top(Xxh3, 8))?, Nearest);
    nearest_side_by_side: WithLookup::new(native(Cut::low(Xxh3, 8))?, Nearest);
    nearest_last_listed: WithLookup::new(WithTies::new(native(Cut::top(Xxh3, 8))?, LastListed), Nearest);
}
