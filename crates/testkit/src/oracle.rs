//! The slow recogniser that decides by definition which tokens may come next.
//!
//! A sentence is a sequence of bytes and of exact tokens. What was committed is a sequence of pieces, each
//! a token or raw bytes. It is laid out as a lattice: a node before and after every byte, an edge for each
//! byte, and over the bytes of a token one more edge, which reads the token as itself. A special token has
//! only that edge. Edges lead from older nodes to newer ones.
//!
//! For every node `j` of the lattice and every form `e` of the grammar a column holds all nodes `i` such
//! that `e` matches some path from `i` to `j`. The columns are least fixpoints of equations that restate what
//! the forms mean, so left recursion, cycles, ambiguity and empty matches need no thought. In the same way
//! `partial` is the set of nodes `i` such that some path from `i` to the end, continued by some text after
//! it, is matched by `e`:
//!
//! ```text
//! partial(a b) = partial(a) if b matches anything at all,
//!                and all i from which a matches up to some k in partial(b)
//! ```

use std::sync::Arc;

use maskwright_core::expression::ByteSet;

use crate::program::{Node, Program};

/// A set of lattice nodes.
type NodeSet = u128;

/// The greatest number of nodes of a lattice: bytes of all pieces, and one.
pub const LATTICE_NODES: usize = 128;

/// Marks in [`Column::states`] that no path of bytes leads from the start to here.
const NO_PATH: usize = usize::MAX;

/// One step of a generated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A token, read as its bytes or as itself.
    Token(u32),
    /// Bytes, which are no token.
    Bytes(Vec<u8>),
}

/// The edges that end at a lattice node.
#[derive(Clone, Copy, Debug, Default)]
struct Edges {
    byte: Option<(usize, u8)>,
    token: Option<(usize, u32)>,
}

/// What matches end at one lattice node.
#[derive(Clone, Debug)]
struct Column {
    /// For each form, the nodes from which a match leads here.
    matches: Vec<NodeSet>,
    /// For each automaton and each node up to here, the state that the bytes in between lead to.
    states: Vec<Vec<usize>>,
}

/// Decides prefixes and sentences of one grammar, after a sequence of pieces that can be taken back.
#[derive(Clone, Debug)]
pub struct Oracle {
    program: Arc<Program>,
    columns: Vec<Column>,
    /// The number of columns before each piece.
    boundaries: Vec<usize>,
}

impl Oracle {
    /// An oracle at the beginning of the text.
    pub fn new(program: &Arc<Program>) -> Self {
        let mut oracle = Self { program: Arc::clone(program), columns: Vec::new(), boundaries: Vec::new() };
        oracle.add_column(Edges::default());
        oracle
    }

    /// How many more bytes can be taken in.
    pub fn room(&self) -> usize {
        LATTICE_NODES - self.columns.len()
    }

    /// Appends a piece, whether or not it is allowed.
    ///
    /// # Panics
    /// When there is not enough [`room`](Self::room).
    pub fn push(&mut self, piece: &Piece) {
        match piece {
            Piece::Token(id) => self.push_token(*id),
            Piece::Bytes(bytes) => self.push_bytes(bytes),
        }
    }

    /// Appends a token. One that is neither text nor a symbol makes everything after it dead.
    ///
    /// # Panics
    /// When there is not enough [`room`](Self::room).
    pub fn push_token(&mut self, id: u32) {
        let program = Arc::clone(&self.program);
        let begin = self.columns.len() - 1;
        self.boundaries.push(self.columns.len());
        let token = program.vocabulary.is_symbol(id).then_some((begin, id));
        match program.vocabulary.text(id) {
            Some([init @ .., last]) => {
                for &byte in init {
                    self.add_byte(byte);
                }
                self.add_column(Edges { byte: Some((self.columns.len() - 1, *last)), token });
            }
            _ => self.add_column(Edges { byte: None, token }),
        }
    }

    /// Appends bytes that are to be read as bytes only.
    ///
    /// # Panics
    /// When there is not enough [`room`](Self::room).
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.boundaries.push(self.columns.len());
        for &byte in bytes {
            self.add_byte(byte);
        }
    }

    /// Appends a token that is to be read as itself only.
    ///
    /// # Panics
    /// When there is not enough [`room`](Self::room).
    pub fn push_symbol(&mut self, id: u32) {
        let begin = self.columns.len() - 1;
        self.boundaries.push(self.columns.len());
        let token = self.program.vocabulary.is_symbol(id).then_some((begin, id));
        self.add_column(Edges { byte: None, token });
    }

    /// Takes the last piece back; does nothing at the beginning.
    pub fn pop(&mut self) {
        if let Some(columns) = self.boundaries.pop() {
            self.columns.truncate(columns);
        }
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.boundaries.len()
    }

    /// Whether the pieces are a sentence.
    pub fn is_sentence(&self) -> bool {
        self.columns.last().is_some_and(|column| column.matches[self.program.start] & 1 == 1)
    }

    /// Whether the pieces begin some sentence.
    pub fn is_prefix(&self) -> bool {
        self.partial()[self.program.start] & 1 == 1
    }

    /// Whether the token may come next.
    pub fn allows(&mut self, id: u32) -> bool {
        if self.program.vocabulary.is_stop(id) {
            return self.is_sentence();
        }
        self.holds_after(|oracle| oracle.push_token(id), Self::is_prefix)
    }

    /// Whether the token may come next, read as itself and not as bytes.
    pub fn allows_symbol(&mut self, id: u32) -> bool {
        self.holds_after(|oracle| oracle.push_symbol(id), Self::is_prefix)
    }

    /// Whether the bytes may come next, read as bytes and not as tokens.
    pub fn allows_bytes(&mut self, bytes: &[u8]) -> bool {
        self.holds_after(|oracle| oracle.push_bytes(bytes), Self::is_prefix)
    }

    /// The mask: bit `id % 32` of word `id / 32` is set where the token may come next.
    pub fn mask(&mut self) -> Vec<u32> {
        let mut mask = vec![0; self.program.vocabulary.mask_words()];
        for id in 0..self.program.vocabulary.tokens.len() as u32 {
            if self.allows(id) {
                mask[id as usize / 32] |= 1 << (id % 32);
            }
        }
        mask
    }

    /// The bytes of the alphabet that may come next.
    pub fn allowed_bytes(&mut self) -> ByteSet {
        self.program.alphabet.iter().filter(|&byte| self.allows_bytes(&[byte])).collect()
    }

    /// The bytes, at most `limit`, that every sentence goes on with: as long as the text is no sentence,
    /// no exact token can follow and only one byte can.
    pub fn forced_bytes(&mut self, limit: usize) -> Vec<u8> {
        let mut forced = Vec::new();
        let pieces = self.pieces();
        while forced.len() < limit && self.room() > 1 && !self.is_sentence() {
            let mut bytes = self.allowed_bytes().iter();
            let (Some(byte), None) = (bytes.next(), bytes.next()) else { break };
            if (0..self.program.vocabulary.tokens.len() as u32).any(|id| self.allows_symbol(id)) {
                break;
            }
            forced.push(byte);
            self.push_bytes(&[byte]);
        }
        while self.pieces() > pieces {
            self.pop();
        }
        forced
    }

    fn holds_after(&mut self, push: impl Fn(&mut Self), holds: impl Fn(&Self) -> bool) -> bool {
        push(self);
        let answer = holds(self);
        self.pop();
        answer
    }

    fn add_byte(&mut self, byte: u8) {
        self.add_column(Edges { byte: Some((self.columns.len() - 1, byte)), token: None });
    }

    /// Adds a lattice node at which these edges end.
    fn add_column(&mut self, edges: Edges) {
        assert!(self.room() > 0, "the oracle takes at most {LATTICE_NODES} bytes and tokens");
        let here = self.columns.len();
        let states = self.states_after(edges);
        let mut matches = vec![0; self.program.nodes.len()];
        for &node in &self.program.simple {
            matches[node] = self.simple_matches(&self.program.nodes[node], edges, &states, here);
        }
        let previous = &self.columns;
        self.program.fixpoint(&mut matches, |node, matches| match *node {
            Node::Same(other) => matches[other],
            Node::Either(first, second) => matches[first] | matches[second],
            Node::Sequence(first, second) => members(matches[second])
                .map(|middle| previous.get(middle).map_or(matches[first], |column| column.matches[first]))
                .fold(0, |all, starts| all | starts),
            _ => 0,
        });
        self.columns.push(Column { matches, states });
    }

    /// Where the automata are at the end of the byte edge, for each node at which they may have begun.
    fn states_after(&self, edges: Edges) -> Vec<Vec<usize>> {
        let here = self.columns.len();
        let automata = self.program.automata.iter().enumerate();
        automata
            .map(|(at, automaton)| {
                let mut states = vec![NO_PATH; here];
                if let Some((from, byte)) =
                    edges.byte.filter(|(_, byte)| self.program.alphabet.contains(*byte))
                {
                    for (state, &before) in states.iter_mut().zip(&self.columns[from].states[at]) {
                        if before != NO_PATH {
                            *state = automaton.step(before, byte);
                        }
                    }
                }
                states.push(0);
                states
            })
            .collect()
    }

    /// The nodes from which a form without operands leads to the end of these edges, which is `here`.
    fn simple_matches(&self, node: &Node, edges: Edges, states: &[Vec<usize>], here: usize) -> NodeSet {
        match node {
            Node::Empty => 1 << here,
            Node::Bytes(set) => {
                edges.byte.map_or(0, |(from, byte)| NodeSet::from(set.contains(byte)) << from)
            }
            Node::Tokens(members) => {
                edges.token.map_or(0, |(from, id)| NodeSet::from(members[id as usize]) << from)
            }
            Node::Regular(at) => select(&states[*at], |state| self.program.automata[*at].is_accepting(state)),
            _ => 0,
        }
    }

    /// For each form, the nodes from which some path to the end and some text after it are matched.
    fn partial(&self) -> Vec<NodeSet> {
        let Some((column, previous)) = self.columns.split_last() else { return Vec::new() };
        let end = previous.len();
        let mut partial = column.matches.clone();
        for &node in &self.program.simple {
            if self.program.productive[node] {
                partial[node] |= 1 << end;
            }
            if let Node::Regular(at) = self.program.nodes[node] {
                partial[node] |= select(&column.states[at], |state| self.program.automata[at].is_live(state));
            }
        }
        self.program.fixpoint(&mut partial, |node, partial| match *node {
            Node::Same(other) => partial[other],
            Node::Either(first, second) => partial[first] | partial[second],
            Node::Sequence(first, second) => {
                let within = if self.program.productive[second] { partial[first] } else { 0 };
                members(partial[second])
                    .map(|middle| self.columns[middle].matches[first])
                    .fold(within, |all, starts| all | starts)
            }
            _ => 0,
        });
        partial
    }
}

impl Program {
    /// Raises the values of the forms with operands until every one is what `equation` says.
    fn fixpoint(&self, values: &mut [NodeSet], equation: impl Fn(&Node, &[NodeSet]) -> NodeSet) {
        loop {
            let mut changed = false;
            for &node in &self.composite {
                let value = values[node] | equation(&self.nodes[node], values);
                changed |= value != values[node];
                values[node] = value;
            }
            if !changed {
                return;
            }
        }
    }
}

/// The members of a set, ascending.
fn members(mut set: NodeSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let least = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(least)
    })
}

/// The positions whose state is wanted.
fn select(states: &[usize], wanted: impl Fn(usize) -> bool) -> NodeSet {
    states
        .iter()
        .enumerate()
        .filter(|&(_, &state)| state != NO_PATH && wanted(state))
        .fold(0, |set, (at, _)| set | 1 << at)
}
