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
//! Where texts can be made longer without end, a long match need not be looked for: a short one shows it. That nothing
//! matches an intersection is often shown by two of its operands, or without how long texts may be, in far fewer steps; and often
//! the [shape](super::shape) of the operands tells at once.

use regex_syntax::utf8::Utf8Sequence;
use rustc_hash::FxHashSet;

use super::guess::usual_byte;
use super::in_turn::KnownMatches;
use super::json_string::NextEscape;
use super::match_search::MatchSearch;
use super::shape::Shape;
use super::store::ExpressionMap;
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore, SpellingId};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};

#[cfg(test)]
mod tests;

/// What is known so far, for the expressions of one store over one alphabet.
#[derive(Clone, Debug)]
pub(crate) struct Emptiness {
    text: Verdicts,
    content: Verdicts,
    /// What plainly holds of matches, over any alphabet.
    shapes: ExpressionMap<Shape>,
    /// The greatest number of expressions that one search explores; one with many operands counts for several.
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
    matches: KnownMatches,
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
        let over = |alphabet| Verdicts {
            alphabet,
            known: ExpressionMap::default(),
            witness: Vec::new(),
            matches: KnownMatches::default(),
        };
        let (text, content) = (over(alphabet), over(ByteSet::ALL));
        Self { text, content, shapes: ExpressionMap::default(), limit, expressions }
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

    /// Keeps that some string is known to match, as the content of a JSON string.
    pub(crate) fn note_living_content(&mut self, id: ExpressionId) {
        self.content.known.insert(id, true);
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
        let alphabet = self.verdicts(level).alphabet;
        if let Some(alive) = store.is_plainly_alive(start, &alphabet, &mut self.shapes) {
            self.verdicts(level).known.insert(start, alive);
            return Ok(alive);
        }
        if let Some(short) = store.without_long_least_length(start) {
            let alive = self.is_alive_at(level, store, short, deadline)?;
            self.verdicts(level).known.insert(start, alive);
            return Ok(alive);
        }
        let few = Self::FEW.min(self.limit);
        if let Some(alive) = self.explore(level, store, start, few, deadline)? {
            return Ok(alive);
        }
        if self.is_dead_by_less(level, store, start, deadline)? {
            self.verdicts(level).known.insert(start, false);
            return Ok(false);
        }
        let found = self.explore(level, store, start, self.limit, deadline)?;
        found.ok_or_else(|| exceeded("emptiness", self.limit))
    }

    /// So many expressions are explored before it is tried whether less than the whole shows that nothing matches.
    const FEW: usize = 1_000;

    /// Explores so many derivatives. `None` where they tell neither that something matches nor that nothing does.
    fn explore(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        most: usize,
        deadline: &Deadline,
    ) -> Result<Option<bool>> {
        let search = MatchSearch::for_any_match(store, start);
        self.go_on_exploring(level, store, search, most, deadline)
    }

    /// The same, where some have been met already. What was explored is as dead as all else where nothing matches.
    fn go_on_exploring(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        mut search: MatchSearch,
        most: usize,
        deadline: &Deadline,
    ) -> Result<Option<bool>> {
        while let Some(met) = search.next() {
            deadline.check()?;
            let verdicts = self.verdicts(level);
            if store.is_nullable(met.expression) || verdicts.known.get(&met.expression) == Some(&true) {
                verdicts.keep_way(search.back_from(met.expression));
                return Ok(Some(true));
            }
            if search.work() > most {
                return Ok(None);
            }
            let verdicts = self.verdicts(level);
            if met.length > 0
                && store.is_met_in_turn(met.expression, &verdicts.alphabet, &mut verdicts.matches)
            {
                self.check_size(store, deadline)?;
                self.verdicts(level).keep_way(search.back_from(met.expression));
                return Ok(Some(true));
            }
            self.check_size(store, deadline)?;
            let Verdicts { alphabet, known, .. } = self.verdicts(level);
            search.go_on(met, alphabet, store, |next| known.get(&next) != Some(&false));
        }
        self.check_size(store, deadline)?;
        self.verdicts(level).known.extend(search.met().map(|id| (id, false)));
        Ok(Some(false))
    }

    /// Whether few steps show that nothing matches two operands of an intersection, or all of them, where none has a long
    /// maximum. Each of these matches whatever the intersection does, and has far fewer derivatives.
    fn is_dead_by_less(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        /// Each takes a short search, most of which soon find a match.
        const MOST_PAIRS: usize = 256;
        if !matches!(store.get(start), Expression::Intersection(_)) {
            return Ok(false);
        }
        let operands = store.operands(start);
        let operands: Vec<ExpressionId> =
            operands.into_iter().map(|operand| store.without_long_maxima(operand)).collect();
        let pairs = (0..operands.len()).flat_map(|at| (0..at).map(move |other| (at, other)));
        let pairs = pairs.map(|(at, other)| [operands[at], operands[other]]);
        // What lacks one thing or the other is next to everything.
        let is_complement = |&id: &ExpressionId| matches!(store.get(id), Expression::Complement(_));
        let pairs: Vec<_> = pairs.filter(|pair| !pair.iter().all(is_complement)).take(MOST_PAIRS).collect();
        let few = Self::FEW.min(self.limit);
        for parts in pairs.iter().map(|pair| &pair[..]).chain([&operands[..]]) {
            let less = store.intersection(parts);
            if less != start && self.explore(level, store, less, few, deadline)? == Some(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Checks that the store has not become too large and the time is not over, so that what derivatives told is to be
    /// believed.
    fn check_size(&self, store: &ExpressionStore, deadline: &Deadline) -> Result<()> {
        // No clock need be asked: nothing that such a store tells is to be believed.
        if store.is_out_of_time() {
            return Err(deadline.exceeded());
        }
        match store.size() > self.expressions {
            true => Err(exceeded("expressions", self.expressions)),
            false => Ok(()),
        }
    }

    /// Whether an expression is known to be alive without a search: since integers of some divisors match; since some byte is
    /// not what complements are of; by what was found last, or what is left of it after a byte, since expressions that come
    /// one after another, or beside one another, differ little; or by a guess.
    fn needs_no_search(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        deadline: &Deadline,
    ) -> Result<bool> {
        let verdicts = self.verdicts(level);
        if store.matches_an_integer(start, &verdicts.alphabet)
            || store.leaves_complements(start, &verdicts.alphabet)
        {
            self.check_size(store, deadline)?;
            let verdicts = self.verdicts(level);
            verdicts.known.insert(start, true);
            return Ok(true);
        }
        if store.is_met_in_turn(start, &verdicts.alphabet, &mut verdicts.matches) {
            self.check_size(store, deadline)?;
            self.verdicts(level).known.insert(start, true);
            return Ok(true);
        }
        let is_spelled = |text: &Vec<u8>| text.iter().all(|&byte| verdicts.alphabet.contains(byte));
        if let Some(text) = store.match_of_length(start).filter(is_spelled) {
            verdicts.known.insert(start, true);
            verdicts.keep(text);
            return Ok(true);
        }
        let witness = std::mem::take(&mut verdicts.witness);
        let mut followed = (0..witness.len().min(2)).map(|skipped| {
            let text = &witness[skipped..];
            self.follow(level, store, start, |at, _| text.get(at).copied(), &mut Vec::new(), deadline)
        });
        let goes_on = followed.find(|found| *found != Ok(None)).unwrap_or(Ok(None));
        self.verdicts(level).witness = witness;
        if goes_on?.is_some() {
            return Ok(true);
        }
        match store.likely_match(start) {
            Some(guess) => {
                let mut way = Vec::new();
                Ok(self.follow_guess(level, store, start, &guess, &mut way, deadline)?
                    || self.search_beside(level, store, start, &way, deadline)?)
            }
            None => Ok(false),
        }
    }

    /// Whether a short search finds a match beside a way that led to none: what it leads to is looked at, too, most often near
    /// its end, where little is left to do. `false` does not say that nothing matches.
    fn search_beside(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        way: &[(ExpressionId, u8)],
        deadline: &Deadline,
    ) -> Result<bool> {
        /// About as many as there are on a way.
        const MOST: usize = 64;
        let mut search = MatchSearch::for_any_match(store, start);
        search.meet_way(store, start, way);
        Ok(self.go_on_exploring(level, store, search, MOST.min(self.limit), deadline)? == Some(true))
    }

    /// Whether a guess, or what becomes of it where another byte must come, or more, shows an expression to be alive; then
    /// so is what is left after each byte, and the text is kept.
    fn follow_guess(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        guess: &[u8],
        way: &mut Vec<(ExpressionId, u8)>,
        deadline: &Deadline,
    ) -> Result<bool> {
        /// What asks for many more characters is searched.
        const MOST_MORE: usize = 16;
        let next = |at: usize, first: &ByteSet| {
            let guessed = guess.get(at).copied().filter(|&byte| first.contains(byte));
            guessed.or_else(|| usual_byte(first)).filter(|_| at < guess.len() + MOST_MORE)
        };
        let Some(text) = self.follow(level, store, start, next, way, deadline)? else { return Ok(false) };
        self.verdicts(level).keep(text);
        Ok(true)
    }

    /// The text of bytes, each chosen by its place and those that may come, that shows an expression to be alive; then so is
    /// what is left after each byte. `None` where they end before, or lead to nothing. The `way` is what is left, each after its
    /// byte.
    fn follow(
        &mut self,
        level: Level,
        store: &mut ExpressionStore,
        start: ExpressionId,
        next: impl Fn(usize, &ByteSet) -> Option<u8>,
        way: &mut Vec<(ExpressionId, u8)>,
        deadline: &Deadline,
    ) -> Result<Option<Vec<u8>>> {
        /// Asking the clock takes about as long as a derivative that is quickly found.
        const BYTES_PER_CHECK: usize = 8;
        let mut at = start;
        let verdicts = self.verdicts(level);
        while !store.is_nullable(at) && verdicts.known.get(&at) != Some(&true) {
            let first = store.first_bytes(at).intersection(&verdicts.alphabet);
            let Some(byte) = next(way.len(), &first).filter(|&byte| first.contains(byte)) else {
                return Ok(None);
            };
            if way.len() % BYTES_PER_CHECK == BYTES_PER_CHECK - 1 {
                deadline.check()?;
            }
            at = store.derive_whole(at, byte, &mut ByteSet::ALL.clone());
            way.push((at, byte));
        }
        self.check_size(store, deadline)?;
        let all = std::iter::once(start).chain(way.iter().map(|&(id, _)| id));
        self.verdicts(level).known.extend(all.map(|id| (id, true)));
        Ok(Some(way.iter().map(|&(_, byte)| byte).collect()))
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
