//! The formats on tables of texts, and against arithmetic where a format has any.

use std::collections::BTreeSet;

use super::super::number::{Notation, NumberCondition, number_language};
use super::*;
use crate::budget::Deadline;
use crate::expression::{ContentRegistry, Derivatives, Description, ExpressionStore, FORM_VERSION, Symbol};
use crate::frontend::evaluate;
use crate::grammar::{ContentSearch, PreparedGrammar, SearchLimits};
use crate::vocabulary::Vocabulary;

/// The language of one format.
pub(super) struct Language {
    pub(super) store: ExpressionStore,
    pub(super) expression: ExpressionId,
}

impl Language {
    pub(super) fn of(name: &str) -> Self {
        let budget = Budget::default();
        let mut builder = GrammarBuilder::new(&budget);
        let expression = format_language(name, &budget, &mut ClassCache::default(), &mut builder);
        let expression = expression.unwrap().unwrap();
        Self { store: builder.expressions().clone(), expression }
    }

    fn has(&self, text: &str) -> bool {
        evaluate::matches(&self.store, self.expression, text.as_bytes())
    }

    /// What is left of it after a text, for the many texts that begin with that.
    pub(super) fn after(&self, text: &str) -> Self {
        let mut store = self.store.clone();
        let expression = text.bytes().fold(self.expression, |at, byte| {
            let mut derivatives = Derivatives::new();
            store.derive(at, Symbol::Byte(byte), &mut derivatives);
            store.alternatives(&derivatives.rest)
        });
        Self { store, expression }
    }
}

/// Asserts that the format has all of `valid` and none of `invalid`.
fn check(name: &str, valid: &[&str], invalid: &[&str]) {
    let language = Language::of(name);
    let refused: Vec<_> = valid.iter().filter(|text| !language.has(text)).collect();
    let admitted: Vec<_> = invalid.iter().filter(|text| language.has(text)).collect();
    assert!(refused.is_empty(), "{name} lacks {refused:?}");
    assert!(admitted.is_empty(), "{name} has {admitted:?}");
}

#[test]
fn every_name_has_a_regular_language_and_others_have_none() {
    for (name, _) in FORMATS {
        let language = Language::of(name);
        assert!(language.store.is_regular(language.expression), "{name}");
    }
    assert!(FORMATS.iter().map(|(name, _)| name).is_sorted());
    let budget = Budget::default();
    let mut builder = GrammarBuilder::new(&budget);
    for name in ["", "Date", "color", "ip-address", "host-name", "phone"] {
        let language = format_language(name, &budget, &mut ClassCache::default(), &mut builder);
        assert_eq!(language.unwrap(), None, "{name}");
    }
}

/// The hash of the structure of each language that has a name.
fn structures() -> Vec<(&'static str, u128)> {
    let vocabulary = Vocabulary::of_bytes();
    let budget = Budget::default();
    let registry = ContentRegistry::new(1 << 24);
    let structure = |mut builder: GrammarBuilder, language| {
        let start = builder.declare_rule("root");
        builder.define_rule(start, language);
        let grammar = builder.finish(start).unwrap();
        // What is prepared is written anew, without names.
        let mut grammar = PreparedGrammar::new(&grammar, &vocabulary, &budget, true).unwrap();
        let body = grammar.rules[grammar.start.index()].body;
        let (registry, deadline) = (&registry, &Deadline::for_compile(&budget));
        let limits = SearchLimits { parts: usize::MAX, deferred: 128 };
        let search = ContentSearch { registry, registers: true, limits, deadline };
        grammar.content(body, search).unwrap().hash.0
    };
    let number = |conditions: &[(NumberCondition, bool)]| {
        let mut store = ExpressionStore::new();
        let language = number_language(&mut store, conditions, Notation::Any, "").unwrap();
        structure(GrammarBuilder::over(&budget, store), language)
    };
    let formats = FORMATS.iter().map(|&(name, _)| {
        let mut builder = GrammarBuilder::new(&budget);
        let language = format_language(name, &budget, &mut ClassCache::default(), &mut builder);
        (name, structure(builder, language.unwrap().unwrap()))
    });
    let mut builder = GrammarBuilder::new(&budget);
    let character = builder.any_character();
    let others = [
        ("character", structure(builder, character)),
        ("integer", number(&[(NumberCondition::Integer, true)])),
        ("number", number(&[])),
    ];
    formats.chain(others).collect()
}

#[test]
fn names_mean_what_they_have_meant_since_this_version_of_forms() {
    assert_eq!(FORM_VERSION, 16);
    let meant: &[(&str, u128)] = &[
        ("date", 0x121cdf635d480f804c93378a9221a257),
        ("date-time", 0xde38bc6332b971fcdf5081682447f342),
        ("duration", 0x766a9c92726c78f5d083b07c0b7c28ea),
        ("email", 0x1d77aa4126c252a510c098981e5c7a78),
        ("hostname", 0xb9da0aabb2bb21087ab26412a62fc7eb),
        ("idn-email", 0x3da40af999cb4fdc5ef3085f5cc6e1dc),
        ("idn-hostname", 0x90e79236dd1bdcc705695305695c74ea),
        ("ipv4", 0x1b925b6ff60a4487548aaebfcf85e7c8),
        ("ipv6", 0xb2c9a0358f91564dc6aa7435a5df9f9d),
        ("iri", 0x70b3940e850bb7cb1ada4a36941f441a),
        ("iri-reference", 0xb9c2a94fa734d7d6793d52894c37e5fd),
        ("json-pointer", 0x05d7b375c1021127347e2ecd2b3ff3d6),
        ("regex", 0x7cd048ad4e9a9fc037386543d68b5aed),
        ("relative-json-pointer", 0x8cf01db2a2e553849bf56beb20d7305e),
        ("time", 0x8d33a6c4de8cd41e296791ec0bbbdf3d),
        ("uri", 0x4292948e8b65f5f98c8bb95dde5cab4f),
        ("uri-reference", 0xa43c2e307ed9dec90c3e6db4db8949f0),
        ("uri-template", 0x72776c4556b3a69c6bdfc692a4136fc5),
        ("uuid", 0x1d3a0fba530622831ff3c49cc278b3b1),
        ("character", 0x91a61e142ab17b8eb4fc52bad286c6b4),
        ("integer", 0xffc5f3824c30e5534b01090233398681),
        ("number", 0x597be0c4a4067c1b3da6858c166780f2),
    ];
    assert_eq!(
        structures(),
        meant,
        "something is written otherwise: raise FORM_VERSION, so that nothing is found in pools of before"
    );
}

#[test]
fn a_format_is_told_by_its_name_in_any_store() {
    let told = |name: &str, before: &[&str]| {
        let budget = Budget::default();
        let mut builder = GrammarBuilder::new(&budget);
        before.iter().for_each(|literal| {
            builder.literal(literal.as_bytes());
        });
        let language = format_language(name, &budget, &mut ClassCache::default(), &mut builder);
        let mut description = Description::default();
        builder.expressions().describe(language.unwrap().unwrap(), &mut description);
        assert!(description.parts.is_empty(), "{name} is one node");
        description.labels
    };
    let labels: BTreeSet<Vec<u8>> = FORMATS.iter().map(|(name, _)| told(name, &[])).collect();
    assert_eq!(labels.len(), FORMATS.len());
    assert_eq!(told("date-time", &[]), told("date-time", &["some", "other", "texts"]));
}

#[test]
fn dates_are_those_of_the_gregorian_calendar() {
    let language = Language::of("date");
    for year in [0, 1, 4, 100, 400, 1900, 1996, 1999, 2000, 2023, 2024, 2100, 9996, 9999] {
        let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for month in 0..=13 {
            let days = match month {
                2 => 28 + u32::from(is_leap_year),
                4 | 6 | 9 | 11 => 30,
                1..=12 => 31,
                _ => 0,
            };
            for day in 0..=32 {
                let text = format!("{year:04}-{month:02}-{day:02}");
                assert_eq!(language.has(&text), (1..=days).contains(&day), "{text}");
            }
        }
    }
    check(
        "date",
        &[],
        &["", "2024-1-01", "2024-01-1", "02024-01-01", "2024/01/01", "2024-01-01\n", "২024-01-01"],
    );
}

#[test]
fn leap_seconds_are_at_midnight_of_utc() {
    let language = Language::of("time");
    let local = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
    for minute in 0..1440 {
        let time = local(minute);
        let offsets = language.after(&format!("{time}:60"));
        for shift in [0, 1, 9, 10, 50, 59, 60, 61, 600, 1380, 1439] {
            let east = (minute + 1 + shift) % 1440;
            let west = (1439 - minute + shift) % 1440;
            for offset in [format!("+{}", local(east)), format!("-{}", local(west))] {
                assert_eq!(offsets.has(&offset), shift == 0, "{time}:60{offset}");
            }
        }
    }
    check("time", &["23:59:60Z", "23:59:60.5z", "23:59:60-00:00"], &["23:58:60Z", "22:59:60Z", "23:59:61Z"]);
}

#[test]
fn times_have_an_offset() {
    check(
        "time",
        &["00:00:00Z", "23:59:59z", "08:30:06.283185+00:20", "12:34:56-23:59"],
        &["24:00:00Z", "12:60:00Z", "12:00:60Z", "12:00:00", "12:00:00.Z", "12:00:00,5Z", "12:00:00+24:00"],
    );
    check(
        "date-time",
        &["2024-02-29T12:00:00Z", "1998-12-31t15:59:60.123-08:00"],
        &["2023-02-29T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29", "2024-02-29T12:00:00Z\n"],
    );
}

#[test]
fn durations_leave_out_no_unit_between_two_others() {
    check(
        "duration",
        &[
            "P1Y",
            "P1Y2M",
            "P1Y2M3D",
            "P1M2D",
            "P3D",
            "P2W",
            "PT1H",
            "PT1H2M3S",
            "PT2M3S",
            "P01DT36H",
            "P1Y2M3DT4H5M6S",
        ],
        &[
            "", "P", "PT", "P1", "P1Y2D", "PT1H2S", "P1W1D", "P1WT1H", "P1YT", "PT0.5S", "P-1D", "-P1D",
            "P1D2H", "P2D1Y",
        ],
    );
}

#[test]
fn host_names_have_short_labels() {
    let label = "a".repeat(63);
    let full = format!("{label}.{label}.{label}.{}", "a".repeat(61));
    check(
        "hostname",
        &[
            "a",
            "1host",
            "www.Example.com",
            "a--b",
            "x",
            "xn",
            "xN1",
            "xm--a",
            "xn--4gbwdl.xn--wgbh1c",
            "xn--ll-0ea",
            &label,
            &full,
        ],
        &[
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "-a",
            "a-",
            "xn-",
            "a_b",
            "a b",
            "a\u{FF0E}b",
            "é",
            "xn--X",
            "XN--4gbwdl",
            "xn--7a",
            "xn--example-",
            "xn---9uc",
            "xn--ab",
            "xn--4gbwd1",
            &format!("{label}a"),
            &format!("{full}a"),
            &format!("xn--{}", "b".repeat(60)),
        ],
    );
}

#[test]
fn labels_beyond_ascii_keep_the_rules_of_their_characters() {
    check(
        "idn-hostname",
        &[
            "example.com",
            "bücher.de",
            "ß",
            "실례。테스트",
            "a．b｡c",
            "l·l",
            "l·l·l",
            "α͵β",
            "・ァ",
            "ア・b",
            "a-・-ア",
            "क\u{94D}\u{200C}ष",
            "क\u{94D}\u{200D}",
            "日本語",
            "xn--4gbwdl",
            "0ü.b",
        ],
        &[
            "",
            "。",
            "a。",
            "Bücher",
            "ü-",
            "-ü",
            "üa--b",
            "\u{300}a",
            "a·l",
            "l·",
            "α͵",
            "α͵S",
            "・",
            "a・b",
            "क\u{200D}ष",
            "\u{200D}ष",
            "a\u{200C}b",
            "ᄀ",
            "Ａ",
            "ﬁ",
            "\u{302E}",
            "〱",
            &"ü".repeat(58),
            "ü\u{0}",
            "ü_",
        ],
    );
}

#[test]
fn names_from_right_to_left_keep_the_rules_of_directions() {
    check(
        "idn-hostname",
        &["א", "א׳ב", "א״", "אב", "א.a", "א1", "ב\u{5B0}", "ب٠ب", "א.b2", "بي\u{200C}بي", "א-ב"],
        &["אa", "aא", "1א", "א.1", "א.1a", "0a.א", "א-", "٠ب", "א0٠", "ب٠۰", "׳ב", "א\u{200C}ב", "א.ü1-"],
    );
}

#[test]
fn mailboxes_have_a_local_part_and_a_domain() {
    let long = "a".repeat(64);
    check(
        "email",
        &[
            "a@b",
            "te.s~t@example.com",
            "\"a b@c..\\\"\"@example.com",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            &format!("{long}@b"),
        ],
        &[
            "a",
            "@b",
            "a@",
            ".a@b",
            "a.@b",
            "a..b@c",
            "a b@c",
            "a@b_c",
            "a@[1.2.3.256]",
            "a@[::1]",
            "é@b",
            "a@b@c",
            "a@é",
            &format!("{long}a@b"),
        ],
    );
    check(
        "idn-email",
        &["실례@실례.테스트", "\"é\"@b", "\u{85}@b", "cafe\u{301}@cafe\u{301}.com", "a@b"],
        &["a", "a＠b", "é@Bücher", "é@b。c", "é é@b", &format!("{}@b", "é".repeat(33))],
    );
}

#[test]
fn internet_addresses_have_their_groups() {
    check(
        "ipv4",
        &["0.0.0.0", "255.249.199.99", "192.168.0.1"],
        &["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "1..2.3", "１.2.3.4"],
    );
    check(
        "ipv6",
        &[
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1::8",
            "1:2:3:4:5:6:1.2.3.4",
            "::1.2.3.4",
            "1::2:1.2.3.4",
            "1:2:3:4:5::1.2.3.4",
            "abcd:EF01::",
        ],
        &[
            "",
            ":",
            ":::",
            "1",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1::2::3",
            "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8",
            "12345::",
            "g::",
            "1:2:3:4:5:6:7:1.2.3.4",
            "1.2.3.4",
            "::1.2.3.04",
            "1:2:3:4:5:6::1.2.3.4",
            "1.2.3.4::",
            "fe80::1%a",
        ],
    );
}

#[test]
fn identifiers_follow_their_grammars() {
    let both =
        ["http://a/b?c#d", "urn:a:b", "a:", "file:/etc", "http://u:p@[::1]:80/", "http://[v1.a:b]", "a://"];
    let neither = [
        "http://[::1",
        "a b:c",
        "http://a b",
        "a:%zz",
        "a:[",
        "http://a:b/",
        "http:/[::1]",
        "a:\\",
        "a:#b#c",
        "1a:b",
    ];
    check("uri", &both, &neither);
    check("uri", &[], &["", "a", "/a", "//a", "a:é", "a:\u{E000}"]);
    check("iri", &both, &neither);
    check("iri", &["a:é", "http://ƒøø.ßår/?\u{E000}"], &["", "a", "a:\u{E000}", "a:\u{FFFF}", "a:\u{85}"]);
    check("uri-reference", &both, &neither);
    check(
        "uri-reference",
        &["", "a", "/a", "//", "//a/b", "?a", "#a", "./a:b", "a/b:c"],
        &["/[", "é", "1:b", "a^"],
    );
    check("iri-reference", &both, &neither);
    check("iri-reference", &["", "é", "//é/é?é#é"], &["\\é", "#\u{E000}"]);
    check(
        "uuid",
        &["2eb8aa08-AA98-11ea-b4aa-73b441d16380"],
        &[
            "",
            "2eb8aa08aa9811eab4aa73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
            "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
        ],
    );
}

#[test]
fn templates_have_closed_expressions() {
    check(
        "uri-template",
        &["", "a/{b}", "{+a}{#b}{?c,d*,e:10}", "{a.b_c}", "{%41}", "a'b", "é%20", "{;x:9999}"],
        &[
            "{",
            "}",
            "{}",
            "{a",
            "a b",
            "{a,}",
            "{a:0}",
            "{a:10000}",
            "{a..b}",
            "{a=b}",
            "{a b}",
            "%",
            "\"",
            "a\\",
            "{é}",
        ],
    );
}

#[test]
fn pointers_escape_the_tilde() {
    check("json-pointer", &["", "/", "//", "/a~0b~1c/é\"\\\n"], &["a", "#", "#/", "/~", "/~2", "/a~"]);
    check(
        "relative-json-pointer",
        &["0", "1/a", "10#", "0//", "2/~0", "1+1/a", "1-12#"],
        &["", "/a", "-1/a", "+1", "01", "1#/a", "##", "0/~", "1+0", "1a", "٣"],
    );
}

#[test]
fn patterns_are_those_of_ecma_262() {
    let nested = |depth: usize| "(".repeat(depth) + "a" + &")".repeat(depth);
    check(
        "regex",
        &[
            "",
            "^a$",
            "([abc])+\\s+$",
            "a|b||",
            "(?:a)*?",
            "(?<n>a)\\k<n>",
            "(?<=a+)b(?!c)",
            "[]",
            "[^]",
            "[a-c-e-]",
            "[-a]",
            "[--9]",
            "[\\w-]",
            "\\cA\\0\\x41\\u0041\\u{1F600}\\/\\.",
            "\\p{L}\\P{Script=Greek}\\p{Emoji}",
            "a{2}",
            "a{2,}",
            "a{02,10}?",
            "a{7,7}",
            "a{99,100}",
            "[а-я]",
            "[\\-\\b]",
            "é",
            &nested(4),
        ],
        &[
            "\\a",
            "(",
            ")",
            "(a",
            "^(abc]",
            "[a",
            "a]",
            "*",
            "a**",
            "a{",
            "a{2",
            "{2}",
            "a{2,1}",
            "a{10,9}",
            "a{99,98}",
            "a{100,20}",
            "[b-a]",
            "[z-\\]]",
            "[a-\\.]",
            "[\\\\-A]",
            "[a-\\n]",
            "[é-e]",
            "\\",
            "\\-",
            "\\u12",
            "\\u{110000}",
            "\\p{Foo}",
            "\\p",
            "(?i)a",
            "(?P<n>a)",
            "(?#a)",
            "(?<1>a)",
            "(?=a)*",
            "(?<=a)?",
            "\\c1",
            "[\\B]",
            "[\\w-a]",
            &nested(5),
        ],
    );
}
