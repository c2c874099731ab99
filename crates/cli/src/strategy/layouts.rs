//! [`Layouts`]: which layouts a router has, asked at run time.

use keyroute::plan::Layout;
use keyroute::{Bounded, Partitioned, Position, Ranges, RouteDigest, WalkRanges, ZoneAware};

/// A layout of a router, and where in it a key lies.
pub struct Mapped<'a> {
    /// The layout.
    pub layout: Layout,
    position: Box<dyn Fn(&[u8]) -> u128 + 'a>,
}

impl Mapped<'_> {
    /// The position of a key.
    #[must_use]
    pub fn position(&self, key: &[u8]) -> u128 {
        (self.position)(key)
    }
}

impl std::fmt::Debug for Mapped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mapped")
            .field("space", &self.layout.space())
            .finish_non_exhaustive()
    }
}

/// Which nodes of a key's order count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holders {
    /// The first so many.
    pub replicas: usize,
    /// In different zones, while there are zones left.
    pub zones: bool,
}

/// The layouts that a router has.
pub(super) struct Layouts<R> {
    partitions: Option<Of<R>>,
    ranges: Option<Of<R>>,
    replicas: Option<OfHolders<R>>,
}

type Of<R> = for<'a> fn(&'a R) -> Mapped<'a>;
type OfHolders<R> = for<'a> fn(&'a R, Holders) -> Mapped<'a>;

/// None.
impl<R> Default for Layouts<R> {
    fn default() -> Self {
        Self {
            partitions: None,
            ranges: None,
            replicas: None,
        }
    }
}

impl<R> Layouts<R> {
    /// Those of a ring.
    pub(super) fn of_ring() -> Self
    where
        R: Ranges + WalkRanges + RouteDigest<Width = <R as Ranges>::Width>,
    {
        Self::default().ranged().replicated()
    }

    /// With that of partitions.
    pub(super) fn partitioned(mut self) -> Self
    where
        R: Partitioned,
    {
        self.partitions = Some(|router| Mapped {
            layout: Layout::of_partitions(router),
            position: Box::new(|key| router.partition_of(key).into()),
        });
        self
    }

    /// With that of hashes, by owners.
    pub(super) fn ranged(mut self) -> Self
    where
        R: Ranges + RouteDigest<Width = <R as Ranges>::Width>,
    {
        self.ranges = Some(ranges);
        self
    }

    /// With that of hashes, by any holders.
    pub(super) fn replicated(mut self) -> Self
    where
        R: WalkRanges,
    {
        self.replicas = Some(replicas);
        self
    }

    /// Those that say who these holders are, the plainest first.
    pub(super) fn of<'a>(&self, router: &'a R, holders: Holders) -> Vec<Mapped<'a>> {
        if holders.replicas == 1 {
            let owners = [self.partitions, self.ranges];
            owners.into_iter().flatten().map(|of| of(router)).collect()
        } else {
            let of = self.replicas.into_iter();
            of.map(|of| of(router, holders)).collect()
        }
    }
}

impl<R: Ranges + WalkRanges + RouteDigest<Width = <R as Ranges>::Width>> Layouts<Bounded<R>> {
    /// Those of the plain ring: what bounded loads answer when idle.
    pub(super) fn of_bounded() -> Self {
        Self {
            partitions: None,
            ranges: Some(|bounded| ranges(bounded.get_ref())),
            replicas: Some(|bounded, holders| replicas(bounded.get_ref(), holders)),
        }
    }
}

fn replicas<R: WalkRanges>(router: &R, holders: Holders) -> Mapped<'_> {
    Mapped {
        layout: if holders.zones {
            Layout::of_replicas(&ZoneAware::new(router), holders.replicas)
        } else {
            Layout::of_replicas(router, holders.replicas)
        },
        position: hashing(router),
    }
}

fn ranges<R>(router: &R) -> Mapped<'_>
where
    R: Ranges + RouteDigest<Width = <R as Ranges>::Width>,
{
    Mapped {
        layout: Layout::of_ranges(router),
        position: hashing(router),
    }
}

fn hashing<R: RouteDigest>(router: &R) -> Box<dyn Fn(&[u8]) -> u128 + '_> {
    Box::new(|key| router.digest(key).value().widen())
}
