//! Where a matcher stands, and what keeps the states of its history.
//!
//! States mean nothing outside of their [`Generation`], but for the first, which is the same in all. So a matcher holds a
//! generation as long as it has read something. At the beginning of a text it takes the current one whenever something is
//! asked of it, and lets go of it again: one that waits for its text, or is kept for the next, keeps nothing alive that its
//! constraint has left behind.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{Configuration, Input, Step};
use crate::constraint::Constraint;
use crate::generation::Generation;
use crate::recognizer::{Pair, SharedFrame, StateId};

/// A history, and the generation that the states of all its steps are of.
#[derive(Clone)]
pub(super) struct Position {
    /// Not set at the beginning of a text, but while something is asked there.
    generation: OnceLock<Arc<Generation>>,
    pub(super) step: Arc<Step>,
}

impl std::fmt::Debug for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Position").field(&self.step).finish()
    }
}

impl Position {
    /// Before the first step.
    pub(super) fn start(constraint: &Constraint) -> Self {
        Self::before_any_step(constraint.generation().automaton.start())
    }

    /// Before the first step, in a generation.
    pub(super) fn start_in(generation: Arc<Generation>) -> Self {
        let at = Self::before_any_step(generation.automaton.start());
        Self { generation: OnceLock::from(generation), ..at }
    }

    fn before_any_step(start: StateId) -> Self {
        let complete = start.is_nullable();
        let start = Pair { state: start, frame: SharedFrame::bottom() };
        let pairs = if start.state.continues() { SmallVec::from_iter([start]) } else { SmallVec::new() };
        let configuration = Configuration { pairs, complete, finished: false };
        let step = Arc::new(Step { configuration, input: Input::Nothing, previous: None, count: 0 });
        Self { generation: OnceLock::new(), step }
    }

    /// The generation of its states; at the beginning of a text the current one, held from then on.
    pub(super) fn generation(&self, constraint: &Constraint) -> &Arc<Generation> {
        self.generation.get_or_init(|| constraint.generation())
    }

    /// Lets go of the generation, at the beginning of a text.
    pub(super) fn let_go(&mut self) {
        if self.step.count == 0 {
            self.generation.take();
        }
    }
}
