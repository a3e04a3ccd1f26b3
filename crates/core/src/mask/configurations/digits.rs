//! What becomes of a configuration in a tree of digits: below a node at which all texts of up to so many digits go on.
//!
//! Many vocabularies have each number of up to three digits as a token. The trees below the first digits are all alike, and so are
//! those below the second ones, and a number with bounds is in few states after them. So a tree is read once for a configuration,
//! and what was found is told by the places of nodes behind the one above them.

use std::ops::Range;
use std::sync::Arc;

use super::{ConfigurationId, Configurations, Ground};
use crate::error::Result;

/// How many digits there are.
const DIGITS: u32 = 10;

/// What is read in a tree of digits, the nodes told by how many come before them from the one above all.
#[derive(Debug, Default)]
pub(in crate::mask) struct DigitTree {
    /// The nodes whose tokens are inside.
    pub(in crate::mask) inside: Vec<Range<u32>>,
    /// Those with others below at which the frame of the walk is complete.
    pub(in crate::mask) exits: Vec<u32>,
    /// Those with none below at which it is.
    pub(in crate::mask) ends: Vec<u32>,
}

impl DigitTree {
    /// What a tree takes with its place in a table, in bytes.
    const ENTRY: usize = size_of::<Self>() + 64;

    /// The number of nodes of a tree of so many digits, with the one above all; `None` where they are too many.
    pub(in crate::mask) fn nodes(digits: u8) -> Option<u32> {
        /// More are not read once for all.
        const MOST: u32 = 1 << 14;
        let more = |nodes: u32, _| nodes.checked_mul(DIGITS)?.checked_add(1).filter(|&nodes| nodes <= MOST);
        (0..digits).try_fold(1, more)
    }

    /// Whether the frame is complete at all of so many nodes, but for the one above all.
    pub(in crate::mask) fn is_all_complete(&self, nodes: usize) -> bool {
        self.exits.len() + self.ends.len() + 1 == nodes
    }

    fn take(&mut self, nodes: Range<u32>) {
        match self.inside.last_mut() {
            Some(last) if last.end == nodes.start => last.end = nodes.end,
            _ => self.inside.push(nodes),
        }
    }

    /// Adds a tree below one of the nodes.
    fn add(&mut self, tree: &Self, node: u32) {
        tree.inside.iter().for_each(|nodes| self.take(node + nodes.start..node + nodes.end));
        self.exits.extend(tree.exits.iter().map(|below| node + below));
        self.ends.extend(tree.ends.iter().map(|below| node + below));
    }

    fn memory_bytes(&self) -> usize {
        Self::ENTRY + size_of_val(&*self.inside) + size_of_val(&*self.exits) + size_of_val(&*self.ends)
    }
}

impl Configurations {
    /// What becomes of a configuration in a tree of up to so many digits; `None` where a text is captured within it, or it has too
    /// many nodes.
    pub(in crate::mask) fn digit_tree(
        &mut self,
        id: ConfigurationId,
        digits: u8,
        ground: &Ground<'_>,
    ) -> Result<Option<Arc<DigitTree>>> {
        if let Some(known) = self.digit_trees.get(&(id, digits)) {
            return Ok(known.clone());
        }
        let tree = self.read_digit_tree(id, digits, ground)?.map(Arc::new);
        self.digit_tree_bytes += tree.as_ref().map_or(DigitTree::ENTRY, |tree| tree.memory_bytes());
        self.digit_trees.insert((id, digits), tree.clone());
        self.check_size()?;
        Ok(tree)
    }

    fn read_digit_tree(
        &mut self,
        id: ConfigurationId,
        digits: u8,
        ground: &Ground<'_>,
    ) -> Result<Option<DigitTree>> {
        ground.deadline.check()?;
        let below = digits.checked_sub(1).and_then(DigitTree::nodes);
        let Some(nodes) = below else { return Ok(None) };
        // Whether a digit ends inside for certain is told only where it is known what begins.
        self.first_bytes(id, ground)?;
        let mut tree = DigitTree::default();
        for (digit, node) in (b'0'..=b'9').zip((1..).step_by(nodes as usize)) {
            if digits == 1 && self.ends_inside_for_certain(id, digit, std::iter::empty(), ground.automaton) {
                tree.take(node..node + 1);
                continue;
            }
            let Some(after) = self.try_step(id, digit, ground)? else { continue };
            tree.take(node..node + 1);
            let configuration = self.get(after);
            if configuration.capture.is_some() {
                return Ok(None);
            }
            if configuration.complete {
                if digits == 1 { &mut tree.ends } else { &mut tree.exits }.push(node);
            }
            if digits > 1 && configuration.is_alive() {
                match self.digit_tree(after, digits - 1, ground)? {
                    Some(further) => tree.add(&further, node),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(tree))
    }
}
