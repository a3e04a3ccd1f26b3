//! What is known of one state, each thing computed when it is first asked for and read without a lock from then on.

use std::sync::OnceLock;

use super::capture::Parts;
use super::characters::Step;
use super::class_runs::{ClassRun, Leading};
use super::leap::Leaps;
use super::loops::StateRun;
use super::move_table::MoveTable;
use super::neighbour::UnreadState;
use super::pieces::Piece;
use super::repeated::Repeated;
use super::state::StateId;
use super::stretch::Stretch;
use super::uniform::Uniform;
use crate::expression::{ByteSet, CertainBytes, ExpressionId, TokenSetId};
use crate::vocabulary::{Characters, ClassId, Signature};

/// A state of the [`Automaton`](super::Automaton).
pub(super) struct StateCell {
    pub(super) expression: ExpressionId,
    /// Whether its texts are regular, and those that are complete can be made longer by repeating what they end in.
    pub(super) is_open_ended: bool,
    pub(super) canonical: OnceLock<StateId>,
    pub(super) outline: OnceLock<Option<StateId>>,
    pub(super) opened: OnceLock<StateId>,
    pub(super) moves: MoveTable,
    pub(super) first_bytes: OnceLock<ByteSet>,
    /// What is asked of few states, made when any of it is asked.
    facts: OnceLock<Box<Facts>>,
    /// Made with the first leap.
    leaps: OnceLock<Box<Leaps>>,
}

/// What is asked of few states only, most of them those from which walks start.
#[derive(Default)]
pub(super) struct Facts {
    /// What comes of one character of those that begin with some bytes, where that takes long to read.
    pub(super) after_characters: OnceLock<Box<(ByteSet, Step)>>,
    pub(super) neighbour: OnceLock<Option<Box<UnreadState>>>,
    pub(super) last: OnceLock<StateId>,
    pub(super) exact_tokens: OnceLock<Box<[TokenSetId]>>,
    pub(super) loops: OnceLock<Signature>,
    pub(super) comes_back_over: OnceLock<Signature>,
    pub(super) repeated: OnceLock<Repeated>,
    pub(super) stretch: OnceLock<Stretch>,
    pub(super) stretch_characters: OnceLock<Characters>,
    /// The stretch of a state without long counters, and the length of the match left to any state within it.
    pub(super) relaxed: OnceLock<(Stretch, Option<u32>)>,
    /// Of a state without bounds: whether those with bounds remember what they read of common characters.
    pub(super) is_remembering: OnceLock<bool>,
    pub(super) uniform: OnceLock<Option<Uniform>>,
    pub(super) parts: OnceLock<Parts>,
    pub(super) alternatives: OnceLock<Box<[StateId]>>,
    pub(super) pieces: OnceLock<Box<[Piece]>>,
    pub(super) item_pieces: OnceLock<Box<[Piece]>>,
    /// None where there are not several, or they have to be read together.
    pub(super) conditions: OnceLock<Box<[StateId]>>,
    pub(super) run: OnceLock<Option<StateRun>>,
    pub(super) class_run: OnceLock<Option<ClassRun>>,
    pub(super) loop_class: OnceLock<Option<ClassId>>,
    pub(super) counted_class: OnceLock<Option<ClassId>>,
    pub(super) leading: OnceLock<Option<Box<Leading>>>,
    pub(super) certain_bytes: OnceLock<Option<Box<CertainBytes>>>,
}

impl StateCell {
    pub(super) fn new(expression: ExpressionId, is_open_ended: bool) -> Self {
        Self {
            expression,
            is_open_ended,
            canonical: OnceLock::new(),
            outline: OnceLock::new(),
            opened: OnceLock::new(),
            moves: MoveTable::new(),
            first_bytes: OnceLock::new(),
            facts: OnceLock::new(),
            leaps: OnceLock::new(),
        }
    }

    /// The leaps that are known, if any are.
    pub(super) fn leaps(&self) -> Option<&Leaps> {
        self.leaps.get().map(|leaps| &**leaps)
    }

    /// The leaps, to which others are added.
    pub(super) fn leaps_to_add_to(&self) -> &Leaps {
        self.leaps.get_or_init(Box::default)
    }

    /// What is asked of few states, if any of it has been asked of this one.
    pub(super) fn known_facts(&self) -> Option<&Facts> {
        self.facts.get().map(|facts| &**facts)
    }

    /// What is asked of few states; takes memory from the first time on.
    pub(super) fn facts(&self) -> &Facts {
        self.facts.get_or_init(Box::default)
    }
}
