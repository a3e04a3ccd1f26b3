//! Names of states, and the moves between them.

use crate::expression::{EXPRESSION_BYTES, RuleId};

/// A state: an interned expression, the union of everything alive inside one frame.
///
/// Three facts that steps ask for travel in the id itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct StateId(u32);

/// What the id of a state tells of it.
#[derive(Clone, Copy, Default)]
pub(super) struct StateFacts {
    /// Whether the frame is complete in it.
    pub(super) is_nullable: bool,
    /// Whether it can read anything more.
    pub(super) continues: bool,
    /// Whether a text is being captured.
    pub(super) captures: bool,
}

impl StateId {
    const NULLABLE: u32 = 1;
    const CONTINUES: u32 = 2;
    const CAPTURES: u32 = 4;
    /// The greatest number of states that ids have room for.
    pub(super) const MAXIMUM: usize = 1 << 28;

    pub(super) fn new(index: usize, facts: StateFacts) -> Self {
        let StateFacts { is_nullable, continues, captures } = facts;
        let flag = |holds: bool, flag: u32| if holds { flag } else { 0 };
        let flags = flag(is_nullable, Self::NULLABLE)
            | flag(continues, Self::CONTINUES)
            | flag(captures, Self::CAPTURES);
        Self((index as u32) << 3 | flags)
    }

    pub(super) fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    /// Whether the frame is complete in this state.
    pub(crate) fn is_nullable(self) -> bool {
        self.0 & Self::NULLABLE != 0
    }

    /// Whether a text is being captured.
    pub(crate) fn captures(self) -> bool {
        self.0 & Self::CAPTURES != 0
    }

    /// Whether the state can read anything more.
    pub(crate) fn continues(self) -> bool {
        self.0 & Self::CONTINUES != 0
    }
}

/// What a state does on one symbol, independent of what lies below its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Move<'a> {
    /// Nothing goes on.
    Dead,
    /// The frame goes on in another state, and no frame is left open above it.
    Stay(StateId),
    /// Frames have been opened; the frame itself may go on too.
    Open(&'a Opening),
}

/// A move that opens frames. Calls that completed within the symbol are resolved already.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Opening {
    /// The state of the frame itself, where it goes on or is complete.
    pub(crate) stay: Option<StateId>,
    /// The frames that stay open, each with what is alive in it.
    pub(crate) frames: Box<[OpenedFrame]>,
}

impl Opening {
    /// The memory that it takes, in nodes of expressions.
    pub(super) fn size(&self) -> usize {
        let bytes_of = |frame: &OpenedFrame| size_of::<OpenedFrame>() + size_of_val(&*frame.edges);
        (size_of::<Self>() + self.frames.iter().map(bytes_of).sum::<usize>()) / EXPRESSION_BYTES
    }
}

/// A frame that a move opens, at the position before the symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OpenedFrame {
    pub(crate) rule: RuleId,
    /// The state after the symbol; `None` where the frame only waits for one above it.
    pub(crate) state: Option<StateId>,
    pub(crate) edges: Box<[OpenedEdge]>,
}

/// Who called an opened frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OpenedEdge {
    /// A tail call: the callers of the frame that moved.
    Inherit,
    /// The frame that moved, which resumes with this state.
    Base(StateId),
    /// Another frame of the same move, by its index there.
    Opened(StateId, usize),
}

/// How a [`Move`] is stored in one word of a transition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MoveCode(pub(super) u32);

impl MoveCode {
    /// Not computed yet. Zero, so that a fresh table holds nothing else.
    pub(super) const UNKNOWN: Self = Self(0);
    pub(super) const DEAD: Self = Self(1);
    const STAY: u32 = 1 << 31;

    pub(super) fn stay(state: StateId) -> Self {
        Self(Self::STAY | state.0)
    }

    pub(super) fn opening(index: usize) -> Self {
        Self(index as u32 + 2)
    }

    /// The state of a stay that leaves the frame incomplete, so that no caller is resumed.
    pub(super) fn waiting_stay(self) -> Option<StateId> {
        let state = StateId(self.0 & !Self::STAY);
        (self.0 & Self::STAY != 0 && !state.is_nullable()).then_some(state)
    }

    /// The state of a stay, or the index of an opening.
    pub(super) fn decode(self) -> Result<Option<StateId>, usize> {
        match self {
            Self::DEAD => Ok(None),
            Self(code) if code & Self::STAY != 0 => Ok(Some(StateId(code & !Self::STAY))),
            Self(code) => Err(code as usize - 2),
        }
    }
}
