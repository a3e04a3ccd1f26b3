//! Character classes in brackets.

use rustc_hash::FxHashSet;

use super::class_cache::{self, ClassId};
use super::dialect::Doubt;
use super::escape::Escape;
use super::parser::Parser;
use crate::error::{Error, Result};
use crate::frontend::character_set;

/// A part of a class, before the tables are looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Member {
    Range(char, char),
    Class(ClassId),
}

/// The names of POSIX classes.
const POSIX_NAMES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

impl Member {
    fn of(escape: Escape) -> Self {
        match escape {
            Escape::Character(character) => Self::Range(character, character),
            Escape::Class(class) => Self::Class(class),
        }
    }
}

impl Parser<'_> {
    /// Reads a class from its `[` on.
    pub(super) fn bracket(&mut self) -> Result<ClassId> {
        let start = self.cursor.offset();
        self.cursor.next();
        let negative = self.cursor.eat("^");
        let mut members = Vec::new();
        // In Python a `]` at the beginning is text, in ECMA-262 it closes an empty class.
        let mut may_close = self.flags.ecma;
        let mut name_start = None;
        while !(may_close && self.cursor.eat("]")) {
            may_close = true;
            if self.cursor.rest().starts_with("[:") {
                name_start = Some(self.cursor.offset());
            }
            self.member(start, &mut members)?;
        }
        if members.is_empty() {
            self.doubt_class(start, Doubt::Empty);
        } else if name_start.is_some_and(|name| is_posix(self.cursor.since(name))) {
            self.doubt_class(start, Doubt::Posix);
        }
        self.intern_bracket(start, negative, &members)
    }

    /// Reads a character, an escape or a range.
    fn member(&mut self, opened: usize, members: &mut Vec<Member>) -> Result<()> {
        let start = self.cursor.offset();
        let first = self.single(opened)?;
        let rest = self.cursor.rest();
        if !rest.starts_with('-') || rest.starts_with("-]") {
            members.push(Member::of(first));
            return Ok(());
        }
        self.cursor.next();
        let last = self.single(opened)?;
        match (first, last) {
            (Escape::Character(first), Escape::Character(last)) if first <= last => {
                members.push(Member::Range(first, last));
                Ok(())
            }
            (Escape::Character(_), Escape::Character(_)) => Err(self.cursor.syntax_error(
                start,
                "a range whose first character is not after its last",
                "write `\\-` for a hyphen as text",
            )),
            _ if self.flags.ecma => {
                self.only_without_u(start, "write `\\-` for a hyphen as text")?;
                members.extend([Member::of(first), Member::Range('-', '-'), Member::of(last)]);
                Ok(())
            }
            _ => Err(self.cursor.syntax_error(
                start,
                "a range between two characters",
                "write `\\-` for a hyphen as text",
            )),
        }
    }

    /// Reads one character or escape of the class opened at `opened`.
    fn single(&mut self, opened: usize) -> Result<Escape> {
        let start = self.cursor.offset();
        let single = match self.cursor.peek() {
            Some('\\') => self.escape_in_brackets()?,
            Some(character) => {
                self.cursor.next();
                Escape::Character(character)
            }
            None => return Err(self.unterminated(opened)),
        };
        if let Escape::Character(character) = single {
            self.undivided(character, start)?;
        }
        Ok(single)
    }

    fn unterminated(&self, opened: usize) -> Error {
        let opened = self.cursor.location(opened);
        self.cursor.syntax_error(
            self.cursor.offset(),
            &format!("`]` to close the class opened at {opened}"),
            "write `\\[` for a bracket as text",
        )
    }

    fn intern_bracket(&mut self, start: usize, negative: bool, members: &[Member]) -> Result<ClassId> {
        let (flags, deadline) = (self.flags, self.deadline);
        let source = self.cursor.since(start);
        // Tables are large, so each is united once, however often it is named.
        let distinct: FxHashSet<&Member> = members.iter().collect();
        self.classes.intern(source, flags, self.budget.expressions, |classes| {
            let ranges: Vec<(char, char)> = distinct
                .iter()
                .filter_map(|member| match **member {
                    Member::Range(first, last) => Some((first, last)),
                    _ => None,
                })
                .collect();
            let mut set = character_set::set_of(&ranges);
            if flags.ignore_case {
                class_cache::fold_case(&mut set, flags);
            }
            // Shorthands and properties bring their cases along, where they have any.
            for member in &distinct {
                if let Member::Class(class) = **member {
                    deadline.check()?;
                    set.union(classes.set(class));
                }
            }
            if negative {
                set.negate();
            }
            Ok(set)
        })
    }
}

/// Whether a text is the name of a POSIX class in its brackets, such as `[:alpha:]` or `[:^space:]`.
fn is_posix(text: &str) -> bool {
    let inner = text.strip_prefix("[:").and_then(|rest| rest.strip_suffix(":]"));
    inner.is_some_and(|name| POSIX_NAMES.contains(&name.strip_prefix('^').unwrap_or(name)))
}
