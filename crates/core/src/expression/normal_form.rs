//! The constructors of expressions, which keep the normal form.
//!
//! Alternatives are flat, sorted and distinct sets, concatenations lean to the right, byte sets and
//! counters that touch are merged ([`repetition`](super::repetition)), `Nothing` never stays inside another node.
//! Equal languages need not have equal forms, but those that derivatives produce again and again do.

use smallvec::SmallVec;

use super::literal_set::LiteralSet;
use super::{ByteSet, Expression, ExpressionId, ExpressionStore, LiteralRange, Residue, RuleId};
use crate::vocabulary::TokenSet;

/// The operands of a list that is being made.
pub(super) type Operands = SmallVec<[ExpressionId; 8]>;

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
    pub fn literals<L: AsRef<[u8]>>(&mut self, literals: Vec<L>) -> ExpressionId {
        match literals.as_slice() {
            [] => return Self::NOTHING,
            [single] if single.as_ref().is_empty() => return Self::EMPTY,
            _ => {}
        }
        if literals.iter().all(|literal| literal.as_ref().len() == 1) {
            return self.bytes(literals.iter().map(|literal| literal.as_ref()[0]).collect());
        }
        self.literal_set_from_start(LiteralSet::new(literals))
    }

    /// Matches any string of a set.
    fn literal_set_from_start(&mut self, set: LiteralSet) -> ExpressionId {
        let end = set.len();
        let set = self.intern_literal_set(set);
        self.literal_range(LiteralRange { set, first: 0, end, depth: 0 })
    }

    /// Matches what is left of some strings of a set. Of few of them that is the same expression whichever set they are in, and of
    /// the last byte of a single one whichever string: what comes after texts that end alike is read once.
    pub(super) fn literal_range(&mut self, range: LiteralRange) -> ExpressionId {
        let is_single = range.end - range.first == 1;
        let range = match self.literal_set(range.set).get(range.first)[range.depth as usize..] {
            [] if is_single => return Self::EMPTY,
            [last] if is_single => *self.last_bytes.entry(last).or_insert(range),
            _ => self.narrowed(range),
        };
        self.intern(Expression::Literals(range))
    }

    /// Few strings of a set, as those of the set of just these.
    ///
    /// The names that other keys of an object must not be are those of one set, and those that may still come are at each place those of
    /// another: what is left of them in the middle of a key is soon the same.
    fn narrowed(&mut self, range: LiteralRange) -> LiteralRange {
        /// More strings are seldom the same in several sets.
        const FEW: u32 = 4;
        let LiteralRange { set, first, end, depth } = range;
        let strings = self.literal_set(set);
        if end - first > FEW || end - first == strings.len() {
            return range;
        }
        let set = match self.narrowed_sets.get(&(set, first, end)) {
            Some(&known) => known,
            None => {
                let few = LiteralSet::new((first..end).map(|index| strings.get(index)).collect());
                let few = self.intern_literal_set(few);
                self.narrowed_sets.insert((set, first, end), few);
                few
            }
        };
        LiteralRange { set, first: 0, end: end - first, depth }
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

    /// Concatenates a head that is no concatenation, and merges neighbouring repetitions of one body.
    fn concatenate_simple(&mut self, head: ExpressionId, tail: ExpressionId) -> ExpressionId {
        if head == Self::EMPTY {
            return tail;
        }
        if tail == Self::EMPTY {
            return head;
        }
        let (next, rest) = self.head_and_rest(tail);
        // Any text takes in text beside it that may be none.
        if self.is_any_text(head) && self.is_optional_text(next) {
            return self.concatenate_simple(head, rest);
        }
        if self.is_any_text(next) && self.is_optional_text(head) {
            return tail;
        }
        if let Some(merged) = self.merge_neighbours(head, next) {
            return self.concatenate_simple(merged, rest);
        }
        self.intern(Expression::Concatenation(head, tail))
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
        self.merge_later_counters(&mut flat);
        if flat.len() > 1 && flat.iter().any(|&id| id != Self::EMPTY && self.is_nullable(id)) {
            flat.retain(|&mut id| id != Self::EMPTY);
        }
        if flat.len() > 1
            && let Some(&any) = flat.iter().find(|&&id| self.is_any_text(id))
        {
            flat.retain(|&mut id| id == any || !self.is_text(id));
        }
        if flat.len() > 1
            && let Some(&any) = flat.iter().find(|&&id| self.is_everything(id))
        {
            flat.retain(|&mut id| id == any || !self.is_regular(id));
        }
        self.leave_out_narrower(&mut flat);
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
        flat.retain(|&mut id| !self.is_everything(id));
        if flat.iter().any(|&id| self.is_no_text(id)) && flat.iter().any(|&id| self.is_text(id)) {
            return Self::NOTHING;
        }
        self.leave_out_wider(&mut flat);
        if flat.len() > 1 && flat.iter().any(|&id| self.is_text(id) && !self.is_any_text(id)) {
            flat.retain(|&mut id| !self.is_any_text(id));
        }
        if let Some(fitting) = self.leave_out_too_long(&flat) {
            return self.intersection(&fitting);
        }
        if let Some(counted) = self.merge_lengths(&flat).or_else(|| self.leave_out_lengths(&flat)) {
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

    /// Matches every byte string that the operand does not match.
    pub(crate) fn complement(&mut self, operand: ExpressionId) -> ExpressionId {
        debug_assert!(self.is_regular(operand), "complement of a non-regular operand");
        match self.get(operand) {
            Expression::Nothing => Self::EVERYTHING,
            Expression::Complement(inner) => inner,
            _ if self.is_everything(operand) => Self::NOTHING,
            _ => self.intern(Expression::Complement(operand)),
        }
    }

    /// Whether the expression is the complement of another one, and so may match what is not UTF-8.
    pub(crate) fn is_complement(&self, id: ExpressionId) -> bool {
        id == Self::EVERYTHING || matches!(self.get(id), Expression::Complement(_))
    }

    /// Whether the expression plainly matches every byte string.
    fn is_everything(&self, id: ExpressionId) -> bool {
        match self.get(id) {
            Expression::Repetition { body, minimum: 0, maximum: Self::UNBOUNDED } => self.is_any_byte(body),
            _ => id == Self::EVERYTHING,
        }
    }

    /// Whether the expression plainly matches nothing that is UTF-8.
    fn is_no_text(&self, id: ExpressionId) -> bool {
        matches!(self.get(id), Expression::Complement(operand) if self.is_any_text(operand))
    }

    /// Whether the expression matches nothing but UTF-8, and the empty text.
    fn is_optional_text(&self, id: ExpressionId) -> bool {
        self.is_nullable(id) && self.is_text(id) && self.is_regular(id)
    }

    /// The operands of an intersection without those of their alternatives that take more characters than another operand
    /// has at most; `None` where there are none.
    fn leave_out_too_long(&mut self, operands: &Operands) -> Option<Operands> {
        let most = operands.iter().filter_map(|&id| self.bound_of_characters(id)).min()?;
        let is_too_long = |&id: &ExpressionId| self.fewest_characters(id) > most;
        let has_too_long = |&id: &ExpressionId| match self.get(id) {
            Expression::Alternatives(list) => self.list(list).iter().any(is_too_long),
            _ => is_too_long(&id),
        };
        operands.iter().find(|&id| has_too_long(id))?;
        let mut fitting = operands.clone();
        for operand in &mut fitting {
            let mut kept = self.alternatives_of(*operand);
            kept.retain(|&mut id| self.fewest_characters(id) <= most);
            *operand = self.alternatives(&kept);
        }
        Some(fitting)
    }

    /// The greatest number of characters of a repetition of single ones that has a maximum, perhaps in the middle of one;
    /// `None` of all else.
    fn bound_of_characters(&self, mut id: ExpressionId) -> Option<u32> {
        let is_in_character = |id| match self.get(id) {
            Expression::Bytes(set) => self.byte_set(set).is_within(0x80, 0xBF),
            _ => false,
        };
        while let Expression::Concatenation(head, tail) = self.get(id)
            && is_in_character(head)
        {
            id = tail;
        }
        let is_one = |id| self.is_any_character(id) || self.is_one_character(id);
        match self.get(id) {
            Expression::Repetition { maximum: Self::UNBOUNDED, .. } => None,
            Expression::Repetition { body, maximum, .. } => is_one(body).then_some(maximum),
            _ if is_in_character(id) => Some(0),
            _ => is_one(id).then_some(1),
        }
    }

    /// Whether the expression is one byte, whatever it is.
    pub(super) fn is_any_byte(&self, id: ExpressionId) -> bool {
        matches!(self.get(id), Expression::Bytes(set) if *self.byte_set(set) == ByteSet::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::super::every_text::texts;
    use super::*;

    fn letters(store: &mut ExpressionStore) -> ExpressionId {
        store.bytes(ByteSet::range(b'a', b'z'))
    }

    #[test]
    fn every_byte_string_takes_in_all_others() {
        let mut store = ExpressionStore::new();
        let (any, letter) = (store.bytes(ByteSet::ALL), letters(&mut store));
        let (every, word) = (store.repetition(any, 0, None), store.repetition(letter, 0, Some(3)));
        let found = store.concatenation(&[every, letter, every]);
        let call = store.call(RuleId(0));
        assert_eq!(store.alternatives(&[found, every, word]), every);
        assert_eq!(store.alternatives(&[every, call]), store.alternatives(&[call, found, every]));
        assert_ne!(store.alternatives(&[every, call]), every, "a call may read more than bytes");
        assert_eq!(store.intersection(&[every, word]), word);
        assert_eq!(store.intersection(&[every, every]), ExpressionStore::EVERYTHING);
        assert_eq!(store.complement(every), ExpressionStore::NOTHING);
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

    #[test]
    fn any_text_takes_in_text_beside_it_that_may_be_none() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let (any, letter) = (store.repetition(any, 0, None), letters(&mut store));
        let (word, umlauts) = (store.repetition(letter, 0, Some(3)), store.characters(&[('a', 'ÿ')]));
        let umlauts = store.repetition(umlauts, 0, None);
        let end = store.literal(b"!");
        for optional in [word, umlauts] {
            assert_eq!(store.concatenation(&[any, optional, any]), any);
            assert_eq!(store.concatenation(&[optional, any, end]), store.concatenate(any, end));
            assert_eq!(store.concatenation(&[end, any, optional]), store.concatenate(end, any));
        }
        let (byte, call) = (store.bytes(ByteSet::ALL), store.call(RuleId(0)));
        for other in [store.repetition(byte, 0, Some(1)), store.repetition(call, 0, Some(1)), letter] {
            let both = store.concatenate(any, other);
            assert_eq!(store.get(both), Expression::Concatenation(any, other));
        }
    }

    #[test]
    fn what_takes_more_characters_than_another_operand_has_is_left_out() {
        let mut store = ExpressionStore::new();
        let any = store.any_character();
        let (text, digit) = (store.repetition(any, 0, None), store.bytes(ByteSet::range(b'0', b'9')));
        let (three, umlaut) = (store.repetition(digit, 3, None), store.literal("üb".as_bytes()));
        let (pattern, pair) =
            (store.concatenation(&[text, three, text]), store.concatenation(&[text, umlaut, text]));
        let either = store.alternatives(&[pattern, pair]);
        let more = store.bytes(ByteSet::range(0x80, 0xBF));
        for (operand, fewest) in [(pattern, 3), (pair, 2), (either, 2), (three, 3)] {
            for most in 0..5 {
                let bound = store.repetition(any, 0, Some(most));
                let begun = [store.concatenate(more, bound), store.concatenate(more, operand)];
                let both = store.intersection(&[bound, operand]);
                let begun = store.intersection(&begun);
                assert_eq!(both == ExpressionStore::NOTHING, most < fewest, "{operand:?} {most}");
                assert_eq!(begun == ExpressionStore::NOTHING, most < fewest, "{operand:?} {most}");
            }
        }
        let two = store.repetition(any, 0, Some(2));
        assert_eq!(store.intersection(&[two, either]), store.intersection(&[two, pair]));
        let mut compared = 0;
        for text in texts("1üb".as_bytes(), 5) {
            let whole = store.intersection(&[two, either]);
            let expected = store.matches(two, &text) && store.matches(either, &text);
            assert_eq!(store.matches(whole, &text), expected, "{text:?}");
            compared += usize::from(expected);
        }
        assert_eq!(compared, 1, "the pair");
    }
}
