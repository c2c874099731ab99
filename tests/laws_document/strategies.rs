//! Which claims make a row of `docs/laws.md`: the one place to declare a strategy.

/// A row: a strategy, and the routers in its crate's tests for which `laws!` claims what it keeps.
pub(crate) struct Strategy {
    /// Its name in the document.
    pub(crate) name: &'static str,
    /// The folder under `crates`.
    pub(crate) folder: &'static str,
    /// The routers whose claims are its own; together they are the row.
    pub(crate) claims: &'static [&'static str],
    /// The same strategy under other parameters or a cut hash: they may claim no more than it.
    pub(crate) variants: &'static [&'static str],
}

const fn row(
    name: &'static str,
    folder: &'static str,
    claims: &'static [&'static str],
    variants: &'static [&'static str],
) -> Strategy {
    Strategy {
        name,
        folder,
        claims,
        variants,
    }
}

/// What both rings are tested under besides the default scheme.
const RINGS: &[&str] = &[
    "nearest",
    "top_8_bits",
    "low_8_bits",
    "last_listed_over_32_bits",
    "first_listed_after",
    "at_or_before_over_128_bits",
    "nearest_of_top_8_bits",
    "ambiguous_labels",
];

const MULTI_PROBE: &[&str] = &[
    "one_probe",
    "top_8_bits",
    "low_8_bits",
    "over_32_bits",
    "over_128_bits",
];

/// The rows, in the document's order.
#[rustfmt::skip]
pub(crate) const STRATEGIES: &[Strategy] = &[
    row("vector ring", "vector-ring", &["native"], RINGS),
    row("tree ring", "btree-ring", &["native"], RINGS),
    row("two-sided ring", "vector-ring", &["two_sided"], &[]),
    row("ketama", "ketama", &["ketama"], &["in_a_tree"]),
    row("libketama", "ketama", &["libketama"], &[]),
    row("multi-probe", "multi-probe", &["multi_probe"], MULTI_PROBE),
    row("token ring", "token-ring", &["token_ring"], &["low_8_bits"]),
    row("window ring", "window-ring", &["window_ring"], &["three_of_top_8_bits"]),
    row("rendezvous", "rendezvous", &["rendezvous"], &["top_8_bits", "low_8_bits"]),
    row("ranking", "anchor", &["ranking"], &["ranking_top_8_bits"]),
    row("Dx", "anchor", &["dx"], &["dx_of_little_room", "dx_low_8_bits"]),
    row("anchor", "anchor", &["anchor"], &["anchor_of_little_room", "anchor_top_8_bits"]),
    row("growable anchor", "anchor", &["growable_anchor"], &["growable_anchor_low_8_bits"]),
    row("Memento", "anchor", &["memento"], &["memento_top_8_bits"]),
    row("jump", "jump", &["jump"], &["top_8_bits"]),
    row("JumpBack", "jump", &["jump_back"], &[]),
    row("Flip", "jump", &["flip"], &[]),
    row("Power", "jump", &["power"], &[]),
    row("Binomial", "jump", &["binomial"], &[]),
    row("Binomial as published", "jump", &["binomial_published"], &[]),
    row("Maglev", "maglev", &["maglev", "default_size"], &["top_8_bits"]),
    row("slots by rendezvous", "slot-table", &["rendezvous", "rendezvous_of_65536"], &["rendezvous_of_8_bits", "remainders"]),
    row("slots under a cap", "slot-table", &["bounded", "bounded_evenly"], &[]),
    row("slots as assigned", "slot-table", &["assigned"], &[]),
    row("slots as buraksezer's", "slot-table", &["buraksezer"], &[]),
    row("modulo", "modulo", &["modulo"], &["over_32_bits", "low_8_bits"]),
    row("zone-aware ring", "zone-aware", &["over_a_ring"], &["over_a_cut_ring", "over_rendezvous", "over_the_ranking"]),
    row("ring in a cluster", "cluster", &["a_ring"], &["a_ring_in_steps", "rendezvous", "maglev", "jump", "memento"]),
    row("bounded ring", "bounded", &["idle"], &["idle_and_tight"]),
];
