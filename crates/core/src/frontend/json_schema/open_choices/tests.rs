use std::sync::Arc;

use super::super::condition::{Condition, Kind, ScopeId};
use super::super::options::{Options, PropertyOrder};
use super::super::solver::tests::{in_either_order, with_solver};
use super::super::{Error, compile};
use super::groups;
use crate::{Budget, Constraint, Matcher, Vocabulary};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const VALUES: [&str; 3] = ["true", "\"x\"", "null"];

/// The members of an object: of each name, which value it has, if it is there.
type Object = [Option<usize>; NAMES.len()];

/// A schema about few members, as text and as what it means.
#[derive(Clone, Debug)]
enum Small {
    Required(Vec<usize>),
    Forbidden(usize),
    /// If the member is there, its value is one of some.
    OneOf(usize, Vec<usize>),
    /// The member is there, and its value is one of some.
    Is(usize, Vec<usize>),
    Text(usize),
    If(Box<[Self; 3]>),
    AnyOf(Vec<Self>),
    OneOfAll(Vec<Self>),
    NotAll(Vec<Self>),
}

impl Small {
    fn text(&self) -> String {
        let list = |all: &[Self]| all.iter().map(Self::text).collect::<Vec<_>>().join(", ");
        let values =
            |values: &[usize]| values.iter().map(|&value| VALUES[value]).collect::<Vec<_>>().join(", ");
        match self {
            Self::Required(names) => {
                let names: Vec<String> = names.iter().map(|&name| format!("{:?}", NAMES[name])).collect();
                format!(r#"{{"required": [{}]}}"#, names.join(", "))
            }
            Self::Forbidden(name) => format!(r#"{{"properties": {{"{}": false}}}}"#, NAMES[*name]),
            Self::OneOf(name, of) => {
                format!(r#"{{"properties": {{"{}": {{"enum": [{}]}}}}}}"#, NAMES[*name], values(of))
            }
            Self::Is(name, of) => {
                let (name, of) = (NAMES[*name], values(of));
                format!(r#"{{"properties": {{"{name}": {{"enum": [{of}]}}}}, "required": ["{name}"]}}"#)
            }
            Self::Text(name) => {
                format!(r#"{{"properties": {{"{}": {{"type": "string", "minLength": 1}}}}}}"#, NAMES[*name])
            }
            Self::If(parts) => {
                let [condition, then, otherwise] = parts.each_ref().map(Self::text);
                format!(r#"{{"if": {condition}, "then": {then}, "else": {otherwise}}}"#)
            }
            Self::AnyOf(all) => format!(r#"{{"anyOf": [{}]}}"#, list(all)),
            Self::OneOfAll(all) => format!(r#"{{"oneOf": [{}]}}"#, list(all)),
            Self::NotAll(all) => format!(r#"{{"not": {{"allOf": [{}]}}}}"#, list(all)),
        }
    }

    fn holds(&self, object: &Object) -> bool {
        let holds = |schema: &Self| schema.holds(object);
        match self {
            Self::Required(names) => names.iter().all(|&name| object[name].is_some()),
            Self::Forbidden(name) => object[*name].is_none(),
            Self::OneOf(name, of) => object[*name].is_none_or(|value| of.contains(&value)),
            Self::Is(name, of) => object[*name].is_some_and(|value| of.contains(&value)),
            Self::Text(name) => object[*name].is_none_or(|value| VALUES[value] == "\"x\""),
            Self::If(parts) => holds(&parts[if holds(&parts[0]) { 1 } else { 2 }]),
            Self::AnyOf(all) => all.iter().any(holds),
            Self::OneOfAll(all) => all.iter().filter(|schema| holds(schema)).count() == 1,
            Self::NotAll(all) => !all.iter().all(holds),
        }
    }
}

/// Numbers that follow from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % count
    }

    fn values(&mut self) -> Vec<usize> {
        let all = 1 + self.below(6);
        (0..VALUES.len()).filter(|value| all >> value & 1 == 1).collect()
    }

    /// A schema about one of some names, or about all.
    fn simple(&mut self, names: &[usize]) -> Small {
        let name = names[self.below(names.len())];
        match self.below(6) {
            0 | 1 => Small::Required(vec![name]),
            2 => Small::Required(names.to_vec()),
            3 => Small::Forbidden(name),
            4 => Small::Is(name, self.values()),
            _ if self.below(4) == 0 => Small::Text(name),
            _ => Small::OneOf(name, self.values()),
        }
    }

    fn choice(&mut self) -> Small {
        let first = self.below(NAMES.len());
        let names = [first, (first + 1 + self.below(2)) % NAMES.len()];
        match self.below(6) {
            0..=2 => {
                let anything = Small::Required(Vec::new());
                let otherwise = if self.below(2) == 0 { anything } else { self.simple(&names) };
                Small::If(Box::new([self.simple(&names), self.simple(&names), otherwise]))
            }
            3 => Small::AnyOf(vec![self.simple(&names), self.simple(&names)]),
            4 => Small::OneOfAll(vec![self.simple(&names), self.simple(&names)]),
            _ => Small::NotAll(vec![self.simple(&names), self.simple(&names)]),
        }
    }

    /// A choice between two members that are there or not.
    fn pair(&mut self) -> Small {
        let mut one = || match self.below(3) {
            0 => Small::Required(vec![self.below(NAMES.len())]),
            _ => Small::Forbidden(self.below(NAMES.len())),
        };
        Small::AnyOf(vec![one(), one()])
    }
}

fn all_objects() -> Vec<Object> {
    let mut all = vec![Object::default()];
    for name in 0..NAMES.len() {
        let with = |object: Object| {
            [None, Some(0), Some(1), Some(2)].map(|value| {
                let mut object = object;
                object[name] = value;
                object
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

fn schema_text(choices: &[Small], required: &Small, is_closed: bool) -> String {
    let properties: Vec<String> =
        NAMES.iter().map(|name| format!(r#""{name}": {{"enum": [{}]}}"#, VALUES.join(", "))).collect();
    let choices: Vec<String> = choices.iter().map(Small::text).collect();
    let rest = if is_closed { r#", "additionalProperties": false"# } else { "" };
    format!(
        r#"{{"type": "object", "properties": {{{}}}, "allOf": [{}, {}]{rest}}}"#,
        properties.join(", "),
        choices.join(", "),
        required.text()
    )
}

fn assert_exact(choices: &[Small], text: &str, order: PropertyOrder, draws: &mut Draws) {
    let options = Options { order, ..Options::default() };
    let valid: Vec<Object> = all_objects()
        .into_iter()
        .filter(|object| choices.iter().all(|choice| choice.holds(object)))
        .collect();
    let grammar = match compile(text, &[], &options, &Budget::default()) {
        Ok(grammar) => grammar,
        Err(Error::EmptyGrammar(_)) => return assert!(valid.is_empty(), "{text}"),
        Err(error) => panic!("{error}: {text}"),
    };
    let vocabulary = Arc::new(Vocabulary::of_bytes());
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default()).unwrap());
    for object in all_objects() {
        let mut members: Vec<usize> = (0..NAMES.len()).filter(|&name| object[name].is_some()).collect();
        if order == PropertyOrder::Any {
            (1..members.len()).for_each(|at| members.swap(at, draws.below(at + 1)));
        }
        let last = members.last().copied();
        let goes_on = |other: &Object| {
            (0..NAMES.len()).all(|name| match object[name] {
                Some(value) => other[name] == Some(value),
                None => other[name].is_none() || order == PropertyOrder::Any || Some(name) > last,
            })
        };
        let text_of = |&name: &usize| {
            let value = object[name].map_or("", |value| VALUES[value]);
            format!("\"{}\":{value}", NAMES[name])
        };
        let members: Vec<String> = members.iter().map(text_of).collect();
        let begun = format!("{{{}", members.join(","));
        let mut matcher = Matcher::new(&constraint);
        // What has begun is taken just where it can be completed.
        let is_taken = matcher.accept_bytes(begun.as_bytes()).unwrap();
        let can_be_completed = valid.iter().any(goes_on);
        assert_eq!(is_taken, can_be_completed, "{begun} {order:?} {text}");
        let ends = is_taken && matcher.accept_bytes(b"}").unwrap() && matcher.is_complete();
        assert_eq!(ends, valid.contains(&object), "{begun} {order:?} {text}");
    }
}

#[test]
fn choices_that_are_left_open_are_made_by_what_comes() {
    let mut draws = Draws(7);
    let mut left_open = 0;
    for round in 0..200 {
        let choices: Vec<Small> = match round % 4 {
            0 => (0..6 + draws.below(9)).map(|_| draws.pair()).collect(),
            _ => (0..4 + draws.below(3)).map(|_| draws.choice()).collect(),
        };
        let required = Small::Required((0..draws.below(2)).map(|_| draws.below(NAMES.len())).collect());
        let text = schema_text(&choices, &required, round % 2 == 0);
        let choices: Vec<Small> = choices.into_iter().chain([required]).collect();
        with_solver(&text, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            let is_open = |leaf: &Condition| matches!(leaf, Condition::Either(_));
            left_open += usize::from(cases.iter().any(|case| case.iter().any(is_open)));
        });
        for order in [PropertyOrder::Declared, PropertyOrder::Any] {
            assert_exact(&choices, &text, order, &mut draws);
        }
    }
    assert!(left_open > 60, "{left_open}");
}

/// There would be more cases than atoms in a cat.
#[test]
fn a_hundred_conditions_about_different_members_are_one_case() {
    let properties = |at| format!(r#""has_{at}": {{"type": "boolean"}}, "more_{at}": {{"type": "string"}}"#);
    let condition = |at| {
        let condition =
            format!(r#"{{"properties": {{"has_{at}": {{"const": true}}}}, "required": ["has_{at}"]}}"#);
        format!(r#"{{"if": {condition}, "then": {{"required": ["more_{at}"]}}}}"#)
    };
    let list = |of: &dyn Fn(usize) -> String| (0..100).map(of).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"{{"type": "object", "properties": {{{}}}, "allOf": [{}]}}"#,
        list(&properties),
        list(&condition)
    );
    in_either_order(&text, |solver| {
        let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
        let cases = solver.cases(root, Kind::Object).unwrap();
        assert_eq!(cases.len(), 1);
        let plan = solver.object_plan(&cases[0]).unwrap();
        assert_eq!((plan.choices.choices.len(), plan.choices.groups.len()), (100, 100));
    });
}

/// Of any two names one is not there: all these choices have members in common.
#[test]
fn names_of_which_one_may_be_there_are_one_case() {
    const COUNT: usize = 30;
    let pairs = (0..COUNT).flat_map(|one| (0..one).map(move |other| (one, other)));
    let not_both = pairs.map(|(one, other)| format!(r#"{{"required": ["{one}", "{other}"]}}"#));
    let not_both = not_both.collect::<Vec<_>>().join(", ");
    for (required, is_possible) in [(r#"["3"]"#, true), (r#"["3", "7"]"#, false)] {
        let text =
            format!(r#"{{"type": "object", "not": {{"anyOf": [{not_both}]}}, "required": {required}}}"#);
        in_either_order(&text, |solver| {
            let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
            let cases = solver.cases(root, Kind::Object).unwrap();
            assert_eq!(cases.len(), usize::from(is_possible));
        });
    }
    let text = format!(r#"{{"type": "object", "not": {{"anyOf": [{not_both}]}}}}"#);
    let grammar = compile(&text, &[], &Options::default(), &Budget::default()).unwrap();
    let vocabulary = Arc::new(Vocabulary::of_bytes());
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default()).unwrap());
    for (object, is_taken) in [
        (r#"{"4":1,"other":2}"#, true),
        (r#"{"4":1,"7":2}"#, false),
        ("{}", true),
        (r#"{"29":1,"x":1,"0":2}"#, false),
    ] {
        assert_eq!(Matcher::new(&constraint).accept_bytes(object.as_bytes()).unwrap(), is_taken, "{object}");
    }
}

/// What is asked of a name that no member may have is no more asked, and the others remain choices between two members.
#[test]
fn a_name_that_cannot_come_leaves_pairs_as_they_are() {
    const COUNT: usize = 30;
    let pairs = (0..COUNT).flat_map(|one| (0..one).map(move |other| (one, other)));
    let not_both = pairs.map(|(one, other)| format!(r#"{{"required": ["{one}", "{other}"]}}"#));
    let not_both = not_both.collect::<Vec<_>>().join(", ");
    let properties = (1..COUNT).map(|at| format!(r#""{at}": {{}}"#)).collect::<Vec<_>>().join(", ");
    let rest = r#""additionalProperties": false"#;
    let text = format!(
        r#"{{"type": "object", "properties": {{{properties}}}, {rest}, "not": {{"anyOf": [{not_both}]}}}}"#
    );
    in_either_order(&text, |solver| {
        let root = solver.goal_of(solver.schemas.root, ScopeId::NONE);
        let cases = solver.cases(root, Kind::Object).unwrap();
        let plan = solver.object_plan(&cases[0]).unwrap();
        assert_eq!(plan.choices.choices.len(), (COUNT - 1) * (COUNT - 2) / 2);
        assert!(plan.choices.groups.iter().all(|group| group.is_of_pairs));
    });
}

#[test]
fn groups_have_nothing_in_common() {
    let about: [&[u32]; 6] = [&[1, 2], &[3], &[], &[4, 5], &[2, 4], &[3, 6]];
    let mut found = groups(about.iter().map(|about| about.to_vec()));
    found.iter_mut().for_each(|group| group.sort_unstable());
    found.sort();
    assert_eq!(found, [vec![0, 3, 4], vec![1, 5], vec![2]]);
}
