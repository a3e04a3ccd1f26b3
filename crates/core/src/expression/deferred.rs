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

/// Who defines what is deferred: one of the grammars written on demand that share a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafId(pub(crate) u32);

impl LeafId {
    /// The leaf as an index into those of its grammar.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a leaf defines, by a number that means something to the leaf only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Owned {
    pub(crate) leaf: LeafId,
    pub(crate) number: u32,
}

impl Owned {
    /// The number of all that a leaf matches. It can be deferred before the leaf is begun, and is its last
    /// number, so that it is none of its own.
    pub(crate) const WHOLE: u32 = u32::MAX;
}

/// What a leaf defines later, interned in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeferredId(u32);

/// Where a captured text leads, interned in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaptureId(u32);

/// A captured text, kept as the text before its last byte and that byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(u32);

impl TextId {
    /// The empty text.
    pub(crate) const EMPTY: Self = Self(0);
    /// Some text, it is not said which.
    pub(crate) const ANY: Self = Self(u32::MAX);
}

impl ExpressionStore {
    /// What a leaf defines when asked.
    pub(crate) fn deferred(&mut self, leaf: LeafId, number: u32) -> ExpressionId {
        let id = self.deferred_id(leaf, number);
        self.intern(Expression::Deferred(id))
    }

    /// The id of what a leaf defines.
    pub(crate) fn deferred_id(&mut self, leaf: LeafId, number: u32) -> DeferredId {
        DeferredId(self.intern_owned(Owned { leaf, number }))
    }

    /// Who defines something deferred, and by which number it is known there.
    pub(crate) fn deferred_by(&self, id: DeferredId) -> Owned {
        self.owned(id.0)
    }

    /// The id of where a captured text of a leaf leads.
    pub(crate) fn capture_id(&mut self, leaf: LeafId, number: u32) -> CaptureId {
        CaptureId(self.intern_owned(Owned { leaf, number }))
    }

    /// Who knows where a captured text leads, and by which number it is known there.
    pub(crate) fn captured_by(&self, id: CaptureId) -> Owned {
        self.owned(id.0)
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

    /// Whether more than one byte of a text that is being captured has been read: the first is the quote of a string. It is
    /// known which text that is.
    pub(crate) fn is_begun(&self, text: TextId) -> bool {
        text != TextId::EMPTY && self.text_entry(text.0 - 1).0 != TextId::EMPTY.0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_texts_count() {
        let mut store = ExpressionStore::with_nullable_rules(Vec::new());
        let before = store.size();
        let text = (0..1000).fold(TextId::EMPTY, |text, _| store.longer_text(text, b'a'));
        assert_eq!(store.captured_text(text).len(), 1000);
        assert!(store.size() >= before + 500);
    }
}
