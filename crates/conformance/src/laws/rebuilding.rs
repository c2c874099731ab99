//! Routers that can be made anew in place.

use keyroute_core::{Rebuild, RouteError};

use crate::answers::Answers;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// A router rebuilt from a list gives what a new one of that list gives, whatever it held before.
///
/// # Errors
///
/// The violation.
pub fn rebuilding_equals_building_anew<R: Rebuild>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let fleets = [
            case.nodes_with(case.newcomer()),
            case.spares.clone(),
            Vec::new(),
            case.nodes.clone(),
        ];
        for fleet in fleets {
            router.rebuild(&fleet)?;
            let anew = subject.make(&fleet)?;
            Answers::of(&anew, &case.keys).must_equal(&router, "rebuilt, and not built anew")?;
        }
        Ok(())
    })
}

/// A list that names a node twice is refused, and the router stays as it was.
///
/// # Errors
///
/// The violation.
pub fn a_refused_rebuild_changes_nothing<R: Rebuild>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let mut router = subject.make(&case.nodes)?;
        let answers = Answers::of(&router, &case.keys);
        let twice = &case.spares[0];
        let mut fleet = case.spares.clone();
        fleet.push(twice.clone());
        let refusal = router.rebuild(&fleet);
        let id = twice.id().clone();
        ensure!(
            refusal == Err(RouteError::AlreadyMember { id: id.clone() }),
            "a list that names {id:?} twice gives {refusal:?}"
        );
        answers.must_equal(&router, "after a rebuild was refused")
    })
}
