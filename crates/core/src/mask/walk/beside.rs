//! Walks of states that differ little from others.
//!
//! In the middle of a tag of free text a state does to nearly all tokens what one of prose does, and at the beginning of a
//! text that must not begin with some word, what one does after any other. So both are walked together, as far as not the
//! same is alive: what lies below a node where it is the same is known.
//!
//! Where the two differ in nothing but how far free text has been read, that begins where one of them opens a tag and the other does not,
//! or may not go on: there are few such [places](super::places), or none, and no node above them takes a state. Free text of which nothing
//! has been read is walked beside any text: the two begin to differ where a token completes one of its strings. So is a JSON string in which
//! something is looked for, beside a string of any content; and a text of so many parts or characters at most, beside one of any number.

use std::ops::Range;

use super::places::{PlaceApart, Rest};
use super::{Found, Ground, Reach, Starts, Walk, Walker};
use crate::error::Result;
use crate::mask::configurations::ConfigurationId;
use crate::mask::token_bits::TokenBits;
use crate::recognizer::StateId;
use crate::vocabulary::NodeId;

/// A state that makes nearly the same of the vocabulary as that of a walk.
#[derive(Debug)]
pub(in crate::mask) struct Neighbour {
    pub(in crate::mask) state: StateId,
    /// The two are not walked together where they differ at more nodes.
    pub(in crate::mask) most_nodes: usize,
    /// Where the two begin to differ, each below nodes at which the same goes on or completes the frame; `None` where that is not known.
    pub(in crate::mask) apart: Option<Vec<PlaceApart>>,
}

impl Neighbour {
    /// Whether it is known that the two make the same of the vocabulary.
    pub(in crate::mask) fn makes_the_same(&self) -> bool {
        self.apart.as_ref().is_some_and(Vec::is_empty)
    }
}

/// Nodes at which two configurations are not the same, each with both.
type Waiting = Vec<(NodeId, ConfigurationId, ConfigurationId)>;

/// What a state makes of the vocabulary otherwise than its neighbour does.
#[derive(Debug)]
pub(in crate::mask) struct Differences {
    gone: Gone,
    /// What only the state reads.
    found: Found,
    pub(in crate::mask) visited: u64,
}

/// What only the neighbour reads. Both lists ascend.
#[derive(Debug, Default)]
struct Gone {
    /// Nodes below which the state reads nothing, each with all that is below it.
    below: Vec<Range<NodeId>>,
    /// Nodes at which both read on, but not the same.
    at: Vec<NodeId>,
}

impl Gone {
    /// The nodes of the neighbour that are left, of some that ascend.
    fn leave(&self, nodes: &[NodeId]) -> impl Iterator<Item = NodeId> {
        let is_left = |node: &NodeId| {
            let after = self.below.partition_point(|range| range.start <= *node);
            let is_below = after > 0 && *node < self.below[after - 1].end;
            !is_below && self.at.binary_search(node).is_err()
        };
        nodes.iter().copied().filter(is_left)
    }
}

impl Walker {
    /// Walks the whole trie from a state beside another one.
    ///
    /// Takes time in proportion to the nodes at which not the same is alive. `None` where those are too many, or texts are
    /// captured there.
    pub(in crate::mask) fn walk_beside(
        &mut self,
        ground: &Ground<'_>,
        state: StateId,
        neighbour: &Neighbour,
    ) -> Result<Option<Differences>> {
        let differences = self.walk_whole_beside(ground, state, neighbour);
        self.forget_too_much();
        differences
    }

    fn walk_whole_beside(
        &mut self,
        ground: &Ground<'_>,
        state: StateId,
        neighbour: &Neighbour,
    ) -> Result<Option<Differences>> {
        self.found.clear();
        let before = self.visited;
        let start = self.configurations.start(state, ground)?;
        let other = self.configurations.start(neighbour.state, ground)?;
        let mut walk = Walk::new(ground, state, start, Starts::new(&[]), self);
        let Some(gone) = walk.run_beside(other, neighbour)? else { return Ok(None) };
        Ok(Some(Differences { gone, found: std::mem::take(&mut self.found), visited: self.visited - before }))
    }
}

impl Differences {
    /// What the state makes of the vocabulary, by the sets whose union its neighbour reads and where that leaves its frame:
    /// at listed nodes only.
    pub(in crate::mask) fn applied(
        mut self,
        inside: &TokenBits,
        exits: &[NodeId],
        ends: &[NodeId],
        ground: &Ground<'_>,
    ) -> Reach {
        let trie = ground.vocabulary.trie();
        self.found.exits.extend(self.gone.leave(exits));
        self.found.ends.extend(self.gone.leave(ends));
        let gone = self.gone.below.iter().map(|range| range.start);
        let found = self.found.tokens(trie);
        let inside = ground.unions.changed_below(inside, gone, found, ground.vocabulary);
        self.found.inside.clear();
        self.found.more.clear();
        self.found.reach(ground, Some(&inside))
    }
}

impl Walk<'_> {
    /// Walks from the root beside another configuration, as far as the two differ. Adds what is new to what was
    /// found, and returns what only the other one reads; `None` where the two differ at too many nodes.
    fn run_beside(&mut self, other: ConfigurationId, neighbour: &Neighbour) -> Result<Option<Gone>> {
        let limit = self.walker.visited + neighbour.most_nodes as u64;
        let (mut gone, mut waiting) = (Gone::default(), Waiting::new());
        match &neighbour.apart {
            None => waiting.push((NodeId::ROOT, self.start, other)),
            Some(places) => {
                for place in places {
                    self.begin_beside(place, other, &mut gone, &mut waiting)?;
                }
            }
        }
        while let Some((node, this, other)) = waiting.pop() {
            self.ground.deadline.check()?;
            let captures = [this, other].map(|id| self.walker.configurations.get(id).capture.is_some());
            if self.walker.visited > limit || captures.contains(&true) {
                return Ok(None);
            }
            let mut children = self.trie.children(node);
            while let Some((byte, child)) = self.trie.next_child(&mut children) {
                self.read_beside((child, byte), Some(this), Some(other), &mut gone, &mut waiting)?;
            }
        }
        gone.below.sort_unstable_by_key(|range| range.start);
        gone.at.sort_unstable();
        Ok(Some(gone))
    }

    /// Begins to walk beside another configuration at a place from which on the two differ.
    fn begin_beside(
        &mut self,
        &PlaceApart { node, rest }: &PlaceApart,
        other: ConfigurationId,
        gone: &mut Gone,
        waiting: &mut Waiting,
    ) -> Result<()> {
        let below = node..self.trie.end(node);
        if matches!(rest, Rest::Nothing) {
            gone.below.push(below);
            return Ok(());
        }
        if let Rest::State(state) = rest {
            gone.below.push(below);
            let after = self.walker.configurations.after(state, self.ground)?;
            self.visit(node, after)?;
            return self.finish_path();
        }
        let path = self.trie.path(NodeId::ROOT, node);
        let Some((&byte, before)) = path.split_last() else { return Ok(()) };
        let configurations = &mut self.walker.configurations;
        let this = configurations.read(self.start, before, self.ground)?;
        if matches!(rest, Rest::Text) {
            let other = configurations.read(other, before, self.ground)?;
            return self.read_beside((node, byte), this, other, gone, waiting);
        }
        gone.below.push(below);
        let after = this.map(|this| configurations.step(this, byte, self.ground)).transpose()?.flatten();
        if let Some(after) = after {
            self.visit(node, after)?;
            self.finish_path()?;
        }
        Ok(())
    }

    /// Notes what a byte that leads to a node makes of two configurations otherwise. Where something else goes on below in both, the
    /// node waits.
    fn read_beside(
        &mut self,
        (node, byte): (NodeId, u8),
        this: Option<ConfigurationId>,
        other: Option<ConfigurationId>,
        gone: &mut Gone,
        waiting: &mut Waiting,
    ) -> Result<()> {
        let mut after = |configuration: Option<ConfigurationId>| match configuration {
            Some(id) => self.walker.configurations.step(id, byte, self.ground),
            None => Ok(None),
        };
        match (after(this)?, after(other)?) {
            (this, other) if this == other => {}
            (None, _) => gone.below.push(node..self.trie.end(node)),
            (Some(this), None) => {
                self.visit(node, this)?;
                self.finish_path()?;
            }
            (Some(this), Some(other)) => {
                gone.at.push(node);
                if self.note(node, this) {
                    waiting.push((node, this, other));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::compared::{Compared, compare, of_schema, vocabulary_of};
    use crate::budget::Budget;
    use crate::frontend::gbnf;

    const GRAMMARS: &[&str] = &[
        "root ::= (name ws? op ws?)* name\nname ::= [a-z] [a-z0-9]*\nop ::= [-+=] | \"(\" root? \")\"\nws ::= [ \\n]+",
        "root ::= \"a\" [^b\\n]* \"b\" | [^a\\n] [^-]* \"-\"",
        "root ::= word (\", \" word)*\nword ::= [a-z]+ (\"-\" [a-z0-9]+)? | \"1\" [0-9]{0,3}",
    ];
    const SCHEMAS: &[&str] = &[
        r#"{"type": "string", "pattern": "^(?!ab|b-)"}"#,
        r#"{"type": "object", "patternProperties": {"^a": {"type": "array"}, "^[^b]": {"minItems": 1}}}"#,
        r#"{"type": "string", "pattern": "^[^a]|^a[^-]|é$"}"#,
    ];

    #[test]
    fn a_walk_beside_another_finds_what_one_by_itself_does() {
        let pieces = ["a", "b", "-", "\"", ": ", "[", "1", "é", "\\u", ", "];
        let vocabulary = vocabulary_of(&pieces, &[b"\": [", b"\": \"a", b"\\\\u0061", b"\\xC3"]);
        let budget = Budget::default();
        let grammars = GRAMMARS.iter().map(|&text| (gbnf::compile(text, "root", &budget).unwrap(), text));
        let schemas = SCHEMAS.iter().map(|&text| {
            let grammar = of_schema(text);
            (grammar, text)
        });
        let mut beside = 0;
        for (grammar, text) in grammars.chain(schemas) {
            let compared: Compared = compare(&grammar, text, "ab-\": [1é\\u0,".as_bytes(), &vocabulary, &[]);
            beside += compared.beside;
        }
        assert!(beside > 60, "{beside} walks beside others");
    }
}
