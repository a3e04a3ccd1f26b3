use super::super::condition::{Kind, ScopeId};
use super::super::options::Options;
use super::super::schema::SchemaId;
use super::super::solver::tests::{in_either_order, under, with_solver};
use super::*;
use crate::Budget;

/// Of a thousand names that are alike, a search tries one; of those that differ, each.
#[test]
fn a_search_tries_one_of_the_names_that_are_alike() {
    let names = |schema: &dyn Fn(usize) -> String| {
        let names = (0..1000).map(|at| format!(r#""{at}": {}"#, schema(at)));
        names.collect::<Vec<_>>().join(", ")
    };
    let alike = names(&|_| r#"{"type": "integer"}"#.to_owned());
    let different = names(&|at| format!(r#"{{"type": "integer", "minimum": {at}}}"#));
    let witness = r#""not": {"additionalProperties": {"const": 1}}"#;
    let excluded = r#""not": {"const": {"0": 1}}"#;
    for (names, keywords, tried) in [
        (&alike, witness, 1),
        (&alike, r#""required": ["3", "7"]"#, 2),
        (&alike, r#""dependentRequired": {"3": ["7"], "7": ["9"]}"#, 4),
        (&alike, excluded, 1000),
        (&different, witness, 1000),
    ] {
        let text = format!(
            r#"{{"type": "object", "properties": {{{names}}}, "additionalProperties": false, {keywords}}}"#
        );
        with_solver(&text, |solver| {
            let options = Options { order: PropertyOrder::Any, ..solver.options.clone() };
            let budget = solver.budget;
            let mut solver = under(solver, &options, budget);
            let goal = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(goal, Kind::Object).unwrap();
            let plan = solver.object_plan(&cases[0]).unwrap();
            let start = plan.start(solver.excluded(&cases[0], Kind::Object));
            let found = plan.distinct_open_names(&mut solver, &start).len();
            assert_eq!(found, tried, "{keywords}");
        });
    }
}

#[test]
fn too_many_ways_to_go_on_are_told_with_their_place() {
    let names = (0..1000).map(|at| format!(r#""{at}": {{"type": "integer", "minimum": {at}}}"#));
    let names = names.collect::<Vec<_>>().join(", ");
    let witness = r#""not": {"additionalProperties": {"const": 1}}"#;
    let needs = r#""dependentRequired": {"0": ["1"]}"#;
    let schema = format!(
        r#"{{"type": "object", "properties": {{{names}}}, "additionalProperties": false, {needs}, {witness}}}"#
    );
    with_solver(&format!(r#"{{"properties": {{"a": {{"items": {schema}}}}}}}"#), |solver| {
        const PLACE: &str = "#/properties/a/items";
        let place = solver.schemas.schemas.iter().position(|schema| schema.location == PLACE).unwrap();
        let goal = solver.goal_of(SchemaId(place as u32), ScopeId::NONE);
        let cases = solver.cases(goal, Kind::Object).unwrap();
        // What is asked of each name is known before, so that nothing else takes too much.
        let plan = solver.object_plan(&cases[0]).unwrap();
        let start = plan.start(Candidates::NONE);
        assert_eq!(plan.distinct_open_names(solver, &start).len(), 1000);
        assert_eq!(solver.can_meet(&plan, &start).unwrap(), None);
        let (options, budget) = (solver.options, Budget { expressions: 1000, ..solver.budget.clone() });
        let error = under(solver, options, &budget).case_possible(Kind::Object, &cases[0]).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "expressions", .. }), "{error}");
        let what = format!("{} (at {PLACE})", ObjectPlan::SEARCHED);
        assert!(error.to_string().contains(&what), "{error}");
    });
}

/// Where the number of members decides, it decides as the search does.
#[test]
fn many_names_are_open_in_the_order_of_their_contents() {
    let names = (0..100).map(|at| format!(r#""{}{at}": {{}}"#, at % 7)).collect::<Vec<_>>().join(", ");
    in_either_order(&format!(r#"{{"type": "object", "properties": {{{names}}}}}"#), |solver| {
        let goal = solver.goal_of(solver.schemas.root, ScopeId::NONE);
        let cases = solver.cases(goal, Kind::Object).unwrap();
        let plan = solver.object_plan(&cases[0]).unwrap();
        let start = plan.start(Candidates::NONE);
        let [(_, after)] = &solver.after_name(&plan, &start, 3)[..] else { panic!("one way") };
        let open = plan.open_names_by_content(after, PropertyOrder::Any);
        assert!(open.len() >= 96);
        assert!(open.is_sorted_by_key(|&at| solver.tables.terms.content(plan.names[at].name)));
    });
}

#[test]
fn the_search_agrees_with_the_number_of_members() {
    let mut decided = 0;
    for keywords in [
        r#""minProperties": 2"#,
        r#""maxProperties": 2"#,
        r#""minProperties": 3, "additionalProperties": false"#,
        r#""maxProperties": 3, "required": ["b", "d"]"#,
        r#""required": ["a", "c", "d"]"#,
        r#""minProperties": 1, "maxProperties": 1, "required": ["d"], "additionalProperties": false"#,
        r#""maxProperties": 3, "dependentRequired": {"a": ["c"], "d": ["b"]}"#,
        r#""maxProperties": 3, "dependentRequired": {"a": ["b"], "b": ["c"], "c": ["d"]}"#,
        r#""maxProperties": 3, "dependentRequired": {"a": ["c"], "c": ["a", "e"], "e": ["d"], "d": ["f"]}"#,
        r#""dependentRequired": {"a": ["b"], "b": ["c", "a"], "c": ["e"], "e": ["d"], "f": ["g"]}"#,
        r#""dependentRequired": {"d": ["b"], "e": ["c"], "c": ["d", "-"], "a": ["e"]}"#,
        r#""required": ["c"], "dependentRequired": {"a": ["c", "d"], "d": ["e"], "e": ["b"], "b": ["f"]}"#,
        r#""minProperties": 4, "additionalProperties": false"#,
        r#""minProperties": 3, "additionalProperties": false, "required": ["c"]"#,
        r#""minProperties": 3, "maxProperties": 4, "additionalProperties": false, "required": ["b"]"#,
        r#""minProperties": 5, "required": ["b", "q"], "patternProperties": {"^[rs]$": {}}, "additionalProperties": false"#,
        r#""minProperties": 6, "required": ["q"], "maxProperties": 6, "patternProperties": {"^[q-s]$": {}}, "additionalProperties": false"#,
    ] {
        let none = r#"{"allOf": [{"type": "null"}, {"type": "string"}]}"#;
        let text = format!(
            r#"{{"type": "object", "properties": {{"a": {{}}, "b": {{}}, "c": {{}}, "d": {{}}, "-": {none}}}, {keywords}}}"#
        );
        in_either_order(&text, |solver| {
            let order = solver.options.order;
            let goal = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(goal, Kind::Object).unwrap();
            let plan = solver.object_plan(&cases[0]).unwrap();
            let mut waiting = vec![plan.start(Candidates::NONE)];
            while let Some(state) = waiting.pop() {
                let by_number = solver.completes_by_number(&plan, &state).unwrap();
                let mut by_content = plan.open_names_by_content(&state, order);
                by_content.sort_unstable();
                assert_eq!(by_content, plan.open_names(&state, order), "{text} {order:?} {state:?}");
                for at in plan.open_names(&state, order) {
                    if !solver.is_satisfiable(plan.names[at].goal).unwrap() {
                        continue;
                    }
                    let by_number = by_number.as_ref().map(|number| number.after(&plan, at));
                    let [(_, after)] = &solver.after_name(&plan, &state, at)[..] else { panic!("one way") };
                    let completes =
                        solver.can_be_completed(&*plan, after, plan.room(after)).unwrap() == Possible::Yes;
                    if let Some(decision) = by_number {
                        assert_eq!(completes, decision, "{text} {order:?} {state:?} {at}");
                        decided += 1;
                    }
                    if completes {
                        waiting.push(after.clone());
                    }
                }
            }
        });
    }
    assert!(decided > 100, "{decided} were decided");
}
