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
//!
//! Of a piece that alone decides only so much is restricted as is surely as long as the window: the rest of it stays as
//! it is, so that intersections do not nest in a row of assertions.
//!
//! A branch is read from its beginning. A move changes what can be moved only beside the run into which it goes, so that
//! nothing but the end of what has been read is looked at, or what comes before it once that is joined with it. Cases
//! are separated when all of the branch has been read, as it may match nothing. They go on from the place where they
//! differ, and share what is before and after it.

use std::rc::Rc;

use super::look::{Branch, Item, Look};
use super::run::Run;
use super::segment::Segment;
use super::settled::{self, Settled, Stack};
use super::tree::Direction;
use crate::budget::{Budget, Deadline};
use crate::error::{Error, Result};
use crate::grammar::GrammarBuilder;

/// Whether more text, unknown here, may stand before or after the branches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edges {
    pub(super) open_before: bool,
    pub(super) open_after: bool,
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
    mut branches: Vec<Branch>,
    edges: Edges,
    builder: &mut GrammarBuilder,
    budget: &Budget,
    deadline: &Deadline,
) -> Result<Outcome> {
    let mut solver = Solver { edges, builder, deadline };
    let mut solved = Vec::new();
    let mut cases = branches.len();
    while let Some(branch) = branches.pop() {
        let mut read = Settled::default();
        if !solver.read(&mut read, branch)? {
            continue;
        }
        let (read, rest) = read.rewound();
        let mut open = vec![Case { read, rest }];
        while let Some(case) = open.pop() {
            match solver.case(case)? {
                Step::Dead => {}
                Step::Done(one) => solved.push(one),
                Step::Split(both) => {
                    cases += 1;
                    check_cases(cases, budget)?;
                    open.extend(both.into_iter().flatten());
                }
                Step::Stuck(looks) => return Ok(Outcome::Stuck(looks)),
            }
        }
    }
    Ok(Outcome::Solved(solved))
}

/// The beginning of a pattern in one of the ways in which it can be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix {
    read: Settled,
    /// What comes after what has been read.
    unread: Branch,
}

impl From<Branch> for Prefix {
    fn from(unread: Branch) -> Self {
        Self { read: Settled::default(), unread }
    }
}

impl Prefix {
    /// How many items it has.
    pub(super) fn parts(&self) -> usize {
        self.read.parts() + self.unread.len()
    }

    pub(super) fn extend(&mut self, items: &[Item]) {
        self.unread.extend_from_slice(items);
    }

    pub(super) fn into_branch(self, builder: &mut GrammarBuilder) -> Branch {
        let mut branch = self.read.branch(builder);
        branch.extend(self.unread);
        branch
    }
}

/// The prefixes without those that match nothing whatever stands around them, as far as that shows without cases.
/// They are read, so that assertions that they decide are gone, and extending them takes no copy of them.
pub(super) fn without_dead(
    prefixes: Vec<Prefix>,
    builder: &mut GrammarBuilder,
    deadline: &Deadline,
) -> Result<Vec<Prefix>> {
    let edges = Edges { open_before: true, open_after: true };
    let mut solver = Solver { edges, builder, deadline };
    let mut alive = Vec::with_capacity(prefixes.len());
    for Prefix { mut read, unread } in prefixes {
        if solver.read(&mut read, unread)? {
            alive.push(Prefix { read, unread: Branch::new() });
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

/// A branch that is read a second time, to separate cases. No assertion of what is still to be read can be moved.
struct Case {
    read: Settled,
    /// What comes after that, as a stack of which each place is behind its run.
    rest: Stack,
}

enum Step {
    /// The case matches nothing.
    Dead,
    /// Only assertions about unknown text are left.
    Done(Solved),
    /// Two cases in place of one, but for those that match nothing.
    Split([Option<Case>; 2]),
    /// The assertions that cannot be moved; at least one.
    Stuck(Vec<Look>),
}

struct Solver<'a> {
    edges: Edges,
    builder: &'a mut GrammarBuilder,
    deadline: &'a Deadline,
}

impl Solver<'_> {
    /// Reads all items of a branch, and moves all assertions that can be moved; false if it matches nothing.
    fn read(&mut self, read: &mut Settled, branch: Branch) -> Result<bool> {
        for item in branch {
            let goes_on = match item {
                Item::Text(Segment { expression: GrammarBuilder::NOTHING, .. }) => false,
                Item::Text(Segment { expression: GrammarBuilder::EMPTY, .. }) => true,
                // The assertions at the place decide whether the text goes on with the one before.
                Item::Text(segment) if read.place.is_empty() || self.settle(read, false)? => {
                    read.append(&Run::of(segment, self.builder));
                    true
                }
                Item::Text(_) => false,
                Item::Look(look) if look.window == Some(0) => look.holds_at_edge(self.builder),
                Item::Look(look) => Rc::make_mut(&mut read.place).add(look),
            };
            if !goes_on {
                return Ok(false);
            }
        }
        self.settle(read, true)
    }

    /// Moves the assertions beside the last run into it. Where that leaves a place without any, the runs around it are one,
    /// so that more can be moved. False if nothing matches. No assertion before that can be moved; `is_end` says whether
    /// nothing comes after.
    fn settle(&mut self, read: &mut Settled, is_end: bool) -> Result<bool> {
        let is_end = is_end && !self.edges.open_after;
        while self.holds_at_edges(read, is_end) {
            self.deadline.check()?;
            let Some(link) = read.before.top() else { return Ok(true) };
            let is_beginning = !self.edges.open_before && link.before.top().is_none();
            let minimum = link.run.minimum();
            let decides =
                |look: &Look, is_all: bool| is_all || look.window.is_some_and(|window| window <= minimum);
            let is_ahead = |look: &Look| decides(look, is_end);
            let is_behind = |look: &Look| decides(look, is_beginning);
            if !link.place.ahead.iter().any(is_ahead) && !read.place.behind.iter().any(is_behind) {
                return Ok(true);
            }
            let Some((mut place, run)) = read.before.pop() else { return Ok(true) };
            let ahead = settled::take(&mut place, Direction::Ahead, is_ahead);
            let behind = settled::take(&mut read.place, Direction::Behind, is_behind);
            let Some(run) = run.restricted(&ahead, &behind, self.builder)? else { return Ok(false) };
            let after = std::mem::replace(&mut read.place, place);
            if !run.is_empty() {
                read.append(&run);
                read.place = after;
            } else if !Rc::make_mut(&mut read.place).add_all(&after) {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Takes the assertions away that ask for text beyond an edge; false if one of them does not hold there.
    fn holds_at_edges(&self, read: &mut Settled, is_end: bool) -> bool {
        let is_beginning = !self.edges.open_before && read.before.top().is_none();
        let mut at_edges = Vec::new();
        if is_beginning {
            at_edges.extend(settled::take(&mut read.place, Direction::Behind, |_| true));
        }
        if is_end {
            at_edges.extend(settled::take(&mut read.place, Direction::Ahead, |_| true));
        }
        at_edges.iter().all(|look| look.holds_at_edge(self.builder))
    }

    /// Goes on with a case as far as no two cases have to be separated.
    fn case(&mut self, mut case: Case) -> Result<Step> {
        loop {
            if let Some(both) = self.split(&case)? {
                return Ok(Step::Split(both));
            }
            let Some((place, run)) = case.rest.pop() else { break };
            case.read.append(&run);
            case.read.place = place;
            if !self.settle(&mut case.read, case.rest.top().is_none())? {
                return Ok(Step::Dead);
            }
        }
        let stuck = case.read.beside_texts();
        Ok(if stuck.is_empty() { Step::Done(self.collect(case.read)) } else { Step::Stuck(stuck) })
    }

    /// The cases that the last run is empty, and is not, where that decides an assertion of one code point beside it;
    /// `None` if there is no such assertion, or the run goes on.
    fn split(&mut self, case: &Case) -> Result<Option<[Option<Case>; 2]>> {
        let Case { read, rest } = case;
        let is_end = rest.top().is_none();
        let Some(link) = read.before.top().filter(|_| is_end || !read.place.is_empty()) else {
            return Ok(None);
        };
        let sees_one = |look: &Look| look.window == Some(1);
        if !link.place.ahead.iter().chain(&read.place.behind).any(sees_one) {
            return Ok(None);
        }
        let before = || Settled { before: link.before.clone(), place: Rc::clone(&link.place) };
        let mut empty = before();
        let is_alive =
            Rc::make_mut(&mut empty.place).add_all(&read.place) && self.settle(&mut empty, is_end)?;
        let empty = is_alive.then(|| Case { read: empty, rest: rest.clone() });
        let Some(run) = self.without_empty(&link.run)? else { return Ok(Some([empty, None])) };
        let mut longer = before();
        longer.append(&run);
        longer.place = Rc::clone(&read.place);
        let is_alive = self.settle(&mut longer, is_end)?;
        let longer = is_alive.then(|| Case { read: longer, rest: rest.clone() });
        Ok(Some([empty, longer]))
    }

    /// The texts of the run that are not empty; `None` if there are none.
    fn without_empty(&mut self, run: &Run) -> Result<Option<Run>> {
        let text = run.segment(self.builder).without_empty(self.builder)?;
        Ok(text.map(|text| Run::of(text, self.builder)))
    }

    /// Puts together what is left of a finished branch.
    fn collect(&mut self, mut read: Settled) -> Solved {
        let (first, segment) = match read.before.pop() {
            Some((first, run)) => (first, run.segment(self.builder)),
            None => (Rc::clone(&read.place), Segment::empty()),
        };
        Solved { behind: first.behind.clone(), segment, ahead: read.place.ahead.clone() }
    }
}
