//! A grammar compiled for a vocabulary.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::grammar::{Grammar, PreparedGrammar};
use crate::mask::{MaskCache, Pool};
use crate::recognizer::Automaton;
use crate::vocabulary::Vocabulary;

/// How masks are computed. All settings give the same masks; the slow ones are there for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether direct recursion is turned into repetition.
    pub simplify_grammar: bool,
    /// Whether moves of states are kept; else each is derived anew.
    pub lazy_states: bool,
    /// Whether masks come from the stack automaton, and not from trying every token on its own.
    pub stack_automaton: bool,
    /// Whether walks take whole subtrees of the vocabulary by their signatures.
    pub signatures: bool,
    /// Whether what walks found is shared with other constraints.
    pub pool: bool,
}

impl Settings {
    const DEFAULT: Self = Self {
        simplify_grammar: true,
        lazy_states: true,
        stack_automaton: true,
        signatures: true,
        pool: true,
    };

    /// The settings that are worth comparing, the default first.
    pub const ALL: [Self; 7] = [
        Self::DEFAULT,
        Self { pool: false, ..Self::DEFAULT },
        Self { signatures: false, ..Self::DEFAULT },
        Self { simplify_grammar: false, ..Self::DEFAULT },
        Self { lazy_states: false, ..Self::DEFAULT },
        Self { stack_automaton: false, ..Self::DEFAULT },
        Self { simplify_grammar: false, lazy_states: false, stack_automaton: false, ..Self::DEFAULT },
    ];
}

impl Default for Settings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

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
    /// Bytes held by transitions and masks, those that the pool holds too included.
    pub cache_bytes: usize,
    /// The most frames of the stack that one mask has read. Each but the first has consumed a byte of some
    /// token, so it is at most the length of the longest token and one.
    pub deepest_read: usize,
}

/// A grammar compiled for a vocabulary: immutable to its users, shared by any number of threads and
/// [matchers](crate::Matcher), and filled lazily inside.
pub struct Constraint {
    vocabulary: Arc<Vocabulary>,
    budget: Budget,
    settings: Settings,
    automaton: Automaton,
    cache: MaskCache,
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
        let vocabulary = pool.vocabulary();
        let prepared = PreparedGrammar::new(grammar, vocabulary, budget, settings.simplify_grammar)?;
        let (horizon, alphabet) = (vocabulary.longest_token(), vocabulary.alphabet());
        Ok(Self {
            vocabulary: Arc::clone(vocabulary),
            budget: budget.clone(),
            settings,
            automaton: Automaton::new(prepared, budget, horizon, alphabet, settings.lazy_states)?,
            cache: MaskCache::new(budget.cache_bytes, pool, settings.signatures, settings.pool),
        })
    }

    /// The vocabulary that the constraint was compiled for.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The budgets of every step.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What has been computed so far.
    pub fn statistics(&self) -> Statistics {
        let cache = self.cache.statistics();
        Statistics {
            states: self.automaton.state_count(),
            expressions: self.automaton.expression_count(),
            walks: cache.walks,
            visited_nodes: cache.visited_nodes,
            masks: cache.masks,
            cache_bytes: cache.bytes,
            deepest_read: cache.deepest,
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    pub(crate) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    pub(crate) fn cache(&self) -> &MaskCache {
        &self.cache
    }
}

impl std::fmt::Debug for Constraint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Constraint").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}
