//! Slices of classes of characters.
//!
//! Unlike a kind, a class may hold only some of the characters that begin with a byte. So characters are read to their end,
//! and where a byte begins characters of the class as well as others, the node that it leads to is inside the slice and yet a place
//! where tokens leave it: whoever goes on from there reads none of the class.

use super::character_class::{CharacterClass, CharacterRead};
use super::slice::{SliceBelow, Stem};
use super::trie::{Children, NodeId, TokenRange, TokenTrie};

/// Makes the slice of a class below a node. Takes time in proportion to the nodes above the exits.
pub(super) fn class_slice(trie: &TokenTrie, node: NodeId, class: &CharacterClass) -> SliceBelow {
    let mut ranges: Vec<TokenRange> = Vec::new();
    let mut exits = vec![Vec::new(); 256];
    let stems = Reading::new(class, true).visit(trie, node, |found| match found {
        Found::Inside { node, is_all: true, .. } => take(&mut ranges, trie.range_below(node)),
        Found::Inside { node, .. } => take(&mut ranges, trie.range_at(node)),
        Found::Exit { node, byte, characters, stem } => {
            exits[usize::from(byte)].push((node, characters, stem));
        }
    });
    SliceBelow::of_parts(trie, node, ranges, stems, exits)
}

/// Visits each node once that one or more characters of a class lead to from a node, with their number.
pub(crate) fn visit_class(
    trie: &TokenTrie,
    below: NodeId,
    class: &CharacterClass,
    mut visit: impl FnMut(NodeId, u32),
) {
    Reading::new(class, false).visit(trie, below, |found| {
        if let Found::Inside { node, is_whole: true, characters, .. } = found {
            visit(node, characters);
        }
    });
}

fn take(ranges: &mut Vec<TokenRange>, range: TokenRange) {
    if range.len() > 0 && !ranges.last_mut().is_some_and(|last| last.append(range)) {
        ranges.push(range);
    }
}

/// What is met when the strings of a class are read.
enum Found {
    /// A node that so many characters of the class lead to, the last one cut short unless `is_whole`; with everything below it where
    /// `is_all`.
    Inside { node: NodeId, is_whole: bool, is_all: bool, characters: u32 },
    /// A node behind so many characters of the class, which lead to a stem, and a byte that begins something else, too.
    Exit { node: NodeId, byte: u8, characters: u32, stem: u32 },
}

struct Reading<'a> {
    class: &'a CharacterClass,
    /// One bit for each code point; `None` where the class has so few ranges that these are looked through sooner.
    bits: Option<Vec<u64>>,
    /// Whether subtrees that are known to be of the class are met as a whole.
    takes_all: bool,
}

/// A node on the path.
struct Level {
    children: Children,
    /// The character that it is in; what is read of it is nothing between two characters.
    read: CharacterRead,
    /// The number of characters of the class, the one that it is in included.
    characters: u32,
    /// The node, and the byte that leads to it.
    node: NodeId,
    byte: u8,
    /// The index of its stem, where it is above an exit.
    stem: Option<u32>,
    /// Whether something else than characters of the class goes on within a character, or a token ends there that may be of another.
    is_left: bool,
}

impl<'a> Reading<'a> {
    fn new(class: &'a CharacterClass, takes_all: bool) -> Self {
        const FEW_RANGES: usize = 32;
        let bits = (class.ranges().len() > FEW_RANGES).then(|| class.to_bits());
        Self { class, bits, takes_all }
    }

    /// Visits what is below a node in the order of the nodes, but for exits within characters. Gives the stems of these.
    fn visit(&self, trie: &TokenTrie, start: NodeId, mut found: impl FnMut(Found)) -> Vec<Stem> {
        let first = self.class.first_bytes();
        let level = |node, byte, read, characters| Level {
            children: trie.children(node),
            read,
            characters,
            node,
            byte,
            stem: None,
            is_left: false,
        };
        let mut path = vec![Level { stem: Some(0), ..level(start, 0, CharacterRead::NONE, 0) }];
        let mut stems = vec![Stem { above: 0, byte: 0 }];
        while let Some(at) = path.last_mut() {
            let Some((byte, node)) = trie.next_child(&mut at.children) else {
                self.leave(&mut path, &mut stems, &mut found);
                continue;
            };
            let begins = at.read == CharacterRead::NONE;
            let read = at.read.step(byte).filter(|_| !begins || first.contains(byte));
            let read = read.filter(|&read| self.holds(read));
            let Some(read) = read else {
                match begins {
                    true => {
                        let characters = at.characters;
                        let stem = stem_of(&mut path, &mut stems);
                        found(Found::Exit { node, byte, characters, stem });
                    }
                    false => at.is_left = true,
                }
                continue;
            };
            let characters = at.characters + u32::from(begins);
            let is_whole = read.whole().is_some();
            let is_all =
                is_whole && self.takes_all && trie.signature(node).is_within(self.class.whole_kinds());
            found(Found::Inside { node, is_whole, is_all, characters });
            let is_cut_short = !is_whole && !trie.tokens_at(node).is_empty() && !self.class.must_hold(read);
            at.is_left |= is_cut_short && !begins;
            if !is_all && trie.has_children(node) {
                let read = if is_whole { CharacterRead::NONE } else { read };
                path.push(Level { is_left: is_cut_short, ..level(node, byte, read, characters) });
            } else if is_cut_short && begins {
                let characters = at.characters;
                let stem = stem_of(&mut path, &mut stems);
                found(Found::Exit { node, byte, characters, stem });
            }
        }
        stems
    }

    /// Takes the last node off the path, below which all has been visited.
    fn leave(&self, path: &mut Vec<Level>, stems: &mut Vec<Stem>, found: &mut impl FnMut(Found)) {
        let Some(Level { read, characters, node, byte, is_left: true, .. }) = path.pop() else { return };
        match path.last_mut() {
            // It is within a character of which more than one byte has been read.
            Some(above) if above.read != CharacterRead::NONE => above.is_left = true,
            _ if read != CharacterRead::NONE => {
                let stem = stem_of(path, stems);
                found(Found::Exit { node, byte, characters: characters - 1, stem });
            }
            _ => {}
        }
    }

    /// Whether a character that has been read as far as that is of the class, or may be.
    fn holds(&self, read: CharacterRead) -> bool {
        match (read.whole(), &self.bits) {
            (Some(code), Some(bits)) => {
                bits.get(code as usize / 64).is_some_and(|word| word >> (code % 64) & 1 == 1)
            }
            _ => self.class.may_hold(read),
        }
    }
}

/// The index of the stem of the last node of a path, each of which has one above an exit.
///
/// The first level of a path is that of the node from which all is read. It is never taken off while something is below it, and has
/// the first stem from the beginning, so there is one to go on from.
fn stem_of(path: &mut [Level], stems: &mut Vec<Stem>) -> u32 {
    let known = path.iter().rposition(|level| level.stem.is_some()).unwrap_or(0);
    let mut above = path[known].stem.unwrap_or(0);
    for level in &mut path[known + 1..] {
        stems.push(Stem { above, byte: level.byte });
        above = stems.len() as u32 - 1;
        level.stem = Some(above);
    }
    above
}

#[cfg(test)]
mod tests {
    use super::super::{CodePointRange, TokenId, Vocabulary};
    use super::*;

    #[test]
    fn a_slice_of_a_class_holds_its_texts_and_tells_where_others_leave_it() {
        let texts =
            ["a", "ab", "aé1", "é", "éa-", "×é", "日本", "日。", "。", "1a", "-", "a-é", "日a日-x", "aé×"];
        let mut tokens: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let cut: [&[u8]; 7] = [b"\xC3", b"a\xC3", b"\xE6\x97", b"a\xE6", b"\xE6a", b"a\xFF", b"\xE3\x80\xE3"];
        tokens.extend(cut.map(<[u8]>::to_vec));
        let count = tokens.len();
        let tokens = tokens.iter().cloned().map(Some).chain([None]).collect();
        let vocabulary = Vocabulary::new(tokens, Vec::new(), vec![TokenId(count as u32)], count + 1).unwrap();
        let letters = vec![(0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0x4E00, 0x9FFF)];
        let apart = letters[..3].iter().copied().chain((0x4E00..0x9FFF).step_by(2).map(|code| (code, code)));
        for letters in [apart.collect(), letters] {
            compare(&vocabulary, &letters);
        }
    }

    fn compare(vocabulary: &Vocabulary, letters: &[CodePointRange]) {
        let trie = vocabulary.trie();
        let class = vocabulary.class(letters).unwrap();
        let class = vocabulary.class_of(class);
        let is_in = |code: u32| letters.iter().any(|&(first, last)| (first..=last).contains(&code));
        // Of a string: how many whole characters of the class it begins with, how many bytes these take, and what of
        // the next is read.
        let read = |string: &[u8]| {
            let (mut at, mut count, mut read) = (0, 0, CharacterRead::NONE);
            for (index, &byte) in string.iter().enumerate() {
                let Some(next) = read.step(byte) else { return (at, count, None) };
                read = next;
                if let Some(code) = read.whole() {
                    if !is_in(code) {
                        return (at, count, None);
                    }
                    (at, count, read) = (index + 1, count + 1, CharacterRead::NONE);
                }
            }
            (at, count, (read == CharacterRead::NONE || class.may_hold(read)).then_some(read))
        };
        for below in (0..trie.len() as u32).map(NodeId) {
            let slice = class_slice(trie, below, &class);
            let nodes = || (below.0 + 1..trie.end(below).0).map(NodeId);
            let mut inside: Vec<TokenId> =
                slice.ranges.iter().flat_map(|&range| trie.tokens_of(range)).copied().collect();
            inside.sort_unstable();
            let mut expected: Vec<TokenId> = nodes()
                .filter(|&node| read(&trie.path(below, node)).2.is_some())
                .flat_map(|node| trie.tokens_at(node).to_vec())
                .collect();
            expected.sort_unstable();
            assert_eq!(inside, expected, "{below:?}");
            let mut visited = Vec::new();
            visit_class(trie, below, &class, |node, _| visited.push(node));
            visited.sort_unstable();
            let whole = |&node: &NodeId| read(&trie.path(below, node)).2 == Some(CharacterRead::NONE);
            assert!(nodes().filter(whole).eq(visited), "{below:?}");
            // Whatever is not inside is below a place where it leaves, behind as many characters.
            for node in nodes() {
                let path = trie.path(below, node);
                let (at, count, None) = read(&path) else { continue };
                let exits = slice.exits.iter().find(|exits| exits.byte == path[at]).unwrap();
                let places = exits.nodes.iter().zip(&exits.characters);
                let place = places.filter(|&(&place, _)| place <= node && node < trie.end(place));
                assert!(place.into_iter().any(|(_, &characters)| characters == count), "{path:x?}");
            }
        }
    }
}
