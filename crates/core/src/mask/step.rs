//! Transitions as one constraint has them, and what they hold in common with others.

use std::sync::Arc;

use smallvec::SmallVec;

use super::exits::ExitNodes;
use super::pool::{ENTRY, ExitSet, Transition, address};
use super::token_bits::TokenBits;
use super::token_union::Unions;
use crate::recognizer::StateId;

/// A transition of the stack automaton of one constraint.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) transition: Arc<Transition>,
    /// A few further sets of tokens inside: those of other steps, where this one is put together of them.
    pub(super) also_inside: Box<[TokenBits]>,
    /// The states that capture a text, each with the nodes at which tokens go on in it; `None` where they begin in it.
    pub(super) captures: Box<[(StateId, Option<ExitSet>)]>,
}

impl Step {
    pub(super) fn of(transition: Arc<Transition>) -> Self {
        Self { transition, also_inside: Box::default(), captures: Box::default() }
    }

    /// The sets whose union are the tokens inside.
    pub(super) fn inside(&self) -> impl Iterator<Item = &TokenBits> {
        std::iter::once(&self.transition.inside).chain(&*self.also_inside)
    }

    /// The tokens inside as one set.
    pub(super) fn all_inside(&self, unions: &Unions) -> TokenBits {
        if self.also_inside.is_empty() {
            return self.transition.inside.clone();
        }
        let sets: SmallVec<[TokenBits; 4]> = self.inside().cloned().collect();
        unions.union(&sets)
    }

    /// The memory in use with its place in a table, but for what others may hold, in bytes. The pool may drop a transition
    /// that it holds, too, at any time.
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = self.also_inside.iter().map(|set| set.memory_bytes() + size_of_val(set)).sum::<usize>();
        self.transition.memory_bytes() + (self.captures.len() + 1) * ENTRY + lists
    }

    /// What others may hold, too; some of it more than once.
    pub(super) fn shared(&self) -> impl Iterator<Item = Shared<'_>> {
        let rows = self.inside().filter_map(TokenBits::shared_row).map(Shared::Row);
        let captures = self.captures.iter().filter_map(|(_, exits)| exits.as_ref());
        rows.chain(self.transition.exits.iter().chain(captures).map(|exits| Shared::Exits(&exits.nodes)))
    }
}

/// What each kind of text that a captured one must not be makes of an exit set.
pub(super) type ExcludedSteps = SmallVec<[Arc<Step>; 2]>;

/// What of a state is to be read.
pub(super) enum Look {
    /// What its outline makes of the exit set, since no token can tell the two apart.
    Outline(Arc<Step>),
    /// The state itself. Where its head captures a text once it is defined, it is the one that does.
    State(StateId),
}

/// What steps and masks have in common with others: it is counted once.
#[derive(Clone, Copy)]
pub(super) enum Shared<'a> {
    Row(&'a Arc<[u32]>),
    /// Exit sets can be as large as the vocabulary, and each step from one leaves others.
    Exits(&'a Arc<ExitNodes>),
}

impl Shared<'_> {
    /// What tells it from all else, as long as it is held.
    pub(super) fn address(self) -> usize {
        match self {
            Self::Row(row) => address(row),
            Self::Exits(nodes) => Arc::as_ptr(nodes).addr(),
        }
    }

    pub(super) fn memory_bytes(self) -> usize {
        match self {
            Self::Row(row) => size_of_val(&**row) + ENTRY,
            Self::Exits(nodes) => nodes.memory_bytes() + ENTRY,
        }
    }

    pub(super) fn hold(self) -> Held {
        match self {
            Self::Row(row) => Held::Row(Arc::clone(row)),
            Self::Exits(nodes) => Held::Exits(Arc::clone(nodes)),
        }
    }
}

/// Something shared that is held.
#[expect(dead_code, reason = "what is held is never looked at: while it lives, its address is its own")]
pub(super) enum Held {
    Row(Arc<[u32]>),
    Exits(Arc<ExitNodes>),
}
