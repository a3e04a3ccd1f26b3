//! The syntax tree of a pattern, in an arena in which operands stand before what they stand in.
//!
//! The order makes every later stage a loop over the nodes, so that no nesting of a pattern can
//! exhaust the native stack. Groups leave no trace: captures do not matter for the language.

use std::ops::Range;

use super::class_cache::ClassId;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operands of a node: a range of [`Tree::list`].
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeList {
    start: u32,
    end: u32,
}

/// Which way an assertion looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Over the text that follows.
    Ahead,
    /// Over the text before.
    Behind,
}

/// An assertion without operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The text starts here.
    TextStart,
    /// The text ends here.
    TextEnd,
    /// The text ends here, or does after one newline.
    TextEndOrFinalNewline,
    /// A line starts here.
    LineStart { terminators: ClassId },
    /// A line ends here.
    LineEnd { terminators: ClassId },
    /// A word starts or ends here.
    WordBoundary { word: ClassId },
    /// No word starts or ends here.
    NotWordBoundary { word: ClassId },
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A range of the tree's text; never empty.
    Literal(Range<usize>),
    /// One code point of a set.
    Class(ClassId),
    /// The operands one after another; none of them is the empty text.
    Concatenation(NodeList),
    Alternation(NodeList),
    /// `maximum` is `None` for no limit.
    Repetition {
        body: NodeId,
        minimum: u32,
        maximum: Option<u32>,
    },
    /// `offset` is the place in the pattern.
    Look {
        body: NodeId,
        direction: Direction,
        negative: bool,
        offset: usize,
    },
    Anchor {
        anchor: Anchor,
        offset: usize,
    },
}

/// The syntax tree of one pattern. The last node is the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    lists: Vec<NodeId>,
    /// The literals, end to end.
    text: String,
    has_assertions: bool,
}

impl Tree {
    pub(super) fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(at, node)| (NodeId(at as u32), node))
    }

    pub(super) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether an anchor, a lookahead or a lookbehind occurs.
    pub(super) fn has_assertions(&self) -> bool {
        self.has_assertions
    }

    pub(super) fn list(&self, list: NodeList) -> &[NodeId] {
        &self.lists[list.start as usize..list.end as usize]
    }

    pub(super) fn literal(&self, range: &Range<usize>) -> &str {
        &self.text[range.clone()]
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.has_assertions |= matches!(node, Node::Look { .. } | Node::Anchor { .. });
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub(super) fn add_list(&mut self, ids: &[NodeId]) -> NodeList {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(ids);
        NodeList { start, end: self.lists.len() as u32 }
    }

    /// The operands one after another.
    pub(super) fn add_concatenation(&mut self, items: &[NodeId]) -> NodeId {
        if let [single] = items {
            return *single;
        }
        let list = self.add_list(items);
        self.add(Node::Concatenation(list))
    }

    /// A literal of one code point, as part of `previous` where that is the literal made just before.
    pub(super) fn add_character(&mut self, character: char, previous: Option<NodeId>) -> Option<NodeId> {
        let end = self.text.len();
        self.text.push(character);
        let newest = self.nodes.len().checked_sub(1).map(|at| NodeId(at as u32));
        match self.nodes.last_mut() {
            Some(Node::Literal(range)) if previous == newest && range.end == end => {
                range.end = self.text.len();
                return None;
            }
            _ => {}
        }
        Some(self.add(Node::Literal(end..self.text.len())))
    }

    /// Cuts the last code point off a literal of several and gives it a node of its own.
    pub(super) fn split_last_character(&mut self, id: NodeId) -> Option<NodeId> {
        let Node::Literal(range) = &mut self.nodes[id.index()] else { return None };
        let last = self.text[range.clone()].char_indices().last().map(|(at, _)| range.start + at)?;
        if last == range.start {
            return None;
        }
        let tail = last..range.end;
        range.end = last;
        Some(self.add(Node::Literal(tail)))
    }
}
