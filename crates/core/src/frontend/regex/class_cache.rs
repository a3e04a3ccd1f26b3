//! The classes of patterns: the named ones, case folding, and a cache, since Unicode tables are large.

use std::sync::Arc;

use regex_syntax::hir::ClassUnicodeRange;
use rustc_hash::FxHashMap;

use super::parser::Flags;
use crate::error::{Error, Result};
use crate::expression::ExpressionId;
use crate::frontend::character_set::{CharacterSet, expression_of, property, set_of};
use crate::grammar::GrammarBuilder;

/// A set in a [`ClassCache`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClassId(u32);

/// The character classes met so far, so that a class written often is computed once.
///
/// Use one cache for all patterns that go into one [`GrammarBuilder`], and no other builder: the
/// expressions it remembers belong to that builder.
#[derive(Clone, Debug, Default)]
pub struct ClassCache {
    sets: Vec<Arc<CharacterSet>>,
    expressions: Vec<Option<ExpressionId>>,
    /// The sets by what was written and the flags that change its meaning.
    by_source: FxHashMap<(Box<str>, Flags), ClassId>,
    /// The ranges of all sets together, which the budget bounds.
    ranges: usize,
}

impl ClassCache {
    pub(super) fn set(&self, id: ClassId) -> &Arc<CharacterSet> {
        &self.sets[id.0 as usize]
    }

    /// The set of a source text, made by `make` when it is new.
    pub(super) fn intern(
        &mut self,
        source: &str,
        flags: Flags,
        limit: usize,
        make: impl FnOnce(&mut Self) -> Result<CharacterSet>,
    ) -> Result<ClassId> {
        let key = (Box::from(source), flags);
        if let Some(&known) = self.by_source.get(&key) {
            return Ok(known);
        }
        let set = make(self)?;
        self.ranges += set.ranges().len() + 1;
        if self.ranges > limit {
            return Err(Error::exceeded(
                "expressions",
                limit,
                "while reading the character classes of a pattern",
            ));
        }
        let id = ClassId(self.sets.len() as u32);
        self.sets.push(Arc::new(set));
        self.expressions.push(None);
        self.by_source.insert(key, id);
        Ok(id)
    }

    /// The expression of one code point of the set.
    pub(super) fn expression(&mut self, id: ClassId, builder: &mut GrammarBuilder) -> ExpressionId {
        let at = id.0 as usize;
        if let Some(known) = self.expressions[at] {
            return known;
        }
        let made = expression_of(&self.sets[at], builder);
        self.expressions[at] = Some(made);
        made
    }
}

/// The code points that end a line, which `.` leaves out.
pub(super) fn line_terminators(flags: Flags) -> CharacterSet {
    if flags.ecma {
        set_of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')])
    } else {
        set_of(&[('\n', '\n')])
    }
}

/// The set of `\d`, `\w` or `\s` (by its lower-case letter).
pub(super) fn shorthand(letter: char, flags: Flags) -> CharacterSet {
    match (letter, flags.ascii || flags.ecma) {
        ('d', true) => set_of(&[('0', '9')]),
        ('d', false) => property(r"\p{Nd}").unwrap_or_else(CharacterSet::empty),
        ('w', true) => {
            let mut word = set_of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
            if flags.ecma && flags.ignore_case {
                fold_case(&mut word, flags);
            }
            word
        }
        ('w', false) => {
            // Python's alphanumerics; other than in Rust, marks are no part of words.
            let mut word = property(r"[\p{L}\p{N}_]").unwrap_or_else(CharacterSet::empty);
            word.push(ClassUnicodeRange::new('_', '_'));
            word
        }
        _ => white_space(flags),
    }
}

fn white_space(flags: Flags) -> CharacterSet {
    let mut space = set_of(&[('\t', '\r'), (' ', ' ')]);
    if flags.ascii {
        return space;
    }
    space.union(&property(r"\p{White_Space}").unwrap_or_else(CharacterSet::empty));
    if flags.ecma {
        space.difference(&set_of(&[('\u{85}', '\u{85}')]));
        space.push(ClassUnicodeRange::new('\u{feff}', '\u{feff}'));
    } else {
        // The information separators, which Python counts as white space and Unicode does not.
        space.push(ClassUnicodeRange::new('\u{1c}', '\u{1f}'));
    }
    space
}

/// Adds the other cases of all members: by Unicode's simple folding, or among ASCII letters only.
pub(super) fn fold_case(set: &mut CharacterSet, flags: Flags) {
    if !flags.ascii {
        set.case_fold_simple();
        return;
    }
    let mut letters = set.clone();
    letters.intersect(&set_of(&[('A', 'Z'), ('a', 'z')]));
    letters.case_fold_simple();
    letters.intersect(&set_of(&[('A', 'Z'), ('a', 'z')]));
    set.union(&letters);
}
