//! [`STRATEGIES`]: the names, what they stand for, and how each is built.

use std::fmt;

use keyroute::{
    Anchor, BTreeRing, Binomial, BinomialPublished, Bounded, BoundedFill, BuraksezerFill,
    ByRemainder, DEFAULT_PARTITIONS, DEFAULT_TOKENS_PER_WEIGHT, Dx, Exact, Flip, GrowableAnchor,
    Jump, JumpBack, Ketama, KetamaPoints, Maglev, Memento, Modulo, MultiProbe, MultiProbeScheme,
    Nearest, Power, Ranking, RedisSlots, Rendezvous, RendezvousFill, SlotTable, TokenRing,
    TwoSidedRing, Window, WindowRing, WithLookup,
};

use super::adapter::{bounded, listed, rebuilt, unweighted, weighted};
use super::layouts::Layouts;
use super::recipe::Recipe;
use super::setting::Setting::{
    Capacity, Epsilon, Hash, NodePoints, Owners, Partitions, Points, TableSize,
};
use super::{Refusal, Setting, Strategy};
use crate::hashes::{AnyHash, NamedHash};

/// A strategy.
pub(super) struct Listing {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) settings: &'static [Setting],
    /// Whether it is compared where no strategy is named.
    pub(super) shown: bool,
    /// The hash function that places keys, if nobody can choose it.
    pub(super) own_hash: Option<&'static str>,
    /// How many partitions there are unless said, of those that have any.
    pub(super) partitions: u32,
    pub(super) build: fn(&Recipe<'_>) -> Built,
}

/// What building a strategy comes to.
pub(super) type Built = Result<Box<dyn Strategy>, Refusal>;

/// Builds over the recipe's hash at the hash's own width: three types, one text.
macro_rules! at_its_width {
    ($it:ident, |$hash:ident| $adapter:expr) => {
        match $it.any_hash() {
            AnyHash::Narrow($hash) => boxed($adapter),
            AnyHash::Plain($hash) => boxed($adapter),
            AnyHash::Wide($hash) => boxed($adapter),
        }
    };
}

/// The default strategy stands first.
pub(super) static STRATEGIES: [Listing; 29] = [
    listing(
        "vector-ring",
        "a ring of points, in a sorted array; the default",
        &[Hash, Points],
        |it| {
            at_its_width!(it, |hash| weighted(it.vector_ring(hash)?)
                .walking()
                .laid_out(Layouts::of_ring()))
        },
    )
    .shown(),
    listing(
        "btree-ring",
        "the same ring in an ordered map: equal answers, quick changes",
        &[Hash, Points],
        |it| {
            at_its_width!(it, |hash| {
                weighted(BTreeRing::from_nodes_with(it.native(hash)?, it.nodes())?)
                    .walking()
                    .laid_out(Layouts::of_ring())
            })
        },
    ),
    listing(
        "two-sided",
        "a ring that searches both ways: shares as of twice the points",
        &[Hash, Points],
        |it| {
            at_its_width!(it, |hash| {
                let scheme = WithLookup::new(it.native(hash)?, Nearest);
                weighted(TwoSidedRing::from_nodes_with(scheme, it.nodes())?)
                    .walking()
                    .laid_out(Layouts::default().ranged())
            })
        },
    ),
    listing(
        "token-ring",
        "a ring of allocated tokens: even shares from few; history counts",
        &[Hash, NodePoints],
        |it| {
            let tokens = it.settings.node_points.unwrap_or(DEFAULT_TOKENS_PER_WEIGHT);
            let mut ring = TokenRing::with_hasher(it.hash()?).with_tokens_per_weight(tokens)?;
            ring.rebuild(it.nodes)?;
            boxed(weighted(ring).walking().laid_out(Layouts::of_ring()))
        },
    ),
    listing(
        "window-ring",
        "a ring whose next 8 nodes compete for a key: for nodes that are down, not gone",
        &[Hash, NodePoints],
        |it| {
            let mut window = Window::default();
            if let Some(points) = it.settings.node_points {
                window = window.with_points(points)?;
            }
            let ring = WindowRing::from_nodes_with(it.hash()?, window, it.nodes())?;
            boxed(unweighted(ring).walking())
        },
    ),
    listing(
        "bounded",
        "bounded loads over the vector ring; idle it routes as that",
        &[Hash, Points, Epsilon],
        |it| {
            let rule = Exact::new(it.settings.epsilon.unwrap_or_default().0)?;
            at_its_width!(it, |hash| bounded(Bounded::new(
                it.vector_ring(hash)?,
                rule
            )))
        },
    )
    .shown(),
    listing(
        "ketama",
        "the ketama continuum, any node in place",
        &[Points],
        |it| {
            let mut scheme = KetamaPoints::default();
            if let Some(points) = it.settings.points {
                scheme = scheme.with_points_per_weight(points)?;
            }
            boxed(
                weighted(Ketama::from_nodes_with(scheme, it.nodes())?)
                    .walking()
                    .laid_out(Layouts::of_ring()),
            )
        },
    )
    .hashing_with(MD5),
    listing(
        "libketama",
        "the ketama continuum as the C library computes it, made anew at each change",
        &[],
        |it| {
            boxed(
                rebuilt(Ketama::libketama(it.nodes())?)
                    .walking()
                    .laid_out(Layouts::of_ring()),
            )
        },
    )
    .hashing_with(MD5),
    listing(
        "multi-probe",
        "one point a node and 21 questions a key: the peak is held, not the floor",
        &[Hash, NodePoints],
        |it| {
            at_its_width!(it, |hash| {
                let scheme = <MultiProbeScheme<_>>::new(hash)
                    .with_points_per_weight(it.settings.node_points.unwrap_or(1))?;
                weighted(MultiProbe::from_nodes_with(scheme, it.nodes())?).walking()
            })
        },
    ),
    listing(
        "rendezvous",
        "highest random weight: exact shares, asks every node",
        &[Hash],
        |it| boxed(weighted(Rendezvous::from_nodes_with(it.hash()?, it.nodes())?).walking()),
    )
    .shown(),
    listing(
        "maglev",
        "a lookup table that nodes fill in turn: even shares, some needless movement",
        &[Hash, TableSize],
        |it| {
            boxed(
                weighted(Maglev::from_nodes_with(
                    it.hash()?,
                    it.table_size()?,
                    it.nodes(),
                )?)
                .laid_out(Layouts::default().partitioned().ranged()),
            )
        },
    )
    .shown(),
    listing(
        "slot-table",
        "fixed partitions, owned by rendezvous: only what must move does",
        &[Hash, Partitions],
        |it| {
            let fill = RendezvousFill::new(it.hash()?);
            boxed(
                weighted(SlotTable::from_nodes_with(
                    fill,
                    it.by_range()?,
                    it.nodes(),
                )?)
                .walking()
                .laid_out(Layouts::of_ring().partitioned()),
            )
        },
    )
    .shown(),
    listing(
        "slot-table-bounded",
        "fixed partitions, no node over its limit",
        &[Hash, Partitions, Epsilon],
        |it| {
            let fill = BoundedFill::new(it.hash()?).with_load(it.load())?;
            boxed(
                weighted(SlotTable::from_nodes_with(
                    fill,
                    it.by_range()?,
                    it.nodes(),
                )?)
                .laid_out(Layouts::default().partitioned().ranged()),
            )
        },
    ),
    listing(
        "slot-table-assigned",
        "fixed partitions, owned as the fleet file says",
        &[Hash, Partitions, Owners],
        |it| {
            boxed(
                weighted(SlotTable::from_nodes_with(
                    it.assigned(),
                    it.by_range()?,
                    it.nodes(),
                )?)
                .laid_out(Layouts::default().partitioned().ranged()),
            )
        },
    ),
    listing(
        "redis-slots",
        "the 16384 slots of a Redis Cluster, owned as the fleet file says",
        &[Owners],
        |it| {
            boxed(
                weighted(SlotTable::from_nodes_with(
                    it.assigned(),
                    RedisSlots::redis(),
                    it.nodes(),
                )?)
                .laid_out(Layouts::default().partitioned()),
            )
        },
    )
    .hashing_with("redis-crc16"),
    listing(
        "buraksezer-0.10",
        "the partitions of the Go package buraksezer/consistent, v0.9 and v0.10",
        &[Hash, Partitions, NodePoints, Epsilon],
        |it| buraksezer(it, BuraksezerFill::v0_10),
    )
    .with_partitions(BURAKSEZER_PARTITIONS),
    listing(
        "buraksezer-1.0",
        "the partitions of the Go package buraksezer/consistent, v1.0",
        &[Hash, Partitions, NodePoints, Epsilon],
        |it| buraksezer(it, BuraksezerFill::v1_0),
    )
    .with_partitions(BURAKSEZER_PARTITIONS),
    listing(
        "jump",
        "jump consistent hash: an ordered list, only the last leaves",
        &[Hash],
        |it| boxed(listed(Jump::from_nodes_with(it.hash()?, it.nodes())?)),
    )
    .shown(),
    listing(
        "jump-back",
        "JumpBack: what jump promises, in constant time",
        &[Hash],
        |it| boxed(listed(JumpBack::from_nodes_with(it.hash()?, it.nodes())?)),
    ),
    listing(
        "flip",
        "FlipHash: what jump promises, in constant time",
        &[Hash],
        |it| boxed(listed(Flip::from_nodes_with(it.hash()?, it.nodes())?)),
    ),
    listing(
        "power",
        "PowerCH: what jump promises, in constant time",
        &[Hash],
        |it| boxed(listed(Power::from_nodes_with(it.hash()?, it.nodes())?)),
    ),
    listing(
        "binomial",
        "BinomialHash, made even: what jump promises, in constant time",
        &[Hash],
        |it| boxed(listed(Binomial::from_nodes_with(it.hash()?, it.nodes())?)),
    ),
    listing(
        "binomial-published",
        "BinomialHash as published: the newest nodes get up to 3 % less",
        &[Hash],
        |it| {
            boxed(listed(BinomialPublished::from_nodes_with(
                it.hash()?,
                it.nodes(),
            )?))
        },
    ),
    listing(
        "ranking",
        "numbered buckets of which any may leave, with replicas",
        &[Hash],
        |it| boxed(unweighted(Ranking::from_nodes_with(it.hash()?, it.nodes())?).walking()),
    )
    .shown(),
    listing(
        "dx",
        "DxHash: buckets of a preset number, any may leave",
        &[Hash, Capacity],
        |it| {
            let empty = Dx::with_capacity_and_hasher(it.capacity(), it.hash()?)?;
            boxed(unweighted(empty.with_nodes(it.nodes())?))
        },
    ),
    listing(
        "anchor",
        "AnchorHash: buckets of a preset number, any may leave; history counts",
        &[Hash, Capacity],
        |it| {
            let empty = Anchor::with_capacity_and_hasher(it.capacity(), it.hash()?)?;
            boxed(unweighted(empty.with_nodes(it.nodes())?))
        },
    ),
    listing(
        "growable-anchor",
        "an anchor over JumpBack that grows, any may leave; history counts",
        &[Hash],
        |it| {
            boxed(unweighted(GrowableAnchor::from_nodes_with(
                it.hash()?,
                it.nodes(),
            )?))
        },
    ),
    listing(
        "memento",
        "MementoHash over JumpBack, any may leave; history counts",
        &[Hash],
        |it| {
            boxed(unweighted(Memento::from_nodes_with(
                it.hash()?,
                it.nodes(),
            )?))
        },
    ),
    listing(
        "modulo",
        "hash % n: the baseline, nearly all keys move",
        &[Hash],
        |it| {
            at_its_width!(it, |hash| unweighted(Modulo::from_nodes_with(
                hash,
                it.nodes()
            )?))
        },
    )
    .shown(),
];

/// The package's default.
const BURAKSEZER_PARTITIONS: u32 = 271;

fn buraksezer(
    it: &Recipe<'_>,
    version: fn(NamedHash<u64>) -> BuraksezerFill<NamedHash<u64>>,
) -> Built {
    let mut fill = version(it.hash()?).with_load(it.load())?;
    if let Some(points) = it.settings.node_points {
        fill = fill.with_points(points)?;
    }
    let keys = ByRemainder::new(it.hash()?, it.partitions)?;
    boxed(
        weighted(SlotTable::from_nodes_with(fill, keys, it.nodes())?)
            .laid_out(Layouts::default().partitioned()),
    )
}

/// The first of the four words of a digest places a key.
const MD5: &str = "md5";

pub(super) const fn listing(
    name: &'static str,
    summary: &'static str,
    settings: &'static [Setting],
    build: fn(&Recipe<'_>) -> Built,
) -> Listing {
    Listing {
        name,
        summary,
        settings,
        shown: false,
        own_hash: None,
        partitions: DEFAULT_PARTITIONS,
        build,
    }
}

impl Listing {
    const fn shown(mut self) -> Self {
        self.shown = true;
        self
    }

    pub(super) const fn hashing_with(mut self, hash: &'static str) -> Self {
        self.own_hash = Some(hash);
        self
    }

    const fn with_partitions(mut self, partitions: u32) -> Self {
        self.partitions = partitions;
        self
    }
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the last word of every listing, which can fail before it"
)]
pub(super) fn boxed(strategy: impl Strategy + 'static) -> Built {
    Ok(Box::new(strategy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_summaries_fit_a_line() {
        let mut names: Vec<&str> = STRATEGIES.iter().map(|listing| listing.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STRATEGIES.len());
        for Listing { name, summary, .. } in &STRATEGIES {
            assert!(name.len() <= 20 && summary.len() <= 78, "{name}");
        }
    }

    #[test]
    fn who_cannot_choose_a_hash_has_one() {
        for listing in &STRATEGIES {
            let chooses = listing.settings.contains(&Hash);
            assert_eq!(chooses, listing.own_hash.is_none(), "{}", listing.name);
        }
    }
}
