//! Content hashes of states: equal where they should be, and never equal where they must not.

mod interrupted;
mod random_grammars;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::budget::{Budget, Deadline};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::expression::{ContentRegistry, Description, Mark, Symbol};
use crate::frontend::gbnf;
use crate::frontend::json_schema::{self, Options, PropertyOrder, Whitespace};
use crate::generation::Generation;
use crate::grammar::{Content, ContentSearch, Grammar, SearchLimits, forms_behind, labels_of};
use crate::mask::Pool;
use crate::recognizer::{Advance, Edge, Pair, SharedFrame, SharedGraph, StackGraph, StateId};
use crate::settings::Settings;
use crate::vocabulary::Vocabulary;

const ALL_PARTS: SearchLimits = SearchLimits { parts: usize::MAX, deferred: 128 };

fn vocabulary() -> Arc<Vocabulary> {
    Arc::new(Vocabulary::of_bytes())
}

/// The contents of everything alive after each byte of a text, on the way down the stack, too.
struct Contents {
    constraint: Arc<Constraint>,
    generation: Arc<Generation>,
}

impl Contents {
    /// Of a constraint whose contents are not found ahead: tests ask it with registries of their own.
    fn of(grammar: &Grammar) -> Result<Self> {
        let budget = Budget::default();
        let pool = Arc::new(Pool::new(&vocabulary(), budget.pool_bytes));
        let settings = Settings { pool: false, ..Settings::default() };
        Ok(Self::new(Constraint::compile_with(grammar, &pool, &budget, settings)?))
    }

    fn new(constraint: Constraint) -> Self {
        Self { generation: constraint.generation(), constraint: Arc::new(constraint) }
    }

    fn gbnf(text: &str) -> Self {
        Self::of(&gbnf::compile(text, "root", &Budget::default()).unwrap()).unwrap()
    }

    fn schema(text: &str) -> Self {
        Self::schema_with(text, &Options::default())
    }

    fn schema_with(text: &str, options: &Options) -> Self {
        Self::of(&json_schema::compile(text, &[], options, &Budget::default()).unwrap()).unwrap()
    }

    fn content(&self, state: StateId, registry: &ContentRegistry) -> Option<Content> {
        self.search(true, ALL_PARTS, state, registry)
    }

    fn search(
        &self,
        registers: bool,
        limits: SearchLimits,
        state: StateId,
        registry: &ContentRegistry,
    ) -> Option<Content> {
        let deadline = Deadline::for_step(self.constraint.budget());
        let search = ContentSearch { registry, registers, limits, deadline: &deadline };
        self.generation.automaton.content(state, search).unwrap()
    }

    fn start(&self, registry: &ContentRegistry) -> Option<Content> {
        self.content(self.generation.automaton.start(), registry)
    }

    /// The content of the start where it has been kept.
    fn find_start(&self, registry: &ContentRegistry) -> Option<Content> {
        self.search(false, ALL_PARTS, self.generation.automaton.start(), registry)
    }

    /// For each length of a beginning of the text, the contents.
    fn along(&self, text: &str, registry: &ContentRegistry) -> Vec<BTreeSet<Option<u128>>> {
        let automaton = &self.generation.automaton;
        let deadline = Deadline::for_step(self.constraint.budget());
        let mut advance: Advance<SharedGraph> = Advance::new();
        let mut now = vec![Pair { state: automaton.start(), frame: SharedFrame::bottom() }];
        let mut all = vec![self.below(&now, registry)];
        for &byte in text.as_bytes() {
            let mut next = Vec::new();
            let symbol = Symbol::Byte(byte);
            let complete =
                advance.step(automaton, &mut SharedGraph, &now, symbol, &deadline, &mut next).unwrap();
            assert!(complete || !next.is_empty(), "{text} is read");
            now = next;
            all.push(self.below(&now, registry));
        }
        all
    }

    /// The contents on top of the stack, after the beginning of a text and each byte of its end.
    fn tops(&self, beginning: &str, end: &str, registry: &ContentRegistry) -> Vec<BTreeSet<Option<u128>>> {
        let (automaton, deadline) =
            (&self.generation.automaton, Deadline::for_step(self.constraint.budget()));
        let mut advance: Advance<SharedGraph> = Advance::new();
        let mut now = vec![Pair { state: automaton.start(), frame: SharedFrame::bottom() }];
        let mut all = Vec::new();
        for (at, &byte) in [beginning, end].concat().as_bytes().iter().enumerate() {
            let mut next = Vec::new();
            let symbol = Symbol::Byte(byte);
            advance.step(automaton, &mut SharedGraph, &now, symbol, &deadline, &mut next).unwrap();
            assert!(!next.is_empty(), "{beginning}{end} is read");
            now = next;
            if at >= beginning.len() {
                let hash = |pair: &Pair<_>| self.content(pair.state, registry).map(|content| content.hash.0);
                all.push(now.iter().map(hash).collect());
            }
        }
        all
    }

    /// The one state on top of the stack after a text.
    fn top(&self, text: &str) -> StateId {
        let (automaton, deadline) =
            (&self.generation.automaton, Deadline::for_step(self.constraint.budget()));
        let mut advance: Advance<SharedGraph> = Advance::new();
        let mut now = vec![Pair { state: automaton.start(), frame: SharedFrame::bottom() }];
        for &byte in text.as_bytes() {
            let mut next = Vec::new();
            let symbol = Symbol::Byte(byte);
            advance.step(automaton, &mut SharedGraph, &now, symbol, &deadline, &mut next).unwrap();
            now = next;
        }
        assert_eq!(now.len(), 1, "{text} is read in one way");
        now[0].state
    }

    fn below(&self, pairs: &[Pair<SharedFrame>], registry: &ContentRegistry) -> BTreeSet<Option<u128>> {
        let hash = |state| self.content(state, registry).map(|content| content.hash.0);
        let mut waiting: Vec<SharedFrame> = pairs.iter().map(|pair| pair.frame.clone()).collect();
        let mut found: BTreeSet<Option<u128>> = pairs.iter().map(|pair| hash(pair.state)).collect();
        let mut seen = Vec::new();
        while let Some(frame) = waiting.pop() {
            if seen.contains(&SharedGraph::key(&frame)) {
                continue;
            }
            seen.push(SharedGraph::key(&frame));
            SharedGraph.visit_edges(&frame, |edge| {
                if let Edge::Return { continuation, caller } = edge {
                    found.insert(hash(continuation));
                    waiting.push(caller);
                }
            });
        }
        found
    }
}

fn registry() -> ContentRegistry {
    ContentRegistry::new(usize::MAX)
}

/// Asserts that two grammars have the same contents along a text, all of them known.
fn assert_alike(first: &Contents, second: &Contents, text: &str) {
    let registry = registry();
    let (first, second) = (first.along(text, &registry), second.along(text, &registry));
    for (at, (first, second)) in first.iter().zip(&second).enumerate() {
        assert!(!first.contains(&None), "all is known after {:?}", &text[..at]);
        assert_eq!(first, second, "after {:?}", &text[..at]);
    }
}

fn assert_unlike(first: &Contents, second: &Contents) {
    let registry = registry();
    let (first, second) = (first.start(&registry), second.start(&registry));
    assert!(first.is_some() && second.is_some() && first != second, "{first:?} {second:?}");
}

const PAIRS: &str = r#"
    root ::= item ("," item)*
    item ::= "(" root ")" | number | word
    number ::= [0-9]{1,9}
    word ::= "one" | "two" | "three" number?
"#;

#[test]
fn components_of_very_many_parts_have_no_content_and_cost_little() {
    let ring = |rules: usize| {
        let all = (0..rules).map(|at| format!("r{at} ::= \"a\" r{} | \"b\"\n", (at + 1) % rules));
        Contents::gbnf(&format!("root ::= r0\n{}", all.collect::<String>()))
    };
    let registry = ContentRegistry::new(usize::MAX);
    assert!(ring(300).start(&registry).is_some());
    let large = ring(20_000);
    assert_eq!(large.start(&registry), None);
    assert_eq!(large.start(&registry), None);
}

#[test]
fn names_and_order_of_rules_and_alternatives_do_not_matter() {
    let other = r#"
        w ::= "three" n? | "two" | "one"
        n ::= [0-9]{1,9}
        i ::= w | n | "(" root ")"
        root ::= i ("," i)*
    "#;
    assert_alike(&Contents::gbnf(PAIRS), &Contents::gbnf(other), "three123,((two),1),one");
}

#[test]
fn every_detail_matters() {
    let first = Contents::gbnf(PAIRS);
    for (from, to) in [
        ("{1,9}", "{1,8}"),
        ("[0-9]", "[0-8]"),
        ("\"two\"", "\"too\""),
        ("number?", "number"),
        ("\"(\" root", "\"(\" item"),
    ] {
        assert_unlike(&first, &Contents::gbnf(&PAIRS.replace(from, to)));
    }
}

#[test]
fn recursive_rules_are_told_by_their_structure_alone() {
    let first = r#"
        root ::= a
        a ::= "x" b | "y" | "(" a ")" a
        b ::= "z" a | "[" b c "]" | c
        c ::= "c" | "<" a ">"
    "#;
    let renamed = r#"
        third ::= "<" q0 ">" | "c"
        second ::= third | "[" second third "]" | "z" q0
        root ::= q0
        q0 ::= "(" q0 ")" q0 | "y" | "x" second
    "#;
    let text = "(xz(x[c<y>])y)x<xc>";
    assert_alike(&Contents::gbnf(first), &Contents::gbnf(renamed), text);
    for (from, to) in
        [("\"z\" a", "\"z\" b"), ("c \"]\"", "a \"]\""), ("\"<\" a", "\"<\" c"), (" | c", " | a")]
    {
        assert_unlike(&Contents::gbnf(first), &Contents::gbnf(&first.replace(from, to)));
    }
}

#[test]
fn rules_that_say_the_same_in_a_circle_are_one() {
    // Where `a` stands may stand `b`, so both say what `c` does alone.
    let twins = r#"
        root ::= "s" a
        a ::= "x" b "y" | "z"
        b ::= "x" a "y" | "z"
    "#;
    let alone = r#"
        root ::= "s" c
        c ::= "x" c "y" | "z"
    "#;
    assert_alike(&Contents::gbnf(twins), &Contents::gbnf(alone), "sxxxzyyy");
}

#[test]
fn a_long_circle_is_told_apart_to_its_far_end() {
    let circle = |odd: usize| {
        let mut text = "root ::= r0\n".to_owned();
        for at in 0..200 {
            let mark = if at == odd { "y" } else { "x" };
            text += &format!("r{at} ::= \"{mark}\" r{} \"e\" | \"z\"\n", (at + 1) % 200);
        }
        Contents::gbnf(&text)
    };
    assert_unlike(&circle(100), &circle(101));
    assert_alike(&circle(150), &circle(150), "xxxzeee");
}

/// A tool as in a list of tools; the parts of it that say nothing differ from one `spelling` to the next.
fn tool(spelling: usize, place: &str) -> String {
    let note = ["", r#""title": "a filter", "description": "of many", "#][spelling];
    let tags =
        [r#"{"type": "string", "enum": ["new", "old", "any"]}"#, r##"{"$ref": "#/$defs/tag"}"##][spelling];
    format!(
        r##"{{{note}"type": "object", "properties": {{
            "query": {{{note}"type": "string", "minLength": 1, "maxLength": 200}},
            "limit": {{"type": "integer", "minimum": 1, "maximum": 100}},
            "tags": {{"type": "array", "items": {tags}, "maxItems": 3}},
            "unique": {{"type": "array", "items": {{"type": "number"}}, "uniqueItems": true}},
            "ratio": {{"multipleOf": 0.25}},
            "filter": {{{note}"anyOf": [{{"type": "null"}},
                {{"required": ["or"], "properties": {{"or": {{"type": "array", "items": {{"$ref": "{place}"}}}}}}}}]}}
        }}, "required": ["query"], "patternProperties": {{"^x-": {{"format": "date"}}}},
        "additionalProperties": false}}"##
    )
}

const CALL: &str = r#"{"query": "ab", "limit": 12, "tags": ["new","any"], "unique": [1, 2.5], "ratio": 1.5, "filter": {"or": [{"query":"x"},{"query":"y", "filter": null}], "more": 7}, "x-day": "2026-11-21""#;

#[test]
fn a_schema_is_the_same_under_another_name_and_beside_others() {
    let first = tool(0, "#/properties/search");
    let first = format!(r#"{{"properties": {{"search": {first}}}, "additionalProperties": false}}"#);
    let second = tool(1, "#/$defs/parameters");
    let second = format!(
        r##"{{"$defs": {{"tag": {{"enum": ["any", "new", "old"], "type": "string"}}, "parameters": {second}}},
            "required": ["zeta", "id"],
            "properties": {{"id": {{"type": "integer"}}, "seek": {{"$ref": "#/$defs/parameters", "title": "t"}}}}}}"##
    );
    let (first, second) = (Contents::schema(&first), Contents::schema(&second));
    let registry = registry();
    let (first, second) = (
        first.tops(r#"{"search": "#, CALL, &registry),
        second.tops(r#"{"id": 12, "seek": "#, CALL, &registry),
    );
    for (at, (first, second)) in first.iter().zip(&second).enumerate() {
        assert!(!first.contains(&None), "all is known after {:?}", &CALL[..=at]);
        assert_eq!(first, second, "after {:?}", &CALL[..=at]);
    }
}

#[test]
fn arrays_and_objects_among_other_values_are_what_they_are_alone() {
    let schema = |types: &str| {
        let value =
            format!(r#"{{"type": {types}, "items": {{"minimum": 3}}, "required": ["b"], "maxLength": 2}}"#);
        Contents::schema(&format!(r#"{{"type": "object", "properties": {{"a": {value}}}}}"#))
    };
    let registry = registry();
    let all = schema(r#"["array", "null", "object", "string", "boolean"]"#);
    let automaton = &all.generation.automaton;
    let deadline = Deadline::for_step(all.constraint.budget());
    let pieces = automaton.pieces(all.top(r#"{"a":"#), &deadline).unwrap();
    let apart: Vec<_> = pieces.iter().map(|piece| all.content(piece.fronts[0], &registry).unwrap()).collect();
    assert_eq!(apart.len(), 5, "one for each kind");
    for kind in ["array", "object"] {
        let alone = schema(&format!("{kind:?}"));
        let content = alone.content(alone.top(r#"{"a":"#), &registry).unwrap();
        assert!(apart.contains(&content), "{kind}");
    }
}

#[test]
fn what_a_schema_says_far_below_and_what_the_options_say_matters() {
    let schema = tool(0, "#");
    let first = Contents::schema(&schema);
    for (from, to) in [
        (r#""old""#, r#""odd""#),
        (r#""maxItems": 3"#, r#""maxItems": 4"#),
        (r#""maximum": 100"#, r#""maximum": 10"#),
        (r#"0.25"#, r#"0.5"#),
        (r#""uniqueItems": true"#, r#""uniqueItems": false"#),
        (r#"["or"]"#, r#"["and"]"#),
        (r#""maxLength": 200"#, r#""maxLength": 201"#),
        (r#""required": ["query"]"#, r#""required": []"#),
        (r#"^x-"#, r#"^y-"#),
        (r#""date""#, r#""time""#),
        (r#""additionalProperties": false"#, r#""additionalProperties": true"#),
        (r#""limit": {"#, r#""Limit": {"#),
    ] {
        assert!(schema.contains(from), "{from}");
        assert_unlike(&first, &Contents::schema(&schema.replacen(from, to, 1)));
    }
    let compact = Whitespace::Fixed { item_separator: ",".into(), key_separator: ":".into(), indent: None };
    let indented =
        Whitespace::Fixed { item_separator: ",".into(), key_separator: ":".into(), indent: Some(2) };
    for options in [
        Options { order: PropertyOrder::Any, ..Options::default() },
        Options { whitespace: Whitespace::Free { maximum: 3 }, ..Options::default() },
        Options { whitespace: compact, ..Options::default() },
        Options { whitespace: indented, ..Options::default() },
        Options { ascii_only: true, ..Options::default() },
        Options { minimal_escapes: true, ..Options::default() },
        Options { lone_surrogates: true, ..Options::default() },
        Options { track_keys: false, ..Options::default() },
        Options { enforce_formats: false, ..Options::default() },
        Options { formats: [("date".to_owned(), "[0-9]+".to_owned())].into(), ..Options::default() },
    ] {
        assert_unlike(&first, &Contents::schema_with(&schema, &options));
    }
}

#[test]
fn the_order_of_properties_matters_only_where_there_are_some() {
    let any = Options { order: PropertyOrder::Any, ..Options::default() };
    let both = |schema| [Contents::schema(schema), Contents::schema_with(schema, &any)];
    for schema in [
        r#"{}"#,
        r#"{"items": {"type": ["integer", "string"], "format": "date"}}"#,
        r#"{"type": "object", "required": ["a", "b"], "additionalProperties": {"type": "object"}}"#,
    ] {
        let [declared, any] = both(schema);
        assert_alike(&declared, &any, if schema.contains("required") { "{\"b\": {}" } else { "[1, 2" });
    }
    for schema in [
        r#"{"type": "object", "properties": {"a": {}}}"#,
        r#"{"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {}}}]}}"#,
    ] {
        let [declared, any] = both(schema);
        assert_unlike(&declared, &any);
    }
}

#[test]
fn what_the_caller_means_by_formats_matters_only_where_they_are_demanded() {
    let with = |formats: &[(&str, &str)]| {
        let formats = formats.iter().map(|&(name, pattern)| (name.to_owned(), pattern.to_owned()));
        Options { formats: formats.collect(), ..Options::default() }
    };
    let string = |keywords: &str| format!(r#"{{"type": "string", {keywords}}}"#);
    let (zip, date) = (string(r#""format": "zip""#), string(r#""format": "date""#));
    let plain = r#"{"items": {"type": ["integer", "string"], "maxLength": 3, "format": "time"}, "uniqueItems": true}"#;
    let own = with(&[("zip", "^[0-9]{5}$"), ("date", "^[0-9]+$")]);
    let not_enforced = Options { enforce_formats: false, ..own.clone() };
    assert_alike(&Contents::schema(plain), &Contents::schema_with(plain, &own), "[12, 3");
    // Each schema is alike to itself, and to no other.
    let mut all = vec![
        Contents::schema(&zip),
        Contents::schema(&date),
        Contents::schema_with(&zip, &own),
        Contents::schema_with(&date, &own),
        Contents::schema_with(&zip, &with(&[("zip", "^[0-9]{6}$")])),
        Contents::schema_with(&string(r#""not": {"format": "zip"}"#), &own),
        Contents::schema_with(&string(r#""not": {"format": "date"}"#), &own),
        Contents::schema(&string(r#""not": {"format": "date"}"#)),
    ];
    assert_alike(&all[2], &Contents::schema(&string(r#""pattern": "^[0-9]{5}$""#)), "\"12345\"");
    assert_alike(&all[1], &Contents::schema_with(&date, &with(&[("zip", "1")])), "\"2026-01-31\"");
    let text = string(r#""title": "any""#);
    all.push(Contents::schema(&text));
    for schema in [&zip, &date] {
        assert_alike(&all[8], &Contents::schema_with(schema, &not_enforced), "\"text\"");
    }
    for (at, one) in all.iter().enumerate() {
        all[at + 1..].iter().for_each(|other| assert_unlike(one, other));
    }
}

#[test]
fn what_is_not_begun_is_told_by_the_own_formats_that_it_names() {
    let told = |schema: &str, options: &Options| {
        let grammar = json_schema::compile(schema, &[], options, &Budget::default()).unwrap();
        let mut out = Description::default();
        grammar.sole_lazy().unwrap().describe(&mut out);
        out.labels
    };
    let plain = Options::default();
    let own = Options { formats: [("zip".to_owned(), "^[0-9]{5}$".to_owned())].into(), ..plain.clone() };
    let names = r##"{"$defs": {"code": {"format": "zip"}}, "items": {"$ref": "#/$defs/code"}}"##;
    let names_none = names.replace("zip", "date");
    assert_eq!(told(&names_none, &plain), told(&names_none, &own));
    assert_ne!(told(names, &plain), told(names, &own));
    let [plain, own] = [plain, own].map(|options| Options { enforce_formats: false, ..options });
    assert_eq!(told(names, &plain), told(names, &own));
    assert_ne!(told(names, &plain), told(names, &Options::default()));
}

#[test]
fn what_is_approximated_matters_only_where_items_are_unique() {
    let approximate = Options { approximate: vec!["uniqueItems".to_owned()], ..Options::default() };
    let [unique, plain] = [true, false].map(|unique| {
        format!(r#"{{"type": "array", "items": {{"type": "integer"}}, "uniqueItems": {unique}}}"#)
    });
    assert_alike(&Contents::schema(&plain), &Contents::schema_with(&plain, &approximate), "[1, 1]");
    assert_alike(&Contents::schema(&plain), &Contents::schema_with(&unique, &approximate), "[1, 1]");
    assert_unlike(&Contents::schema(&unique), &Contents::schema_with(&unique, &approximate));
}

#[test]
fn formats_are_told_apart_and_found_again() {
    let schema = |format: &str, title: &str| {
        Contents::schema(&format!(r#"{{"title": "{title}", "type": "string", "format": "{format}"}}"#))
    };
    let registry = registry();
    let mut known = BTreeSet::new();
    for (format, text) in [
        ("date", "\"2024-02-29\""),
        ("time", "\"23:59:60.1Z\""),
        ("date-time", "\"2024-02-29T00:59:60+01:00\""),
        ("email", "\"a.b@[127.0.0.1]\""),
        ("idn-email", "\"a.b@c\""),
        ("hostname", "\"a.xn--4gbwdl\""),
        ("uri", "\"a:b\""),
        ("uri-reference", "\"a:b\""),
        ("regex", "\"(?:a|[b-d]+)\""),
    ] {
        let one = schema(format, "one");
        assert_alike(&one, &schema(format, "another"), text);
        let opened = one.along("\"", &registry).pop();
        assert!(known.insert(opened), "{format} is told apart from others");
    }
}

#[test]
fn depth_matters_only_where_lines_are_indented() {
    let schema = r##"{"type": "array", "items": {"$ref": "#"}}"##;
    let registry = registry();
    let indented =
        Whitespace::Fixed { item_separator: ",".into(), key_separator: ":".into(), indent: Some(1) };
    let indented = Contents::schema_with(schema, &Options { whitespace: indented, ..Options::default() });
    let tops = indented.tops("[", "\n [\n  [", &registry);
    assert!(tops[2] != tops[6] && !tops[2].contains(&None));
    let free = Contents::schema(schema).tops("[", "[[[", &registry);
    assert!(free[0] == free[1] && free[1] == free[2] && !free[0].contains(&None));
}

#[test]
fn a_state_remembers_the_keys_and_values_that_may_not_come_again() {
    let registry = registry();
    let open = Contents::schema(r#"{"type": "object", "additionalProperties": {"type": "null"}}"#);
    let after = |text| open.tops("", text, &registry).last().cloned();
    assert_ne!(after(r#"{"a": null"#), after(r#"{"b": null"#));
    assert_eq!(after(r#"{"a": null, "b": null"#), after(r#"{"b": null, "a": null"#));
    let unique = Contents::schema(r#"{"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}"#);
    let after = |text| unique.tops("", text, &registry).last().cloned();
    assert_ne!(after("[true, "), after("[false, "));
}

#[test]
fn what_depends_on_values_of_the_text_has_no_content() {
    let registry = registry();
    for schema in [
        r#"{"type": "array", "uniqueItems": true, "items": {"type": "object"}}"#,
        r#"{"type": "object", "not": {"const": {"a": 1}}}"#,
        r#"{"type": "array", "not": {"const": [1]}}"#,
    ] {
        assert_eq!(Contents::schema(schema).start(&registry), None, "{schema}");
    }
}

#[test]
fn where_forms_collide_there_is_no_content() {
    let first = Contents::gbnf(PAIRS);
    assert_eq!(first.start(&ContentRegistry::colliding(0xF)), None);
}

#[test]
fn contents_of_another_generation_are_found_anew() {
    let (first, registry) = (Contents::gbnf(PAIRS), registry());
    let before = first.start(&registry).unwrap();
    registry.clear();
    let after = first.start(&registry).unwrap();
    assert!(before.hash == after.hash && before.generation != after.generation && registry.bytes() > 0);
}

#[test]
fn what_is_found_is_what_was_kept() {
    let tool = tool(0, "#");
    for (make, other) in [
        (Contents::gbnf as fn(&str) -> Contents, [PAIRS, "root ::= \"a\" [b-f]* root?"]),
        (Contents::schema, [&tool, r#"{"type": "array", "items": {"type": "string", "maxLength": 7}}"#]),
    ] {
        for (kept, missing) in [(other[0], other[1]), (other[1], other[0])] {
            let (registry, finder, stranger) = (registry(), make(kept), make(missing));
            assert_eq!(finder.find_start(&registry), None);
            let content = make(kept).start(&registry);
            assert!(content.is_some());
            let bytes = registry.bytes();
            assert_eq!(finder.find_start(&registry), content, "also where it was looked for before");
            assert_eq!(make(kept).find_start(&registry), content);
            assert_eq!(stranger.find_start(&registry), None);
            assert_eq!(registry.bytes(), bytes, "what is looked for is not kept");
        }
    }
}

#[test]
fn what_is_copied_to_another_registry_is_found_there() {
    let recursive = r##"{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "type": ["array", "null"]}}}"##;
    for contents in [Contents::gbnf(PAIRS), Contents::schema(&tool(0, "#")), Contents::schema(recursive)] {
        let (from, to) = (registry(), registry());
        let content = contents.start(&from).unwrap();
        for (hash, form) in forms_behind(&from, [content.hash].into_iter()) {
            assert_eq!(to.register(&form), Some(hash));
            labels_of(&form).into_iter().for_each(|label| to.mark(Mark::of_label(label)));
        }
        assert_eq!(contents.find_start(&to).map(|found| found.hash), Some(content.hash));
    }
}
