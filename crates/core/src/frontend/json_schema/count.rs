//! How many values satisfy a goal, as far as it matters.

use super::condition::{Condition, GoalId, Kind};
use super::constant::Constant;
use super::decimal::Decimal;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::{Error, Result};
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};
use crate::stack;

impl Solver<'_> {
    /// The number of values that satisfy a goal, counted up to `enough`, and whether it is exact. An
    /// inexact one is too small.
    ///
    /// Values within values of the same goal are not counted, since there the question would come again.
    #[inline(never)] // the search leads back here
    pub(super) fn count_values(&mut self, goal: GoalId, enough: u64) -> Result<(u64, bool)> {
        let nesting = self.check_nesting(self.tables.counting.len(), self.budget.greatest_nesting());
        self.placed(nesting, goal)?;
        if !self.tables.counting.insert(goal) {
            return Ok((0, false));
        }
        let counted = stack::with_enough(|| self.count_in_each_kind(goal, enough));
        self.tables.counting.remove(&goal);
        self.placed(counted, goal)
    }

    fn count_in_each_kind(&mut self, goal: GoalId, enough: u64) -> Result<(u64, bool)> {
        let (mut total, mut is_exact) = (0, true);
        for kind in Kind::ALL {
            let cases = self.cases(goal, kind)?;
            let mut most = 0;
            let mut possible = 0;
            for case in cases.iter() {
                if self.case_possible(kind, case)? != Possible::Yes {
                    continue;
                }
                possible += 1;
                let (count, exact) = match kind {
                    Kind::Null => (1, true),
                    Kind::Boolean => (self.booleans(case).len() as u64, true),
                    Kind::Number => (self.count_numbers(case, enough)?, true),
                    Kind::String => {
                        let content = self.content(case)?;
                        (self.count_texts(content, enough)?, true)
                    }
                    Kind::Array => self.count_arrays(case, enough)?,
                    Kind::Object => self.count_objects(case, enough)?,
                };
                most = count.max(most);
                is_exact &= exact;
            }
            // Cases may overlap, so only one of them counts.
            is_exact &= possible <= 1;
            total += most;
            if total >= enough {
                return Ok((enough, true));
            }
        }
        Ok((total, is_exact))
    }

    fn count_numbers(&mut self, case: &[Condition], enough: u64) -> Result<u64> {
        /// So many are soon found one by one, each the shortest that differs from those before.
        const FEW: u64 = 16;
        let mut found: Vec<Constant> = Vec::new();
        if enough > FEW {
            let text = self.number_text(case)?;
            let usual = self.usual_number();
            let usual = self.expressions.intersection(&[text, usual]);
            if self.count_texts(usual, enough)? >= enough {
                return Ok(enough);
            }
            found.extend(self.numbers_among(usual)?.into_iter().map(Constant::Number));
        }
        while (found.len() as u64) < enough {
            let mut conditions = case.to_vec();
            if !found.is_empty() {
                conditions.push(self.tables.terms.one_of(found.clone(), false));
            }
            conditions.sort_unstable();
            let text = self.number_text(&conditions)?;
            let Some(witness) = self.shortest_match(text)? else { break };
            let number = std::str::from_utf8(&witness).ok().and_then(Decimal::parse);
            let Some(number) = number else { break };
            found.push(Constant::Number(number));
        }
        Ok(found.len() as u64)
    }

    /// One text for each number: without an exponent, a minus before zero, or zeros at the end of a fraction.
    fn usual_number(&mut self) -> ExpressionId {
        let store = &mut *self.expressions;
        let (zero, point, minus) = (store.literal(b"0"), store.literal(b"."), store.literal(b"-"));
        let (digit, positive) =
            (store.bytes(ByteSet::range(b'0', b'9')), store.bytes(ByteSet::range(b'1', b'9')));
        let digits = store.repetition(digit, 0, None);
        let sign = store.repetition(minus, 0, Some(1));
        let integer = store.concatenate(positive, digits);
        let whole = store.alternatives(&[zero, integer]);
        let fraction = store.concatenation(&[sign, whole, point, digits, positive]);
        let integer = store.concatenate(sign, integer);
        store.alternatives(&[zero, integer, fraction])
    }

    /// The numbers whose texts match a regular expression over ASCII, of which there must not be many.
    fn numbers_among(&mut self, texts: ExpressionId) -> Result<Vec<Decimal>> {
        let mut found = Vec::new();
        let mut waiting = vec![(texts, String::new())];
        while let Some((at, text)) = waiting.pop() {
            self.deadline.check()?;
            if self.expressions.is_nullable(at) {
                found.extend(Decimal::parse(&text));
            }
            for byte in ByteSet::range(0x20, 0x7E).iter() {
                let next = self.expressions.derive_whole(at, byte, &mut ByteSet::ALL.clone());
                if self.emptiness.is_alive_content(self.expressions, next, self.deadline)? {
                    waiting.push((next, format!("{text}{}", char::from(byte))));
                }
            }
        }
        Ok(found)
    }

    /// Some match of a regular expression over ASCII that has one.
    fn shortest_match(&mut self, id: ExpressionId) -> Result<Option<Vec<u8>>> {
        let mut seen = rustc_hash::FxHashSet::from_iter([id]);
        let mut queue = std::collections::VecDeque::from([(id, Vec::new())]);
        while let Some((at, text)) = queue.pop_front() {
            self.deadline.check()?;
            if at != ExpressionStore::NOTHING && self.expressions.is_nullable(at) {
                return Ok(Some(text));
            }
            for (byte, next) in self.successors(at, &ByteSet::range(0x20, 0x7E))? {
                if seen.insert(next) {
                    queue.push_back((next, text.iter().copied().chain([byte]).collect()));
                }
            }
            if seen.len() > self.budget.emptiness {
                return Err(Error::exceeded("emptiness", self.budget.emptiness, "by the search for a value"));
            }
        }
        Ok(None)
    }

    /// What lives on after each byte of an alphabet; one byte for all that leave the same.
    fn successors(&mut self, at: ExpressionId, alphabet: &ByteSet) -> Result<Vec<(u8, ExpressionId)>> {
        let mut left = *alphabet;
        let mut found = Vec::new();
        while let Some(byte) = left.iter().next() {
            let mut class = ByteSet::ALL;
            let next = self.expressions.derive_whole(at, byte, &mut class);
            left = left.difference(&class);
            if next != ExpressionStore::NOTHING {
                found.push((byte, next));
            }
        }
        Ok(found)
    }

    /// The number of matches of a content, up to `enough`.
    pub(super) fn count_texts(&mut self, content: ExpressionId, enough: u64) -> Result<u64> {
        let mut waiting = vec![content];
        let mut count = 0;
        while let Some(at) = waiting.pop() {
            self.deadline.check()?;
            count += u64::from(self.expressions.is_nullable(at));
            if count >= enough {
                return Ok(enough);
            }
            let mut left = ByteSet::ALL;
            while let Some(byte) = left.iter().next() {
                let mut class = ByteSet::ALL;
                let next = self.expressions.derive_whole(at, byte, &mut class);
                let same = left.intersection(&class).len();
                left = left.difference(&class);
                if self.emptiness.is_alive_content(self.expressions, next, self.deadline)? {
                    // Every byte of the class begins at least one match.
                    let copies = same.min(usize::try_from(enough).unwrap_or(usize::MAX));
                    waiting.extend(std::iter::repeat_n(next, copies));
                }
                if waiting.len() as u64 + count >= enough {
                    return Ok(enough);
                }
            }
        }
        Ok(count)
    }

    fn count_arrays(&mut self, case: &[Condition], enough: u64) -> Result<(u64, bool)> {
        let plan = self.array_plan(case)?;
        let length = plan.maximum.max(plan.minimum);
        if plan.is_plain() && self.excluded(case, Kind::Array).are_none() {
            let first = plan.goal_at(0);
            if length > 0 && self.possible(first)? == Possible::Yes {
                let at_rest = plan.prefix.is_empty() && length >= enough.saturating_add(plan.minimum);
                if at_rest || self.count_values(first, enough)?.0 >= enough && plan.minimum <= 1 {
                    return Ok((enough, true));
                }
            }
        }
        Ok((1, false))
    }

    fn count_objects(&mut self, case: &[Condition], enough: u64) -> Result<(u64, bool)> {
        let plan = self.object_plan(case)?;
        for class in &plan.others {
            if plan.room_beyond_demanded()
                && self.possible(class.goal)? == Possible::Yes
                && (class.is_free || self.count_texts(class.content, enough)? >= enough)
            {
                return Ok((enough, true));
            }
        }
        if !plan.witnesses.is_empty() {
            return Ok((1, false));
        }
        let excluded = self.excluded(case, Kind::Object);
        let with_excluded = enough.saturating_add(self.candidate_count(excluded));
        for (at, named) in plan.names.iter().enumerate().filter(|(_, named)| named.required) {
            // Choices may ask for some values only.
            let count = match plan.choices.facts_of(at).next() {
                None => self.count_values(named.goal, with_excluded)?.0,
                Some(_) => self.count_with_choices(&plan, at, with_excluded)?,
            };
            if count >= with_excluded {
                return Ok((enough, true));
            }
        }
        Ok((1, false))
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::ScopeId;
    use super::super::solver::tests::with_solver;
    use super::*;

    #[test]
    fn numbers_are_counted_by_value_however_many_are_asked_for() {
        for (schema, count) in [
            (r#"{"type": "integer", "minimum": -3, "maximum": 4}"#, Some(8)),
            (r#"{"type": "integer", "minimum": -30, "exclusiveMaximum": 40}"#, Some(70)),
            (r#"{"enum": [0, -0.0, 1e2, 100, 1.50, 1.5, 2e-3, 1e300, "5", -1]}"#, Some(6)),
            (r#"{"minimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.025}"#, Some(40)),
            (r#"{"type": "number", "minimum": 9e20, "maximum": 9.000000000000000000001e20}"#, None),
            (r#"{"type": "integer", "minimum": 1e20}"#, None),
        ] {
            with_solver(schema, |solver| {
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                let case = solver.cases(root, Kind::Number).unwrap();
                for enough in [1, 5, 17, 60, 200] {
                    let [case] = &*case else { panic!("one case of {schema}") };
                    let expected = count.unwrap_or(enough).min(enough);
                    assert_eq!(solver.count_numbers(case, enough).unwrap(), expected, "{schema} {enough}");
                }
            });
        }
    }

    #[test]
    fn thousands_of_numbers_are_not_counted_one_by_one() {
        let values: Vec<String> = (0..2000).map(|value| value.to_string()).collect();
        with_solver(&format!(r#"{{"enum": [{}]}}"#, values.join(",")), |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            for enough in [1999, 2000, 2001] {
                assert_eq!(solver.count_values(root, enough).unwrap().0, enough.min(2000));
            }
            assert!(solver.expressions.size() < 500_000, "{} expressions", solver.expressions.size());
        });
    }
}
