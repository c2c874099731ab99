//! [`Options`]: the language of options, read into [`Step`]s.

use std::collections::BTreeSet;
use std::path::Path;

use keyroute::{Node, NodeId, Weight};
use keyroute_interop::hash::MemcachedHash;
use keyroute_interop::libmemcached::KeyHash;

use super::super::text_of;
use super::client::{Distribution, Step};

/// Files that include one another deeper than this are taken for a circle.
const MAX_INCLUDES: usize = 16;

/// The longest namespace the library takes, in bytes.
const MAX_NAMESPACE: usize = 127;

/// Words that the library's grammar has for other things, so that no host is called so.
const KEYWORDS: [&str; 17] = [
    "consistent",
    "crc",
    "end",
    "false",
    "fnv1_32",
    "fnv1_64",
    "fnv1a_32",
    "fnv1a_64",
    "hsieh",
    "include",
    "jenkins",
    "md5",
    "modula",
    "murmur",
    "random",
    "reset",
    "true",
];

/// Options that change nothing of where a key goes.
const FLAGS: [&str; 9] = [
    "BINARY-PROTOCOL",
    "BUFFER-REQUESTS",
    "NOREPLY",
    "SUPPORT-CAS",
    "TCP-KEEPALIVE",
    "TCP-KEEPIDLE",
    "TCP-NODELAY",
    "USE-UDP",
    "VERIFY-KEY",
];

/// The same, with a number.
const NUMBERS: [&str; 12] = [
    "CONNECT-TIMEOUT",
    "IO-BYTES-WATERMARK",
    "IO-KEY-PREFETCH",
    "IO-MSG-WATERMARK",
    "POLL-TIMEOUT",
    "POOL-MAX",
    "POOL-MIN",
    "RCV-TIMEOUT",
    "RETRY-TIMEOUT",
    "SND-TIMEOUT",
    "SOCKET-RECV-SIZE",
    "SOCKET-SEND-SIZE",
];

/// Options as they are read.
#[derive(Default)]
pub(super) struct Options {
    pub(super) steps: Vec<Step>,
    pub(super) notes: Vec<String>,
    /// The ids of the servers among the steps.
    servers: BTreeSet<NodeId>,
}

impl Options {
    /// Reads options with one space between each two.
    pub(super) fn read(&mut self, text: &str, depth: usize) -> Result<(), String> {
        if text.is_empty() {
            return Err("there are no options: give --SERVER=HOST at least".into());
        }
        for option in words(text)? {
            if option.eq_ignore_ascii_case("END") {
                return Ok(());
            }
            self.option(option, depth)
                .map_err(|problem| format!("{option}: {problem}"))?;
        }
        Ok(())
    }

    fn option(&mut self, option: &str, depth: usize) -> Result<(), String> {
        if option.eq_ignore_ascii_case("RESET") {
            *self = Self::default();
            return Ok(());
        }
        if let Some((include, file)) = option.split_once(' ')
            && include.eq_ignore_ascii_case("INCLUDE")
        {
            return self.file(quoted(file)?, depth);
        }
        let Some(option) = option.strip_prefix("--") else {
            return Err("is no option: options begin with --".into());
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let name = name.to_ascii_uppercase();
        match (name.as_str(), value) {
            ("SERVER", Some(server)) => self.server(server),
            ("SOCKET", Some(path)) => self.socket(quoted(path)?),
            ("DISTRIBUTION", Some(value)) => self.distribution(value),
            ("HASH", Some(_)) if self.has(|step| matches!(step, Step::Hash(_))) => {
                Err("the hash can be set once".into())
            }
            ("HASH", Some(value)) => {
                self.steps.push(Step::Hash(hash(value)?));
                Ok(())
            }
            ("SORT-HOSTS", None) => {
                self.steps.push(Step::SortHosts);
                Ok(())
            }
            ("NAMESPACE", Some(_)) if self.has(|step| matches!(step, Step::Namespace(_))) => {
                Err("the namespace can be set once".into())
            }
            ("NAMESPACE", Some(value)) => self.namespace(value),
            ("HASH-WITH-NAMESPACE", None) => {
                self.steps.push(Step::HashNamespace);
                Ok(())
            }
            ("CONFIGURE-FILE", Some(file)) => self.file(quoted(file)?, depth),
            ("NUMBER-OF-REPLICAS", Some(_)) | ("RANDOMIZE-REPLICA-READ", None) => {
                self.notes.push(format!(
                    "--{option}: replicas go to the servers listed after the owner, which alone is shown"
                ));
                Ok(())
            }
            ("REMOVE-FAILED-SERVERS", Some(_)) => {
                self.notes.push(format!(
                    "--{option}: counts only while servers fail, and then moves their keys"
                ));
                Ok(())
            }
            (name, None) if FLAGS.contains(&name) => self.harmless(option),
            (name, Some(number)) if NUMBERS.contains(&name) => match number.parse::<u32>() {
                Ok(_) => self.harmless(option),
                Err(_) => Err(format!("{number:?} is no number")),
            },
            _ => Err("libmemcached has no such option, or not in this form".into()),
        }
    }

    fn has(&self, is: impl Fn(&Step) -> bool) -> bool {
        self.steps.iter().any(is)
    }

    fn harmless(&mut self, option: &str) -> Result<(), String> {
        self.notes
            .push(format!("--{option} changes no key's server"));
        Ok(())
    }

    /// The options of a file, a line as it were a string of them.
    fn file(&mut self, file: &str, depth: usize) -> Result<(), String> {
        if depth == MAX_INCLUDES {
            return Err(format!(
                "files include one another over {MAX_INCLUDES} deep"
            ));
        }
        let text = text_of(Path::new(file)).map_err(|error| error.to_string())?;
        for line in text.lines() {
            if !line.is_empty() && !line.starts_with('#') {
                self.read(line, depth + 1)?;
            }
        }
        Ok(())
    }

    /// `HOST[:PORT][/?WEIGHT]`.
    fn server(&mut self, text: &str) -> Result<(), String> {
        let (address, weight) = match text.split_once("/?") {
            Some((address, weight)) => (address, number(weight, "weight")?),
            None => (text, 1),
        };
        let (host, port) = match address.split_once(':') {
            Some((host, port)) => (host, Some(number(port, "port")?)),
            None => (address, None),
        };
        if !is_host(host) {
            return Err(format!(
                "{host:?} is no host to the library: 3 or more letters, digits, '.', '-' and '_', the \
                 first and last a letter or digit, not digits alone, and no word of its own"
            ));
        }
        let id = match port {
            Some(0) => format!("{host}:11211"),
            Some(port) if u16::try_from(port).is_err() => {
                return Err(format!("port {port}: 0 to 65535 are ports"));
            }
            _ => address.into(),
        };
        self.add(&id, weight)
    }

    fn socket(&mut self, path: &str) -> Result<(), String> {
        if !path.starts_with('/') {
            return Err(format!("{path:?} is no path from the root"));
        }
        if path.contains("/?") {
            self.notes.push(format!(
                "--SOCKET={path:?}: the library takes all of it for the path, and reads no weight here"
            ));
        }
        // Digits after a colon would be a port.
        let tail = path.rsplit_once(':').map_or("", |(_, tail)| tail);
        let ends_in_port = !tail.is_empty() && tail.bytes().all(|byte| byte.is_ascii_digit());
        let id = if ends_in_port {
            format!("{path}:0")
        } else {
            path.into()
        };
        self.add(&id, 1)
    }

    fn add(&mut self, id: &str, weight: u32) -> Result<(), String> {
        let node = Node::new(id).map_err(|error| error.to_string())?;
        if !self.servers.insert(node.id().clone()) {
            return Err("is listed twice: the library counts it twice, which no node can".into());
        }
        // To the library no weight is none.
        let weight = Weight::new(weight.max(1)).map_err(|error| error.to_string())?;
        self.steps.push(Step::Server(node.with_weight(weight)));
        Ok(())
    }

    /// `DISTRIBUTION[,HASH]`, whose hash the library stores and never asks.
    fn distribution(&mut self, text: &str) -> Result<(), String> {
        let (name, unused) = match text.split_once(',') {
            Some((name, unused)) => (name, Some(unused)),
            None => (text, None),
        };
        let distribution = match name.to_ascii_lowercase().as_str() {
            "modula" => Distribution::Modula,
            "consistent" => Distribution::Consistent,
            "random" => return Err("no key decides the server".into()),
            _ => return Err(format!("{name:?} is none of consistent, modula, random")),
        };
        if let Some(unused) = unused {
            hash(unused)?;
            self.notes.push(format!(
                "--DISTRIBUTION={text}: the library never asks this hash: keys are hashed by --HASH"
            ));
        }
        self.steps.push(Step::Distribution(distribution));
        Ok(())
    }

    fn namespace(&mut self, text: &str) -> Result<(), String> {
        let namespace = if text.starts_with('"') {
            quoted(text)?
        } else if is_host(text) {
            text
        } else {
            return Err(format!("put it in quotes: \"{text}\""));
        };
        if namespace.is_empty() || namespace.len() > MAX_NAMESPACE {
            return Err(format!(
                "{} bytes: 1 to {MAX_NAMESPACE} can be",
                namespace.len()
            ));
        }
        if !namespace.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("holds blanks, controls or letters beyond ASCII, which no key may".into());
        }
        self.steps.push(Step::Namespace(namespace.into()));
        Ok(())
    }
}

/// The options of a string: one space stands between two, and quotes may hold more. `INCLUDE` and its file are
/// one.
fn words(text: &str) -> Result<Vec<&str>, String> {
    let mut words: Vec<&str> = Vec::new();
    let (mut begin, mut in_quotes) = (0, false);
    for (at, byte) in text.bytes().enumerate().chain([(text.len(), b' ')]) {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b' ' if !in_quotes || at == text.len() => {
                let word = &text[begin..at];
                if word.is_empty() {
                    return Err("one space stands between options, and none around them".into());
                }
                if word.eq_ignore_ascii_case("INCLUDE") && at < text.len() {
                    continue;
                }
                words.push(word);
                begin = at + 1;
            }
            b'\t' | b'\r' | b'\n' if !in_quotes => {
                return Err("one space stands between options, no other blank".into());
            }
            _ => {}
        }
    }
    if in_quotes {
        return Err("a quote is not closed".into());
    }
    Ok(words)
}

fn quoted(text: &str) -> Result<&str, String> {
    text.strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .filter(|text| !text.is_empty() && !text.contains('"'))
        .ok_or_else(|| format!("{text}: write it in double quotes"))
}

fn number(text: &str, what: &str) -> Result<u32, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .ok_or_else(|| format!("{what} {text:?} is no number of 32 bits"))
}

fn is_host(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = |end: Option<&u8>| end.is_some_and(u8::is_ascii_alphanumeric);
    bytes.len() > 2
        && ends(bytes.first())
        && ends(bytes.last())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
        && !bytes.iter().all(u8::is_ascii_digit)
        && !KEYWORDS.contains(&text.to_ascii_lowercase().as_str())
}

fn hash(name: &str) -> Result<MemcachedHash, String> {
    let lower = name.to_ascii_lowercase();
    // Names of the preset that the language of options does not have.
    if ["default", "one_at_a_time", "murmur3"].contains(&lower.as_str()) {
        return Err(format!(
            "{name:?} is no hash here: md5, crc, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, murmur, jenkins"
        ));
    }
    KeyHash::named(&lower)
        .map(|hash| hash.hash_function())
        .map_err(|error| error.to_string())
}
