//! Counters as coarse as one token can tell apart.

use super::{Escape, Expression, ExpressionId, ExpressionStore};

/// An expression that begins with a repetition, taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// What is repeated.
    pub(crate) body: ExpressionId,
    /// How often it may still be repeated; [`ExpressionStore::UNBOUNDED`] for no limit.
    pub(crate) maximum: u32,
    /// What comes after it.
    pub(crate) rest: ExpressionId,
    /// The whole with any number of repetitions.
    pub(crate) uncounted: ExpressionId,
}

impl ExpressionStore {
    /// Takes an expression apart that begins with a repetition.
    pub(crate) fn uncounted(&mut self, id: ExpressionId) -> Option<Counted> {
        match self.get(id) {
            Expression::Concatenation(head, tail) => {
                let counted = self.uncounted(head)?;
                let rest = self.concatenate(counted.rest, tail);
                let uncounted = self.concatenate(counted.uncounted, tail);
                Some(Counted { rest, uncounted, ..counted })
            }
            Expression::JsonString { content, escape: Escape::None, spelling } => {
                let counted = self.uncounted(content)?;
                let rest = self.json_string(counted.rest, spelling);
                let uncounted = self.json_string(counted.uncounted, spelling);
                Some(Counted { rest, uncounted, ..counted })
            }
            Expression::Repetition { body, maximum, .. } => {
                let uncounted = self.repetition_raw(body, 0, Self::UNBOUNDED);
                Some(Counted { body, maximum, rest: Self::EMPTY, uncounted })
            }
            _ => None,
        }
    }

    /// The expression with counters past `horizon` made coarser, such that no text of up to `horizon`
    /// bytes can tell the difference: neither by being refused nor by completing the expression.
    ///
    /// Every further repetition reads at least one byte, so a maximum past the horizon is as good as
    /// none, and a minimum past it cannot be met. Inside intersections and complements counters decide
    /// what is empty, and are left alone.
    pub(crate) fn clamp(&mut self, id: ExpressionId, horizon: u32) -> ExpressionId {
        if self.greatest_counter(id) <= horizon {
            return id;
        }
        match self.get(id) {
            Expression::Concatenation(..) => {
                let mut parts = Vec::new();
                let mut at = id;
                while let Expression::Concatenation(head, tail) = self.get(at) {
                    if self.greatest_counter(at) <= horizon {
                        break;
                    }
                    parts.push(self.clamp(head, horizon));
                    at = tail;
                }
                parts.push(if matches!(self.get(at), Expression::Concatenation(..)) {
                    at
                } else {
                    self.clamp(at, horizon)
                });
                self.concatenation(&parts)
            }
            Expression::Alternatives(_) => {
                let operands: Vec<ExpressionId> =
                    self.operands(id).into_iter().map(|operand| self.clamp(operand, horizon)).collect();
                self.alternatives(&operands)
            }
            Expression::Repetition { body, minimum, maximum } => {
                let body = self.clamp(body, horizon);
                let maximum = if maximum > horizon { Self::UNBOUNDED } else { maximum };
                self.repetition_raw(body, minimum.min(horizon.saturating_add(1)), maximum)
            }
            Expression::JsonString { content, escape, spelling } => {
                let content = self.clamp(content, horizon);
                self.json_string_in(content, escape, spelling)
            }
            _ => id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ByteSet;
    use super::*;

    #[test]
    fn only_counters_past_the_horizon_change() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::range(b'a', b'z'));
        let end = store.literal(b"!");
        let counted = |store: &mut ExpressionStore, least, most| {
            let repetition = store.repetition(letter, least, most);
            store.concatenate(repetition, end)
        };
        for (least, most, clamped_least, clamped_most) in [
            (0, Some(10), 0, Some(10)),
            (0, Some(11), 0, None),
            (10, Some(1000), 10, None),
            (500, Some(1000), 11, None),
            (500, None, 11, None),
        ] {
            let (given, expected) =
                (counted(&mut store, least, most), counted(&mut store, clamped_least, clamped_most));
            assert_eq!(store.clamp(given, 10), expected, "{{{least},{most:?}}}");
        }
    }

    #[test]
    fn counters_inside_a_complement_are_left_alone() {
        let mut store = ExpressionStore::new();
        let letter = store.bytes(ByteSet::ALL);
        let short = store.repetition(letter, 0, Some(1000));
        let long = store.complement(short);
        assert_eq!(store.clamp(long, 10), long);
    }
}
