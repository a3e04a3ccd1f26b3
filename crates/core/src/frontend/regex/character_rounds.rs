//! Rounds of one character each, before which some strings may not stand, as in `(?:(?!-->).)*`.
//!
//! Every place in the text of such rounds is the beginning of one. So none of the strings begins anywhere within it, whether
//! it ends there, too, or in what comes behind. The first is asked of the text alone. For the second it matters
//! with which longest beginning of a string the text ends, as it does in a search for all strings at once: that says of which others it
//! ends with a beginning, and so with what the text behind may not go on. There are as many cases as there are beginnings.
//!
//! Source of the method: the automaton of Aho and Corasick, of which each node is a case.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::look::{Branch, Item, Look, Neighbour};
use super::segment::{self, Segment, Shape};
use super::tree::Direction;
use crate::error::Result;
use crate::expression::{Expression, ExpressionId};
use crate::frontend::character_set;
use crate::grammar::GrammarBuilder;

/// What the strings may have, all in all: there are no more cases.
const MOST_CHARACTERS: usize = 64;

/// What may not stand before rounds of one character each, where that is not taken.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unlisted {
    /// It is no list of fixed strings.
    Varying,
    /// The strings have too many characters, all in all.
    TooLong { characters: usize },
}

impl Unlisted {
    /// Why it is refused of more than so many rounds, and what to write instead.
    pub(super) fn reason(self, most: u32) -> String {
        let reason = match self {
            Self::Varying => format!(
                "what may not stand before any of more than {most} characters has to be one list of fixed strings, as in \
                 `(?!ac|bc)` for `(?![ab]c)`, and letters in either case are none"
            ),
            Self::TooLong { characters } => format!(
                "the strings that may not stand before any of more than {most} characters may have {MOST_CHARACTERS} \
                 characters, all in all, and have {characters}"
            ),
        };
        let instead = "if the text may hold them nowhere, put one lookahead before the repetition, as in \
                       `(?!.*(?:ab|cd)).*`, or name them beside the pattern: by `forbidden` of Grammar.regex, `excludes` \
                       of a structural tag, or `not` with a `pattern` in a JSON Schema";
        format!("{reason}; {instead}")
    }
}

/// The rounds, and what may not stand before any of them.
pub(super) struct CharacterRounds<'a> {
    character: &'a Segment,
    look: &'a Look,
    strings: Vec<String>,
    /// All beginnings of strings but for whole ones; the empty one is the first.
    beginnings: BTreeSet<String>,
}

impl<'a> CharacterRounds<'a> {
    /// Rounds of these branches; `None` where they are not characters before which something may not stand.
    pub(super) fn of(
        branches: &'a [Branch],
        builder: &mut GrammarBuilder,
    ) -> Option<std::result::Result<Self, Unlisted>> {
        let [branch] = branches else { return None };
        let (Item::Text(character), looks) = branch.split_last()? else { return None };
        let is_refusal = |item: &Item| matches!(item, Item::Look(look) if is_not_ahead(look, builder));
        if !character.shape.is_character_set || !looks.iter().all(is_refusal) {
            return None;
        }
        let [Item::Look(look)] = looks else { return Some(Err(Unlisted::Varying)) };
        let Some(strings) = strings_not_ahead(look.language, builder) else {
            return Some(Err(Unlisted::Varying));
        };
        if strings.iter().any(String::is_empty) {
            return None;
        }
        let characters = strings.iter().map(|string| string.chars().count()).sum::<usize>();
        if characters > MOST_CHARACTERS {
            return Some(Err(Unlisted::TooLong { characters }));
        }
        let beginnings = strings.iter().flat_map(|string| {
            let ends = string.char_indices().map(|(at, _)| at);
            ends.map(|end| string[..end].to_owned())
        });
        let beginnings = beginnings.collect();
        Some(Ok(Self { character, look, strings, beginnings }))
    }

    /// The branches of so many rounds.
    ///
    /// # Errors
    /// Those of intersections and complements, which cannot come of texts.
    pub(super) fn branches(
        &self,
        minimum: u32,
        maximum: Option<u32>,
        builder: &mut GrammarBuilder,
    ) -> Result<Vec<Branch>> {
        let text = segment::any_text(builder);
        let strings = self.strings.iter().map(|string| string.as_bytes().to_vec()).collect();
        let strings = builder.literals(strings);
        let within = builder.concatenation(&[text, strings, text]);
        let without = builder.complement(within)?;
        let rounds = self.character.repeated(minimum, maximum, builder);
        let mut branches = Vec::with_capacity(self.beginnings.len());
        for beginning in &self.beginnings {
            let is_longer =
                |other: &&String| other.len() > beginning.len() && other.ends_with(beginning.as_str());
            let longer = self.beginnings.iter().filter(is_longer).map(|other| other.as_bytes().to_vec());
            let longer = builder.literals(longer.collect());
            let with_longer = builder.concatenation(&[text, longer]);
            let (beginning_read, with_none_longer) =
                (builder.literal(beginning.as_bytes()), builder.complement(with_longer)?);
            let ends_so = builder.concatenation(&[text, beginning_read]);
            let expression =
                builder.intersection(&[rounds.expression, without, ends_so, with_none_longer])?;
            let shape = Shape {
                minimum: rounds.shape.minimum.max(beginning.chars().count() as u64),
                is_character_set: false,
                ..rounds.shape.clone()
            };
            if shape.maximum.is_some_and(|maximum| shape.minimum > maximum) {
                continue;
            }
            let mut branch = vec![Item::Text(Segment { expression, shape })];
            branch.extend(self.not_behind(beginning, builder)?.map(Item::Look));
            branches.push(branch);
        }
        Ok(branches)
    }

    /// What is asked of the text behind one that ends with a beginning, and with no longer one.
    fn not_behind(&self, beginning: &str, builder: &mut GrammarBuilder) -> Result<Option<Look>> {
        let starts = beginning.char_indices().map(|(at, _)| at);
        let left: BTreeSet<&str> = starts
            .flat_map(|start| {
                let read = &beginning[start..];
                self.strings.iter().filter_map(move |string| string.strip_prefix(read))
            })
            .collect();
        let Some(window) = left.iter().map(|left| left.chars().count() as u64).max() else { return Ok(None) };
        if window == 1 {
            let set: Vec<(char, char)> =
                left.iter().filter_map(|left| left.chars().next()).map(|one| (one, one)).collect();
            let set = Arc::new(character_set::negated(&character_set::set_of(&set)));
            let neighbour = Neighbour { set, edge: true };
            return Ok(Some(Look::neighbour(Direction::Ahead, neighbour, self.look.origin, builder)));
        }
        let text = segment::any_text(builder);
        let left = builder.literals(left.iter().map(|left| left.as_bytes().to_vec()).collect());
        let left = builder.concatenation(&[left, text]);
        let language = builder.complement(left)?;
        Ok(Some(Look { language, window: Some(window), longest: None, neighbour: None, ..self.look.clone() }))
    }
}

/// Whether an assertion refuses some texts that stand ahead, whatever is behind them.
fn is_not_ahead(look: &Look, builder: &mut GrammarBuilder) -> bool {
    let text = segment::any_text(builder);
    let store = builder.expressions();
    let Expression::Complement(mut ahead) = store.get(look.language) else { return false };
    while let Expression::Concatenation(_, rest) = store.get(ahead) {
        ahead = rest;
    }
    look.direction == Direction::Ahead && ahead == text
}

/// The strings of an assertion that none of them stands ahead, if it is one.
fn strings_not_ahead(language: ExpressionId, builder: &mut GrammarBuilder) -> Option<Vec<String>> {
    let text = segment::any_text(builder);
    let store = builder.expressions();
    let Expression::Complement(ahead) = store.get(language) else { return None };
    let Expression::Concatenation(strings, rest) = store.get(ahead) else { return None };
    let Expression::Literals(range) = store.get(strings) else { return None };
    if rest != text {
        return None;
    }
    let left = store.literals_of(range).map(|string| string.get(range.depth as usize..));
    left.map(|left| String::from_utf8(left?.to_vec()).ok()).collect()
}
