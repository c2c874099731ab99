//! Inline commands: a line of words, some of them quoted, as Redis splits it.

use std::ops::Range;

/// Splits a line in place, and gives the place of each word. Says whether all quotes are closed, each before a blank
/// or the end.
///
/// In double quotes `\n`, `\r`, `\t`, `\a`, `\b` and `\xHH` stand for bytes and any other byte behind a backslash for
/// itself; in single quotes only `\'` does. A word never takes more room than its text, so it lies in its place.
pub(super) fn split(line: &mut [u8], mut word: impl FnMut(Range<usize>)) -> bool {
    let mut from = 0;
    loop {
        while line.get(from).is_some_and(|&byte| is_blank(byte)) {
            from += 1;
        }
        if from == line.len() {
            return true;
        }
        let begin = from;
        let mut to = begin;
        loop {
            match line.get(from) {
                None => break,
                Some(&byte) if is_blank(byte) => break,
                Some(&quote @ (b'"' | b'\'')) => {
                    from += 1;
                    if !unquote(line, quote, &mut from, &mut to) {
                        return false;
                    }
                    // The quotes end the word.
                    if line.get(from).is_some_and(|&byte| !is_blank(byte)) {
                        return false;
                    }
                }
                Some(&byte) => {
                    line[to] = byte;
                    from += 1;
                    to += 1;
                }
            }
        }
        word(begin..to);
    }
}

/// Moves what stands up to the closing quote; says whether there is one.
fn unquote(line: &mut [u8], quote: u8, from: &mut usize, to: &mut usize) -> bool {
    loop {
        let rest = &line[*from..];
        let (byte, taken) = match (quote, rest) {
            (_, []) => return false,
            (b'"', [b'\\', b'x', high, low, ..]) if let Some(byte) = hex(*high, *low) => (byte, 4),
            (b'"', [b'\\', escaped, ..]) => (unescaped(*escaped), 2),
            (b'\'', [b'\\', b'\'', ..]) => (b'\'', 2),
            (_, [byte, ..]) if *byte == quote => {
                *from += 1;
                return true;
            }
            (_, [byte, ..]) => (*byte, 1),
        };
        line[*to] = byte;
        *from += taken;
        *to += 1;
    }
}

fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 7,
        b'b' => 8,
        other => other,
    }
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// As C's `isspace`; NUL ends nothing here, since lines have a length.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut line = line.to_vec();
        let mut places = Vec::new();
        let whole = split(&mut line, |place| places.push(place));
        let words = places.into_iter().map(|place| line[place].to_vec());
        whole.then(|| words.collect())
    }

    #[test]
    fn lines_are_split_as_redis_does() {
        for (line, expected) in [
            (&b""[..], Some(vec![])),
            (b" \t\r", Some(vec![])),
            (b"GET a\r", Some(vec![&b"GET"[..], b"a"])),
            (b"  a  b ", Some(vec![b"a", b"b"])),
            (b"\"a b\" c", Some(vec![b"a b", b"c"])),
            (
                br#""\x00\xfF\n\r\t\a\b\"\\\q""#,
                Some(vec![b"\0\xff\n\r\t\x07\x08\"\\q"]),
            ),
            (br#""\xg0""#, Some(vec![b"xg0"])),
            (br"'\'\n'", Some(vec![br"'\n"])),
            (b"\"\" ''", Some(vec![b"", b""])),
            (b"a\"b\"", Some(vec![b"ab"])),
            (b"\"a\"b", None),
            (b"'a'b", None),
            (b"\"a", None),
            (b"'a", None),
            (b"\"a\\", None),
            (b"\"a\\\"", None),
            (b"'a\\'", None),
        ] {
            let expected = expected.map(|words| words.iter().map(|it| it.to_vec()).collect());
            assert_eq!(words(line), expected, "{}", line.escape_ascii());
        }
    }
}
