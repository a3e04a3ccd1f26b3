//! Limits on the work that one compile or one step may take.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// The greatest number of states explored to decide whether one intersection or complement is empty; an intersection of
    /// many operands counts for half as many.
    pub emptiness: usize,
    /// The greatest size of the cached masks of one constraint, in bytes; past it the cache starts afresh.
    /// Beside them up to a quarter of it is kept for walks, all of it once more for moves of states, and all of it once more
    /// for unions of states and moves on tokens; past it they are computed anew.
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
    /// What may end a compile before its time is over. It is no limit on a constraint, which does not keep it.
    pub interruption: Option<Interruption>,
}

impl Budget {
    /// The deepest nesting whatever is asked for: derivatives and questions about schemas follow operands by native
    /// recursion, and so deep there is stack for it, whatever the calling thread has.
    pub const DEEPEST_NESTING: usize = 1000;

    /// The deepest nesting that is taken.
    pub(crate) fn greatest_nesting(&self) -> usize {
        self.nesting.min(Self::DEEPEST_NESTING)
    }

    /// The same limits, with nothing that ends a compile before its time.
    pub(crate) fn uninterrupted(&self) -> Self {
        Self { interruption: None, ..self.clone() }
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
            interruption: None,
        }
    }
}

/// Ends compiles before their time, with [`Error::Interrupted`](crate::Error::Interrupted): at a moment, or when another
/// thread asks for it. Copies of it are one.
///
/// It is looked at some fifty times a second. What the compile gives once it has ended may be any error, or even a result,
/// since what could not be decided may be left open: ask [`has_come`](Self::has_come), and use nothing of it.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    at: Option<Instant>,
    has_come: Arc<AtomicBool>,
}

impl Interruption {
    /// How often it is looked at.
    const EVERY: Duration = Duration::from_millis(20);

    /// One that comes when so much time has gone by.
    pub fn after(time: Duration) -> Self {
        Self { at: Instant::now().checked_add(time), ..Self::default() }
    }

    /// Lets it come now.
    pub fn come(&self) {
        self.has_come.store(true, Ordering::Relaxed);
    }

    /// Whether a compile was told to end by it, or is to be.
    pub fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }

    /// Whether it is time to end.
    fn is_due(&self) -> bool {
        if self.at.is_some_and(|at| Instant::now() >= at) {
            self.come();
        }
        self.has_come()
    }
}

impl PartialEq for Interruption {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.has_come, &other.has_come)
    }
}

impl Eq for Interruption {}

/// The time by which something has to be done.
#[derive(Debug)]
pub(crate) struct Deadline {
    /// When the clock was first asked.
    start: OnceCell<Instant>,
    allowed: Duration,
    budget: &'static str,
    /// What has to be done by then.
    what: &'static str,
    interruption: Option<Interruption>,
    /// How much time has gone by when the interruption is to be looked at again.
    next_look: Cell<Duration>,
    /// How many checks are still to go by before the clock is asked again.
    unasked: Cell<u8>,
    /// How much time had gone by when the clock was last asked.
    asked: Cell<Duration>,
}

impl Deadline {
    /// How many checks go by unasked where they come fast: asking the clock takes as long as a small piece of work.
    const UNASKED: u8 = 7;
    /// So much time between two times the clock was asked means that checks come slowly, and each asks it.
    const SLOW: Duration = Duration::from_micros(200);

    /// A compile begins now.
    pub(crate) fn for_compile(budget: &Budget) -> Self {
        let start = OnceCell::from(Instant::now());
        Self {
            start,
            allowed: budget.compile_time,
            budget: "compile_time",
            what: "by one compile",
            interruption: budget.interruption.clone(),
            next_look: Cell::new(Interruption::EVERY),
            unasked: Cell::default(),
            asked: Cell::default(),
        }
    }

    /// A step begins soon: when the deadline is first checked, since most steps are over before that.
    pub(crate) fn for_step(budget: &Budget) -> Self {
        Self {
            start: OnceCell::new(),
            allowed: budget.step_time,
            budget: "step_time",
            what: "by one step",
            interruption: None,
            next_look: Cell::default(),
            unasked: Cell::default(),
            asked: Cell::default(),
        }
    }

    /// Asks the clock, every time where checks come slowly and else every [few](Self::UNASKED) times: a nanosecond, or a few
    /// dozen.
    ///
    /// # Errors
    /// [`Error::BudgetExceeded`] when the time is over, and [`Error::Interrupted`] where it need not be done any more; so again
    /// whenever it is checked after that.
    pub(crate) fn check(&self) -> Result<()> {
        match self.unasked.get().checked_sub(1) {
            Some(unasked) => self.unasked.set(unasked),
            None => self.ask_clock()?,
        }
        Ok(())
    }

    fn ask_clock(&self) -> Result<()> {
        let elapsed = self.start.get_or_init(Instant::now).elapsed();
        if elapsed > self.allowed {
            return Err(self.exceeded());
        }
        if let Some(interruption) = &self.interruption
            && elapsed >= self.next_look.get()
        {
            if interruption.is_due() {
                return Err(Error::Interrupted);
            }
            self.next_look.set(elapsed + Interruption::EVERY);
        }
        let is_fast = elapsed - self.asked.replace(elapsed) < Self::SLOW;
        self.unasked.set(if is_fast { Self::UNASKED } else { 0 });
        Ok(())
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
    fn a_compile_ends_when_it_is_interrupted() {
        let interruption = Interruption::default();
        let budget = Budget { interruption: Some(interruption.clone()), ..Budget::default() };
        let (compile, step) = (Deadline::for_compile(&budget), Deadline::for_step(&budget));
        std::thread::sleep(Interruption::EVERY);
        assert_eq!(compile.check(), Ok(()));
        interruption.come();
        // It is not looked at again at once, and by a step never.
        while compile.check().is_ok() {
            assert_eq!(step.check(), Ok(()));
        }
        assert_eq!(compile.check(), Err(Error::Interrupted));
    }

    #[test]
    fn checks_that_come_slowly_ask_the_clock_each_time() {
        let deadline = Deadline::for_step(&Budget { step_time: 8 * Deadline::SLOW, ..Budget::default() });
        let mut slow = 0;
        while deadline.check().is_ok() {
            slow += 1;
            std::thread::sleep(Deadline::SLOW);
        }
        // The first comes at no time at all after the beginning, and so some after it are not asked.
        assert!(slow <= 8 + u32::from(Deadline::UNASKED), "{slow}");
        assert!(deadline.check().is_err());
    }

    #[test]
    fn checks_that_come_fast_find_the_end_soon() {
        let deadline = Deadline::for_step(&Budget { step_time: 4 * Deadline::SLOW, ..Budget::default() });
        let begun = Instant::now();
        while deadline.check().is_ok() {}
        assert!(begun.elapsed() >= 4 * Deadline::SLOW && deadline.check().is_err());
    }

    #[test]
    fn an_interruption_comes_when_its_time_is_over() {
        let interruption = Interruption::after(2 * Interruption::EVERY);
        let budget = Budget { interruption: Some(interruption.clone()), ..Budget::default() };
        let begun = Instant::now();
        let compile = Deadline::for_compile(&budget);
        while compile.check().is_ok() {
            assert!(!interruption.has_come());
        }
        assert!(interruption.has_come());
        assert!(begun.elapsed() >= 2 * Interruption::EVERY);
    }

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
