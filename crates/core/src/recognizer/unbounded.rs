//! States whose texts are bounded, seen without the bounds.
//!
//! A pattern beside a greatest length takes a state for each number of characters that may still come, and each of
//! them remembers where in the pattern it is, so that hardly any character leaves it as it is. But as long as the
//! bounds are not near, what a token without an end of the text in it does to such a state is what it does without
//! them: so the states of all lengths share one walk, and only tokens with an end in them are walked for each.

use std::ops::RangeInclusive;

use super::automaton::Automaton;
use super::state::StateId;
use super::stretch::Stretch;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId, WithoutBounds};
use crate::vocabulary::{Signature, Vocabulary};

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
    /// How many characters there must be at least, where the text is not in the middle of one: then what is left with the
    /// bounds is what is left without them, as far as so many characters come to it.
    pub(crate) minimum: Option<u32>,
    /// What follows the text, where that is known.
    ending: ExpressionId,
}

impl Automaton {
    /// The state without the bounds of the text that it begins with; `None` for states that are better walked by their
    /// [stretch](super::stretch), in which all characters are that many tokens have, and which is longer than most tokens.
    pub(crate) fn unbounded(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<Unbounded>> {
        if state.is_nullable() || state.captures() || self.partly_repeated_kinds(state)?.is_empty() {
            return Ok(None);
        }
        let Some((unbounded, found)) = self.without_bounds(state, deadline)? else { return Ok(None) };
        let Some(kinds) = found.kinds_before() else { return Ok(None) };
        let WithoutBounds { characters, maximum, minimum, ending, .. } = found;
        let slice = vocabulary.slice(kinds);
        let (_, long) = slice.split_by_length(characters, vocabulary);
        let is_near = found.is_conditioned && long.len() > Stretch::MOST_LONG_TOKENS;
        if !is_near && !self.is_any_length_remembering(state, unbounded, deadline)? {
            return Ok(None);
        }
        Ok(Some(Unbounded { state: unbounded, kinds, characters, maximum, minimum, ending }))
    }

    /// Another state without the bounds of the text that a state begins with.
    pub(super) fn without_bounds(
        &self,
        state: StateId,
        deadline: &Deadline,
    ) -> Result<Option<(StateId, WithoutBounds)>> {
        let found = self.grow(|growing| {
            let (expressions, bounded) = (&mut growing.grammar.expressions, self.cell(state).expression);
            let found = expressions.within(deadline, |store| store.without_bounds_at_head(bounded));
            found.map(|found| Ok((self.intern(growing, found.expression)?, found))).transpose()
        })?;
        Ok(found.filter(|&(unbounded, _)| unbounded != state))
    }

    /// Whether states of a text read common characters that their stretch leaves out. Those of all lengths are much alike, so
    /// one of them is asked, and what it says is kept for the state without bounds.
    pub(super) fn is_any_length_remembering(
        &self,
        state: StateId,
        unbounded: StateId,
        deadline: &Deadline,
    ) -> Result<bool> {
        let known = &self.cell(unbounded).facts().is_remembering;
        if let Some(&known) = known.get() {
            return Ok(known);
        }
        let is_remembering = self.without_part_limit(unbounded, deadline)?.is_some()
            || self.is_remembering(state, deadline)?;
        Ok(*known.get_or_init(|| is_remembering))
    }

    /// Whether a state reads common characters that its stretch leaves out.
    fn is_remembering(&self, state: StateId, deadline: &Deadline) -> Result<bool> {
        let stretch = self.stretch(state, deadline)?;
        Ok(!self.partly_repeated_kinds(state)?.without(stretch.kinds).is_rare())
    }

    /// Whether something is left to a state that tokens lead to in a text without its bounds, if so many characters more may
    /// be in the text; `None` where other things may be read.
    pub(crate) fn is_left_within(
        &self,
        state: StateId,
        unbounded: &Unbounded,
        characters: RangeInclusive<u32>,
        deadline: &Deadline,
    ) -> Result<Option<bool>> {
        self.grow(|growing| {
            let (grammar, whole) = (&mut growing.grammar, self.cell(state).expression);
            let bounded = grammar.expressions.with_characters_left(whole, unbounded.ending, characters);
            let is_left = bounded
                .map(|bounded| grammar.emptiness.is_alive(&mut grammar.expressions, bounded, deadline));
            is_left.transpose()
        })
    }
}

impl WithoutBounds {
    /// The kinds of characters with which nothing begins that follows the text; `None` where that may begin within one.
    pub(super) fn kinds_before(&self) -> Option<Signature> {
        let is_plain = self.after.intersection(&ByteSet::range(0x80, 0xBF)).is_empty();
        is_plain.then(|| Signature::of_any(&ByteSet::ALL).without(Signature::of_any(&self.after)))
    }
}
