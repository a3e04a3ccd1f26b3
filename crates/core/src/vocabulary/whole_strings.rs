//! The strings that single tokens read to their closing quote.

use std::collections::BTreeSet;

use crate::byte_set::ByteSet;
use crate::spelling::content_of;

/// The contents of all JSON strings whose closing quote is in the token in which they begin, as far as their opening quote
/// is in it too, or right before it: few, and hardly any of them words.
#[derive(Debug)]
pub(crate) struct WholeStrings {
    /// Ascending.
    contents: Box<[Box<[u8]>]>,
    /// Their first bytes.
    first: ByteSet,
    has_empty: bool,
    /// Whether there may be others, since there was too much to look at.
    has_others: bool,
}

impl WholeStrings {
    /// So many bytes are looked at, each as often as a string may begin before it in its token. Real vocabularies have some
    /// ten thousand.
    const MOST_BYTES: usize = 4 << 20;

    /// Those of some tokens.
    pub(super) fn of<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut contents, mut left) = (BTreeSet::new(), Some(Self::MOST_BYTES));
        for token in tokens.filter(|token| token.contains(&b'"')) {
            let behind_quotes = (1..=token.len()).filter(|&start| token[start - 1] == b'"');
            for text in std::iter::once(0).chain(behind_quotes).map(|start| &token[start..]) {
                left = left.and_then(|left| left.checked_sub(text.len()));
                if left.is_none() {
                    break;
                }
                contents.extend(content_to_quote(text).map(Vec::into_boxed_slice));
            }
        }
        let first = contents.iter().filter_map(|content| content.first().copied()).collect();
        let has_empty = contents.first().is_some_and(|content| content.is_empty());
        Self { contents: contents.into_iter().collect(), first, has_empty, has_others: left.is_none() }
    }

    /// The memory in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.contents) + self.contents.iter().map(|content| content.len()).sum::<usize>()
    }

    /// Whether a content may be one of these.
    pub(crate) fn may_hold(&self, content: &[u8]) -> bool {
        match content.first() {
            _ if self.has_others => true,
            None => self.has_empty,
            Some(&byte) => {
                self.first.contains(byte)
                    && self.contents.binary_search_by(|known| (**known).cmp(content)).is_ok()
            }
        }
    }
}

/// The content of a JSON string, from its text and what stands behind it; `None` where it does not end there.
fn content_to_quote(text: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return content_of(&text[..at]),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_behind_every_quote_and_at_the_beginning() {
        let tokens: [&[u8]; 6] = [b"id\": \"a", b"no", b"\",\"", br#"a\"b"c"#, br#""\u0041":""#, b"\""];
        let strings = WholeStrings::of(tokens.into_iter());
        for content in ["id", "", ",", ": ", "a\"b", "b", "A"] {
            assert!(strings.may_hold(content.as_bytes()), "{content:?}");
        }
        for content in ["a", "no", "i", "c", "b\"", "u0041"] {
            assert!(!strings.may_hold(content.as_bytes()), "{content:?}");
        }
    }

    #[test]
    fn what_is_too_much_to_look_at_may_hold_anything() {
        let long = [b'"'; 4096];
        let escaped = br#"\""#.repeat(2048);
        for token in [&long[..], &escaped] {
            assert!(WholeStrings::of([token].into_iter()).may_hold(b"a"));
            assert!(!WholeStrings::of([&token[..100]].into_iter()).may_hold(b"a"));
        }
    }
}
