//! libmemcached: a library, so a C program of its own asks it.

use std::ffi::c_char;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use crate::{Folder, Version};

/// What asks, in C.
const SOURCE: &str = include_str!("libmemcached.c");

/// The most servers of a ring under which Debian's build does not abort.
pub const SAFE_SERVERS: usize = 100;

/// Whether C's characters have a sign here. If so, the library's hashes take bytes over 127 for negative
/// numbers, as presets do.
pub const SIGNED_BYTES: bool = c_char::MIN != 0;

/// The program, compiled.
#[derive(Debug)]
pub struct Asker {
    folder: Folder,
    program: PathBuf,
}

/// What to do before keys are asked for, and what to ask.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    lines: String,
    count: usize,
}

impl Questions {
    fn line(&mut self, words: &[&str]) {
        self.lines.push_str(&words.join("\t"));
        self.lines.push('\n');
        self.count += 1;
    }

    /// Sets a behaviour, `NAME=VALUE` in libmemcached's own words: `KETAMA=1`, `HASH=MD5`.
    pub fn set(&mut self, call: &str) {
        let (name, value) = call.split_once('=').unwrap_or((call, ""));
        self.line(&["set", name, value]);
    }

    /// Makes a new client of a string of options: "ok", or "refused" and the client stays.
    pub fn options(&mut self, text: &str) {
        self.line(&["options", text]);
    }

    /// Sets the prefix of keys.
    pub fn prefix(&mut self, text: &str) {
        self.line(&["prefix", text]);
    }

    /// Adds a server with the ordinary call.
    pub fn server(&mut self, host: &str, port: u16, weight: u32) {
        self.line(&["server", host, &port.to_string(), &weight.to_string()]);
    }

    /// Adds a unix socket with its own call.
    pub fn socket(&mut self, path: &str, weight: u32) {
        self.line(&["socket", path, &weight.to_string()]);
    }

    /// Asks for the server of a key.
    pub fn key(&mut self, key: &[u8]) {
        self.line(&["key", &hex(key)]);
    }

    /// Asks for the hash of a key.
    pub fn value(&mut self, hash: &str, key: &[u8]) {
        self.line(&["value", hash, &hex(key)]);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Asker {
    /// Compiles the program with `cc`.
    ///
    /// # Panics
    ///
    /// If there is no compiler or no library, or the program does not compile without a warning.
    #[must_use]
    pub fn compile(name: &str) -> Self {
        let folder = Folder::new(&format!("libmemcached-{name}"));
        let source = folder.path().join("libmemcached.c");
        let program = folder.path().join("libmemcached");
        fs::write(&source, SOURCE).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let status = Command::new("cc")
            .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
            .args([&program, &source])
            .arg("-lmemcached")
            .status()
            .unwrap_or_else(|error| panic!("cc: {error}; `.ci/run live` installs it"));
        assert!(
            status.success(),
            "cc: {status}; `.ci/run live` installs libmemcached"
        );
        Self { folder, program }
    }

    /// Its answers, one a question; `None` if the library aborted.
    ///
    /// # Panics
    ///
    /// If the program cannot be run, fails without a signal, or leaves out an answer.
    #[must_use]
    pub fn ask(&self, questions: &Questions) -> Option<Vec<String>> {
        let path = self.folder.path().join("questions");
        let output = fs::write(&path, &questions.lines)
            .and_then(|()| File::open(&path))
            .and_then(|input| Command::new(&self.program).stdin(input).output())
            .unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        let complaint = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            // A signal, and so the library's assertion.
            None => return None,
            Some(code) => assert_eq!(code, 0, "{complaint}"),
        }
        let answers: Vec<String> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(String::from)
            .collect();
        assert_eq!(answers.len(), questions.count, "{complaint}");
        Some(answers)
    }

    /// The library's version.
    ///
    /// # Panics
    ///
    /// If it has none.
    #[must_use]
    pub fn version(&self) -> Version {
        let mut questions = Questions::default();
        questions.line(&["version"]);
        let answers = self.ask(&questions).unwrap_or_default();
        Version::find(&answers.join(" ")).unwrap_or_else(|| panic!("no version in {answers:?}"))
    }

    /// Whether this hash is compiled in.
    #[must_use]
    pub fn has_hash(&self, name: &str) -> bool {
        let mut questions = Questions::default();
        questions.set(&format!("HASH={name}"));
        self.ask(&questions) == Some(vec!["ok".into()])
    }

    /// Whether a ring may have more than [`SAFE_SERVERS`].
    #[must_use]
    pub fn has_large_rings(&self) -> bool {
        let mut questions = Questions::default();
        questions.set("KETAMA=1");
        for server in 0..=SAFE_SERVERS {
            questions.server(&format!("h{server}"), 1, 1);
        }
        self.ask(&questions).is_some()
    }
}
