//! Assertions as languages of the text before or after a place, and patterns as branches.

use std::sync::Arc;

use super::segment::{self, Segment};
use super::tree::Direction;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId};
use crate::frontend::character_set::{self, CharacterSet};
use crate::grammar::GrammarBuilder;

/// Where an assertion comes from, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) name: &'static str,
    /// The place in the pattern.
    pub(super) offset: usize,
}

/// An assertion that only asks for the neighbouring code point.
#[derive(Clone, Debug)]
pub(super) struct Neighbour {
    /// Holds beside any of these.
    pub(super) set: Arc<CharacterSet>,
    /// Whether it holds at the edge of the text.
    pub(super) edge: bool,
}

/// An assertion: the whole text ahead of a place (or the whole text behind it) is in a language.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) direction: Direction,
    /// The language, over text; or the complement of such a language, over bytes.
    pub(super) language: ExpressionId,
    /// Among texts of at least this many code points, that many next to the place decide; `None` if no
    /// number does.
    pub(super) window: Option<u64>,
    /// No text of the language is longer; `None` for no bound.
    pub(super) longest: Option<u64>,
    /// The assertion as one of the neighbouring code point, where it is one.
    pub(super) neighbour: Option<Neighbour>,
    pub(super) origin: Origin,
}

impl Look {
    /// Asks for a code point of the set beside the place, or for the edge of the text if `edge`.
    pub(super) fn neighbour(
        direction: Direction,
        neighbour: Neighbour,
        origin: Origin,
        builder: &mut GrammarBuilder,
    ) -> Self {
        let text = segment::any_text(builder);
        let character = character_set::expression_of(&neighbour.set, builder);
        let beside = match direction {
            Direction::Ahead => builder.concatenation(&[character, text]),
            Direction::Behind => builder.concatenation(&[text, character]),
        };
        let edge = if neighbour.edge { GrammarBuilder::EMPTY } else { GrammarBuilder::NOTHING };
        Self {
            direction,
            language: builder.alternatives(&[beside, edge]),
            window: Some(1),
            longest: neighbour.set.ranges().is_empty().then_some(0),
            neighbour: Some(neighbour),
            origin,
        }
    }

    /// Holds where the other does not.
    pub(super) fn negated(&self, builder: &mut GrammarBuilder) -> Result<Self> {
        if let Some(Neighbour { set, edge }) = &self.neighbour {
            let outside = Neighbour { set: Arc::new(character_set::negated(set)), edge: !edge };
            return Ok(Self::neighbour(self.direction, outside, self.origin, builder));
        }
        let language = builder.complement(self.language)?;
        Ok(Self { language, longest: None, ..self.clone() })
    }

    /// Whether it is known that no code point beside a place, nor the edge of the text, satisfies both this assertion and
    /// another one in the same direction.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let (Some(one), Some(other)) = (&self.neighbour, &other.neighbour) else { return false };
        if Arc::ptr_eq(&one.set, &other.set) || (one.edge && other.edge) {
            return false;
        }
        character_set::intersected(&one.set, &other.set).ranges().is_empty()
    }

    /// Whether it asks for the edge of the text, and for nothing else.
    pub(super) fn is_at_edge_only(&self) -> bool {
        self.neighbour.as_ref().is_some_and(|beside| beside.edge && beside.set.ranges().is_empty())
    }

    /// Whether it is what `$` asks for in Python: the end of the text, or a newline before it.
    pub(super) fn is_final_newline(&self) -> bool {
        self.longest == Some(1) && self.window == Some(2)
    }

    /// Whether it holds where a text that is not empty is beside the place, whatever comes behind that; `None` where its
    /// first character, or the last for what looks back, does not tell.
    pub(super) fn holds_beside(&self, text: &Segment, builder: &GrammarBuilder) -> Option<bool> {
        if self.longest.is_some_and(|longest| text.shape.minimum > longest) {
            return Some(false);
        }
        if let Some(Neighbour { set, .. }) = &self.neighbour {
            let side = if self.direction == Direction::Ahead { &text.shape.first } else { &text.shape.last };
            if character_set::is_subset(side, set) {
                return Some(true);
            }
            return character_set::intersected(side, set).ranges().is_empty().then_some(false);
        }
        if self.direction == Direction::Behind {
            return None;
        }
        let store = builder.expressions();
        let first = store.first_bytes(text.expression);
        let begins_otherwise = |language| store.first_bytes(language).intersection(&first).is_empty();
        match store.get(self.language) {
            Expression::Complement(refused) => begins_otherwise(refused).then_some(true),
            _ => begins_otherwise(self.language).then_some(false),
        }
    }

    /// Whether it holds where no text is left in its direction.
    pub(super) fn holds_at_edge(&self, builder: &GrammarBuilder) -> bool {
        builder.expressions().is_nullable(self.language)
    }
}

/// The texts of a segment that satisfy some assertions, where the segment alone decides; `None` if there are none.
pub(super) fn restrict(
    looks: &[&Look],
    segment: Segment,
    builder: &mut GrammarBuilder,
) -> Result<Option<Segment>> {
    let Segment { mut expression, mut shape } = segment;
    let mut other_set = None;
    let mut languages = Vec::new();
    for look in looks {
        if look.longest.is_some_and(|longest| shape.minimum > longest) {
            return Ok(None);
        }
        if let Some(Neighbour { set, .. }) = look.neighbour.as_ref().filter(|_| shape.minimum > 0) {
            let side = match look.direction {
                Direction::Ahead => &mut shape.first,
                Direction::Behind => &mut shape.last,
            };
            if character_set::is_subset(side, set) {
                continue;
            }
            let common = Arc::new(character_set::intersected(side, set));
            if common.ranges().is_empty() {
                return Ok(None);
            }
            *side = Arc::clone(&common);
            if shape.is_character_set {
                (shape.first, shape.last) = (Arc::clone(&common), Arc::clone(&common));
                other_set = Some(common);
                continue;
            }
        }
        shape.is_character_set = false;
        shape.maximum = match (shape.maximum, look.longest) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (bound, other) => bound.or(other),
        };
        languages.push(look.language);
    }
    if let Some(set) = other_set {
        expression = character_set::expression_of(&set, builder);
    }
    if !languages.is_empty() {
        expression = intersect(expression, languages, builder)?;
    }
    Ok((expression != GrammarBuilder::NOTHING).then_some(Segment { expression, shape }))
}

/// The intersection of a language of text with languages, or complements of such.
fn intersect(
    text: ExpressionId,
    mut languages: Vec<ExpressionId>,
    builder: &mut GrammarBuilder,
) -> Result<ExpressionId> {
    let is_text = |&language: &ExpressionId| !builder.expressions().is_complement(language);
    let is_any_text = languages.iter().any(is_text) && text == segment::any_text(builder);
    if !is_any_text {
        languages.push(text);
    }
    builder.intersection(&languages)
}

/// A part of a branch.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Text(Segment),
    Look(Look),
}

/// Texts and assertions in their order.
pub(super) type Branch = Vec<Item>;
