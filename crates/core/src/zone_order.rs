//! [`zone_order`]: a key's order, spread over zones.

use core::ops::ControlFlow;

use crate::{Members, Slot, SlotSet};

/// Visits the nodes of a walk in the order of zone-spread replicas: of each zone the first, then the others,
/// both as the walk meets them.
///
/// A greedy filter over one order: what is visited first is what the walk meets first, and what `n` visits
/// give begins what `n + 1` give. Nodes without a zone count as one zone. `walk` is called once or twice,
/// each time from the beginning, and stops where all zones have been met; it must meet each node once. Nothing
/// is allocated up to 1,024 slots.
///
/// [`WalkExt::zone_replicas`](crate::WalkExt::zone_replicas) is the form for a key; this one is for walks
/// that begin elsewhere.
///
/// ```
/// use core::ops::ControlFlow;
/// use keyroute_core::{Members, Node, Zone, zone_order};
///
/// let node = |id, zone| Ok::<_, keyroute_core::RouteError>(Node::new(id)?.with_zone(Zone::new(zone)?));
/// let members = Members::from_nodes([node("a1", "a")?, node("a2", "a")?, node("b1", "b")?])?;
///
/// let mut order = String::new();
/// zone_order(
///     &members,
///     |visit| {
///         let _ = members.slots().try_for_each(visit);
///     },
///     &mut |slot| {
///         order += members.get(slot).unwrap().id().as_str();
///         ControlFlow::Continue(())
///     },
/// );
/// assert_eq!(order, "a1b1a2");
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
pub fn zone_order(
    members: &Members,
    mut walk: impl FnMut(&mut dyn FnMut(Slot) -> ControlFlow<()>),
    visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
) {
    let (mut zones, mut firsts) = (SlotSet::new(), SlotSet::new());
    let mut met = 0;
    let mut told = false;
    walk(&mut |slot| {
        // A zone's number stands in a set of slots as well as a slot does.
        let zone = members.zone_number(slot).and_then(Slot::new);
        if !zone.is_some_and(|zone| zones.insert(zone)) {
            return ControlFlow::Continue(());
        }
        firsts.insert(slot);
        met += 1;
        told = visit(slot).is_break();
        if told || met == members.zones() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if told || met == members.len() {
        return;
    }
    walk(&mut |slot| {
        if firsts.contains(slot) {
            ControlFlow::Continue(())
        } else {
            visit(slot)
        }
    });
}
