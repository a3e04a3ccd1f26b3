//! Computing ahead what masks will need.
//!
//! The stack automaton is filled lazily, as texts reach its states. Here it is filled without a text:
//! places are found breadth first ([`Reachable`]), and for each the transition from the root of the trie is
//! computed, then those of all continuations that its exits can be left to, until nothing is new. Only
//! [`MaskCache::step`] computes anything, so a mask is the same whether it was prepared or not.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::allowance::{Allowance, Outcome};
use super::cache::MaskCache;
use super::pool::{ExitSet, ExitSetId};
use super::reachable::{Alive, FramePlace, Reachable, parts};
use super::step::{Look, Step};
use super::walk::Ground;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::expression::RuleId;
use crate::recognizer::{Automaton, StateId};
use crate::vocabulary::Vocabulary;

/// What to compute ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warm {
    /// What likely texts ask for, written from the grammar and matched: so many masks at most.
    Likely(usize),
    /// What the examples ask for, and nothing else.
    Examples,
    /// Everything that a text can reach, as far as the budgets allow.
    All,
}

/// How far computing ahead has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States whose moves are known.
    pub states: usize,
    /// States found whose moves are not known yet; more may be found. Where texts are rehearsed, the masks that are left.
    pub waiting: usize,
    /// Transitions of the stack automaton that are known.
    pub transitions: usize,
}

/// What computing ahead came to.
#[derive(Clone, Debug, PartialEq)]
pub struct WarmUp {
    /// States whose moves are known; where only texts were rehearsed, all that the constraint has met.
    pub states: usize,
    /// Transitions of the stack automaton that are known.
    pub transitions: usize,
    /// Whether that is everything that any text can reach: then no mask needs a walk any more.
    pub complete: bool,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// What else ended it before the end: a budget.
    pub error: Option<Error>,
    /// How long it took.
    pub time: Duration,
}

/// What is computed from.
#[derive(Clone, Copy)]
pub(crate) struct AheadSource<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) cache: &'a MaskCache,
    pub(crate) budget: &'a Budget,
}

/// Computes everything that a text can reach, the nearest to the start first. Returns whether that was all. `report` is
/// called before each state and each transition, so at least every few milliseconds, and should be quick.
pub(crate) fn fill_all(
    allowance: &Allowance<'_>,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> (Progress, Outcome<bool>) {
    let mut ahead = Ahead::new(allowance, report);
    let outcome = ahead.fill_all();
    (ahead.progress(), outcome.map(|()| ahead.reachable.is_everything()))
}

/// Exits that a place is to read; `None` is the whole vocabulary.
#[derive(Clone)]
struct ReadingAhead {
    from: Option<ExitSet>,
    place: FramePlace,
    /// Whether the place is in a frame to which no other returns, and its state has a form for that.
    is_last: bool,
}

impl ReadingAhead {
    fn new(from: Option<ExitSet>, place: FramePlace) -> Self {
        Self { from, place, is_last: false }
    }

    fn key(&self) -> ReadingAheadKey {
        (self.from.as_ref().map(|exits| exits.id), self.place, self.is_last)
    }
}

type ReadingAheadKey = (Option<ExitSetId>, FramePlace, bool);

struct Ahead<'a> {
    source: AheadSource<'a>,
    report: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    allowance: &'a Allowance<'a>,
    reachable: Reachable<'a>,
    waiting: Vec<ReadingAhead>,
    seen: FxHashSet<ReadingAheadKey>,
    /// What is to be read should the frames of a rule turn out to have callers.
    without_callers: FxHashMap<RuleId, Vec<ReadingAhead>>,
    /// What is to be read should no frame return from frames of a rule.
    if_last: FxHashMap<RuleId, Vec<ReadingAhead>>,
    /// The exits that frames of each rule leave to their callers; callers may be found later.
    left: FxHashMap<RuleId, Vec<ExitSet>>,
    known_left: FxHashSet<(RuleId, ExitSetId)>,
}

impl<'a> Ahead<'a> {
    fn new(allowance: &'a Allowance<'a>, report: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Self {
        let source = allowance.source();
        Self {
            source,
            report,
            allowance,
            reachable: Reachable::new(source.automaton, source.vocabulary),
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            without_callers: FxHashMap::default(),
            if_last: FxHashMap::default(),
            left: FxHashMap::default(),
            known_left: FxHashSet::default(),
        }
    }

    fn progress(&self) -> Progress {
        let (states, waiting) = (self.reachable.explored(), self.reachable.waiting());
        Progress { states, waiting, transitions: self.source.cache.step_count() }
    }

    /// Fills everything that is found, the nearest to the start first.
    fn fill_all(&mut self) -> Outcome<()> {
        while let Some(place) = self.explore_next()? {
            self.fill(place)?;
        }
        Ok(())
    }

    fn explore_next(&mut self) -> Outcome<Option<FramePlace>> {
        self.check()?;
        let place = self.reachable.explore_next(self.allowance.deadline())?;
        for rule in self.reachable.take_new_last_rules() {
            self.waiting.extend(self.if_last.remove(&rule).unwrap_or_default());
        }
        for (rule, caller) in self.reachable.take_new_callers() {
            for reading in self.without_callers.remove(&rule).unwrap_or_default() {
                self.seen.remove(&reading.key());
                self.waiting.push(reading);
            }
            let place = FramePlace { rule: caller.rule, alive: Alive::State(caller.continuation) };
            for exits in self.left.get(&rule).into_iter().flatten() {
                self.waiting.push(ReadingAhead::new(Some(exits.clone()), place));
            }
        }
        Ok(place)
    }

    /// Computes all transitions that masks need where a place is on top of the stack.
    fn fill(&mut self, place: FramePlace) -> Outcome<()> {
        self.waiting.push(ReadingAhead::new(None, place));
        while let Some(reading) = self.waiting.pop() {
            if self.seen.insert(reading.key()) {
                self.check()?;
                self.read(&reading)?;
            }
        }
        Ok(())
    }

    /// Computes what one reading needs, and puts on the list what comes after it: as masks are filled, but
    /// for all stacks at once.
    fn read(&mut self, reading: &ReadingAhead) -> Result<()> {
        let FramePlace { rule, alive } = reading.place;
        let from = reading.from.as_ref();
        match alive {
            Alive::State(state) => self.read_state(reading, state),
            Alive::Text(state) => self.read_text(rule, state, from),
            Alive::Capture { content, excluded, after } => {
                let step = self.step(from, content)?;
                let excluded = self.source.cache.excluded_steps(from, excluded, self.ground())?;
                // What comes after is unknown where it depends on the text.
                let Some(after) = after else { return Ok(()) };
                let place = FramePlace { rule, alive: Alive::State(after) };
                if from.is_some() && content.is_nullable() {
                    self.waiting.push(ReadingAhead::new(from.cloned(), place));
                }
                let exits = self.source.cache.exits_without(&step, &excluded);
                if exits.is_some() {
                    self.waiting.push(ReadingAhead::new(exits, place));
                }
                Ok(())
            }
        }
    }

    /// The same of a reading in which a state is alive.
    fn read_state(&mut self, reading: &ReadingAhead, state: StateId) -> Result<()> {
        let rule = reading.place.rule;
        let from = reading.from.as_ref();
        if let Some(exits) = from.filter(|_| state.is_nullable()) {
            self.leave(rule, exits);
        }
        let state = match self.source.cache.look_at(from, state, self.ground(), 0)? {
            Look::Outline(step) => {
                self.leave_by(rule, &step);
                return Ok(());
            }
            Look::State(state) => state,
        };
        if state.captures() {
            return self.read_parts(rule, state, from);
        }
        if let Some(last) = self.source.automaton.last(state)? {
            if reading.is_last {
                self.step(from, last)?;
                return Ok(());
            }
            self.read_last(reading);
            if self.reachable.callers(rule).is_empty() {
                self.without_callers.entry(rule).or_default().push(reading.clone());
                return Ok(());
            }
        }
        let step = self.source.cache.step_of(from, state, self.ground(), 0)?;
        self.leave_by(rule, &step);
        for (state, from) in &step.captures {
            self.read_parts(rule, *state, from.as_ref())?;
        }
        Ok(())
    }

    /// Puts a reading on the list as one in a frame to which no other returns, once there can be such a frame.
    fn read_last(&mut self, reading: &ReadingAhead) {
        let (rule, reading) = (reading.place.rule, ReadingAhead { is_last: true, ..reading.clone() });
        match self.reachable.may_be_last(rule) {
            true => self.waiting.push(reading),
            false => self.if_last.entry(rule).or_default().push(reading),
        }
    }

    /// Computes what comes after each text that a capture can be.
    fn read_text(&mut self, rule: RuleId, state: StateId, from: Option<&ExitSet>) -> Result<()> {
        let AheadSource { automaton, vocabulary, cache, .. } = self.source;
        let trie = vocabulary.trie();
        for part in &automaton.parts(state, self.allowance.deadline())?.captures {
            for &start in &*ExitSet::nodes_of(from, vocabulary) {
                let single = from.and_then(|_| cache.exit_set(&[start]));
                let step = self.step(single.as_ref(), part.content)?;
                let Some(exits) = &step.transition.exits else { continue };
                for &end in &*exits.nodes.all(vocabulary) {
                    let after = automaton.after_capture(part, &trie.path(start, end))?;
                    let place = FramePlace { rule, alive: Alive::State(after) };
                    self.waiting.push(ReadingAhead::new(cache.exit_set(&[end]), place));
                }
            }
        }
        Ok(())
    }

    fn read_parts(&mut self, rule: RuleId, state: StateId, from: Option<&ExitSet>) -> Result<()> {
        for alive in parts(self.source.automaton, state, self.allowance.deadline())? {
            self.waiting.push(ReadingAhead::new(from.cloned(), FramePlace { rule, alive }));
        }
        Ok(())
    }

    /// Notes what a step leaves to the callers of a rule.
    fn leave_by(&mut self, rule: RuleId, step: &Step) {
        if let Some(exits) = &step.transition.exits {
            self.leave(rule, exits);
        }
    }

    /// Leaves exits to all callers of the frames of a rule.
    fn leave(&mut self, rule: RuleId, exits: &ExitSet) {
        if !self.known_left.insert((rule, exits.id)) {
            return;
        }
        self.left.entry(rule).or_default().push(exits.clone());
        for caller in self.reachable.callers(rule) {
            let place = FramePlace { rule: caller.rule, alive: Alive::State(caller.continuation) };
            self.waiting.push(ReadingAhead::new(Some(exits.clone()), place));
        }
    }

    fn step(&self, from: Option<&ExitSet>, state: StateId) -> Result<Arc<Step>> {
        self.source.cache.step(from, state, self.ground())
    }

    fn ground(&self) -> Ground<'a> {
        let AheadSource { automaton, vocabulary, cache, .. } = self.source;
        cache.ground(automaton, vocabulary, self.allowance.deadline())
    }

    fn check(&mut self) -> Outcome<()> {
        let progress = self.progress();
        self.allowance.check(self.report, &progress)
    }
}
