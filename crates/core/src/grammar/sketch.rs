//! What small expressions say, each written out as one form.
//!
//! The [content](super::content) of an expression is found node by node, with those of rules and of what is deferred, which
//! may need one another. Much of what masks are made of is small: a comma with the white space around it, a colon and a
//! value of some kind, and behind it what an outline tells of an object. A *sketch* writes such an expression from its
//! beginning to its end, rules and all, so that it is told from others by one look-up. What is neither small nor plain
//! has none. Equal contents may have different sketches: what is not found by the one is looked for by the other.

use smallvec::SmallVec;

use super::PreparedGrammar;
use super::content::{Content, begin_sketch, end_sketch};
use crate::budget::Deadline;
use crate::error::Result;
use crate::expression::{
    ContentRegistry, Description, Escape, Expression, ExpressionId, ExpressionStore, LiteralRange, Owned,
    TextId,
};

/// A small expression, written out.
pub(crate) struct Sketch {
    form: Vec<u8>,
}

/// A longer sketch is not worth while.
const LONGEST: usize = 224;

/// An expression of more parts is not small.
const MOST_PARTS: u32 = 48;

/// Rules and operands nest no deeper.
const DEEPEST: u32 = 8;

/// What has more alternatives, such as a number with bounds, is not plain.
const MOST_ALTERNATIVES: usize = 4;

/// A concatenation of more operands is not small.
const MOST_OPERANDS: usize = 12;

type Operands = SmallVec<[ExpressionId; MOST_OPERANDS]>;

/// What each part of a sketch begins with.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Named = 0,
    Byte = 1,
    Bytes = 2,
    Literals = 3,
    Concatenation = 4,
    Alternatives = 5,
    Repetition = 6,
    JsonString = 7,
    Deferred = 8,
    Unread = 9,
}

impl Sketch {
    /// The content that it stands for: registers it for that, or else looks it up.
    pub(crate) fn content(&self, registry: &ContentRegistry, registers: bool) -> Option<Content> {
        let generation = registry.generation()?;
        let hash = match registers {
            true => registry.register(&self.form),
            false => registry.find(&self.form).ok().flatten(),
        };
        // A registry that was cleared in between may lack what was registered before.
        (registry.generation() == Some(generation)).then_some(Content { hash: hash?, generation })
    }
}

impl PreparedGrammar {
    /// The expression as a sketch; `None` where it has none, and where nothing is defined on demand: there, contents are soon
    /// found. Takes time in proportion to the sketch.
    pub(crate) fn sketch(&self, id: ExpressionId) -> Option<Sketch> {
        if !self.has_leaves() {
            return None;
        }
        let out = Description { labels: begin_sketch(LONGEST), ..Description::default() };
        let mut writer = SketchWriter { grammar: self, out, parts: 0 };
        writer.write(id, DEEPEST).then(|| Sketch { form: end_sketch(writer.out.labels) })
    }

    /// The same concatenation with the outlines of the values that it calls in their place, as far as they have any: what a
    /// token makes of it is the same unless it reads a text to its end that is unread there. `None` where none has one.
    pub(crate) fn with_outlined_values(
        &mut self,
        id: ExpressionId,
        deadline: &Deadline,
    ) -> Result<Option<ExpressionId>> {
        let mut operands = Operands::new();
        if !self.add_operands(id, &mut operands) {
            return Ok(None);
        }
        let mut is_outlined = false;
        for operand in &mut operands {
            if let Expression::Call(_) = self.expressions.get(*operand)
                && let Some(outline) = self.outline(*operand, deadline)?
            {
                (*operand, is_outlined) = (outline, true);
            }
        }
        Ok(is_outlined.then(|| self.expressions.concatenation(&operands)))
    }

    /// Adds the operands of a concatenation, with those of what is called transparently; false where these are too many.
    fn add_operands(&self, id: ExpressionId, operands: &mut Operands) -> bool {
        let mut rest = id;
        loop {
            let (operand, next) = match self.expressions.get(rest) {
                Expression::Concatenation(head, tail) => (head, Some(tail)),
                _ => (rest, None),
            };
            match self.expressions.get(operand) {
                _ if operands.len() == MOST_OPERANDS => return false,
                Expression::Call(rule) if self.rules[rule.index()].is_transparent => {
                    if !self.add_operands(self.rules[rule.index()].body, operands) {
                        return false;
                    }
                }
                _ => operands.push(operand),
            }
            match next {
                Some(next) => rest = next,
                None => return true,
            }
        }
    }
}

/// Writes one sketch.
struct SketchWriter<'a> {
    grammar: &'a PreparedGrammar,
    out: Description,
    /// How many parts it has come to.
    parts: u32,
}

impl SketchWriter<'_> {
    /// Adds what an expression says; false where it is not small and plain.
    fn write(&mut self, id: ExpressionId, deepest: u32) -> bool {
        let PreparedGrammar { expressions: store, rules, leaves, .. } = self.grammar;
        let out = &mut self.out;
        self.parts += 1;
        if deepest == 0 || out.labels.len() > LONGEST || self.parts > MOST_PARTS {
            return false;
        }
        if let Some(name) = store.name_of(id) {
            out.byte(Tag::Named as u8);
            out.text(name.as_bytes());
            return true;
        }
        match store.get(id) {
            Expression::Bytes(set) => match store.byte_set(set).only() {
                Some(byte) => {
                    out.byte(Tag::Byte as u8);
                    out.byte(byte);
                }
                None => {
                    out.byte(Tag::Bytes as u8);
                    out.byte_ranges(store.byte_set(set));
                }
            },
            Expression::Literals(range) => return self.write_literals(range),
            // It need not follow from the body of a rule that it matches the empty text, as with content.
            Expression::Call(_) if store.is_nullable(id) => return false,
            Expression::Call(rule) => {
                return self.write(rules[rule.index()].body, deepest - 1);
            }
            Expression::Concatenation(..) => return self.write_concatenation(id, deepest - 1),
            Expression::Alternatives(list) => {
                return self.write_alternatives(store.list(list), deepest - 1);
            }
            Expression::Repetition { body, minimum, maximum } => {
                out.byte(Tag::Repetition as u8);
                out.number(u64::from(minimum));
                out.number(u64::from(maximum));
                return self.write(body, deepest - 1);
            }
            // Strings of other contents are keys, or have much to say.
            Expression::JsonString { content, escape: Escape::None, spelling }
                if is_of_named(store, content) =>
            {
                let spelling = store.spelling(spelling);
                out.byte(Tag::JsonString as u8);
                out.byte_ranges(&spelling.raw);
                out.flag(spelling.minimal_escapes);
                return self.write(content, deepest - 1);
            }
            Expression::Deferred(deferred) => {
                let Owned { leaf, number } = store.deferred_by(deferred);
                out.byte(Tag::Deferred as u8);
                return leaves[leaf.index()].sketch(number, out);
            }
            Expression::Capture { content, text: TextId::EMPTY, capture } => {
                let Owned { leaf, number } = store.captured_by(capture);
                out.byte(Tag::Unread as u8);
                return leaves[leaf.index()].sketch_unread(number, out) && self.write(content, deepest - 1);
            }
            _ => return false,
        }
        true
    }

    fn write_literals(&mut self, range: LiteralRange) -> bool {
        self.out.byte(Tag::Literals as u8);
        self.out.number(u64::from(range.end - range.first));
        for literal in self.grammar.expressions.literals_of(range) {
            if self.out.labels.len() > LONGEST {
                return false;
            }
            self.out.text(&literal[range.depth as usize..]);
        }
        true
    }

    /// Adds the operands of a concatenation, the last one first: where there is no sketch, that is why.
    fn write_concatenation(&mut self, id: ExpressionId, deepest: u32) -> bool {
        let mut operands = Operands::new();
        if !self.grammar.add_operands(id, &mut operands) {
            return false;
        }
        self.out.byte(Tag::Concatenation as u8);
        self.out.number(operands.len() as u64);
        operands.iter().rev().all(|&operand| self.write(operand, deepest))
    }

    /// Adds operands of which the order does not matter.
    fn write_alternatives(&mut self, operands: &[ExpressionId], deepest: u32) -> bool {
        if operands.len() > MOST_ALTERNATIVES {
            return false;
        }
        self.out.byte(Tag::Alternatives as u8);
        self.out.number(operands.len() as u64);
        let mut written: SmallVec<[Vec<u8>; 4]> = SmallVec::new();
        let (begin, mut length) = (self.out.labels.len(), 0);
        for &operand in operands {
            if !self.write(operand, deepest) {
                return false;
            }
            let operand = self.out.labels.split_off(begin);
            length += operand.len();
            if length > LONGEST {
                return false;
            }
            written.push(operand);
        }
        written.sort_unstable();
        written.iter().for_each(|operand| self.out.labels.extend_from_slice(operand));
        true
    }
}

/// Whether an expression has a name, or repeats one that has.
fn is_of_named(store: &ExpressionStore, id: ExpressionId) -> bool {
    let named = match store.get(id) {
        Expression::Repetition { body, .. } => body,
        _ => id,
    };
    store.name_of(named).is_some()
}
