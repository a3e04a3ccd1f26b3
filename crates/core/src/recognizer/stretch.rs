//! How long a state can read characters of some kinds, whatever they are.
//!
//! In the middle of a string most characters change little: a state that has a pattern and a length to keep
//! goes to and fro between a few states, or counts down. A [`Stretch`] says of which characters every text stays
//! in the frame, and how long it may be; walks take all tokens made of them without reading them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::automaton::Automaton;
use super::characters::{Layer, Step, join_kinds};
use super::state::StateId;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{BegunBy, ByteSet, ExpressionId, ExpressionStore, Unconditioned};
use crate::vocabulary::Signature;

/// The texts of characters of some kinds that stay in the frame of a state, and never complete it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) kinds: Signature,
    /// All texts of up to so many characters stay.
    pub(crate) characters: u32,
    /// Whether no longer text of these kinds can be read at all.
    pub(crate) is_exact: bool,
    /// Whether what is left after a text depends on its number of characters only.
    pub(crate) is_counted: bool,
}

/// The states that texts of some kinds of characters lead to.
struct Closure {
    stretch: Stretch,
    /// The states met, each with the least number of characters that leads there.
    states: Vec<(StateId, u32)>,
}

/// For each state met, the kinds of which each was the only one by which a text on the first way to it went on.
type Ways = FxHashMap<StateId, Signature>;

/// Notes the ways that lead on from a state to those after it.
fn note_ways(ways: &mut Ways, state: StateId, after: &Layer) {
    let before = ways.get(&state).copied().unwrap_or(Signature::EMPTY);
    for &(next, kinds) in after {
        let mut way = before;
        if kinds.count() == 1 {
            way |= kinds;
        }
        ways.entry(next).or_insert(way);
    }
}

impl Stretch {
    /// Stands for any number of characters.
    pub(crate) const UNLIMITED: u32 = u32::MAX;
    /// More tokens than this that are longer than the stretch are not worth reading one by one.
    pub(crate) const MOST_LONG_TOKENS: usize = 512;
    const NONE: Self = Self { kinds: Signature::EMPTY, characters: 0, is_exact: false, is_counted: false };

    /// As after some characters of these kinds.
    fn after(self, characters: u32) -> Self {
        match self.characters {
            Self::UNLIMITED => self,
            left => Self { characters: left.saturating_sub(characters), ..self },
        }
    }
}

impl Automaton {
    /// The most states that are looked at for one stretch; past that it ends.
    const MOST_STATES: usize = 64;
    /// The most new states after one character more; a stretch that spreads more is not worth following.
    const MOST_AT_ONCE: usize = 16;
    /// Of more states it is not looked up whether they are alike.
    const MOST_TO_JOIN: usize = 256;
    /// A kind of characters that ends the stretch sooner is left out of it.
    const SHORTEST: u32 = 4;
    /// So is one of the kinds on the way to a single one that ends the stretch sooner than this, as of a word that may not
    /// occur: most texts lack one of its letters.
    const LONGEST_TO_ONE: u32 = 16;
    /// After so many states on the way that read more kinds, no others are looked at.
    const MOST_WITH_MORE: u32 = 3;
    /// The most steps in looking for the ways that are left to matches.
    const MOST_STEPS: u32 = 1024;
    /// The most bytes of a character in UTF-8.
    const CHARACTER: u32 = 4;

    /// Of which characters texts stay in the frame of a state.
    ///
    /// Not the longest stretch of all, but one worth knowing. What is found out is kept for all states that it holds for.
    pub(crate) fn stretch(&self, state: StateId, deadline: &Deadline) -> Result<Stretch> {
        if let Some(&stretch) = self.cell(state).facts().stretch.get() {
            return Ok(stretch);
        }
        let stretch = self.find_stretch(state, deadline)?;
        Ok(*self.cell(state).facts().stretch.get_or_init(|| stretch))
    }

    /// The stretch of a state that counts characters: what is left after a text within it depends on their number
    /// only. `None` where that is not known.
    pub(crate) fn counted(&self, state: StateId, deadline: &Deadline) -> Result<Option<Stretch>> {
        if self.repeated_kinds(state)?.is_empty() {
            return Ok(None);
        }
        let stretch = self.stretch(state, deadline)?;
        Ok(Some(stretch).filter(|stretch| stretch.is_counted))
    }

    /// The same, but `None` at once where the state does not count most of the kinds that it repeats: what else is its stretch may take
    /// long to find out.
    pub(crate) fn counted_for_most(&self, state: StateId, deadline: &Deadline) -> Result<Option<Stretch>> {
        if let Some(known) = self.known_stretch(state) {
            return Ok(Some(known).filter(|stretch| stretch.is_counted));
        }
        let kinds = self.repeated_kinds(state)?;
        let counted = self.counted_stretch(state, deadline)?.filter(|stretch| stretch.is_counted);
        match counted.filter(|counted| kinds.without(counted.kinds).is_rare()) {
            Some(_) => self.counted(state, deadline),
            None => Ok(None),
        }
    }

    /// The stretch of a state, where it has been found.
    pub(crate) fn known_stretch(&self, state: StateId) -> Option<Stretch> {
        self.cell(state).facts().stretch.get().copied()
    }

    fn find_stretch(&self, state: StateId, deadline: &Deadline) -> Result<Stretch> {
        let kinds = self.repeated_kinds(state)?;
        let counted = self.counted_stretch(state, deadline)?;
        if let Some(counted) = counted.filter(|counted| counted.kinds == kinds) {
            return Ok(counted);
        }
        if let Some(searching) = self.searching_stretch(state, kinds, deadline)? {
            return Ok(searching);
        }
        // No text of a class completes what has something else behind it.
        let unending = self.endless_stretch(state, ExpressionStore::text_before_the_unread, deadline)?;
        if let Some(unending) = unending.filter(|found| found.kinds == kinds) {
            return Ok(unending);
        }
        let unexcluded =
            self.unconditioned_stretch(state, ExpressionStore::without_exclusion_at_head, deadline)?;
        if let Some(unexcluded) = unexcluded {
            return Ok(unexcluded);
        }
        // What counts tells what is left after each text. That is worth more than a few kinds.
        if let Some(counted) =
            counted.filter(|counted| counted.is_counted && kinds.without(counted.kinds).is_rare())
        {
            return Ok(counted);
        }
        let of_any_length =
            self.unconditioned_stretch(state, ExpressionStore::without_least_length_at_head, deadline)?;
        if let Some(of_any_length) = of_any_length {
            return Ok(of_any_length);
        }
        if let Some(uncounted) = self.uncounted_stretch(state, deadline)? {
            return Ok(uncounted);
        }
        if let Some(unbounded) = self.unbounded_stretch(state, deadline)? {
            return Ok(unbounded);
        }
        let closure = self.close(state, kinds, deadline)?;
        // What ends for no reason but that it was not followed on is longer from where the next states are.
        let is_whole = closure.stretch.is_exact || closure.stretch.characters == Stretch::UNLIMITED;
        let unknown = |&&(other, _): &&(StateId, u32)| self.cell(other).facts().stretch.get().is_none();
        let mut with_more = 0;
        for &(other, distance) in closure.states.iter().filter(|_| is_whole).filter(unknown) {
            if self.leaves_out_nothing(other, closure.stretch, deadline)? {
                self.cell(other).facts().stretch.get_or_init(|| closure.stretch.after(distance));
                continue;
            }
            // Where a kind was left out since it leads to too many states, most of these read it, too.
            with_more += 1;
            if with_more == Self::MOST_WITH_MORE {
                break;
            }
        }
        Ok(counted.filter(|_| closure.stretch.kinds.is_empty()).unwrap_or(closure.stretch))
    }

    /// The stretch of a state that begins with a repetition of characters: as many as may still be repeated. Under
    /// conditions, those characters count that leave each of them as it is, and so all of them met.
    fn counted_stretch(&self, state: StateId, deadline: &Deadline) -> Result<Option<Stretch>> {
        let parts = self.grow(|growing| {
            let Some(counted) = growing.grammar.expressions.uncounted(self.cell(state).expression) else {
                return Ok(None);
            };
            let uncounted = self.intern(growing, counted.uncounted)?;
            let body = self.intern(growing, counted.body)?;
            let rest = match counted.rest {
                ExpressionStore::EMPTY => None,
                rest => Some(self.intern(growing, rest)?),
            };
            let begins_characters = growing.grammar.expressions.begins_characters(counted.body);
            Ok(Some((uncounted, body, rest, counted.maximum, begins_characters)))
        })?;
        let Some((uncounted, body, rest, left, begins_characters)) = parts else { return Ok(None) };
        let kinds = self.loops(uncounted, deadline)?;
        let counts_characters = begins_characters || kinds.is_ascii();
        // Each character completes the body, and nothing else reads it: the rest is the same with one less to come.
        let is_told_by_count = state != uncounted
            && counts_characters
            && self.reads_single_characters(body, kinds, deadline)?
            && match rest {
                Some(rest) => self.reads_none(rest, kinds, deadline)?,
                None => true,
            };
        // A character begins one repetition at most, or each of its bytes one.
        let characters = match left {
            ExpressionStore::UNBOUNDED => Stretch::UNLIMITED,
            left if counts_characters => left,
            left => left / Self::CHARACTER,
        };
        let is_exact = is_told_by_count && left != ExpressionStore::UNBOUNDED;
        // A rest that captures a text is taken apart once it stands alone, behind the last character that may come.
        let is_counted = is_told_by_count && !rest.is_some_and(StateId::captures);
        Ok(Some(Stretch { kinds, characters, is_exact, is_counted }))
    }

    /// The stretch of a string in which something is still to be found anywhere: that of any string. Behind any text of a class
    /// of all that ASCII writes as it is, such as `.*`, that of any such text. There are few ways between texts of less.
    fn searching_stretch(
        &self,
        state: StateId,
        kinds: Signature,
        deadline: &Deadline,
    ) -> Result<Option<Stretch>> {
        let found = self.endless_stretch(state, ExpressionStore::without_search_at_head, deadline)?;
        if found.is_some() {
            return Ok(found);
        }
        let ascii = kinds.first_bytes().intersection(&ByteSet::range(0, 0x7F));
        let bytes = ascii.union(&ByteSet::range(b' ', b'~')).intersection(&self.alphabet);
        let any_text = |store: &mut ExpressionStore, id| store.without_class_search_at_head(id, &bytes);
        match self.endless_stretch(state, any_text, deadline)? {
            None => self.conditioned_search_stretch(state, kinds, &bytes, deadline),
            found => Ok(found),
        }
    }

    /// The stretch of a string of which more is asked than that something is found behind any text of a class: that of the
    /// characters of the class on which what more is asked loops.
    ///
    /// To each text of them what is kept of the content is left, with a match, and no string ends before its quote. What is
    /// left out, other than a few rare kinds, is more than is saved.
    fn conditioned_search_stretch(
        &self,
        state: StateId,
        kinds: Signature,
        bytes: &ByteSet,
        deadline: &Deadline,
    ) -> Result<Option<Stretch>> {
        let found = self.grow(|growing| {
            let (grammar, whole) = (&mut growing.grammar, self.cell(state).expression);
            let Some(found) = grammar.expressions.conditioned_search_at_head(whole, bytes) else {
                return Ok(None);
            };
            if !grammar.emptiness.is_alive(&mut grammar.expressions, found.kept, deadline)? {
                return Ok(None);
            }
            Ok(Some((self.intern(growing, found.any)?, self.intern(growing, found.asked)?)))
        })?;
        let Some((any, asked)) = found else { return Ok(None) };
        let (of_class, asked) = (self.loops(any, deadline)?, self.loops(asked, deadline)?);
        let looped = asked.without(asked.without(of_class));
        let is_most = !looped.is_empty() && kinds.without(looped).is_rare();
        let stretch = Stretch { kinds: looped, characters: Stretch::UNLIMITED, ..Stretch::NONE };
        Ok(is_most.then_some(stretch))
    }

    /// The stretch of a state that reads on whatever any text can be read by, as long as it may be: the kinds on which that
    /// loops.
    fn endless_stretch(
        &self,
        state: StateId,
        any_text: impl FnOnce(&mut ExpressionStore, ExpressionId) -> Option<ExpressionId>,
        deadline: &Deadline,
    ) -> Result<Option<Stretch>> {
        let any = self.grow(|growing| {
            let any = any_text(&mut growing.grammar.expressions, self.cell(state).expression);
            any.map(|any| self.intern(growing, any)).transpose()
        })?;
        let Some(any) = any else { return Ok(None) };
        let kinds = self.loops(any, deadline)?;
        Ok(Some(Stretch { kinds, characters: Stretch::UNLIMITED, ..Stretch::NONE }))
    }

    /// The stretch of a state whose first part excludes a few strings, or is of some length at least: that of the state
    /// without this condition, where it is longer than all that is excluded, and of the characters that what follows the
    /// first part does not begin with.
    ///
    /// Let that be N characters. After a text of up to N of them it can be read on to N, and then a match
    /// is left. The first part of the whole match is a string of at least N characters, since none of them is of what
    /// follows, so it is not excluded. And as long as only the first part has been read, its length does not decide
    /// whether it can be read on.
    pub(super) fn unconditioned_stretch(
        &self,
        state: StateId,
        without_condition: impl FnOnce(&mut ExpressionStore, ExpressionId) -> Option<Unconditioned>,
        deadline: &Deadline,
    ) -> Result<Option<Stretch>> {
        let found = self.grow(|growing| {
            let (expressions, whole) = (&mut growing.grammar.expressions, self.cell(state).expression);
            let found = expressions.within(deadline, |store| without_condition(store, whole));
            found.map(|found| Ok((self.intern(growing, found.expression)?, found))).transpose()
        })?;
        let Some((unconditioned, found)) = found else { return Ok(None) };
        let stretch = self.stretch(unconditioned, deadline)?;
        let kinds = stretch.kinds.without(Signature::of_any(&found.after));
        let is_longer = stretch.characters > found.longest && !kinds.is_empty();
        let begins_characters = found.after.intersection(&ByteSet::range(0x80, 0xBF)).is_empty();
        Ok((is_longer && begins_characters).then_some(Stretch { kinds, is_counted: false, ..stretch }))
    }

    /// The stretch of a state whose text is bounded: that without the bounds, as far as these make no difference.
    fn unbounded_stretch(&self, state: StateId, deadline: &Deadline) -> Result<Option<Stretch>> {
        let Some((unbounded, found)) = self.without_bounds(state, deadline)? else { return Ok(None) };
        let Some(before) = found.kinds_before() else { return Ok(None) };
        let stretch = self.stretch(unbounded, deadline)?;
        let kinds = stretch.kinds.without(stretch.kinds.without(before));
        let characters = stretch.characters.min(found.characters);
        let is_long = characters > Self::SHORTEST && !kinds.is_empty();
        Ok(is_long.then_some(Stretch { kinds, characters, ..Stretch::NONE }))
    }

    /// The stretch of a state whose long counters cannot run out within it.
    ///
    /// Let N be the least of those counters. Texts of up to N characters cannot tell the state from the one without
    /// them, so what is read stays in the frame if it does so there, and if a match is left to it that is
    /// short enough: both together are of up to N characters.
    fn uncounted_stretch(&self, state: StateId, deadline: &Deadline) -> Result<Option<Stretch>> {
        let relaxed = self.grow(|growing| {
            let relaxed = growing.grammar.expressions.without_long_counters(self.cell(state).expression);
            relaxed.map(|(relaxed, longest)| Ok((self.intern(growing, relaxed)?, longest))).transpose()
        })?;
        let Some((relaxed, longest)) = relaxed else { return Ok(None) };
        let (stretch, rest) = match self.cell(relaxed).facts().relaxed.get() {
            Some(&known) => known,
            None => {
                let found = self.relaxed_stretch(relaxed, deadline)?;
                *self.cell(relaxed).facts().relaxed.get_or_init(|| found)
            }
        };
        let Some(left) = rest.and_then(|rest| longest.checked_sub(rest)) else { return Ok(None) };
        let characters = stretch.characters.min(left);
        Ok((characters > Self::SHORTEST).then_some(Stretch { characters, is_exact: false, ..stretch }))
    }

    /// The stretch of a state without long counters, and the length in bytes of a match that is left to any state
    /// on the way.
    fn relaxed_stretch(&self, state: StateId, deadline: &Deadline) -> Result<(Stretch, Option<u32>)> {
        let closure = self.close(state, self.repeated_kinds(state)?, deadline)?;
        self.grow(|growing| {
            let mut steps = Self::MOST_STEPS;
            let mut longest = Some(0);
            for (other, _) in closure.states {
                deadline.check()?;
                let expression = self.cell(other).expression;
                let store = &mut growing.grammar.expressions;
                let length = store.length_to_match(expression, &self.alphabet, &mut steps);
                longest = longest.zip(length).map(|(longest, length)| longest.max(length));
            }
            Ok((closure.stretch, longest))
        })
    }

    /// Follows texts of some kinds of characters, as many characters at once as go on. Kinds that end all too soon
    /// are left out, and all where the states that they lead to are made of too much.
    fn close(&self, start: StateId, mut kinds: Signature, deadline: &Deadline) -> Result<Closure> {
        let most = self.size()? + Self::MOST_ADDED;
        loop {
            deadline.check()?;
            match self.close_over(start, kinds, most, deadline)? {
                Ok(closure) => return Ok(closure),
                Err(left_out) => kinds = kinds.without(left_out),
            }
            if kinds.is_empty() {
                return Ok(Closure { stretch: Stretch::NONE, states: vec![(start, 0)] });
            }
        }
    }

    /// As [`close`](Self::close) for all of the kinds; or those to leave out: all, once the size of what states are made of is greater
    /// than `most`.
    fn close_over(
        &self,
        start: StateId,
        kinds: Signature,
        most: usize,
        deadline: &Deadline,
    ) -> Result<std::result::Result<Closure, Signature>> {
        let first = self.first_of(kinds);
        let mut seen = FxHashSet::from_iter([start]);
        let (mut states, mut ways) = (vec![(start, 0)], Ways::default());
        let (mut layer, mut comes_back) = (vec![(start, Signature::EMPTY)], false);
        for characters in 0.. {
            let mut next_layer = Vec::new();
            for &(state, before) in &layer {
                if self.size()? > most {
                    return Ok(Err(kinds));
                }
                match self.read_characters(state, &first, deadline)? {
                    Step::Stays(after) => {
                        note_ways(&mut ways, state, &after);
                        next_layer.extend(after);
                    }
                    Step::Leaves(leaving) => {
                        let is_exact =
                            characters > 0 && !comes_back && self.all_read_none(&layer, kinds, deadline)?;
                        if !is_exact && leaving.count() == 1 && characters < Self::LONGEST_TO_ONE {
                            let mut way = ways.get(&state).copied().unwrap_or(Signature::EMPTY);
                            way |= leaving;
                            return Ok(Err(way.rarest()));
                        }
                        if !is_exact && characters < Self::SHORTEST {
                            // A few kinds after which not all can be read, such as the beginning of an escape, are
                            // left out rather than the many that they do not go on with.
                            let is_few = !before.is_empty() && before.count() <= leaving.count();
                            return Ok(Err(if is_few { before } else { leaving }));
                        }
                        let stretch = Stretch { kinds, characters, is_exact, is_counted: false };
                        return Ok(Ok(Closure { stretch, states }));
                    }
                }
            }
            join_kinds(&mut next_layer);
            if next_layer.len() > Self::MOST_AT_ONCE {
                let left_out = self.join_alike(&mut next_layer, kinds)?;
                if !left_out.is_empty() {
                    return Ok(Err(left_out));
                }
            }
            let count = next_layer.len();
            next_layer.retain(|&(state, _)| seen.insert(state));
            comes_back |= next_layer.len() < count;
            if next_layer.len() > Self::MOST_AT_ONCE {
                let stretch = Stretch { kinds, characters: characters + 1, ..Stretch::NONE };
                return Ok(Ok(Closure { stretch, states }));
            }
            states.extend(next_layer.iter().map(|&(state, _)| (state, characters + 1)));
            let characters = match () {
                () if next_layer.is_empty() => Stretch::UNLIMITED,
                () if states.len() > Self::MOST_STATES => characters + 1,
                () => {
                    layer = next_layer;
                    continue;
                }
            };
            return Ok(Ok(Closure { stretch: Stretch { kinds, characters, ..Stretch::NONE }, states }));
        }
        Ok(Err(kinds))
    }

    /// Makes one of states that differ only in what few kinds of characters lead to, if that leaves few states. Returns
    /// these kinds where they are among those to be read; then the states stay as they are.
    fn join_alike(&self, layer: &mut Layer, kinds: Signature) -> Result<Signature> {
        let common = self.first_of(kinds.common());
        if common.is_empty() || layer.len() > Self::MOST_TO_JOIN {
            return Ok(Signature::EMPTY);
        }
        let (mut joined, mut begun) = (Vec::with_capacity(layer.len()), BegunBy::new(common));
        for &(state, kinds) in layer.iter() {
            let alike = self.grow(|growing| {
                let left = begun.of(&mut growing.grammar.expressions, self.cell(state).expression);
                self.intern(growing, left)
            })?;
            joined.push((alike, kinds));
        }
        join_kinds(&mut joined);
        if joined.len() > Self::MOST_AT_ONCE {
            return Ok(Signature::EMPTY);
        }
        let left_out = kinds.without(kinds.without(Signature::of_any(&begun.others)));
        if left_out.is_empty() {
            *layer = joined;
        }
        Ok(left_out)
    }

    /// Whether what a state can read for one character of the kinds is all within a stretch, so that the stretch is
    /// as good for the state as one of its own.
    fn leaves_out_nothing(&self, state: StateId, stretch: Stretch, deadline: &Deadline) -> Result<bool> {
        let mut others = self.repeated_kinds(state)?.without(stretch.kinds);
        while !others.is_empty() {
            match self.read_characters(state, &self.first_of(others), deadline)? {
                Step::Stays(_) => return Ok(false),
                Step::Leaves(kind) => others = others.without(kind),
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::frontend::json_schema;
    use crate::frontend::regex::{self, RegexOptions};
    use crate::grammar::PreparedGrammar;
    use crate::vocabulary::Vocabulary;

    /// The automaton of a schema, and some of its states.
    fn automaton_of(schema: &str, deadline: &Deadline) -> (Automaton, Vec<StateId>) {
        let (budget, vocabulary) = (Budget::default(), Vocabulary::of_bytes());
        let grammar = json_schema::compile(schema, &[], &json_schema::Options::default(), &budget).unwrap();
        let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
        let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
        let states = automaton.some_states(*b" \"abcd", 100, deadline);
        (automaton, states)
    }

    #[test]
    fn what_is_made_of_very_much_is_given_up() {
        let (budget, vocabulary) = (Budget::default(), Vocabulary::of_bytes());
        let deadline = Deadline::for_compile(&budget);
        let greatest = |pattern: &str| {
            let grammar = regex::compile(pattern, &RegexOptions::default(), &budget).unwrap();
            let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
            let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
            let states = automaton.some_states(*b" \"ab", 40, &deadline);
            let added = states.into_iter().map(|state| {
                let before = automaton.size().unwrap();
                automaton.stretch(state, &deadline).unwrap();
                automaton.size().unwrap() - before
            });
            added.max().unwrap()
        };
        assert!(greatest(r"\w{2,8}( \w{2,8}){0,5}|\d\w*") < Automaton::MOST_ADDED / 2);
        let ambiguous = r"(((?!ab).)*([^z]{0,6}|[^z]{0,6}\w+\w{2,8}\b){0,2}(?<!a)b(?!foo|ab)[a-z]{1,9}){1,3}";
        let added = greatest(ambiguous);
        assert!((Automaton::MOST_ADDED..4 * Automaton::MOST_ADDED).contains(&added), "{added}");
    }

    #[test]
    fn what_hardly_counts_is_looked_at_no_longer() {
        let deadline = Deadline::for_compile(&Budget::default());
        for (schema, counts) in [
            (r#"{"type": "string", "maxLength": 90}"#, true),
            (r#"{"type": "string", "pattern": "^[a-z ]{3,70}$"}"#, true),
            (r#"{"type": "string", "not": {"pattern": "ab|cd"}}"#, false),
            // Only two of the characters that it repeats are counted.
            (r#"{"type": "string", "pattern": "^[bc]{1,70}[a-z]*a$"}"#, false),
        ] {
            let (automaton, states) = automaton_of(schema, &deadline);
            let mut count = 0;
            for state in states {
                let counted = automaton.counted_for_most(state, &deadline).unwrap();
                assert_eq!(automaton.known_stretch(state), counted, "{schema} {state:?}");
                if counted.is_some() {
                    count += 1;
                    assert_eq!(automaton.counted(state, &deadline).unwrap(), counted, "{schema} {state:?}");
                }
            }
            assert_eq!(count > 0, counts, "{schema}: {count}");
        }
    }
}
