//! Asks every question of everybody: see README.md.
//!
//! ```sh
//! cargo bench -p keyroute-benches -- [--quick] [--write] [--question NAME]… [CONTESTANT]…
//! cargo bench -p keyroute-benches -- --test       # each once, for the answers; not the largest fleets
//! cargo bench -p keyroute-benches -- --record     # prints the answers that nobody has recorded yet
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, fs};

use keyroute_benches::answers;
use keyroute_benches::plot::{Curve, draw};
use keyroute_benches::questions::{QUESTIONS, Question};
use keyroute_benches::report::Answer;
use keyroute_benches::rounds::{Pace, measure};
use keyroute_benches::tail::tail;
use keyroute_benches::workload::SIZES;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let wish = Wish::from_arguments(env::args().skip(1))?;
    if wish.records {
        answers::record();
    }
    let started = Instant::now();
    let load = load();
    let mut sections = Vec::new();
    let mut answers = Vec::new();
    for question in QUESTIONS.iter().filter(|question| wish.asks(question.name)) {
        let answer = ask(*question, &wish);
        let section = answer.to_markdown();
        println!("\n{section}");
        sections.push(section);
        answers.push(answer);
    }
    if wish.asks("tail") && wish.contestants.is_empty() {
        let section = tail(wish.pace);
        println!("\n{section}");
        sections.push(section);
    }
    if wish.asks("heap") {
        let section = heap(&wish)?;
        println!("\n{section}");
        sections.push(section);
    }
    if wish.writes {
        let minutes = started.elapsed().as_secs_f64() / 60.0;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = head(wish.pace, &load, minutes) + "\n" + &sections.join("\n");
        fs::write(folder.join("RESULTS.md"), text)?;
        for answer in answers
            .iter()
            .filter(|answer| answer.question.name == "lookup")
        {
            let title = "One lookup of a text key, hashing included; dashed: other crates";
            let svg = draw(title, &curves(answer));
            fs::write(folder.join("../docs/images/lookup.svg"), svg)?;
        }
    }
    Ok(())
}

/// What the command line asks for.
struct Wish {
    pace: Pace,
    /// Sizes beyond this are left out.
    most: u32,
    writes: bool,
    records: bool,
    questions: Vec<String>,
    contestants: Vec<String>,
}

impl Wish {
    fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let (mut questions, mut contestants) = (Vec::new(), Vec::new());
        let (mut pace, mut most, mut writes) = (Pace::FULL, u32::MAX, None);
        let mut records = false;
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--bench" => {} // from cargo
                "--test" => (pace, most, writes) = (Pace::ONCE, 10_000, Some(false)),
                "--quick" => {
                    (pace, most) = (Pace::QUICK, 10_000);
                    writes = writes.or(Some(false));
                }
                "--record" => (pace, records, writes) = (Pace::ONCE, true, Some(false)),
                "--write" => writes = Some(true),
                "--question" => {
                    let name = arguments.next().unwrap_or_default();
                    if !["heap", "tail"].contains(&&*name)
                        && QUESTIONS.iter().all(|question| question.name != name)
                    {
                        let names = QUESTIONS.map(|question| question.name).join(", ");
                        return Err(format!(
                            "no question is called '{name}'; there are {names}, tail, heap"
                        )
                        .into());
                    }
                    questions.push(name);
                }
                flag if flag.starts_with('-') => {
                    return Err(format!("there is no {flag}: --test, --record, --quick, --write, --question NAME, or \
                                        a part of a contestant's name").into());
                }
                _ => contestants.push(argument),
            }
        }
        // A part of the results does not replace all of them.
        let is_all = questions.is_empty() && contestants.is_empty();
        Ok(Self {
            pace,
            most,
            writes: writes.unwrap_or(true) && is_all,
            records,
            questions,
            contestants,
        })
    }

    fn asks(&self, question: &str) -> bool {
        self.questions.is_empty() || self.questions.iter().any(|name| name == question)
    }

    fn wants(&self, contestant: &str) -> bool {
        let is_part = |part: &String| contestant.contains(&**part);
        self.contestants.is_empty() || self.contestants.iter().any(is_part)
    }
}

fn ask(question: Question, wish: &Wish) -> Answer {
    let mut answer = Answer::new(question);
    for &nodes in question.sizes.iter().filter(|&&nodes| nodes <= wish.most) {
        let mut entrants = (question.entrants)(nodes);
        entrants.retain(|entrant| wish.wants(&entrant.who.name));
        let who: Vec<_> = entrants.iter().map(|entrant| entrant.who.clone()).collect();
        eprintln!(
            "{}: {nodes} nodes, {} contestants",
            question.name,
            who.len()
        );
        let mut ready: Vec<_> = entrants
            .into_iter()
            .map(|entrant| (entrant.make)())
            .collect();
        for (who, times) in who.into_iter().zip(measure(&mut ready, wish.pace)) {
            answer.add(who, nodes, times);
        }
    }
    answer
}

/// A process of its own, whose allocator counts; this one's must not.
fn heap(wish: &Wish) -> Result<String, Box<dyn Error>> {
    let most = wish.most.min(100_000).to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_heap"))
        .arg(most)
        .args(&wish.contestants)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whose curves are drawn: of ours these; of peers the fastest of each kind.
const DRAWN: [&str; 9] = [
    "vector-ring",
    "btree-ring",
    "multi-probe",
    "rendezvous",
    "rendezvous, weighted",
    "maglev, 100 n",
    "jump",
    "jump-back",
    "anchor",
];

fn curves(answer: &Answer) -> Vec<Curve> {
    let mut colours = BTreeMap::new();
    let mut curves = Vec::new();
    for row in &answer.rows {
        let is_fastest = || {
            let fastest = |size| answer.fastest_reference(row.who.group, size);
            fastest(SIZES[3]).is_some_and(|(fastest, _)| fastest.who == row.who)
        };
        let is_drawn = if row.who.is_reference {
            is_fastest()
        } else {
            row.who.group.is_empty() || DRAWN.contains(&&*row.who.name)
        };
        if is_drawn {
            let next = colours.len();
            let points = row
                .times
                .iter()
                .map(|(&nodes, times)| (nodes.into(), times.median()));
            curves.push(Curve {
                name: row.who.name.clone(),
                colour: *colours.entry(row.who.group).or_insert(next),
                is_dashed: row.who.is_reference,
                points: points.collect(),
            });
        }
    }
    curves
}

fn head(pace: Pace, load: &str, minutes: f64) -> String {
    let dirty = if said_by("git", &["status", "--porcelain"]).is_empty() {
        ""
    } else {
        ", and changes"
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = cpu
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!(
        "# Results\n\n\
         Written by `cargo bench -p keyroute-benches`; [README.md](README.md) says how to read it.\n\n\
         | | |\n| --- | --- |\n\
         | date | {} |\n\
         | commit | `{}`{dirty} |\n\
         | machine | {} × {}; {} |\n\
         | compiler | {}, profile `bench` (opt-level 3, a single codegen unit, no LTO, no `target-cpu`) |\n\
         | other load | {load} processes waiting at the beginning, {} at the end (this one counts as one) |\n\
         | turns | {} rounds, a turn the best of three runs of {} µs; {minutes:.0} minutes in all |\n",
        said_by("date", &["-u", "+%F"]),
        said_by("git", &["rev-parse", "--short", "HEAD"]),
        cores,
        model.map_or("unknown", |(_, model)| model),
        caches(),
        said_by("rustc", &["--version"]),
        self::load(),
        pace.rounds,
        pace.run.as_micros(),
    )
}

/// The sizes of the caches of the first core.
fn caches() -> String {
    let cache = |index: u32, file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
        Some(fs::read_to_string(path).ok()?.trim().to_owned())
    };
    let one = |index| {
        Some(format!(
            "L{} {}",
            cache(index, "level")?,
            cache(index, "size")?
        ))
    };
    // Index 1 is the instructions'.
    let all: Vec<String> = [0, 2, 3].into_iter().filter_map(one).collect();
    all.join(", ")
}

/// How many processes have waited for a core, on average over a minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

fn said_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).trim().to_owned()
}
