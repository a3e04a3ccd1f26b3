//! Filling one mask row from a configuration.

use rustc_hash::FxHashSet;

use super::cache::{ExitSet, ExitSetId, MaskCache};
use super::token_bits::set_bit;
use super::walk::Walker;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::Symbol;
use crate::recognizer::{Advance, Automaton, Edge, Pair, SharedFrame, SharedGraph, StackGraph};
use crate::vocabulary::{TokenId, Vocabulary};

/// What filling needs beside what is shared; kept between masks.
#[derive(Debug)]
pub(crate) struct MaskScratch {
    walker: Walker,
    /// Exit sets that are still to be read by the callers of a frame.
    waiting: Vec<(ExitSet, SharedFrame)>,
    seen: FxHashSet<(ExitSetId, (usize, u32))>,
    callers: Vec<(crate::recognizer::StateId, SharedFrame)>,
    advance: Advance<SharedGraph>,
}

impl MaskScratch {
    pub(crate) fn new() -> Self {
        Self {
            walker: Walker::new(),
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            callers: Vec::new(),
            advance: Advance::new(),
        }
    }
}

/// Adds to a row all tokens that something alive can read, by running the stack automaton over the
/// part of the stack graph that they can reach.
pub(crate) fn fill_by_stack_automaton(
    row: &mut [u32],
    pairs: &[Pair<SharedFrame>],
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    cache: &MaskCache,
    scratch: &mut MaskScratch,
    deadline: &Deadline,
) -> Result<()> {
    let MaskScratch { walker, waiting, seen, callers, .. } = scratch;
    waiting.clear();
    seen.clear();
    for pair in pairs {
        let transition = cache.transition(None, pair.state, automaton, vocabulary, walker, deadline)?;
        transition.inside.add_to(row);
        if let Some(exits) = &transition.exits {
            waiting.push((exits.clone(), pair.frame.clone()));
        }
    }
    while let Some((exits, frame)) = waiting.pop() {
        if !seen.insert((exits.id, SharedGraph::key(&frame))) {
            continue;
        }
        deadline.check()?;
        callers.clear();
        SharedGraph.visit_edges(&frame, |edge| {
            if let Edge::Return { continuation, caller } = edge {
                callers.push((continuation, caller));
            }
        });
        for (continuation, caller) in callers.drain(..) {
            let transition =
                cache.transition(Some(&exits), continuation, automaton, vocabulary, walker, deadline)?;
            transition.inside.add_to(row);
            if continuation.is_nullable() {
                waiting.push((exits.clone(), caller.clone()));
            }
            if let Some(further) = &transition.exits {
                waiting.push((further.clone(), caller));
            }
        }
    }
    if automaton.names_tokens() {
        for pair in pairs {
            for &set in automaton.exact_tokens(pair.state) {
                cache.exact_tokens(set, automaton, vocabulary).add_to(row);
            }
        }
    }
    Ok(())
}

/// The same by definition: every token on its own, byte by byte. For tests and measurements.
pub(crate) fn fill_by_each_token(
    row: &mut [u32],
    pairs: &[Pair<SharedFrame>],
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    scratch: &mut MaskScratch,
    deadline: &Deadline,
) -> Result<()> {
    let (mut now, mut next) = (Vec::new(), Vec::new());
    for token in (0..vocabulary.token_count() as u32).map(TokenId) {
        let mut step = |now: &[Pair<SharedFrame>], symbol, next: &mut Vec<Pair<SharedFrame>>| {
            next.clear();
            scratch.advance.step(automaton, &mut SharedGraph, now, symbol, deadline, next)
        };
        if automaton.names_tokens() {
            let complete = step(pairs, Symbol::Token(token), &mut next)?;
            if complete || !next.is_empty() {
                set_bit(row, token);
            }
        }
        let Some(bytes) = vocabulary.token_bytes(token) else { continue };
        now.clear();
        now.extend_from_slice(pairs);
        let mut complete = false;
        for &byte in bytes {
            complete = step(&now, Symbol::Byte(byte), &mut next)?;
            std::mem::swap(&mut now, &mut next);
        }
        if complete || !now.is_empty() {
            set_bit(row, token);
        }
    }
    Ok(())
}
