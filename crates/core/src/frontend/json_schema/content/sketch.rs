//! What a place says, where that is little enough to be written out.
//!
//! Most values of most schemas are told by their types, by bounds of a length or by the name of a format, and so are those of
//! which an array of such consists. An outline says little by design. All that the definition of such a place depends on
//! is written: the keywords, and the options.

use super::super::condition::{Condition, GoalId, Terms};
use super::super::options::Options;
use super::super::places::{Outline, OutlinedKeys, Place};
use super::super::schema::{ArrayKeywords, Body, Keywords, SchemaId, Schemas, StringKeywords, TypeSet};
use super::{Tag, describe_options};
use crate::expression::Description;

/// References and arrays nest no deeper.
const DEEPEST: u32 = 6;

/// What an array's items begin with, and what stands in place of that for any items.
const ITEMS: u8 = 1;
const ANY_ITEMS: u8 = 0;

/// Writes sketches of places of one schema.
pub(in super::super) struct Sketches<'a> {
    pub(in super::super) schemas: &'a Schemas,
    pub(in super::super) options: &'a Options,
    pub(in super::super) terms: &'a Terms,
}

impl Sketches<'_> {
    /// Adds what a place says; false where that is not little.
    pub(in super::super) fn write(&self, place: &Place, out: &mut Description) -> bool {
        match *place {
            Place::Value { goal, kind, depth } => {
                out.byte(Tag::Value as u8);
                describe_options(self.options, out);
                out.number(u64::from(depth));
                out.byte(kind.map_or(0, |kind| 1 + kind as u8));
                self.write_goal(goal, out)
            }
            Place::Outline(outline) => {
                out.byte(Tag::Outline as u8);
                describe_options(self.options, out);
                self.write_outline(outline, out)
            }
            Place::OutlinedKinds { others, object } => {
                out.byte(Tag::OutlinedKinds as u8);
                describe_options(self.options, out);
                out.byte(others.bits());
                self.write_outline(object, out)
            }
            _ => false,
        }
    }

    /// Adds what comes after a text that is unread.
    pub(in super::super) fn write_unread(&self, is_whole: bool, out: &mut Description) {
        out.flag(is_whole);
        describe_options(self.options, out);
    }

    fn write_outline(
        &self,
        Outline { is_first, may_end, keys, depth }: Outline,
        out: &mut Description,
    ) -> bool {
        out.number(u64::from(depth));
        out.flag(is_first);
        out.flag(may_end);
        self.write_keys(keys, out)
    }

    fn write_keys(&self, keys: OutlinedKeys, out: &mut Description) -> bool {
        match keys {
            OutlinedKeys::None => out.byte(0),
            OutlinedKeys::Any => out.byte(1),
            OutlinedKeys::AnyThen { goal, may_end } => {
                out.byte(2);
                out.flag(may_end);
                return self.write_goal(goal, out);
            }
            OutlinedKeys::Named { first } => {
                out.byte(3);
                out.byte_ranges(&first);
            }
        }
        true
    }

    fn write_goal(&self, goal: GoalId, out: &mut Description) -> bool {
        match *self.terms.conditions(goal) {
            [] => write_any(out),
            [Condition::Schema { schema, holds: true, .. }] if !self.schemas.has_dynamic_references => {
                self.write_schema(schema, DEEPEST, out)
            }
            _ => false,
        }
    }

    fn write_schema(&self, schema: SchemaId, deepest: u32, out: &mut Description) -> bool {
        let keywords = match &self.schemas.schemas[schema.index()].body {
            Body::Always(true) => return write_any(out),
            Body::Always(false) => return false,
            Body::Keywords(keywords) => keywords,
        };
        let Keywords { types, written_integers, constant, enumeration, .. } = &**keywords;
        let Keywords { string, number, array, object, applicators, .. } = &**keywords;
        if let Some(target) = applicators.sole_conjunct()
            && keywords.says_only_applicators()
        {
            return deepest > 0 && self.write_schema(target, deepest - 1, out);
        }
        let is_listed = constant.is_some() || enumeration.is_some();
        if is_listed || !applicators.is_empty() || !number.is_empty() || !object.is_empty() {
            return false;
        }
        let types = types.unwrap_or(TypeSet::ALL);
        write_types(types, *written_integers, out);
        // What is said of other types says nothing.
        let no_string = StringKeywords::default();
        let string = if types.overlaps(TypeSet::STRING) { string } else { &no_string };
        self.write_string(string, out) && self.write_items(array, deepest, out)
    }

    fn write_string(&self, keywords: &StringKeywords, out: &mut Description) -> bool {
        let StringKeywords { minimum_length, maximum_length, pattern, format } = keywords;
        let format = format.as_deref().filter(|_| self.options.enforce_formats);
        // One of the caller's own may mean anything.
        if pattern.is_some() || format.is_some_and(|name| self.options.formats.contains_key(name)) {
            return false;
        }
        out.number(minimum_length.unwrap_or(0));
        out.number(maximum_length.map_or(0, |most| most.saturating_add(1)));
        out.text(format.unwrap_or_default().as_bytes());
        true
    }

    fn write_items(&self, keywords: &ArrayKeywords, deepest: u32, out: &mut Description) -> bool {
        let Some(items) = keywords.items else {
            out.byte(ANY_ITEMS);
            return keywords.is_empty();
        };
        let says_more = *keywords
            != ArrayKeywords {
                items: Some(items),
                contains_evaluates: keywords.contains_evaluates,
                ..ArrayKeywords::default()
            };
        if says_more || deepest == 0 {
            return false;
        }
        out.byte(ITEMS);
        self.write_schema(items, deepest - 1, out)
    }
}

fn write_types(types: TypeSet, written_integers: bool, out: &mut Description) {
    out.byte(types.bits());
    // What an integer is does not matter where all numbers are of the types, or none is.
    let numbers = types.intersection(TypeSet::NUMBER);
    out.flag(written_integers && numbers != TypeSet::NUMBER && numbers != TypeSet::NONE);
}

/// Adds what a schema writes that says nothing.
fn write_any(out: &mut Description) -> bool {
    write_types(TypeSet::ALL, false, out);
    out.number(0);
    out.number(0);
    out.text(b"");
    out.byte(ANY_ITEMS);
    true
}
