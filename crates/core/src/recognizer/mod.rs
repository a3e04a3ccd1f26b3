//! The recogniser: what is alive after the bytes read so far.
//!
//! A generalised top-down recogniser. A rule that is called opens a *frame*; the frame knows its
//! callers by *edges*, each with the continuation that the caller resumes with. Frames of one rule
//! opened at one position are one frame, which bounds the work at the cube of the length for any
//! grammar, left-recursive and ambiguous ones included. What is alive inside one frame is one
//! interned *state*, and a *configuration* is the set of pairs (state, frame) alive now.
//!
//! | file | what it does |
//! |---|---|
//! | `state` | names of states and of the moves between them |
//! | `automaton` | the lazily filled table of states, shared by all matchers of a constraint |
//! | `growing` | what states are added with, and how much of it there may be |
//! | `state_cell` | what is known of one state |
//! | `facts` | what is asked of a state beside its moves |
//! | `move_table` | what is known of the moves of one state |
//! | `moves` | computes one move: the state after a symbol, and the frames it opens |
//! | `leap` | several bytes of a key, or of another fixed string, at once |
//! | `capture` | states that remember a text, taken apart for masks |
//! | `neighbour` | states that differ little from others of which more is known |
//! | `conditions` | strings under several conditions, by the states under each |
//! | `last` | states of frames to which no other frame returns |
//! | `characters` | what a state makes of one character of some kinds, whichever it is |
//! | `loops` | what a state does with characters of some kinds: loops on them, or begins with a run of them or with fixed strings |
//! | `class_runs` | states that begin with a run of characters of a class |
//! | `alike` | characters beyond ASCII with which a state does what it does with others |
//! | `repeated` | which kinds of characters a state may read again and again |
//! | `stretch` | how long a state can read characters of some kinds, whatever they are |
//! | `unbounded` | states whose texts are bounded, seen without the bounds |
//! | `uniform` | what a state does with all characters beyond ASCII alike |
//! | `pieces` | what states have in common that begin alike, as those after different keys |
//! | `advance` | applies moves to a configuration, and resumes the callers of completed frames |
//! | `describe` | what may come next, in words |
//! | `stack_graph` | where frames live: shared and persistent for matchers; walks bring a store of their own |
//!
//! Frames are opened only when the symbol that they begin with is known, so a call that cannot read
//! it costs nothing. The next stage, [`mask`](crate::mask), runs the same recogniser over a trie.

mod advance;
mod alike;
mod automaton;
mod capture;
mod characters;
mod class_runs;
mod conditions;
#[cfg(test)]
mod content_tests;
mod describe;
mod facts;
mod growing;
mod last;
mod leap;
mod loops;
mod move_table;
mod moves;
mod neighbour;
#[cfg(test)]
mod out_of_time_tests;
mod pieces;
mod repeated;
mod stack_graph;
mod state;
mod state_cell;
mod stretch;
mod unbounded;
mod uniform;

pub(crate) use advance::{Advance, Pair};
pub(crate) use automaton::Automaton;
pub(crate) use capture::{CapturePart, Room};
pub(crate) use class_runs::{ClassRun, StringOfClass};
pub(crate) use loops::{COMMON, StateRun};
pub(crate) use moves::MANY_EDGES;
pub(crate) use neighbour::{AnyLengthState, AnyStringState, LengthLeft, UnlimitedState};
pub(crate) use pieces::Piece;
pub(crate) use stack_graph::{
    DraftEdge, Edge, FrameDraft, SharedFrame, SharedGraph, StackGraph, stack_depth,
};
pub(crate) use state::{Move, OpenedEdge, OpenedFrame, Opening, StateId};
pub(crate) use stretch::Stretch;
pub(crate) use unbounded::Unbounded;
pub(crate) use uniform::Uniform;
