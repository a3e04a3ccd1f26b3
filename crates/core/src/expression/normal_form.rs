//! The constructors of expressions, which keep the normal form.
//!
//! Alternatives are flat, sorted and distinct sets, concatenations lean to the right, byte sets and
//! counters that touch are merged, `Nothing` never stays inside another node. Equal languages need not
//! have equal forms, but those that derivatives produce again and again do.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::literal_set::LiteralSet;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore, LiteralRange, Residue, RuleId};
use crate::vocabulary::TokenSet;

/// The least and the greatest number of times of a repetition.
type Bounds = (u32, u32);

/// The operands of a list that is being made.
type Operands = SmallVec<[ExpressionId; 8]>;

/// The body of a repetition, and what follows it.
type CountedKey = (ExpressionId, ExpressionId);

impl ExpressionStore {
    /// Matches one byte of the set.
    pub fn bytes(&mut self, set: ByteSet) -> ExpressionId {
        if set.is_empty() {
            return Self::NOTHING;
        }
        let id = self.intern_byte_set(set);
        self.intern(Expression::Bytes(id))
    }

    /// Matches exactly these bytes.
    pub fn literal(&mut self, literal: &[u8]) -> ExpressionId {
        match literal {
            [] => Self::EMPTY,
            &[byte] => self.bytes(ByteSet::single(byte)),
            literal => self.literal_set_from_start(LiteralSet::single(literal)),
        }
    }

    /// Matches any of these strings.
    pub fn literals(&mut self, literals: Vec<Vec<u8>>) -> ExpressionId {
        match literals.as_slice() {
            [] => return Self::NOTHING,
            [single] if single.is_empty() => return Self::EMPTY,
            _ => {}
        }
        if literals.iter().all(|literal| literal.len() == 1) {
            return self.bytes(literals.iter().map(|literal| literal[0]).collect());
        }
        self.literal_set_from_start(LiteralSet::new(literals))
    }

    /// Matches any string of a set.
    fn literal_set_from_start(&mut self, set: LiteralSet) -> ExpressionId {
        let end = set.len();
        let set = self.intern_literal_set(set);
        self.literal_range(LiteralRange { set, first: 0, end, depth: 0 })
    }

    pub(super) fn literal_range(&mut self, range: LiteralRange) -> ExpressionId {
        if range.end - range.first == 1 && self.literal_set(range.set).is_nullable(range) {
            return Self::EMPTY;
        }
        self.intern(Expression::Literals(range))
    }

    /// Matches what is left of a decimal text whose value is a multiple of a number.
    pub(crate) fn residue(&mut self, residue: Residue) -> ExpressionId {
        let id = self.intern_residue(residue);
        self.intern(Expression::Residue(id))
    }

    /// Matches one token of the set, by id.
    pub fn tokens(&mut self, set: TokenSet) -> ExpressionId {
        if set.is_nothing() {
            return Self::NOTHING;
        }
        let id = self.intern_token_set(set);
        self.intern(Expression::Tokens(id))
    }

    /// Matches what the rule matches.
    pub fn call(&mut self, rule: RuleId) -> ExpressionId {
        self.intern(Expression::Call(rule))
    }

    /// Matches the operands one after another.
    pub fn concatenation(&mut self, operands: &[ExpressionId]) -> ExpressionId {
        let mut result = Self::EMPTY;
        for &operand in operands.iter().rev() {
            result = self.concatenate(operand, result);
        }
        result
    }

    /// Matches `head` and then `tail`.
    pub fn concatenate(&mut self, head: ExpressionId, tail: ExpressionId) -> ExpressionId {
        if head == Self::NOTHING || tail == Self::NOTHING {
            return Self::NOTHING;
        }
        if head == Self::EMPTY {
            return tail;
        }
        if tail == Self::EMPTY {
            return head;
        }
        if !matches!(self.get(head), Expression::Concatenation(..)) {
            return self.concatenate_simple(head, tail);
        }
        // A concatenation as head is unrolled from its end, so that heads are never concatenations.
        let mut heads = Operands::new();
        let mut at = head;
        while let Expression::Concatenation(first, rest) = self.get(at) {
            heads.push(first);
            at = rest;
        }
        heads.push(at);
        let mut result = tail;
        for &head in heads.iter().rev() {
            result = self.concatenate_simple(head, result);
        }
        result
    }

    /// Concatenates a head that is no concatenation, and merges neighbouring repetitions of one body:
    /// `e{a,b} e{c,d}` is `e{a+c,b+d}`.
    fn concatenate_simple(&mut self, head: ExpressionId, tail: ExpressionId) -> ExpressionId {
        if head == Self::EMPTY {
            return tail;
        }
        if tail == Self::EMPTY {
            return head;
        }
        let (next, rest) = match self.get(tail) {
            Expression::Concatenation(next, rest) => (next, rest),
            _ => (tail, Self::EMPTY),
        };
        if let Some((body, (least, most), (least_next, most_next))) = self.common_body(head, next) {
            let sum = |a: u32, b: u32| a.checked_add(b).filter(|&sum| sum != Self::UNBOUNDED);
            let most = match (most, most_next) {
                (Self::UNBOUNDED, _) | (_, Self::UNBOUNDED) => Some(Self::UNBOUNDED),
                (a, b) => sum(a, b),
            };
            if let (Some(least), Some(most)) = (sum(least, least_next), most) {
                let merged = self.repetition_raw(body, least, most);
                return self.concatenate_simple(merged, rest);
            }
        }
        self.intern(Expression::Concatenation(head, tail))
    }

    /// The body of which both expressions are repetitions, at least one of them a real one.
    fn common_body(&self, a: ExpressionId, b: ExpressionId) -> Option<(ExpressionId, Bounds, Bounds)> {
        let as_repetition = |id| match self.get(id) {
            Expression::Repetition { body, minimum, maximum } => Some((body, (minimum, maximum))),
            _ => None,
        };
        match (as_repetition(a), as_repetition(b)) {
            (Some((body, first)), Some((other, second))) if body == other => Some((body, first, second)),
            (Some((body, first)), _) if body == b => Some((body, first, (1, 1))),
            (_, Some((body, second))) if body == a => Some((body, (1, 1), second)),
            _ => None,
        }
    }

    /// Matches `body` at least `minimum` and at most `maximum` times (`None`: without limit).
    /// A maximum below the minimum matches nothing.
    pub fn repetition(&mut self, body: ExpressionId, minimum: u32, maximum: Option<u32>) -> ExpressionId {
        self.repetition_raw(body, minimum, maximum.unwrap_or(Self::UNBOUNDED))
    }

    pub(super) fn repetition_raw(&mut self, body: ExpressionId, minimum: u32, maximum: u32) -> ExpressionId {
        if maximum < minimum {
            return Self::NOTHING;
        }
        if maximum == 0 || body == Self::EMPTY {
            return Self::EMPTY;
        }
        if body == Self::NOTHING {
            return if minimum == 0 { Self::EMPTY } else { Self::NOTHING };
        }
        // A nullable body can always be repeated less often than asked, by matching nothing.
        let minimum = if self.is_nullable(body) { 0 } else { minimum };
        if (minimum, maximum) == (1, 1) {
            return body;
        }
        if maximum == Self::UNBOUNDED
            && let Expression::Repetition { body: inner, minimum: 0 | 1, maximum: Self::UNBOUNDED } =
                self.get(body)
        {
            return self.repetition_raw(inner, minimum, Self::UNBOUNDED);
        }
        self.intern(Expression::Repetition { body, minimum, maximum })
    }

    /// Matches what any of the operands matches.
    pub fn alternatives(&mut self, operands: &[ExpressionId]) -> ExpressionId {
        match *operands {
            [] => return Self::NOTHING,
            [single] => return single,
            _ => {}
        }
        let mut flat = Operands::new();
        for &operand in operands {
            match self.get(operand) {
                Expression::Nothing => {}
                Expression::Alternatives(list) => flat.extend_from_slice(self.list(list)),
                _ => flat.push(operand),
            }
        }
        self.merge_byte_sets(&mut flat);
        flat.sort_unstable();
        flat.dedup();
        self.merge_counters(&mut flat);
        if flat.len() > 1 && flat.iter().any(|&id| id != Self::EMPTY && self.is_nullable(id)) {
            flat.retain(|&mut id| id != Self::EMPTY);
        }
        if flat.len() > 1
            && let Some(&any) = flat.iter().find(|&&id| self.is_any_text(id))
        {
            flat.retain(|&mut id| id == any || !self.is_text(id));
        }
        match flat.as_slice() {
            [] => Self::NOTHING,
            [single] => *single,
            _ => {
                let list = self.intern_list(&flat);
                self.intern(Expression::Alternatives(list))
            }
        }
    }

    /// Puts all byte sets among the operands together.
    fn merge_byte_sets(&mut self, operands: &mut Operands) {
        let mut union = ByteSet::EMPTY;
        let mut count = 0;
        for &operand in operands.iter() {
            if let Expression::Bytes(set) = self.get(operand) {
                union = union.union(self.byte_set(set));
                count += 1;
            }
        }
        if count > 1 {
            operands.retain(|&mut id| !matches!(self.get(id), Expression::Bytes(_)));
            let merged = self.bytes(union);
            operands.push(merged);
        }
    }

    /// Merges operands that differ in one counter only, where their bounds touch:
    /// `e{a,b} k | e{c,d} k` is `e{min(a,c),max(b,d)} k` when no count lies between.
    fn merge_counters(&mut self, operands: &mut Operands) {
        let mut counted: SmallVec<[(CountedKey, Bounds, ExpressionId); 4]> = SmallVec::new();
        for &operand in operands.iter() {
            let (head, tail) = match self.get(operand) {
                Expression::Concatenation(head, tail) => (head, tail),
                _ => (operand, Self::EMPTY),
            };
            if let Expression::Repetition { body, minimum, maximum } = self.get(head) {
                counted.push(((body, tail), (minimum, maximum), operand));
            }
        }
        if counted.len() < 2 {
            return;
        }
        counted.sort_unstable();
        let mut merged_any = false;
        let mut kept: Vec<(CountedKey, Bounds, Vec<ExpressionId>)> = Vec::new();
        for (key, (minimum, maximum), operand) in counted {
            match kept.last_mut() {
                Some((last, (_, most), members)) if *last == key && minimum <= most.saturating_add(1) => {
                    *most = (*most).max(maximum);
                    members.push(operand);
                    merged_any = true;
                }
                _ => kept.push((key, (minimum, maximum), vec![operand])),
            }
        }
        if !merged_any {
            return;
        }
        let gone: FxHashSet<ExpressionId> =
            kept.iter().filter(|group| group.2.len() > 1).flat_map(|group| group.2.iter().copied()).collect();
        operands.retain(|id| !gone.contains(id));
        for ((body, tail), (minimum, maximum), members) in kept {
            if members.len() > 1 {
                let repetition = self.repetition_raw(body, minimum, maximum);
                operands.push(self.concatenate(repetition, tail));
            }
        }
        operands.sort_unstable();
        operands.dedup();
    }

    /// Matches what all operands match.
    ///
    /// # Panics
    /// Never on regular operands; the grammar builder refuses others before they get here.
    pub(crate) fn intersection(&mut self, operands: &[ExpressionId]) -> ExpressionId {
        debug_assert!(operands.iter().all(|&id| self.is_regular(id)), "intersection of non-regular operands");
        let mut flat = Operands::new();
        for &operand in operands {
            match self.get(operand) {
                Expression::Nothing => return Self::NOTHING,
                Expression::Intersection(list) => flat.extend_from_slice(self.list(list)),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&mut id| id != Self::EVERYTHING);
        if flat.len() > 1 && flat.iter().any(|&id| self.is_text(id) && !self.is_any_text(id)) {
            flat.retain(|&mut id| !self.is_any_text(id));
        }
        if let Some(counted) = self.merge_lengths(&flat) {
            return self.intersection(&counted);
        }
        if flat.contains(&Self::EMPTY) {
            return if flat.iter().all(|&id| self.is_nullable(id)) { Self::EMPTY } else { Self::NOTHING };
        }
        match flat.as_slice() {
            [] => Self::EVERYTHING,
            [single] => *single,
            _ => {
                let list = self.intern_list(&flat);
                self.intern(Expression::Intersection(list))
            }
        }
    }

    /// The operands with one less, where one is so many of any characters and another one so many of some:
    /// `[a-z]{a,b}` and `.{c,d}` are `[a-z]{max(a,c),min(b,d)}`.
    fn merge_lengths(&mut self, operands: &Operands) -> Option<Operands> {
        let as_repetition = |&id: &ExpressionId| match self.get(id) {
            Expression::Repetition { body, minimum, maximum } => Some((id, body, (minimum, maximum))),
            _ => None,
        };
        let mut repetitions = operands.iter().filter_map(as_repetition);
        let (length, _, (least, most)) =
            repetitions.clone().find(|&(_, body, _)| self.is_any_character(body))?;
        let (counted, body, bounds) =
            repetitions.find(|&(id, body, _)| id != length && self.is_one_character(body))?;
        let both = self.repetition_raw(body, bounds.0.max(least), bounds.1.min(most));
        let others = operands.iter().copied().filter(|&id| id != length && id != counted);
        Some(others.chain([both]).collect())
    }

    /// Matches every byte string that the operand does not match.
    pub(crate) fn complement(&mut self, operand: ExpressionId) -> ExpressionId {
        debug_assert!(self.is_regular(operand), "complement of a non-regular operand");
        match self.get(operand) {
            Expression::Nothing => Self::EVERYTHING,
            Expression::Complement(inner) => inner,
            _ if operand == Self::EVERYTHING => Self::NOTHING,
            _ => self.intern(Expression::Complement(operand)),
        }
    }

    /// Whether the expression is the complement of another one, and so may match what is not UTF-8.
    pub(crate) fn is_complement(&self, id: ExpressionId) -> bool {
        id == Self::EVERYTHING || matches!(self.get(id), Expression::Complement(_))
    }

    /// Whether the expression is one byte, whatever it is.
    pub(super) fn is_any_byte(&self, id: ExpressionId) -> bool {
        matches!(self.get(id), Expression::Bytes(set) if *self.byte_set(set) == ByteSet::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(store: &mut ExpressionStore) -> ExpressionId {
        store.bytes(ByteSet::range(b'a', b'z'))
    }

    #[test]
    fn any_text_takes_in_all_other_text() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let any = store.repetition(any, 0, None);
        let (word, letter) = (store.literal("wörd".as_bytes()), store.characters(&[('a', 'ÿ')]));
        let letters = store.repetition(letter, 2, Some(300));
        let ending = store.concatenate(any, word);
        for text in [word, letter, letters, ending] {
            assert_eq!(store.alternatives(&[text, any]), any);
            assert_eq!(store.intersection(&[any, text]), text);
        }
        let surrogate = store.literal(b"\xED\xA0\x80");
        let half = store.literal(b"\xA9");
        let not_word = store.complement(word);
        for other in [surrogate, half, not_word] {
            assert_ne!(store.alternatives(&[other, any]), any);
            let both = store.intersection(&[other, any]);
            assert!(store.has_boolean(both));
        }
        let either = store.alternatives(&[word, surrogate, any]);
        assert_eq!(either, store.alternatives(&[surrogate, any]));
    }

    #[test]
    fn counters_that_touch_are_merged_and_others_are_kept() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let end = store.literal(b"!");
        let counted = |store: &mut ExpressionStore, least, most| {
            let repetition = store.repetition(letter, least, Some(most));
            store.concatenate(repetition, end)
        };
        let (low, high) = (counted(&mut store, 2, 4), counted(&mut store, 5, 9));
        let joined = counted(&mut store, 2, 9);
        assert_eq!(store.alternatives(&[high, low]), joined);
        let far = counted(&mut store, 11, 12);
        let apart = store.alternatives(&[low, far]);
        assert!(matches!(store.get(apart), Expression::Alternatives(_)));
    }

    #[test]
    fn neighbouring_repetitions_of_one_body_become_one() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let some = store.repetition(letter, 1, Some(3));
        let more = store.repetition(letter, 0, None);
        let both = store.concatenation(&[some, more]);
        assert_eq!(both, store.repetition(letter, 1, None));
        let nearly_all = store.repetition(letter, 0, Some(ExpressionStore::UNBOUNDED - 1));
        let twice = store.concatenation(&[nearly_all, nearly_all]);
        assert!(matches!(store.get(twice), Expression::Concatenation(..)), "no overflow of the sum");
    }

    #[test]
    fn a_nullable_body_needs_no_minimum() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let maybe = store.repetition(letter, 0, Some(1));
        let five = store.repetition(maybe, 5, Some(7));
        assert!(store.is_nullable(five));
        assert!(matches!(store.get(five), Expression::Repetition { minimum: 0, maximum: 7, .. }));
    }

    #[test]
    fn alternatives_are_a_set() {
        let mut store = ExpressionStore::new();
        let (a, b) = (store.literal(b"abc"), store.literal(b"xyz"));
        let one = store.alternatives(&[a, b]);
        let two = store.alternatives(&[b, a, ExpressionStore::NOTHING, b]);
        assert_eq!(one, two);
        let nested = store.alternatives(&[one, a]);
        assert_eq!(one, nested);
        let digit = store.bytes(ByteSet::range(b'0', b'4'));
        let other = store.bytes(ByteSet::range(b'5', b'9'));
        assert_eq!(store.alternatives(&[digit, other]), store.bytes(ByteSet::range(b'0', b'9')));
    }

    #[test]
    fn the_empty_text_is_dropped_beside_a_nullable_alternative() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let star = store.repetition(letter, 0, None);
        assert_eq!(store.alternatives(&[ExpressionStore::EMPTY, star]), star);
    }

    #[test]
    fn intersections_and_complements_simplify() {
        let mut store = ExpressionStore::new();
        let letter = letters(&mut store);
        let everything = store.complement(ExpressionStore::NOTHING);
        assert_eq!(store.intersection(&[letter, everything]), letter);
        assert_eq!(store.intersection(&[]), everything);
        let byte = store.bytes(ByteSet::ALL);
        assert_eq!(store.repetition(byte, 0, None), everything);
        assert_eq!(store.complement(everything), ExpressionStore::NOTHING);
        assert_eq!(store.intersection(&[letter, ExpressionStore::NOTHING]), ExpressionStore::NOTHING);
        let not = store.complement(letter);
        assert_eq!(store.complement(not), letter);
        assert!(store.is_nullable(not));
    }
}
