//! Why a load goes where it goes: the explanation of a router with bounded loads.

use alloc::format;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use keyroute_core::{Contender, Explanation, Fact, Role, Router};

use crate::{Admission, Bounded, CapacityRule, Count, Forwarding};

impl<R, C, A, O, K> Bounded<R, C, A, O, K>
where
    R: Router,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    /// The inner router's explanation, and the nodes in forwarding order with their loads: of this moment.
    pub(crate) fn explained(&self, key: &[u8], next: usize) -> Explanation {
        let total = self.total();
        let mut contenders: Vec<Contender> = Vec::new();
        let mut left = next;
        let mut taken = false;
        self.forwarding.candidates(&self.router, key, &mut |slot| {
            let Some((_, candidate)) = self.candidate(slot, total) else {
                return ControlFlow::Continue(());
            };
            let role = match A::admits(candidate.load, candidate.capacity) {
                _ if taken => Role::Next,
                true => Role::Owner,
                false => Role::Passed,
            };
            let load = Fact::Load {
                held: candidate.load,
                capacity: candidate.capacity,
            };
            contenders.extend(
                Contender::new(self.members(), slot, role).map(|contender| contender.with(load)),
            );
            left -= usize::from(taken);
            taken |= role == Role::Owner;
            if taken && left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if !taken {
            let taker = self.next(key);
            for contender in contenders.iter_mut().filter(|it| Some(it.slot) == taker) {
                contender.role = Role::Owner;
                contender.facts.push(Fact::Overflow);
            }
        }
        let admission = format!(
            "{} loads in all, a node admits {} its capacity",
            total,
            A::NAME
        );
        self.router
            .explain_with(key, self.members().len()) // what it says of any node
            .under(self)
            .overlaid(contenders)
            .noted("loads", admission)
    }
}
