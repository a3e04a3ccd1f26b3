//! States that differ little from others of which more is known.
//!
//! In the middle of a tag of free text there are as many states as the tags have bytes, and nearly all tokens do to
//! each what they do to prose of which no tag has begun; to that, they do what they do to any text. So it is with JSON strings in which something is
//! looked for. Where a text must not
//! begin with some word, they do what they would after any character that begins no such word. And where a text may be made of so many
//! parts, such as words, at most, they do what they would if it were made of any number, but for those tokens that hold as many.

use super::automaton::Automaton;
use super::growing::Growing;
use super::loops::COMMON;
use super::state::{Move, StateId};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{
    AllowedText, AnyString, AnyText, ByteSet, ExpressionId, Separators, Sought, TextPairs, TextTables,
    Unread, WithoutBounds, WithoutPartLimit,
};
use crate::spelling::character_count;
use crate::vocabulary::Signature;

/// A state that makes nearly the same of the vocabulary as one in the middle of tags.
#[derive(Debug)]
pub(crate) struct UnreadState {
    /// That of free text of which no tag has begun.
    pub(crate) state: StateId,
    /// The free text of both, where that is all in which they differ.
    pub(crate) texts: Option<TextPairs>,
}

/// The state of any text, beside one of free text of which nothing has been read.
#[derive(Debug)]
pub(crate) struct AnyTextState {
    pub(crate) state: StateId,
    /// The free text, which is any text but for its strings.
    pub(crate) texts: TextTables,
}

/// The state of a string of any content, or of a text, beside one in which something is looked for.
#[derive(Debug)]
pub(crate) struct AnyStringState {
    pub(crate) state: StateId,
    /// What tells the two apart.
    pub(crate) sought: Sought,
}

/// The state of a text of any number of parts, beside one of so many at most.
#[derive(Debug)]
pub(crate) struct UnlimitedState {
    pub(crate) state: StateId,
    pub(crate) separators: Separators,
    /// Whether they are those of a JSON string, which escapes may stand for.
    pub(crate) is_string: bool,
    /// With up to so many of them, tokens do the same to both.
    pub(crate) count: u32,
}

/// The state of a text of any length, beside one whose greatest length is bounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyLengthState {
    pub(crate) state: StateId,
    /// Tokens of up to so many characters do the same to both.
    pub(crate) characters: u32,
    /// The greatest length.
    maximum: u32,
    /// What follows the text, and the bytes with which that can begin, or an escape in the text.
    ending: ExpressionId,
    after: ByteSet,
}

/// What a string leaves of a text of a bounded length, or of one of any length where that is the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LengthLeft {
    Nothing,
    State(StateId),
    /// That has to be read.
    Unknown,
}

impl Automaton {
    /// A state that reads fewer bytes is walked sooner than others that make nearly the same of the vocabulary are looked for.
    const LEAST_BYTES: usize = 128;

    /// A state that makes nearly the same of the vocabulary as a JSON string in whose content something is looked for: that of a
    /// string of any content.
    pub(crate) fn any_string(&self, state: StateId, deadline: &Deadline) -> Result<Option<AnyStringState>> {
        if state.is_nullable() || self.first_bytes(state, deadline)?.len() < Self::LEAST_BYTES {
            return Ok(None);
        }
        self.grow(|growing| {
            let (grammar, whole) = (&mut growing.grammar, self.cell(state).expression);
            let found = grammar.expressions.beside_any_string(whole);
            let Some(AnyString { mut expression, is_endless, unread, sought }) = found else {
                return Ok(None);
            };
            if unread != whole && !grammar.emptiness.is_alive(&mut grammar.expressions, unread, deadline)? {
                return Ok(None);
            }
            if is_endless {
                expression = grammar.expressions.followed_by_the_unread(expression);
            }
            let state = self.intern(growing, expression)?;
            Ok(Some(AnyStringState { state, sought }))
        })
    }

    /// A state that makes nearly the same of the vocabulary as a text in which some strings must not be found: that in which they may. Where
    /// nothing calls anything, it does not matter where a text ends.
    pub(crate) fn allowed_text(&self, state: StateId, deadline: &Deadline) -> Result<Option<AnyStringState>> {
        if state.is_nullable() && !self.has_one_rule()
            || state.captures()
            || self.first_bytes(state, deadline)?.len() < Self::LEAST_BYTES
        {
            return Ok(None);
        }
        self.grow(|growing| {
            let found = growing.grammar.expressions.beside_allowed_text(self.cell(state).expression);
            let Some(AllowedText { expression, sought }) = found else { return Ok(None) };
            Ok(Some(AnyStringState { state: self.intern(growing, expression)?, sought }))
        })
    }

    /// A state that makes nearly the same of the vocabulary as free text of which nothing has been read: that of any
    /// text, which never ends.
    pub(crate) fn any_text(&self, state: StateId) -> Result<Option<AnyTextState>> {
        if !self.reads_free_text() {
            return Ok(None);
        }
        self.grow(|growing| {
            let expressions = &mut growing.grammar.expressions;
            let found = expressions.beside_any_text(self.cell(state).expression);
            let Some(AnyText { expression, texts }) = found else { return Ok(None) };
            let endless = expressions.followed_by_the_unread(expression);
            Ok(Some(AnyTextState { state: self.intern(growing, endless)?, texts }))
        })
    }

    /// A state that makes nearly the same of the vocabulary as a text of which parts, such as words, may be so many at most: that
    /// where they may be any number. `None` where too many tokens hold more than one of the characters that tell parts.
    pub(crate) fn without_part_limit(
        &self,
        state: StateId,
        deadline: &Deadline,
    ) -> Result<Option<UnlimitedState>> {
        if state.is_nullable() || state.captures() {
            return Ok(None);
        }
        let are_few = |first: &ByteSet| Signature::of_any(first).common().count() <= 1;
        let found = self.grow(|Growing { grammar, ids, .. }| {
            let limited = self.cell(state).expression;
            Ok(grammar.expressions.within(deadline, |store| {
                store.without_part_limit_at_head(limited, are_few, |id| ids.contains_key(&id))
            }))
        })?;
        let Some(WithoutPartLimit { expression, separators, is_string, count }) = found else {
            return Ok(None);
        };
        if self.partly_repeated_kinds(state)?.is_empty() {
            return Ok(None);
        }
        let state = self.grow(|growing| self.intern(growing, expression))?;
        Ok(Some(UnlimitedState { state, separators, is_string, count }))
    }

    /// A state that makes nearly the same of the vocabulary as a text under conditions of which only the greatest length is bounded: that
    /// of any length. `None` for states that are better walked by their [stretch](super::stretch).
    pub(crate) fn of_any_length(
        &self,
        state: StateId,
        deadline: &Deadline,
    ) -> Result<Option<AnyLengthState>> {
        let expression = self.cell(state).expression;
        if state.is_nullable()
            || state.captures()
            || !self.with_expressions(|expressions| expressions.begins_with_conditions(expression))?
            || self.partly_repeated_kinds(state)?.is_empty()
        {
            return Ok(None);
        }
        let found = self.without_bounds(state, deadline)?;
        let found = found.filter(|(_, found)| found.minimum == Some(0) && found.is_conditioned);
        let Some((unbounded, found)) = found else { return Ok(None) };
        if !self.is_any_length_remembering(state, unbounded, deadline)? {
            return Ok(None);
        }
        let WithoutBounds { characters, maximum, ending, after, .. } = found;
        Ok(Some(AnyLengthState { state: unbounded, characters, maximum, ending, after }))
    }

    /// What a string leaves of the text of a bounded length. The text of any length is read, so that no character takes a state that
    /// leaves it as it is.
    pub(crate) fn left_of_length(
        &self,
        any: &AnyLengthState,
        string: &[u8],
        deadline: &Deadline,
    ) -> Result<LengthLeft> {
        let is_whole = string.last().is_some_and(u8::is_ascii);
        if !is_whole || string.iter().any(|&byte| any.after.contains(byte)) {
            return Ok(LengthLeft::Unknown);
        }
        let mut state = any.state;
        for &byte in string {
            state = match self.step(state, byte, deadline)? {
                Move::Stay(next) => next,
                Move::Dead => return Ok(LengthLeft::Nothing),
                Move::Open(_) => return Ok(LengthLeft::Unknown),
            };
        }
        let count = character_count(string) as u32;
        let Some(left) = any.maximum.checked_sub(count) else { return Ok(LengthLeft::Nothing) };
        self.grow(|growing| {
            let (grammar, whole) = (&mut growing.grammar, self.cell(state).expression);
            let bounded = grammar.expressions.with_characters_left(whole, any.ending, 0..=left);
            let Some(bounded) = bounded else { return Ok(LengthLeft::Unknown) };
            if !grammar.emptiness.is_alive(&mut grammar.expressions, bounded, deadline)? {
                return Ok(LengthLeft::Nothing);
            }
            self.intern(growing, bounded).map(LengthLeft::State)
        })
    }

    /// A state that makes nearly the same of the vocabulary: that of free text of which no tag has begun.
    pub(crate) fn neighbour(&self, state: StateId) -> Result<Option<&UnreadState>> {
        if !self.reads_free_text() {
            return Ok(None);
        }
        let cell = self.cell(state);
        if let Some(neighbour) = cell.facts().neighbour.get() {
            return Ok(neighbour.as_deref());
        }
        let neighbour = self.grow(|growing| {
            let unread = growing.grammar.expressions.with_unread_free_text(cell.expression);
            let Some(Unread { expression, texts }) = unread else { return Ok(None) };
            Ok(Some(Box::new(UnreadState { state: self.intern(growing, expression)?, texts })))
        })?;
        Ok(cell.facts().neighbour.get_or_init(|| neighbour).as_deref())
    }

    /// The state that common characters lead to, whichever comes, and that any of them leaves as it is: as of a text that must
    /// not begin with some word, after any character that does not.
    pub(crate) fn settled(&self, state: StateId, deadline: &Deadline) -> Result<Option<StateId>> {
        /// Some of the characters that it begins end lines: what tells those from others does so at many nodes.
        const BEYOND_ASCII: u8 = 0xE2;
        if state.is_nullable() || self.first_bytes(state, deadline)?.len() < Self::LEAST_BYTES {
            return Ok(None);
        }
        let mut settled = None;
        for byte in COMMON {
            match self.step(state, byte, deadline)? {
                Move::Stay(next) if next != state && settled.is_none_or(|known| known == next) => {
                    settled = Some(next);
                }
                _ => return Ok(None),
            }
        }
        let Some(settled) = settled.filter(|settled| !settled.is_nullable()) else { return Ok(None) };
        for byte in COMMON {
            if !matches!(self.step(settled, byte, deadline)?, Move::Stay(next) if next == settled) {
                return Ok(None);
            }
        }
        let after = |state| match self.step(state, BEYOND_ASCII, deadline)? {
            Move::Stay(next) => Ok(Some(next)),
            _ => Ok(None),
        };
        let is_alike = after(state)? == after(settled)?;
        Ok(is_alike.then_some(settled))
    }
}
