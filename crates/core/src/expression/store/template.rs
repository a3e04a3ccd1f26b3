//! Expressions that are the same in many stores, written once and taken into each.
//!
//! To write an expression, patterns are read, classes made and normal forms found. To take in what is written already is
//! only to find or add each of its nodes, operands first: what is known of a node from its structure is carried over.

use std::sync::Arc;

use super::traits::Traits;
use super::{ByteSetId, Expression, ExpressionId, ExpressionStore, ListId, LiteralSet};
use crate::expression::normal_form::Operands;
use crate::expression::{ByteSet, LiteralRange, LiteralSetId};
use crate::interner::hash_of;

/// A regular expression over bytes, taken out of the store in which it was written. Immutable.
#[derive(Debug)]
pub(crate) struct Template {
    /// The nodes that it consists of, operands first, with what is known of them. The last is itself.
    nodes: Vec<(Expression, Traits)>,
    byte_sets: Vec<ByteSet>,
    /// The sets of fixed strings, each with its hash.
    literal_sets: Vec<(u64, Arc<LiteralSet>)>,
    lists: Vec<Box<[ExpressionId]>>,
    /// The nodes that have names.
    names: Vec<(ExpressionId, &'static str)>,
    /// The nodes of which it was [noted](ExpressionStore::set_text) that they are text.
    texts: Vec<ExpressionId>,
    has_any_character: bool,
    /// The size of the store, with what was needed for writing only.
    size: usize,
}

impl Template {
    /// Takes an expression out of a store; `None` where it holds something but bytes.
    pub(crate) fn of(source: &ExpressionStore, root: ExpressionId) -> Option<Self> {
        let mut template = Self {
            nodes: Vec::new(),
            byte_sets: Vec::new(),
            literal_sets: Vec::new(),
            lists: Vec::new(),
            names: Vec::new(),
            texts: Vec::new(),
            has_any_character: source.has_any_character(),
            size: source.size(),
        };
        let mut places = vec![ExpressionStore::NOTHING; source.len()];
        for id in source.needed_by(root) {
            let node = template.add_parts(source, source.get(id), |id| places[id.index()])?;
            let place = ExpressionId(template.nodes.len() as u32);
            template.nodes.push((node, source.traits[id.index()]));
            places[id.index()] = place;
            template.names.extend(source.name_of(id).map(|name| (place, name)));
            if source.is_text(id) && !source.traits_of(source.get(id)).text {
                template.texts.push(place);
            }
        }
        Some(template)
    }

    /// What writing it adds to the size of a store at most.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// A node of a store as one of the template, whose parts are added to its own.
    fn add_parts(
        &mut self,
        source: &ExpressionStore,
        node: Expression,
        place: impl Fn(ExpressionId) -> ExpressionId,
    ) -> Option<Expression> {
        let mut add_list = |list: ListId| {
            self.lists.push(source.list(list).iter().map(|&operand| place(operand)).collect());
            ListId(self.lists.len() as u32 - 1)
        };
        Some(match node {
            Expression::Nothing | Expression::Empty => node,
            Expression::Bytes(set) => {
                self.byte_sets.push(*source.byte_set(set));
                Expression::Bytes(ByteSetId(self.byte_sets.len() as u32 - 1))
            }
            Expression::Literals(range) => {
                let set = source.literal_sets.get(range.set.0);
                self.literal_sets.push((hash_of(set), Arc::clone(set)));
                let set = LiteralSetId(self.literal_sets.len() as u32 - 1);
                Expression::Literals(LiteralRange { set, ..range })
            }
            Expression::Concatenation(head, tail) => Expression::Concatenation(place(head), place(tail)),
            Expression::Alternatives(list) => Expression::Alternatives(add_list(list)),
            Expression::Intersection(list) => Expression::Intersection(add_list(list)),
            Expression::Repetition { body, minimum, maximum } => {
                Expression::Repetition { body: place(body), minimum, maximum }
            }
            Expression::Complement(operand) => Expression::Complement(place(operand)),
            _ => return None,
        })
    }
}

/// Where a template is taken in, and how far.
struct Taking<'a> {
    store: &'a mut ExpressionStore,
    template: &'a Template,
    /// The number of nodes that were there before: what has a part from there on is itself new.
    known: u32,
    /// For each node of the template, which it is here.
    here: Vec<ExpressionId>,
}

impl ExpressionStore {
    /// The nodes that an expression consists of, itself included, operands first.
    fn needed_by(&self, root: ExpressionId) -> Vec<ExpressionId> {
        let mut is_needed = vec![false; root.index() + 1];
        is_needed[root.index()] = true;
        let ids: Vec<ExpressionId> = self.ids().take(root.index() + 1).collect();
        for &id in ids.iter().rev() {
            if is_needed[id.index()] {
                self.operands(id).iter().for_each(|operand| is_needed[operand.index()] = true);
            }
        }
        ids.into_iter().filter(|id| is_needed[id.index()]).collect()
    }

    /// Takes in a template: the same expression as its writer makes in this store. Takes time in proportion to its nodes.
    pub(crate) fn take_in(&mut self, template: &Template) -> ExpressionId {
        // Only a store that knows what any text is tells that it takes in all other text.
        if template.has_any_character {
            self.any_character();
        }
        let count = template.nodes.len();
        self.nodes.reserve(count);
        self.traits.reserve(count);
        self.byte_sets.reserve(template.byte_sets.len());
        self.literal_sets.reserve(template.literal_sets.len());
        self.lists.reserve(template.lists.len());
        let known = self.nodes.len() as u32;
        let mut taking = Taking { store: self, template, known, here: Vec::with_capacity(count) };
        template.nodes.iter().for_each(|&(node, traits)| taking.take(node, traits));
        let here = taking.here;
        template.texts.iter().for_each(|text| self.set_text(here[text.index()]));
        for &(named, name) in &template.names {
            self.name(here[named.index()], name);
        }
        here.last().copied().unwrap_or(Self::NOTHING)
    }
}

impl Taking<'_> {
    /// Takes in the next node.
    fn take(&mut self, node: Expression, traits: Traits) {
        let (node, is_new) = self.with_parts(node);
        let nodes = &mut self.store.nodes;
        let id = if is_new { nodes.add_new(node) } else { nodes.intern(node) };
        if id as usize == self.store.traits.len() {
            self.store.traits.push(traits);
        }
        self.here.push(ExpressionId(id));
    }

    /// A node of the template with its parts in the store, and whether one of them makes it new there.
    fn with_parts(&mut self, node: Expression) -> (Expression, bool) {
        let is_new = |id: ExpressionId| id.0 >= self.known;
        match node {
            Expression::Bytes(set) => {
                let known = self.store.byte_sets.len();
                let set = self.store.intern_byte_set(self.template.byte_sets[set.0 as usize]);
                (Expression::Bytes(set), self.store.byte_sets.len() > known)
            }
            Expression::Literals(range) => {
                let known = self.store.literal_sets.len();
                let set = self.take_literal_set(range.set);
                let node = Expression::Literals(LiteralRange { set, ..range });
                (node, self.store.literal_sets.len() > known)
            }
            Expression::Concatenation(head, tail) => {
                let (head, tail) = (self.here[head.index()], self.here[tail.index()]);
                (Expression::Concatenation(head, tail), is_new(head) || is_new(tail))
            }
            Expression::Alternatives(list) => {
                let (list, is_new) = self.take_list(list);
                (Expression::Alternatives(list), is_new)
            }
            Expression::Intersection(list) => {
                let (list, is_new) = self.take_list(list);
                (Expression::Intersection(list), is_new)
            }
            Expression::Repetition { body, minimum, maximum } => {
                let body = self.here[body.index()];
                (Expression::Repetition { body, minimum, maximum }, is_new(body))
            }
            Expression::Complement(operand) => {
                let operand = self.here[operand.index()];
                (Expression::Complement(operand), is_new(operand))
            }
            other => (other, false),
        }
    }

    fn take_literal_set(&mut self, set: LiteralSetId) -> LiteralSetId {
        let (hash, set) = &self.template.literal_sets[set.0 as usize];
        let known = self.store.literal_sets.len();
        let id = self.store.literal_sets.intern_hashed(*hash, set);
        if self.store.literal_sets.len() > known {
            self.store.literal_size += set.size();
        }
        LiteralSetId(id)
    }

    /// A list of operands, in the order that they have here, and whether one of them makes it new.
    fn take_list(&mut self, list: ListId) -> (ListId, bool) {
        let list = &self.template.lists[list.0 as usize];
        let mut operands: Operands = list.iter().map(|operand| self.here[operand.index()]).collect();
        operands.sort_unstable();
        let is_new = operands.last().is_some_and(|last| last.0 >= self.known);
        (self.store.intern_list(&operands), is_new)
    }
}
