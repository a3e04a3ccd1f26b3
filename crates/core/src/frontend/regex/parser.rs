//! From the text of a pattern to its syntax tree.
//!
//! One loop with a stack of open groups; the files `group`, `escape` and `bracket` hold the parts of
//! the syntax that begin with `(`, `\` and `[`.

use rustc_hash::FxHashSet;

use super::RegexOptions;
use super::class_cache::{self, ClassCache, ClassId};
use super::cursor::Cursor;
use super::dialect::{Dialect, ESCAPE_IT};
use super::tree::{Anchor, Direction, Node, NodeId, Tree};
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::ExpressionStore;
use crate::frontend::character_set;

/// The greatest count of a repetition; the next greater number stands for no limit.
const GREATEST_COUNT: u32 = ExpressionStore::UNBOUNDED - 1;

/// The options that a pattern can switch on and off for a part of itself, and the dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) dot_all: bool,
    pub(super) multi_line: bool,
    pub(super) verbose: bool,
    pub(super) ascii: bool,
    pub(super) ecma: bool,
}

impl Flags {
    fn of(options: &RegexOptions) -> Self {
        Self {
            ignore_case: options.case_insensitive,
            dot_all: options.dot_matches_newline,
            multi_line: options.multi_line,
            verbose: options.verbose,
            ascii: options.ascii,
            ecma: options.ecma,
        }
    }
}

/// What a quantifier would apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeatable {
    /// The last code point or class.
    Item,
    /// The last item as a whole.
    Group,
    /// The last item, a lookahead, which ECMA-262 lets be repeated without the flag `u` only.
    Lookahead,
    /// Nothing: the start of an alternative, or an anchor.
    Nothing,
    /// Nothing more: the last item has a quantifier.
    Quantified,
}

/// What a group stands for once it is closed.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupKind {
    Plain,
    Look { direction: Direction, negative: bool },
}

/// The alternatives read so far of a group, or of the whole pattern.
#[derive(Debug)]
struct Open {
    kind: GroupKind,
    /// Where its parenthesis stands.
    offset: usize,
    /// The flags to go back to once it is closed.
    outer_flags: Flags,
    alternatives: Vec<NodeId>,
    /// The items of the alternative being read.
    items: Vec<NodeId>,
    last: Repeatable,
}

impl Open {
    fn new(kind: GroupKind, offset: usize, outer_flags: Flags) -> Self {
        Self {
            kind,
            offset,
            outer_flags,
            alternatives: Vec::new(),
            items: Vec::new(),
            last: Repeatable::Nothing,
        }
    }
}

/// The state of parsing one pattern.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) flags: Flags,
    pub(super) dialect: Dialect,
    pub(super) budget: &'a Budget,
    pub(super) classes: &'a mut ClassCache,
    /// The names of the groups so far.
    pub(super) names: FxHashSet<&'a str>,
    pub(super) deadline: &'a Deadline,
    /// How many parentheses there are, and so at most how many groups.
    pub(super) parentheses: usize,
    tree: Tree,
    /// The groups around the current one, outermost first.
    outer: Vec<Open>,
    current: Open,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        pattern: &'a str,
        options: &RegexOptions,
        budget: &'a Budget,
        deadline: &'a Deadline,
        classes: &'a mut ClassCache,
    ) -> Self {
        let flags = Flags::of(options);
        Self {
            cursor: Cursor::new(pattern),
            flags,
            dialect: Dialect::default(),
            budget,
            classes,
            names: FxHashSet::default(),
            deadline,
            parentheses: pattern.bytes().filter(|&byte| byte == b'(').count(),
            tree: Tree::default(),
            outer: Vec::new(),
            current: Open::new(GroupKind::Plain, 0, flags),
        }
    }

    pub(super) fn parse(mut self) -> Result<Tree> {
        while let Some(next) = self.cursor.peek() {
            self.item(next)?;
        }
        if !self.outer.is_empty() {
            let group = self.cursor.location(self.current.offset);
            return Err(self.cursor.syntax_error(
                self.cursor.offset(),
                &format!("`)` to close the group opened at {group}"),
                "write `\\(` for a parenthesis as text",
            ));
        }
        self.finish_group();
        Ok(self.tree)
    }

    fn item(&mut self, next: char) -> Result<()> {
        let start = self.cursor.offset();
        match next {
            '[' => {
                self.deadline.check()?;
                let class = self.bracket()?;
                self.push_node(Node::Class(class));
            }
            '\\' => self.escape()?,
            '{' => return self.brace(),
            _ => {
                self.cursor.next();
                match next {
                    '(' => self.group()?,
                    ')' => self.close_group(start)?,
                    '|' => self.next_alternative(),
                    '.' => self.dot()?,
                    '^' => {
                        let anchor = self.line_start()?;
                        self.push_anchor(anchor, start);
                    }
                    '$' => {
                        let anchor = self.line_end()?;
                        self.push_anchor(anchor, start);
                    }
                    '*' => self.quantify(0, None, start)?,
                    '+' => self.quantify(1, None, start)?,
                    '?' => self.quantify(0, Some(1), start)?,
                    ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' if self.flags.verbose => {}
                    '#' if self.flags.verbose => self.comment_text('\n'),
                    ']' => self.closing_bracket(start)?,
                    '}' => self.brace_as_text(next, start)?,
                    _ => self.push_character(next, start)?,
                }
            }
        }
        Ok(())
    }

    fn line_start(&mut self) -> Result<Anchor> {
        if self.flags.multi_line {
            return Ok(Anchor::LineStart { terminators: self.line_terminators()? });
        }
        Ok(Anchor::TextStart)
    }

    fn line_end(&mut self) -> Result<Anchor> {
        Ok(match self.flags {
            Flags { multi_line: true, .. } => Anchor::LineEnd { terminators: self.line_terminators()? },
            Flags { ecma: true, .. } => Anchor::TextEnd,
            _ => Anchor::TextEndOrFinalNewline,
        })
    }

    fn line_terminators(&mut self) -> Result<ClassId> {
        let flags = self.flags;
        self.classes.intern("$", flags, self.budget.expressions, |_| Ok(class_cache::line_terminators(flags)))
    }

    fn dot(&mut self) -> Result<()> {
        let flags = self.flags;
        let class = self.classes.intern(".", flags, self.budget.expressions, |_| {
            let mut set = character_set::all_characters();
            if !flags.dot_all {
                set.difference(&class_cache::line_terminators(flags));
            }
            Ok(set)
        })?;
        self.push_node(Node::Class(class));
        Ok(())
    }

    /// Adds one code point, in all its cases where case is ignored; it was written from `start` to here.
    pub(super) fn push_character(&mut self, character: char, start: usize) -> Result<()> {
        let rest = self.cursor.rest();
        let is_counted = rest.starts_with('{') && rest[1..].starts_with(|next: char| next.is_ascii_digit());
        if is_counted || rest.starts_with(['*', '+', '?']) {
            self.undivided(character, start)?;
        }
        let has_cases = !character.is_ascii() || character.is_ascii_alphabetic();
        if self.flags.ignore_case && has_cases {
            let flags = self.flags;
            let source = self.cursor.since(start);
            let class = self.classes.intern(source, flags, self.budget.expressions, |_| {
                let mut set = character_set::set_of(&[(character, character)]);
                class_cache::fold_case(&mut set, flags);
                Ok(set)
            })?;
            self.push_node(Node::Class(class));
            return Ok(());
        }
        let previous = self.current.items.last().copied();
        self.current.items.extend(self.tree.add_character(character, previous));
        self.current.last = Repeatable::Item;
        Ok(())
    }

    pub(super) fn push_node(&mut self, node: Node) {
        let id = self.tree.add(node);
        self.current.items.push(id);
        self.current.last = Repeatable::Item;
    }

    pub(super) fn push_anchor(&mut self, anchor: Anchor, offset: usize) {
        self.push_node(Node::Anchor { anchor, offset });
        self.current.last = Repeatable::Nothing;
    }

    /// Makes the item before no operand of a quantifier.
    pub(super) fn forbid_quantifier(&mut self) {
        self.current.last = Repeatable::Nothing;
    }

    /// Opens a group whose parenthesis stands at `offset`.
    pub(super) fn open_group(&mut self, kind: GroupKind, offset: usize, inner_flags: Flags) -> Result<()> {
        if self.outer.len() >= self.budget.greatest_nesting() {
            return Err(Error::exceeded(
                "nesting",
                self.budget.greatest_nesting(),
                "by the groups of a pattern",
            ));
        }
        self.deadline.check()?;
        let group = Open::new(kind, offset, self.flags);
        self.outer.push(std::mem::replace(&mut self.current, group));
        self.flags = inner_flags;
        Ok(())
    }

    fn close_group(&mut self, start: usize) -> Result<()> {
        let Some(outer) = self.outer.pop() else {
            return Err(self.cursor.syntax_error(
                start,
                "a group to close",
                "write `\\)` for a parenthesis as text",
            ));
        };
        let body = self.finish_group();
        let closed = std::mem::replace(&mut self.current, outer);
        self.flags = closed.outer_flags;
        match closed.kind {
            GroupKind::Plain => {
                self.current.items.push(body);
                self.current.last = Repeatable::Group;
            }
            GroupKind::Look { direction, negative } => {
                self.push_node(Node::Look { body, direction, negative, offset: closed.offset });
                self.current.last = match direction {
                    _ if !self.flags.ecma => Repeatable::Item,
                    Direction::Ahead => Repeatable::Lookahead,
                    Direction::Behind => Repeatable::Nothing,
                };
            }
        }
        Ok(())
    }

    /// The node of the current group's alternatives, added last to the tree.
    fn finish_group(&mut self) -> NodeId {
        self.next_alternative();
        let alternatives = std::mem::take(&mut self.current.alternatives);
        if let [single] = alternatives.as_slice() {
            return *single;
        }
        let list = self.tree.add_list(&alternatives);
        self.tree.add(Node::Alternation(list))
    }

    fn next_alternative(&mut self) {
        let items = std::mem::take(&mut self.current.items);
        let alternative = self.tree.add_concatenation(&items);
        self.current.alternatives.push(alternative);
        self.current.last = Repeatable::Nothing;
    }

    /// Reads a counted quantifier, or a brace as text where it begins none.
    fn brace(&mut self) -> Result<()> {
        let start = self.cursor.offset();
        self.cursor.next();
        let minimum = self.cursor.take_while(usize::MAX, |c| c.is_ascii_digit());
        let maximum = if self.cursor.eat(",") {
            self.cursor.take_while(usize::MAX, |c| c.is_ascii_digit())
        } else {
            minimum
        };
        let is_empty = self.cursor.since(start) == "{";
        if !self.cursor.eat("}") || is_empty {
            self.cursor.go_to(start);
            self.cursor.next();
            return self.brace_as_text('{', start);
        }
        if minimum.is_empty() && self.flags.ecma {
            return Err(self.cursor.unsupported(
                start,
                "a quantifier without a minimum",
                "ECMA-262 has none, and without the flag `u` reads it as text; write the minimum, as in `{0,2}`, or \
                 `\\{` for the text",
            ));
        }
        let least = self.count(minimum, start)?.unwrap_or(0);
        let most = self.count(maximum, start)?;
        if most.is_some_and(|most| most < least) {
            return Err(self.cursor.syntax_error(
                start,
                "a maximum that is not less than the minimum",
                "write the smaller count first",
            ));
        }
        self.quantify(least, most, start)
    }

    fn brace_as_text(&mut self, brace: char, start: usize) -> Result<()> {
        self.only_without_u(start, ESCAPE_IT)?;
        self.push_character(brace, start)
    }

    fn count(&self, digits: &str, start: usize) -> Result<Option<u32>> {
        if digits.is_empty() {
            return Ok(None);
        }
        match digits.parse() {
            Ok(count) if count <= GREATEST_COUNT => Ok(Some(count)),
            _ => Err(self.cursor.syntax_error(
                start,
                &format!("counts of at most {GREATEST_COUNT}"),
                "leave the maximum out, as in `{2,}`, for no limit",
            )),
        }
    }

    /// Repeats the last item; the quantifier was written from `start` to here.
    fn quantify(&mut self, minimum: u32, maximum: Option<u32>, start: usize) -> Result<()> {
        match self.current.last {
            Repeatable::Item | Repeatable::Group => {}
            Repeatable::Lookahead => self.only_without_u(start, "put the lookahead into a group")?,
            Repeatable::Nothing => {
                return Err(self.cursor.syntax_error(
                    start,
                    "something to repeat before the quantifier",
                    "write a backslash before the quantifier to match it as text",
                ));
            }
            Repeatable::Quantified => {
                return Err(self.cursor.syntax_error(
                    start,
                    "one quantifier for each item",
                    "put the repeated item into a group, as in `(?:a*)*`",
                ));
            }
        }
        // A lazy quantifier matches the same texts; only the order of trying differs.
        self.cursor.eat("?");
        if self.cursor.rest().starts_with('+') {
            return Err(self.cursor.unsupported(
                start,
                "a possessive quantifier",
                "it matches fewer texts than the ordinary one, depending on the order in which they are tried; \
                 leave the final `+` out",
            ));
        }
        let Some(last) = self.current.items.pop() else { return Ok(()) };
        let character = match self.current.last {
            Repeatable::Item => self.tree.split_last_character(last),
            _ => None,
        };
        let body = match character {
            Some(character) => {
                self.current.items.push(last);
                character
            }
            None => last,
        };
        self.push_node(Node::Repetition { body, minimum, maximum });
        self.current.last = Repeatable::Quantified;
        Ok(())
    }
}
