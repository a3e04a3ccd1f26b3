//! States that differ little from others of which more is known.
//!
//! In the middle of a tag of free text there are as many states as the tags have bytes, and nearly all tokens do to
//! each what they do to prose of which no tag has begun.

use super::automaton::Automaton;
use super::state::StateId;
use crate::error::Result;

impl Automaton {
    /// A state that makes nearly the same of the vocabulary: that of free text of which no tag has begun.
    pub(crate) fn neighbour(&self, state: StateId) -> Result<Option<StateId>> {
        if !self.reads_free_text() {
            return Ok(None);
        }
        let cell = self.cell(state);
        if let Some(&neighbour) = cell.facts().neighbour.get() {
            return Ok(neighbour);
        }
        let neighbour = self.grow(|growing| {
            let unread = growing.grammar.expressions.with_unread_free_text(cell.expression);
            unread.map(|unread| self.intern(growing, unread)).transpose()
        })?;
        Ok(*cell.facts().neighbour.get_or_init(|| neighbour))
    }
}
