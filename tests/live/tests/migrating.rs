//! Runs the commands of `docs/migrating.md` and compares what they print.
//!
//! `KEYROUTE_WRITE=1` writes what they print into the document instead.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use keyroute_live::{Folder, command};

/// A line of the document, or a command and what it prints.
enum Part {
    Text(String),
    Run {
        command: String,
        printed: String,
        /// Whether numbers depend on the moment.
        varies: bool,
    },
}

fn parts(document: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut block = None;
    for line in document.lines() {
        match (block, line) {
            (None, "```console") => block = Some(false),
            (None, "```console varies") => block = Some(true),
            (Some(_), "```") => block = None,
            (Some(varies), line) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    let (command, printed) = (command.to_owned(), String::new());
                    parts.push(Part::Run {
                        command,
                        printed,
                        varies,
                    });
                } else if let Some(Part::Run { printed, .. }) = parts.last_mut() {
                    writeln!(printed, "{line}").unwrap();
                } else {
                    panic!("a block begins without a command: {line}");
                }
                continue;
            }
            (None, _) => {}
        }
        parts.push(Part::Text(line.to_owned()));
    }
    parts
}

/// What it prints, as a terminal would show it.
fn run(command: &str, folder: &Path, path: &str) -> String {
    // Redis' client is terser when nobody reads along.
    let shown = command.replace("redis-cli -p", "redis-cli --no-raw -p");
    let shown = shown.replace(" | redis-cli --no-raw", " | redis-cli");
    let stays = command.contains(" & echo $!");
    if stays {
        let _ = fs::remove_file(folder.join("serve.log")); // what an earlier one said
    }
    let output = Command::new("bash")
        .args(["-c", &shown])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if stays {
        let began = Instant::now();
        while !fs::read_to_string(folder.join("serve.log")).is_ok_and(|it| it.contains("listening"))
        {
            assert!(began.elapsed() < Duration::from_secs(20), "{command}");
            sleep(Duration::from_millis(20));
        }
    }
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8(printed).unwrap();
    printed
        .lines()
        .fold(String::new(), |all, line| all + line.trim_end() + "\n")
}

fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if !character.is_ascii_digit() {
            out.push(character);
        } else if !out.ends_with('0') {
            out.push('0');
        }
    }
    out
}

/// Ends what a document that failed left running.
struct Servers<'a>(&'a Path);

impl Drop for Servers<'_> {
    fn drop(&mut self) {
        let end =
            "kill $(cat serve.pid); for n in 1 2 3 4; do redis-cli -p 700$n shutdown nosave; done";
        let _ = Command::new("bash")
            .args(["-c", end])
            .current_dir(self.0)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .status();
    }
}

#[test]
fn its_commands_print_what_it_says() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/migrating.md");
    let text = fs::read_to_string(&document).unwrap();
    let write = env::var_os("KEYROUTE_WRITE").is_some();
    // Whoever has servers of their own there keeps them.
    for port in [7001, 7002, 7003, 7004, 6380] {
        let free = TcpListener::bind(("127.0.0.1", port)).is_ok();
        assert!(free, "port {port} is taken: the document's servers need it");
    }
    let folder = Folder::new("migrating");
    let _servers = Servers(folder.path());
    let binary = command();
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        env::var("PATH").unwrap()
    );
    let (mut new, mut commands) = (String::new(), 0);
    for part in parts(&text) {
        match part {
            Part::Text(line) => writeln!(new, "{line}").unwrap(),
            Part::Run {
                command,
                printed,
                varies,
            } => {
                let found = run(&command, folder.path(), &path);
                let alike = if varies {
                    without_numbers(&found) == without_numbers(&printed)
                } else {
                    found == printed
                };
                assert!(write || alike, "$ {command}\n{found}\nand not\n{printed}");
                writeln!(new, "$ {command}").unwrap();
                new += if alike { &printed } else { &found };
                commands += 1;
            }
        }
    }
    if write {
        fs::write(&document, new).unwrap();
    } else {
        assert_eq!(new, text);
    }
    assert!(commands > 30);
}
