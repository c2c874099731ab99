//! Routers whose keys fall into numbered partitions.

use keyroute_core::Partitioned;

use crate::answers::shown;
use crate::violation::ensure;
use crate::{Subject, Verdict};

/// A key falls into one of as many partitions as there are, whoever the members are, and its owner is the
/// partition's. Beyond the last, and without members, partitions have no owner.
///
/// # Errors
///
/// The violation.
pub fn a_key_goes_where_its_partition_goes<R: Partitioned>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        let (router, empty) = (subject.make(&case.nodes)?, subject.make(&[])?);
        let partitioning = router.partitioning();
        let without = empty.partitioning();
        ensure!(
            partitioning == without,
            "with these nodes there are {partitioning:?}, without any {without:?}"
        );
        for beyond in [partitioning.count, u32::MAX] {
            let owner = router.partition_owner(beyond);
            ensure!(
                owner.is_none(),
                "partition {beyond} of {} is owned by {owner:?}",
                partitioning.count
            );
        }
        for key in &case.keys {
            let partition = router.partition_of(key);
            ensure!(
                partition < partitioning.count,
                "key {} falls into partition {partition} of {}",
                shown(key),
                partitioning.count
            );
            let elsewhere = empty.partition_of(key);
            ensure!(
                partition == elsewhere,
                "key {} falls into partition {partition}, without members into {elsewhere}",
                shown(key)
            );
            let (owner, route) = (router.partition_owner(partition), router.route(key));
            ensure!(
                owner == route,
                "key {} goes to {route:?}, its partition {partition} is owned by {owner:?}",
                shown(key)
            );
            let owner = empty.partition_owner(partition);
            ensure!(
                owner.is_none(),
                "without members partition {partition} is owned by {owner:?}"
            );
        }
        Ok(())
    })
}
