//! What computing ahead may take.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::ahead::{AheadSource, Progress};
use crate::budget::Deadline;
use crate::error::Error;

/// Why computing ahead ends early.
pub(crate) enum Stop {
    Cancelled,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

pub(crate) type Outcome<T> = std::result::Result<T, Stop>;

/// The time of one compile, a quarter of the states and expressions of the constraint, and three quarters of its
/// cache, and of what its texts may add before new ones begin anew.
pub(crate) struct Allowance<'a> {
    source: AheadSource<'a>,
    deadline: Deadline,
    /// How often it was asked whether to go on.
    checks: Cell<u32>,
}

impl<'a> Allowance<'a> {
    const CHECKS_PER_COUNT: u32 = 16;

    /// The allowance of what begins now.
    pub(crate) fn new(source: AheadSource<'a>) -> Self {
        Self { source, deadline: Deadline::for_compile(source.budget), checks: Cell::new(0) }
    }

    /// What is computed from.
    pub(crate) fn source(&self) -> AheadSource<'a> {
        self.source
    }

    /// When it ends.
    pub(crate) fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// Tells how far it has come, and asks whether to go on.
    pub(crate) fn check(
        &self,
        report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        progress: &Progress,
    ) -> Outcome<()> {
        if report(progress).is_break() {
            return Err(Stop::Cancelled);
        }
        self.deadline.check()?;
        self.checks.set(self.checks.get().wrapping_add(1));
        // The counts take locks that texts may be waiting for.
        if !self.checks.get().is_multiple_of(Self::CHECKS_PER_COUNT) {
            return Ok(());
        }
        let AheadSource { automaton, cache, budget, .. } = self.source;
        let (added, crowded_at) = automaton.added_bytes()?;
        let limits = [
            ("cache_bytes", budget.cache_bytes, budget.cache_bytes / 4 * 3, cache.statistics().bytes),
            ("cache_bytes", crowded_at, crowded_at / 4 * 3, added),
            ("states", budget.states, budget.states / 4, automaton.state_count()),
            ("expressions", budget.expressions, budget.expressions / 4, automaton.expression_count()),
        ];
        for (budget, limit, part, used) in limits {
            if used > part {
                let what = "as far as computing ahead may go";
                return Err(Error::exceeded(budget, limit, what).into());
            }
        }
        Ok(())
    }
}
