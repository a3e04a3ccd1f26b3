//! Pieces of a pattern without assertions, with what is known of their texts.

use std::sync::Arc;

use crate::error::Result;
use crate::expression::{Expression, ExpressionId, ExpressionStore};
use crate::frontend::character_set::{self, CharacterSet};
use crate::grammar::GrammarBuilder;

/// What is known of all texts of a language. Lengths are in code points.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// No text is shorter.
    pub(super) minimum: u64,
    /// No text is longer; `None` for no bound.
    pub(super) maximum: Option<u64>,
    /// The first code point of every text that has one is among these.
    pub(super) first: Arc<CharacterSet>,
    /// The last code point of every text that has one is among these.
    pub(super) last: Arc<CharacterSet>,
    /// Whether the language is exactly the set `first`, one code point a text.
    pub(super) is_character_set: bool,
}

impl Shape {
    /// The shape of the empty text.
    pub(super) fn empty() -> Self {
        let none = Arc::new(CharacterSet::empty());
        Self { minimum: 0, maximum: Some(0), first: Arc::clone(&none), last: none, is_character_set: false }
    }

    /// The shape of one code point of the set.
    pub(super) fn character(set: Arc<CharacterSet>) -> Self {
        Self { minimum: 1, maximum: Some(1), first: Arc::clone(&set), last: set, is_character_set: true }
    }

    /// The shape of one text, which is not empty.
    pub(super) fn literal(text: &str) -> Self {
        let single = |character: Option<char>| {
            let character = character.unwrap_or_default();
            Arc::new(character_set::set_of(&[(character, character)]))
        };
        let length = text.chars().count() as u64;
        Self {
            minimum: length,
            maximum: Some(length),
            first: single(text.chars().next()),
            last: single(text.chars().next_back()),
            is_character_set: length == 1,
        }
    }

    /// The shape of the operands one after another.
    pub(super) fn concatenation(operands: &[&Self]) -> Self {
        if let [single] = operands {
            return (*single).clone();
        }
        let is_long = |operand: &&Self| operand.minimum > 0;
        let to_first = operands.iter().position(&is_long).map_or(operands.len(), |at| at + 1);
        let from_last = operands.iter().rposition(is_long).unwrap_or(0);
        Self {
            minimum: operands.iter().fold(0, |sum, operand| sum.saturating_add(operand.minimum)),
            maximum: operands.iter().try_fold(0u64, |sum, operand| sum.checked_add(operand.maximum?)),
            first: union(operands[..to_first].iter().map(|operand| &operand.first)),
            last: union(operands[from_last..].iter().map(|operand| &operand.last)),
            is_character_set: false,
        }
    }

    /// The shape of any of the operands.
    pub(super) fn alternation(operands: &[&Self]) -> Self {
        Self {
            minimum: operands.iter().map(|operand| operand.minimum).min().unwrap_or(0),
            maximum: operands.iter().try_fold(0, |most, operand| Some(operand.maximum?.max(most))),
            first: union(operands.iter().map(|operand| &operand.first)),
            last: union(operands.iter().map(|operand| &operand.last)),
            is_character_set: !operands.is_empty() && operands.iter().all(|operand| operand.is_character_set),
        }
    }

    /// The shape of a repetition.
    pub(super) fn repetition(&self, minimum: u32, maximum: Option<u32>) -> Self {
        let most = match (self.maximum, maximum) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(length), Some(count)) => length.checked_mul(u64::from(count)),
            _ => None,
        };
        Self {
            minimum: self.minimum.saturating_mul(u64::from(minimum)),
            maximum: most,
            is_character_set: self.is_character_set && (minimum, maximum) == (1, Some(1)),
            ..self.clone()
        }
    }
}

/// The union of sets, without a copy where there is only one.
fn union<'s>(sets: impl Iterator<Item = &'s Arc<CharacterSet>>) -> Arc<CharacterSet> {
    let mut distinct: Vec<&Arc<CharacterSet>> = Vec::new();
    for set in sets {
        if !set.ranges().is_empty() && !distinct.last().is_some_and(|last| Arc::ptr_eq(last, set)) {
            distinct.push(set);
        }
    }
    match distinct.as_slice() {
        [single] => Arc::clone(single),
        sets => Arc::new(CharacterSet::new(sets.iter().flat_map(|set| set.iter().copied()))),
    }
}

/// The expression of any text at all.
pub(super) fn any_text(builder: &mut GrammarBuilder) -> ExpressionId {
    let character = builder.any_character();
    builder.repetition(character, 0, None)
}

/// An expression over text, without assertions, and its shape.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) expression: ExpressionId,
    pub(super) shape: Shape,
}

impl Segment {
    /// Matches the empty text.
    pub(super) fn empty() -> Self {
        Self { expression: GrammarBuilder::EMPTY, shape: Shape::empty() }
    }

    /// Matches any text at all.
    pub(super) fn any_text(builder: &mut GrammarBuilder) -> Self {
        let shape = Shape::character(Arc::new(character_set::all_characters())).repetition(0, None);
        Self { expression: any_text(builder), shape }
    }

    /// Matches the segment again and again.
    pub(super) fn repeated(&self, minimum: u32, maximum: Option<u32>, builder: &mut GrammarBuilder) -> Self {
        let expression = builder.repetition(self.expression, minimum, maximum);
        Self { expression, shape: self.shape.repetition(minimum, maximum) }
    }

    /// The texts that are not empty; `None` if there are none.
    ///
    /// # Errors
    /// Those of intersections and complements, which cannot come of texts.
    pub(super) fn without_empty(mut self, builder: &mut GrammarBuilder) -> Result<Option<Self>> {
        let store = builder.expressions();
        self.expression = match store.get(self.expression) {
            Expression::Repetition { body, minimum: 0, maximum } if !store.is_nullable(body) => {
                let maximum = (maximum != ExpressionStore::UNBOUNDED).then_some(maximum);
                builder.repetition(body, 1, maximum)
            }
            _ => {
                let not_empty = builder.complement(GrammarBuilder::EMPTY)?;
                builder.intersection(&[self.expression, not_empty])?
            }
        };
        self.shape.minimum = self.shape.minimum.max(1);
        Ok((self.expression != GrammarBuilder::NOTHING).then_some(self))
    }

    /// Matches the segments one after another.
    pub(super) fn concatenation(segments: &[&Self], builder: &mut GrammarBuilder) -> Self {
        let expressions: Vec<ExpressionId> = segments.iter().map(|segment| segment.expression).collect();
        let shapes: Vec<&Shape> = segments.iter().map(|segment| &segment.shape).collect();
        Self { expression: builder.concatenation(&expressions), shape: Shape::concatenation(&shapes) }
    }

    /// Matches what any of the segments matches.
    pub(super) fn alternation(segments: &[Self], builder: &mut GrammarBuilder) -> Self {
        let expressions: Vec<ExpressionId> = segments.iter().map(|segment| segment.expression).collect();
        let shapes: Vec<&Shape> = segments.iter().map(|segment| &segment.shape).collect();
        Self { expression: builder.alternatives(&expressions), shape: Shape::alternation(&shapes) }
    }
}
