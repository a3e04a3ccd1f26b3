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
                let Expression::Alternatives(_) = self.get(head) else { return None };
                let run = self.leading_run(head)?;
                Some(Run { rest: self.concatenate(run.rest, tail), ..run })
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
}
