//! Rounds of one character each, before which some strings may not stand, as in `(?:(?!-->).)*`, or behind some of which,
//! as in `(?:[^-]|-(?!->))*`: that is a string that may not stand before it.
//!
//! Every place in the text of such rounds is the beginning of one. So none of the strings begins anywhere within it, whether
//! it ends there, too, or in what comes behind. The first is asked of the text alone. For the second it matters
//! with which longest beginning of a string the text ends, as it does in a search for all strings at once: that says of which others it
//! ends with a beginning, and so with what the text behind may not go on. There are as many cases as there are beginnings.
//!
//! Source of the method: the automaton of Aho and Corasick, of which each node is a case.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::look::{Branch, Item, Look, Neighbour, Origin};
use super::segment::{self, Segment, Shape};
use super::tree::Direction;
use crate::error::Result;
use crate::expression::Expression;
use crate::frontend::character_set::{self, CharacterSet};
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

/// The rounds, and the strings of which none may begin with any of them.
pub(super) struct CharacterRounds {
    rounds: Segment,
    strings: BTreeSet<String>,
    /// All beginnings of strings but for whole ones; the empty one is the first.
    beginnings: BTreeSet<String>,
    origin: Origin,
}

impl CharacterRounds {
    /// So many rounds of these branches; `None` where they are not characters before or behind which something may not
    /// stand.
    pub(super) fn of(
        branches: &[Branch],
        mut minimum: u32,
        maximum: Option<u32>,
        builder: &mut GrammarBuilder,
    ) -> Option<std::result::Result<Self, Unlisted>> {
        let (bound, free): (Vec<Round>, Vec<Round>) = branches
            .iter()
            .map(Round::of)
            .collect::<Option<Vec<Round>>>()?
            .into_iter()
            .partition(|round| round.looks().next().is_some());
        let mut characters = CharacterSet::empty();
        for Round { segment, .. } in free {
            // Any number of rounds, each of any number of characters, are any number of rounds of one.
            let is_any_number = minimum <= 1 && maximum.is_none() && is_repeated_character(segment, builder);
            if !segment.shape.is_character_set && !is_any_number {
                return None;
            }
            characters.union(&segment.shape.first);
            minimum = if segment.shape.minimum == 0 { 0 } else { minimum };
        }
        let origin = bound.first()?.looks().next()?.origin;
        let (free, mut strings, mut unlisted) = (characters.clone(), BTreeSet::new(), None);
        for round in bound {
            let set = character_set::without((*round.segment.shape.first).clone(), &[&free]);
            let is_ambiguous = !character_set::intersected(&set, &characters).ranges().is_empty();
            if !round.segment.shape.is_character_set || is_ambiguous {
                return None;
            }
            characters.union(&set);
            match round.refused(&set, builder)? {
                Ok(refused) => strings.extend(refused),
                Err(reason) => unlisted = unlisted.or(Some(reason)),
            }
        }
        let length = strings.iter().map(|string: &String| string.chars().count()).sum::<usize>();
        let too_long = (length > MOST_CHARACTERS).then_some(Unlisted::TooLong { characters: length });
        if strings.contains("") {
            return None;
        }
        if let Some(unlisted) = unlisted.or(too_long) {
            return Some(Err(unlisted));
        }
        let beginnings = strings.iter().flat_map(|string| {
            let ends = string.char_indices().map(|(at, _)| at);
            ends.map(|end| string[..end].to_owned())
        });
        let beginnings = beginnings.chain([String::new()]).collect();
        let expression = character_set::expression_of(&characters, builder);
        let rounds = Segment { expression, shape: Shape::character(Arc::new(characters)) };
        let rounds = rounds.repeated(minimum, maximum, builder);
        Some(Ok(Self { rounds, strings, beginnings, origin }))
    }

    /// The branches of the rounds.
    ///
    /// # Errors
    /// Those of intersections and complements, which cannot come of texts.
    pub(super) fn branches(&self, builder: &mut GrammarBuilder) -> Result<Vec<Branch>> {
        let rounds = &self.rounds;
        let text = segment::any_text(builder);
        let strings = self.strings.iter().map(|string| string.as_bytes().to_vec()).collect();
        let strings = builder.literals(strings);
        let within = builder.concatenation(&[text, strings, text]);
        let without = builder.complement(within)?;
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
            return Ok(Some(Look::neighbour(Direction::Ahead, neighbour, self.origin, builder)));
        }
        let text = segment::any_text(builder);
        let left = builder.literals(left.iter().map(|left| left.as_bytes().to_vec()).collect());
        let left = builder.concatenation(&[left, text]);
        let language = builder.complement(left)?;
        Ok(Some(Look {
            direction: Direction::Ahead,
            language,
            window: Some(window),
            longest: None,
            neighbour: None,
            origin: self.origin,
        }))
    }
}

/// A character, with what it asks of the text that begins with it, and of the text behind it.
struct Round<'a> {
    segment: &'a Segment,
    before: &'a [Item],
    behind: &'a [Item],
}

impl<'a> Round<'a> {
    /// The round of a branch; `None` where it has more than one text, or none.
    fn of(branch: &'a Branch) -> Option<Self> {
        let at = branch.iter().position(|item| matches!(item, Item::Text(_)))?;
        let (before, behind) = (&branch[..at], &branch[at + 1..]);
        let Item::Text(segment) = &branch[at] else { return None };
        let is_only = !behind.iter().any(|item| matches!(item, Item::Text(_)));
        is_only.then_some(Self { segment, before, behind })
    }

    fn looks(&self) -> impl Iterator<Item = &'a Look> + use<'a> {
        looks_of(self.before).chain(looks_of(self.behind))
    }

    /// The strings that may not begin with one of the characters; `None` where something else is asked of the text.
    fn refused(
        &self,
        characters: &CharacterSet,
        builder: &mut GrammarBuilder,
    ) -> Option<std::result::Result<BTreeSet<String>, Unlisted>> {
        let (mut refused, mut unlisted) = (BTreeSet::new(), None);
        for look in looks_of(self.before) {
            match strings_not_ahead(look, characters, builder)? {
                Ok(strings) => refused.extend(strings.into_iter().filter(|string| {
                    string.chars().next().is_none_or(|first| character_set::contains(characters, first))
                })),
                Err(reason) => unlisted = Some(reason),
            }
        }
        let mut look_behind = looks_of(self.behind).peekable();
        let first = if look_behind.peek().is_some() { listed(characters)? } else { Vec::new() };
        for look in look_behind {
            match strings_not_ahead(look, &character_set::all_characters(), builder)? {
                Ok(strings) => refused.extend(
                    strings
                        .iter()
                        .flat_map(|string| first.iter().map(move |first| format!("{first}{string}"))),
                ),
                Err(reason) => unlisted = Some(reason),
            }
        }
        Some(unlisted.map_or(Ok(refused), Err))
    }
}

fn looks_of(items: &[Item]) -> impl Iterator<Item = &Look> {
    items.iter().filter_map(|item| match item {
        Item::Look(look) => Some(look),
        Item::Text(_) => None,
    })
}

/// The members of a set that has few.
fn listed(set: &CharacterSet) -> Option<Vec<char>> {
    let few: Vec<char> =
        set.iter().flat_map(|range| range.start()..=range.end()).take(MOST_CHARACTERS + 1).collect();
    (few.len() <= MOST_CHARACTERS).then_some(few)
}

/// Whether a text is one of any number of characters of a set, or of at least one.
fn is_repeated_character(segment: &Segment, builder: &mut GrammarBuilder) -> bool {
    let character = character_set::expression_of(&segment.shape.first, builder);
    let least = u32::from(segment.shape.minimum > 0);
    builder.repetition(character, least, None) == segment.expression
}

/// The strings of which an assertion asks that none stands ahead, of single characters those of a set; `None` where it
/// asks for something else.
fn strings_not_ahead(
    look: &Look,
    characters: &CharacterSet,
    builder: &mut GrammarBuilder,
) -> Option<std::result::Result<Vec<String>, Unlisted>> {
    if look.direction != Direction::Ahead {
        return None;
    }
    if let Some(Neighbour { set, edge }) = &look.neighbour {
        let refused = character_set::without(characters.clone(), &[set]);
        return edge
            .then(|| listed(&refused))
            .flatten()
            .map(|few| Ok(few.into_iter().map(String::from).collect()));
    }
    let text = segment::any_text(builder);
    let store = builder.expressions();
    let Expression::Complement(ahead) = store.get(look.language) else { return None };
    let mut rest = ahead;
    while let Expression::Concatenation(_, after) = store.get(rest) {
        rest = after;
    }
    if rest != text {
        return None;
    }
    let strings = || match store.get(ahead) {
        Expression::Concatenation(strings, rest) if rest == text => match store.get(strings) {
            Expression::Literals(range) => store
                .literals_of(range)
                .map(|string| String::from_utf8(string.get(range.depth as usize..)?.to_vec()).ok())
                .collect(),
            _ => None,
        },
        _ => None,
    };
    Some(strings().ok_or(Unlisted::Varying))
}
