//! JSON strings in which something is looked for, beside strings of any content.
//!
//! A content that a pattern may match anywhere, or must not, is read like any other up to where a fixed string has been read
//! with which each match begins: before that, something is left of both, and which texts are complete is the same for all. So
//! nothing has to be read to tell the two apart but what ends with one of these strings, and what is spelled by escapes. Of a match
//! that was begun before, fixed strings come next, or it is none.

use smallvec::{SmallVec, smallvec};

use super::search::Searches;
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};

/// Strings as they stand in a text, without escapes.
type Strings = Vec<Box<[u8]>>;

/// Strings by which a content is told from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sought {
    /// Those that are looked for behind any text: with one of them each match begins.
    pub(crate) anywhere: Strings,
    /// Those that come first where a match was begun, or that the content must not be.
    pub(crate) first: Strings,
}

/// More strings than this are not looked for.
pub(super) const MOST_SOUGHT: usize = 384;

impl Sought {
    pub(super) fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.anywhere.iter().chain(&self.first).map(|string| &**string)
    }

    /// Each string once, in order.
    pub(super) fn put_in_order(&mut self) {
        for strings in [&mut self.anywhere, &mut self.first] {
            strings.sort_unstable();
            strings.dedup();
        }
    }
}

/// A string of any content, beside one in whose content something is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnyString {
    /// Reads any content. What comes after it is what comes after the other, or nothing if that is not complete before something is found.
    pub(crate) expression: ExpressionId,
    /// Whether what comes after the other is left out.
    pub(crate) is_endless: bool,
    /// The other one where nothing has been read of what is looked for: if this has a match, the two are told apart by what is sought.
    pub(crate) unread: ExpressionId,
    pub(crate) sought: Sought,
}

/// A content in which something is looked for behind any text.
struct Search {
    /// With nothing read of what is looked for.
    unread: ExpressionId,
    /// Whether a text in which nothing is found is complete.
    is_complete_without: bool,
    /// Whether something must not be found.
    excludes: bool,
}

impl ExpressionStore {
    /// A string of any content, where an expression is a JSON string in whose content something must not be found behind any text,
    /// and then one thing. `None` for all others: where things are only to be found, any text goes on, and is
    /// [known to](Self::without_search_at_head).
    ///
    /// Let a text hold none of the strings, nor begin with one of the first. After it and a character that is in none of them nothing
    /// is begun. So what is left says what is left where nothing has been read, and that has a match.
    pub(crate) fn beside_any_string(&mut self, id: ExpressionId) -> Option<AnyString> {
        if self.width(id) > MOST_SOUGHT {
            return None;
        }
        let (mut sought, mut all) = (Sought::default(), None);
        let (mut unread, mut is_endless, mut excludes) = (SmallVec::<[ExpressionId; 4]>::new(), true, false);
        for item in self.alternatives_of(id) {
            let (head, tail) = self.head_and_rest(item);
            let Expression::JsonString { content, escape: Escape::None, spelling } = self.get(head) else {
                return None;
            };
            if *all.get_or_insert((spelling, tail)) != (spelling, tail) {
                return None;
            }
            for content in self.alternatives_of(content) {
                if let Some(search) = self.search_of(content, &mut sought)? {
                    unread.push(search.unread);
                    is_endless &= !search.is_complete_without;
                    excludes |= search.excludes;
                }
            }
        }
        let (spelling, tail) = all.filter(|_| excludes)?;
        sought.put_in_order();
        let all_sought = || sought.all().flat_map(|string| string.iter().copied());
        let others = ByteSet::range(b' ', b'~').intersection(&self.spelling(spelling).raw);
        if others.difference(&all_sought().collect()).is_empty() {
            return None;
        }
        let content = self.any_text();
        let unread = self.alternatives(&unread);
        let [any, unread] = [content, unread].map(|content| self.json_string(content, spelling));
        let expression = if is_endless { any } else { self.concatenate(any, tail) };
        Some(AnyString { expression, is_endless, unread: self.concatenate(unread, tail), sought })
    }

    /// What is looked for in a content that is any text under conditions; nothing where each match goes on with what was begun.
    /// `None` where other conditions are there. Adds the strings.
    fn search_of(&mut self, content: ExpressionId, sought: &mut Sought) -> Option<Option<Search>> {
        let mut operands: SmallVec<[ExpressionId; 4]> = match self.get(content) {
            Expression::Intersection(list) => self.list(list).into(),
            _ => SmallVec::from_slice(&[content]),
        };
        let (mut is_complete_without, mut excludes, before) = (true, false, sought.clone());
        for operand in &mut operands {
            if self.is_any_text(*operand) {
                continue;
            }
            if let Expression::Complement(excluded) = self.get(*operand) {
                let unread = self.add_excluded(excluded, sought)?;
                // A few whole strings are excluded otherwise.
                excludes |= unread != Self::NOTHING || !self.is_fixed(excluded);
                *operand = match unread {
                    Self::NOTHING => Self::EVERYTHING,
                    unread => self.complement(unread),
                };
                continue;
            }
            let before_operand = sought.first.len();
            let unread = self.add_searches(*operand, sought)?;
            if unread == Self::NOTHING {
                let begun = sought.first.split_off(before_operand);
                *sought = before;
                sought.first.extend(begun);
                return Some(None);
            }
            *operand = unread;
            is_complete_without = false;
        }
        Some(Some(Search { unread: self.intersection(&operands), is_complete_without, excludes }))
    }

    /// Adds the strings with which begins what must not be found, and those that come first where it was begun. Returns what must not
    /// be found behind any text, or any of a class: what other characters lead to excludes less.
    pub(super) fn add_excluded(&mut self, id: ExpressionId, sought: &mut Sought) -> Option<ExpressionId> {
        let Searches { mut anywhere, begun } = self.searches(id);
        let (behind_class, begun) = begun.into_iter().partition(|&item| self.is_behind_class(item));
        let behind_class: SmallVec<[ExpressionId; 4]> = behind_class;
        anywhere.extend(behind_class);
        self.add_found(Searches { anywhere, begun }, sought)
    }

    /// Whether a search begins with any text of a class, or any bytes.
    fn is_behind_class(&self, id: ExpressionId) -> bool {
        let head = self.head_and_rest(id).0;
        let Expression::Repetition { body, minimum: 0, maximum: Self::UNBOUNDED } = self.get(head) else {
            return false;
        };
        matches!(self.get(body), Expression::Bytes(set) if *self.byte_set(set) == ByteSet::ALL)
            || self.is_class(body)
    }

    /// Adds the strings with which begins what is looked for, and those that come first where it was begun. Returns what is looked
    /// for behind any text.
    fn add_searches(&mut self, id: ExpressionId, sought: &mut Sought) -> Option<ExpressionId> {
        let searches = self.searches(id);
        self.add_found(searches, sought)
    }

    fn add_found(
        &mut self,
        Searches { anywhere, begun }: Searches,
        sought: &mut Sought,
    ) -> Option<ExpressionId> {
        for &search in &anywhere {
            let (_, found) = self.head_and_rest(search);
            self.add_sought(found, &mut sought.anywhere)?;
        }
        begun.iter().try_for_each(|&item| self.add_sought(item, &mut sought.first))?;
        Some(self.alternatives(&anywhere))
    }

    /// Adds fixed strings of which one begins each match.
    fn add_sought(&self, id: ExpressionId, to: &mut Strings) -> Option<()> {
        to.extend(self.beginnings(id)?.into_iter().map(Vec::into_boxed_slice));
        (to.len() <= MOST_SOUGHT).then_some(())
    }

    /// Strings of which one begins each match, of a few bytes where they do not become many, as of a word in any case; `None` where a match
    /// may be empty, or they are too many.
    fn beginnings(&self, id: ExpressionId) -> Option<Vec<Vec<u8>>> {
        /// Strings of so many bytes are found at few places.
        const LONG_ENOUGH: usize = 4;
        /// As many as a word of four letters in any case has.
        const FEW: usize = 16;
        let few = FEW * self.width(self.head_and_rest(id).0);
        let mut begun = vec![Beginning { string: Vec::new(), rest: smallvec![id] }];
        loop {
            let shortest =
                begun.iter().filter(|begun| !begun.rest.is_empty()).map(|begun| begun.string.len()).min();
            let Some(shortest) = shortest.filter(|&shortest| shortest < LONG_ENOUGH) else { break };
            let mut longer = Vec::with_capacity(begun.len() + 1);
            for beginning in &begun {
                match beginning.string.len() == shortest && !beginning.rest.is_empty() {
                    true => self.add_longer(beginning, &mut longer)?,
                    false => longer.push(beginning.clone()),
                }
            }
            // Of many, those are taken that are there in any case.
            if shortest > 0 && longer.len() > few.max(begun.len()) || longer.len() > MOST_SOUGHT {
                break;
            }
            begun = longer;
        }
        let strings: Vec<Vec<u8>> = begun.into_iter().map(|begun| begun.string).collect();
        strings.iter().all(|string| !string.is_empty()).then_some(strings)
    }

    /// Adds the beginnings that one becomes with what comes next; `None` where it may be that nothing does, and nothing has come.
    fn add_longer(&self, Beginning { string, rest }: &Beginning, to: &mut Vec<Beginning>) -> Option<()> {
        let (&next, rest) = rest.split_last()?;
        let (head, tail) = self.head_and_rest(next);
        let mut rest: SmallVec<[ExpressionId; 4]> = rest.into();
        rest.extend((tail != Self::EMPTY).then_some(tail));
        let mut add = |more: &[u8], rest: SmallVec<[ExpressionId; 4]>| {
            to.push(Beginning { string: [string, more].concat(), rest });
        };
        match self.get(head) {
            _ if self.is_nullable(head) && string.is_empty() => return None,
            Expression::Bytes(set) => self.byte_set(set).iter().for_each(|byte| add(&[byte], rest.clone())),
            Expression::Literals(range) if !self.is_nullable(head) => {
                let literals = self.literals_of(range).take(MOST_SOUGHT + 1);
                literals.for_each(|literal| add(&literal[range.depth as usize..], rest.clone()));
            }
            Expression::Alternatives(list) if !self.is_nullable(head) => {
                for &item in self.list(list) {
                    let mut rest = rest.clone();
                    rest.push(item);
                    self.add_longer(&Beginning { string: string.clone(), rest }, to)?;
                }
            }
            // What comes behind the first time is not looked at.
            Expression::Repetition { body, minimum: 1.., .. } => {
                let first = to.len();
                self.add_longer(&Beginning { string: string.clone(), rest: smallvec![body] }, to)?;
                to[first..].iter_mut().for_each(|begun| begun.rest.clear());
            }
            _ if string.is_empty() => return None,
            _ => add(&[], SmallVec::new()),
        }
        Some(())
    }
}

/// The beginning of a match, and what is left of it, the next part last; nothing where that is not looked at.
#[derive(Clone)]
struct Beginning {
    string: Vec<u8>,
    rest: SmallVec<[ExpressionId; 4]>,
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::*;

    fn string(store: &mut ExpressionStore, content: ExpressionId, after: &[u8]) -> ExpressionId {
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let (string, after) = (store.json_string(content, spelling), store.literal(after));
        store.concatenate(string, after)
    }

    fn shown(sought: &Sought) -> String {
        let [anywhere, first] = [&sought.anywhere, &sought.first].map(|strings| {
            let strings: Vec<_> = strings.iter().map(|string| String::from_utf8_lossy(string)).collect();
            strings.join(" ")
        });
        format!("{anywhere}, {first}")
    }

    fn beside(store: &mut ExpressionStore, content: ExpressionId) -> Option<(bool, String)> {
        let given = string(store, content, b"\"");
        let found = store.beside_any_string(given)?;
        let character = store.any_character();
        let any = store.repetition(character, 0, None);
        let any = string(store, any, if found.is_endless { b"" } else { b"\"" });
        assert_eq!(found.expression, any);
        Some((found.is_endless, shown(&found.sought)))
    }

    #[test]
    fn a_string_in_which_something_is_looked_for_is_any_string_but_for_that() {
        let mut store = ExpressionStore::new();
        let character = store.any_character();
        let any = store.repetition(character, 0, None);
        let digits = store.bytes(ByteSet::range(b'7', b'9'));
        let some_digits = store.repetition(digits, 1, Some(3));
        let [word, end, mark] = ["word", "end", "d!"].map(|text| store.literal(text.as_bytes()));
        let either = store.literals(vec!["ab", "c"]);
        let [word, end, either, number] =
            [&[any, word, any][..], &[any, end], &[any, either, digits, any], &[any, some_digits, mark]]
                .map(|parts| store.concatenation(parts));
        let [not_word, not_end] = [word, end].map(|search| store.complement(search));
        let both = store.intersection(&[any, not_word, not_end]);
        let one = store.intersection(&[word, not_end]);
        let other = store.intersection(&[end, not_word]);
        let number_without = store.intersection(&[number, not_end]);
        let either_without = store.intersection(&[either, not_word]);
        let either_or = store.alternatives(&[either_without, mark]);
        let exactly_one = store.alternatives(&[one, other]);
        let neither = store.complement(exactly_one);
        let neither = store.intersection(&[any, neither]);
        let complete = |sought: &str| Some((false, sought.to_owned()));
        let endless = |sought: &str| Some((true, sought.to_owned()));
        let begun = store.alternatives(&[word, mark]);
        let keys = store.literals(vec!["key", "word"]);
        let not_keys = store.complement(keys);
        let other_key = store.intersection(&[any, not_word, not_keys]);
        let no_key = store.intersection(&[any, not_keys]);
        let or_nothing = store.alternatives(&[keys, ExpressionStore::EMPTY]);
        let not_nothing = store.complement(or_nothing);
        let not_nothing = store.intersection(&[word, not_nothing]);
        for (content, expected) in [
            (word, None),
            (either, None),
            (number, None),
            (both, complete("end word, ")),
            (one, endless("end word, ")),
            (exactly_one, endless("end word, ")),
            (other_key, complete("word, key word")),
            (either_or, endless("ab7 ab8 ab9 c7 c8 c9 word, d!")),
            (number_without, endless("7 8 9 end, ")),
            (not_nothing, None),
            (no_key, None),
            (neither, None),
            (any, None),
            (mark, None),
            (begun, None),
        ] {
            assert_eq!(beside(&mut store, content), expected, "{content:?}");
        }
        // Any character can be a part of what is looked for.
        let all = store.bytes(ByteSet::range(b' ', b'~'));
        let all = store.concatenate(any, all);
        let not_all = store.complement(all);
        let without_all = store.intersection(&[any, not_all]);
        assert_eq!(beside(&mut store, without_all), None);
        let [one, other] = [both, end].map(|content| string(&mut store, content, b"\","));
        let either = store.alternatives(&[one, other]);
        assert!(store.beside_any_string(either).is_some());
        let quote = store.literal(b"\"");
        let ended = store.alternatives(&[one, quote]);
        assert_eq!(store.beside_any_string(ended), None);
    }

    #[test]
    fn of_what_was_begun_fixed_strings_come_next() {
        let mut store = ExpressionStore::new();
        let character = store.any_character();
        let any = store.repetition(character, 0, None);
        let letters = store.bytes(ByteSet::range(b'a', b'c'));
        let letters = store.repetition(letters, 1, None);
        let [word, rest, other] = ["word", "rd", "key"].map(|text| store.literal(text.as_bytes()));
        let [search, rest, key] = [[any, word], [rest, any], [any, other]].map(|parts| {
            let found = store.concatenation(&parts[..]);
            store.concatenate(found, any)
        });
        let letters = store.concatenate(letters, any);
        let begun = store.alternatives(&[search, rest, letters]);
        let not = |store: &mut ExpressionStore, excluded| store.complement(excluded);
        let [not_begun, not_unread, not_other, not_letters] =
            [begun, search, other, letters].map(|excluded| not(&mut store, excluded));
        let [without_begun, without, without_letters] =
            [not_begun, not_unread, not_letters].map(|not| store.intersection(&[any, not]));
        let [key_without_begun, key_without, rest_without] =
            [[key, not_begun], [key, not_unread], [rest, not_other]].map(|all| store.intersection(&all));
        let either = store.alternatives(&[key_without_begun, rest_without]);
        for (content, unread, sought) in [
            (without_begun, without, "word, a b c rd"),
            (key_without_begun, key_without, "key word, a b c rd"),
            (either, key_without, "key word, a b c rd"),
            (without_letters, any, ", a b c"),
        ] {
            let [given, unread] = [content, unread].map(|content| string(&mut store, content, b"\""));
            let found = store.beside_any_string(given).unwrap();
            assert_eq!(found.unread, unread);
            assert_eq!(shown(&found.sought), sought);
            let found = store.beside_any_string(unread).map(|found| found.unread);
            assert!(found.is_none_or(|found| found == unread));
        }
        for content in [any, word, rest, rest_without] {
            let given = string(&mut store, content, b"\"");
            assert_eq!(store.beside_any_string(given), None);
        }
    }
}
