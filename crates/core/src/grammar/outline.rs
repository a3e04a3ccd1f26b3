//! Expressions as far as a token can tell them apart.
//!
//! After a value of an object, what follows remembers which keys have come, and so is different after each. But nearly
//! all tokens that go on there end before the next key does, or at its first characters: to them it is the same whatever
//! has come, but for whether the object may end and whether another key may come. A front end says so by the *outline* of
//! what it defers, and masks read that in its place wherever no token reads further than the outline goes.

use smallvec::SmallVec;

use super::PreparedGrammar;
use super::lazy::Workshop;
use super::prepare::PreparedRule;
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{CaptureId, Expression, ExpressionId, Owned, TextId};

impl PreparedGrammar {
    /// The expression with what is deferred at its end as an outline. Defines what comes after a captured text. `None` where
    /// there is none.
    pub(crate) fn outline(&mut self, id: ExpressionId, deadline: &Deadline) -> Result<Option<ExpressionId>> {
        /// More operands than this are no value with what follows it.
        const MOST_HEADS: usize = 8;
        let mut heads: SmallVec<[ExpressionId; MOST_HEADS]> = SmallVec::new();
        let mut at = id;
        loop {
            deadline.check()?;
            let (head, tail) = match self.expressions.get(at) {
                Expression::Concatenation(head, tail) => (head, Some(tail)),
                _ => (at, None),
            };
            match (self.expressions.get(head), tail) {
                (Expression::Captured { text, capture }, _) => {
                    if text == TextId::ANY
                        && tail.is_none()
                        && !self.is_defined(head)
                        && let Some(outline) = self.outline_after_any(capture, deadline)?
                    {
                        heads.push(outline);
                        return Ok(Some(self.expressions.concatenation(&heads)));
                    }
                    let definition = self.define(head, deadline)?;
                    at = tail.map_or(definition, |tail| self.expressions.concatenate(definition, tail));
                }
                (_, Some(_)) if heads.len() == MOST_HEADS => return Ok(None),
                (_, Some(tail)) => {
                    heads.push(head);
                    at = tail;
                }
                (Expression::Call(rule), None) => {
                    let PreparedRule { body, is_transparent, .. } = self.rules[rule.index()];
                    if !is_transparent && !matches!(self.expressions.get(body), Expression::Deferred(_)) {
                        return Ok(None);
                    }
                    at = body;
                }
                (Expression::Deferred(deferred), None) => {
                    let Owned { leaf, number } = self.expressions.deferred_by(deferred);
                    let Self { expressions, emptiness, rules, leaves, leaves_size, whole_strings, .. } = self;
                    let mut workshop = Workshop { expressions, emptiness, rules, deadline };
                    let outline = leaves[leaf.index()]
                        .ask(leaves_size, |leaf| leaf.outline(number, whole_strings, &mut workshop))?;
                    heads.extend(outline);
                    return Ok(outline.map(|_| self.expressions.concatenation(&heads)));
                }
                _ => return Ok(None),
            }
        }
    }

    /// The outline of what comes after any text of a capture, where its front end knows that before it is defined.
    fn outline_after_any(&mut self, capture: CaptureId, deadline: &Deadline) -> Result<Option<ExpressionId>> {
        let Owned { leaf, number } = self.expressions.captured_by(capture);
        let Self { expressions, emptiness, rules, leaves, leaves_size, .. } = self;
        let mut workshop = Workshop { expressions, emptiness, rules, deadline };
        leaves[leaf.index()].ask(leaves_size, |leaf| leaf.outline_after_any(number, &mut workshop))
    }
}
