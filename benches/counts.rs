//! How many instructions do the hot lookups take?
//!
//! Seconds depend on the machine and on who else uses it, so a check of every change cannot rest on them.
//! Instructions do not: callgrind counts those of some thousand lookups, without what goes before, and a count
//! that is more than 3 % above the one in `counts.txt` fails. Needs `valgrind`.
//!
//! ```sh
//! cargo run --release -p keyroute-benches --bin counts              # compares
//! cargo run --release -p keyroute-benches --bin counts -- --write   # records
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use keyroute_benches::contestant::contestant;
use keyroute_benches::workload::{BATCH, first_keys, fleet};
use keyroute_cluster::Cluster;
use keyroute_vector_ring::VectorRing;

/// What is counted: contestant, nodes, question.
const COUNTED: [(&str, u32, Question); 28] = [
    ("vector-ring", 10, Question::Lookup),
    ("vector-ring", 100, Question::Lookup),
    ("vector-ring", 1_000, Question::Lookup),
    ("vector-ring", 100, Question::Batch),
    ("vector-ring", 100, Question::Replicas),
    ("vector-ring", 100, Question::Reader),
    ("btree-ring", 100, Question::Lookup),
    ("two-sided", 100, Question::Lookup),
    ("ketama", 100, Question::Lookup),
    ("ketama", 100, Question::Batch),
    ("token-ring", 100, Question::Lookup),
    ("window-ring", 100, Question::Lookup),
    ("multi-probe", 100, Question::Lookup),
    ("rendezvous", 100, Question::Lookup),
    ("rendezvous, weighted", 100, Question::Lookup),
    ("maglev", 100, Question::Lookup),
    ("slot-table", 100, Question::Lookup),
    ("jump", 100, Question::Lookup),
    ("jump-back", 100, Question::Lookup),
    ("jump-back", 1_025, Question::Lookup),
    ("flip", 100, Question::Lookup),
    ("power", 100, Question::Lookup),
    ("binomial", 100, Question::Lookup),
    ("ranking", 100, Question::Lookup),
    ("dx", 100, Question::Lookup),
    ("anchor", 100, Question::Lookup),
    ("memento", 100, Question::Lookup),
    ("modulo", 100, Question::Lookup),
];

/// In percent: what a count may be above the recorded one.
const TOLERANCE: f64 = 3.0;

/// Lookups of one count.
const KEYS: usize = 4 * BATCH;

#[derive(Clone, Copy, Debug)]
enum Question {
    Lookup,
    Batch,
    Replicas,
    /// A lookup through a cluster's reader, the payload read.
    Reader,
}

impl Question {
    fn name(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Batch => "batch",
            Self::Replicas => "replicas",
            Self::Reader => "reader",
        }
    }
}

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
    match &*env::args().skip(1).collect::<Vec<_>>() {
        [] => compare(),
        [flag] if flag == "--write" => {
            let text = format!("{HEAD}# {}\n{}", compiler(), lines(&count()?));
            Ok(fs::write(recorded_path(), text)?)
        }
        [flag] if flag == IS_COUNTED => {
            look_up_all();
            Ok(())
        }
        other => Err(format!("--write or nothing, not {other:?}").into()),
    }
}

const HEAD: &str = "# Instructions a key, hashing included, by x86-64's baseline: count, nodes, question, contestant.\n\
                    # Written by `cargo run --release -p keyroute-benches --bin counts -- --write` under\n";

/// Tells the process that valgrind runs what it is.
const IS_COUNTED: &str = "--is-counted";

fn recorded_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.txt")
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).trim().to_owned()
}

/// Counts, and fails where one has grown.
fn compare() -> Result<(), Box<dyn Error>> {
    let recorded = fs::read_to_string(recorded_path())?;
    let mut expected: BTreeMap<&str, f64> = BTreeMap::new();
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let (count, what) = line
            .split_once(' ')
            .ok_or_else(|| format!("counts.txt: {line}"))?;
        expected.insert(what, count.parse()?);
    }
    let now = lines(&count()?);
    let mut faults = String::new();
    for line in now.lines() {
        let (count, what) = line.split_once(' ').unwrap_or_default();
        let count: f64 = count.parse()?;
        let Some(before) = expected.remove(what) else {
            writeln!(
                faults,
                "{what}: {count} instructions, and nothing is recorded"
            )?;
            continue;
        };
        let change = (count / before - 1.0) * 100.0;
        println!("{what}: {count} instructions a key, {change:+.1} %");
        if change > TOLERANCE {
            writeln!(
                faults,
                "{what}: {count} instructions a key, {before} before, {change:+.1} %"
            )?;
        }
    }
    for what in expected.keys() {
        writeln!(faults, "{what}: recorded, and no longer counted")?;
    }
    if faults.is_empty() {
        return Ok(());
    }
    let recorded_by = recorded
        .lines()
        .find_map(|line| line.strip_prefix("# rustc"));
    Err(format!(
        "\n{faults}More than {TOLERANCE} % above benches/counts.txt fails. If that is the price of something worth \
         it, or the compiler's doing (this is {}, recorded was rustc{}), record the new counts and say why:\n\
         cargo run --release -p keyroute-benches --bin counts -- --write",
        compiler(),
        recorded_by.unwrap_or(" of an unknown version"),
    )
    .into())
}

/// A line for each count.
fn lines(counts: &[f64]) -> String {
    let line = |(&(name, nodes, question), count): (&(&str, u32, Question), &f64)| {
        format!("{count:.1} {nodes} {} {name}\n", question.name())
    };
    COUNTED.iter().zip(counts).map(line).collect()
}

/// The C library copies memory by whatever the processor has, and with other counts; so it is told of nothing
/// beyond the baseline.
const BASELINE: &str = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI1,-BMI2,-ERMS,-FSRM,-LZCNT,\
                        -MOVBE,-POPCNT,-SSE4_1,-SSE4_2,-SSSE3";

/// Instructions a key, of each of [`COUNTED`] in turn.
fn count() -> Result<Vec<f64>, Box<dyn Error>> {
    // Under valgrind there is no time for it.
    for (name, nodes, _) in COUNTED {
        drop(contestant(name).checked(nodes));
    }
    let folder = env::temp_dir().join(format!("keyroute-counts-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg("--collect-atstart=no")
        .arg("--toggle-collect=counts::the_counted_lookups")
        .arg("--dump-after=counts::the_counted_lookups")
        .arg(format!(
            "--callgrind-out-file={}",
            folder.join("out").display()
        ))
        .arg(env::current_exe()?)
        .arg(IS_COUNTED)
        .env("GLIBC_TUNABLES", BASELINE)
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    // One file a dump, numbered from 1.
    let keys = f64::from(u32::try_from(KEYS)?);
    let counts: Result<Vec<f64>, Box<dyn Error>> = (1..=COUNTED.len())
        .map(|number| {
            let text = fs::read_to_string(folder.join(format!("out.{number}")))
                .map_err(|error| format!("callgrind's dump {number}: {error}"))?;
            let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
            let total: u32 = total.ok_or("callgrind wrote no totals")?.trim().parse()?;
            Ok(f64::from(total) / keys)
        })
        .collect();
    fs::remove_dir_all(&folder)?;
    counts
}

/// Looks up all of these keys.
type LookUp = dyn Fn(&[&[u8]]) -> u32;

/// What runs under valgrind.
fn look_up_all() {
    let keys = first_keys(KEYS);
    for (name, nodes, question) in COUNTED {
        let contestant = contestant(name);
        let look_up: Box<LookUp> = match question {
            Question::Lookup => {
                let router = contestant.builder(nodes)();
                Box::new(move |keys| router.independent(keys))
            }
            Question::Batch => {
                let router = contestant.batch_builder(nodes).expect("it has batches")();
                Box::new(move |keys| keys.chunks(BATCH).fold(0, |_, keys| router.batch(keys)))
            }
            Question::Replicas => {
                let router = contestant.replicas_builder(nodes).expect("it has replicas")();
                Box::new(move |keys| router.each_replicas(keys))
            }
            Question::Reader => Box::new(by_reader(nodes)),
        };
        the_counted_lookups(&*look_up, &keys);
    }
}

/// Of a cluster of a vector ring.
fn by_reader(nodes: u32) -> impl Fn(&[&[u8]]) -> u32 {
    let members = fleet(nodes).into_iter().zip(0..);
    let cluster: Cluster<VectorRing, u32> = Cluster::from_members(VectorRing::new(), members)
        .expect("the fleets are within every limit");
    let reader = RefCell::new(cluster.reader());
    move |keys| {
        let mut reader = reader.borrow_mut();
        let payloads = keys.iter().map(|key| {
            let pick = reader.pick(key);
            pick.map_or(u32::MAX, |pick| *pick.payload())
        });
        payloads.fold(0, u32::wrapping_add)
    }
}

/// Valgrind counts between its beginning and its end.
#[inline(never)]
fn the_counted_lookups(look_up: &LookUp, keys: &[&[u8]]) {
    black_box(look_up(black_box(keys)));
}
