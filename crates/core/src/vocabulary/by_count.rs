//! Tokens by how many characters of a class they hold.
//!
//! A text of so many words counts the blanks in it. Most tokens hold one, or none: these are never looked at.

use super::by_length::ByLength;
use super::character_class::{CharacterClass, CharacterRead};
use super::signature::Signature;
use super::trie::{Children, NodeId, TokenTrie};

/// A node on the path.
struct Level {
    children: Children,
    /// The character that it is in; nothing of one between two.
    read: CharacterRead,
    /// The number of characters of the class before that.
    count: usize,
}

/// The tokens made of characters of some kinds, one cut short at the end included, that hold two or more of a class, by the
/// number of these: one cut short counts where it may be of the class. Takes time in proportion to the nodes above
/// characters of the class.
pub(super) fn tokens_by_count(trie: &TokenTrie, kinds: Signature, class: &CharacterClass) -> ByLength {
    let (first, counted) = (kinds.first_bytes(), Signature::of_any(&class.first_bytes()));
    let mut found = Vec::new();
    let level = |node, read, count| Level { children: trie.children(node), read, count };
    let mut path = vec![level(NodeId::ROOT, CharacterRead::NONE, 0)];
    while let Some(at) = path.last_mut() {
        let Some((byte, node)) = trie.next_child(&mut at.children) else {
            path.pop();
            continue;
        };
        let begins = at.read == CharacterRead::NONE;
        let Some(read) = at.read.step(byte).filter(|_| !begins || first.contains(byte)) else { continue };
        let with_it = at.count + usize::from(class.may_hold(read));
        if with_it >= 2 {
            found.extend(trie.tokens_at(node).iter().map(|&token| (token, with_it)));
        }
        let (read, count) = match read.whole() {
            Some(_) => (CharacterRead::NONE, with_it),
            None => (read, at.count),
        };
        let is_over = read == CharacterRead::NONE && count < 2 && trie.signature(node).is_apart_from(counted);
        if !is_over && trie.has_children(node) {
            path.push(level(node, read, count));
        }
    }
    ByLength::new(|| found.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::super::{TokenId, Vocabulary};
    use super::*;
    use crate::byte_set::ByteSet;

    #[test]
    fn tokens_are_told_by_how_many_characters_of_a_class_they_hold() {
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
        ];
        let mut tokens: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        tokens.extend(
            [&b" \xE2"[..], b" \xE2\x80", b" \xE2\x81", b" \xE6", b"\x83  ", b" \xFF ", b"  \xC3a"]
                .map(<[u8]>::to_vec),
        );
        let count = tokens.len();
        let all = tokens.iter().cloned().map(Some).chain([None]).collect();
        let vocabulary = Vocabulary::new(all, Vec::new(), vec![TokenId(count as u32)], count + 1).unwrap();
        let class = vocabulary.class(&[(0x20, 0x20), (0x2000, 0x200A)]).unwrap();
        let class = vocabulary.class_of(class);
        let kinds = Signature::of_any(&ByteSet::ALL).without(Signature::of(b'"'));
        let found = tokens_by_count(vocabulary.trie(), kinds, &class);
        // What of a token is read as characters, the last one cut short or whole.
        let count_of = |bytes: &[u8]| -> Option<usize> {
            let (mut count, mut read) = (0, CharacterRead::NONE);
            for &byte in bytes {
                read = read.step(byte).filter(|_| byte != b'"')?;
                if read.whole().is_some() {
                    count += usize::from(class.may_hold(read));
                    read = CharacterRead::NONE;
                }
            }
            Some(count + usize::from(read != CharacterRead::NONE && class.may_hold(read)))
        };
        for most in 1..5 {
            let mut more = found.split(most).1.to_vec();
            more.sort_unstable();
            let expected =
                (0..count).filter(|&at| count_of(&tokens[at]).is_some_and(|count| count > most as usize));
            assert_eq!(more, expected.map(|at| TokenId(at as u32)).collect::<Vec<_>>(), "{most}");
        }
    }
}
