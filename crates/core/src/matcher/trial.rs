//! Reading that is undone unless it is kept.

use std::ops::{Deref, DerefMut};

use super::Matcher;
use super::position::Position;

/// A matcher that goes back to where it stood when this is dropped without having been kept: after an error, and where a
/// panic unwinds, too.
pub(super) struct Trial<'a> {
    matcher: &'a mut Matcher,
    /// `None` once what was read is kept.
    before: Option<Position>,
}

impl<'a> Trial<'a> {
    pub(super) fn begin(matcher: &'a mut Matcher) -> Self {
        let before = Some(matcher.at.clone());
        Self { matcher, before }
    }

    /// Lets the matcher stay where it has got to.
    pub(super) fn keep(mut self) {
        self.before = None;
    }
}

impl Deref for Trial<'_> {
    type Target = Matcher;

    fn deref(&self) -> &Matcher {
        self.matcher
    }
}

impl DerefMut for Trial<'_> {
    fn deref_mut(&mut self) -> &mut Matcher {
        self.matcher
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            self.matcher.at = before;
            self.matcher.refused = None;
        }
    }
}
