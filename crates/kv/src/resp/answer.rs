//! [`Answers`]: what goes back to the client, as bytes.

use std::borrow::Cow;

use bytes::{Buf, BytesMut};
use redis_protocol::resp2::encode::{extend_encode, extend_encode_borrowed};
use redis_protocol::resp2::types::{BorrowedFrame, BytesFrame};

use super::command::Args;
use crate::KvError;

/// The longest text of an error that is sent, about; what clients sent is shown in part.
const ERROR: usize = 512;
/// How many bytes of what a client sent an error shows.
const SHOWN: usize = 128;

/// Why a command is not done: the text of an error, its code first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal(Cow<'static, str>);

impl Refusal {
    pub(super) const SYNTAX: Self = Self::fixed("ERR syntax error");
    pub(super) const NO_NUMBER: Self = Self::fixed("ERR value is not an integer or out of range");
    pub(super) const EXPIRE_TIME: Self = Self::fixed("ERR invalid expire time in 'set' command");
    pub(super) const CURSOR: Self = Self::fixed("ERR invalid cursor");
    pub(super) const OLD_CURSOR: Self =
        Self::fixed("ERR this cursor is not known, or no longer: begin again with SCAN 0");
    pub(super) const DATABASE: Self =
        Self::fixed("ERR DB index is out of range: there is one database, 0");
    pub(super) const PROTOCOL: Self =
        Self::fixed("NOPROTO unsupported protocol version: this server speaks RESP2");
    pub(super) const AUTH: Self =
        Self::fixed("ERR AUTH called, but this server has no users and no passwords");
    pub(super) const TYPE: Self = Self::fixed("ERR syntax error: all keys here are strings");
    pub(super) const CLIENT_NAME: Self =
        Self::fixed("ERR Client names cannot contain spaces, newlines or special characters.");
    /// A browser that was made to send a request here.
    pub(super) const HTTP: Self = Self::fixed("ERR this is no HTTP server");
    pub(super) const CLIENTS: Self = Self::fixed("ERR max number of clients reached");
    pub(super) const MEMORY: Self =
        Self::fixed("ERR too many bytes of commands that have not come in whole: try again later");
    pub(super) const ANSWER: Self =
        Self::fixed("ERR the answer is too long: ask for fewer keys at once");

    const fn fixed(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// An error of this text, a code first.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(Cow::Owned(text.into()))
    }

    pub(super) fn unknown(args: Args<'_>) -> Self {
        let mut text = format!(
            "ERR unknown command '{}', with args beginning with: ",
            shown(args.get(0).unwrap_or_default())
        );
        for arg in args.behind(1).iter() {
            if text.len() > SHOWN {
                break;
            }
            text += &format!("'{}' ", shown(arg));
        }
        Self::new(text)
    }

    pub(super) fn arity(name: &str) -> Self {
        Self::new(format!(
            "ERR wrong number of arguments for '{name}' command"
        ))
    }

    pub(super) fn subcommand(name: &[u8], command: &str) -> Self {
        Self::new(format!(
            "ERR unknown subcommand or wrong number of arguments for '{}': the help of {command} lists them",
            shown(name)
        ))
    }

    pub(super) fn set_option(name: &str) -> Self {
        Self::new(format!(
            "ERR syntax error: SET takes EX, PX, EXAT and PXAT here, not {name}, which would have to read the key and \
             write it as one"
        ))
    }
}

impl From<KvError> for Refusal {
    fn from(error: KvError) -> Self {
        Self::new(format!("ERR {error}"))
    }
}

impl From<super::parser::ProtocolError> for Refusal {
    fn from(error: super::parser::ProtocolError) -> Self {
        Self::new(format!("ERR {error}"))
    }
}

/// What a client sent, in part and as text.
pub(super) fn shown(text: &[u8]) -> String {
    let part = &text[..text.len().min(SHOWN)];
    part.escape_ascii().to_string()
}

/// Answers, one behind the other, that go out together.
#[derive(Debug, Default)]
pub(super) struct Answers {
    bytes: BytesMut,
    broken: bool,
}

impl Answers {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What is to be sent.
    pub(super) fn bytes(&mut self) -> &mut impl Buf {
        &mut self.bytes
    }

    /// Gives back memory that an exceptional answer took.
    pub(super) fn shrink(&mut self, to: usize) {
        if self.bytes.is_empty() && self.bytes.capacity() > to {
            self.bytes = BytesMut::new();
        }
    }

    /// Takes back what came behind this length.
    pub(super) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Whether an answer could not be written, so that those behind it would be taken for it.
    pub(super) fn are_broken(&self) -> bool {
        self.broken
    }

    pub(super) fn simple(&mut self, text: &str) {
        self.borrowed(&BorrowedFrame::SimpleString(text.as_bytes()));
    }

    pub(super) fn ok(&mut self) {
        self.simple("OK");
    }

    pub(super) fn integer(&mut self, number: u64) {
        self.signed(i64::try_from(number).unwrap_or(i64::MAX));
    }

    pub(super) fn signed(&mut self, number: i64) {
        self.borrowed(&BorrowedFrame::Integer(number));
    }

    pub(super) fn bulk(&mut self, bytes: &[u8]) {
        self.borrowed(&BorrowedFrame::BulkString(bytes));
    }

    /// The value, or null.
    pub(super) fn value(&mut self, value: Option<&[u8]>) {
        match value {
            Some(value) => self.bulk(value),
            None => self.borrowed(&BorrowedFrame::Null),
        }
    }

    /// The values, or nulls, as one array.
    pub(super) fn values<'a>(&mut self, values: impl Iterator<Item = Option<&'a [u8]>>) {
        let frames =
            values.map(|value| value.map_or(BorrowedFrame::Null, BorrowedFrame::BulkString));
        let frames: Vec<BorrowedFrame<'_>> = frames.collect();
        self.borrowed(&BorrowedFrame::Array(&frames));
    }

    /// An error, in one line.
    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        let text: String = refusal.0.chars().take(ERROR).collect();
        let text = text.replace(char::is_control, " ");
        self.borrowed(&BorrowedFrame::Error(&text));
    }

    pub(super) fn frame(&mut self, frame: &BytesFrame) {
        let encoded = extend_encode(&mut self.bytes, frame, false);
        self.broken |= encoded.is_err();
    }

    fn borrowed(&mut self, frame: &BorrowedFrame<'_>) {
        let encoded = extend_encode_borrowed(&mut self.bytes, frame, false);
        self.broken |= encoded.is_err();
    }
}

/// A bulk string of this text.
pub(super) fn text(text: impl Into<String>) -> BytesFrame {
    BytesFrame::BulkString(text.into().into())
}

/// A whole number.
pub(super) fn integer(number: u64) -> BytesFrame {
    BytesFrame::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Names and values by turns, as RESP2 writes a map.
pub(super) fn map(pairs: impl IntoIterator<Item = (&'static str, BytesFrame)>) -> BytesFrame {
    let flat = pairs
        .into_iter()
        .flat_map(|(name, value)| [text(name), value]);
    BytesFrame::Array(flat.collect())
}
