//! The tokens within which one item of a list may end and the next begin.

use super::TokenId;

/// Words of a mask row with the bits of some tokens, each with its index, ascending.
pub(crate) type TokenWords = Box<[(u32, u32)]>;

/// The tokens that hold a comma.
#[derive(Debug)]
pub(crate) struct ListTokens {
    pub(crate) all: TokenWords,
    /// Those that may hold a whole string behind a comma; few.
    pub(crate) with_string: TokenWords,
}

impl ListTokens {
    /// Those of some tokens, given in the order of their ids.
    pub(super) fn of<'a>(tokens: impl Iterator<Item = (TokenId, &'a [u8])>) -> Self {
        let (mut all, mut with_string) = (Vec::new(), Vec::new());
        for (token, bytes) in tokens {
            if let Some(rest) = behind_comma(bytes) {
                all.push(token);
                with_string.extend(may_hold_a_string(rest).then_some(token));
            }
        }
        let [all, with_string] = [all, with_string].map(|tokens| words_of(&tokens));
        Self { all, with_string }
    }

    /// The memory in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.all) + size_of_val(&*self.with_string)
    }
}

/// The words of some tokens, which ascend.
fn words_of(tokens: &[TokenId]) -> TokenWords {
    let words = tokens.chunk_by(|one, next| one.0 / 32 == next.0 / 32);
    let bits = |word: &[TokenId]| word.iter().fold(0, |bits, token| bits | 1 << (token.0 % 32));
    words.map(|word| (word[0].0 / 32, bits(word))).collect()
}

/// What comes behind the first comma.
pub(crate) fn behind_comma(bytes: &[u8]) -> Option<&[u8]> {
    bytes.iter().position(|&byte| byte == b',').map(|comma| &bytes[comma + 1..])
}

/// Whether a whole string may be among some bytes.
pub(crate) fn may_hold_a_string(bytes: &[u8]) -> bool {
    bytes.iter().filter(|&&byte| byte == b'"').count() > 1
}

/// Whether the only string that may be whole among some bytes is an empty one.
pub(crate) fn holds_only_an_empty_string(bytes: &[u8]) -> bool {
    let mut quotes = (0..bytes.len()).filter(|&at| bytes[at] == b'"');
    match (quotes.next(), quotes.next(), quotes.count()) {
        (Some(first), Some(second), 0 | 1) => second == first + 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_string_is_told_from_others_and_from_several() {
        for bytes in [b"\"\"".as_slice(), b" \"\",", b"\"\",\"a"] {
            assert!(may_hold_a_string(bytes) && holds_only_an_empty_string(bytes), "{bytes:?}");
        }
        for bytes in [b"".as_slice(), b"\"", b"\"a\"", b"\",\"\"", b"\"\",\"\"", b"\"\",\"a\""] {
            assert!(!holds_only_an_empty_string(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn words_hold_the_bits_of_their_tokens() {
        let words = words_of(&[0, 31, 64, 65, 200].map(TokenId));
        assert_eq!(&*words, [(0, 1 << 31 | 1), (2, 0b11), (6, 1 << 8)]);
    }
}
