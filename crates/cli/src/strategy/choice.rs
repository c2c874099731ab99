//! [`Choice`]: a strategy by name, or the router that a configuration describes.

use std::fmt;

use keyroute::{Node, Router, Slot};

use super::{Configured, Refusal, Setting, Strategy, StrategyName, build};
use crate::fleet::Settings;

/// What routes.
#[derive(Clone, Debug)]
pub enum Choice {
    /// A strategy, by name.
    Named(StrategyName),
    /// The router that a configuration describes.
    Configured(Configured),
}

impl Choice {
    /// Builds it of these nodes. A configured router passes the settings over: its configuration says all.
    ///
    /// # Errors
    ///
    /// [`Refusal`]: what it cannot do with these settings or nodes.
    pub fn build(&self, settings: &Settings, nodes: &[Node]) -> Result<Box<dyn Strategy>, Refusal> {
        match self {
            Self::Named(name) => build(*name, settings, nodes),
            Self::Configured(configured) => configured.build(nodes),
        }
    }

    /// The settings it has.
    #[must_use]
    pub fn settings(&self) -> &'static [Setting] {
        match self {
            Self::Named(name) => name.settings(),
            Self::Configured(_) => &[],
        }
    }

    /// The hash function that places keys, if nobody can choose it.
    #[must_use]
    pub fn own_hash(&self) -> Option<&str> {
        match self {
            Self::Named(name) => name.own_hash(),
            Self::Configured(configured) => Some(configured.hash()),
        }
    }

    /// How many partitions its table has, if it has one and these are the settings.
    #[must_use]
    pub fn partitions(&self, settings: &Settings) -> Option<u32> {
        match self {
            Self::Named(name) if name.settings().contains(&Setting::Partitions) => {
                Some(name.partitions(settings))
            }
            _ => None,
        }
    }

    /// The owner of a key, if its bytes decide one.
    ///
    /// # Errors
    ///
    /// What a configured system does with the key instead: an answer that this is not would be wrong.
    pub fn owner(&self, router: &dyn Router, key: &[u8]) -> Result<Option<Slot>, &'static str> {
        let Self::Configured(configured) = self else {
            return Ok(router.route(key));
        };
        match configured.unroutable(key) {
            Some(reason) => Err(reason),
            None => router.route(key).map(Some).ok_or(configured.nobody()),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => name.fmt(f),
            Self::Configured(configured) => f.pad(configured.name()),
        }
    }
}
