//! What is below a node with digits alone below it.

use super::Walk;
use super::below::Below;
use crate::error::Result;
use crate::mask::configurations::DigitTree;
use crate::vocabulary::{Characters, NodeId, Signature};

impl Walk<'_> {
    /// Takes everything below where that is digits, and either all texts of up to so many digits are there, which are read once
    /// for all such nodes, or all of them leave what is alive alike. Gives `false` where it is neither.
    pub(super) fn take_digits_below(&mut self, below: &Below) -> Result<bool> {
        if below.captures || !self.trie.signature(below.node).is_within(Signature::DIGITS) {
            return Ok(false);
        }
        Ok(self.take_digit_tree(below)? || self.take_loop_below(below)?)
    }

    fn take_digit_tree(&mut self, below: &Below) -> Result<bool> {
        let digits = self.trie.depth_below(below.node);
        // Of digits there are no more nodes than that, so it is all of them.
        if DigitTree::nodes(digits).map(|nodes| nodes as usize) != Some(below.nodes) {
            return Ok(false);
        }
        let Some(tree) = self.walker.configurations.digit_tree(below.arrival, digits, self.ground)? else {
            return Ok(false);
        };
        let (node, found) = (below.node, &mut self.walker.found);
        if tree.is_all_complete(below.nodes) {
            found.take(self.trie.range_below(node));
            found.note_slice(node, Characters::Kinds(self.trie.signature(node)));
            return Ok(true);
        }
        for nodes in &tree.inside {
            found.take(self.trie.range_of(NodeId(node.0 + nodes.start)..NodeId(node.0 + nodes.end)));
        }
        found.exits.extend(tree.exits.iter().map(|further| NodeId(node.0 + further)));
        found.ends.extend(tree.ends.iter().map(|further| NodeId(node.0 + further)));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{compare, of_schema, vocabulary_of};

    const NUMBERS: &[&str] = &[
        r#"{"type": "integer", "minimum": 3, "maximum": 250}"#,
        r#"{"type": "number", "minimum": 0, "maximum": 1}"#,
        r#"{"type": "number", "exclusiveMinimum": -12.5, "maximum": 1999}"#,
        r#"{"type": "number", "multipleOf": 0.25, "minimum": 7}"#,
        r#"{"type": "integer", "multipleOf": 7}"#,
        r#"{"type": "integer", "minimum": 0}"#,
        r#"{"type": "array", "items": {"type": "integer", "maximum": 99, "minimum": 10}}"#,
        r#"{"type": "string", "pattern": "^([0-9]{2,5}|1+0*|v[0-9a-f]*)$"}"#,
    ];

    #[test]
    fn what_digits_make_of_a_state_is_what_one_walk_over_each_node_finds() {
        let numbers = (10..1000).map(|number: u32| number.to_string().into_bytes());
        let with_zeros = (0..200).map(|number: u32| format!("{number:03}").into_bytes());
        let mixed = (0..100).map(|number: u32| format!("-{number:02}").into_bytes());
        let more: Vec<Vec<u8>> = numbers.chain(with_zeros).chain(mixed).collect();
        let more: Vec<&[u8]> = more.iter().map(|token| &**token).collect();
        let vocabulary = vocabulary_of(&["1", "0", ".", "e", ",", "\""], &more);
        let mut visited = [0, 0];
        for text in NUMBERS {
            let grammar = of_schema(text);
            let compared = compare(&grammar, text, b"-0127.e,\"[]v", &vocabulary, &[]);
            visited = [0, 1].map(|at| visited[at] + compared.visited[at]);
        }
        assert!(visited[0] * 3 < visited[1], "{visited:?}");
    }
}
