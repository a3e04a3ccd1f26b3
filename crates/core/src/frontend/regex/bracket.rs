//! Character classes in brackets.

use rustc_hash::FxHashSet;

use super::character_set::{self, CharacterSet, ClassId};
use super::escape::Escape;
use super::parser::Parser;
use crate::error::{Error, Result};

/// A part of a class, before the tables are looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Member {
    Range(char, char),
    Class(ClassId),
    Posix { name: String, negative: bool },
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
        while !(may_close && self.cursor.eat("]")) {
            may_close = true;
            let member = self.member(start)?;
            members.push(member);
        }
        self.intern_bracket(start, negative, &members)
    }

    fn member(&mut self, opened: usize) -> Result<Member> {
        let start = self.cursor.offset();
        if let Some(posix) = self.posix(start)? {
            return Ok(posix);
        }
        let first = self.single(opened)?;
        let rest = self.cursor.rest();
        if !rest.starts_with('-') || rest.starts_with("-]") {
            return Ok(match first {
                Escape::Character(character) => Member::Range(character, character),
                Escape::Class(class) => Member::Class(class),
            });
        }
        self.cursor.next();
        let last = self.single(opened)?;
        match (first, last) {
            (Escape::Character(first), Escape::Character(last)) if first <= last => {
                Ok(Member::Range(first, last))
            }
            (Escape::Character(_), Escape::Character(_)) => Err(self.cursor.syntax_error(
                start,
                "a range whose first character is not after its last",
                "write `\\-` for a hyphen as text",
            )),
            _ => Err(self.cursor.syntax_error(
                start,
                "a range between two characters",
                "write `\\-` for a hyphen as text",
            )),
        }
    }

    /// Reads one character or escape of the class opened at `opened`.
    fn single(&mut self, opened: usize) -> Result<Escape> {
        match self.cursor.peek() {
            Some('\\') => self.escape_in_brackets(),
            Some(character) => {
                self.cursor.next();
                Ok(Escape::Character(character))
            }
            None => Err(self.unterminated(opened)),
        }
    }

    fn unterminated(&self, opened: usize) -> Error {
        let opened = self.cursor.location(opened);
        self.cursor.syntax_error(
            self.cursor.offset(),
            &format!("`]` to close the class opened at {opened}"),
            "write `\\[` for a bracket as text",
        )
    }

    /// Reads `[:name:]` or `[:^name:]`; anything else that begins with `[` is text.
    fn posix(&mut self, start: usize) -> Result<Option<Member>> {
        if !self.cursor.eat("[:") {
            return Ok(None);
        }
        let negative = self.cursor.eat("^");
        let name = self.cursor.take_while(usize::MAX, |c| c.is_ascii_alphabetic());
        if name.is_empty() || !self.cursor.eat(":]") {
            self.cursor.go_to(start);
            return Ok(None);
        }
        if character_set::posix(name).is_none() {
            return Err(self.cursor.syntax_error(
                start,
                "a POSIX class that exists",
                "such as `[:alpha:]`, `[:digit:]` or `[:space:]`",
            ));
        }
        Ok(Some(Member::Posix { name: name.to_owned(), negative }))
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
            for member in &distinct {
                if let Member::Posix { name, negative } = member {
                    union_posix(&mut set, name, *negative);
                }
            }
            if flags.ignore_case {
                character_set::fold_case(&mut set, flags);
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

fn union_posix(set: &mut CharacterSet, name: &str, negative: bool) {
    if let Some(mut members) = character_set::posix(name) {
        if negative {
            members.negate();
        }
        set.union(&members);
    }
}
