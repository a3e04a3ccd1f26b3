//! Bytes after which something matches for certain, by structure alone.
//!
//! Where no longer token goes on, all that matters after the last byte of one is whether something is left. For a time
//! that is read digit by digit, each digit leads to another expression, and to make them all takes far longer than
//! to see that any digit may come. What holds no intersection, complement, call or the like matches something, since
//! [`NOTHING`](ExpressionStore::NOTHING) is not kept in anything; so a byte with which one of its matches begins
//! leads on. Of alternatives one has to be so.

use super::json_string::LEAD_OF_SURROGATES;
use super::{ByteSet, Escape, Expression, ExpressionId, ExpressionStore};

/// So many nodes are looked at for one answer.
const MOST_NODES: u32 = 256;

/// Bytes that certainly lead on, and what may come behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CertainBytes {
    /// Bytes after which something matches, and not the empty text. Possibly fewer than there are, never more.
    pub(crate) bytes: ByteSet,
    /// The bytes that may follow one of these. Possibly more, never fewer.
    pub(crate) may_follow: ByteSet,
}

impl ExpressionStore {
    /// The bytes after which something matches for certain, if there are any, as long as every byte can be read.
    pub(crate) fn certain_bytes(&self, id: ExpressionId) -> Option<CertainBytes> {
        // What calls begin with is known to the grammar only.
        if self.shortest(id) < 2 || !self.is_regular(id) {
            return None;
        }
        let bytes = self.begins_for_certain(id, &mut { MOST_NODES });
        let may_follow = || self.second_bytes(id, &mut { MOST_NODES });
        (!bytes.is_empty()).then(|| CertainBytes { bytes, may_follow: may_follow() })
    }

    /// The bytes that can come second in a match that begins with a byte that stands for itself. Possibly more, never
    /// fewer.
    fn second_bytes(&self, id: ExpressionId, left: &mut u32) -> ByteSet {
        let mut second = ByteSet::EMPTY;
        let mut at = id;
        while let Expression::Concatenation(head, tail) = self.get(at) {
            second = second.union(&self.node_second_bytes(head, left));
            match self.shortest(head) {
                0 => second = second.union(&self.first_bytes(tail)),
                1 => return second.union(&self.first_bytes(tail)),
                _ => return second,
            }
            at = tail;
        }
        second.union(&self.node_second_bytes(at, left))
    }

    fn node_second_bytes(&self, id: ExpressionId, left: &mut u32) -> ByteSet {
        let Some(less) = left.checked_sub(1) else { return ByteSet::ALL };
        *left = less;
        match self.get(id) {
            Expression::Nothing | Expression::Empty | Expression::Bytes(_) => ByteSet::EMPTY,
            Expression::Concatenation(..) => self.second_bytes(id, left),
            Expression::Literals(range) => {
                let after = |byte| self.after_byte(range, byte).map(|rest| self.next_bytes(rest));
                self.next_bytes(range)
                    .iter()
                    .filter_map(after)
                    .fold(ByteSet::EMPTY, |all, next| all.union(&next))
            }
            Expression::Repetition { body, .. } => {
                let second = self.second_bytes(body, left);
                if self.shortest(body) < 2 { second.union(&self.first_bytes(body)) } else { second }
            }
            Expression::Alternatives(list) => self
                .list(list)
                .iter()
                .fold(ByteSet::EMPTY, |all, &operand| all.union(&self.second_bytes(operand, left))),
            Expression::Intersection(list) => self
                .list(list)
                .iter()
                .fold(ByteSet::ALL, |all, &operand| all.intersection(&self.second_bytes(operand, left))),
            Expression::JsonString { content, escape: Escape::None, .. } => {
                self.second_bytes(content, left).union(&ByteSet::single(b'\\'))
            }
            _ => ByteSet::ALL,
        }
    }

    /// Bytes with which some match begins.
    fn begins_for_certain(&self, id: ExpressionId, left: &mut u32) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        let mut at = id;
        // Chains are as long as patterns are, so they are followed without recursion.
        while let Expression::Concatenation(head, tail) = self.get(at) {
            if !self.matches_for_certain(tail, left) {
                return bytes;
            }
            bytes = bytes.union(&self.begins_for_certain(head, left));
            if !self.is_nullable(head) {
                return bytes;
            }
            at = tail;
        }
        bytes.union(&self.node_begins_for_certain(at, left))
    }

    fn node_begins_for_certain(&self, id: ExpressionId, left: &mut u32) -> ByteSet {
        let Some(less) = left.checked_sub(1) else { return ByteSet::EMPTY };
        *left = less;
        match self.get(id) {
            Expression::Bytes(set) => *self.byte_set(set),
            Expression::Literals(range) => self.next_bytes(range),
            Expression::Repetition { body, .. } => self.begins_for_certain(body, left),
            Expression::Alternatives(list) => self
                .list(list)
                .iter()
                .fold(ByteSet::EMPTY, |all, &operand| all.union(&self.begins_for_certain(operand, left))),
            // Every character can be written, as it is or as an escape; but not each surrogate, nor a part of one.
            Expression::JsonString { content, escape: Escape::None, spelling } if self.is_text(content) => {
                let raw = self.spelling(spelling).raw.difference(&ByteSet::single(LEAD_OF_SURROGATES));
                self.begins_for_certain(content, left).intersection(&raw)
            }
            _ => ByteSet::EMPTY,
        }
    }

    fn matches_for_certain(&self, id: ExpressionId, left: &mut u32) -> bool {
        let mut at = id;
        while let Expression::Concatenation(head, tail) = self.get(at) {
            if !self.node_matches_for_certain(head, left) {
                return false;
            }
            at = tail;
        }
        self.node_matches_for_certain(at, left)
    }

    fn node_matches_for_certain(&self, id: ExpressionId, left: &mut u32) -> bool {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        match self.get(id) {
            Expression::Empty | Expression::Bytes(_) | Expression::Literals(_) => true,
            Expression::Concatenation(..) => self.matches_for_certain(id, left),
            Expression::Repetition { body, minimum, .. } => {
                minimum == 0 || self.matches_for_certain(body, left)
            }
            Expression::Alternatives(list) => {
                self.list(list).iter().any(|&operand| self.matches_for_certain(operand, left))
            }
            Expression::JsonString { content, escape: Escape::None, .. } => {
                self.is_text(content) && self.matches_for_certain(content, left)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Emptiness, RuleId, Spelling};
    use super::*;
    use crate::budget::{Budget, Deadline};

    /// Whatever the derivatives are, a certain byte leads to one that is alive and not complete.
    #[test]
    fn certain_bytes_lead_on() {
        let mut store = ExpressionStore::new();
        let spelling = store.intern_spelling(Spelling::over(&ByteSet::ALL));
        let digit = store.bytes(ByteSet::range(b'0', b'9'));
        let any = store.any_character();
        let (two, few) = (store.repetition(digit, 2, Some(2)), store.repetition(any, 0, Some(3)));
        let words = store.literals(vec![b"ab".to_vec(), b"a".to_vec(), "\u{d55c}x".as_bytes().to_vec()]);
        let pair = store.concatenation(&[two, words]);
        let never = store.intersection(&[two, words]);
        let dead_end = store.concatenation(&[digit, never]);
        let either = store.alternatives(&[pair, dead_end]);
        let (open, quote) = (store.repetition(words, 0, None), store.literal(b"\""));
        let mixed = store.concatenation(&[open, few, two]);
        let mut emptiness = Emptiness::new(ByteSet::ALL, &Budget::default());
        let deadline = Deadline::for_compile(&Budget::default());
        let mut certain = 0;
        for content in [two, few, words, pair, never, dead_end, either, open, mixed] {
            let string = store.json_string(content, spelling);
            let string = store.concatenate(string, quote);
            for id in [content, string] {
                let Some(CertainBytes { bytes, may_follow }) = store.certain_bytes(id) else { continue };
                certain += bytes.len();
                for byte in bytes.iter() {
                    let after = store.derive_whole(id, byte, &mut ByteSet::ALL.clone());
                    assert!(!store.is_nullable(after), "{byte:#x}");
                    assert!(emptiness.is_alive(&mut store, after, &deadline).unwrap(), "{byte:#x}");
                    for second in may_follow.complement().iter() {
                        let after = store.derive_whole(after, second, &mut ByteSet::ALL.clone());
                        let is_alive = emptiness.is_alive(&mut store, after, &deadline).unwrap();
                        assert!(!is_alive, "{byte:#x} {second:#x}");
                    }
                }
            }
        }
        assert!(certain > 300, "{certain}");
        let call = store.call(RuleId(0));
        let called = store.concatenation(&[digit, call]);
        let called = store.alternatives(&[pair, called]);
        assert_eq!(store.certain_bytes(called), None);
        assert!(store.certain_bytes(dead_end).is_none() && store.certain_bytes(either).is_some());
    }
}
