//! What a state does with characters of some kinds: loops on them, or begins with a run of them, or with fixed
//! strings.
//!
//! Walks ask this of a state to take whole slices of the vocabulary. A loop stays in the very same state; a state
//! that only goes to and fro, or counts, has a [stretch](super::stretch) instead.

use super::automaton::Automaton;
use super::characters::Step;
use super::state::{Move, StateId};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{ByteSet, LiteralRange, PlainString, Spelled, Spelling};
use crate::vocabulary::Signature;

/// A state taken apart: a run of characters of some kinds, so many at least and at most, and then another
/// state, which begins with none of them and is not complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateRun {
    pub(crate) kinds: Signature,
    pub(crate) minimum: u32,
    pub(crate) maximum: u32,
    pub(crate) rest: StateId,
}

/// Characters of the commonest kinds.
pub(super) const COMMON: [u8; 3] = [b'e', b'0', b' '];

impl Automaton {
    /// The run that a state begins with.
    pub(crate) fn run(&self, state: StateId, deadline: &Deadline) -> Result<Option<StateRun>> {
        let cell = self.cell(state);
        if let Some(&run) = cell.facts().run.get() {
            return Ok(run);
        }
        let found = self.grow(|growing| {
            let defined = growing.grammar.with_defined_heads(cell.expression, deadline)?;
            let run = growing.grammar.expressions.leading_run(defined);
            run.map(|run| Ok((self.intern(growing, run.rest)?, run))).transpose()
        })?;
        let mut state_run = None;
        if let Some((rest, run)) = found.filter(|(rest, _)| !rest.is_nullable())
            && let kinds = Signature::of_any(&run.bytes)
            && kinds.is_ascii()
            && kinds.first_bytes() == run.bytes
            && run.bytes.intersection(self.first_bytes(rest, deadline)?).is_empty()
        {
            state_run = Some(StateRun { kinds, minimum: run.minimum, maximum: run.maximum, rest });
        }
        Ok(*cell.facts().run.get_or_init(|| state_run))
    }

    /// The JSON string of any characters that a state reads, with its last quote, if that is all that it reads.
    pub(crate) fn plain_string(&self, state: StateId) -> Result<Option<PlainString>> {
        self.with_expressions(|expressions| expressions.plain_string(self.cell(state).expression))
    }

    /// Whether a state stands within JSON strings, of which each goes on up to its closing quote.
    pub(crate) fn is_within_strings(&self, state: StateId) -> Result<bool> {
        self.with_expressions(|expressions| expressions.is_within_strings(self.cell(state).expression))
    }

    /// The state that reads a JSON string of any characters and any length, spelled so, with its last quote.
    pub(crate) fn plain_string_of_any_length(&self, spelling: Spelling) -> Result<StateId> {
        self.grow(|growing| {
            let expression = growing.grammar.expressions.plain_string_of_any_length(spelling);
            self.intern(growing, expression)
        })
    }

    /// The fixed strings that a state begins with.
    pub(crate) fn spelled(&self, state: StateId) -> Result<Option<Spelled>> {
        self.with_expressions(|expressions| expressions.spelled(self.cell(state).expression))
    }

    /// The state where of the fixed strings that one began with fewer, or less of each, are left.
    pub(crate) fn spelled_from(&self, spelled: &Spelled, range: LiteralRange) -> Result<StateId> {
        self.grow(|growing| {
            let expression = growing.grammar.expressions.spelled_from(spelled, range);
            self.intern(growing, expression)
        })
    }

    /// The bytes with which characters of some kinds begin, as far as tokens hold them.
    pub(crate) fn first_of(&self, kinds: Signature) -> ByteSet {
        kinds.first_bytes().intersection(&self.alphabet)
    }

    /// Whether a state loops on a character of those without which it is not worth asking for its [`loops`](Self::loops).
    pub(crate) fn loops_on_common(&self, state: StateId, deadline: &Deadline) -> Result<bool> {
        for byte in COMMON {
            if matches!(self.step(state, byte, deadline)?, Move::Stay(next) if next == state) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The kinds of characters after which the state is what it was, and its frame never complete: any
    /// text made of them stays in the frame.
    pub(crate) fn loops(&self, state: StateId, deadline: &Deadline) -> Result<Signature> {
        let cell = self.cell(state);
        if let Some(&loops) = cell.facts().loops.get() {
            return Ok(loops);
        }
        // A state that comes back to itself over a byte repeats something that begins with it.
        let mut kinds = if state.is_nullable() { Signature::EMPTY } else { self.repeated_kinds(state)? };
        let loops = loop {
            match self.read_characters(state, &self.first_of(kinds), deadline)? {
                Step::Stays(after) => {
                    let changing = after.iter().filter(|&&(next, _)| next != state);
                    break changing.fold(kinds, |loops, &(_, changing)| loops.without(changing));
                }
                Step::Leaves(leaving) => kinds = kinds.without(leaving),
            }
        };
        Ok(*cell.facts().loops.get_or_init(|| loops))
    }
}
