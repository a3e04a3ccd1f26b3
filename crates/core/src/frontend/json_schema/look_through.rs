//! Refusals before the first text.
//!
//! What cannot be enforced is refused when a schema is compiled, and not in the middle of a text; but the time
//! to the first mask must not grow with what the text never reaches. So all loaded schemas are scanned once for
//! the keywords that are ever refused by name. Where there is none that matters, which is nearly always, only
//! the goals next to the root are looked through, for demands so costly that a budget would run out: such a
//! refusal ([`Error::BudgetExceeded`](crate::Error::BudgetExceeded)) may come later, any other may not. Where
//! there is one, everything is looked through that values can lead to, up to a bound.
//!
//! Some arrays can be enforced where they stand alone, and not where they have to differ from values of the text, which are
//! not known then. So each goal is looked through with the levels on which arrays below it are compared. What that does
//! not foresee, as in schemas that lead back to themselves through `contains`, is still refused later.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::array::ArrayPlan;
use super::condition::{Condition, GoalId, Kind};
use super::constant::Constant;
use super::number::{can_always_be_combined, is_too_long};
use super::satisfy::Possible;
use super::schema::{Body, Keywords, PatternId, SchemaId, TypeSet};
use super::solver::Solver;
use crate::error::Result;

/// How far a schema is looked through.
#[derive(Clone, Copy)]
struct Reach {
    /// So many goals.
    goals: usize,
    /// Of them, so many that take more than a look at their keywords.
    worked_out: usize,
    /// Whether all are worked out that could be refused by name, and not only those that could split into many
    /// cases.
    names: bool,
}

/// Where nothing can be refused but for a budget.
const NEAR: Reach = Reach { goals: 1000, worked_out: 8, names: false };

/// Where something may be refused by name.
const FAR: Reach = Reach { goals: 20_000, worked_out: 20_000, names: true };

/// On how many levels, from that of a value on downwards, arrays may have to differ from others: from those before them under
/// `uniqueItems`, or from constants that are denied.
type ComparedLevels = u32;

/// The goals that a goal leads to, each with the levels on which arrays may have to differ from others.
type Parts = SmallVec<[(GoalId, ComparedLevels); 8]>;

/// The keywords that are refused by name in some company, seen anywhere.
#[derive(Default)]
struct Seen {
    unique_items: bool,
    /// Demands for more than one item, or for items of which it may not be known that there is one.
    demanded_items: bool,
    /// What can demand that a schema does not hold.
    negation: bool,
    /// Arrays whose items are told apart by more than their number: that two of them are equal is not enforced.
    distinct_items: bool,
    /// A pattern, format or number that may be refused wherever it stands.
    refusable: bool,
}

impl Solver<'_> {
    /// Refuses what values of a goal can lead to and what cannot be enforced.
    pub(super) fn look_through(&mut self, root: GoalId) -> Result<()> {
        let looked_through = self.look_through_from(root);
        self.placed_at_last(looked_through)
    }

    fn look_through_from(&mut self, root: GoalId) -> Result<()> {
        let reach = if self.may_refuse_by_name()? { FAR } else { NEAR };
        let mut seen = FxHashMap::from_iter([(root, 0)]);
        let mut waiting = VecDeque::from([root]);
        let mut worked_out = 0;
        while let Some(goal) = waiting.pop_front() {
            self.deadline.check()?;
            let compared = seen.get(&goal).copied().unwrap_or_default();
            let next = match self.plain_parts(goal, compared, reach)? {
                Some(parts) => parts,
                None if worked_out == reach.worked_out => continue,
                None => {
                    worked_out += 1;
                    let parts = self.parts_worked_out(goal, compared);
                    self.placed(parts, goal)?
                }
            };
            for (goal, compared) in next {
                match seen.get(&goal) {
                    Some(&known) if known >= compared => {}
                    None if seen.len() == reach.goals => {}
                    // What was looked through as if less were compared there is looked through again.
                    _ => {
                        seen.insert(goal, compared);
                        waiting.push_back(goal);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether anything loaded could be refused other than for a budget. Compiles all patterns.
    fn may_refuse_by_name(&mut self) -> Result<bool> {
        let schemas = self.schemas;
        let mut seen = Seen::default();
        for pattern in 0..schemas.patterns.len() {
            self.deadline.check()?;
            seen.refusable |= self.pattern(PatternId(pattern as u32)).is_err();
        }
        let mut divisors = Vec::new();
        for schema in &schemas.schemas {
            self.deadline.check()?;
            let Body::Keywords(keywords) = &schema.body else { continue };
            let Keywords { number, array, string, object, applicators, .. } = &**keywords;
            divisors.extend(number.multiple_of.as_ref());
            seen.refusable |= number.bounds().any(is_too_long);
            if let Some(format) = string.format.as_deref().filter(|format| !self.is_plain_format(format)) {
                let format = self.tables.terms.format(format);
                seen.refusable |= self.format(format).is_err();
            }
            seen.unique_items |= array.unique_items;
            seen.demanded_items |=
                array.minimum_items.is_some_and(|least| least > 1) || array.contains.is_some();
            seen.distinct_items |= !array.prefix_items.is_empty()
                || array.items.is_some()
                || array.contains.is_some()
                || array.unevaluated_items.is_some()
                || keywords
                    .constants()
                    .any(|constant| matches!(constant, Constant::Array(_) | Constant::Object(_)));
            seen.negation |= applicators.negation.is_some()
                || applicators.one_of.is_some() && !self.splits_plainly(keywords)
                || applicators.condition.is_some()
                || array.maximum_contains.is_some()
                || array.unevaluated_items.is_some()
                || object.unevaluated_properties.is_some();
        }
        Ok(seen.refusable
            || !divisors.is_empty() && !can_always_be_combined(divisors.into_iter())
            || seen.unique_items && (seen.demanded_items || seen.negation && seen.distinct_items))
    }

    /// The goals that values of a goal lead to, where its keywords show them and that making its plans need not
    /// be tried. They are those that [`parts_worked_out`](Self::parts_worked_out) gives, or parts of them where
    /// names do not matter.
    fn plain_parts(&mut self, goal: GoalId, compared: ComparedLevels, reach: Reach) -> Result<Option<Parts>> {
        let [Condition::Schema { schema, scope, holds: true }] = *self.tables.terms.conditions(goal) else {
            return Ok((goal == GoalId::ANYTHING).then(Parts::new));
        };
        let schemas = self.schemas;
        let Body::Keywords(keywords) = &schemas.schemas[schema.index()].body else { return Ok(None) };
        let mut parts = Parts::new();
        if !keywords.applicators.is_empty() {
            if !keywords.says_only_applicators() || !self.splits_plainly(keywords) {
                return Ok(None);
            }
            let (sole, choice) = (keywords.applicators.sole_conjunct(), keywords.applicators.sole_choice());
            let all = sole.as_slice().iter().chain(choice.map_or(&[][..], |(all, _)| all));
            parts.extend(all.map(|&part| (self.goal_of(part, scope), compared)));
            return Ok(Some(parts));
        }
        let Keywords { array, object, .. } = &**keywords;
        let splits = array.unevaluated_items.is_some()
            || object.unevaluated_properties.is_some()
            || !object.dependent_schemas.is_empty();
        if splits || reach.names && !self.is_enforced_plainly(schema, keywords)? {
            return Ok(None);
        }
        let below = compared.saturating_sub(1);
        if self.evident(schema, Kind::Array) != Some(false) {
            let unique = array.unique_items
                && array.maximum_items.is_none_or(|most| most > 1)
                && !self.may_approximate("uniqueItems");
            let compared = if unique { ComparedLevels::MAX } else { below };
            let items = array.prefix_items.iter().chain(&array.items).chain(&array.contains);
            parts.extend(items.map(|&part| (self.goal_of(part, scope), compared)));
        }
        if self.evident(schema, Kind::Object) != Some(false) {
            let named = object.properties.iter().map(|(_, schema)| schema);
            let matching = object.pattern_properties.iter().map(|(_, schema)| schema);
            let members = named.chain(matching).chain(&object.additional_properties);
            parts.extend(members.map(|&part| (self.goal_of(part, scope), below)));
        }
        Ok(Some(parts))
    }

    /// Whether the cases of a schema that only applies others are just the cases of these.
    fn splits_plainly(&mut self, keywords: &Keywords) -> bool {
        if keywords.applicators.sole_conjunct().is_some() {
            return true;
        }
        let Some((alternatives, is_exclusive)) = keywords.applicators.sole_choice() else { return false };
        !is_exclusive
            || self.are_disjoint(alternatives, TypeSet::ALL)
            || Kind::ALL.into_iter().all(|kind| {
                let open = alternatives.iter().filter(|&&part| self.evident(part, kind) != Some(false));
                open.count() <= 1
            })
    }

    /// Whether nothing that a schema says of the value itself, or of how its parts go together, needs to be
    /// worked out to know that it can be enforced.
    fn is_enforced_plainly(&mut self, schema: SchemaId, keywords: &Keywords) -> Result<bool> {
        let Keywords { number, array, object, string, .. } = keywords;
        if number.multiple_of.is_some()
            || number.bounds().any(is_too_long)
            || array.contains.is_some()
            || array.unique_items
                && (array.minimum_items.is_some_and(|least| least > 1) || !array.prefix_items.is_empty())
            || !object.has_independent_members()
            || Kind::ALL.into_iter().any(|kind| self.evident(schema, kind).is_none())
        {
            return Ok(false);
        }
        if keywords.types.is_none_or(|types| Kind::String.is_in(types)) {
            if let Some(pattern) = string.pattern {
                self.pattern(pattern)?;
            }
            if let Some(format) = string.format.as_deref().filter(|format| !self.is_plain_format(format)) {
                let format = self.tables.terms.format(format);
                self.format(format)?;
            }
        }
        Ok(true)
    }

    /// The goals that values of a goal lead to, with all plans made.
    fn parts_worked_out(&mut self, goal: GoalId, compared: ComparedLevels) -> Result<Parts> {
        let mut parts = Parts::new();
        for kind in Kind::ALL {
            for case in self.cases(goal, kind)?.iter() {
                if self.case_possible(kind, case)? != Possible::Yes {
                    continue;
                }
                let below = compared.saturating_sub(1).max(self.levels_excluded(case));
                match kind {
                    Kind::Array => {
                        let plan = self.array_plan(case)?;
                        if plan.repeats && compared > 0 {
                            return Err(self.cannot_repeat());
                        }
                        let mut items = self.compared_items(&plan, below)?;
                        if !plan.is_plain() {
                            let later = items.iter().map(|&(_, compared)| compared).max().unwrap_or(below);
                            let start = plan.start(self.excluded(case, Kind::Array));
                            let next = self.next_items(&plan, &start)?;
                            items.extend(next.into_iter().map(|(goal, _)| (goal, later)));
                        }
                        parts.append(&mut items);
                    }
                    Kind::Object => {
                        let plan = self.object_plan(case)?;
                        parts.extend(plan.names.iter().map(|named| (named.goal, below)));
                        let asked: BTreeSet<u32> = plan.choices.facts.iter().map(|fact| fact.at).collect();
                        for goals in asked.into_iter().flat_map(|at| plan.goals_told(at as usize)) {
                            parts.push((self.tables.terms.all_of(&goals), below));
                        }
                        parts.extend(plan.others.iter().map(|class| (class.goal, below)));
                    }
                    _ => {}
                }
            }
        }
        Ok(parts)
    }

    /// The goals of the items of a plan. Where items are compared with those before them, all levels are of which there may be
    /// an array or an object before.
    fn compared_items(&mut self, plan: &ArrayPlan, below: ComparedLevels) -> Result<Parts> {
        let mut items = Parts::new();
        let mut before = [(Kind::Array, false), (Kind::Object, false)];
        let goals = plan.prefix.iter().copied().chain([plan.rest, plan.rest]);
        for goal in goals.take(usize::try_from(plan.maximum).unwrap_or(usize::MAX)) {
            let mut compared = below;
            for (kind, is_before) in &mut before {
                if (plan.unique || plan.repeats) && !self.cases(goal, *kind)?.is_empty() {
                    compared = if *is_before { ComparedLevels::MAX } else { compared };
                    *is_before = true;
                }
            }
            items.push((goal, compared));
        }
        Ok(items)
    }

    /// On how many levels below that of a value there are arrays in the constants that a case excludes.
    fn levels_excluded(&self, case: &[Condition]) -> ComparedLevels {
        let terms = &self.tables.terms;
        let mut levels = 0;
        let mut waiting: Vec<(&Constant, ComparedLevels)> = Vec::new();
        for leaf in case {
            if let Condition::OneOf { constants, holds: false } = leaf {
                waiting.extend(terms.constants(*constants).iter().map(|constant| (constant, 0)));
            }
        }
        while let Some((constant, level)) = waiting.pop() {
            match constant {
                Constant::Array(items) => {
                    levels = levels.max(level);
                    waiting.extend(items.iter().map(|item| (item, level + 1)));
                }
                Constant::Object(members) => {
                    waiting.extend(members.values().map(|member| (member, level + 1)));
                }
                _ => {}
            }
        }
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, compile};
    use crate::budget::Budget;
    use crate::error::Error;

    /// A schema that values reach below many others, none of which needs to be worked out.
    fn far_below(schema: &str) -> String {
        let mut text = String::from(r##"{"$ref": "#/$defs/0", "$defs": {"##);
        for at in 0..3000 {
            let next = at + 1;
            text += &format!(
                r##""{at}": {{"type": "object", "properties": {{"a": {{"$ref": "#/$defs/{next}"}}}}}}, "##
            );
        }
        text + &format!(r#""3000": {schema}}}}}"#)
    }

    #[test]
    fn what_cannot_be_enforced_is_refused_however_far_it_is() {
        let (options, budget) = (Options::default(), Budget::default());
        for refused in [
            r#"{"pattern": "(a)\\1"}"#,
            r#"{"patternProperties": {"(a)\\1": {"type": "null"}}}"#,
            r#"{"multipleOf": 123456789012345678901234567890}"#,
            r#"{"allOf": [{"multipleOf": 18446744073709551557}, {"multipleOf": 1000003}]}"#,
            r#"{"prefixItems": [{"type": "null"}], "not": {"uniqueItems": true}}"#,
        ] {
            let error = compile(&far_below(refused), &[], &options, &budget).err();
            assert!(matches!(error, Some(Error::Unsupported { .. })), "{refused}: {error:?}");
        }
        assert!(compile(&far_below("{}"), &[], &options, &budget).is_ok());
    }

    /// An array of two equal items; and one that is so or short, by a condition.
    const REPEATS: &str = r#"{"type": "array", "not": {"uniqueItems": true}}"#;
    const MAY_REPEAT: &str = r#"{"type": "array", "if": {"uniqueItems": true}, "then": {"maxItems": 2}}"#;

    /// Checks whether schemas are refused with one of the two in place of the mark.
    fn check_refusals(outer: &[&str], are_refused: bool) {
        for (outer, inner) in outer.iter().flat_map(|outer| [(outer, REPEATS), (outer, MAY_REPEAT)]) {
            let schema = outer.replace('#', inner);
            match compile(&schema, &[], &Options::default(), &Budget::default()) {
                Ok(_) => assert!(!are_refused, "{schema}"),
                Err(error) => {
                    assert!(are_refused && matches!(error, Error::Unsupported { .. }), "{schema}: {error}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_compared_with_values_of_the_text_is_refused() {
        let outer = [
            r#"{"type": "array", "uniqueItems": true, "items": #}"#,
            r#"{"type": "array", "not": {"uniqueItems": true}, "items": #}"#,
            r#"{"uniqueItems": true, "contains": #, "maxContains": 2}"#,
            r#"{"uniqueItems": true, "prefixItems": [{"type": "null"}, {"type": "array"}, #]}"#,
            r#"{"uniqueItems": true, "items": {"properties": {"a": {"additionalProperties": #}}}}"#,
            r#"{"type": "array", "items": #, "not": {"const": [[1, 1]]}}"#,
            r#"{"properties": {"a": {"items": #}}, "not": {"enum": [1, {"a": [2, [1, 1]]}]}}"#,
        ];
        check_refusals(&outer, true);
    }

    #[test]
    fn what_is_never_compared_is_not_refused() {
        let outer = [
            "#",
            r#"{"type": "array", "items": #}"#,
            r#"{"uniqueItems": true, "maxItems": 1, "items": #}"#,
            r#"{"uniqueItems": true, "prefixItems": [{"type": "null"}, #], "items": {"type": "null"}}"#,
            r#"{"uniqueItems": true, "items": {"type": "array"}, "properties": {"a": #}}"#,
            r#"{"type": "array", "items": #, "not": {"const": [1]}}"#,
            r#"{"type": "array", "items": {"items": #}, "not": {"const": [[1]]}}"#,
        ];
        check_refusals(&outer, false);
        let approximate = Options { approximate: ["uniqueItems".to_owned()].into(), ..Options::default() };
        let schema = outer[1].replace('#', MAY_REPEAT).replacen('{', r#"{"uniqueItems": true, "#, 1);
        assert!(compile(&schema, &[], &Options::default(), &Budget::default()).is_err(), "{schema}");
        assert!(compile(&schema, &[], &approximate, &Budget::default()).is_ok(), "{schema}");
    }

    #[test]
    fn items_of_which_it_is_not_known_that_they_differ_are_refused_wherever_they_are() {
        let (options, budget) = (Options::default(), Budget::default());
        let array = r#"{"uniqueItems": true, "prefixItems": [{"type": "boolean"}, {"type": "boolean"}],
                        "contains": {"type": "integer"}}"#;
        for schema in [array.to_owned(), format!(r#"{{"properties": {{"a": {array}}}}}"#)] {
            let error = compile(&schema, &[], &options, &budget).err();
            assert!(matches!(error, Some(Error::Unsupported { .. })), "{schema}: {error:?}");
        }
    }

    #[test]
    fn what_no_value_leads_to_is_not_refused() {
        let (options, budget) = (Options::default(), Budget::default());
        for schema in [
            r#"{"type": "null", "pattern": "(a)\\1"}"#,
            r#"{"properties": {"a": false}, "$defs": {"b": {"pattern": "(a)\\1"}}}"#,
            r#"{"type": "string", "properties": {"a": {"multipleOf": 123456789012345678901234567890}}}"#,
        ] {
            assert!(compile(schema, &[], &options, &budget).is_ok(), "{schema}");
        }
    }
}
