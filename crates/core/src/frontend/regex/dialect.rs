//! The two grammars of patterns that ECMA-262 has, and classes that are likely meant otherwise than they are read.
//!
//! One grammar is that of patterns with the flag `u`, the other a laxer one without it (Annex B of the standard),
//! in which some of what the first has means something else. A pattern has the meaning of the first where it is
//! valid there, and otherwise that of the second; where that turns a set or a code point into text, such as
//! `\p{L}` in `{\p{L}`, it is refused. Only the escape of a character that needs none, such as `\-`, belongs to both.

use std::ops::Range;

use super::parser::Parser;
use crate::error::{Error, Result};
use crate::excerpt::quote;

/// Help for what is text only without the flag `u`.
pub(super) const ESCAPE_IT: &str = "write a backslash before it";

/// What a pattern has had so far that matters for how the rest may go on.
#[derive(Debug, Default)]
pub(super) struct Dialect {
    /// The first piece that has its meaning only with the flag `u`.
    with_u: Option<Range<usize>>,
    /// The first piece that is allowed only without the flag `u`, and how to write it with the flag.
    without_u: Option<(Range<usize>, &'static str)>,
    /// Where the last class stands that looks as if a `]` behind it were still part of it.
    doubtful: Option<(usize, Doubt)>,
}

/// How a class is read in other dialects.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doubt {
    /// Its end is the name of a class of POSIX.
    Posix,
    /// It is empty in ECMA-262; elsewhere the `]` would be its first member.
    Empty,
}

impl Parser<'_> {
    /// Notes that what was written from `start` to here has its meaning only with the flag `u`.
    pub(super) fn only_with_u(&mut self, start: usize) -> Result<()> {
        if !self.flags.ecma {
            return Ok(());
        }
        self.dialect.with_u.get_or_insert(start..self.cursor.offset());
        self.check_grammars()
    }

    /// Notes a code point, written from `start` to here, of which a class or a quantifier takes one half only
    /// without the flag `u`, where it is two UTF-16 units.
    pub(super) fn undivided(&mut self, character: char, start: usize) -> Result<()> {
        if character > '\u{FFFF}' { self.only_with_u(start) } else { Ok(()) }
    }

    /// Notes that what was written from `start` to here is allowed only without the flag `u`.
    pub(super) fn only_without_u(&mut self, start: usize, help: &'static str) -> Result<()> {
        if !self.flags.ecma {
            return Ok(());
        }
        self.dialect.without_u.get_or_insert((start..self.cursor.offset(), help));
        self.check_grammars()
    }

    fn check_grammars(&self) -> Result<()> {
        let (Some(with), Some((without, help))) = (&self.dialect.with_u, &self.dialect.without_u) else {
            return Ok(());
        };
        let [without_text, with_text] = [without, with].map(|range| quote(self.cursor.text(range)));
        let feature = format!("{without_text} beside {with_text}");
        let reason = format!(
            "ECMA-262 allows the one only without the flag `u`, and reads the other as a set or a code point only \
             with it; {help}"
        );
        Err(self.cursor.unsupported(without.start, &feature, &reason))
    }

    /// Notes that the class that begins at `start` may be meant otherwise.
    pub(super) fn doubt_class(&mut self, start: usize, doubt: Doubt) {
        self.dialect.doubtful = Some((start, doubt));
    }

    /// Reads the `]` at `start`, which closes no class and has been read, as text.
    pub(super) fn closing_bracket(&mut self, start: usize) -> Result<()> {
        if let Some((class, doubt)) = self.dialect.doubtful {
            return Err(self.doubtful_class(class, doubt));
        }
        self.only_without_u(start, ESCAPE_IT)?;
        self.push_character(']', start)
    }

    fn doubtful_class(&self, start: usize, doubt: Doubt) -> Error {
        let (feature, reason) = match doubt {
            Doubt::Posix => (
                "a POSIX class",
                "neither Python nor ECMA-262 has them: the class ends at its first `]`; write ranges, as in \
                 `[A-Za-z]`, or, if it is to end there, `\\]` for the bracket behind it",
            ),
            Doubt::Empty => (
                "a bracket behind an empty class",
                "in ECMA-262 the class ends at its first `]`; write `\\]` for a bracket as text, in the class or \
                 behind it",
            ),
        };
        self.cursor.unsupported(start, feature, reason)
    }
}
