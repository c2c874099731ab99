//! Each router as a [`Strategy`].

use keyroute::{
    AddNode, BTreeRing, Bounded, Jump, Ketama, KetamaPoints, KeyHasher, Lease, Libketama, Modulo,
    Native, Node, RemoveNode, Reweight, Slot, VectorRing, Walk,
};

use super::{Loads, Refusal, Strategy};
use crate::change::{Change, Reweighting};

/// What strategies do that can make every change where they stand.
fn change_in_place<R: AddNode + RemoveNode + Reweight>(
    router: &mut R,
    change: &Change,
) -> Result<(), Refusal> {
    match change {
        Change::Add(node) => router.add(node.clone()).map(drop)?,
        Change::Remove(id) => router.remove(id.as_str()).map(drop)?,
        Change::Reweight(Reweighting { id, weight }) => {
            router.reweight(id.as_str(), *weight).map(drop)?;
        }
    }
    Ok(())
}

macro_rules! ring_strategy {
    ($([$($hasher:ident)?] $ring:ty),*) => {$(
        impl$(<$hasher: KeyHasher + Send + Sync>)? Strategy for $ring {
            fn change(&mut self, change: &Change) -> Result<(), Refusal> {
                change_in_place(self, change)
            }

            fn as_walk(&self) -> Option<&dyn Walk> {
                Some(self)
            }
        }
    )*};
}

ring_strategy!([H] VectorRing<Native<H>>, [H] BTreeRing<Native<H>>, [] Ketama<KetamaPoints>);

/// Replicas are the plain ring's: a load that is forwarded does not move them.
impl<H: KeyHasher + Send + Sync> Strategy for Bounded<VectorRing<Native<H>>> {
    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        change_in_place(self, change)
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        Some(self.get_ref())
    }

    fn as_loads(&self) -> Option<&dyn Loads> {
        Some(self)
    }
}

impl<H: KeyHasher + Send + Sync> Loads for Bounded<VectorRing<Native<H>>> {
    fn acquire(&self, key: &[u8]) -> Option<Lease> {
        self.acquire(key)
    }

    fn capacity(&self, slot: Slot) -> Option<u64> {
        self.capacity(slot)
    }
}

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
            Change::Add(node) => self.add(node.clone()).map(drop)?,
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
