//! [`Parser`]: finds commands in the bytes that a client has sent so far.

use std::ops::Range;

use redis_protocol::resp2::decode::decode_range;
use redis_protocol::resp2::types::RangeFrame;
use thiserror::Error;

use super::Limits;
use super::inline;

/// The longest first line of an array or of a bulk string, and more than any number needs.
const HEADER: usize = 64;
/// The longest inline command, as in Redis.
const INLINE: usize = 64 << 10;
/// The most commands found at once. What is behind them waits in the buffer.
const COMMANDS: usize = 1024;

/// Why the bytes are no commands; the texts are those of Redis. Nothing behind them can be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum ProtocolError {
    #[error("Protocol error: too big mbulk count string")]
    ArrayHeader,
    #[error("Protocol error: invalid multibulk length")]
    ArrayLength,
    #[error("Protocol error: expected '$', got '{}'", .0.escape_ascii())]
    NoBulk(u8),
    #[error("Protocol error: too big bulk count string")]
    BulkHeader,
    #[error("Protocol error: invalid bulk length")]
    BulkLength,
    #[error("Protocol error: too big request")]
    Command,
    #[error("Protocol error: too big inline request")]
    Inline,
    #[error("Protocol error: unbalanced quotes in request")]
    Quotes,
}

/// Finds commands in a buffer to whose end bytes are added.
///
/// It goes on where it was, so that a command that comes in a thousand pieces is read once. Arguments are places in the
/// buffer. Each bulk string is read by the codec of `redis-protocol`. The array around them is not: that codec reads an
/// incomplete one from its beginning each time, and arrays within arrays as deep as the stack.
#[derive(Debug)]
pub(super) struct Parser {
    limits: Limits,
    /// Of all commands, and then of the one that has begun.
    args: Vec<Range<usize>>,
    /// Where in `args` each command ends.
    ends: Vec<usize>,
    /// How far the buffer has been read.
    at: usize,
    /// Where the command that has begun begins, or the next.
    begun: usize,
    /// How many arguments are still to come of the one that has begun.
    missing: usize,
}

impl Parser {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            args: Vec::new(),
            ends: Vec::new(),
            at: 0,
            begun: 0,
            missing: 0,
        }
    }

    /// Reads on in the buffer. An error is of what comes behind the commands that were found; then there is no next
    /// time.
    ///
    /// Inline commands are rewritten where they lie: quotes and escapes go.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<(), ProtocolError> {
        while self.ends.len() < COMMANDS {
            let went_on = match (self.missing, buffer.get(self.at)) {
                (_, None) => false,
                (0, Some(b'*')) => self.array(buffer)?,
                (0, Some(_)) => self.line(buffer)?,
                (_, Some(b'$')) => self.bulk(buffer)?,
                (_, Some(&other)) => return Err(ProtocolError::NoBulk(other)),
            };
            if !went_on {
                if buffer.len() - self.begun > self.limits.command {
                    return Err(ProtocolError::Command);
                }
                break;
            }
        }
        Ok(())
    }

    /// How many commands there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The arguments of each command, as places in the buffer; never none.
    pub(super) fn commands(&self) -> impl Iterator<Item = &[Range<usize>]> {
        let begins = std::iter::once(&0).chain(&self.ends);
        let args = begins.zip(&self.ends);
        args.map(|(&begin, &end)| &self.args[begin..end])
    }

    /// Forgets the commands that were found; says how many bytes of the buffer are to go with them.
    pub(super) fn take(&mut self) -> usize {
        let gone = self.begun;
        let args = self.ends.last().copied().unwrap_or(0);
        self.args.drain(..args);
        self.ends.clear();
        for arg in &mut self.args {
            *arg = arg.start - gone..arg.end - gone;
        }
        if self.args.is_empty() {
            self.args.shrink_to(4 * COMMANDS);
        }
        self.at -= gone;
        self.begun = 0;
        gone
    }

    /// `*3\r\n`: so many bulk strings come.
    fn array(&mut self, buffer: &[u8]) -> Result<bool, ProtocolError> {
        let rest = &buffer[self.at..];
        let Some(length) = header(rest).map_err(|()| ProtocolError::ArrayHeader)? else {
            return Ok(false);
        };
        let count = length.count.ok_or(ProtocolError::ArrayLength)?;
        self.at += length.bytes;
        // Of none or fewer Redis takes no notice.
        self.missing = usize::try_from(count.max(0)).map_err(|_| ProtocolError::ArrayLength)?;
        if self.missing > self.limits.args {
            return Err(ProtocolError::ArrayLength);
        }
        if self.missing == 0 {
            self.begun = self.at;
        }
        Ok(true)
    }

    /// `$3\r\nGET\r\n`.
    fn bulk(&mut self, buffer: &[u8]) -> Result<bool, ProtocolError> {
        let rest = &buffer[self.at..];
        match decode_range(rest) {
            Ok(Some((RangeFrame::BulkString((begin, end)), bytes))) => {
                let behind = self.at + bytes;
                if begin > HEADER {
                    return Err(ProtocolError::BulkHeader); // as if it had come in pieces
                }
                if end - begin > self.limits.bulk {
                    return Err(ProtocolError::BulkLength);
                }
                if behind - self.begun > self.limits.command {
                    return Err(ProtocolError::Command);
                }
                self.args.push(self.at + begin..self.at + end);
                self.at = behind;
                self.missing -= 1;
                if self.missing == 0 {
                    self.end_command();
                }
                Ok(true)
            }
            Ok(None) => {
                // What it says to be long must not be waited for if it may not come.
                if let Some(length) = header(rest).map_err(|()| ProtocolError::BulkHeader)? {
                    let length = length.count.and_then(|count| usize::try_from(count).ok());
                    let length = length.ok_or(ProtocolError::BulkLength)?;
                    if length > self.limits.bulk {
                        return Err(ProtocolError::BulkLength);
                    }
                    if length > self.limits.command {
                        return Err(ProtocolError::Command);
                    }
                }
                Ok(false)
            }
            _ => Err(ProtocolError::BulkLength),
        }
    }

    /// `GET "a key"\n`: what people type.
    fn line(&mut self, buffer: &mut [u8]) -> Result<bool, ProtocolError> {
        let rest = &mut buffer[self.at..];
        let within = rest.len().min(INLINE);
        let Some(length) = rest[..within].iter().position(|&byte| byte == b'\n') else {
            return if rest.len() > within {
                Err(ProtocolError::Inline)
            } else {
                Ok(false)
            };
        };
        let line = &mut rest[..length];
        let at = self.at;
        let args = &mut self.args;
        let before = args.len();
        let whole = inline::split(line, |arg| args.push(at + arg.start..at + arg.end));
        if !whole {
            args.truncate(before);
            return Err(ProtocolError::Quotes);
        }
        let some = args.len() > before;
        self.at += length + 1;
        if some {
            self.end_command();
        } else {
            self.begun = self.at;
        }
        Ok(true)
    }

    fn end_command(&mut self) {
        self.ends.push(self.args.len());
        self.begun = self.at;
    }
}

/// The first line of an array or bulk string.
struct Header {
    /// The number; none if it is no number.
    count: Option<i64>,
    /// Its bytes, with sign and line end.
    bytes: usize,
}

/// The first line; none if it has not come in whole, an error if it never will.
fn header(rest: &[u8]) -> Result<Option<Header>, ()> {
    let within = &rest[..rest.len().min(HEADER)];
    let end = within.windows(2).position(|two| two == b"\r\n");
    match end {
        Some(end) => Ok(Some(Header {
            // What the codec takes for a number.
            count: str::from_utf8(&rest[1..end])
                .ok()
                .and_then(|it| it.parse().ok()),
            bytes: end + 2,
        })),
        None if rest.len() > HEADER => Err(()),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests;
