//! What follows an opening parenthesis: kinds of groups, names and flags.

use super::parser::{Flags, GroupKind, Parser};
use super::tree::Direction;
use crate::error::{Error, Result};

/// Beginnings of groups that are refused, the longest first where one begins another, with the reason.
const REFUSED: [(&str, &str, &str); 9] = [
    ("?P=", "a backreference", BACKREFERENCE),
    ("?P>", "recursion", RECURSION),
    ("?&", "recursion", RECURSION),
    ("?R", "recursion", RECURSION),
    ("?+", "recursion", RECURSION),
    (
        "?(",
        "a conditional group",
        "what it matches depends on which groups took part; write both cases as alternatives",
    ),
    (
        "?>",
        "an atomic group",
        "it matches fewer texts than an ordinary group, depending on the order in which they are tried; \
         write `(?:` instead",
    ),
    (
        "?|",
        "a branch reset group",
        "it only renumbers groups, which have no numbers here; write `(?:` instead",
    ),
    ("?L", "locale-dependent matching", "the text is Unicode; leave the flag `L` out"),
];

pub(super) const BACKREFERENCE: &str =
    "repeating what a group matched is not a regular language; write the repeated text out";
const RECURSION: &str = "a pattern that calls itself is not regular; write a grammar with rules instead";

impl Parser<'_> {
    /// Reads what follows a `(` that has just been read, up to the group's content.
    pub(super) fn group(&mut self) -> Result<()> {
        let start = self.cursor.offset() - 1;
        if !self.cursor.rest().starts_with('?') {
            return self.open_group(GroupKind::Plain, start, self.flags);
        }
        if self.cursor.eat("?#") {
            return self.comment(start);
        }
        for (beginning, direction, negative) in [
            ("?=", Direction::Ahead, false),
            ("?!", Direction::Ahead, true),
            ("?<=", Direction::Behind, false),
            ("?<!", Direction::Behind, true),
        ] {
            if self.cursor.eat(beginning) {
                return self.open_group(GroupKind::Look { direction, negative }, start, self.flags);
            }
        }
        if self.cursor.eat("?P<") || self.cursor.eat("?<") {
            self.group_name()?;
            return self.open_group(GroupKind::Plain, start, self.flags);
        }
        for (beginning, feature, reason) in REFUSED {
            if self.cursor.rest().starts_with(beginning) {
                return Err(self.cursor.unsupported(start, feature, reason));
            }
        }
        self.cursor.eat("?");
        let is_call = |c: char| c.is_ascii_digit();
        let digits = self.cursor.rest().strip_prefix('-').unwrap_or(self.cursor.rest());
        if digits.starts_with(is_call) {
            return Err(self.cursor.unsupported(start, "recursion", RECURSION));
        }
        self.flag_group(start)
    }

    /// Skips a comment; it reaches to the first `)`.
    fn comment(&mut self, start: usize) -> Result<()> {
        self.cursor.take_while(usize::MAX, |c| c != ')');
        if self.cursor.eat(")") {
            return Ok(());
        }
        let opened = self.cursor.location(start);
        Err(self.cursor.syntax_error(
            self.cursor.offset(),
            &format!("`)` to close the comment opened at {opened}"),
            "",
        ))
    }

    fn group_name(&mut self) -> Result<()> {
        let start = self.cursor.offset();
        let name = self.cursor.take_while(usize::MAX, |c| c == '_' || c.is_alphanumeric());
        if name.is_empty() || name.starts_with(char::is_numeric) {
            return Err(self.cursor.syntax_error(
                start,
                "a group name",
                "names are letters, digits and `_`, and do not begin with a digit",
            ));
        }
        if !self.names.insert(name) {
            return Err(self.cursor.syntax_error(start, "a group name not used before", ""));
        }
        if self.cursor.eat(">") {
            return Ok(());
        }
        Err(self.cursor.syntax_error(
            self.cursor.offset(),
            "`>` after the group name",
            "names are letters, digits and `_`",
        ))
    }

    /// Reads flags up to a `:`, which opens a group in which they hold, or up to a `)`, from which on
    /// they hold for the rest of the surrounding group.
    fn flag_group(&mut self, start: usize) -> Result<()> {
        let mut flags = self.flags;
        let mut value = true;
        loop {
            let at = self.cursor.offset();
            match self.cursor.next() {
                Some(':') => return self.open_group(GroupKind::Plain, start, flags),
                Some(')') if at > start + 2 => {
                    self.flags = flags;
                    return Ok(());
                }
                Some('-') if value => value = false,
                Some(flag) if set_flag(&mut flags, flag, value) => {}
                _ => return Err(self.unknown_group(at, start)),
            }
        }
    }

    fn unknown_group(&self, at: usize, start: usize) -> Error {
        let expected = if at == start + 2 {
            "a kind of group, such as `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>` or `(?i)`"
        } else {
            "flags out of `imsxau`, then `:` or `)`"
        };
        self.cursor.syntax_error(at, expected, "after `-` only `i`, `m`, `s` and `x` are possible")
    }
}

/// Changes a flag; `false` where there is no such flag or it cannot be switched off.
fn set_flag(flags: &mut Flags, flag: char, value: bool) -> bool {
    match flag {
        'i' => flags.ignore_case = value,
        's' => flags.dot_all = value,
        'm' => flags.multi_line = value,
        'x' => flags.verbose = value,
        'a' if value => flags.ascii = true,
        'u' if value => flags.ascii = false,
        _ => return false,
    }
    true
}
