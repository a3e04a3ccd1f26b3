//! Repetitions of free text in the form that they have after a byte.
//!
//! What is left of `(f e)* g` after a byte is `f (f e)* g` or `g`, with `f` and `g` read as far, and that is what
//! most prose leaves again and again. The beginning says the same in another form. Masks are kept by form, so they are
//! asked for the form that comes again.

use rustc_hash::FxHashSet;

use super::{Expression, ExpressionId, ExpressionStore};

/// What takes more steps than this to take apart is left as it is.
pub(super) const MOST_STEPS: usize = 1000;

impl ExpressionStore {
    /// An expression with the repetitions of free text at its head unfolded once, unless that takes long. It matches the
    /// same.
    pub(crate) fn unfold_free_text(&mut self, id: ExpressionId) -> ExpressionId {
        if !self.has_free_text() || !self.repeats_free_text(id) {
            return id;
        }
        let mut items = Vec::new();
        let mut waiting = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(at) = waiting.pop() {
            if seen.len() == MOST_STEPS {
                return id;
            }
            // What repeats itself, and need not read anything, comes again, and adds nothing.
            if !seen.insert(at) {
                continue;
            }
            let (head, tail) = self.head_and_rest(at);
            match self.get(head) {
                Expression::Alternatives(list) if self.begins_with_free_text(head) => {
                    for item in self.list(list).to_vec() {
                        waiting.push(self.concatenate(item, tail));
                    }
                }
                Expression::Repetition { body, minimum, maximum } if self.begins_with_free_text(body) => {
                    let maximum = if maximum == Self::UNBOUNDED { maximum } else { maximum - 1 };
                    let rest = self.repetition_raw(body, minimum.saturating_sub(1), maximum);
                    let rest = self.concatenate(rest, tail);
                    match self.concatenate(body, rest) {
                        // A body and a repetition of it are one repetition.
                        same if same == at => items.push(at),
                        unfolded => waiting.push(unfolded),
                    }
                    if minimum == 0 {
                        waiting.push(tail);
                    }
                }
                _ => items.push(at),
            }
        }
        self.alternatives(&items)
    }

    /// Whether a repetition that begins with free text stands at the head of an alternative.
    fn repeats_free_text(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Concatenation(head, _) => self.repeats_free_text(head),
            Expression::Alternatives(list) => {
                self.list(list).iter().any(|&item| self.repeats_free_text(item))
            }
            Expression::Repetition { body, .. } => self.begins_with_free_text(body),
            _ => false,
        }
    }

    /// Whether free text stands at the head of an alternative.
    fn begins_with_free_text(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::FreeText { .. } => true,
            Expression::Concatenation(head, _) | Expression::Repetition { body: head, .. } => {
                self.begins_with_free_text(head)
            }
            Expression::Alternatives(list) => {
                self.list(list).iter().any(|&item| self.begins_with_free_text(item))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ByteSet, Derivatives, Symbol};
    use super::*;

    #[test]
    fn the_beginning_has_the_form_that_prose_leaves() {
        let mut store = ExpressionStore::new();
        let body = store.literal(b"body");
        for bounds in [(0, None), (0, Some(9)), (2, Some(3)), (1, None)] {
            let text = store.free_text(&[(b"<a>", body)], false, 100).unwrap();
            let rest = store.free_text(&[(b"<a>", ExpressionStore::NOTHING)], true, 100).unwrap();
            let calls = store.repetition(text, bounds.0, bounds.1);
            let prose = store.concatenate(calls, rest);
            let unfolded = store.unfold_free_text(prose);
            assert!(unfolded != prose || bounds.0 > 0);
            assert_eq!(store.is_nullable(unfolded), store.is_nullable(prose));
            for start in [prose, unfolded] {
                let mut derivatives = Derivatives::new();
                store.derive(start, Symbol::Byte(b'x'), &mut derivatives);
                assert_eq!(store.alternatives(&derivatives.rest), unfolded, "{bounds:?}");
                assert_eq!(derivatives.class, ByteSet::range(0, 0x7F).difference(&ByteSet::single(b'<')));
            }
        }
    }

    /// `(f? g?)*` leads to itself without a byte.
    #[test]
    fn a_repetition_of_parts_that_may_all_be_left_out_comes_to_an_end() {
        let mut store = ExpressionStore::new();
        let body = store.literal(b"body");
        let parts = [&b"<a>"[..], b"<b>", b"<c>"].map(|tag| {
            let text = store.free_text(&[(tag, body)], false, 100).unwrap();
            store.repetition(text, 0, Some(1))
        });
        let turn = store.concatenation(&parts);
        for maximum in [None, Some(7)] {
            let turns = store.repetition(turn, 0, maximum);
            let unfolded = store.unfold_free_text(turns);
            for (text, is_match) in [
                ("", true),
                ("x<a>body", true),
                ("<c>body<a>body<b>body", true),
                ("<b>body<b>body", true),
                ("<b>body<b", false),
                ("x", false),
            ] {
                for start in [turns, unfolded] {
                    assert_eq!(store.matches(start, text.as_bytes()), is_match, "{text} {maximum:?}");
                }
            }
        }
    }
}
