//! Routers to which their members are a set.

use keyroute_core::OrderFree;

use crate::answers::Answers;
use crate::{Subject, Verdict};

/// The order in which nodes are listed decides nothing.
///
/// # Errors
///
/// The violation.
pub fn the_order_of_listing_decides_nothing<R: OrderFree>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        let shuffled = subject.make(&case.shuffled())?;
        answers.must_equal(&shuffled, "listed in another order")?;
        let mut last_first = case.nodes.clone();
        last_first.reverse();
        answers.must_equal(&subject.make(&last_first)?, "listed last first")
    })
}
