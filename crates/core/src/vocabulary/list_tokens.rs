//! The tokens within which one item of a list may end and the next begin.

use super::TokenId;

/// The tokens that hold a comma, ascending.
#[derive(Debug)]
pub(crate) struct ListTokens {
    pub(crate) all: Box<[TokenId]>,
    /// Those that may hold a whole string behind a comma; few.
    pub(crate) with_string: Box<[TokenId]>,
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
        Self { all: all.into(), with_string: with_string.into() }
    }
}

/// What comes behind the first comma.
pub(crate) fn behind_comma(bytes: &[u8]) -> Option<&[u8]> {
    bytes.iter().position(|&byte| byte == b',').map(|comma| &bytes[comma + 1..])
}

/// Whether a whole string may be among some bytes.
pub(crate) fn may_hold_a_string(bytes: &[u8]) -> bool {
    bytes.iter().filter(|&&byte| byte == b'"').count() > 1
}
