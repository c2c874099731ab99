//! etcd as a source, and a process that lists itself there.

mod claim;
mod config;
mod entries;
mod error;
mod keeper;
mod registration;
mod source;

pub use config::EtcdConfig;
pub use error::EtcdError;
pub use registration::{Claim, DEFAULT_TTL, Registration, RegistrationError, Standing};
pub use source::Etcd;
