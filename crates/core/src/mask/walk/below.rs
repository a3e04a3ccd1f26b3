//! Short cuts for all that is below a node.
//!
//! Most nodes are never looked at, since what becomes of everything below one is seen at once: from the kinds of
//! characters there and the states that these lead to, or from what was made of it before for any grammar. Each
//! short cut says where it applies; what they all ask of a node is found out once.

use std::cell::Cell;

use super::{Level, Walk, Walker};
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::recognizer::StateId;
use crate::vocabulary::{Characters, NodeId, Signature};

/// What is below a node arrived at, where it may be taken as a whole, since no walk starts there.
pub(super) struct Below {
    pub(super) node: NodeId,
    /// What is alive at the node.
    pub(super) arrival: ConfigurationId,
    /// The number of nodes, the one arrived at included.
    pub(super) nodes: usize,
    /// The only state alive, where there is just one.
    state: Option<StateId>,
    /// Whether a text is captured in the frame of the walk.
    pub(super) captures: bool,
    /// Whether it is worth finding out what the state does with many characters, once that has been asked.
    is_worth_finding: Cell<Option<bool>>,
}

impl Below {
    /// The only state alive, where no text is captured beside it.
    pub(super) fn lone_state(&self) -> Option<StateId> {
        self.state.filter(|_| !self.captures)
    }
}

impl Walk<'_> {
    /// What is below a node; `None` where it has to be looked at in any case.
    pub(super) fn below(&self, node: NodeId, arrival: ConfigurationId) -> Option<Below> {
        let end = self.trie.end(node);
        if !self.ground.use_signatures || self.starts.peek().is_some_and(|start| start < end) {
            return None;
        }
        let configuration = self.walker.configurations.get(arrival);
        let (state, captures) = (configuration.single(), configuration.capture.is_some());
        let (nodes, is_worth_finding) = (end.index() - node.index(), Cell::new(None));
        Some(Below { node, arrival, nodes, state, captures, is_worth_finding })
    }

    /// Whether nothing below can be read, by the kinds of characters there.
    pub(super) fn reads_none_below(&mut self, below: &Below) -> Result<bool> {
        self.reads_none(below.node, below.arrival)
    }

    /// The same of a node, and what is alive there.
    pub(super) fn reads_none(&mut self, node: NodeId, arrival: ConfigurationId) -> Result<bool> {
        self.walker.configurations.begins_none_of(arrival, self.trie.signature(node), self.ground)
    }

    /// Takes everything below, all of which is inside, where a state alive is met often and stays in its frame over these
    /// kinds of characters.
    pub(super) fn take_staying_below(&mut self, node: NodeId, arrival: ConfigurationId) -> Result<bool> {
        let kinds = self.trie.signature(node);
        let Walker { configurations, patience, .. } = &mut *self.walker;
        let stays = configurations.stays_within(arrival, kinds, patience, self.ground)?;
        if stays {
            self.take_found_below(node);
        }
        Ok(stays)
    }

    /// Takes everything below, as was found out about a state.
    fn take_found_below(&mut self, node: NodeId) {
        self.walker.patience.save(self.nodes_below(node));
        self.walker.found.take(self.trie.range_below(node));
    }

    /// Goes on with the few bytes that can be read, where they are so few that each is sooner looked up than any short cut.
    /// Gives `false` where there are more.
    pub(super) fn read_narrow_below(&mut self, below: &Below) -> Result<bool> {
        const MOST_BYTES: usize = 3;
        let mut first = self.walker.configurations.first_bytes(below.arrival, self.ground)?;
        if first.len() > MOST_BYTES {
            return Ok(false);
        }
        let child_bytes = self.trie.child_bytes(below.node);
        first = first.iter().filter(|byte| child_bytes.binary_search(byte).is_ok()).collect();
        if !first.is_empty() {
            let (node, configuration) = (below.node, below.arrival);
            self.path.push(Level { node, configuration, first, children: None });
        }
        Ok(true)
    }

    /// Takes what is inside of everything below, where the kinds of characters and their number tell, and none is an
    /// exit. Gives `false` where it has to be looked at.
    pub(super) fn take_stretch_below(&mut self, below: &Below) -> Result<bool> {
        let Some(state) = below.state else { return Ok(false) };
        let (trie, kinds) = (self.trie, self.trie.signature(below.node));
        let automaton = self.ground.automaton;
        let stretch = match automaton.known_stretch(state) {
            None if self.is_worth_finding(below, state)? && automaton.may_repeat(state, kinds)? => {
                self.walker.patience.stretch_of(state, self.ground)?
            }
            known => known,
        };
        let Some(stretch) = stretch else { return Ok(false) };
        if !kinds.is_within(stretch.kinds) {
            return Ok(false);
        }
        if trie.is_all_within(below.node, stretch.characters) {
            self.take_found_below(below.node);
            return Ok(true);
        }
        let within = if stretch.is_exact { trie.ranges_within(below.node, stretch.characters) } else { None };
        let Some(ranges) = within else { return Ok(false) };
        ranges.for_each(|range| self.walker.found.take(range));
        Ok(true)
    }

    /// Takes everything below where all of it leaves the configuration as it is, or nearly, as digits do in the middle
    /// of a number, whatever comes after it. Gives `false` where something may change.
    pub(super) fn take_loop_below(&mut self, below: &Below) -> Result<bool> {
        /// A smaller subtree is not worth finding out about the configuration.
        const SMALLEST: usize = 10;
        if below.nodes < SMALLEST || below.captures {
            return Ok(false);
        }
        let configurations = &mut self.walker.configurations;
        let (trie, kinds) = (self.trie, self.trie.signature(below.node));
        let is_alike = configurations.loops_on(below.arrival, kinds, self.ground)?
            || kinds.is_within(Signature::DIGITS)
                && configurations.reads_digits(below.arrival, trie.depth_below(below.node), self.ground)?;
        if !is_alike {
            return Ok(false);
        }
        self.walker.found.take(trie.range_below(below.node));
        if self.walker.configurations.get(below.arrival).complete {
            self.walker.found.note_slice(below.node, Characters::Kinds(kinds));
        }
        Ok(true)
    }

    /// Whether so much is below that it is worth finding out what the only state alive does with many characters.
    pub(super) fn is_worth_finding(&self, below: &Below, state: StateId) -> Result<bool> {
        if let Some(known) = below.is_worth_finding.get() {
            return Ok(known);
        }
        let is_worth_finding = self.is_great_part(below) && self.reads_great_part(below, state)?;
        below.is_worth_finding.set(Some(is_worth_finding));
        Ok(is_worth_finding)
    }

    fn reads_great_part(&self, below: &Below, state: StateId) -> Result<bool> {
        /// A state with fewer bytes to begin with is not worth it.
        const LOOPING_BYTES: usize = 4;
        let first = self.ground.automaton.first_bytes(state, self.ground.deadline)?;
        if first.len() < LOOPING_BYTES {
            return Ok(false);
        }
        let (mut children, mut nodes) = (self.trie.children(below.node), 0);
        while let Some((byte, child)) = self.trie.next_child(&mut children) {
            if first.contains(byte) {
                nodes += self.trie.end(child).index() - child.index();
            }
        }
        Ok(self.are_great_part(nodes))
    }

    /// Whether so much is below, of the whole trie.
    pub(super) fn is_great_part(&self, below: &Below) -> bool {
        self.are_great_part(below.nodes)
    }

    /// Whether so many nodes are a great part of the trie.
    pub(super) fn are_great_part(&self, nodes: usize) -> bool {
        const SMALLEST_PART: usize = 1024;
        nodes * SMALLEST_PART >= self.trie.len()
    }
}
