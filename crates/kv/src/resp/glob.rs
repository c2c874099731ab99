//! [`matches`]: patterns of keys, as `SCAN` takes them.

/// Whether the text fits the pattern, by the rules of Redis: `*` any bytes, `?` one, `[a-z]` one of these, `[^a-z]` one
/// of no others, `\` the next as it is. A set that is not closed ends with the pattern.
///
/// Takes time in the product of both lengths at most: of several `*` the last alone is ever tried again.
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Behind the last star, and up to where in the text it reaches.
    let mut star = None;
    loop {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            star = Some((p, t));
            continue;
        }
        if t == text.len() {
            return p == pattern.len();
        }
        if let Some(next) = one(pattern, p, text[t]) {
            (p, t) = (next, t + 1);
            continue;
        }
        match star {
            None => return false,
            Some((behind, reached)) => {
                (p, t) = (behind, reached + 1);
                star = Some((behind, reached + 1));
            }
        }
    }
}

/// Where the pattern goes on if its next element takes this byte.
fn one(pattern: &[u8], at: usize, byte: u8) -> Option<usize> {
    match pattern[at..] {
        [] => None,
        [b'?', ..] => Some(at + 1),
        [b'[', ..] => {
            let (takes, next) = set(pattern, at + 1, byte);
            takes.then_some(next)
        }
        [b'\\', next, ..] => (next == byte).then_some(at + 2),
        [other, ..] => (other == byte).then_some(at + 1),
    }
}

/// Whether the set that begins here takes the byte, and where it ends.
fn set(pattern: &[u8], mut at: usize, byte: u8) -> (bool, usize) {
    let negated = pattern.get(at) == Some(&b'^');
    at += usize::from(negated);
    let mut takes = false;
    loop {
        match pattern[at..] {
            [] => break,
            [b']', ..] => {
                at += 1;
                break;
            }
            [b'\\', next, ..] => {
                takes |= next == byte;
                at += 2;
            }
            [low, b'-', high, ..] => {
                takes |= (low.min(high)..=low.max(high)).contains(&byte);
                at += 3;
            }
            [other, ..] => {
                takes |= other == byte;
                at += 1;
            }
        }
    }
    (takes != negated, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_redis() {
        for (pattern, fits, does_not) in [
            ("", &[""][..], &["a"][..]),
            ("*", &["", "a", "abc"], &[]),
            ("a", &["a"], &["", "b", "aa"]),
            ("h?llo", &["hello", "hallo"], &["hllo", "heello"]),
            ("h*llo", &["hllo", "heeeello"], &["hell", "hlloo"]),
            ("h[ae]llo", &["hello", "hallo"], &["hillo"]),
            ("h[^e]llo", &["hallo", "hbllo"], &["hello"]),
            ("h[a-b]llo", &["hallo", "hbllo"], &["hcllo"]),
            ("h[b-a]llo", &["hallo", "hbllo"], &["hcllo"]),
            ("\\*", &["*"], &["a", ""]),
            ("[\\]]", &["]"], &["\\"]),
            ("[a", &["a"], &["b", "["]),
            ("a\\", &["a\\"], &["a"]),
            ("*a*b*c", &["abc", "xaxbxc", "abcabc"], &["ab", "acb"]),
            ("**", &["", "x"], &[]),
            ("a*", &["a", "ab"], &["", "ba"]),
        ] {
            for text in fits {
                assert!(
                    matches(pattern.as_bytes(), text.as_bytes()),
                    "{pattern} {text}"
                );
            }
            for text in does_not {
                assert!(
                    !matches(pattern.as_bytes(), text.as_bytes()),
                    "{pattern} {text}"
                );
            }
        }
    }

    #[test]
    fn many_stars_take_little_time() {
        let pattern = "a*".repeat(10_000);
        let text = "a".repeat(20_000);
        assert!(matches(pattern.as_bytes(), text.as_bytes()));
        assert!(!matches((pattern + "b").as_bytes(), text.as_bytes()));
    }
}
