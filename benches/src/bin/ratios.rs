//! Prints what criterion measured as ratios to the bare hash of the same group and size.
//!
//! ```sh
//! cargo run -p keyroute-benches --bin ratios [FOLDER]
//! ```
//!
//! FOLDER is where criterion left its results: `target/criterion` unless said. Results of older runs
//! stay there until they are deleted.
//!
//! A time is that of the fastest sample: whatever else the machine does can only slow one down.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

const BASELINE: &str = "bare-hash";

/// Nanoseconds for each element of the workload, by group, then size, then name.
type Measured = BTreeMap<String, BTreeMap<u32, BTreeMap<String, f64>>>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os().nth(1);
    let folder = folder.map_or_else(|| PathBuf::from("target/criterion"), PathBuf::from);
    let mut measured = Measured::new();
    collect(&folder, &mut measured)?;
    if measured.is_empty() {
        return Err(format!("{}: no results of criterion", folder.display()).into());
    }
    for (group, sizes) in &measured {
        print_group(group, sizes)?;
    }
    Ok(())
}

/// Reads every `new` folder below this one: its benchmark, and the time of its fastest sample.
fn collect(folder: &Path, measured: &mut Measured) -> Result<(), Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name == "new") {
            let benchmark = read(&path.join("benchmark.json"))?;
            let text = |field: &str| benchmark[field].as_str().ok_or(format!("no {field}"));
            let fastest = fastest(&read(&path.join("sample.json"))?);
            let elements = benchmark["throughput"]["Elements"].as_f64();
            let (Some(nanoseconds), Some(elements)) = (fastest, elements) else {
                return Err(format!("{}: no sample or no throughput", path.display()).into());
            };
            measured
                .entry(text("group_id")?.to_owned())
                .or_default()
                .entry(text("value_str")?.parse()?)
                .or_default()
                .insert(text("function_id")?.to_owned(), nanoseconds / elements);
        } else if path.is_dir() {
            collect(&path, measured)?;
        }
    }
    Ok(())
}

/// The least time of one iteration.
fn fastest(sample: &Value) -> Option<f64> {
    let times = sample["times"].as_array()?.iter().map(Value::as_f64);
    let iterations = sample["iters"].as_array()?.iter().map(Value::as_f64);
    let each: Option<Vec<f64>> = times.zip(iterations).map(|(t, i)| Some(t? / i?)).collect();
    each?.into_iter().reduce(f64::min)
}

fn read(path: &Path) -> Result<Value, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// One table: a row for each name, a column for each size; the baseline in nanoseconds.
fn print_group(
    group: &str,
    sizes: &BTreeMap<u32, BTreeMap<String, f64>>,
) -> Result<(), Box<dyn Error>> {
    let mut names: Vec<&String> = sizes.values().flat_map(BTreeMap::keys).collect();
    names.sort();
    names.dedup();

    print!("\n| {group} |");
    sizes.keys().for_each(|size| print!(" {size} nodes |"));
    print!("\n| --- |");
    sizes.keys().for_each(|_| print!(" --- |"));
    print!("\n| {BASELINE}, ns |");
    for (size, by_name) in sizes {
        let base = by_name.get(BASELINE);
        let base = base.ok_or(format!("{group}, {size} nodes: no {BASELINE}"))?;
        print!(" {base:.1} |");
    }
    for name in names.into_iter().filter(|name| *name != BASELINE) {
        print!("\n| {name} |");
        for by_name in sizes.values() {
            match by_name.get(name) {
                Some(time) => print!(" {:.2} |", time / by_name[BASELINE]),
                None => print!("  |"),
            }
        }
    }
    println!();
    Ok(())
}
