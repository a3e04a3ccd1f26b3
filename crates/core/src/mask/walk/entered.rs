//! Walks from all nodes of a slice of exits.
//!
//! A name may end after each of its letters, so what comes after it begins at tens of thousands of nodes. Where it begins with none
//! of these letters, it goes on from where tokens leave the slice. Where it begins with letters, too, each node counts. But either
//! all that began so far comes back to the same over each of the letters, as a text does in which the name stands: then, too, only the
//! places matter at which tokens leave the slice. Or few letters are read there, such as the first of a keyword, or the blank before a mark: then it goes on
//! from those nodes that these lead to.

use smallvec::SmallVec;

use super::siblings::{Loop, Siblings};
use super::slices::{Counted, Then};
use super::{Starts, Walk};
use crate::byte_set::ByteSet;
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::mask::exits::{ExitNodes, SliceNodes};
use crate::mask::token_bits::TokenBits;
use crate::vocabulary::{Characters, NodeId, Signature, SliceBelow};

impl Walk<'_> {
    /// Walks on from where tokens leave the slices of some exits, where the state that the walk starts with begins with none
    /// of their characters, or they need not be looked at one by one. Gives the other starts.
    pub(super) fn leave_slices<'e>(
        &mut self,
        exits: &'e ExitNodes,
        base: &mut Option<TokenBits>,
    ) -> Result<Starts<'e>> {
        /// Each is entered by itself, and a name that is followed by another, and so on, leaves more of them each time: where they
        /// are many, all their nodes are sooner looked at once.
        const MOST_ENTERED: usize = 64;
        if exits.slices.is_empty() {
            return Ok(Starts::new(&exits.listed));
        }
        let first = self.walker.configurations.first_bytes(self.start, self.ground)?;
        let vocabulary = self.ground.vocabulary;
        let is_left = |slice: SliceNodes| -> Result<bool> {
            let begun = first.intersection(&vocabulary.first_bytes_of(slice.characters));
            Ok(match slice.characters {
                _ if !self.ground.use_signatures => false,
                _ if begun.is_empty() => true,
                Characters::Kinds(_) => false,
                Characters::Class(class) => {
                    let class = vocabulary.class_of(class);
                    self.ground.automaton.reads_none_of(self.state, &class, self.ground.deadline)?
                }
            })
        };
        let (mut left, mut entered) = (Vec::new(), Vec::new());
        for &slice in &exits.slices {
            if is_left(slice)? { &mut left } else { &mut entered }.push(slice);
        }
        for slice in left {
            self.run_begun(|walk| walk.leave_nodes_of(slice).map(|()| true))?;
        }
        if self.ground.use_signatures && entered.len() <= MOST_ENTERED {
            let mut others = Vec::new();
            for slice in entered {
                if !self.enter_slice(slice, base)? {
                    others.push(slice);
                }
            }
            entered = others;
        }
        Ok(match entered.is_empty() {
            true => Starts::new(&exits.listed),
            false => Starts::of(exits.listed_with(&entered, vocabulary).into()),
        })
    }

    fn leave_nodes_of(&mut self, nodes: SliceNodes) -> Result<()> {
        let slice = self.ground.vocabulary.slice_of_below(nodes.below, nodes.characters);
        self.leave_slice(&slice, self.start, nodes.counts())
    }

    /// Walks from all nodes of a slice. Gives `false` where each has to be looked at.
    fn enter_slice(&mut self, slice: SliceNodes, base: &mut Option<TokenBits>) -> Result<bool> {
        let first = self.walker.configurations.first_bytes(self.start, self.ground)?;
        let all = match slice.characters {
            Characters::Kinds(kinds) => self.ground.automaton.first_of(kinds),
            Characters::Class(class) => self.ground.vocabulary.class_of(class).first_bytes(),
        };
        let begun = first.intersection(&all);
        if let Characters::Kinds(kinds) = slice.characters
            && slice.are_all()
            && let Some(then) = self.joined_over(&begun, &all)?
        {
            self.run_begun(|walk| match begun == all {
                true => walk.begin_with_all(slice.below, kinds, then, base).map(|()| true),
                false => walk.begin_with_most(slice.below, kinds, &begun, then).map(|()| true),
            })?;
            return Ok(true);
        }
        self.run_begun(|walk| walk.begin_with_few(slice, &begun))
    }

    /// What is alive behind some bytes where the walk begins anew behind each, if it is the same whichever they
    /// are, and all bytes leave it as it is. `None` where they are not most of all.
    fn joined_over(&mut self, begun: &ByteSet, all: &ByteSet) -> Result<Option<ConfigurationId>> {
        if begun.len() * 2 < all.len() {
            return Ok(None);
        }
        let mut joined = None;
        for byte in begun.iter() {
            let after = self.step_and_begin(self.start, byte)?;
            if after.is_none() || joined.is_some_and(|before| Some(before) != after) {
                return Ok(None);
            }
            joined = after;
        }
        let Some(joined) = joined else { return Ok(None) };
        for byte in all.iter() {
            if self.step_and_begin(joined, byte)? != Some(joined) {
                return Ok(None);
            }
        }
        Ok(Some(joined))
    }

    /// What is alive after a byte, with what the walk begins with beside it; `None` where nothing is read, or a text is captured.
    fn step_and_begin(&mut self, from: ConfigurationId, byte: u8) -> Result<Option<ConfigurationId>> {
        let configurations = &mut self.walker.configurations;
        let Some(after) = configurations.step(from, byte, self.ground)? else { return Ok(None) };
        let joined = configurations.with_start(after, self.state, self.ground)?;
        let captures = [after, joined].iter().any(|&id| configurations.get(id).capture.is_some());
        Ok((!captures).then_some(joined))
    }

    /// Takes the tokens that are read from nodes of a slice to their ends within it, and goes on where tokens leave it, with
    /// `then` alive behind two or more of its characters.
    fn begin_with_all(
        &mut self,
        below: NodeId,
        kinds: Signature,
        then: ConfigurationId,
        base: &mut Option<TokenBits>,
    ) -> Result<()> {
        let after = vec![self.start, self.start, then];
        let counted = Counted { after, then: Then::Stays, at_start: ByteSet::EMPTY, class: None };
        let slice = self.ground.vocabulary.slice_below(below, kinds);
        self.take_longer(&slice, kinds, base);
        if self.walker.configurations.get(then).complete {
            self.note_longer(&slice, kinds);
        }
        self.leave_counted(&slice, counted, u32::MAX)
    }

    /// Takes the tokens of a slice that have two or more characters of it: of that of the vocabulary as a base, where there is none
    /// yet.
    fn take_longer(&mut self, slice: &SliceBelow, kinds: Signature, base: &mut Option<TokenBits>) {
        let (trie, vocabulary) = (self.trie, self.ground.vocabulary);
        let first = self.nodes_behind(slice.node, kinds);
        if slice.node == NodeId::ROOT && base.is_none() {
            let all = TokenBits::of_row(&vocabulary.slice(kinds).inside);
            let short = first.iter().flat_map(|&node| trie.tokens_at(node)).copied();
            *base = Some(self.ground.unions.changed(&all, short, []));
            return;
        }
        for node in first {
            self.take_part(slice, &Loop::of(kinds, self.start), node.next()..trie.end(node));
        }
    }

    /// Notes that the frame is complete at all nodes that two or more characters of a slice lead to.
    fn note_longer(&mut self, slice: &SliceBelow, kinds: Signature) {
        for node in self.nodes_behind(slice.node, kinds) {
            self.note_behind(node, kinds);
        }
    }

    /// The nodes that one character of some kinds of ASCII leads to from a node, ascending.
    fn nodes_behind(&self, node: NodeId, kinds: Signature) -> SmallVec<[NodeId; 16]> {
        let (bytes, mut children) = (kinds.first_bytes(), self.trie.children(node));
        let mut found = SmallVec::new();
        while let Some((byte, child)) = self.trie.next_child(&mut children) {
            found.extend(bytes.contains(byte).then_some(child));
        }
        found
    }

    /// Notes that the frame is complete at all nodes that characters of some kinds lead to from a node.
    fn note_behind(&mut self, node: NodeId, kinds: Signature) {
        if self.nodes_below(node) >= Self::SMALLEST_WITH_EXITS {
            return self.walker.found.note_slice(node, Characters::Kinds(kinds));
        }
        for child in self.nodes_behind(node, kinds) {
            self.list_exits(child, kinds.first_bytes(), u32::MAX);
        }
    }

    /// As [`begin_with_all`](Self::begin_with_all), where only the bytes `begun` are read behind the first character of the slice, as a
    /// digit is not where a name begins: behind one of these, `then` is alive.
    fn begin_with_most(
        &mut self,
        below: NodeId,
        kinds: Signature,
        begun: &ByteSet,
        then: ConfigurationId,
    ) -> Result<()> {
        let (bytes, trie) = (kinds.first_bytes(), self.trie);
        let first = self.walker.configurations.first_bytes(self.start, self.ground)?;
        // Nodes at which nothing has been read.
        let mut waiting = self.nodes_behind(below, kinds);
        while let Some(node) = waiting.pop() {
            let mut siblings: Option<Siblings> = None;
            let mut children = trie.children(node);
            while let Some((byte, child)) = trie.next_child(&mut children) {
                let end = trie.end(child);
                if !begun.contains(byte) {
                    if bytes.contains(byte) {
                        waiting.push(child);
                    } else if first.contains(byte)
                        && let Some(arrival) =
                            self.walker.configurations.step(self.start, byte, self.ground)?
                    {
                        self.leave(child, arrival)?;
                    }
                } else if let Some(before) = siblings.as_mut().filter(|before| before.nodes.end == child) {
                    before.nodes.end = end;
                } else if let Some(before) =
                    siblings.replace(Siblings { nodes: child..end, arrival: then, on: Loop::of(kinds, then) })
                {
                    self.take_siblings(below, &before)?;
                }
            }
            if let Some(siblings) = siblings {
                self.take_siblings(below, &siblings)?;
            }
        }
        Ok(())
    }

    /// Goes on from all nodes of a slice from which one of a few bytes leads on within it, and from where tokens leave it. Gives
    /// `false` where these are many.
    fn begin_with_few(&mut self, slice: SliceNodes, begun: &ByteSet) -> Result<bool> {
        /// Of a greater share, so many are read twice that it is sooner to look at each node once.
        const LEAST_TIMES: usize = 8;
        let by_byte = self.ground.vocabulary.slice_nodes_by_byte(slice.below, slice.characters);
        let few: usize = begun.iter().map(|byte| by_byte.behind(byte).len()).sum();
        if few * LEAST_TIMES > by_byte.count() {
            return Ok(false);
        }
        let counts = slice.counts();
        for byte in begun.iter() {
            let Some(arrival) = self.walker.configurations.step(self.start, byte, self.ground)? else {
                continue;
            };
            for behind in by_byte.behind(byte).iter().filter(|behind| counts.contains(&behind.characters)) {
                self.leave(behind.node, arrival)?;
            }
        }
        self.leave_nodes_of(slice)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{Compared, compare, vocabulary_of};
    use super::*;
    use crate::budget::Budget;
    use crate::frontend::gbnf;

    /// Texts that names stand in, keywords behind them, and both.
    const GRAMMARS: &[&str] = &[
        "root ::= (text | \"(\" root \")\" | \"=\")*\ntext ::= [a-z1 ]+",
        "root ::= [ab]* (\"if\" root | [a-z]+ \"1\")?",
        "root ::= name (\" \"? \"if\" \" \"? name)* \"=\"?\nname ::= [a-z]+",
        "root ::= ([a-c]+ | word)* \"-\"\nword ::= [a-cfi]+ (\" \" word)?",
        "root ::= name+ (\"=\" root)?\nname ::= [a-z] [a-z1]*",
        "root ::= (name | \" \" | \"1\" \"=\")* \"!\"\nname ::= [a-w] [a-z1]* | \"(\"",
        "root ::= part\npart ::= part? space name | \"(\" part \")\"\nspace ::= \" \"*\nname ::= [a-z]+",
        "root ::= part{1,3}\npart ::= \" \"* part? name | \"1\" part\nname ::= [a-z]+",
        "root ::= list\nlist ::= [a-z]+ list? | \"(\" list \")\" | \"if\" [a-f]* \"!\"",
    ];

    #[test]
    fn a_slice_that_is_entered_finds_what_walks_from_each_of_its_nodes_do() {
        let pieces = ["a", "b", "if", "i1", " ", "(", ")", "=", "-", "!"];
        let vocabulary = vocabulary_of(&pieces, &["é".as_bytes(), "aé".as_bytes(), b"ab\xC3"]);
        let trie = vocabulary.trie();
        let letters = Signature::of_any(&ByteSet::range(b'a', b'z'));
        let mut with_blanks = letters;
        with_blanks |= Signature::of(b' ');
        with_blanks |= Signature::DIGITS;
        let below = [&b""[..], b"a", b"if", b"("].map(|text| trie.find(text).unwrap());
        let slice = |below: NodeId, kinds| SliceNodes::all(below, Characters::Kinds(kinds));
        let mut starts = Vec::new();
        for kinds in [letters, with_blanks, Signature::DIGITS] {
            for below in below {
                starts.push(ExitNodes { listed: Box::default(), slices: Box::new([slice(below, kinds)]) });
            }
            let slices = Box::new([slice(below[0], kinds), slice(below[3], letters)]);
            starts.push(ExitNodes { listed: Box::new([below[1], below[2]]), slices });
        }
        let mut all = Compared::default();
        for text in GRAMMARS {
            let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
            let compared: Compared = compare(&grammar, text, b"abif1 (=)-!", &vocabulary, &starts);
            all.walks += compared.walks;
            all.with_slices += compared.with_slices;
            all.visited = [0, 1].map(|at| all.visited[at] + compared.visited[at]);
        }
        assert!(all.walks > 500 && all.with_slices > 30, "{all:?}");
        assert!(all.visited[0] * 4 < all.visited[1] * 3, "{all:?}");
    }
}
