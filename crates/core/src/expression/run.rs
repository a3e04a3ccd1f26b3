//! Runs of bytes at the beginning of an expression, such as white space before a value.

use super::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// An expression taken apart: some bytes of a set, so many at least and at most, and then the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) bytes: ByteSet,
    pub(crate) minimum: u32,
    pub(crate) maximum: u32,
    pub(crate) rest: ExpressionId,
}

impl ExpressionStore {
    /// The run that an expression begins with, in all of its alternatives the same.
    pub(crate) fn leading_run(&mut self, id: ExpressionId) -> Option<Run> {
        match self.get(id) {
            Expression::Concatenation(head, tail) => {
                if let Expression::Repetition { body, minimum, maximum } = self.get(head)
                    && let Expression::Bytes(set) = self.get(body)
                {
                    return Some(Run { bytes: *self.byte_set(set), minimum, maximum, rest: tail });
                }
                match self.get(head) {
                    Expression::Repetition { body, minimum, maximum } => {
                        self.leading_run_of_repetition(body, (minimum, maximum), tail)
                    }
                    Expression::Alternatives(_) => {
                        let run = self.leading_run(head)?;
                        Some(Run { rest: self.concatenate(run.rest, tail), ..run })
                    }
                    _ => None,
                }
            }
            Expression::Alternatives(_) => {
                let operands = self.operands(id);
                let first = self.leading_run(*operands.first()?)?;
                let mut rests = vec![first.rest];
                for &operand in &operands[1..] {
                    let run = self.leading_run(operand)?;
                    if (Run { rest: first.rest, ..run }) != first {
                        return None;
                    }
                    rests.push(run.rest);
                }
                Some(Run { rest: self.alternatives(&rests), ..first })
            }
            _ => None,
        }
    }

    /// The run that a repetition begins with, and so does what follows it where nothing need be repeated, such as white
    /// space before a comma and before a bracket.
    fn leading_run_of_repetition(
        &mut self,
        body: ExpressionId,
        (minimum, maximum): (u32, u32),
        tail: ExpressionId,
    ) -> Option<Run> {
        let run = self.leading_run(body)?;
        let left = if maximum == Self::UNBOUNDED { maximum } else { maximum - 1 };
        let others = self.repetition_raw(body, minimum.saturating_sub(1), left);
        let rest = self.concatenation(&[run.rest, others, tail]);
        if minimum > 0 {
            return Some(Run { rest, ..run });
        }
        let other = self.leading_run(tail)?;
        let rests = [rest, other.rest];
        let is_same = Run { rest: run.rest, ..other } == run;
        is_same.then(|| Run { rest: self.alternatives(&rests), ..run })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_where_all_alternatives_begin_with_it() {
        let mut store = ExpressionStore::new();
        let blank = store.bytes(ByteSet::single(b' '));
        let run = store.repetition(blank, 0, Some(9));
        let [a, b] = [b"a", b"b"].map(|text| store.literal(text));
        let [run_a, run_b] = [a, b].map(|rest| store.concatenate(run, rest));
        let either = store.alternatives(&[run_a, run_b]);
        let rest = store.alternatives(&[a, b]);
        let expected = Run { bytes: ByteSet::single(b' '), minimum: 0, maximum: 9, rest };
        assert_eq!(store.leading_run(either), Some(expected));
        let shorter = store.repetition(blank, 0, Some(8));
        let shorter_b = store.concatenate(shorter, b);
        let mixed = store.alternatives(&[run_a, shorter_b]);
        assert_eq!(store.leading_run(mixed), None);
        assert_eq!(store.leading_run(a), None);
    }
    #[test]
    fn a_run_before_repeated_items_and_before_their_end_is_one() {
        let mut store = ExpressionStore::new();
        let blank = store.bytes(ByteSet::single(b' '));
        let run = store.repetition(blank, 0, Some(9));
        let [comma, end] = [b",", b"]"].map(|text| store.literal(text));
        let (item, last) = (store.concatenation(&[run, comma]), store.concatenation(&[run, end]));
        for (minimum, maximum, most_left) in [(0, None, None), (0, Some(5), Some(4)), (3, Some(5), Some(4))] {
            let items = store.repetition(item, minimum, maximum);
            let given = store.concatenate(items, last);
            let found = store.leading_run(given).unwrap();
            let left = store.repetition(item, minimum.saturating_sub(1), most_left);
            let goes_on = store.concatenation(&[comma, left, last]);
            let rest = if minimum == 0 { store.alternatives(&[goes_on, end]) } else { goes_on };
            assert_eq!(found, Run { bytes: ByteSet::single(b' '), minimum: 0, maximum: 9, rest });
            let whole = store.concatenate(run, found.rest);
            for text in ["]", " ,]", "  ,  , ]", ",,,,,]", " , , , , ,]", ",,,,,,]", ",", " "] {
                assert_eq!(
                    store.matches(whole, text.as_bytes()),
                    store.matches(given, text.as_bytes()),
                    "{text}"
                );
            }
        }
        let items = store.repetition(item, 0, None);
        let other_end = store.concatenate(items, end);
        assert_eq!(store.leading_run(other_end), None, "the end stands without the run");
    }
}
