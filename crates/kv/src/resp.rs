//! A store on a port, in the protocol of Redis: [`Server`].

// In reading order.
mod server;

mod connection;
mod session;
mod single;

mod command;
mod inline;
mod parser;

mod answer;
mod cursors;
mod glob;
mod info;
mod keyroute;
mod limits;
mod shared;

pub use limits::Limits;
pub use server::Server;
