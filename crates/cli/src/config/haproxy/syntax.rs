//! HAProxy's configuration language: a line is words.
//!
//! Blanks part words, `#` ends the line. Inside `'…'` all is as written; inside `"…"` variables are replaced,
//! `$NAME`, `${NAME}`, `${NAME-default}`, and `${NAME[*]}` for a word each; a backslash keeps a character from
//! what it would do, outside of `'…'`. Quotes may begin and end within a word.

use super::environment::Environment;

/// What a line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) words: Vec<String>,
    /// Why the words may be others for HAProxy, if so.
    pub(super) doubt: Option<String>,
}

/// Reads a line.
///
/// # Errors
///
/// What HAProxy refuses in it.
pub(super) fn words(text: &str, line: usize, environment: &Environment) -> Result<Words, String> {
    let mut reader = Reader {
        rest: text,
        line,
        environment,
        done: Vec::new(),
        word: Vec::new(),
        begun: false,
        doubt: None,
    };
    reader.read()?;
    let mut doubt = reader.doubt;
    let words = reader.done.into_iter().map(|word| {
        String::from_utf8(word).unwrap_or_else(|error| {
            let word = String::from_utf8_lossy(error.as_bytes()).into_owned();
            doubt = Some(format!("{word:?} is no UTF-8 text"));
            word
        })
    });
    Ok(Words {
        words: words.collect(),
        doubt,
    })
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    environment: &'a Environment,
    done: Vec<Vec<u8>>,
    word: Vec<u8>,
    /// Whether there is a word, be it empty.
    begun: bool,
    doubt: Option<String>,
}

/// What parts words in C.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), String> {
        let mut quote = None;
        while let Some(character) = self.next() {
            match (character, quote) {
                ('\'' | '"', None) => {
                    quote = Some(character);
                    self.begun = true;
                }
                (_, Some(open)) if character == open => quote = None,
                ('\\', None | Some('"')) => self.escaped(quote.is_some())?,
                ('$', Some('"')) => self.variable()?,
                ('#', None) => break,
                (blank, None) if is_blank(blank) => self.end_word(),
                _ => self.push(character),
            }
        }
        if let Some(open) = quote {
            return Err(format!("a {open} is not closed"));
        }
        self.end_word();
        Ok(())
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next();
        self.rest = characters.as_str();
        character
    }

    fn push(&mut self, character: char) {
        let mut buffer = [0; 4];
        self.word
            .extend(character.encode_utf8(&mut buffer).as_bytes());
        self.begun = true;
    }

    fn end_word(&mut self) {
        if std::mem::take(&mut self.begun) {
            self.done.push(std::mem::take(&mut self.word));
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self, in_quotes: bool) -> Result<(), String> {
        let mut characters = self.rest.chars();
        let escaped = match characters.next() {
            Some(character @ (' ' | '\\' | '#' | '"' | '\'')) => character,
            Some('$') if in_quotes => '$',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('x') => {
                let digits = self.rest.get(1..3).unwrap_or_default();
                let digits =
                    Some(digits).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                self.word
                    .push(byte.ok_or("\\x takes two hexadecimal digits")?);
                self.begun = true;
                self.rest = self.rest.get(3..).unwrap_or_default();
                return Ok(());
            }
            _ => {
                self.push('\\');
                return Ok(());
            }
        };
        self.push(escaped);
        self.rest = characters.as_str();
        Ok(())
    }

    /// What stands behind a `$` in double quotes.
    fn variable(&mut self) -> Result<(), String> {
        let braced = self.rest.strip_prefix('{');
        let text = braced.unwrap_or(self.rest);
        let pseudo = braced.and_then(|text| text.strip_prefix('.'));
        let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let begin = text.len() - pseudo.unwrap_or(text).len();
        let length = text[begin..]
            .find(|character| !is_name(character))
            .map_or(text.len(), |at| begin + at);
        let (name, behind) = text.split_at(length);
        if name[begin..].is_empty() || name[begin..].starts_with(|c: char| c.is_ascii_digit()) {
            return Err("no variable's name stands behind $ in double quotes: write \\$".into());
        }
        let (mut otherwise, mut several) = (None, false);
        self.rest = match braced {
            None => behind,
            Some(_) => {
                let (inner, behind) = behind
                    .split_once('}')
                    .ok_or_else(|| format!("the brace of ${{{name} is not closed"))?;
                let inner = inner.strip_prefix("[*]").map_or(inner, |rest| {
                    several = true;
                    rest
                });
                otherwise = inner.strip_prefix('-');
                if otherwise.is_none() && !inner.is_empty() {
                    return Err(format!(
                        "{inner:?} stands behind the variable {name}: write ${{{name}}}, or \
                         ${{{name}-default}}"
                    ));
                }
                behind
            }
        };
        let value = match name {
            ".LINE" => Some(self.line.to_string()),
            name => self.environment.get(name),
        };
        let value = value.or_else(|| otherwise.map(Into::into));
        if value.is_none() {
            self.doubt = Some(format!(
                "the variable {name} is not set: set it to what HAProxy gets"
            ));
        }
        for character in value.unwrap_or_default().chars() {
            if several && is_blank(character) {
                self.end_word();
            } else {
                self.push(character);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::environment::Environment;
    use super::{Words, words};

    fn read(text: &str) -> Result<Words, String> {
        let environment = Environment::new(|name| match name {
            "X" => Some("xval".into()),
            "Y" => Some("a b".into()),
            "EMPTY" => Some(String::new()),
            _ => None,
        });
        words(text, 7, &environment)
    }

    #[test]
    fn words_are_those_of_haproxy() {
        for (text, expected) in [
            ("  a b\tc \r", &["a", "b", "c"][..]),
            ("", &[]),
            ("# a", &[]),
            ("a foo#bar baz", &["a", "foo"]),
            (r"foo\#bar", &["foo#bar"]),
            ("'foo bar'baz", &["foo barbaz"]),
            (r#"foo"b c"d'e f'"#, &["foob cde f"]),
            (r"foo\ bar", &["foo bar"]),
            (r"foo\tbar\x41\x42", &["foo\tbarAB"]),
            (r"foo\qbar\", &[r"foo\qbar\"]),
            (r#"foo\"bar\'"#, &["foo\"bar'"]),
            (r"foo\$bar$X", &[r"foo\$bar$X"]),
            (
                r#""foo\$X" "foo$X" "foo$X-y""#,
                &["foo$X", "fooxval", "fooxval-y"],
            ),
            (r#""a\"b\'c\qd\x41\n""#, &["a\"b'c\\qdA\n"]),
            (r"'foo\x41$X\'", &[r"foo\x41$X\"]),
            (
                r#""${X}y" "${Z-def}y" "${Z-}y" "${X-def}y""#,
                &["xvaly", "defy", "y", "xvaly"],
            ),
            (r#""foo${Y}y" "foo${Y[*]}y""#, &["fooa by", "fooa", "by"]),
            (
                r#""${Z-a b}y" "${Z-$X}y" "${Z-a}b}""#,
                &["a by", "$Xy", "ab}"],
            ),
            (r#""" '' a"${EMPTY}""#, &["", "", "a"]),
            (r##"a"#b" "${.LINE}" ü"##, &["a#b", "7", "ü"]),
        ] {
            let read = read(text).unwrap();
            assert_eq!(read.words, expected, "{text}");
            assert_eq!(read.doubt, None, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        for (text, words, says) in [
            (r#""a$Z""#, "a", "the variable Z is not set"),
            (r#""a${Z}b""#, "ab", "the variable Z is not set"),
            (r#""${.FILE}""#, "", "the variable .FILE is not set"),
            (r"a\xff", "a\u{fffd}", "is no UTF-8 text"),
        ] {
            let read = read(text).unwrap();
            assert_eq!(read.words, [words], "{text}");
            let doubt = read.doubt.unwrap();
            assert!(doubt.contains(says), "{text}: {doubt}");
        }
    }

    #[test]
    fn what_haproxy_refuses_is_refused() {
        for (text, says) in [
            ("a 'b", "a ' is not closed"),
            ("a \"b", "a \" is not closed"),
            (r"a\xZZ", "two hexadecimal digits"),
            (r"a\x+1", "two hexadecimal digits"),
            (r"a\x4", "two hexadecimal digits"),
            (r#""a$""#, "no variable's name"),
            (r#""a$1""#, "no variable's name"),
            (r#""a$.X""#, "no variable's name"),
            (r#""${Z""#, "the brace of ${Z is not closed"),
            (r#""${Z?}""#, "stands behind the variable Z"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
