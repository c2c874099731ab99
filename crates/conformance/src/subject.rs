//! [`Subject`]: a router under test.

use std::fmt;

use keyroute_core::{Node, RouteError, Router, Weight};
use proptest::strategy::Strategy;

use crate::generators::{Weights, cases, odd_nodes};
use crate::{Case, Inputs, Verdict, Violation};

type Make<R> = dyn Fn(&[Node]) -> Result<R, RouteError>;

/// A router under test: how it is made of nodes, and the inputs that laws draw for it.
///
/// What a strategy refuses is not asked of it: one that refuses weights
/// ([`RouteError::WeightUnsupported`]) is asked with nodes of weight 1, one that cannot place some ids
/// ([`RouteError::Unplaceable`]) with those it can.
pub struct Subject<R> {
    make: Box<Make<R>>,
    inputs: Inputs,
    weighs: bool,
    picks: bool,
}

impl<R: Router> Subject<R> {
    /// The subject that this function makes of any list of nodes.
    pub fn new(make: impl Fn(&[Node]) -> Result<R, RouteError> + 'static, inputs: Inputs) -> Self {
        let refuses = |nodes: Vec<Node>| make(&nodes).err();
        let weighs = !matches!(
            refuses(two_weights()),
            Some(RouteError::WeightUnsupported { .. })
        );
        let picks = matches!(refuses(odd_nodes()), Some(RouteError::Unplaceable { .. }));
        Self {
            make: Box::new(make),
            inputs,
            weighs,
            picks,
        }
    }

    /// A router of these nodes.
    ///
    /// # Errors
    ///
    /// A violation that says what it refused.
    pub fn make(&self, nodes: &[Node]) -> Result<R, Violation> {
        (self.make)(nodes)
            .map_err(|error| Violation::new(format!("refused {} nodes: {error}", nodes.len())))
    }

    /// Whether it accepts weights over 1.
    #[must_use]
    pub fn weighs(&self) -> bool {
        self.weighs
    }

    /// How many cases it is asked, and from which seed.
    #[must_use]
    pub fn inputs(&self) -> Inputs {
        self.inputs
    }

    /// Holds the law to every drawn case, and reports the smallest case found that breaks it.
    ///
    /// # Errors
    ///
    /// The law's violation, with the case and the seed.
    pub fn each(&self, law: impl Fn(&Case) -> Verdict) -> Verdict {
        let weights = if self.weighs {
            Weights::Mixed
        } else {
            Weights::AllOne
        };
        let accepts = |node: &Node| !self.picks || self.accepts(node);
        hold_each(self.inputs, weights, &accepts, &law)
    }

    fn accepts(&self, node: &Node) -> bool {
        let alone = (self.make)(std::slice::from_ref(node));
        !matches!(alone, Err(RouteError::Unplaceable { .. }))
    }
}

// Not generic: it is compiled once, not for each law and router.
fn hold_each(
    inputs: Inputs,
    weights: Weights,
    accepts: &dyn Fn(&Node) -> bool,
    law: &dyn Fn(&Case) -> Verdict,
) -> Verdict {
    inputs.each(cases(weights).prop_map(|case| case.tamed(accepts)), law)
}

/// A node of weight 1 and one of weight 2.
fn two_weights() -> Vec<Node> {
    let weights = [1, 2]
        .into_iter()
        .filter_map(|weight| Weight::new(weight).ok());
    ["a", "b"]
        .into_iter()
        .zip(weights)
        .filter_map(|(id, weight)| Some(Node::new(id).ok()?.with_weight(weight)))
        .collect()
}

impl<R> fmt::Debug for Subject<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject")
            .field("inputs", &self.inputs)
            .field("weighs", &self.weighs)
            .finish_non_exhaustive()
    }
}

/// Holds one law to the router that `make` makes: what each test of [`laws!`](crate::laws!) does.
///
/// ```
/// use keyroute_conformance::{hold, laws};
/// use keyroute_jump::Jump;
///
/// hold(|nodes| Jump::from_nodes(nodes.iter().cloned()), laws::adding_moves_keys_only_to_the_newcomer);
/// hold(|nodes| Jump::from_nodes(nodes.iter().cloned()), laws::removing_the_last_moves_only_its_keys);
/// ```
///
/// A law that the router cannot be asked about does not compile. A shard in the middle cannot leave:
///
/// ```compile_fail,E0277
/// use keyroute_conformance::{hold, laws};
/// use keyroute_jump::Jump;
///
/// hold(|nodes| Jump::from_nodes(nodes.iter().cloned()), laws::removing_moves_only_the_leavers_keys);
/// ```
///
/// and its list of shards is its input, whose order decides:
///
/// ```compile_fail,E0277
/// use keyroute_conformance::{hold, laws};
/// use keyroute_jump::Jump;
///
/// hold(|nodes| Jump::from_nodes(nodes.iter().cloned()), laws::the_order_of_listing_decides_nothing);
/// ```
///
/// A ring settles ties by id, so it may claim that law; one that settles them by the order of listing
/// may not:
///
/// ```
/// use keyroute_conformance::{hold, laws};
/// use keyroute_core::{ById, Native, WithTies, hash::Xxh3};
/// use keyroute_vector_ring::VectorRing;
///
/// hold(
///     |nodes| VectorRing::from_nodes_with(WithTies::new(Native::new(Xxh3), ById), nodes.iter().cloned()),
///     laws::the_order_of_listing_decides_nothing,
/// );
/// ```
///
/// ```compile_fail,E0271
/// use keyroute_conformance::{hold, laws};
/// use keyroute_core::{LastListed, Native, WithTies, hash::Xxh3};
/// use keyroute_vector_ring::VectorRing;
///
/// hold(
///     |nodes| VectorRing::from_nodes_with(WithTies::new(Native::new(Xxh3), LastListed), nodes.iter().cloned()),
///     laws::the_order_of_listing_decides_nothing,
/// );
/// ```
///
/// # Panics
///
/// With the violation.
#[track_caller]
pub fn hold<R: Router>(
    make: impl Fn(&[Node]) -> Result<R, RouteError> + 'static,
    law: impl FnOnce(&Subject<R>) -> Verdict,
) {
    let verdict = Inputs::from_env().and_then(|inputs| law(&Subject::new(make, inputs)));
    if let Err(violation) = verdict {
        panic!("{violation}");
    }
}
