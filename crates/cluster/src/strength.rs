//! [`Strengths`]: of all that a cluster can hold, whose share is how large.

use crate::Member;

/// How strong each member is beside all: its weight times the share of its keys that it takes, so that who is down or
/// drained has none.
///
/// In whole numbers: of the products, which have 2^32 parts for each unit of weight, the bits are left out that are 0 in
/// all of them. Unless a ramp is under way they are the weights then. If all together would not fit into 64 bits, more
/// are left out, but of nobody all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strengths {
    shift: u32,
    total: u64,
}

/// How large the sum may be: below half of 64 bits, so that what is rounded up fits beside it.
const SUM_BITS: u32 = 62;

impl Strengths {
    pub(crate) fn of<'m, T: 'm>(members: impl Iterator<Item = &'m Member<T>> + Clone) -> Self {
        let (mut bits, mut sum) = (0, 0u128);
        for product in members.clone().map(product) {
            bits |= product;
            sum += u128::from(product);
        }
        let needed = u128::BITS - sum.leading_zeros();
        let shift = bits.trailing_zeros().max(needed.saturating_sub(SUM_BITS));
        // Without anybody who takes keys no bit is set.
        let shift = if bits == 0 { 0 } else { shift };
        let mut strengths = Self { shift, total: 0 };
        strengths.total = members.map(|member| strengths.member(member)).sum();
        strengths
    }

    /// All members' strengths together.
    #[inline]
    pub(crate) fn total(self) -> u64 {
        self.total
    }

    /// The strength of this one, 0 only if it takes no keys.
    #[inline]
    pub(crate) fn member<T>(self, member: &Member<T>) -> u64 {
        let product = product(member);
        (product >> self.shift).max(u64::from(product > 0))
    }
}

/// At most (2^32 - 1) × 2^32.
#[inline]
fn product<T>(member: &Member<T>) -> u64 {
    let (weight, share) = member.strength();
    u64::from(weight) * share
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use keyroute_core::{Node, Weight};

    use super::*;
    use crate::tally::Fleet;
    use crate::{Listing, Status};

    fn member(weight: u32, status: Status) -> Member<()> {
        let node = Node::new("a")
            .unwrap()
            .with_weight(Weight::new(weight).unwrap());
        let mut member = Member::new(&Listing::new(node, Arc::new(())), &Arc::<Fleet>::default());
        member.status = status;
        member
    }

    fn ramp(share: u32) -> Status {
        Status {
            ramp: Some(share),
            ..Status::default()
        }
    }

    fn strengths(members: &[Member<()>]) -> (Vec<u64>, u64) {
        let strengths = Strengths::of(members.iter());
        let each = members.iter().map(|member| strengths.member(member));
        (each.collect(), strengths.total())
    }

    #[test]
    fn without_a_ramp_they_have_the_proportions_of_the_weights() {
        let members = [3, 1, 7].map(|weight| member(weight, Status::default()));
        assert_eq!(strengths(&members), (vec![3, 1, 7], 11));
        let down = Status {
            down: true,
            ..Status::default()
        };
        let members = [member(3, Status::default()), member(5, down)];
        assert_eq!(strengths(&members), (vec![3, 0], 3));
    }

    #[test]
    fn in_a_ramp_they_have_the_share() {
        let members = [member(3, Status::default()), member(1, ramp(1 << 30))];
        assert_eq!(strengths(&members), (vec![12, 1], 13));
        // A third of 2^32, which is odd.
        let members = [member(1, Status::default()), member(1, ramp(0x5555_5555))];
        assert_eq!(strengths(&members).0, [1 << 32, 0x5555_5555]);
    }

    #[test]
    fn nobody_has_none_and_the_largest_fit() {
        assert_eq!(strengths(&[]), (vec![], 0));
        let drained = Status {
            drained: true,
            ..Status::default()
        };
        assert_eq!(strengths(&[member(9, drained)]), (vec![0], 0));
        let mut members = vec![member(u32::MAX, Status::default()); 1000];
        members.push(member(1, ramp(1)));
        let (each, total) = strengths(&members);
        assert_eq!(each[1000], 1);
        assert_eq!(total, each.iter().sum::<u64>());
        assert!(each[0] > 1 << 50);
    }
}
