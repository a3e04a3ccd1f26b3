//! Splits the text of a grammar into symbols, one at a time, so that nothing but the text is held.

use std::ops::Range;

use super::characters::Cursor;
use super::faults;
use crate::error::{Error, Result};
use crate::expression::CharacterRange;
use crate::vocabulary::{TokenId, TokenReference, TokenSet};

/// The greatest count of a repetition; one more would read as "without limit" in an expression.
const GREATEST_COUNT: u32 = u32::MAX - 1;

/// A smallest part of a grammar that means something, and where it stands in the text.
#[derive(Debug)]
pub(super) struct Symbol {
    pub(super) kind: SymbolKind,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum SymbolKind {
    /// The name of a rule, be it used or defined.
    Name,
    /// `::=` or what is written in its place.
    Defines,
    /// The bytes of a literal.
    Literal(Vec<u8>),
    /// The code points of a class or of `.`.
    Characters(Vec<CharacterRange>),
    /// An exact token, or all but one.
    Tokens(TokenSet),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `|`
    Or,
    /// A postfix operator. Invariant: `minimum <= maximum`, where there is a maximum.
    Repeat { minimum: u32, maximum: Option<u32> },
    /// `;`
    Semicolon,
    /// The text is over.
    End,
}

/// Reads symbol after symbol.
pub(super) struct Symbols<'t> {
    cursor: Cursor<'t>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut cursor = Cursor { text, at: 0 };
        cursor.eat("\u{feff}");
        Self { cursor }
    }

    /// The next symbol; [`SymbolKind::End`] again and again at the end.
    pub(super) fn next(&mut self) -> Result<Symbol> {
        self.skip_blanks()?;
        let start = self.cursor.at;
        let kind = self.read()?;
        Ok(Symbol { kind, span: start..self.cursor.at })
    }

    /// Whether the name just read is the head of a rule: a sign of definition follows.
    pub(super) fn is_definition(&mut self) -> Result<bool> {
        self.skip_blanks()?;
        Ok(matches!(self.cursor.peek(), Some(':' | '=')))
    }

    /// Steps over blanks, newlines and comments. No comment can be taken for a part of a grammar: `/` stands
    /// for nothing, and `(*` would repeat nothing.
    fn skip_blanks(&mut self) -> Result<()> {
        let cursor = &mut self.cursor;
        loop {
            cursor.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c'));
            let start = cursor.at;
            let closing = if cursor.eat("#") || cursor.eat("//") {
                let rest = cursor.rest();
                cursor.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                continue;
            } else if cursor.eat("/*") {
                "*/"
            } else if cursor.eat("(*") {
                "*)"
            } else {
                return Ok(());
            };
            let Some(length) = cursor.rest().find(closing) else {
                return Err(faults::unterminated(cursor.text, start, "comment", &format!("`{closing}`")));
            };
            cursor.at += length + closing.len();
        }
    }

    fn read(&mut self) -> Result<SymbolKind> {
        let Some(next) = self.cursor.peek() else { return Ok(SymbolKind::End) };
        match next {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => {
                self.cursor.take_while(is_name_byte);
                Ok(SymbolKind::Name)
            }
            '"' | '\'' => Ok(SymbolKind::Literal(self.cursor.literal()?)),
            '[' => Ok(SymbolKind::Characters(self.cursor.class()?)),
            '<' | '!' => Ok(SymbolKind::Tokens(self.tokens()?)),
            '{' => self.count(),
            ':' | '=' => self.defines(),
            _ => self.single(next),
        }
    }

    /// Reads a symbol of one character.
    fn single(&mut self, character: char) -> Result<SymbolKind> {
        let kind = match character {
            '.' => SymbolKind::Characters(vec![('\0', char::MAX)]),
            '(' => SymbolKind::Open,
            ')' => SymbolKind::Close,
            '|' => SymbolKind::Or,
            '*' => SymbolKind::Repeat { minimum: 0, maximum: None },
            '+' => SymbolKind::Repeat { minimum: 1, maximum: None },
            '?' => SymbolKind::Repeat { minimum: 0, maximum: Some(1) },
            ';' => SymbolKind::Semicolon,
            _ => return Err(self.stray(character)),
        };
        self.cursor.take();
        if matches!(kind, SymbolKind::Open) && self.cursor.peek() == Some('=') {
            let reason = "what follows a text cannot be enforced within it; write what may follow instead";
            let at = self.cursor.at - 1;
            return Err(faults::unsupported(self.cursor.text, at, "the lookahead `(= ...)`", reason));
        }
        Ok(kind)
    }

    fn stray(&self, character: char) -> Error {
        let help = match character {
            ',' => "items of a sequence follow one another without commas",
            '\\' => "escapes stand inside of a literal or a class, such as `[\\d]`",
            '^' | '$' => "the whole text must match anyway; leave out anchors",
            '/' => "a regular expression cannot stand here; write literals and classes",
            '%' => faults::LARK,
            _ if character.is_alphabetic() => {
                "names are of ASCII letters, digits, `-` and `_`; quote other text"
            }
            _ => "",
        };
        faults::unexpected(
            self.cursor.text,
            self.cursor.at,
            "a literal, a class, a name or an operator",
            help,
        )
    }

    fn defines(&mut self) -> Result<SymbolKind> {
        let cursor = &mut self.cursor;
        let found = cursor.eat("::=")
            || (!cursor.rest().starts_with("::") && (cursor.eat(":=") || cursor.eat(":") || cursor.eat("=")));
        if found {
            return Ok(SymbolKind::Defines);
        }
        let span = cursor.at..cursor.at + "::".len();
        Err(faults::syntax(cursor.text, span, "`::=`", ""))
    }

    /// Reads `<[123]>` or `<name>`, or either after `!`.
    fn tokens(&mut self) -> Result<TokenSet> {
        let cursor = &mut self.cursor;
        let negated = cursor.eat("!");
        let start = cursor.at;
        if !cursor.eat("<") {
            let help = "`!` leaves out one exact token: `!<name>` or `!<[123]>`";
            return Err(faults::unexpected(cursor.text, start, "`<`", help));
        }
        let reference = if cursor.eat("[") { self.token_id(start)? } else { self.token_name(start)? };
        Ok(if negated { TokenSet::all_but(vec![reference]) } else { TokenSet::of(vec![reference]) })
    }

    fn token_id(&mut self, start: usize) -> Result<TokenReference> {
        let cursor = &mut self.cursor;
        let digits = cursor.take_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() || !cursor.eat("]>") {
            let expected = if digits.is_empty() { "a token id" } else { "`]>`" };
            let help = "an exact token is written `<[123]>` or `<name>`";
            return Err(faults::unexpected(cursor.text, cursor.at, expected, help));
        }
        let id = digits.parse().map_err(|_| {
            faults::syntax(cursor.text, start..cursor.at, "a token id of at most 4294967295", "")
        })?;
        Ok(TokenReference::Id(TokenId(id)))
    }

    fn token_name(&mut self, start: usize) -> Result<TokenReference> {
        let cursor = &mut self.cursor;
        let line = cursor.rest().split('\n').next().unwrap_or_default();
        let Some(length) = line.find('>') else {
            let help = "an exact token is written `<name>` on one line; put quotes around text";
            return Err(faults::syntax(cursor.text, start..start + 1 + line.len(), "`<name>`", help));
        };
        cursor.at += length + 1;
        let name = &cursor.text[start..cursor.at];
        if length == 0 {
            let help = "an exact token is written `<name>`; put quotes around text";
            return Err(faults::syntax(cursor.text, start..cursor.at, "a token name", help));
        }
        Ok(TokenReference::Name(name.into()))
    }

    /// Reads `{m}`, `{m,}`, `{,n}` or `{m,n}`; `{m,-1}` is `{m,}`.
    fn count(&mut self) -> Result<SymbolKind> {
        let start = self.cursor.at;
        self.cursor.take();
        let least = self.number()?;
        let bounded = self.cursor.eat(",");
        let most = if bounded { self.number()? } else { least };
        let unlimited = bounded && most.is_none() && least.is_some() && self.cursor.eat("-1");
        self.skip_blanks()?;
        let (text, at) = (self.cursor.text, self.cursor.at);
        if least.is_none() && most.is_none() {
            let help = "`{m,n}` counts repetitions of the item before it; group with `(...)`";
            return Err(faults::unexpected(text, at, "a count", help));
        }
        if !self.cursor.eat("}") {
            let expected = if bounded || unlimited { "`}`" } else { "`,` or `}`" };
            return Err(faults::unexpected(text, at, expected, ""));
        }
        let minimum = least.unwrap_or(0);
        if most.is_some_and(|most| most < minimum) {
            let span = start..self.cursor.at;
            let help = "put the smaller count first";
            return Err(faults::syntax(text, span, "a maximum that is not below the minimum", help));
        }
        Ok(SymbolKind::Repeat { minimum, maximum: most })
    }

    /// Reads a count with the blanks around it, if one comes next.
    fn number(&mut self) -> Result<Option<u32>> {
        self.skip_blanks()?;
        let start = self.cursor.at;
        let digits = self.cursor.take_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return Ok(None);
        }
        let count = digits.parse().ok().filter(|&count| count <= GREATEST_COUNT).ok_or_else(|| {
            let expected = format!("a count of at most {GREATEST_COUNT}");
            let help = "leave out the maximum, as in `{1,}`, for no limit";
            faults::syntax(self.cursor.text, start..self.cursor.at, &expected, help)
        })?;
        self.skip_blanks()?;
        Ok(Some(count))
    }
}

/// Whether the byte can stand in the name of a rule.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
