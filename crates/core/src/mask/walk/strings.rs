//! JSON strings of any characters that begin within tokens.
//!
//! After a quote, what such a string makes of the tokens that begin with the same bytes is the same for all grammars. It
//! is read once for a vocabulary, as for the strings that begin before a token it is by [`Walker::walk`](super::Walker::walk).

use super::below::Below;
use super::{Ground, Walk};
use crate::error::Result;
use crate::expression::PlainString;
use crate::mask::configurations::ConfigurationId;
use crate::vocabulary::{NodeId, StringBelow};

impl Walk<'_> {
    /// Takes everything below where all that is alive is a JSON string of any characters, which no string below is too
    /// long for. Gives `false` where it is not so.
    pub(super) fn take_string_below(&mut self, below: &Below) -> Result<bool> {
        let vocabulary = self.ground.vocabulary;
        let Some(plain) = self.string_of_any_length(below)? else { return Ok(false) };
        let known = match vocabulary.string_below(below.node, &plain.spelling) {
            Some(known) => known,
            None => {
                let read = self.read_string_below(below.node, &plain)?;
                vocabulary.keep_string_below(below.node, plain.spelling, read)
            }
        };
        let found = &mut self.walker.found;
        known.ranges.iter().for_each(|&range| found.take(range));
        found.more.extend(&known.others);
        // Nothing but its last quote ends the string, wherever that stands.
        let Some(after) = self.walker.configurations.step(below.arrival, b'"', self.ground)? else {
            return Ok(true);
        };
        let configuration = self.walker.configurations.get(after);
        let (is_alive, complete, capture) =
            (configuration.is_alive(), configuration.complete, configuration.capture);
        let found = &mut self.walker.found;
        if complete {
            found.exits.extend(&known.exits);
            found.ends.extend(&known.ends);
        }
        if let Some(state) = capture {
            found.captures.extend(known.exits.iter().map(|&node| (state, node)));
        }
        if is_alive {
            known.exits.iter().try_for_each(|&node| self.descend(node, after))?;
        }
        Ok(true)
    }

    /// The JSON string of any characters that alone is alive, where the strings below the node tell its length from no
    /// other.
    fn string_of_any_length(&self, below: &Below) -> Result<Option<PlainString>> {
        /// A smaller subtree is read sooner than it is looked up.
        const SMALLEST: usize = 24;
        /// A state with fewer bytes to begin with is no such string.
        const LEAST_BYTES: usize = 64;
        let Ground { automaton, deadline, .. } = *self.ground;
        if self.reads_string || below.nodes < SMALLEST {
            return Ok(None);
        }
        let Some(state) = below.lone_state() else { return Ok(None) };
        if automaton.first_bytes(state, deadline)?.len() < LEAST_BYTES {
            return Ok(None);
        }
        let is_any = |plain: &PlainString| {
            let (least, most) = (*plain.characters.start(), *plain.characters.end());
            least == 0 && self.trie.is_all_within(below.node, most)
        };
        Ok(automaton.plain_string(state)?.filter(is_any))
    }

    /// What a string of any length makes of what is below a node.
    fn read_string_below(&mut self, node: NodeId, plain: &PlainString) -> Result<StringBelow> {
        let any = self.ground.automaton.plain_string_of_any_length(plain.spelling)?;
        let any = self.walker.configurations.after(any, self.ground)?;
        let (outer, path) = (std::mem::take(&mut self.walker.found), std::mem::take(&mut self.path));
        self.reads_string = true;
        let is_read = self.read_below(node, any);
        self.reads_string = false;
        self.path = path;
        let found = std::mem::replace(&mut self.walker.found, outer);
        is_read?;
        Ok(StringBelow {
            ranges: found.inside.into(),
            others: found.more.into(),
            exits: found.exits.into(),
            ends: found.ends.into(),
        })
    }

    fn read_below(&mut self, node: NodeId, configuration: ConfigurationId) -> Result<()> {
        let is_taken = match self.below(node, configuration) {
            Some(below) => self.take_slice_below(&below)?,
            None => false,
        };
        if !is_taken {
            self.descend(node, configuration)?;
        }
        self.finish_path()
    }
}
