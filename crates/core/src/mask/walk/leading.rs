//! Walks of JSON strings that begin with one character of a class of many, as under `^.abc`.
//!
//! The state is the same after each of these characters, so none of them is read: the tokens of one are those of the slice of
//! the class, and behind one the walk goes on at the nodes that the vocabulary lists for it. An escape is walked as ever.

use super::Walk;
use crate::error::Result;
use crate::mask::token_bits::TokenBits;
use crate::vocabulary::{Characters, NodeId};

impl Walk<'_> {
    /// Takes the tokens of one character of the class that the state begins with, and goes on behind it. Returns whether it
    /// begins so, and goes on at few nodes.
    pub(super) fn begin_with_character(&mut self, base: &mut Option<TokenBits>) -> Result<bool> {
        /// More of them are seldom gone on from one by one where nothing is known of the class.
        const MOST_NODES: usize = 2048;
        let (automaton, vocabulary) = (self.ground.automaton, self.ground.vocabulary);
        let Some(leading) = automaton.leading_character(self.state, vocabulary)? else { return Ok(false) };
        let rest = self.walker.configurations.start(leading.rest, self.ground)?;
        let first = self.walker.configurations.first_bytes(rest, self.ground)?;
        let after = vocabulary.after_one(leading.class);
        if first.iter().map(|byte| after.nodes(byte).len()).sum::<usize>() > MOST_NODES {
            return Ok(false);
        }
        let characters = Characters::Class(leading.class);
        self.take_within((characters, &vocabulary.slice_of(characters)), 1, base);
        for byte in first.iter().filter(|&byte| !after.nodes(byte).is_empty()) {
            let Some(arrival) = self.walker.configurations.step(rest, byte, self.ground)? else { continue };
            for &node in after.nodes(byte) {
                self.leave(node, arrival)?;
            }
        }
        if let Some(escape) = self.trie.child(NodeId::ROOT, b'\\')
            && let Some(arrival) = self.walker.configurations.try_step(self.start, b'\\', self.ground)?
        {
            self.leave(escape, arrival)?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{compare, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::json_schema;

    const PATTERNS: &[&str] = &[
        r"^.a$",
        r"^.a.b",
        r"^a.b.-$",
        r"^.[ab]{1,3}.é$",
        r"^[^a].日",
        r"^[^é\n]-[^b]a",
        r"^(b.)?(a.){2}-$",
        r"^..a$",
        r"^[^\u2028].$",
        r"^\S\u2028$",
    ];

    #[test]
    fn a_string_that_begins_with_any_character_finds_what_one_over_each_node_does() {
        let pieces = ["a", "b", "-", "\"", "\\\"", "\\n", "\\", "\\u", "0061", "é", "日", "\u{2028}", ":"];
        let cut: &[&[u8]] =
            &[b"a\xC3", b"\xE2\x80", b"\\u2028\xE2", b"\xC3a", b"\xFF", b"a\n", b"\xA8\"", b"\xC3\xA9\xE2a"];
        let vocabulary = vocabulary_of(&pieces, cut);
        let (mut walks, mut visited) = (0, [0, 0]);
        for pattern in PATTERNS {
            for length in ["", ", \"maxLength\": 6"] {
                let pattern = pattern.replace('\\', "\\\\");
                let text = format!(r#"{{"type": "string", "pattern": "{pattern}"{length}}}"#);
                let options = json_schema::Options::default();
                let grammar = json_schema::compile(&text, &[], &options, &Budget::default()).unwrap();
                let compared =
                    compare(&grammar, &text, "ab-\"\\nu0é日\u{2028}:".as_bytes(), &vocabulary, &[]);
                walks += compared.walks;
                visited = [0, 1].map(|at| visited[at] + compared.visited[at]);
            }
        }
        assert!(walks > 200 && visited[0] * 2 < visited[1], "{walks} {visited:?}");
    }
}
