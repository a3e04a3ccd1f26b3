//! Grammars in the few forms that the oracle computes with.
//!
//! Literals become sequences of single bytes, counters are unrolled into chains that share their body,
//! rules become nodes that stand for their bodies, and regular operations become explicit automata.

use maskwright_core::expression::ByteSet;

use crate::ast::{Description, Expression};
use crate::automaton::Automaton;
use crate::free_text::{text_with_tag, text_without_tags};
use crate::vocabulary::TestVocabulary;

/// The index of a [`Node`].
pub type NodeId = usize;

/// One form. Operands may have any index, since rules are recursive.
#[derive(Clone, Debug)]
pub enum Node {
    /// Matches nothing.
    Nothing,
    /// Matches the empty text.
    Empty,
    /// Matches one byte of the set.
    Bytes(ByteSet),
    /// Matches one token by id: those whose entry is true.
    Tokens(Vec<bool>),
    /// Matches what the automaton of this index accepts.
    Regular(usize),
    /// Matches what the other node does.
    Same(NodeId),
    /// Matches the first and then the second.
    Sequence(NodeId, NodeId),
    /// Matches what either of the two does.
    Either(NodeId, NodeId),
}

/// A grammar prepared for one vocabulary.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) nodes: Vec<Node>,
    pub(crate) automata: Vec<Automaton>,
    /// The node of the start rule.
    pub(crate) start: NodeId,
    /// The nodes that have operands, operands first wherever that is possible.
    pub(crate) composite: Vec<NodeId>,
    /// The nodes without operands.
    pub(crate) simple: Vec<NodeId>,
    /// For each node, whether any sentence over the alphabet and the tokens matches it.
    pub(crate) productive: Vec<bool>,
    pub(crate) vocabulary: TestVocabulary,
    pub(crate) alphabet: ByteSet,
}

impl Program {
    /// Prepares a grammar.
    ///
    /// # Panics
    /// When the grammar calls a rule that it lacks, or an operand of an intersection or complement is not
    /// regular.
    pub fn new(description: &Description, vocabulary: &TestVocabulary) -> Self {
        let mut program = Self {
            nodes: vec![Node::Nothing; description.rules.len()],
            automata: Vec::new(),
            start: 0,
            composite: Vec::new(),
            simple: Vec::new(),
            productive: Vec::new(),
            vocabulary: vocabulary.clone(),
            alphabet: vocabulary.alphabet(),
        };
        for (rule, body) in description.rules.iter().enumerate() {
            program.nodes[rule] = Node::Same(program.lower(body));
        }
        let rules = description.rules.len();
        (program.composite, program.simple) =
            (rules..program.nodes.len()).chain(0..rules).partition(|&node| {
                matches!(program.nodes[node], Node::Same(_) | Node::Sequence(..) | Node::Either(..))
            });
        program.productive = program.find_productive();
        program
    }

    /// Whether no sentence at all can be written with this vocabulary.
    pub fn is_empty(&self) -> bool {
        !self.productive[self.start]
    }

    /// The bytes that texts can be made of.
    pub fn alphabet(&self) -> ByteSet {
        self.alphabet
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn lower(&mut self, expression: &Expression) -> NodeId {
        match expression {
            Expression::Nothing => self.add(Node::Nothing),
            Expression::Empty => self.add(Node::Empty),
            Expression::Bytes(set) => self.add(Node::Bytes(*set)),
            Expression::Literal(text) => self.lower_literal(text),
            Expression::Literals(texts) => {
                let operands: Vec<NodeId> = texts.iter().map(|text| self.lower_literal(text)).collect();
                self.either(&operands)
            }
            Expression::Characters(ranges) => {
                let operands: Vec<NodeId> = ranges
                    .iter()
                    .flat_map(|&(first, last)| first..=last)
                    .map(|character| self.lower_literal(character.to_string().as_bytes()))
                    .collect();
                self.either(&operands)
            }
            Expression::Tokens { negated, ids } => {
                let members = (0..self.vocabulary.tokens.len() as u32)
                    .map(|id| Expression::is_member(&self.vocabulary, *negated, ids, id))
                    .collect();
                self.add(Node::Tokens(members))
            }
            Expression::Call(rule) => self.add(Node::Same(*rule)),
            Expression::Sequence(operands) => {
                let operands: Vec<NodeId> = operands.iter().map(|operand| self.lower(operand)).collect();
                self.sequence(&operands)
            }
            Expression::Alternatives(operands) => {
                let operands: Vec<NodeId> = operands.iter().map(|operand| self.lower(operand)).collect();
                self.either(&operands)
            }
            Expression::Repetition { body, minimum, maximum } => {
                let body = self.lower(body);
                self.repetition(body, *minimum, *maximum)
            }
            Expression::Intersection(_) | Expression::Complement(_) => self.regular(expression),
            Expression::FreeText { strings, continuations, ends } => {
                let mut operands: Vec<NodeId> = Vec::new();
                for (tag, after) in continuations.iter().enumerate() {
                    let (text, after) = (self.regular(&text_with_tag(strings, tag)), self.lower(after));
                    operands.push(self.add(Node::Sequence(text, after)));
                }
                if *ends {
                    operands.push(self.regular(&text_without_tags(strings)));
                }
                self.either(&operands)
            }
        }
    }

    fn regular(&mut self, expression: &Expression) -> NodeId {
        self.automata.push(Automaton::new(expression, &self.alphabet));
        self.add(Node::Regular(self.automata.len() - 1))
    }

    fn lower_literal(&mut self, text: &[u8]) -> NodeId {
        let operands: Vec<NodeId> =
            text.iter().map(|&byte| self.add(Node::Bytes(ByteSet::single(byte)))).collect();
        self.sequence(&operands)
    }

    fn sequence(&mut self, operands: &[NodeId]) -> NodeId {
        match operands {
            [] => self.add(Node::Empty),
            [only] => *only,
            [first, rest @ ..] => {
                let rest = self.sequence(rest);
                self.add(Node::Sequence(*first, rest))
            }
        }
    }

    fn either(&mut self, operands: &[NodeId]) -> NodeId {
        match operands {
            [] => self.add(Node::Nothing),
            [only] => *only,
            [first, rest @ ..] => {
                let rest = self.either(rest);
                self.add(Node::Either(*first, rest))
            }
        }
    }

    /// `minimum` bodies, then either a loop or a chain of bodies of which any end may be left out.
    fn repetition(&mut self, body: NodeId, minimum: u32, maximum: Option<u32>) -> NodeId {
        let empty = self.add(Node::Empty);
        let mut result = empty;
        match maximum {
            None => {
                let any = self.add(Node::Nothing);
                let more = self.add(Node::Sequence(body, any));
                self.nodes[any] = Node::Either(empty, more);
                result = any;
            }
            Some(maximum) => {
                for _ in minimum..maximum {
                    let more = self.add(Node::Sequence(body, result));
                    result = self.add(Node::Either(empty, more));
                }
            }
        }
        for _ in 0..minimum {
            result = self.add(Node::Sequence(body, result));
        }
        result
    }

    fn find_productive(&self) -> Vec<bool> {
        let mut productive = vec![false; self.nodes.len()];
        loop {
            let mut changed = false;
            for (at, node) in self.nodes.iter().enumerate() {
                let now = match node {
                    Node::Nothing => false,
                    Node::Empty => true,
                    Node::Bytes(set) => !set.intersection(&self.alphabet).is_empty(),
                    Node::Tokens(members) => members.contains(&true),
                    Node::Regular(automaton) => self.automata[*automaton].is_live(0),
                    Node::Same(other) => productive[*other],
                    Node::Sequence(first, second) => productive[*first] && productive[*second],
                    Node::Either(first, second) => productive[*first] || productive[*second],
                };
                changed |= now != productive[at];
                productive[at] = now;
            }
            if !changed {
                return productive;
            }
        }
    }
}
