//! [`Sizes`]: how many bytes lie where in a space.

use crate::{Move, PlanError, Space};

/// How many bytes lie where in a space: what turns ranges into bytes, and says where to cut them.
///
/// | of | exact to | a range can be cut |
/// | --- | --- | --- |
/// | [`uniform`](Self::uniform), a total | the spread of keys | anywhere |
/// | [`of_ranges`](Self::of_ranges), bytes of ranges (of partitions, of tables) | the spread within each | anywhere |
/// | [`of_keys`](Self::of_keys), each key's position and size | the byte | between two keys |
///
/// Sums stop at 2^64 − 1 bytes.
///
/// ```
/// use keyroute_plan::{Layout, Node, Plan, RouteDigest, Sizes};
/// use keyroute_vector_ring::VectorRing;
///
/// let before = VectorRing::from_ids(["a", "b", "c"])?;
/// let mut after = before.clone();
/// after.add(Node::new("d")?)?;
/// let plan = Plan::between(&Layout::of_ranges(&before), &Layout::of_ranges(&after))?;
///
/// let gib = 1u64 << 30;
/// let bytes = plan.bytes(&Sizes::uniform(plan.space(), 300 * gib)).moved();
/// assert!(bytes > u128::from(60 * gib) && bytes < u128::from(90 * gib));
///
/// let sizes = Sizes::of_keys([("user:1", 100), ("user:2", 50)].map(|(key, size)| {
///     (u128::from(before.digest(key.as_bytes()).value()), size)
/// }));
/// assert!([0, 50, 100, 150].contains(&plan.bytes(&sizes).moved()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    form: Form,
    /// Positions in ascending order, each with all bytes up to it, itself included.
    sums: Vec<(u128, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Bytes lie at these positions.
    Steps,
    /// Bytes lie evenly between them.
    Lines,
}

impl Sizes {
    /// So many bytes, evenly over the space.
    #[must_use]
    pub fn uniform(space: Space, total: u64) -> Self {
        Self {
            form: Form::Lines,
            sums: vec![(space.last(), total)],
        }
    }

    /// The bytes of each key, at its position: the key's hash or partition. In any order.
    #[must_use]
    pub fn of_keys(keys: impl IntoIterator<Item = (u128, u64)>) -> Self {
        let mut sums: Vec<(u128, u64)> = keys.into_iter().collect();
        sums.sort_unstable();
        sums.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        let mut sum = 0u64;
        for (_, bytes) in &mut sums {
            sum = sum.saturating_add(*bytes);
            *bytes = sum;
        }
        Self {
            form: Form::Steps,
            sums,
        }
    }

    /// The bytes of ranges, each from a first to a last position, in ascending order; what lies between them is
    /// empty.
    ///
    /// # Errors
    ///
    /// [`PlanError::Sizes`] for ranges that end before they begin, overlap, or leave the space.
    pub fn of_ranges(
        space: Space,
        ranges: impl IntoIterator<Item = (u128, u128, u64)>,
    ) -> Result<Self, PlanError> {
        let mut sums: Vec<(u128, u64)> = Vec::new();
        let mut next = Some(0u128);
        let mut sum = 0u64;
        for (first, through, bytes) in ranges {
            let problem = match next {
                _ if through < first => Some("it ends before it begins"),
                _ if through > space.last() => Some("it leaves the space"),
                Some(next) if next <= first => None,
                _ => Some("it begins before the one before it ends"),
            };
            if let Some(problem) = problem {
                return Err(PlanError::Sizes {
                    space,
                    first,
                    through,
                    problem,
                });
            }
            if next != Some(first) && first > 0 {
                sums.push((first - 1, sum));
            }
            sum = sum.saturating_add(bytes);
            sums.push((through, sum));
            next = through.checked_add(1);
        }
        if sums.last().is_none_or(|&(end, _)| end < space.last()) {
            sums.push((space.last(), sum));
        }
        Ok(Self {
            form: Form::Lines,
            sums,
        })
    }

    /// All bytes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sums.last().map_or(0, |&(_, sum)| sum)
    }

    /// The bytes of a range.
    #[must_use]
    pub fn of(&self, range: &Move) -> u64 {
        self.within(range.space, range.after, range.through)
    }

    /// The bytes of `(after, through]`.
    pub(crate) fn within(&self, space: Space, after: u128, through: u128) -> u64 {
        let [from, to] = [after, through].map(|at| self.up_to(at));
        if after < through {
            to - from
        } else {
            // Round the end, or all of it.
            (self.up_to(space.last()) - from).saturating_add(to)
        }
    }

    /// The bytes at positions up to this one.
    fn up_to(&self, position: u128) -> u64 {
        let next = self.sums.partition_point(|&(at, _)| at < position);
        let before = next.checked_sub(1).map(|before| self.sums[before]);
        let sum = before.map_or(0, |(_, sum)| sum);
        let Some(&(at, total)) = self.sums.get(next) else {
            return sum;
        };
        match self.form {
            _ if at == position => total,
            Form::Steps => sum,
            Form::Lines => {
                let first = before.map_or(0, |(at, _)| at + 1);
                sum + part(total - sum, position - first, at - first)
            }
        }
    }

    /// The last position up to which `(after, through]` holds at most so many bytes; `None` if there is none,
    /// since already the first that holds any holds more.
    pub(crate) fn cut(&self, space: Space, after: u128, through: u128, most: u64) -> Option<u128> {
        // By halves: the sum rises with the distance from `after`.
        let length = if after < through {
            through - after
        } else {
            (space.last() - after)
                .saturating_add(through)
                .saturating_add(1)
        };
        let at = |distance: u128| {
            let to_end = space.last() - after;
            if distance <= to_end {
                after + distance
            } else {
                distance - to_end - 1
            }
        };
        let fits = |distance: u128| self.within(space, after, at(distance)) <= most;
        let (mut low, mut high) = (0, length);
        while low < high {
            let middle = high - (high - low) / 2;
            if fits(middle) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (low > 0).then(|| at(low))
    }
}

/// The bytes of the first `distance` and one of `length` and one positions, which hold so many.
fn part(bytes: u64, distance: u128, length: u128) -> u64 {
    // Down to 64 bits, so that the product fits.
    let shift = 64u32.saturating_sub(length.leading_zeros());
    let [distance, length] = [distance, length].map(|it| (it >> shift) + 1);
    let part = u128::from(bytes) * distance.min(length) / length;
    u64::try_from(part).unwrap_or(bytes)
}
