//! [`Layouts`]: which layouts a router has, asked at run time.

use keyroute::plan::Layout;
use keyroute::{Bounded, Partitioned, Position, Ranges, RouteDigest, WalkRanges, ZoneAware};

/// A layout of a router, and where in it a key lies.
pub struct Mapped<'a> {
    /// The layout.
    pub layout: Layout,
    position: Box<Positions<'a>>,
}

/// Where a key lies.
type Positions<'a> = dyn Fn(&[u8]) -> u128 + 'a;

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

fn hashing<R: RouteDigest>(router: &R) -> Box<Positions<'_>> {
    Box::new(|key| router.digest(key).value().widen())
}

#[cfg(test)]
mod tests {
    use keyroute::plan::Plan;
    use keyroute::{Node, NodeId, Router, Slot, WalkExt, Weight};

    use super::*;
    use crate::fleet::Settings;
    use crate::strategy::{Strategy, StrategyName, build};

    /// A fleet before and after: a node leaves, one joins, one gains weight if there are weights.
    fn fleets(name: StrategyName) -> Option<[Box<dyn Strategy>; 2]> {
        let node = |number: u32| Node::new(format!("10.0.0.{number}:11211")).unwrap();
        let heavy = |weight| node(1).with_weight(Weight::new(weight).unwrap());
        let settings = Settings::default();
        let try_with = |heavy: [Node; 2]| {
            let [first, second] = heavy;
            let before = [first, node(2), node(3), node(4)];
            let after = [second, node(2), node(4), node(5)];
            let [before, after] = [before, after].map(|nodes| build(name, &settings, &nodes).ok());
            Some([before?, after?])
        };
        try_with([heavy(1), heavy(3)]).or_else(|| try_with([heavy(1), heavy(1)]))
    }

    fn ids(router: &dyn Router, slots: impl IntoIterator<Item = Slot>) -> Vec<NodeId> {
        let id = |slot| router.members().get(slot).unwrap().id().clone();
        slots.into_iter().map(id).collect()
    }

    #[test]
    fn plans_of_layouts_are_what_the_routers_do() {
        let mut exact = 0;
        for name in StrategyName::all().chain(StrategyName::presets()) {
            let Some([before, after]) = fleets(name) else {
                continue;
            };
            for holders in [(1, false), (2, false), (3, true)] {
                let (replicas, zones) = holders;
                let holders = Holders { replicas, zones };
                let layouts = before
                    .layouts(holders)
                    .into_iter()
                    .zip(after.layouts(holders));
                for (mapped, now) in layouts {
                    let plan = Plan::between(&mapped.layout, &now.layout).unwrap();
                    exact += 1;
                    for key in (0..500u32).map(|number| format!("key:{number}")) {
                        let key = key.as_bytes();
                        let [from, to] = [&before, &after].map(|strategy| match replicas {
                            1 => ids(strategy.router(), strategy.router().route(key)),
                            _ => {
                                let walk = strategy.as_walk().unwrap();
                                let slots = if zones {
                                    ZoneAware::new(walk).replicas(key, replicas)
                                } else {
                                    walk.replicas(key, replicas)
                                };
                                ids(strategy.router(), slots)
                            }
                        });
                        match plan.move_of(mapped.position(key)) {
                            None => assert_eq!(from, to, "{name}, {holders:?}"),
                            Some(it) => {
                                let (was, is) = (it.transfer().from(), it.transfer().to());
                                assert_eq!((was, is), (&*from, &*to), "{name}, {holders:?}");
                            }
                        }
                    }
                }
            }
        }
        assert!(exact > 60, "{exact} plans were compared");
    }
}
