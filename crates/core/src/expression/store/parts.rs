//! Nodes over other parts: as they are, or in normal form.

use super::{ByteSetId, Expression, ExpressionId, ExpressionStore, ListId};
use crate::expression::{LiteralRange, LiteralSetId};

/// What stands in place of each part of a node.
pub(super) trait Parts {
    /// What stands in place of an operand.
    fn expression(&mut self, id: ExpressionId) -> ExpressionId;
    /// What stands in place of a list of operands.
    fn list(&mut self, id: ListId) -> ListId;
    /// What stands in place of a set of bytes.
    fn byte_set(&mut self, id: ByteSetId) -> ByteSetId;
    /// What stands in place of a set of fixed strings.
    fn literal_set(&mut self, id: LiteralSetId) -> LiteralSetId;
}

impl Expression {
    /// The node over other parts, as it is: in normal form where they are, and differ wherever the node's own do. `None` where
    /// it is not made of bytes alone.
    #[inline]
    pub(super) fn over(self, parts: &mut impl Parts) -> Option<Self> {
        Some(match self {
            Self::Nothing | Self::Empty => self,
            Self::Bytes(set) => Self::Bytes(parts.byte_set(set)),
            Self::Literals(range) => {
                Self::Literals(LiteralRange { set: parts.literal_set(range.set), ..range })
            }
            Self::Concatenation(head, tail) => {
                Self::Concatenation(parts.expression(head), parts.expression(tail))
            }
            Self::Alternatives(list) => Self::Alternatives(parts.list(list)),
            Self::Intersection(list) => Self::Intersection(parts.list(list)),
            Self::Repetition { body, minimum, maximum } => {
                Self::Repetition { body: parts.expression(body), minimum, maximum }
            }
            Self::Complement(operand) => Self::Complement(parts.expression(operand)),
            _ => return None,
        })
    }
}

impl ExpressionStore {
    /// What a node says with other operands, in normal form; `None` of a node that has none, or holds more than them. There
    /// are as many as it has, in the [order](Self::operands) of its own.
    pub(crate) fn with_operands(
        &mut self,
        node: Expression,
        operands: &[ExpressionId],
    ) -> Option<ExpressionId> {
        Some(match (node, operands) {
            (Expression::Concatenation(..), &[head, tail]) => self.concatenate(head, tail),
            (Expression::Alternatives(_), operands) => self.alternatives(operands),
            (Expression::Intersection(_), operands) => self.intersection(operands),
            (Expression::Repetition { minimum, maximum, .. }, &[body]) => {
                self.repetition_raw(body, minimum, maximum)
            }
            (Expression::Complement(_), &[operand]) => self.complement(operand),
            _ => return None,
        })
    }
}
