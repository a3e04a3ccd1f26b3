//! Putting one mask together from a configuration.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::cache::{Finished, MaskCache, PartId, PartIds};
use super::doubts::{Doubts, Forgotten};
use super::pool::{ExitSet, ExitSetId, Transition};
use super::step::{ExcludedSteps, Look, Step};
use super::token_bits::{MaskBits, TokenBits, clear_bit, set_bit};
use super::token_lists::TokenLists;
use super::token_union::TokenUnion;
use super::walk::Ground;
use crate::bits::bits;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{Symbol, TokenSetId};
use crate::recognizer::{
    Advance, Automaton, CapturePart, Edge, Pair, Room, SharedFrame, SharedGraph, StackGraph, StateId,
};
use crate::vocabulary::{NodeId, TokenId, Vocabulary};

/// What masks need beside what is shared; kept between masks.
#[derive(Debug)]
pub(crate) struct MaskScratch {
    waiting: Vec<Reading>,
    seen: FxHashSet<ReadingKey>,
    parts: Vec<Part>,
    /// Parts with tokens that may be too many.
    vague: Vec<Part>,
    /// Where the readings begin that are vague.
    forgotten: Vec<Forgotten>,
    /// A mask that is not kept.
    row: Vec<u32>,
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
    /// The number of frames read before this one.
    depth: usize,
}

/// A part of a mask.
#[derive(Clone, Debug)]
enum Part {
    /// The tokens inside a step, but for those that complete what others read with their last byte.
    Inside(Arc<Step>, ExcludedSteps),
    Named(TokenSetId, Arc<TokenBits>),
    Stop,
}

impl Part {
    /// Adds the numbers by which a mask with the part is kept.
    fn add_ids(&self, ids: &mut PartIds) {
        match self {
            Self::Inside(step, excluded) => {
                ids.push(PartId::Inside(step.transition.id));
                ids.extend(excluded.iter().map(|excluded| PartId::Without(excluded.transition.id)));
            }
            Self::Named(set, _) => ids.push(PartId::Named(*set)),
            Self::Stop => ids.push(PartId::Stop),
        }
    }

    fn add_to(&self, union: &mut TokenUnion, vocabulary: &Vocabulary) {
        match self {
            Self::Inside(step, excluded) if excluded.is_empty() => {
                step.inside().for_each(|set| union.add(set));
            }
            Self::Inside(step, excluded) => {
                let trie = vocabulary.trie();
                let mut ends: Vec<NodeId> = Vec::new();
                for Transition { ends: listed, exits, .. } in excluded.iter().map(|step| &*step.transition) {
                    ends.extend_from_slice(listed);
                    if let Some(ExitSet { nodes, .. }) = exits {
                        ends.extend_from_slice(&nodes.all(vocabulary));
                        ends.extend(nodes.ends(vocabulary));
                    }
                }
                let ends = ends.iter().flat_map(|&node| trie.tokens_at(node)).copied();
                union.add_without(step.inside(), ends.collect());
            }
            Self::Named(_, tokens) => union.add(tokens),
            Self::Stop => union.add_tokens(vocabulary.stop_tokens().iter().copied()),
        }
    }
}

impl MaskScratch {
    pub(crate) fn new() -> Self {
        Self {
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            parts: Vec::new(),
            vague: Vec::new(),
            forgotten: Vec::new(),
            row: Vec::new(),
            advance: Advance::new(),
            now: Vec::new(),
            next: Vec::new(),
        }
    }
}

/// A mask, ready to be written.
#[derive(Debug)]
pub(crate) enum Mask<'a> {
    /// One that is kept, and has a number.
    Kept(Arc<Finished>),
    /// One that is not worth keeping: it depends on a text that was captured.
    Loose(&'a [u32]),
}

impl Mask<'_> {
    /// The number of the mask; equal numbers mean equal masks.
    pub(crate) fn id(&self) -> Option<u64> {
        match self {
            Self::Kept(finished) => Some(finished.id),
            Self::Loose(_) => None,
        }
    }

    /// Overwrites a row with the mask.
    pub(crate) fn write_to(&self, row: &mut [u32]) {
        match self {
            Self::Kept(finished) => finished.bits.write_to(row),
            Self::Loose(words) => row.copy_from_slice(words),
        }
    }
}

/// What masks are put together from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) cache: &'a MaskCache,
    pub(crate) deadline: &'a Deadline,
}

/// The mask of all tokens that something alive can read, by running the stack automaton over the part of
/// the stack graph that they can reach; with the stop tokens where the text is complete.
pub(crate) fn mask_by_stack_automaton<'a>(
    pairs: &[Pair<SharedFrame>],
    is_complete: bool,
    source: Source<'_>,
    scratch: &'a mut MaskScratch,
) -> Result<Mask<'a>> {
    scratch.parts.clear();
    scratch.vague.clear();
    scratch.forgotten.clear();
    // What a reading after some exits finds is the same for whichever pair it goes on from.
    scratch.seen.clear();
    for pair in pairs {
        source.read_pair(pair, scratch)?;
    }
    if let [pair] = pairs {
        // Whatever comes next is read from what stands there: that is written now, and not in the step that also has to
        // ask what follows.
        source.automaton.opened(pair.state, source.deadline)?;
    }
    if source.automaton.names_tokens() {
        for pair in pairs {
            for &set in source.automaton.exact_tokens(pair.state)? {
                let tokens = source.cache.named_tokens(set, source.automaton, source.vocabulary)?;
                scratch.parts.push(Part::Named(set, tokens));
            }
        }
    }
    if is_complete {
        scratch.parts.push(Part::Stop);
    }
    drop_repeats(&mut scratch.parts);
    drop_repeats(&mut scratch.vague);
    let mut ids = PartIds::new();
    scratch.parts.iter().for_each(|part| part.add_ids(&mut ids));
    if !scratch.vague.is_empty() {
        ids.extend(
            scratch.forgotten.iter().map(|forgotten| {
                PartId::Vague(forgotten.from.as_ref().map(|exits| exits.id), forgotten.room)
            }),
        );
        scratch.vague.iter().for_each(|part| part.add_ids(&mut ids));
    }
    let kept = match source.cache.finished(&ids) {
        Some(kept) => kept,
        None => source.put_together(ids, scratch),
    };
    source.without_wrong(kept, pairs, scratch)
}

impl Source<'_> {
    fn step(&self, from: Option<&ExitSet>, state: StateId) -> Result<Arc<Step>> {
        self.cache.step(from, state, self.ground())
    }

    fn ground(&self) -> Ground<'_> {
        self.cache.ground(self.automaton, self.vocabulary, self.deadline)
    }

    /// The mask of the parts, kept for the next time. List tokens that only vague parts hold are doubtful.
    fn put_together(&self, ids: PartIds, scratch: &mut MaskScratch) -> Arc<Finished> {
        let MaskScratch { parts, vague, .. } = scratch;
        if let ([Part::Inside(step, excluded)], []) = (parts.as_slice(), vague.as_slice())
            && excluded.is_empty()
            && step.also_inside.is_empty()
        {
            let mask = MaskBits::Set(step.transition.inside.clone());
            return self.cache.finish(ids, mask, Box::default());
        }
        if vague.is_empty()
            && let Some(lists) = self.lists_of(parts)
        {
            return self.cache.finish(ids, MaskBits::Lists(lists), Box::default());
        }
        let doubts = Doubts { vocabulary: self.vocabulary, forgotten: &scratch.forgotten };
        let mut doubtful = Vec::new();
        let mask = self.cache.pool().unions().run(|union| {
            parts.iter().for_each(|part| part.add_to(union, self.vocabulary));
            if !vague.is_empty() {
                let missing = union.missing(doubts.candidates());
                vague.iter().for_each(|part| part.add_to(union, self.vocabulary));
                for (at, missing) in missing {
                    let new = missing & union.word(at as usize);
                    if new != 0 {
                        let new = bits(u64::from(new)).map(|bit| TokenId(at * 32 + bit));
                        doubtful.extend(new.filter(|&token| doubts.concern(token)));
                    }
                }
            }
            union.finish_mask()
        });
        self.cache.finish(ids, mask, doubtful.into())
    }

    /// The parts as the lists that they are, where these can be written as such.
    fn lists_of(&self, parts: &[Part]) -> Option<TokenLists> {
        let mut stop = None;
        let mut sets: SmallVec<[&TokenBits; 8]> = SmallVec::new();
        for part in parts {
            match part {
                Part::Inside(step, excluded) if excluded.is_empty() => sets.extend(step.inside()),
                Part::Inside(..) => return None,
                Part::Named(_, tokens) => sets.push(tokens),
                Part::Stop => stop = Some(TokenBits::Few(self.vocabulary.stop_tokens().into())),
            }
        }
        sets.extend(&stop);
        TokenLists::of(sets.into_iter(), self.vocabulary.mask_words())
    }

    /// The mask without those doubtful tokens that nothing alive can read after all.
    fn without_wrong<'a>(
        &self,
        kept: Arc<Finished>,
        pairs: &[Pair<SharedFrame>],
        scratch: &'a mut MaskScratch,
    ) -> Result<Mask<'a>> {
        let mut wrong: SmallVec<[TokenId; 16]> = SmallVec::new();
        for &token in &*kept.doubtful {
            let bytes = self.vocabulary.token_bytes(token).unwrap_or_default();
            if !self.can_read(pairs, bytes.iter().copied().map(Symbol::Byte), scratch)? {
                wrong.push(token);
            }
        }
        if wrong.is_empty() {
            return Ok(Mask::Kept(kept));
        }
        scratch.row.resize(self.vocabulary.mask_words(), 0);
        kept.bits.write_to(&mut scratch.row);
        wrong.into_iter().for_each(|token| clear_bit(&mut scratch.row, token));
        Ok(Mask::Loose(&scratch.row))
    }

    /// Collects the parts of what one pair can read. Those that may be too many are vague; of them only list
    /// tokens can be wrong.
    fn read_pair(&self, pair: &Pair<SharedFrame>, scratch: &mut MaskScratch) -> Result<()> {
        scratch.waiting.clear();
        let frame = pair.frame.clone();
        let start = Reading { from: None, state: pair.state, frame, is_vague: false, depth: 0 };
        scratch.waiting.push(start);
        while let Some(reading) = scratch.waiting.pop() {
            let from = reading.from.as_ref().map(|exits| exits.id);
            let key = (from, reading.state, SharedGraph::key(&reading.frame), reading.is_vague);
            if reading.depth > 0 && !scratch.seen.insert(key) {
                continue;
            }
            if scratch.seen.len() & 63 == 63 {
                self.deadline.check()?;
            }
            self.cache.note_depth(reading.depth + 1);
            self.read(&reading, scratch)?;
        }
        Ok(())
    }

    /// Collects what stays in the frame of a reading, and puts on the list what comes after it.
    fn read(&self, reading: &Reading, scratch: &mut MaskScratch) -> Result<()> {
        let from = reading.from.as_ref();
        if let Some(exits) = from.filter(|_| reading.state.is_nullable()) {
            push_callers(exits, reading, &mut scratch.waiting);
        }
        let state = match self.cache.look_at(from, reading.state, self.ground(), 0)? {
            Look::Outline(step) => {
                scratch.take_step(step, reading);
                return Ok(());
            }
            Look::State(state) => state,
        };
        let mut plain = Some(state);
        if state.captures() {
            let parts = self.automaton.parts(state, self.deadline)?;
            plain = parts.plain;
            for part in &parts.captures {
                self.read_capture(part, reading, scratch)?;
            }
        }
        let Some(mut plain) = plain else { return Ok(()) };
        if !reading.frame.returns()
            && let Some(last) = self.automaton.last(plain)?
        {
            plain = last;
        }
        let step = self.cache.step_of(from, plain, self.ground(), 0)?;
        for (state, from) in &step.captures {
            let reading = Reading { from: from.clone(), ..reading.clone() };
            for part in &self.automaton.parts(*state, self.deadline)?.captures {
                self.read_capture(part, &reading, scratch)?;
            }
        }
        scratch.take_step(step, reading);
        Ok(())
    }

    /// Collects what stays in a captured text, and puts on the list what comes after it.
    fn read_capture(&self, part: &CapturePart, reading: &Reading, scratch: &mut MaskScratch) -> Result<()> {
        let from = reading.from.as_ref();
        let step = self.step(from, part.content)?;
        let excluded = self.cache.excluded_steps(from, part.excluded, self.ground())?;
        scratch.collect(Part::Inside(Arc::clone(&step), excluded.clone()), reading.is_vague);
        if part.content.is_nullable() {
            let state = match part.after_any {
                Some(after) => after,
                None => self.automaton.after_capture(part, &[])?,
            };
            let is_vague = reading.is_vague || part.after_any.is_some();
            if is_vague {
                scratch.forgotten.push(self.forgotten(part, reading.from.clone()));
            }
            let depth = reading.depth + 1;
            scratch.waiting.push(Reading { state, is_vague, depth, ..reading.clone() });
        }
        let Some(exits) = self.cache.exits_without(&step, &excluded) else { return Ok(()) };
        if let Some(state) = part.after_any {
            let (frame, depth) = (reading.frame.clone(), reading.depth + 1);
            scratch.forgotten.push(self.forgotten(part, Some(exits.clone())));
            scratch.waiting.push(Reading { from: Some(exits), state, frame, is_vague: true, depth });
            return Ok(());
        }
        self.read_after_each(part, reading, scratch)
    }

    /// What is forgotten where what comes after any text of a capture is read.
    fn forgotten(&self, part: &CapturePart, from: Option<ExitSet>) -> Forgotten {
        // More room than a token has bytes is all the same, so that masks are when a counter has gone on.
        let bytes = part.room.bytes.min(self.vocabulary.longest_token() as u32 + 1);
        Forgotten { from, room: Room { bytes, ..part.room } }
    }

    /// Puts on the list what comes after each text that a capture can be.
    fn read_after_each(
        &self,
        part: &CapturePart,
        reading: &Reading,
        scratch: &mut MaskScratch,
    ) -> Result<()> {
        let trie = self.vocabulary.trie();
        for &start in &*ExitSet::nodes_of(reading.from.as_ref(), self.vocabulary) {
            let from = match reading.from {
                Some(_) => self.cache.exit_set(&[start]),
                None => None,
            };
            let step = self.step(from.as_ref(), part.content)?;
            let excluded = self.cache.excluded_steps(from.as_ref(), part.excluded, self.ground())?;
            let Some(exits) = self.cache.exits_without(&step, &excluded) else { continue };
            for &end in &*exits.nodes.all(self.vocabulary) {
                self.deadline.check()?;
                let more = trie.path(start, end);
                let state = self.automaton.after_capture(part, &more)?;
                let from = self.cache.exit_set(&[end]);
                let depth = reading.depth + 1;
                scratch.waiting.push(Reading { from, state, depth, ..reading.clone() });
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

impl MaskScratch {
    /// Collects what is inside a step, and puts on the list what comes after it.
    fn take_step(&mut self, step: Arc<Step>, reading: &Reading) {
        if let Some(exits) = &step.transition.exits {
            push_callers(exits, reading, &mut self.waiting);
        }
        self.collect(Part::Inside(step, ExcludedSteps::new()), reading.is_vague);
    }

    fn collect(&mut self, part: Part, is_vague: bool) {
        match is_vague {
            true => self.vague.push(part),
            false => self.parts.push(part),
        }
    }
}

/// Drops all but the first of equal parts: where many frames may go on in the same way, each of them brings its own, and
/// what a mask is kept under would grow with the stack.
fn drop_repeats(parts: &mut Vec<Part>) {
    /// So few are compared as quickly with those of another mask as with each other.
    const FEW: usize = 8;
    if parts.len() > FEW {
        let mut known = FxHashSet::default();
        parts.retain(|part| {
            let mut ids = PartIds::new();
            part.add_ids(&mut ids);
            known.insert(ids)
        });
    }
}

/// Leaves exits to the callers of a reading's frame.
fn push_callers(exits: &ExitSet, reading: &Reading, waiting: &mut Vec<Reading>) {
    SharedGraph.visit_edges(&reading.frame, |edge| {
        if let Edge::Return { continuation, caller } = edge {
            let (from, depth) = (Some(exits.clone()), reading.depth + 1);
            let is_vague = reading.is_vague;
            waiting.push(Reading { from, state: continuation, frame: caller, is_vague, depth });
        }
    });
}

/// The same by definition: every token on its own, byte by byte. For tests and measurements.
pub(crate) fn mask_by_each_token<'a>(
    pairs: &[Pair<SharedFrame>],
    is_complete: bool,
    source: Source<'_>,
    scratch: &'a mut MaskScratch,
) -> Result<Mask<'a>> {
    let Source { automaton, vocabulary, .. } = source;
    scratch.row.clear();
    scratch.row.resize(vocabulary.mask_words(), 0);
    for token in (0..vocabulary.token_count() as u32).map(TokenId) {
        let is_named = automaton.names_tokens() && source.can_read(pairs, [Symbol::Token(token)], scratch)?;
        let symbols = vocabulary.token_bytes(token).map(|bytes| bytes.iter().copied().map(Symbol::Byte));
        let is_text = match symbols {
            Some(symbols) => source.can_read(pairs, symbols, scratch)?,
            None => false,
        };
        if is_named || is_text {
            set_bit(&mut scratch.row, token);
        }
    }
    if is_complete {
        vocabulary.stop_tokens().iter().for_each(|&stop| set_bit(&mut scratch.row, stop));
    }
    Ok(Mask::Loose(&scratch.row))
}
