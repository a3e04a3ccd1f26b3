//! States whose texts are bounded, seen without the bounds.
//!
//! A pattern beside a greatest length takes a state for each number of characters that may still come, and each of
//! them remembers where in the pattern it is, so that hardly any character leaves it as it is. But as long as the
//! bounds are not near, what a token without an end of the text in it does to such a state is what it does without
//! them: so the states of all lengths share one walk, and only tokens with an end in them are walked for each.

use super::automaton::Automaton;
use super::state::StateId;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{ByteSet, WithoutBounds};
use crate::vocabulary::Signature;

/// A state without the bounds of the text that it begins with, and for which tokens that makes no difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unbounded {
    pub(crate) state: StateId,
    /// The kinds of characters that stand for themselves, and do not end the text. Tokens of these alone stay in the frame
    /// in both, or in none.
    pub(crate) kinds: Signature,
    /// Tokens of up to so many characters, that is.
    pub(crate) characters: u32,
    /// Longer tokens of these kinds can't be read with the bounds.
    pub(crate) maximum: u32,
}

impl Automaton {
    /// The state without the bounds of the text that it begins with; `None` for states that are better walked by their
    /// [stretch](super::stretch), in which all characters are that many tokens have.
    pub(crate) fn unbounded(&self, state: StateId, deadline: &Deadline) -> Result<Option<Unbounded>> {
        if state.is_nullable() || state.captures() || self.partly_repeated_kinds(state)?.is_empty() {
            return Ok(None);
        }
        let found = self.grow(|growing| {
            let (expressions, bounded) = (&mut growing.grammar.expressions, self.cell(state).expression);
            let found = expressions.within(deadline, |store| store.without_bounds_at_head(bounded));
            found.map(|found| Ok((self.intern(growing, found.expression)?, found))).transpose()
        })?;
        let Some((unbounded, WithoutBounds { characters, maximum, after, .. })) = found else {
            return Ok(None);
        };
        if unbounded == state || !after.intersection(&ByteSet::range(0x80, 0xBF)).is_empty() {
            return Ok(None);
        }
        // The states of all lengths are much alike, so one of them is asked.
        let is_remembering = &self.cell(unbounded).facts().is_remembering;
        let is_remembering = match is_remembering.get() {
            Some(&known) => known,
            None => {
                let stretch = self.stretch(state, Signature::EMPTY, true, deadline)?;
                let missing = self.partly_repeated_kinds(state)?.without(stretch.kinds);
                *is_remembering.get_or_init(|| !missing.is_rare())
            }
        };
        let kinds = Signature::of_any(&ByteSet::ALL).without(Signature::of_any(&after));
        Ok(is_remembering.then_some(Unbounded { state: unbounded, kinds, characters, maximum }))
    }
}
