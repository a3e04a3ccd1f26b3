//! Prose with calls in it.
//!
//! The text is a repetition of *segments*, prose up to a tag with what follows the tag, and a *rest*, prose without
//! any tag. In prose, tags, stops and forbidden texts are watched for all at once, see
//! [`GrammarBuilder::free_text`]; exact tokens come between two characters of it.

use super::Part;
use super::lower::{Lowering, check_bounds};
use crate::error::{Error, Result};
use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;
use crate::vocabulary::{TokenReference, TokenSet};

/// Prose with calls in it: what is watched for, and what may come after it.
#[derive(Clone, Debug)]
pub struct FreeText {
    /// What opens a call, and what follows it.
    pub tags: Vec<Tag>,
    /// The least number of calls.
    pub minimum: u32,
    /// The greatest number of calls; `None` is without limit. After the last one, no tag can be completed.
    pub maximum: Option<u32>,
    /// Whether prose may stand between two calls; else the next one follows at once.
    pub text_between: bool,
    /// Whether prose may follow the last call; else the text ends there.
    pub text_after: bool,
    /// What ends the text.
    pub stops: Vec<Mark>,
    /// What prose can never hold.
    pub forbidden: Vec<Vec<u8>>,
}

/// What opens a call, and what follows it.
#[derive(Clone, Debug)]
pub struct Tag {
    /// What is watched for.
    pub begin: Mark,
    /// What follows.
    pub content: Part,
}

/// What is watched for in prose.
#[derive(Clone, Debug)]
pub enum Mark {
    /// A text.
    Text(Vec<u8>),
    /// A token. Its name, where it is given by that, cannot be written as text in the prose.
    Token(TokenReference),
    /// The token of a name, or its name as text. A vocabulary without such a token leaves the text.
    TokenOrText(Box<str>),
}

impl Mark {
    /// What must be watched for as text, and whether it is the mark.
    fn text(&self) -> Option<(&[u8], bool)> {
        match self {
            Self::Text(text) => Some((text, true)),
            Self::TokenOrText(name) => Some((name.as_bytes(), true)),
            Self::Token(TokenReference::Name(name) | TokenReference::NameIfKnown(name)) => {
                Some((name.as_bytes(), false))
            }
            Self::Token(TokenReference::Id(_)) => None,
        }
    }

    fn token(&self) -> Option<TokenReference> {
        match self {
            Self::Text(_) => None,
            Self::Token(token) => Some(token.clone()),
            Self::TokenOrText(name) => Some(TokenReference::NameIfKnown(name.clone())),
        }
    }
}

/// What can come in prose, as expressions.
struct Watched<'a> {
    /// Every text, with what follows it where it is the mark of a call.
    texts: Vec<(&'a [u8], Role)>,
    /// Exact tokens with what follows them.
    tokens: Vec<ExpressionId>,
    /// Calls without prose before them.
    calls: Vec<ExpressionId>,
    stop_tokens: Vec<ExpressionId>,
}

#[derive(Clone, Copy)]
enum Role {
    Opens(ExpressionId),
    Stops,
    Forbidden,
}

/// What is made of the texts that are watched for.
#[derive(Clone, Copy)]
enum Kind {
    /// Prose up to a tag.
    Segment,
    /// Prose without tags.
    Rest,
    /// Prose up to a stop.
    Stopped,
}

impl Lowering<'_> {
    /// Prose with calls in it.
    pub(super) fn free_text(&mut self, free_text: &FreeText) -> Result<ExpressionId> {
        let &FreeText { minimum, maximum, text_between, text_after, .. } = free_text;
        check_bounds(minimum, maximum)?;
        let mut watched = self.watched(free_text)?;
        if minimum > 0 && watched.calls.is_empty() {
            return Err(Error::Grammar(format!(
                "at least {} asked for in free text without tags; give a tag, or no minimum",
                if minimum == 1 { "1 call was".to_owned() } else { format!("{minimum} calls were") }
            )));
        }
        let rest = self.prose(&watched, Kind::Rest)?;
        let segment = match watched.texts.iter().any(|(_, role)| matches!(role, Role::Opens(_))) {
            true => self.prose(&watched, Kind::Segment)?,
            false => GrammarBuilder::NOTHING,
        };
        let tokens = self.builder.alternatives(&watched.tokens);
        let by_token = self.builder.concatenation(&[rest, tokens]);
        let segment = self.builder.alternatives(&[segment, by_token]);
        let stop_token = self.builder.alternatives(&watched.stop_tokens);
        let last = self.last(&watched, rest, stop_token)?;
        let after = match text_after {
            true => last,
            false => {
                let mut ends = vec![GrammarBuilder::EMPTY, stop_token];
                for (text, role) in std::mem::take(&mut watched.texts) {
                    if matches!(role, Role::Stops) {
                        ends.push(self.text(text)?);
                    }
                }
                self.builder.alternatives(&ends)
            }
        };
        if text_between && text_after {
            let segments = self.builder.repetition(segment, minimum, maximum);
            return Ok(self.builder.concatenation(&[segments, after]));
        }
        let call = self.builder.alternatives(&watched.calls);
        let calls = match maximum {
            Some(0) => GrammarBuilder::NOTHING,
            _ if text_between => self.builder.repetition(segment, minimum.max(1), maximum),
            _ => {
                let most = maximum.map(|maximum| maximum - 1);
                let more = self.builder.repetition(call, minimum.saturating_sub(1), most);
                self.builder.concatenation(&[segment, more])
            }
        };
        let with_calls = self.builder.concatenation(&[calls, after]);
        let without_calls = if minimum == 0 { last } else { GrammarBuilder::NOTHING };
        Ok(self.builder.alternatives(&[without_calls, with_calls]))
    }

    fn watched<'a>(&mut self, free_text: &'a FreeText) -> Result<Watched<'a>> {
        let (mut texts, mut tokens, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for tag in &free_text.tags {
            let content = self.content(&tag.content)?;
            if let Some((text, is_mark)) = tag.begin.text() {
                let literal = self.text(text)?;
                texts.push((text, if is_mark { Role::Opens(content) } else { Role::Forbidden }));
                if is_mark {
                    calls.push(self.builder.concatenation(&[literal, content]));
                }
            }
            if let Some(token) = tag.begin.token() {
                let token = self.builder.tokens(TokenSet::of(vec![token]));
                let call = self.builder.concatenation(&[token, content]);
                tokens.push(call);
                calls.push(call);
            }
        }
        let mut stop_tokens = Vec::new();
        for stop in &free_text.stops {
            if let Some((text, is_mark)) = stop.text() {
                self.text(text)?;
                texts.push((text, if is_mark { Role::Stops } else { Role::Forbidden }));
            }
            stop_tokens.extend(stop.token().map(|token| self.builder.tokens(TokenSet::of(vec![token]))));
        }
        for text in &free_text.forbidden {
            self.text(text)?;
            texts.push((text, Role::Forbidden));
        }
        Ok(Watched { texts, tokens, calls, stop_tokens })
    }

    /// What follows a tag, as a rule of its own: what is known of it is the same in every set of tags.
    fn content(&mut self, content: &Part) -> Result<ExpressionId> {
        let expression = self.part(content)?;
        if self.builder.expressions().is_regular(expression) {
            return Ok(expression);
        }
        let rule = self.builder.declare_part("what follows a tag");
        self.builder.define_rule(rule, expression);
        Ok(self.builder.call(rule))
    }

    /// Prose after the last call, and what may end it.
    fn last(
        &mut self,
        watched: &Watched<'_>,
        rest: ExpressionId,
        stop_token: ExpressionId,
    ) -> Result<ExpressionId> {
        let end = self.builder.alternatives(&[GrammarBuilder::EMPTY, stop_token]);
        let ended = self.builder.concatenation(&[rest, end]);
        if !watched.texts.iter().any(|(_, role)| matches!(role, Role::Stops)) {
            return Ok(ended);
        }
        let stopped = self.prose(watched, Kind::Stopped)?;
        Ok(self.builder.alternatives(&[ended, stopped]))
    }

    fn prose(&mut self, watched: &Watched<'_>, kind: Kind) -> Result<ExpressionId> {
        let follows = |role| match (role, kind) {
            (Role::Opens(content), Kind::Segment) => content,
            (Role::Stops, Kind::Stopped) => GrammarBuilder::EMPTY,
            _ => GrammarBuilder::NOTHING,
        };
        let texts: Vec<(&[u8], ExpressionId)> =
            watched.texts.iter().map(|&(text, role)| (text, follows(role))).collect();
        self.builder.free_text(&texts, matches!(kind, Kind::Rest))
    }
}
