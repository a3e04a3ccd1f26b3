//! States that begin with a run of characters of a class, such as the letters of a name.
//!
//! [Loops](super::loops) and [stretches](super::stretch) are of kinds of characters, which are told by the first byte. Of
//! letters beyond ASCII, few kinds are read as a whole. But a repetition of a class of characters says by itself which they
//! are, so nothing need be read to know it: walks take the tokens made of them as one slice.

use super::automaton::Automaton;
use super::state::{Move, StateId};
use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::ExpressionStore;
use crate::vocabulary::{CharacterClass, CharacterRead, ClassId, Utf8State, Vocabulary};

/// A state taken apart: a run of characters of a class, so many at least and at most, and then another state, which begins
/// with none of them and captures nothing.
///
/// Where that is complete, so is the frame after each character from the least number on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassRun {
    pub(crate) class: ClassId,
    pub(crate) minimum: u32,
    pub(crate) maximum: u32,
    pub(crate) rest: StateId,
}

impl ClassRun {
    /// Whether the state is the same after each of the characters.
    pub(crate) fn is_loop(&self) -> bool {
        self.minimum == 0 && self.maximum == ExpressionStore::UNBOUNDED
    }
}

impl Automaton {
    /// The run of characters, some of them beyond ASCII, that a state begins with.
    pub(crate) fn class_run(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<ClassRun>> {
        let cell = self.cell(state);
        if let Some(&run) = cell.facts().class_run.get() {
            return Ok(run);
        }
        let found = self.grow(|growing| {
            let expressions = &mut growing.grammar.expressions;
            let Some(run) = expressions.character_run(cell.expression) else { return Ok(None) };
            let class = match growing.classes.get(&run.class) {
                Some(&known) => known,
                None => {
                    let ranges = expressions.characters_of(run.class);
                    let class = ranges.and_then(|ranges| vocabulary.class(&ranges));
                    growing.classes.insert(run.class, class);
                    class
                }
            };
            let Some(class) = class else { return Ok(None) };
            let rest = self.intern(growing, run.rest)?;
            Ok(Some(ClassRun { class, minimum: run.minimum, maximum: run.maximum, rest }))
        })?;
        let run = match found.filter(|run| !run.rest.captures()) {
            Some(run) if self.reads_none_of(run.rest, &vocabulary.class_of(run.class), deadline)? => {
                Some(run)
            }
            _ => None,
        };
        Ok(*cell.facts().class_run.get_or_init(|| run))
    }

    /// Whether a state can read no character of a class; says no where it is not soon found out.
    pub(crate) fn reads_none_of(
        &self,
        state: StateId,
        class: &CharacterClass,
        deadline: &Deadline,
    ) -> Result<bool> {
        const MOST_STEPS: usize = 512;
        let mut steps = 0;
        let mut waiting = vec![(state, CharacterRead::NONE)];
        while let Some((state, read)) = waiting.pop() {
            let mut left = match read.position() {
                Utf8State::BOUNDARY => class.first_bytes(),
                _ => ByteSet::range(0x80, 0xBF),
            };
            left = left.intersection(&self.alphabet).intersection(self.first_bytes(state, deadline)?);
            while let Some(byte) = left.first() {
                steps += 1;
                if steps > MOST_STEPS {
                    return Ok(false);
                }
                let (after, bytes) = self.step_class(state, byte, &left, deadline)?;
                left = left.difference(&bytes);
                if matches!(after, Move::Dead) {
                    continue;
                }
                for read in bytes.iter().filter_map(|byte| read.step(byte)) {
                    match (after, read.whole()) {
                        _ if !class.may_hold(read) => {}
                        (Move::Stay(after), None) => waiting.push((after, read)),
                        _ => return Ok(false),
                    }
                }
            }
        }
        Ok(true)
    }
}
