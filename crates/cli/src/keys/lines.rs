//! [`Lines`]: keys cut out of what a reader gives.

use std::io::{BufRead, BufReader, Read};
use std::mem;

use super::MAX_KEY_LEN;

/// Keys that end in one byte, each lent until the next is asked for.
///
/// A key that lies whole in the reader's buffer is lent from there: copying it costs as much as finding its
/// owner. One that goes on behind the buffer's end is put together in a buffer of its own.
pub(super) struct Lines {
    reader: BufReader<Box<dyn Read>>,
    end: u8,
    /// How much of the reader's buffer the last key took, its end included.
    lent: usize,
    across: Vec<u8>,
}

impl Lines {
    pub(super) fn new(reader: Box<dyn Read>, end: u8) -> Self {
        Self::with_capacity(1 << 16, reader, end)
    }

    fn with_capacity(capacity: usize, reader: Box<dyn Read>, end: u8) -> Self {
        Self {
            reader: BufReader::with_capacity(capacity, reader),
            end,
            lent: 0,
            across: Vec::new(),
        }
    }

    /// The next key, without its end, and without a carriage return before a line's end; `None` when all
    /// are read.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, String> {
        self.reader.consume(mem::take(&mut self.lent));
        let ended = match memchr::memchr(self.end, self.reader.buffer()) {
            Some(length) => {
                self.lent = length + 1;
                &self.reader.buffer()[..self.lent]
            }
            None if self.read_across()? => &self.across,
            None => return Ok(None),
        };
        let key = match ended {
            [line @ .., b'\r', b'\n'] if self.end == b'\n' => line,
            [key @ .., end] if *end == self.end => key,
            key => key,
        };
        if key.len() > MAX_KEY_LEN {
            return Err(format!("the key is over {MAX_KEY_LEN} bytes"));
        }
        Ok(Some(key))
    }

    /// Reads a key with its end into the buffer for such; false if there is none.
    fn read_across(&mut self) -> Result<bool, String> {
        self.across.clear();
        // Room for the longest key and its end, so that one more byte shows as too long.
        let mut limited = (&mut self.reader).take(MAX_KEY_LEN as u64 + 2);
        let read = limited
            .read_until(self.end, &mut self.across)
            .map_err(|error| error.to_string())?;
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut lines: Lines) -> Result<Vec<Vec<u8>>, String> {
        let mut all = Vec::new();
        while let Some(key) = lines.next()? {
            all.push(key.to_vec());
        }
        Ok(all)
    }

    #[test]
    fn keys_are_the_same_wherever_the_buffer_ends() {
        let text: &[u8] = b"a\n\nbcd\r\n\r\nef\rg\nh\r";
        let keys: [&[u8]; 6] = [b"a", b"", b"bcd", b"", b"ef\rg", b"h\r"];
        for capacity in 1..=text.len() + 1 {
            let lines = Lines::with_capacity(capacity, Box::new(text), b'\n');
            assert_eq!(all(lines).unwrap(), keys, "a buffer of {capacity} bytes");
        }
    }

    #[test]
    fn the_longest_key_is_read_and_one_byte_more_is_an_error() {
        for end in ["", "\n", "\r\n"] {
            let text = |length| {
                let text: Vec<u8> = [&*vec![b'x'; length], end.as_bytes()].concat();
                Lines::new(Box::new(std::io::Cursor::new(text)), b'\n')
            };
            assert_eq!(
                all(text(MAX_KEY_LEN)).unwrap()[0].len(),
                MAX_KEY_LEN,
                "{end:?}"
            );
            assert!(all(text(MAX_KEY_LEN + 1)).is_err(), "{end:?}");
        }
    }
}
