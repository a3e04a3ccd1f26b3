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

/// Characters of the commonest kinds. A state that changes over all of them hardly loops on any other.
pub(crate) const COMMON: [u8; 3] = [b'e', b'0', b' '];

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

    /// The characters of ASCII that tokens hold.
    pub(crate) fn ascii(&self) -> ByteSet {
        self.alphabet.intersection(&ByteSet::range(0, 0x7F))
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

    /// The kinds of printable characters of ASCII each of which leads a state back to itself, whether its frame is complete there or
    /// not; none, where no common one does.
    pub(crate) fn comes_back_over(&self, state: StateId, deadline: &Deadline) -> Result<Signature> {
        let known = &self.cell(state).facts().comes_back_over;
        if let Some(&kinds) = known.get() {
            return Ok(kinds);
        }
        let mut left = self.first_bytes(state, deadline)?.intersection(&ByteSet::range(0x20, 0x7F));
        let mut back = ByteSet::EMPTY;
        for byte in COMMON {
            if left.contains(byte) {
                left = left.difference(&self.add_class_back(state, byte, &left, &mut back, deadline)?);
            }
        }
        if !back.is_empty() {
            while let Some(byte) = left.first() {
                left = left.difference(&self.add_class_back(state, byte, &left, &mut back, deadline)?);
            }
        }
        Ok(*known.get_or_init(|| Signature::all_within(&back, &self.ascii())))
    }

    /// Adds the bytes to which a state does the same as to one, and gives them, where they lead back to it.
    fn add_class_back(
        &self,
        state: StateId,
        byte: u8,
        among: &ByteSet,
        back: &mut ByteSet,
        deadline: &Deadline,
    ) -> Result<ByteSet> {
        let (after, class) = self.step_class(state, byte, among, deadline)?;
        if matches!(after, Move::Stay(next) if next == state) {
            *back = back.union(&class);
        }
        Ok(class)
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
