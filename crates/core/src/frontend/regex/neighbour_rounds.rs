//! Rounds that ask for what stands beside them, where that shows by their first and last characters, as in
//! `(?:\b[A-Z]\w*\b[ ,.]*)+` and `(?:\d+(?:, |$))+`.
//!
//! What a round asks of the text beside it is asked of the next round, of which something is known, and only at the ends of
//! the repetition of other text. So it is known of two rounds whether the one can follow the other. Where any that has
//! something behind it can stand before any that has something before it, the rounds within a text are any of those that
//! have both; that needs no more than a repetition, however many there are.

use super::look::{Branch, Item, Look};
use super::segment::Segment;
use super::solve::Solved;
use crate::error::Result;
use crate::expression::ExpressionId;
use crate::grammar::GrammarBuilder;

/// So many rounds are compared with one another.
const MOST_COMPARED: usize = 32;

/// Rounds, of which none is empty.
pub(super) struct NeighbourRounds {
    /// Those that others can follow.
    first: Vec<Solved>,
    /// Those that can follow others.
    last: Vec<Solved>,
    /// Those that are both.
    inner: Segment,
    all: Vec<Solved>,
    /// Whether there is an empty round, too. It asks for nothing.
    may_be_empty: bool,
}

/// Rounds at an end of the repetition that ask for the same outside; without a text where they are as those within, and
/// ask for nothing.
struct End {
    looks: Vec<Look>,
    text: Option<Segment>,
}

impl NeighbourRounds {
    /// Sorts the rounds; `None` where it takes more to tell which can follow which, or they are of several such kinds.
    ///
    /// # Errors
    /// Those of intersections and complements, which cannot come of texts.
    pub(super) fn of(solved: &[Solved], builder: &mut GrammarBuilder) -> Result<Option<Self>> {
        if solved.len() > MOST_COMPARED {
            return Ok(None);
        }
        let (mut all, mut may_be_empty) = (Vec::new(), false);
        for one in solved {
            if !builder.expressions().is_nullable(one.segment.expression) {
                all.push(one.clone());
                continue;
            }
            if !one.behind.is_empty() || !one.ahead.is_empty() {
                return Ok(None);
            }
            may_be_empty = true;
            let text = one.segment.clone().without_empty(builder)?;
            all.extend(text.map(|segment| Solved { segment, ..one.clone() }));
        }
        let Some(follows) = which_follow(&all, builder) else { return Ok(None) };
        let is_followed: Vec<bool> = follows.iter().map(|row| row.contains(&true)).collect();
        let is_following: Vec<bool> = (0..all.len()).map(|at| follows.iter().any(|row| row[at])).collect();
        let is_expected = |before: usize, after: usize| {
            follows[before][after] == (is_followed[before] && is_following[after])
        };
        if !(0..all.len()).all(|before| (0..all.len()).all(|after| is_expected(before, after))) {
            return Ok(None);
        }
        let chosen = |is_chosen: &dyn Fn(usize) -> bool| -> Vec<Solved> {
            all.iter().enumerate().filter(|&(at, _)| is_chosen(at)).map(|(_, one)| one.clone()).collect()
        };
        let inner = chosen(&|at| is_followed[at] && is_following[at]);
        Ok(Some(Self {
            first: chosen(&|at| is_followed[at]),
            last: chosen(&|at| is_following[at]),
            inner: together(&inner, builder),
            all,
            may_be_empty,
        }))
    }

    /// The branches of `minimum` to `maximum` rounds, of which there is at least one.
    pub(super) fn branches(
        &self,
        minimum: u32,
        maximum: Option<u32>,
        builder: &mut GrammarBuilder,
    ) -> Vec<Branch> {
        let minimum = if self.may_be_empty { 0 } else { minimum };
        let mut branches = Vec::new();
        if minimum == 0 {
            branches.push(Branch::new());
        }
        if minimum <= 1 {
            for (behind, ahead, segment) in grouped(&self.all, |one| (&one.behind, &one.ahead), builder) {
                branches.push(branch(behind, vec![segment], ahead));
            }
        }
        // Of what is left there are two rounds or more.
        let firsts = self.ends(&self.first, |one| &one.behind, builder);
        let lasts = self.ends(&self.last, |one| &one.ahead, builder);
        for first in &firsts {
            for last in &lasts {
                let ends = u32::from(first.text.is_some()) + u32::from(last.text.is_some());
                let most = maximum.map(|maximum| maximum.checked_sub(ends));
                if most == Some(None) || maximum.is_some_and(|maximum| maximum < 2) {
                    continue;
                }
                let inner = self.inner.repeated(minimum.max(2) - ends, most.flatten(), builder);
                if inner.expression == GrammarBuilder::NOTHING {
                    continue;
                }
                let texts = [first.text.clone(), Some(inner), last.text.clone()];
                branches.push(branch(
                    first.looks.clone(),
                    texts.into_iter().flatten().collect(),
                    last.looks.clone(),
                ));
            }
        }
        branches
    }

    /// The rounds that come first, or last, by what they ask outside.
    fn ends<'s>(
        &self,
        rounds: &'s [Solved],
        looks: impl Fn(&'s Solved) -> &'s Vec<Look>,
        builder: &mut GrammarBuilder,
    ) -> Vec<End> {
        static NONE: Vec<Look> = Vec::new();
        let groups = grouped(rounds, |one| (looks(one), &NONE), builder);
        let ends = groups.into_iter().map(|(looks, _, segment)| {
            let is_inner = looks.is_empty() && segment.expression == self.inner.expression;
            End { looks, text: (!is_inner).then_some(segment) }
        });
        ends.collect()
    }
}

/// For each round, which of the rounds can follow it; `None` if that is not known of two.
fn which_follow(rounds: &[Solved], builder: &GrammarBuilder) -> Option<Vec<Vec<bool>>> {
    let follows = |before: &Solved, after: &Solved| {
        let ahead = before.ahead.iter().map(|look| look.holds_beside(&after.segment, builder));
        let behind = after.behind.iter().map(|look| look.holds_beside(&before.segment, builder));
        let mut known = Some(true);
        for holds in ahead.chain(behind) {
            match holds {
                Some(false) => return Some(false),
                Some(true) => {}
                None => known = None,
            }
        }
        known
    };
    rounds.iter().map(|before| rounds.iter().map(|after| follows(before, after)).collect()).collect()
}

/// The rounds put together by the assertions that a function gives of each.
fn grouped<'s>(
    rounds: &'s [Solved],
    looks: impl Fn(&'s Solved) -> (&'s Vec<Look>, &'s Vec<Look>),
    builder: &mut GrammarBuilder,
) -> Vec<(Vec<Look>, Vec<Look>, Segment)> {
    let languages = |looks: &[Look]| looks.iter().map(|look| look.language).collect::<Vec<ExpressionId>>();
    let key = |one: &'s Solved| {
        let (behind, ahead) = looks(one);
        (languages(behind), languages(ahead))
    };
    let mut groups: Vec<Vec<&'s Solved>> = Vec::new();
    for one in rounds {
        match groups.iter_mut().find(|group| group.iter().take(1).any(|other| key(other) == key(one))) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let mut all = Vec::with_capacity(groups.len());
    for group in groups {
        let Some((behind, ahead)) = group.first().map(|one| looks(one)) else { continue };
        let segments: Vec<Segment> = group.iter().map(|one| one.segment.clone()).collect();
        all.push((behind.clone(), ahead.clone(), Segment::alternation(&segments, builder)));
    }
    all
}

fn together(rounds: &[Solved], builder: &mut GrammarBuilder) -> Segment {
    let segments: Vec<Segment> = rounds.iter().map(|one| one.segment.clone()).collect();
    Segment::alternation(&segments, builder)
}

fn branch(behind: Vec<Look>, texts: Vec<Segment>, ahead: Vec<Look>) -> Branch {
    let behind = behind.into_iter().map(Item::Look);
    behind.chain(texts.into_iter().map(Item::Text)).chain(ahead.into_iter().map(Item::Look)).collect()
}
