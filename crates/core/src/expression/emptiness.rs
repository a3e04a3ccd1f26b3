//! Whether an expression with intersections and complements matches anything at all.
//!
//! Everything else in normal form matches something by construction, because the constructors drop
//! `Nothing`. For the rest the derivatives are [searched](super::match_search) until one matches the empty text.
//! Both answers are kept: a path to a match shows that all expressions on it are alive, and a
//! search that ends without one shows that all it met are dead.
//!
//! The content of a JSON string can hold any character, whatever the alphabet of the text, because escapes
//! are spelled with a few letters of ASCII. So contents have verdicts of their own.
//!
//! Where texts can be made longer without end, a long match need not be looked for: a short one shows it.

use regex_syntax::utf8::Utf8Sequence;
use rustc_hash::FxHashSet;

use super::json_string::NextEscape;
use super::match_search::MatchSearch;
use super::store::ExpressionMap;
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore, SpellingId};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};

/// What is known so far, for the expressions of one store over one alphabet.
#[derive(Clone, Debug)]
pub(crate) struct Emptiness {
    text: Verdicts,
    content: Verdicts,
    /// The greatest number of expressions that one search explores.
    limit: usize,
    /// The greatest size of the store.
    expressions: usize,
}

/// What is known of expressions over one alphabet.
#[derive(Clone, Debug)]
struct Verdicts {
    alphabet: ByteSet,
    known: ExpressionMap<bool>,
    /// The match that was found last, from where it was looked for.
    witness: Vec<u8>,
}

/// What an expression is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// The bytes of the text.
    Text,
    /// The characters of a JSON string.
    Content,
}

impl Emptiness {
    pub(crate) fn new(alphabet: ByteSet, budget: &Budget) -> Self {
        let Budget { emptiness: limit, expressions, .. } = *budget;
        let over = |alphabet| Verdicts { alphabet, known: ExpressionMap::default(), witness: Vec::new() };
        Self { text: over(alphabet), content: over(ByteSet::ALL), limit, expressions }
    }

    /// The same for another alphabet of the text, and within another budget; what is known of contents stays known.
    pub(crate) fn over(&self, alphabet: ByteSet, budget: &Budget) -> Self {
        Self { content: self.content.clone(), ..Self::new(alphabet, budget) }
    }

    /// The bytes of texts.
    pub(crate) fn alphabet(&self) -> &ByteSet {
        &self.text.alphabet
    }

    fn verdicts(&mut self, level: Level) -> &mut Verdicts {
        match level {
            Level::Text => &mut self.text,
            Level::Content => &mut self.content,
        }
    }

    /// Whether some text over the alphabet matches, where every rule called matches something.
    pub(crate) fn is_alive(
        &mut self,
        store: &mut ExpressionStore,
        id: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        self.ask(Level::Text, store, id, deadline)
    }

    /// Whether some string matches, as the content of a JSON string.
    pub(crate) fn is_alive_content(
        &mut self,
        store: &mut ExpressionStore,
        id: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        self.ask(Level::Content, store, id, deadline)
    }

    fn ask(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        id: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        store.bound(self.expressions);
        store.within(deadline, |store| self.is_alive_at(level, store, id, deadline))
    }

    fn is_alive_at(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        id: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        if id == ExpressionStore::NOTHING {
            return Ok(false);
        }
        if !store.has_boolean(id) || store.is_nullable(id) {
            return Ok(true);
        }
        if let Some(&alive) = self.verdicts(level).known.get(&id) {
            return Ok(alive);
        }
        let alive = match store.get(id) {
            Expression::Concatenation(..) => {
                // Chains are as long as patterns are, so they are followed without recursion.
                let (mut at, mut alive) = (id, true);
                while let Expression::Concatenation(head, tail) = store.get(at) {
                    alive = alive && self.is_alive_at(level, store, head, deadline)?;
                    at = tail;
                }
                alive && self.is_alive_at(level, store, at, deadline)?
            }
            Expression::Repetition { body, .. } => self.is_alive_at(level, store, body, deadline)?,
            Expression::Alternatives(_) => {
                let mut any = false;
                for operand in store.operands(id) {
                    any = any || self.is_alive_at(level, store, operand, deadline)?;
                }
                any
            }
            Expression::JsonString { content, escape: Escape::None, .. } => {
                self.is_alive_at(Level::Content, store, content, deadline)?
            }
            Expression::Capture { content, .. } => self.is_alive_at(level, store, content, deadline)?,
            Expression::Intersection(_)
                if level == Level::Content
                    && let Some(base) = store.endless_base(id) =>
            {
                self.is_alive_at(level, store, base, deadline)?
            }
            Expression::JsonString { content, escape, spelling } => {
                self.has_living_escape(store, content, escape, spelling, deadline)?
            }
            _ => return self.search(level, store, id, deadline),
        };
        self.check_size(store, deadline)?;
        self.verdicts(level).known.insert(id, alive);
        Ok(alive)
    }

    /// Whether a JSON string lives on after something that an escape can turn out to be.
    fn has_living_escape(
        &mut self,
        store: &mut ExpressionStore,
        content: ExpressionId,
        escape: Escape,
        spelling: SpellingId,
        deadline: &Deadline,
    ) -> Result<bool> {
        let characters = store.escaped_characters(escape, spelling);
        if self.has_living_character(store, content, characters, deadline)? {
            return Ok(true);
        }
        match escape {
            Escape::High { lone, next: NextEscape::None, .. } => {
                self.is_alive_at(Level::Content, store, lone, deadline)
            }
            Escape::High { lone, next, .. } => {
                let characters = store.escaped_without_partner(next, spelling);
                self.has_living_character(store, lone, characters, deadline)
            }
            _ => Ok(false),
        }
    }

    /// Whether a content lives on after one of some characters, given by the bytes in each place.
    fn has_living_character(
        &mut self,
        store: &mut ExpressionStore,
        content: ExpressionId,
        characters: impl Iterator<Item = Utf8Sequence>,
        deadline: &Deadline,
    ) -> Result<bool> {
        if content == ExpressionStore::NOTHING {
            return Ok(false);
        }
        let content = store.endless_base(content).unwrap_or(content);
        for character in characters {
            let Some((last, begin)) = character.as_slice().split_last() else { continue };
            let mut now = vec![content];
            for range in begin {
                let mut next = FxHashSet::default();
                for at in now {
                    let mut left = ByteSet::range(range.start, range.end);
                    while let Some(byte) = left.first() {
                        let mut class = ByteSet::ALL;
                        next.insert(store.derive_whole(at, byte, &mut class));
                        left = left.difference(&class);
                    }
                }
                next.remove(&ExpressionStore::NOTHING);
                now = next.into_iter().collect();
            }
            // Most often the first of the last bytes will do.
            for at in now {
                let mut left = ByteSet::range(last.start, last.end);
                while let Some(byte) = left.first() {
                    let mut class = ByteSet::ALL;
                    let after = store.derive_whole(at, byte, &mut class);
                    if self.is_alive_at(Level::Content, store, after, deadline)? {
                        return Ok(true);
                    }
                    left = left.difference(&class);
                }
            }
        }
        Ok(false)
    }

    fn search(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        if self.needs_no_search(level, store, start, deadline)? {
            return Ok(true);
        }
        if let Some(short) = store.without_long_least_length(start) {
            let alive = self.is_alive_at(level, store, short, deadline)?;
            self.verdicts(level).known.insert(start, alive);
            return Ok(alive);
        }
        let mut search = MatchSearch::new(store, start);
        while let Some(met) = search.next() {
            deadline.check()?;
            let verdicts = self.verdicts(level);
            if store.is_nullable(met.expression) || verdicts.known.get(&met.expression) == Some(&true) {
                verdicts.keep_way(search.back_from(met.expression));
                return Ok(true);
            }
            if search.len() > self.limit {
                return Err(exceeded("emptiness", self.limit));
            }
            self.check_size(store, deadline)?;
            let Verdicts { alphabet, known, .. } = self.verdicts(level);
            search.go_on(met, alphabet, store, |next| known.get(&next) != Some(&false));
        }
        self.check_size(store, deadline)?;
        self.verdicts(level).known.extend(search.met().map(|id| (id, false)));
        Ok(false)
    }

    /// Checks that the store has not become too large and the time is not over, so that what derivatives told is to be
    /// believed.
    fn check_size(&self, store: &ExpressionStore, deadline: &Deadline) -> Result<()> {
        if store.is_out_of_time() {
            deadline.check()?;
        }
        match store.size() > self.expressions {
            true => Err(exceeded("expressions", self.expressions)),
            false => Ok(()),
        }
    }

    /// Whether an expression is known to be alive without a search: since integers of some divisors match; by what was
    /// found last, or what is left of it after a byte, since expressions that come one after another, or beside one
    /// another, differ little; or by a guess.
    fn needs_no_search(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        let verdicts = self.verdicts(level);
        if store.matches_an_integer(start, &verdicts.alphabet) {
            verdicts.known.insert(start, true);
            return Ok(true);
        }
        let witness = std::mem::take(&mut verdicts.witness);
        let mut followed = (0..witness.len().min(2))
            .map(|skipped| self.follow(level, store, start, &witness[skipped..], deadline));
        let goes_on = followed.find(|found| *found != Ok(false)).unwrap_or(Ok(false));
        self.verdicts(level).witness = witness;
        if goes_on? {
            return Ok(true);
        }
        let Some(guess) = store.likely_match(start) else { return Ok(false) };
        let is_match = self.follow(level, store, start, &guess, deadline)?;
        if is_match {
            self.verdicts(level).keep(guess);
        }
        Ok(is_match)
    }

    /// Whether a text, or the beginning of it, shows an expression to be alive; then so is what is left after each byte.
    fn follow(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        text: &[u8],
        deadline: &Deadline,
    ) -> Result<bool> {
        /// Asking the clock takes about as long as a derivative that is quickly found.
        const BYTES_PER_CHECK: usize = 8;
        let verdicts = self.verdicts(level);
        let mut path = vec![start];
        let (mut at, mut left) = (start, text.iter());
        while !store.is_nullable(at) && verdicts.known.get(&at) != Some(&true) {
            let is_over = at == ExpressionStore::NOTHING;
            let Some(&byte) = left.next().filter(|&&byte| !is_over && verdicts.alphabet.contains(byte))
            else {
                return Ok(false);
            };
            if path.len() % BYTES_PER_CHECK == 0 {
                deadline.check()?;
            }
            at = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
            path.push(at);
        }
        verdicts.known.extend(path.into_iter().map(|id| (id, true)));
        Ok(true)
    }
}

fn exceeded(budget: &'static str, limit: usize) -> Error {
    let what = "deciding whether an intersection or a complement matches anything";
    Error::exceeded(budget, limit, what)
}

impl Verdicts {
    /// A longer match is not worth trying again.
    const LONGEST_WITNESS: usize = 32;

    /// Keeps that all expressions on a way to one that is alive, given from its end, are so too, and the text of it.
    fn keep_way(&mut self, way: impl Iterator<Item = (ExpressionId, Option<u8>)>) {
        let mut witness = Vec::new();
        for (expression, byte) in way {
            self.known.insert(expression, true);
            witness.extend(byte);
        }
        witness.reverse();
        self.keep(witness);
    }

    /// Keeps a match that was found, unless it is long.
    fn keep(&mut self, witness: Vec<u8>) {
        self.witness = if witness.len() > Self::LONGEST_WITNESS { Vec::new() } else { witness };
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::super::json_string::tests::surrogate;
    use super::*;

    fn soon() -> Deadline {
        Deadline::for_compile(&Budget::default())
    }

    #[test]
    fn empty_and_living_intersections_are_told_apart() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let few = store.repetition(letter, 0, Some(3));
        let many = store.repetition(letter, 5, None);
        let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
        let none = store.intersection(&[few, many]);
        assert_eq!(emptiness.is_alive(&mut store, none, &soon()), Ok(false));
        let three = store.repetition(letter, 3, Some(7));
        let some = store.intersection(&[few, three]);
        assert_eq!(emptiness.is_alive(&mut store, some, &soon()), Ok(true));
    }

    #[test]
    fn what_the_last_search_found_is_tried_and_changes_no_answer() {
        let mut store = ExpressionStore::new();
        let (letters, x) = (store.bytes(ByteSet::range(b'a', b'z')), store.literal(b"x"));
        let words = store.repetition(letters, 0, None);
        let mut emptiness = Emptiness::new(ByteSet::range(b'a', b'z'), &Budget::default());
        for (least, most) in [(3, 9), (2, 9), (4, 9), (0, 2), (3, 3), (1, 5)] {
            let (long, short) =
                (store.repetition(letters, 3, None), store.repetition(letters, least, Some(most)));
            let ends = store.concatenate(short, x);
            let not_word = store.complement(words);
            for operands in [[long, ends], [ends, not_word], [short, long]] {
                let both = store.intersection(&operands);
                let mut fresh = Emptiness::new(ByteSet::range(b'a', b'z'), &Budget::default());
                let expected = fresh.is_alive(&mut store, both, &soon());
                assert_eq!(emptiness.is_alive(&mut store, both, &soon()), expected);
            }
        }
    }

    #[test]
    fn what_few_strings_are_excluded_from_is_alive_where_a_search_says_so() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let letter = store.bytes(ByteSet::range(b'a', b'c'));
        let words = store.literals([&b"a"[..], b"ab", b"abc"].map(<[u8]>::to_vec).into());
        let others = store.complement(words);
        let mut contents = Vec::new();
        for (body, maximum) in [(any, None), (letter, None), (letter, Some(1)), (letter, Some(3))] {
            for minimum in 0..2 {
                let base = store.repetition(body, minimum, maximum);
                contents.push(store.intersection(&[base, others]));
            }
        }
        contents.push(store.intersection(&[words, others]));
        // A pattern that can be left, one that cannot, and one to which all characters belong.
        let (text, many) = (store.repetition(any, 0, None), store.repetition(letter, 0, None));
        let (word, ascii) = (store.literal(b"ab"), store.bytes(ByteSet::range(0, 0x7F)));
        let (named, found) = (store.concatenate(word, many), store.concatenation(&[text, word, text]));
        let ascii = store.repetition(ascii, 0, None);
        for pattern in [named, found, ascii, text] {
            let not = store.complement(pattern);
            contents.push(store.intersection(&[text, not]));
            contents.push(store.intersection(&[text, not, others]));
            contents.push(store.intersection(&[many, not]));
        }
        let mut shortened = 0;
        for text in [&b""[..], b"a", b"ab", b"abc", b"c", b"abca", b"z"] {
            for &content in &contents {
                let derive = |at, &byte: &u8| store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                let at = text.iter().fold(content, derive);
                let fresh = || Emptiness::new(ByteSet::ALL, &Budget::default());
                let expected = at != ExpressionStore::NOTHING
                    && fresh().search(Level::Content, &mut store, at, &soon()).unwrap();
                assert_eq!(fresh().is_alive_content(&mut store, at, &soon()), Ok(expected), "{text:?}");
                shortened += usize::from(store.endless_base(at).is_some());
            }
        }
        assert!(shortened > 30, "{shortened}");
    }

    #[test]
    fn an_escape_leads_on_where_a_search_says_so() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let surrogate = surrogate(&mut store);
        let unit = store.alternatives(&[any, surrogate]);
        let (text, letter) = (store.repetition(any, 0, None), store.literal(b"a"));
        let not_text = store.complement(text);
        let smile = store.literal("😀".as_bytes());
        let surrogates = store.repetition(surrogate, 0, Some(3));
        let mut contents = vec![letter, smile, surrogates, store.concatenate(surrogate, letter)];
        for (least, most) in [(1, 1), (0, 3)] {
            for body in [any, unit] {
                let some = store.repetition(body, least, Some(most));
                let few = store.repetition(any, 0, Some(2));
                let others = store.complement(few);
                contents.extend([
                    some,
                    store.intersection(&[some, not_text]),
                    store.intersection(&[some, others]),
                ]);
            }
        }
        let mut spellings = Vec::new();
        for minimal_escapes in [false, true] {
            for raw in [ByteSet::ALL, ByteSet::range(0, 0x7F)] {
                let spelling = Spelling { minimal_escapes, ..Spelling::over(&raw) };
                spellings.push(store.intern_spelling(spelling));
            }
        }
        let mut counts = [0, 0];
        for (&content, &spelling) in
            contents.iter().flat_map(|content| spellings.iter().map(move |one| (content, one)))
        {
            let string = store.json_string(content, spelling);
            for text in [
                r"\",
                r"\ud",
                r"\ud8",
                r"\udc",
                r"\u0",
                r"\u006",
                r"\ud83d",
                r"\ud83d\",
                r"\ud83d\u",
                r"\ud83d\ud",
                r"\ud83d\udc",
                r"\ud83d\ud8",
                r"a\ude0",
            ] {
                let derive = |at, byte| store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                let at = text.bytes().fold(string, derive);
                let fresh =
                    |limit| Emptiness::new(ByteSet::ALL, &Budget { emptiness: limit, ..Budget::default() });
                // A search of what is dead tries each number of each escape.
                let found = match at {
                    ExpressionStore::NOTHING => Ok(false),
                    at => fresh(3_000).search(Level::Text, &mut store, at, &soon()),
                };
                let Ok(expected) = found else { continue };
                let alive = fresh(200_000).is_alive(&mut store, at, &soon());
                assert_eq!(alive, Ok(expected), "{text} {content:?} {spelling:?}");
                counts[usize::from(expected)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 199), "{counts:?}");
    }

    #[test]
    fn a_complement_is_relative_to_the_alphabet() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let words = store.repetition(letter, 0, None);
        let others = store.complement(words);
        let alive = |store: &mut ExpressionStore, alphabet| {
            Emptiness::new(alphabet, &Budget::default()).is_alive(store, others, &soon())
        };
        assert_eq!(alive(&mut store, ByteSet::ALL), Ok(true));
        assert_eq!(alive(&mut store, ByteSet::range(b'a', b'm')), Ok(false));
    }

    #[test]
    fn a_long_way_to_a_match_is_found_without_exploring_all_others() {
        // Many ways to count, and none shorter than 3,000 bytes.
        let mut store = ExpressionStore::new();
        let (a, ab) = (store.literal(b"a"), store.bytes(ByteSet::range(b'a', b'b')));
        let inner = store.repetition(a, 9, Some(13));
        let many = store.repetition(inner, 300, Some(800));
        let other = store.repetition(ab, 3000, None);
        let both = store.intersection(&[many, other]);
        let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget { emptiness: 8_000, ..Budget::default() });
        assert_eq!(emptiness.is_alive(&mut store, both, &soon()), Ok(true));
    }

    #[test]
    fn a_search_past_the_budget_is_an_error() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let short = store.repetition(letter, 0, Some(500));
        let long = store.repetition(letter, 501, None);
        let both = store.intersection(&[short, long]);
        let result = Emptiness::new(ByteSet::ALL, &Budget { emptiness: 100, ..Budget::default() }).is_alive(
            &mut store,
            both,
            &soon(),
        );
        assert!(matches!(result, Err(Error::BudgetExceeded { budget: "emptiness", .. })));
    }
}
