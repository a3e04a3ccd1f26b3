//! Leaves that share a store, and what is made of parts.

use std::sync::Arc;

use super::*;
use crate::error::{Error, Limit};
use crate::frontend::json_schema;
use crate::vocabulary::{TokenId, Vocabulary};
use crate::{Constraint, Matcher, Pool, Settings};

fn budget() -> Budget {
    Budget::default()
}

/// All single bytes, some tokens that join, and a stop token.
fn vocabulary() -> Arc<Vocabulary> {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let joints = ["}{", "\"}", "},{", "\":", "}<", "<c>{\""].map(|text| text.as_bytes().to_vec());
    let tokens: Vec<_> = bytes.chain(joints).map(Some).chain([None, None]).collect();
    let count = tokens.len() as u32;
    let call = vec![("<call>".to_owned(), TokenId(count - 2))];
    Arc::new(Vocabulary::new(tokens, call, vec![TokenId(count - 1)], count as usize).unwrap())
}

fn schema(text: &str) -> Part {
    let whitespace = json_schema::Whitespace::Fixed {
        item_separator: ",".to_owned(),
        key_separator: ":".to_owned(),
        indent: None,
    };
    let options = json_schema::Options { whitespace, ..json_schema::Options::default() };
    Part::Grammar(Arc::new(json_schema::compile(text, &[], &options, &budget()).unwrap()))
}

fn text(text: &str) -> Part {
    Part::Text(text.as_bytes().to_vec())
}

fn accepts(constraint: &Arc<Constraint>, text: &str) -> bool {
    let mut matcher = Matcher::new(constraint);
    matcher.accept_bytes(text.as_bytes()).unwrap() && matcher.is_complete()
}

const UNIQUE: &str = r#"{"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true}"#;
const OPEN: &str = r#"{"properties": {"a": {"type": "integer"}}, "required": ["a"], "type": "object",
    "additionalProperties": {"pattern": "^x", "type": "string"}}"#;
const TREE: &str =
    r##"{"type": "object", "properties": {"t": {"$ref": "#"}}, "additionalProperties": false}"##;

/// Two schemas whose places and captures have the same numbers, one of them twice, as one object and as two.
#[test]
fn schemas_share_a_store_and_keep_their_own_places() {
    let (unique, open, tree) = (schema(UNIQUE), schema(OPEN), schema(TREE));
    let parts = vec![open.clone(), unique.clone(), open, schema(OPEN), tree.clone(), unique, tree];
    let grammar = compile(&Part::Sequence(parts), &budget()).unwrap();
    let vocabulary = vocabulary();
    let pool = Arc::new(Pool::new(&vocabulary, 1 << 24));
    let texts = [
        (r#"{"a":1,"k":"x"}[1,3]{"a":2,"k":"x"}{"a":3,"k":"x"}{"t":{}}[3,2,1]{}"#, true),
        (r#"{"a":1,"k":"x","k":"x"}"#, false),
        (r#"{"a":1}[1,1]"#, false),
        (r#"{"a":1}[]{"a":1}{"a":1}{"t":{"t":{}}}[2]{"t":{}}"#, true),
        (r#"{"a":1}[]{"a":1}{"a":1}{"a":1}[2]{"t":{}}"#, false),
    ];
    for settings in Settings::ALL {
        let constraint = Arc::new(Constraint::compile_with(&grammar, &pool, &budget(), settings).unwrap());
        for (text, expected) in texts {
            assert_eq!(accepts(&constraint, text), expected, "{settings:?} {text}");
        }
    }
}

/// Masks along a text, by the walk and by trying each token.
#[test]
fn masks_in_shared_stores_are_those_of_each_token() {
    let tag = |begin: &str, content: Part| Tag { begin: Mark::Text(begin.into()), content };
    let free_text = FreeText {
        tags: vec![
            tag("<c>", Part::Sequence(vec![schema(OPEN), schema(TREE)])),
            tag("<cc>", schema(UNIQUE)),
            Tag { begin: Mark::TokenOrText("<call>".into()), content: schema(OPEN) },
        ],
        minimum: 1,
        maximum: Some(9),
        text_between: true,
        text_after: false,
        stops: Vec::new(),
        forbidden: vec![b"no".to_vec()],
    };
    let grammar = compile(&Part::FreeText(Box::new(free_text)), &budget()).unwrap();
    let vocabulary = vocabulary();
    let pool = Arc::new(Pool::new(&vocabulary, 1 << 24));
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for settings in Settings::ALL {
        let constraint = Arc::new(Constraint::compile_with(&grammar, &pool, &budget(), settings).unwrap());
        let mut found = Vec::new();
        for text in [
            r#"n<c>{"a":1,"q":"x\u0041"}{"t":{}}o<cc>[1,2]<"#,
            r#"<call>{"a":-1,"é":"x"} <c>{"a":2,"b":"x"}{}"#,
        ] {
            let mut matcher = Matcher::new(&constraint);
            for byte in text.bytes() {
                let mut row = vec![0u32; vocabulary.mask_words()];
                matcher.fill_mask(&mut row).unwrap();
                found.push(row);
                assert!(matcher.accept_bytes(&[byte]).unwrap(), "{text}");
            }
        }
        if rows.is_empty() {
            rows.clone_from(&found);
        }
        assert!(found == rows, "{settings:?}");
    }
}

#[test]
fn a_leaf_is_begun_when_a_text_reaches_it() {
    let schemas: Vec<Part> =
        (0..200).map(|at| schema(&OPEN.replace("\"a\"", &format!("\"a{at}\"")))).collect();
    let tags = schemas.into_iter().enumerate();
    let tags = tags
        .map(|(at, content)| Tag { begin: Mark::Text(format!("<t{at}>").into_bytes()), content })
        .collect();
    let free_text = FreeText {
        tags,
        minimum: 0,
        maximum: None,
        text_between: true,
        text_after: true,
        stops: Vec::new(),
        forbidden: Vec::new(),
    };
    let grammar = compile(&Part::FreeText(Box::new(free_text)), &budget()).unwrap();
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary(), &budget()).unwrap());
    let mut matcher = Matcher::new(&constraint);
    let mut row = vec![0u32; constraint.vocabulary().mask_words()];
    matcher.fill_mask(&mut row).unwrap();
    let before = constraint.statistics().expressions;
    assert!(matcher.accept_bytes(br#"go <t77>{"a77":5}"#).unwrap());
    matcher.fill_mask(&mut row).unwrap();
    let grown = constraint.statistics().expressions - before;
    assert!(grown < 200, "{grown} expressions for one of 200 tools");
}

#[test]
fn nested_parts_are_within_the_budget_or_refused() {
    let mut part = text("x");
    for _ in 0..60 {
        part = Part::Sequence(vec![text("("), part, text(")")]);
    }
    assert!(compile(&part, &budget()).is_ok());
    let error = compile(&part, &Budget { nesting: 50, ..budget() }).unwrap_err();
    assert!(matches!(error, Error::BudgetExceeded { budget: "nesting", limit: Limit::Count(50), .. }));
    let mut grammar = Arc::new(compile(&text("x"), &budget()).unwrap());
    let mut refused = None;
    for _ in 0..60 {
        let part = Part::Sequence(vec![text("("), Part::Grammar(Arc::clone(&grammar)), text(")")]);
        match compile(&part, &Budget { nesting: 50, ..budget() }) {
            Ok(deeper) => grammar = Arc::new(deeper),
            Err(error) => refused = Some(error),
        }
    }
    assert!(matches!(
        refused,
        Some(Error::BudgetExceeded { budget: "nesting", limit: Limit::Count(50), .. })
    ));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let repeat = |minimum, maximum| {
        Part::Repeat(Box::new(Repeat { part: text("a"), separator: text(""), minimum, maximum }))
    };
    assert!(matches!(compile(&repeat(3, Some(2)), &budget()), Err(Error::Grammar(_))));
    assert!(compile(&repeat(0, Some(0)), &budget()).is_ok());
    assert!(matches!(compile(&Part::AnyOf(Vec::new()), &budget()), Err(Error::Grammar(_))));
    let long = Budget { grammar_bytes: 5, ..budget() };
    let error = compile(&Part::Sequence(vec![text("abc"), text("def")]), &long).unwrap_err();
    assert!(matches!(error, Error::BudgetExceeded { budget: "grammar_bytes", .. }));
}

#[test]
fn too_many_members_in_any_order_are_refused() {
    let any_order = |count: usize| {
        let members = (0..count).map(|number| (text(&format!("k{number}")), false)).collect();
        Part::AnyOrder(Box::new(AnyOrder { members, separator: text(",") }))
    };
    let few = Budget { expressions: 10_000, ..budget() };
    assert!(compile(&any_order(100), &few).is_ok());
    let error = compile(&any_order(101), &few).unwrap_err();
    assert!(matches!(
        error,
        Error::BudgetExceeded { budget: "expressions", limit: Limit::Count(10_000), .. }
    ));
}
