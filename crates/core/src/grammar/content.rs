//! Content hashes of the expressions of a grammar.
//!
//! What an expression says depends on the rules that it calls, and those may be recursive; so may the schemas of
//! a front end that are still to be written. All these [`Part`]s are one graph, of which
//! [`Description`]s tell the nodes. It is taken apart into strongly connected components (by Tarjan's method,
//! without recursion). A node that is alone in its component is hashed by its label and the hashes of its
//! parts.
//!
//! A component of several nodes is hashed as a whole. Partition refinement finds the coarsest division into
//! classes such that nodes of one class have equal labels and, in the same places, parts of the same classes: such
//! nodes are bisimilar, and so have equal languages. That the division is one is checked on the forms
//! themselves, and not taken from the hashes by which it was found. The classes are put in the order of these
//! hashes, which depend on nothing but structure, so that one component has one form, whatever its rules are
//! called and wherever it is entered.

mod form;
mod known;

use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_128;

pub(super) use self::form::{begin_sketch, end_sketch};
pub(crate) use self::form::{forms_behind, labels_of};

use self::form::{COMPONENT, Child, member_form, write_node, write_node_alone};
use self::known::{Known, KnownParts};
use super::PreparedGrammar;
use super::lazy::Workshop;
use super::prepare::PreparedRule;
use crate::budget::Deadline;
use crate::expression::{ContentHash, ContentRegistry, Description, ExpressionId, Mark, Owned, Part};

/// The content of an expression: a key for what follows from it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Content {
    pub(crate) hash: ContentHash,
    /// The generation of the registry in which the hash stands for this content.
    pub(crate) generation: u64,
}

/// Asking the clock takes as long as many a part.
const PARTS_PER_CHECK: usize = 256;

/// How a content is looked for.
#[derive(Clone, Copy)]
pub(crate) struct ContentSearch<'a> {
    /// One grammar is to be asked with one registry only.
    pub(crate) registry: &'a ContentRegistry,
    /// Whether what nobody has registered yet is registered, so that something can be kept under the content. Else there
    /// is no content then: nobody has kept anything under it.
    pub(crate) registers: bool,
    pub(crate) limits: SearchLimits,
    pub(crate) deadline: &'a Deadline,
}

/// How far one search goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimits {
    /// So many parts are described at most: rules that call each other are one component, however many they are. The next
    /// search goes on where this one ended.
    pub(crate) parts: usize,
    /// So many of them are deferred expressions at most, which the text may never reach: to describe one takes as long as to
    /// define it. The next search begins again, but for the components that were found.
    pub(crate) deferred: usize,
}

/// The hash of a form, if it stands for that form; a mark that is missing where the search is in vain.
type Hashed<T> = std::result::Result<Option<T>, Mark>;

/// Why a search ends before anything is found.
enum SearchEnd {
    /// Nobody has registered what has this mark.
    Missing(Mark),
    /// What is open is forgotten: too many deferred expressions, or too little time.
    GivenUp,
    /// What is open stays so for the next search.
    Interrupted,
}

impl From<Mark> for SearchEnd {
    fn from(missing: Mark) -> Self {
        Self::Missing(missing)
    }
}

impl ContentSearch<'_> {
    /// Leaves the mark of a label, or asks for it.
    fn note_label(&self, label: &[u8]) -> std::result::Result<(), Mark> {
        let mark = Mark::of_label(label);
        if self.lacks(mark) {
            return Err(mark);
        }
        if self.registers {
            self.registry.mark(mark);
        }
        Ok(())
    }

    /// Whether the search is in vain, since a mark has not been left.
    fn lacks(&self, mark: Mark) -> bool {
        !self.registers && !self.registry.may_have(mark)
    }

    fn hash(&self, form: &[u8]) -> Hashed<ContentHash> {
        if self.registers { Ok(self.registry.register(form)) } else { self.registry.find(form) }
    }
}

/// The content hashes found for one grammar.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    generation: u64,
    known: KnownParts,
    /// Whether what an interrupted search left open is to be registered: one that only looks lets that be.
    is_registering: bool,
    /// The nodes that are looked at and whose component is not known yet: Tarjan's stack.
    nodes: Vec<Node>,
    /// The nodes on the way to the one that is looked at, as indices into `nodes`.
    path: Vec<u32>,
    /// What `nodes` say, one after another.
    description: Description,
    form: Vec<u8>,
}

#[derive(Debug)]
struct Node {
    part: Part,
    /// Where its label begins, and where its parts do; they end where those of the next node begin.
    label: usize,
    parts: usize,
    /// How many of its parts have been looked at.
    visited: usize,
    /// The least index of a node that can be reached from it and leads to it.
    low: u32,
    is_unordered: bool,
    /// Whether the front end could say what it is.
    is_described: bool,
}

/// The nodes of a component with their parts.
struct Component<'a> {
    nodes: Vec<Member<'a>>,
}

struct Member<'a> {
    label: &'a [u8],
    children: SmallVec<[Child; 4]>,
    is_unordered: bool,
}

impl PreparedGrammar {
    /// The content of an expression; `None` where it cannot be described, is not told apart by its hash, or is not found
    /// by this search. What was found is kept, so an expression of which all but a few nodes were asked for before costs
    /// those few.
    pub(crate) fn content(&mut self, expression: ExpressionId, search: ContentSearch<'_>) -> Option<Content> {
        let generation = search.registry.generation()?;
        if self.contents.generation != generation {
            self.contents = Contents { generation, ..Contents::default() };
        }
        let part = Part::Expression(expression);
        let hash = match self.contents.known.get(part) {
            Some(Known::Done(hash)) => hash,
            Some(Known::Absent(mark)) if search.lacks(mark) => None,
            _ => self.find_content(part, search),
        };
        // A registry that was cleared in between may lack what was registered before.
        (search.registry.generation() == Some(generation)).then_some(Content { hash: hash?, generation })
    }

    /// Finds the contents of rules before any text, as far as that is soon done: of most grammars that is all, so that what a
    /// text comes to takes a few parts each. What is defined on demand is left to the texts that reach it.
    pub(crate) fn find_contents_ahead(&mut self, registry: &ContentRegistry, deadline: &Deadline) {
        /// Tens of microseconds.
        const MOST: SearchLimits = SearchLimits { parts: 256, deferred: 1 };
        if !self.has_leaves() {
            let start = self.rules[self.start.index()].body;
            self.content(start, ContentSearch { registry, registers: true, limits: MOST, deadline });
        }
    }

    /// Looks for the content of a part, after what an interrupted search left open.
    fn find_content(&mut self, part: Part, search: ContentSearch<'_>) -> Option<ContentHash> {
        if self.contents.is_registering && !search.registers {
            return None;
        }
        let found = self.try_find_content(part, search);
        match found {
            Ok(()) => {}
            Err(SearchEnd::Interrupted) => self.contents.leave_open(),
            Err(SearchEnd::Missing(mark)) => self.contents.note_lack(mark),
            Err(SearchEnd::GivenUp) => self.contents.forget_open(),
        }
        self.contents.is_registering = search.registers && !self.contents.path.is_empty();
        match self.contents.known.get(part) {
            Some(Known::Done(hash)) => hash,
            _ => None,
        }
    }

    /// The same, as far as the limits allow.
    fn try_find_content(
        &mut self,
        part: Part,
        search: ContentSearch<'_>,
    ) -> std::result::Result<(), SearchEnd> {
        let mut left = search.limits;
        self.close_all(search, &mut left)?;
        match self.contents.known.get(part) {
            Some(Known::Done(_)) => return Ok(()),
            Some(Known::Absent(mark)) if search.lacks(mark) => return Ok(()),
            _ => {}
        }
        self.open(part, search, &mut left)?;
        self.close_all(search, &mut left)
    }

    /// Looks at all that is on the path, until nothing is.
    fn close_all(
        &mut self,
        search: ContentSearch<'_>,
        left: &mut SearchLimits,
    ) -> std::result::Result<(), SearchEnd> {
        let mut looked_at = 0;
        while let Some(&at) = self.contents.path.last() {
            looked_at += 1;
            if looked_at % PARTS_PER_CHECK == 0 {
                // The walk that asks has the same deadline, and is told.
                search.deadline.check().map_err(|_| SearchEnd::GivenUp)?;
                if self.contents.is_too_large() {
                    self.contents.do_without();
                    return Ok(());
                }
            }
            match self.contents.next_part(at) {
                Some(next) => {
                    let next = body_of(next, &self.rules);
                    match self.contents.known.get(next) {
                        Some(Known::Done(_)) => {}
                        Some(Known::Open(other)) => self.contents.lower(at, other),
                        Some(Known::Absent(mark)) if search.lacks(mark) => return Err(mark.into()),
                        _ if left.deferred == 0 => return Err(SearchEnd::GivenUp),
                        _ if left.parts == 0 => return Err(SearchEnd::Interrupted),
                        _ => self.open(next, search, left)?,
                    }
                    self.contents.nodes[at as usize].visited += 1;
                }
                None => {
                    self.contents.path.pop();
                    let low = self.contents.nodes[at as usize].low;
                    if low == at {
                        self.contents.close(at as usize, &self.rules, search)?;
                    } else if let Some(&parent) = self.contents.path.last() {
                        self.contents.lower(parent, low);
                    }
                }
            }
        }
        Ok(())
    }

    /// Describes a part and puts it on the path.
    fn open(
        &mut self,
        part: Part,
        search: ContentSearch<'_>,
        left: &mut SearchLimits,
    ) -> std::result::Result<(), SearchEnd> {
        let Self { expressions, emptiness, rules, leaves, leaves_size, contents, .. } = self;
        let (label, parts) = (contents.description.labels.len(), contents.description.parts.len());
        contents.description.is_unordered = false;
        let leaf = match part {
            Part::Expression(_) | Part::Rule(_) => None,
            Part::Deferred(id) => Some(expressions.deferred_by(id)),
            Part::Capture(id) => Some(expressions.captured_by(id)),
            Part::Other(leaf, _) => Some(Owned { leaf, number: 0 }),
        };
        let is_described = match (part, leaf) {
            (Part::Expression(id), _) => {
                expressions.describe(id, &mut contents.description);
                true
            }
            (_, None) => false,
            (_, Some(Owned { leaf, number })) => {
                let mut workshop = Workshop { expressions, emptiness, rules, deadline: search.deadline };
                // What a budget refuses here it refuses again where the text gets there.
                let description = &mut contents.description;
                leaves[leaf.index()]
                    .ask(leaves_size, |leaf| leaf.describe(part, number, description, &mut workshop))
                    .unwrap_or(false)
            }
        };
        if !is_described {
            contents.description.labels.truncate(label);
            contents.description.parts.truncate(parts);
        }
        let index = contents.nodes.len() as u32;
        let is_unordered = contents.description.is_unordered;
        contents.nodes.push(Node { part, label, parts, visited: 0, low: index, is_unordered, is_described });
        contents.path.push(index);
        contents.known.insert(part, Known::Open(index));
        left.parts = left.parts.saturating_sub(1);
        left.deferred = left.deferred.saturating_sub(usize::from(leaf.is_some()));
        if is_described {
            search.note_label(&contents.description.labels[label..])?;
        }
        Ok(())
    }
}

/// A rule is what its body is.
fn body_of(part: Part, rules: &[PreparedRule]) -> Part {
    match part {
        Part::Rule(rule) => Part::Expression(rules[rule.index()].body),
        part => part,
    }
}

impl Contents {
    /// Hashes the component that consists of the nodes from an index on.
    fn close(
        &mut self,
        first: usize,
        rules: &[PreparedRule],
        search: ContentSearch<'_>,
    ) -> std::result::Result<(), Mark> {
        let mut form = std::mem::take(&mut self.form);
        let closed = match self.write_alone(first, rules, &mut form) {
            true => search.hash(&form).map(|hash| {
                self.known.insert(self.nodes[first].part, Known::Done(hash));
            }),
            false => self.close_together(first, rules, search, &mut form),
        };
        self.form = form;
        closed?;
        let Node { label, parts, .. } = self.nodes[first];
        self.nodes.truncate(first);
        self.description.labels.truncate(label);
        self.description.parts.truncate(parts);
        Ok(())
    }

    /// Writes the form of a node that is alone in its component, and no part of itself: nearly all are. False where it is
    /// not, or where it or one of its parts has no content.
    fn write_alone(&self, at: usize, rules: &[PreparedRule], form: &mut Vec<u8>) -> bool {
        let node = &self.nodes[at];
        if at + 1 < self.nodes.len() || !node.is_described {
            return false;
        }
        let mut hashes: SmallVec<[ContentHash; 8]> = SmallVec::new();
        for &part in self.parts_of(at) {
            let Some(Known::Done(Some(hash))) = self.known.get(body_of(part, rules)) else { return false };
            hashes.push(hash);
        }
        form.clear();
        write_node_alone(form, self.label_of(at), &mut hashes, node.is_unordered);
        true
    }

    /// Hashes the nodes of any component.
    fn close_together(
        &mut self,
        first: usize,
        rules: &[PreparedRule],
        search: ContentSearch<'_>,
        form: &mut Vec<u8>,
    ) -> std::result::Result<(), Mark> {
        let hashes = match self.component(first, rules) {
            Some(component) => component.hashes(search, form)?,
            None => None,
        };
        for (at, node) in self.nodes[first..].iter().enumerate() {
            let hash = hashes.as_ref().map(|hashes| hashes[at]);
            self.known.insert(node.part, Known::Done(hash));
        }
        Ok(())
    }

    /// The component that consists of the nodes from an index on; `None` where one of them has no content.
    fn component(&self, first: usize, rules: &[PreparedRule]) -> Option<Component<'_>> {
        let mut nodes = Vec::with_capacity(self.nodes.len() - first);
        for at in first..self.nodes.len() {
            let node = &self.nodes[at];
            if !node.is_described {
                return None;
            }
            let mut children = SmallVec::new();
            for &part in self.parts_of(at) {
                children.push(match self.known.get(body_of(part, rules)) {
                    Some(Known::Done(hash)) => Child::Outside(hash?),
                    Some(Known::Open(other)) => Child::Inside(other as usize - first),
                    Some(Known::Absent(_)) | None => return None,
                });
            }
            nodes.push(Member { label: self.label_of(at), children, is_unordered: node.is_unordered });
        }
        Some(Component { nodes })
    }

    fn label_of(&self, at: usize) -> &[u8] {
        let end = self.nodes.get(at + 1).map_or(self.description.labels.len(), |next| next.label);
        &self.description.labels[self.nodes[at].label..end]
    }

    fn parts_of(&self, at: usize) -> &[Part] {
        let end = self.nodes.get(at + 1).map_or(self.description.parts.len(), |next| next.parts);
        &self.description.parts[self.nodes[at].parts..end]
    }

    /// The next part of a node to be looked at.
    fn next_part(&self, at: u32) -> Option<Part> {
        let at = at as usize;
        self.parts_of(at).get(self.nodes[at].visited).copied()
    }

    /// Whether there are so many parts whose component is not known yet that they are not worth a content: a component is
    /// hashed as a whole, and that more than once.
    fn is_too_large(&self) -> bool {
        const MOST_NODES: usize = 1 << 15;
        const MOST_PARTS: usize = 1 << 18;
        self.nodes.len() > MOST_NODES || self.description.parts.len() > MOST_PARTS
    }

    /// Leaves what is open to the next search, but for so much that to hash it as one component would take longer than any
    /// walk that it may spare.
    fn leave_open(&mut self) {
        const MOST_NODES: usize = 1 << 10;
        if self.nodes.len() > MOST_NODES {
            self.do_without();
        }
    }

    /// Leaves the parts whose component is not known yet without a content.
    fn do_without(&mut self) {
        let parts = self.nodes.iter().map(|node| node.part);
        self.known.insert_all(parts, Known::Done(None));
        self.clear_path();
    }

    /// Notes of the parts whose component is not known yet that they have no content until a mark is there: each of them holds
    /// the one that lacks it.
    fn note_lack(&mut self, missing: Mark) {
        let parts = self.nodes.iter().map(|node| node.part);
        self.known.insert_all(parts, Known::Absent(missing));
        self.clear_path();
    }

    /// Forgets the parts whose component is not known yet.
    fn forget_open(&mut self) {
        self.nodes.iter().for_each(|node| self.known.remove(node.part));
        self.clear_path();
    }

    fn clear_path(&mut self) {
        self.nodes.clear();
        self.path.clear();
        self.description.labels.clear();
        self.description.parts.clear();
    }

    fn lower(&mut self, at: u32, other: u32) {
        let low = &mut self.nodes[at as usize].low;
        *low = other.min(*low);
    }
}

impl Component<'_> {
    /// How many bytes are hashed at most to find the classes of one component.
    const MOST_WORK: usize = 1 << 26;

    /// The hashes of its nodes, which follow from that of the component.
    fn hashes(&self, search: ContentSearch<'_>, form: &mut Vec<u8>) -> Hashed<Vec<ContentHash>> {
        form.clear();
        let Some((classes, count)) = self.classes() else { return Ok(None) };
        let mut forms: Vec<Option<Vec<u8>>> = vec![None; count];
        for (node, &class) in self.nodes.iter().zip(&classes) {
            let mut form = Vec::new();
            write_node(&mut form, node.label, &node.children, node.is_unordered, |at| classes[at] as u128);
            let known = forms[class].get_or_insert_with(|| form.clone());
            if *known != form {
                return Ok(None);
            }
        }
        form.push(COMPONENT);
        for class in forms.iter().flatten() {
            form.extend_from_slice(&(class.len() as u64).to_le_bytes());
            form.extend_from_slice(class);
        }
        let Some(whole) = search.hash(form)? else { return Ok(None) };
        let mut members = Vec::with_capacity(count);
        for class in 0..count as u64 {
            let Some(member) = search.hash(&member_form(whole, class))? else { return Ok(None) };
            members.push(member);
        }
        Ok(Some(classes.into_iter().map(|class| members[class]).collect()))
    }

    /// The class of each node, by number, and the number of classes. `None` where that takes too much work.
    fn classes(&self) -> Option<(Vec<usize>, usize)> {
        let mut colours = vec![0u128; self.nodes.len()];
        let mut form = Vec::new();
        let (mut count, mut work) = (1, 0);
        while work <= Self::MOST_WORK {
            let next = self.nodes.iter().map(|node| {
                form.clear();
                write_node(&mut form, node.label, &node.children, node.is_unordered, |at| colours[at]);
                work += form.len();
                xxh3_128(&form)
            });
            colours = next.collect();
            let mut distinct = colours.clone();
            distinct.sort_unstable();
            distinct.dedup();
            // Every round divides further, so as many classes as before are the same classes.
            if distinct.len() == count {
                let class = |colour| distinct.binary_search(colour).ok();
                return Some((colours.iter().map(class).collect::<Option<_>>()?, count));
            }
            count = distinct.len();
        }
        None
    }
}
