//! [`Configured`]: the router that a configuration describes.

use std::fmt;
use std::sync::Arc;

use keyroute::{Node, Router};

use super::remade::remade;
use super::{Refusal, Strategy};

/// A router that a configuration describes, to be made of its nodes or of others: nodes that the
/// configuration has keep what it says of them, those that it does not have are as that system takes them
/// when nothing more is said.
#[derive(Clone)]
pub struct Configured {
    name: String,
    hash: String,
    make: Arc<Make>,
    unroutable: Arc<Unroutable>,
    nobody: &'static str,
}

type Routes = Box<dyn Router + Send + Sync>;

type Unroutable = dyn Fn(&[u8]) -> Option<&'static str> + Send + Sync;

type Make = dyn Fn(&[Node]) -> Result<Routes, Refusal> + Send + Sync;

impl Configured {
    /// A router of this name, whose keys are placed by this hash function.
    pub fn new<R: Router + Send + Sync + 'static>(
        name: impl Into<String>,
        hash: impl Into<String>,
        make: impl Fn(&[Node]) -> Result<R, Refusal> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            hash: hash.into(),
            make: Arc::new(move |nodes| Ok(Box::new(make(nodes)?))),
            unroutable: Arc::new(|_| None),
            nobody: "has no owner",
        }
    }

    /// The same, where the bytes of some keys do not decide who serves them: the function says why not.
    #[must_use]
    pub fn with_unroutable(
        self,
        unroutable: impl Fn(&[u8]) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        Self {
            unroutable: Arc::new(unroutable),
            ..self
        }
    }

    /// The same, where some keys have no owner: what the system does with them.
    #[must_use]
    pub fn with_nobody(self, nobody: &'static str) -> Self {
        Self { nobody, ..self }
    }

    /// The name, as `nginx:UPSTREAM`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hash function that places keys.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Why this key has no owner that its bytes decide, if so.
    #[must_use]
    pub fn unroutable(&self, key: &[u8]) -> Option<&'static str> {
        (self.unroutable)(key)
    }

    /// What the system does with a key that has no owner.
    #[must_use]
    pub fn nobody(&self) -> &'static str {
        self.nobody
    }

    /// Makes it of these nodes.
    ///
    /// # Errors
    ///
    /// [`Refusal`]: what the system cannot do with them.
    pub fn build(&self, nodes: &[Node]) -> Result<Box<dyn Strategy>, Refusal> {
        let make = Arc::clone(&self.make);
        Ok(Box::new(remade(nodes.into(), move |nodes| make(nodes))?))
    }
}

impl fmt::Debug for Configured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Configured")
            .field("name", &self.name)
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}
