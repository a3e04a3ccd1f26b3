//! Texts of a branch one after another, with no assertion between them.
//!
//! What asks for the end of a run is answered by as many of its last parts as are surely long enough; the parts before
//! them stay as they are. So in a row of assertions each restricts one part, and not all of the text before, within what
//! the one before has made of it.
//!
//! The parts are the leaves of balanced trees, and a run has few of these, as a number has few digits: a part that is
//! added becomes a tree of its own, and trees of one height become one. That takes the same time however long the run is,
//! and parts are found at both ends in a time that grows with the logarithm of their number.

use std::rc::Rc;

use super::look::{self, Look};
use super::segment::Segment;
use super::tree::Direction;
use crate::error::Result;
use crate::grammar::GrammarBuilder;

/// Texts one after another. They become one expression only when that is asked for. Runs share what they have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Run(Option<Rc<Trees>>);

/// The last parts of a run, and what is before them: trees that are all higher, each than the one after it.
#[derive(Debug)]
struct Trees {
    before: Run,
    last: Rc<Parts>,
    /// No text of all of them has fewer code points.
    minimum: u64,
}

/// Parts in their order. The two sides of a pair differ in height by at most one.
#[derive(Debug)]
enum Parts {
    One(Segment),
    Pair(Pair),
}

#[derive(Debug)]
struct Pair {
    first: Rc<Parts>,
    second: Rc<Parts>,
    height: usize,
    /// No text has fewer code points.
    minimum: u64,
}

impl Run {
    /// The texts of one segment.
    pub(super) fn of(mut segment: Segment, builder: &GrammarBuilder) -> Self {
        if segment.expression == GrammarBuilder::EMPTY {
            return Self::default();
        }
        if !builder.expressions().is_nullable(segment.expression) {
            segment.shape.minimum = segment.shape.minimum.max(1);
        }
        Self::default().and(Rc::new(Parts::One(segment)))
    }

    /// The run, and another one after it.
    pub(super) fn followed_by(&self, other: &Self) -> Self {
        let trees: Vec<&Rc<Parts>> = other.trees().collect();
        trees.into_iter().rev().fold(self.clone(), |run, tree| run.and(Rc::clone(tree)))
    }

    /// The run, and a tree of parts after it.
    fn and(&self, mut last: Rc<Parts>) -> Self {
        let mut before = self;
        while let Some(trees) = before.0.as_deref().filter(|trees| trees.last.height() <= last.height()) {
            last = Parts::joined(&trees.last, &last);
            before = &trees.before;
        }
        let minimum = before.minimum().saturating_add(last.minimum());
        Self(Some(Rc::new(Trees { before: before.clone(), last, minimum })))
    }

    /// The trees of the run, from the last on.
    fn trees(&self) -> impl Iterator<Item = &Rc<Parts>> {
        std::iter::successors(self.0.as_deref(), |trees| trees.before.0.as_deref()).map(|trees| &trees.last)
    }

    fn only_tree(&self) -> Option<&Parts> {
        self.0.as_deref().filter(|trees| trees.before.is_empty()).map(|trees| &*trees.last)
    }

    /// Whether it is known that the run is the empty text.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// No text of the run has fewer code points.
    pub(super) fn minimum(&self) -> u64 {
        self.0.as_ref().map_or(0, |trees| trees.minimum)
    }

    /// The run as one segment.
    pub(super) fn segment(&self, builder: &mut GrammarBuilder) -> Segment {
        if let Some(Parts::One(only)) = self.only_tree() {
            return only.clone();
        }
        let mut segments = Vec::new();
        let mut waiting: Vec<&Parts> = self.trees().map(|tree| &**tree).collect();
        while let Some(parts) = waiting.pop() {
            match parts {
                Parts::One(segment) => segments.push(segment),
                Parts::Pair(pair) => waiting.extend([&*pair.second, &*pair.first]),
            }
        }
        Segment::concatenation(&segments, builder)
    }

    /// The texts of the run that satisfy some assertions at its beginning and some at its end, where the run alone decides;
    /// `None` if there are none. Those that a few of the parts decide restrict these, and all others the whole run.
    pub(super) fn restricted(
        &self,
        ahead: &[Look],
        behind: &[Look],
        builder: &mut GrammarBuilder,
    ) -> Result<Option<Self>> {
        let mut run = self.clone();
        let mut others = Vec::new();
        for looks in [ahead, behind].into_iter().filter(|looks| !looks.is_empty()) {
            let is_near = |look: &&Look| look.window.is_some_and(|window| window <= self.minimum());
            let (near, far): (Vec<&Look>, Vec<&Look>) = looks.iter().partition(is_near);
            others.extend(far);
            let Some(first) = near.first() else { continue };
            let widest = near.iter().filter_map(|look| look.window).fold(0, u64::max);
            let (parts, rest) = run.split(first.direction, widest);
            let Some(parts) = parts.restricted_as_one(&near, builder)? else { return Ok(None) };
            run = match first.direction {
                Direction::Ahead => parts.followed_by(&rest),
                Direction::Behind => rest.followed_by(&parts),
            };
        }
        if others.is_empty() { Ok(Some(run)) } else { run.restricted_as_one(&others, builder) }
    }

    fn restricted_as_one(&self, looks: &[&Look], builder: &mut GrammarBuilder) -> Result<Option<Self>> {
        let segment = self.segment(builder);
        let segment = look::restrict(looks, segment, builder)?;
        Ok(segment.map(|segment| Self::of(segment, builder)))
    }

    /// The first parts of the run, or the last for what looks back: as few as have that many code points in all of their
    /// texts. And the other parts.
    fn split(&self, direction: Direction, least: u64) -> (Self, Self) {
        let Some(trees) = self.0.as_deref() else { return Default::default() };
        let (before, mut last) = (&trees.before, Rc::clone(&trees.last));
        let more = least.saturating_sub(last.minimum());
        match direction {
            Direction::Ahead => {
                last = before.trees().fold(last, |parts, tree| Parts::joined(tree, &parts));
                let (taken, left) = last.split(direction, least);
                let rest = left.map_or_else(Self::default, |left| Self::default().and(left));
                (Self::default().and(taken), rest)
            }
            Direction::Behind if more > 0 && !before.is_empty() => {
                let (taken, left) = before.split(direction, more);
                (taken.and(last), left)
            }
            Direction::Behind => {
                let (taken, left) = last.split(direction, least);
                let rest = left.map_or_else(|| before.clone(), |left| before.and(left));
                (Self::default().and(taken), rest)
            }
        }
    }
}

impl Parts {
    /// The first parts, or the last for what looks back, as few as are surely that long; and the other parts.
    fn split(self: &Rc<Self>, direction: Direction, least: u64) -> (Rc<Self>, Option<Rc<Self>>) {
        let Self::Pair(Pair { first, second, .. }) = &**self else { return (Rc::clone(self), None) };
        let in_order = |near: &Rc<Self>, far: &Rc<Self>| match direction {
            Direction::Ahead => Self::joined(near, far),
            Direction::Behind => Self::joined(far, near),
        };
        let (near, far) = if direction == Direction::Ahead { (first, second) } else { (second, first) };
        let more = least.saturating_sub(near.minimum());
        if more > 0 {
            let (taken, left) = far.split(direction, more);
            return (in_order(near, &taken), left);
        }
        let (taken, left) = near.split(direction, least);
        let rest = left.map_or_else(|| Rc::clone(far), |left| in_order(&left, far));
        (taken, Some(rest))
    }

    fn height(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Pair(pair) => pair.height,
        }
    }

    fn minimum(&self) -> u64 {
        match self {
            Self::One(segment) => segment.shape.minimum,
            Self::Pair(pair) => pair.minimum,
        }
    }

    fn pair(first: &Rc<Self>, second: &Rc<Self>) -> Rc<Self> {
        Rc::new(Self::Pair(Pair {
            first: Rc::clone(first),
            second: Rc::clone(second),
            height: first.height().max(second.height()) + 1,
            minimum: first.minimum().saturating_add(second.minimum()),
        }))
    }

    /// All parts of both: the lower tree goes below the side of the higher one that is next to it.
    fn joined(first: &Rc<Self>, second: &Rc<Self>) -> Rc<Self> {
        match (&**first, &**second) {
            (Self::Pair(pair), _) if pair.height > second.height() + 1 => {
                Self::balanced(&pair.first, &Self::joined(&pair.second, second))
            }
            (_, Self::Pair(pair)) if pair.height > first.height() + 1 => {
                Self::balanced(&Self::joined(first, &pair.first), &pair.second)
            }
            _ => Self::pair(first, second),
        }
    }

    /// The same of two trees that differ in height by at most two.
    fn balanced(first: &Rc<Self>, second: &Rc<Self>) -> Rc<Self> {
        match (&**first, &**second) {
            (Self::Pair(pair), _) if pair.height > second.height() + 1 => match &*pair.second {
                Self::Pair(inner) if inner.height > pair.first.height() => {
                    Self::pair(&Self::pair(&pair.first, &inner.first), &Self::pair(&inner.second, second))
                }
                _ => Self::pair(&pair.first, &Self::pair(&pair.second, second)),
            },
            (_, Self::Pair(pair)) if pair.height > first.height() + 1 => match &*pair.first {
                Self::Pair(inner) if inner.height > pair.second.height() => {
                    Self::pair(&Self::pair(first, &inner.first), &Self::pair(&inner.second, &pair.second))
                }
                _ => Self::pair(&Self::pair(first, &pair.first), &pair.second),
            },
            _ => Self::pair(first, second),
        }
    }
}
