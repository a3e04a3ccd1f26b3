//! Searches that may describe a few parts only, and go on where one ended.

use super::*;

impl Contents {
    /// The content of the start, found by as many searches as that takes, and how many these were.
    pub(super) fn start_by_and_by(
        &self,
        parts: usize,
        registry: &ContentRegistry,
    ) -> (Option<Content>, usize) {
        let start = self.generation.automaton.start();
        let limits = SearchLimits { parts, ..ALL_PARTS };
        let mut searches = 1..=1000;
        let found = searches.find_map(|_| self.search(true, limits, start, registry));
        (found, 1000 - searches.count())
    }
}

/// Rules that call each other in a circle, each also the one in the middle of it.
fn circle(rules: usize) -> String {
    let rule =
        |at: usize| format!("r{at} ::= \"{at}\" (r{} | r{})?\n", (at + 1) % rules, (at + rules / 2) % rules);
    format!("root ::= r0\n{}", (0..rules).map(rule).collect::<String>())
}

#[test]
fn parts_that_call_each_other_are_described_a_few_at_a_time() {
    for text in [PAIRS, &circle(5), &circle(60)] {
        let at_once = Contents::gbnf(text).start(&registry());
        let mut before = usize::MAX;
        for parts in [0, 1, 2, 7, 50, 10_000] {
            let registry = registry();
            let (found, searches) = Contents::gbnf(text).start_by_and_by(parts, &registry);
            let (found, at_once) = (found.map(|found| found.hash), at_once.map(|found| found.hash));
            match parts {
                0 => assert_eq!(found, None, "the first part is all that is ever described"),
                _ => {
                    assert!(found.is_some() && found == at_once, "{parts} of {text}");
                    assert!(searches <= before, "{parts} of {text}");
                    before = searches;
                }
            }
        }
        assert_eq!(before, 1, "{text}");
    }
    let (_, searches) = Contents::gbnf(&circle(60)).start_by_and_by(7, &registry());
    assert!(searches > 30, "no search describes more than its share: {searches}");
}

#[test]
fn who_only_looks_leaves_alone_what_is_to_be_registered() {
    let (text, start) = (circle(60), |contents: &Contents| contents.generation.automaton.start());
    let (contents, registry) = (Contents::gbnf(&text), registry());
    let few = SearchLimits { parts: 7, ..ALL_PARTS };
    assert_eq!(contents.search(true, few, start(&contents), &registry), None);
    let bytes = registry.bytes();
    assert_eq!(contents.find_start(&registry), None);
    assert_eq!(registry.bytes(), bytes, "what is looked for is not kept");
    let found = contents.start(&registry);
    assert!(found.is_some());
    // Another constraint finds it, also a few parts at a time; and goes on with what it has looked for to keep it.
    let other = Contents::gbnf(&text);
    let looked = (0..100).find_map(|_| other.search(false, few, start(&other), &registry));
    assert_eq!(looked, found);
    let third = Contents::gbnf(&text);
    assert_eq!(third.search(false, few, start(&third), &registry), None);
    assert_eq!(third.start(&registry), found);
    // What nobody has registered is not found, however often it is looked for.
    let stranger = Contents::gbnf(&circle(61));
    assert!((0..100).all(|_| stranger.search(false, few, start(&stranger), &registry).is_none()));
    assert!(stranger.start(&registry).is_some());
}

#[test]
fn another_part_is_found_after_what_was_left_open() {
    let (contents, registry) = (Contents::gbnf(PAIRS), registry());
    let few = SearchLimits { parts: 1, ..ALL_PARTS };
    assert_eq!(contents.search(true, few, contents.generation.automaton.start(), &registry), None);
    let word = contents.top("thr");
    let found = contents.content(word, &registry);
    let other = Contents::gbnf(PAIRS);
    assert!(found.is_some() && found == other.content(other.top("thr"), &registry));
    registry.clear();
    let again = contents.content(word, &registry);
    assert_eq!(again.map(|found| found.hash), found.map(|found| found.hash), "in another generation, too");
}

#[test]
fn what_would_be_hashed_for_too_long_is_left_without_content() {
    let (contents, registry) = (Contents::gbnf(&circle(1500)), registry());
    let (found, searches) = contents.start_by_and_by(100, &registry);
    assert!(found.is_none() && searches == 1000);
    assert!(Contents::gbnf(&circle(1500)).start(&registry).is_some(), "by one search it is");
}

#[test]
fn what_rules_say_is_found_when_they_are_compiled() {
    let budget = Budget::default();
    let grammar = gbnf::compile(&circle(30), "root", &budget).unwrap();
    for use_pool in [true, false] {
        let pool = Arc::new(Pool::new(&vocabulary(), budget.pool_bytes));
        let settings = Settings { pool: use_pool, ..Settings::default() };
        let contents = Contents::new(Constraint::compile_with(&grammar, &pool, &budget, settings).unwrap());
        let none = SearchLimits { parts: 0, ..ALL_PARTS };
        let start = contents.generation.automaton.start();
        let found = contents.search(true, none, start, pool.registry()).map(|found| found.hash);
        let expected = Contents::gbnf(&circle(30)).start(&registry()).map(|found| found.hash);
        assert_eq!(found, expected.filter(|_| use_pool));
    }
    // Of very many, what is soon found: the rest is found by and by.
    let grammar = gbnf::compile(&circle(100), "root", &budget).unwrap();
    let pool = Arc::new(Pool::new(&vocabulary(), budget.pool_bytes));
    let constraint = Constraint::compile_with(&grammar, &pool, &budget, Settings::default()).unwrap();
    let (found, searches) = Contents::new(constraint).start_by_and_by(10, pool.registry());
    assert!(found.is_some() && searches > 10, "{searches}");
}

#[test]
fn what_takes_too_many_parts_at_once_is_found_by_and_by() {
    let registry = registry();
    let member = |at: usize| format!(r#""m{at}": {{"type": "object", "properties": {{"p{at}": {{}}}}}}"#);
    let schema = |count: usize| {
        let members: Vec<String> = (0..count).map(member).collect();
        format!(
            r#"{{"type": "object", "properties": {{{}}}, "additionalProperties": false}}"#,
            members.join(",")
        )
    };
    let (small, great) = (Contents::schema(&schema(3)), Contents::schema(&schema(400)));
    assert!(small.start(&registry).is_some());
    assert_eq!(great.start(&registry), None);
    let top = |contents: &Contents| contents.tops("{\"m1\": {", "\"", &registry);
    assert!(!top(&great)[0].contains(&None));
    assert_eq!(top(&great), top(&small));
    let found = (0..100).find_map(|_| great.start(&registry));
    let start = great.generation.automaton.start();
    let all = SearchLimits { deferred: usize::MAX, ..ALL_PARTS };
    let at_once = Contents::schema(&schema(400)).search(true, all, start, &registry);
    assert!(found.is_some() && found == at_once);
}
