//! What a damper promises, against a model that looks at whole histories.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use keyroute_discovery::{
    Damper, Damping, Membership, Outcome, Peer, Report, Sighting, SkipReason, Skipped, SourceError,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const GRACE: u64 = 10;

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn id(number: u8) -> String {
    format!("node-{number}")
}

fn peer(number: u8) -> Peer {
    Peer::new(id(number), format!("10.0.0.{number}:80")).unwrap()
}

fn seen(numbers: &[u8]) -> Sighting {
    Sighting::of(numbers.iter().map(|&number| peer(number)))
}

fn damping() -> Damping {
    Damping::default().with_grace(at(GRACE))
}

fn lost() -> SourceError {
    SourceError::Other("gone".into())
}

fn unreadable(number: u8) -> Skipped {
    Skipped {
        key: id(number),
        id: Some(peer(number).id().clone()),
        reason: SkipReason::NoAddress,
    }
}

fn ids(members: &Membership) -> Vec<String> {
    members.iter().map(|peer| peer.id().to_string()).collect()
}

fn text(outcome: &Outcome) -> Vec<String> {
    outcome.reports.iter().map(ToString::to_string).collect()
}

fn run<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value)) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(strategy, |value| {
            test(value);
            Ok(())
        })
        .unwrap();
}

/// What a source may do.
#[derive(Clone, Debug)]
enum Act {
    /// It sees these, and of those something unreadable; each with an address of this version.
    See(BTreeSet<u8>, BTreeSet<u8>, u8),
    Lose,
    Nothing,
}

fn act() -> impl Strategy<Value = Act> {
    let some = || proptest::collection::btree_set(0u8..6, 0..6);
    let unreadable = proptest::collection::btree_set(0u8..6, 0..2);
    prop_oneof![
        6 => (some(), unreadable, 0u8..3).prop_map(|(seen, unreadable, version)| {
            let unreadable = unreadable.difference(&seen).copied().collect();
            Act::See(seen, unreadable, version)
        }),
        1 => Just(Act::Lose),
        2 => Just(Act::Nothing),
    ]
}

fn versioned(number: u8, version: u8) -> Peer {
    Peer::new(id(number), format!("10.0.{version}.{number}:80")).unwrap()
}

/// Who is a member after this history, and what was last seen of it. Looks at each member by itself, from the end: when was
/// it seen last, since when is it missing, and how much of that time could be seen.
fn model(history: &[(u64, Act)], now: u64, allow_empty: bool) -> BTreeMap<u8, Peer> {
    let mut members = BTreeMap::new();
    for number in 0..6u8 {
        let mut state: Option<Peer> = None;
        let mut missing: Option<u64> = None; // seconds of absence that were seen
        let mut deaf = false;
        let mut last = 0;
        let steps = history.iter().map(|(time, act)| (*time, Some(act)));
        let known = |history: &[(u64, Act)], upto: usize| {
            if upto == 0 {
                BTreeMap::new()
            } else {
                model(&history[..upto], history[upto].0, allow_empty)
            }
        };
        for (index, (time, act)) in steps.chain([(now, None)]).enumerate() {
            if let (Some(absence), false) = (&mut missing, deaf) {
                *absence += time - last;
                if *absence >= GRACE {
                    state = None;
                    missing = None;
                }
            }
            last = time;
            match act {
                Some(Act::See(seen, unreadable, version)) => {
                    deaf = false;
                    let named = !seen.is_empty()
                        || known(history, index)
                            .keys()
                            .any(|number| unreadable.contains(number));
                    if !named && !allow_empty {
                        continue;
                    }
                    if seen.contains(&number) {
                        state = Some(versioned(number, *version));
                        missing = None;
                    } else if unreadable.contains(&number) {
                        missing = None;
                    } else if state.is_some() {
                        missing = missing.or(Some(0));
                    }
                }
                Some(Act::Lose) => deaf = true,
                Some(Act::Nothing) | None => {}
            }
        }
        if let Some(peer) = state {
            members.insert(number, peer);
        }
    }
    members
}

#[test]
fn every_history_agrees_with_the_model() {
    let steps = proptest::collection::vec((0u64..8, act()), 1..9);
    run(1500, &(steps, any::<bool>()), |(steps, allow_empty)| {
        let damping = damping();
        let mut damper = Damper::new(if allow_empty {
            damping.allowing_empty()
        } else {
            damping
        });
        let mut now = 0;
        let mut history = Vec::new();
        for (pause, act) in steps {
            now += pause;
            // What discovery does at the deadline, and no harm else.
            let _ = damper.tick(at(now));
            let before = damper.members().clone();
            let outcome = match &act {
                Act::See(numbers, broken, version) => {
                    let peers = numbers.iter().map(|&number| versioned(number, *version));
                    let skipped = broken.iter().map(|&number| unreadable(number));
                    damper.see(at(now), Sighting::of(peers).with_skipped(skipped))
                }
                Act::Lose => damper.lose(at(now), lost()),
                Act::Nothing => damper.tick(at(now)),
            };
            assert_eq!(outcome.changed, before != *damper.members());
            history.push((now, act));
            let expected: Membership = model(&history, now, allow_empty).into_values().collect();
            assert_eq!(*damper.members(), expected, "{history:?}");
        }
    });
}

#[test]
fn absences_shorter_than_the_grace_move_nothing_whatever_their_pattern() {
    // For each member when it is away; shorter than the grace by a second at least, the next one whenever.
    let longest = usize::try_from(GRACE).unwrap();
    let away = proptest::collection::vec((1usize..20, 1..longest), 0..8);
    let all = proptest::collection::vec(away, 5);
    run(400, &all, |away| {
        let mut present = vec![BTreeSet::new(); 400];
        for (number, spans) in (0u8..).zip(&away) {
            let mut time = 0;
            for state in &mut present {
                state.insert(number);
            }
            for (home, gone) in spans {
                time += home;
                for state in &mut present[time..time + gone] {
                    state.remove(&number);
                }
                time += gone;
            }
        }
        let mut damper = Damper::new(damping());
        assert!(damper.see(at(0), seen(&[0, 1, 2, 3, 4])).changed);
        for (second, numbers) in (1..).zip(present) {
            let numbers: Vec<u8> = numbers.into_iter().collect();
            assert!(!damper.see(at(second), seen(&numbers)).changed);
            assert!(!damper.tick(at(second)).changed);
        }
        assert_eq!(damper.members().len(), 5);
    });
}

#[test]
fn the_order_of_a_list_decides_nothing() {
    let entries = proptest::collection::vec((0u8..8, 0u8..3), 0..12);
    let shuffled = entries.prop_flat_map(|entries| {
        let again = Just(entries.clone()).prop_shuffle();
        (Just(entries), again)
    });
    run(500, &shuffled, |(entries, again)| {
        let sighting = |entries: &[(u8, u8)]| {
            let peers = entries
                .iter()
                .map(|&(number, version)| versioned(number, version));
            Sighting::of(peers)
        };
        assert_eq!(sighting(&entries), sighting(&again));
        let mut dampers = [
            Damper::new(damping().with_max_peers(4)),
            Damper::new(damping().with_max_peers(4)),
        ];
        let _ = dampers[0].see(at(0), sighting(&entries));
        let _ = dampers[1].see(at(0), sighting(&again));
        assert_eq!(dampers[0].members(), dampers[1].members());
        assert!(dampers[0].members().len() <= 4);
    });
}

#[test]
fn a_member_leaves_when_its_grace_is_over_and_no_sooner() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2]));
    let outcome = damper.see(at(3), seen(&[1]));
    assert_eq!(text(&outcome), ["member \"node-2\" is absent"]);
    assert_eq!(damper.deadline(), Some(at(3 + GRACE)));
    assert!(
        !damper
            .tick(at(3 + GRACE) - Duration::from_millis(1))
            .changed
    );
    assert!(damper.tick(at(3 + GRACE)).changed);
    assert_eq!(ids(damper.members()), ["node-1"]);
    assert_eq!(damper.deadline(), None);
}

#[test]
fn seeing_it_absent_again_does_not_start_the_clock_anew() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2]));
    for second in 1..GRACE {
        assert!(!damper.see(at(second), seen(&[1])).changed);
    }
    assert_eq!(damper.deadline(), Some(at(1 + GRACE)));
}

#[test]
fn who_comes_back_with_another_address_keeps_its_place() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2]));
    let _ = damper.see(at(1), seen(&[1]));
    let moved = versioned(2, 9);
    let outcome = damper.see(at(2), Sighting::of([peer(1), moved.clone()]));
    assert!(outcome.changed);
    assert_eq!(text(&outcome), ["member \"node-2\" is back in time"]);
    assert_eq!(damper.members().get("node-2"), Some(&moved));
}

#[test]
fn nobody_is_not_believed_and_starts_no_clock() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2, 3]));
    let _ = damper.see(at(1), seen(&[1, 2]));
    let outcome = damper.see(at(2), Sighting::default());
    assert_eq!(
        text(&outcome),
        ["the source lists nobody: the 3 members stay until it does or this is released"]
    );
    assert!(text(&damper.see(at(3), Sighting::default())).is_empty());
    // Who was absent before still is; who is not is since now.
    assert!(damper.tick(at(1 + GRACE)).changed);
    assert_eq!(ids(damper.members()), ["node-1", "node-2"]);
    assert!(!damper.tick(at(100)).changed);
    let _ = damper.see(at(100), seen(&[2]));
    assert_eq!(damper.deadline(), Some(at(100 + GRACE)));
}

#[test]
fn nobody_is_believed_if_allowed() {
    let mut damper = Damper::new(damping().allowing_empty());
    let _ = damper.see(at(0), seen(&[1, 2, 3]));
    let _ = damper.see(at(2), Sighting::default());
    assert!(!damper.tick(at(1 + GRACE)).changed);
    assert!(damper.tick(at(2 + GRACE)).changed);
    assert!(damper.members().is_empty());
}

#[test]
fn released_nobody_counts_from_when_it_was_seen() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2, 3]));
    let _ = damper.see(at(5), Sighting::default());
    assert!(!damper.release(at(7)).changed);
    assert_eq!(damper.absent().count(), 3);
    assert_eq!(damper.deadline(), Some(at(5 + GRACE)));
    // Nobody is nothing new now.
    assert!(text(&damper.see(at(8), Sighting::default())).is_empty());
    assert!(damper.tick(at(5 + GRACE)).changed);
    assert!(damper.members().is_empty());
}

#[test]
fn a_release_before_anything_is_held_is_for_those_absent_then() {
    let mut damper = Damper::new(damping().with_max_loss(50));
    let _ = damper.see(at(0), seen(&[1, 2, 3, 4]));
    assert!(!damper.release(at(1)).changed);
    let _ = damper.see(at(2), seen(&[1]));
    assert!(
        !damper.tick(at(50)).changed,
        "an old release is none for later absences"
    );
}

#[test]
fn too_many_absences_at_once_are_held_until_they_are_fewer() {
    let mut damper = Damper::new(damping().with_max_loss(50));
    let _ = damper.see(at(0), seen(&[1, 2, 3, 4]));
    // One after the other, as leases end.
    let _ = damper.see(at(1), seen(&[1, 2, 3]));
    let _ = damper.see(at(5), seen(&[1, 2]));
    let _ = damper.see(at(9), seen(&[1]));
    let outcome = damper.tick(at(1 + GRACE));
    assert!(!outcome.changed);
    assert_eq!(
        text(&outcome),
        [
            "3 of 4 members are absent, over 50 %: none leaves until they are fewer or this is released"
        ]
    );
    assert_eq!(damper.deadline(), Some(at(5 + GRACE)), "not at once again");
    let outcome = damper.tick(at(60));
    assert!(!outcome.changed && outcome.reports.is_empty(), "said once");
    assert_eq!(damper.deadline(), None, "nothing to wait for");
    // Half is not more than half.
    assert!(damper.see(at(61), seen(&[1, 4])).changed);
    assert_eq!(ids(damper.members()), ["node-1", "node-4"]);
}

#[test]
fn a_release_lets_those_leave_that_are_absent() {
    let mut damper = Damper::new(damping().with_max_loss(25));
    let _ = damper.see(at(0), seen(&[1, 2, 3, 4]));
    let _ = damper.see(at(1), seen(&[1, 2]));
    assert!(!damper.tick(at(30)).changed);
    assert!(damper.release(at(30)).changed);
    assert_eq!(ids(damper.members()), ["node-1", "node-2"]);
    // And no others later.
    let _ = damper.see(at(31), seen(&[1]));
    let outcome = damper.tick(at(31 + GRACE));
    assert!(!outcome.changed);
    assert!(matches!(
        outcome.reports[..],
        [Report::LossHeld {
            absent: 1,
            members: 2,
            percent: 25
        }]
    ));
}

#[test]
fn a_release_is_forgotten_when_the_member_returns() {
    let mut damper = Damper::new(damping().with_max_loss(25));
    let _ = damper.see(at(0), seen(&[1, 2]));
    let _ = damper.see(at(1), seen(&[1]));
    let _ = damper.release(at(2));
    let _ = damper.see(at(3), seen(&[1, 2]));
    let _ = damper.see(at(4), seen(&[1]));
    assert!(!damper.tick(at(100)).changed);
}

#[test]
fn time_in_which_nothing_can_be_seen_is_no_absence() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2]));
    let _ = damper.see(at(1), seen(&[1]));
    let _ = damper.lose(at(5), lost()); // 4 s
    let _ = damper.lose(at(6), lost());
    assert_eq!(damper.deadline(), None);
    assert!(!damper.tick(at(1000)).changed);
    assert!(!damper.release(at(1000)).changed, "nobody leaves unseen");
    let outcome = damper.see(at(2000), seen(&[1]));
    assert!(!outcome.changed);
    assert_eq!(text(&outcome), ["membership is seen again, after 1995.0s"]);
    assert_eq!(damper.deadline(), Some(at(2000 + GRACE - 4)));
}

#[test]
fn the_whole_fleet_may_be_another_after_a_while() {
    let mut damper = Damper::new(damping().with_max_loss(50));
    let _ = damper.see(at(0), seen(&[1, 2, 3]));
    let _ = damper.see(at(1), seen(&[4, 5, 6]));
    assert_eq!(damper.members().len(), 6);
    assert!(damper.tick(at(1 + GRACE)).changed);
    assert_eq!(ids(damper.members()), ["node-4", "node-5", "node-6"]);
}

#[test]
fn what_cannot_be_read_keeps_what_was_last_known() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2]));
    let broken = || Sighting::of([peer(1)]).with_skipped([unreadable(2), unreadable(3)]);
    let outcome = damper.see(at(1), broken());
    assert!(!outcome.changed);
    assert_eq!(outcome.reports.len(), 2);
    assert_eq!(damper.absent().count(), 0);
    assert!(damper.see(at(2), broken()).reports.is_empty(), "said once");
    assert!(!damper.tick(at(100)).changed);
    assert!(
        damper.members().get("node-3").is_none(),
        "nobody knows more of it"
    );
    // Nobody else is a sighting of somebody.
    let _ = damper.see(at(101), Sighting::default().with_skipped([unreadable(2)]));
    assert!(damper.tick(at(101 + GRACE)).changed);
    assert_eq!(ids(damper.members()), ["node-2"]);
}

#[test]
fn newcomers_beyond_the_limit_are_skipped_and_members_are_not() {
    let mut damper = Damper::new(damping().with_max_peers(2));
    let outcome = damper.see(at(0), seen(&[5, 6, 7]));
    assert_eq!(
        text(&outcome),
        [
            "the entry \"node-7\" is skipped: 2 members are known, and no more are allowed: raise the limit, or split the fleet"
        ]
    );
    let outcome = damper.see(at(1), seen(&[1, 5, 6]));
    assert_eq!(outcome.reports.len(), 1);
    assert!(!outcome.changed);
    // One leaves, and there is room.
    let _ = damper.see(at(2), seen(&[1, 5]));
    let _ = damper.tick(at(2 + GRACE));
    assert!(damper.see(at(3 + GRACE), seen(&[1, 5])).changed);
    assert_eq!(ids(damper.members()), ["node-1", "node-5"]);
}

#[test]
fn time_does_not_go_back() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(50), seen(&[1, 2]));
    let _ = damper.see(at(10), seen(&[1]));
    assert_eq!(damper.deadline(), Some(at(50 + GRACE)));
}

#[test]
fn the_longest_grace_never_ends() {
    let mut damper = Damper::new(damping().with_grace(Duration::MAX));
    let _ = damper.see(at(0), seen(&[1, 2]));
    let _ = damper.see(at(1), seen(&[1]));
    assert!(!damper.tick(Duration::MAX - at(1)).changed);
    assert_eq!(damper.members().len(), 2);
}

#[test]
fn who_is_released_leaves_though_others_are_held() {
    let mut damper = Damper::new(damping().with_max_loss(10));
    let _ = damper.see(at(0), seen(&[1, 2, 3]));
    let _ = damper.see(at(12), seen(&[1, 2]));
    let _ = damper.release(at(13));
    let _ = damper.see(at(14), seen(&[1]));
    assert!(damper.tick(at(60)).changed);
    assert_eq!(ids(damper.members()), ["node-1", "node-2"]);
}

#[test]
fn released_nobody_does_not_count_the_time_in_which_nothing_could_be_seen() {
    let mut damper = Damper::new(damping());
    let _ = damper.see(at(0), seen(&[1, 2]));
    let _ = damper.see(at(5), Sighting::default());
    let _ = damper.lose(at(6), lost());
    let _ = damper.see(at(106), Sighting::default());
    assert!(!damper.release(at(107)).changed);
    assert_eq!(damper.deadline(), Some(at(105 + GRACE)));
}

#[test]
fn who_is_released_does_not_count_against_others() {
    let mut damper = Damper::new(damping().with_max_loss(30));
    let _ = damper.see(at(0), seen(&[1, 2, 3, 4]));
    let _ = damper.see(at(1), seen(&[1, 2]));
    let _ = damper.release(at(2));
    let _ = damper.see(at(3), seen(&[1]));
    assert!(damper.tick(at(60)).changed);
    assert_eq!(ids(damper.members()), ["node-1"]);
}

/// Whoever writes nonsense into the source must not stop the clock. (Work that grew with the square of the entries took
/// minutes here.)
#[test]
fn many_unreadable_entries_are_each_reported_once() {
    let many = 0..60_000u32;
    let known = many.clone().map(|it| Peer::new(format!("node-{it}"), "x"));
    let known: Membership = known.map(Result::unwrap).collect();
    let skipped = || {
        let entry = |it: u32| Skipped {
            key: format!("node-{it}"),
            id: Some(Peer::new(format!("node-{it}"), "x").unwrap().id().clone()),
            reason: SkipReason::NoAddress,
        };
        Sighting::default().with_skipped(many.clone().rev().map(entry))
    };
    let mut damper = Damper::with_members(damping(), known);
    assert_eq!(damper.see(at(0), skipped()).reports.len(), 60_000);
    assert_eq!(damper.see(at(1), skipped()).reports.len(), 0);
    assert!(!damper.tick(at(1 + GRACE)).changed);
}
