//! Comparing clients: the same, behind, or different, and in what.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::time::Duration;

use keyroute_cluster::{
    Agreement, Batch, Cluster, Exact, Fleet, Listing, OnDown, Ramp, Rehashed, Side, TRAIL, View,
    Zone,
};
use keyroute_jump::Jump;
use keyroute_ketama::Ketama;
use keyroute_vector_ring::VectorRing;
use support::{node, weighted};

type Held = Cluster<VectorRing, &'static str>;

type Step = fn(Batch<&'static str>) -> Batch<&'static str>;

fn client() -> Held {
    Cluster::new(VectorRing::from_ids(["a", "b", "c"]).unwrap(), |_| "")
}

fn apply(cluster: &Held, steps: &[Step]) {
    for step in steps {
        assert!(cluster.apply(step(Batch::new())).unwrap().is_some());
    }
}

fn told(agreement: &Agreement) -> Vec<String> {
    match agreement {
        Agreement::Differ(differences) => differences.iter().map(ToString::to_string).collect(),
        other => panic!("{other}"),
    }
}

/// Compares both ways, which must say the same.
fn compare(left: &View, right: &View) -> Agreement {
    let (there, back) = (left.compare(right), right.compare(left));
    let mirrored = match &back {
        Agreement::Behind {
            who: Side::Left,
            changes,
        } => Agreement::Behind {
            who: Side::Right,
            changes: *changes,
        },
        Agreement::Behind {
            who: Side::Right,
            changes,
        } => Agreement::Behind {
            who: Side::Left,
            changes: *changes,
        },
        Agreement::Differ(_) => {
            assert!(matches!(there, Agreement::Differ(_)), "{there} and {back}");
            return there;
        }
        other => other.clone(),
    };
    assert_eq!(there, mirrored);
    there
}

fn behind(changes: usize) -> Agreement {
    Agreement::Behind {
        who: Side::Left,
        changes,
    }
}

#[test]
fn epochs_payloads_weightless_members_and_grace_are_no_difference() {
    let (one, two) = (client(), client());
    let idle = Listing::new(node("idle"), "").drained();
    apply(
        &one,
        &[
            |it| it.payload("a", "x"),
            |it| it.leave("b", Duration::from_secs(9)),
        ],
    );
    one.apply(Batch::new().list(idle)).unwrap();
    assert!(one.view().epoch() > two.view().epoch());
    assert_eq!(compare(&one.view(), &two.view()), Agreement::Same);
    assert_eq!(one.view().recent().count(), 1);
}

#[test]
fn a_client_that_has_not_heard_of_changes_is_so_many_behind() {
    let (one, two) = (client(), client());
    let steps: [Step; 4] = [
        |it| it.add(node("d"), ""),
        |it| it.down("a").drain("b"),
        |it| it.reweight("c", 3),
        |it| it.up("a"),
    ];
    for (number, step) in steps.iter().enumerate() {
        apply(&one, &[*step]);
        assert_eq!(compare(&two.view(), &one.view()), behind(number + 1));
    }
    // It hears of them one by one, and of the last two at once.
    apply(&two, &steps[..1]);
    assert_eq!(compare(&two.view(), &one.view()), behind(3));
    apply(&two, &steps[1..2]);
    assert_eq!(compare(&two.view(), &one.view()), behind(2));
    apply(&two, &[|it| it.reweight("c", 3).up("a")]);
    assert_eq!(compare(&two.view(), &one.view()), Agreement::Same);
    // Later changes are found behind that too.
    apply(&one, &[|it| it.remove("d")]);
    assert_eq!(compare(&two.view(), &one.view()), behind(1));
}

#[test]
fn a_node_that_left_and_returned_does_not_turn_who_is_behind() {
    let (leave, back): (Step, Step) = (|it| it.remove("b"), |it| it.add(node("b"), ""));
    let (one, two) = (client(), client());
    apply(&one, &[leave, back]);
    // As before, so they answer alike, whatever lies between.
    assert_eq!(compare(&two.view(), &one.view()), Agreement::Same);
    apply(&two, &[leave]);
    assert_eq!(compare(&two.view(), &one.view()), behind(1));
    apply(&two, &[back]);
    assert_eq!(compare(&two.view(), &one.view()), Agreement::Same);
    // Again and again, with a client that is always one behind.
    for _ in 0..5 {
        for step in [leave, back] {
            apply(&one, &[step]);
            assert_eq!(compare(&two.view(), &one.view()), behind(1));
            apply(&two, &[step]);
        }
    }
    // One that started between has only the state that it started in.
    let late = Cluster::new(VectorRing::from_ids(["a", "c"]).unwrap(), |_| "");
    assert_eq!(compare(&late.view(), &one.view()), behind(1));
}

#[test]
fn of_two_places_in_a_history_the_one_with_more_in_common_counts() {
    let (one, two) = (client(), client());
    let leave: Step = |it| it.remove("b");
    let back: Step = |it| it.add(node("b"), "");
    let other: Step = |it| it.drain("a");
    for cluster in [&one, &two] {
        apply(cluster, &[|it| it.reweight("c", 2)]);
    }
    // One: all, all but "b", all, all but "b", that and "a" drained. Two is at the first without "b", or at the second.
    apply(&one, &[leave, back, leave, other]);
    apply(&two, &[leave]);
    assert_eq!(compare(&two.view(), &one.view()), behind(3));
    apply(&two, &[back, leave]);
    assert_eq!(compare(&two.view(), &one.view()), behind(1));
    // Who started there has no past to tell by: one change at least.
    let late = Cluster::from_members(VectorRing::new(), [(node("a"), ""), (weighted("c", 2), "")])
        .unwrap();
    assert_eq!(compare(&late.view(), &one.view()), behind(1));
}

#[test]
fn where_each_was_where_the_other_is_nobody_is_said_to_be_behind() {
    let one = client();
    apply(&one, &[|it| it.remove("b")]);
    let two = Cluster::new(VectorRing::from_ids(["a", "c"]).unwrap(), |_| "");
    apply(&two, &[|it| it.add(node("b"), "")]);
    let crossed = compare(&one.view(), &two.view());
    assert_eq!(crossed, Agreement::Crossed);
    assert!(crossed.is_in_flight() && !crossed.is_same());
}

#[test]
fn a_state_that_is_too_long_ago_is_a_difference() {
    let (one, two) = (client(), client());
    for weight in 2.. {
        one.apply(Batch::new().reweight("a", weight)).unwrap();
        let changes = usize::try_from(weight - 1).unwrap();
        if changes == TRAIL {
            break;
        }
        assert_eq!(compare(&two.view(), &one.view()), behind(changes));
    }
    assert_eq!(one.view().recent().count(), TRAIL);
    let differs = told(&compare(&two.view(), &one.view()));
    assert_eq!(
        differs,
        [format!(
            "node \"a\": weight 1, no zone | weight {}, no zone",
            TRAIL + 1
        )]
    );
}

#[test]
fn what_differs_is_said_in_words() {
    // A third client's changes make both differ from each other.
    let one = client();
    apply(&one, &[|it| it.add(weighted("heavy", 5), "").down("b")]);
    let two = client().with_policy(OnDown::FailFast);
    apply(
        &two,
        &[|it| it.drain("a").zone("c", Zone::new("east").ok()).remove("b")],
    );
    assert_eq!(
        told(&compare(&one.view(), &two.view())),
        [
            "cluster: on down: move | fail fast",
            "cluster: status of \"b\": down | absent",
            "cluster: status of \"a\": up | drained",
            "node \"b\": weight 1, no zone | absent",
            "node \"c\": weight 1, no zone | weight 1, zone \"east\"",
            "node \"heavy\": weight 5, no zone | absent",
        ]
    );
    let ketama = Cluster::new(Ketama::from_ids(["a", "b", "c"]).unwrap(), |_| ());
    let differs = told(&client().view().compare(&ketama.view()));
    assert!(
        differs
            .iter()
            .any(|it| it.starts_with("scheme: ring/native/1 | ")),
        "{differs:?}"
    );
    let shards = |ids| Cluster::new(Rehashed::new(Jump::from_ids(ids).unwrap()), |_| ());
    let order = told(
        &shards(["a", "b"])
            .view()
            .compare(&shards(["b", "a"]).view()),
    );
    assert_eq!(order, [r#"order of listing: "a", "b" | "b", "a""#]);
}

/// The policy decides answers as soon as somebody is down; so it is no surprise then.
#[test]
fn the_policy_differs_also_while_all_are_up() {
    let strict = client().with_policy(OnDown::FailFast);
    let differs = told(&compare(&client().view(), &strict.view()));
    assert_eq!(differs, ["cluster: on down: move | fail fast"]);
    assert_eq!(strict.view().recent().count(), 1);
}

#[test]
fn how_far_a_ramp_is_is_neither_a_difference_nor_a_state() {
    let (one, two) = (client(), client());
    let ramp = Ramp::new(Duration::from_secs(1000), 1000).unwrap();
    for cluster in [&one, &two] {
        cluster
            .apply(Batch::new().add(node("d"), "").ramp("d", ramp))
            .unwrap();
        cluster.tick(Duration::ZERO).unwrap();
    }
    assert_eq!(compare(&one.view(), &two.view()), Agreement::Same);
    for second in 1..100 {
        one.tick(Duration::from_secs(second)).unwrap();
        assert_eq!(compare(&one.view(), &two.view()), Agreement::Ramping);
    }
    assert_eq!(
        (one.view().recent().count(), one.view().ramps().len()),
        (2, 1)
    );
    // A change in flight beside it is one all the same.
    apply(&one, &[|it| it.down("a")]);
    assert_eq!(compare(&two.view(), &one.view()), behind(1));
    // And when one is over, the other still is in it.
    apply(&two, &[|it| it.down("a")]);
    one.tick(Duration::from_secs(1000)).unwrap();
    assert!(one.view().ramps().is_empty());
    assert_eq!(compare(&one.view(), &two.view()), Agreement::Ramping);
}

#[test]
fn a_view_survives_its_stored_form_and_a_false_one_is_refused() {
    let one = client();
    let ramp = Ramp::new(Duration::from_secs(9), 3).unwrap();
    one.apply(
        Batch::new()
            .add(weighted("d", 7), "")
            .ramp("d", ramp)
            .drain("a")
            .zone("b", Zone::new("w").ok()),
    )
    .unwrap();
    apply(&one, &[|it| it.down("c")]);
    let shards = Cluster::new(Rehashed::new(Jump::from_ids(["b", "a"]).unwrap()), |_| ());
    for view in [one.view(), shards.view()] {
        let stored = serde_json::to_string(&view).unwrap();
        let read: View = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, view);
        assert_eq!(view.compare(&read), Agreement::Same);
        let node = format!("\"id\":\"{}\"", view.description().nodes()[0].id());
        let forged = stored.replacen(&node, "\"id\":\"x\"", 1);
        assert_ne!(forged, stored);
        let error = serde_json::from_str::<View>(&forged)
            .unwrap_err()
            .to_string();
        assert!(error.contains("the newest fingerprint is"), "{error}");
    }
    let text = one.view().to_string();
    for line in [
        "cluster: status of \"c\": down",
        "\"d\" is in a ramp: 25.0 %",
        "\"b\": weight 1, zone \"w\"",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// The answers of another program, written from `docs/hashing.md`: clients of different releases compare these.
#[test]
fn the_fingerprint_of_a_state_is_pinned() {
    let one = client();
    assert_eq!(
        one.view().fingerprint().to_string(),
        "f23be48a811bb222f13761b2e3744781"
    );
    apply(&one, &[|it| it.down("a").drain("a").drain("b")]);
    assert_eq!(
        one.view().fingerprint().to_string(),
        "90400cdb93742f7ec8dc5bf85780c25a"
    );
    let text = one.view().description().to_string();
    assert!(
        text.contains(
            "cluster: status of \"a\": down, drained\ncluster: status of \"b\": drained\n"
        ),
        "{text}"
    );
}

#[test]
fn a_fleet_without_a_majority_has_only_odd_ones() {
    assert!(Fleet::default().agrees() && Fleet::default().majority().is_none());
    let heavy = client();
    apply(&heavy, &[|it| it.reweight("a", 9)]);
    let (light, lighter) = (client(), client());
    apply(&light, &[|it| it.reweight("a", 8)]);
    apply(&lighter, &[|it| it.reweight("a", 7)]);
    let fleet = Fleet::of([
        ("heavy", heavy.view()),
        ("light", light.view()),
        ("lighter", lighter.view()),
    ]);
    assert!(!fleet.agrees() && fleet.majority().is_none());
    assert_eq!((fleet.groups().len(), fleet.odd().count()), (3, 3));
    // Half is no majority either.
    let half = Fleet::of([("heavy", heavy.view()), ("light", light.view())]);
    assert!(half.majority().is_none());
}

#[test]
fn a_fleet_in_which_changes_are_in_flight_agrees_and_its_odd_ones_are_found() {
    let steps: [Step; 3] = [
        |it| it.add(node("d"), ""),
        |it| it.down("a"),
        |it| it.remove("b"),
    ];
    let clients: Vec<Held> = (0..7).map(|_| client()).collect();
    for (client, heard) in clients.iter().zip([3, 3, 2, 1, 0, 3, 3]) {
        apply(client, &steps[..heard]);
    }
    let named = |clients: &[Held]| {
        let named = clients.iter().enumerate();
        Fleet::of(
            named
                .map(|(number, it)| (format!("c{number}"), it.view()))
                .collect::<Vec<_>>(),
        )
    };
    let fleet = named(&clients);
    assert!(fleet.agrees(), "{fleet}");
    let majority = fleet.majority().unwrap();
    assert_eq!(
        majority.head().fingerprint(),
        clients[0].view().fingerprint()
    );
    let mut lags: Vec<_> = majority
        .clients()
        .iter()
        .map(|it| (it.name.as_str(), it.behind))
        .collect();
    lags.sort_unstable();
    let expected = [0, 0, 1, 2, 3, 0, 0].map(Some);
    assert_eq!(
        lags,
        ["c0", "c1", "c2", "c3", "c4", "c5", "c6"]
            .into_iter()
            .zip(expected)
            .collect::<Vec<_>>()
    );

    // Two are ahead, each its own way. That they are wrong cannot be known yet: they may have heard of two changes in
    // another order.
    apply(&clients[5], &[|it| it.reweight("c", 10)]);
    apply(&clients[6], &[|it| it.drain("c")]);
    let fleet = named(&clients);
    assert!(fleet.agrees(), "{fleet}");
    // Now it can: the others hear of everything, and then of something else.
    for (client, heard) in clients.iter().zip([3, 3, 2, 1, 0]) {
        apply(client, &steps[heard..]);
        apply(client, &[|it| it.up("a")]);
    }
    let fleet = named(&clients);
    let shown = fleet.to_string();
    assert!(!fleet.agrees(), "{shown}");
    assert_eq!(
        fleet.majority().map(|it| it.clients().len()),
        Some(5),
        "{shown}"
    );
    let mut odd: Vec<_> = fleet
        .odd()
        .map(|group| {
            let differences = group.differences().iter().map(ToString::to_string);
            (
                group.clients()[0].name.as_str(),
                differences.collect::<Vec<_>>(),
            )
        })
        .collect();
    odd.sort_unstable();
    let down = "cluster: status of \"a\": up | down".to_owned();
    assert_eq!(
        odd,
        [
            (
                "c5",
                vec![
                    down.clone(),
                    "node \"c\": weight 1, no zone | weight 10, no zone".to_owned()
                ]
            ),
            (
                "c6",
                vec![down, "cluster: status of \"c\": up | drained".to_owned()]
            ),
        ]
    );
}

#[test]
fn a_bound_on_leases_is_a_difference_and_setting_one_a_change() {
    let (one, two) = (client(), client());
    one.set_bound(Exact::new(250).ok());
    assert_eq!(compare(&two.view(), &one.view()), behind(1));
    let bounded = client().with_bound(Exact::new(250).unwrap());
    assert_eq!(compare(&bounded.view(), &one.view()), Agreement::Same);
    assert_eq!(
        told(&bounded.view().compare(&two.view())),
        ["cluster: bound: 250 thousandths over | absent"]
    );
}
