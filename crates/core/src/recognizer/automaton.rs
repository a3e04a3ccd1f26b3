//! The lazily filled automaton of one constraint.
//!
//! All matchers of a constraint share it. What has been computed is read without a lock; what is
//! missing is computed under one lock, which also guards the expressions. States and moves are only
//! ever added, and what is added depends on the grammar alone, so that the order in which threads ask
//! changes the numbering but never a mask. Once a panic has broken off a computation, nothing more is added.

use std::hash::BuildHasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustc_hash::FxBuildHasher;

use super::growing::Growing;
use super::move_table::MoveTable;
use super::moves::{self, MoveBuilder};
use super::state::{Move, MoveCode, Opening, StateFacts, StateId};
use super::state_cell::StateCell;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{ByteSet, Derivatives, ExpressionId, ExpressionStore, RuleId, Symbol};
use crate::grammar::PreparedGrammar;
use crate::stack;
use crate::vocabulary::TokenId;

/// The states and moves met so far.
pub(crate) struct Automaton {
    states: boxcar::Vec<StateCell>,
    openings: boxcar::Vec<Opening>,
    /// In a place of its own: it is large, and an automaton is moved a few times before it is in its place.
    growing: Mutex<Box<Growing>>,
    /// The length of the longest token: how many bytes one mask looks ahead.
    pub(super) horizon: u32,
    start: StateId,
    start_rule: RuleId,
    names_tokens: bool,
    reads_free_text: bool,
    has_one_rule: bool,
    item_limit: usize,
    pub(super) alphabet: ByteSet,
    /// Whether moves are kept once they are computed.
    pub(super) keeps_moves: bool,
    rows: AtomicUsize,
    row_limit: usize,
    /// Whether texts have added so much that no further one should begin here.
    crowded: AtomicBool,
    crowded_at: usize,
}

/// So many states have room from the beginning: nine in ten of 500 schemas of MaskBench have less when their texts are read.
const COMMON_STATES: usize = 448;

impl Automaton {
    /// Less is never too much, however little a cache may hold: a new text would find nothing that another has left.
    const LEAST_CROWDED_BYTES: usize = 32 << 20;

    pub(crate) fn new(
        grammar: PreparedGrammar,
        budget: &Budget,
        horizon: usize,
        alphabet: ByteSet,
        keeps_moves: bool,
    ) -> Result<Self> {
        let (names_tokens, start_rule) = (grammar.names_tokens, grammar.start);
        let reads_free_text = grammar.expressions.has_free_text();
        let body = grammar.rules[grammar.start.index()].body;
        let has_one_rule = grammar.rules.len() == 1 && grammar.expressions.is_regular(body);
        let growing = Box::new(Growing::new(grammar, budget, COMMON_STATES));
        let mut automaton = Self {
            states: boxcar::Vec::new(),
            openings: boxcar::Vec::new(),
            growing: Mutex::new(growing),
            horizon: u32::try_from(horizon).unwrap_or(u32::MAX - 1),
            start: StateId::new(0, StateFacts::default()),
            start_rule,
            names_tokens,
            reads_free_text,
            has_one_rule,
            item_limit: budget.items,
            alphabet,
            keeps_moves,
            rows: AtomicUsize::new(0),
            row_limit: budget.cache_bytes / MoveTable::ROW_BYTES,
            crowded: AtomicBool::new(false),
            crowded_at: budget.cache_bytes.max(Self::LEAST_CROWDED_BYTES),
        };
        let start = automaton.grow(|growing| automaton.intern(growing, body))?;
        automaton.start = start;
        Ok(automaton)
    }

    /// The state of the start rule before any byte: the first of all, and so the same in every automaton of a grammar.
    pub(crate) fn start(&self) -> StateId {
        self.start
    }

    /// The state of a frame that has nothing left to read.
    pub(super) fn complete(&self) -> Result<StateId> {
        self.grow(|growing| self.intern(growing, ExpressionStore::EMPTY))
    }

    /// The start rule: that of the frame at the bottom.
    pub(crate) fn start_rule(&self) -> RuleId {
        self.start_rule
    }

    /// Whether the grammar names exact tokens anywhere.
    pub(crate) fn names_tokens(&self) -> bool {
        self.names_tokens
    }

    /// Whether there is free text in the grammar.
    pub(super) fn reads_free_text(&self) -> bool {
        self.reads_free_text
    }

    /// Whether there is but one rule, which is not called: then no state ever returns to another.
    pub(crate) fn has_one_rule(&self) -> bool {
        self.has_one_rule
    }

    /// The greatest number of frames alive at once.
    pub(super) fn item_limit(&self) -> usize {
        self.item_limit
    }

    /// The number of states met so far.
    pub(crate) fn state_count(&self) -> usize {
        self.states.count()
    }

    /// Whether no text has been read yet, nor any mask made.
    pub(crate) fn is_new(&self) -> bool {
        self.state_count() == 1
    }

    /// The number of expressions met so far; 0 once a panic has broken off work on them.
    pub(crate) fn expression_count(&self) -> usize {
        self.with_expressions(ExpressionStore::len).unwrap_or(0)
    }

    /// Whether texts have added so much that new ones should begin in another automaton. Lock-free.
    pub(crate) fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// What texts have added to the grammar, in bytes, and what makes it crowded.
    pub(crate) fn added_bytes(&self) -> Result<(usize, usize)> {
        self.grow(|growing| Ok((growing.added_bytes(self.states.count()), self.crowded_at)))
    }

    /// What the state does on a byte. Lock-free once it is known.
    pub(crate) fn step(&self, state: StateId, byte: u8, deadline: &Deadline) -> Result<Move<'_>> {
        let code = match self.known(state, byte) {
            MoveCode::UNKNOWN => self.grow(|growing| self.compute(growing, state, byte, deadline))?.0,
            code => code,
        };
        Ok(self.decode(code))
    }

    /// What the state does on a byte, and those of some bytes, the byte among them, on which it does the same.
    /// There may be others.
    pub(crate) fn step_class(
        &self,
        state: StateId,
        byte: u8,
        among: &ByteSet,
        deadline: &Deadline,
    ) -> Result<(Move<'_>, ByteSet)> {
        let (code, class) = match self.cell(state).moves.get_class(byte, among) {
            Some(known) => known,
            None => {
                let (code, class) = self.grow(|growing| self.compute(growing, state, byte, deadline))?;
                (code, class.intersection(among))
            }
        };
        Ok((self.decode(code), class))
    }

    /// Reads bytes for as long as the moves are known, the state stays in its frame, and the frame is not
    /// complete. Returns the state then, and how many bytes were read. Lock-free.
    pub(crate) fn stay_where_known(&self, mut state: StateId, bytes: &[u8]) -> (StateId, usize) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let known = self.known(state, byte).waiting_stay().map(|next| (next, 1));
            let Some((next, read)) = known.or_else(|| self.known_leap(state, &bytes[at..])) else { break };
            state = next;
            at += read;
        }
        (state, at)
    }

    /// As [`stay_where_known`](Self::stay_where_known), computing what is not known, under one lock.
    pub(crate) fn stay(&self, state: StateId, bytes: &[u8], deadline: &Deadline) -> Result<(StateId, usize)> {
        let (state, read) = self.stay_where_known(state, bytes);
        if self.is_known(state, &bytes[read..]) {
            return Ok((state, read));
        }
        let (state, more) =
            self.grow(|growing| self.stay_and_grow(growing, state, &bytes[read..], deadline))?;
        Ok((state, read + more))
    }

    fn stay_and_grow(
        &self,
        growing: &mut Growing,
        mut state: StateId,
        bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<(StateId, usize)> {
        let mut at = 0;
        while !self.is_known(state, &bytes[at..]) {
            let next = match self.leap(growing, state, &bytes[at..], deadline)? {
                None => {
                    let (code, _) = self.compute(growing, state, bytes[at], deadline)?;
                    code.waiting_stay().map(|next| (next, 1))
                }
                leap => leap,
            };
            let Some((next, read)) = next else { break };
            at += read;
            let (next, read) = self.stay_where_known(next, &bytes[at..]);
            (state, at) = (next, at + read);
        }
        Ok((state, at))
    }

    /// Whether the move on the first of some bytes has been computed, or there is none.
    fn is_known(&self, state: StateId, bytes: &[u8]) -> bool {
        bytes.first().is_none_or(|&byte| self.known(state, byte) != MoveCode::UNKNOWN)
    }

    /// The move of a state on a byte, where it has been computed.
    #[inline]
    fn known(&self, state: StateId, byte: u8) -> MoveCode {
        self.states[state.index()].moves.get(byte)
    }

    /// What the state does on an exact token.
    pub(crate) fn step_token(&self, state: StateId, token: TokenId, deadline: &Deadline) -> Result<Move<'_>> {
        let code = self.grow(|growing| {
            if let Some(&code) = growing.token_moves.get(&(state, token)) {
                return Ok(code);
            }
            let (code, _) = self.build(growing, state, Symbol::Token(token), false, deadline)?;
            growing.make_room();
            growing.token_moves.insert((state, token), code);
            Ok(code)
        })?;
        Ok(self.decode(code))
    }

    /// The union of two states of one frame.
    pub(crate) fn union(&self, a: StateId, b: StateId) -> Result<StateId> {
        if a == b {
            return Ok(a);
        }
        let key = (a.min(b), a.max(b));
        self.grow(|growing| {
            if let Some(&union) = growing.unions.get(&key) {
                return Ok(union);
            }
            let operands = [self.expression(a), self.expression(b)];
            let expression = growing.grammar.expressions.alternatives(&operands);
            let union = self.intern(growing, expression)?;
            growing.make_room();
            growing.unions.insert(key, union);
            Ok(union)
        })
    }

    /// Runs something on the expressions, under the lock.
    pub(crate) fn with_expressions<T>(&self, run: impl FnOnce(&ExpressionStore) -> T) -> Result<T> {
        self.locked(|growing| Ok(run(&growing.grammar.expressions)))
    }

    /// Whether the state calls no rule and waits for no definition, so that all it reads follows from itself.
    pub(crate) fn is_regular(&self, state: StateId) -> Result<bool> {
        self.with_expressions(|expressions| expressions.is_regular(self.cell(state).expression))
    }

    /// What the grammar calls a rule, where it has given it a name. Takes the lock.
    pub(crate) fn name_of(&self, rule: RuleId) -> Option<String> {
        self.locked(|growing| Ok(growing.grammar.name_of(rule))).ok().flatten()
    }

    /// Whether the state goes on, or its frame completes, on a byte.
    pub(crate) fn can_read(&self, state: StateId, byte: u8, deadline: &Deadline) -> Result<bool> {
        Ok(!matches!(self.step(state, byte, deadline)?, Move::Dead))
    }

    pub(super) fn cell(&self, state: StateId) -> &StateCell {
        &self.states[state.index()]
    }

    fn expression(&self, state: StateId) -> ExpressionId {
        self.states[state.index()].expression
    }

    fn decode(&self, code: MoveCode) -> Move<'_> {
        match code.decode() {
            Ok(None) => Move::Dead,
            Ok(Some(state)) => Move::Stay(state),
            Err(opening) => Move::Open(&self.openings[opening]),
        }
    }

    /// Computes something that is not known, under the lock.
    ///
    /// # Errors
    /// Those of the computation; [`Error::BudgetExceeded`] where derivatives were not made to their end, on which it may
    /// stand; [`Error::BrokenOff`] once another one has been broken off, by a panic or in the middle of a derivative that
    /// took too long.
    pub(super) fn grow<T>(&self, compute: impl FnOnce(&mut Growing) -> Result<T>) -> Result<T> {
        self.locked(|growing| {
            if growing.grammar.expressions.is_out_of_time() {
                return Err(Error::BrokenOff);
            }
            let computed = compute(growing)?;
            growing.check_derivatives()?;
            Ok(computed)
        })
    }

    /// Runs something under the lock, and with enough stack: whoever looks into expressions or adds some follows their
    /// operands, or what a schema leads to, by native recursion.
    pub(super) fn locked<T>(&self, run: impl FnOnce(&mut Growing) -> Result<T>) -> Result<T> {
        stack::with_enough(|| {
            // A panic leaves anything behind that is half done, such as expressions that were taken out to add to them, and
            // goals that are in progress. What is known without the lock was complete before it was added.
            let mut growing = self.growing.lock().map_err(|_| Error::BrokenOff)?;
            run(&mut growing)
        })
    }

    /// The move of a state on a byte, and bytes that make the same one. It is known from then on.
    #[cold]
    fn compute(
        &self,
        growing: &mut Growing,
        state: StateId,
        byte: u8,
        deadline: &Deadline,
    ) -> Result<(MoveCode, ByteSet)> {
        let moves = &self.states[state.index()].moves;
        // Only the holder of the lock makes rows.
        let has_room = || self.rows.load(Ordering::Relaxed) < self.row_limit;
        let keeps = self.keeps_moves && moves.has_room(has_room);
        let (code, class) = self.build(growing, state, Symbol::Byte(byte), keeps, deadline)?;
        if keeps && moves.add(&class, code) {
            self.rows.fetch_add(1, Ordering::Relaxed);
        }
        Ok((code, class))
    }

    /// The move of a state on a symbol; what it opens is looked for among what was opened before unless the move is kept.
    fn build(
        &self,
        growing: &mut Growing,
        state: StateId,
        symbol: Symbol,
        is_kept: bool,
        deadline: &Deadline,
    ) -> Result<(MoveCode, ByteSet)> {
        growing.moves = growing.moves.wrapping_add(1);
        if growing.moves % Growing::MOVES_PER_CHECK == 1 {
            deadline.check()?;
        }
        let mut derivatives = Derivatives::new();
        growing.derive(self.expression(state), symbol, deadline, &mut derivatives);
        moves::define_deferred(growing, symbol, &mut derivatives, deadline)?;
        growing.check_derivatives()?;
        if derivatives.calls.is_empty() {
            let code = match moves::stay(growing, &mut derivatives, deadline)? {
                ExpressionStore::NOTHING => MoveCode::DEAD,
                expression => MoveCode::stay(self.intern(growing, expression)?),
            };
            return Ok((code, derivatives.class));
        }
        deadline.check()?;
        let (opening, class) =
            MoveBuilder::new(growing, symbol)
                .build(derivatives, deadline, |growing, expression| self.intern(growing, expression))?;
        let code = match opening {
            Opening { stay: None, frames } if frames.is_empty() => MoveCode::DEAD,
            Opening { stay: Some(state), frames } if frames.is_empty() => MoveCode::stay(state),
            opening => MoveCode::opening(self.keep_opening(growing, opening, is_kept)?),
        };
        Ok((code, class))
    }

    /// Keeps what a move opens, as long as there are states, and gives its number.
    fn keep_opening(&self, growing: &mut Growing, opening: Opening, is_kept: bool) -> Result<usize> {
        if is_kept {
            return self.push_opening(growing, opening);
        }
        let hash = FxBuildHasher.hash_one(&opening);
        let mut alike = growing.openings.get(&hash).into_iter().flatten().copied();
        if let Some(known) = alike.find(|&known| self.openings[known] == opening) {
            return Ok(known);
        }
        let number = self.push_opening(growing, opening)?;
        growing.openings.entry(hash).or_default().push(number);
        Ok(number)
    }

    fn push_opening(&self, growing: &mut Growing, opening: Opening) -> Result<usize> {
        growing.check_room(0)?;
        growing.openings_size += opening.size();
        Ok(self.openings.push(opening))
    }

    pub(super) fn intern(&self, growing: &mut Growing, expression: ExpressionId) -> Result<StateId> {
        if let Some(&known) = growing.ids.get(&expression) {
            return Ok(known);
        }
        let states = self.states.count();
        growing.check_room(states)?;
        if growing.added_bytes(states) > self.crowded_at {
            self.crowded.store(true, Ordering::Relaxed);
        }
        let store = &growing.grammar.expressions;
        let facts = StateFacts {
            is_nullable: store.is_nullable(expression),
            continues: expression != ExpressionStore::EMPTY && expression != ExpressionStore::NOTHING,
            captures: store.captures(expression),
        };
        // Only the holder of the lock pushes, so the count is the index of the next cell.
        let index = self.states.push(StateCell::new(expression, store.is_open_ended(expression)));
        let id = StateId::new(index, facts);
        growing.ids.insert(expression, id);
        Ok(id)
    }
}

#[cfg(test)]
impl Automaton {
    /// Some of the states that texts of some bytes lead to.
    pub(crate) fn some_states(
        &self,
        bytes: impl IntoIterator<Item = u8>,
        most: usize,
        deadline: &Deadline,
    ) -> Vec<StateId> {
        let bytes: Vec<u8> = bytes.into_iter().collect();
        let mut seen = vec![self.start()];
        let mut next = 0;
        while next < seen.len() && seen.len() < most {
            let state = seen[next];
            next += 1;
            for &byte in &bytes {
                let found: Vec<StateId> = match self.step(state, byte, deadline).unwrap() {
                    Move::Dead => Vec::new(),
                    Move::Stay(state) => vec![state],
                    Move::Open(opening) => {
                        opening.frames.iter().filter_map(|frame| frame.state).chain(opening.stay).collect()
                    }
                };
                for state in found {
                    if !seen.contains(&state) {
                        seen.push(state);
                    }
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::{gbnf, json_schema};
    use crate::vocabulary::Vocabulary;

    fn automata() -> Vec<Automaton> {
        automata_within(&Budget::default())
    }

    fn automata_within(budget: &Budget) -> Vec<Automaton> {
        let schema = r#"{"properties": {"name": {"type": "string", "maxLength": 3}, "names": {"enum": ["on", "one"]},
            "size": {"type": "integer", "multipleOf": 3}}, "required": ["name"]}"#;
        let rules =
            "root ::= \"a\" root? \"b\" | [a-z]{2,9} \"!\" | \"x\" item* \nitem ::= \"y\" item | \"yz\"";
        let grammars = [
            json_schema::compile(schema, &[], &json_schema::Options::default(), budget),
            gbnf::compile(rules, "root", budget),
        ];
        let vocabulary = Vocabulary::of_bytes();
        let automaton = |grammar: Result<_>| {
            let prepared = PreparedGrammar::new(&grammar.unwrap(), &vocabulary, budget, true).unwrap();
            Automaton::new(prepared, budget, 8, vocabulary.alphabet(), true).unwrap()
        };
        grammars.map(automaton).into()
    }

    #[test]
    fn a_move_without_calls_is_the_one_that_the_builder_makes() {
        let deadline = Deadline::for_step(&Budget::default());
        for automaton in automata() {
            for state in automaton.some_states(0..=255, 200, &deadline) {
                for byte in 0..=255 {
                    let symbol = Symbol::Byte(byte);
                    let grown = automaton.grow(|growing| {
                        let (code, class) = automaton.build(growing, state, symbol, true, &deadline)?;
                        let Ok(stay) = code.decode() else { return Ok(()) };
                        let mut derivatives = Derivatives::new();
                        let expression = automaton.expression(state);
                        growing.grammar.expressions.derive(expression, symbol, &mut derivatives);
                        let (opening, same_class) = MoveBuilder::new(growing, symbol).build(
                            derivatives,
                            &deadline,
                            |growing, expression| automaton.intern(growing, expression),
                        )?;
                        assert_eq!((opening.stay, opening.frames.len()), (stay, 0));
                        assert_eq!(class, same_class);
                        Ok(())
                    });
                    grown.unwrap();
                }
            }
        }
    }

    #[test]
    fn reading_bytes_together_is_reading_them_one_by_one() {
        let deadline = Deadline::for_step(&Budget::default());
        let texts = [
            r#"{"name": "abcd""#,
            r#"{"names": "one", "name": ""#,
            r#"{"size": 12, "na\u006d"#,
            "abcd!",
            "xyz",
        ];
        for text in texts.map(str::as_bytes) {
            for automaton in automata() {
                for state in automaton.some_states(0..=255, 200, &deadline) {
                    let (mut expected, mut length) = (state, 0);
                    for &byte in text {
                        match automaton.step(expected, byte, &deadline).unwrap() {
                            Move::Stay(next) if !next.is_nullable() => {
                                (expected, length) = (next, length + 1);
                            }
                            _ => break,
                        }
                    }
                    assert_eq!(automaton.stay(state, text, &deadline).unwrap(), (expected, length));
                    assert_eq!(automaton.stay_where_known(state, text), (expected, length));
                }
            }
        }
        for automaton in automata() {
            assert_eq!(automaton.stay_where_known(automaton.start(), b"{"), (automaton.start(), 0));
        }
    }

    #[test]
    fn what_moves_open_is_kept_once_where_they_are_computed_anew_each_time() {
        let budget = Budget { cache_bytes: 1, ..Budget::default() };
        let deadline = Deadline::for_step(&budget);
        for automaton in automata_within(&budget) {
            let states = automaton.some_states(0..=255, 50, &deadline);
            let mut counts = (0..3).map(|_| {
                for &state in &states {
                    (0..=255).for_each(|byte| _ = automaton.step(state, byte, &deadline).unwrap());
                    let token = TokenId(7);
                    _ = automaton.step_token(state, token, &deadline).unwrap();
                    _ = automaton.union(automaton.start(), state).unwrap();
                }
                let kept =
                    automaton.grow(|growing| Ok(growing.unions.len() + growing.token_moves.len())).unwrap();
                assert!(kept <= 1);
                automaton.openings.count()
            });
            let first = counts.next();
            assert!(counts.all(|count| Some(count) == first));
        }
    }

    #[test]
    fn what_moves_open_counts_as_expressions() {
        let budget = Budget::default();
        let rules = (0..40).map(|rule| {
            let calls = (0..40).map(|called| format!("r{called} [a-z] r{} |", (rule + called) % 40));
            format!("r{rule} ::= {} [a-z]\n", calls.collect::<String>())
        });
        let grammar = gbnf::compile(&rules.collect::<String>(), "r0", &budget).unwrap();
        let tokens = (b'a'..=b'z').map(|byte| Some(vec![byte])).chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, vec![], vec![TokenId(26)], 27).unwrap();
        let prepared = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
        let automaton = Automaton::new(prepared, &budget, 8, vocabulary.alphabet(), true).unwrap();
        _ = automaton.step(automaton.start(), b'a', &Deadline::for_step(&budget)).unwrap();
        let size = automaton.grow(|growing| Ok(growing.openings_size)).unwrap();
        assert!(size > 40 * 40 / 4, "{size}");
    }
}
