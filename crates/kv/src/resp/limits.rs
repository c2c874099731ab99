//! [`Limits`]: how much of the server's memory and time a client gets.

use std::time::Duration;

/// How much a [`Server`](super::Server) takes from clients, and gives. Each bounds memory; together, with the number of
/// connections, they bound all of it.
///
/// ```
/// use keyroute_kv::resp::Limits;
///
/// let limits = Limits { bulk: 1 << 20, ..Limits::default() };
/// assert_eq!(limits.connections, 10_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; one more is told so and closed. 10,000 unless said.
    pub connections: usize,
    /// Bytes of one argument: a key, a value. 64 MiB unless said.
    pub bulk: usize,
    /// Arguments of one command, its name among them. 1,048,576 unless said, as in Redis.
    pub args: usize,
    /// Bytes of one command. 128 MiB unless said.
    pub command: usize,
    /// Bytes of one answer, which `MGET` may run into. 512 MiB unless said.
    pub answer: usize,
    /// Bytes of commands that have not come in whole, of all connections together, but for the first 64 KiB of each.
    /// A connection that would exceed them is told so and closed. 1 GiB unless said.
    pub incomplete: usize,
    /// How long connections have, once the server is told to stop, to end the commands that they have sent. 10
    /// seconds unless said.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            bulk: 64 << 20,
            args: 1 << 20,
            command: 128 << 20,
            answer: 512 << 20,
            incomplete: 1 << 30,
            grace: Duration::from_secs(10),
        }
    }
}
