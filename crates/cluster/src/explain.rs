//! [`Snapshot::explain`]: why a key is picked for a node, and which nodes were passed over.

use std::ops::ControlFlow;

use keyroute_core::{Contender, Explanation, Fact, Role, Router, Slot, SlotSet, Walk};

use crate::admission::{Admission, RampKey};
use crate::pick::Offer;
use crate::{OnDown, Snapshot, Unavailable};

impl<R: Walk, T> Snapshot<R, T> {
    /// Why this key is picked for the node it is picked for: where it is at home, which nodes are passed over and why,
    /// which come next, the policy and the epoch.
    ///
    /// The owner is the node that [`pick`](Self::pick) picks; without one it says why. Under a
    /// [bound](crate::Cluster::with_bound) each node has its leases and its capacity, and a line says which of them
    /// [`acquire`](Self::acquire) would take one from now. Costs more than a pick by far; see [`Explanation`].
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_core::Fact;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |_| ());
    /// let home = cluster.load().pick(b"user:1")?.id().clone();
    /// cluster.apply(Batch::new().down(home.as_str()))?;
    ///
    /// let snapshot = cluster.load();
    /// let why = snapshot.explain(b"user:1");
    /// let passed: Vec<_> = why.passed().collect();
    /// assert_eq!((&passed[0].node, &passed[0].facts[..]), (&home, &[Fact::Down][..]));
    /// assert_eq!(why.owner_id(), Some(snapshot.pick(b"user:1")?.id()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, key: &[u8]) -> Explanation {
        Router::explain(self, key)
    }

    pub(crate) fn explain_next(&self, key: &[u8], next: usize) -> Explanation {
        let serving = self.serving(key, next);
        let taker = serving.first().copied();
        // A node that takes the key before its turn stands behind all that were passed over.
        let regular = match taker {
            Some(Offer::Serves(slot)) => Some(slot),
            _ => None,
        };
        let mut ramp_key = RampKey::new(key);
        let mut contenders: Vec<Contender> = Vec::new();
        self.router().walk(key, &mut |slot| {
            if Some(slot) == regular {
                return ControlFlow::Break(());
            }
            contenders.extend(self.contender(slot, Role::Passed, &mut ramp_key));
            match self.gate().admission(slot) {
                Admission::Down => self.on_down().pass(),
                _ => ControlFlow::Continue(()),
            }
        });
        for (place, offer) in serving.into_iter().enumerate() {
            let role = if place == 0 { Role::Owner } else { Role::Next };
            let slot = offer
                .serving()
                .and_then(|slot| self.contender(slot, role, &mut ramp_key));
            contenders.extend(slot.map(|it| match offer {
                Offer::Reserve(_) => it.with(Fact::Reserve),
                _ => it,
            }));
        }
        let mut why = self
            .router()
            .explain_with(key, self.router().members().len()) // what it says of any node
            .under(self)
            .overlaid(contenders)
            .noted(
                "cluster",
                format!("epoch {}, {}", self.epoch(), policy(self.on_down())),
            );
        for member in self.all_members().filter(|member| member.weight() == 0) {
            why = why.noted("unrouted", format!("{:?} has weight 0", member.id()));
        }
        if self.bound().is_some() {
            why = why.noted("lease", self.next_lease(key));
        }
        match self.pick(key) {
            Ok(_) => why,
            // The router knows better why.
            Err(Unavailable::NoOwner) if why.refusal().is_some() => why,
            Err(nobody) => why.refused(nobody),
        }
    }

    /// The nodes that serve the key, in the order of picks: the taker and so many more.
    fn serving(&self, key: &[u8], next: usize) -> Vec<Offer> {
        let mut serving = Vec::new();
        self.offer(key, &mut SlotSet::new(), &mut |offer| {
            if offer.serving().is_none() {
                return self.on_down().pass();
            }
            serving.push(offer);
            if serving.len() <= next {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        serving
    }

    /// Where the next lease comes from, in words: the first node that serves the key and has room.
    fn next_lease(&self, key: &[u8]) -> String {
        let total = self.fleet().load.total();
        let mut full = 0_usize;
        let mut taker = None;
        self.offer(key, &mut SlotSet::new(), &mut |offer| {
            let Some(slot) = offer.serving() else {
                // Who is passed on since a node is full may be passed on since another is down.
                return if full > 0 {
                    ControlFlow::Continue(())
                } else {
                    self.on_down().pass()
                };
            };
            match self.load(slot) {
                Some(Fact::Load { held, capacity }) if held >= capacity => {
                    full += 1;
                    ControlFlow::Continue(())
                }
                _ => {
                    taker = self.at(slot).map(|member| &member.id);
                    ControlFlow::Break(())
                }
            }
        });
        match taker {
            Some(id) if full == 0 => format!("the next is on {id:?}, {total} are held in all"),
            Some(id) => {
                format!(
                    "the next is on {id:?}, behind {full} that are full; {total} are held in all"
                )
            }
            None => format!("none is given; {total} are held in all"),
        }
    }

    /// The leases that the member in this slot holds, and how many it may hold when one more is given.
    fn load(&self, slot: Slot) -> Option<Fact> {
        let member = self.at(slot)?;
        Some(Fact::Load {
            held: member.counter.load.held(),
            capacity: self.capacity(member, self.fleet().load.total())?,
        })
    }

    /// The node in this slot, and what its status says of this key.
    fn contender(&self, slot: Slot, role: Role, key: &mut RampKey<'_>) -> Option<Contender> {
        let mut it = Contender::new(self.router().members(), slot, role)?;
        let status = self.at(slot)?.status();
        let said = [
            (status.is_down(), Fact::Down),
            (status.is_drained(), Fact::Drained),
            (status.is_leaving(), Fact::Leaving),
        ];
        it.facts
            .extend(said.into_iter().filter(|(is, _)| *is).map(|(_, fact)| fact));
        if let Admission::Ramp { share, seed } = self.gate().admission(slot) {
            it.facts.push(Fact::Ramp {
                share,
                hash: key.toward(seed),
            });
        }
        it.facts.extend(self.load(slot));
        Some(it)
    }
}

fn policy(on_down: OnDown) -> &'static str {
    match on_down {
        OnDown::Move => "a node that is down is passed over",
        OnDown::FailFast => "a node that is down keeps its keys, and they fail",
    }
}
