//! JSON text as a flat tree, read without recursion and without copying.
//!
//! The nodes stand in the order of the text. An object's node is followed by its keys and values in turn,
//! and each node knows where its last descendant ends, so that children are found by leaps. Strings stay in
//! the text and are unescaped where they are asked for.

use std::borrow::Cow;

use super::reader::Reader;
use crate::budget::Budget;
use crate::error::Result;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    False,
    True,
    Number,
    /// A string without escapes.
    PlainString,
    EscapedString,
    Array,
    Object,
}

/// A value, or a key of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Its text without quotes; of an array or object only the begin is of use.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The node after its last descendant.
    pub(super) next: u32,
    pub(super) kind: Kind,
}

/// One JSON text.
#[derive(Debug)]
pub(super) struct Tree<'text> {
    text: &'text str,
    nodes: Vec<Node>,
    has_identities: bool,
}

impl<'text> Tree<'text> {
    /// Reads a text.
    ///
    /// # Errors
    /// [`Error::Syntax`](crate::Error::Syntax) where it is no JSON;
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) where it is too long or too deep.
    pub(super) fn parse(text: &'text str, budget: &Budget) -> Result<Self> {
        let (nodes, has_identities) = Reader::new(text, budget)?.read()?;
        Ok(Self { text, nodes, has_identities })
    }

    /// Whether an object within the outermost one may have an identity of its own: `$id`, an anchor, or what
    /// looks like one.
    pub(super) fn has_identities(&self) -> bool {
        self.has_identities
    }

    /// The whole value.
    pub(super) fn root(&self) -> Json<'_> {
        Json { tree: self, node: 0 }
    }

    /// The value at a node.
    pub(super) fn at(&self, node: u32) -> Json<'_> {
        Json { tree: self, node }
    }

    fn text_of(&self, node: Node) -> &'text str {
        &self.text[node.start as usize..node.end as usize]
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// A name that several members of an object have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeated;

/// A value in a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Json<'tree> {
    tree: &'tree Tree<'tree>,
    node: u32,
}

impl<'tree> Json<'tree> {
    fn data(self) -> Node {
        self.tree.nodes[self.node as usize]
    }

    /// The node's index in its tree.
    pub(super) fn node(self) -> u32 {
        self.node
    }

    /// The node after the last descendant.
    pub(super) fn next(self) -> u32 {
        self.data().next
    }

    /// What it is.
    pub(super) fn kind(self) -> Kind {
        self.data().kind
    }

    fn text(self) -> &'tree str {
        self.tree.text_of(self.data())
    }

    /// Its node and those of what is in it.
    fn nodes(self) -> &'tree [Node] {
        &self.tree.nodes[self.node as usize..self.next() as usize]
    }

    /// What it is, in words.
    pub(super) fn description(self) -> &'static str {
        match self.kind() {
            Kind::Null => "null",
            Kind::False | Kind::True => "a boolean",
            Kind::Number => "a number",
            Kind::PlainString | Kind::EscapedString => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }

    /// The value of a boolean.
    pub(super) fn boolean(self) -> Option<bool> {
        match self.kind() {
            Kind::False => Some(false),
            Kind::True => Some(true),
            _ => None,
        }
    }

    /// The text of a number.
    pub(super) fn number(self) -> Option<&'tree str> {
        (self.kind() == Kind::Number).then(|| self.text())
    }

    /// The content of a string.
    pub(super) fn string(self) -> Option<Cow<'tree, str>> {
        match self.kind() {
            Kind::PlainString => Some(Cow::Borrowed(self.text())),
            Kind::EscapedString => Some(Cow::Owned(unescape(self.text()))),
            _ => None,
        }
    }

    /// Whether it is a string of this content.
    fn is_string(self, content: &str) -> bool {
        match self.kind() {
            Kind::PlainString => self.text() == content,
            Kind::EscapedString => unescape(self.text()) == content,
            _ => false,
        }
    }

    /// Whether another value is written in the same way, but for white space. Takes time in proportion to its text.
    pub(super) fn is_same(self, other: Json<'_>) -> bool {
        let (mine, others) = (self.nodes(), other.nodes());
        mine.len() == others.len()
            && mine.iter().zip(others).all(|(one, two)| {
                one.kind == two.kind
                    && match one.kind {
                        Kind::Array | Kind::Object => one.next - self.node == two.next - other.node,
                        _ => self.tree.text_of(*one) == other.tree.text_of(*two),
                    }
            })
    }

    /// The items of an array; of anything else none.
    pub(super) fn items(self) -> Items<'tree> {
        let end = if self.kind() == Kind::Array { self.data().next } else { self.node + 1 };
        Items { tree: self.tree, at: self.node + 1, end }
    }

    /// The members of an object as they stand, keys that come twice included; of anything else none.
    pub(super) fn members(self) -> Members<'tree> {
        let end = if self.kind() == Kind::Object { self.data().next } else { self.node + 1 };
        Members(Items { tree: self.tree, at: self.node + 1, end })
    }

    /// The values of an object's members, without a look at their keys.
    pub(super) fn values(self) -> impl Iterator<Item = Json<'tree>> {
        self.members().0.skip(1).step_by(2)
    }

    /// The member of a name, where no more than one has it.
    pub(super) fn only(self, name: &str) -> std::result::Result<Option<Json<'tree>>, Repeated> {
        let Members(mut children) = self.members();
        let mut found = None;
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            if key.is_string(name) && found.replace(value).is_some() {
                return Err(Repeated);
            }
        }
        Ok(found)
    }

    /// A hint at the member of a name of which only the letters' case or the characters between them are wrong.
    pub(super) fn nearest_name(self, name: &str) -> String {
        let plain = |text: &str| {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
        };
        let wanted = plain(name);
        match self.members().find(|(key, _)| plain(key) == wanted) {
            Some((key, _)) => format!("did you mean `{key}`?"),
            None => String::new(),
        }
    }

    /// The member of a name; where it comes twice, the last, as most readers of JSON have it.
    pub(super) fn get(self, name: &str) -> Option<Json<'tree>> {
        let Members(mut children) = self.members();
        let mut found = None;
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            if key.is_string(name) {
                found = Some(value);
            }
        }
        found
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub(super) struct Items<'tree> {
    tree: &'tree Tree<'tree>,
    at: u32,
    end: u32,
}

impl<'tree> Iterator for Items<'tree> {
    type Item = Json<'tree>;

    fn next(&mut self) -> Option<Json<'tree>> {
        if self.at >= self.end {
            return None;
        }
        let item = Json { tree: self.tree, node: self.at };
        self.at = item.next();
        Some(item)
    }
}

/// The members of an object.
#[derive(Clone, Debug)]
pub(super) struct Members<'tree>(Items<'tree>);

impl<'tree> Iterator for Members<'tree> {
    type Item = (Cow<'tree, str>, Json<'tree>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.next()?;
        let value = self.0.next()?;
        Some((key.string()?, value))
    }
}

/// The content of a string whose escapes the reader has found well formed.
fn unescape(text: &str) -> String {
    let mut content = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        content.push_str(&rest[..at]);
        let escape = rest.as_bytes()[at + 1];
        rest = &rest[at + 2..];
        match escape {
            b'b' => content.push('\u{8}'),
            b'f' => content.push('\u{c}'),
            b'n' => content.push('\n'),
            b'r' => content.push('\r'),
            b't' => content.push('\t'),
            b'u' => {
                let high = hexadecimal(&rest[..4]);
                rest = &rest[4..];
                let mut code = high;
                if (0xd800..0xdc00).contains(&high) {
                    code = 0x1_0000 + ((high - 0xd800) << 10) + (hexadecimal(&rest[2..6]) - 0xdc00);
                    rest = &rest[6..];
                }
                content.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            other => content.push(char::from(other)),
        }
    }
    content.push_str(rest);
    content
}

fn hexadecimal(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).unwrap_or_default()
}
