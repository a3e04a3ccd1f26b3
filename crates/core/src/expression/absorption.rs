//! The laws of absorption: alternatives that others take in, and demands that others meet.
//!
//! A string may be of a format, or of the same format and match a pattern, as where a schema lists what a reference can be.
//! The second says nothing beside the first, but each text would be followed under both to its end.

use smallvec::SmallVec;

use super::normal_form::Operands;
use super::{Expression, ExpressionId, ExpressionStore};

impl ExpressionStore {
    /// Of more intersections, or expressions that are asked for together, it takes too long to compare each with the others.
    const MOST_COMPARED: usize = 16;

    /// Leaves out of alternatives, which are sorted, those that ask for another one and for more: `a | a & b` is `a`.
    pub(super) fn leave_out_narrower(&self, alternatives: &mut Operands) {
        let asked = |&one: &ExpressionId| match self.get(one) {
            Expression::Intersection(asked) => Some((one, self.list(asked))),
            _ => None,
        };
        let intersections: SmallVec<[(ExpressionId, &[ExpressionId]); 4]> =
            alternatives.iter().filter_map(asked).collect();
        if !(1..=Self::MOST_COMPARED).contains(&intersections.len()) {
            return;
        }
        let is_narrower = |&(one, asked): &(ExpressionId, &[ExpressionId])| {
            asked.iter().any(|&operand| self.is_all_within(operand, alternatives))
                || intersections.iter().any(|&(other, fewer)| other != one && is_within(fewer, asked))
        };
        let narrower: Operands =
            intersections.iter().filter(|&one| is_narrower(one)).map(|&(one, _)| one).collect();
        alternatives.retain(|one| narrower.binary_search(one).is_err());
    }

    /// Leaves out of what is asked for together, which is sorted, what something else implies: `a & (a | b)` is `a`.
    pub(super) fn leave_out_wider(&self, asked: &mut Operands) {
        if asked.len() > Self::MOST_COMPARED {
            return;
        }
        let is_wider = |one: ExpressionId| match self.get(one) {
            Expression::Alternatives(list) => {
                asked.iter().any(|&other| other != one && self.is_all_within(other, self.list(list)))
            }
            _ => false,
        };
        let wider: Operands = asked.iter().copied().filter(|&one| is_wider(one)).collect();
        asked.retain(|one| wider.binary_search(one).is_err());
    }

    /// Whether all alternatives of an expression, or it itself where it is none of several, are in a sorted list.
    fn is_all_within(&self, id: ExpressionId, sorted: &[ExpressionId]) -> bool {
        match self.get(id) {
            Expression::Alternatives(list) => is_within(self.list(list), sorted),
            _ => sorted.binary_search(&id).is_ok(),
        }
    }
}

/// Whether all of a list are in another one; both are sorted.
fn is_within(few: &[ExpressionId], many: &[ExpressionId]) -> bool {
    few.len() <= many.len() && few.iter().all(|one| many.binary_search(one).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::*;

    /// Three languages over a few letters, none within another.
    fn languages(store: &mut ExpressionStore) -> [ExpressionId; 3] {
        let [a, b] = [b"a", b"b"].map(|letter| store.literal(letter));
        let either = store.alternatives(&[a, b]);
        let any = store.repetition(either, 0, None);
        let (begins, ends) = (store.concatenate(a, any), store.concatenate(any, b));
        let pair = store.repetition(either, 2, Some(2));
        [begins, ends, pair]
    }

    #[test]
    fn what_asks_for_more_adds_nothing() {
        let mut store = ExpressionStore::new();
        let [one, two, three] = languages(&mut store);
        let both = store.intersection(&[one, two]);
        let all = store.intersection(&[one, two, three]);
        let other = store.intersection(&[two, three]);
        let either = store.alternatives(&[one, three]);
        let narrower = store.intersection(&[either, two]);
        assert_eq!(store.alternatives(&[both, one]), one);
        assert_eq!(store.alternatives(&[all, both]), both);
        assert_eq!(store.alternatives(&[narrower, one, three]), either);
        assert_eq!(store.alternatives(&[all, both, one, other]), store.alternatives(&[one, other]));
        for kept in [[both, three], [narrower, one], [both, other]] {
            let kept = store.alternatives(&kept);
            assert_eq!(store.width(kept), 2);
        }
    }

    #[test]
    fn what_is_implied_is_not_asked_for() {
        let mut store = ExpressionStore::new();
        let [one, two, three] = languages(&mut store);
        let either = store.alternatives(&[one, two]);
        let any = store.alternatives(&[one, two, three]);
        assert_eq!(store.intersection(&[one, either]), one);
        assert_eq!(store.intersection(&[either, any]), either);
        assert_eq!(store.intersection(&[one, any, three]), store.intersection(&[one, three]));
        let both = store.intersection(&[three, either]);
        assert!(matches!(store.get(both), Expression::Intersection(_)));
    }

    #[test]
    fn the_language_stays() {
        let mut store = ExpressionStore::new();
        let mut made = languages(&mut store).to_vec();
        for round in 0..4 {
            for at in 0..made.len().min(8) {
                let pair = [made[at], made[(at * 3 + round + 1) % made.len()]];
                let (either, both) = (store.alternatives(&pair), store.intersection(&pair));
                for text in texts(b"ab", 4) {
                    let [one, other] = pair.map(|id| store.matches(id, &text));
                    assert_eq!(store.matches(either, &text), one || other, "{pair:?} {text:?}");
                    assert_eq!(store.matches(both, &text), one && other, "{pair:?} {text:?}");
                }
                made.extend([either, both]);
            }
        }
    }
}
