//! [`Connection`]: reads commands, has them answered, sends the answers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::timeout;

use super::answer::{Answers, Refusal};
use super::command::{Args, parse};
use super::parser::Parser;
use super::session::Session;
use super::shared::Shared;

/// How much is read at once, at least.
const READ: usize = 16 << 10;
/// What a connection may keep in its buffers without asking, and does keep when it has nothing to do.
const FREE: usize = 64 << 10;
/// With so many bytes of answers it sends them and does nothing else until they are gone. So whoever does not read gets
/// no more done.
const SEND: usize = 64 << 10;

/// How long a connection that is to stop waits for what its client has sent already.
const LINGER: Duration = Duration::from_millis(50);

pub(super) struct Connection<S> {
    stream: S,
    shared: Arc<Shared>,
    buffer: BytesMut,
    /// How many bytes of the buffer were asked for.
    reserved: usize,
    parser: Parser,
    answers: Answers,
    session: Session,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(super) fn new(stream: S, shared: Arc<Shared>, id: u64) -> Self {
        Self {
            stream,
            buffer: BytesMut::new(),
            reserved: 0,
            parser: Parser::new(shared.limits),
            answers: Answers::default(),
            session: Session::new(shared.clone(), id),
            shared,
        }
    }

    /// Until the client goes, or what it sent is no protocol; once it is to stop, until what was sent is answered.
    pub(super) async fn run(mut self, mut stop: watch::Receiver<bool>) -> io::Result<()> {
        loop {
            let read = self.parser.read(&mut self.buffer);
            if self.parser.len() > 0 {
                self.answer().await?;
                if self.session.has_quit() {
                    return Ok(());
                }
                if read.is_ok() {
                    continue; // there may be more
                }
            }
            if let Err(error) = read {
                return self.end_with(&error.into()).await;
            }
            if !self.make_room() {
                return self.end_with(&Refusal::MEMORY).await;
            }
            let stopping = *stop.borrow();
            let read = self.stream.read_buf(&mut self.buffer);
            let read = if stopping {
                timeout(LINGER, read).await.unwrap_or(Ok(0))?
            } else {
                tokio::select! {
                    biased;
                    read = read => read?,
                    _ = stop.wait_for(|&stop| stop) => continue,
                }
            };
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Answers all commands that were found.
    async fn answer(&mut self) -> io::Result<()> {
        let args = self.parser.commands();
        let commands: Vec<_> = args.map(|it| parse(Args::new(&self.buffer, it))).collect();
        let mut left = &commands[..];
        while !left.is_empty() && !self.session.has_quit() {
            let done = self.session.answer(left, &mut self.answers).await;
            left = left.get(done..).unwrap_or_default();
            let number = u64::try_from(done).unwrap_or(0);
            self.shared.counts.commands.fetch_add(number, Relaxed);
            if self.answers.len() >= SEND {
                send(&mut self.stream, &mut self.answers).await?;
            }
        }
        drop(commands);
        self.buffer.advance(self.parser.take());
        send(&mut self.stream, &mut self.answers).await
    }

    /// Room for more bytes; false if there is none left for this connection.
    fn make_room(&mut self) -> bool {
        // Its capacity does not tell: what has been read is no part of it.
        if self.buffer.is_empty() && self.reserved > 0 {
            self.buffer = BytesMut::new();
            self.release();
        }
        let length = self.buffer.len();
        if self.buffer.capacity() - length < READ / 4 {
            let more = READ.max(length); // so that each byte is copied once or twice, not more
            let above = (length + more).saturating_sub(FREE);
            if above > self.reserved {
                if !self.shared.reserve(above - self.reserved) {
                    return false;
                }
                self.reserved = above;
            }
            self.buffer.reserve(more);
        }
        true
    }

    fn release(&mut self) {
        self.shared.release(self.reserved);
        self.reserved = 0;
    }

    async fn end_with(&mut self, refusal: &Refusal) -> io::Result<()> {
        self.answers.refuse(refusal);
        send(&mut self.stream, &mut self.answers).await?;
        self.stream.shutdown().await
    }
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), answers: &mut Answers) -> io::Result<()> {
    if answers.are_broken() {
        return Err(io::Error::other("an answer could not be encoded"));
    }
    stream.write_all_buf(answers.bytes()).await?;
    answers.shrink(2 * SEND);
    Ok(())
}

impl<S> Drop for Connection<S> {
    fn drop(&mut self) {
        self.shared.release(self.reserved);
    }
}
