//! States that begin with a run of characters of a class, such as the letters of a name.
//!
//! [Loops](super::loops) and [stretches](super::stretch) are of kinds of characters, which are told by the first byte. Of
//! letters beyond ASCII, few kinds are read as a whole. But a repetition of a class of characters says by itself which they
//! are, so nothing need be read to know it: walks take the tokens made of them as one slice.

use std::ops::RangeInclusive;

use super::automaton::Automaton;
use super::characters::Step;
use super::growing::Growing;
use super::state::{Move, StateId};
use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::{ClassString, ExpressionId, ExpressionStore, Spelling};
use crate::vocabulary::{
    CharacterClass, CharacterRead, ClassId, CodePointRange, Signature, Utf8State, Vocabulary,
    characters_begun_by, joined,
};

/// A state taken apart: a run of characters of a class, so many at least and at most, and then another state, which begins
/// with none of them and captures nothing.
///
/// Where that is complete, so is the frame after each character from the least number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassRun {
    pub(crate) class: ClassId,
    pub(crate) minimum: u32,
    pub(crate) maximum: u32,
    pub(crate) rest: StateId,
    /// Whether all of the class is ASCII.
    is_ascii: bool,
}

impl ClassRun {
    /// Whether the characters are told by their class. Those of ASCII are told by their kinds, of which many other states know the
    /// slices, but where the frame may be complete after each of so many at most.
    pub(crate) fn is_told_by_class(&self) -> bool {
        !self.is_ascii || self.rest.is_nullable()
    }

    /// Whether the state is the same after each of the characters.
    pub(crate) fn is_loop(&self) -> bool {
        self.minimum == 0 && self.maximum == ExpressionStore::UNBOUNDED
    }

    /// The same run after one of its characters, where each leaves the state as it is but for how many of them may come.
    pub(crate) fn after_one(&self) -> Option<Self> {
        let maximum = match self.maximum {
            ExpressionStore::UNBOUNDED => ExpressionStore::UNBOUNDED,
            bounded => bounded.checked_sub(1)?,
        };
        (self.minimum == 0).then_some(Self { maximum, ..*self })
    }
}

/// A state that begins with a JSON string taken apart: one character of a class, written as itself, and then another state, in
/// which the frame is not complete. Other than that, the string may begin with an escape only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeadingCharacter {
    pub(crate) class: ClassId,
    pub(crate) rest: StateId,
}

/// How most texts lead from a state to one that stays what it is.
#[derive(Clone, Debug)]
pub(crate) struct Leading {
    /// Each of these characters leads from each of the states to the next, and from the last to itself.
    pub(crate) class: ClassId,
    /// The state itself first. The frame is complete in none of them.
    pub(crate) states: Box<[StateId]>,
}

/// A state that reads a JSON string of characters of one class, with its last quote, and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct StringOfClass {
    pub(crate) class: ClassId,
    pub(crate) spelling: Spelling,
    /// How many characters are still to come, at least and at most; [`ExpressionStore::UNBOUNDED`] for no limit.
    pub(crate) characters: RangeInclusive<u32>,
}

impl Automaton {
    /// The JSON string of characters of one class that a state reads, with its last quote, if that is all that it reads.
    pub(crate) fn string_of_class(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
    ) -> Result<Option<StringOfClass>> {
        let found =
            self.with_expressions(|expressions| expressions.class_string(self.cell(state).expression))?;
        let Some(ClassString { class, spelling, characters }) = found else { return Ok(None) };
        let class = self.grow(|growing| Ok(class_of(growing, class, vocabulary)))?;
        Ok(class.map(|class| StringOfClass { class, spelling, characters }))
    }

    /// The character of a class of many that a state begins with, where that is of a JSON string.
    pub(crate) fn leading_character(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
    ) -> Result<Option<LeadingCharacter>> {
        let found = self.grow(|growing| {
            let expressions = &mut growing.grammar.expressions;
            let Some(leading) = expressions.leading_character(self.cell(state).expression) else {
                return Ok(None);
            };
            let Some(class) = class_of(growing, leading.class, vocabulary) else { return Ok(None) };
            let ascii = leading.raw.intersection(&ByteSet::range(0, 0x7F));
            let ascii = ascii.ranges().map(|(first, last)| (u32::from(first), u32::from(last)));
            let raw: Vec<CodePointRange> = ascii.chain([(0x80, u32::from(char::MAX))]).collect();
            let Some(class) = vocabulary.class(&common(vocabulary.class_of(class).ranges(), &raw)) else {
                return Ok(None);
            };
            Ok(Some(LeadingCharacter { class, rest: self.intern(growing, leading.rest)? }))
        })?;
        Ok(found.filter(|leading| !leading.rest.captures() && !leading.rest.is_nullable()))
    }

    /// The state that reads such a string of any length, of one that reads one.
    pub(crate) fn string_of_class_of_any_length(&self, state: StateId) -> Result<StateId> {
        self.grow(|growing| {
            let expressions = &mut growing.grammar.expressions;
            match expressions.class_string(self.cell(state).expression) {
                Some(string) => {
                    let any = expressions.class_string_of_any_length(&string);
                    self.intern(growing, any)
                }
                None => Ok(state),
            }
        })
    }

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
            let Some(class) = class_of(growing, run.class, vocabulary) else { return Ok(None) };
            let is_ascii = growing.grammar.expressions.first_bytes(run.class).is_ascii();
            let (minimum, maximum, rest) = (run.minimum, run.maximum, self.intern(growing, run.rest)?);
            Ok(Some(ClassRun { class, minimum, maximum, rest, is_ascii }))
        })?;
        let run = match found.filter(|run| !run.rest.captures()) {
            Some(run) if self.reads_none_of(run.rest, &vocabulary.class_of(run.class), deadline)? => {
                Some(run)
            }
            _ => None,
        };
        Ok(*cell.facts().class_run.get_or_init(|| run))
    }

    /// The class of the characters on which a state [loops](Self::loops), where these are most kinds of those beyond ASCII as a
    /// whole and others but for some characters, as all that end no line are. `None` where it is not so, or not soon found out.
    pub(crate) fn loop_class(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<ClassId>> {
        let cell = self.cell(state);
        if let Some(&class) = cell.facts().loop_class.get() {
            return Ok(class);
        }
        let kinds = self.loops(state, deadline)?;
        let partly = self.partly_begun(state, kinds, deadline)?;
        let mut class = None;
        if Signature::MOST_BEYOND_ASCII.is_within(kinds) && !partly.is_empty() {
            class = match self.with_alike(state, kinds, vocabulary)? {
                None => self.class_between((state, state), (kinds, &partly), vocabulary, deadline)?,
                alike => alike,
            };
            let has_more =
                |class: &CharacterClass| !class.first_bytes().difference(&kinds.first_bytes()).is_empty();
            class = class.filter(|&class| has_more(&vocabulary.class_of(class)));
        }
        Ok(*cell.facts().loop_class.get_or_init(|| class))
    }

    /// The states through which most texts lead from one to one that [loops on a class](Self::loop_class); `None` where it
    /// is not so, or not soon found out.
    pub(crate) fn leading(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<&Leading>> {
        let known = &self.cell(state).facts().leading;
        if let Some(leading) = known.get() {
            return Ok(leading.as_deref());
        }
        let leading = self.find_leading(state, vocabulary, deadline)?.map(Box::new);
        Ok(known.get_or_init(|| leading).as_deref())
    }

    fn find_leading(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<Leading>> {
        /// More are seldom asked for.
        const MOST_STATES: usize = 3;
        /// A character that most of these classes hold.
        const COMMON: u8 = b'e';
        /// Where more is counted, it is in each of the states, and all of them are others. No character has more bytes behind
        /// its first.
        const GREATEST_MAXIMUM: u32 = 3;
        let counts = |expressions: &ExpressionStore| {
            expressions.greatest_maximum(self.cell(state).expression) > GREATEST_MAXIMUM
        };
        if state.is_nullable() || self.with_expressions(counts)? {
            return Ok(None);
        }
        let mut states = vec![state];
        let last = loop {
            let last = states[states.len() - 1];
            match self.step(last, COMMON, deadline)? {
                Move::Stay(next) if next == last => break last,
                Move::Stay(next) if states.len() < MOST_STATES && !next.is_nullable() && !next.captures() => {
                    states.push(next);
                }
                _ => return Ok(None),
            }
        };
        if states.len() < 2 {
            return Ok(None);
        }
        let Some(class) = self.loop_class(last, vocabulary, deadline)? else { return Ok(None) };
        let mut ranges = vocabulary.class_of(class).ranges().to_vec();
        let kinds = self.loops(last, deadline)?;
        for pair in states.windows(2) {
            let led = self.led_to((pair[0], pair[1]), kinds, vocabulary, deadline)?;
            let Some(led) = led else { return Ok(None) };
            ranges = common(&ranges, vocabulary.class_of(led).ranges());
        }
        let class = vocabulary.class(&ranges);
        let holds_most = |&class: &ClassId| {
            Signature::MOST_BEYOND_ASCII.is_within(vocabulary.class_of(class).whole_kinds())
        };
        Ok(class.filter(holds_most).map(|class| Leading { class, states: states.into() }))
    }

    /// The class of characters that lead from a state to what another says, those of some kinds and others beyond ASCII; `None`
    /// where it is not soon found out.
    fn led_to(
        &self,
        (state, target): (StateId, StateId),
        mut kinds: Signature,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<ClassId>> {
        kinds = loop {
            match self.read_characters(state, &self.first_of(kinds), deadline)? {
                Step::Stays(after) => {
                    let others = after.iter().filter(|&&(next, _)| next != target);
                    break others.fold(kinds, |kinds, &(_, others)| kinds.without(others));
                }
                Step::Leaves(leaving) => kinds = kinds.without(leaving),
            }
        };
        match self.with_alike(state, kinds, vocabulary)? {
            None => {
                let partly = self.partly_begun(state, kinds, deadline)?;
                self.class_between((state, target), (kinds, &partly), vocabulary, deadline)
            }
            alike => Ok(alike),
        }
    }

    /// The bytes beyond ASCII with which a state may go on, but for those of some kinds.
    fn partly_begun(&self, state: StateId, kinds: Signature, deadline: &Deadline) -> Result<ByteSet> {
        let beyond_ascii = ByteSet::range(0xC2, 0xF4).intersection(&self.alphabet);
        let begun = self.first_bytes(state, deadline)?.intersection(&beyond_ascii);
        Ok(begun.difference(&kinds.first_bytes()))
    }

    /// The class of all characters of some kinds, and of those that begin with some bytes and lead from a state to another;
    /// `None` where that is not soon found out.
    fn class_between(
        &self,
        between: (StateId, StateId),
        (kinds, partly): (Signature, &ByteSet),
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<ClassId>> {
        let Some(mut ranges) = self.characters_between(between, partly, deadline)? else { return Ok(None) };
        ranges.extend(kinds.first_bytes().iter().filter_map(characters_begun_by));
        Ok(vocabulary.class(&joined(ranges)))
    }

    /// The class of the characters that a state [counts](Self::counted), where these are most kinds of those beyond ASCII as a
    /// whole and others but for some characters. Where there may be so many of them at most, nothing that comes behind them
    /// begins with a byte of theirs: behind the last, that byte may be read as the first of something else only. `None` where it
    /// is not so, or not soon found out.
    ///
    /// A character is one repetition, and without a count the state is the same after it: so with one less to come, it is
    /// what it was with one more.
    pub(crate) fn counted_class(
        &self,
        state: StateId,
        vocabulary: &Vocabulary,
        deadline: &Deadline,
    ) -> Result<Option<ClassId>> {
        let cell = self.cell(state);
        if let Some(&class) = cell.facts().counted_class.get() {
            return Ok(class);
        }
        let parts = self.grow(|growing| {
            let expressions = &mut growing.grammar.expressions;
            let counted = expressions.uncounted(cell.expression);
            let is_one = |body| expressions.is_text(body) && expressions.is_one_character(body);
            let Some(counted) = counted.filter(|counted| is_one(counted.body)) else { return Ok(None) };
            let rest = match counted.rest {
                ExpressionStore::EMPTY => None,
                rest => Some(self.intern(growing, rest)?),
            };
            let rest = rest.filter(|_| counted.maximum != ExpressionStore::UNBOUNDED);
            Ok(Some((self.intern(growing, counted.uncounted)?, rest)))
        })?;
        let mut class = None;
        if let Some((uncounted, bounding)) = parts.filter(|&(uncounted, _)| uncounted != state)
            && let Some(found) = self.loop_class(uncounted, vocabulary, deadline)?
        {
            let after = match bounding {
                Some(rest) => *self.first_bytes(rest, deadline)?,
                None => ByteSet::EMPTY,
            };
            let is_apart = after.intersection(&vocabulary.class_of(found).first_bytes()).is_empty();
            class = is_apart.then_some(found);
        }
        Ok(*cell.facts().counted_class.get_or_init(|| class))
    }

    /// The characters that begin with some bytes and lead from a state to another, its frame never complete on the
    /// way; `None` where it is not soon found out.
    fn characters_between(
        &self,
        (state, target): (StateId, StateId),
        first: &ByteSet,
        deadline: &Deadline,
    ) -> Result<Option<Vec<CodePointRange>>> {
        const MOST_STEPS: usize = 1024;
        let following = ByteSet::range(0x80, 0xBF).intersection(&self.alphabet);
        let (mut steps, mut ranges) = (0, Vec::new());
        let mut waiting = vec![(state, CharacterRead::NONE, *first)];
        while let Some((at, read, mut left)) = waiting.pop() {
            while let Some(byte) = left.first() {
                steps += 1;
                if steps > MOST_STEPS {
                    return Ok(None);
                }
                let (after, bytes) = self.step_class(at, byte, &left, deadline)?;
                left = left.difference(&bytes);
                let Move::Stay(after) = after else { continue };
                if after.is_nullable() || after.captures() {
                    continue;
                }
                if after == target && read.missing() == 1 && bytes == following {
                    ranges.push(read.code_points());
                    continue;
                }
                for read in bytes.iter().filter_map(|byte| read.step(byte)) {
                    match read.whole() {
                        Some(code) if after == target => ranges.push((code, code)),
                        Some(_) => {}
                        None => waiting.push((after, read, following)),
                    }
                }
            }
        }
        Ok(Some(ranges))
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

/// The class of the characters that an expression matches, where it is known to the vocabulary.
pub(super) fn class_of(
    growing: &mut Growing,
    class: ExpressionId,
    vocabulary: &Vocabulary,
) -> Option<ClassId> {
    if let Some(&known) = growing.classes.get(&class) {
        return known;
    }
    let ranges = growing.grammar.expressions.characters_of(class);
    let id = ranges.and_then(|ranges| vocabulary.class(&ranges));
    growing.classes.insert(class, id);
    id
}

/// What two lists of ranges that ascend have in common.
fn common(ranges: &[CodePointRange], others: &[CodePointRange]) -> Vec<CodePointRange> {
    let both = |&(first, last): &CodePointRange| {
        let from = others.partition_point(|other| other.1 < first);
        let touching = others[from..].iter().take_while(move |other| other.0 <= last);
        touching.map(move |other| (first.max(other.0), last.min(other.1)))
    };
    ranges.iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_lists_have_in_common_is_in_both() {
        let (ranges, others) = ([(1, 4), (7, 12), (20, 30)], [(0, 1), (3, 8), (12, 22), (25, 25), (40, 50)]);
        let expected = [(1, 1), (3, 4), (7, 8), (12, 12), (20, 22), (25, 25)];
        assert_eq!(common(&ranges, &others), expected);
        assert_eq!(common(&others, &ranges), expected);
    }
}
