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
    /// Whether some tokens were not looked at, since they are too long.
    has_others: bool,
}

impl WholeStrings {
    /// To look at a longer token, with escaped quotes everywhere, would take too long.
    const LONGEST_TOKEN: usize = 1024;

    /// Those of some tokens.
    pub(super) fn of<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut contents, mut has_others) = (BTreeSet::new(), false);
        for token in tokens.filter(|token| token.contains(&b'"')) {
            if token.len() > Self::LONGEST_TOKEN {
                has_others = true;
                continue;
            }
            let behind_quotes = (1..=token.len()).filter(|&start| token[start - 1] == b'"');
            for start in std::iter::once(0).chain(behind_quotes) {
                contents.extend(content_to_quote(&token[start..]).map(Vec::into_boxed_slice));
            }
        }
        let first = contents.iter().filter_map(|content| content.first().copied()).collect();
        let has_empty = contents.first().is_some_and(|content| content.is_empty());
        Self { contents: contents.into_iter().collect(), first, has_empty, has_others }
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
        let long = [b'"'; WholeStrings::LONGEST_TOKEN + 1];
        assert!(WholeStrings::of([&long[..]].into_iter()).may_hold(b"a"));
    }
}
