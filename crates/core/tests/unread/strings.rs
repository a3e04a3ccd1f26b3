//! Strings: escapes, lengths, patterns, and conditions on the members that they are.

use super::*;

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
        // What may be read behind the characters that come again and again depends on which these were.
        (r#"{"type": "string", "pattern": "^(a|B7)*(B-|[.]日|é)?$"}"#.to_owned(), "aB7aB-"),
        (r#"{"type": "string", "pattern": "^[aB7]*7(é-|[.]a)[aB7]*$"}"#.to_owned(), "aB77é-7a"),
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
