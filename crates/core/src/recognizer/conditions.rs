//! States of JSON strings under several conditions, by those under each of them.

use super::automaton::Automaton;
use super::state::StateId;
use crate::budget::Deadline;
use crate::error::Result;

impl Automaton {
    /// The states of a JSON string under each of its conditions by itself: what all of these read is what the state reads. None
    /// where it has fewer than two, or they may exclude each other. Lock-free once it is known.
    pub(crate) fn conditions(&self, state: StateId, deadline: &Deadline) -> Result<&[StateId]> {
        let cell = self.cell(state);
        let kept = &cell.facts().conditions;
        if let Some(states) = kept.get() {
            return Ok(states);
        }
        let states = self.grow(|growing| {
            let grammar = &mut growing.grammar;
            let Some(found) = grammar.expressions.conditions_apart(cell.expression) else {
                return Ok(Box::default());
            };
            if !grammar.emptiness.is_alive(&mut grammar.expressions, found.unbegun, deadline)? {
                return Ok(Box::default());
            }
            found.each.into_iter().map(|one| self.intern(growing, one)).collect::<Result<_>>()
        })?;
        Ok(kept.get_or_init(|| states))
    }
}
