//! Free text with tags in it.
//!
//! A model that calls tools writes prose until it completes a *tag*, such as `<tool_call>`, and what comes after the
//! tag has a grammar of its own. A [`FreeText`](super::Expression::FreeText) has a table of strings, each with what
//! follows it. It matches
//!
//! * `f t e`, where `t` is one of the strings, `e` matches what follows it, and `f` is valid UTF-8, such that every
//!   occurrence of any string of the table in `f t` lies within the last `|t|` bytes;
//! * if free text may also *end*, all valid UTF-8 in which none of the strings occurs.
//!
//! So the first tag that is completed opens, unless it lies within a longer one that is completed later. A string
//! after which nothing can follow is forbidden.
//!
//! Both are regular but for what follows, and reading them is deterministic. All that has to be remembered of
//! the text is the node of the strings' [`AhoCorasick`], and how far a character has been read. For an
//! occurrence that was passed over has to lie within the string that is completed later, of which the text
//! read so far ends with a beginning; the longest such beginning is the node. So it lies within the node's
//! string, and the automaton knows where the earliest one begins.
//!
//! Nothing empty stays alive here either: an [exploration](Alive) of the automaton finds out from where a tag that
//! opens, or the end, can still be reached with the bytes of the alphabet.

mod any_text;
mod unread;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

pub(crate) use self::any_text::{AnyText, TextTables};
pub(crate) use self::unread::{Both, TextPairs, Unread};
use super::aho_corasick::{AhoCorasick, StringNode};
use super::content::{Description, Part};
use super::{ByteSet, Expression, ExpressionId, ExpressionStore};
use crate::vocabulary::Utf8State;

/// One table of strings in an [`ExpressionStore`], each with what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FreeTextId(pub(super) u32);

/// How far free text has been read: the longest suffix that begins a string of the table.
///
/// Invariant: where that is not empty, the suffix tells how far the last character has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FreeTextPosition {
    node: StringNode,
    character: Utf8State,
}

impl FreeTextPosition {
    /// Nothing has been read.
    pub(super) const START: Self = Self { node: StringNode::ROOT, character: Utf8State::BOUNDARY };

    /// Whether nothing has been read that matters.
    pub(crate) fn is_unread(self) -> bool {
        self == Self::START
    }
}

/// The strings of free text with what follows them, over one alphabet.
#[derive(Clone, Debug)]
pub(super) struct FreeTextTable {
    /// Strings that the alphabet cannot spell are left out, since they occur in no text.
    automaton: Arc<AhoCorasick>,
    /// What follows each string; nothing after a forbidden one.
    continuations: Box<[ExpressionId]>,
    /// Whether free text may end.
    ends: bool,
    alphabet: ByteSet,
    /// Follows from all the others.
    alive: Alive,
}

impl PartialEq for FreeTextTable {
    fn eq(&self, other: &Self) -> bool {
        (&self.continuations, self.ends, self.alphabet) == (&other.continuations, other.ends, other.alphabet)
            && (Arc::ptr_eq(&self.automaton, &other.automaton)
                || self.automaton.strings() == other.automaton.strings())
    }
}

impl Eq for FreeTextTable {}

impl Hash for FreeTextTable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.continuations, self.ends, self.alphabet, self.automaton.strings().len()).hash(state);
    }
}

/// What a byte makes of free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The string that opens, by its place in the list.
    opens: Option<usize>,
    /// Where the text goes on, if it does.
    next: Option<FreeTextPosition>,
}

impl FreeTextTable {
    /// The number of nodes and edges of its automaton: a measure of the memory in use.
    pub(super) fn size(&self) -> usize {
        self.automaton.size()
    }

    /// What follows each string.
    pub(super) fn continuations(&self) -> &[ExpressionId] {
        &self.continuations
    }

    fn new(
        automaton: Arc<AhoCorasick>,
        continuations: Box<[ExpressionId]>,
        ends: bool,
        alphabet: ByteSet,
    ) -> Self {
        let mut table = Self { automaton, continuations, ends, alphabet, alive: Alive::default() };
        table.alive = Alive::new(&table);
        table
    }

    fn opens(&self, string: usize) -> bool {
        self.continuations[string] != ExpressionStore::NOTHING
    }

    /// Whether free text may end here.
    fn may_end(&self, at: FreeTextPosition) -> bool {
        self.ends && at.character == Utf8State::BOUNDARY && self.automaton.reach(at.node) == 0
    }

    /// What a byte makes of a position, whether or not the text can then be completed.
    fn step(&self, at: FreeTextPosition, byte: u8) -> Step {
        const DEAD: Step = Step { opens: None, next: None };
        let Some(character) = at.character.step(byte).filter(|_| self.alphabet.contains(byte)) else {
            return DEAD;
        };
        let node = self.automaton.step(at.node, byte);
        // The string that covers what was passed over begins no later, and goes on.
        let covered = match self.automaton.reach(at.node) {
            0 => 0,
            reach => reach + 1,
        };
        if self.automaton.depth(node) < covered {
            return DEAD;
        }
        let opens = self.automaton.longest(node).filter(|&string| {
            self.opens(string) && self.automaton.strings()[string].len() as u64 >= u64::from(covered)
        });
        Step { opens, next: Some(FreeTextPosition { node, character }) }
    }

    /// What becomes of a place that can be completed, if that still can.
    fn living_step(&self, at: FreeTextPosition, byte: u8) -> Step {
        let Step { opens, next } = self.step(at, byte);
        Step { opens, next: next.filter(|&next| self.alive.contains(next)) }
    }

    /// The bytes of which each makes the same of a position as `byte` does.
    fn class(&self, at: FreeTextPosition, byte: u8) -> ByteSet {
        let bytes = self.automaton.bytes(at.node).intersection(&self.alphabet);
        if bytes.contains(byte) {
            return ByteSet::single(byte);
        }
        let others = bytes.complement();
        if self.automaton.reach(at.node) > 0 {
            return others;
        }
        match at.character.step(byte).filter(|_| self.alphabet.contains(byte)) {
            Some(next) => others.intersection(at.character.leading_to(next)).intersection(&self.alphabet),
            None => others.difference(&at.character.following().intersection(&self.alphabet)),
        }
    }

    /// The bytes that can be read; possibly more, never fewer.
    fn first_bytes(&self, at: FreeTextPosition) -> ByteSet {
        let bytes = match self.automaton.reach(at.node) {
            0 => self.alphabet,
            _ => self.automaton.bytes(at.node).intersection(&self.alphabet),
        };
        bytes.intersection(&at.character.following())
    }
}

/// From where free text can be completed.
#[derive(Clone, Debug, Default)]
struct Alive {
    /// For each state of UTF-8, where the text ends with no beginning of a string.
    outside: [bool; Utf8State::COUNT],
    /// For each node but the root.
    nodes: Box<[bool]>,
}

impl Alive {
    /// Explores the automaton. Takes time in proportion to its nodes, and to their bytes where neither a tag
    /// lies ahead nor the text may end.
    fn new(table: &FreeTextTable) -> Self {
        let automaton = &*table.automaton;
        // A string that is followed to its end covers all that occurs on the way, so one that opens does so.
        let mut ahead = vec![false; automaton.nodes().count()];
        for node in automaton.nodes().rev() {
            let opens = automaton.whole(node).is_some_and(|string| table.opens(string));
            if opens || ahead[node.index()] {
                ahead[automaton.parent(node).index()] = true;
            }
        }
        let mut alive = Self { outside: [false; Utf8State::COUNT], nodes: ahead.into() };
        alive.outside[Utf8State::BOUNDARY.index()] = alive.nodes[StringNode::ROOT.index()];
        alive.explore(table);
        alive
    }

    fn contains(&self, at: FreeTextPosition) -> bool {
        match at.node {
            StringNode::ROOT => self.outside[at.character.index()],
            node => self.nodes[node.index()],
        }
    }

    fn insert(&mut self, at: FreeTextPosition) {
        match at.node {
            StringNode::ROOT => self.outside[at.character.index()] = true,
            node => self.nodes[node.index()] = true,
        }
    }

    /// Finds what else is alive: what may end, and what leads on to what is alive.
    fn explore(&mut self, table: &FreeTextTable) {
        let automaton = &*table.automaton;
        let outside =
            Utf8State::all().map(|character| FreeTextPosition { node: StringNode::ROOT, character });
        let within = automaton.nodes().skip(1);
        let within = within.map(|node| FreeTextPosition { node, character: automaton.character(node) });
        let mut unknown = Vec::new();
        for at in outside.chain(within) {
            if self.contains(at) {
                continue;
            }
            if table.may_end(at) {
                self.insert(at);
            } else if at.node == StringNode::ROOT || automaton.reach(at.node) < automaton.depth(at.node) {
                // Of what has to cover all of the node's string, only its descendants are left.
                unknown.push(at);
            }
        }
        // What leads to each unknown position.
        let mut before: Vec<(FreeTextPosition, FreeTextPosition)> = Vec::new();
        let mut found = Vec::new();
        for &at in &unknown {
            let waiting = before.len();
            let bytes = table.first_bytes(at);
            for byte in bytes.iter() {
                let Step { opens, next } = table.step(at, byte);
                if opens.is_some() || next.is_some_and(|next| self.contains(next)) {
                    before.truncate(waiting);
                    self.insert(at);
                    found.push(at);
                    break;
                }
                before.extend(next.filter(|&next| before.last() != Some(&(next, at))).map(|next| (next, at)));
            }
        }
        let key = |at: FreeTextPosition| (at.node, at.character.index());
        before.sort_unstable_by_key(|&(next, _)| key(next));
        while let Some(next) = found.pop() {
            let first = before.partition_point(|&(at, _)| key(at) < key(next));
            for &(_, at) in before[first..].iter().take_while(|&&(at, _)| at == next) {
                if !self.contains(at) {
                    self.insert(at);
                    found.push(at);
                }
            }
        }
    }
}

impl ExpressionStore {
    /// Matches free text with some strings in it, each with what follows it, as the [module](self) defines it;
    /// `ends` says whether the text may end where none of them has occurred. What follows several equal strings
    /// are alternatives. `None` where the automaton of the strings has more than `limit` nodes and edges.
    ///
    /// The strings are valid UTF-8 and not empty. Takes time in proportion to the automaton.
    pub(crate) fn free_text(
        &mut self,
        tags: &[(&[u8], ExpressionId)],
        ends: bool,
        limit: usize,
    ) -> Option<ExpressionId> {
        let mut sorted = tags.to_vec();
        sorted.sort_by_key(|&(string, _)| string);
        let mut strings: Vec<Box<[u8]>> = Vec::with_capacity(tags.len());
        let mut continuations = Vec::with_capacity(tags.len());
        for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
            strings.push(equal[0].0.into());
            let after: Vec<ExpressionId> = equal.iter().map(|&(_, after)| after).collect();
            continuations.push(self.alternatives(&after));
        }
        let automaton = self.automaton_of(strings, limit)?;
        Some(self.intern_free_text(FreeTextTable::new(automaton, continuations.into(), ends, ByteSet::ALL)))
    }

    /// The automaton of some strings, that of another table where it has the same: what repeats and what ends it
    /// often do.
    fn automaton_of(&self, strings: Vec<Box<[u8]>>, limit: usize) -> Option<Arc<AhoCorasick>> {
        let mut known = self.free_text_tables().map(|table| &table.automaton);
        match known.find(|known| known.strings() == strings.as_slice()) {
            Some(known) => Some(Arc::clone(known)),
            None => AhoCorasick::new(strings, limit).map(Arc::new),
        }
    }

    /// Free text of another store, at its beginning, with other expressions after its strings, over the bytes of an
    /// alphabet that are in its own.
    pub(crate) fn free_text_from(
        &mut self,
        source: &Self,
        table: FreeTextId,
        alphabet: &ByteSet,
        continuation: impl Fn(ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let FreeTextTable { automaton, continuations, ends, alphabet: known, .. } =
            source.free_text_table(table);
        let alphabet = known.intersection(alphabet);
        let mut continuations: Vec<ExpressionId> = continuations.iter().map(|&id| continuation(id)).collect();
        let is_spelled = |string: &[u8]| string.iter().all(|&byte| alphabet.contains(byte));
        let mut automaton = Arc::clone(automaton);
        if alphabet != *known && !automaton.strings().iter().all(|string| is_spelled(string)) {
            let kept: Vec<usize> =
                (0..continuations.len()).filter(|&at| is_spelled(&automaton.strings()[at])).collect();
            continuations = kept.iter().map(|&at| continuations[at]).collect();
            let strings = kept.iter().map(|&at| automaton.strings()[at].clone()).collect();
            // The automaton of fewer strings is smaller, so the limit was kept to when the other one was made.
            let Some(fewer) = self.automaton_of(strings, usize::MAX) else { return Self::NOTHING };
            automaton = fewer;
        }
        self.intern_free_text(FreeTextTable::new(automaton, continuations.into(), *ends, alphabet))
    }

    /// Free text at its beginning, with other expressions after its strings.
    pub(crate) fn free_text_with(
        &mut self,
        table: FreeTextId,
        continuation: impl Fn(ExpressionId) -> ExpressionId,
    ) -> ExpressionId {
        let FreeTextTable { automaton, continuations, ends, alphabet, .. } = self.free_text_table(table);
        let continuations: Box<[ExpressionId]> = continuations.iter().map(|&id| continuation(id)).collect();
        let table = FreeTextTable::new(Arc::clone(automaton), continuations, *ends, *alphabet);
        self.intern_free_text(table)
    }

    fn intern_free_text(&mut self, table: FreeTextTable) -> ExpressionId {
        if !table.alive.contains(FreeTextPosition::START) {
            return Self::NOTHING;
        }
        self.intern_free_text_table(table)
    }

    /// What is left of free text after a byte, and the bytes that leave the same: the rest of the text, and what
    /// follows a string that the byte completes.
    pub(super) fn derive_free_text(
        &mut self,
        table: FreeTextId,
        at: FreeTextPosition,
        byte: u8,
    ) -> (SmallVec<[ExpressionId; 2]>, ByteSet) {
        let this = self.free_text_table(table);
        let Step { opens, next } = this.step(at, byte);
        let (class, next) = (this.class(at, byte), next.filter(|&next| this.alive.contains(next)));
        let mut rest: SmallVec<[ExpressionId; 2]> = SmallVec::new();
        rest.extend(opens.map(|string| this.continuations[string]));
        rest.extend(next.map(|next| self.intern(Expression::FreeText { table, at: next })));
        (rest, class)
    }

    /// What may follow the strings of free text at its beginning; elsewhere, that beginning.
    pub(super) fn free_text_operands(
        &self,
        table: FreeTextId,
        at: FreeTextPosition,
    ) -> SmallVec<[ExpressionId; 4]> {
        if at != FreeTextPosition::START {
            return smallvec::smallvec![self.free_text_start(table)];
        }
        let mut operands = SmallVec::from_slice(&self.free_text_table(table).continuations);
        operands.sort_unstable();
        operands.dedup();
        operands
    }

    /// Whether free text may end.
    pub(super) fn free_text_may_end(&self, table: FreeTextId, at: FreeTextPosition) -> bool {
        self.free_text_table(table).may_end(at)
    }

    /// Whether free text may end anywhere.
    pub(crate) fn free_text_ends(&self, table: FreeTextId) -> bool {
        self.free_text_table(table).ends
    }

    /// What follows a string that opens, for each such string.
    pub(crate) fn after_tags(&self, table: FreeTextId) -> impl Iterator<Item = ExpressionId> {
        self.free_text_table(table).continuations.iter().copied()
    }

    /// The strings that open, at most so many, and the number of all.
    pub(crate) fn tags_of_free_text(&self, table: FreeTextId, count: usize) -> (Vec<&[u8]>, usize) {
        let table = self.free_text_table(table);
        let strings = table.automaton.strings().iter().enumerate();
        let opening = || strings.clone().filter(|&(at, _)| table.opens(at)).map(|(_, string)| &**string);
        (opening().take(count).collect(), opening().count())
    }

    pub(super) fn free_text_first_bytes(&self, table: FreeTextId, at: FreeTextPosition) -> ByteSet {
        self.free_text_table(table).first_bytes(at)
    }

    /// Adds the shallow form of free text. Nodes are numbered in the order of the strings, so that a position means
    /// the same wherever the beginning does.
    pub(super) fn describe_free_text(&self, table: FreeTextId, at: FreeTextPosition, out: &mut Description) {
        let this = self.free_text_table(table);
        out.flag(at == FreeTextPosition::START);
        if at != FreeTextPosition::START {
            out.number(at.node.index() as u64);
            out.number(at.character.index() as u64);
            out.part(Part::Expression(self.free_text_start(table)));
            return;
        }
        out.flag(this.ends);
        out.byte_set(&this.alphabet);
        out.number(this.continuations.len() as u64);
        this.automaton.strings().iter().for_each(|string| out.text(string));
        this.continuations.iter().for_each(|&after| out.part(Part::Expression(after)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_class_are_those_that_make_the_same() {
        let mut without = ByteSet::ALL;
        [b'b', 0xA9, 0xE6].into_iter().for_each(|byte| without.remove(byte));
        for strings in [&["abc", "b", "bca"][..], &["é", "日本", "aé"], &["ab", "abé", "😀"], &[]] {
            for alphabet in [ByteSet::ALL, without] {
                let mut strings: Vec<Box<[u8]>> =
                    strings.iter().map(|string| string.as_bytes().into()).collect();
                strings.sort_unstable();
                let continuations = strings.iter().map(|_| ExpressionStore::EMPTY).collect();
                let automaton = Arc::new(AhoCorasick::new(strings, 1000).unwrap());
                let table = FreeTextTable::new(automaton, continuations, true, alphabet);
                let outside =
                    Utf8State::all().map(|character| FreeTextPosition { node: StringNode::ROOT, character });
                let within = table.automaton.nodes().skip(1);
                let within =
                    within.map(|node| FreeTextPosition { node, character: table.automaton.character(node) });
                for at in outside.chain(within) {
                    let covers = table.automaton.reach(at.node) > 0;
                    for byte in 0..=255u8 {
                        let class = table.class(at, byte);
                        assert!(class.contains(byte));
                        let own = table.automaton.bytes(at.node).intersection(&alphabet);
                        for other in 0..=255u8 {
                            let is_same = table.step(at, other) == table.step(at, byte);
                            assert!(is_same || !class.contains(other), "{at:?} {byte} {other}");
                            let is_plain = !own.contains(byte) && !own.contains(other);
                            assert!(
                                !is_same || !is_plain || covers || class.contains(other),
                                "{at:?} {byte} {other}"
                            );
                        }
                    }
                }
            }
        }
    }
}
