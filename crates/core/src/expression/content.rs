//! What an expression says, in a form that does not depend on the store that holds it.
//!
//! Ids of expressions, rules and lists depend on the order in which a grammar was written; a [`ContentHash`]
//! does not. It is the hash of the node's *shallow form*: a label (the node's kind and its own data) and the
//! hashes of its parts. Equal hashes are no proof of equal structure, so every form is shown to a
//! [`ContentRegistry`](super::ContentRegistry), which refuses a second form under one hash. By induction over the
//! parts, two nodes whose forms the same registry has taken under one hash have equal structure. This stage
//! describes nodes one at a time; [`grammar::content`](crate::grammar) walks over them and deals with
//! recursion.
//!
//! A large expression may have a [name](ExpressionStore::name) in place of a form. Names stand for languages by
//! convention, which a test and [`FORM_VERSION`] keep.
//!
//! Equal structure means equal languages. Equal languages need not have equal structure: then something is
//! computed twice, and no harm is done.

use super::json_string::NextEscape;
use super::{
    ByteSet, CaptureId, DeferredId, Escape, Expression, ExpressionId, ExpressionStore, LeafId, RuleId, TextId,
};
use crate::vocabulary::{TokenReference, TokenSet};

/// The hash of an expression's content: 128 bits of XXH3 (seed 0) over its shallow form.
///
/// It is the same in every process and on every machine for one version of the forms, [`FORM_VERSION`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContentHash(pub(crate) u128);

/// The version of the forms that are hashed, and of what [names](ExpressionStore::name) mean: whoever keeps hashes beyond
/// the process keeps it with them.
pub(crate) const FORM_VERSION: u32 = 16;

/// Something that has content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    /// An expression.
    Expression(ExpressionId),
    /// What a rule matches.
    Rule(RuleId),
    /// What a deferred expression stands for: the front end knows.
    Deferred(DeferredId),
    /// Where a captured text leads: the front end knows.
    Capture(CaptureId),
    /// Something else that a leaf knows; the number means something to it only.
    Other(LeafId, u64),
}

/// The shallow forms of nodes, one after another: labels as bytes, and parts.
///
/// A label must be readable from its beginning: texts and lists have their lengths in front.
#[derive(Clone, Debug, Default)]
pub(crate) struct Description {
    pub(crate) labels: Vec<u8>,
    pub(crate) parts: Vec<Part>,
    /// Whether the order of the parts of the node described last does not matter.
    pub(crate) is_unordered: bool,
}

impl Description {
    /// Adds one byte to the label.
    pub(crate) fn byte(&mut self, byte: u8) {
        self.labels.push(byte);
    }

    /// Adds a truth value to the label.
    pub(crate) fn flag(&mut self, flag: bool) {
        self.labels.push(u8::from(flag));
    }

    /// Adds a number to the label, seven bits a byte, the least first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.labels.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.labels.push(number as u8);
    }

    /// Adds a number that may be less than zero to the label.
    pub(crate) fn signed(&mut self, number: i64) {
        self.labels.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds a text to the label, with its length in front.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.labels.extend_from_slice(text);
    }

    /// Adds a set of bytes to the label.
    pub(super) fn byte_set(&mut self, set: &ByteSet) {
        set.words().iter().for_each(|word| self.labels.extend_from_slice(&word.to_le_bytes()));
    }

    /// Adds a set of bytes to the label by its ranges: most are few.
    pub(crate) fn byte_ranges(&mut self, set: &ByteSet) {
        let at = self.labels.len();
        self.labels.push(0);
        for (first, last) in set.ranges() {
            self.labels.extend_from_slice(&[first, last]);
            // There are at most 128.
            self.labels[at] += 1;
        }
    }

    /// Adds a part.
    pub(crate) fn part(&mut self, part: Part) {
        self.parts.push(part);
    }
}

/// What a label begins with. The numbers are part of the form: changing one changes [`FORM_VERSION`].
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Nothing = 0,
    Empty = 1,
    Bytes = 2,
    Literals = 3,
    Tokens = 4,
    Call = 5,
    Concatenation = 6,
    Alternatives = 7,
    Repetition = 8,
    Intersection = 9,
    Complement = 10,
    Residue = 11,
    JsonString = 12,
    Deferred = 13,
    Capture = 14,
    Captured = 15,
    Unordered = 24,
    FreeText = 16,
    Named = 17,
}

/// What the labels of the JSON Schema front end begin with.
pub(crate) const JSON_SCHEMA_TAG: u8 = 64;
/// What the label of a leaf begins with that is not begun.
pub(crate) const LEAF_TAG: u8 = 65;
/// What the label of a sketch begins with.
pub(crate) const SKETCH_TAG: u8 = 66;

impl ExpressionStore {
    /// Adds the shallow form of a node. Takes time in proportion to the form.
    pub(crate) fn describe(&self, id: ExpressionId, out: &mut Description) {
        if let Some(name) = self.name_of(id) {
            out.is_unordered = false;
            out.byte(Tag::Named as u8);
            return out.text(name.as_bytes());
        }
        let node = self.get(id);
        out.is_unordered = matches!(node, Expression::Alternatives(_) | Expression::Intersection(_));
        out.byte(Self::tag(node) as u8);
        match node {
            Expression::Nothing | Expression::Empty => {}
            Expression::Bytes(set) => out.byte_set(self.byte_set(set)),
            Expression::Literals(range) => {
                out.number(u64::from(range.end - range.first));
                let depth = range.depth as usize;
                self.literals_of(range).for_each(|literal| out.text(&literal[depth..]));
            }
            Expression::Tokens(set) => describe_tokens(self.token_set(set), out),
            Expression::Call(rule) => {
                // The normal form lets go of an empty alternative beside a call that is known to match the empty
                // text, so this need not follow from the rule's body.
                out.flag(self.is_nullable(id));
                out.part(Part::Rule(rule));
            }
            Expression::Repetition { minimum, maximum, .. } => {
                out.number(u64::from(minimum));
                out.number(u64::from(maximum));
            }
            Expression::Residue(residue) => self.residue_of(residue).describe(out),
            Expression::JsonString { escape, spelling, .. } => {
                let spelling = self.spelling(spelling);
                out.byte_set(&spelling.raw);
                out.flag(spelling.minimal_escapes);
                escape.describe(out);
            }
            Expression::FreeText { table, at } => return self.describe_free_text(table, at, out),
            Expression::Unordered(unordered) => self.describe_unordered(unordered, out),
            Expression::Deferred(deferred) => out.part(Part::Deferred(deferred)),
            Expression::Capture { text, capture, .. } | Expression::Captured { text, capture } => {
                self.describe_text(text, out);
                out.part(Part::Capture(capture));
            }
            Expression::Concatenation(..)
            | Expression::Alternatives(_)
            | Expression::Intersection(_)
            | Expression::Complement(_) => {}
        }
        out.parts.extend(self.operands(id).into_iter().map(Part::Expression));
    }

    fn tag(node: Expression) -> Tag {
        match node {
            Expression::Nothing => Tag::Nothing,
            Expression::Empty => Tag::Empty,
            Expression::Bytes(_) => Tag::Bytes,
            Expression::Literals(_) => Tag::Literals,
            Expression::Tokens(_) => Tag::Tokens,
            Expression::Call(_) => Tag::Call,
            Expression::Concatenation(..) => Tag::Concatenation,
            Expression::Alternatives(_) => Tag::Alternatives,
            Expression::Repetition { .. } => Tag::Repetition,
            Expression::Intersection(_) => Tag::Intersection,
            Expression::Complement(_) => Tag::Complement,
            Expression::Residue(_) => Tag::Residue,
            Expression::JsonString { .. } => Tag::JsonString,
            Expression::Unordered(_) => Tag::Unordered,
            Expression::Deferred(_) => Tag::Deferred,
            Expression::Capture { .. } => Tag::Capture,
            Expression::Captured { .. } => Tag::Captured,
            Expression::FreeText { .. } => Tag::FreeText,
        }
    }

    fn describe_text(&self, text: TextId, out: &mut Description) {
        out.flag(text == TextId::ANY);
        if text != TextId::ANY {
            out.text(&self.captured_text(text));
        }
    }
}

impl Escape {
    fn describe(self, out: &mut Description) {
        match self {
            Self::None => out.byte(0),
            Self::Backslash => out.byte(1),
            Self::Hexadecimal(digits) => {
                out.byte(2);
                digits.describe(out);
            }
            Self::High { high, lone, next } => {
                out.byte(3);
                out.number(u64::from(high));
                out.part(Part::Expression(lone));
                match next {
                    NextEscape::None => out.byte(0),
                    NextEscape::Backslash => out.byte(1),
                    NextEscape::Hexadecimal(digits) => {
                        out.byte(2);
                        digits.describe(out);
                    }
                }
            }
        }
    }
}

fn describe_tokens(set: &TokenSet, out: &mut Description) {
    out.flag(set.is_negated());
    out.number(set.members().len() as u64);
    for member in set.members() {
        match member {
            TokenReference::Id(token) => {
                out.byte(0);
                out.number(u64::from(token.0));
            }
            TokenReference::Name(name) => {
                out.byte(1);
                out.text(name.as_bytes());
            }
            TokenReference::NameIfKnown(name) => {
                out.byte(2);
                out.text(name.as_bytes());
            }
        }
    }
}
