//! What is left of keys and other fixed strings after several bytes at once.
//!
//! The keys of an object are captured: each byte of one leaves some ten expressions that no other text comes to. Most
//! tokens hold several bytes of a key, and what is left after all of them is put together in one step.

use smallvec::SmallVec;

use super::{Expression, ExpressionId, ExpressionStore, LiteralRange};

impl ExpressionStore {
    /// What is left of each alternative of an expression after some characters of ASCII, none of them a quote or a
    /// backslash. `None` where not all alternatives are JSON strings that are captured, or fixed, and in which these
    /// characters stand for themselves, or begin with fixed strings that are no shorter.
    ///
    /// These are the expressions that come of one derivative after the other.
    pub(crate) fn after_characters(
        &mut self,
        id: ExpressionId,
        characters: &[u8],
    ) -> Option<SmallVec<[ExpressionId; 8]>> {
        let mut left = SmallVec::new();
        let items = self.alternatives_of(id);
        let may_be_string = |item: &ExpressionId| {
            let head = self.get(self.head_and_rest(*item).0);
            matches!(
                head,
                Expression::Literals(_) | Expression::JsonString { .. } | Expression::Capture { .. }
            )
        };
        if !items.iter().all(may_be_string) {
            return None;
        }
        for item in items {
            let (head, tail) = self.head_and_rest(item);
            if let Expression::Literals(range) = self.get(head) {
                if let Some(range) = self.within_strings(range, characters)? {
                    let strings = self.literal_range(range);
                    left.push(self.concatenate(strings, tail));
                }
                continue;
            }
            let (string, captured) = match self.get(item) {
                Expression::Capture { content, text, capture } => (content, Some((text, capture))),
                _ => (item, None),
            };
            let (content, spelling, _) = self.string_to_quote(string)?;
            let Expression::Concatenation(_, tail) = self.get(string) else { return None };
            let is_fixed = matches!(self.get(content), Expression::Literals(_));
            let is_raw = |&byte: &u8| self.spelling(spelling).raw.contains(byte);
            if captured.is_none() && !is_fixed || !characters.iter().all(is_raw) {
                return None;
            }
            let content = self.after_each(content, characters);
            if content == Self::NOTHING {
                continue;
            }
            let string = self.json_string(content, spelling);
            let string = self.concatenate(string, tail);
            left.push(match captured {
                Some((text, capture)) => {
                    let text = characters.iter().fold(text, |text, &byte| self.longer_text(text, byte));
                    self.capture_after(string, text, capture)
                }
                None => string,
            });
        }
        Some(left)
    }

    /// What is left of fixed strings after some characters, if any go on with them; `None` where one of the strings ends
    /// before the last of these, so that what follows it is read, too.
    fn within_strings(&self, range: LiteralRange, characters: &[u8]) -> Option<Option<LiteralRange>> {
        let mut left = range;
        for &byte in characters {
            if self.ends_one(left) {
                return None;
            }
            match self.after_byte(left, byte) {
                Some(next) => left = next,
                None => return Some(None),
            }
        }
        Some(Some(left))
    }

    /// What is left of the content of a string after some characters of ASCII.
    fn after_each(&mut self, content: ExpressionId, characters: &[u8]) -> ExpressionId {
        match self.get(content) {
            Expression::Literals(range) => {
                let left = characters.iter().try_fold(range, |range, &byte| self.after_byte(range, byte));
                left.map_or(Self::NOTHING, |range| self.literal_range(range))
            }
            node @ (Expression::Intersection(_) | Expression::Complement(_)) => {
                let mut left = self.operands(content);
                left.iter_mut().for_each(|operand| *operand = self.after_each(*operand, characters));
                self.with_operands(node, &left).unwrap_or(Self::NOTHING)
            }
            Expression::Repetition { .. } if self.is_any_text(content) => content,
            _ => characters.iter().fold(content, |left, &byte| match left {
                Self::NOTHING => left,
                left => self.derive_whole(left, byte, &mut super::ByteSet::ALL.clone()),
            }),
        }
    }
}
