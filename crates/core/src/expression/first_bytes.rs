//! The bytes with which an expression can begin.

use super::endings::Heads;
use super::json_string::{LEAD_OF_SURROGATES, hexadecimal_digits};
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore, SpellingId};
use crate::spelling::SHORT_ESCAPES;

impl ExpressionStore {
    /// The bytes with which matches of a regular expression can begin; possibly more, never fewer.
    ///
    /// Those of rules are a fixpoint, which the grammar's passes work out; here calls begin with nothing.
    pub(crate) fn first_bytes(&self, id: ExpressionId) -> ByteSet {
        let node = self.get(id);
        if !matches!(node, Expression::Concatenation(..) | Expression::Alternatives(_)) {
            return self.first_bytes_of_node(id);
        }
        let (mut first, mut heads) = (ByteSet::EMPTY, Heads::of(node, id));
        while let Some((head, _)) = heads.next(self) {
            first = first.union(&self.first_bytes_of_node(head));
        }
        first
    }

    fn first_bytes_of_node(&self, id: ExpressionId) -> ByteSet {
        match self.get(id) {
            Expression::Bytes(set) => *self.byte_set(set),
            Expression::Literals(range) => self.next_bytes(range),
            Expression::Residue(residue) => self.residue_of(residue).next_bytes(),
            Expression::Concatenation(..) | Expression::Alternatives(_) => self.first_bytes(id),
            Expression::Repetition { body, .. } => self.first_bytes(body),
            Expression::Intersection(list) => self
                .list(list)
                .iter()
                .fold(ByteSet::ALL, |all, &operand| all.intersection(&self.first_bytes(operand))),
            Expression::JsonString { content, escape, spelling } => {
                self.first_bytes_in_json(content, escape, spelling)
            }
            Expression::FreeText { table, at } => self.free_text_first_bytes(table, at),
            Expression::Complement(_) => ByteSet::ALL,
            Expression::Capture { content, .. } => self.first_bytes(content),
            Expression::Unordered(unordered) => self
                .unordered_heads(unordered)
                .into_iter()
                .fold(ByteSet::EMPTY, |all, head| all.union(&self.first_bytes(head))),
            Expression::Nothing
            | Expression::Empty
            | Expression::Tokens(_)
            | Expression::Call(_)
            | Expression::Deferred(_)
            | Expression::Captured { .. } => ByteSet::EMPTY,
        }
    }

    fn first_bytes_in_json(&self, content: ExpressionId, escape: Escape, spelling: SpellingId) -> ByteSet {
        match escape {
            Escape::None => {
                let content = self.first_bytes(content);
                let allowed = self.spelling(spelling);
                let raw = content.intersection(&allowed.raw);
                // With few escapes, only what cannot stand for itself is written by one. Beyond ASCII that is one thing
                // for all characters, and for surrogates, which never can.
                let is_escaped = content != raw
                    || content.contains(LEAD_OF_SURROGATES)
                    || !content.is_ascii() && allowed.escapes_beyond_ascii();
                match allowed.minimal_escapes && !is_escaped {
                    true => raw,
                    false => raw.union(&ByteSet::single(b'\\')),
                }
            }
            Escape::Backslash => {
                let content = self.first_bytes(content);
                let short = SHORT_ESCAPES.iter().filter(|(_, character)| content.contains(*character));
                short.map(|&(escape, _)| escape).chain([b'u']).collect()
            }
            Escape::Hexadecimal(digits) => {
                let content = self.first_bytes(content);
                let digit = |byte: &u8| digits.may_go_on(*byte, &content);
                hexadecimal_digits().iter().filter(digit).collect()
            }
            Escape::High { .. } => ByteSet::ALL,
        }
    }
}
