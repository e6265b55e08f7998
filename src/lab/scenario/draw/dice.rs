//! Dice: seeded, so that the same seed draws the same scenarios on every machine and in every build.

use crate::lab::compute::mix;

/// A stream of throws.
#[derive(Debug, Clone)]
pub(super) struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    /// Dice of their own for these keys.
    pub(super) fn new(seed: u64, keys: &[u64]) -> Self {
        Self {
            seed: mix(seed, keys),
            thrown: 0,
        }
    }

    fn throw(&mut self) -> u64 {
        self.thrown += 1;
        mix(self.seed, &[self.thrown])
    }

    /// A number below `n`; 0 when `n` is 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.throw() % n).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low).unwrap_or(0) + 1;
        low + i64::try_from(self.throw() % span).unwrap_or(0)
    }

    /// True so many times of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them; `None` when there are none.
    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        let at = self.below(of.len());
        of.get(at).cloned()
    }

    /// All of them in another order.
    pub(super) fn shuffle<T>(&mut self, of: &mut [T]) {
        for at in (1..of.len()).rev() {
            let other = self.below(at + 1);
            of.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_throws_the_same() {
        let throws = |seed| {
            let mut dice = Dice::new(seed, &[3]);
            (0..20).map(|_| dice.between(-5, 5)).collect::<Vec<_>>()
        };
        assert_eq!(throws(1), throws(1));
        assert_ne!(throws(1), throws(2));
        assert!(throws(1).iter().all(|n| (-5..=5).contains(n)));
    }
}
