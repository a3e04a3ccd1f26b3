//! Cases that engines of this field get wrong, by name.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::sync::Arc;

use maskwright_core::ByteSet;
use maskwright_core::frontend::gbnf;
use maskwright_core::grammar::{Grammar, GrammarBuilder};
use maskwright_core::{Budget, Constraint, Error, Matcher, Pool, Settings, TokenId, Vocabulary};

/// All single bytes in the order of their values, then some longer tokens, then a stop token.
fn vocabulary(longer: &[&str]) -> Arc<Vocabulary> {
    let mut tokens: Vec<Option<Vec<u8>>> = (0..=255u8).map(|byte| Some(vec![byte])).collect();
    tokens.extend(longer.iter().map(|token| Some(token.as_bytes().to_vec())));
    let stop = TokenId(tokens.len() as u32);
    tokens.push(None);
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

/// One matcher for each of the settings, since all must agree.
fn matchers(grammar: &Grammar, vocabulary: &Arc<Vocabulary>) -> impl Iterator<Item = Matcher> {
    let budget = Budget::default();
    let pool = Arc::new(Pool::new(vocabulary, budget.pool_bytes));
    Settings::ALL.into_iter().map(move |settings| {
        let constraint = Constraint::compile_with(grammar, &pool, &budget, settings).unwrap();
        Matcher::new(&Arc::new(constraint))
    })
}

/// The ids of the allowed tokens.
fn mask(matcher: &mut Matcher) -> Vec<u32> {
    let mut row = vec![0; matcher.constraint().vocabulary().mask_words()];
    matcher.fill_mask(&mut row).unwrap();
    (0..row.len() as u32 * 32).filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1).collect()
}

fn texts(matcher: &mut Matcher) -> Vec<String> {
    let ids = mask(matcher);
    let vocabulary = matcher.constraint().vocabulary();
    let text =
        |id| vocabulary.token_bytes(TokenId(id)).map_or("<stop>".into(), |b| b.escape_ascii().to_string());
    ids.into_iter().map(text).collect()
}

fn rule(build: impl FnOnce(&mut GrammarBuilder) -> maskwright_core::expression::ExpressionId) -> Grammar {
    let mut builder = GrammarBuilder::new(&Budget::default());
    let start = builder.declare_rule("start");
    let body = build(&mut builder);
    builder.define_rule(start, body);
    builder.finish(start).unwrap()
}

#[test]
fn a_plus_then_ab() {
    // A loop that may end anywhere, before a token that holds its end and the start of what follows.
    let grammar = rule(|b| {
        let a = b.literal(b"a");
        let some = b.repetition(a, 1, None);
        let end = b.literal(b"ab");
        b.concatenation(&[some, end])
    });
    let vocabulary = vocabulary(&["aa", "ab", "aab", "b!"]);
    for mut matcher in matchers(&grammar, &vocabulary) {
        assert_eq!(texts(&mut matcher), ["a", "aa", "aab"]);
        assert!(matcher.accept_bytes(b"a").unwrap());
        assert_eq!(texts(&mut matcher), ["a", "aa", "ab", "aab"]);
        assert!(matcher.accept_bytes(b"ab").unwrap());
        assert_eq!(texts(&mut matcher), ["<stop>"]);
    }
}

#[test]
fn list_or_listen_then_ed() {
    // A lexer that insists on the longest match would refuse "listed".
    let grammar = rule(|b| {
        let word = b.literals(vec![b"list".to_vec(), b"listen".to_vec()]);
        let end = b.literal(b"ed");
        b.concatenation(&[word, end])
    });
    let vocabulary = vocabulary(&["list", "listen", "listed", "ed", "ened"]);
    for mut matcher in matchers(&grammar, &vocabulary) {
        assert!(matcher.accept_bytes(b"list").unwrap());
        assert_eq!(texts(&mut matcher), ["e", "ed", "ened"]);
        assert!(matcher.accept_bytes(b"ed").unwrap() && matcher.is_complete());
        matcher.rollback(1).unwrap();
        assert!(matcher.accept_bytes(b"ened").unwrap() && matcher.is_complete());
    }
}

#[test]
fn rollback_over_two_branches_with_one_rule() {
    // `"x" A "1" | "y" A "2"`: a cache keyed by the rule alone would mix the branches up.
    let mut b = GrammarBuilder::new(&Budget::default());
    let (start, a) = (b.declare_rule("start"), b.declare_rule("A"));
    let letters = b.bytes(ByteSet::range(b'a', b'c'));
    let letters = b.repetition(letters, 1, None);
    b.define_rule(a, letters);
    let branch = |b: &mut GrammarBuilder, before: &[u8], after: &[u8]| {
        let (before, call, after) = (b.literal(before), b.call(a), b.literal(after));
        b.concatenation(&[before, call, after])
    };
    let (x, y) = (branch(&mut b, b"x", b"1"), branch(&mut b, b"y", b"2"));
    let body = b.alternatives(&[x, y]);
    b.define_rule(start, body);
    let grammar = b.finish(start).unwrap();
    let vocabulary = vocabulary(&["a1", "a2", "xa", "ya"]);
    for mut matcher in matchers(&grammar, &vocabulary) {
        for byte in *b"xa" {
            assert!(matcher.accept(TokenId(byte.into())).unwrap());
        }
        assert_eq!(texts(&mut matcher), ["1", "a", "b", "c", "a1"]);
        matcher.rollback(2).unwrap();
        assert_eq!(texts(&mut matcher), ["x", "y", "xa", "ya"]);
        for byte in *b"ya" {
            assert!(matcher.accept(TokenId(byte.into())).unwrap());
        }
        assert_eq!(texts(&mut matcher), ["2", "a", "b", "c", "a2"]);
    }
}

fn doubly_recursive() -> Grammar {
    let mut b = GrammarBuilder::new(&Budget::default());
    let e = b.declare_rule("e");
    let (call, a) = (b.call(e), b.literal(b"a"));
    let twice = b.concatenation(&[call, call]);
    let body = b.alternatives(&[twice, a]);
    b.define_rule(e, body);
    b.finish(e).unwrap()
}

#[test]
fn the_most_ambiguous_grammar_for_500_tokens() {
    let vocabulary = vocabulary(&["aa"]);
    for mut matcher in matchers(&doubly_recursive(), &vocabulary) {
        for step in 0..500 {
            if step % 100 == 0 {
                let expected: &[&str] = if step == 0 { &["a", "aa"] } else { &["a", "aa", "<stop>"] };
                assert_eq!(texts(&mut matcher), expected);
            }
            assert!(matcher.accept(TokenId(b'a'.into())).unwrap());
        }
        assert!(matcher.is_complete());
        matcher.rollback(500).unwrap();
        assert_eq!(texts(&mut matcher), ["a", "aa"]);
    }
}

#[test]
fn starred_counters_around_a_letter_are_compiled_at_once() {
    let grammar = rule(|b| {
        let letter = b.bytes(ByteSet::range(b'a', b'z'));
        let few = b.repetition(letter, 0, Some(20));
        let middle = b.literal(b"b");
        let group = b.concatenation(&[few, middle, few]);
        b.repetition(group, 0, None)
    });
    let vocabulary = vocabulary(&["bb", "abc"]);
    for mut matcher in matchers(&grammar, &vocabulary) {
        for _ in 0..200 {
            assert!(matcher.accept_bytes(b"ab").unwrap());
        }
        assert!(matcher.is_complete());
        assert_eq!(mask(&mut matcher).len(), 26 + 2 + 1);
        for _ in 0..20 {
            assert!(matcher.accept_bytes(b"x").unwrap());
        }
        assert!(matcher.constraint().statistics().states < 5_000, "{:?}", matcher.constraint().statistics());
    }
}

#[test]
fn counters_of_a_million_cost_what_counters_of_a_hundred_cost() {
    let vocabulary = vocabulary(&["aaaa"]);
    let walks = [100, 1_000_000].map(|maximum| {
        let grammar = rule(|b| {
            let letter = b.bytes(ByteSet::range(b'a', b'z'));
            let many = b.repetition(letter, 0, Some(maximum));
            let end = b.literal(b"!");
            b.concatenation(&[many, end])
        });
        let mut matcher = matchers(&grammar, &vocabulary).next().unwrap();
        for _ in 0..50 {
            assert_eq!(mask(&mut matcher).len(), 28);
            assert!(matcher.accept_bytes(b"q").unwrap());
        }
        matcher.constraint().statistics().walks
    });
    assert_eq!(walks[0], walks[1]);
}

#[test]
fn right_recursion_for_2000_tokens_at_constant_cost_a_step() {
    // list = "a" list | "a": every call is a tail call, so the stack does not grow.
    let mut b = GrammarBuilder::new(&Budget::default());
    let list = b.declare_rule("list");
    let (call, a) = (b.call(list), b.literal(b"a"));
    let more = b.concatenation(&[a, call]);
    let body = b.alternatives(&[more, a]);
    b.define_rule(list, body);
    let grammar = b.finish(list).unwrap();
    let vocabulary = vocabulary(&["aa"]);
    for mut matcher in matchers(&grammar, &vocabulary) {
        let mut states = 0;
        for step in 0..2000 {
            assert!(matcher.accept(TokenId(b'a'.into())).unwrap());
            assert_eq!(matcher.stack_depth(), 1, "after {step} steps");
            if step == 10 {
                mask(&mut matcher);
                states = matcher.constraint().statistics().states;
            }
        }
        assert_eq!(matcher.constraint().statistics().states, states, "no new state after the first steps");
        assert_eq!(texts(&mut matcher), ["a", "aa", "<stop>"]);
    }
}

#[test]
fn conditions_that_any_else_may_belong_to_do_not_take_the_square_of_the_text() {
    // In the first, as many frames are alive as conditions are open, and each is a way back of the next. In the second, ways
    // back are inherited: few of them are kept.
    for (rules, is_bounded) in [
        (r#"root ::= "i" root | "i" root "e" root | "x""#, false),
        (
            "root ::= \"i\" other | \"i\" other \"e\" root | \"x\"\nother ::= \"i\" root | \"i\" root \"e\" other | \"x\"",
            true,
        ),
    ] {
        let budget = Budget { items: 500, ..Budget::default() };
        let grammar = gbnf::compile(rules, "root", &budget).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary(&[]), &budget).unwrap());
        let mut matcher = Matcher::new(&constraint);
        let refused =
            (0..400).find_map(|read| matcher.accept(TokenId(b'i'.into())).err().map(|error| (read, error)));
        let at = refused.map(|(read, error)| match error {
            Error::BudgetExceeded { budget: "items", .. } => read,
            other => panic!("{other}"),
        });
        assert_eq!(at.is_none(), is_bounded, "{at:?}");
        assert!(at.is_none_or(|at| at > 300), "{at:?}");
        matcher.rollback(matcher.step_count() - 40).unwrap();
        let mut others: Vec<Matcher> = matchers(&grammar, &vocabulary(&[])).collect();
        others.iter_mut().for_each(|other| assert!(other.accept_bytes(&[b'i'; 40]).unwrap()));
        for byte in *b"xexixexex" {
            let expected = mask(&mut matcher);
            others.iter_mut().for_each(|other| assert_eq!(mask(other), expected));
            let accepted = matcher.accept(TokenId(byte.into())).unwrap();
            others
                .iter_mut()
                .for_each(|other| assert_eq!(other.accept(TokenId(byte.into())).unwrap(), accepted));
        }
    }
}

#[test]
fn nesting_is_as_deep_as_the_text() {
    // The opposite of a tail call: something is left to do in every frame.
    let mut b = GrammarBuilder::new(&Budget::default());
    let nested = b.declare_rule("nested");
    let (open, call, close) = (b.literal(b"("), b.call(nested), b.literal(b")"));
    let inner = b.concatenation(&[open, call, close]);
    let body = b.alternatives(&[inner, GrammarBuilder::EMPTY]);
    b.define_rule(nested, body);
    let grammar = b.finish(nested).unwrap();
    let vocabulary = vocabulary(&["((", "))", ")))"]);
    for mut matcher in matchers(&grammar, &vocabulary).take(2) {
        assert!(matcher.accept_bytes(&[b'('; 10_000]).unwrap());
        assert!(matcher.stack_depth() >= 10_000);
        assert_eq!(texts(&mut matcher), ["(", ")", "((", "))", ")))"]);
        assert!(matcher.accept_bytes(&[b')'; 9_998]).unwrap());
        assert_eq!(texts(&mut matcher), [")", "))"]);
    }
}

#[test]
fn hidden_left_recursion_and_cycles_of_unit_rules() {
    // a = b a "x" | c | "x";  b = "" | "y";  c = a
    let mut builder = GrammarBuilder::new(&Budget::default());
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.declare_rule(name));
    let [call_a, call_b, call_c] = [a, b, c].map(|rule| builder.call(rule));
    let (x, y) = (builder.literal(b"x"), builder.literal(b"y"));
    let recursive = builder.concatenation(&[call_b, call_a, x]);
    let body = builder.alternatives(&[recursive, call_c, x]);
    builder.define_rule(a, body);
    let maybe = builder.alternatives(&[GrammarBuilder::EMPTY, y]);
    builder.define_rule(b, maybe);
    builder.define_rule(c, call_a);
    let grammar = builder.finish(a).unwrap();
    let vocabulary = vocabulary(&["xx", "yx", "xy"]);
    for mut matcher in matchers(&grammar, &vocabulary) {
        assert_eq!(texts(&mut matcher), ["x", "y", "xx", "yx"]);
        assert!(matcher.accept_bytes(b"yyx").unwrap());
        assert!(!matcher.is_complete());
        assert!(matcher.accept_bytes(b"x").unwrap() && !matcher.is_complete());
        assert!(matcher.accept_bytes(b"x").unwrap() && matcher.is_complete());
        assert_eq!(texts(&mut matcher), ["x", "xx", "<stop>"]);
    }
}

#[test]
fn rules_that_call_one_another_and_may_all_be_empty() {
    // Every text of letters in which the brackets match, in very many ways.
    const RULES: usize = 24;
    let mut builder = GrammarBuilder::new(&Budget::default());
    let rules: Vec<_> = (0..RULES).map(|at| builder.declare_rule(&format!("r{at}"))).collect();
    for (at, &rule) in rules.iter().enumerate() {
        let called = [1, 2, 5].map(|further| builder.call(rules[(at + further) % RULES]));
        let letter = builder.literal(&[b"abcd"[at % 4]]);
        let (open, close) = (builder.literal(b"("), builder.literal(b")"));
        let two = builder.concatenation(&called[..2]);
        let bracketed = builder.concatenation(&[open, called[2], close]);
        let body = builder.alternatives(&[two, GrammarBuilder::EMPTY, letter, bracketed]);
        builder.define_rule(rule, body);
    }
    let grammar = builder.finish(rules[0]).unwrap();
    let vocabulary = vocabulary(&["ab", "a(", "((", "a)", "))", "b))", ")(", ")))", "(a)b("]);
    let all = ["(", ")", "a", "b", "c", "d", "ab", "a(", "((", "a)", "))", "b))", ")(", ")))", "(a)b("];
    let allowed = |depth: usize| {
        let closes =
            |token: &str| token.bytes().take_while(|&byte| byte != b'(').filter(|&b| b == b')').count();
        let stop = (depth == 0).then_some("<stop>");
        all.into_iter().filter(|token| closes(token) <= depth).chain(stop).collect::<Vec<_>>()
    };
    for mut matcher in matchers(&grammar, &vocabulary) {
        for (text, depth) in [("", 0), ("ab", 0), ("((", 2), ("d)", 1), ("a(b(c", 3), (")))", 0)] {
            assert!(matcher.accept_bytes(text.as_bytes()).unwrap());
            assert_eq!(texts(&mut matcher), allowed(depth), "after {text}");
        }
        assert!(!matcher.accept_bytes(b")").unwrap());
    }
}

/// A model has more logits than its tokeniser has tokens, and a special token or the stop token is one of those.
#[test]
fn special_tokens_past_the_last_token_are_accepted_where_the_mask_has_them() {
    use maskwright_core::frontend::gbnf;
    let budget = Budget::default();
    let special = vec![("<|call|>".to_owned(), TokenId(5))];
    let tokens = vec![Some(b"a".to_vec()), Some(b"b".to_vec()), None];
    let vocabulary = Arc::new(Vocabulary::new(tokens, special, vec![TokenId(7)], 9).unwrap());
    for (text, first, then) in [
        ("root ::= <|call|> \"a\" | \"b\"", vec![1, 5], vec![0]),
        ("root ::= <[7]> \"b\" | <|call|> \"a\"", vec![5, 7], vec![0]),
    ] {
        let grammar = gbnf::compile(text, "root", &budget).unwrap();
        for mut matcher in matchers(&grammar, &vocabulary) {
            assert_eq!(mask(&mut matcher), first, "{text}");
            for id in 0..9 {
                let mut fork = matcher.clone();
                assert_eq!(fork.accept(TokenId(id)).unwrap(), first.contains(&id), "{text} {id}");
            }
            assert!(matcher.accept(TokenId(5)).unwrap());
            assert_eq!(mask(&mut matcher), then, "{text}");
            assert_eq!(matcher.forced_tokens(9).unwrap(), [TokenId(0)]);
        }
    }
}

#[test]
fn a_step_whose_derivatives_take_too_long_is_broken_off() {
    use std::time::Duration;

    use maskwright_core::{Error, frontend::regex};
    let budget = Budget { step_time: Duration::from_millis(20), ..Budget::default() };
    let pattern = format!("{}a{}", "(".repeat(100), "{0,2}c?)".repeat(100));
    let grammar = regex::compile(&pattern, &regex::RegexOptions::default(), &budget).unwrap();
    let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary(&[]), &budget).unwrap());
    let mut matcher = Matcher::new(&constraint);
    for _ in 0..3 {
        let error = matcher.accept_bytes(&[b'a'; 8]).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "step_time", .. }), "{error}");
        // Without an end in the middle of a derivative, it is millions.
        assert!(constraint.statistics().expressions < 1_000_000, "{:?}", constraint.statistics());
        assert_eq!(matcher.step_count(), 0);
    }
    let mut other = Matcher::new(&constraint);
    assert!(other.accept_bytes(b"a").unwrap() && !other.accept_bytes(b"b").unwrap());
}

/// How far it is to the next match takes derivatives of which each leads to many more.
#[test]
fn a_token_that_reads_on_behind_the_first_item_of_an_array_is_as_right_as_any() {
    use maskwright_core::frontend::json_schema;
    let items = ["9", "\"\"", "[]", "{}", "null", "true"];
    let next = ["a", "]", ",", "1", "\"", "[", "{", "n", "-", "\"x", "{\"", "[1", "1,", "nx", "{a", "[[,"];
    let texts = items.iter().flat_map(|item| {
        let behind = next.iter().flat_map(move |next| [format!("{item},{next}"), format!("{item} , {next}")]);
        behind.flat_map(|text| [format!("[{text}"), format!("[ {text}"), text])
    });
    let texts: Vec<String> = texts.collect();
    let vocabulary = vocabulary(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    for schema in [
        r#"{"type": "array", "items": {}}"#,
        r#"{"type": "array", "items": {"type": ["object", "null"]}, "minItems": 2}"#,
        r#"{"type": "array", "items": {"type": "array", "items": {"type": ["array", "object", "string", "null"]}}}"#,
        r#"{"additionalProperties": {"type": "array", "items": {}, "maxItems": 5}}"#,
        r#"{}"#,
    ] {
        let options = json_schema::Options::default();
        let grammar = json_schema::compile(schema, &[], &options, &Budget::default()).unwrap();
        for mut matcher in matchers(&grammar, &vocabulary) {
            for begun in ["", "[", "[[", "{\"a\":", "[1"] {
                matcher.reset();
                if !matcher.accept_bytes(begun.as_bytes()).unwrap() {
                    continue;
                }
                let stop = vocabulary.size() as u32 - 1;
                let accepted = (0..stop).filter(|&id| matcher.clone().accept(TokenId(id)).unwrap());
                let accepted: Vec<u32> = accepted.collect();
                let mut allowed = mask(&mut matcher);
                allowed.retain(|&id| id != stop);
                assert_eq!(allowed, accepted, "{schema} {begun}");
            }
        }
    }
}

#[test]
fn a_mask_that_looks_too_far_ahead_is_broken_off() {
    use std::time::Duration;

    use maskwright_core::{Error, frontend::json_schema};
    let vocabulary = vocabulary(&["bcd"]);
    let mut row = vec![0; vocabulary.mask_words()];
    let begun = |depth: usize, bounds: &str, step_time: Duration| {
        let budget = Budget { step_time, ..Budget::default() };
        let nested = format!("^{}a{}$", "(?:".repeat(depth), "c?){0,2}".repeat(depth));
        let schema = format!(r#"{{"type": "string", "pattern": "{nested}", {bounds}}}"#);
        let grammar = json_schema::compile(&schema, &[], &json_schema::Options::default(), &budget).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &budget).unwrap());
        let mut matcher = Matcher::new(&constraint);
        assert!(matcher.accept(TokenId(b'"'.into())).unwrap());
        matcher
    };
    let of_least_length = r#""minLength": 1, "maxLength": 1000"#;
    // What would save little is looked for no longer than that: to the end, it takes ten times as long as this.
    for bounds in [r#""maxLength": 1000"#, of_least_length] {
        begun(30, bounds, Duration::from_secs(5)).fill_mask(&mut row).unwrap();
    }
    // So late, derivatives come to the same nodes again and again.
    let mut matcher = begun(200, of_least_length, Duration::from_millis(600));
    for _ in 0..2 {
        let error = matcher.fill_mask(&mut row).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { budget: "step_time", .. }), "{error}");
        assert_eq!(matcher.step_count(), 1);
    }
    let mut fork = matcher.clone();
    assert!(!matcher.accept_bytes(b"b").unwrap() && matcher.accept_bytes(b"a").unwrap());
    matcher.rollback(1).unwrap();
    for ended in [&mut matcher, &mut fork] {
        assert!(!ended.accept_bytes(b"\"").unwrap());
    }
}

#[test]
fn patterns_of_a_hundred_thousand_parts_do_not_end_the_process() {
    use maskwright_core::frontend::{json_schema, regex};
    let budget = Budget::default();
    let vocabulary = vocabulary(&[]);
    let patterns = ["(ab)?(cd)?".repeat(50_000), "[ab][bc]".repeat(50_000) + "(?!x).*"];
    for pattern in patterns {
        let schema = format!("{{\"type\": \"string\", \"pattern\": \"^{pattern}$\"}}");
        let grammars = [
            (regex::compile(&pattern, &regex::RegexOptions::default(), &budget), "a"),
            (json_schema::compile(&schema, &[], &json_schema::Options::default(), &budget), "\"\\u00"),
        ];
        for (grammar, prefix) in grammars {
            let constraint = Constraint::compile(&grammar.unwrap(), &vocabulary, &budget).unwrap();
            let mut matcher = Matcher::new(&Arc::new(constraint));
            assert!(matcher.accept_bytes(prefix.as_bytes()).unwrap());
            assert!(!mask(&mut matcher).is_empty());
        }
    }
}

/// Which remainder the digits leave seldom matters: of a thousand only how many zeros they end in.
#[test]
fn far_bounds_beside_divisors_take_few_states() {
    use maskwright_core::frontend::json_schema;
    let budget = Budget { emptiness: 5_000, expressions: 100_000, ..Budget::default() };
    let vocabulary = vocabulary(&["000", "12", "e1"]);
    for (schema, number) in [
        (
            r#"{"type":"number","minimum":12345678901234567890,"not":{"multipleOf":1000}}"#,
            "12345678901234567891",
        ),
        (r#"{"oneOf":[{"exclusiveMaximum":12345678901234567890},{"not":{"multipleOf":100000}}]}"#, "900000"),
        (
            r#"{"multipleOf":100,"oneOf":[{"minimum":0},{"oneOf":[{"type":"integer"},{"exclusiveMaximum":0.3},
                {"minimum":123456789012345678901234567890}]}]}"#,
            "123456789012345678901234568000",
        ),
        (
            r#"{"type":"integer","not":{"oneOf":[{"multipleOf":0.001,"minimum":-9e22},
                {"multipleOf":0.5,"maximum":5e15},{"multipleOf":1000}]}}"#,
            "1000",
        ),
    ] {
        let grammar = json_schema::compile(schema, &[], &json_schema::Options::default(), &budget).unwrap();
        let constraint = Constraint::compile(&grammar, &vocabulary, &budget).unwrap();
        let mut matcher = Matcher::new(&Arc::new(constraint));
        for byte in number.bytes() {
            assert!(mask(&mut matcher).contains(&u32::from(byte)), "{number} of {schema}");
            assert!(matcher.accept_bytes(&[byte]).unwrap());
        }
        assert!(matcher.is_complete(), "{number} of {schema}");
    }
}
