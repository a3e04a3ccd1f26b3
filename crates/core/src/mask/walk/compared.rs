//! Walks compared with those that visit each node.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::places::PlaceApart;
use super::{Beginning, Ground, Neighbour, Reach, Walker, Within};
use crate::budget::{Budget, Deadline};
use crate::frontend::json_schema;
use crate::grammar::{Grammar, PreparedGrammar};
use crate::mask::exits::ExitNodes;
use crate::mask::pool::Pool;
use crate::recognizer::{Automaton, StateId};
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// Pieces of texts put together by twos and threes, some more tokens, and all bytes.
pub(in crate::mask) fn vocabulary_of(pieces: &[&str], more: &[&[u8]]) -> Arc<Vocabulary> {
    let twos = pieces.iter().flat_map(|one| pieces.iter().map(move |other| format!("{one}{other}")));
    let twos: Vec<String> = twos.collect();
    let threes = twos.iter().flat_map(|two| pieces.iter().map(move |other| format!("{two}{other}")));
    let texts: BTreeSet<Vec<u8>> = threes
        .chain(twos.iter().cloned())
        .map(String::into_bytes)
        .chain(more.iter().map(|&token| token.into()))
        .collect();
    let tokens = (0..=255u8).map(|byte| vec![byte]).chain(texts);
    let mut tokens: Vec<_> = tokens.map(Some).collect();
    tokens.push(None);
    let (count, stop) = (tokens.len(), TokenId(tokens.len() as u32 - 1));
    Arc::new(Vocabulary::new(tokens, vec![], vec![stop], count).unwrap())
}

/// The grammar of a schema.
pub(in crate::mask) fn of_schema(text: &str) -> Grammar {
    json_schema::compile(text, &[], &json_schema::Options::default(), &Budget::default()).unwrap()
}

/// How many walks were compared.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) walks: usize,
    /// Those of states that were walked beside another one, too.
    pub(super) beside: usize,
    /// Those of states in the middle of tags that were walked beside one in which no tag has begun, too, and those of them that make the
    /// same of the vocabulary for certain.
    pub(super) beside_unread: [usize; 2],
    /// The same of states in which no tag has begun, beside one of any text.
    pub(super) beside_any_text: [usize; 2],
    /// The same of JSON strings in which something is looked for, beside those of any content.
    pub(super) beside_any_string: [usize; 2],
    /// The same of texts in which some strings must not be found, beside those in which they may.
    pub(super) beside_allowed_text: [usize; 2],
    /// The same of texts of so many parts at most, beside those of any number.
    pub(super) beside_unlimited: [usize; 2],
    /// The same of texts of a bounded length, beside those of any length.
    pub(super) beside_any_length: [usize; 2],
    /// Those of states that were walked by what is read without their bounds, too.
    pub(super) within: usize,
    /// Those that found slices of exits.
    pub(super) with_slices: usize,
    /// The nodes visited by walks with short cuts, and by those without.
    pub(super) visited: [u64; 2],
}

/// The budget of what is compared, in which no machine is too slow.
pub(super) fn unhurried() -> Budget {
    Budget { compile_time: Duration::from_secs(3600), ..Budget::default() }
}

/// Compares the walks from some states of a grammar, and from their last forms, from the root and from each of some exits;
/// and those from the root with walks beside the state before, however little the two have in common.
pub(super) fn compare(
    grammar: &Grammar,
    name: &str,
    bytes: &[u8],
    vocabulary: &Arc<Vocabulary>,
    starts: &[ExitNodes],
) -> Compared {
    let budget = unhurried();
    let deadline = Deadline::for_compile(&budget);
    let pool = Pool::new(vocabulary, budget.pool_bytes);
    let prepared = PreparedGrammar::new(grammar, vocabulary, &budget, true).unwrap();
    let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
    let slow_ground = Ground {
        automaton: &automaton,
        vocabulary,
        use_signatures: false,
        unions: pool.unions(),
        deadline: &deadline,
    };
    let mut comparison = Comparison {
        name,
        ground: Ground { use_signatures: true, ..slow_ground },
        slow_ground,
        walker: Walker::new(1 << 20),
        slow: Walker::new(1 << 20),
        compared: Compared::default(),
    };
    // The state from which the walk before was, with what that found: each is walked beside it, too.
    let mut last: Option<(StateId, Reach)> = None;
    for state in automaton.some_states(bytes.iter().copied(), 100, &deadline) {
        for state in std::iter::once(state).chain(automaton.last(state).unwrap()) {
            let expected = comparison.walk(None, state);
            comparison.within(state, &expected);
            if let Some(before) = &last {
                comparison.beside_last(before, state, &expected);
            }
            comparison.beside_neighbours(state, &expected);
            last = Some((state, expected));
            for exits in starts {
                comparison.walk(Some(exits), state);
            }
        }
    }
    comparison.compared.visited = [comparison.walker.visited(), comparison.slow.visited()];
    comparison.compared
}

/// Walks of the states of one grammar, and what they are compared with.
struct Comparison<'a> {
    /// What the messages call the grammar.
    name: &'a str,
    ground: Ground<'a>,
    /// The same without short cuts.
    slow_ground: Ground<'a>,
    walker: Walker,
    slow: Walker,
    compared: Compared,
}

impl Comparison<'_> {
    /// Compares a walk with one without short cuts, and gives what that found.
    fn walk(&mut self, from: Option<&ExitNodes>, state: StateId) -> Reach {
        let vocabulary = self.ground.vocabulary;
        let reach = self.walker.walk(&self.ground, Beginning { from, state, within: None }).unwrap();
        let listed = from.map(|exits| ExitNodes::of(&exits.all(vocabulary)));
        let from = listed.as_ref();
        let expected = self.slow_walk(from, state);
        self.assert_same(&reach, &expected, || format!("{from:?} {state:?}"));
        self.compared.walks += 1;
        self.compared.with_slices += usize::from(!reach.exits.slices.is_empty());
        expected
    }

    fn slow_walk(&mut self, from: Option<&ExitNodes>, state: StateId) -> Reach {
        self.slow.walk(&self.slow_ground, Beginning { from, state, within: None }).unwrap()
    }

    fn assert_same(&self, reach: &Reach, expected: &Reach, of: impl Fn() -> String) {
        let [found, expected] = [reach, expected].map(|reach| facts(reach, self.ground.vocabulary));
        assert_eq!(found, expected, "{} {}", self.name, of());
    }

    /// Compares a state that has bounds with what is read without them.
    fn within(&mut self, state: StateId, expected: &Reach) {
        let Ground { automaton, vocabulary, deadline, .. } = self.ground;
        let Some(unbounded) = automaton.unbounded(state, vocabulary, deadline).unwrap() else { return };
        let inside = self.slow_walk(None, unbounded.state).inside;
        let within = Within { unbounded, inside };
        let beginning = Beginning { from: None, state, within: Some(&within) };
        let reach = self.walker.walk(&self.ground, beginning).unwrap();
        self.assert_same(&reach, expected, || format!("{state:?} within {:?}", within.unbounded));
        self.compared.within += 1;
    }

    /// Compares a state with the one before, of which nothing is known.
    fn beside_last(&mut self, (last, of_last): &(StateId, Reach), state: StateId, expected: &Reach) {
        let neighbour = Neighbour { state: *last, most_nodes: usize::MAX >> 1, apart: None };
        self.compared.beside += usize::from(self.is_walked_beside(&neighbour, of_last, state, expected));
    }

    /// Whether a state can be walked beside another one; compares what that finds.
    fn is_walked_beside(
        &mut self,
        neighbour: &Neighbour,
        of_neighbour: &Reach,
        state: StateId,
        expected: &Reach,
    ) -> bool {
        let differences = self.slow.walk_beside(&self.ground, state, neighbour).unwrap();
        let Some(differences) = differences else { return false };
        let (_, exits, ends) = facts(of_neighbour, self.ground.vocabulary);
        let ends: Vec<NodeId> = ends.into_iter().collect();
        let reach = differences.applied(&of_neighbour.inside, &exits, &ends, &self.ground);
        self.assert_same(&reach, expected, || format!("{state:?} beside {:?}", neighbour.state));
        true
    }

    /// Compares a state with those that are known to do nearly the same.
    fn beside_neighbours(&mut self, state: StateId, expected: &Reach) {
        let places = self.unread(state);
        self.beside(places, state, expected, |compared| &mut compared.beside_unread);
        let places = self.any_text(state);
        self.beside(places, state, expected, |compared| &mut compared.beside_any_text);
        let places = self.any_string(state);
        self.beside(places, state, expected, |compared| &mut compared.beside_any_string);
        let places = self.allowed_text(state);
        self.beside(places, state, expected, |compared| &mut compared.beside_allowed_text);
        let places = self.unlimited(state);
        self.beside(places, state, expected, |compared| &mut compared.beside_unlimited);
        let places = self.any_length(state);
        self.beside(places, state, expected, |compared| &mut compared.beside_any_length);
    }

    /// Compares a state with another one and the places where the two begin to differ, where there is one.
    fn beside(
        &mut self,
        other: Option<(StateId, Vec<PlaceApart>)>,
        state: StateId,
        expected: &Reach,
        counts: fn(&mut Compared) -> &mut [usize; 2],
    ) {
        let Some((other, apart)) = other else { return };
        let neighbour = Neighbour { state: other, most_nodes: usize::MAX >> 1, apart: Some(apart) };
        let of_other = self.slow_walk(None, other);
        if neighbour.makes_the_same() {
            self.assert_same(&of_other, expected, || format!("{state:?} as {other:?}"));
            assert_eq!(of_other.captures, expected.captures, "{} {state:?}", self.name);
        }
        if self.is_walked_beside(&neighbour, &of_other, state, expected) {
            let [beside, alike] = counts(&mut self.compared);
            *beside += 1;
            *alike += usize::from(neighbour.makes_the_same());
        }
    }

    /// In the middle of tags: free text in which none has begun.
    fn unread(&self, state: StateId) -> Option<(StateId, Vec<PlaceApart>)> {
        let unread = self.ground.automaton.neighbour(state).unwrap()?;
        Some((unread.state, self.ground.places_apart(unread.texts.as_ref()?).unwrap()))
    }

    /// In free text in which no tag has begun: any text.
    fn any_text(&self, state: StateId) -> Option<(StateId, Vec<PlaceApart>)> {
        let any = self.ground.automaton.any_text(state).unwrap()?;
        let places = self.ground.places_with_strings(&any.texts, usize::MAX >> 1).unwrap();
        Some((any.state, places.unwrap()))
    }

    /// In a JSON string in which something is looked for: one of any content.
    fn any_string(&self, state: StateId) -> Option<(StateId, Vec<PlaceApart>)> {
        let any = self.ground.automaton.any_string(state, self.ground.deadline).unwrap()?;
        let places = self.ground.places_with_sought(&any.sought, true, usize::MAX >> 1).unwrap();
        Some((any.state, places.unwrap()))
    }

    /// In a text in which some strings must not be found: one in which they may.
    fn allowed_text(&self, state: StateId) -> Option<(StateId, Vec<PlaceApart>)> {
        let any = self.ground.automaton.allowed_text(state, self.ground.deadline).unwrap()?;
        let places = self.ground.places_with_sought(&any.sought, false, usize::MAX >> 1).unwrap();
        Some((any.state, places.unwrap()))
    }

    /// In a text of so many parts at most: one of any number.
    fn unlimited(&self, state: StateId) -> Option<(StateId, Vec<PlaceApart>)> {
        let unlimited = self.ground.automaton.without_part_limit(state, self.ground.deadline).unwrap()?;
        Some((unlimited.state, self.ground.places_with_parts(&unlimited).unwrap()))
    }

    /// In a text of a bounded length: one of any length.
    fn any_length(&self, state: StateId) -> Option<(StateId, Vec<PlaceApart>)> {
        let any = self.ground.automaton.of_any_length(state, self.ground.deadline).unwrap()?;
        Some((any.state, self.ground.places_too_long(&any).unwrap()?))
    }
}

/// What was found: the tokens inside, the exits, and the ends, each as a whole.
pub(in crate::mask) fn facts(
    reach: &Reach,
    vocabulary: &Vocabulary,
) -> (Arc<[u32]>, Vec<NodeId>, BTreeSet<NodeId>) {
    let ends = reach.ends.iter().copied().chain(reach.exits.ends(vocabulary)).collect();
    (reach.inside.to_row(vocabulary.mask_words()), reach.exits.all(vocabulary).into_owned(), ends)
}
