//! Expressions that are the same in many stores, written once and taken into each.
//!
//! To write an expression, patterns are read, classes made and normal forms found. To take in what is written already is
//! only to find or add each of its nodes, operands first: what is known of a node from its structure is carried over.

use std::sync::Arc;

use super::parts::Parts;
use super::traits::Traits;
use super::{ByteSetId, Expression, ExpressionId, ExpressionStore, ListId, LiteralSet};
use crate::expression::normal_form::Operands;
use crate::expression::{ByteSet, LiteralSetId};
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
            let mut taking = TakingOut { source, template: &mut template, places: &places };
            let node = source.get(id).over(&mut taking)?;
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
}

/// Where a node of a store is taken out of it: its parts are added to those of the template.
struct TakingOut<'a> {
    source: &'a ExpressionStore,
    template: &'a mut Template,
    /// For each node of the store that has been taken out, which it is in the template.
    places: &'a [ExpressionId],
}

impl Parts for TakingOut<'_> {
    fn expression(&mut self, id: ExpressionId) -> ExpressionId {
        self.places[id.index()]
    }

    fn list(&mut self, id: ListId) -> ListId {
        let operands = self.source.list(id).iter().map(|operand| self.places[operand.index()]);
        self.template.lists.push(operands.collect());
        ListId(self.template.lists.len() as u32 - 1)
    }

    fn byte_set(&mut self, id: ByteSetId) -> ByteSetId {
        self.template.byte_sets.push(*self.source.byte_set(id));
        ByteSetId(self.template.byte_sets.len() as u32 - 1)
    }

    fn literal_set(&mut self, id: LiteralSetId) -> LiteralSetId {
        let set = self.source.literal_sets.get(id.0);
        self.template.literal_sets.push((hash_of(set), Arc::clone(set)));
        LiteralSetId(self.template.literal_sets.len() as u32 - 1)
    }
}

/// Where a template is taken in, and how far.
struct Taking<'a> {
    store: &'a mut ExpressionStore,
    template: &'a Template,
    /// The number of nodes that were there before: what has a part from there on is itself new.
    known: u32,
    /// Whether a part of the node that is being taken in is new, so that the node is.
    is_new: bool,
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
        let mut taking =
            Taking { store: self, template, known, is_new: false, here: Vec::with_capacity(count) };
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
        self.is_new = false;
        let node = node.over(self).unwrap_or(node);
        let nodes = &mut self.store.nodes;
        let id = if self.is_new { nodes.add_new(node) } else { nodes.intern(node) };
        if id as usize == self.store.traits.len() {
            self.store.traits.push(traits);
        }
        self.here.push(ExpressionId(id));
    }
}

impl Parts for Taking<'_> {
    fn expression(&mut self, id: ExpressionId) -> ExpressionId {
        let here = self.here[id.index()];
        self.is_new |= here.0 >= self.known;
        here
    }

    /// The operands in the order that they have here.
    fn list(&mut self, id: ListId) -> ListId {
        let list = &self.template.lists[id.0 as usize];
        let mut operands: Operands = list.iter().map(|operand| self.here[operand.index()]).collect();
        operands.sort_unstable();
        self.is_new |= operands.last().is_some_and(|last| last.0 >= self.known);
        self.store.intern_list(&operands)
    }

    fn byte_set(&mut self, id: ByteSetId) -> ByteSetId {
        let known = self.store.byte_sets.len();
        let set = self.store.intern_byte_set(self.template.byte_sets[id.0 as usize]);
        self.is_new |= self.store.byte_sets.len() > known;
        set
    }

    fn literal_set(&mut self, id: LiteralSetId) -> LiteralSetId {
        let (hash, set) = &self.template.literal_sets[id.0 as usize];
        let known = self.store.literal_sets.len();
        let id = self.store.literal_sets.intern_hashed(*hash, set);
        if self.store.literal_sets.len() > known {
            self.is_new = true;
            self.store.literal_size += set.size();
        }
        LiteralSetId(id)
    }
}
