//! Texts of a branch one after another, with no assertion between them.

use std::rc::Rc;

use super::segment::{Segment, Shape};
use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;

/// Texts one after another. They become one expression only when that is asked for, so that it takes no longer to
/// add to a long run than to a short one.
#[derive(Clone, Debug)]
pub(super) struct Run {
    texts: Texts,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
enum Texts {
    One(ExpressionId),
    Joined(Rc<Joined>),
}

#[derive(Debug)]
struct Joined {
    first: Texts,
    second: Texts,
}

impl Drop for Joined {
    /// Without calls of itself: the texts of a long run nest as deep as it is long.
    fn drop(&mut self) {
        let take = |texts: &mut Texts| std::mem::replace(texts, Texts::One(GrammarBuilder::EMPTY));
        let mut waiting = vec![take(&mut self.first), take(&mut self.second)];
        while let Some(texts) = waiting.pop() {
            if let Texts::Joined(joined) = texts
                && let Some(mut joined) = Rc::into_inner(joined)
            {
                waiting.extend([take(&mut joined.first), take(&mut joined.second)]);
            }
        }
    }
}

impl Run {
    /// The texts of one segment.
    pub(super) fn of(segment: Segment, builder: &GrammarBuilder) -> Self {
        let Segment { expression, mut shape } = segment;
        if !builder.expressions().is_nullable(expression) {
            shape.minimum = shape.minimum.max(1);
        }
        Self { texts: Texts::One(expression), shape }
    }

    /// The run, and another one after it.
    pub(super) fn followed_by(&self, other: &Self) -> Self {
        let joined = Joined { first: self.texts.clone(), second: other.texts.clone() };
        Self {
            texts: Texts::Joined(Rc::new(joined)),
            shape: Shape::concatenation(&[&self.shape, &other.shape]),
        }
    }

    /// Whether it is known that the run is the empty text.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.texts, Texts::One(GrammarBuilder::EMPTY))
    }

    /// The run as one segment.
    pub(super) fn segment(&self, builder: &mut GrammarBuilder) -> Segment {
        let mut expressions = Vec::new();
        let mut waiting = vec![&self.texts];
        while let Some(texts) = waiting.pop() {
            match texts {
                Texts::One(expression) => expressions.push(*expression),
                Texts::Joined(joined) => waiting.extend([&joined.second, &joined.first]),
            }
        }
        Segment { expression: builder.concatenation(&expressions), shape: self.shape.clone() }
    }
}
