//! What is known of goals and of cases, and how much it is.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::array::{ArrayPlan, ArrayState};
use super::candidates::CandidateTable;
use super::completion::{Completions, PlanNumber};
use super::condition::{ChoiceId, Condition, ConstantsId, FormatId, GoalId, Kind, Terms};
use super::denied::Tells;
use super::evident::EvidentAnswers;
use super::independent_fill::IndependentNames;
use super::object::ObjectPlan;
use super::object_state::ObjectState;
use super::open_choices::{GroupId, Ways};
use super::outlook::Listed;
use super::reduce::Step;
use super::representative::Representatives;
use super::schema::{PatternId, SchemaId};
use super::witnesses::WitnessNames;
use crate::expression::ExpressionId;
use crate::frontend::regex::ClassCache;

/// A conjunction of leaves about one kind of value, sorted.
pub(super) type Case = Arc<[Condition]>;

/// What is known already. It only grows, and depends on the schema and the options alone.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) terms: Terms,
    pub(super) steps: FxHashMap<(Condition, Kind), Step>,
    /// The ways to make choices of objects, `None` where they say more than what there is of members by name.
    pub(super) ways: FxHashMap<ChoiceId, Option<Ways>>,
    pub(super) cases: FxHashMap<(GoalId, Kind), Arc<[Case]>>,
    /// How many more steps searches may take, where a choice is looked at on its own.
    pub(super) steps_of_trial: Option<usize>,
    /// How many choices could not be left open.
    pub(super) failed_trials: usize,
    /// The leaves of all cases found, those included of a search that goes on.
    pub(super) leaves: usize,
    pub(super) satisfiable: FxHashMap<GoalId, bool>,
    pub(super) evident: EvidentAnswers,
    pub(super) representatives: Representatives,
    pub(super) contents: ByCase<ExpressionId>,
    pub(super) numbers: ByCase<ExpressionId>,
    /// The contents of strings that are not among constants, where these are many.
    pub(super) unlike_strings: FxHashMap<ConstantsId, ExpressionId>,
    /// The texts that mean no number among constants, where these are many.
    pub(super) unlike_numbers: FxHashMap<ConstantsId, ExpressionId>,
    pub(super) objects: ByCase<Arc<ObjectPlan>>,
    pub(super) arrays: ByCase<Arc<ArrayPlan>>,
    pub(super) array_completions: Completions<ArrayState>,
    pub(super) object_completions: Completions<ObjectState>,
    /// Of plans of arrays, whether an item can always come for anything that they count.
    pub(super) always_countable: FxHashMap<PlanNumber, bool>,
    /// Of groups of choices in plans of objects, whether they can be made as long as nothing has come of what they are about.
    pub(super) choosable: FxHashMap<(PlanNumber, GroupId), bool>,
    /// Plans all groups of which can be.
    pub(super) all_choosable: FxHashSet<PlanNumber>,
    /// The names of plans of objects that need no others.
    pub(super) independent_names: FxHashMap<PlanNumber, IndependentNames>,
    pub(super) independent_size: usize,
    /// The names of plans of objects that may be each of their witnesses; their size is that of `independent_size`, too.
    pub(super) witness_names: FxHashMap<PlanNumber, Vec<WitnessNames>>,
    /// The members by which objects of schemas can be told.
    pub(super) tells: FxHashMap<SchemaId, Tells>,
    /// Whether no two alternatives of a schema hold for a value of a kind.
    pub(super) exclusive: FxHashMap<(SchemaId, Kind), bool>,
    pub(super) candidates: CandidateTable,
    /// The values that goals list, `None` for those that do not.
    pub(super) listed: FxHashMap<GoalId, Option<Arc<Listed>>>,
    pub(super) patterns: FxHashMap<PatternId, ExpressionId>,
    pub(super) formats: FxHashMap<FormatId, Option<ExpressionId>>,
    pub(super) classes: ClassCache,
    /// Goals whose satisfiability or cases are being worked out.
    pub(super) in_progress: FxHashSet<GoalId>,
    /// Goals that no value satisfies without one for a goal that was being worked out, as far as that still holds.
    pub(super) unknown: FxHashSet<GoalId>,
    /// Goals whose values are being counted.
    pub(super) counting: FxHashSet<GoalId>,
    /// The searches for cases that are under way, each with the number of goals in progress or counted when it began.
    pub(super) searches: FxHashMap<(GoalId, Kind), usize>,
}

impl Tables {
    pub(super) fn new() -> Self {
        Self {
            terms: Terms::new(),
            steps: FxHashMap::default(),
            ways: FxHashMap::default(),
            steps_of_trial: None,
            failed_trials: 0,
            cases: FxHashMap::default(),
            leaves: 0,
            satisfiable: FxHashMap::default(),
            evident: EvidentAnswers::default(),
            representatives: Representatives::default(),
            contents: ByCase::default(),
            numbers: ByCase::default(),
            unlike_strings: FxHashMap::default(),
            unlike_numbers: FxHashMap::default(),
            objects: ByCase::default(),
            arrays: ByCase::default(),
            array_completions: Completions::default(),
            object_completions: Completions::default(),
            always_countable: FxHashMap::default(),
            choosable: FxHashMap::default(),
            all_choosable: FxHashSet::default(),
            independent_names: FxHashMap::default(),
            independent_size: 0,
            witness_names: FxHashMap::default(),
            tells: FxHashMap::default(),
            exclusive: FxHashMap::default(),
            candidates: CandidateTable::default(),
            listed: FxHashMap::default(),
            patterns: FxHashMap::default(),
            formats: FxHashMap::default(),
            classes: ClassCache::default(),
            in_progress: FxHashSet::default(),
            unknown: FxHashSet::default(),
            counting: FxHashSet::default(),
            searches: FxHashMap::default(),
        }
    }

    /// What is known of the schemas themselves, without what was found out by means of expressions: for another
    /// store.
    pub(super) fn without_expressions(&self) -> Self {
        Self { evident: self.evident.clone(), ..Self::new() }
    }

    /// The size of what was multiplied out or read in texts, in conditions and members of plans: all else is about as large
    /// as the schema.
    pub(super) fn size(&self) -> usize {
        self.terms.size()
            + self.leaves
            + self.contents.size
            + self.numbers.size
            + self.objects.size
            + self.arrays.size
            + self.array_completions.size()
            + self.object_completions.size()
            + self.independent_size
            + self.candidates.size()
            + self.unlike_strings.len()
            + self.unlike_numbers.len()
    }
}

/// A case of which one table knows something, by its number there: places of a text name their plan by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CaseId(u32);

/// What is known of cases.
#[derive(Clone, Debug)]
pub(super) struct ByCase<T> {
    ids: FxHashMap<Case, CaseId>,
    known: Vec<(Case, T)>,
    size: usize,
}

impl<T> Default for ByCase<T> {
    fn default() -> Self {
        Self { ids: FxHashMap::default(), known: Vec::new(), size: 0 }
    }
}

impl<T> ByCase<T> {
    pub(super) fn id(&self, leaves: &[Condition]) -> Option<CaseId> {
        self.ids.get(leaves).copied()
    }

    pub(super) fn get(&self, leaves: &[Condition]) -> Option<&T> {
        self.id(leaves).map(|id| self.at(id))
    }

    /// What is known of a case of this table.
    pub(super) fn at(&self, id: CaseId) -> &T {
        &self.known[id.0 as usize].1
    }

    pub(super) fn case(&self, id: CaseId) -> &Case {
        &self.known[id.0 as usize].0
    }

    /// Adds what is known of a case; `size` is what it takes beside the leaves. What was known before remains.
    pub(super) fn insert(&mut self, leaves: &[Condition], value: T, size: usize) -> CaseId {
        if let Some(id) = self.id(leaves) {
            return id;
        }
        let (id, case) = (CaseId(self.known.len() as u32), Case::from(leaves));
        self.known.push((Case::clone(&case), value));
        self.ids.insert(case, id);
        self.size += leaves.len() + size;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::{Kind, ScopeId};
    use super::super::solver::tests::{under, with_solver};
    use super::super::{Options, compile};
    use crate::budget::Budget;
    use crate::error::Error;

    /// Choices that are independent of one another, each between schemas that ask for many names. None is left open, since the
    /// number of members depends on all.
    fn choices(count: usize, names: usize) -> String {
        let required = |choice: usize, alternative: usize| {
            let names = (0..names).map(|at| format!(r#""{choice}-{alternative}-{at}""#)).collect::<Vec<_>>();
            format!(r#"{{"required": [{}]}}"#, names.join(", "))
        };
        let any_of = |choice| format!(r#"{{"anyOf": [{}, {}]}}"#, required(choice, 0), required(choice, 1));
        let all = (0..count).map(any_of).collect::<Vec<_>>().join(", ");
        format!(r#"{{"type": "object", "minProperties": 1, "allOf": [{all}]}}"#)
    }

    /// What multiplies out within one schema is broken off there, and not measured when it is all made.
    #[test]
    fn one_schema_that_takes_too_much_ends_before_it_is_written_out() {
        let listed = |count: usize, schema: &dyn Fn(usize) -> String| {
            (0..count).map(schema).collect::<Vec<_>>().join(", ")
        };
        let one_of = format!(r#""oneOf": [{}]"#, listed(300, &|at| format!(r#"{{"minProperties": {at}}}"#)));
        let evaluated = |count| {
            listed(count, &|at| format!(r#"{{"required": ["{at}"], "properties": {{"{at}": true}}}}"#))
        };
        let rest = r#""unevaluatedProperties": false"#;
        let one_of_many = format!(r#""oneOf": [{}], {rest}"#, evaluated(300));
        let names = listed(5000, &|at| format!(r#""name {at}": true"#));
        for schema in [
            format!("{{{one_of}}}"),
            format!(r#"{{"not": {{{one_of}}}}}"#),
            format!("{{{one_of_many}}}"),
            format!(r#"{{"not": {{{one_of_many}}}}}"#),
            format!(r#"{{"anyOf": [{}], "properties": {{{names}}}, {rest}}}"#, evaluated(8)),
        ] {
            with_solver(&schema, |solver| {
                const LIMIT: usize = 40_000;
                let budget = Budget { expressions: LIMIT, ..solver.budget.clone() };
                let options = solver.options;
                let mut solver = under(solver, options, &budget);
                let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
                let error = solver.cases(root, Kind::Object).unwrap_err();
                assert!(
                    matches!(error, Error::BudgetExceeded { budget: "expressions", .. }),
                    "{error}: {:.100}",
                    schema
                );
                assert!(error.to_string().contains("(at #"), "{error}");
                assert!(solver.tables.size() < LIMIT + 1000, "{}: {:.100}", solver.tables.size(), schema);
            });
        }
    }

    #[test]
    fn many_large_cases_end_at_the_budget_of_what_memory_they_take() {
        let compile = |schema: &str, expressions: usize| {
            let budget = Budget { expressions, ..Budget::default() };
            compile(schema, &[], &Options::default(), &budget)
        };
        let schema = choices(6, 50);
        compile(&schema, Budget::default().expressions).unwrap();
        match compile(&schema, 20_000) {
            Err(Error::BudgetExceeded { budget: "expressions", what, .. }) => {
                assert!(what.contains("(at #)"), "{what}");
            }
            other => panic!("{other:?}"),
        }
    }
}
