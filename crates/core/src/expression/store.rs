//! The interner of expressions: nodes, their parts, and what is known of each.

mod parts;
mod template;
mod traits;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub(crate) use self::template::Template;
pub(super) use self::traits::Lacking;
use self::traits::Traits;

use super::bound::Bound;
use super::by_first_byte::ByFirstByte;
use super::deferred::Owned;
use super::free_text::FreeTextTable;
use super::known_derivatives::KnownDerivatives;
use super::literal_set::LiteralSet;
use super::part_limit::{Classes, Separators};
use super::residue::Residue;
use super::unbounded::Ways;
use super::unordered::{MemberSetId, Members, MembersId, Unordered};
use super::ways_left::WaysLeft;
use super::{
    ByteSet, CaptureId, DeferredId, Escape, FreeTextId, FreeTextPosition, LiteralRange, LiteralSetId, RuleId,
    Spelling, SpellingId, TextId,
};
use crate::interner::{Interner, SliceInterner};
use crate::vocabulary::TokenSet;

/// An expression of an [`ExpressionStore`]. An operand always has a smaller id than its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpressionId(u32);

impl ExpressionId {
    /// The id as an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interned [`ByteSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSetId(u32);

/// An interned [`TokenSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenSetId(u32);

/// An interned state of counting the multiples of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResidueId(u32);

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
    /// Matches what is left of a decimal text whose value is a multiple of a number.
    Residue(ResidueId),
    /// Matches all spellings in JSON, without the quotes, of the strings that a regular expression matches.
    JsonString {
        /// What is left of the string's characters, in UTF-8.
        content: ExpressionId,
        /// How far an escape has been read.
        escape: Escape,
        /// Which spellings are allowed.
        spelling: SpellingId,
    },
    /// Matches what is left of free text with tags in it.
    FreeText {
        /// The tags, and what follows each.
        table: FreeTextId,
        /// How far it has been read.
        at: FreeTextPosition,
    },
    /// Matches members in any order.
    Unordered(Unordered),
    /// Matches what the front end says when it is asked. Never empty.
    Deferred(DeferredId),
    /// Matches what a regular expression matches, and then what the front end says comes after that text.
    Capture {
        /// What is left to be read.
        content: ExpressionId,
        /// What has been read.
        text: TextId,
        /// Where it leads.
        capture: CaptureId,
    },
    /// Matches what the front end says comes after a captured text. Never empty.
    Captured {
        /// The text.
        text: TextId,
        /// Where it leads.
        capture: CaptureId,
    },
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
#[derive(Clone, Debug)]
pub struct ExpressionStore {
    nodes: Interner<Expression>,
    traits: Vec<Traits>,
    byte_sets: Interner<ByteSet>,
    token_sets: Interner<TokenSet>,
    literal_sets: Interner<Arc<LiteralSet>>,
    /// The size of the sets of fixed strings.
    literal_size: usize,
    /// For each byte that was last in a fixed string: the first string that it was left of.
    pub(super) last_bytes: FxHashMap<u8, LiteralRange>,
    /// For some neighbours in sets of fixed strings, from the first to the one past the last: the set of just these.
    pub(super) narrowed_sets: FxHashMap<(LiteralSetId, u32, u32), LiteralSetId>,
    residues: Interner<Residue>,
    free_texts: Interner<FreeTextTable>,
    /// For each table of free text, the free text at its beginning.
    free_text_starts: Vec<ExpressionId>,
    /// The nodes and edges of the tables of free text.
    free_text_size: usize,
    members: Interner<Members>,
    member_sets: SliceInterner<u64>,
    texts: Interner<(u32, u8)>,
    /// What the grammars written on demand define, and where their captures lead.
    owned: Interner<Owned>,
    spellings: Interner<Spelling>,
    lists: SliceInterner<ExpressionId>,
    /// [`any_character`](Self::any_character), once it is made: front ends ask for it again and again.
    pub(super) any_character: Option<ExpressionId>,
    /// The lengths of matches that searches have found, of contents of JSON strings and of what is read as it is.
    pub(super) match_lengths: FxHashMap<(ExpressionId, bool), u32>,
    /// How far it is at most to the next match, where that was asked; `None` where it is not known.
    pub(super) ways_left: ExpressionMap<Option<WaysLeft>>,
    /// The same in characters of some kinds, each given by what matches one.
    pub(super) separators_left: FxHashMap<(ExpressionId, Classes), Option<u32>>,
    /// What tells parts, by the classes that are in each and those that begin them.
    pub(super) separators: FxHashMap<(Classes, Option<Classes>), Option<Separators>>,
    /// The lengths of matches of some parts, by their structure, where these were asked; `None` where it does not show them.
    pub(super) ways_within: ExpressionMap<Option<Ways>>,
    /// Whether each match can be made longer, where that was asked and is not plain.
    pub(super) endless: ExpressionMap<bool>,
    /// What some expressions are called wherever they are written; see [`name`](Self::name).
    names: ExpressionMap<&'static str>,
    /// Some derivatives, as far as they have been asked for.
    pub(super) derivatives: KnownDerivatives,
    /// Of some alternatives, which of them each byte begins.
    pub(super) by_first_byte: ByFirstByte,
    /// For each rule, whether it matches the empty text; rules past the end are taken not to.
    nullable_rules: Vec<bool>,
    /// How much derivatives may add, and for how long.
    pub(super) bound: Bound,
}

/// What bytes take in the size of expressions, one of which is about so many.
pub(crate) fn size_of_bytes(bytes: usize) -> usize {
    bytes / EXPRESSION_BYTES
}

/// What one of the size of expressions takes, in bytes, as [`Budget::expressions`](crate::Budget::expressions) says.
pub(crate) const EXPRESSION_BYTES: usize = 50;

/// So many nodes of a constraint have room from the beginning: nine in ten of 500 schemas of MaskBench have less when their texts are
/// read. A table that grows in a step makes it slow.
const COMMON_SIZE: usize = 1792;

/// So many nodes of any other store do.
const FEW: usize = 7;

impl Default for ExpressionStore {
    fn default() -> Self {
        Self::new()
    }
}

impl ExpressionStore {
    /// The maximum of a repetition without limit.
    pub const UNBOUNDED: u32 = u32::MAX;
    /// [`Expression::Nothing`], which every store holds.
    pub const NOTHING: ExpressionId = ExpressionId(0);
    /// [`Expression::Empty`], which every store holds.
    pub const EMPTY: ExpressionId = ExpressionId(1);
    /// Any number of any bytes: every byte string matches. Every store holds it.
    pub(crate) const EVERYTHING: ExpressionId = ExpressionId(3);

    /// A store with just [`NOTHING`](Self::NOTHING) and [`EMPTY`](Self::EMPTY).
    pub fn new() -> Self {
        Self::begun(Vec::new(), FEW)
    }

    /// The store of a constraint, whose calls know which rules match the empty text.
    pub(crate) fn with_nullable_rules(nullable_rules: Vec<bool>) -> Self {
        Self::begun(nullable_rules, COMMON_SIZE)
    }

    /// A copy for a constraint, which is going to add to it.
    pub(crate) fn copy_for_constraint(&self) -> Self {
        let mut copy = self.clone();
        copy.make_room(COMMON_SIZE);
        copy
    }

    /// Makes room for about so many more nodes.
    fn make_room(&mut self, count: usize) {
        self.nodes.reserve(count);
        self.traits.reserve(count);
        self.byte_sets.reserve(count / 16);
        self.lists.reserve(count / 8);
        self.texts.reserve(count / 8);
    }

    /// A store with what every store holds, and room for about so many nodes.
    fn begun(nullable_rules: Vec<bool>, room: usize) -> Self {
        let mut store = Self::hollow(nullable_rules);
        store.make_room(room);
        store.intern(Expression::Nothing);
        store.intern(Expression::Empty);
        let byte = store.bytes(ByteSet::ALL);
        let everything = store.repetition(byte, 0, None);
        debug_assert_eq!(everything, Self::EVERYTHING);
        store
    }

    /// Takes everything out. What is left holds nothing, not even [`NOTHING`](Self::NOTHING): it is to be put back before
    /// anything else is asked of it, whatever fails meanwhile.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::hollow(Vec::new()))
    }

    fn hollow(nullable_rules: Vec<bool>) -> Self {
        Self {
            nodes: Interner::default(),
            traits: Vec::new(),
            byte_sets: Interner::default(),
            token_sets: Interner::default(),
            literal_sets: Interner::default(),
            literal_size: 0,
            last_bytes: FxHashMap::default(),
            narrowed_sets: FxHashMap::default(),
            residues: Interner::default(),
            free_texts: Interner::default(),
            free_text_starts: Vec::new(),
            free_text_size: 0,
            members: Interner::default(),
            member_sets: SliceInterner::default(),
            texts: Interner::default(),
            owned: Interner::default(),
            spellings: Interner::default(),
            lists: SliceInterner::default(),
            any_character: None,
            match_lengths: FxHashMap::default(),
            ways_left: ExpressionMap::default(),
            separators_left: FxHashMap::default(),
            separators: FxHashMap::default(),
            ways_within: ExpressionMap::default(),
            endless: ExpressionMap::default(),
            names: ExpressionMap::default(),
            derivatives: KnownDerivatives::default(),
            by_first_byte: ByFirstByte::default(),
            nullable_rules,
            bound: Bound::default(),
        }
    }

    /// The node of an id.
    pub fn get(&self, id: ExpressionId) -> Expression {
        *self.nodes.get(id.0)
    }

    /// The number of nodes, of derivatives that are kept, of members of lists, and of nodes and edges of tables of strings,
    /// half that of the bytes of captured texts, a sixth of that of the words of sets of members, and what sets of fixed
    /// strings take: a measure of the memory in use.
    pub fn size(&self) -> usize {
        self.nodes.len()
            + self.derivatives.count()
            + self.by_first_byte.size()
            + self.lists.elements()
            + self.free_text_size
            + self.literal_size
            + self.texts.len() / 2
            + self.member_sets.elements() / 6
    }

    /// The number of nodes.
    #[allow(clippy::len_without_is_empty)] // a store is never empty
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The ids of all nodes, operands before the expressions they stand in.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = ExpressionId> + use<> {
        (0..self.nodes.len() as u32).map(ExpressionId)
    }

    /// The bytes of an interned set.
    pub fn byte_set(&self, id: ByteSetId) -> &ByteSet {
        self.byte_sets.get(id.0)
    }

    /// The tokens of an interned set.
    pub fn token_set(&self, id: TokenSetId) -> &TokenSet {
        self.token_sets.get(id.0)
    }

    /// The operands of an interned list.
    pub fn list(&self, id: ListId) -> &[ExpressionId] {
        self.lists.get(id.0)
    }

    /// The strings of a range, whole, from their first byte.
    pub fn literals_of(&self, range: LiteralRange) -> impl Iterator<Item = &[u8]> {
        (range.first..range.end).map(move |at| self.literal_set(range.set).get(at))
    }

    /// The bytes with which strings of a range go on.
    pub(crate) fn next_bytes(&self, range: LiteralRange) -> ByteSet {
        self.literal_set(range.set).next_bytes(range)
    }

    /// Which spellings of JSON strings an id stands for.
    pub(crate) fn spelling(&self, id: SpellingId) -> &Spelling {
        self.spellings.get(id.0)
    }

    /// The id of some spellings of JSON strings.
    pub(crate) fn intern_spelling(&mut self, spelling: Spelling) -> SpellingId {
        SpellingId(self.spellings.intern(spelling))
    }

    pub(crate) fn residue_of(&self, id: ResidueId) -> Residue {
        *self.residues.get(id.0)
    }

    pub(super) fn intern_residue(&mut self, residue: Residue) -> ResidueId {
        ResidueId(self.residues.intern(residue))
    }

    pub(super) fn members(&self, id: MembersId) -> &Members {
        self.members.get(id.0)
    }

    pub(super) fn intern_members(&mut self, members: Members) -> MembersId {
        MembersId(self.members.intern(members))
    }

    pub(super) fn member_set(&self, id: MemberSetId) -> &[u64] {
        self.member_sets.get(id.0)
    }

    pub(super) fn intern_member_set(&mut self, set: &[u64]) -> MemberSetId {
        MemberSetId(self.member_sets.intern(set))
    }

    pub(super) fn intern_owned(&mut self, owned: Owned) -> u32 {
        self.owned.intern(owned)
    }

    pub(super) fn owned(&self, index: u32) -> Owned {
        *self.owned.get(index)
    }

    pub(super) fn free_text_table(&self, id: FreeTextId) -> &FreeTextTable {
        self.free_texts.get(id.0)
    }

    /// Whether there is free text.
    pub(crate) fn has_free_text(&self) -> bool {
        self.free_texts.len() > 0
    }

    /// All tables of free text.
    pub(super) fn free_text_tables(&self) -> impl Iterator<Item = &FreeTextTable> {
        (0..self.free_texts.len() as u32).map(|id| self.free_texts.get(id))
    }

    /// The free text of a table at its beginning.
    pub(super) fn free_text_start(&self, id: FreeTextId) -> ExpressionId {
        self.free_text_starts[id.0 as usize]
    }

    /// Interns a table of free text, and gives the free text at its beginning.
    pub(super) fn intern_free_text_table(&mut self, table: FreeTextTable) -> ExpressionId {
        let size = table.size();
        let id = FreeTextId(self.free_texts.intern(table));
        if let Some(&start) = self.free_text_starts.get(id.0 as usize) {
            return start;
        }
        let start = self.intern(Expression::FreeText { table: id, at: FreeTextPosition::START });
        self.free_text_starts.push(start);
        self.free_text_size += size;
        start
    }

    pub(super) fn intern_text(&mut self, entry: (u32, u8)) -> u32 {
        self.texts.intern(entry)
    }

    pub(super) fn text_entry(&self, index: u32) -> (u32, u8) {
        *self.texts.get(index)
    }

    pub(super) fn literal_set(&self, id: LiteralSetId) -> &LiteralSet {
        self.literal_sets.get(id.0)
    }

    /// Gives a large regular expression a name, by which its content is told in one step.
    ///
    /// One name is to mean one language, in every store and in every process that has the same
    /// [`FORM_VERSION`](super::FORM_VERSION): whoever gives names has a test that holds what they mean.
    pub(crate) fn name(&mut self, id: ExpressionId, name: &'static str) {
        debug_assert!(self.is_regular(id), "a name says nothing of rules and tokens");
        self.names.insert(id, name);
    }

    pub(crate) fn name_of(&self, id: ExpressionId) -> Option<&'static str> {
        self.names.get(&id).copied()
    }

    /// An expression as its first part and the rest, which is [`EMPTY`](Self::EMPTY) where there is no more.
    pub(crate) fn head_and_rest(&self, id: ExpressionId) -> (ExpressionId, ExpressionId) {
        match self.get(id) {
            Expression::Concatenation(head, rest) => (head, rest),
            _ => (id, Self::EMPTY),
        }
    }

    /// The operands of a node.
    pub(crate) fn operands(&self, id: ExpressionId) -> smallvec::SmallVec<[ExpressionId; 4]> {
        match self.get(id) {
            Expression::Concatenation(head, tail) => smallvec::smallvec![head, tail],
            Expression::Alternatives(list) | Expression::Intersection(list) => {
                smallvec::SmallVec::from_slice(self.list(list))
            }
            Expression::Repetition { body, .. } | Expression::Complement(body) => smallvec::smallvec![body],
            Expression::JsonString { content, .. } | Expression::Capture { content, .. } => {
                smallvec::smallvec![content]
            }
            Expression::FreeText { table, at } => self.free_text_operands(table, at),
            Expression::Unordered(unordered) => self.unordered_operands(unordered),
            _ => smallvec::SmallVec::new(),
        }
    }

    /// The alternatives of an expression: itself, where it is none of several.
    pub(crate) fn alternatives_of(&self, id: ExpressionId) -> smallvec::SmallVec<[ExpressionId; 4]> {
        match self.get(id) {
            Expression::Alternatives(list) => smallvec::SmallVec::from_slice(self.list(list)),
            _ => smallvec::smallvec![id],
        }
    }

    /// The number of alternatives of an expression.
    pub(crate) fn width(&self, id: ExpressionId) -> usize {
        match self.get(id) {
            Expression::Alternatives(list) => self.list(list).len(),
            _ => 1,
        }
    }

    pub(super) fn intern_byte_set(&mut self, set: ByteSet) -> ByteSetId {
        ByteSetId(self.byte_sets.intern(set))
    }

    pub(super) fn intern_literal_set(&mut self, set: LiteralSet) -> LiteralSetId {
        let size = |set: &Arc<LiteralSet>| set.size();
        LiteralSetId(self.literal_sets.intern_sized(Arc::new(set), &mut self.literal_size, size))
    }

    pub(super) fn intern_token_set(&mut self, set: TokenSet) -> TokenSetId {
        TokenSetId(self.token_sets.intern(set))
    }

    /// One set of all tokens of some sets, none of which leaves tokens out; `None` of no sets.
    pub(crate) fn union_of_tokens(&mut self, sets: &[TokenSetId]) -> Option<TokenSetId> {
        match sets {
            [] | [_] => sets.first().copied(),
            sets => {
                let members = sets.iter().flat_map(|&set| self.token_set(set).members().iter().cloned());
                let union = TokenSet::of(members.collect());
                Some(self.intern_token_set(union))
            }
        }
    }

    pub(super) fn intern_list(&mut self, list: &[ExpressionId]) -> ListId {
        ListId(self.lists.intern(list))
    }

    pub(super) fn intern(&mut self, node: Expression) -> ExpressionId {
        let id = self.nodes.intern(node);
        if id as usize == self.traits.len() {
            let traits = self.traits_of(node);
            self.traits.push(traits);
        }
        ExpressionId(id)
    }
}

/// A map from the expressions of one store to something else, filled as needed.
pub(crate) type ExpressionMap<T> = FxHashMap<ExpressionId, T>;
