//! [`Command`]: which commands there are, and what each asks for.

use std::ops::Range;

use super::answer::Refusal;

/// A command that the server knows.
#[derive(Debug)]
pub(super) struct Listing {
    /// In small letters.
    pub(super) name: &'static str,
    /// How many arguments, the name among them; a negative number is the fewest.
    pub(super) arity: i64,
    pub(super) flags: &'static [&'static str],
    /// Where keys are: the first, the last, and the step between two, as `COMMAND` says it.
    pub(super) keys: [i64; 3],
    pub(super) summary: &'static str,
    pub(super) kind: Kind,
}

/// Who handles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Get,
    MGet,
    Exists,
    Set,
    MSet,
    Del,
    Ttl,
    PTtl,
    Scan,
    DbSize,
    Ping,
    Echo,
    Select,
    Quit,
    Hello,
    Client,
    Config,
    Command,
    Info,
    Keyroute,
}

const fn listing(
    name: &'static str,
    kind: Kind,
    arity: i64,
    flags: &'static [&'static str],
    keys: [i64; 3],
    summary: &'static str,
) -> Listing {
    Listing {
        name,
        arity,
        flags,
        keys,
        summary,
        kind,
    }
}

const READ: &[&str] = &["readonly"];
const WRITE: &[&str] = &["write"];
const FAST: &[&str] = &["fast"];
const ADMIN: &[&str] = &["admin"];
const NO_KEYS: [i64; 3] = [0, 0, 0];
const ONE_KEY: [i64; 3] = [1, 1, 1];
const ALL_KEYS: [i64; 3] = [1, -1, 1];

/// All commands; those that come most often first.
#[rustfmt::skip]
pub(super) static COMMANDS: [Listing; 20] = [
    listing("get", Kind::Get, 2, READ, ONE_KEY, "The value of a key"),
    listing("set", Kind::Set, -3, WRITE, ONE_KEY, "Gives a key a value: SET key value [EX s | PX ms | EXAT s | PXAT ms]"),
    listing("mget", Kind::MGet, -2, READ, ALL_KEYS, "The values of keys"),
    listing("mset", Kind::MSet, -3, WRITE, [1, -1, 2], "Gives keys values, each by itself"),
    listing("del", Kind::Del, -2, WRITE, ALL_KEYS, "Deletes keys; says how many there were"),
    listing("exists", Kind::Exists, -2, READ, ALL_KEYS, "How many of these keys there are"),
    listing("ttl", Kind::Ttl, 2, READ, ONE_KEY, "In how many seconds a key ends"),
    listing("pttl", Kind::PTtl, 2, READ, ONE_KEY, "In how many milliseconds a key ends"),
    listing("scan", Kind::Scan, -2, READ, NO_KEYS, "Lists keys: SCAN cursor [MATCH pattern] [COUNT n]"),
    listing("dbsize", Kind::DbSize, 1, READ, NO_KEYS, "How many keys there are, about"),
    listing("ping", Kind::Ping, -1, FAST, NO_KEYS, "PONG, or its argument"),
    listing("echo", Kind::Echo, 2, FAST, NO_KEYS, "Its argument"),
    listing("select", Kind::Select, 2, FAST, NO_KEYS, "There is one database, 0"),
    listing("quit", Kind::Quit, -1, FAST, NO_KEYS, "Ends the connection"),
    listing("hello", Kind::Hello, -1, FAST, NO_KEYS, "Agrees on RESP2, the one protocol"),
    listing("client", Kind::Client, -2, FAST, NO_KEYS, "CLIENT ID | GETNAME | SETNAME name | SETINFO attribute value"),
    listing("config", Kind::Config, -2, ADMIN, NO_KEYS, "CONFIG GET pattern: save and appendonly"),
    listing("command", Kind::Command, -1, FAST, NO_KEYS, "COMMAND [COUNT | DOCS [name …] | INFO [name …] | LIST]"),
    listing("info", Kind::Info, -1, FAST, NO_KEYS, "The server's state: INFO [section …]"),
    listing("keyroute", Kind::Keyroute, -2, ADMIN, NO_KEYS, "The nodes and their changes: KEYROUTE HELP"),
];

/// The longest name that is looked up.
const LONGEST: usize = 8;

/// The command of this name, in letters of any case.
pub(super) fn find(name: &[u8]) -> Option<&'static Listing> {
    if name.len() > LONGEST {
        return None;
    }
    COMMANDS
        .iter()
        .find(|it| it.name.as_bytes().eq_ignore_ascii_case(name))
}

/// The arguments of one command, behind its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Args<'a> {
    buffer: &'a [u8],
    places: &'a [Range<usize>],
}

impl<'a> Args<'a> {
    /// Arguments at these places in the buffer.
    pub(super) fn new(buffer: &'a [u8], places: &'a [Range<usize>]) -> Self {
        Self { buffer, places }
    }

    pub(super) fn len(self) -> usize {
        self.places.len()
    }

    pub(super) fn get(self, number: usize) -> Option<&'a [u8]> {
        self.places
            .get(number)
            .map(|place| &self.buffer[place.clone()])
    }

    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let Self { buffer, places } = self;
        places.iter().map(move |place| &buffer[place.clone()])
    }

    /// Without the first so many.
    pub(super) fn behind(self, number: usize) -> Self {
        let places = self.places.get(number..).unwrap_or_default();
        Self { places, ..self }
    }
}

/// A command, and its arguments behind its name.
pub(super) type Parsed<'a> = (&'static Listing, Args<'a>);

/// Reads a command, its name first.
pub(super) fn parse(args: Args<'_>) -> Result<Parsed<'_>, Refusal> {
    let name = args.get(0).unwrap_or_default();
    let Some(listing) = find(name) else {
        if [&b"POST"[..], b"Host:"]
            .iter()
            .any(|it| name.eq_ignore_ascii_case(it))
        {
            return Err(Refusal::HTTP);
        }
        return Err(Refusal::unknown(args));
    };
    let given = i64::try_from(args.len()).unwrap_or(i64::MAX);
    let fits = if listing.arity < 0 {
        given >= -listing.arity
    } else {
        given == listing.arity
    };
    let pairs = listing.kind != Kind::MSet || args.len() % 2 == 1;
    if fits && pairs {
        Ok((listing, args.behind(1)))
    } else {
        Err(Refusal::arity(listing.name))
    }
}

/// A number as Redis reads one: digits without a plus or needless zeros, perhaps with a minus before.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let number: i64 = str::from_utf8(text).ok()?.parse().ok()?;
    let odd = matches!(text, [b'+', ..] | [b'-', b'0', ..] | [b'0', _, ..]);
    (!odd).then_some(number)
}

/// When a key ends that was `SET` with these options, in milliseconds since 1970.
pub(super) fn expiry(options: Args<'_>, now: u64) -> Result<Option<u64>, Refusal> {
    let mut end = None;
    let mut at = 0;
    while let Some(option) = options.get(at) {
        let is = |name: &str| option.eq_ignore_ascii_case(name.as_bytes());
        let unsupported = ["NX", "XX", "GET", "KEEPTTL", "IFEQ", "IFNE"];
        if let Some(name) = unsupported.into_iter().find(|name| is(name)) {
            return Err(Refusal::set_option(name));
        }
        // How many milliseconds a unit has, and from when on they are counted.
        let (unit, from) = match () {
            () if is("EX") => (1000, now),
            () if is("PX") => (1, now),
            () if is("EXAT") => (1000, 0),
            () if is("PXAT") => (1, 0),
            () => return Err(Refusal::SYNTAX),
        };
        let Some(amount) = options.get(at + 1) else {
            return Err(Refusal::SYNTAX);
        };
        if end.is_some() {
            return Err(Refusal::SYNTAX);
        }
        let amount = number(amount).ok_or(Refusal::NO_NUMBER)?;
        let amount = u64::try_from(amount).ok().filter(|&amount| amount > 0);
        let time = amount.and_then(|amount| amount.checked_mul(unit)?.checked_add(from));
        // As far as a signed number of milliseconds goes, as in Redis.
        let time = time.filter(|&time| i64::try_from(time).is_ok());
        end = Some(time.ok_or(Refusal::EXPIRE_TIME)?);
        at += 2;
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_words<T>(line: &str, ask: impl FnOnce(Args<'_>) -> T) -> T {
        let mut places = Vec::new();
        let mut at = 0;
        for word in line.split(' ') {
            places.push(at..at + word.len());
            at += word.len() + 1;
        }
        if line.is_empty() {
            places.clear();
        }
        ask(Args::new(line.as_bytes(), &places))
    }

    #[test]
    fn names_are_found_in_any_case_and_none_is_too_long_to_be() {
        for listing in &COMMANDS {
            assert!(listing.name.len() <= LONGEST, "{}", listing.name);
            let found = find(listing.name.to_uppercase().as_bytes()).map(|it| it.kind);
            assert_eq!(found, Some(listing.kind));
        }
        assert!(find(b"").is_none() && find(b"gett").is_none());
    }

    #[test]
    fn numbers_of_arguments_are_checked() {
        for (line, fits) in [
            ("get a", true),
            ("get", false),
            ("get a b", false),
            ("mset a b", true),
            ("mset a b c", false),
            ("mset a b c d", true),
            ("ping", true),
            ("dbsize x", false),
        ] {
            assert_eq!(with_words(line, |args| parse(args).is_ok()), fits, "{line}");
        }
    }

    #[test]
    fn numbers_are_those_of_redis() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"-12"), Some(-12));
        for text in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            "-0",
            "1 ",
            "9223372036854775808",
            "x",
        ] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn ends_of_keys_are_read() {
        let now = 5_000;
        for (line, expected) in [
            ("", Ok(None)),
            ("EX 2", Ok(Some(7_000))),
            ("px 2", Ok(Some(5_002))),
            ("EXAT 9", Ok(Some(9_000))),
            ("pxat 9", Ok(Some(9))),
            ("EX", Err(Refusal::SYNTAX)),
            ("EX 1 PX 1", Err(Refusal::SYNTAX)),
            ("EX 0", Err(Refusal::EXPIRE_TIME)),
            ("EX -1", Err(Refusal::EXPIRE_TIME)),
            ("EX 9223372036854775807", Err(Refusal::EXPIRE_TIME)),
            ("PX 9223372036854775807", Err(Refusal::EXPIRE_TIME)),
            ("PXAT 9223372036854775807", Ok(Some(i64::MAX as u64))),
            ("EX 1.5", Err(Refusal::NO_NUMBER)),
            ("NX", Err(Refusal::set_option("NX"))),
            ("EX 1 keepttl", Err(Refusal::set_option("KEEPTTL"))),
            ("FOO", Err(Refusal::SYNTAX)),
        ] {
            assert_eq!(
                with_words(line, |args| expiry(args, now)),
                expected,
                "{line}"
            );
        }
    }
}
