//! What is below nodes with few below them, read at once.
//!
//! Most nodes that a walk comes to have but a few others below. There, each short cut that is looked for takes longer than to
//! read them all: this is the walk without any.

use smallvec::SmallVec;

use super::Walk;
use super::below::Below;
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::vocabulary::Children;

/// A node whose children are being read, and what is alive there.
type Open = (Children, ConfigurationId);

impl Walk<'_> {
    /// Reads everything below where that is little. Gives `false` where there is more.
    pub(super) fn read_few_below(&mut self, below: &Below) -> Result<bool> {
        /// More are worth a short cut.
        const MOST_NODES: usize = 16;
        if below.nodes > MOST_NODES || self.is_great_part(below) {
            return Ok(false);
        }
        let mut path: SmallVec<[Open; MOST_NODES]> = SmallVec::new();
        path.push((self.trie.children(below.node), below.arrival));
        while let Some((children, configuration)) = path.last_mut() {
            let Some((byte, node)) = self.trie.next_child(children) else {
                path.pop();
                continue;
            };
            let configuration = *configuration;
            let Some(arrival) = self.read_byte(node, configuration, byte)? else { continue };
            let goes_on = self.note(node, arrival) && self.walker.configurations.get(arrival).is_alive();
            // Where a text is captured, no loop is known.
            if goes_on
                && !self.take_whole_kinds(node, arrival)
                && !self.reads_none(node, arrival)?
                && !self.take_staying_below(node, arrival)?
            {
                path.push((self.trie.children(node), arrival));
            }
        }
        Ok(true)
    }
}
