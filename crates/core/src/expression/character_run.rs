//! Runs of characters at the beginning of an expression, such as the letters of a word.

use smallvec::SmallVec;

use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::{CharacterRead, CodePointRange};

/// An expression taken apart: some characters of a class, so many at least and at most, and then the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CharacterRun {
    /// Matches one character.
    pub(crate) class: ExpressionId,
    pub(crate) minimum: u32,
    pub(crate) maximum: u32,
    pub(crate) rest: ExpressionId,
}

/// An expression that begins with a JSON string, taken apart: one character of a class, written as itself, and then the rest.
/// The only other way that the string may begin is an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeadingCharacter {
    /// Matches one character.
    pub(crate) class: ExpressionId,
    /// The bytes that may stand for themselves: of those beyond ASCII, all with which characters of the class are written, or
    /// none.
    pub(crate) raw: ByteSet,
    /// The expression after each of the characters.
    pub(crate) rest: ExpressionId,
}

impl ExpressionStore {
    /// The character that an expression begins with, where that is of a class of many, and of a JSON string.
    pub(crate) fn leading_character(&mut self, id: ExpressionId) -> Option<LeadingCharacter> {
        /// With fewer, what is read is soon walked.
        const LEAST_BYTES: usize = 64;
        let Expression::Concatenation(string, tail) = self.get(id) else { return None };
        let Expression::JsonString { content, escape: Escape::None, spelling } = self.get(string) else {
            return None;
        };
        let (class, rest) = self.head_and_rest(content);
        let first = self.first_bytes(class);
        if first.len() < LEAST_BYTES || !self.is_text(class) || !self.is_one_character(class) {
            return None;
        }
        let raw = self.spelling(spelling).raw;
        let beyond_ascii = first.intersection(&ByteSet::range(0x80, 0xFF));
        let written = beyond_ascii.union(&ByteSet::range(0x80, 0xBF));
        if !beyond_ascii.is_empty() && !written.difference(&raw).is_empty() {
            return None;
        }
        let rest = self.json_string(rest, spelling);
        Some(LeadingCharacter { class, raw, rest: self.concatenate(rest, tail) })
    }

    /// The run of characters, some of them beyond ASCII, that an expression begins with, in all of its alternatives the same. So is one
    /// of ASCII, where it is bounded.
    ///
    /// What the rest begins with may be of the class, too.
    pub(crate) fn character_run(&mut self, id: ExpressionId) -> Option<CharacterRun> {
        let run = self.run_of_alternatives(id)?;
        let is_told = !self.first_bytes(run.class).is_ascii() || self.is_bounded_of_many(&run);
        is_told.then_some(run)
    }

    fn run_of_alternatives(&mut self, id: ExpressionId) -> Option<CharacterRun> {
        /// More alternatives are seldom one run.
        const MOST_ALTERNATIVES: usize = 8;
        let Expression::Alternatives(list) = self.get(id) else { return self.run_of_chain(id) };
        let operands: SmallVec<[ExpressionId; MOST_ALTERNATIVES]> =
            self.list(list).iter().copied().take(MOST_ALTERNATIVES + 1).collect();
        if operands.len() > MOST_ALTERNATIVES {
            return None;
        }
        let first = self.run_of_chain(*operands.first()?)?;
        let mut rests = Vec::with_capacity(operands.len());
        for operand in operands {
            let run = self.run_of_chain(operand)?;
            if (CharacterRun { rest: first.rest, ..run }) != first {
                return None;
            }
            rests.push(run.rest);
        }
        Some(CharacterRun { rest: self.alternatives(&rests), ..first })
    }

    fn run_of_chain(&self, id: ExpressionId) -> Option<CharacterRun> {
        let (head, rest) = self.head_and_rest(id);
        let Expression::Repetition { body, minimum, maximum } = self.get(head) else { return None };
        self.is_class(body).then_some(CharacterRun { class: body, minimum, maximum, rest })
    }

    /// Whether a run is bounded, so that no state comes back to itself over its characters, and these are many.
    fn is_bounded_of_many(&self, run: &CharacterRun) -> bool {
        /// With fewer characters, what is read is soon walked.
        const LEAST_BYTES: usize = 16;
        (2..Self::UNBOUNDED).contains(&run.maximum) && self.first_bytes(run.class).len() >= LEAST_BYTES
    }

    /// Whether each match is one character.
    pub(super) fn is_class(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Bytes(set) if self.byte_set(set).is_ascii() => true,
            _ => self.is_text(id) && self.is_one_character(id),
        }
    }

    /// The characters of an expression of which each match is one: ranges that ascend, no two of them touching. `None` where
    /// that is not plain, or there are very many.
    pub(crate) fn characters_of(&self, class: ExpressionId) -> Option<Vec<CodePointRange>> {
        /// All scripts together have less.
        const MOST_PARTS: usize = 1 << 14;
        let mut ranges: Vec<CodePointRange> = Vec::new();
        let mut waiting = vec![Ending { id: class, read: None }];
        let (mut before, mut after) = (Vec::new(), Vec::new());
        while let Some(ending) = waiting.pop() {
            if ranges.len() + waiting.len() > MOST_PARTS {
                return None;
            }
            if let Some(read) = ending.read.filter(|read| self.is_any_end(ending.id, read.missing())) {
                add(&mut ranges, read.code_points());
                continue;
            }
            if let Expression::Alternatives(list) = self.get(ending.id) {
                waiting.extend(self.list(list).iter().rev().map(|&id| Ending { id, ..ending }));
                continue;
            }
            let (head, rest) = self.head_and_rest(ending.id);
            let (bytes, times) = match self.get(head) {
                Expression::Bytes(set) => (self.byte_set(set), 1),
                Expression::Repetition { body, minimum, maximum } if minimum == maximum => {
                    let Expression::Bytes(set) = self.get(body) else { return None };
                    (self.byte_set(set), minimum)
                }
                _ => return None,
            };
            if times == 1 && rest == Self::EMPTY && ending.is_whole_after(bytes) {
                ending.whole_after(bytes).for_each(|characters| add(&mut ranges, characters));
                continue;
            }
            if let Some(whole) = (times == 1).then(|| self.ranges_begun(ending, bytes, rest)).flatten() {
                whole.into_iter().for_each(|characters| add(&mut ranges, characters));
                continue;
            }
            after.clear();
            after.push(Ending { id: rest, ..ending });
            for _ in 0..times {
                std::mem::swap(&mut before, &mut after);
                if before.len() * bytes.len() > MOST_PARTS {
                    return None;
                }
                after.clear();
                after.extend(
                    before.iter().flat_map(|ending| bytes.iter().filter_map(|byte| ending.after(byte))),
                );
            }
            // The last is looked at first: so ranges come in order, or nearly, and are soon sorted.
            for ending in after.drain(..).rev() {
                match (ending.read.and_then(CharacterRead::whole), ending.id) {
                    (Some(code_point), Self::EMPTY) => add(&mut ranges, (code_point, code_point)),
                    (Some(_), _) => return None,
                    (None, _) => waiting.push(ending),
                }
            }
        }
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let touches = next.0 <= last.1 + 1;
            last.1 = if touches { last.1.max(next.1) } else { last.1 };
            touches
        });
        Some(ranges)
    }

    /// The characters of which the next byte is one of some, where the rest after it matches all endings of each: a range for
    /// each range of bytes. `None` where it does not, or some can't be of a character.
    fn ranges_begun(
        &self,
        ending: Ending,
        bytes: &ByteSet,
        rest: ExpressionId,
    ) -> Option<SmallVec<[CodePointRange; 4]>> {
        let range_of = |(first, last)| {
            let [first, last] = [ending.after(first)?.read?, ending.after(last)?.read?];
            let is_any = first.missing() == last.missing() && self.is_any_end(rest, first.missing());
            is_any.then(|| (first.code_points().0, last.code_points().1))
        };
        bytes.ranges().map(range_of).collect()
    }

    /// Whether an expression matches all endings of a character that are so many bytes.
    pub(super) fn is_any_end(&self, id: ExpressionId, count: u32) -> bool {
        let (head, rest) = self.head_and_rest(id);
        let (body, times) = match self.get(head) {
            Expression::Repetition { body, minimum, maximum } if minimum == maximum => (body, minimum),
            _ => (head, 1),
        };
        let Expression::Bytes(set) = self.get(body) else { return false };
        let is_any = *self.byte_set(set) == ByteSet::range(0x80, 0xBF);
        match count.checked_sub(times).filter(|_| is_any) {
            Some(0) => rest == Self::EMPTY,
            Some(left) => self.is_any_end(rest, left),
            None => false,
        }
    }
}

/// Adds code points to ranges, to the last one where they come next there.
fn add(ranges: &mut Vec<CodePointRange>, (first, last): CodePointRange) {
    match ranges.last_mut() {
        Some(before) if before.1 + 1 == first => before.1 = last,
        _ => ranges.push((first, last)),
    }
}

/// An expression that matches the rest of characters that begin alike.
#[derive(Clone, Copy)]
struct Ending {
    id: ExpressionId,
    /// What has been read of them; `None` before the first byte.
    read: Option<CharacterRead>,
}

impl Ending {
    /// The same behind one byte more of characters that are spelled rightly; `None` where it can't be of one.
    fn after(&self, byte: u8) -> Option<Self> {
        let read = match self.read {
            None => CharacterRead::NONE.step(byte),
            Some(read) if read.missing() > 0 => read.step(byte),
            Some(_) => None,
        };
        read.map(|read| Self { read: Some(read), ..*self })
    }

    /// Whether each of some bytes is the last of a character, or can't be of one.
    fn is_whole_after(self, bytes: &ByteSet) -> bool {
        match self.read {
            None => bytes.is_ascii(),
            Some(read) => read.missing() == 1,
        }
    }

    /// The characters of which one of such bytes is the last.
    fn whole_after(self, bytes: &ByteSet) -> impl Iterator<Item = CodePointRange> + use<> {
        let read = self.read.unwrap_or(CharacterRead::NONE);
        let last = if self.read.is_some() { bytes.intersection(&ByteSet::range(0x80, 0xBF)) } else { *bytes };
        let whole = move |byte| read.step(byte)?.whole();
        last.ranges().filter_map(move |(first, last)| Some((whole(first)?, whole(last)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_characters_of_a_class_are_those_it_was_made_of() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        assert_eq!(store.characters_of(any), Some(vec![(0, 0xD7FF), (0xE000, 0x10_FFFF)]));
        for ranges in [
            &[('a', 'f'), ('d', 'k'), ('é', 'ÿ'), ('Ā', 'ࠀ'), ('一', '丣'), ('龥', '\u{FFFF}'), ('😀', '😃')]
                [..],
            &[('\u{80}', '\u{10FFFF}')],
            &[('\u{7FF}', '\u{801}'), ('\u{1000}', '\u{10040}')],
            &[('\u{5000}', '\u{503F}'), ('\u{5145}', '\u{5145}')],
            &[('!', '\u{9F}'), ('¡', '\u{167F}'), ('\u{1681}', '\u{1FFF}'), ('\u{3001}', '\u{10FFFF}')],
        ] {
            let class = store.characters(ranges);
            let found = store.characters_of(class).unwrap();
            assert!(found.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
            for code in 0..=0x11_0000 {
                let character = char::from_u32(code);
                let expected = character
                    .is_some_and(|one| ranges.iter().any(|range| (range.0..=range.1).contains(&one)));
                let at = found.partition_point(|range| range.1 < code);
                assert_eq!(found.get(at).is_some_and(|range| range.0 <= code), expected, "{code:x}");
            }
        }
        let pair = store.concatenate(any, any);
        assert_eq!(store.characters_of(pair), None);
    }

    #[test]
    fn a_run_is_found_in_front_of_other_rests() {
        let mut store = ExpressionStore::new();
        let letter = store.characters(&[('a', 'z'), ('à', 'ÿ')]);
        let ascii = store.characters(&[('a', 'z')]);
        let [dot, end] = [b".", b"!"].map(|text| store.literal(text));
        let (some, many) = (store.repetition(letter, 0, None), store.repetition(letter, 2, Some(5)));
        let [some_dot, many_dot] = [some, many].map(|run| store.concatenate(run, dot));
        let some_end = store.concatenate(some, end);
        let run = |minimum, maximum, rest| Some(CharacterRun { class: letter, minimum, maximum, rest });
        let unbounded = ExpressionStore::UNBOUNDED;
        assert_eq!(store.character_run(many), run(2, 5, ExpressionStore::EMPTY));
        assert_eq!(store.character_run(many_dot), run(2, 5, dot));
        let either = store.alternatives(&[some_dot, some_end]);
        let rests = store.alternatives(&[dot, end]);
        assert_eq!(store.character_run(either), run(0, unbounded, rests));
        // Only where nothing of the run has come.
        let beside = store.alternatives(&[some_dot, end]);
        assert_eq!(store.character_run(beside), None);
        let apart = store.alternatives(&[many_dot, end]);
        assert_eq!(store.character_run(apart), None);
        let (plain, other) = (store.repetition(ascii, 0, None), store.alternatives(&[some_end, many_dot]));
        assert_eq!(store.character_run(plain), None);
        assert_eq!(store.character_run(other), None);
    }
}
