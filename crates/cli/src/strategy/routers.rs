//! Each router as a [`Strategy`].

use keyroute::{
    AddNode, BTreeRing, Jump, Ketama, KetamaPoints, KeyHasher, Libketama, Modulo, Native, Node,
    Reweight, VectorRing, Walk,
};

use super::{Refusal, Strategy};
use crate::change::{Change, Reweighting};

/// Rings of independent nodes make every change in place.
macro_rules! ring_strategy {
    ($([$($hasher:ident)?] $ring:ty),*) => {$(
        impl$(<$hasher: KeyHasher + Send + Sync>)? Strategy for $ring {
            fn change(&mut self, change: &Change) -> Result<(), Refusal> {
                match change {
                    Change::Add(node) => self.add(node.clone()).map(drop)?,
                    Change::Remove(id) => self.remove(id.as_str()).map(drop)?,
                    Change::Reweight(Reweighting { id, weight }) => {
                        Reweight::reweight(self, id.as_str(), *weight).map(drop)?;
                    }
                }
                Ok(())
            }

            fn as_walk(&self) -> Option<&dyn Walk> {
                Some(self)
            }
        }
    )*};
}

ring_strategy!([H] VectorRing<Native<H>>, [H] BTreeRing<Native<H>>, [] Ketama<KetamaPoints>);

/// libketama makes its continuum anew from the whole list: that is how it changes.
impl Strategy for Ketama<Libketama> {
    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        let members = self.members();
        let mut servers: Vec<Node> = members
            .listed()
            .into_iter()
            .filter_map(|slot| members.get(slot).cloned())
            .collect();
        change.apply(&mut servers)?;
        Ok(self.rebuild(&servers)?)
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
}

impl<H: KeyHasher<Out = u64> + Send + Sync> Strategy for Jump<H> {
    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::Add(node) => AddNode::add(self, node.clone()).map(drop)?,
            Change::Remove(id) => {
                let slot = self.members().find(id.as_str())?;
                if self.members().listed().last() != Some(&slot) {
                    return Err(Refusal::Unable("removes only the last node of the list"));
                }
                self.remove_last().map(drop)?;
            }
            Change::Reweight(_) => return Err(Refusal::Unable("has no weights")),
        }
        Ok(())
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        None
    }
}

impl<H: KeyHasher + Send + Sync> Strategy for Modulo<H> {
    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::Add(node) => self.add(node.clone()).map(drop)?,
            Change::Remove(id) => self.remove(id.as_str()).map(drop)?,
            Change::Reweight(_) => return Err(Refusal::Unable("has no weights")),
        }
        Ok(())
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        None
    }
}
