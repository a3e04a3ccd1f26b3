//! Texts made of parts, so many at most, and where that makes no difference.
//!
//! A text of up to ten words takes a state for each number of words that may still come. But each part holds a character that
//! few others are, as the blank behind a word. A token with few of these begins few parts, so as long as more may come, what
//! it does to the state is what it does where any number may.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::{CodePointRange, joined};

/// Match one character each.
pub(super) type Classes = SmallVec<[ExpressionId; 1]>;

/// What tells parts from each other.
#[derive(Clone, Debug)]
pub(crate) struct Separators {
    /// The characters of which one is in each part, in ranges that ascend, no two of them touching.
    pub(crate) characters: Arc<[CodePointRange]>,
    /// Whether each part begins with another character, so that those that come one after the other are in one part.
    pub(crate) in_runs: bool,
}

/// An expression whose first part may be made of any number of parts, and where that makes no difference.
#[derive(Clone, Debug)]
pub(crate) struct WithoutPartLimit {
    pub(crate) expression: ExpressionId,
    pub(crate) separators: Separators,
    /// A text of the first part with up to so many separators, or runs of them, can be read on with the limits if it can be
    /// without, and is a match if it is one without.
    pub(crate) count: u32,
    /// Whether it is the content of a JSON string, in which escapes may stand for separators.
    pub(crate) is_string: bool,
}

/// The limits that are taken away.
struct Limits {
    /// The least of them.
    least: u32,
    /// What parts begin with: one character each. `None` where one begins with something else.
    beginnings: Option<Classes>,
    separators: Classes,
}

impl ExpressionStore {
    /// Fewer parts are as soon read as any number of them, unless what these do is known.
    const MANY_PARTS: u32 = 2;
    /// Of longer lists and longer chains, it takes too long to see it.
    const MOST_PARTS: usize = 32;

    /// The expression with no limit to how often parts of more than a character are repeated in its first part, whose length
    /// may be limited, too; `None` where none is, or that is not plain. Where no more than one part is left, only an
    /// expression that is known is worth it; and none is whose parts are told by characters that begin with other bytes
    /// than few texts hold, as `are_few` says.
    ///
    /// Let a text be read on without the limits: then it becomes a match with so many separators more as are left to
    /// any text at most. That match repeats parts as often as it has separators at most, which is as often as the least limit
    /// says. So it is a match with the limits, too. Where a separator may be left out of a part, parts can be joined until they
    /// are one more than separators, or as few as there must be. Where the length is limited, the match that is left is the shortest one,
    /// which has no more separators than characters.
    pub(crate) fn without_part_limit_at_head(
        &mut self,
        id: ExpressionId,
        are_few: impl Fn(&ByteSet) -> bool,
        is_known: impl Fn(ExpressionId) -> bool,
    ) -> Option<WithoutPartLimit> {
        let Expression::Concatenation(head, tail) = self.get(id) else { return None };
        let (content, string) = match self.get(head) {
            Expression::JsonString { content, escape: Escape::None, spelling } => (content, Some(spelling)),
            _ => (head, None),
        };
        let (content, length) = self.without_greatest_length(content);
        if self.greatest_maximum(content) == 0 || !self.is_regular(content) || self.has_boolean(content) {
            return None;
        }
        let mut limits =
            Limits { least: Self::UNBOUNDED, beginnings: Some(SmallVec::new()), separators: SmallVec::new() };
        let unlimited = self.without_part_limits(content, &mut limits)?;
        if limits.least == Self::UNBOUNDED || !are_few(&self.first_bytes_of_any(&limits.separators)) {
            return None;
        }
        let text = match length {
            Some(length) => self.intersection(&[unlimited, length]),
            None => unlimited,
        };
        let first = match string {
            Some(spelling) => self.json_string(text, spelling),
            None => text,
        };
        let expression = self.concatenate(first, tail);
        if limits.least < Self::MANY_PARTS && !is_known(expression) {
            return None;
        }
        let left = match length {
            Some(_) => self.ways_left(unlimited)?.characters_to_match,
            None => self.separators_left(unlimited, &limits.separators)?,
        };
        let count = limits.least.checked_sub(left).filter(|&count| count > 0)?;
        let separators = self.separators(limits)?;
        Some(WithoutPartLimit { expression, separators, count, is_string: string.is_some() })
    }

    /// What an intersection is of with all texts of up to some length, and these; all of another expression.
    fn without_greatest_length(&self, id: ExpressionId) -> (ExpressionId, Option<ExpressionId>) {
        let is_length = |id| match self.get(id) {
            Expression::Repetition { body, minimum: 0, .. } => self.is_any_character(body),
            _ => false,
        };
        let Expression::Intersection(list) = self.get(id) else { return (id, None) };
        match *self.list(list) {
            [text, length] | [length, text] if is_length(length) => (text, Some(length)),
            _ => (id, None),
        }
    }

    /// An expression without the limits of its parts. `None` where characters are counted before they begin: then it would
    /// be another one for each of their numbers.
    fn without_part_limits(&mut self, id: ExpressionId, limits: &mut Limits) -> Option<ExpressionId> {
        let items = self.alternatives_of(id);
        if items.len() > Self::MOST_PARTS {
            return None;
        }
        let mut unlimited: SmallVec<[ExpressionId; 4]> = SmallVec::new();
        for item in items {
            let (mut parts, mut rest) = (SmallVec::<[ExpressionId; 8]>::new(), item);
            let mut is_limited = false;
            while rest != Self::EMPTY {
                let (part, after) = self.head_and_rest(rest);
                if parts.len() == Self::MOST_PARTS {
                    return None;
                }
                match self.without_limit(part, limits) {
                    Some(repeated) => {
                        is_limited = true;
                        parts.push(repeated);
                    }
                    None if !is_limited && self.counts(part) => return None,
                    None => parts.push(part),
                }
                rest = after;
            }
            unlimited.push(self.concatenation(&parts));
        }
        Some(self.alternatives(&unlimited))
    }

    /// A repetition of parts without its limit, where it has one, and parts are told by separators.
    fn without_limit(&mut self, id: ExpressionId, limits: &mut Limits) -> Option<ExpressionId> {
        let Expression::Repetition { body, minimum, maximum } = self.get(id) else { return None };
        if maximum == Self::UNBOUNDED || self.is_one_character(body) {
            return None;
        }
        limits.note_beginning(self.beginning_of(body));
        match self.separator_after_run(body) {
            // Parts without one that come one after the other are one part.
            Some(separator) => limits.note(maximum - 1, separator),
            None => {
                let separator = self.separator_of(body)?;
                limits.note(maximum, separator);
            }
        }
        Some(self.repetition_raw(body, minimum, Self::UNBOUNDED))
    }

    /// What matches one character that may follow a run of others, where a part is just that run and any number of it. So two
    /// parts are one, if none follows the first of them.
    fn separator_after_run(&self, part: ExpressionId) -> Option<ExpressionId> {
        let Expression::Concatenation(run, after) = self.get(part) else { return None };
        let Expression::Repetition { body, minimum: 1, maximum: Self::UNBOUNDED } = self.get(run) else {
            return None;
        };
        let Expression::Repetition { body: separator, minimum: 0, .. } = self.get(after) else { return None };
        let is_character = |id| self.is_text(id) && self.is_one_character(id);
        (is_character(body) && is_character(separator)).then_some(separator)
    }

    /// What matches the first character of each match of a part, and nothing else.
    fn beginning_of(&self, part: ExpressionId) -> Option<ExpressionId> {
        let (head, _) = self.head_and_rest(part);
        let character = match self.get(head) {
            Expression::Repetition { body, minimum: 1.., .. } => body,
            _ => head,
        };
        (self.is_text(character) && self.is_one_character(character)).then_some(character)
    }

    /// What tells parts from each other. Where no separator begins a part, no two parts have separators in the same run: what the second
    /// begins with is between them.
    fn separators(&mut self, limits: Limits) -> Option<Separators> {
        let key = (limits.separators, limits.beginnings);
        if let Some(known) = self.separators.get(&key) {
            return known.clone();
        }
        let apart = |one: &[CodePointRange], other: &[CodePointRange]| {
            one.iter().all(|one| other.iter().all(|other| one.1 < other.0 || other.1 < one.0))
        };
        let characters = self.characters_of_any(&key.0);
        let found = characters.map(|characters| {
            let beginnings = key.1.as_ref().and_then(|beginnings| self.characters_of_any(beginnings));
            let in_runs = beginnings.is_some_and(|beginnings| apart(&beginnings, &characters));
            Separators { characters: characters.into(), in_runs }
        });
        self.separators.insert(key, found.clone());
        found
    }

    fn characters_of_any(&self, classes: &[ExpressionId]) -> Option<Vec<CodePointRange>> {
        let mut all = Vec::new();
        for &class in classes {
            all.extend(self.characters_of(class)?);
        }
        Some(joined(all))
    }

    /// Whether a part is a repetition that counts.
    fn counts(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Repetition { maximum, .. } => maximum > 1 && maximum != Self::UNBOUNDED,
            _ => false,
        }
    }

    /// How many of the separators it is at most to the next match, after any text that an expression can begin with.
    fn separators_left(&mut self, id: ExpressionId, separators: &[ExpressionId]) -> Option<u32> {
        let key = (id, SmallVec::from_slice(separators));
        if let Some(&known) = self.separators_left.get(&key) {
            return known;
        }
        let bytes = self.first_bytes_of_any(separators);
        let left = self.bytes_to_match(id, &bytes);
        self.separators_left.insert(key, left);
        left
    }

    fn first_bytes_of_any(&self, separators: &[ExpressionId]) -> ByteSet {
        separators.iter().fold(ByteSet::EMPTY, |all, &one| all.union(&self.first_bytes(one)))
    }

    /// What matches one character that each match of a part of more than one holds, and which few others are.
    fn separator_of(&mut self, part: ExpressionId) -> Option<ExpressionId> {
        let Expression::Concatenation(..) = self.get(part) else {
            let Expression::Literals(_) = self.get(part) else { return None };
            return self.character_within(part);
        };
        let (mut found, mut fewest, mut rest) = (None, usize::MAX, part);
        for _ in 0..Self::MOST_PARTS {
            let (head, after) = self.head_and_rest(rest);
            if let Some(character) = self.character_within(head) {
                let first = self.first_bytes(character);
                // A blank stands in more texts than any other mark.
                let count = 2 * first.len() + usize::from(first.contains(b' '));
                if count < fewest {
                    (found, fewest) = (Some(character), count);
                }
            }
            if after == Self::EMPTY {
                break;
            }
            rest = after;
        }
        found
    }

    /// What matches one character that each match of an expression holds, where that is plain.
    fn character_within(&mut self, id: ExpressionId) -> Option<ExpressionId> {
        let is_character = |store: &Self, id| store.is_text(id) && store.is_one_character(id);
        match self.get(id) {
            Expression::Repetition { body, minimum: 1.., .. } if is_character(self, body) => Some(body),
            Expression::Literals(range) => {
                let mut literals = self.literals_of(range);
                let rest = literals.next()?.get(range.depth as usize..)?;
                let is_mark = |byte: &&u8| !byte.is_ascii_alphanumeric() && **byte != b' ';
                let byte = rest.iter().find(is_mark).or_else(|| rest.first()).copied()?;
                let is_lone = literals.next().is_none() && byte.is_ascii();
                drop(literals);
                is_lone.then(|| self.bytes(ByteSet::single(byte)))
            }
            _ => Some(id).filter(|&id| is_character(self, id)),
        }
    }
}

impl Limits {
    fn note_beginning(&mut self, beginning: Option<ExpressionId>) {
        match (beginning, &mut self.beginnings) {
            (Some(beginning), Some(known)) if known.contains(&beginning) => {}
            (Some(beginning), Some(known)) => known.push(beginning),
            _ => self.beginnings = None,
        }
    }

    fn note(&mut self, limit: u32, separator: ExpressionId) {
        self.least = self.least.min(limit);
        if !self.separators.contains(&separator) {
            self.separators.push(separator);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::super::{RuleId, Spelling};
    use super::*;

    #[test]
    fn texts_of_few_separators_are_read_with_a_limit_as_without() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'b'));
        let [blank, mark, end] = [&b" "[..], b"- ", b"!"].map(|text| store.literal(text));
        let word = store.repetition(letter, 1, None);
        let (more, blanks) = (store.repetition(letter, 0, None), store.repetition(blank, 1, None));
        let [spaced, marked] = [blanks, mark].map(|between| store.concatenate(word, between));
        let begun = store.concatenate(more, blanks);
        let mut compared = 0;
        let maybe = store.repetition(blank, 0, None);
        let cut = store.concatenate(word, maybe);
        let hyphen = store.bytes(ByteSet::single(b'-'));
        for (part, separator) in [(spaced, blank), (marked, hyphen), (cut, blank)] {
            for (least, most) in [(0, 1), (0, 2), (1, 3), (0, 4), (3, 5), (4, 4)] {
                let parts = store.repetition(part, least, Some(most));
                let words = store.concatenate(parts, word);
                let later = store.concatenate(begun, words);
                let either = store.alternatives(&[later, more]);
                for text in [words, later, either] {
                    let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
                    let string = store.json_string(text, spelling);
                    for first in [text, string] {
                        let given = store.concatenate(first, end);
                        let Some(without) = store.without_part_limit_at_head(given, |_| true, |_| true)
                        else {
                            continue;
                        };
                        let characters = store.characters_of(separator).unwrap();
                        assert_eq!(*without.separators.characters, *characters);
                        let counted = store.first_bytes(separator);
                        for read in texts(b"ab -", 5) {
                            let goes_on = [given, without.expression].map(|id| {
                                let left = read.iter().fold(id, |id, &byte| {
                                    store.derive_whole(id, byte, &mut ByteSet::ALL.clone())
                                });
                                left != ExpressionStore::NOTHING
                            });
                            let count = read.iter().filter(|&&byte| counted.contains(byte)).count() as u32;
                            assert!(goes_on[1] || !goes_on[0], "{read:?} {least} {most}");
                            let is_near = count > without.count;
                            assert!(is_near || goes_on[0] == goes_on[1], "{read:?} {least} {most}");
                        }
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 30, "{compared}");
    }

    #[test]
    fn what_no_character_tells_or_what_is_counted_before_keeps_its_limit() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'b'));
        let [blank, end, other] = [b" ", b"!", b"-"].map(|text| store.literal(text));
        let (word, few) = (store.repetition(letter, 1, None), store.repetition(letter, 0, Some(9)));
        let spaced = store.concatenate(word, blank);
        let (joined, call) = (store.alternatives(&[spaced, other]), store.call(RuleId(0)));
        let [limited, untold] = [spaced, joined].map(|part| store.repetition(part, 0, Some(5)));
        let nested = store.concatenate(few, limited);
        let mut is_without = |first, tail, known| {
            let given = store.concatenate(first, tail);
            store.without_part_limit_at_head(given, |_| true, |_| known).is_some()
        };
        assert!(is_without(limited, end, false));
        assert!(!is_without(untold, end, true), "a part may be any of several");
        assert!(!is_without(nested, end, true), "each number of letters is another");
        assert!(is_without(limited, call, true), "whatever follows");
        let once = store.repetition(spaced, 0, Some(1));
        let (words, spelling) =
            (store.concatenate(once, word), store.intern_spelling(Spelling::over(&ByteSet::ALL)));
        let string = store.json_string(words, spelling);
        let given = store.concatenate(string, end);
        let limits = [true, false].map(|known| {
            store.without_part_limit_at_head(given, |first| first.contains(b' '), |_| known).is_some()
        });
        assert_eq!(limits, [true, false]);
        let unlimited = store.without_part_limit_at_head(given, |first| !first.contains(b' '), |_| true);
        assert!(unlimited.is_none(), "blanks are not few");
    }
}
