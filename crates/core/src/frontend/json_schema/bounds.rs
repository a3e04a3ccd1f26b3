//! Choices between bounds, put together.
//!
//! What is outside a range is below it or above it. Outside hundreds of ranges, as under `oneOf`, are as many choices between
//! bounds; each combination of their alternatives would be tried as a case, though nearly all are of nothing. What they leave
//! together is as many ranges as there are alternatives at most, and is one choice between these.

use super::condition::{ChoiceId, Condition, GoalId};
use super::decimal::Decimal;
use super::solver::Solver;
use crate::error::Result;

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounded {
    Number,
    Length,
    Items,
    Members,
}

impl Bounded {
    pub(super) const ALL: [Self; 4] = [Self::Number, Self::Length, Self::Items, Self::Members];
}

/// One end of a range. The second number puts ends at the same value in order: it is zero where the value is inside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End(Decimal, i8, Condition);

/// What is between two ends; `None` for no end.
#[derive(Clone, Debug, Default)]
struct Range {
    lower: Option<End>,
    upper: Option<End>,
}

impl Range {
    fn keep(&mut self, end: End, is_lower: bool) {
        let (own, is_tighter): (_, fn(&End, &End) -> bool) = match is_lower {
            true => (&mut self.lower, |new, own| (&new.0, new.1) > (&own.0, own.1)),
            false => (&mut self.upper, |new, own| (&new.0, new.1) < (&own.0, own.1)),
        };
        if own.as_ref().is_none_or(|own| is_tighter(&end, own)) {
            *own = Some(end);
        }
    }

    /// What is in both; `None` where that is nothing.
    fn and(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        other.lower.iter().for_each(|end| both.keep(end.clone(), true));
        other.upper.iter().for_each(|end| both.keep(end.clone(), false));
        let is_empty = match (&both.lower, &both.upper) {
            (Some(lower), Some(upper)) => (&lower.0, lower.1) > (&upper.0, upper.1),
            _ => false,
        };
        (!is_empty).then_some(both)
    }

    /// Whether another one, which does not begin before it, begins in it.
    fn overlaps(&self, other: &Self) -> bool {
        match (&self.upper, &other.lower) {
            (Some(upper), Some(lower)) => (&lower.0, lower.1) <= (&upper.0, upper.1),
            _ => true,
        }
    }

    fn conditions(&self) -> Vec<Condition> {
        self.lower.iter().chain(&self.upper).map(|end| end.2).collect()
    }
}

/// The same, sorted, as ranges of which no two overlap.
fn united(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by(|one, other| one.lower.cmp(&other.lower));
    let mut all: Vec<Range> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.overlaps(&range) => {
                let is_longer = match (&last.upper, &range.upper) {
                    (Some(own), Some(other)) => (&other.0, other.1) > (&own.0, own.1),
                    (Some(_), None) => true,
                    (None, _) => false,
                };
                if is_longer {
                    last.upper = range.upper;
                }
            }
            _ => all.push(range),
        }
    }
    all
}

impl Solver<'_> {
    /// What a choice is about, where each of its alternatives consists of bounds of one thing.
    pub(super) fn bounded_by(&self, choice: ChoiceId) -> Option<Bounded> {
        let mut all = None;
        for &goal in self.tables.terms.alternatives(choice) {
            let conditions = self.tables.terms.conditions(goal);
            for &condition in conditions {
                let (bounded, ..) = self.end(condition)?;
                if *all.get_or_insert(bounded) != bounded {
                    return None;
                }
            }
            if conditions.is_empty() {
                return None;
            }
        }
        all
    }

    /// What leaves and choices between bounds leave of what is bounded, as goals of one range each.
    pub(super) fn ranges_left(
        &mut self,
        bounded: Bounded,
        leaves: &[Condition],
        choices: &[ChoiceId],
    ) -> Result<Vec<GoalId>> {
        let mut left = Vec::from_iter(Range::default().and(&self.range(bounded, leaves)));
        for &choice in choices {
            self.deadline.check()?;
            let alternatives = self.tables.terms.alternatives(choice).iter();
            let alternatives: Vec<Range> =
                alternatives.map(|&goal| self.range(bounded, self.tables.terms.conditions(goal))).collect();
            let both = left.iter().flat_map(|range| alternatives.iter().filter_map(|other| range.and(other)));
            left = united(both.collect());
        }
        Ok(left.iter().map(|range| self.tables.terms.goal(range.conditions())).collect())
    }

    fn range(&self, bounded: Bounded, conditions: &[Condition]) -> Range {
        let mut range = Range::default();
        for (_, is_lower, end) in
            conditions.iter().filter_map(|&condition| self.end(condition)).filter(|end| end.0 == bounded)
        {
            range.keep(end, is_lower);
        }
        range
    }

    /// A bound as the end of a range, the lower one or the upper one.
    fn end(&self, condition: Condition) -> Option<(Bounded, bool, End)> {
        let count = |bounded, is_lower, count: u64| {
            Some((bounded, is_lower, End(Decimal::scaled(i128::from(count), 0)?, 0, condition)))
        };
        let number = |is_lower, bound, outside| {
            Some((
                Bounded::Number,
                is_lower,
                End(self.tables.terms.decimal(bound).clone(), outside, condition),
            ))
        };
        match condition {
            Condition::Minimum { bound, exclusive } => number(true, bound, i8::from(exclusive)),
            Condition::Maximum { bound, exclusive } => number(false, bound, -i8::from(exclusive)),
            Condition::MinimumLength(least) => count(Bounded::Length, true, least),
            Condition::MaximumLength(most) => count(Bounded::Length, false, most),
            Condition::MinimumItems(least) => count(Bounded::Items, true, least),
            Condition::MaximumItems(most) => count(Bounded::Items, false, most),
            Condition::MinimumMembers(least) => count(Bounded::Members, true, least),
            Condition::MaximumMembers(most) => count(Bounded::Members, false, most),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Options, compile};
    use crate::{Budget, Constraint, Matcher, Vocabulary};

    /// Whether each of some documents satisfies a schema.
    fn satisfying(schema: &str, documents: &[String], vocabulary: &Arc<Vocabulary>) -> Vec<bool> {
        let budget = Budget::default();
        let grammar = compile(schema, &[], &Options::default(), &budget).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, vocabulary, &budget).unwrap());
        let is_valid = |document: &String| {
            let mut matcher = Matcher::new(&constraint);
            matcher.accept_bytes(document.as_bytes()).unwrap() && matcher.is_complete()
        };
        documents.iter().map(is_valid).collect()
    }

    /// What is bounded by two keywords, and documents for 0 to 19.
    type Kind = (&'static str, &'static str, fn(usize) -> String);

    #[test]
    fn a_number_is_in_just_one_of_many_ranges() {
        let vocabulary = Arc::new(Vocabulary::of_bytes());
        let kinds: [Kind; 5] = [
            ("minimum", "maximum", |at| at.to_string()),
            ("exclusiveMinimum", "exclusiveMaximum", |at| format!("{at}.0")),
            ("minLength", "maxLength", |at| format!("\"{}\"", "x".repeat(at))),
            ("minItems", "maxItems", |at| format!("[{}]", vec!["0"; at].join(", "))),
            ("minProperties", "maxProperties", |at| {
                let members: Vec<String> = (0..at).map(|name| format!("\"{name}\": 0")).collect();
                format!("{{{}}}", members.join(", "))
            }),
        ];
        let mut number = 1u32;
        let mut random = move |below: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 8) % below
        };
        let mut valid = 0;
        for (least, most, document) in kinds {
            let is_exclusive = least.starts_with("exclusive");
            let documents: Vec<String> = (0..20).map(document).collect();
            for _ in 0..12 {
                let ranges: Vec<(u32, u32)> =
                    (0..2 + random(6)).map(|_| (random(20), 1 + random(9))).collect();
                let schemas = ranges.iter().map(|(from, length)| match random(5) {
                    0 => (*from, u32::MAX, format!(r#"{{"{least}": {from}}}"#)),
                    _ => (
                        *from,
                        from + length,
                        format!(r#"{{"{least}": {from}, "{most}": {}}}"#, from + length),
                    ),
                });
                let schemas: Vec<_> = schemas.collect();
                let texts: Vec<&str> = schemas.iter().map(|(.., text)| text.as_str()).collect();
                let kind = match least {
                    "minimum" | "exclusiveMinimum" => "number",
                    "minLength" => "string",
                    "minItems" => "array",
                    _ => "object",
                };
                let schema = format!(
                    r#"{{"anyOf": [{{"type": "{kind}", "oneOf": [{}]}}, {{"const": null}}]}}"#,
                    texts.join(", ")
                );
                let found = satisfying(&schema, &documents, &vocabulary);
                for (at, found) in (0..).zip(found) {
                    let is_in = |&&(from, to, _): &&(u32, u32, String)| match is_exclusive {
                        true => from < at && at < to,
                        false => from <= at && at <= to,
                    };
                    let expected = schemas.iter().filter(is_in).count() == 1;
                    assert_eq!(found, expected, "{schema}: {}", documents[at as usize]);
                    valid += usize::from(expected);
                }
            }
        }
        assert!(valid > 150, "{valid}");
    }
}
