//! What does `keyroute route` cost, beside copying the same lines in and out?
//!
//! Both are processes of their own that read one file, with buffers of equal size, and write to nowhere; the
//! copy is the plain loop that reads a line and writes it. They take turns, and a ratio is the median of the
//! ratios of single rounds. Nothing is timed whose lines were not checked.
//!
//! `cargo bench -p keyroute-cli`; with `-- --test`, once and on few keys, for the answers alone.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use keyroute::VectorRing;
use keyroute::hash::mix64;

/// What the command's own reader and writer hold.
const BUFFER: usize = 1 << 16;

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [copy, file] = args.as_slice()
        && copy == "--copy"
    {
        return copy_lines(Path::new(file));
    }
    let (keys, rounds) = if args.iter().any(|arg| arg == "--test") {
        (2_000, 1)
    } else {
        (2_000_000, 9)
    };
    let folder = std::env::temp_dir().join(format!("keyroute-route-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let measured = measure(&folder, keys, rounds);
    fs::remove_dir_all(&folder)?;
    measured
}

fn measure(folder: &Path, keys: u32, rounds: usize) -> io::Result<()> {
    let file = folder.join("keys.txt");
    let mut text = BufWriter::new(File::create(&file)?);
    for i in 0..keys {
        writeln!(text, "user:{i}:{:07x}", mix64(i.into()) >> 36)?;
    }
    text.flush()?;

    println!("{keys} keys of about 20 bytes, {rounds} rounds; vector-ring, 160 points a node");
    println!("nodes    ns a key: copy  route   ratio   million keys/s");
    for nodes in [10, 100, 1_000] {
        let ids: Vec<String> = (0..nodes).map(|node| format!("node-{node}")).collect();
        let fleet = folder.join(format!("{nodes}.txt"));
        fs::write(&fleet, ids.join("\n"))?;
        let copy = || {
            let mut command = Command::new(std::env::current_exe().expect("this program"));
            command.arg("--copy").arg(&file);
            command
        };
        let route = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_keyroute"));
            command.arg("route").arg(&file).arg("--fleet").arg(&fleet);
            command
        };
        check(&mut copy(), &mut route(), &ids);

        let turn = |mut command: Command| -> io::Result<f64> {
            let start = Instant::now();
            assert!(command.stdout(Stdio::null()).status()?.success());
            Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(keys))
        };
        let (mut copies, mut routes, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (copied, routed) = (turn(copy())?, turn(route())?);
            copies.push(copied);
            routes.push(routed);
            ratios.push(routed / copied);
        }
        let routed = median(routes);
        println!(
            "{nodes:<6} {:>15.1} {routed:>7.1} {:>6.2} {:>12.1}",
            median(copies),
            median(ratios),
            1e3 / routed
        );
    }
    Ok(())
}

/// Panics unless the copy is the file and each routed line says the ring's owner.
fn check(copy: &mut Command, route: &mut Command, ids: &[String]) {
    let lines = |command: &mut Command| {
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let ring = VectorRing::from_ids(ids.iter().map(String::as_str)).expect("a fleet");
    let (copied, routed) = (lines(copy), lines(route));
    assert_eq!(copied.lines().count(), routed.lines().count());
    for (key, line) in copied.lines().zip(routed.lines()) {
        let owner = ring.route_id(key.as_bytes()).expect("an owner");
        assert_eq!(line, format!("{key}\t{owner}"));
    }
}

fn copy_lines(file: &Path) -> io::Result<()> {
    let mut from = BufReader::with_capacity(BUFFER, File::open(file)?);
    let mut to = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        line.clear();
    }
    to.flush()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
