//! Where frames live.
//!
//! A frame never changes once the position at which it was opened is passed, so frames can be shared
//! by forks and by the past of one matcher. [`SharedGraph`] counts references: forking a matcher is one
//! increment, rolling back forgets, and frames that nothing can return to any more are freed at once. Walks
//! over the vocabulary have a [`StackGraph`] of their own, which interns frames.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::moves::MANY_EDGES;
use super::state::StateId;
use crate::expression::RuleId;

/// What happens when a frame completes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edge<F> {
    /// The bottom of the stack: for a matcher, the whole text is complete; for a walk, the token leaves
    /// the frame that the walk began in.
    Accept,
    /// A caller resumes.
    Return {
        /// With this state.
        continuation: StateId,
        /// In this frame.
        caller: F,
    },
}

/// An edge of a frame that is being opened.
#[derive(Clone, Debug)]
pub(crate) enum DraftEdge<F> {
    /// To what exists already.
    Known(Edge<F>),
    /// To a frame opened at the same position, by its index among them.
    Sibling {
        /// The state it resumes with.
        continuation: StateId,
        /// The index.
        index: usize,
    },
}

/// The edges of a frame that is being opened.
pub(crate) type FrameDraft<F> = SmallVec<[DraftEdge<F>; 2]>;

/// A store of frames.
pub(crate) trait StackGraph {
    /// A reference to a frame.
    type Frame: Clone + Eq;

    /// A value that is the same for equal references only, and whose first half is never 0.
    fn key(frame: &Self::Frame) -> (usize, u32);

    /// Whether a frame has so many edges that tail calls return to it, in place of inheriting them.
    fn is_returned_to(&self, frame: &Self::Frame) -> bool;

    /// About how many edges, beside one for each position, are held as long as a frame is.
    fn weight(&self, frame: &Self::Frame) -> usize;

    /// Calls back for every edge of a frame.
    fn visit_edges(&self, frame: &Self::Frame, visit: impl FnMut(Edge<Self::Frame>));

    /// Adds frames opened at one position, each of a rule, and hands out their references in order.
    fn open(&mut self, drafts: &[FrameDraft<Self::Frame>], rules: &[RuleId], opened: impl FnMut(Self::Frame));
}

/// Frames shared by reference counting. All the data is behind the references.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SharedGraph;

/// A frame of a [`SharedGraph`].
#[derive(Clone, Debug)]
pub(crate) struct SharedFrame {
    group: Arc<FrameGroup>,
    index: u32,
}

/// The frames opened at one position. Only frames of one group can refer to one another in a cycle,
/// and they do so by index; references go to older groups, so there are no cycles of references.
#[derive(Debug)]
struct FrameGroup {
    edges: SmallVec<[SharedEdge; 2]>,
    /// `ends[index]` is where the edges of a frame end; they start where those before end.
    ends: SmallVec<[u32; 4]>,
    /// The rule of each frame, to tell where in a grammar a text is; none of the frame of the start rule.
    rules: SmallVec<[RuleId; 4]>,
    /// The edges past one for each frame, of this group and those that it leads back to by the way that has most.
    weight: usize,
}

impl FrameGroup {
    fn edges_of(&self, index: u32) -> &[SharedEdge] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.edges[start as usize..self.ends[index] as usize]
    }
}

#[derive(Debug)]
enum SharedEdge {
    Accept,
    Sibling { continuation: StateId, index: u32 },
    Older { continuation: StateId, caller: SharedFrame },
}

impl SharedFrame {
    /// The frame of the start rule.
    pub(crate) fn bottom() -> Self {
        let group = FrameGroup {
            edges: smallvec::smallvec![SharedEdge::Accept],
            ends: smallvec::smallvec![1],
            rules: SmallVec::new(),
            weight: 0,
        };
        Self { group: Arc::new(group), index: 0 }
    }

    /// The rule that was opened; `None` for the start rule.
    pub(crate) fn rule(&self) -> Option<RuleId> {
        self.group.rules.get(self.index as usize).copied()
    }

    /// Whether another frame resumes when this one completes.
    pub(crate) fn returns(&self) -> bool {
        self.group.edges_of(self.index).iter().any(|edge| !matches!(edge, SharedEdge::Accept))
    }
}

impl PartialEq for SharedFrame {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.group, &other.group) && self.index == other.index
    }
}

impl Eq for SharedFrame {}

impl StackGraph for SharedGraph {
    type Frame = SharedFrame;

    fn key(frame: &SharedFrame) -> (usize, u32) {
        (Arc::as_ptr(&frame.group) as usize, frame.index)
    }

    /// Where each frame inherits the edges of the one before and has one more, as those of nested conditions of which any
    /// may have an `else`, all together would have the square of their number.
    fn is_returned_to(&self, frame: &SharedFrame) -> bool {
        frame.group.edges_of(frame.index).len() > MANY_EDGES
    }

    fn weight(&self, frame: &SharedFrame) -> usize {
        frame.group.weight
    }

    fn visit_edges(&self, frame: &SharedFrame, mut visit: impl FnMut(Edge<SharedFrame>)) {
        for edge in frame.group.edges_of(frame.index) {
            visit(match edge {
                SharedEdge::Accept => Edge::Accept,
                SharedEdge::Older { continuation, caller } => {
                    Edge::Return { continuation: *continuation, caller: caller.clone() }
                }
                SharedEdge::Sibling { continuation, index } => {
                    let caller = SharedFrame { group: Arc::clone(&frame.group), index: *index };
                    Edge::Return { continuation: *continuation, caller }
                }
            });
        }
    }

    fn open(
        &mut self,
        drafts: &[FrameDraft<SharedFrame>],
        rules: &[RuleId],
        mut opened: impl FnMut(SharedFrame),
    ) {
        let share = |edge: &DraftEdge<SharedFrame>| match edge {
            DraftEdge::Known(Edge::Accept) => SharedEdge::Accept,
            DraftEdge::Known(Edge::Return { continuation, caller }) => {
                SharedEdge::Older { continuation: *continuation, caller: caller.clone() }
            }
            DraftEdge::Sibling { continuation, index } => {
                SharedEdge::Sibling { continuation: *continuation, index: *index as u32 }
            }
        };
        let (mut edges, mut ends): (SmallVec<[SharedEdge; 2]>, _) = (SmallVec::new(), SmallVec::new());
        for draft in drafts {
            edges.extend(draft.iter().map(share));
            ends.push(edges.len() as u32);
        }
        let callers = edges.iter().filter_map(|edge| match edge {
            SharedEdge::Older { caller, .. } => Some(caller.group.weight),
            _ => None,
        });
        let weight = callers.max().unwrap_or(0) + edges.len().saturating_sub(drafts.len());
        let rules = rules.iter().copied().collect();
        let group = Arc::new(FrameGroup { edges, ends, rules, weight });
        for index in 0..drafts.len() as u32 {
            opened(SharedFrame { group: Arc::clone(&group), index });
        }
    }
}

/// The number of frames on the longest way from some frames to the bottom. Cycles within a group, which
/// left recursion makes, count once.
pub(crate) fn stack_depth<'a>(frames: impl Iterator<Item = &'a SharedFrame>) -> usize {
    let mut known: FxHashMap<*const FrameGroup, usize> = FxHashMap::default();
    let mut path: Vec<&FrameGroup> = frames.map(|frame| &*frame.group).collect();
    let mut deepest = 0;
    while let Some(&group) = path.last() {
        let callers = || {
            group.edges.iter().filter_map(|edge| match edge {
                SharedEdge::Older { caller, .. } => Some(&*caller.group),
                _ => None,
            })
        };
        if let Some(unknown) = callers().find(|&caller| !known.contains_key(&std::ptr::from_ref(caller))) {
            path.push(unknown);
            continue;
        }
        let depth = 1 + callers().map(|caller| known[&std::ptr::from_ref(caller)]).max().unwrap_or(0);
        known.insert(group, depth);
        deepest = deepest.max(depth);
        path.pop();
    }
    deepest
}

impl Drop for FrameGroup {
    /// Frees a deep stack in a loop: the natural recursion would overflow the native stack.
    fn drop(&mut self) {
        let mut orphans: Vec<Arc<Self>> = Vec::new();
        let release = |group: &mut Self, orphans: &mut Vec<Arc<Self>>| {
            for edge in group.edges.drain(..) {
                if let SharedEdge::Older { caller, .. } = edge {
                    orphans.push(caller.group);
                }
            }
        };
        release(self, &mut orphans);
        while let Some(group) = orphans.pop() {
            if let Some(mut group) = Arc::into_inner(group) {
                release(&mut group, &mut orphans);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::StateFacts;
    use super::*;
    use crate::budget::{Budget, Deadline};
    use crate::byte_set::ByteSet;
    use crate::expression::Symbol;
    use crate::frontend::gbnf;
    use crate::grammar::PreparedGrammar;
    use crate::recognizer::{Advance, Automaton, Pair};
    use crate::vocabulary::Vocabulary;

    #[test]
    fn frames_that_inherit_from_each_other_keep_few_edges() {
        let (budget, deadline) = (Budget::default(), Deadline::for_step(&Budget::default()));
        let rules = r#"root ::= "i" other | "i" other "e" root | "x"
            other ::= "i" root | "i" root "e" other | "x""#;
        let grammar = gbnf::compile(rules, "root", &budget).unwrap();
        let prepared = PreparedGrammar::new(&grammar, &Vocabulary::of_bytes(), &budget, true).unwrap();
        let automaton = Automaton::new(prepared, &budget, 8, ByteSet::ALL, true).unwrap();
        let (mut graph, mut advance) = (SharedGraph, Advance::new());
        let mut now = vec![Pair { state: automaton.start(), frame: SharedFrame::bottom() }];
        let mut read = |byte: u8| {
            let mut next = Vec::new();
            let symbol = Symbol::Byte(byte);
            let is_complete =
                advance.step(&automaton, &mut graph, &now, symbol, &deadline, &mut next).unwrap();
            now = next;
            (is_complete, now.iter().map(|pair| pair.frame.group.edges.len()).max())
        };
        for _ in 0..300 {
            assert!(matches!(read(b'i'), (false, Some(..=20))));
        }
        // Any of them may go on, and so may those around it.
        for text in ["x", "ex", "eix", "ex"] {
            let ends = text.bytes().map(&mut read).collect::<Vec<_>>();
            assert!(ends.last().is_some_and(|(is_complete, _)| *is_complete), "{text}");
        }
    }

    #[test]
    fn a_stack_of_a_million_frames_is_freed_without_recursion() {
        let mut graph = SharedGraph;
        let state = StateId::new(0, StateFacts { continues: true, ..StateFacts::default() });
        let mut frame = SharedFrame::bottom();
        for _ in 0..1_000_000 {
            let edge = DraftEdge::Known(Edge::Return { continuation: state, caller: frame.clone() });
            let mut next = frame.clone();
            graph.open(&[smallvec::smallvec![edge]], &[RuleId(0)], |opened| next = opened);
            frame = next;
        }
        drop(frame);
    }
}
