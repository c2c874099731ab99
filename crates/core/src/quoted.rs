//! [`Quoted`]: an id within the text of a description.

use core::fmt::{self, Write};

/// Shows a text in double quotes: `"` and `\` behind a `\`, control characters as `\0`, `\t`, `\n`, `\r` or by
/// their number as `\u{7f}`, all else as it is. So no two texts look alike, and an id ends where it seems to.
///
/// Descriptions are hashed, so this may not change with the compiler. `Debug` of a text does: what it
/// escapes follows the Unicode tables of the standard library. Which characters are controls Unicode has fixed
/// for good.
///
/// ```
/// use keyroute_core::Quoted;
///
/// assert_eq!(Quoted("cache-1\"").to_string(), r#""cache-1\"""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\0' => f.write_str("\\0")?,
                '\t' => f.write_str("\\t")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\0'..' ' | '\u{7f}'..='\u{9f}' => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn only_quotes_backslashes_and_controls_are_escaped() {
        for (text, quoted) in [
            ("", r#""""#),
            ("cache-1 'é' 日本 🦀", r#""cache-1 'é' 日本 🦀""#),
            ("a\"b\\", r#""a\"b\\""#),
            (
                "\0\t\n\r\u{1b}\u{7f}\u{9f}",
                r#""\0\t\n\r\u{1b}\u{7f}\u{9f}""#,
            ),
        ] {
            assert_eq!(Quoted(text).to_string(), quoted);
            // Fingerprints from before there was this type stand.
            assert_eq!(alloc::format!("{text:?}"), quoted);
        }
        // Marks, format characters and what is not assigned yet: here `Debug` and its tables decide otherwise.
        for text in [
            "\u{301}",
            "\u{200b}",
            "\u{202e}",
            "\u{e000}",
            "\u{378}",
            "\u{10ffff}",
        ] {
            assert_eq!(Quoted(text).to_string(), alloc::format!("\"{text}\""));
        }
    }
}
