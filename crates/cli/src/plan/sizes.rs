//! [`ByteArgs`]: how many bytes there are, and where.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use keyroute::plan::{Sizes, Space};

use super::bytes::Bytes;
use crate::CliError;

/// How many bytes there are, and where.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub(crate) struct ByteArgs {
    /// All bytes together, spread evenly over the keys: 300GiB, 2TB, 1048576
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    bytes: Option<Bytes>,
    /// A file of keys and their sizes: lines KEY<TAB>BYTES
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "keys_pattern"])]
    sizes: Option<PathBuf>,
    /// A file of ranges and their sizes, in ascending order: lines FIRST<TAB>LAST<TAB>BYTES, both ends included,
    /// hashes in hex digits, partitions in numbers
    #[arg(long, value_name = "FILE")]
    range_sizes: Option<PathBuf>,
}

/// What is known of sizes.
#[derive(Debug)]
pub(crate) enum Weighing {
    Unknown,
    /// All bytes.
    Total(u64),
    /// The file, and each key with its bytes.
    Keys(String, Vec<SizedKey>),
    /// The file, and each range with its bytes, in the words of the file.
    Ranges(String, Vec<Range>),
}

/// A key, and its bytes.
type SizedKey = (Vec<u8>, u64);

/// A line of a file of ranges.
#[derive(Debug)]
pub(crate) struct Range {
    line: usize,
    ends: [String; 2],
    bytes: u64,
}

/// The longest file of sizes, 2 GiB.
const MAX_LEN: u64 = 2 << 30;

impl ByteArgs {
    /// Reads what is given.
    pub(crate) fn read(&self) -> Result<Weighing, CliError> {
        if let Some(total) = self.bytes {
            return Ok(Weighing::Total(total.0));
        }
        if let Some(path) = &self.sizes {
            let mut keys = Vec::new();
            each_line(path, |_, line| {
                let split = line.iter().rposition(|&byte| byte == b'\t');
                let split = split.ok_or("no tab: write KEY<TAB>BYTES")?;
                keys.push((line[..split].to_vec(), bytes(&line[split + 1..])?));
                Ok(())
            })?;
            return Ok(Weighing::Keys(path.display().to_string(), keys));
        }
        if let Some(path) = &self.range_sizes {
            let mut ranges = Vec::new();
            each_line(path, |number, line| {
                let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
                let &[first, last, size] = fields.as_slice() else {
                    return Err("write FIRST<TAB>LAST<TAB>BYTES".into());
                };
                let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
                ranges.push(Range {
                    line: number,
                    ends: [text(first), text(last)],
                    bytes: bytes(size)?,
                });
                Ok(())
            })?;
            return Ok(Weighing::Ranges(path.display().to_string(), ranges));
        }
        Ok(Weighing::Unknown)
    }
}

/// Whole bytes, or a size as `2KiB`.
fn bytes(field: &[u8]) -> Result<u64, String> {
    let bytes: Bytes = String::from_utf8_lossy(field).trim().parse()?;
    Ok(bytes.0)
}

fn each_line(
    path: &Path,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), String>,
) -> Result<(), CliError> {
    let place = path.display();
    let length = fs::metadata(path)
        .map_err(|error| CliError::at(&place, error))?
        .len();
    if length > MAX_LEN {
        return Err(CliError::at(
            place,
            format!("over {MAX_LEN} bytes: give totals of ranges instead"),
        ));
    }
    let text = fs::read(path).map_err(|error| CliError::at(&place, error))?;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        take(number, line)
            .map_err(|problem| CliError::at(format!("{place}, line {number}"), problem))?;
    }
    Ok(())
}

impl Weighing {
    /// The keys, if these are what has sizes, and their file.
    pub(crate) fn keys(&self) -> Option<(&str, &[SizedKey])> {
        match self {
            Self::Keys(file, keys) => Some((file, keys)),
            _ => None,
        }
    }

    /// The sizes of ranges of a space, in which keys have these positions.
    pub(crate) fn sizes(
        &self,
        space: Space,
        position: &dyn Fn(&[u8]) -> u128,
    ) -> Result<Option<Sizes>, CliError> {
        Ok(Some(match self {
            Self::Unknown => return Ok(None),
            Self::Total(total) => Sizes::uniform(space, *total),
            Self::Keys(_, keys) => {
                Sizes::of_keys(keys.iter().map(|(key, bytes)| (position(key), *bytes)))
            }
            Self::Ranges(file, ranges) => {
                let at = |line, problem| CliError::at(format!("{file}, line {line}"), problem);
                let mut read = Vec::with_capacity(ranges.len());
                for range in ranges {
                    let ends = range.ends.each_ref().map(|end| end_of(space, end));
                    let [first, last] =
                        ends.map(|end| end.map_err(|problem| at(range.line, problem)));
                    read.push((first?, last?, range.bytes));
                }
                // It stops at the range that it refuses, so that this is the last one asked for.
                let line = Cell::new(0);
                let lines = ranges.iter().map(|range| range.line);
                let asked = read.into_iter().zip(lines).map(|(range, number)| {
                    line.set(number);
                    range
                });
                Sizes::of_ranges(space, asked).map_err(|error| at(line.get(), error.to_string()))?
            }
        }))
    }
}

/// A position, as the space writes it.
fn end_of(space: Space, text: &str) -> Result<u128, String> {
    let text = text.trim();
    let (digits, radix, what) = match space {
        Space::Partitions(_) => (text, 10, "a partition"),
        _ => (
            text.strip_prefix("0x").unwrap_or(text),
            16,
            "a hash in hex digits",
        ),
    };
    let signed = digits.starts_with(['+', '-']);
    let read = u128::from_str_radix(digits, radix).ok();
    read.filter(|_| !signed)
        .ok_or_else(|| format!("{text:?} is not {what}"))
}
