//! Filling one mask row from a configuration.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cache::{ExitSet, ExitSetId, MaskCache, Transition};
use super::token_bits::set_bit;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::Symbol;
use crate::recognizer::{
    Advance, Automaton, CapturePart, Edge, Pair, SharedFrame, SharedGraph, StackGraph, StateId,
};
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// What filling needs beside what is shared; kept between masks.
#[derive(Debug)]
pub(crate) struct MaskScratch {
    waiting: Vec<Reading>,
    seen: FxHashSet<ReadingKey>,
    /// The tokens that may be too many.
    vague: Vec<u32>,
    advance: Advance<SharedGraph>,
    now: Vec<Pair<SharedFrame>>,
    next: Vec<Pair<SharedFrame>>,
}

/// What tells readings apart: the exits, the state, the frame's key, and whether it is vague.
type ReadingKey = (Option<ExitSetId>, StateId, (usize, u32), bool);

/// Exits that a state of a frame is still to read; `None` is the whole vocabulary.
#[derive(Clone, Debug)]
struct Reading {
    from: Option<ExitSet>,
    state: StateId,
    frame: SharedFrame,
    /// Whether it was forgotten which text was captured on the way.
    is_vague: bool,
}

impl MaskScratch {
    pub(crate) fn new() -> Self {
        Self {
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            vague: Vec::new(),
            advance: Advance::new(),
            now: Vec::new(),
            next: Vec::new(),
        }
    }
}

/// What masks are filled from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) cache: &'a MaskCache,
    pub(crate) deadline: &'a Deadline,
}

/// Adds to a row all tokens that something alive can read, by running the stack automaton over the
/// part of the stack graph that they can reach.
pub(crate) fn fill_by_stack_automaton(
    row: &mut [u32],
    pairs: &[Pair<SharedFrame>],
    source: Source<'_>,
    scratch: &mut MaskScratch,
) -> Result<()> {
    for pair in pairs {
        scratch.vague.clear();
        source.add_pair(row, pair, scratch)?;
        if !scratch.vague.is_empty() {
            source.check_list_tokens(pair, scratch)?;
            row.iter_mut().zip(&scratch.vague).for_each(|(word, &other)| *word |= other);
        }
    }
    let Source { automaton, vocabulary, cache, .. } = source;
    if automaton.names_tokens() {
        for pair in pairs {
            for &set in automaton.exact_tokens(pair.state) {
                cache.exact_tokens(set, automaton, vocabulary).add_to(row);
            }
        }
    }
    Ok(())
}

impl Source<'_> {
    fn transition(&self, from: Option<&ExitSet>, state: StateId) -> Result<Arc<Transition>> {
        self.cache.transition(from, state, self.automaton, self.vocabulary, self.deadline)
    }

    /// Adds the tokens that one pair can read; those that may be too many, to the vague row. Of them only
    /// list tokens can be.
    fn add_pair(&self, row: &mut [u32], pair: &Pair<SharedFrame>, scratch: &mut MaskScratch) -> Result<()> {
        scratch.waiting.clear();
        scratch.seen.clear();
        let frame = pair.frame.clone();
        scratch.waiting.push(Reading { from: None, state: pair.state, frame, is_vague: false });
        while let Some(reading) = scratch.waiting.pop() {
            let from = reading.from.as_ref().map(|exits| exits.id);
            let key = (from, reading.state, SharedGraph::key(&reading.frame), reading.is_vague);
            if !scratch.seen.insert(key) {
                continue;
            }
            self.deadline.check()?;
            if !reading.is_vague {
                self.read(row, &reading, scratch)?;
                continue;
            }
            let mut vague = std::mem::take(&mut scratch.vague);
            vague.resize(row.len(), 0);
            let read = self.read(&mut vague, &reading, scratch);
            scratch.vague = vague;
            read?;
        }
        Ok(())
    }

    /// Adds the tokens that stay in the frame of a reading, and puts on the list what comes after it.
    fn read(&self, row: &mut [u32], reading: &Reading, scratch: &mut MaskScratch) -> Result<()> {
        let Reading { from, state, .. } = reading;
        let mut plain = Some(*state);
        if state.captures() {
            let parts = self.automaton.parts(*state)?;
            plain = parts.plain;
            for part in &parts.captures {
                self.read_capture(row, part, reading, scratch)?;
            }
        }
        if let Some(exits) = from.as_ref().filter(|_| state.is_nullable()) {
            push_callers(exits, reading, &mut scratch.waiting);
        }
        let Some(plain) = plain else { return Ok(()) };
        let transition = self.transition(from.as_ref(), plain)?;
        transition.inside.add_to(row);
        if let Some(exits) = &transition.exits {
            push_callers(exits, reading, &mut scratch.waiting);
        }
        for (state, nodes) in &transition.captures {
            let reading = Reading { from: Some(nodes.clone()), ..reading.clone() };
            for part in &self.automaton.parts(*state)?.captures {
                self.read_capture(row, part, &reading, scratch)?;
            }
        }
        Ok(())
    }

    /// Adds the tokens that stay in a captured text, and puts on the list what comes after it.
    fn read_capture(
        &self,
        row: &mut [u32],
        part: &CapturePart,
        reading: &Reading,
        scratch: &mut MaskScratch,
    ) -> Result<()> {
        let from = reading.from.as_ref();
        let transition = self.transition(from, part.content)?;
        let excluded = match part.excluded {
            Some(excluded) => Some(self.transition(from, excluded)?),
            None => None,
        };
        match &excluded {
            Some(excluded) => self.add_without(row, &transition, excluded),
            None => transition.inside.add_to(row),
        }
        if part.content.is_nullable() {
            let state = match part.after_any {
                Some(after) => after,
                None => self.automaton.after_capture(part, &[])?,
            };
            let is_vague = reading.is_vague || part.after_any.is_some();
            scratch.waiting.push(Reading { state, is_vague, ..reading.clone() });
        }
        let Some(mut exits) = transition.exits.clone() else { return Ok(()) };
        if let Some(excluded) = excluded.as_ref().and_then(|excluded| excluded.exits.as_ref()) {
            let Some(others) = self.cache.difference(&exits, excluded) else { return Ok(()) };
            exits = others;
        }
        if let Some(state) = part.after_any {
            let frame = reading.frame.clone();
            scratch.waiting.push(Reading { from: Some(exits), state, frame, is_vague: true });
            return Ok(());
        }
        self.read_after_each(part, reading, scratch)
    }

    /// Adds the tokens inside a transition, but for those that complete an excluded text with their last
    /// byte.
    fn add_without(&self, row: &mut [u32], transition: &Transition, excluded: &Transition) {
        let trie = self.vocabulary.trie();
        let exits = excluded.exits.iter().flat_map(|exits| exits.nodes.iter());
        let ends = exits.chain(&excluded.ends).flat_map(|&node| trie.tokens_at(node));
        let is_set = |row: &[u32], token: TokenId| row[token.index() / 32] >> (token.0 % 32) & 1 == 1;
        let added: Vec<TokenId> = ends.copied().filter(|&token| !is_set(row, token)).collect();
        transition.inside.add_to(row);
        for token in added {
            row[token.index() / 32] &= !(1 << (token.0 % 32));
        }
    }

    /// Puts on the list what comes after each text that a capture can be.
    fn read_after_each(
        &self,
        part: &CapturePart,
        reading: &Reading,
        scratch: &mut MaskScratch,
    ) -> Result<()> {
        let root = [NodeId::ROOT];
        for &start in reading.from.as_ref().map_or(&root[..], |from| &from.nodes) {
            let from = match reading.from {
                Some(_) => self.cache.exit_set(Box::new([start])),
                None => None,
            };
            let transition = self.transition(from.as_ref(), part.content)?;
            let Some(exits) = &transition.exits else { continue };
            for &end in exits.nodes.iter() {
                let more = self.vocabulary.trie().path(start, end);
                let state = self.automaton.after_capture(part, &more)?;
                let from = self.cache.exit_set(Box::new([end]));
                scratch.waiting.push(Reading { from, state, ..reading.clone() });
            }
        }
        Ok(())
    }

    /// Clears those list tokens that the pair cannot read after all, by reading each.
    fn check_list_tokens(&self, pair: &Pair<SharedFrame>, scratch: &mut MaskScratch) -> Result<()> {
        for (at, &list_tokens) in self.vocabulary.list_tokens().iter().enumerate() {
            let mut left = scratch.vague[at] & list_tokens;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let bytes = self.vocabulary.token_bytes(TokenId(at as u32 * 32 + bit)).unwrap_or_default();
                let symbols = bytes.iter().copied().map(Symbol::Byte);
                if !self.can_read(std::slice::from_ref(pair), symbols, scratch)? {
                    scratch.vague[at] &= !(1 << bit);
                }
            }
        }
        Ok(())
    }

    /// Whether something alive can read some symbols, one after another.
    fn can_read(
        &self,
        pairs: &[Pair<SharedFrame>],
        symbols: impl IntoIterator<Item = Symbol>,
        scratch: &mut MaskScratch,
    ) -> Result<bool> {
        let MaskScratch { advance, now, next, .. } = scratch;
        now.clear();
        now.extend_from_slice(pairs);
        let mut complete = false;
        for symbol in symbols {
            next.clear();
            complete = advance.step(self.automaton, &mut SharedGraph, now, symbol, self.deadline, next)?;
            std::mem::swap(now, next);
        }
        Ok(complete || !now.is_empty())
    }
}

/// Leaves exits to the callers of a reading's frame.
fn push_callers(exits: &ExitSet, reading: &Reading, waiting: &mut Vec<Reading>) {
    SharedGraph.visit_edges(&reading.frame, |edge| {
        if let Edge::Return { continuation, caller } = edge {
            let (from, is_vague) = (Some(exits.clone()), reading.is_vague);
            waiting.push(Reading { from, state: continuation, frame: caller, is_vague });
        }
    });
}

/// The same by definition: every token on its own, byte by byte. For tests and measurements.
pub(crate) fn fill_by_each_token(
    row: &mut [u32],
    pairs: &[Pair<SharedFrame>],
    source: Source<'_>,
    scratch: &mut MaskScratch,
) -> Result<()> {
    let Source { automaton, vocabulary, .. } = source;
    for token in (0..vocabulary.token_count() as u32).map(TokenId) {
        if automaton.names_tokens() && source.can_read(pairs, [Symbol::Token(token)], scratch)? {
            set_bit(row, token);
        }
        let Some(bytes) = vocabulary.token_bytes(token) else { continue };
        if source.can_read(pairs, bytes.iter().copied().map(Symbol::Byte), scratch)? {
            set_bit(row, token);
        }
    }
    Ok(())
}
