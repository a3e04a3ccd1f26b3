//! One move: what becomes of a state on one symbol.
//!
//! The calls at the head of the state are followed as far as the symbol decides: frames are opened
//! for rules that can read it, and for the rules that those call at once. A frame that the symbol
//! completes resumes its callers on the spot. What remains is independent of what lies below the
//! frame, so it is computed once for each state and symbol.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::growing::Growing;
use super::state::{OpenedEdge, OpenedFrame, Opening, StateId};
use crate::budget::Deadline;
use crate::error::{Error, Result};
use crate::expression::{ByteSet, Derivatives, ExpressionId, ExpressionStore, RuleId, Symbol};

/// The frame that moves. It has no rule here: what lies below it is not looked at.
const BASE: usize = 0;

/// A frame that returns to so many others is not made to return past more of them, though the calls are tail calls: where
/// most rules may call one another last of all, each would return to all. Those others are frames that the same move opens,
/// so that the stack grows by as many anyway.
pub(crate) const MANY_EDGES: usize = 8;

/// Up to this many callers of a frame are searched one by one.
const FEW_CALLERS: usize = 16;

#[derive(Default)]
struct Open {
    rule: Option<RuleId>,
    /// What is alive after the symbol.
    pending: SmallVec<[ExpressionId; 4]>,
    /// The callers: continuation and index of the frame.
    callers: SmallVec<[(ExpressionId, usize); 2]>,
    complete: bool,
}

/// A list with an item for each frame, most often the one that moves and one that it opens.
type PerFrame<T> = SmallVec<[T; 4]>;

/// The state after a symbol that opens no frame, from the derivatives of the state before: the common move,
/// of which [`MoveBuilder`] would make the same.
pub(super) fn stay(
    growing: &mut Growing,
    derivatives: &mut Derivatives,
    deadline: &Deadline,
) -> Result<ExpressionId> {
    let grammar = &mut growing.grammar;
    let mut at = 0;
    while let Some(&rest) = derivatives.rest.get(at) {
        if grammar.emptiness.is_alive(&mut grammar.expressions, rest, deadline)? {
            at += 1;
        } else {
            derivatives.rest.swap_remove(at);
        }
    }
    let expression = grammar.expressions.alternatives(&derivatives.rest);
    check_width(growing, expression)?;
    Ok(expression)
}

/// Defines what is deferred among derivatives, and derives it.
pub(super) fn define_deferred(
    growing: &mut Growing,
    symbol: Symbol,
    derivatives: &mut Derivatives,
    deadline: &Deadline,
) -> Result<()> {
    while let Some((deferred, tail)) = derivatives.deferred.pop() {
        deadline.check()?;
        let definition = growing.grammar.define(deferred, deadline)?;
        let body = growing.grammar.expressions.concatenate(definition, tail);
        growing.derive(body, symbol, deadline, derivatives);
    }
    Ok(())
}

fn check_width(growing: &Growing, state: ExpressionId) -> Result<()> {
    let limit = growing.budget.items;
    if growing.grammar.expressions.width(state) > limit {
        let what = "by the alternatives of one state";
        return Err(Error::exceeded("items", limit, what));
    }
    Ok(())
}

/// Computes one move.
pub(super) struct MoveBuilder<'a> {
    growing: &'a mut Growing,
    symbol: Symbol,
    frames: PerFrame<Open>,
    index: FxHashMap<RuleId, usize>,
    /// The callers of each frame, but for its first few.
    callers: FxHashSet<(usize, ExpressionId, usize)>,
    class: ByteSet,
}

impl<'a> MoveBuilder<'a> {
    pub(super) fn new(growing: &'a mut Growing, symbol: Symbol) -> Self {
        Self {
            growing,
            symbol,
            frames: SmallVec::new(),
            index: FxHashMap::default(),
            callers: FxHashSet::default(),
            class: ByteSet::ALL,
        }
    }

    /// The move, and the bytes that make the same one, from the derivatives of the state.
    pub(super) fn build(
        mut self,
        derivatives: Derivatives,
        deadline: &Deadline,
        mut intern: impl FnMut(&mut Growing, ExpressionId) -> Result<StateId>,
    ) -> Result<(Opening, ByteSet)> {
        self.frames.push(Open::default());
        self.add_derivatives(BASE, derivatives, deadline)?;
        let mut at = BASE + 1;
        while at < self.frames.len() {
            deadline.check()?;
            self.read_symbol(at, deadline)?;
            at += 1;
        }
        self.complete_frames()?;
        let states = self.intern_states(&mut intern)?;
        let opening = self.keep_waiting_frames(&states, deadline, &mut intern)?;
        Ok((opening, self.class))
    }

    /// Opens a frame; until the symbol is read, its body is all that is pending.
    fn push(&mut self, rule: RuleId, body: ExpressionId) -> usize {
        self.frames.push(Open { rule: Some(rule), pending: smallvec![body], ..Open::default() });
        self.frames.len() - 1
    }

    fn read_symbol(&mut self, at: usize, deadline: &Deadline) -> Result<()> {
        let mut derivatives = Derivatives::new();
        for body in std::mem::take(&mut self.frames[at].pending) {
            self.growing.derive(body, self.symbol, deadline, &mut derivatives);
        }
        self.add_derivatives(at, derivatives, deadline)
    }

    /// Adds what is left in a frame after the symbol; defines what is deferred, and opens what is called.
    fn add_derivatives(
        &mut self,
        at: usize,
        mut derivatives: Derivatives,
        deadline: &Deadline,
    ) -> Result<()> {
        define_deferred(self.growing, self.symbol, &mut derivatives, deadline)?;
        self.growing.check_derivatives()?;
        let grammar = &mut self.growing.grammar;
        for &rest in &derivatives.rest {
            if grammar.emptiness.is_alive(&mut grammar.expressions, rest, deadline)? {
                self.frames[at].pending.push(rest);
            }
        }
        if let Symbol::Byte(byte) = self.symbol {
            for call in &derivatives.calls {
                derivatives.class = match &self.growing.grammar.rules[call.rule.index()].first {
                    first if first.contains(byte) => derivatives.class.intersection(first),
                    first => derivatives.class.difference(first),
                };
            }
        }
        self.class = self.class.intersection(&derivatives.class);
        for call in derivatives.calls {
            self.open(call.rule, call.continuation, at)?;
        }
        Ok(())
    }

    fn open(&mut self, rule: RuleId, continuation: ExpressionId, caller: usize) -> Result<()> {
        let prepared = &self.growing.grammar.rules[rule.index()];
        if matches!(self.symbol, Symbol::Byte(byte) if !prepared.first.contains(byte)) {
            return Ok(());
        }
        let body = prepared.body;
        let at = match self.index.get(&rule) {
            Some(&at) => at,
            None => {
                let at = self.push(rule, body);
                self.index.insert(rule, at);
                at
            }
        };
        let callers = &mut self.frames[at].callers;
        let is_new = match callers.split_at_checked(FEW_CALLERS) {
            None => !callers.contains(&(continuation, caller)),
            Some((first, _)) => {
                !first.contains(&(continuation, caller)) && self.callers.insert((at, continuation, caller))
            }
        };
        if is_new {
            callers.push((continuation, caller));
        }
        let limit = self.growing.budget.items;
        if callers.len() > limit || self.frames.len() > limit {
            let what = "by the calls that one symbol opens";
            return Err(Error::exceeded("items", limit, what));
        }
        Ok(())
    }

    /// Resumes the callers of every frame that the symbol completed, and theirs.
    fn complete_frames(&mut self) -> Result<()> {
        let store = &self.growing.grammar.expressions;
        let mut queue: PerFrame<usize> = SmallVec::new();
        for (at, frame) in self.frames.iter_mut().enumerate().skip(BASE + 1) {
            if frame.pending.iter().any(|&id| store.is_nullable(id)) {
                frame.complete = true;
                queue.push(at);
            }
        }
        while let Some(at) = queue.pop() {
            for (continuation, caller) in self.frames[at].callers.clone() {
                let frame = &mut self.frames[caller];
                frame.pending.push(continuation);
                if caller != BASE && !frame.complete && store.is_nullable(continuation) {
                    frame.complete = true;
                    queue.push(caller);
                }
            }
        }
        Ok(())
    }

    /// The state of every frame; `None` where nothing is alive in it.
    fn intern_states(
        &mut self,
        intern: &mut impl FnMut(&mut Growing, ExpressionId) -> Result<StateId>,
    ) -> Result<PerFrame<Option<StateId>>> {
        let mut states = SmallVec::with_capacity(self.frames.len());
        for frame in &mut self.frames {
            let expression = self.growing.grammar.expressions.alternatives(&frame.pending);
            check_width(self.growing, expression)?;
            states.push(match expression {
                ExpressionStore::NOTHING => None,
                _ => Some(intern(self.growing, expression)?),
            });
        }
        Ok(states)
    }

    /// Keeps the frames in which something goes on, and those that wait for one of them. Tail calls
    /// are cut short: a frame whose caller has nothing left to do returns to the caller's callers, unless
    /// these are many.
    fn keep_waiting_frames(
        &mut self,
        states: &[Option<StateId>],
        deadline: &Deadline,
        intern: &mut impl FnMut(&mut Growing, ExpressionId) -> Result<StateId>,
    ) -> Result<Opening> {
        let mut kept: PerFrame<usize> = SmallVec::new();
        let mut positions: PerFrame<Option<usize>> = smallvec![None; states.len()];
        for (at, state) in states.iter().enumerate().skip(BASE + 1) {
            if state.is_some_and(StateId::continues) {
                positions[at] = Some(kept.len());
                kept.push(at);
            }
        }
        let mut frames = Vec::with_capacity(kept.len());
        let mut seen: PerFrame<usize> = smallvec![BASE; states.len()];
        let mut next = 0;
        while next < kept.len() {
            deadline.check()?;
            let at = kept[next];
            next += 1;
            let callers = self.callers_past_tail_calls(at, &mut seen);
            let mut edges = Vec::with_capacity(callers.len());
            for (continuation, caller) in callers {
                edges.push(match (continuation, caller) {
                    (None, _) => OpenedEdge::Inherit,
                    (Some(continuation), BASE) => OpenedEdge::Base(intern(self.growing, continuation)?),
                    (Some(continuation), caller) => {
                        let index = *positions[caller].get_or_insert_with(|| {
                            kept.push(caller);
                            kept.len() - 1
                        });
                        OpenedEdge::Opened(intern(self.growing, continuation)?, index)
                    }
                });
            }
            let state = states[at].filter(|state| state.continues());
            // Only the base has no rule, and it is not among the kept frames.
            let rule = self.frames[at].rule.unwrap_or(self.growing.grammar.start);
            frames.push(OpenedFrame { rule, state, edges: edges.into() });
        }
        Ok(Opening { stay: states[BASE], frames: frames.into() })
    }

    /// The callers of a frame as (continuation, frame), with `(None, BASE)` for the callers of the base. `seen` says for
    /// which frame each was looked at last.
    fn callers_past_tail_calls(
        &self,
        at: usize,
        seen: &mut [usize],
    ) -> SmallVec<[(Option<ExpressionId>, usize); 4]> {
        let mut result = SmallVec::new();
        let mut cut_short: PerFrame<usize> = smallvec![at];
        seen[at] = at;
        let mut next = 0;
        while next < cut_short.len() {
            for &(continuation, caller) in &self.frames[cut_short[next]].callers {
                match (continuation, caller) {
                    (ExpressionStore::EMPTY, BASE) => result.push((None, BASE)),
                    (ExpressionStore::EMPTY, caller) if seen[caller] == at => {}
                    (ExpressionStore::EMPTY, caller) if result.len() < MANY_EDGES => {
                        seen[caller] = at;
                        cut_short.push(caller);
                    }
                    (continuation, caller) => result.push((Some(continuation), caller)),
                }
            }
            next += 1;
        }
        result.sort_unstable();
        result.dedup();
        result
    }
}
