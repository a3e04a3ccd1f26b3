//! JSON strings in which something is still to be found anywhere, or in which a pattern can be left at any time.
//!
//! A pattern that is found anywhere takes a state for each beginning of a match that has been read. To each of them
//! any text may come, as to a string of any content, since after it a match can still be found. So it is in texts that are read
//! as they are, where something that is never read stands at their end.

use smallvec::SmallVec;

use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore, SpellingId};

/// A content in which something is still to be found behind any text of a class, and of which more is asked, as of a URI that
/// ends in `.png`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConditionedSearch {
    /// What is left of the JSON string, up to its quote, after any text of the class that leaves what more is asked as it is.
    pub(crate) kept: ExpressionId,
    /// A string of any number of characters of the class.
    pub(crate) any: ExpressionId,
    /// A string of which only that is asked what more is asked.
    pub(crate) asked: ExpressionId,
}

/// What is looked for in a content, by where matches of it may begin.
#[derive(Default)]
pub(super) struct Searches {
    /// Behind any text.
    pub(super) anywhere: SmallVec<[ExpressionId; 4]>,
    /// At once: what is left of matches that were begun, or can only be found there.
    pub(super) begun: SmallVec<[ExpressionId; 4]>,
}

impl ExpressionStore {
    /// What the alternatives of a content look for.
    pub(super) fn searches(&self, id: ExpressionId) -> Searches {
        let mut searches = Searches::default();
        for item in self.alternatives_of(id) {
            match self.get(item) {
                Expression::Concatenation(any, _) if self.is_any_text(any) => searches.anywhere.push(item),
                _ => searches.begun.push(item),
            }
        }
        searches
    }

    /// A JSON string of any content up to its closing quote, spelled like one at the head of an expression in which any
    /// text may come before what is to be found there. `None` for all others, and where something else than JSON
    /// strings may be read.
    pub(crate) fn without_search_at_head(&mut self, id: ExpressionId) -> Option<ExpressionId> {
        let (any, spelling, quote) = self.in_strings(id, |content| self.search(content))?;
        Some(self.quoted(any, spelling, quote))
    }

    /// The same where what may come before is text of a class of characters, of which one may begin with each of some bytes,
    /// as before the end of `.*x$`: a JSON string of any number of these.
    ///
    /// To each text of the class the same way on is left, with a match behind it, and no string ends before its quote.
    pub(crate) fn without_class_search_at_head(
        &mut self,
        id: ExpressionId,
        bytes: &ByteSet,
    ) -> Option<ExpressionId> {
        let find = |content| self.class_search(content, bytes);
        let ((class, _), spelling, quote) = self.in_strings(id, find)?;
        let any = self.repetition_raw(class, 0, Self::UNBOUNDED);
        Some(self.quoted(any, spelling, quote))
    }

    /// The same where more is asked of the content at the same time. A match is left only if one is [kept](ConditionedSearch::kept).
    pub(crate) fn conditioned_search_at_head(
        &mut self,
        id: ExpressionId,
        bytes: &ByteSet,
    ) -> Option<ConditionedSearch> {
        let find = |content| self.conditioned_search(content, bytes);
        let ((class, kept, conditions), spelling, quote) = self.in_strings(id, find)?;
        let any = self.repetition_raw(class, 0, Self::UNBOUNDED);
        let (kept, asked) = (self.intersection(&kept), self.intersection(&conditions));
        let [kept, any, asked] = [kept, any, asked].map(|content| self.quoted(content, spelling, quote));
        Some(ConditionedSearch { kept, any, asked })
    }

    /// What is first found in the contents of the JSON strings at the head of an expression, with the spelling of that string and the
    /// quote after it; `None` where something else than JSON strings may be read.
    fn in_strings<T>(
        &self,
        id: ExpressionId,
        find: impl Fn(ExpressionId) -> Option<T>,
    ) -> Option<(T, SpellingId, ExpressionId)> {
        let mut found = None;
        for item in self.alternatives_of(id) {
            let (content, spelling, quote) = self.string_to_quote(item)?;
            found = found.or_else(|| find(content).map(|found| (found, spelling, quote)));
        }
        found
    }

    /// A JSON string up to its quote.
    fn quoted(&mut self, content: ExpressionId, spelling: SpellingId, quote: ExpressionId) -> ExpressionId {
        let string = self.json_string(content, spelling);
        self.concatenate(string, quote)
    }

    /// A class of characters of which one operand of an intersection in a content is, among others, any number and something
    /// after them; the intersection with no other way in that operand; and its other operands.
    fn conditioned_search(
        &self,
        content: ExpressionId,
        bytes: &ByteSet,
    ) -> Option<(ExpressionId, Vec<ExpressionId>, Vec<ExpressionId>)> {
        self.alternatives_of(content).into_iter().find_map(|item| {
            let Expression::Intersection(list) = self.get(item) else { return None };
            let operands = self.list(list);
            operands.iter().enumerate().find_map(|(at, &operand)| {
                let (class, found) = self.class_search(operand, bytes)?;
                let mut kept = operands.to_vec();
                kept.remove(at);
                let conditions = kept.clone();
                kept.push(found);
                Some((class, kept, conditions))
            })
        })
    }

    /// A class of characters of which a content is, among others, any number and after them something that has a match, with that
    /// alternative. A character of the class may begin with each of some bytes.
    fn class_search(&self, content: ExpressionId, bytes: &ByteSet) -> Option<(ExpressionId, ExpressionId)> {
        self.alternatives_of(content).into_iter().find_map(|item| {
            let Expression::Concatenation(any, _) = self.get(item) else { return None };
            let Expression::Repetition { body, maximum: Self::UNBOUNDED, .. } = self.get(any) else {
                return None;
            };
            let is_class = self.is_one_character(body) && self.is_text(item) && !self.has_boolean(item);
            let is_begun = || bytes.difference(&self.first_bytes(body)).is_empty();
            (is_class && is_begun()).then_some((body, item))
        })
    }

    /// Whether each way on is to read a JSON string up to its closing quote: until then nothing ends, and no control
    /// character can be read.
    pub(crate) fn is_within_strings(&self, id: ExpressionId) -> bool {
        self.alternatives_of(id).into_iter().all(|item| self.string_to_quote(item).is_some())
    }

    /// The content of the JSON string that an expression begins with, how it is spelled, and the quote after it.
    pub(super) fn string_to_quote(
        &self,
        id: ExpressionId,
    ) -> Option<(ExpressionId, SpellingId, ExpressionId)> {
        let Expression::Concatenation(head, tail) = self.get(id) else { return None };
        let Expression::JsonString { content, escape: Escape::None, spelling } = self.get(head) else {
            return None;
        };
        let quote = match self.get(tail) {
            Expression::Concatenation(quote, _) => quote,
            _ => tail,
        };
        match self.get(quote) {
            Expression::Bytes(set) if *self.byte_set(set) == ByteSet::single(b'"') => {
                Some((content, spelling, quote))
            }
            _ => None,
        }
    }

    /// Any text, where a content is, among others, any text and after it something that has a match; or all
    /// text but some that can be left at any time.
    fn search(&self, content: ExpressionId) -> Option<ExpressionId> {
        if let Some(base) = self.endless_base(content).filter(|&base| base != content) {
            return Some(base).filter(|&base| self.is_any_text(base));
        }
        self.alternatives_of(content).into_iter().find_map(|item| match self.get(item) {
            Expression::Concatenation(any, found) => {
                (self.is_any_text(any) && !self.has_boolean(found)).then_some(any)
            }
            _ => None,
        })
    }
}

impl ExpressionStore {
    /// Any number of characters of a class and a token, where the expression ends with a token in all of its alternatives, is
    /// regular before it, and begins with at least some number of these characters in one of them. `None` for all others.
    ///
    /// After any text of the class a match can still be found, as what comes after the characters has one, and none is
    /// complete before the token.
    pub(crate) fn text_before_the_unread(&mut self, id: ExpressionId) -> Option<ExpressionId> {
        /// Of longer lists and longer chains, it takes too long to see it.
        const MOST: usize = 64;
        if self.width(id) > MOST {
            return None;
        }
        let mut found = None;
        for item in self.alternatives_of(id) {
            let (first, mut rest) = self.head_and_rest(item);
            let mut last = first;
            for _ in 0..MOST {
                if rest == Self::EMPTY || !self.is_regular(last) {
                    break;
                }
                (last, rest) = self.head_and_rest(rest);
            }
            let Expression::Tokens(_) = self.get(last) else { return None };
            if rest != Self::EMPTY {
                return None;
            }
            if let Expression::Repetition { body, maximum: Self::UNBOUNDED, .. } = self.get(first)
                && self.is_text(body)
                && self.is_one_character(body)
                && !self.has_boolean(item)
            {
                found = found.or(Some((body, last)));
            }
        }
        let (class, last) = found?;
        let any = self.repetition_raw(class, 0, Self::UNBOUNDED);
        Some(self.concatenate(any, last))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RuleId, Spelling};
    use super::*;
    use crate::vocabulary::{TokenId, TokenReference, TokenSet};

    #[test]
    fn what_ends_with_a_token_takes_any_text_before_it() {
        let mut store = ExpressionStore::new();
        let token = store.tokens(TokenSet::of(vec![TokenReference::Id(TokenId(7))]));
        let class = store.characters(&[('a', 'z'), ('é', '日')]);
        let [any, some] = [0, 2].map(|minimum| store.repetition(class, minimum, None));
        let few = store.repetition(class, 0, Some(9));
        let word = store.literal(b"word");
        let call = store.call(RuleId(0));
        let expected = store.concatenate(any, token);
        let chains = [&[any, token][..], &[some, word, token], &[any, word, any, word, token]]
            .map(|parts| store.concatenation(parts));
        let begun = store.concatenation(&[word, any, token]);
        for chain in chains {
            let either = store.alternatives(&[begun, chain]);
            assert_eq!(store.text_before_the_unread(chain), Some(expected));
            assert_eq!(store.text_before_the_unread(either), Some(expected));
        }
        let others =
            [&[any, word][..], &[few, token], &[any, call, token], &[any, token, token], &[any, token, word]];
        for parts in others {
            let chain = store.concatenation(parts);
            assert_eq!(store.text_before_the_unread(chain), None);
        }
        let ending = store.concatenate(word, any);
        for other in [ending, word] {
            let either = store.alternatives(&[chains[0], other]);
            assert_eq!(store.text_before_the_unread(either), None);
        }
        assert_eq!(store.text_before_the_unread(begun), None);
    }

    /// A JSON string of a content, its first quote read.
    fn string_to_quote(store: &mut ExpressionStore, content: ExpressionId) -> ExpressionId {
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let (string, quote) = (store.json_string(content, spelling), store.literal(b"\""));
        store.concatenate(string, quote)
    }

    #[test]
    fn only_what_any_text_may_come_before_is_a_search() {
        let mut store = ExpressionStore::new();
        let character = store.any_character();
        let any = store.repetition(character, 0, None);
        let word = store.literal(b"word");
        let expected = string_to_quote(&mut store, any);
        let anywhere = store.concatenation(&[any, word, any]);
        let begun = store.literal(b"ord");
        let begun = store.concatenate(begun, any);
        let begun = store.alternatives(&[anywhere, begun]);
        let not = store.complement(anywhere);
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let letters = store.repetition(letter, 0, None);
        let named = store.concatenate(word, letters);
        let named = store.complement(named);
        let avoiding = store.intersection(&[any, named]);
        for content in [anywhere, begun, avoiding] {
            let given = string_to_quote(&mut store, content);
            assert_eq!(store.without_search_at_head(given), Some(expected));
            // What comes after other strings matters no more than what is in them.
            let (comma, other) = (store.literal(b","), string_to_quote(&mut store, not));
            let other = store.concatenate(other, comma);
            let either = store.alternatives(&[given, other]);
            assert_eq!(store.without_search_at_head(either), Some(expected));
            let either = store.alternatives(&[given, comma]);
            assert_eq!(store.without_search_at_head(either), None);
        }
        let few = store.repetition(character, 0, Some(9));
        let within = store.concatenation(&[few, word, any]);
        let both = store.intersection(&[anywhere, few]);
        let unfound = store.intersection(&[any, not]);
        let neither = store.intersection(&[word, not]);
        let nothing = store.concatenation(&[any, neither, any]);
        for content in [any, word, within, both, not, unfound, nothing] {
            let given = string_to_quote(&mut store, content);
            assert_eq!(store.without_search_at_head(given), None);
        }
        assert_eq!(store.without_search_at_head(anywhere), None);
    }

    #[test]
    fn what_is_found_behind_text_of_a_class_is_a_search_too() {
        let mut store = ExpressionStore::new();
        let letters = ByteSet::range(b'a', b'z');
        let class = store.characters(&[('a', 'z'), ('é', '日')]);
        let [any, some] = [0, 2].map(|minimum| store.repetition(class, minimum, None));
        let few = store.repetition(class, 0, Some(9));
        let word = store.literal(b"word1");
        let [found, later] = [any, some].map(|before| store.concatenate(before, word));
        let either = store.alternatives(&[word, later]);
        let expected = string_to_quote(&mut store, any);
        for content in [found, later, either] {
            let given = string_to_quote(&mut store, content);
            assert_eq!(store.without_class_search_at_head(given, &letters), Some(expected));
            assert_eq!(store.without_class_search_at_head(given, &ByteSet::ALL), None);
            let quote = store.literal(b"\"");
            let ended = store.alternatives(&[given, quote]);
            assert_eq!(store.without_class_search_at_head(ended, &letters), None);
        }
        let not = store.complement(word);
        let [within, unfound] = [[few, word], [any, not]].map(|parts| store.concatenation(&parts));
        // A part of a character is none, whatever comes before it.
        let part = store.bytes(ByteSet::range(0x80, 0xBF));
        let part = store.concatenate(any, part);
        for content in [any, word, within, unfound, part] {
            let given = string_to_quote(&mut store, content);
            assert_eq!(store.without_class_search_at_head(given, &letters), None);
        }
    }

    #[test]
    fn what_is_found_under_other_conditions_is_a_search_with_these_apart() {
        let mut store = ExpressionStore::new();
        let letters = ByteSet::range(b'a', b'z');
        let class = store.characters(&[('a', 'z'), ('é', '日')]);
        let any = store.repetition(class, 0, None);
        let few = store.repetition(class, 0, Some(9));
        let letter = store.bytes(letters);
        let some = store.repetition(letter, 2, None);
        let [word, end] = ["word", "d"].map(|text| store.literal(text.as_bytes()));
        let found = store.concatenate(any, word);
        let begun = store.alternatives(&[found, end]);
        let [condition, others] = [&[some][..], &[some, few]].map(|parts| store.intersection(parts));
        let [any_string, one_asked, both_asked] =
            [any, condition, others].map(|content| string_to_quote(&mut store, content));
        for (search, conditions, asked) in [
            (found, vec![some], one_asked),
            (begun, vec![some], one_asked),
            (begun, vec![some, few], both_asked),
        ] {
            let [content, kept] = [search, found].map(|search| {
                let all = [&conditions[..], &[search]].concat();
                let content = store.intersection(&all);
                string_to_quote(&mut store, content)
            });
            let search = store.conditioned_search_at_head(content, &letters).unwrap();
            assert_eq!((search.kept, search.any, search.asked), (kept, any_string, asked));
            assert!(store.conditioned_search_at_head(content, &ByteSet::ALL).is_none());
            let quote = store.literal(b"\"");
            let ended = store.alternatives(&[content, quote]);
            assert!(store.conditioned_search_at_head(ended, &letters).is_none());
        }
        let unlike = store.complement(found);
        let [without, within] = [[some, unlike], [some, word]].map(|parts| store.intersection(&parts));
        for content in [any, found, without, within] {
            let given = string_to_quote(&mut store, content);
            assert!(store.conditioned_search_at_head(given, &letters).is_none());
        }
    }

    #[test]
    fn within_strings_each_way_on_is_a_string_up_to_its_quote() {
        let mut store = ExpressionStore::new();
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let [quote, comma, word, other] =
            ["\"", ",", "word", "other"].map(|text| store.literal(text.as_bytes()));
        let mut string = |content| {
            let string = store.json_string(content, spelling);
            store.concatenate(string, quote)
        };
        let [one, two] = [word, other].map(&mut string);
        let open = store.json_string(word, spelling);
        let followed = store.concatenate(one, comma);
        let either = store.alternatives(&[followed, two]);
        for within in [one, followed, either] {
            assert!(store.is_within_strings(within));
        }
        let ended = store.alternatives(&[followed, comma]);
        let unquoted = store.concatenate(open, comma);
        for not_within in [open, unquoted, ended, quote, ExpressionStore::EMPTY, ExpressionStore::NOTHING] {
            assert!(!store.is_within_strings(not_within));
        }
    }
}
