//! nginx's configuration language: words, `;`, and blocks in braces.
//!
//! Words end at blanks, `;` and `{`, or are quoted; a backslash keeps the next character from ending them, and
//! goes itself before a quote or a backslash. `#` begins a comment where a word could begin. Variables stay
//! as written. No reader of this language is kept up to date in Rust, and quotes and backslashes decide the names of
//! servers; so it is written here, whole.

use std::iter::Peekable;
use std::str::Chars;

/// The deepest that blocks may nest, for a bound on recursion.
const MAX_DEPTH: usize = 64;

/// A directive: its words, the name first, and its block if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) words: Vec<String>,
    pub(super) block: Option<Vec<Directive>>,
    /// The line it begins in, from 1.
    pub(super) line: usize,
}

impl Directive {
    /// The first word.
    pub(super) fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The words after the first.
    pub(super) fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// Reads a file's text.
///
/// # Errors
///
/// What is wrong, and in which line.
pub(super) fn parse(text: &str) -> Result<Vec<Directive>, String> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        line: 1,
    };
    // The blocks that are open, the file itself outermost; each but the first belongs to a directive.
    let mut open: Vec<(Directive, Vec<Directive>)> = Vec::new();
    let mut block = Vec::new();
    loop {
        let (words, line, end) = reader.statement()?;
        let unexpected = |what: &str| Err(format!("line {line}: unexpected {what}"));
        match (end, words.is_empty()) {
            (End::File, true) if open.is_empty() => return Ok(block),
            (End::File, true) => {
                let opened = open.last().map_or(0, |(directive, _)| directive.line);
                return Err(format!(
                    "the block of line {opened} is not closed with '}}'"
                ));
            }
            (End::File, false) => return unexpected("end of the file: ';' or '{' is missing"),
            (End::Semicolon, true) => return unexpected("';'"),
            (End::Open, true) => return unexpected("'{'"),
            (End::Close, false) => return unexpected("'}': ';' is missing"),
            (End::Semicolon, false) => block.push(Directive {
                words,
                block: None,
                line,
            }),
            (End::Open, false) => {
                if open.len() == MAX_DEPTH {
                    return Err(format!("line {line}: blocks nest deeper than {MAX_DEPTH}"));
                }
                let mut directive = Directive {
                    words,
                    block: None,
                    line,
                };
                if directive.name().ends_with("_by_lua_block") {
                    reader.skip_lua()?;
                    directive.block = Some(Vec::new());
                    block.push(directive);
                } else {
                    open.push((directive, std::mem::take(&mut block)));
                }
            }
            (End::Close, true) => match open.pop() {
                Some((mut directive, outer)) => {
                    directive.block = Some(std::mem::replace(&mut block, outer));
                    block.push(directive);
                }
                None => return unexpected("'}'"),
            },
        }
    }
}

/// What ended a statement.
#[derive(Clone, Copy)]
enum End {
    Semicolon,
    Open,
    Close,
    File,
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let character = self.rest.next();
        if character == Some('\n') {
            self.line += 1;
        }
        character
    }

    /// The words up to what ends them, and the line of the first.
    fn statement(&mut self) -> Result<(Vec<String>, usize, End), String> {
        let mut words = Vec::new();
        let mut line = self.line;
        loop {
            let end = match self.rest.peek() {
                None => End::File,
                Some(';') => End::Semicolon,
                Some('{') => End::Open,
                Some('}') => End::Close,
                Some(' ' | '\t' | '\r' | '\n') => {
                    self.next();
                    continue;
                }
                Some('#') => {
                    while self.next().is_some_and(|character| character != '\n') {}
                    continue;
                }
                Some(&first) => {
                    if words.is_empty() {
                        line = self.line;
                    }
                    words.push(match first {
                        '"' | '\'' => self.quoted()?,
                        _ => self.bare(),
                    });
                    continue;
                }
            };
            if words.is_empty() {
                line = self.line;
            }
            self.next();
            return Ok((words, line, end));
        }
    }

    /// A word in quotes, behind which a word must end.
    fn quoted(&mut self) -> Result<String, String> {
        let line = self.line;
        let quote = self.next();
        let mut word = String::new();
        loop {
            match self.next() {
                None => return Err(format!("line {line}: a quote is not closed")),
                closing if closing == quote => break,
                Some('\\') => self.escaped(&mut word),
                Some(character) => word.push(character),
            }
        }
        match self.rest.peek() {
            None | Some(' ' | '\t' | '\r' | '\n' | ';' | '{' | ')') => Ok(word),
            Some(other) => Err(format!(
                "line {}: unexpected {other:?} behind a quoted word",
                self.line
            )),
        }
    }

    /// A word that ends where a blank, `;` or `{` is. `${` begins the name of a variable, not a block.
    fn bare(&mut self) -> String {
        let mut word = String::new();
        let mut variable = false;
        while let Some(&character) = self.rest.peek() {
            match character {
                ' ' | '\t' | '\r' | '\n' | ';' => break,
                '{' if !variable => break,
                _ => {}
            }
            self.next();
            variable = character == '$';
            match character {
                '\\' => self.escaped(&mut word),
                _ => word.push(character),
            }
        }
        word
    }

    /// What stands behind a backslash.
    fn escaped(&mut self, word: &mut String) {
        match self.next() {
            Some(character @ ('"' | '\'' | '\\')) => word.push(character),
            Some('t') => word.push('\t'),
            Some('r') => word.push('\r'),
            Some('n') => word.push('\n'),
            Some(character) => {
                word.push('\\');
                word.push(character);
            }
            None => word.push('\\'),
        }
    }

    /// Passes over a block in Lua, whose `{` is read: braces outside of its strings and comments count.
    fn skip_lua(&mut self) -> Result<(), String> {
        let line = self.line;
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                None => {
                    return Err(format!(
                        "line {line}: a block in Lua is not closed with '}}'"
                    ));
                }
                Some('{') => depth += 1,
                Some('}') => depth -= 1,
                Some('-') if self.rest.peek() == Some(&'-') => {
                    while self.next().is_some_and(|character| character != '\n') {}
                }
                quote @ Some('"' | '\'') => loop {
                    match self.next() {
                        Some('\\') => drop(self.next()),
                        character if character == quote || character.is_none() => break,
                        _ => {}
                    }
                },
                Some(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Directive, parse};

    fn words(text: &str) -> Vec<String> {
        let directives = parse(text).unwrap();
        assert_eq!(directives.len(), 1, "{directives:?}");
        directives.into_iter().next().unwrap().words
    }

    #[test]
    fn words_end_as_in_nginx() {
        for (text, expected) in [
            ("a b;", vec!["a", "b"]),
            ("a\tb\r\n c ;", vec!["a", "b", "c"]),
            ("a#b # c;\n d;", vec!["a#b", "d"]),
            ("a 'b c' \"d;{}#\";", vec!["a", "b c", "d;{}#"]),
            (r#"a "b\"c" 'd\'e' f\\g;"#, vec!["a", "b\"c", "d'e", "f\\g"]),
            (
                r"a b\ c d\;e \$x \t;",
                vec!["a", r"b\ c", r"d\;e", r"\$x", "\t"],
            ),
            ("a ${b}c $d;", vec!["a", "${b}c", "$d"]),
            ("a b\"c;", vec!["a", "b\"c"]),
            ("a '';", vec!["a", ""]),
            ("a ü;", vec!["a", "ü"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn blocks_nest_and_lines_count() {
        let directives = parse("a {\n b;\n c d{e;}\n}\nf;").unwrap();
        let simple = |word: &str, line| Directive {
            words: vec![word.into()],
            block: None,
            line,
        };
        let inner = Directive {
            words: vec!["c".into(), "d".into()],
            block: Some(vec![simple("e", 3)]),
            line: 3,
        };
        let outer = Directive {
            block: Some(vec![simple("b", 2), inner]),
            ..simple("a", 1)
        };
        assert_eq!(directives, [outer, simple("f", 5)]);
    }

    #[test]
    fn lua_is_passed_over() {
        let lua = "a_by_lua_block { local t = { '}', \"}\\\"}\" } -- }\n }\nb;";
        let directives = parse(lua).unwrap();
        let names: Vec<&str> = directives.iter().map(Directive::name).collect();
        assert_eq!(names, ["a_by_lua_block", "b"]);
    }

    #[test]
    fn what_nginx_refuses_is_refused() {
        let deep = "a{".repeat(65);
        for (text, says) in [
            ("a", "line 1: unexpected end of the file"),
            ("\na {\n b;", "the block of line 2 is not closed"),
            ("a;\n;", "line 2: unexpected ';'"),
            ("{", "line 1: unexpected '{'"),
            ("a { b }", "line 1: unexpected '}': ';' is missing"),
            ("}", "line 1: unexpected '}'"),
            ("a \"b\"c;", "line 1: unexpected 'c' behind a quoted word"),
            ("a \n'b;", "line 2: a quote is not closed"),
            ("a_by_lua_block {", "a block in Lua is not closed"),
            (&deep, "blocks nest deeper than 64"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
