//! [`Movement`]: what a change of membership costs.

use alloc::vec::Vec;
use core::cmp::Ordering;

use keyroute_core::{KeyHasher, Node, RouteError, Slot};

use crate::Maglev;

/// How many entries of a table changed hands, and how many of them needlessly.
///
/// An entry must change hands where its old node has left, and may where its new node is a newcomer; the
/// same goes for nodes that lost or gained weight. All other changes are what Maglev pays for its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The entries of the table.
    pub entries: u32,
    /// Those with another node than before.
    pub moved: u32,
    /// Those that went from a node which stayed as it was to another such.
    pub needless: u32,
}

impl<H: KeyHasher<Out = u64>> Maglev<H> {
    /// What moves between this table and another, entry by entry: how much. From whom to whom says `keyroute-plan`.
    ///
    /// Cost: O(entries + n log n), and 16 bytes a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::Incomparable`] unless both have one size and one hasher.
    ///
    /// ```
    /// use keyroute_maglev::{Maglev, Node};
    ///
    /// let before = Maglev::from_ids(["a", "b", "c"])?;
    /// let mut after = before.clone();
    /// after.add(Node::new("d")?)?;
    /// let movement = before.movement(&after)?;
    /// assert_eq!(movement.moved - movement.needless, 65_537 / 4); // to the newcomer
    /// assert!(movement.needless < 65_537 / 100);
    /// # Ok::<(), keyroute_maglev::RouteError>(())
    /// ```
    pub fn movement(&self, after: &Self) -> Result<Movement, RouteError> {
        self.check_comparable(after)?;
        // For each slot of before: where its node is now, and whether it may lose entries.
        let fate = |node: &Node| {
            let slot = after.members().slot_of(node.id().as_str())?;
            let now = after.members().get(slot)?;
            Some((slot, now.weight() < node.weight()))
        };
        let fates = by_slot(self, fate);
        // For each slot of after: whether its node may gain entries.
        let gains = by_slot(after, |now: &Node| {
            let before = self.members().node(now.id().as_str());
            Some(before.map_or(Ordering::Greater, |node| now.weight().cmp(&node.weight())))
        });
        let mut movement = Movement {
            entries: self.table_size().get(),
            moved: 0,
            needless: 0,
        };
        for entry in 0..movement.entries {
            let [before, now] = [self, after].map(|it| it.owner_of(entry));
            let fate = before.and_then(|slot| fates.get(index(slot)).copied().flatten());
            if fate.map(|(slot, _)| slot) == now && before.is_some() == now.is_some() {
                continue;
            }
            movement.moved += 1;
            let gained = now.and_then(|slot| gains.get(index(slot)).copied().flatten());
            let kept = fate.is_some_and(|(_, may_lose)| !may_lose);
            if kept && gained.is_some_and(Ordering::is_le) {
                movement.needless += 1;
            }
        }
        Ok(movement)
    }

    fn check_comparable(&self, other: &Self) -> Result<(), RouteError> {
        let (size, others_size) = (self.table_size(), other.table_size());
        let (tag, others_tag) = (self.tag(), other.tag());
        let differ = |what, left, right| Err(RouteError::Incomparable { what, left, right });
        if size != others_size {
            return differ(
                "sizes",
                alloc::format!("{size}"),
                alloc::format!("{others_size}"),
            );
        }
        if tag != others_tag {
            return differ(
                "hashers",
                alloc::format!("{tag}"),
                alloc::format!("{others_tag}"),
            );
        }
        Ok(())
    }
}

/// What `of` says of each member, by slot.
fn by_slot<H: KeyHasher<Out = u64>, T: Clone>(
    router: &Maglev<H>,
    of: impl Fn(&Node) -> Option<T>,
) -> Vec<Option<T>> {
    let members = router.members();
    let mut by_slot = alloc::vec![None; members.slot_bound()];
    for (slot, node) in members.iter() {
        by_slot[index(slot)] = of(node);
    }
    by_slot
}

fn index(slot: Slot) -> usize {
    slot.index() as usize // u32 fits
}
