//! Expressions without the few fixed strings, or the patterns, that they exclude.
//!
//! The keys that an object does not declare are all strings but some: an intersection with a complement of fixed
//! strings, which takes as many states as those strings have bytes. Where a text can always become longer than
//! all of them, it can be read with them just if it can be read without them, so that what is known of the expression
//! without them is known of all that exclude few strings from it. So it is with keys that no pattern matches, where some character
//! is in no match of any: what reads a key, and what reads those that it must not be, are asked by themselves, and the latter
//! is most often what other keys of the object may be.

use std::collections::BTreeSet;

use smallvec::{SmallVec, smallvec};

use super::store::{Lacking, ListId};
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};

/// An expression without a condition of its first part, or of the content of that: that it is not one of a few strings,
/// or that it is of some length at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unconditioned {
    pub(crate) expression: ExpressionId,
    /// The length in bytes of the longest string that was excluded, if any were. All of them are whole characters in
    /// UTF-8, but that a first one may have been begun.
    pub(crate) longest: u32,
    /// The bytes with which what follows the first part can begin.
    pub(crate) after: ByteSet,
}

/// The operands of an intersection.
struct Exclusion {
    /// Those that are no complements of fixed strings.
    kept: SmallVec<[ExpressionId; 4]>,
    /// The fixed strings that others are complements of.
    excluded: SmallVec<[ExpressionId; 4]>,
}

impl ExpressionStore {
    /// The expression without what its first part excludes; `None` where that excludes no fixed strings, or a call may
    /// follow at once.
    pub(crate) fn without_exclusion_at_head(&mut self, id: ExpressionId) -> Option<Unconditioned> {
        let (head, tail) = self.head_and_rest(id);
        let (included, longest) = match self.get(head) {
            Expression::JsonString { content, escape: Escape::None, spelling } => {
                let (included, longest) = self.without_excluded_strings(content)?;
                (self.json_string(included, spelling), longest)
            }
            _ => self.without_excluded_strings(head)?,
        };
        let after = self.first_bytes_before_calls(tail)?;
        Some(Unconditioned { expression: self.concatenate(included, tail), longest, after })
    }

    /// An intersection without its operands that are complements of fixed strings, and the length of the longest of
    /// these strings.
    fn without_excluded_strings(&mut self, id: ExpressionId) -> Option<(ExpressionId, u32)> {
        let Exclusion { kept, excluded } = self.split_exclusion(id);
        (!kept.is_empty() && !excluded.is_empty())
            .then(|| (self.intersection(&kept), self.longest_string(&excluded)))
    }

    /// Splits a JSON string that must not be one of some into the string without that condition and those strings: the fixed
    /// ones, and one alternative for each pattern that is not to match. Only where what is left can always become longer and so
    /// another string: then every text that can be read so far without the condition can be read with it.
    pub(crate) fn without_exclusion(&mut self, string: ExpressionId) -> (ExpressionId, Option<ExpressionId>) {
        if let Expression::Alternatives(list) = self.get(string) {
            return self.without_exclusion_in_one(string, list);
        }
        let (head, tail) = self.head_and_rest(string);
        if matches!(self.get(head), Expression::Bytes(_)) {
            // The quote before the string.
            let (base, excluded) = self.without_exclusion(tail);
            let Some(excluded) = excluded else { return (string, None) };
            let excluded = self.alternatives_of(excluded).into_iter();
            let excluded: Vec<ExpressionId> = excluded.map(|one| self.concatenate(head, one)).collect();
            return (self.concatenate(head, base), Some(self.alternatives(&excluded)));
        }
        let Expression::JsonString { content, escape, spelling } = self.get(head) else {
            return (string, None);
        };
        if matches!(escape, Escape::High { .. }) {
            return (string, None);
        }
        let Some((base, excluded)) = self.without_excluded_contents(content) else { return (string, None) };
        let string = |store: &mut Self, content| {
            let string = store.json_string_in(content, escape, spelling);
            store.concatenate(string, tail)
        };
        let excluded: Vec<ExpressionId> = excluded.into_iter().map(|one| string(self, one)).collect();
        (string(self, base), Some(self.alternatives(&excluded)))
    }

    /// The same for a value that may be a string or something else, as is told by its first byte.
    fn without_exclusion_in_one(
        &mut self,
        value: ExpressionId,
        list: ListId,
    ) -> (ExpressionId, Option<ExpressionId>) {
        let mut operands: SmallVec<[ExpressionId; 8]> = self.list(list).into();
        let is_in_quotes = |store: &Self, id| store.first_bytes(id).contains(b'"');
        let mut in_quotes = (0..operands.len()).filter(|&at| is_in_quotes(self, operands[at]));
        let (Some(at), None) = (in_quotes.next(), in_quotes.next()) else { return (value, None) };
        let (base, excluded) = self.without_exclusion(operands[at]);
        if excluded.is_none() {
            return (value, None);
        }
        operands[at] = base;
        (self.alternatives(&operands), excluded)
    }

    /// A content without what it excludes, and that; `None` where it excludes nothing, or cannot always become longer and so
    /// another one.
    fn without_excluded_contents(
        &mut self,
        content: ExpressionId,
    ) -> Option<(ExpressionId, SmallVec<[ExpressionId; 2]>)> {
        /// More patterns are read together.
        const MOST_APART: usize = 8;
        let Exclusion { mut kept, excluded } = self.split_exclusion(content);
        let longest = self.longest_string(&excluded);
        let mut all: SmallVec<[ExpressionId; 2]> = SmallVec::new();
        if self.endless_base(content).is_some() {
            kept.retain(|&mut operand| match self.get(operand) {
                Expression::Complement(pattern) => {
                    all.push(pattern);
                    false
                }
                _ => true,
            });
        }
        if all.len() > MOST_APART {
            all = smallvec![self.alternatives(&all)];
        }
        if !excluded.is_empty() {
            all.push(self.alternatives(&excluded));
        }
        match kept.as_slice() {
            _ if all.is_empty() => None,
            &[base] if self.is_extensible(base, longest) => Some((base, all)),
            _ => None,
        }
    }

    /// Matches what a regular expression does, but for some strings.
    pub(crate) fn excluding(&mut self, id: ExpressionId, strings: Vec<Vec<u8>>) -> ExpressionId {
        if let Expression::Literals(range) = self.get(id)
            && range.depth == 0
        {
            let excluded = BTreeSet::from_iter(strings);
            let kept = self.literals_of(range).filter(|&literal| !excluded.contains(literal));
            let kept = kept.map(<[u8]>::to_vec).collect();
            return self.literals(kept);
        }
        match self.literals(strings) {
            Self::NOTHING => id,
            excluded => {
                let others = self.complement(excluded);
                self.intersection(&[id, others])
            }
        }
    }

    /// The conditions that a content is under, but that it is none of some fixed strings.
    pub(super) fn without_fixed_exclusions(&self, content: ExpressionId) -> SmallVec<[ExpressionId; 4]> {
        self.split_exclusion(content).kept
    }

    /// What a content is but for what it excludes, where each string of it can be made longer without end, until it is
    /// not excluded: as long as it can be read on at all, so can the content.
    ///
    /// A few strings are shorter than others. Texts of a pattern that lacks some character are not those with this
    /// character, and any text can go on with it.
    pub(super) fn endless_base(&self, content: ExpressionId) -> Option<ExpressionId> {
        let Exclusion { mut kept, .. } = self.split_exclusion(content);
        let (mut lacking, all) = (Lacking::ALL, kept.len());
        kept.retain(|&mut operand| match self.get(operand) {
            Expression::Complement(pattern) => {
                lacking = lacking.in_both(self.lacking(pattern));
                false
            }
            _ => true,
        });
        let goes_on = |base| match kept.len() == all {
            true => self.is_extensible(base, Self::UNBOUNDED - 1),
            false => self.is_any_text(base) && lacking != Lacking::NONE,
        };
        match kept.as_slice() {
            &[base] if goes_on(base) => Some(base),
            _ => None,
        }
    }

    /// Tells the complements of fixed strings among the operands of an intersection from the others; an expression of
    /// another kind is its own operand.
    fn split_exclusion(&self, id: ExpressionId) -> Exclusion {
        let operands = match self.get(id) {
            Expression::Intersection(list) => self.list(list),
            _ => &[id],
        };
        let mut split = Exclusion { kept: SmallVec::new(), excluded: SmallVec::new() };
        for &operand in operands {
            match self.get(operand) {
                Expression::Complement(strings) if self.is_fixed(strings) => split.excluded.push(strings),
                _ => split.kept.push(operand),
            }
        }
        split
    }

    /// Whether an expression is of fixed strings in UTF-8 only, or of what is left of some.
    pub(super) fn is_fixed(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Empty => true,
            Expression::Bytes(set) => self.byte_set(set).is_ascii(),
            Expression::Literals(range) => self.literal_set(range.set).is_text(),
            Expression::Alternatives(list) => self.list(list).iter().all(|&operand| self.is_fixed(operand)),
            _ => false,
        }
    }

    /// Whether every match of up to so many bytes can be made longer at its end.
    pub(super) fn is_extensible(&self, id: ExpressionId, length: u32) -> bool {
        let mut last = id;
        while let Expression::Concatenation(_, tail) = self.get(last) {
            last = tail;
        }
        match self.get(last) {
            // A body with intersections may match nothing.
            Expression::Repetition { body, maximum, .. } => {
                (maximum > length || self.is_extensible(body, length)) && !self.has_boolean(body)
            }
            Expression::Alternatives(list) => {
                self.list(list).iter().all(|&operand| self.is_extensible(operand, length))
            }
            _ => false,
        }
    }

    /// The length in bytes of the longest of some fixed strings. Takes time in proportion to their number.
    fn longest_string(&self, strings: &[ExpressionId]) -> u32 {
        let lengths = strings.iter().map(|&id| match self.get(id) {
            Expression::Bytes(_) => 1,
            Expression::Literals(range) => {
                let longest = self.literals_of(range).map(|literal| literal.len() as u32).max();
                longest.unwrap_or(0).saturating_sub(range.depth)
            }
            Expression::Alternatives(list) => self.longest_string(self.list(list)),
            _ => 0,
        });
        lengths.max().unwrap_or(0)
    }

    /// The bytes with which an expression can begin, none of them for exact tokens; `None` where a call can come first.
    pub(super) fn first_bytes_before_calls(&self, id: ExpressionId) -> Option<ByteSet> {
        let mut first = ByteSet::EMPTY;
        let mut at = id;
        loop {
            let (head, tail) = self.head_and_rest(at);
            if !self.is_regular(head) && !matches!(self.get(head), Expression::Tokens(_)) {
                return None;
            }
            first = first.union(&self.first_bytes(head));
            if !self.is_nullable(head) || tail == Self::EMPTY {
                return Some(first);
            }
            at = tail;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::super::{RuleId, Spelling};
    use super::*;

    fn literals(store: &mut ExpressionStore, texts: &[&[u8]]) -> ExpressionId {
        store.literals(texts.iter().map(|text| text.to_vec()).collect())
    }

    /// Any characters but some strings, as a JSON string before a tail.
    fn excluding(store: &mut ExpressionStore, excluded: &[ExpressionId], tail: ExpressionId) -> ExpressionId {
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let any = store.any_character();
        let mut operands = vec![store.repetition(any, 0, None)];
        for &strings in excluded {
            operands.push(store.complement(strings));
        }
        let content = store.intersection(&operands);
        let string = store.json_string(content, spelling);
        store.concatenate(string, tail)
    }

    #[test]
    fn excluded_strings_are_taken_away_and_what_follows_is_told() {
        let mut store = ExpressionStore::new();
        let quote = store.literal(b"\"");
        let words = literals(&mut store, &[b"id", "n\u{e9}".as_bytes()]);
        let letters = literals(&mut store, &[b"a", b"b"]);
        let given = excluding(&mut store, &[words, letters], quote);
        let expected = excluding(&mut store, &[], quote);
        let after = ByteSet::single(b'"');
        let unexcluded = Unconditioned { expression: expected, longest: 3, after };
        assert_eq!(store.without_exclusion_at_head(given), Some(unexcluded));
        assert_eq!(store.without_exclusion_at_head(expected), None);
    }

    #[test]
    fn what_is_not_of_fixed_strings_in_utf8_stays() {
        let mut store = ExpressionStore::new();
        let quote = store.literal(b"\"");
        let surrogate = literals(&mut store, &[b"\xED\xA0\x80", b"id"]);
        let given = excluding(&mut store, &[surrogate], quote);
        assert_eq!(store.without_exclusion_at_head(given), None);
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let many = store.repetition(letter, 1, None);
        let word = literals(&mut store, &[b"no", b"yes"]);
        let given = excluding(&mut store, &[many, word], quote);
        let expected = excluding(&mut store, &[many], quote);
        assert_eq!(store.without_exclusion_at_head(given).map(|found| found.expression), Some(expected));
        let call = store.call(RuleId(0));
        let before_a_call = excluding(&mut store, &[word], call);
        assert_eq!(store.without_exclusion_at_head(before_a_call), None);
        let tail = store.concatenate(quote, call);
        let later = excluding(&mut store, &[word], tail);
        assert!(store.without_exclusion_at_head(later).is_some());
    }

    #[test]
    fn some_strings_are_excluded_from_whatever_it_is() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'c'));
        let letters = store.repetition(letter, 1, Some(3));
        let words = literals(&mut store, &[b"ab", b"abc", b"c", b"ca"]);
        let rest = store.derive_whole(words, b'a', &mut ByteSet::ALL.clone());
        let excluded: Vec<Vec<u8>> = ["ab", "b", "c"].map(Vec::from).to_vec();
        for id in [letters, words, rest, letter, ExpressionStore::EMPTY, ExpressionStore::NOTHING] {
            let others = store.excluding(id, excluded.clone());
            assert_eq!(store.excluding(id, Vec::new()), id);
            for text in texts(b"abc", 3) {
                let expected = store.matches(id, &text) && !excluded.contains(&text);
                assert_eq!(store.matches(others, &text), expected, "{id:?} {text:?}");
            }
        }
        let few = store.excluding(words, excluded);
        assert_eq!(few, literals(&mut store, &[b"abc", b"ca"]), "fixed strings stay fixed strings");
    }

    #[test]
    fn a_string_is_told_from_those_that_it_must_not_be_where_each_text_goes_on_to_another() {
        let mut store = ExpressionStore::new();
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let (any, letter) = (store.any_character(), store.bytes(ByteSet::range(b'a', b'b')));
        let (any, letters) = (store.repetition(any, 0, None), store.repetition(letter, 0, Some(9)));
        let prefix = store.literal(b"ba");
        let pattern = store.concatenate(prefix, letters);
        let not_pattern = store.complement(pattern);
        let words = literals(&mut store, &[b"a", b"ab", b"bb"]);
        let not_words = store.complement(words);
        let quote = store.literal(b"\"");
        let mut divided = 0;
        for operands in [vec![any], vec![any, not_pattern], vec![letters], vec![letters, not_pattern]] {
            let base = store.intersection(&operands);
            let content = store.intersection(&[base, not_words]);
            let string = store.json_string(content, spelling);
            let string = store.concatenate(string, quote);
            let (read, excluded) = store.without_exclusion(string);
            let Some(excluded) = excluded else {
                assert_eq!(read, string);
                continue;
            };
            divided += 1;
            assert_eq!(store.width(excluded), operands.len(), "each pattern is read by itself");
            for text in texts(b"ab", 4) {
                let whole = [text.as_slice(), b"\""].concat();
                let is_excluded = store.matches(excluded, &whole);
                let is_not = operands.contains(&not_pattern) && store.matches(pattern, &text);
                assert_eq!(is_excluded, is_not || store.matches(words, &text));
                let reads = store.matches(read, &whole);
                assert_eq!(store.matches(string, &whole), reads && !is_excluded, "{text:?}");
                // What can be read so far without the condition can be read with it.
                let goes_on = texts(b"abc", 3).iter().any(|more| {
                    let longer = [text.as_slice(), more, b"\""].concat();
                    store.matches(string, &longer)
                });
                let mut at = read;
                text.iter().for_each(|&byte| at = store.derive_whole(at, byte, &mut ByteSet::ALL.clone()));
                assert!(goes_on || at == ExpressionStore::NOTHING, "{text:?}");
            }
        }
        assert_eq!(divided, 3, "all but texts of a pattern that may not be those of another");
    }

    #[test]
    fn a_string_is_told_from_those_that_it_must_not_be_beside_what_is_no_string() {
        let mut store = ExpressionStore::new();
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let (any, words) = (store.any_text(), literals(&mut store, &[b"a", b"ab"]));
        let others = store.complement(words);
        let content = store.intersection(&[any, others]);
        let [string, any, words] = [content, any, words].map(|content| {
            let (quote, inside) = (store.literal(b"\""), store.json_string(content, spelling));
            store.concatenation(&[quote, inside, quote])
        });
        let null = store.literal(b"null");
        let [value, anything, two] =
            [[string, null], [any, null], [string, words]].map(|operands| store.alternatives(&operands));
        assert_eq!(store.without_exclusion(value), (anything, Some(words)));
        // Whichever string it is, the other one may be it.
        assert_eq!(store.without_exclusion(two), (two, None));
    }
}
