//! Computing ahead: it changes no mask, and what it calls complete is complete.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use maskwright_core::frontend::{gbnf, json_schema, regex};
use maskwright_core::grammar::Grammar;
use maskwright_core::{
    Budget, Constraint, Error, Limit, Matcher, Pool, Settings, Standstill, TokenId, Vocabulary, Warm, Warming,
};

/// Nothing forks here.
static FORKS: Standstill = Standstill::new();

const JSON: &str = r#"
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws     ::= | " " | "\n" [ \t]{0,20}
"#;

/// All single bytes, tokens that hold the end of one thing and the beginning of the next, and a stop token.
fn vocabulary() -> Arc<Vocabulary> {
    let mut tokens: Vec<Option<Vec<u8>>> = (0..=255u8).map(|byte| Some(vec![byte])).collect();
    let longer = [
        r#"{""#,
        r#"":"#,
        r#"",""#,
        r#""},{""#,
        "}}",
        "]}",
        "],",
        "[[",
        "12",
        "123",
        "1,",
        "a1",
        "ab",
        "abc",
        r#"b",""#,
        "true",
        r#"true,""#,
        "é",
        "日本",
        "  ",
        r#"": ""#,
        r#"\u00"#,
        r#"":["#,
        "}]",
        "3}",
        r#""}"#,
        "aaaaaaaa",
    ];
    tokens.extend(longer.iter().map(|token| Some(token.as_bytes().to_vec())));
    let stop = TokenId(tokens.len() as u32);
    tokens.push(None);
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

fn compile(grammar: &Grammar) -> Arc<Constraint> {
    compile_within(grammar, &Budget::default())
}

fn compile_within(grammar: &Grammar, budget: &Budget) -> Arc<Constraint> {
    Arc::new(Constraint::compile(grammar, &vocabulary(), budget).unwrap())
}

fn schema(text: &str) -> Grammar {
    schema_with(text, &json_schema::Options::default())
}

fn schema_with(text: &str, options: &json_schema::Options) -> Grammar {
    json_schema::compile(text, &[], options, &Budget::default()).unwrap()
}

fn to_the_end(_: &maskwright_core::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Random texts of a grammar, token by token, with the mask before each.
fn masks_of_random_texts(constraint: &Arc<Constraint>, seed: u64) -> Vec<Vec<u32>> {
    let mut random = Rng::with_seed(seed);
    let mut masks = Vec::new();
    for _ in 0..40 {
        let mut matcher = Matcher::new(constraint);
        for _ in 0..60 {
            let mut row = vec![0; constraint.vocabulary().mask_words()];
            matcher.fill_mask(&mut row).unwrap();
            let allowed: Vec<u32> = (0..row.len() as u32 * 32)
                .filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1)
                .collect();
            masks.push(row);
            if allowed.is_empty() {
                break;
            }
            // Longer tokens come last, and lead to more places.
            let choice = allowed[random.usize(..allowed.len()).max(random.usize(..allowed.len()))];
            assert!(matcher.accept(TokenId(choice)).unwrap());
        }
    }
    masks
}

fn grammars() -> Vec<(&'static str, Grammar)> {
    let budget = Budget::default();
    vec![
        ("json", gbnf::compile(JSON, "root", &budget).unwrap()),
        ("counted", regex_grammar("(a{3,40}|b[0-9]{2}){1,20},c{300}")),
        (
            "objects",
            schema(r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"boolean"}}}"#),
        ),
        (
            "closed",
            schema(concat!(
                r##"{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#"}},"##,
                r##""b":{"enum":[1,"12",true]}},"required":["a"],"additionalProperties":false}"##,
            )),
        ),
        (
            "numbers",
            schema_with(
                concat!(
                    r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"#,
                    r#""ab":{"type":"boolean"}},"additionalProperties":false}"#
                ),
                &json_schema::Options { minimal_escapes: true, ..json_schema::Options::default() },
            ),
        ),
        (
            "strings",
            schema(
                r#"{"type":"array","items":{"type":"string","anyOf":[{"maxLength":3},{"pattern":"^[a-é]+$"}]}}"#,
            ),
        ),
        (
            "untracked",
            schema_with(
                "true",
                &json_schema::Options { track_keys: false, ..json_schema::Options::default() },
            ),
        ),
        (
            "ambiguous",
            gbnf::compile("root ::= s\ns ::= s s | \"a\" | \"ab\" | \"b\" s?", "root", &budget).unwrap(),
        ),
        (
            "left",
            gbnf::compile("root ::= root \",\" t | t\nt ::= \"1\" | \"[\" root \"]\"", "root", &budget)
                .unwrap(),
        ),
    ]
}

fn regex_grammar(pattern: &str) -> Grammar {
    regex::compile(pattern, &regex::RegexOptions::default(), &Budget::default()).unwrap()
}

#[test]
fn masks_are_the_same_with_and_without() {
    for (name, grammar) in grammars() {
        let cold = masks_of_random_texts(&compile(&grammar), 7);
        for warm in [Warm::All, Warm::Likely(3), Warm::Likely(100)] {
            let constraint = compile(&grammar);
            assert_eq!(constraint.warm_up(warm, &[], to_the_end).error, None, "{name}");
            assert_eq!(masks_of_random_texts(&constraint, 7), cold, "{name} {warm:?}");
        }
    }
}

#[test]
fn after_a_complete_one_no_mask_walks() {
    let mut complete = Vec::new();
    for (name, grammar) in grammars() {
        let constraint = compile(&grammar);
        let result = constraint.warm_up(Warm::All, &[], to_the_end);
        if !result.complete {
            continue;
        }
        complete.push(name);
        let walks = constraint.statistics().walks;
        assert!(walks > 0);
        for seed in 0..5 {
            masks_of_random_texts(&constraint, seed);
            assert_eq!(constraint.statistics().walks, walks, "{name}");
        }
    }
    let expected = ["json", "counted", "numbers", "strings", "untracked"];
    assert!(expected.iter().all(|name| complete.contains(name)), "{complete:?}");
}

/// How many walks and states it takes to accept a text and its masks, in the longest tokens that are allowed.
fn found_for(constraint: &Arc<Constraint>, text: &str) -> (u64, usize) {
    let (walks, states) = (constraint.statistics().walks, constraint.statistics().states);
    let mut matcher = Matcher::new(constraint);
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    matcher.fill_mask(&mut row).unwrap();
    let vocabulary = constraint.vocabulary();
    let tokens = || (0..vocabulary.token_count() as u32).map(TokenId);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let bytes_of = |token| vocabulary.token_bytes(token).unwrap_or_default();
        let is_next = |token: &TokenId| {
            let is_allowed = row[token.index() / 32] >> (token.index() % 32) & 1 == 1;
            is_allowed && rest.starts_with(bytes_of(*token))
        };
        let token = tokens().filter(is_next).max_by_key(|token| bytes_of(*token).len()).unwrap();
        rest = &rest[bytes_of(token).len()..];
        assert!(matcher.accept(token).unwrap(), "{text}");
        matcher.fill_mask(&mut row).unwrap();
    }
    assert!(matcher.is_complete(), "{text}");
    (constraint.statistics().walks - walks, constraint.statistics().states - states)
}

#[test]
fn a_likely_text_is_met_by_rehearsal() {
    let object = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"},
        "tags":{"type":"array","items":{"type":"string"}},"kind":{"enum":["x","y"]}},"required":["name","kind"]}"#;
    for (grammar, texts) in [
        // The declared order, with all properties, and with those required.
        (
            schema(object),
            vec![
                r#"{"name": "ab", "age": 12, "tags": ["a", "b", "c"], "kind": "x"}"#,
                r#"{"name": "ab", "kind": "y"}"#,
            ],
        ),
        (gbnf::compile(JSON, "root", &Budget::default()).unwrap(), vec![r#"{"a":[12,true],"b":null}"#]),
        (regex_grammar("(get|post) /[a-z]{1,2000}"), vec!["get /abc", "post /a"]),
    ] {
        let constraint = compile(&grammar);
        let result = Warming::start(&constraint, Warm::Likely(400), Vec::new(), &FORKS).wait(None).unwrap();
        assert!(
            result.error.is_none() && !result.cancelled && !result.complete && result.transitions > 5,
            "{result:?}"
        );
        for text in texts {
            let (walks, states) = found_for(&constraint, text);
            let cold = found_for(&compile(&grammar), text);
            assert!(walks * 4 <= cold.0 && states * 4 <= cold.1, "{text}: {:?} of {cold:?}", (walks, states));
        }
    }
}

#[test]
fn examples_are_rehearsed_first_as_far_as_the_grammar_allows_them() {
    let object = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}"#;
    let indented = "{\n  \"name\": \"abc日本\",\n  \"age\": 123\n}";
    for behind in ["", "]", "\n\n\u{1}"] {
        let examples = ["no such text".into(), format!("{indented}{behind}").into_bytes()];
        let constraint = compile(&schema(object));
        let result = constraint.warm_up(Warm::Likely(indented.len()), &examples, to_the_end);
        assert!(result.error.is_none() && !result.cancelled, "{result:?}");
        assert_eq!(found_for(&constraint, indented), (0, 0), "{behind:?}");

        let everything = compile(&regex_grammar("[a-z]{3}"));
        assert!(everything.warm_up(Warm::All, &examples, to_the_end).complete);
    }
    // All of them, and nothing else.
    let constraint = compile(&schema(object));
    let result = constraint.warm_up(Warm::Examples, &[indented.into()], to_the_end);
    assert!(result.error.is_none() && !result.complete, "{result:?}");
    assert_eq!(found_for(&constraint, indented), (0, 0));
    assert_ne!(found_for(&constraint, r#"{"age": 1}"#), (0, 0));
    // Without them, the likely texts have another layout.
    let constraint = compile(&schema(object));
    constraint.warm_up(Warm::Likely(indented.len()), &[], to_the_end);
    let (_, states) = found_for(&constraint, indented);
    assert!(states > 0);
}

#[test]
fn the_masks_of_examples_are_counted() {
    let constraint = compile(&regex_grammar("[a-c]{2,5000}"));
    let examples = vec![b"abc".repeat(2000); 3];
    let mut waiting = Vec::new();
    constraint.warm_up(Warm::Likely(40), &examples, |progress| {
        waiting.push(progress.waiting);
        ControlFlow::Continue(())
    });
    assert_eq!(waiting, (1..=40).rev().collect::<Vec<_>>());
}

#[test]
fn rehearsal_ends_where_nothing_new_is_met_and_where_no_text_ends() {
    let budget = Budget { compile_time: Duration::from_millis(200), ..Budget::default() };
    let items = r#"{"type":"array","minItems":100000}"#;
    for grammar in [regex_grammar("a|bc"), schema(items), regex_grammar("(ab){100000}"), schema("true")] {
        let constraint = compile_within(&grammar, &budget);
        let result = constraint.warm_up(Warm::Likely(usize::MAX), &[], to_the_end);
        assert!(!result.cancelled && result.time < Duration::from_secs(5), "{result:?}");
        let mut row = vec![0; constraint.vocabulary().mask_words()];
        Matcher::new(&constraint).fill_mask(&mut row).unwrap();
    }
}

#[test]
fn one_that_is_broken_off_keeps_what_it_has() {
    let constraint = compile(&gbnf::compile(JSON, "root", &Budget::default()).unwrap());
    let result = constraint.warm_up(Warm::All, &[], |progress| match progress.transitions {
        10.. => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(result.cancelled && !result.complete);
    assert!(constraint.statistics().walks > 0);
    assert!(constraint.warm_up(Warm::All, &[], to_the_end).complete);
}

#[test]
fn transitions_are_counted_however_it_ends() {
    let grammar = gbnf::compile(JSON, "root", &Budget::default()).unwrap();
    let all = compile(&grammar).warm_up(Warm::All, &[], to_the_end);
    // The same constraint knows no more when it is asked again, and what is read twice counts once.
    let constraint = compile(&grammar);
    let most = constraint.warm_up(Warm::All, &[], to_the_end).transitions;
    assert_eq!(constraint.warm_up(Warm::All, &[], to_the_end).transitions, most);
    assert_eq!(all.transitions, most);

    // The budget ends it while texts are still rehearsed.
    let budget = Budget { states: 80, ..Budget::default() };
    let result = compile_within(&grammar, &budget).warm_up(Warm::All, &[], to_the_end);
    assert!(result.error.is_some());
    assert!(result.states > 0 && (1..most).contains(&result.transitions), "{result:?}");
}

#[test]
fn a_budget_ends_it_and_leaves_the_constraint_usable() {
    let grammar = regex_grammar("(a|b)*a(a|b){30}");
    let budget = Budget { states: 200, ..Budget::default() };
    let constraint = compile_within(&grammar, &budget);
    let result = constraint.warm_up(Warm::All, &[], to_the_end);
    assert!(!result.complete && !result.cancelled);
    assert!(matches!(
        result.error,
        Some(Error::BudgetExceeded { budget: "states", limit: Limit::Count(200), .. })
    ));
    assert!(constraint.statistics().states < 100, "{:?}", constraint.statistics());
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    Matcher::new(&constraint).fill_mask(&mut row).unwrap();

    let budget = Budget { compile_time: Duration::from_millis(20), ..Budget::default() };
    let result = compile_within(&grammar, &budget).warm_up(Warm::All, &[], to_the_end);
    assert!(matches!(result.error, Some(Error::BudgetExceeded { budget: "compile_time", .. })));
    assert!(result.time < Duration::from_secs(5));
}

#[test]
fn in_the_background_it_can_be_waited_for_and_cancelled() {
    let endless = compile(&regex_grammar("(a|b)*a(a|b){60}"));
    let warming = Warming::start(&endless, Warm::All, Vec::new(), &FORKS);
    assert_eq!(warming.wait(Some(Duration::from_millis(5))), None);
    // Matching goes on beside it.
    let mut matcher = Matcher::new(&endless);
    assert!(matcher.accept_bytes(b"abab").unwrap());
    warming.cancel();
    assert!(warming.wait(None).unwrap().cancelled);
}

#[test]
fn it_ends_when_no_one_has_the_constraint_any_more() {
    let endless = compile(&regex_grammar("(a|b)*a(a|b){60}"));
    let warming = Warming::start(&endless, Warm::All, Vec::new(), &FORKS);
    let matcher = Matcher::new(&endless);
    drop(endless);
    assert_eq!(warming.wait(Some(Duration::from_millis(20))), None, "a matcher has it");
    drop(matcher);
    assert!(warming.wait(None).unwrap().cancelled);
}

#[test]
fn masks_without_the_stack_automaton_have_nothing_to_prepare() {
    let settings = Settings { stack_automaton: false, ..Settings::default() };
    let grammar = regex_grammar("ab*");
    let pool = Arc::new(Pool::new(&vocabulary(), 1 << 20));
    let constraint =
        Arc::new(Constraint::compile_with(&grammar, &pool, &Budget::default(), settings).unwrap());
    let result = constraint.warm_up(Warm::All, &[], to_the_end);
    assert!(result.complete && result.transitions == 0);
}
