//! Free text in the middle of tags, beside the same text of which nothing has been read.
//!
//! Nearly all that may come next is the same for both: any text is. Where the bytes that come complete a tag that has been begun,
//! one of the two opens it; where they do not go on with it, both come to the same node of the strings' automaton. So the two
//! are told apart by reading both automata along those bytes alone on which they lead elsewhere, and nothing has to be
//! known of what follows the tags.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{FreeTextId, FreeTextPosition, FreeTextTable};
use crate::expression::unfold::MOST_STEPS;
use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::Utf8State;

/// What is left of an expression where nothing of the free text that it begins with has been read.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) expression: ExpressionId,
    /// The free text of both; `None` where not all alternatives begin with some, or those that do not are not the same.
    pub(crate) texts: Option<TextPairs>,
}

/// One free text at two places of it, which have read the same since one of them had read nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextPair {
    table: FreeTextId,
    this: FreeTextPosition,
    /// Invariant: its node is a suffix of that of `this`, and its character the same.
    other: FreeTextPosition,
}

/// The free text with which two expressions begin that are alike but for how far it has been read. Both match the same behind it, and beside it.
///
/// Invariant: at both places of each the text can be completed, and may end or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextPairs(SmallVec<[TextPair; 2]>);

/// What a byte makes of two expressions that begin with free text.
#[derive(Debug)]
pub(crate) enum Both {
    /// They are the same from here on.
    Same,
    /// They are alike but for how far their free text has been read.
    Alike(TextPairs),
    /// One of them opens a tag, ends or goes on where the other does not; and whether any free text of the first goes on.
    Apart { goes_on: bool },
}

impl TextPairs {
    fn push(&mut self, pair: TextPair) {
        if pair.this != pair.other && !self.0.contains(&pair) {
            self.0.push(pair);
        }
    }
}

impl FreeTextTable {
    /// The bytes after which two places are not the same, possibly with others.
    fn bytes_apart(&self, TextPair { this, other, .. }: &TextPair) -> ByteSet {
        // Where an occurrence that was passed over has to be covered, all other bytes lead nowhere.
        match (self.automaton.reach(this.node), self.automaton.reach(other.node)) {
            (0, 0) => self.automaton.edge_bytes(this.node),
            _ => self.first_bytes(*this).union(&self.first_bytes(*other)),
        }
    }
}

impl ExpressionStore {
    /// Those alternatives that begin with free text between two characters, as if nothing of it had been read;
    /// `None` where that is no other expression, or takes long to find.
    pub(crate) fn with_unread_free_text(&mut self, id: ExpressionId) -> Option<Unread> {
        if !self.has_free_text() {
            return None;
        }
        let (mut unread, mut texts) = (Vec::new(), Some(TextPairs::default()));
        let mut waiting = vec![self.unfold_free_text(id)];
        let mut seen = FxHashSet::default();
        while let Some(item) = waiting.pop() {
            if seen.len() == MOST_STEPS {
                return None;
            }
            // What repeats itself, and need not read anything, comes again.
            if !seen.insert(item) {
                continue;
            }
            let (head, tail) = self.head_and_rest(item);
            match self.get(head) {
                Expression::FreeText { table, at } if at.character == Utf8State::BOUNDARY => {
                    let start = self.free_text_start(table);
                    unread.push(self.concatenate(start, tail));
                    texts = texts.and_then(|texts| self.with_text(texts, table, at));
                }
                // The normal form of free text that is followed by a repetition of itself.
                Expression::Repetition { body, .. }
                    if matches!(self.get(body), Expression::FreeText { .. }) =>
                {
                    unread.push(item);
                }
                // All of them have been unfolded. A repetition of what may be empty would come to the whole again.
                Expression::Alternatives(list) => {
                    for alternative in self.list(list).to_vec() {
                        waiting.push(self.concatenate(alternative, tail));
                    }
                }
                // What may be left out before free text, such as reasoning.
                _ if tail != Self::EMPTY && self.is_nullable(head) => {
                    texts = None;
                    waiting.push(self.unfold_free_text(tail));
                }
                _ => texts = None,
            }
        }
        let expression = self.alternatives(&unread);
        (expression != Self::NOTHING && expression != id).then_some(Unread { expression, texts })
    }

    /// Some texts and one more, at a place and at its beginning; `None` where these are not alike, or the texts are many.
    fn with_text(&self, mut texts: TextPairs, table: FreeTextId, at: FreeTextPosition) -> Option<TextPairs> {
        /// More seldom stand beside each other.
        const MOST: usize = 8;
        let this = self.free_text_table(table);
        if this.may_end(at) != this.may_end(FreeTextPosition::START) || texts.0.len() == MOST {
            return None;
        }
        texts.push(TextPair { table, this: at, other: FreeTextPosition::START });
        Some(texts)
    }

    /// The bytes after which two expressions that begin with free text are not the same, possibly with others.
    pub(crate) fn bytes_apart(&self, texts: &TextPairs) -> ByteSet {
        let of_each = texts.0.iter().map(|pair| self.free_text_table(pair.table).bytes_apart(pair));
        of_each.fold(ByteSet::EMPTY, |all, bytes| all.union(&bytes))
    }

    /// What a byte makes of two expressions that begin with free text.
    pub(crate) fn read_both(&self, texts: &TextPairs, byte: u8) -> Both {
        let mut after = TextPairs::default();
        let (mut is_apart, mut goes_on) = (false, false);
        for &TextPair { table, this, other } in &texts.0 {
            let of = self.free_text_table(table);
            let (one, two) = (of.living_step(this, byte), of.living_step(other, byte));
            goes_on |= one.next.is_some();
            match (one.next, two.next) {
                _ if one.opens != two.opens => is_apart = true,
                (None, None) => {}
                (Some(this), Some(other)) if of.may_end(this) == of.may_end(other) => {
                    after.push(TextPair { table, this, other });
                }
                _ => is_apart = true,
            }
        }
        match is_apart {
            true => Both::Apart { goes_on },
            false if after.0.is_empty() => Both::Same,
            false => Both::Alike(after),
        }
    }
}
