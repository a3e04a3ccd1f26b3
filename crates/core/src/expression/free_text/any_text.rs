//! Free text beside any text.
//!
//! Free text of which nothing has been read goes on with nearly all that any text does: the two are the same up to where one
//! of its strings is complete. So nothing has to be read to tell them apart but what ends with one of the strings.

use smallvec::SmallVec;

use super::super::aho_corasick::AhoCorasick;
use super::{FreeTextId, FreeTextPosition, FreeTextTable, Step};
use crate::expression::{ByteSet, Expression, ExpressionId, ExpressionStore};

/// The tables of the free text with which the alternatives of an expression begin, nothing of it read.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextTables(SmallVec<[FreeTextId; 2]>);

/// Any text, beside free text of which nothing has been read.
#[derive(Debug)]
pub(crate) struct AnyText {
    /// Any text, which may end between any two characters.
    pub(crate) expression: ExpressionId,
    pub(crate) texts: TextTables,
}

impl FreeTextTable {
    /// Text in which no string is looked for.
    fn of_any_text(alphabet: ByteSet) -> Option<Self> {
        let automaton = AhoCorasick::new(Vec::new(), usize::MAX)?;
        Some(Self::new(automaton.into(), [].into(), true, alphabet))
    }

    /// Whether the text can be completed wherever no string has been completed and any text can.
    fn is_alive_like(&self, any: &Self) -> bool {
        let nodes = || self.automaton.nodes().skip(1).filter(|&node| self.automaton.reach(node) == 0);
        self.alphabet == any.alphabet
            && self.alive.outside == any.alive.outside
            && nodes().all(|node| self.alive.nodes[node.index()])
    }

    /// Whether anything is left behind a text: what follows a tag that ends there, or more of the text.
    fn goes_on_behind(&self, text: &[u8]) -> bool {
        let start = Step { opens: None, next: Some(FreeTextPosition::START) };
        let step = |before: Step, &byte| before.next.map(|at| self.living_step(at, byte));
        let last = text.iter().try_fold(start, step);
        last.is_some_and(|Step { opens, next }| opens.is_some() || next.is_some())
    }
}

impl ExpressionStore {
    /// Any text, where each alternative of an expression begins with free text of which nothing has been read, or with an
    /// exact token. `None` for all others, and where free text may end and bytes be read behind it, or the text end with it.
    pub(crate) fn beside_any_text(&mut self, id: ExpressionId) -> Option<AnyText> {
        if !self.has_free_text() {
            return None;
        }
        let unfolded = self.unfold_free_text(id);
        let mut texts = TextTables::default();
        for item in self.alternatives_of(unfolded) {
            if self.begins_with_tokens(item) {
                continue;
            }
            let (head, tail) = self.head_and_rest(item);
            let table = match self.get(head) {
                // The normal form of free text that is followed by a repetition of itself.
                Expression::Repetition { body, minimum: 1.., .. } => self.unread_table(body, false),
                _ => self.unread_table(head, self.begins_with_tokens(tail)),
            }?;
            if !texts.0.contains(&table) {
                texts.0.push(table);
            }
        }
        let any = FreeTextTable::of_any_text(self.free_text_table(*texts.0.first()?).alphabet)?;
        let are_alike = texts.0.iter().all(|&table| self.free_text_table(table).is_alive_like(&any));
        are_alike.then(|| AnyText { expression: self.intern_free_text(any), texts })
    }

    /// The table of free text of which nothing has been read, and that may end only where that is allowed.
    fn unread_table(&self, id: ExpressionId, may_end: bool) -> Option<FreeTextId> {
        let Expression::FreeText { table, at: FreeTextPosition::START } = self.get(id) else { return None };
        (may_end || !self.free_text_ends(table)).then_some(table)
    }

    /// Whether each alternative of an expression begins with exact tokens.
    fn begins_with_tokens(&self, id: ExpressionId) -> bool {
        let heads = self.alternatives_of(id).into_iter().map(|item| self.head_and_rest(item).0);
        heads.map(|head| self.get(head)).all(|head| matches!(head, Expression::Tokens(_)))
    }

    /// The strings of some tables; those of several may come more than once.
    pub(crate) fn strings_of(&self, texts: &TextTables) -> impl Iterator<Item = &[u8]> {
        let tables = texts.0.iter().map(|&table| self.free_text_table(table));
        tables.flat_map(|table| table.automaton.strings().iter().map(|string| &**string))
    }

    /// Whether anything is left of the text of some tables behind a text at whose end, and nowhere before, a string of theirs is
    /// complete.
    pub(crate) fn goes_on_behind(&self, texts: &TextTables, text: &[u8]) -> bool {
        texts.0.iter().any(|&table| self.free_text_table(table).goes_on_behind(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::RuleId;
    use crate::vocabulary::{TokenId, TokenReference, TokenSet};

    #[test]
    fn free_text_at_its_beginning_is_any_text_but_for_its_strings() {
        let mut store = ExpressionStore::new();
        let (mark, call) = (store.literal(b"!"), store.call(RuleId(0)));
        let token = store.tokens(TokenSet::of(vec![TokenReference::Id(TokenId(7))]));
        let mut text = |tags: &[(&str, ExpressionId)], ends| {
            let tags: Vec<_> = tags.iter().map(|&(tag, after)| (tag.as_bytes(), after)).collect();
            store.free_text(&tags, ends, 1000).unwrap()
        };
        let ending = text(&[("word", ExpressionStore::NOTHING), ("<a>", mark)], true);
        let (calls, brackets) = (text(&[("<a>", call), ("<b>", mark)], false), text(&[("[", call)], false));
        let covered = text(&[("b", ExpressionStore::NOTHING), ("abc", mark)], false);
        let some = store.repetition(calls, 0, None);
        let many = store.repetition(calls, 2, Some(5));
        let [last, before_mark, before_call] =
            [token, mark, call].map(|after| store.concatenate(ending, after));
        let prose = store.concatenate(some, last);
        let either = store.alternatives(&[prose, brackets, token]);
        let with_call = store.concatenate(calls, call);
        for (id, count) in [
            (calls, 1),
            (last, 1),
            (some, 0),
            (many, 1),
            (prose, 2),
            (either, 3),
            (with_call, 1),
            (covered, 1),
        ] {
            let found = store.beside_any_text(id);
            assert_eq!(found.map_or(0, |found| found.texts.0.len()), count, "{id:?}");
        }
        let begun = store.derive_whole(calls, b'<', &mut ByteSet::ALL.clone());
        let or_mark = store.alternatives(&[prose, mark]);
        for id in [ending, before_mark, before_call, begun, or_mark, mark, token] {
            assert!(store.beside_any_text(id).is_none(), "{id:?}");
        }
    }
}
