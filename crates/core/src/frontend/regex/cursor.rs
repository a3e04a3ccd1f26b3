//! A place in the pattern that moves forward, and the errors that point at it.

use std::ops::Range;

use crate::error::{Error, Location};
use crate::excerpt::quote;

/// The unread rest of a pattern.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'p> {
    text: &'p str,
    offset: usize,
}

impl<'p> Cursor<'p> {
    pub(super) fn new(text: &'p str) -> Self {
        Self { text, offset: 0 }
    }

    /// The offset of the next code point, in bytes.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Goes to an offset that lies on a code point boundary.
    pub(super) fn go_to(&mut self, offset: usize) {
        self.offset = offset;
    }

    pub(super) fn rest(&self) -> &'p str {
        &self.text[self.offset..]
    }

    /// The text from `start` to here.
    pub(super) fn since(&self, start: usize) -> &'p str {
        &self.text[start..self.offset]
    }

    /// A part of the pattern, from one code point boundary to another.
    pub(super) fn text(&self, range: &Range<usize>) -> &'p str {
        &self.text[range.clone()]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.offset += next.len_utf8();
        Some(next)
    }

    /// Reads `expected` if it comes next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.offset += expected.len();
        }
        found
    }

    /// Reads at most `most` code points while they satisfy the condition.
    pub(super) fn take_while(&mut self, most: usize, keep: impl Fn(char) -> bool) -> &'p str {
        let rest = self.rest();
        let length = rest.chars().take(most).take_while(|&c| keep(c)).map(char::len_utf8).sum();
        self.offset += length;
        &rest[..length]
    }

    /// The line and column of an offset.
    pub(super) fn location(&self, offset: usize) -> Location {
        Location::of(self.text, offset)
    }

    /// A syntax error whose offending text goes from `start` to here; the next code point where that is
    /// empty.
    pub(super) fn syntax_error(&self, start: usize, expected: &str, help: &str) -> Error {
        let end = self.offset.max(start + self.text[start..].chars().next().map_or(0, char::len_utf8));
        Error::Syntax {
            location: self.location(start),
            found: quoted(&self.text[start..end]),
            expected: expected.to_owned(),
            help: help.to_owned(),
        }
    }

    /// A refusal of what stands at `start`.
    pub(super) fn unsupported(&self, start: usize, feature: &str, reason: &str) -> Error {
        Error::Unsupported {
            feature: feature.to_owned(),
            location: self.location(start).to_string(),
            reason: reason.to_owned(),
        }
    }
}

/// The text between backquotes, shortened, with control characters escaped; empty text is the end of input.
fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "end of input".to_owned();
    }
    quote(text)
}
