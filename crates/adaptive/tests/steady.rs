//! `Steady`, window by window: when it acts, how far it goes, when it rests.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_adaptive::{
    Change, Judgement, KeyLoad, NodeId, NodeLoad, Plan, Policy, ReachCacheRebalance, Steady,
    SteadyConfig, Verdict, Weight, Window,
};

#[path = "../examples/zipf/random.rs"]
mod random;

use random::SplitMix;

fn node(number: usize, points: u32, requests: u64) -> NodeLoad {
    NodeLoad {
        id: NodeId::new(format!("n{number:02}")).unwrap(),
        points: Weight::new(points).unwrap(),
        given: Weight::new(100).unwrap(),
        requests,
        whole: true,
    }
}

/// Nodes of 100 points with these requests.
fn nodes(requests: &[u64]) -> Vec<NodeLoad> {
    let numbered = requests.iter().enumerate();
    numbered
        .map(|(number, &requests)| node(number, 100, requests))
        .collect()
}

fn judge_with(policy: &mut impl Policy, nodes: &[NodeLoad], keys: &[KeyLoad]) -> Judgement {
    policy.judge(&Window {
        nodes,
        keys,
        keys_seen: nodes.iter().map(|node| node.requests).sum(),
    })
}

fn judge(policy: &mut impl Policy, requests: &[u64]) -> Verdict {
    judge_with(policy, &nodes(requests), &[]).verdict
}

fn plan(verdict: Verdict) -> Plan {
    match verdict {
        Verdict::Move(plan) => plan,
        other => panic!("no plan: {other:?}"),
    }
}

fn to(plan: &Plan) -> Vec<(&str, u32)> {
    let to = |change: &Change| change.to.get();
    plan.changes()
        .iter()
        .map(|it| (it.id.as_str(), to(it)))
        .collect()
}

#[test]
fn it_begins_above_the_threshold_and_goes_on_until_it_is_settled() {
    let mut steady = Steady::default();
    // Exactly a quarter is accepted, and so is anything below before it has begun.
    assert_eq!(judge(&mut steady, &[12_500, 10_000, 7_500]), Verdict::Even);
    assert_eq!(judge(&mut steady, &[12_400, 10_000, 7_600]), Verdict::Even);
    assert!(!steady.is_moving());
    plan(judge(&mut steady, &[12_600, 10_000, 7_400]));
    assert!(steady.is_moving());
    // Now the same 12,400 is to be worked at, and 11,100; not 11,000.
    plan(judge(&mut steady, &[12_400, 10_000, 7_600]));
    plan(judge(&mut steady, &[11_100, 10_000, 8_900]));
    assert_eq!(judge(&mut steady, &[11_000, 10_000, 9_000]), Verdict::Even);
    assert!(!steady.is_moving());
    assert_eq!(judge(&mut steady, &[12_400, 10_000, 7_600]), Verdict::Even);
}

#[test]
fn only_nodes_that_are_off_are_moved_and_by_half_of_what_is_missing() {
    let config = SteadyConfig {
        movement: 1000,
        ..SteadyConfig::default()
    };
    let mut steady = Steady::new(config).unwrap();
    let moved = plan(judge(&mut steady, &[20_000, 10_000, 10_000, 0]));
    // Twice its share: 50 would be right. None: 200, since a round at most doubles.
    assert_eq!(to(&moved), [("n00", 75), ("n03", 150)]);
    assert_eq!(moved.movement_thousandths(), 188);
}

#[test]
fn a_round_moves_no_more_than_it_may_and_the_worst_first() {
    let config = SteadyConfig {
        movement: 40,
        ..SteadyConfig::default()
    };
    let mut steady = Steady::new(config).unwrap();
    // 16 points of 400, to the idle node; 9 of them would do for the other.
    let moved = plan(judge(&mut steady, &[14_000, 13_000, 13_000, 0]));
    assert_eq!(to(&moved), [("n03", 116)]);
    assert_eq!(moved.movement_thousandths(), 40);

    let mut random = SplitMix(7);
    for movement in [1, 10, 100, 1000] {
        let config = SteadyConfig {
            movement,
            ..SteadyConfig::default()
        };
        let mut steady = Steady::new(config).unwrap();
        let mut moves = 0;
        for _ in 0..200 {
            let requests: Vec<u64> = (0..20).map(|_| 100 + random.next() % 10_000).collect();
            if let Verdict::Move(plan) = judge(&mut steady, &requests) {
                assert!(plan.movement_thousandths() <= movement.into());
                moves += 1;
            }
        }
        assert!(moves > 20, "{movement}: {moves}");
    }
}

#[test]
fn a_movement_below_one_point_moves_nothing() {
    let config = SteadyConfig {
        movement: 1,
        ..SteadyConfig::default()
    };
    let mut steady = Steady::new(config).unwrap();
    assert_eq!(
        judge(&mut steady, &[20_000, 10_000, 10_000, 10_000]),
        Verdict::Stuck
    );
}

#[test]
fn points_stay_within_the_bounds_of_what_was_given() {
    let config = SteadyConfig {
        patience: 100,
        ..SteadyConfig::default()
    };
    let mut steady = Steady::new(config).unwrap();
    let mut now = [100, 100, 100];
    for round in 0..40 {
        let nodes = [
            node(0, now[0], 30_000),
            node(1, now[1], 0),
            node(2, now[2], 15_000),
        ];
        if let Verdict::Move(plan) = judge_with(&mut steady, &nodes, &[]).verdict {
            for change in plan.changes() {
                let number: usize = change.id.as_str()[1..].parse().unwrap();
                now[number] = change.to.get();
                assert!((20..=400).contains(&now[number]), "{round}: {now:?}");
            }
        }
    }
    assert_eq!((now[0], now[1]), (20, 400));
}

#[test]
fn a_node_of_twice_the_points_should_have_twice_the_load() {
    let mut steady = Steady::default();
    let mut fleet = nodes(&[20_000, 10_000, 10_000]);
    fleet[0].given = Weight::new(200).unwrap();
    fleet[0].points = fleet[0].given;
    assert_eq!(judge_with(&mut steady, &fleet, &[]).verdict, Verdict::Even);
}

#[test]
fn too_few_requests_and_chance_keep_the_window_open() {
    let mut steady = Steady::default();
    let few = judge_with(&mut steady, &nodes(&[999, 0]), &[]);
    let verdict = Verdict::TooFew {
        samples: 999,
        needed: 1000,
    };
    assert_eq!((few.verdict, few.closes), (verdict, false));
    // 50 nodes with 20 requests each on average: 30 is off by a half, and nothing at all.
    let mut requests = [20; 50];
    (requests[0], requests[1]) = (30, 10);
    let unclear = judge_with(&mut steady, &nodes(&requests), &[]);
    assert_eq!((unclear.verdict, unclear.closes), (Verdict::Unclear, false));
    // Ten times as many say the same, and now it is a fact.
    let requests: Vec<u64> = requests.iter().map(|it| it * 10).collect();
    plan(judge(&mut steady, &requests));
}

#[test]
fn an_even_load_is_never_taken_for_an_uneven_one() {
    let (mut steady, mut theirs) = (Steady::default(), ReachCacheRebalance::default());
    let mut random = SplitMix(3);
    let mut acted = 0;
    for _ in 0..2000 {
        let mut requests = [0; 50];
        for _ in 0..1000 {
            requests[usize::try_from(random.next() % 50).unwrap()] += 1;
        }
        let verdict = judge(&mut steady, &requests);
        assert!(
            matches!(verdict, Verdict::Unclear | Verdict::Even),
            "{verdict:?}"
        );
        acted += u32::from(matches!(judge(&mut theirs, &requests), Verdict::Move(_)));
    }
    // The other rule sees work in every one of them.
    assert_eq!(acted, 2000);
}

#[test]
fn hot_keys_are_reported_and_left_out() {
    let hot = |requests| KeyLoad {
        digest: 42,
        node: NodeId::new("n01").unwrap(),
        requests,
    };
    let mut steady = Steady::default();
    let judgement = judge_with(&mut steady, &nodes(&[1000, 9000, 1000]), &[hot(8000)]);
    assert_eq!(judgement.verdict, Verdict::Even);
    let [key] = &judgement.hot[..] else {
        panic!("one")
    };
    assert_eq!((key.digest, key.requests), (42, 8000));
    // Without the key its node has 4,000, and should have 2,000: then points move for the rest. The nodes that
    // have too little get what the movement of a round leaves: 30 points less 25.
    let judgement = judge_with(&mut steady, &nodes(&[1000, 12_000, 1000]), &[hot(8000)]);
    assert_eq!(to(&plan(judgement.verdict)), [("n00", 105), ("n01", 75)]);
    assert_eq!(judgement.hot.len(), 1);
}

#[test]
fn keys_of_a_sample_count_as_much_as_they_stand_for() {
    let fleet = nodes(&[1000, 9000, 1000]);
    let key = KeyLoad {
        digest: 42,
        node: fleet[1].id.clone(),
        requests: 80,
    };
    let judgement = Steady::default().judge(&Window {
        nodes: &fleet,
        keys: &[key],
        keys_seen: 110,
    });
    assert_eq!(
        (judgement.verdict, judgement.hot[0].requests),
        (Verdict::Even, 8000)
    );
}

/// A node with a key of any frequency: its load, as it is judged, never jumps.
#[test]
fn a_key_about_the_limit_does_not_make_its_node_jump() {
    let mut steady = Steady::default();
    for requests in (0..10_000).step_by(50) {
        let fleet = nodes(&[11_000 + requests, 10_000, 10_000, 10_000]);
        let key = KeyLoad {
            digest: 42,
            node: fleet[0].id.clone(),
            requests,
        };
        let judgement = judge_with(&mut steady, &fleet, &[key]);
        assert_eq!(judgement.verdict, Verdict::Even, "{requests}");
        let limit = (41_000 + requests) / 16;
        assert_eq!(
            judgement.hot.len(),
            usize::from(requests > limit),
            "{requests}"
        );
    }
    // Without the key in the list the same load is one.
    plan(judge(&mut steady, &[20_000, 10_000, 10_000, 10_000]));
}

#[test]
fn what_it_could_not_even_out_is_accepted_until_it_drifts() {
    let config = SteadyConfig {
        max_rounds: 3,
        ..SteadyConfig::default()
    };
    let mut steady = Steady::new(config).unwrap();
    let stubborn = [14_000, 8_000, 8_000];
    for _ in 0..3 {
        plan(judge(&mut steady, &stubborn));
    }
    assert_eq!(judge(&mut steady, &stubborn), Verdict::Stuck);
    for _ in 0..50 {
        assert_eq!(judge(&mut steady, &stubborn), Verdict::Even);
    }
    // Another node, or the same one further off, is a new case.
    let mut other = steady.clone();
    plan(judge(&mut other, &[8_000, 14_000, 8_000]));
    plan(judge(&mut steady, &[17_000, 6_500, 6_500]));
}

#[test]
fn it_gives_up_when_the_worst_node_comes_no_closer() {
    let config = SteadyConfig {
        patience: 5,
        ..SteadyConfig::default()
    };
    let mut steady = Steady::new(config).unwrap();
    let mut moves = Vec::new();
    for requests in [
        14_000, 13_500, 13_500, 13_600, 13_400, 13_400, 13_400, 13_400, 13_400, 13_400,
    ] {
        let rest = (30_000 - requests) / 2;
        let verdict = judge(&mut steady, &[requests, rest, rest]);
        moves.push(matches!(verdict, Verdict::Move(_)));
    }
    // Closer in the second round and in the fifth, then not for five.
    assert_eq!(moves[..9], [true; 9]);
    assert!(!moves[9] && !steady.is_moving());
}

#[test]
fn swinging_damps_the_steps() {
    let mut steady = Steady::default();
    let mut steps = Vec::new();
    for round in 0..40 {
        // A lump that moves to and fro, whatever the points.
        let requests = if round % 2 == 0 {
            [13_000, 7_000]
        } else {
            [7_000, 13_000]
        };
        match judge(&mut steady, &requests) {
            Verdict::Move(plan) => steps.push(plan.changes()[0].points()),
            Verdict::Stuck => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(steps.len() < 8, "{steps:?}");
    assert!(steps.last() < steps.first(), "{steps:?}");
}

#[test]
fn nodes_that_are_not_whole_are_neither_judged_nor_counted() {
    let mut fleet = nodes(&[10_000, 10_000, 0]);
    fleet[2].whole = false;
    let judgement = judge_with(&mut Steady::default(), &fleet, &[]);
    assert_eq!(judgement.verdict, Verdict::Even);
}

#[test]
fn no_nodes_and_one_node_are_even() {
    let mut steady = Steady::default();
    assert!(matches!(
        judge(&mut steady, &[]),
        Verdict::TooFew { samples: 0, .. }
    ));
    assert_eq!(judge(&mut steady, &[10_000]), Verdict::Even);
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let mut fleet = nodes(&[u64::MAX, u64::MAX, 0]);
    for node in &mut fleet {
        node.points = Weight::new(u32::MAX).unwrap();
        node.given = node.points;
    }
    let key = KeyLoad {
        digest: 1,
        node: fleet[0].id.clone(),
        requests: u64::MAX,
    };
    let window = Window {
        nodes: &fleet,
        keys: &[key],
        keys_seen: 1,
    };
    assert!(matches!(
        Steady::default().judge(&window).verdict,
        Verdict::Move(_) | Verdict::Stuck
    ));
    assert!(matches!(
        ReachCacheRebalance::default().judge(&window).verdict,
        Verdict::Move(_)
    ));
}
