//! [`Draws`]: what an engine asks of a key.

use alloc::vec::Vec;

use keyroute_core::buckets::{below, jump_back_hash, word};

/// The pseudo-random numbers of one key.
///
/// The engines [`AnchorBuckets`](crate::AnchorBuckets), [`GrowableBuckets`](crate::GrowableBuckets),
/// [`MementoBuckets`](crate::MementoBuckets) and [`DxBuckets`](crate::DxBuckets) are generic over it, so
/// that they answer as another system once its hash functions are put in their place. Natively they draw
/// [`Words`] or [`JumpBackWords`].
///
/// Implementors: an answer depends on the key, the arguments and the draws before it, on nothing else,
/// and is below the bound. An engine that is given a greater number answers `None`.
///
/// ```
/// use keyroute_anchor::{Buckets, Draws, DxBuckets};
///
/// /// Counts up from a number.
/// struct Up(u32);
///
/// impl Draws for Up {
///     fn first(&mut self, buckets: u32) -> u32 {
///         self.0 % buckets
///     }
///     fn next(&mut self, _left: u32, bound: u32) -> u32 {
///         self.0 += 1;
///         self.0 % bound
///     }
/// }
///
/// let mut dx = DxBuckets::new(8)?;
/// dx.insert(5);
/// dx.insert(1);
/// assert_eq!(dx.bucket_by(&mut Up(3)), Some(5));
/// assert_eq!(dx.bucket_by(&mut Up(6)), Some(1));
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
pub trait Draws {
    /// The key's first bucket, of so many.
    fn first(&mut self, buckets: u32) -> u32;

    /// A further number below `bound`, asked for because the bucket that came before has left.
    fn next(&mut self, left: u32, bound: u32) -> u32;
}

/// The pseudo-random words of a hash from number 0 on, each scaled to the bound: the native draws of
/// [`AnchorBuckets`](crate::AnchorBuckets) and [`DxBuckets`](crate::DxBuckets).
///
/// ```
/// use keyroute_anchor::{Draws, Words, buckets::{below, word}};
///
/// let mut words = Words::new(7);
/// assert_eq!(words.first(100), below(word(7, 0), 100));
/// assert_eq!(words.next(3, 50), below(word(7, 1), 50));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Words {
    hash: u64,
    number: u64,
}

impl Words {
    /// The words of this hash.
    #[must_use]
    pub fn new(hash: u64) -> Self {
        Self { hash, number: 0 }
    }

    fn draw(&mut self, bound: u32) -> u32 {
        let word = word(self.hash, self.number);
        self.number += 1;
        below(word, bound)
    }
}

impl Draws for Words {
    fn first(&mut self, buckets: u32) -> u32 {
        self.draw(buckets)
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        self.draw(bound)
    }
}

/// JumpBack first, then the words from number 2^32 on, which JumpBack does not reach: the native draws of
/// [`GrowableBuckets`](crate::GrowableBuckets) and [`MementoBuckets`](crate::MementoBuckets).
///
/// ```
/// use keyroute_anchor::{Draws, JumpBackWords, buckets::{below, jump_back_hash, word}};
///
/// let mut words = JumpBackWords::new(7);
/// assert_eq!(Some(words.first(100)), jump_back_hash(7, 100));
/// assert_eq!(words.next(3, 50), below(word(7, 1 << 32), 50));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JumpBackWords(Words);

impl JumpBackWords {
    /// The draws of this hash.
    #[must_use]
    pub fn new(hash: u64) -> Self {
        Self(Words {
            hash,
            number: 1 << 32,
        })
    }
}

impl Draws for JumpBackWords {
    fn first(&mut self, buckets: u32) -> u32 {
        // Engines ask for 1 to MAX_BUCKETS; anything else is answered with a number that is refused.
        jump_back_hash(self.0.hash, buckets).unwrap_or(buckets)
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        self.0.draw(bound)
    }
}

/// Draws that remember which buckets they were asked to pass, for explanations.
///
/// ```
/// use keyroute_anchor::{Buckets, DxBuckets, Recorded, Words};
///
/// let mut dx = DxBuckets::new(8)?;
/// dx.insert(5);
/// let mut draws = Recorded::new(Words::new(7));
/// assert_eq!(dx.bucket_by(&mut draws), Some(5));
/// assert!(!draws.left().contains(&5));
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorded<D> {
    draws: D,
    left: Vec<u32>,
}

impl<D> Recorded<D> {
    /// These draws; nothing is remembered yet.
    #[must_use]
    pub fn new(draws: D) -> Self {
        let left = Vec::new();
        Self { draws, left }
    }

    /// The buckets that came up and had left, in order.
    #[must_use]
    pub fn left(self) -> Vec<u32> {
        self.left
    }
}

impl<D: Draws> Draws for Recorded<D> {
    fn first(&mut self, buckets: u32) -> u32 {
        self.draws.first(buckets)
    }

    fn next(&mut self, left: u32, bound: u32) -> u32 {
        self.left.push(left);
        self.draws.next(left, bound)
    }
}

/// A number drawn, unless it is not below the bound: the walk to a bucket ends only because bounds fall.
pub(crate) fn checked(drawn: u32, bound: u32) -> Option<u32> {
    (drawn < bound).then_some(drawn)
}
