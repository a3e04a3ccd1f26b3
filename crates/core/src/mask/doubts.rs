//! Which tokens of a vague mask can be wrong.
//!
//! What comes after *any* text of a capture allows too much only behind the next comma: there, it matters which text it
//! was. So a token without a comma is right; and where it was a part of an object, one without a comma behind a brace. Where only the same text is not allowed again, and each beginning of it is
//! one of very many texts, so is a token that ends before another text is complete, or behind an empty one where this one is not.

use super::pool::ExitSet;
use crate::grammar::Others;
use crate::recognizer::Room;
use crate::vocabulary::{
    NodeId, TokenId, TokenWords, Vocabulary, behind_comma, holds_only_an_empty_string, may_hold_a_string,
};

/// What may be wrong with tokens that were read without the text that was captured.
pub(super) struct Doubts<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    /// Where it was forgotten.
    pub(super) forgotten: &'a [Forgotten],
}

/// Where on the way of a token it was forgotten which text was captured.
#[derive(Clone, Debug)]
pub(super) struct Forgotten {
    /// Behind these nodes; `None` stands for the root.
    pub(super) from: Option<ExitSet>,
    /// See [`CapturePart::room`](crate::recognizer::CapturePart::room).
    pub(super) room: Room,
}

impl Doubts<'_> {
    /// Words of tokens among which are all that can be wrong.
    pub(super) fn candidates(&self) -> &TokenWords {
        let list_tokens = self.vocabulary.list_tokens();
        let longest = self.vocabulary.longest_token();
        match self.forgotten.iter().all(|forgotten| forgotten.room.bytes as usize >= longest) {
            true => &list_tokens.with_string,
            false => &list_tokens.all,
        }
    }

    /// Whether a token can be wrong. Takes a look-up in the trie for each byte.
    pub(super) fn concern(&self, token: TokenId) -> bool {
        let bytes = self.vocabulary.token_bytes(token).unwrap_or_default();
        self.forgotten.iter().any(|Forgotten { from, room }| {
            let start = match from {
                None => Some(0),
                Some(from) => self.first_within(from, bytes),
            };
            match start.and_then(|start| behind_text(&bytes[start..], room.others)) {
                Some(rest) if room.others.are_endless && begins_any(rest, room.others) => false,
                Some(rest) if rest.len() >= room.bytes as usize => true,
                // The same text again is a string, where there is room; but not an empty one, where it is begun.
                Some(rest) if room.is_begun => may_hold_a_string(rest) && !holds_only_an_empty_string(rest),
                Some(rest) => may_hold_a_string(rest),
                None => false,
            }
        })
    }

    /// The number of bytes before the first node of an exit set on the way to the end of a token.
    fn first_within(&self, from: &ExitSet, bytes: &[u8]) -> Option<usize> {
        let trie = self.vocabulary.trie();
        let mut node = NodeId::ROOT;
        for (at, &byte) in bytes.iter().enumerate() {
            if from.nodes.contains(node, self.vocabulary) {
                return Some(at);
            }
            node = trie.child(node, byte)?;
        }
        None
    }
}

/// What stands behind the comma from which on it matters which text was captured.
fn behind_text(bytes: &[u8], others: Others) -> Option<&[u8]> {
    let start = match others.are_objects {
        true => bytes.iter().position(|&byte| byte == b'}')?,
        false => 0,
    };
    behind_comma(&bytes[start..])
}

/// Whether every value begins with some bytes; of objects, every one with members.
fn begins_any(bytes: &[u8], others: Others) -> bool {
    match bytes.trim_ascii_start() {
        [b'{', inside @ ..] if others.are_objects => matches!(inside.trim_ascii_start(), [] | [b'"']),
        rest => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::exits::ExitNodes;
    use super::super::pool::Pool;
    use super::*;

    #[test]
    fn tokens_without_a_comma_behind_the_text_are_right_and_so_are_those_that_complete_no_other() {
        const STRING: &str = "a\": 1, \"b\"";
        const EMPTY: &str = "a\",\"\",\"";
        let texts =
            ["ab", "a,b", "a\": 1,", "a\": 1, \"b", "a\": [1,2", STRING, EMPTY, ",\" ", "\",1,", "\":1,\n"];
        let mut tokens: Vec<_> = texts.iter().map(|text| Some(text.as_bytes().to_vec())).collect();
        tokens.push(None);
        let stop = TokenId(texts.len() as u32);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![stop], texts.len() + 1).unwrap();
        let vocabulary = Arc::new(vocabulary);
        let concerned = |from: Option<ExitSet>, bytes, is_begun| -> Vec<&str> {
            let room = Room { bytes, is_begun, others: Others::default() };
            let doubts = Doubts { vocabulary: &vocabulary, forgotten: &[Forgotten { from, room }] };
            let is_candidate = |id| {
                let mut words = doubts.candidates().iter();
                words.any(|&(at, bits)| at == id / 32 && bits >> (id % 32) & 1 == 1)
            };
            assert!((0..stop.0).all(|id| is_candidate(id) || !doubts.concern(TokenId(id))));
            texts
                .iter()
                .zip(0..)
                .filter(|(_, id)| doubts.concern(TokenId(*id)))
                .map(|(text, _)| *text)
                .collect()
        };
        assert_eq!(concerned(None, 0, false), texts[1..]);
        assert_eq!(concerned(None, 0, true), texts[1..]);
        assert_eq!(concerned(None, 10, false), [STRING, EMPTY]);
        assert_eq!(concerned(None, 10, true), [STRING], "a text that is begun is not empty");
        let pool = Pool::new(&vocabulary, 1 << 20);
        let quote = vocabulary.trie().find(b"a\"").and_then(|node| pool.exit_set(ExitNodes::of(&[node])));
        assert_eq!(concerned(quote.clone(), 0, false), texts[2..7]);
        assert_eq!(concerned(quote.clone(), 10, false), [STRING, EMPTY]);
        assert_eq!(concerned(quote, 10, true), [STRING]);
    }

    #[test]
    fn what_any_value_begins_with_is_right_where_there_is_no_end_of_them() {
        const TOKENS: &[(&str, bool, bool)] = &[
            ("1", true, true),
            (",\n ", true, true),
            (",\"", false, true),
            (",\"b\":1", false, true),
            ("1},", true, true),
            ("1},\"", false, false),
            ("}, {\n", false, true),
            (",\"b\":1},{\"", false, true),
            ("},{\" ", false, false),
            ("},{\"a", false, false),
            ("},{}", false, false),
            ("},[", false, false),
            ("},{}, ", false, false),
        ];
        let mut tokens: Vec<_> = TOKENS.iter().map(|(text, ..)| Some(text.as_bytes().to_vec())).collect();
        tokens.push(None);
        let stop = TokenId(TOKENS.len() as u32);
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![stop], TOKENS.len() + 1).unwrap();
        let is_right = |at: usize, are_objects, are_endless| {
            let room = Room { bytes: 0, is_begun: false, others: Others { are_objects, are_endless } };
            let doubts = Doubts { vocabulary: &vocabulary, forgotten: &[Forgotten { from: None, room }] };
            !doubts.concern(TokenId(at as u32))
        };
        for (at, &(text, of_items, of_parts)) in TOKENS.iter().enumerate() {
            assert_eq!(is_right(at, false, true), of_items, "{text}");
            assert_eq!(is_right(at, true, true), of_parts, "{text}");
            assert_eq!(is_right(at, false, false), !text.contains(','), "{text}");
            let is_behind = text.find('}').is_some_and(|end| text[end..].contains(','));
            assert_eq!(is_right(at, true, false), !is_behind, "{text}");
        }
    }
}
