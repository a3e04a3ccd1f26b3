//! The walk of the recogniser over the vocabulary's trie.
//!
//! The recogniser starts in one frame with unknown callers, and goes down the trie byte by byte, from one
//! interned configuration to the next. Where the frame completes with strings still below, those leave it:
//! the nodes at which they do are the exits. They stay nodes of the one trie; a caller that resumes is
//! walked from them, and passes over whatever its first byte rules out.
//!
//! Some things keep it from the many nodes below which nothing changes. A state that loops on kinds of
//! characters, or only counts them, begins with the vocabulary's slice of those kinds, and walks on only from
//! where tokens leave it (`slices`), as one that remembers what it reads does too (`stretched`), with the bounds of its text or without (`bounded`); and what comes back
//! to itself half-way takes whole subtrees by their signatures (`below`). Where few nodes are below, they are read without
//! looking for any of this (`few`). Where each of many letters leads to the same, as at the beginning of a name, what is below them is
//! taken together (`siblings`). Where what comes after a name begins with letters itself, the nodes of the name are not looked at one by
//! one (`entered`). Where all numbers of so many digits are below, they are read once for each state of a number
//! (`digits`). Fixed strings are followed down the trie without states (`literals`), those of several alternatives, too (`choices`), and characters beyond
//! ASCII are taken together by a state that does the same with all of them (`beyond_ascii`), and those of a class, such
//! as letters, by the slice of that class (`classes`); where one character of a class of many comes first, what is behind it is
//! walked at once (`leading`). JSON strings of any characters, or of any of a class, are walked once for a vocabulary
//! (`strings`). Another thing is for states that differ little from one of which more is known, as in the middle of a tag of free
//! text: they are walked beside it (`beside`), from the nodes at which the two begin to differ (`places`). What all of these
//! find comes together in `found`.

mod below;
mod beside;
mod beyond_ascii;
mod bounded;
mod choices;
mod classes;
#[cfg(test)]
pub(super) mod compared;
mod digits;
mod entered;
mod few;
mod found;
mod leading;
mod literals;
mod places;
mod siblings;
mod slices;
mod stretched;
mod strings;
#[cfg(test)]
mod taken_in_tests;

use std::borrow::Cow;

pub(super) use self::beside::{Differences, Neighbour};
use self::found::Found;
pub(super) use self::places::PlaceApart;
use super::configurations::{ConfigurationId, Configurations};
use super::exits::ExitNodes;
use super::patience::Patience;
use super::token_bits::TokenBits;
use super::token_union::Unions;
use crate::budget::Deadline;
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::recognizer::{Automaton, StateId, Unbounded};
use crate::vocabulary::{Children, NodeId, Signature, TokenTrie, Vocabulary};

/// What one walk found.
#[derive(Debug)]
pub(super) struct Reach {
    /// The tokens that the state reads to their last byte.
    pub(super) inside: TokenBits,
    /// Where the frame completes before the last byte of a token.
    pub(super) exits: ExitNodes,
    /// Where the frame completes with the last byte of a token, and no other goes on there, ascending; but for those within
    /// the slices of the exits.
    pub(super) ends: Box<[NodeId]>,
    /// Where a text is being captured in the frame of the walk: the states, each with its nodes, ascending.
    /// The walk does not follow them further.
    pub(super) captures: Vec<(StateId, Box<[NodeId]>)>,
}

/// What the state of a walk makes of tokens without the bounds of the text that it begins with.
#[derive(Debug)]
pub(super) struct Within {
    pub(super) unbounded: Unbounded,
    /// The tokens that are read to their last byte then.
    pub(super) inside: TokenBits,
}

/// Where a walk begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning<'a> {
    /// The nodes whose strings are walked; `None` for the root.
    pub(super) from: Option<&'a ExitNodes>,
    pub(super) state: StateId,
    /// For a walk from the root, what is known of the state without its bounds.
    pub(super) within: Option<&'a Within>,
}

/// What walks walk on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) automaton: &'a Automaton,
    pub(super) vocabulary: &'a Vocabulary,
    /// Whether walks are cut short, as [`Settings::signatures`](crate::Settings::signatures) says.
    pub(super) use_signatures: bool,
    /// Where sets of tokens are put together.
    pub(super) unions: &'a Unions,
    pub(super) deadline: &'a Deadline,
}

impl Ground<'_> {
    /// Whether a walk from the root is a few short paths: where few bytes are read there, as in the middle of a key.
    pub(super) fn is_short_from_root(&self, state: StateId) -> Result<bool> {
        const FEW_BYTES: usize = 2;
        Ok(self.automaton.first_bytes(state, self.deadline)?.len() <= FEW_BYTES)
    }
}

/// What walks learn, and their scratch. One for each constraint.
#[derive(Debug)]
pub(super) struct Walker {
    configurations: Configurations,
    /// The greatest size of the configurations that are kept for the next walk, in bytes.
    limit: usize,
    /// The greatest size that they have in one walk.
    most: usize,
    found: Found,
    visited: u64,
    patience: Patience,
}

impl Walker {
    /// What walks of a cache of so many bytes learn. A quarter more is kept between walks. One walk alone may take as much
    /// again as the cache; where that is little, as much as grammars that are not made for it need.
    pub(super) fn new(cache_bytes: usize) -> Self {
        const LEAST: usize = 64 << 20;
        let most = cache_bytes.max(LEAST);
        let configurations = Configurations::new(most);
        Self {
            configurations,
            limit: cache_bytes / 4,
            most,
            found: Found::default(),
            visited: 0,
            patience: Patience::new(),
        }
    }

    /// The number of nodes visited by all walks so far.
    pub(super) fn visited(&self) -> u64 {
        self.visited
    }

    /// The memory in use, about, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.configurations.memory_bytes()
    }

    /// Walks the strings below each of some nodes from a state.
    ///
    /// Every node is visited at most once: where the walk from one start comes to another, what both
    /// have alive is joined. Takes time in proportion to the nodes that are alive and the bytes of their
    /// children, but for what slices and signatures take as a whole.
    pub(super) fn walk(&mut self, ground: &Ground<'_>, beginning: Beginning<'_>) -> Result<Reach> {
        let reach = self.walk_whole(ground, beginning);
        self.forget_too_much();
        reach
    }

    fn walk_whole(&mut self, ground: &Ground<'_>, beginning: Beginning<'_>) -> Result<Reach> {
        if !ground.use_signatures || beginning.from.is_some() {
            return self.walk_from(ground, beginning);
        }
        match self.read_string(ground, beginning)? {
            Some(reach) => Ok(reach),
            None => self.walk_from(ground, beginning),
        }
    }

    /// As [`walk`](Self::walk), whatever is known of the vocabulary.
    fn walk_from(&mut self, ground: &Ground<'_>, beginning: Beginning<'_>) -> Result<Reach> {
        let Beginning { from, state, within } = beginning;
        self.found.clear();
        self.patience.begin_walk();
        let mut base = None;
        if state.continues() {
            let start = self.configurations.start(state, ground)?;
            let root = [NodeId::ROOT];
            let mut walk = Walk::new(ground, state, start, Starts::new(&root), self);
            if let Some(exits) = from {
                walk.starts = walk.leave_slices(exits, &mut base)?;
            }
            let is_within = match within {
                Some(within) => walk.run_within(within, &mut base)?,
                None => false,
            };
            if !(walk.starts.is_over()
                || is_within
                || walk.run_literals()?
                || from.is_none() && walk.run_from_slice(&mut base)?)
            {
                walk.run(&mut base)?;
            }
        }
        Ok(self.found.reach(ground, base.as_ref()))
    }

    /// Forgets the configurations where they are more than is kept: not only when the next walk begins, which may be never.
    fn forget_too_much(&mut self) {
        if self.configurations.memory_bytes() > self.limit {
            self.configurations = Configurations::new(self.most);
        }
    }
}

/// The nodes from which a walk starts, ascending: it starts again at those that it comes to, and those that
/// it passes over are left for later.
struct Starts<'a> {
    nodes: Cow<'a, [NodeId]>,
    next: usize,
    passed_over: Vec<NodeId>,
}

impl<'a> Starts<'a> {
    fn new(nodes: &'a [NodeId]) -> Self {
        Self::of(Cow::Borrowed(nodes))
    }

    fn of(nodes: Cow<'a, [NodeId]>) -> Self {
        Self { nodes, next: 0, passed_over: Vec::new() }
    }

    /// Whether no start is left.
    fn is_over(&self) -> bool {
        self.next == self.nodes.len() && self.passed_over.is_empty()
    }

    /// The start that is next in order.
    fn peek(&self) -> Option<NodeId> {
        self.nodes.get(self.next).copied()
    }

    /// Takes the next start, of those passed over when no other is left.
    fn take(&mut self) -> Option<NodeId> {
        if self.next == self.nodes.len() {
            self.nodes = Cow::Owned(std::mem::take(&mut self.passed_over));
            self.next = 0;
        }
        let start = self.peek()?;
        self.next += 1;
        Some(start)
    }

    /// Leaves the starts before a node for later.
    fn pass_over(&mut self, node: NodeId) {
        while let Some(start) = self.peek().filter(|&start| start < node) {
            self.passed_over.push(start);
            self.next += 1;
        }
    }

    /// Whether a node is a start. Those before it have been passed over.
    fn come_to(&mut self, node: NodeId) -> bool {
        self.pass_over(node);
        let is_start = self.peek() == Some(node);
        self.next += usize::from(is_start);
        is_start
    }
}

/// One walk.
struct Walk<'a> {
    ground: &'a Ground<'a>,
    trie: &'a TokenTrie,
    /// The state that the walk starts with, at every start.
    state: StateId,
    /// The configuration of just this state.
    start: ConfigurationId,
    starts: Starts<'a>,
    /// What is alive where the walk starts again at a node that it has come to, by what it comes with, as far as it has.
    joined: Vec<Option<ConfigurationId>>,
    path: Vec<Level>,
    /// Whether it is within what a JSON string makes of what is below a node.
    reads_string: bool,
    /// How many slices the walk is in, each below a node where the one before was left.
    nested_slices: usize,
    walker: &'a mut Walker,
}

/// A node on the path.
#[derive(Clone, Copy, Debug)]
struct Level {
    node: NodeId,
    configuration: ConfigurationId,
    /// The bytes that can be read there; those that are few are taken out one by one.
    first: ByteSet,
    /// The children that are still to be visited; `None` where they are looked up by the few bytes.
    children: Option<Children>,
}

impl Level {
    /// A node at which some bytes can be read, with all its children.
    fn new(node: NodeId, configuration: ConfigurationId, first: ByteSet, children: Children) -> Self {
        /// Children are looked up by their bytes where that many look-ups take less than looking at all.
        const CHILDREN_FOR_A_LOOKUP: usize = 6;
        let is_few = first.len() * CHILDREN_FOR_A_LOOKUP < children.len();
        Self { node, configuration, first, children: (!is_few).then_some(children) }
    }

    /// The next child that can be read.
    fn next_child(&mut self, trie: &TokenTrie) -> Option<(u8, NodeId)> {
        let Some(children) = &mut self.children else {
            while let Some(byte) = self.first.pop_first() {
                if let Some(child) = trie.child(self.node, byte) {
                    return Some((byte, child));
                }
            }
            return None;
        };
        loop {
            let (byte, child) = trie.next_child(children)?;
            if self.first.contains(byte) {
                return Some((byte, child));
            }
        }
    }
}

impl<'a> Walk<'a> {
    fn new(
        ground: &'a Ground<'a>,
        state: StateId,
        start: ConfigurationId,
        starts: Starts<'a>,
        walker: &'a mut Walker,
    ) -> Self {
        let (trie, path, joined) = (ground.vocabulary.trie(), Vec::new(), Vec::new());
        Self {
            ground,
            trie,
            state,
            start,
            starts,
            joined,
            path,
            reads_string: false,
            nested_slices: 0,
            walker,
        }
    }

    fn run(&mut self, base: &mut Option<TokenBits>) -> Result<()> {
        let beginnings = self.kinds_that_begin()?;
        while let Some(start) = self.starts.take() {
            if beginnings.is_some_and(|kinds| self.trie.signature(start).is_apart_from(kinds)) {
                continue;
            }
            if start == NodeId::ROOT || !self.take_start(start)? {
                let taken = match start {
                    NodeId::ROOT if self.ground.use_signatures => self.take_beyond_ascii(base)?,
                    _ => ByteSet::EMPTY,
                };
                self.descend(start, self.start)?;
                if let Some(level) = self.path.last_mut() {
                    level.first = level.first.difference(&taken);
                }
            }
            self.finish_path()?;
            self.starts.pass_over(self.trie.end(start));
        }
        Ok(())
    }

    /// Kinds of characters of which there is one below every start at which something is read; `None` where kinds do not tell,
    /// or it is not worth asking.
    ///
    /// A state that reads names is complete after each letter, and leaves thousands of starts: most with nothing
    /// below that ends a name.
    fn kinds_that_begin(&mut self) -> Result<Option<Signature>> {
        /// Fewer starts are sooner tried.
        const LEAST_STARTS: usize = 16;
        if self.starts.nodes.len() < LEAST_STARTS || !self.ground.use_signatures {
            return Ok(None);
        }
        let first = self.walker.configurations.first_bytes(self.start, self.ground)?;
        Ok(Signature::of_all(&first))
    }

    /// Takes everything below a start where a JSON string of any characters begins there, or a run of some.
    fn take_start(&mut self, start: NodeId) -> Result<bool> {
        match self.below(start, self.start) {
            Some(below) => Ok(self.take_string_below(&below)? || self.take_run_below(&below)?),
            None => Ok(false),
        }
    }

    /// Visits everything below the nodes of the path, and takes them off it.
    fn finish_path(&mut self) -> Result<()> {
        while let Some(level) = self.path.last_mut() {
            let Some((byte, node)) = level.next_child(self.trie) else {
                self.path.pop();
                continue;
            };
            let configuration = level.configuration;
            if let Some(arrival) = self.read_byte(node, configuration, byte)? {
                self.visit(node, arrival)?;
            }
        }
        Ok(())
    }

    /// What is alive at a node that a byte leads to; `None` where nothing is, or no more is to be found there.
    fn read_byte(
        &mut self,
        node: NodeId,
        configuration: ConfigurationId,
        byte: u8,
    ) -> Result<Option<ConfigurationId>> {
        self.check_time()?;
        if let Some(known) = self.walker.configurations.known_step(configuration, byte) {
            return Ok(known);
        }
        if self.ends_inside_for_certain(node, configuration, byte) {
            self.walker.visited += 1;
            self.walker.found.take(self.trie.range_at(node));
            return Ok(None);
        }
        self.walker.configurations.try_step(configuration, byte, self.ground)
    }

    /// Whether the strings of a node are inside, and none goes on below it, as can be seen without taking the step to it:
    /// then it does not matter what is alive, only that something is. A start that is passed over so is taken later.
    fn ends_inside_for_certain(&self, node: NodeId, parent: ConfigurationId, byte: u8) -> bool {
        let Self { trie, ground: Ground { automaton, use_signatures, .. }, .. } = *self;
        let mut children = trie.children(node);
        let children = std::iter::from_fn(|| trie.next_child(&mut children).map(|(byte, _)| byte));
        let configurations = &self.walker.configurations;
        *use_signatures && configurations.ends_inside_for_certain(parent, byte, children, automaton)
    }

    /// Checks the deadline before every 1024th node that is visited; asking the clock takes longer than a node.
    fn check_time(&self) -> Result<()> {
        match self.walker.visited & 1023 {
            1023 => self.ground.deadline.check(),
            _ => Ok(()),
        }
    }

    /// Notes what has become of the path at a node, and puts the node on the path where something goes on below.
    fn visit(&mut self, node: NodeId, arrival: ConfigurationId) -> Result<()> {
        if !self.note(node, arrival) {
            return Ok(());
        }
        let alive = self.walker.configurations.get(arrival).is_alive();
        if self.starts.come_to(node) {
            let joined = self.joined(arrival)?;
            return self.descend(node, joined);
        }
        if !alive {
            return Ok(());
        }
        match self.take_below(node, arrival)? {
            true => Ok(()),
            false => self.descend(node, arrival),
        }
    }

    /// What is alive where the walk starts again at a node that it has come to.
    fn joined(&mut self, arrival: ConfigurationId) -> Result<ConfigurationId> {
        let at = arrival.index();
        if let Some(&Some(known)) = self.joined.get(at) {
            return Ok(known);
        }
        let joined = self.walker.configurations.with_start(arrival, self.state, self.ground)?;
        if at >= self.joined.len() {
            self.joined.resize(at + 1, None);
        }
        self.joined[at] = Some(joined);
        Ok(joined)
    }

    /// Takes everything below a node where there is a short cut for all of it. What has to be looked at is put on the
    /// path.
    fn take_below(&mut self, node: NodeId, arrival: ConfigurationId) -> Result<bool> {
        let Some(below) = self.below(node, arrival) else { return Ok(false) };
        Ok(self.reads_none_below(&below)?
            || self.take_staying_below(node, arrival)?
            || self.take_long_run_below(&below)?
            || self.read_narrow_below(&below)?
            || self.take_class_below(&below)?
            || self.take_string_below(&below)?
            || self.take_stretch_below(&below)?
            || self.take_digits_below(&below)?
            || self.take_siblings_below(&below)?
            || self.read_few_below(&below)?
            || self.take_literals_below(&below)?
            || self.take_loop_below(&below)?
            || self.take_run_below(&below)?
            || self.take_slice_below(&below)?
            || self.take_stretch_slice_below(&below)?)
    }

    /// Notes what has become of the path at a node. Returns whether strings go on below.
    fn note(&mut self, node: NodeId, arrival: ConfigurationId) -> bool {
        self.walker.visited += 1;
        self.walker.found.take(self.trie.range_at(node));
        let configuration = self.walker.configurations.get(arrival);
        let (capture, complete) = (configuration.capture, configuration.complete);
        if !self.trie.has_children(node) {
            if complete {
                self.walker.found.ends.push(node);
            }
            return false;
        }
        if complete {
            self.walker.found.exits.push(node);
        }
        // In frames above that of the walk, texts are captured within the token, and followed as they are.
        if let Some(state) = capture {
            self.walker.found.captures.push((state, node));
        }
        true
    }

    /// Puts a node on the path.
    fn descend(&mut self, node: NodeId, configuration: ConfigurationId) -> Result<()> {
        let first = self.walker.configurations.first_bytes(configuration, self.ground)?;
        let children = self.trie.children(node);
        let mut level = Level::new(node, configuration, first, children);
        if self.ground.use_signatures && children.len() >= Self::CHILDREN_FOR_A_CHOICE {
            self.follow_choice(&mut level)?;
        }
        self.path.push(level);
        Ok(())
    }
}
