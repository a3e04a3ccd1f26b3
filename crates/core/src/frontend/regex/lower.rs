//! From the syntax tree to expressions.
//!
//! One loop over the nodes, operands first. Nodes without assertions become expressions; the others
//! become branches, which `assertion` makes and `solve` turns into expressions.

use std::sync::Arc;

use super::class_cache::{ClassCache, ClassId};
use super::look::{Branch, Item};
use super::segment::{self, Segment, Shape};
use super::solve::{self, Edges, Outcome, Prefix};
use super::tree::{Anchor, Node, NodeId, NodeList, Tree};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::ExpressionId;
use crate::frontend::character_set::CharacterSet;
use crate::grammar::GrammarBuilder;

/// What a node has become.
#[derive(Clone, Debug)]
pub(super) enum Lowered {
    /// A literal is made where it is used, since alternatives of literals become one list.
    Literal,
    /// The shape is known only in patterns with assertions.
    Plain(ExpressionId, Option<Shape>),
    Branches(Vec<Branch>),
}

/// The state of lowering one pattern.
pub(super) struct Lowering<'a> {
    pub(super) pattern: &'a str,
    pub(super) builder: &'a mut GrammarBuilder,
    pub(super) classes: &'a mut ClassCache,
    pub(super) budget: &'a Budget,
    pub(super) deadline: &'a Deadline,
    /// The branches of each kind of anchor met so far, as they were at the first place: their sets are large.
    pub(super) anchors: Vec<(Anchor, Vec<Branch>)>,
    tree: &'a Tree,
    lowered: Vec<Lowered>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        pattern: &'a str,
        tree: &'a Tree,
        builder: &'a mut GrammarBuilder,
        classes: &'a mut ClassCache,
        budget: &'a Budget,
        deadline: &'a Deadline,
    ) -> Self {
        let lowered = Vec::with_capacity(tree.len());
        Self { pattern, builder, classes, budget, deadline, anchors: Vec::new(), tree, lowered }
    }

    /// The expression of the whole pattern; with `search`, of all texts that contain it.
    pub(super) fn run(mut self, search: bool) -> Result<ExpressionId> {
        let tree = self.tree;
        let mut root = None;
        for (id, node) in tree.nodes() {
            self.deadline.check()?;
            let lowered = self.node(node)?;
            self.lowered.push(lowered);
            self.check_size()?;
            root = Some(id);
        }
        let Some(root) = root else { return Ok(GrammarBuilder::EMPTY) };
        if !self.has_branches(root) {
            let expression = self.expression(root);
            if !search {
                return Ok(expression);
            }
            let text = segment::any_text(self.builder);
            return Ok(self.builder.concatenation(&[text, expression, text]));
        }
        let mut branches = self.branches(root);
        if search {
            let text = Segment::any_text(self.builder);
            for branch in &mut branches {
                branch.insert(0, Item::Text(text.clone()));
                branch.push(Item::Text(text.clone()));
            }
        }
        match solve::solve(branches, Edges::default(), self.builder, self.budget, self.deadline)? {
            Outcome::Solved(solved) => {
                let expressions: Vec<ExpressionId> =
                    solved.iter().map(|solved| solved.segment.expression).collect();
                Ok(self.builder.alternatives(&expressions))
            }
            Outcome::Stuck(looks) => Err(self.tangled(&looks)),
        }
    }

    fn check_size(&self) -> Result<()> {
        if self.builder.expressions().len() <= self.budget.expressions {
            return Ok(());
        }
        Err(Error::exceeded("expressions", self.budget.expressions, "while reading a pattern"))
    }

    fn node(&mut self, node: &Node) -> Result<Lowered> {
        Ok(match *node {
            Node::Literal(_) => Lowered::Literal,
            Node::Class(class) => {
                let shape = || Shape::character(Arc::clone(self.classes.set(class)));
                let shape = self.tree.has_assertions().then(shape);
                Lowered::Plain(self.classes.expression(class, self.builder), shape)
            }
            Node::Concatenation(list) => self.concatenation(list)?,
            Node::Alternation(list) => self.alternation(list),
            Node::Repetition { body, minimum, maximum } if self.has_branches(body) => {
                let branches = self.branches(body);
                self.repetition_of_branches(&branches, minimum, maximum)?
            }
            Node::Repetition { body, minimum, maximum } => {
                let shape = self.shape(body).map(|shape| shape.repetition(minimum, maximum));
                let body = self.expression(body);
                Lowered::Plain(self.builder.repetition(body, minimum, maximum), shape)
            }
            Node::Look { body, direction, negative, offset } => {
                let branches = self.branches(body);
                Lowered::Branches(self.look(branches, direction, negative, offset)?)
            }
            Node::Anchor { anchor, offset } => Lowered::Branches(self.anchor(anchor, offset)),
        })
    }

    fn has_branches(&self, id: NodeId) -> bool {
        matches!(self.lowered[id.index()], Lowered::Branches(_))
    }

    /// The literal that a node is, if it is one; the empty concatenation is the empty literal.
    fn as_literal(&self, id: NodeId) -> Option<&'a str> {
        match self.tree.get(id) {
            Node::Literal(range) => Some(self.tree.literal(range)),
            Node::Concatenation(list) if self.tree.list(*list).is_empty() => Some(""),
            _ => None,
        }
    }

    /// The expression of a node without assertions.
    fn expression(&mut self, id: NodeId) -> ExpressionId {
        match (&self.lowered[id.index()], self.as_literal(id)) {
            (Lowered::Plain(expression, _), _) => *expression,
            (_, Some(literal)) => self.builder.literal(literal.as_bytes()),
            _ => GrammarBuilder::NOTHING,
        }
    }

    fn shape(&self, id: NodeId) -> Option<Shape> {
        match (&self.lowered[id.index()], self.as_literal(id)) {
            (Lowered::Plain(_, shape), _) => shape.clone(),
            (Lowered::Literal, Some(literal)) => self.tree.has_assertions().then(|| Shape::literal(literal)),
            _ => None,
        }
    }

    /// The branches of a node: those it has become, or the one of its text. Each node is asked once.
    fn branches(&mut self, id: NodeId) -> Vec<Branch> {
        if let Lowered::Branches(branches) = &mut self.lowered[id.index()] {
            return std::mem::take(branches);
        }
        let shape = self.shape(id).unwrap_or_else(Shape::empty);
        let expression = self.expression(id);
        vec![vec![Item::Text(Segment { expression, shape })]]
    }

    fn concatenation(&mut self, list: NodeList) -> Result<Lowered> {
        let operands = self.tree.list(list);
        if operands.iter().any(|&operand| self.has_branches(operand)) {
            let mut product = vec![Prefix::default()];
            for &operand in operands {
                let branches = self.branches(operand);
                product = self.product(product, &branches)?;
            }
            let branches = product.into_iter().map(|prefix| prefix.into_branch(self.builder));
            return Ok(Lowered::Branches(branches.collect()));
        }
        let expressions: Vec<ExpressionId> =
            operands.iter().map(|&operand| self.expression(operand)).collect();
        let shape = self.joined_shape(operands, Shape::concatenation);
        Ok(Lowered::Plain(self.builder.concatenation(&expressions), shape))
    }

    /// All ways of going on with a set of branches after some prefixes, but for those that are known to match
    /// nothing where there are many.
    pub(super) fn product(&mut self, mut first: Vec<Prefix>, second: &[Branch]) -> Result<Vec<Prefix>> {
        /// The greatest number of copied parts of branches for which it is not worth finding out what they match.
        const FEW: usize = 100;
        if let [only] = second {
            for prefix in &mut first {
                prefix.extend(only);
            }
            return Ok(first);
        }
        let copied_parts = |first: &[Prefix]| {
            let of_first: usize = first.iter().map(|prefix| prefix.parts().max(1)).sum();
            let of_second: usize = second.iter().map(|branch| branch.len().max(1)).sum();
            let of_first = of_first.saturating_mul(second.len().saturating_sub(1));
            of_first.saturating_add(of_second.saturating_mul(first.len().saturating_sub(1)))
        };
        if copied_parts(&first) > FEW {
            first = solve::without_dead(first, self.builder, self.deadline)?;
        }
        solve::check_cases(copied_parts(&first), self.budget)?;
        let mut product = Vec::with_capacity(first.len() * second.len());
        for start in &first {
            self.deadline.check()?;
            product.extend(second.iter().map(|end| {
                let mut prefix = start.clone();
                prefix.extend(end);
                prefix
            }));
        }
        Ok(product)
    }

    fn alternation(&mut self, list: NodeList) -> Lowered {
        let operands = self.tree.list(list);
        if operands.iter().any(|&operand| self.has_branches(operand)) {
            let branches: Vec<Vec<Branch>> = operands.iter().map(|&operand| self.branches(operand)).collect();
            return Lowered::Branches(branches.concat());
        }
        let literals = operands.iter().filter_map(|&operand| self.as_literal(operand));
        let literals: Vec<Vec<u8>> = literals.map(|literal| literal.as_bytes().to_vec()).collect();
        let mut expressions = vec![self.builder.literals(literals)];
        for &operand in operands {
            if self.as_literal(operand).is_none() {
                expressions.push(self.expression(operand));
            }
        }
        let shape = self.joined_shape(operands, Shape::alternation);
        Lowered::Plain(self.builder.alternatives(&expressions), shape)
    }

    fn joined_shape(&self, operands: &[NodeId], join: fn(&[&Shape]) -> Shape) -> Option<Shape> {
        let shapes: Vec<Shape> = operands.iter().filter_map(|&operand| self.shape(operand)).collect();
        self.tree.has_assertions().then(|| join(&shapes.iter().collect::<Vec<_>>()))
    }

    /// The set of a class that the assertions need, by its id.
    pub(super) fn set(&self, id: ClassId) -> Arc<CharacterSet> {
        Arc::clone(self.classes.set(id))
    }
}
