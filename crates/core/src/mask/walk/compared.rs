//! Walks compared with those that visit each node.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

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
    let ground = |use_signatures| Ground {
        automaton: &automaton,
        vocabulary,
        use_signatures,
        unions: pool.unions(),
        deadline: &deadline,
    };
    let (mut walker, mut slow) = (Walker::new(1 << 20), Walker::new(1 << 20));
    let mut compared = Compared::default();
    // The state from which the walk before was, with what that found: each is walked beside it, too.
    let mut last: Option<(StateId, Reach)> = None;
    let mut compare = |from: Option<&ExitNodes>, state| {
        let reach = walker.walk(&ground(true), Beginning { from, state, within: None }).unwrap();
        let listed = from.map(|exits| ExitNodes::of(&exits.all(vocabulary)));
        let from = listed.as_ref();
        let expected = slow.walk(&ground(false), Beginning { from, state, within: None }).unwrap();
        assert_eq!(facts(&reach, vocabulary), facts(&expected, vocabulary), "{name} {from:?} {state:?}");
        compared.walks += 1;
        compared.with_slices += usize::from(!reach.exits.slices.is_empty());
        if from.is_some() {
            return;
        }
        if let Some(unbounded) = automaton.unbounded(state, vocabulary, &deadline).unwrap() {
            let beginning = Beginning { from, state: unbounded.state, within: None };
            let inside = slow.walk(&ground(false), beginning).unwrap().inside;
            let within = Within { unbounded, inside };
            let beginning = Beginning { from, state, within: Some(&within) };
            let reach = walker.walk(&ground(true), beginning).unwrap();
            let (found, expected) = (facts(&reach, vocabulary), facts(&expected, vocabulary));
            assert_eq!(found, expected, "{name} {state:?} within {:?}", within.unbounded);
            compared.within += 1;
        }
        if let Some((state_before, before)) = &last {
            let neighbour = Neighbour { state: *state_before, most_nodes: usize::MAX >> 1, apart: None };
            let differences = slow.walk_beside(&ground(true), state, &neighbour).unwrap();
            if let Some(differences) = differences {
                let (exits, ends) = (before.exits.all(vocabulary), facts(before, vocabulary).2);
                let ends: Vec<NodeId> = ends.into_iter().collect();
                let reach = differences.applied(&before.inside, &exits, &ends, &ground(true));
                let (found, expected) = (facts(&reach, vocabulary), facts(&expected, vocabulary));
                assert_eq!(found, expected, "{name} {state:?} beside {state_before:?}");
                compared.beside += 1;
            }
        }
        let unread = automaton.neighbour(state).unwrap();
        let unread = unread.and_then(|unread| Some((unread.state, unread.texts.as_ref()?)));
        let unread = unread.map(|(state, texts)| (state, ground(true).places_apart(texts).unwrap()));
        let any = automaton.any_text(state).unwrap().map(|any| {
            let places = ground(true).places_with_strings(&any.texts, usize::MAX >> 1).unwrap();
            (any.state, places.unwrap())
        });
        let any_string = automaton.any_string(state, &deadline).unwrap().map(|any| {
            let places = ground(true).places_with_sought(&any.sought, usize::MAX >> 1).unwrap();
            (any.state, places.unwrap())
        });
        let unlimited = automaton
            .without_part_limit(state, &deadline)
            .unwrap()
            .map(|unlimited| (unlimited.state, ground(true).places_with_parts(&unlimited).unwrap()));
        let any_length = automaton.of_any_length(state, &deadline).unwrap();
        let any_length =
            any_length.and_then(|any| Some((any.state, ground(true).places_too_long(&any).unwrap()?)));
        let of_texts = [
            (unread, &mut compared.beside_unread),
            (any, &mut compared.beside_any_text),
            (any_string, &mut compared.beside_any_string),
            (unlimited, &mut compared.beside_unlimited),
            (any_length, &mut compared.beside_any_length),
        ];
        for (neighbour, [beside, alike]) in of_texts {
            let Some((other, apart)) = neighbour else { continue };
            let neighbour = Neighbour { state: other, most_nodes: usize::MAX >> 1, apart: Some(apart) };
            let of_other = slow.walk(&ground(false), Beginning { from, state: other, within: None }).unwrap();
            if neighbour.makes_the_same() {
                let found = facts(&of_other, vocabulary);
                assert_eq!(found, facts(&expected, vocabulary), "{name} {state:?} as {other:?}");
                assert_eq!(of_other.captures, expected.captures, "{name} {state:?}");
            }
            let differences = slow.walk_beside(&ground(true), state, &neighbour).unwrap();
            if let Some(differences) = differences {
                let (_, exits, ends) = facts(&of_other, vocabulary);
                let ends: Vec<NodeId> = ends.into_iter().collect();
                let reach = differences.applied(&of_other.inside, &exits, &ends, &ground(true));
                let (found, expected) = (facts(&reach, vocabulary), facts(&expected, vocabulary));
                assert_eq!(found, expected, "{name} {state:?} beside {other:?}");
                *beside += 1;
                *alike += usize::from(neighbour.makes_the_same());
            }
        }
        last = Some((state, expected));
    };
    for state in automaton.some_states(bytes.iter().copied(), 100, &deadline) {
        for state in std::iter::once(state).chain(automaton.last(state).unwrap()) {
            compare(None, state);
            starts.iter().for_each(|exits| compare(Some(exits), state));
        }
    }
    compared.visited = [walker.visited(), slow.visited()];
    compared
}

/// What was found: the tokens inside, the exits, and the ends, each as a whole.
pub(in crate::mask) fn facts(
    reach: &Reach,
    vocabulary: &Vocabulary,
) -> (Arc<[u32]>, Vec<NodeId>, BTreeSet<NodeId>) {
    let ends = reach.ends.iter().copied().chain(reach.exits.ends(vocabulary)).collect();
    (reach.inside.to_row(vocabulary.mask_words()), reach.exits.all(vocabulary).into_owned(), ends)
}
