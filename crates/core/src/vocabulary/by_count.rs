//! Where tokens come to hold so many characters, or so many of a class.
//!
//! A text of so many words counts the blanks in it. Most tokens hold one, or none: these are never looked at. Nor are those that are shorter
//! than few are, where all characters count.

use super::character_class::{CharacterClass, CharacterRead, ClassId};
use super::signature::Signature;
use super::trie::{Children, NodeId, TokenTrie};
use crate::spelling::begins_character;

/// What of a text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Counting {
    /// Each character.
    Characters,
    Separators(Separating),
}

/// Which characters of a text count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Separating {
    /// Those of this class do.
    pub(crate) class: ClassId,
    /// Whether those that come one after the other count as one.
    pub(crate) in_runs: bool,
    /// Whether each backslash counts, too: the escape that it begins may stand for one of them, or for what is between two.
    pub(crate) with_escapes: bool,
}

/// The nodes at which one more of what counts comes, by how many have come with it.
#[derive(Debug)]
pub(super) struct NodesByCount {
    /// The least number that is told.
    least: usize,
    nodes: Box<[Box<[NodeId]>]>,
}

/// A string as far as it has been read.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// The character that it is in the middle of; nothing of one between two.
    read: CharacterRead,
    /// Whether a character of the class stands before that.
    is_behind_one: bool,
    /// How many have come before that.
    before: usize,
    /// With that character, where it may be of the class.
    with_it: usize,
}

/// A node on the path.
struct Level {
    children: Children,
    counted: Counted,
}

impl NodesByCount {
    /// Few tokens have so many characters.
    const LEAST_LENGTH: usize = 16;

    /// Of all characters: tokens of fewer than [`LEAST_LENGTH`](Self::LEAST_LENGTH) are left out. Takes time in proportion to the nodes above
    /// the others.
    pub(super) fn of_characters(trie: &TokenTrie) -> Self {
        const MOST: u32 = NodesByCount::LEAST_LENGTH as u32 - 1;
        let mut found: Vec<Vec<NodeId>> = Vec::new();
        let mut path = vec![(trie.children(NodeId::ROOT), 0usize)];
        while let Some((children, before)) = path.last_mut() {
            let Some((byte, node)) = trie.next_child(children) else {
                path.pop();
                continue;
            };
            let begins = begins_character(byte);
            let count = *before + usize::from(begins);
            if begins && let Some(place) = count.checked_sub(Self::LEAST_LENGTH) {
                found.resize_with(found.len().max(place + 1), Vec::new);
                found[place].push(node);
            }
            let left = MOST.checked_sub(count as u32);
            if trie.has_children(node) && left.is_none_or(|left| !trie.is_all_within(node, left)) {
                path.push((trie.children(node), count));
            }
        }
        Self::of(Self::LEAST_LENGTH, found)
    }

    /// Of the separators, which are of `class`: two at least are told. Takes time in proportion to the nodes above them.
    pub(super) fn of_separators(trie: &TokenTrie, counting: Separating, class: &CharacterClass) -> Self {
        const LEAST: usize = 2;
        let mut first = class.first_bytes();
        if counting.with_escapes {
            first.insert(b'\\');
        }
        let kinds = Signature::of_any(&first);
        let mut found: Vec<Vec<NodeId>> = Vec::new();
        let mut path = vec![Level { children: trie.children(NodeId::ROOT), counted: Counted::NOTHING }];
        while let Some(at) = path.last_mut() {
            let Some((byte, node)) = trie.next_child(&mut at.children) else {
                path.pop();
                continue;
            };
            let (above, is_first) = (at.counted, path.len() == 1);
            let counted = above.step(byte, is_first, counting, class);
            if counted.with_it > above.with_it
                && let Some(place) = counted.with_it.checked_sub(LEAST)
            {
                found.resize_with(found.len().max(place + 1), Vec::new);
                found[place].push(node);
            }
            let is_over = counted.is_between_two() && trie.signature(node).is_apart_from(kinds);
            if !is_over && trie.has_children(node) {
                path.push(Level { children: trie.children(node), counted });
            }
        }
        Self::of(LEAST, found)
    }

    fn of(least: usize, nodes: Vec<Vec<NodeId>>) -> Self {
        Self { least, nodes: nodes.into_iter().map(Vec::into_boxed_slice).collect() }
    }

    /// The nodes with which strings come to hold so many; `None` where so few are not told. A character that may be of the class counts
    /// from its first byte on, so some nodes may be below others.
    pub(super) fn with(&self, count: usize) -> Option<&[NodeId]> {
        let place = count.checked_sub(self.least)?;
        Some(self.nodes.get(place).map_or(&[], |nodes| nodes))
    }

    /// The memory in use, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.nodes.iter().map(|nodes| size_of_val(nodes) + size_of_val(&**nodes)).sum()
    }
}

impl Counted {
    const NOTHING: Self = Self { read: CharacterRead::NONE, is_behind_one: false, before: 0, with_it: 0 };

    /// One byte more. A string that begins with one that continues a character begins within one that may be of the class. After one that
    /// can't follow, another character begins.
    fn step(self, byte: u8, is_first: bool, counting: Separating, class: &CharacterClass) -> Self {
        let (read, is_behind_one) = match (self.read.step(byte), CharacterRead::NONE.step(byte)) {
            (Some(read), _) => (read, self.is_behind_one),
            (None, Some(read)) => (read, false),
            (None, None) => return Self::between_two(self.before + usize::from(is_first), false),
        };
        let is_of_class = class.may_hold(read);
        let is_one_more = is_of_class && !(counting.in_runs && is_behind_one);
        let is_escape = counting.with_escapes && byte == b'\\';
        let with_it = self.before + usize::from(is_one_more || is_escape);
        match read.whole() {
            // What is between two characters may be spelled by it.
            Some(_) => Self::between_two(with_it, is_of_class && !is_escape),
            None => Self { read, is_behind_one, before: self.before, with_it },
        }
    }

    fn between_two(count: usize, is_behind_one: bool) -> Self {
        Self { read: CharacterRead::NONE, is_behind_one, before: count, with_it: count }
    }

    fn is_between_two(self) -> bool {
        self.read == CharacterRead::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TokenId, Vocabulary};
    use super::*;
    use crate::spelling::character_count;

    #[test]
    fn nodes_are_told_by_how_many_characters_of_a_class_come_with_them() {
        let texts = [
            "a",
            " ",
            "a b",
            " a b",
            "  a",
            "a  ",
            "é é é",
            "\u{2003}a\u{2003}",
            "a\u{2003} é",
            "\u{2013}\u{2013}",
            " \"a ",
            "   ",
            "日本 日 本",
            " \\\\ \\n",
            "a  b   c \u{2003}d",
        ];
        let mut tokens: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        tokens.extend(
            [&b" \xE2"[..], b" \xE2\x80", b" \xE2\x81", b" \xE6", b"\x83  ", b" \xFF ", b"  \xC3a "]
                .map(<[u8]>::to_vec),
        );
        let count = tokens.len();
        let all = tokens.iter().cloned().map(Some).chain([None]).collect();
        let vocabulary = Vocabulary::new(all, Vec::new(), vec![TokenId(count as u32)], count + 1).unwrap();
        let class = vocabulary.class(&[(0x20, 0x20), (0x2000, 0x200A)]).unwrap();
        let trie = vocabulary.trie();
        let is_of_class = |letter| letter == ' ' || ('\u{2000}'..='\u{200A}').contains(&letter);
        let settings = [(false, false), (true, false), (false, true), (true, true)];
        for (in_runs, with_escapes) in settings {
            let counting = Separating { class, in_runs, with_escapes };
            let found = NodesByCount::of_separators(trie, counting, &vocabulary.class_of(class));
            // What counts in the UTF-8 that a text holds, what is cut short included.
            let count_of = |bytes: &[u8]| {
                let mut count = usize::from(bytes.first().is_some_and(|&byte| !begins_character(byte)));
                let mut is_behind_one = false;
                for chunk in bytes.utf8_chunks() {
                    for letter in chunk.valid().chars() {
                        let is_escape = with_escapes && letter == '\\';
                        let is_one_more = is_of_class(letter) && !(in_runs && is_behind_one);
                        count += usize::from(is_escape || is_one_more);
                        is_behind_one = is_of_class(letter);
                    }
                    let is_cut_short = matches!(chunk.invalid(), b"\xE2" | b"\xE2\x80");
                    count += usize::from(is_cut_short && !(in_runs && is_behind_one));
                    is_behind_one = false;
                }
                count
            };
            let mut places = 0;
            for token in &tokens {
                let counts: Vec<_> = (0..=token.len()).map(|length| count_of(&token[..length])).collect();
                for (length, pair) in counts.windows(2).enumerate() {
                    let node = trie.find(&token[..=length]).unwrap();
                    for count in 2..6 {
                        let comes = pair[0] < count && pair[1] == count;
                        let is_found = found.with(count).unwrap().contains(&node);
                        assert_eq!(is_found, comes, "{token:x?} {length} {count} {counting:?}");
                        places += usize::from(comes);
                    }
                }
            }
            assert!(places > 10 && found.with(0).is_none() && found.with(1).is_none(), "{places}");
        }
    }

    #[test]
    fn nodes_are_told_by_how_many_characters_come_with_them() {
        let long = |piece: &str, count: usize| piece.repeat(count).into_bytes();
        let mut tokens = vec![long("a", 15), long("a", 16), long("é", 17), long("日b", 20), long("b日", 9)];
        tokens.push([&long("é", 16)[..], b"\xE6"].concat());
        tokens.push([&b"\x83"[..], &long("c", 17)].concat());
        let count = tokens.len();
        let all = tokens.iter().cloned().map(Some).chain([None]).collect();
        let vocabulary = Vocabulary::new(all, Vec::new(), vec![TokenId(count as u32)], count + 1).unwrap();
        let (trie, mut places) = (vocabulary.trie(), 0);
        let found = NodesByCount::of_characters(trie);
        assert_eq!(found.with(15), None);
        for token in &tokens {
            for length in 1..=token.len() {
                let node = trie.find(&token[..length]).unwrap();
                let (before, with_it) =
                    (character_count(&token[..length - 1]), character_count(&token[..length]));
                for count in 16..50 {
                    let comes = before < count && with_it == count;
                    assert_eq!(
                        found.with(count).unwrap().contains(&node),
                        comes,
                        "{token:x?} {length} {count}"
                    );
                    places += usize::from(comes);
                }
            }
        }
        assert!(places > 30, "{places}");
    }
}
