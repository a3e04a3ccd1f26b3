//! What a JSON string of any characters makes of the vocabulary.
//!
//! A string whose length is bounded differs from one that is not in the tokens that are too long, and in the quotes that
//! come too soon or too late. So the characters are counted once for a vocabulary, and no string that counts down walks
//! over it again.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::by_length::ByLength;
use super::character_class::ClassId;
use super::signature::Signature;
use super::trie::{NodeId, TokenRange};
use super::{TokenId, Vocabulary};
use crate::byte_set::ByteSet;
use crate::spelling::{Spelling, begins_character};

/// What a JSON string of any characters makes of the vocabulary, its first quote read.
#[derive(Debug)]
pub(crate) struct StringSlice {
    /// A mask row of the tokens that stay in it, or end with its last quote.
    inside: Arc<[u32]>,
    /// The same tokens by their numbers of characters, one that is only begun included.
    by_length: ByLength,
    /// Those that end with the last quote, likewise.
    closing: ByLength,
    /// The nodes behind the last quote below which strings go on.
    exits: Quotes,
    /// Those below which none does.
    ends: Quotes,
}

/// How a string is spelled, and the class of its characters; `None` where they may be any.
pub(crate) type StringBelowKey = (Spelling, Option<ClassId>);

/// What a JSON string of any characters, or of any of a class, makes of the strings below a node, read from there on.
#[derive(Debug)]
pub(crate) struct StringBelow {
    /// The tokens that stay in one of any length, or end with its last quote: those of some ranges, and others.
    ranges: Box<[TokenRange]>,
    others: Box<[TokenId]>,
    /// The same tokens by their numbers of characters below the node, one that is only begun included.
    by_length: ByLength,
    /// Those that end with the last quote, likewise.
    closing: ByLength,
    /// The nodes behind the last quote below which strings go on.
    exits: Quotes,
    /// Those below which none does.
    ends: Quotes,
}

impl StringBelow {
    /// What a walk found below a node: the tokens inside, and the nodes behind the last quote.
    pub(crate) fn new(
        node: NodeId,
        (ranges, others): (&[TokenRange], &[TokenId]),
        exits: &[NodeId],
        ends: &[NodeId],
        vocabulary: &Vocabulary,
    ) -> Self {
        let trie = &vocabulary.trie;
        let depth = trie.path(NodeId::ROOT, node).len();
        let counted = |&token: &TokenId| {
            let bytes = vocabulary.token_bytes(token).unwrap_or_default();
            (token, json_characters_to_quote(&bytes[depth..]) as usize)
        };
        let in_ranges = || ranges.iter().flat_map(|&range| trie.tokens_of(range));
        let by_length = ByLength::new(|| in_ranges().chain(others).map(counted));
        let quotes = || exits.iter().chain(ends).flat_map(|&node| trie.tokens_at(node));
        let closing = ByLength::new(|| quotes().map(counted));
        let [exits, ends] = [exits, ends].map(|nodes| Quotes::new(node, nodes, vocabulary));
        Self { ranges: ranges.into(), others: others.into(), by_length, closing, exits, ends }
    }

    /// The tokens that stay in a string of so many characters below the node, or end with its last quote: those of some
    /// ranges, and others.
    pub(crate) fn inside(
        &self,
        characters: &RangeInclusive<u32>,
    ) -> (&[TokenRange], impl Iterator<Item = TokenId>) {
        let (short, long) = self.by_length.split(*characters.end());
        let too_soon = closing_before(&self.closing, *characters.start());
        let (ranges, others) = match long.is_empty() && too_soon.is_empty() {
            true => (&*self.ranges, &*self.others),
            false => (&[][..], short),
        };
        // Few tokens below a node end with a quote.
        (ranges, others.iter().copied().filter(|token| too_soon.is_empty() || !too_soon.contains(token)))
    }

    /// The nodes behind the last quote of a string of so many characters: those below which strings go on, and those below
    /// which none does.
    pub(crate) fn quotes<'a>(
        &'a self,
        characters: &'a RangeInclusive<u32>,
    ) -> [impl Iterator<Item = NodeId> + 'a; 2] {
        [&self.exits, &self.ends].map(|quotes| quotes.within(characters))
    }

    /// The memory in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let Self { ranges, others, by_length, closing, exits, ends } = self;
        let tokens = by_length.memory_bytes() + closing.memory_bytes();
        size_of_val(&**ranges) + size_of_val(&**others) + tokens + exits.memory_bytes() + ends.memory_bytes()
    }
}

/// The tokens that end with the last quote of a string after fewer characters than so many.
fn closing_before(closing: &ByLength, least: u32) -> &[TokenId] {
    least.checked_sub(1).map_or(&[][..], |less| closing.split(less).0)
}

/// Nodes behind a quote.
#[derive(Debug)]
pub(super) struct Quotes {
    /// Of a whole vocabulary, ascending.
    nodes: Box<[NodeId]>,
    /// For each node, the number of characters before the quote.
    characters: Box<[u32]>,
}

impl StringSlice {
    /// A slice of what a walk found, for strings with some characters that stand for themselves: a mask row of the tokens
    /// inside, and the nodes behind the last quote, ascending. Takes time in proportion to the tokens with other
    /// characters.
    pub(crate) fn new(
        raw: &ByteSet,
        row: Arc<[u32]>,
        exits: &[NodeId],
        ends: &[NodeId],
        vocabulary: &Vocabulary,
    ) -> Self {
        let plain = vocabulary.slice(Signature::all_within(raw, &vocabulary.alphabet));
        let length_of =
            |token| json_characters_to_quote(vocabulary.token_bytes(token).unwrap_or_default()) as usize;
        let counted = |token| (token, length_of(token));
        let is_other = |token: TokenId| {
            let at = token.index() / 32;
            (row[at] & !plain.inside[at]) >> (token.0 % 32) & 1 == 1
        };
        let words = (0..row.len()).filter(|&at| row[at] & !plain.inside[at] != 0);
        let tokens = words.flat_map(|at| (0..32).map(move |bit| TokenId(at as u32 * 32 + bit)));
        let others: Vec<_> = tokens.filter(|&token| is_other(token)).map(counted).collect();
        let others = ByLength::new(|| others.iter().copied());
        let by_length = plain.by_length(vocabulary).union(&others).with_rows();
        let quotes = || exits.iter().chain(ends).flat_map(|&node| vocabulary.trie.tokens_at(node));
        let closing = ByLength::new(|| quotes().copied().map(counted));
        let [exits, ends] = [exits, ends].map(|nodes| Quotes::new(NodeId::ROOT, nodes, vocabulary));
        Self { inside: row, by_length, closing, exits, ends }
    }

    /// The tokens that stay in a string of so many characters, or end with its last quote: those of a mask row, but for
    /// some of them.
    pub(crate) fn inside(
        &self,
        characters: &RangeInclusive<u32>,
    ) -> (&Arc<[u32]>, impl Iterator<Item = TokenId>) {
        let (least, most) = (*characters.start(), *characters.end());
        let (row, longer) = match self.row_within(most) {
            Some(row) => (row, &[][..]),
            None => (&self.inside, self.longer_than(most)),
        };
        (row, longer.iter().chain(self.closing_before(least)).copied())
    }

    /// A mask row of the tokens of up to so many characters that stay in a string of any length, or end with its last quote;
    /// `None` where few have more.
    pub(super) fn row_within(&self, most: u32) -> Option<&Arc<[u32]>> {
        self.by_length.row_within(most, &self.inside)
    }

    /// Those of more characters.
    pub(super) fn longer_than(&self, most: u32) -> &[TokenId] {
        self.by_length.split(most).1
    }

    /// Those that end with the last quote before so many characters.
    pub(super) fn closing_before(&self, least: u32) -> &[TokenId] {
        closing_before(&self.closing, least)
    }

    /// Some of the nodes behind the last quote, ascending: those below which strings go on, and those below which none does.
    pub(super) fn quotes_at(&self, [exits, ends]: [&[NodeId]; 2]) -> [Quotes; 2] {
        [self.exits.at(exits), self.ends.at(ends)]
    }

    /// The nodes behind the last quote of a string of so many characters, ascending: those below which strings go
    /// on, and those below which none does.
    pub(crate) fn quotes(&self, characters: &RangeInclusive<u32>) -> [Box<[NodeId]>; 2] {
        [&self.exits, &self.ends].map(|quotes| quotes.listed_within(characters))
    }

    /// The memory in bytes, with that of rows that may not have been made yet.
    pub(super) fn greatest_memory_bytes(&self) -> usize {
        size_of_val(&*self.inside) * (1 + self.by_length.row_count())
            + self.by_length.memory_bytes()
            + self.closing.memory_bytes()
            + self.exits.memory_bytes()
            + self.ends.memory_bytes()
    }
}

impl Quotes {
    /// Nodes below one after which strings begin.
    fn new(below: NodeId, nodes: &[NodeId], vocabulary: &Vocabulary) -> Self {
        let before = |&node: &NodeId| {
            let path = vocabulary.trie.path(below, node);
            json_characters_to_quote(&path)
        };
        Self { nodes: nodes.into(), characters: nodes.iter().map(before).collect() }
    }

    /// Some of them, ascending.
    fn at(&self, nodes: &[NodeId]) -> Self {
        let mut all = self.nodes.iter().zip(&self.characters);
        let count = |&node| all.find(|&(&other, _)| other == node).map(|(&node, &count)| (node, count));
        let (found, characters): (Vec<NodeId>, Vec<u32>) = nodes.iter().filter_map(count).unzip();
        debug_assert_eq!(found, nodes, "a quote that ends a string ends one of any characters");
        Self { nodes: found.into(), characters: characters.into() }
    }

    /// The memory in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.characters)
    }

    /// Those behind so many characters, listed.
    pub(super) fn listed_within(&self, characters: &RangeInclusive<u32>) -> Box<[NodeId]> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        nodes.extend(self.within(characters));
        nodes.into()
    }

    /// Those behind so many characters.
    fn within<'a>(&'a self, characters: &'a RangeInclusive<u32>) -> impl Iterator<Item = NodeId> + 'a {
        let is_within = |(&node, count): (&NodeId, &u32)| characters.contains(count).then_some(node);
        self.nodes.iter().zip(&self.characters).filter_map(is_within)
    }
}

/// The number of characters that a text in a JSON string stands for up to its last quote, one that is only begun
/// included: escapes are one each, and the two of a surrogate pair are one together.
fn json_characters_to_quote(text: &[u8]) -> u32 {
    let (mut count, mut at) = (0, 0);
    let mut is_second = false;
    while let Some(&byte) = text.get(at).filter(|&&byte| byte != b'"') {
        if byte != b'\\' {
            count += u32::from(begins_character(byte));
            at += 1;
            continue;
        }
        count += u32::from(!is_second);
        let digits = match text.get(at + 1) {
            Some(b'u') => &text[at + 2..text.len().min(at + 6)],
            _ => &[],
        };
        // What follows the first of a pair, a second one, belongs to the same character.
        is_second =
            !is_second && matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', _, _]);
        at += if text.get(at + 1) == Some(&b'u') { 6 } else { 2 };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_as_json_means_them() {
        for (text, count) in [
            ("", 0),
            ("abc", 3),
            ("é日😀", 3),
            (r"a\nb", 3),
            (r"\\\\", 2),
            (r"\", 1),
            (r"a\u", 2),
            (r"\u00e9", 1),
            (r"\u00e", 1),
            (r"\ud83d\ude00", 1),
            (r"\uD83D\uDE00\ud83d\ude00x", 3),
            (r"\ud83d\", 1),
            (r#"a\"b""#, 3),
            (r"\ud83d\ude", 1),
            (r"\ud83", 1),
            (r"\u0041\u0042", 2),
        ] {
            assert_eq!(json_characters_to_quote(text.as_bytes()), count, "{text}");
        }
        assert_eq!(json_characters_to_quote(&"é".as_bytes()[..1]), 1, "a character that is cut short counts");
    }
}
