//! What is defined only when the text reaches it.
//!
//! Some grammars are too large to be written out: the members of an object in any order, a schema of a
//! hundred thousand lines of which a text uses ten. A [`Deferred`](super::Expression::Deferred) stands for
//! an expression that a front end will give when it is asked
//! ([`Definitions`](crate::grammar::Definitions)). It never matches the empty text, and always matches
//! something: the front end promises so when it hands one out.
//!
//! A [`Capture`](super::Expression::Capture) reads a regular text, remembers it, and asks the front end for
//! what comes after *this* text. That is how a key can be refused the second time. Masks may ask what comes
//! after *any* text, where the front end can say so without forbidding more: it forbids less.

use super::{Expression, ExpressionId, ExpressionStore};

/// What a front end defines later; the number means something to the front end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeferredId(pub(crate) u32);

/// Where a captured text leads; the number means something to the front end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaptureId(pub(crate) u32);

/// A captured text, kept as the text before its last byte and that byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(u32);

impl TextId {
    /// The empty text.
    const EMPTY: Self = Self(0);
    /// Some text, it is not said which.
    pub(crate) const ANY: Self = Self(u32::MAX);
}

impl ExpressionStore {
    /// What a front end defines when asked.
    pub(crate) fn deferred(&mut self, id: DeferredId) -> ExpressionId {
        self.intern(Expression::Deferred(id))
    }

    /// Matches what `content` matches, and then what the front end says comes after that text.
    pub(crate) fn capture(&mut self, content: ExpressionId, capture: CaptureId) -> ExpressionId {
        self.capture_after(content, TextId::EMPTY, capture)
    }

    pub(super) fn capture_after(
        &mut self,
        content: ExpressionId,
        text: TextId,
        capture: CaptureId,
    ) -> ExpressionId {
        match content {
            Self::NOTHING => Self::NOTHING,
            Self::EMPTY => self.captured(text, capture),
            content => self.intern(Expression::Capture { content, text, capture }),
        }
    }

    pub(crate) fn captured(&mut self, text: TextId, capture: CaptureId) -> ExpressionId {
        self.intern(Expression::Captured { text, capture })
    }

    /// What comes after a text with more bytes.
    pub(crate) fn captured_after(&mut self, text: TextId, more: &[u8], capture: CaptureId) -> ExpressionId {
        let text = more.iter().fold(text, |text, &byte| self.longer_text(text, byte));
        self.captured(text, capture)
    }

    pub(super) fn longer_text(&mut self, text: TextId, byte: u8) -> TextId {
        // Zero is the empty text, so the entries count from one.
        TextId(self.intern_text((text.0, byte)) + 1)
    }

    /// The bytes of a captured text.
    pub(crate) fn captured_text(&self, text: TextId) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut at = text.0;
        while at != 0 {
            let (before, byte) = self.text_entry(at - 1);
            bytes.push(byte);
            at = before;
        }
        bytes.reverse();
        bytes
    }
}
