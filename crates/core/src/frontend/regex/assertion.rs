//! Anchors, lookaheads and lookbehinds as branches, and the refusal of those that cannot be.

use std::sync::Arc;

use super::character_rounds::Unlisted;
use super::look::{Branch, Item, Look, Neighbour, Origin};
use super::lower::Lowering;
use super::segment::Segment;
use super::solve::{self, Edges, Outcome, Prefix, Solved};
use super::tree::{Anchor, Direction};
use crate::error::{Error, Location, Result};
use crate::expression::ExpressionId;
use crate::frontend::character_set::{self, CharacterSet};
use crate::grammar::GrammarBuilder;

const LOOKAHEAD: &str = "a lookahead";

impl Lowering<'_> {
    /// The branches of an anchor.
    pub(super) fn anchor(&mut self, anchor: Anchor, offset: usize) -> Vec<Branch> {
        if let Some((_, branches)) = self.anchors.iter().find(|(known, _)| *known == anchor) {
            let mut branches = branches.clone();
            for item in branches.iter_mut().flatten() {
                if let Item::Look(look) = item {
                    look.origin.offset = offset;
                }
            }
            return branches;
        }
        let branches = self.new_anchor(anchor, offset);
        self.anchors.push((anchor, branches.clone()));
        branches
    }

    fn new_anchor(&mut self, anchor: Anchor, offset: usize) -> Vec<Branch> {
        let nothing = Arc::new(CharacterSet::empty());
        match anchor {
            Anchor::TextStart => {
                vec![vec![self.beside(Direction::Behind, nothing, true, offset, "an anchor")]]
            }
            Anchor::TextEnd => vec![vec![self.beside(Direction::Ahead, nothing, true, offset, "an anchor")]],
            Anchor::TextEndOrFinalNewline => vec![vec![self.final_newline(offset)]],
            Anchor::LineStart { terminators } => {
                let terminators = self.set(terminators);
                vec![vec![self.beside(Direction::Behind, terminators, true, offset, "an anchor")]]
            }
            Anchor::LineEnd { terminators } => {
                let terminators = self.set(terminators);
                vec![vec![self.beside(Direction::Ahead, terminators, true, offset, "an anchor")]]
            }
            Anchor::WordBoundary { word } | Anchor::NotWordBoundary { word } => {
                let inside = self.set(word);
                let outside = Arc::new(character_set::negated(&inside));
                let is_boundary = matches!(anchor, Anchor::WordBoundary { .. });
                let sides = [(Arc::clone(&inside), false), (outside, true)];
                let mut branches = Vec::new();
                for (at, (before, edge_before)) in sides.iter().enumerate() {
                    let (after, edge_after) = &sides[if is_boundary { 1 - at } else { at }];
                    let name = "a word boundary";
                    branches.push(vec![
                        self.beside(Direction::Behind, Arc::clone(before), *edge_before, offset, name),
                        self.beside(Direction::Ahead, Arc::clone(after), *edge_after, offset, name),
                    ]);
                }
                branches
            }
        }
    }

    /// Asks for a code point of the set, or for the edge of the text if `edge`.
    fn beside(
        &mut self,
        direction: Direction,
        set: Arc<CharacterSet>,
        edge: bool,
        offset: usize,
        name: &'static str,
    ) -> Item {
        let origin = Origin { name, offset };
        Item::Look(Look::neighbour(direction, Neighbour { set, edge }, origin, self.builder))
    }

    /// Asks for the end of the text, at most one newline away.
    fn final_newline(&mut self, offset: usize) -> Item {
        let newline = self.builder.literal(b"\n");
        Item::Look(Look {
            direction: Direction::Ahead,
            language: self.builder.alternatives(&[newline, GrammarBuilder::EMPTY]),
            window: Some(2),
            longest: Some(1),
            neighbour: None,
            origin: Origin { name: "an anchor", offset },
        })
    }

    /// The branches of a lookahead or a lookbehind whose body has the given branches.
    pub(super) fn look(
        &mut self,
        mut body: Vec<Branch>,
        direction: Direction,
        negative: bool,
        offset: usize,
    ) -> Result<Vec<Branch>> {
        let name = match direction {
            Direction::Ahead => LOOKAHEAD,
            Direction::Behind => "a lookbehind",
        };
        let origin = Origin { name, offset };
        if let Some(neighbour) = as_neighbour(&body, direction) {
            let look = Look::neighbour(direction, neighbour, origin, self.builder);
            let look = if negative { look.negated(self.builder)? } else { look };
            return Ok(vec![vec![Item::Look(look)]]);
        }
        let window = window(&body, direction);
        let text = Segment::any_text(self.builder);
        let edges = match direction {
            Direction::Ahead => Edges { open_before: true, open_after: false },
            Direction::Behind => Edges { open_before: false, open_after: true },
        };
        for branch in &mut body {
            let place = if direction == Direction::Ahead { branch.len() } else { 0 };
            branch.insert(place, Item::Text(text.clone()));
        }
        let solved = match solve::solve(body, edges, self.builder, self.budget, self.deadline)? {
            Outcome::Solved(solved) => solved,
            Outcome::Stuck(looks) => return Err(self.tangled(&looks)),
        };
        let make = |language: ExpressionId| Look {
            direction,
            language,
            window,
            longest: None,
            neighbour: None,
            origin,
        };
        if negative { self.none_of(solved, make) } else { Ok(self.any_of(solved, make)) }
    }

    /// The branches in which one of the cases holds.
    fn any_of(&mut self, solved: Vec<Solved>, make: impl Fn(ExpressionId) -> Look) -> Vec<Branch> {
        let (plain, others) = self.plain_and_others(solved);
        let mut branches = Vec::new();
        if plain != GrammarBuilder::NOTHING {
            branches.push(vec![Item::Look(make(plain))]);
        }
        for (looks, language) in others {
            let looks = looks.into_iter().chain([make(language)]);
            branches.push(looks.map(Item::Look).collect());
        }
        branches
    }

    /// The branches in which none of the cases holds: in each case one of its conditions fails.
    fn none_of(&mut self, solved: Vec<Solved>, make: impl Fn(ExpressionId) -> Look) -> Result<Vec<Branch>> {
        let (plain, others) = self.plain_and_others(solved);
        let mut beginning = Branch::new();
        if plain != GrammarBuilder::NOTHING {
            beginning.push(Item::Look(make(plain).negated(self.builder)?));
        }
        let mut branches = vec![Prefix::from(beginning)];
        for (looks, language) in others {
            let mut failures: Vec<Branch> = Vec::new();
            for look in looks.into_iter().chain([make(language)]) {
                failures.push(vec![Item::Look(look.negated(self.builder)?)]);
            }
            branches = self.product(branches, &failures)?;
        }
        Ok(branches.into_iter().map(|prefix| prefix.into_branch(self.builder)).collect())
    }

    /// The union of the cases that ask nothing of the other side, and the other cases with what they ask.
    fn plain_and_others(&mut self, solved: Vec<Solved>) -> (ExpressionId, Vec<(Vec<Look>, ExpressionId)>) {
        let mut plain = Vec::new();
        let mut others = Vec::new();
        for Solved { mut behind, segment, ahead } in solved {
            behind.extend(ahead);
            if behind.is_empty() {
                plain.push(segment.expression);
            } else {
                others.push((behind, segment.expression));
            }
        }
        (self.builder.alternatives(&plain), others)
    }

    /// The refusal of a pattern in which assertions look over one another's places.
    pub(super) fn tangled(&self, looks: &[Look]) -> Error {
        let place = |look: &Look| Location::of(self.pattern, look.origin.offset);
        let behind = looks.iter().find(|look| look.direction == Direction::Behind);
        let ahead = looks.iter().rfind(|look| look.direction == Direction::Ahead);
        let first = behind.or(ahead);
        let reason = match (behind, ahead) {
            (Some(_), Some(ahead)) => format!(
                "it looks back over text of varying length into which {} at {} looks ahead; \
                 move one of them to an end of the pattern, or write the text between them with a fixed length",
                ahead.origin.name,
                place(ahead)
            ),
            _ => {
                "it looks over text of varying length out of the lookahead or lookbehind in which it stands; \
                  move it out"
                    .to_owned()
            }
        };
        Error::Unsupported {
            feature: first.map_or("an assertion", |look| look.origin.name).to_owned(),
            location: first.map_or_else(String::new, |look| place(look).to_string()),
            reason,
        }
    }

    /// The refusal of assertions in a repetition that is not written out.
    pub(super) fn unrepeatable(&self, looks: &[Look], unlisted: Option<Unlisted>, most: u32) -> Error {
        let first = looks.iter().min_by_key(|look| look.origin.offset);
        Error::Unsupported {
            feature: first.map_or("an assertion", |look| look.origin.name).to_owned() + " in a repetition",
            location: first
                .map_or_else(String::new, |look| Location::of(self.pattern, look.origin.offset).to_string()),
            reason: match unlisted {
                Some(unlisted) => unlisted.reason(most),
                None => self.reason_of_rounds(first, most),
            },
        }
    }

    /// Why an assertion is refused in more than so many rounds, and what to write instead.
    fn reason_of_rounds(&self, look: Option<&Look>, most: u32) -> String {
        let may_refuse = |look: &Look| look.origin.name == LOOKAHEAD && look.holds_at_edge(self.builder);
        let instead = match look {
            Some(look) if look.is_final_newline() => {
                "write `\\Z` for `$`, which holds before a newline at the end, too; otherwise "
            }
            Some(look) if may_refuse(look) => {
                "if it keeps a string out of the text, as in `(?:[^<]+|<(?!/b>)){0,9}`, ask before each single \
                 character, as in `(?:(?!</b>).){0,9}`, or name the string beside the pattern: by `forbidden` of \
                 Grammar.regex, `excludes` of a structural tag, or `not` with a `pattern` in a JSON Schema; otherwise "
            }
            _ => "",
        };
        format!(
            "it concerns the text of other rounds, of which there may be more than {most}, in a way that does not show by \
             their first and last characters; {instead}move it out of the repetition, or repeat at most {most} times"
        )
    }
}

/// The body of a lookahead or lookbehind as a question about the neighbouring code point, if it is one.
fn as_neighbour(body: &[Branch], direction: Direction) -> Option<Neighbour> {
    let mut set = CharacterSet::empty();
    let mut edge = false;
    for branch in body {
        match branch.as_slice() {
            [Item::Text(segment)] if segment.shape.is_character_set => set.union(&segment.shape.first),
            [Item::Look(look)] if look.direction == direction => {
                let neighbour = look.neighbour.as_ref()?;
                set.union(&neighbour.set);
                edge |= neighbour.edge;
            }
            _ => return None,
        }
    }
    Some(Neighbour { set: Arc::new(set), edge })
}

/// How many code points decide about the body of a lookahead or lookbehind, beside it.
fn window(body: &[Branch], direction: Direction) -> Option<u64> {
    body.iter().try_fold(0, |widest, branch| Some(widest.max(window_of_branch(branch, direction)?)))
}

fn window_of_branch(branch: &[Item], direction: Direction) -> Option<u64> {
    let mut length = 0u64;
    let mut widest = 0;
    let mut add = |item: &Item| {
        match item {
            Item::Text(segment) => length = length.checked_add(segment.shape.maximum?)?,
            Item::Look(look) if look.direction == direction => {
                widest = widest.max(length.checked_add(look.window?)?);
            }
            Item::Look(_) => {}
        }
        Some(())
    };
    match direction {
        Direction::Ahead => branch.iter().try_for_each(&mut add)?,
        Direction::Behind => branch.iter().rev().try_for_each(&mut add)?,
    }
    Some(widest.max(length))
}
