//! Limits on the work that one compile or one step may take.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use crate::error::{Error, Limit, Result};

/// The budgets of a compile and of every step after it.
///
/// Going past one ends in [`Error::BudgetExceeded`](crate::Error::BudgetExceeded), which names the field,
/// and leaves everything as it was. The defaults are far above what real grammars need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The greatest length of the text of a grammar, in bytes.
    pub grammar_bytes: usize,
    /// How deep groups of a pattern or operands of an expression may nest; more than
    /// [`DEEPEST_NESTING`](Self::DEEPEST_NESTING) is taken for that.
    pub nesting: usize,
    /// The greatest size of the expressions of one constraint, those met while matching included, of the cases into which
    /// a schema splits a value, and of the frames that moves open: nodes, members of lists and conditions, of about 50
    /// bytes each.
    pub expressions: usize,
    /// The greatest number of states of one constraint.
    pub states: usize,
    /// The greatest number of alternatives in one state, and of frames alive at once; of the ways back that the frames of one
    /// text hold, beside one each, a hundred times as many.
    pub items: usize,
    /// The greatest number of states explored to decide whether one intersection or complement is empty.
    pub emptiness: usize,
    /// The greatest size of the cached masks of one constraint, in bytes; past it the cache starts afresh.
    /// Beside it, a quarter as much is kept for walks, and as much each for moves of states and for unions of them; past it
    /// they are computed anew each time.
    /// One walk alone may take as much, or 64 MB where that is more. Where states and expressions that texts have added
    /// take as much, or 32 MB where that is more, new texts begin with empty tables.
    pub cache_bytes: usize,
    /// The greatest size of what all constraints of one compiler share, in bytes; past it the oldest half goes.
    pub pool_bytes: usize,
    /// The longest time that a compile may take.
    pub compile_time: Duration,
    /// The longest time that one step (one mask, one accepted token, one call for forced text) may take. Where the
    /// constraint begins anew for it, that takes the time of a compile beside it, and reading the text so far again another:
    /// within the time of a step, a long text could never go on.
    pub step_time: Duration,
}

impl Budget {
    /// The deepest nesting whatever is asked for: derivatives and questions about schemas follow operands by native
    /// recursion, and so deep there is stack for it, whatever the calling thread has.
    pub const DEEPEST_NESTING: usize = 1000;

    /// The deepest nesting that is taken.
    pub(crate) fn greatest_nesting(&self) -> usize {
        self.nesting.min(Self::DEEPEST_NESTING)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            grammar_bytes: 64 << 20,
            nesting: 500,
            expressions: 10_000_000,
            states: 2_000_000,
            items: 100_000,
            emptiness: 200_000,
            cache_bytes: 256 << 20,
            pool_bytes: 512 << 20,
            compile_time: Duration::from_secs(30),
            step_time: Duration::from_secs(30),
        }
    }
}

/// The time by which something has to be done.
#[derive(Debug)]
pub(crate) struct Deadline {
    /// When the clock was first asked.
    start: OnceCell<Instant>,
    allowed: Duration,
    budget: &'static str,
    /// What has to be done by then.
    what: &'static str,
}

impl Deadline {
    /// A compile begins now.
    pub(crate) fn for_compile(budget: &Budget) -> Self {
        let start = OnceCell::from(Instant::now());
        Self { start, allowed: budget.compile_time, budget: "compile_time", what: "by one compile" }
    }

    /// A step begins soon: when the deadline is first checked, since most steps are over before that.
    pub(crate) fn for_step(budget: &Budget) -> Self {
        Self { start: OnceCell::new(), allowed: budget.step_time, budget: "step_time", what: "by one step" }
    }

    /// Asks the clock; a few dozen nanoseconds.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] when the time is over.
    pub(crate) fn check(&self) -> Result<()> {
        if self.start.get_or_init(Instant::now).elapsed() <= self.allowed {
            return Ok(());
        }
        Err(self.exceeded())
    }

    /// When the time is over; `None` where that is never.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.start.get_or_init(Instant::now).checked_add(self.allowed)
    }

    /// That the time is over.
    pub(crate) fn exceeded(&self) -> Error {
        Error::exceeded(self.budget, Limit::Time(self.allowed), self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_with_their_unit() {
        for (compile_time, told) in [
            (Duration::from_micros(300), "of 300µs is used up"),
            (Duration::from_millis(1500), "of 1.5s is used up"),
        ] {
            let budget = Budget { compile_time, ..Budget::default() };
            let message = Deadline::for_compile(&budget).exceeded().to_string();
            assert!(message.contains(told), "{message}");
        }
    }
}
