//! The interner of expressions and its normalising constructors.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::literal_set::LiteralSet;
use super::{ByteSet, LiteralRange, LiteralSetId, RuleId};
use crate::vocabulary::TokenSet;

/// An expression of an [`ExpressionStore`]. An operand always has a smaller id than its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpressionId(u32);

/// An interned [`ByteSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSetId(u32);

/// An interned [`TokenSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenSetId(u32);

/// An interned list of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(u32);

/// One node. The operands of lists are sorted and distinct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// Matches nothing at all.
    Nothing,
    /// Matches the empty text.
    Empty,
    /// Matches one byte of a set.
    Bytes(ByteSetId),
    /// Matches what is left of some fixed strings.
    Literals(LiteralRange),
    /// Matches one token of a set by its id, never by its bytes.
    Tokens(TokenSetId),
    /// Matches what a rule matches.
    Call(RuleId),
    /// Matches the first operand and then the second. The first is never a concatenation itself.
    Concatenation(ExpressionId, ExpressionId),
    /// Matches what any operand matches.
    Alternatives(ListId),
    /// Matches `body` at least `minimum` and at most `maximum` times.
    Repetition {
        /// What is repeated.
        body: ExpressionId,
        /// The least number of times.
        minimum: u32,
        /// The greatest number of times; [`ExpressionStore::UNBOUNDED`] for no limit.
        maximum: u32,
    },
    /// Matches what all operands match. The operands hold no calls and no tokens.
    Intersection(ListId),
    /// Matches all byte strings that the operand does not. The operand holds no calls and no tokens.
    Complement(ExpressionId),
}

/// What is known of a node from its structure.
#[derive(Clone, Copy, Debug)]
struct Traits {
    /// Whether it matches the empty text, given which rules do.
    nullable: bool,
    /// Whether it is a regular expression over bytes: no calls, no exact tokens.
    regular: bool,
    /// Whether an intersection or a complement stands in it.
    boolean: bool,
    /// How deep operands nest, tails of concatenations not counted.
    height: u32,
}

/// A table that stores each value once.
#[derive(Clone, Debug)]
struct Interner<T> {
    values: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    fn intern(&mut self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let values = &self.values;
        if let Some(&found) = self.table.find(hash, |&at| values[at as usize] == value) {
            return found;
        }
        let id = self.values.len() as u32;
        self.values.push(value);
        let values = &self.values;
        self.table.insert_unique(hash, id, |&at| FxBuildHasher.hash_one(&values[at as usize]));
        id
    }
}

/// Interned expressions and their parts.
///
/// ```
/// use maskwright_core::expression::{ByteSet, ExpressionStore};
///
/// let mut store = ExpressionStore::new();
/// let letter = store.bytes(ByteSet::range(b'a', b'z'));
/// let word = store.repetition(letter, 1, None);
/// let same = { let rest = store.repetition(letter, 0, None); store.concatenation(&[letter, rest]) };
/// assert_eq!(word, same);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExpressionStore {
    nodes: Interner<Expression>,
    traits: Vec<Traits>,
    byte_sets: Interner<ByteSet>,
    token_sets: Interner<TokenSet>,
    literal_sets: Interner<LiteralSet>,
    lists: Interner<Box<[ExpressionId]>>,
    /// For each rule, whether it matches the empty text; rules past the end are taken not to.
    nullable_rules: Vec<bool>,
}

impl ExpressionStore {
    /// The maximum of a repetition without limit.
    pub const UNBOUNDED: u32 = u32::MAX;
    /// [`Expression::Nothing`], which every store holds.
    pub const NOTHING: ExpressionId = ExpressionId(0);
    /// [`Expression::Empty`], which every store holds.
    pub const EMPTY: ExpressionId = ExpressionId(1);

    /// A store with just [`NOTHING`](Self::NOTHING) and [`EMPTY`](Self::EMPTY).
    pub fn new() -> Self {
        Self::with_nullable_rules(Vec::new())
    }

    /// A store whose calls know which rules match the empty text.
    pub(crate) fn with_nullable_rules(nullable_rules: Vec<bool>) -> Self {
        let mut store = Self { nullable_rules, ..Self::default() };
        store.intern(Expression::Nothing);
        store.intern(Expression::Empty);
        store
    }

    /// The node of an id.
    pub fn get(&self, id: ExpressionId) -> Expression {
        self.nodes.values[id.0 as usize]
    }

    /// The number of nodes.
    #[allow(clippy::len_without_is_empty)] // a store is never empty
    pub fn len(&self) -> usize {
        self.nodes.values.len()
    }

    /// The ids of all nodes, operands before the expressions they stand in.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = ExpressionId> + use<> {
        (0..self.nodes.values.len() as u32).map(ExpressionId)
    }

    /// The bytes of an interned set.
    pub fn byte_set(&self, id: ByteSetId) -> &ByteSet {
        &self.byte_sets.values[id.0 as usize]
    }

    /// The tokens of an interned set.
    pub fn token_set(&self, id: TokenSetId) -> &TokenSet {
        &self.token_sets.values[id.0 as usize]
    }

    /// The operands of an interned list.
    pub fn list(&self, id: ListId) -> &[ExpressionId] {
        &self.lists.values[id.0 as usize]
    }

    /// The strings of a range, whole, from their first byte.
    pub fn literals_of(&self, range: LiteralRange) -> impl Iterator<Item = &[u8]> {
        (range.first..range.end).map(move |at| self.literal_set(range.set).get(at))
    }

    pub(super) fn literal_set(&self, id: LiteralSetId) -> &LiteralSet {
        &self.literal_sets.values[id.0 as usize]
    }

    /// Whether the expression matches the empty text.
    pub fn is_nullable(&self, id: ExpressionId) -> bool {
        self.traits[id.0 as usize].nullable
    }

    /// Whether the expression holds neither calls nor exact tokens.
    pub fn is_regular(&self, id: ExpressionId) -> bool {
        self.traits[id.0 as usize].regular
    }

    /// Whether an intersection or a complement stands in the expression.
    pub(crate) fn has_boolean(&self, id: ExpressionId) -> bool {
        self.traits[id.0 as usize].boolean
    }

    /// How deep operands nest.
    pub fn height(&self, id: ExpressionId) -> usize {
        self.traits[id.0 as usize].height as usize
    }

    /// Matches one byte of the set.
    pub fn bytes(&mut self, set: ByteSet) -> ExpressionId {
        if set.is_empty() {
            return Self::NOTHING;
        }
        let id = ByteSetId(self.byte_sets.intern(set));
        self.intern(Expression::Bytes(id))
    }

    /// Matches exactly these bytes.
    pub fn literal(&mut self, literal: &[u8]) -> ExpressionId {
        self.literals(vec![literal.to_vec()])
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
        let set = LiteralSet::new(literals);
        let end = set.len();
        let set = LiteralSetId(self.literal_sets.intern(set));
        self.literal_range(LiteralRange { set, first: 0, end, depth: 0 })
    }

    pub(super) fn literal_range(&mut self, range: LiteralRange) -> ExpressionId {
        if range.end - range.first == 1 && self.literal_set(range.set).is_nullable(range) {
            return Self::EMPTY;
        }
        self.intern(Expression::Literals(range))
    }

    /// Matches one token of the set, by id.
    pub fn tokens(&mut self, set: TokenSet) -> ExpressionId {
        if set.is_nothing() {
            return Self::NOTHING;
        }
        let id = TokenSetId(self.token_sets.intern(set));
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
        // A concatenation as head is unrolled from its end, so that heads are never concatenations.
        let mut heads: smallvec::SmallVec<[ExpressionId; 8]> = smallvec::SmallVec::new();
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
    fn common_body(
        &self,
        a: ExpressionId,
        b: ExpressionId,
    ) -> Option<(ExpressionId, (u32, u32), (u32, u32))> {
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
        if maximum == Self::UNBOUNDED {
            if let Expression::Repetition { body: inner, minimum: 0 | 1, maximum: Self::UNBOUNDED } =
                self.get(body)
            {
                return self.repetition_raw(inner, minimum.min(1), Self::UNBOUNDED);
            }
        }
        self.intern(Expression::Repetition { body, minimum, maximum })
    }

    /// Matches what any of the operands matches.
    pub fn alternatives(&mut self, operands: &[ExpressionId]) -> ExpressionId {
        let mut flat: Vec<ExpressionId> = Vec::with_capacity(operands.len());
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
            flat.retain(|&id| id != Self::EMPTY);
        }
        match flat.as_slice() {
            [] => Self::NOTHING,
            [single] => *single,
            _ => {
                let list = ListId(self.lists.intern(flat.into()));
                self.intern(Expression::Alternatives(list))
            }
        }
    }

    /// Puts all byte sets among the operands together.
    fn merge_byte_sets(&mut self, operands: &mut Vec<ExpressionId>) {
        let mut union = ByteSet::EMPTY;
        let mut count = 0;
        for &operand in operands.iter() {
            if let Expression::Bytes(set) = self.get(operand) {
                union = union.union(self.byte_set(set));
                count += 1;
            }
        }
        if count > 1 {
            operands.retain(|&id| !matches!(self.get(id), Expression::Bytes(_)));
            let merged = self.bytes(union);
            operands.push(merged);
        }
    }

    /// Merges operands that differ in one counter only, where their bounds touch:
    /// `e{a,b} k | e{c,d} k` is `e{min(a,c),max(b,d)} k` when no count lies between.
    fn merge_counters(&mut self, operands: &mut Vec<ExpressionId>) {
        let mut counted: Vec<((ExpressionId, ExpressionId), (u32, u32), ExpressionId)> = Vec::new();
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
        let mut kept: Vec<((ExpressionId, ExpressionId), (u32, u32), Vec<ExpressionId>)> = Vec::new();
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
        for ((body, tail), (minimum, maximum), members) in kept {
            if members.len() > 1 {
                operands.retain(|id| !members.contains(id));
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
        let mut flat: Vec<ExpressionId> = Vec::with_capacity(operands.len());
        for &operand in operands {
            match self.get(operand) {
                Expression::Nothing => return Self::NOTHING,
                Expression::Intersection(list) => flat.extend_from_slice(self.list(list)),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&id| !self.is_everything(id));
        if flat.contains(&Self::EMPTY) {
            return if flat.iter().all(|&id| self.is_nullable(id)) { Self::EMPTY } else { Self::NOTHING };
        }
        match flat.as_slice() {
            [] => {
                let nothing = Self::NOTHING;
                self.complement(nothing)
            }
            [single] => *single,
            _ => {
                let list = ListId(self.lists.intern(flat.into()));
                self.intern(Expression::Intersection(list))
            }
        }
    }

    /// Matches every byte string that the operand does not match.
    pub(crate) fn complement(&mut self, operand: ExpressionId) -> ExpressionId {
        debug_assert!(self.is_regular(operand), "complement of a non-regular operand");
        match self.get(operand) {
            Expression::Complement(inner) => inner,
            _ => self.intern(Expression::Complement(operand)),
        }
    }

    /// Whether the expression is the complement of nothing, which every byte string matches.
    fn is_everything(&self, id: ExpressionId) -> bool {
        self.get(id) == Expression::Complement(Self::NOTHING)
    }

    /// The operands of a node.
    pub(crate) fn operands(&self, id: ExpressionId) -> smallvec::SmallVec<[ExpressionId; 4]> {
        match self.get(id) {
            Expression::Concatenation(head, tail) => smallvec::smallvec![head, tail],
            Expression::Alternatives(list) | Expression::Intersection(list) => {
                smallvec::SmallVec::from_slice(self.list(list))
            }
            Expression::Repetition { body, .. } | Expression::Complement(body) => smallvec::smallvec![body],
            _ => smallvec::SmallVec::new(),
        }
    }

    fn intern(&mut self, node: Expression) -> ExpressionId {
        let id = self.nodes.intern(node);
        if id as usize == self.traits.len() {
            let traits = self.traits_of(node);
            self.traits.push(traits);
        }
        ExpressionId(id)
    }

    fn traits_of(&self, node: Expression) -> Traits {
        let of = |id: ExpressionId| self.traits[id.0 as usize];
        let leaf = |nullable, regular| Traits { nullable, regular, boolean: false, height: 1 };
        match node {
            Expression::Nothing | Expression::Bytes(_) => leaf(false, true),
            Expression::Empty => leaf(true, true),
            Expression::Literals(range) => leaf(self.literal_set(range.set).is_nullable(range), true),
            Expression::Tokens(_) => leaf(false, false),
            Expression::Call(rule) => {
                leaf(self.nullable_rules.get(rule.index()).copied().unwrap_or(false), false)
            }
            Expression::Concatenation(head, tail) => {
                let (head, tail) = (of(head), of(tail));
                Traits {
                    nullable: head.nullable && tail.nullable,
                    regular: head.regular && tail.regular,
                    boolean: head.boolean || tail.boolean,
                    height: (head.height + 1).max(tail.height),
                }
            }
            Expression::Repetition { body, minimum, .. } => {
                let body = of(body);
                Traits { nullable: minimum == 0 || body.nullable, height: body.height + 1, ..body }
            }
            Expression::Alternatives(list) => {
                self.join(list, |operands| operands.iter().any(|operand| operand.nullable))
            }
            Expression::Intersection(list) => {
                let joined = self.join(list, |operands| operands.iter().all(|operand| operand.nullable));
                Traits { boolean: true, ..joined }
            }
            Expression::Complement(operand) => {
                let operand = of(operand);
                Traits { nullable: !operand.nullable, boolean: true, height: operand.height + 1, ..operand }
            }
        }
    }

    fn join(&self, list: ListId, nullable: impl Fn(&[Traits]) -> bool) -> Traits {
        let operands: Vec<Traits> = self.list(list).iter().map(|id| self.traits[id.0 as usize]).collect();
        Traits {
            nullable: nullable(&operands),
            regular: operands.iter().all(|operand| operand.regular),
            boolean: operands.iter().any(|operand| operand.boolean),
            height: operands.iter().map(|operand| operand.height).max().unwrap_or(0) + 1,
        }
    }
}

/// A map from the expressions of one store to something else, filled as needed.
pub(crate) type ExpressionMap<T> = FxHashMap<ExpressionId, T>;

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(store: &mut ExpressionStore) -> ExpressionId {
        store.bytes(ByteSet::range(b'a', b'z'))
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
        assert_eq!(store.intersection(&[letter, ExpressionStore::NOTHING]), ExpressionStore::NOTHING);
        let not = store.complement(letter);
        assert_eq!(store.complement(not), letter);
        assert!(store.is_nullable(not));
    }
}
