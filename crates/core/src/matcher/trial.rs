//! Reading that is undone unless it is kept.

use std::ops::{Deref, DerefMut};

use super::Matcher;

/// A matcher that takes back the steps taken meanwhile when this is dropped without having been kept: after an error, and
/// where a panic unwinds, too. Nothing that reads goes behind the step at which this began.
pub(crate) struct Trial<'a> {
    matcher: &'a mut Matcher,
    /// The number of steps that stay.
    kept_steps: usize,
}

impl<'a> Trial<'a> {
    pub(crate) fn begin(matcher: &'a mut Matcher) -> Self {
        let kept_steps = matcher.step_count();
        Self { matcher, kept_steps }
    }

    /// Lets the matcher stay where it has got to.
    pub(crate) fn keep(mut self) {
        self.kept_steps = self.matcher.step_count();
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
        let taken = self.matcher.step_count().saturating_sub(self.kept_steps);
        if taken > 0 {
            self.matcher.take_back(taken);
        }
    }
}
