//! Keys: from a file, standard input, a pattern, or the bundled sample.

mod lines;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::CliError;
use lines::Lines;

/// The longest key, 16 MiB: keys are read one at a time, so this bounds the memory.
pub const MAX_KEY_LEN: usize = 16 << 20;

/// How many keys the sample has.
pub const SAMPLE_KEYS: u64 = 120_000;

/// Where keys come from.
#[derive(Args, Clone, Debug, Default)]
pub struct KeyArgs {
    /// File of keys, a line each; `-` is standard input
    #[arg(value_name = "KEYS")]
    pub file: Option<PathBuf>,
    /// Keys end in NUL, not in a line's end
    #[arg(short = '0', long, conflicts_with = "hex")]
    pub null: bool,
    /// Keys are written in hex, a line each
    #[arg(long)]
    pub hex: bool,
    /// Make keys: each {} becomes a number, 0 and up
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["file", "null", "hex"])]
    pub keys_pattern: Option<String>,
    /// How many keys to make, with --keys-pattern [default: 100000]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        requires = "keys_pattern"
    )]
    pub count: Option<u64>,
}

/// What is read when no file and no pattern is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Standard input; the sample if that is a terminal.
    Stdin,
    /// The sample.
    Sample,
}

impl KeyArgs {
    /// Whether [`open`](Self::open) would read standard input.
    #[must_use]
    pub fn reads_stdin(&self, otherwise: Otherwise) -> bool {
        match (&self.keys_pattern, &self.file) {
            (Some(_), _) => false,
            (None, Some(path)) => path == Path::new("-"),
            (None, None) => otherwise == Otherwise::Stdin && !io::stdin().is_terminal(),
        }
    }

    /// Opens the source.
    ///
    /// # Errors
    ///
    /// [`CliError`] if the file cannot be opened or the pattern has no `{}`.
    pub fn open(&self, otherwise: Otherwise) -> Result<Keys, CliError> {
        let form = match (self.null, self.hex) {
            (true, _) => Form::Null,
            (_, true) => Form::Hex,
            _ => Form::Lines,
        };
        let stdin = || Keys::reading("standard input", Box::new(io::stdin().lock()), form);
        Ok(match (&self.keys_pattern, &self.file) {
            _ if self.reads_stdin(otherwise) => stdin(),
            (Some(pattern), _) => Keys::pattern(pattern, self.count.unwrap_or(100_000))?,
            (None, Some(path)) => {
                let file = File::open(path).map_err(|error| CliError::at(path.display(), error))?;
                let length = file
                    .metadata()
                    .ok()
                    .filter(|data| data.is_file())
                    .map(|data| data.len());
                let mut keys = Keys::reading(&path.display().to_string(), Box::new(file), form);
                keys.bytes = length;
                keys
            }
            (None, None) => Keys::sample(SAMPLE_KEYS),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Lines,
    Null,
    Hex,
}

/// A stream of keys, each lent until the next is asked for.
pub struct Keys {
    source: Source,
    buffer: Vec<u8>,
    number: u64,
    bytes: Option<u64>,
}

enum Source {
    Reader {
        name: String,
        lines: Lines,
        hex: bool,
    },
    Pattern {
        parts: Vec<String>,
        count: u64,
    },
    Sample {
        count: u64,
    },
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl Keys {
    fn from(source: Source) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            number: 0,
            bytes: None,
        }
    }

    fn reading(name: &str, reader: Box<dyn Read>, form: Form) -> Self {
        let end = if form == Form::Null { 0 } else { b'\n' };
        Self::from(Source::Reader {
            name: name.into(),
            lines: Lines::new(reader, end),
            hex: form == Form::Hex,
        })
    }

    /// `count` keys of this pattern.
    ///
    /// # Errors
    ///
    /// [`CliError::Input`] unless the pattern holds `{}`: all keys would be one.
    pub fn pattern(pattern: &str, count: u64) -> Result<Self, CliError> {
        let parts: Vec<String> = pattern.split("{}").map(str::to_owned).collect();
        if parts.len() < 2 {
            return Err(CliError::at(
                format!("key pattern {pattern:?}"),
                "has no {}, so all keys would be equal: write {} where the number goes",
            ));
        }
        Ok(Self::from(Source::Pattern { parts, count }))
    }

    /// The first `count` keys of the bundled sample: user ids, sessions, URLs, cache keys and uuids,
    /// made from a seed.
    #[must_use]
    pub fn sample(count: u64) -> Self {
        Self::from(Source::Sample { count })
    }

    /// Where they come from, in words.
    #[must_use]
    pub fn source(&self) -> String {
        match &self.source {
            Source::Reader { name, .. } => name.clone(),
            Source::Pattern { parts, .. } => format!("pattern {:?}", parts.join("{}")),
            Source::Sample { .. } => "the bundled sample".into(),
        }
    }

    /// How many keys there will be, or how many bytes of them; `None` if that is not known.
    #[must_use]
    pub fn expected(&self) -> Option<Expected> {
        match self.source {
            Source::Reader { .. } => self.bytes.map(Expected::Bytes),
            Source::Pattern { count, .. } | Source::Sample { count } => Some(Expected::Keys(count)),
        }
    }

    /// The next key; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`CliError`] that names the source and the key's number: unreadable, too long, or not hex.
    // Not an `Iterator`: the key is lent.
    #[expect(clippy::should_implement_trait, reason = "keys are lent")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, CliError> {
        self.buffer.clear();
        let number = self.number;
        let found = match &mut self.source {
            Source::Reader { name, lines, hex } => {
                let at =
                    |problem: String| CliError::at(format!("{name}, key {}", number + 1), problem);
                let Some(line) = lines.next().map_err(at)? else {
                    return Ok(None);
                };
                self.number += 1;
                if !*hex {
                    return Ok(Some(line));
                }
                unhex(line, &mut self.buffer).map_err(at)?;
                return Ok(Some(&self.buffer));
            }
            Source::Pattern { parts, count } => {
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        write!(self.buffer, "{number}")?;
                    }
                    self.buffer.extend(part.as_bytes());
                }
                number < *count
            }
            Source::Sample { count } => {
                write_sample_key(&mut self.buffer, number)?;
                number < *count
            }
        };
        self.number += u64::from(found);
        Ok(found.then_some(&self.buffer))
    }
}

/// How much is to come, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// So many keys.
    Keys(u64),
    /// So many bytes.
    Bytes(u64),
}

pub(crate) fn unhex(text: &[u8], into: &mut Vec<u8>) -> Result<(), String> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let (pairs, rest) = text.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(format!("{} hex digits are not whole bytes", text.len()));
    }
    for &[high, low] in pairs {
        match (digit(high), digit(low)) {
            (Some(high), Some(low)) => into.push(high << 4 | low),
            _ => return Err(format!("{:?} is not hex", String::from_utf8_lossy(text))),
        }
    }
    Ok(())
}

/// Key number `i` of the sample. Each is unique: it holds `i`, or a bijection of it.
fn write_sample_key(key: &mut Vec<u8>, i: u64) -> io::Result<()> {
    let mixed = keyroute::hash::mix64(i ^ 0x6b65_7972_6f75_7465);
    match i % 6 {
        0 => write!(key, "user:{}", 1_000_000 + i),
        1 => write!(key, "user:{i}:session"),
        2 => write!(key, "/api/v1/items/{mixed:016x}?page={}", mixed % 50 + 1),
        3 => write!(
            key,
            "https://shop.example/p/{}/{i}",
            ["shoes", "books", "garden", "games"][(mixed % 4) as usize]
        ),
        4 => write!(
            key,
            "thumb:{}x{}:{mixed:012x}",
            64 << (mixed % 4),
            64 << (mixed % 3)
        ),
        _ => write!(
            key,
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{i:012x}",
            mixed >> 32,
            mixed >> 16 & 0xffff,
            mixed >> 4 & 0xfff,
            mixed & 0xfff
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn read(form: Form, bytes: &'static [u8]) -> Result<Vec<Vec<u8>>, String> {
        let mut keys = Keys::reading("test", Box::new(bytes), form);
        let mut all = Vec::new();
        loop {
            match keys.next() {
                Ok(Some(key)) => all.push(key.to_vec()),
                Ok(None) => return Ok(all),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    #[test]
    fn lines_end_in_lf_or_cr_lf_and_the_empty_key_is_a_key() {
        assert_eq!(
            read(Form::Lines, b"a\n\nb\r\nc").unwrap(),
            [b"a".to_vec(), vec![], b"b".to_vec(), b"c".to_vec()]
        );
        assert_eq!(read(Form::Lines, b"").unwrap(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn nul_separated_keys_may_hold_lines_ends() {
        assert_eq!(
            read(Form::Null, b"a\nb\0c\r\0").unwrap(),
            [b"a\nb".to_vec(), b"c\r".to_vec()]
        );
    }

    #[test]
    fn hex_keys_may_hold_anything_and_bad_ones_are_named() {
        assert_eq!(
            read(Form::Hex, b"00ff\n\nC3a9").unwrap(),
            [vec![0, 255], vec![], vec![0xc3, 0xa9]]
        );
        assert_eq!(
            read(Form::Hex, b"00\n0g").unwrap_err(),
            "test, key 2: \"0g\" is not hex"
        );
        assert_eq!(
            read(Form::Hex, b"0").unwrap_err(),
            "test, key 1: 1 hex digits are not whole bytes"
        );
    }

    #[test]
    fn a_key_over_the_limit_is_an_error_not_memory() {
        let name = "endless";
        let mut keys = Keys::reading(name, Box::new(io::repeat(b'x')), Form::Lines);
        assert!(
            keys.next()
                .unwrap_err()
                .to_string()
                .contains("over 16777216 bytes")
        );
    }

    #[test]
    fn the_sample_has_no_key_twice() {
        let mut seen = HashSet::new();
        let mut keys = Keys::sample(SAMPLE_KEYS);
        while let Some(key) = keys.next().unwrap() {
            assert!(
                seen.insert(key.to_vec()),
                "{}",
                String::from_utf8_lossy(key)
            );
        }
        assert_eq!(seen.len() as u64, SAMPLE_KEYS);
    }
}
