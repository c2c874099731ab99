//! `keyroute plan`, run as a user runs it.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a test may panic, and round"
)]

mod common;

use common::{file, keyroute};
use serde_json::Value;

const FLEET: &str = "a\t1\tx\nb\t1\ty\nc\t2\tz\n";

fn json(args: &str) -> Value {
    let report = keyroute(&format!("plan --format json {args}")).ok();
    serde_json::from_str(&report).unwrap()
}

/// The keys that `route` sends elsewhere are those that `plan` says, exactly where it can be exact and within the
/// interval where it cannot.
#[test]
fn what_it_says_is_what_route_does() {
    let fleet = file("fleet", "a\nb\nc\n");
    let larger = file("larger", "a\nb\nc\nd\n");
    let moved = |strategy: &str| {
        let [before, after] = [&fleet, &larger].map(|fleet| {
            let args = format!("route -f {fleet} -s {strategy} --keys-pattern k{{}} --count 50000");
            keyroute(&args).ok()
        });
        let pairs = before.lines().zip(after.lines());
        let moved = pairs.filter(|(before, after)| before != after).count();
        f64::from(u32::try_from(moved).unwrap()) / 50_000.0
    };
    for strategy in ["vector-ring", "maglev", "slot-table", "token-ring"] {
        let plan = json(&format!("{fleet} {larger} -s {strategy}"));
        assert!(
            plan["space"].is_object() && plan["counted"].is_null(),
            "{plan}"
        );
        let (said, seen) = (plan["moved"].as_f64().unwrap(), moved(strategy));
        assert!((said - seen).abs() < 0.01, "{strategy}: {said}, {seen}");
    }
    for strategy in ["rendezvous", "modulo"] {
        let plan = json(&format!("{fleet} {larger} -s {strategy}"));
        assert!(
            plan["space"].is_null() && plan["counted"]["sample"] == true,
            "{plan}"
        );
        let [low, high] =
            ["low", "high"].map(|end| plan["counted"]["interval"][end].as_f64().unwrap());
        let seen = moved(strategy);
        assert!(
            low - 0.01 < seen && seen < high + 0.01,
            "{strategy}: {low} to {high}, {seen}"
        );

        // Of the very keys it is exact.
        let plan = json(&format!(
            "{fleet} {larger} -s {strategy} --keys-pattern k{{}} --count 50000"
        ));
        assert_eq!(plan["moved"].as_f64(), Some(seen));
        assert_eq!(plan["counted"]["sample"], false);
    }
}

#[test]
fn one_file_and_a_change_are_two_files() {
    let fleet = file("fleet", FLEET);
    let after = file("after", "b\t3\ty\nc\t2\tz\nd\t2\n");
    let two = json(&format!("{fleet} {after} --ranges"));
    let one = json(&format!(
        "{fleet} --add d=2 --remove a --reweight b=3 --ranges"
    ));
    assert_eq!(one["moves"], two["moves"]);
    assert_eq!(one["after"]["fingerprint"], two["after"]["fingerprint"]);
    assert_eq!(two["needless"], 0.0);

    let nothing = keyroute(&format!("plan {fleet} {fleet}")).ok();
    assert!(nothing.contains("Moves : nothing"), "{nothing}");
    let refusal = keyroute(&format!("plan {fleet}")).refused();
    assert!(refusal.contains("nothing to compare with"), "{refusal}");
    let refusal = keyroute(&format!("plan {fleet} --remove nobody")).refused();
    assert!(refusal.contains("nobody"), "{refusal}");
}

#[test]
fn copies_keep_to_zones() {
    let fleet = file("fleet", FLEET);
    let plan = json(&format!("{fleet} --remove b -r 2 --ranges"));
    for it in plan["moves"].as_array().unwrap() {
        assert_eq!(it["from"].as_array().unwrap().len(), 2);
        assert_eq!(it["to"].as_array().unwrap().len(), 2);
        assert!(it["from"].as_array().unwrap().contains(&"b".into()));
    }
    let zoned = json(&format!("{fleet} --add d --remove b -r 2 --zones --ranges"));
    assert_ne!(zoned["moves"], plan["moves"]);
    let refusal = keyroute(&format!("plan {fleet} --remove b -r 2 -s maglev")).refused();
    assert!(refusal.contains("no order of replicas"), "{refusal}");
    assert!(
        keyroute(&format!("plan {fleet} --remove b -r 0"))
            .refused()
            .contains("1 or more")
    );
}

#[test]
fn bytes_time_and_phases() {
    let fleet = file("fleet", FLEET);
    let plan = json(&format!(
        "{fleet} --add d --bytes 100GiB --bandwidth 100MiB --budget 2GiB --ranges"
    ));
    let bytes = &plan["bytes"];
    let moved = bytes["moved"].as_u64().unwrap();
    let share = plan["moved"].as_f64().unwrap();
    let expected = share * f64::from(100u32 << 20) * 1024.0;
    assert!(
        (moved as f64 / expected - 1.0).abs() < 1e-6,
        "{moved}, {expected}"
    );
    let busiest = bytes["nodes"].as_array().unwrap().iter();
    let busiest = busiest
        .map(|it| it["receives"].as_u64().unwrap())
        .max()
        .unwrap();
    let seconds = plan["seconds"].as_f64().unwrap();
    assert!((seconds - busiest as f64 / f64::from(100u32 << 20)).abs() < 1e-6);

    let phases = plan["phases"].as_array().unwrap();
    assert_eq!(phases.len() as u64, moved.div_ceil(2 << 30));
    let mut sum = 0;
    for phase in phases {
        let received = phase["bytes"]["nodes"].as_array().unwrap();
        assert!(
            received
                .iter()
                .all(|it| it["receives"].as_u64().unwrap() <= 2 << 30)
        );
        sum += phase["bytes"]["moved"].as_u64().unwrap();
    }
    assert_eq!(sum, moved);

    // Sizes of keys, and of ranges.
    let sizes = file("sizes", "k1\t100\nk2\t2KiB\nk\tk3\t7\n");
    let exact = json(&format!("{fleet} --add d --sizes {sizes}"));
    let counted = json(&format!("{fleet} --add d --sizes {sizes} -s rendezvous"));
    for plan in [exact, counted] {
        let moved = plan["bytes"]["moved"].as_u64().unwrap();
        let sums = [0, 7, 100, 107, 2048, 2055, 2148, 2155];
        assert!(sums.contains(&moved), "{moved}");
    }
    let all = file("all", "0\tffffffffffffffff\t1TiB\n");
    let plan = json(&format!("{fleet} --add d --range-sizes {all}"));
    let ratio = plan["bytes"]["moved"].as_u64().unwrap() as f64 / (1u64 << 40) as f64;
    assert!((ratio - plan["moved"].as_f64().unwrap()).abs() < 1e-6);

    for (args, word) in [
        ("--budget 1GiB", "--bytes"),
        ("--bytes 1GiB --budget 0", "budget of"),
        ("--bytes 9 --budget 1 -s rendezvous", "leave it out"),
        ("--bytes much", "much"),
        ("--bytes 17EiB", "up to 18446744073709551615"),
        ("--bytes 1GiB --bandwidth 0", "0 bytes a second"),
        ("--bandwidth 1MB", "--bytes"),
        ("--bytes 1 --sizes x", "cannot be used with"),
        ("--sizes missing", "missing"),
    ] {
        let refusal = keyroute(&format!("plan {fleet} --add d {args}")).refused();
        assert!(refusal.contains(word), "{args}: {refusal}");
    }
    let bad = file("bad", "0\txyz\t1\n");
    let refusal = keyroute(&format!("plan {fleet} --add d --range-sizes {bad}")).refused();
    assert!(
        refusal.contains("line 1") && refusal.contains("xyz"),
        "{refusal}"
    );
    let bad = file("bad", "5\t4\t1\n");
    let refusal = keyroute(&format!("plan {fleet} --add d --range-sizes {bad}")).refused();
    assert!(refusal.contains("line 1: "), "{refusal}");
    assert!(refusal.contains("ends before it begins"), "{refusal}");
    let bad = file("bad", "0\t5\t1\n\n6\t16384\t1\n");
    let refusal = keyroute(&format!(
        "plan {fleet} --add d -s slot-table --range-sizes {bad}"
    ))
    .refused();
    let said = "line 3: the size of 6 to 16384: it leaves the space; positions are 0 to 16383";
    assert!(refusal.contains(said), "{refusal}");
    for end in ["0x0x5", "+5"] {
        let bad = file("bad", format!("{end}\t6\t1\n"));
        let refusal = keyroute(&format!("plan {fleet} --add d --range-sizes {bad}")).refused();
        assert!(refusal.contains(end), "{refusal}");
    }
}

/// Two copies of each of 2^128 positions are more than numbers of 128 bits hold.
#[test]
fn of_the_widest_hashes_all_copies_count() {
    let fleet = file("fleet", "a\n");
    let args = format!("{fleet} --add b --add c --replicas 3 -s uhashring");
    let plan = json(&args);
    assert_eq!(plan["space"]["hashes"]["bits"], 128);
    assert_eq!(
        (&plan["moved"], &plan["needed"]),
        (&2.0.into(), &2.0.into())
    );
    let table = keyroute(&format!("plan {args}")).ok();
    assert!(
        table.contains("Moves : 200.00 % of the keys, 200.00 % needed"),
        "{table}"
    );
    assert!(
        table.contains("\n a     200.00 %"),
        "both are read from the first: {table}"
    );
}

/// An interval says what it is one of, and stands also where the sample found nothing.
#[test]
fn a_sample_says_what_it_is_sure_of() {
    let fleet = file("fleet", "a\nb\nc\n");
    let same = keyroute(&format!("plan {fleet} {fleet} -s modulo")).ok();
    assert!(
        same.contains("Moves : nothing (of all keys 0.00 % to 0.00 %, at 95 %)\n"),
        "{same}"
    );
    let copies = keyroute(&format!("plan {fleet} --add d --replicas 2 -s rendezvous")).ok();
    assert!(
        copies.contains(" % have other nodes or another order, at 95 %)"),
        "{copies}"
    );
}

#[test]
fn a_strategy_is_picked_by_what_it_moves() {
    let fleet = file("fleet", "a\nb\nc\nd\n");
    let args =
        format!("plan {fleet} --add e --pick modulo,vector-ring,jump,maglev,slot-table-assigned");
    let table = keyroute(&args).ok();
    let names: Vec<&str> = table
        .lines()
        .skip(3)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let place = |name| names.iter().position(|it| *it == name).unwrap();
    assert!(
        place("jump") < place("maglev") && place("maglev") < place("modulo"),
        "{table}"
    );
    assert!(
        table.contains("exactly") && table.contains("by 120000 keys"),
        "{table}"
    );
    assert!(table.contains("n/a"), "partitions without owners: {table}");

    let picked = keyroute(&format!("{args} --format json")).ok();
    let picked: Value = serde_json::from_str(&picked).unwrap();
    let moved: Vec<f64> = picked["strategies"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["moved"].as_f64())
        .collect();
    assert_eq!(moved.len(), 4);
    assert!(moved.is_sorted(), "{moved:?}");
    assert!(
        keyroute(&format!("plan {fleet} --add e --pick all"))
            .ok()
            .contains("btree-ring")
    );
}

#[test]
fn a_strategy_that_is_named_twice_is_shown_once() {
    let fleet = file("fleet", FLEET);
    let picked = keyroute(&format!("plan {fleet} --add e --pick maglev,all,maglev")).ok();
    assert_eq!(picked.matches(" maglev ").count(), 1, "{picked}");
}

#[test]
fn from_one_strategy_to_another() {
    let fleet = file("fleet", "a\nb\nc\n");
    // A ring and a table of one hasher have ranges in common; a modulo has none.
    let exact = json(&format!("{fleet} --to-strategy maglev --ranges"));
    assert!(exact["space"]["hashes"].is_object(), "{exact}");
    assert_eq!(exact["needed"], 0.0);
    let counted = json(&format!("{fleet} -s modulo --to-strategy vector-ring"));
    assert!(counted["counted"].is_object());
    let text = keyroute(&format!(
        "plan {fleet} -s modulo --to-strategy vector-ring --ranges"
    ))
    .ok();
    assert!(
        text.contains("share no ranges") && text.contains("Ranges: none"),
        "{text}"
    );
}

#[cfg(feature = "plot")]
#[test]
fn who_sends_to_whom_is_drawn() {
    let fleet = file("fleet", FLEET);
    for ending in ["svg", "png"] {
        let picture = format!(
            "{}/flows-{}.{ending}",
            env!("CARGO_TARGET_TMPDIR"),
            std::process::id()
        );
        keyroute(&format!("plan {fleet} --add d --plot {picture}")).ok();
        let drawn = std::fs::read(&picture).unwrap();
        assert!(drawn.len() > 1000);
        if ending == "svg" {
            let text = String::from_utf8(drawn).unwrap();
            for word in ["rows send", "\nd\n", "needed"] {
                assert!(text.contains(word), "{word}");
            }
        }
        std::fs::remove_file(picture).unwrap();
    }
}
