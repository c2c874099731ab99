//! Routers that are wrong in one respect: each law must catch one of them, in words that say what is
//! wrong.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod fault;
mod tables;

mod balance;
mod bounded;
mod changes;
mod digests;
mod entries;
mod explanations;
mod fingerprints;
mod lookup;
mod partitions;
mod ranges;
mod walks;
mod weights;

use std::collections::{BTreeMap, BTreeSet};

use fault::{Made, Wrong};
use keyroute_conformance::{Inputs, Subject, Verdict, laws};

/// A law, a mutant, and words of the violation by which it must be caught.
struct Kill {
    law: &'static str,
    mutant: &'static str,
    words: &'static str,
    verdict: fn() -> Verdict,
}

fn subject<W: Wrong>() -> Subject<W::Router> {
    // How small the case is matters to nobody here.
    let inputs = Inputs {
        shrinks: 0,
        ..Inputs::default()
    };
    Subject::new(W::Router::made, inputs)
}

/// The laws as they are asked here: with 160 points where they want a number, and through an `Asked`
/// where they are about loads, states or tables.
mod asked {
    use keyroute_conformance::{Loads, Subject, Verdict};
    use keyroute_core::{RemoveNode, Router};

    use crate::bounded::Asked;
    use crate::fault::{self, Fault, Mutant};

    pub(crate) use keyroute_conformance::laws::*;

    pub(crate) fn balances_as_a_ring<R: Router>(subject: &Subject<R>) -> Verdict {
        keyroute_conformance::laws::balances_as_a_ring(subject, 160)
    }

    pub(crate) fn shares_follow_the_weights<R: Router>(subject: &Subject<R>) -> Verdict {
        keyroute_conformance::laws::shares_follow_the_weights(subject, 160)
    }

    pub(crate) fn a_state_is_all_that_matters<F: Fault>(subject: &Subject<Mutant<F>>) -> Verdict {
        keyroute_conformance::laws::a_state_is_all_that_matters(subject, fault::Asked)
    }

    pub(crate) fn shares_are_within_one_entry<F: Fault>(subject: &Subject<Mutant<F>>) -> Verdict {
        keyroute_conformance::laws::shares_are_within_one_entry(subject, fault::Asked)
    }

    pub(crate) fn no_node_takes_more_entries_than_its_cap<F: Fault>(
        subject: &Subject<Mutant<F>>,
    ) -> Verdict {
        keyroute_conformance::laws::no_node_takes_more_entries_than_its_cap(subject, fault::Asked)
    }

    macro_rules! of_loads {
        ($($law:ident),*) => {$(
            pub(crate) fn $law<R: RemoveNode>(subject: &Subject<R>) -> Verdict
            where
                Asked: Loads<R>,
            {
                keyroute_conformance::laws::$law(subject, Asked)
            }
        )*};
    }

    of_loads! {
        no_node_takes_more_than_its_capacity, a_load_passes_only_full_nodes, every_load_finds_a_node,
        idle_it_answers_as_the_plain_router, the_loads_are_the_leases_alive,
        the_loads_of_a_leaver_leave_with_it
    }
}

macro_rules! kills {
    ($($law:ident: $($mutant:path => $words:literal),+;)*) => {
        vec![$($(Kill {
            law: stringify!($law),
            mutant: stringify!($mutant),
            words: $words,
            verdict: || asked::$law(&subject::<$mutant>()),
        }),+),*]
    };
}

#[rustfmt::skip]
fn kills() -> Vec<Kill> {
    kills! {
        every_key_has_an_owner:
            lookup::RefusesTheEmptyKey => "has no owner among",
            lookup::GivesFreeSlots => "not a node of the fleet";
        without_members_no_key_has_an_owner:
            lookup::InventsAnOwner => "of an empty router";
        a_lone_node_owns_every_key:
            lookup::NeedsTwoNodes => "not to the lone node";
        the_members_are_the_nodes_given:
            lookup::ForgetsZones => "the members are",
            lookup::SortsItsList => "the members are";
        asked_again_it_answers_the_same:
            lookup::TakesTurns => "asked again",
            lookup::DrawsItsSeed => "made again";
        slot_and_id_name_one_node:
            lookup::NamesTheFirst => "has the slot of";
        a_batch_equals_single_lookups:
            lookup::SwapsTwo => "in a batch",
            lookup::LeavesOldAnswers => "in a batch";
        a_batch_that_does_not_fit_is_refused:
            lookup::AnswersWhatFits => "with room for",
            lookup::WritesBeforeItRefuses => "a refused batch wrote";
        erased_it_answers_the_same:
            lookup::RoutesByItsAddress => "in a box";
        the_heap_holds_the_members:
            lookup::CountsNoHeap => "bytes on the heap";

        equal_routers_have_equal_fingerprints:
            fingerprints::CountsInstances => "two routers of the same nodes",
            fingerprints::CachesItsFingerprint => "that of the description";
        another_fleet_has_another_fingerprint:
            fingerprints::IgnoresWeights => "of weight",
            fingerprints::IgnoresZones => "in another zone",
            fingerprints::CountsMembers => "renamed";
        the_fingerprint_tells_orders_apart_where_they_matter:
            fingerprints::HidesItsOrder => "which is said not to matter",
            fingerprints::ForgetsItsOrder => "which is said to matter";

        an_explanation_names_the_owner:
            explanations::ExplainsAnotherKey => "is of key",
            explanations::ExplainsAnotherRouter => "under the fingerprint",
            explanations::NamesTheFirst => "is said to be on";
        an_explanation_follows_the_walk:
            explanations::NamesOneTooMany => "its explanation names",
            explanations::NamesNextById => "its explanation names";
        an_explanation_shows_the_digest:
            explanations::ShowsAnotherHash => "is shown";
        an_explained_place_holds_the_key:
            explanations::ShiftsTheArc => "is said to stand after",
            explanations::NamesTheNextArc => "is said to stand after",
            explanations::CountsOneArc => "is said to own";

        the_order_of_listing_decides_nothing:
            changes::LastListedWins => "listed in another order",
            changes::GluedLabels => "listed last first";
        adding_moves_keys_only_to_the_newcomer:
            changes::Remainder => "joined, key";
        adding_equals_building_anew:
            changes::LosesAPointWhenGrowing => "grown from nothing",
            changes::GivesAnotherSlot => "was given";
        a_member_cannot_be_added_again:
            changes::ReplacesMembers => "again gives Ok",
            changes::AddsAndRefuses => "was refused as a member";
        removing_moves_only_the_leavers_keys:
            changes::Remainder => "left, key";
        removing_equals_building_anew:
            changes::LeavesPoints => "which holds no member",
            changes::OneClaimant => "left, and not built anew",
            changes::TakesNeighboursAlong => "left, and not built anew";
        a_stranger_cannot_be_removed:
            changes::RemovesStrangers => "removing the stranger",
            changes::RemovesAndRefuses => "was refused, key";
        the_last_to_leave_leaves_nothing:
            changes::KeepsTheLast => "when all had left";
        add_then_remove_is_the_identity:
            changes::OneClaimant => "after guests had come and gone";
        remove_then_add_is_the_identity:
            changes::LastListedWins => "left and came back";
        any_history_equals_building_anew:
            changes::LowestSlotWins => "after a history";
        any_history_moves_only_what_it_must:
            changes::Remainder => "left, key",
            changes::WearsOut => "in a history, when";
        changes_undone_last_first_leave_no_trace:
            changes::LastListedWins => "undone, the last change first";
        the_order_of_leaving_decides_nothing:
            changes::RemembersTheLastLeaver => "left in another order";
        a_state_is_all_that_matters:
            changes::ForgetsItsOrder => "made of a state";
        removing_the_last_moves_only_its_keys:
            changes::Remainder => "left, key";
        removing_the_last_equals_building_anew:
            changes::RemovesTheFirst => "gave back";
        add_then_remove_last_is_the_identity:
            changes::RotatesItsList => "after guests had come and gone";
        nothing_can_be_removed_from_nothing:
            changes::RemovesFromNothing => "panicked: nobody is left";
        rebuilding_equals_building_anew:
            changes::RebuildsOnTop => "rebuilt, and not built anew";
        a_refused_rebuild_changes_nothing:
            changes::ClearsBeforeItRefuses => "after a rebuild was refused",
            changes::RebuildsWithTwins => "names";

        raising_a_weight_moves_keys_only_to_that_node:
            weights::WeightInTheLabel => "grew, key",
            weights::MakesRoom => "grew, key";
        lowering_a_weight_moves_keys_only_from_that_node:
            weights::WeightInTheLabel => "shrank, key";
        reweighting_equals_building_anew:
            weights::KeepsItsPoints => "and not built anew",
            weights::SaysTheNewWeight => "is given as";
        reweighting_there_and_back_is_the_identity:
            weights::OnlyGrows => "grew and shrank again",
            weights::AddsToItself => "was given its own weight";
        a_stranger_cannot_be_reweighted:
            weights::AddsStrangers => "reweighting the stranger";
        any_weighted_history_equals_building_anew:
            changes::LowestSlotWins => "after a history";

        a_digest_goes_where_its_key_goes:
            digests::DigestsAnotherWay => "its digest to";
        a_batch_of_digests_equals_single_ones:
            digests::SwapsTwoDigests => "in a batch",
            digests::AnswersWhatFits => "too few places";
        a_foreign_digest_is_refused:
            digests::TakesForeignDigests => "a foreign digest of key",
            digests::TakesForeignBatches => "a batch of foreign digests";

        a_walk_visits_every_node_once:
            walks::RepeatsNodes => "2 times",
            walks::SkipsTheLast => "0 times",
            walks::DoesNotWrap => "0 times";
        a_walk_begins_with_the_owner:
            walks::OwnerLast => "begins with",
            walks::OverlooksExactHits => "begins with";
        a_walk_stops_when_told:
            walks::DoesNotStop => "was told to stop";
        a_lent_set_changes_no_walk:
            walks::TrustsTheLentSet => "with a lent set";
        a_node_left_out_is_only_left_out_of_each_walk:
            walks::NearestThenClockwise => "the walk of key",
            walks::NextBySlot => "the walk of key";
        removing_only_drops_the_node_from_each_walk:
            walks::NearestThenClockwise => "left the walk of key";
        any_history_walks_as_built_anew:
            changes::LowestSlotWins => "after a history the walk";
        nodes_that_are_down_are_passed_over_as_if_removed:
            walks::NearestThenClockwise => "down key",
            walks::NextBySlot => "down key";
        replicas_are_distinct_and_the_owner_is_first:
            walks::RepeatsNodes => "a node twice",
            walks::OwnerLast => "has the owner";
        fewer_replicas_begin_more:
            walks::TakesTurns => "which do not begin";
        the_first_that_serves_is_found:
            walks::SkipsTheLast => "with no node up";
        zone_replicas_take_every_zone_first:
            walks::StaysInItsZone => "zone replicas in",
            walks::OwnerLast => "do not begin with its owner";
        fewer_zone_replicas_begin_more:
            walks::TakesTurns => "which do not begin";
        each_zone_routes_as_if_alone:
            walks::NextBySlot => "which alone has it on";
        zone_replicas_lose_only_the_leaver:
            walks::NextBySlot => "zone replicas of key";
        a_walk_takes_every_zone_first:
            walks::IgnoresZones => "whose first";
        a_digest_walks_as_its_key:
            walks::WalksDigestsBackwards => "that of its digest";

        walks_are_the_same_throughout_a_range:
            ranges::MergesWalks => "at the end of",
            ranges::LosesAWalk => "does not hold 0";
        the_ranges_hold_every_position_once:
            ranges::LosesARange => "is followed by",
            ranges::GoesRoundTwice => "more than once",
            ranges::BeginsElsewhere => "does not hold 0";
        neighbouring_ranges_have_different_owners:
            ranges::OneRangeAPoint => "could be one range";
        ranges_own_what_is_routed_to_them:
            ranges::OffByOne => "and lies in";
        a_key_goes_where_its_partition_goes:
            partitions::NumbersFromOne => "partition",
            partitions::OwnsTheNextPartition => "its partition",
            partitions::OwnsPartitionsWithoutEnd => "partition 256 of 256",
            partitions::ManyNodesManyPartitions => "without any";

        balances_evenly:
            balance::FavoursOne => "chi-square is",
            balance::DealsInTurn => "chi-square is";
        balances_as_a_ring:
            balance::Points<40> => "coefficient of variation is",
            balance::Points<80> => "coefficient of variation is",
            balance::Points<320> => "coefficient of variation is",
            balance::StarvesOne => "has 0.000 of its share";
        shares_follow_the_weights:
            balance::IgnoresWeights => "of its share",
            balance::Points<80> => "as much as chance";
        every_node_owns_something:
            balance::RoundsSharesDown => "owns none of";

        shares_are_within_one_entry:
            entries::DealsEntriesInTurn => "its share is",
            entries::TakesTwoEntries => "its share is",
            entries::KeepsAnEntry => "which holds no member";
        no_node_takes_more_entries_than_its_cap:
            entries::TakesTwoEntries => "over its cap of",
            entries::RoundsItsCapDown => "over its cap of",
            entries::KeepsAnEntry => "which holds no member";

        no_node_takes_more_than_its_capacity:
            bounded::TakesOneTooMany => "over its capacity of";
        a_load_passes_only_full_nodes:
            bounded::GoesElsewhere => "and passed";
        every_load_finds_a_node:
            bounded::Sheds => "finds none of";
        idle_it_answers_as_the_plain_router:
            bounded::GoesElsewhere => "new and idle, key",
            bounded::Leaks => "and idle, key";
        the_loads_are_the_leases_alive:
            bounded::Leaks => "leases are alive";
        the_loads_of_a_leaver_leave_with_it:
            bounded::RemembersTheDead => "the total is";
    }
}

#[test]
fn every_mutant_is_caught_by_its_law_and_in_its_words() {
    let mut wrong = Vec::new();
    for kill in kills() {
        let verdict = (kill.verdict)();
        match &verdict {
            Err(violation) if violation.what().contains(kill.words) => {}
            _ => wrong.push(format!(
                "{} of {}: {verdict:?}, without {:?}",
                kill.law, kill.mutant, kill.words
            )),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The laws as the sources declare them: a function over a subject that gives a verdict.
fn declared() -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/laws");
    let mut laws = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for declaration in source.split("\npub fn ").skip(1) {
            let head = declaration.split('{').next().unwrap();
            assert!(head.contains("-> Verdict"), "no law: {head}");
            let name = head.split(['<', '(']).next().unwrap();
            laws.insert(name.to_owned());
        }
    }
    laws
}

/// Run it with `--nocapture` to see the table.
#[test]
fn every_law_has_a_mutant() {
    let mut table: BTreeMap<String, Vec<&str>> = declared()
        .into_iter()
        .map(|law| (law, Vec::new()))
        .collect();
    assert!(table.len() > 50, "the laws were not found: {}", table.len());
    for kill in kills() {
        let mutants = table.get_mut(kill.law).expect("a law of this crate");
        mutants.push(kill.mutant);
    }
    let mut idle = Vec::new();
    for (law, mutants) in &table {
        println!("{law}: {}", mutants.join(", "));
        if mutants.is_empty() {
            idle.push(law);
        }
    }
    assert!(idle.is_empty(), "laws without a mutant: {idle:?}");
}

// The harness itself is no fault: a mutant without one keeps every law.
laws! {
    without_a_fault: fault::Mutant::<fault::Nothing>::made,
    keeps [
        ring, tail, walk_ranges, balances_as_a_ring(160), shares_follow_the_weights(160), every_node_owns_something,
        a_state_is_all_that_matters(fault::Asked),
        shares_are_within_one_entry(fault::Asked), no_node_takes_more_entries_than_its_cap(fault::Asked),
    ],

    without_a_fault_of_loads: <bounded::Sane as Wrong>::Router::made,
    keeps [bounded(bounded::Asked)],
}
