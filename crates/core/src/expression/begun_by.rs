//! What is left of an expression where one of some bytes comes next.
//!
//! States often differ only in what few bytes lead to: after each member of a class in brackets another range can begin,
//! but only a hyphen tells these states apart. Without the parts that begin with it they are all one.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};

/// Leaves out of expressions what some bytes do not begin.
pub(crate) struct BegunBy {
    bytes: ByteSet,
    /// The bytes with which the parts begin that have been left out.
    pub(crate) others: ByteSet,
    /// What is left of parts that have been looked at, if anything is.
    known: FxHashMap<ExpressionId, Option<ExpressionId>>,
}

impl BegunBy {
    pub(crate) fn new(bytes: ByteSet) -> Self {
        Self { bytes, others: ByteSet::EMPTY, known: FxHashMap::default() }
    }

    /// The expression without parts that begin with none of the bytes: after each of these, the same is left of both. Not
    /// every such part is found.
    pub(crate) fn of(&mut self, store: &mut ExpressionStore, id: ExpressionId) -> ExpressionId {
        match store.get(id) {
            Expression::Concatenation(head, tail) if store.is_nullable(head) => {
                if self.leaves_out(store, head) { self.of(store, tail) } else { id }
            }
            Expression::Concatenation(head, tail) => {
                let head = self.of(store, head);
                store.concatenate(head, tail)
            }
            Expression::Alternatives(list) => {
                let operands: SmallVec<[ExpressionId; 8]> = SmallVec::from_slice(store.list(list));
                let kept: Vec<ExpressionId> =
                    operands.into_iter().filter_map(|operand| self.alternative(store, operand)).collect();
                store.alternatives(&kept)
            }
            // What stands for itself is the same byte in the content; an escape can be any.
            Expression::JsonString { content, escape: Escape::None, spelling }
                if !self.bytes.contains(b'\\') =>
            {
                let left = self.of(store, content);
                if left != content {
                    self.others.insert(b'\\');
                }
                store.json_string(left, spelling)
            }
            _ => id,
        }
    }

    /// What is left of one of several alternatives.
    fn alternative(&mut self, store: &mut ExpressionStore, id: ExpressionId) -> Option<ExpressionId> {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let is_left_out = !store.is_nullable(id) && self.leaves_out(store, id);
        let left = (!is_left_out).then(|| self.of(store, id));
        self.known.insert(id, left);
        left
    }

    /// Whether a regular expression begins with none of the bytes; then it is left out.
    fn leaves_out(&mut self, store: &ExpressionStore, id: ExpressionId) -> bool {
        if !store.is_regular(id) {
            return false;
        }
        let first = store.first_bytes(id);
        let is_left_out = first.intersection(&self.bytes).is_empty();
        if is_left_out {
            self.others = self.others.union(&first);
        }
        is_left_out
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::*;

    #[test]
    fn what_is_left_after_the_bytes_is_the_same() {
        let mut store = ExpressionStore::new();
        let letters = ByteSet::range(b'a', b'c');
        let letter = store.bytes(letters);
        let [hyphen, quote, close, b] = [b"-", b"\"", b"]", b"b"].map(|text| store.literal(text));
        let members = store.repetition(letter, 0, None);
        let range = store.concatenate(hyphen, b);
        let maybe = store.repetition(range, 0, Some(1));
        let (plain, ranged) = (store.concatenate(members, close), store.concatenate(range, close));
        let either = store.alternatives(&[plain, ranged]);
        let optional = store.concatenation(&[maybe, members, close]);
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let in_json = [either, plain].map(|content| {
            let string = store.json_string(content, spelling);
            store.concatenate(string, quote)
        });
        let escaped = ByteSet::single(b'-').union(&ByteSet::single(b'\\'));
        for (given, expected, dropped) in [
            (either, plain, ByteSet::single(b'-')),
            (optional, plain, ByteSet::single(b'-')),
            (in_json[0], in_json[1], escaped),
            (plain, plain, ByteSet::EMPTY),
        ] {
            let mut begun = BegunBy::new(letters);
            assert_eq!(begun.of(&mut store, given), expected);
            assert_eq!(begun.of(&mut store, given), expected, "as before");
            assert_eq!(begun.others, dropped);
            for byte in letters.iter() {
                let left =
                    [given, expected].map(|id| store.derive_whole(id, byte, &mut ByteSet::ALL.clone()));
                assert_eq!(left[0], left[1]);
            }
        }
        for (given, more) in [(either, b'-'), (in_json[0], b'\\')] {
            let mut begun = BegunBy::new(letters.union(&ByteSet::single(more)));
            assert_eq!(begun.of(&mut store, given), given);
            assert!(begun.others.is_empty());
        }
    }
}
