//! Free text with tags: named cases by definition, and what a vocabulary makes of them.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::ops::ControlFlow;
use std::sync::Arc;

use maskwright_core::expression::{ByteSet, ExpressionId};
use maskwright_core::grammar::{Grammar, GrammarBuilder};
use maskwright_core::{Budget, Constraint, Error, Matcher, Pool, Settings, TokenId, Vocabulary, Warm};

const NOTHING: ExpressionId = GrammarBuilder::NOTHING;

fn vocabulary(more: &[&str]) -> Arc<Vocabulary> {
    let single = (0..=255u8).map(|byte| Some(vec![byte]));
    let more = more.iter().map(|token| Some(token.as_bytes().to_vec()));
    let mut tokens: Vec<Option<Vec<u8>>> = single.chain(more).collect();
    let stop = TokenId(tokens.len() as u32);
    tokens.push(None);
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

fn grammar(make: impl FnOnce(&mut GrammarBuilder) -> ExpressionId) -> Grammar {
    let mut builder = GrammarBuilder::new(&Budget::default());
    let body = make(&mut builder);
    let rule = builder.declare_rule("start");
    builder.define_rule(rule, body);
    builder.finish(rule).unwrap()
}

/// Tags with texts that follow them; `None` is forbidden.
fn tagged(tags: &[(&str, Option<&str>)], ends: bool) -> Grammar {
    grammar(|builder| {
        let after = |builder: &mut GrammarBuilder, after: &Option<&str>| match after {
            Some(text) => builder.literal(text.as_bytes()),
            None => NOTHING,
        };
        let tags: Vec<_> = tags.iter().map(|(tag, text)| (tag.as_bytes(), after(builder, text))).collect();
        builder.free_text(&tags, ends).unwrap()
    })
}

fn constraint(grammar: &Grammar, vocabulary: &Arc<Vocabulary>) -> Arc<Constraint> {
    Arc::new(Constraint::compile(grammar, vocabulary, &Budget::default()).unwrap())
}

/// How many bytes of a text can be read, and whether it is complete then.
fn read(constraint: &Arc<Constraint>, text: &str) -> (usize, bool) {
    let mut matcher = Matcher::new(constraint);
    let count = text.bytes().take_while(|&byte| matcher.accept_bytes(&[byte]).unwrap()).count();
    (count, matcher.is_complete())
}

#[test]
fn the_first_tag_opens_unless_a_longer_one_covers_it() {
    let vocabulary = vocabulary(&[]);
    type Tags<'a> = &'a [(&'a str, Option<&'a str>)];
    let cases: &[(Tags<'_>, bool, &[&str], &[&str])] = &[
        // Free text alone, with or without an end.
        (&[], true, &["", "a", "日é😀"], &[]),
        (
            &[("<t>", Some("!"))],
            false,
            &["<t>!", "a<t>!", "<<t>!", "<t<t>!", "é<t>!"],
            &["", "a", "<t>", "<t>a"],
        ),
        (&[("<t>", Some("!"))], true, &["", "<t", "<t>!", "<x>"], &["<t>", "<t>x"]),
        // A prefix of a longer tag.
        (
            &[("ab", Some("1")), ("abc", Some("2"))],
            false,
            &["ab1", "abc2", "aab1"],
            &["abc1", "abab1", "abd"],
        ),
        // Within and at the end of a longer tag.
        (&[("b", Some("1")), ("abc", Some("2"))], false, &["b1", "ab1", "abc2", "cb1"], &["abb", "bb1"]),
        (&[("c", Some("1")), ("abc", Some("2"))], false, &["c1", "bc1", "abc2"], &["abc1"]),
        // A forbidden string may be part of a tag, but a tag at its end does not open.
        (&[("b", None), ("abc", Some("2"))], true, &["", "a", "abc2", "ca"], &["ab", "b", "cb"]),
        (&[("c", Some("1")), ("abc", None)], true, &["c1", "bc1", "ab"], &["abc", "abc1"]),
        // What was passed over has to be covered to the end.
        (
            &[("ab", Some("1")), ("abcd", Some("2")), ("bcx", Some("3"))],
            false,
            &["abcd2", "bcx3"],
            &["abcx3"],
        ),
        // Equal tags are alternatives.
        (&[("a", Some("1")), ("a", Some("2"))], false, &["a1", "a2"], &["a12"]),
        // Characters of several bytes that begin as others do.
        (&[("é", None), ("日本", Some("!"))], true, &["è", "日本!", "日日"], &["é", "日本"]),
    ];
    for (tags, ends, sentences, others) in cases {
        let constraint = constraint(&tagged(tags, *ends), &vocabulary);
        for text in *sentences {
            assert_eq!(read(&constraint, text), (text.len(), true), "{tags:?} {text:?}");
        }
        for text in *others {
            assert_ne!(read(&constraint, text), (text.len(), true), "{tags:?} {text:?}");
        }
    }
}

#[test]
fn what_can_never_be_completed_is_never_begun() {
    let vocabulary = vocabulary(&[]);
    let covers = constraint(&tagged(&[("ab", None), ("abcd", Some("!"))], true), &vocabulary);
    assert_eq!(read(&covers, "abx").0, 2, "only c goes on");
    let first = constraint(&tagged(&[("a", Some("1")), ("ab", None)], true), &vocabulary);
    assert_eq!(read(&first, "ab"), (1, false), "a tag that opens leaves no other way");
    let empty = |grammar: &Grammar, vocabulary| {
        matches!(Constraint::compile(grammar, vocabulary, &Budget::default()), Err(Error::EmptyGrammar(_)))
    };
    assert!(empty(&tagged(&[("a", None)], false), &vocabulary));
    assert!(empty(&tagged(&[], false), &vocabulary));
    // A tag that the vocabulary cannot spell is none.
    let letters = [Some(b"a".to_vec()), Some(b"b".to_vec()), Some(vec![0xC3]), Some(vec![0xA9]), None];
    let few = Arc::new(Vocabulary::new(letters.to_vec(), vec![], vec![TokenId(4)], 5).unwrap());
    assert!(empty(&tagged(&[("xa", Some("a"))], false), &few));
    assert!(empty(&tagged(&[("a", Some("x"))], false), &few));
    let accents = constraint(&tagged(&[("é", None), ("xa", None)], true), &few);
    assert_eq!(read(&accents, "aé"), (1, true), "no other character begins as the forbidden one does");
    assert_eq!(read(&accents, "a"), (1, true));
}

#[test]
fn tags_that_cannot_occur_are_refused() {
    let budget = Budget { expressions: 1000, ..Budget::default() };
    let long = "<a>".repeat(1000);
    for (tag, part) in [(&b""[..], "is empty"), (b"\xFF", "not valid UTF-8")] {
        let error = GrammarBuilder::new(&budget).free_text(&[(tag, NOTHING)], true).unwrap_err();
        assert!(matches!(&error, Error::Grammar(message) if message.contains(part)), "{error}");
    }
    let error = GrammarBuilder::new(&budget).free_text(&[(long.as_bytes(), NOTHING)], true).unwrap_err();
    assert!(matches!(error, Error::BudgetExceeded { budget: "expressions", .. }));
}

/// Prose with calls in it: each tag opens a rule that holds text and a call of the other one.
fn calls(count: usize, tag: impl Fn(usize) -> String, maximum: Option<u32>) -> Grammar {
    grammar(|builder| {
        let letter = builder.bytes(ByteSet::range(b'a', b'z'));
        let word = builder.repetition(letter, 0, Some(9));
        let end = builder.literal(b"</>");
        let tags: Vec<String> = (0..count).map(tag).collect();
        let mut with = Vec::new();
        for (at, tag) in tags.iter().enumerate() {
            let rule = builder.declare_rule(tag);
            let number = builder.literal(at.to_string().as_bytes());
            let body = builder.concatenation(&[number, word, end]);
            builder.define_rule(rule, body);
            with.push((tag.as_bytes(), builder.call(rule)));
        }
        let without: Vec<_> = tags.iter().map(|tag| (tag.as_bytes(), NOTHING)).collect();
        let text = builder.free_text(&with, false).unwrap();
        let rest = builder.free_text(&without, true).unwrap();
        let repeated = builder.repetition(text, 0, maximum);
        builder.concatenation(&[repeated, rest])
    })
}

fn joined_tokens() -> Arc<Vocabulary> {
    let mut tokens = Vec::new();
    for first in ["<", "call_", "x", "/>", ">", " ", "é", "(", "1", "f1", "<f", "</", "日"] {
        for second in ["", "<", "f", "1", "call", "_", "12", "(", ">", "a", "日本", "</>", " <f1>1ab</> <f2"]
        {
            tokens.push(format!("{first}{second}"));
            tokens.push(format!("{first}{second}{first}"));
        }
    }
    tokens.sort_unstable();
    tokens.dedup();
    vocabulary(&tokens.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn masks_are_those_of_reading_each_token() {
    let vocabulary = joined_tokens();
    let budget = Budget::default();
    let texts = [
        "a <f1>1ab</> <f <f12>12</>é日<f",
        "ca call_1(1a</> call_12(12</> cal日call_",
        "1 f1(f2",
        "f12>(日1>",
    ];
    let grammars = [
        calls(13, |at| format!("<f{at}>"), None),
        calls(13, |at| format!("call_{at}("), Some(2)),
        calls(3, |at| format!("f{at}"), None),
        calls(2, |at| format!("{at}>"), Some(1)),
        tagged(&[("<f1>", None), ("f", Some("x")), ("1>(", Some("é"))], true),
        tagged(&[("日本", Some("1")), ("本", None), ("call_", Some("f"))], false),
    ];
    for grammar in &grammars {
        let each = Settings { stack_automaton: false, ..Settings::default() };
        let made = |settings| {
            let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
            Arc::new(Constraint::compile_with(grammar, &pool, &budget, settings).unwrap())
        };
        let (fast, slow) = (made(Settings::default()), made(each));
        for text in texts {
            let (mut fast, mut slow) = (Matcher::new(&fast), Matcher::new(&slow));
            for byte in text.bytes() {
                let mut rows = [vec![0; vocabulary.mask_words()], vec![0; vocabulary.mask_words()]];
                fast.fill_mask(&mut rows[0]).unwrap();
                slow.fill_mask(&mut rows[1]).unwrap();
                assert_eq!(rows[0], rows[1], "before {:?} of {text:?}", byte.escape_ascii().to_string());
                let accepted = fast.accept_bytes(&[byte]).unwrap();
                assert_eq!(accepted, slow.accept_bytes(&[byte]).unwrap());
                if !accepted {
                    break;
                }
            }
        }
    }
}

#[test]
fn text_is_not_walked_to_know_where_it_says_what_it_must_not() {
    let letter = |number: usize| char::from(b"abcdefgh"[number % 8]);
    let tokens: Vec<String> = (0..4096)
        .map(|number| [number, number / 8, number / 64, number / 512].map(letter).iter().collect())
        .collect();
    let vocabulary = vocabulary(&tokens.iter().map(String::as_str).collect::<Vec<_>>());
    let words = ["abc", "bag", "dead", "fed", "gab", "hec"].map(|word| (word, None));
    let constraint = constraint(&tagged(&words, true), &vocabulary);
    let mut matcher = Matcher::new(&constraint);
    let mut row = vec![0; vocabulary.mask_words()];
    for byte in [&b""[..], b"a", b"b", b"a", b"d", b"e", b"a"] {
        assert!(matcher.accept_bytes(byte).unwrap());
        matcher.fill_mask(&mut row).unwrap();
        for (token, text) in tokens.iter().enumerate() {
            let token = token + 256;
            let allowed = row[token / 32] as u32 >> (token % 32) & 1 == 1;
            let mut fork = matcher.clone();
            assert_eq!(allowed, fork.accept_bytes(text.as_bytes()).unwrap(), "{text}");
        }
    }
    let visited = constraint.statistics().visited_nodes;
    assert!(visited < 300, "{visited} of {} nodes", 8 + 64 + 512 + 4096);
}

#[test]
fn what_is_computed_ahead_is_all_that_prose_needs() {
    let vocabulary = joined_tokens();
    let constraint = constraint(&calls(5, |at| format!("<f{at}>"), None), &vocabulary);
    let done = constraint.warm_up(Warm::All, &[], |_| ControlFlow::Continue(()));
    assert!(done.complete, "{done:?}");
    let walks = constraint.statistics().walks;
    let mut matcher = Matcher::new(&constraint);
    let mut row = vec![0; vocabulary.mask_words()];
    for byte in "é <f1>1ab</> <f3>3</><f".bytes() {
        matcher.fill_mask(&mut row).unwrap();
        assert!(matcher.accept_bytes(&[byte]).unwrap());
    }
    matcher.fill_mask(&mut row).unwrap();
    assert_eq!(constraint.statistics().walks, walks);
}

#[test]
fn equal_free_text_shares_masks_whatever_the_order_of_its_tags() {
    let vocabulary = joined_tokens();
    let budget = Budget::default();
    let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
    let mut walks = Vec::new();
    for turned in [false, true] {
        let grammar = grammar(|builder| {
            let unused = builder.literal(b"unused");
            if turned {
                builder.repetition(unused, 0, None);
            }
            let (one, two) = (builder.literal(b"1"), builder.literal(b"2"));
            let mut tags = vec![(&b"<f1>"[..], one), (b"<f2>", two), (b"x", NOTHING)];
            // With so many beginnings of tags a walk is worth its key.
            tags.extend(
                ["call_(", "/>>", " (", "\u{e9}(", "(1(", "1(1", "f11"].map(|tag| (tag.as_bytes(), one)),
            );
            if turned {
                tags.reverse();
            }
            builder.free_text(&tags, true).unwrap()
        });
        let constraint =
            Arc::new(Constraint::compile_with(&grammar, &pool, &budget, Settings::default()).unwrap());
        let mut matcher = Matcher::new(&constraint);
        let mut row = vec![0; vocabulary.mask_words()];
        for byte in "a<f1".bytes() {
            matcher.fill_mask(&mut row).unwrap();
            assert!(matcher.accept_bytes(&[byte]).unwrap());
        }
        walks.push(constraint.statistics().walks);
    }
    assert!(pool.statistics().partial_hits > 0);
    assert!(walks[1] < walks[0], "short walks only are made again: {walks:?}");
}
