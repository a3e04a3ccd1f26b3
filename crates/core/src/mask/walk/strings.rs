//! JSON strings of any characters, or of any of a class, by what is known of the vocabulary.
//!
//! What such a string makes of the vocabulary is the same for all grammars, whatever its length may be: that only says which
//! tokens are too long for it, and which quotes come too soon or too late. So it is walked once for a vocabulary; and where it
//! begins within tokens, after a quote, what is below the node at which it does.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::below::Below;
use super::{Beginning, Ground, Reach, Walk, Walker};
use crate::error::Result;
use crate::expression::PlainString;
use crate::mask::configurations::ConfigurationId;
use crate::mask::exits::ExitNodes;
use crate::mask::token_bits::TokenBits;
use crate::recognizer::{StateId, StringOfClass};
use crate::spelling::Spelling;
use crate::vocabulary::{ClassStringSlice, NodeId, StringBelow, StringBelowKey, StringSlice, TokenId};

impl Walker {
    /// What a state that is such a string makes of the vocabulary; `None` for others.
    pub(super) fn read_string(
        &mut self,
        ground: &Ground<'_>,
        beginning: Beginning<'_>,
    ) -> Result<Option<Reach>> {
        if let Some(plain) = ground.automaton.plain_string(beginning.state)? {
            let string = self.string_of(ground, plain.spelling)?;
            let (inside, quotes) = (string.inside(&plain.characters), string.quotes(&plain.characters));
            return Ok(Some(Reach::of_string(inside, quotes, ground)));
        }
        let of_class = ground.automaton.string_of_class(beginning.state, ground.vocabulary)?;
        let Some(StringOfClass { class, spelling, characters }) = of_class else { return Ok(None) };
        let string = match ground.vocabulary.class_string((spelling, class)) {
            Some(known) => known,
            None => {
                let any = self.string_of(ground, spelling)?;
                let of_any_length = ground.automaton.string_of_class_of_any_length(beginning.state)?;
                let reach = self.walk_string(ground, of_any_length)?;
                let row = reach.inside.to_row(ground.vocabulary.mask_words());
                let string = ClassStringSlice::new(any, row, &reach.exits.listed, &reach.ends);
                ground.vocabulary.keep_class_string((spelling, class), string)
            }
        };
        let (inside, quotes) = (string.inside(&characters), string.quotes(&characters));
        Ok(Some(Reach::of_string(inside, quotes, ground)))
    }

    /// What a string of any characters and any length makes of the vocabulary.
    fn string_of(&mut self, ground: &Ground<'_>, spelling: Spelling) -> Result<Arc<StringSlice>> {
        let vocabulary = ground.vocabulary;
        if let Some(known) = vocabulary.string(&spelling) {
            return Ok(known);
        }
        let any = ground.automaton.plain_string_of_any_length(spelling)?;
        let reach = self.walk_string(ground, any)?;
        let row = reach.inside.to_row(vocabulary.mask_words());
        let string = StringSlice::new(&spelling.raw, row, &reach.exits.listed, &reach.ends, vocabulary);
        Ok(vocabulary.keep_string(spelling, string))
    }

    /// What a string makes of the vocabulary, walked.
    fn walk_string(&mut self, ground: &Ground<'_>, state: StateId) -> Result<Reach> {
        let reach = self.walk_from(ground, Beginning { from: None, state, within: None })?;
        debug_assert!(reach.exits.slices.is_empty(), "only its last quote ends a string");
        Ok(reach)
    }
}

impl Reach {
    /// What a string reads: the tokens of a mask row, but for some of them, and the nodes behind its last quote.
    fn of_string(
        (row, others): (&Arc<[u32]>, impl Iterator<Item = TokenId>),
        [exits, ends]: [Box<[NodeId]>; 2],
        ground: &Ground<'_>,
    ) -> Self {
        let inside = ground.unions.changed(&TokenBits::of_row(row), others, []);
        let exits = ExitNodes { listed: exits, slices: Box::default() };
        Self { inside, exits, ends, captures: Vec::new() }
    }
}

/// A JSON string that begins at a node.
struct StringAt {
    state: StateId,
    key: StringBelowKey,
    /// How many characters are still to come, at least and at most.
    characters: RangeInclusive<u32>,
}

impl StringAt {
    /// The state that reads such a string of any length.
    fn of_any_length(&self, ground: &Ground<'_>) -> Result<StateId> {
        match self.key {
            (spelling, None) => ground.automaton.plain_string_of_any_length(spelling),
            (_, Some(_)) => ground.automaton.string_of_class_of_any_length(self.state),
        }
    }
}

impl Walk<'_> {
    /// Takes everything below where all that is alive is a JSON string of any characters, or of any of a class. Gives `false`
    /// where it is not so.
    pub(super) fn take_string_below(&mut self, below: &Below) -> Result<bool> {
        let vocabulary = self.ground.vocabulary;
        let Some(string) = self.string_at(below)? else { return Ok(false) };
        let known = match vocabulary.string_below(below.node, string.key) {
            Some(known) => known,
            None => {
                let read = self.read_string_below(below.node, &string)?;
                vocabulary.keep_string_below(below.node, string.key, read)
            }
        };
        let found = &mut self.walker.found;
        let (ranges, others) = known.inside(&string.characters);
        ranges.iter().for_each(|&range| found.take(range));
        found.more.extend(others);
        // Nothing but its last quote ends the string, wherever that may stand: as that of a string of any length.
        let mut before = below.arrival;
        if *string.characters.start() > 0 {
            let any = string.of_any_length(self.ground)?;
            before = self.walker.configurations.with_other(before, any, self.ground)?;
        }
        let Some(after) = self.walker.configurations.step(before, b'"', self.ground)? else {
            return Ok(true);
        };
        let configuration = self.walker.configurations.get(after);
        let (is_alive, complete, capture) =
            (configuration.is_alive(), configuration.complete, configuration.capture);
        let [exits, ends] = known.quotes(&string.characters);
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

    /// The JSON string of any characters, or of any of a class, that alone is alive.
    fn string_at(&self, below: &Below) -> Result<Option<StringAt>> {
        /// A smaller subtree is read sooner than it is looked up.
        const SMALLEST: usize = 24;
        /// A state with fewer bytes to begin with is no string of any characters.
        const LEAST_BYTES: usize = 64;
        /// Nor one of a class of which more is known.
        const LEAST_BYTES_OF_CLASS: usize = 8;
        let Ground { automaton, vocabulary, deadline, .. } = *self.ground;
        if self.reads_string || below.nodes < SMALLEST {
            return Ok(None);
        }
        let Some(state) = below.lone_state() else { return Ok(None) };
        let count = automaton.first_bytes(state, deadline)?.len();
        if count >= LEAST_BYTES
            && let Some(PlainString { spelling, characters }) = automaton.plain_string(state)?
        {
            return Ok(Some(StringAt { state, key: (spelling, None), characters }));
        }
        if count < LEAST_BYTES_OF_CLASS {
            return Ok(None);
        }
        let of_class = automaton.string_of_class(state, vocabulary)?;
        Ok(of_class.map(|StringOfClass { class, spelling, characters }| StringAt {
            state,
            key: (spelling, Some(class)),
            characters,
        }))
    }

    /// What a string of any length makes of what is below a node.
    fn read_string_below(&mut self, node: NodeId, string: &StringAt) -> Result<StringBelow> {
        let any = string.of_any_length(self.ground)?;
        let any = self.walker.configurations.after(any, self.ground)?;
        let (outer, path) = (std::mem::take(&mut self.walker.found), std::mem::take(&mut self.path));
        self.reads_string = true;
        let is_read = self.read_below(node, any);
        self.reads_string = false;
        self.path = path;
        let found = std::mem::replace(&mut self.walker.found, outer);
        is_read?;
        debug_assert!(found.rows.is_empty() && found.slices.is_empty(), "only its last quote ends a string");
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
    use super::super::compared::{compare, of_schema, vocabulary_of};

    const OF_LENGTHS: &[&str] = &[
        r#"{"type": "array", "items": {"type": "string"}}"#,
        r#"{"type": "array", "items": {"type": "string", "minLength": 1}}"#,
        r#"{"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 2}}"#,
        r#"{"type": "array", "items": {"type": "string", "maxLength": 0}}"#,
        r#"{"type": "array", "items": {"anyOf": [{"type": "string", "minLength": 3, "maxLength": 60}, {"const": 1}]}}"#,
        r#"{"type": "array", "prefixItems": [{"type": "string", "minLength": 9}, {"type": "string", "maxLength": 1}]}"#,
        r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-n0-9]+$"}}"#,
        r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-n0-9]{2,3}$"}}"#,
        r#"{"type": "array", "items": {"type": "string", "pattern": "^\\S{1,2}$"}}"#,
        r#"{"type": "array", "items": {"anyOf": [{"type": "string", "pattern": "^\\S{9,}$"}, {"const": 1}]}}"#,
        r#"{"type": "array", "items": {"type": "string", "pattern": "^[^a\\n]*$"}}"#,
        r#"{"type": "array", "prefixItems": [{"pattern": "^[^\\u0000-\\u007f]{3}$"}, {"pattern": "^[\\w ]{0,4}$"}]}"#,
        r#"{"type": "object", "additionalProperties": {"type": "string", "pattern": "^[a-é]{1,3}$"}}"#,
        r#"{"type": "object", "patternProperties": {"^[^日]{0,3}$": true}, "additionalProperties": false}"#,
        r#"{"type": "array", "items": {"type": "string", "not": {"pattern": "a0a|1é00"}}}"#,
        r#"{"type": "object", "patternProperties": {"0a0a0a[1a]": {"type": "array"}}}"#,
    ];

    #[test]
    fn a_string_of_some_length_that_begins_within_a_token_is_what_is_read_of_it() {
        let pieces = ["a", "\"", "[\"", ", ", "é", "日", "\\u", "\\n", "00", "1", "]"];
        let more: &[&[u8]] =
            &[b"\"\\ud83d\\ude00a\"", b"\"\\ud83d\\ude", b"\"\xE6\x97", b"[\"\\", b"\"aaaaaaaaaaaa\",\"a"];
        let vocabulary = vocabulary_of(&pieces, more);
        let mut walks = 0;
        for text in OF_LENGTHS {
            let grammar = of_schema(text);
            walks += compare(&grammar, text, "[\"aé\\u01, ]{:}".as_bytes(), &vocabulary, &[]).walks;
        }
        assert!(walks > 400, "{walks} walks");
    }

    const OF_CLASSES: &[&str] = &[
        r#"{"type": "string", "pattern": "^.{1,4}$"}"#,
        r#"{"type": "string", "pattern": "^[^\\n]{2,30}$"}"#,
        r#"{"type": "string", "pattern": "^[\\w\\s-]*$", "maxLength": 3}"#,
        r#"{"type": "string", "pattern": "^\\S{3,}$"}"#,
        r#"{"type": "string", "pattern": "^[ -~]{2}$"}"#,
        r#"{"type": "string", "pattern": "^[^a-]{0,2}$"}"#,
        r#"{"type": "string", "pattern": "^[^\\x00-\\x7f]{1,3}$"}"#,
        r#"{"type": "string", "pattern": "^[\\u0000-\\u0020\"\\\\]{1,3}$"}"#,
        r#"{"type": "string", "pattern": "^[a-e]{1,26}$"}"#,
        r#"{"type": "array", "items": {"pattern": "^(日{2}|😀)[^é\\u2028]{1,3}$"}, "maxItems": 2}"#,
        r#"{"patternProperties": {"^[^-]{1,3}$": {"maxLength": 3}}, "additionalProperties": false}"#,
    ];

    #[test]
    fn a_string_of_a_class_finds_what_one_over_each_node_does() {
        let pieces = [
            "a", "b ", "-", "\"", "\\\"", "\\n", "\\", "\\u", "\\ud83d", "\\ude00", "00", "2028", "é", "日",
            "😀", "\u{2028}", "\u{a0}",
        ];
        let cut: &[&[u8]] = &[b"a\xC3", b"\xE2\x80", b"\\u2028\xE2", b"\xC3a", b"\xFF", b"a\n", b"\xA8\""];
        let vocabulary = vocabulary_of(&pieces, cut);
        let (mut walks, mut visited) = (0, [0, 0]);
        for text in OF_CLASSES {
            let grammar = of_schema(text);
            let bytes = "ab-\"\\nud83e0 é日😀\u{2028}\u{a0}{:[,".as_bytes();
            let compared = compare(&grammar, text, bytes, &vocabulary, &[]);
            walks += compared.walks;
            visited = [0, 1].map(|at| visited[at] + compared.visited[at]);
        }
        assert!(walks > 500 && visited[0] * 3 < visited[1], "{walks} {visited:?}");
    }
}
