//! How fast `keyroute route` is, beside copying the same lines.
//!
//! ```sh
//! cargo build --release -p keyroute-cli
//! cargo run --release -p keyroute-cli --example route_speed [KEYS]
//! ```
//!
//! Makes a file of KEYS short keys (10,000,000 unless said, 20.9 bytes with their lines' ends), then in turn, five times
//! each, copies its lines one by one and routes them over the sample fleet. Both are processes of one
//! thread that read the file and write to nowhere. Prints medians.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

type Error = Box<dyn std::error::Error>;

const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, file] = arguments.as_slice()
        && mode == "copy"
    {
        return Ok(copy(Path::new(file))?);
    }
    let keys: u32 = match arguments.first() {
        Some(keys) => keys.parse()?,
        None => 10_000_000,
    };
    let this = std::env::current_exe()?;
    let command = this
        .ancestors()
        .nth(2)
        .map(|folder| folder.join("keyroute"))
        .filter(|command| command.exists())
        .ok_or("build the command first: cargo build --release -p keyroute-cli")?;
    let file = std::env::temp_dir().join(format!("keyroute-route-speed-{}", std::process::id()));
    make(&file, keys)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(seconds(Command::new(&this).arg("copy").arg(&file))?);
        times[1].push(seconds(Command::new(&command).arg("route").arg(&file))?);
    }
    fs::remove_file(&file)?;
    let [copied, routed] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        f64::from(keys) / times[ROUNDS / 2]
    });
    println!("copy:  {:.2} million keys/s", copied / 1e6);
    println!("route: {:.2} million keys/s", routed / 1e6);
    println!("ratio: {:.2}", routed / copied);
    Ok(())
}

fn make(file: &Path, keys: u32) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    for number in 0..keys {
        writeln!(out, "user:{number}:session")?;
    }
    out.flush()
}

/// What `cat` does, line by line.
fn copy(file: &Path) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(1 << 16, File::open(file)?);
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        out.write_all(&line)?;
        line.clear();
    }
    out.flush()
}

fn seconds(command: &mut Command) -> Result<f64, Error> {
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok(start.elapsed().as_secs_f64())
}
