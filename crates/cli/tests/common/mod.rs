//! Runs the command as a user does.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test code, of which each test file compiles its own copy and uses a part"
)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// The output of a run that must have come to this code.
    pub(crate) fn with_code(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        String::from_utf8(self.stdout).unwrap()
    }

    /// The output of a run that must have gone well.
    pub(crate) fn ok(self) -> String {
        self.with_code(0)
    }

    /// The message of a run that must have been refused.
    pub(crate) fn refused(self) -> String {
        assert_eq!(self.code, 2, "{self:?}");
        assert!(self.stdout.is_empty(), "{self:?}");
        self.stderr
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The command, ready to run.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyroute"));
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs with these arguments, split at spaces.
pub(crate) fn keyroute(args: &str) -> Run {
    let args: Vec<&str> = args.split_whitespace().collect();
    with_args(&args)
}

/// Runs with these arguments.
pub(crate) fn with_args(args: &[&str]) -> Run {
    command(args).output().unwrap().into()
}

/// Runs with these arguments, split at spaces, and this standard input.
pub(crate) fn keyroute_on(args: &str, input: &[u8]) -> Run {
    let args: Vec<&str> = args.split_whitespace().collect();
    let mut child = command(&args).stdin(Stdio::piped()).spawn().unwrap();
    // All inputs here fit a pipe, so nobody waits for anybody. A refusal may not read them.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap().into()
}

/// A path for this test alone.
pub(crate) fn path(name: &str) -> PathBuf {
    let test = std::thread::current();
    let test = test.name().unwrap_or("main").replace("::", "-");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    let folder = folder.join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// A file of this content, for this test alone.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = path(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().into()
}
