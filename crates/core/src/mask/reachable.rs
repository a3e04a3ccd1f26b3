//! What a text can reach in a constraint, found breadth first without a text.
//!
//! A place is a rule and what can be alive in a frame of it. From the start, every move is followed: a state
//! that stays, the states of the frames that it opens, and the continuations that those frames return to.
//! Who called a frame is forgotten but for its rule: whatever returns to one frame of a rule, may return
//! to every other. So places may be found that no text reaches, which costs work and changes nothing.
//!
//! What is *not* found this way is known, and [`is_everything`](Reachable::is_everything) says so: the
//! union of two states that resume in one frame at once where the grammar is ambiguous; what comes after a
//! captured text that is one of too many, or spelled with escapes; and moves over tokens of large sets.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::expression::{RuleId, TokenSetId};
use crate::recognizer::{Automaton, Move, OpenedEdge, OpenedFrame, Opening, StateId};
use crate::vocabulary::{TokenId, Vocabulary};

/// What can be alive in a frame of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FramePlace {
    pub(super) rule: RuleId,
    pub(super) alive: Alive,
}

/// What is alive: a state, or the part of one that captures a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Alive {
    State(StateId),
    /// As in [`CapturePart`](crate::recognizer::CapturePart), whatever has been captured so far.
    Capture {
        content: StateId,
        excluded: Option<StateId>,
        after: Option<StateId>,
    },
    /// A state that captures one of not too many texts, and nothing else.
    Text(StateId),
}

impl Alive {
    /// The state that reads what comes next.
    pub(super) fn reader(&self) -> StateId {
        match *self {
            Self::State(state) | Self::Text(state) => state,
            Self::Capture { content, .. } => content,
        }
    }
}

/// Where a frame can return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Caller {
    pub(super) continuation: StateId,
    /// The rule of the frame that resumes.
    pub(super) rule: RuleId,
}

/// What is known of the frames of one rule.
#[derive(Debug, Default)]
struct Frames {
    callers: Vec<Caller>,
    /// The rules that such a frame calls last of all, so that their frames return where this one would.
    heirs: Vec<RuleId>,
}

/// A frame that completes while something else is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Overlap {
    rule: RuleId,
    /// What can be read by what is alive.
    first: ByteSet,
}

/// The places found so far.
pub(super) struct Reachable<'a> {
    automaton: &'a Automaton,
    vocabulary: &'a Vocabulary,
    /// In the order in which they were found, the nearest to the start first.
    places: Vec<FramePlace>,
    seen: FxHashSet<FramePlace>,
    /// The number of places whose moves have been followed.
    explored: usize,
    frames: FxHashMap<RuleId, Frames>,
    known_callers: FxHashSet<(RuleId, Caller)>,
    /// The rules of frames to which no other frame may return.
    last_rules: FxHashSet<RuleId>,
    /// Such rules found since they were last asked for.
    new_last_rules: Vec<RuleId>,
    /// Callers found since they were last asked for.
    new_callers: Vec<(RuleId, Caller)>,
    overlaps: FxHashSet<Overlap>,
    token_samples: FxHashMap<TokenSetId, Vec<TokenId>>,
    missed: bool,
}

impl<'a> Reachable<'a> {
    /// The most tokens of a set that are followed.
    const TOKENS_OF_SET: usize = 32;

    /// Knows of the start only.
    pub(super) fn new(automaton: &'a Automaton, vocabulary: &'a Vocabulary) -> Self {
        let mut reachable = Self {
            automaton,
            vocabulary,
            places: Vec::new(),
            seen: FxHashSet::default(),
            explored: 0,
            frames: FxHashMap::default(),
            known_callers: FxHashSet::default(),
            last_rules: FxHashSet::from_iter([automaton.start_rule()]),
            new_last_rules: Vec::new(),
            new_callers: Vec::new(),
            overlaps: FxHashSet::default(),
            token_samples: FxHashMap::default(),
            missed: false,
        };
        let (rule, alive) = (automaton.start_rule(), Alive::State(automaton.start()));
        reachable.add(FramePlace { rule, alive });
        reachable
    }

    /// The number of places whose moves have been followed.
    pub(super) fn explored(&self) -> usize {
        self.explored
    }

    /// The number of places found whose moves have not been followed.
    pub(super) fn waiting(&self) -> usize {
        self.places.len() - self.explored
    }

    /// The callers found so far of the frames of a rule.
    pub(super) fn callers(&self, rule: RuleId) -> &[Caller] {
        self.frames.get(&rule).map_or(&[], |frames| &frames.callers)
    }

    /// Whether a frame of a rule is known that completes the text, and to which no other returns.
    pub(super) fn may_be_last(&self, rule: RuleId) -> bool {
        self.last_rules.contains(&rule)
    }

    /// The rules of such frames found since this was last asked.
    pub(super) fn take_new_last_rules(&mut self) -> Vec<RuleId> {
        std::mem::take(&mut self.new_last_rules)
    }

    /// The callers found since this was last asked, each with the rule that is called.
    pub(super) fn take_new_callers(&mut self) -> Vec<(RuleId, Caller)> {
        std::mem::take(&mut self.new_callers)
    }

    /// Follows the moves of the nearest place where that has not been done, and returns it; `None` where
    /// there is none left.
    pub(super) fn explore_next(&mut self, deadline: &Deadline) -> Result<Option<FramePlace>> {
        let Some(&place) = self.places.get(self.explored) else { return Ok(None) };
        match place.alive {
            Alive::State(state) => match self.automaton.opened(state, deadline)? {
                state if state.captures() => self.take_apart(place.rule, state, deadline)?,
                _ => self.follow_moves(place.rule, state, deadline)?,
            },
            Alive::Text(state) => self.follow_moves(place.rule, state, deadline)?,
            Alive::Capture { content, excluded, after } => {
                self.follow_capture(place.rule, content, excluded, after, deadline)?;
            }
        }
        self.explored += 1;
        Ok(Some(place))
    }

    /// Whether the places found, when all are explored, are all that a text can reach.
    pub(super) fn is_everything(&self) -> bool {
        !self.missed && self.waiting() == 0 && !self.overlaps.iter().any(|overlap| self.is_ambiguous(overlap))
    }

    fn add(&mut self, place: FramePlace) {
        if let Alive::Capture { content, after: Some(after), .. } = place.alive
            && content.is_nullable()
        {
            self.add(FramePlace { alive: Alive::State(after), ..place });
        }
        if place.alive.reader().continues() && self.seen.insert(place) {
            self.places.push(place);
        }
    }

    fn take_apart(&mut self, rule: RuleId, state: StateId, deadline: &Deadline) -> Result<()> {
        let parts = parts(self.automaton, state, deadline)?;
        let count = |is: fn(&Alive) -> bool| parts.iter().filter(|alive| is(alive)).count();
        // A state that remembers one of too many texts is found only as far as it is like others.
        let finite = count(|alive| matches!(alive, Alive::Text(_)));
        self.missed |= count(|alive| matches!(alive, Alive::Capture { .. })) > finite;
        for alive in parts {
            self.add(FramePlace { rule, alive });
        }
        Ok(())
    }

    fn follow_moves(&mut self, rule: RuleId, state: StateId, deadline: &Deadline) -> Result<()> {
        let automaton = self.automaton;
        if state.is_nullable() {
            let first = *automaton.first_bytes(state, deadline)?;
            self.overlaps.insert(Overlap { rule, first });
        }
        let mut last = None;
        for byte in self.bytes(state, deadline)? {
            match automaton.step(state, byte, deadline)? {
                // Neighbours often make the same move.
                Move::Open(opening) if last.is_some_and(|last| std::ptr::eq(last, opening)) => {}
                made => {
                    last = if let Move::Open(opening) = made { Some(opening) } else { None };
                    self.follow(rule, made, deadline)?;
                }
            }
        }
        if !automaton.names_tokens() {
            return Ok(());
        }
        for &set in automaton.exact_tokens(state)? {
            for token in self.tokens_of(set)? {
                let made = automaton.step_token(state, token, deadline)?;
                self.follow(rule, made, deadline)?;
            }
        }
        Ok(())
    }

    /// The bytes that are followed from a state.
    fn bytes(&mut self, state: StateId, deadline: &Deadline) -> Result<impl Iterator<Item = u8> + use<>> {
        let first = self.automaton.first_bytes(state, deadline)?;
        let mut bytes = first.intersection(&self.vocabulary.alphabet());
        if state.captures() && bytes.contains(b'\\') {
            bytes = bytes.difference(&ByteSet::single(b'\\'));
            self.missed = true;
        }
        Ok(bytes.iter())
    }

    /// Some tokens of a set.
    fn tokens_of(&mut self, set: TokenSetId) -> Result<Vec<TokenId>> {
        if let Some(known) = self.token_samples.get(&set) {
            return Ok(known.clone());
        }
        let mut sample: Vec<TokenId> = self.automaton.with_expressions(|expressions| {
            let tokens = expressions.token_set(set).tokens(self.vocabulary.token_count());
            tokens.take(Self::TOKENS_OF_SET + 1).collect()
        })?;
        self.missed |= sample.len() > Self::TOKENS_OF_SET;
        sample.truncate(Self::TOKENS_OF_SET);
        self.token_samples.insert(set, sample.clone());
        Ok(sample)
    }

    fn follow_capture(
        &mut self,
        rule: RuleId,
        content: StateId,
        excluded: Option<StateId>,
        after: Option<StateId>,
        deadline: &Deadline,
    ) -> Result<()> {
        for byte in self.bytes(content, deadline)? {
            let Move::Stay(content) = self.automaton.step(content, byte, deadline)? else { continue };
            let mut still_excluded = None;
            if let Some(excluded) = excluded
                && let Move::Stay(excluded) = self.automaton.step(excluded, byte, deadline)?
            {
                still_excluded = Some(excluded);
            }
            self.add(FramePlace { rule, alive: Alive::Capture { content, excluded: still_excluded, after } });
        }
        Ok(())
    }

    fn follow(&mut self, rule: RuleId, made: Move<'_>, deadline: &Deadline) -> Result<()> {
        match made {
            Move::Dead => {}
            Move::Stay(state) => self.add(FramePlace { rule, alive: Alive::State(state) }),
            Move::Open(opening) => {
                if let Some(state) = opening.stay {
                    self.add(FramePlace { rule, alive: Alive::State(state) });
                }
                for frame in &opening.frames {
                    if let Some(state) = frame.state {
                        self.add(FramePlace { rule: frame.rule, alive: Alive::State(state) });
                    }
                    self.add_edges(rule, opening, frame)?;
                }
                self.note_overlap(rule, opening, deadline)?;
            }
        }
        Ok(())
    }

    /// Adds who called an opened frame.
    fn add_edges(&mut self, base: RuleId, opening: &Opening, frame: &OpenedFrame) -> Result<()> {
        // The frames that resume when this one completes, all at once: index (`None` for the base) and state.
        let mut resumed: Vec<(Option<usize>, StateId)> = Vec::new();
        let mut inherits = false;
        for edge in &frame.edges {
            let (caller, continuation) = match *edge {
                OpenedEdge::Inherit => {
                    inherits = true;
                    self.add_heir(base, frame.rule);
                    continue;
                }
                OpenedEdge::Base(continuation) => (None, continuation),
                OpenedEdge::Opened(continuation, index) => (Some(index), continuation),
            };
            let rule = caller.map_or(base, |index| opening.frames[index].rule);
            self.add_caller(frame.rule, Caller { continuation, rule });
            match resumed.iter_mut().find(|(of, _)| *of == caller) {
                Some((_, state)) => *state = self.automaton.union(*state, continuation)?,
                None => resumed.push((caller, continuation)),
            }
        }
        self.missed |= resumed.len() + usize::from(inherits) > 1;
        for (caller, state) in resumed {
            let rule = caller.map_or(base, |index| opening.frames[index].rule);
            self.add(FramePlace { rule, alive: Alive::State(state) });
        }
        Ok(())
    }

    fn add_caller(&mut self, called: RuleId, caller: Caller) {
        let mut waiting = vec![called];
        while let Some(called) = waiting.pop() {
            if !self.known_callers.insert((called, caller)) {
                continue;
            }
            self.new_callers.push((called, caller));
            let frames = self.frames.entry(called).or_default();
            frames.callers.push(caller);
            waiting.extend_from_slice(&frames.heirs);
        }
    }

    fn add_heir(&mut self, rule: RuleId, heir: RuleId) {
        let frames = self.frames.entry(rule).or_default();
        if rule == heir || frames.heirs.contains(&heir) {
            return;
        }
        frames.heirs.push(heir);
        let callers = frames.callers.clone();
        for caller in callers {
            self.add_caller(heir, caller);
        }
        if self.last_rules.contains(&rule) {
            self.add_last_rule(heir);
        }
    }

    fn add_last_rule(&mut self, rule: RuleId) {
        let mut waiting = vec![rule];
        while let Some(rule) = waiting.pop() {
            if self.last_rules.insert(rule) {
                self.new_last_rules.push(rule);
                waiting.extend(self.frames.get(&rule).into_iter().flat_map(|frames| &frames.heirs));
            }
        }
    }

    /// Notes where a byte that an opening leaves to several could be read by more than one of them.
    fn note_overlap(&mut self, rule: RuleId, opening: &Opening, deadline: &Deadline) -> Result<()> {
        let mut union = ByteSet::EMPTY;
        let states = opening.stay.into_iter().chain(opening.frames.iter().filter_map(|frame| frame.state));
        for state in states.filter(|state| state.continues()) {
            let first = self.automaton.first_bytes(state, deadline)?;
            self.missed |= !first.intersection(&union).is_empty();
            union = union.union(first);
        }
        if opening.stay.is_some_and(StateId::is_nullable) {
            self.overlaps.insert(Overlap { rule, first: union });
        }
        Ok(())
    }

    /// Whether a caller that resumes can read a byte that what is alive beside it can read too.
    fn is_ambiguous(&self, overlap: &Overlap) -> bool {
        let mut waiting = vec![overlap.rule];
        let mut seen = FxHashSet::default();
        while let Some(rule) = waiting.pop() {
            if !seen.insert(rule) {
                continue;
            }
            for caller in self.callers(rule) {
                let first = self.automaton.known_first_bytes(caller.continuation).unwrap_or(&ByteSet::ALL);
                if caller.continuation.continues() && !first.intersection(&overlap.first).is_empty() {
                    return true;
                }
                if caller.continuation.is_nullable() {
                    waiting.push(caller.rule);
                }
            }
        }
        false
    }
}

/// What a state that captures consists of. A capture of one of not too many texts is there twice, since it
/// reads as all captures of its content do, but goes on by its own text.
pub(super) fn parts(automaton: &Automaton, state: StateId, deadline: &Deadline) -> Result<Vec<Alive>> {
    let parts = automaton.parts(state, deadline)?;
    let mut all: Vec<Alive> = parts.plain.map(Alive::State).into_iter().collect();
    for part in &parts.captures {
        let (content, excluded, after) = (part.content, part.excluded, part.after_any);
        all.push(Alive::Capture { content, excluded, after });
        if after.is_none() {
            all.extend(automaton.enumerable_capture(part)?.map(Alive::Text));
        }
    }
    Ok(all)
}
