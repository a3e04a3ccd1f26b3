//! How many values satisfy a goal, as far as it matters.

use super::condition::{Condition, GoalId, Kind};
use super::constant::Constant;
use super::decimal::Decimal;
use super::satisfy::Possible;
use super::solver::Solver;
use crate::error::Result;
use crate::expression::{ByteSet, ExpressionId, ExpressionStore};

impl Solver<'_> {
    /// The number of values that satisfy a goal, counted up to `enough`, and whether it is exact. An
    /// inexact one is too small.
    pub(super) fn count_values(&mut self, goal: GoalId, enough: u64) -> Result<(u64, bool)> {
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
        let mut found: Vec<Constant> = Vec::new();
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
                return Err(self.too_much(
                    "emptiness",
                    self.budget.emptiness,
                    "by the search for a value",
                    "#",
                ));
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
            }
            if waiting.len() as u64 + count >= enough {
                return Ok(enough);
            }
        }
        Ok(count)
    }

    fn count_arrays(&mut self, case: &[Condition], enough: u64) -> Result<(u64, bool)> {
        let plan = self.array_plan(case)?;
        let length = plan.maximum.max(plan.minimum);
        if plan.is_plain() {
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
        if plan.others.iter().any(|class| class.is_endless) && plan.room_beyond_required() {
            return Ok((enough, true));
        }
        for named in &plan.names {
            if named.required && self.count_values(named.goal, enough)?.0 >= enough {
                return Ok((enough, plan.witnesses.is_empty() && plan.differs.is_empty()));
            }
        }
        Ok((1, false))
    }
}
