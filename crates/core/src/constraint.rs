//! A grammar compiled for a vocabulary.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use crate::budget::Budget;
use crate::error::Result;
use crate::generation::Generation;
use crate::grammar::Grammar;
use crate::mask::Pool;
use crate::settings::Settings;
use crate::vocabulary::Vocabulary;

/// What a constraint has computed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// States met.
    pub states: usize,
    /// Expressions met.
    pub expressions: usize,
    /// Walks over the vocabulary or over exit sets.
    pub walks: u64,
    /// Nodes of the vocabulary's trie visited by these walks.
    pub visited_nodes: u64,
    /// Finished masks that are kept.
    pub masks: usize,
    /// Bytes held by transitions and masks, those that the pool holds too included, and by what walks have in common.
    pub cache_bytes: usize,
    /// The most frames of the stack that one mask has read. Each but the first has consumed a byte of some
    /// token, so it is at most the length of the longest token and one; but frames that may end at once, as
    /// those of `root ::= "(" root "x"? | "y"` after their call, are passed by without a byte and counted too.
    pub deepest_read: usize,
    /// How often texts had used up the states or expressions of the budget, or added as much as its `cache_bytes`, or a
    /// panic had broken off a computation, so that all of the above began anew.
    pub restarts: u64,
}

/// A grammar compiled for a vocabulary: immutable to its users, shared by any number of threads and
/// [matchers](crate::Matcher), and filled lazily inside.
///
/// What it has computed is kept until the states or expressions of its budget are used up. Then it starts afresh:
/// masks stay what they were, and no text that needs less than the budget for itself ends in an error.
pub struct Constraint {
    grammar: Grammar,
    pool: Arc<Pool>,
    budget: Budget,
    settings: Settings,
    computed: Arc<Computed>,
}

/// What a constraint has computed.
struct Computed {
    /// Locked for a moment only, since whoever makes a matcher waits for it.
    current: Mutex<Arc<Generation>>,
    /// Held by the one that begins anew.
    restarting: Mutex<()>,
    restarts: AtomicU64,
}

impl Constraint {
    /// Compiles a grammar with the default [`Settings`] and a pool of its own.
    ///
    /// # Errors
    /// [`Error::EmptyGrammar`](crate::Error::EmptyGrammar) when no text satisfies it;
    /// [`Error::Grammar`](crate::Error::Grammar) when it names a token that the vocabulary lacks;
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn compile(grammar: &Grammar, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Result<Self> {
        let pool = Arc::new(Pool::new(vocabulary, budget.pool_bytes));
        Self::compile_with(grammar, &pool, budget, Settings::default())
    }

    /// Compiles a grammar with settings of one's own, and a pool that other constraints share.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_with(
        grammar: &Grammar,
        pool: &Arc<Pool>,
        budget: &Budget,
        settings: Settings,
    ) -> Result<Self> {
        let generation = Generation::new(grammar, pool, budget, settings)?;
        Ok(Self {
            grammar: grammar.clone(),
            pool: Arc::clone(pool),
            budget: budget.uninterrupted(),
            settings,
            computed: Arc::new(Computed {
                current: Mutex::new(Arc::new(generation)),
                restarting: Mutex::new(()),
                restarts: AtomicU64::new(0),
            }),
        })
    }

    /// The same constraint for a thread that works for it: what either computes both have, and references to this one
    /// are those of its users alone.
    pub(crate) fn for_a_helper(&self) -> Self {
        let Self { grammar, pool, budget, settings, computed } = self;
        Self {
            grammar: grammar.clone(),
            pool: Arc::clone(pool),
            budget: budget.clone(),
            settings: *settings,
            computed: Arc::clone(computed),
        }
    }

    /// The vocabulary that the constraint was compiled for.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.pool.vocabulary()
    }

    /// The budgets of every step.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What has been computed so far.
    pub fn statistics(&self) -> Statistics {
        let generation = self.generation();
        let cache = generation.cache.statistics();
        Statistics {
            states: generation.automaton.state_count(),
            expressions: generation.automaton.expression_count(),
            walks: cache.walks,
            visited_nodes: cache.visited_nodes,
            masks: cache.masks,
            cache_bytes: cache.bytes,
            deepest_read: cache.deepest,
            restarts: self.computed.restarts.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    /// The current generation: that of texts that begin.
    pub(crate) fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.computed.lock())
    }

    /// A generation for a text that begins, other than one that is crowded. `None` where none can be had now: while
    /// another thread makes one nobody waits for it, and where that fails the crowded one still serves.
    pub(crate) fn generation_beside(&self, crowded: &Arc<Generation>) -> Option<Arc<Generation>> {
        let _restarting = match self.computed.restarting.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.other_than(crowded).ok().map(|(generation, _)| generation)
    }

    /// A generation other than one that is full, and whether it is new: the current one, or else a new one, which
    /// is the current one then. A new one takes as long as the compile did.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub(crate) fn generation_after(&self, full: &Arc<Generation>) -> Result<(Arc<Generation>, bool)> {
        let _restarting = self.computed.restarting.lock().unwrap_or_else(PoisonError::into_inner);
        self.other_than(full)
    }

    /// The current generation, or a new one where that is the given one. Its caller holds the lock of `restarting`.
    fn other_than(&self, full: &Arc<Generation>) -> Result<(Arc<Generation>, bool)> {
        let current = self.generation();
        if !Arc::ptr_eq(&current, full) {
            return Ok((current, false));
        }
        let next = Arc::new(Generation::new(&self.grammar, &self.pool, &self.budget, self.settings)?);
        debug_assert_eq!(
            next.automaton.start(),
            current.automaton.start(),
            "the first state is the same in all"
        );
        *self.computed.lock() = Arc::clone(&next);
        self.computed.restarts.fetch_add(1, Ordering::Relaxed);
        Ok((next, true))
    }
}

impl Computed {
    fn lock(&self) -> MutexGuard<'_, Arc<Generation>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Constraint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Constraint").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::TokenId;
    use crate::{Matcher, frontend};

    #[test]
    fn nobody_waits_for_a_constraint_that_begins_anew() {
        let tokens = vec![Some(b"a".to_vec()), None];
        let vocabulary = Arc::new(Vocabulary::new(tokens, Vec::new(), vec![TokenId(1)], 2).unwrap());
        let budget = Budget::default();
        let grammar = frontend::choice::compile(&["a".to_owned()], &budget).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
        let restarting = constraint.computed.restarting.lock().unwrap();
        assert!(Matcher::new(&constraint).accept(TokenId(0)).unwrap());
        let full = constraint.generation();
        assert!(constraint.generation_beside(&full).is_none());
        assert_eq!(constraint.statistics().restarts, 0);
        drop(restarting);
        let (next, is_new) = constraint.generation_after(&full).unwrap();
        assert!(is_new && Arc::ptr_eq(&next, &constraint.generation()));
        assert!(!constraint.generation_after(&full).unwrap().1);
        assert!(Arc::ptr_eq(&next, &constraint.generation_beside(&full).unwrap()));
        assert_eq!(constraint.statistics().restarts, 1);
    }

    #[test]
    fn what_may_interrupt_a_compile_is_no_part_of_the_constraint() {
        let tokens = vec![Some(b"a".to_vec()), None];
        let vocabulary = Arc::new(Vocabulary::new(tokens, Vec::new(), vec![TokenId(1)], 2).unwrap());
        let interruption = crate::Interruption::default();
        interruption.come();
        // Short as it is, the compile is over before it looks.
        let budget = Budget { interruption: Some(interruption), ..Budget::default() };
        let grammar = frontend::choice::compile(&["a".to_owned()], &budget).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
        assert_eq!(constraint.budget(), &Budget::default());
        assert!(constraint.generation_after(&constraint.generation()).unwrap().1);
    }
}
