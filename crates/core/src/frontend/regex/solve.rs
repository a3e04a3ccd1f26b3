//! Branches without their assertions.
//!
//! An assertion at a place of a text `p·r` restricts the rest `r` (ahead) or the prefix `p` (behind) to a
//! language. It can be moved into a neighbouring piece of the branch, by an intersection, exactly when
//! that piece alone decides:
//!
//! - the piece is all there is in that direction, or
//! - the piece is at least as long as the assertion can see (its *window*).
//!
//! Each move removes an assertion and joins pieces, until no assertion is left. Where none can be moved,
//! because one looks ahead over a place from which another looks back, an assertion that sees only
//! one code point is separated by cases: the piece beside it is empty, or not. What remains is refused.

use super::look::{Branch, Item, Look};
use super::segment::Segment;
use super::tree::Direction;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::expression::ExpressionStore;
use crate::grammar::GrammarBuilder;

/// Whether more text, unknown here, may stand before or after the branches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edges {
    pub(super) open_before: bool,
    pub(super) open_after: bool,
}

impl Edges {
    fn is_open(self, direction: Direction) -> bool {
        match direction {
            Direction::Ahead => self.open_after,
            Direction::Behind => self.open_before,
        }
    }
}

/// A branch whose only assertions concern the unknown text around it.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// What the text before must satisfy; empty unless that side is open.
    pub(super) behind: Vec<Look>,
    pub(super) segment: Segment,
    /// What the text after must satisfy; empty unless that side is open.
    pub(super) ahead: Vec<Look>,
}

/// What became of a set of branches.
pub(super) enum Outcome {
    Solved(Vec<Solved>),
    /// The assertions of one branch that cannot be moved into its texts; at least one.
    Stuck(Vec<Look>),
}

/// Removes the assertions of the branches.
///
/// # Errors
/// [`Error::BudgetExceeded`] for too many cases.
pub(super) fn solve(
    branches: Vec<Branch>,
    edges: Edges,
    builder: &mut GrammarBuilder,
    budget: &Budget,
    deadline: &Deadline,
) -> Result<Outcome> {
    let mut solver = Solver { edges, builder, deadline };
    let mut solved = Vec::new();
    let mut cases = branches.len();
    let mut open = branches;
    while let Some(branch) = open.pop() {
        deadline.check()?;
        match solver.step(branch)? {
            Step::Dead => {}
            Step::Again(branch) => open.push(branch),
            Step::Done(branch) => solved.push(solver.collect(branch)),
            Step::Stuck(branch, stuck) => {
                let Some(both) = solver.split(&branch, &stuck)? else {
                    let looks = stuck.iter().filter_map(|&(at, _)| as_look(&branch[at])).cloned();
                    return Ok(Outcome::Stuck(looks.collect()));
                };
                cases += 1;
                check_cases(cases, budget)?;
                open.extend(both);
            }
        }
    }
    Ok(Outcome::Solved(solved))
}

/// The branches without those that match nothing whatever stands around them, as far as that shows without cases.
/// Assertions that the branches decide are gone from the others.
pub(super) fn without_dead(
    branches: Vec<Branch>,
    builder: &mut GrammarBuilder,
    deadline: &Deadline,
) -> Result<Vec<Branch>> {
    let edges = Edges { open_before: true, open_after: true };
    let mut solver = Solver { edges, builder, deadline };
    let mut alive = Vec::with_capacity(branches.len());
    for mut branch in branches {
        loop {
            deadline.check()?;
            match solver.step(branch)? {
                Step::Dead => break,
                Step::Again(next) => branch = next,
                Step::Done(branch) | Step::Stuck(branch, _) => break alive.push(branch),
            }
        }
    }
    Ok(alive)
}

/// Fails when a pattern falls apart into too many cases, or into too many parts of cases.
pub(super) fn check_cases(cases: usize, budget: &Budget) -> Result<()> {
    if cases <= budget.items {
        return Ok(());
    }
    Err(Error::exceeded(
        "items",
        budget.items,
        "by the cases into which the assertions of a pattern divide it",
    ))
}

enum Step {
    /// The branch matches nothing.
    Dead,
    Again(Branch),
    /// Only assertions about unknown text are left.
    Done(Branch),
    /// No assertion can be moved. The places of the assertions and of the texts beside them; at least one.
    Stuck(Branch, Vec<(usize, usize)>),
}

struct Solver<'a> {
    edges: Edges,
    builder: &'a mut GrammarBuilder,
    deadline: &'a Deadline,
}

impl Solver<'_> {
    fn step(&mut self, branch: Branch) -> Result<Step> {
        let Some(mut branch) = self.normalised(branch) else { return Ok(Step::Dead) };
        let mut changed = false;
        let mut stuck: Vec<(usize, usize)> = Vec::new();
        let mut texts = Texts::of(&branch);
        for at in 0..branch.len() {
            let Item::Look(look) = &branch[at] else { continue };
            self.deadline.check()?;
            let open = self.edges.is_open(look.direction);
            let beside = texts.beside(&branch, at, look.direction);
            match beside {
                None if open && look.window != Some(0) => continue,
                Some(text) if look.window != Some(0) => {
                    let Item::Text(segment) = &branch[text] else { continue };
                    let is_all = !open && texts.beside(&branch, text, look.direction).is_none();
                    let is_enough = look.window.is_some_and(|window| window <= segment.shape.minimum);
                    if !is_all && !is_enough {
                        stuck.push((at, text));
                        continue;
                    }
                    let Some(segment) = look.restrict(segment, self.builder)? else { return Ok(Step::Dead) };
                    branch[text] = Item::Text(segment);
                }
                _ if !look.holds_at_edge(self.builder) => return Ok(Step::Dead),
                _ => {}
            }
            branch[at] = Item::Text(Segment::empty());
            changed = true;
        }
        if changed {
            return Ok(Step::Again(branch));
        }
        Ok(if stuck.is_empty() { Step::Done(branch) } else { Step::Stuck(branch, stuck) })
    }

    /// Joins neighbouring texts, and puts what looks behind before what looks ahead at the same place, each once.
    /// `None` if a text matches nothing, or assertions about the code point beside a place contradict each other.
    fn normalised(&mut self, branch: Branch) -> Option<Branch> {
        /// So many assertions at one place are compared with those after them.
        const FEW: usize = 8;
        let mut result: Branch = Vec::with_capacity(branch.len());
        let mut texts: Vec<Segment> = Vec::new();
        let mut ahead: Vec<Item> = Vec::new();
        // Where the assertions that look behind at this place begin.
        let mut behind = 0;
        for item in branch {
            match item {
                Item::Text(segment) if segment.expression == GrammarBuilder::NOTHING => return None,
                Item::Text(segment) if segment.expression == GrammarBuilder::EMPTY => {}
                Item::Text(segment) => {
                    result.append(&mut ahead);
                    texts.push(segment);
                }
                Item::Look(look) => {
                    if !texts.is_empty() {
                        self.flush(&mut texts, &mut result);
                        behind = result.len();
                    }
                    let at_place = match look.direction {
                        Direction::Ahead => &mut ahead[..],
                        Direction::Behind => &mut result[behind..],
                    };
                    let mut others = at_place.iter().take(FEW).filter_map(as_look);
                    if others.clone().any(|other| other.contradicts(&look)) {
                        return None;
                    }
                    if others.any(|other| other.language == look.language) {
                        continue;
                    }
                    match look.direction {
                        Direction::Ahead => ahead.push(Item::Look(look)),
                        Direction::Behind => result.push(Item::Look(look)),
                    }
                }
            }
        }
        self.flush(&mut texts, &mut result);
        result.append(&mut ahead);
        Some(result)
    }

    fn flush(&mut self, texts: &mut Vec<Segment>, result: &mut Branch) {
        if texts.is_empty() {
            return;
        }
        let mut segment = Segment::concatenation(texts, self.builder);
        if !self.builder.expressions().is_nullable(segment.expression) {
            segment.shape.minimum = segment.shape.minimum.max(1);
        }
        result.push(Item::Text(segment));
        texts.clear();
    }

    /// The cases that a text beside an assertion of one code point is empty, and is not; `None` without such an
    /// assertion. `stuck` holds the places of the assertions and of the texts beside them.
    fn split(&mut self, branch: &Branch, stuck: &[(usize, usize)]) -> Result<Option<[Branch; 2]>> {
        let sees_one = |at: usize| as_look(&branch[at]).is_some_and(|look| look.window == Some(1));
        let Some(&(_, text)) = stuck.iter().find(|&&(at, _)| sees_one(at)) else { return Ok(None) };
        let mut empty = branch.clone();
        empty[text] = Item::Text(Segment::empty());
        let mut longer = branch.clone();
        if let Item::Text(segment) = &mut longer[text] {
            *segment = self.without_empty(segment)?;
        }
        Ok(Some([empty, longer]))
    }

    /// The texts of the segment that are not empty.
    fn without_empty(&mut self, segment: &Segment) -> Result<Segment> {
        use crate::expression::Expression::Repetition;
        let store = self.builder.expressions();
        let expression = match store.get(segment.expression) {
            Repetition { body, minimum: 0, maximum } if !store.is_nullable(body) => {
                let maximum = (maximum != ExpressionStore::UNBOUNDED).then_some(maximum);
                self.builder.repetition(body, 1, maximum)
            }
            _ => {
                let not_empty = self.builder.complement(GrammarBuilder::EMPTY)?;
                self.builder.intersection(&[segment.expression, not_empty])?
            }
        };
        let mut shape = segment.shape.clone();
        shape.minimum = shape.minimum.max(1);
        Ok(Segment { expression, shape })
    }

    /// Puts together what is left of a finished branch.
    fn collect(&mut self, branch: Branch) -> Solved {
        let mut solved = Solved { behind: Vec::new(), segment: Segment::empty(), ahead: Vec::new() };
        for item in branch {
            match item {
                Item::Text(segment) => solved.segment = segment,
                Item::Look(look) if look.direction == Direction::Behind => solved.behind.push(look),
                Item::Look(look) => solved.ahead.push(look),
            }
        }
        solved
    }
}

/// Where the texts of a branch are. Texts may become empty, and assertions too, but never the other way round.
struct Texts {
    /// For each item the text before it, or one that has become empty since.
    before: Vec<Option<usize>>,
    /// The same for the text after it.
    after: Vec<Option<usize>>,
}

impl Texts {
    fn of(branch: &[Item]) -> Self {
        let nearest = |before: Option<usize>, at: usize| if is_text(&branch[at]) { Some(at) } else { before };
        let scan = |last: &mut Option<usize>, at: usize| {
            let found = *last;
            *last = nearest(found, at);
            Some(found)
        };
        let before = (0..branch.len()).scan(None, scan).collect();
        let mut after: Vec<Option<usize>> = (0..branch.len()).rev().scan(None, scan).collect();
        after.reverse();
        Self { before, after }
    }

    /// The text next to an item in a direction, past assertions and what is empty. What is passed is not looked at
    /// again, so that all questions about a branch take time in proportion to its length.
    fn beside(&mut self, branch: &[Item], at: usize, direction: Direction) -> Option<usize> {
        let nearest = match direction {
            Direction::Ahead => &mut self.after,
            Direction::Behind => &mut self.before,
        };
        while let Some(text) = nearest[at].filter(|&text| !is_text(&branch[text])) {
            nearest[at] = nearest[text];
        }
        nearest[at]
    }
}

fn is_text(item: &Item) -> bool {
    matches!(item, Item::Text(segment) if segment.expression != GrammarBuilder::EMPTY)
}

fn as_look(item: &Item) -> Option<&Look> {
    match item {
        Item::Look(look) => Some(look),
        Item::Text(_) => None,
    }
}
