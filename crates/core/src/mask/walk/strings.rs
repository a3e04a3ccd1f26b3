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
    /// Takes everything below where all that is alive is a JSON string of any characters. Gives `false` where it is not so.
    pub(super) fn take_string_below(&mut self, below: &Below) -> Result<bool> {
        let vocabulary = self.ground.vocabulary;
        let Some(plain) = self.plain_string(below)? else { return Ok(false) };
        let known = match vocabulary.string_below(below.node, &plain.spelling) {
            Some(known) => known,
            None => {
                let read = self.read_string_below(below.node, &plain)?;
                vocabulary.keep_string_below(below.node, plain.spelling, read)
            }
        };
        let found = &mut self.walker.found;
        let (ranges, others) = known.inside(&plain.characters);
        ranges.iter().for_each(|&range| found.take(range));
        found.more.extend(others);
        // Nothing but its last quote ends the string, wherever that may stand: as that of a string of any length.
        let mut string = below.arrival;
        if *plain.characters.start() > 0 {
            let any = self.ground.automaton.plain_string_of_any_length(plain.spelling)?;
            string = self.walker.configurations.with_other(string, any, self.ground)?;
        }
        let Some(after) = self.walker.configurations.step(string, b'"', self.ground)? else {
            return Ok(true);
        };
        let configuration = self.walker.configurations.get(after);
        let (is_alive, complete, capture) =
            (configuration.is_alive(), configuration.complete, configuration.capture);
        let [exits, ends] = known.quotes(&plain.characters);
        let found = &mut self.walker.found;
        if complete {
            found.ends.extend(ends);
        }
        for node in exits {
            let found = &mut self.walker.found;
            found.exits.extend(complete.then_some(node));
            found.captures.extend(capture.map(|state| (state, node)));
            if is_alive {
                self.descend(node, after)?;
            }
        }
        Ok(true)
    }

    /// The JSON string of any characters that alone is alive.
    fn plain_string(&self, below: &Below) -> Result<Option<PlainString>> {
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
        automaton.plain_string(state)
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
        let inside = (&*found.inside, &*found.more);
        Ok(StringBelow::new(node, inside, &found.exits, &found.ends, self.ground.vocabulary))
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

#[cfg(test)]
mod tests {
    use super::super::compared::{compare, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::json_schema;

    const SCHEMAS: &[&str] = &[
        r#"{"type": "array", "items": {"type": "string"}}"#,
        r#"{"type": "array", "items": {"type": "string", "minLength": 1}}"#,
        r#"{"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 2}}"#,
        r#"{"type": "array", "items": {"type": "string", "maxLength": 0}}"#,
        r#"{"type": "array", "items": {"anyOf": [{"type": "string", "minLength": 3, "maxLength": 60}, {"const": 1}]}}"#,
        r#"{"type": "array", "prefixItems": [{"type": "string", "minLength": 9}, {"type": "string", "maxLength": 1}]}"#,
    ];

    #[test]
    fn a_string_of_some_length_that_begins_within_a_token_is_what_is_read_of_it() {
        let pieces = ["a", "\"", "[\"", ", ", "é", "日", "\\u", "\\n", "00", "1", "]"];
        let more: &[&[u8]] =
            &[b"\"\\ud83d\\ude00a\"", b"\"\\ud83d\\ude", b"\"\xE6\x97", b"[\"\\", b"\"aaaaaaaaaaaa\",\"a"];
        let vocabulary = vocabulary_of(&pieces, more);
        let budget = Budget::default();
        let mut walks = 0;
        for text in SCHEMAS {
            let grammar = json_schema::compile(text, &[], &json_schema::Options::default(), &budget).unwrap();
            walks += compare(&grammar, text, "[\"aé\\u01, ]".as_bytes(), &vocabulary, &[]).walks;
        }
        assert!(walks > 60, "{walks} walks");
    }
}
