//! Steps of states by those of others that do nearly the same.
//!
//! Which state that is, the recogniser knows (`recognizer/neighbour`); what the two make of the vocabulary differently, a walk
//! beside the other one finds (`walk/beside`). Here both are put together with what the other one makes of it.

use super::cache::MaskCache;
use super::pool::Transition;
use super::step::Step;
use super::walk::{Differences, Ground, Neighbour, PlaceApart, Reach};
use crate::error::Result;
use crate::recognizer::{AnyStringState, StateId};
use crate::vocabulary::Vocabulary;

/// What differs at more nodes than this is better walked by itself.
fn most_nodes_of(vocabulary: &Vocabulary) -> usize {
    const GREATEST_PART: usize = 16;
    vocabulary.trie().len() / GREATEST_PART + 256
}

/// A neighbour of a state, or that it has none; `None` where another kind of them has to tell.
type Told = Option<Option<Neighbour>>;

/// The kinds of neighbours, in the order in which they are asked for.
const KINDS: [for<'a> fn(StateId, Ground<'a>) -> Result<Told>; 7] = [
    before_any_tag,
    beside_any_text,
    beside_any_string,
    beside_allowed_text,
    beside_any_number_of_parts,
    beside_any_length,
    once_settled,
];

/// A state that makes nearly the same of the vocabulary.
pub(super) fn neighbour_of(state: StateId, ground: Ground<'_>) -> Result<Option<Neighbour>> {
    for told_by in KINDS {
        if let Some(told) = told_by(state, ground)? {
            return Ok(told.filter(|neighbour| neighbour.state != state));
        }
    }
    Ok(None)
}

impl MaskCache {
    /// What a neighbour makes of the vocabulary, where that is known to be the same; `None` where texts are captured, too.
    pub(super) fn as_neighbour(&self, neighbour: &Neighbour, ground: Ground<'_>) -> Result<Option<Step>> {
        if !neighbour.makes_the_same() {
            return Ok(None);
        }
        let step = self.step(None, neighbour.state, ground)?;
        Ok(step.captures.is_empty().then(|| Step::clone(&step)))
    }

    /// What a state makes of the vocabulary, by what its neighbour makes of it; `None` where that captures texts, or leaves
    /// its frame at too many nodes. Where there are no callers, those nodes are left out: then it is no transition for others.
    pub(super) fn reach_by(
        &self,
        differences: Differences,
        neighbour: StateId,
        ground: Ground<'_>,
    ) -> Result<Option<ReachBy>> {
        let step = self.step(None, neighbour, ground)?;
        let Transition { exits, ends, .. } = &*step.transition;
        let exits = exits.as_ref().map(|exits| &*exits.nodes);
        let is_whole = exits.is_none_or(|exits| exits.slices.is_empty());
        if !step.captures.is_empty() || !is_whole && !ground.automaton.has_one_rule() {
            return Ok(None);
        }
        let exits = exits.map_or(&[][..], |exits| &exits.listed);
        let reach = differences.applied(&step.all_inside(ground.unions), exits, ends, &ground);
        Ok(Some(ReachBy { reach, is_whole }))
    }
}

/// What a state makes of the vocabulary, found by its neighbour.
pub(super) struct ReachBy {
    pub(super) reach: Reach,
    /// Whether it is said where the frame completes.
    pub(super) is_whole: bool,
}

/// A state with the places at which one begins to differ from it; none where these are not known.
fn beside(state: StateId, apart: Option<Vec<PlaceApart>>, ground: Ground<'_>) -> Result<Told> {
    let Some(apart) = apart else { return Ok(Some(None)) };
    let state = ground.automaton.canonical(state, ground.deadline)?;
    let most_nodes = most_nodes_of(ground.vocabulary);
    Ok(Some(Some(Neighbour { state, most_nodes, apart: Some(apart) })))
}

/// In the middle of tags: free text in which none has begun.
fn before_any_tag(state: StateId, ground: Ground<'_>) -> Result<Told> {
    let Ground { automaton, vocabulary, deadline, .. } = ground;
    let Some(unread) = automaton.neighbour(state)? else { return Ok(None) };
    let neighbour = automaton.canonical(unread.state, deadline)?;
    // Of what its neighbour is compared with, nothing is compared again.
    if automaton.neighbour(neighbour)?.is_some() {
        return Ok(Some(None));
    }
    let most_nodes = most_nodes_of(vocabulary);
    let apart = unread.texts.as_ref().map(|texts| ground.places_apart(texts)).transpose()?;
    Ok(Some(Some(Neighbour { state: neighbour, most_nodes, apart })))
}

/// Free text in which no tag has begun: any text.
fn beside_any_text(state: StateId, ground: Ground<'_>) -> Result<Told> {
    let Some(any) = ground.automaton.any_text(state)? else { return Ok(None) };
    let apart = ground.places_with_strings(&any.texts, most_nodes_of(ground.vocabulary))?;
    beside(any.state, apart, ground)
}

/// A JSON string in which something is looked for: one of any content.
fn beside_any_string(state: StateId, ground: Ground<'_>) -> Result<Told> {
    let Some(any) = ground.automaton.any_string(state, ground.deadline)? else { return Ok(None) };
    beside_any(&any, true, ground)
}

/// A text in which some strings must not be found: one in which they may.
fn beside_allowed_text(state: StateId, ground: Ground<'_>) -> Result<Told> {
    let Some(any) = ground.automaton.allowed_text(state, ground.deadline)? else { return Ok(None) };
    beside_any(&any, false, ground)
}

/// A text or a JSON string in which something is looked for, which escapes may spell.
fn beside_any(any: &AnyStringState, has_escapes: bool, ground: Ground<'_>) -> Result<Told> {
    /// What tells apart strings that are found at more nodes is better walked by itself.
    const MOST_PLACES: usize = 4096;
    /// More letters that may come first, as the digits of a class, are as many places with much below them.
    const FEW_LETTERS: usize = 4;
    let Ground { automaton, deadline, .. } = ground;
    let letters = any.sought.first.iter().filter(|string| string.len() == 1).count();
    if letters > FEW_LETTERS {
        let neighbour = automaton.canonical(any.state, deadline)?;
        return Ok(Some(Some(Neighbour { state: neighbour, most_nodes: MOST_PLACES, apart: None })));
    }
    beside(any.state, ground.places_with_sought(&any.sought, has_escapes, MOST_PLACES)?, ground)
}

/// A text of so many parts at most: one of any number.
fn beside_any_number_of_parts(state: StateId, ground: Ground<'_>) -> Result<Told> {
    let Some(unlimited) = ground.automaton.without_part_limit(state, ground.deadline)? else {
        return Ok(None);
    };
    beside(unlimited.state, ground.places_with_parts(&unlimited), ground)
}

/// A text of a bounded length under other conditions: one of any length.
fn beside_any_length(state: StateId, ground: Ground<'_>) -> Result<Told> {
    let Some(any) = ground.automaton.of_any_length(state, ground.deadline)? else { return Ok(None) };
    let Some(apart) = ground.places_too_long(&any)? else { return Ok(None) };
    beside(any.state, Some(apart), ground)
}

/// A text that must not begin with some word: what comes after any other character.
fn once_settled(state: StateId, ground: Ground<'_>) -> Result<Told> {
    /// What is not one of hundreds of states beside the same is better walked by itself where it differs at more nodes.
    const MOST_NODES: usize = 64;
    let Ground { automaton, deadline, .. } = ground;
    let Some(settled) = automaton.settled(state, deadline)? else { return Ok(None) };
    let settled = automaton.canonical(settled, deadline)?;
    let is_cheap =
        automaton.plain_string(settled)?.is_some() || !automaton.pieces(settled, deadline)?.is_empty();
    Ok(Some(is_cheap.then_some(Neighbour { state: settled, most_nodes: MOST_NODES, apart: None })))
}
