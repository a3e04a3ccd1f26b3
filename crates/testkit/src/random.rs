//! A small, seeded source of random choices.

/// Every seed gives its own sequence, the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number less than `limit`, or 0 when that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit.max(1))
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        self.0.usize(least..=most)
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items; `None` when there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        self.0.choice(items)
    }
}
