//! Neighbouring nodes at which the same is alive, taken together.
//!
//! Behind a parenthesis or a tab there is little below each letter, and each leads to the same: the middle of a name, which
//! loops on letters and digits. What that makes of the strings below all these nodes is part of the slice below the node
//! above them, which is kept with the vocabulary.

use std::ops::Range;

use smallvec::SmallVec;

use super::below::Below;
use super::{Level, Walk};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::configurations::{ClassLoop, ConfigurationId};
use crate::vocabulary::{Characters, NodeId, Signature, SliceBelow};

/// Neighbouring nodes, children of one node, each with what is below it.
pub(super) struct Siblings {
    pub(super) nodes: Range<NodeId>,
    /// What is alive at each.
    pub(super) arrival: ConfigurationId,
    /// What that loops on. A character of these leads to each of the nodes.
    pub(super) on: Loop,
}

/// Characters that leave what is alive as it is, but for how many of them may still come.
#[derive(Clone, Copy)]
pub(super) struct Loop {
    characters: Characters,
    /// Those of ASCII, and whether these are all.
    ascii: ByteSet,
    is_ascii: bool,
    /// So many may come at most; `u32::MAX` for any number.
    maximum: u32,
    /// What reads all else.
    rest: ConfigurationId,
}

impl Loop {
    /// Any number of characters of some kinds of ASCII.
    pub(super) fn of(kinds: Signature, alive: ConfigurationId) -> Self {
        let (characters, ascii) = (Characters::Kinds(kinds), kinds.first_bytes());
        Self { characters, ascii, is_ascii: true, maximum: u32::MAX, rest: alive }
    }

    /// How many come at most where the first has led to what loops.
    fn with_first(&self) -> u32 {
        self.maximum.saturating_add(1)
    }
}

impl Walk<'_> {
    /// The exits of a smaller subtree are sooner listed.
    pub(super) const SMALLEST_WITH_EXITS: usize = 32;

    /// Takes everything below a node, and below those next to it that lead to the same, where what is alive loops on kinds of
    /// characters and these nodes are behind one of them. Gives `false` where it is not so.
    pub(super) fn take_siblings_below(&mut self, below: &Below) -> Result<bool> {
        let above = self.path.last().map(|level| level.node).filter(|&above| self.are_siblings_worth(above));
        let Some(above) = above.filter(|_| !below.captures) else { return Ok(false) };
        let Some(byte) = self.trie.byte_between(above, below.node) else { return Ok(false) };
        let Some(on) = self.loop_of_siblings(above, byte, below.arrival)? else { return Ok(false) };
        let Some((mut level, end)) = self.find_siblings(below, &on)? else { return Ok(false) };
        let siblings = Siblings { nodes: below.node..end, arrival: below.arrival, on };
        if !self.are_fair_share(above, &siblings) {
            return Ok(false);
        }
        if let Some(last) = self.path.last_mut() {
            std::mem::swap(last, &mut level);
        }
        self.take_siblings(above, &siblings)?;
        Ok(true)
    }

    /// Whether there is so much below a node that its children are sooner taken together than one by one.
    fn are_siblings_worth(&self, above: NodeId) -> bool {
        const SMALLEST_ABOVE: usize = 48;
        self.nodes_below(above) >= SMALLEST_ABOVE
    }

    pub(super) fn nodes_below(&self, node: NodeId) -> usize {
        self.trie.end(node).index() - node.index()
    }

    /// The characters, one byte among them, on which what is alive at the child that the byte leads to loops; `None` where there are
    /// none, or it is not worth finding out.
    fn loop_of_siblings(
        &mut self,
        above: NodeId,
        byte: u8,
        arrival: ConfigurationId,
    ) -> Result<Option<Loop>> {
        // Seldom do several other bytes lead to the same; digits are read together in other ways.
        if !(byte.is_ascii_alphabetic() || byte == b'_') {
            return Ok(None);
        }
        let is_great_part = self.are_great_part(self.nodes_below(above));
        let found = match is_great_part || self.walker.configurations.is_known_to_loop(arrival) {
            true => self.kinds_of_siblings(byte, arrival)?.map(|kinds| Loop::of(kinds, arrival)),
            false => None,
        };
        match found {
            None => self.bounded_loop_of_siblings(above, byte, arrival, is_great_part),
            found => Ok(found),
        }
    }

    /// The kinds of characters, that of a byte among them, on which what is alive at the child that the byte leads to loops.
    fn kinds_of_siblings(&mut self, byte: u8, arrival: ConfigurationId) -> Result<Option<Signature>> {
        let configurations = &mut self.walker.configurations;
        let mut kinds = configurations.plain_loops(arrival, self.ground)?;
        // A name may begin anew at each of its letters: no state comes back to itself then, but all of them together do.
        let kind = Signature::of(byte);
        if !kind.is_within(kinds) && configurations.is_known_to_loop(arrival) {
            kinds = configurations.all_loops(arrival, self.ground)?;
        }
        Ok(kind.is_within(kinds).then_some(kinds))
    }

    /// As [`loop_of_siblings`](Self::loop_of_siblings), where only so many of the characters may come.
    fn bounded_loop_of_siblings(
        &mut self,
        above: NodeId,
        byte: u8,
        arrival: ConfigurationId,
        is_great_part: bool,
    ) -> Result<Option<Loop>> {
        let found = match is_great_part {
            true => self.walker.configurations.class_loop(arrival, self.ground)?,
            false => self.walker.configurations.get(arrival).known_class_loop(),
        };
        let Some(ClassLoop { class, maximum, rest: Some(rest), .. }) = found else { return Ok(None) };
        let first = self.ground.vocabulary.class_of(class).first_bytes();
        let (ascii, is_ascii) = (first.intersection(&ByteSet::range(0, 0x7F)), first.is_ascii());
        let on = Loop { characters: Characters::Class(class), ascii, is_ascii, maximum, rest };
        let is_bounded = maximum != u32::MAX && on.ascii.contains(byte);
        Ok((is_bounded && self.counts_below(above, on.with_first())).then_some(on))
    }

    /// The end of what is below the last of the children next to a node, of the same one above, which lead to the same by a byte of
    /// some kinds, and what is left of that one's level behind them. `None` where there are none.
    fn find_siblings(&mut self, below: &Below, on: &Loop) -> Result<Option<(Level, NodeId)>> {
        let Some(&(mut level)) = self.path.last() else { return Ok(None) };
        let (mut end, mut found) = (self.trie.end(below.node), None);
        while let Some((byte, child)) = level.next_child(self.trie) {
            if child != end || !on.ascii.contains(byte) {
                break;
            }
            let end_of_child = self.trie.end(child);
            let arrival = self.walker.configurations.try_step(level.configuration, byte, self.ground)?;
            if arrival != Some(below.arrival) || self.begins_before(end_of_child) {
                break;
            }
            end = end_of_child;
            found = Some((level, end));
        }
        Ok(found)
    }

    /// Adds a child of a node, by which a byte leaves a slice below that, to those before it that lead to the same; takes these
    /// where it does not go on with them. Gives the child, unless it has to be left by itself.
    pub(super) fn add_sibling(
        &mut self,
        above: NodeId,
        siblings: &mut Option<Siblings>,
        (byte, child): (u8, NodeId),
        arrival: ConfigurationId,
    ) -> Result<Option<NodeId>> {
        let end = self.trie.end(child);
        if let Some(before) = siblings
            && before.arrival == arrival
            && before.nodes.end == child
            && before.on.ascii.contains(byte)
            && !self.begins_before(end)
        {
            before.nodes.end = end;
            return Ok(Some(child));
        }
        if let Some(before) = siblings.take() {
            self.leave_siblings(above, &before)?;
        }
        let may_be_taken = self.are_siblings_worth(above)
            && self.walker.configurations.get(arrival).capture.is_none()
            && !self.begins_before(end);
        let on = if may_be_taken { self.loop_of_siblings(above, byte, arrival)? } else { None };
        *siblings = on.map(|on| Siblings { nodes: child..end, arrival, on });
        Ok(siblings.as_ref().map(|_| child))
    }

    /// Takes what is at siblings and below, by the slice or one after the other.
    pub(super) fn leave_siblings(&mut self, above: NodeId, siblings: &Siblings) -> Result<()> {
        if self.are_fair_share(above, siblings) {
            return self.take_siblings(above, siblings);
        }
        let mut child = siblings.nodes.start;
        while child < siblings.nodes.end {
            self.leave(child, siblings.arrival)?;
            child = self.trie.end(child);
        }
        Ok(())
    }

    /// Whether siblings are so much of all that is below the node above them that they pay for its slice, even where each few of them
    /// have one of their own.
    fn are_fair_share(&self, above: NodeId, Siblings { nodes, .. }: &Siblings) -> bool {
        const LEAST_SHARE: usize = 16;
        (nodes.end.index() - nodes.start.index()) * LEAST_SHARE >= self.nodes_below(above)
    }

    /// Whether the walk starts again before a node.
    fn begins_before(&self, node: NodeId) -> bool {
        self.starts.peek().is_some_and(|start| start < node)
    }

    /// Takes everything at neighbouring nodes and below them, by the slice below the node above them, or above that one.
    pub(super) fn take_siblings(&mut self, above: NodeId, siblings: &Siblings) -> Result<()> {
        let Siblings { nodes, arrival, on } = siblings;
        let slice = self.ground.vocabulary.slice_of_below(above, on.characters);
        self.take_part(&slice, on, nodes.clone());
        if self.walker.configurations.get(*arrival).complete {
            self.note_siblings(siblings);
        }
        let first = self.walker.configurations.first_bytes(on.rest, self.ground)?;
        for exits in slice.exits.iter().filter(|exits| first.contains(exits.byte)) {
            let after = self.walker.configurations.step(on.rest, exits.byte, self.ground)?;
            let Some(after) = after else { continue };
            for (node, characters) in exits.nodes_within(nodes.clone()) {
                if characters <= on.with_first() {
                    self.leave(node, after)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the tokens of a slice of the characters of a loop that are at some nodes that follow one another.
    pub(super) fn take_part(&mut self, slice: &SliceBelow, on: &Loop, nodes: Range<NodeId>) {
        let row = match on.characters {
            Characters::Kinds(kinds) if !self.reads_string => {
                self.ground.vocabulary.row_of_part(kinds, slice, nodes.clone())
            }
            _ => None,
        };
        if let Some(row) = row {
            return self.walker.found.rows.push(row);
        }
        let longest = self.longest_of(slice, on.with_first());
        self.take_ranges(slice.ranges_within(self.trie.range_of(nodes)), longest);
    }

    /// Notes that the frame is complete at neighbouring nodes, and at those below them that characters of the loop lead to.
    fn note_siblings(&mut self, Siblings { nodes, on, .. }: &Siblings) {
        let mut at = nodes.start;
        while at < nodes.end {
            let end = self.trie.end(at);
            if on.is_ascii && self.nodes_below(at) < Self::SMALLEST_WITH_EXITS {
                self.list_exits(at, on.ascii, on.maximum);
            } else {
                self.walker.found.exits.push(at);
                self.note_within(at, on.characters, 1..=on.maximum);
            }
            at = end;
        }
    }

    /// Notes that the frame is complete at a node, and at those below it that some bytes lead to, so many at most.
    pub(super) fn list_exits(&mut self, node: NodeId, bytes: ByteSet, most: u32) {
        let mut waiting: SmallVec<[(NodeId, u32); 16]> = smallvec::smallvec![(node, most)];
        while let Some((node, left)) = waiting.pop() {
            let found = &mut self.walker.found;
            let list = if self.trie.has_children(node) { &mut found.exits } else { &mut found.ends };
            list.push(node);
            let Some(left) = left.checked_sub(1) else { continue };
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                if bytes.contains(byte) {
                    waiting.push((child, left));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{Compared, compare, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::gbnf;

    const GRAMMARS: &[&str] = &[
        "root ::= (name \"=\" sum \";\")*\nsum ::= item ([+(] item \")\"?)*\nitem ::= name | [0-9]+ | \"(\" ws sum \")\"\nname ::= [a-z_] [a-z0-9_]*\nws ::= \" \"*",
        "root ::= \"(\" (name | \"ab\" | call) \")\"\ncall ::= name \"(\" root \")\" \"+\"\nname ::= [a-cx]+ | \"_\" [a-z]*",
        "root ::= (\"if\" ws \"(\" name \")\" | name ws \"=\" ws name \";\")+\nname ::= [a-z]+\nws ::= [ ]*",
        "root ::= word ([ (+] word)*\nword ::= [a-c]* \"x\" | [a-c]+ \"1\" | \"_\" [a-cx]* [1;]",
        "root ::= (name \"=\" sum \";\")*\nsum ::= item ([+(] item \")\"?)*\nitem ::= name | [0-9]+ | \"(\" ws sum \")\"\nname ::= [a-z_] [a-zé0-9_]{0,3}\nws ::= \" \"*",
        "root ::= \"(\" (name | call) \")\"\ncall ::= name \"(\" root \")\" \"+\"\nname ::= [a-z1_]{1,4} \";\"? | \"_\" [a-z]{2,3}",
        "root ::= term (\" \" term){0,3}\nterm ::= word | \"(\" root \")\"\nword ::= [a-z_] [a-z0-9_]{1,2} | \"1\" [a-z]{3,5}",
        "root ::= outer | outer root\nouter ::= \"(\" inner\ninner ::= [ab_]+ (\"c\" inner)? | [ab]* \"=\"",
    ];

    #[test]
    fn siblings_taken_together_are_what_each_of_them_is() {
        let pieces = ["a", "b", "c", "x1", "if", "_", " ", "(", ")", "+", "=", ";", "1"];
        let vocabulary = vocabulary_of(&pieces, &["é".as_bytes(), b"(a\xC3", b" b\xE6"]);
        let mut all = Compared::default();
        for text in GRAMMARS {
            let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
            let compared: Compared = compare(&grammar, text, b"abcx1_ (+=;)f", &vocabulary, &[]);
            all.walks += compared.walks;
            all.visited = [0, 1].map(|at| all.visited[at] + compared.visited[at]);
        }
        assert!(all.walks > 30 && all.visited[0] * 4 < all.visited[1], "{all:?}");
    }
}
