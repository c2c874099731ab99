use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

fn limits() -> Limits {
    Limits {
        bulk: 200,
        args: 8,
        command: 600,
        ..Limits::default()
    }
}

/// What the parser makes of bytes that come in these pieces.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    commands: Vec<Vec<Vec<u8>>>,
    error: Option<ProtocolError>,
    /// Bytes that no command was made of.
    left: usize,
}

/// Plays a connection: bytes are added behind, commands are taken from the front.
fn parse<'a>(limits: Limits, pieces: impl IntoIterator<Item = &'a [u8]>) -> Found {
    let mut parser = Parser::new(limits);
    let mut buffer = Vec::new();
    let mut commands = Vec::new();
    let mut error = None;
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            let read = parser.read(&mut buffer);
            for command in parser.commands() {
                assert!(!command.is_empty());
                let args = command.iter().map(|place| buffer[place.clone()].to_vec());
                commands.push(args.collect::<Vec<_>>());
            }
            let found = parser.len();
            buffer.drain(..parser.take());
            assert_eq!(parser.len(), 0);
            if let Err(found) = read {
                error = Some(found);
            }
            if found == 0 || error.is_some() {
                break;
            }
        }
        if error.is_some() {
            break;
        }
    }
    Found {
        commands,
        error,
        left: buffer.len(),
    }
}

/// In one piece, in two at every place, and byte by byte: always the same.
fn parse_all_ways(bytes: &[u8]) -> Found {
    let whole = parse(limits(), [bytes]);
    let same = |other: &Found| {
        assert_eq!(other.commands, whole.commands, "{}", bytes.escape_ascii());
        assert_eq!(other.error, whole.error, "{}", bytes.escape_ascii());
        if whole.error.is_none() {
            assert_eq!(other.left, whole.left);
        }
    };
    for at in 0..=bytes.len() {
        let (first, second) = bytes.split_at(at);
        same(&parse(limits(), [first, second]));
    }
    same(&parse(limits(), bytes.chunks(1)));
    whole
}

fn command(args: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", args.len()).into_bytes();
    for arg in args {
        bytes.extend(format!("${}\r\n", arg.len()).into_bytes());
        bytes.extend(arg);
        bytes.extend(b"\r\n");
    }
    bytes
}

fn words(commands: &[&[&str]]) -> Vec<Vec<Vec<u8>>> {
    let word = |word: &&str| word.as_bytes().to_vec();
    let command = |words: &&[&str]| words.iter().map(word).collect();
    commands.iter().map(command).collect()
}

#[test]
fn commands_are_found_however_they_come() {
    let bytes = b"*2\r\n$3\r\nGET\r\n$1\r\na\r\n*0\r\n*-1\r\n\r\nPING\r\n  \r\n*1\r\n$0\r\n\r\nset \"a b\" 'c'\nGET";
    let found = parse_all_ways(bytes);
    let expected = words(&[&["GET", "a"], &["PING"], &[""], &["set", "a b", "c"]]);
    assert_eq!(found.commands, expected);
    assert_eq!((found.error, found.left), (None, 3));
}

#[test]
fn bytes_that_are_no_commands_are_refused_behind_those_that_are() {
    let long = "a".repeat(201);
    for (bytes, error) in [
        ("*x\r\n".to_owned(), ProtocolError::ArrayLength),
        ("*\r\n".to_owned(), ProtocolError::ArrayLength),
        ("*9\r\n".to_owned(), ProtocolError::ArrayLength),
        (format!("*{}\r\n", u64::MAX), ProtocolError::ArrayLength),
        (format!("*{}", "1".repeat(70)), ProtocolError::ArrayHeader),
        ("*1\r\n+OK\r\n".to_owned(), ProtocolError::NoBulk(b'+')),
        (
            "*1\r\n*1\r\n$1\r\na\r\n".to_owned(),
            ProtocolError::NoBulk(b'*'),
        ),
        ("*1\r\n$-1\r\n".to_owned(), ProtocolError::BulkLength),
        ("*1\r\n$x\r\n".to_owned(), ProtocolError::BulkLength),
        ("*1\r\n$201\r\n".to_owned(), ProtocolError::BulkLength),
        (
            format!("*1\r\n$201\r\n{long}\r\n"),
            ProtocolError::BulkLength,
        ),
        (
            format!("*1\r\n${}\r\n", i64::MAX),
            ProtocolError::BulkLength,
        ),
        (
            format!("*1\r\n${}\r\n", u128::MAX),
            ProtocolError::BulkLength,
        ),
        (
            format!("*1\r\n${}", "1".repeat(70)),
            ProtocolError::BulkHeader,
        ),
        (
            format!("*1\r\n${}1\r\na\r\n", "0".repeat(70)),
            ProtocolError::BulkHeader,
        ),
        ("GET \"a\n".to_owned(), ProtocolError::Quotes),
    ] {
        let bytes = [b"PING\r\n", bytes.as_bytes()].concat();
        let found = parse_all_ways(&bytes);
        assert_eq!(found.error, Some(error), "{}", bytes.escape_ascii());
        assert_eq!(found.commands, words(&[&["PING"]]));
    }
}

#[test]
fn limits_are_reached_and_not_passed() {
    let of = |length: usize| vec![b'a'; length];
    let found = parse_all_ways(&command(&[of(200), of(200), of(150)]));
    assert_eq!((found.commands.len(), found.error), (1, None));
    let found = parse_all_ways(&command(&vec![of(1); 8]));
    assert_eq!((found.commands.len(), found.error), (1, None));
    let found = parse_all_ways(&command(&[of(200), of(200), of(200)]));
    assert_eq!(found.error, Some(ProtocolError::Command));
    // Room for commands one behind the other is not a matter of a command's.
    let many = command(&[of(150)]).repeat(8);
    assert_eq!(parse_all_ways(&many).commands.len(), 8);
}

#[test]
fn an_inline_command_is_as_long_as_it_may_be() {
    let limits = Limits::default();
    let fits = "a".repeat(INLINE - 1) + "\n";
    assert_eq!(parse(limits, [fits.as_bytes()]).commands.len(), 1);
    for bytes in ["a".repeat(INLINE + 1), "a".repeat(INLINE) + "\n"] {
        let found = parse(limits, [bytes.as_bytes()]);
        assert_eq!(found.error, Some(ProtocolError::Inline));
    }
}

#[test]
fn more_commands_than_are_found_at_once_wait() {
    let bytes = b"PING\r\n".repeat(COMMANDS + 1);
    let mut parser = Parser::new(limits());
    let mut buffer = bytes.clone();
    parser.read(&mut buffer).unwrap();
    assert_eq!(parser.len(), COMMANDS);
    assert_eq!(parser.take(), COMMANDS * 6);
    assert_eq!(parse(limits(), [&bytes[..]]).commands.len(), COMMANDS + 1);
}

/// A command that comes in many pieces is not read from its beginning each time.
#[test]
fn what_has_been_read_is_not_read_again() {
    let mut parser = Parser::new(Limits::default());
    let mut buffer = b"*3\r\n$1\r\na\r\n$1\r\nb\r\n$1".to_vec();
    parser.read(&mut buffer).unwrap();
    assert_eq!((parser.at, parser.missing, parser.args.len()), (18, 1, 2));
    assert_eq!(parser.take(), 0);
    buffer.extend(b"\r\nc\r\nPI");
    parser.read(&mut buffer).unwrap();
    assert_eq!((parser.len(), parser.take()), (1, 25));
    assert_eq!((parser.at, parser.begun), (0, 0));
}

fn args() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..=8)
}

/// Bytes that come near to be commands.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        args().prop_map(|args| command(&args)),
        Just(b"*2\r\n".to_vec()),
        Just(b"$3\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"get \"a\\x41\" b\r\n".to_vec()),
        prop::collection::vec(
            prop::sample::select(&b"*$-+0123456789\r\n\"'\\ a"[..]),
            0..12
        ),
        prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: RngSeed::Fixed(0x7265_7370),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_commands_come_out_as_they_were_sent(commands in prop::collection::vec(args(), 0..12)) {
        let bytes: Vec<u8> = commands.iter().flat_map(|args| command(args)).collect();
        let found = parse(limits(), bytes.chunks(7));
        prop_assert_eq!(&found, &parse(limits(), [&bytes[..]]));
        prop_assert_eq!(found.commands, commands);
        prop_assert_eq!((found.error, found.left), (None, 0));
    }

    #[test]
    fn pieces_make_no_difference_to_any_bytes(bytes in nearly()) {
        parse_all_ways(&bytes);
    }
}
