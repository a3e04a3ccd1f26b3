//! Masks are those of reading each token, whatever walks have taken unread: long strings, numbers, and the fixed
//! strings of keys and constants.
#![allow(clippy::unwrap_used, reason = "in tests a panic is how a failure is told")]

use std::sync::Arc;

use maskwright_core::frontend::gbnf;
use maskwright_core::frontend::json_schema::{self, Options, PropertyOrder, Whitespace};
use maskwright_core::frontend::regex::{self, RegexOptions};
use maskwright_core::grammar::Grammar;
use maskwright_core::{Budget, Constraint, Matcher, Pool, Settings, TokenId, Vocabulary};

/// Single bytes, and all texts of up to four of some pieces.
fn texts(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut strings: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let mut last: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 1..=4 {
        let longer = last.iter().flat_map(|string| pieces.iter().map(|piece| [string, *piece].concat()));
        last = longer.collect();
        if length > 1 {
            strings.extend(last.iter().cloned());
        }
    }
    strings
}

/// Texts of characters of many kinds, and runs of up to 40 of them.
fn vocabulary() -> Arc<Vocabulary> {
    let pieces: [&[u8]; 10] =
        [b"a", b"B", b"7", b"-", b".", b" ", b"\"", "é".as_bytes(), "日".as_bytes(), "\u{2003}".as_bytes()];
    let mut strings = texts(&pieces);
    for piece in pieces {
        strings.extend((5..=40).map(|count| piece.repeat(count)));
        strings.push([&piece.repeat(9), &b"\xE6\x97"[..]].concat());
        strings.push([&piece.repeat(9), &b"\xE6a"[..]].concat());
        strings.push([&piece.repeat(9), &b"\\n"[..]].concat());
    }
    vocabulary_of(strings)
}

fn vocabulary_of(mut strings: Vec<Vec<u8>>) -> Arc<Vocabulary> {
    strings.sort_unstable();
    strings.dedup();
    let mut tokens: Vec<Option<Vec<u8>>> = strings.into_iter().map(Some).collect();
    let stop = TokenId(tokens.len() as u32);
    tokens.push(None);
    let size = tokens.len();
    Arc::new(Vocabulary::new(tokens, Vec::new(), vec![stop], size).unwrap())
}

/// Compares masks after each byte of a text.
fn compare(vocabulary: &Arc<Vocabulary>, schema: &str, text: &str) {
    compare_with(vocabulary, schema, &Options::default(), text);
}

fn compare_with(vocabulary: &Arc<Vocabulary>, schema: &str, options: &Options, text: &str) {
    let slow = Settings { signatures: false, ..Settings::default() };
    compare_settings(vocabulary, schema, options, slow, text);
}

fn compare_settings(
    vocabulary: &Arc<Vocabulary>,
    schema: &str,
    options: &Options,
    slow: Settings,
    text: &str,
) {
    let grammar = json_schema::compile(schema, &[], options, &Budget::default()).unwrap();
    compare_grammar(vocabulary, &grammar, schema, slow, text);
}

fn compare_grammar(vocabulary: &Arc<Vocabulary>, grammar: &Grammar, name: &str, slow: Settings, text: &str) {
    let budget = Budget::default();
    // Each has a pool of its own, lest one finds what the other left.
    let constraint = |settings| {
        let pool = Arc::new(Pool::new(vocabulary, budget.pool_bytes));
        Arc::new(Constraint::compile_with(grammar, &pool, &budget, settings).unwrap())
    };
    let (fast, slow) = (constraint(Settings::default()), constraint(slow));
    let (mut fast, mut slow) = (Matcher::new(&fast), Matcher::new(&slow));
    for at in 0..=text.len() {
        let mut rows = [(); 3].map(|()| vec![0; vocabulary.mask_words()]);
        fast.fill_mask(&mut rows[0]).unwrap();
        slow.fill_mask(&mut rows[1]).unwrap();
        // A fork does not know the mask before.
        fast.clone().fill_mask(&mut rows[2]).unwrap();
        assert!(rows[0] == rows[1], "{name}: masks differ after {at} bytes of {text}");
        assert!(rows[0] == rows[2], "{name}: the mask of a fork differs after {at} bytes of {text}");
        if let Some(&byte) = text.as_bytes().get(at) {
            assert!(
                fast.accept_bytes(&[byte]).unwrap() && slow.accept_bytes(&[byte]).unwrap(),
                "{name} {text}"
            );
        }
    }
}

#[test]
fn what_has_to_be_escaped_is_told_alike_by_masks_and_by_what_is_accepted() {
    let minimal = Options { minimal_escapes: true, ..Options::default() };
    let lone = Options { lone_surrogates: true, ..minimal.clone() };
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    // Without some of the bytes, characters beyond ASCII are escaped.
    for missing in [0xF0..=0xFF, 0x80..=0xFF, 0xF1..=0xF4] {
        let bytes = (0..=255u8).filter(|byte| !missing.contains(byte)).map(|byte| vec![byte]);
        let vocabulary = vocabulary_of(bytes.chain([b"\\u".to_vec(), b"\\ud".to_vec()]).collect());
        for pattern in ["^(a|日){1,20}$", "^[a日]{1,3}$", "^한?a$", "^[^a]a$"] {
            for length in ["", r#", "maxLength": 20"#] {
                let schema = format!(r#"{{"type": "string", "pattern": "{pattern}"{length}}}"#);
                for options in [&minimal, &lone] {
                    compare_settings(&vocabulary, &schema, options, slow, r#"""#);
                }
            }
        }
    }
}

#[test]
fn masks_with_lone_surrogates_have_no_bytes_of_surrogates() {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let more: [&[u8]; 7] =
        [b"\xED\xA0", b"\xED\xA0\x80", b"a\xED\xBF", b"\xED\x95\x9C", b"\xA0\x80\"", b"\\ud8", b"\\ud800\""];
    let vocabulary = vocabulary_of(bytes.chain(more.map(<[u8]>::to_vec)).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    let options = Options { lone_surrogates: true, ..Options::default() };
    for schema in [
        r#"{"type": "string"}"#,
        r#"{"type": "string", "minLength": 1, "maxLength": 4}"#,
        r#"{"type": "string", "not": {"pattern": "^x"}}"#,
        r#"{"type": "string", "pattern": "^[^b]*$"}"#,
        r#"{"additionalProperties": {"const": "한"}}"#,
    ] {
        let text = if schema.contains("additional") { r#"{"한": "한"# } else { r#""a한\ud800"# };
        compare_settings(&vocabulary, schema, &options, slow, text);
        let grammar = json_schema::compile(schema, &[], &options, &Budget::default()).unwrap();
        let constraint = Arc::new(Constraint::compile(&grammar, &vocabulary, &Budget::default()).unwrap());
        let mut matcher = Matcher::new(&constraint);
        let (beginning, _) = text.split_once('한').unwrap();
        assert!(matcher.accept_bytes(beginning.as_bytes()).unwrap());
        let mut row = vec![0; vocabulary.mask_words()];
        matcher.fill_mask(&mut row).unwrap();
        let is_allowed = |bytes: &[u8]| {
            let tokens = (0..vocabulary.token_count() as u32).map(TokenId);
            let mut tokens = tokens.filter(|&token| vocabulary.token_bytes(token) == Some(bytes));
            tokens.any(|token| row[token.0 as usize / 32] >> (token.0 % 32) & 1 == 1)
        };
        let allowed: Vec<bool> = more[..4].iter().map(|bytes| is_allowed(bytes)).collect();
        assert_eq!(allowed, [false, false, false, true], "{schema}");
        assert!(!matcher.accept_bytes(b"\xED\xA0").unwrap(), "{schema}");
    }
}

#[test]
fn masks_in_what_is_read_digit_by_digit_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 15] = [
        b"1", b"12", b"30", b"300", b"59", b"60", b":", b"T", b"-", b"Z", b".", b"\"", b"\",\"", b"\\u003",
        b"2024",
    ];
    let vocabulary = vocabulary_of(texts(&pieces).into_iter().filter(|text| text.len() < 12).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for (schema, text) in [
        (r#"{"format": "date-time"}"#, r#""2024-12-30T12:30:59.1Z"#),
        (r#"{"format": "date-time"}"#, r#""2024-12-30T\u0031\u0032:30:60-11:29"#),
        (r#"{"items": {"format": "time"}}"#, r#"["12:30:60+12:31","23:59:60Z","1"#),
        (r#"{"format": "date"}"#, r#""2024-12-30"#),
        (r#"{"format": "ipv4"}"#, r#""12.1.30.25"#),
        (r#"{"items": {"pattern": "^[0-9]{2}:([0-5][0-9]|60)(:[0-9]{2})?$"}}"#, r#"["12:30:12","12:60","3"#),
        (
            r#"{"items": {"pattern": "^(1[0-2]|30|59)[.:-](12|30)$", "not": {"const": "12:30"}}}"#,
            r#"["12:12","30.30"#,
        ),
        (r#"{"items": {"pattern": "^(1|12|12:3|12:30-)[0-9]?$"}}"#, r#"["12:3","12:30-1","1"#),
    ] {
        compare_settings(&vocabulary, schema, &Options::default(), slow, text);
    }
}

/// Behind as much white space as may come, a text begins that is captured, to be compared with others.
#[test]
fn white_space_may_end_before_what_is_captured() {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let blanks =
        (1..6).flat_map(|count| ["", "\"", "1", "{"].map(|end| (" ".repeat(count) + end).into_bytes()));
    let vocabulary = vocabulary_of(bytes.chain(blanks).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for maximum in 0..6 {
        let options = Options { whitespace: Whitespace::Free { maximum }, ..Options::default() };
        for (items, text) in [(r#"{"type": "string"}"#, r#"["a","b","#), (r#"{"type": "integer"}"#, "[1,23,")]
        {
            let schema = format!(r#"{{"type": "array", "uniqueItems": true, "items": {items}}}"#);
            compare_settings(&vocabulary, &schema, &options, slow, text);
            let schema = format!(r#"{{"additionalProperties": {schema}}}"#);
            compare_settings(&vocabulary, &schema, &options, slow, &format!(r#"{{"k":{text}"#));
        }
    }
}

/// Of a frame that ends behind `1` and behind `12`, what comes after it begins at both: there is more to the longer one
/// than that something goes on.
#[test]
fn a_walk_starts_at_each_exit_of_the_frame_above() {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let vocabulary = vocabulary_of(bytes.chain([b"12".to_vec(), b"123".to_vec()]).collect());
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    let text = "root ::= a [0-9] \":\"\na ::= \"x\" (\"1\" | \"12\") | \"(\" a \")\"";
    let grammar = gbnf::compile(text, "root", &Budget::default()).unwrap();
    compare_grammar(&vocabulary, &grammar, "exits", slow, "x123:");
}

#[test]
fn masks_of_counters_before_what_repeats_more_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for (pattern, text) in [
        ("a{3}.*a", "aaaB7a"),
        ("a{2,}.*a", "aaaBa"),
        ("a{3,5}.*a", "aaaaaaBa"),
        ("a{3,}.*[aB]", "aaa7B"),
        ("-{2}.*-", "--a-"),
        ("[A-Z]{2,3}[A-Z0-9]*[A-Z]", "BBB7B"),
        ("[a-z]{2}[a-z0-9]*[a-z]", "aa7a"),
        (r"[0-9]{2}\w*[0-9]", "77aB7"),
        ("[aB日]{9}.*7", "aB日aB日aB日77"),
        ("(?:aB?){1,40}[aB7]*-", "aBaBaB7-"),
    ] {
        let grammar = regex::compile(pattern, &RegexOptions::default(), &Budget::default()).unwrap();
        compare_grammar(&vocabulary, &grammar, pattern, slow, text);
        compare_grammar(
            &vocabulary,
            &grammar,
            pattern,
            Settings { signatures: false, ..Settings::default() },
            text,
        );
    }
}

#[test]
fn masks_in_bounded_strings_count_characters_as_json_means_them() {
    let pieces: [&[u8]; 9] = [b"a", b"\\", b"u", b"d83d", b"de00", b"00e9", b"n", b"\"", "é".as_bytes()];
    let mut strings = texts(&pieces);
    strings.extend(
        (5..=30)
            .flat_map(|count| [b"a".repeat(count), b"\\n".repeat(count), b"\\ud83d\\ude00".repeat(count)]),
    );
    let vocabulary = vocabulary_of(strings);
    let texts = [r#""aé\n\u00e9a\ud83d\ude00""#, r#""\ud83d\ude00\ud83d\ude00\"aa""#];
    let spelled = |minimal_escapes, lone_surrogates, ascii_only| Options {
        minimal_escapes,
        lone_surrogates,
        ascii_only,
        ..Options::default()
    };
    for bounds in
        [r#""maxLength": 6"#, r#""minLength": 4, "maxLength": 7"#, r#""minLength": 5"#, r#""maxLength": 29"#]
    {
        let schema = format!(r#"{{"type": "string", {bounds}}}"#);
        for text in texts {
            compare_with(&vocabulary, &schema, &spelled(false, false, false), text);
            compare_with(&vocabulary, &schema, &spelled(false, true, false), text);
        }
        compare_with(&vocabulary, &schema, &spelled(true, false, false), r#""aé\nan""#);
        compare_with(&vocabulary, &schema, &spelled(false, false, true), r#""a\u00e9\ud83d\ude00aaa""#);
    }
}

#[test]
fn masks_in_long_strings_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    for (schema, content) in [
        (r#"{"type": "string", "maxLength": 30}"#, "aB7日é-aB7aB7aB7aB7aB7aB7aB7a"),
        (r#"{"type": "string", "minLength": 4, "maxLength": 7}"#, "aB日7é"),
        (r#"{"type": "string", "pattern": "^.*$", "maxLength": 60}"#, "a日éaB"),
        (
            r#"{"type": "string", "pattern": "^\\S+$", "maxLength": 50}"#,
            "a日éaB7aB7aB7aB7aB7aB7aB7aB7aB7aB7aB7aB7aB7aB7",
        ),
        (
            r#"{"type": "string", "pattern": "^(\\S+\\s+){0,29}\\S+$", "maxLength": 45}"#,
            "a aB7 日 aBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
        ),
        (
            r#"{"type": "string", "pattern": "^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$", "minLength": 3, "maxLength": 33}"#,
            "aB7-aB7-aB7-aB7-aB7-aB7-aB7-aB7",
        ),
        (
            r#"{"type": "string", "pattern": "^[a-z]{26,40}$", "minLength": 30}"#,
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ),
        (r#"{"type": "string", "pattern": "^(aB){1,40}$", "maxLength": 70}"#, "aBaBaBaBaB"),
        (
            r#"{"type": "string", "not": {"pattern": "^a{0,30}$"}, "maxLength": 40}"#,
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ),
        (r#"{"type": "string", "not": {"pattern": "7.{28,}$"}}"#, "aB7日a日日日日日日日日日日日日日"),
        (r#"{"type": "string", "format": "hostname", "maxLength": 40}"#, "aB7-a.B7-aaaaaaaaaaaaaaaaa"),
        (r#"{"type": "string", "pattern": "aB.*7{3}-", "maxLength": 28}"#, "aaaBB777-日日日日"),
        (r#"{"type": "string", "not": {"enum": ["a", "aB", "aB7", "日"]}}"#, "aB7日a"),
        // No token reaches the end of these at first, but tokens come near it later.
        (
            r#"{"type": "string", "pattern": "^(\\S+\\s+){0,9}\\S+$", "maxLength": 150}"#,
            "a aB7 日 aBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
        ),
        (r#"{"type": "string", "pattern": "aB.*7", "maxLength": 130}"#, "aaB日a-7日日a"),
        (r#"{"type": "string", "pattern": "^[aB]{3,}(-7){4,}$", "maxLength": 131}"#, "aBaBaB-7-7-7-7-7"),
        // What is found anywhere.
        (r#"{"type": "string", "pattern": "aB-7"}"#, "aaB-aB-7aB日"),
        (r#"{"type": "string", "pattern": "(a|[B7]{2}-)日"}"#, "aB7-aB7-日a日"),
        (r#"{"type": "string", "not": {"pattern": "aB-|7é"}}"#, "aaB7日aBa"),
    ] {
        compare(&vocabulary, schema, &format!("\"{content}\""));
    }
}

#[test]
fn masks_of_strings_that_are_remembered_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    let a = "a".repeat(30);
    for (schema, content) in [
        (r#"{"type": "string", "minLength": 1}"#.to_owned(), "aB日"),
        (r#"{"type": "string", "pattern": "^([aB.]|-[0-9]{2})*$"}"#.to_owned(), "aB-77.-77a"),
        (
            r#"{"type": "string", "pattern": "^([aB.]|-[0-9]{2})*$", "maxLength": 45}"#.to_owned(),
            "aB-77.-77a",
        ),
        (r#"{"type": "string", "pattern": "^[^-]+-[^-]+$"}"#.to_owned(), "aB日.-é7"),
        (r#"{"type": "string", "pattern": "^[aB]+(\\.[aB7]+)*$"}"#.to_owned(), "aBa.B7.a"),
        (r#"{"type": "string", "pattern": "^.*aB.*7.*日"}"#.to_owned(), "aaB.77日-"),
        (r#"{"type": "string", "pattern": "^(a|[B7]{2}|日é)*-$"}"#.to_owned(), "aB7日éa-"),
        (r#"{"type": "string", "pattern": "[aB]{9}-.*7{4}"}"#.to_owned(), "aaBaBaBaBa-é7777"),
        (r#"{"type": "string", "format": "uri"}"#.to_owned(), "a://B7.a/a-7?a"),
        (r#"{"type": "string", "format": "email", "maxLength": 40}"#.to_owned(), "a.B@aB7-a.aBa"),
        (
            r#"{"type": "string", "not": {"enum": ["a", "日B", "-", "AAA", "aaaaaaa"]}}"#.to_owned(),
            "aaaaaaaa日B",
        ),
        (
            r#"{"type": "string", "maxLength": 9, "not": {"enum": ["a", "aaaaaaaaa", "日日"]}}"#.to_owned(),
            "aaaaaaaa-",
        ),
        (format!(r#"{{"type": "string", "maxLength": 30, "not": {{"enum": ["a", "{a}"]}}}}"#), "aaaaaaaaa"),
        (format!(r#"{{"type": "string", "maxLength": 31, "not": {{"enum": ["a", "{a}"]}}}}"#), "aaaaaaaaa"),
        (
            format!(r#"{{"type": "string", "pattern": "^a*$", "not": {{"enum": ["aa", "{a}"]}}}}"#),
            "aaaaaaaaa",
        ),
        (
            format!(r#"{{"type": "string", "pattern": "^(aB|-)*$", "not": {{"enum": ["aB", "{a}"]}}}}"#),
            "aBaB-aB",
        ),
    ] {
        compare(&vocabulary, &schema, &format!("\"{content}\""));
    }
}

#[test]
fn masks_in_strings_on_which_members_depend_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    for pattern in ["aB-", "^a|B7|-$", "^.a.B"] {
        let schema = format!(
            r#"{{"type": "object", "properties": {{"a": {{"type": "string"}}}}, "required": ["a"],
                "if": {{"properties": {{"a": {{"pattern": "{pattern}"}}}}}}, "then": {{"maxProperties": 1}},
                "else": {{"properties": {{"a": {{}}}}, "additionalProperties": {{"const": 7}}}}}}"#
        );
        for text in [r#"{"a": "aaB-日B7"#, r#"{"a": "-a7B"#, r#"{"a": "a.B"}"#] {
            compare(&vocabulary, &schema, text);
        }
    }
}

#[test]
fn masks_in_undeclared_keys_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    for (schema, text) in [
        (
            r#"{"properties": {"a": {}, "aB7": {}, "日a": {}, "aBaBaBaBaB": {}}, "additionalProperties": {"type": "integer"}}"#,
            r#"{"aB7": 7, "aB": 7, "aaB": 7, "日": 7, "aBaBaBaBaBa": 7}"#,
        ),
        (
            r#"{"properties": {"a": {}}, "patternProperties": {"^[a7]+$": {"type": "boolean"}}, "additionalProperties": {"type": "integer"}}"#,
            r#"{"a7a": true, "aB": 7, "7a.": 77, "é": 7}"#,
        ),
        (
            r#"{"patternProperties": {"^aB-[a-z]+(-7+)?$": {"type": "integer"}, "^-.": {}}, "properties": {"a": {}}, "additionalProperties": {"type": "boolean"}}"#,
            r#"{"a": 7, "aB-a": 7, "aB-": true, "aB-a-": false, "é"#,
        ),
        (
            r#"{"patternProperties": {"^(?!aB).*$": {"type": "integer"}}, "properties": {"a.": {}, "7": {}}}"#,
            r#"{"a.": 7, "7aB": 7, "aB": ""}"#,
        ),
    ] {
        compare(&vocabulary, schema, text);
    }
}

#[test]
fn masks_of_strings_of_any_length_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    for (least, most) in
        [(0, 1), (1, 1), (0, 2), (2, 3), (0, 9), (9, 9), (3, 12), (0, 39), (38, 41), (0, 400)]
    {
        for kind in
            ["", r#", "pattern": "^.*$""#, r#", "pattern": "^[a-zB]*$""#, r#", "pattern": "^[^-]*日?$""#]
        {
            let schema = format!(r#"{{"type": "string", "minLength": {least}, "maxLength": {most}{kind}}}"#);
            let content = "aBa".repeat(most.min(20) / 3 + 1).chars().take(most.min(20)).collect::<String>();
            let text =
                if most < 42 && content.len() >= least { format!("\"{content}\"") } else { "\"aB".into() };
            compare(&vocabulary, &schema, &text);
        }
    }
}

#[test]
fn masks_in_numbers_are_those_of_reading_each_token() {
    let vocabulary = vocabulary();
    for (schema, text) in [
        (r#"{"type": "integer"}"#, "777777777777777"),
        (r#"{"type": "number"}"#, "-77777777777777.77777e77777777777"),
        (r#"{"type": "number", "minimum": 0}"#, "7777777777777.77"),
        (r#"{"type": "integer", "multipleOf": 7}"#, "7777777777777"),
        (r#"{"type": "array", "items": {"type": "integer"}}"#, "[7777, 77777777777777, 7]"),
        (r#"{"properties": {"a": {"type": "number"}, "B": {}}}"#, "{\"a\": 777777, \"B\": 7777777777}"),
        (r#"{"type": "string", "pattern": "^a[0-9]*$"}"#, "\"a77777777777777\""),
    ] {
        compare(&vocabulary, schema, text);
    }
}

#[test]
fn masks_in_keys_and_constants_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 11] =
        [b"a", b"b", b"u", b"00", b"61", b"6", b"\\", b"\"", b": ", b",", "é".as_bytes()];
    let vocabulary = vocabulary_of(texts(&pieces));
    let keys = r#"{"properties": {"a": {"const": 6}, "ab": {"const": "ba"}, "a\"b": {}, "ué": {}, "u\u0000": {}},
                   "additionalProperties": false}"#;
    let others = r#"{"properties": {"a": {"const": 6}, "abba": {"type": "object"}}, "required": ["abba"]}"#;
    let constants = r#"{"enum": ["a", "ab", "aba", "a\\b", "b\"a", "é\u0000", "bé", 6, 61]}"#;
    for minimal_escapes in [false, true] {
        let options = Options { minimal_escapes, order: PropertyOrder::Any, ..Options::default() };
        for (schema, text) in [
            (keys, r#"{"a": 6, "ab": "ba", "ué": [], "u\u0000": 6, "a\"b": {}}"#),
            (others, r#"{"abba": {"a": "b"}, "a": 6}"#),
            (constants, r#""a""#),
            (constants, r#""aba""#),
            (constants, r#""a\\b""#),
            (constants, r#""b\"a""#),
            (constants, r#""é\u0000""#),
            (constants, "61"),
        ] {
            compare_with(&vocabulary, schema, &options, text);
        }
    }
    compare(&vocabulary, keys, r#"{"\u0061": 6, "\u0061\u0062": "\u0062a", "a\u0022b": {}}"#);
    compare(&vocabulary, constants, r#""\u0061b\u0061""#);
}

#[test]
fn masks_in_keys_that_are_forgotten_are_those_of_trying_each_token() {
    let pieces: [&[u8]; 8] = [b"a", b"b", b"\"", b": ", b", ", b"1", b"}", b"{"];
    let mut texts = texts(&pieces);
    texts.extend(
        [
            "\": 1, \"",
            "\": 1, \"a",
            "\": 1, \"a\"",
            "\": 1, \"b\": ",
            "a\": 1, \"b\": 1, \"",
            "\": {}, \"",
            "\": 1}, {\"",
            "\": 1}, ",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    let vocabulary = vocabulary_of(texts);
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    for schema in [
        r#"{"type": "object"}"#,
        r#"{"additionalProperties": {"enum": [1, {}]}}"#,
        r#"{"properties": {"a": {"const": 1}}, "additionalProperties": {"type": "integer"}}"#,
        r#"{"patternProperties": {"^[ab]$": {}}, "additionalProperties": false}"#,
        r#"{"patternProperties": {"^a|^b$": {}}, "additionalProperties": false}"#,
        r#"{"patternProperties": {"^a": {"const": 1}}, "additionalProperties": {}}"#,
        r#"{"maxProperties": 2, "propertyNames": {"maxLength": 1}}"#,
        r#"{"propertyNames": {"pattern": "^(a|b|aa)$"}}"#,
        r#"{"minProperties": 3, "patternProperties": {"^b?a$": {}}}"#,
    ] {
        for text in [r#"{"a": 1, "b": 1}"#, r#"{"b": 1, "a": 1"#] {
            compare_settings(&vocabulary, schema, &options, slow, text.trim_end_matches('}'));
        }
    }
    let unique =
        r#"{"type": "array", "uniqueItems": true, "items": {"additionalProperties": {"enum": [1, {}]}}}"#;
    let excluded = r#"{"items": {"not": {"enum": [{"a": 1}, {"b": 1}]}}}"#;
    for schema in [unique, excluded] {
        for text in [r#"[{"a": 1, "b": 1}, {"b": 1, "aa": 1"#, r#"[{"aa": 1}, {"aa": 1, "b": 1}, {"b"#] {
            compare_settings(&vocabulary, schema, &options, slow, text);
        }
    }
}

/// Each of the longer texts stands for a token that ends an item, and begins or holds those after it.
#[test]
fn masks_within_items_that_must_differ_are_those_of_reading_each_token() {
    let pieces: [&[u8]; 8] = [b"a", b"b", b"\"", b",", b"1", b"[", b"]", b" "];
    let mut texts = texts(&pieces);
    texts.extend(
        [
            r#"","a","#,
            r#"",1,1"#,
            r#"",1, 11,1"#,
            r#"",1,[1],1"#,
            r#"","a",""#,
            r#"", "b"]"#,
            r#"","\u0061""#,
            r#"",true,t"#,
            r#"",[1],[1]"#,
            r#"a","a""#,
            r#"",{"a":"#,
            r#"","ab"#,
            r#"","aba"#,
            r#"","abab"#,
            r#"","ababa"#,
            r#"","ababab"#,
            r#"","ab""#,
            r#"","ab","#,
            r#"],["a"#,
            r#""],["#,
            r#""],["a"#,
            r#""],["ab""#,
            r#""],["ab"]"#,
            r#""},"#,
            r#""},{"#,
            r#""},{""#,
            r#""},{"a"#,
            r#""},{"a""#,
            r#""},{"a":"#,
            r#""},{"a":"ab"}"#,
            r#""},{"a":"ab"},"#,
            r#"":1},{"#,
            r#"":1},{"ab"#,
            r#"":1},{"ab""#,
            r#"":1},{"ab":1}"#,
            r#"":1,"ab":1}"#,
            r#"":1}, {"a"#,
            r#"","b":1}"#,
            r#"","b":1},{"#,
            r#"","b":1},{"a":""#,
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    let vocabulary = vocabulary_of(texts);
    let slow = Settings { stack_automaton: false, ..Settings::default() };
    let options = Options { order: PropertyOrder::Any, ..Options::default() };
    for items in [
        r#""items": {}"#,
        r#""items": {"type": "string"}"#,
        r#""items": {"type": "string", "maxLength": 1}"#,
        r#""items": {"type": "string", "maxLength": 7}"#,
        r#""items": {"type": "string", "minLength": 2, "maxLength": 9}"#,
        r#""items": {"enum": ["a", "b", "ab", 1, 11, null]}"#,
        r#""items": {"pattern": "^a*$"}"#,
        r#""items": {"pattern": "^(a|ab*)$"}"#,
        r#""items": {"anyOf": [{"type": "string"}, {"enum": [1, 11]}, {"items": {"enum": ["a", "b"]}}]}"#,
        r#""items": {"type": ["string", "boolean"]}, "maxItems": 3"#,
        r#""items": {"type": ["string", "array"], "uniqueItems": true, "items": {"type": ["string", "number"]}}"#,
        r#""items": {"type": "string"}, "contains": {"const": "ab"}"#,
        r#""prefixItems": [{"type": "string"}, {"enum": ["ab", "b"]}, {"enum": ["b"]}]"#,
        r#""items": {"type": "string"}, "not": {"const": ["ab", "b"]}"#,
        r#""items": {"items": {"type": "string"}}"#,
        r#""items": {"prefixItems": [{"type": "string"}, {"enum": ["a"]}], "items": false, "minItems": 2}"#,
        r#""items": {"prefixItems": [{"type": "string"}, {"enum": ["ab", "a"]}], "uniqueItems": true}"#,
        r#""items": {"additionalProperties": {"type": "string"}}"#,
        r#""items": {"additionalProperties": {"const": 1}, "maxProperties": 1}"#,
        r#""items": {"additionalProperties": {"const": 1}, "propertyNames": {"maxLength": 2}}"#,
        r#""items": {"properties": {"a": {"type": "string"}, "b": {"const": 1}}, "additionalProperties": false}"#,
        r#""items": {"properties": {"a": {"maxLength": 2}}, "required": ["a"], "additionalProperties": false}"#,
        r#""items": {"properties": {"a": {"enum": ["ab", "b"]}}, "required": ["a"], "maxProperties": 2}"#,
    ] {
        let schema = format!(r#"{{"type": "array", "uniqueItems": true, {items}}}"#);
        let budget = Budget::default();
        let grammar = json_schema::compile(&schema, &[], &options, &budget).unwrap();
        let pool = Arc::new(Pool::new(&vocabulary, budget.pool_bytes));
        let constraint = Arc::new(Constraint::compile_with(&grammar, &pool, &budget, slow).unwrap());
        for text in [
            r#"["ab", "b"#,
            r#"["ab","a\u0061b"#,
            r#"["ab", ["ab", "b"], ["b", "ab"#,
            r#"[{"a": "ab", "b": 1}, {"a": "a"#,
            r#"[{"ab": 1}, {"a": 1, "b"#,
            r#"[["ab", "a"], ["a"#,
        ] {
            // As much of it as the schema allows.
            let mut matcher = Matcher::new(&constraint);
            let bytes = text.as_bytes().chunks(1);
            let read = bytes.take_while(|byte| matcher.accept_bytes(byte).unwrap()).count();
            compare_settings(&vocabulary, &schema, &options, slow, &text[..read]);
        }
    }
}
