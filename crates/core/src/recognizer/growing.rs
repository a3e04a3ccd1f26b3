//! What an automaton adds states with, and how much of it there may be.

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::automaton::Automaton;
use super::state::{MoveCode, StateId};
use super::state_cell::StateCell;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::{Derivatives, EXPRESSION_BYTES, ExpressionId, ExpressionMap, Symbol};
use crate::grammar::PreparedGrammar;
use crate::vocabulary::{ClassId, TokenId};

/// What is needed to add states, guarded by the lock.
pub(super) struct Growing {
    pub(super) grammar: PreparedGrammar,
    pub(super) budget: Budget,
    pub(super) ids: FxHashMap<ExpressionId, StateId>,
    pub(super) unions: FxHashMap<(StateId, StateId), StateId>,
    pub(super) token_moves: FxHashMap<(StateId, TokenId), MoveCode>,
    /// The openings of moves that are computed anew each time, by their hash: each stays where it was put first.
    pub(super) openings: FxHashMap<u64, SmallVec<[usize; 1]>>,
    /// The size of all openings, in that of expressions.
    pub(super) openings_size: usize,
    /// The size of what the grammar itself is made of.
    grammar_size: usize,
    /// The classes of characters that runs were made of, where these are known to the vocabulary.
    pub(super) classes: ExpressionMap<Option<ClassId>>,
    /// The number of moves computed.
    pub(super) moves: u32,
}

impl Automaton {
    /// The size of all that states have been made of so far, in that of expressions. Takes the lock.
    pub(crate) fn size(&self) -> Result<usize> {
        self.locked(|growing| Ok(growing.size()))
    }
}

impl Growing {
    /// What has met no state, with room for so many.
    pub(super) fn new(mut grammar: PreparedGrammar, budget: &Budget, states: usize) -> Self {
        grammar.expressions.bound(budget.expressions);
        Self {
            grammar_size: grammar.size(),
            grammar,
            budget: budget.uninterrupted(),
            ids: FxHashMap::with_capacity_and_hasher(states, FxBuildHasher),
            unions: FxHashMap::default(),
            token_moves: FxHashMap::default(),
            openings: FxHashMap::default(),
            openings_size: 0,
            classes: ExpressionMap::default(),
            moves: 0,
        }
    }

    /// Asking the clock takes as long as many a move, so it is asked once for so many that open no frame.
    pub(super) const MOVES_PER_CHECK: u32 = 16;
    /// What an entry of a table takes, in bytes.
    const ENTRY: usize = 48;
    /// What a state takes, in bytes, its moves aside.
    const STATE: usize = size_of::<StateCell>() + Self::ENTRY;

    /// Forgets unions and moves on tokens where another one would be too many: they are only found again.
    pub(super) fn make_room(&mut self) {
        let most = self.budget.cache_bytes / Self::ENTRY;
        if self.unions.len() + self.token_moves.len() >= most {
            self.unions = FxHashMap::default();
            self.token_moves = FxHashMap::default();
        }
    }

    /// What all states have been made of: the grammar with what texts added to it, and what their moves open.
    fn size(&self) -> usize {
        self.grammar.size() + self.openings_size
    }

    /// What texts have added to the grammar, in bytes: an estimate.
    pub(super) fn added_bytes(&self, states: usize) -> usize {
        states * Self::STATE + (self.size() - self.grammar_size) * EXPRESSION_BYTES
    }

    /// Checks that there is room for one more state or opening beside so many states.
    pub(super) fn check_room(&self, states: usize) -> Result<()> {
        let limits = [
            ("states", self.budget.states.min(StateId::MAXIMUM), states),
            ("expressions", self.budget.expressions, self.size()),
        ];
        for (budget, limit, used) in limits {
            if used >= limit {
                return Err(exceeded(budget, limit));
            }
        }
        Ok(())
    }

    /// Checks that derivatives have been made to their end.
    pub(super) fn check_derivatives(&self) -> Result<()> {
        let expressions = &self.grammar.expressions;
        match (expressions.is_full(), expressions.is_out_of_time()) {
            (false, _) => Ok(()),
            (true, false) => Err(exceeded("expressions", self.budget.expressions)),
            (true, true) => Err(Deadline::for_step(&self.budget).exceeded()),
        }
    }

    /// The partial derivatives of an expression.
    pub(super) fn derive(
        &mut self,
        id: ExpressionId,
        symbol: Symbol,
        deadline: &Deadline,
        derivatives: &mut Derivatives,
    ) {
        self.grammar.expressions.within(deadline, |store| store.derive(id, symbol, derivatives));
    }
}

fn exceeded(budget: &'static str, limit: usize) -> Error {
    let what = "by the states that this constraint has met";
    Error::exceeded(budget, limit, what)
}
