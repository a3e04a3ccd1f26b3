//! What follows an opening parenthesis: kinds of groups, names and flags.

use super::class_cache::ClassId;
use super::parser::{Flags, GroupKind, Parser};
use super::tree::Direction;
use crate::error::{Error, Result};
use crate::frontend::character_set::{self, CharacterSet};

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
        if self.flags.ecma && ["?#", "?P<"].iter().any(|kind| self.cursor.rest().starts_with(kind)) {
            self.cursor.next();
            return Err(self.unknown_group(self.cursor.offset(), start));
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

    /// Skips a comment; it reaches to the first `)` that no backslash stands before.
    fn comment(&mut self, start: usize) -> Result<()> {
        self.comment_text(')');
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

    /// Skips the text of a comment up to a character. As elsewhere in a pattern, a backslash takes the next character along.
    pub(super) fn comment_text(&mut self, end: char) {
        loop {
            self.cursor.take_while(usize::MAX, |c| c != end && c != '\\');
            if !self.cursor.eat("\\") {
                return;
            }
            self.cursor.next();
        }
    }

    fn group_name(&mut self) -> Result<()> {
        let start = self.cursor.offset();
        let may_have_dollar = self.flags.ecma;
        let name = self.cursor.take_while(usize::MAX, |c| {
            !c.is_ascii() || c.is_ascii_alphanumeric() || c == '_' || (c == '$' && may_have_dollar)
        });
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !self.is_identifier(name)? {
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

    /// Whether the characters of a name beyond ASCII may stand where they do.
    fn is_identifier(&mut self, name: &str) -> Result<bool> {
        if name.is_ascii() {
            return Ok(true);
        }
        let ecma = self.flags.ecma;
        let (first, others) = if ecma {
            (r"\p{ID_Start}", r"\p{ID_Continue}")
        } else {
            (r"\p{XID_Start}", r"\p{XID_Continue}")
        };
        let (first, others) = (self.name_set(first)?, self.name_set(others)?);
        Ok(name.char_indices().all(|(at, character)| {
            let set = self.classes.set(if at == 0 { first } else { others });
            let is_joiner = ecma && at > 0 && matches!(character, '\u{200C}' | '\u{200D}');
            character.is_ascii() || is_joiner || character_set::contains(set, character)
        }))
    }

    fn name_set(&mut self, property: &str) -> Result<ClassId> {
        // The flags of the pattern do not concern names.
        self.classes.intern(property, Flags::default(), self.budget.expressions, |_| {
            Ok(character_set::property(property).unwrap_or_else(CharacterSet::empty))
        })
    }

    /// Reads flags up to a `:`, which opens a group in which they hold, or up to a `)`, from which on
    /// they hold for the rest of the surrounding group.
    fn flag_group(&mut self, start: usize) -> Result<()> {
        let ecma = self.flags.ecma;
        let mut flags = self.flags;
        let mut told = ToldFlags::default();
        loop {
            let at = self.cursor.offset();
            match self.cursor.next() {
                Some(':') if told.may_end(ecma) => return self.open_group(GroupKind::Plain, start, flags),
                Some(')') if at > start + 2 && told.may_end(ecma) && !ecma => {
                    self.flags = flags;
                    self.forbid_quantifier();
                    return Ok(());
                }
                Some('-') if !told.is_off => told.is_off = true,
                Some(flag) if told.add(flag, ecma) && set_flag(&mut flags, flag, !told.is_off) => {}
                _ => return Err(self.unknown_group(at, start)),
            }
        }
    }

    fn unknown_group(&self, at: usize, start: usize) -> Error {
        let expected = match (at == start + 2, self.flags.ecma) {
            (true, true) => {
                "a kind of group, such as `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>` or `(?i:`"
            }
            (true, false) => {
                "a kind of group, such as `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>` or `(?i)`"
            }
            (false, true) => "flags out of `ims`, each once, then `:`",
            (false, false) => "flags out of `imsxau`, then `:` or `)`",
        };
        let help = if self.flags.ecma {
            "ECMA-262 has neither comments nor flags for all that follows"
        } else {
            "after `-` only `i`, `m`, `s` and `x` are possible"
        };
        self.cursor.syntax_error(at, expected, help)
    }
}

/// The flags of a group that have been read, each once.
#[derive(Debug, Default)]
struct ToldFlags {
    on: String,
    off: String,
    /// Whether a `-` has been read.
    is_off: bool,
}

impl ToldFlags {
    /// Whether no more flags need to come; ECMA-262 takes any but none at all behind a `-`.
    fn may_end(&self, ecma: bool) -> bool {
        !self.is_off || !self.off.is_empty() || (ecma && !self.on.is_empty())
    }

    /// Adds a flag; `false` where it may not come: in ECMA-262 when it is there, in Python when it is on and
    /// would be off, and where `a` and `u` come together.
    fn add(&mut self, flag: char, ecma: bool) -> bool {
        let is_on = self.on.contains(flag);
        let is_refused = match flag {
            _ if ecma => is_on || self.off.contains(flag) || !"ims".contains(flag),
            'a' => self.on.contains('u'),
            'u' => self.on.contains('a'),
            _ => is_on && self.is_off,
        };
        let told = if self.is_off { &mut self.off } else { &mut self.on };
        if !is_refused && "imsxau".contains(flag) && !told.contains(flag) {
            told.push(flag);
        }
        !is_refused
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
