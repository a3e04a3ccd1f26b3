//! The oracle against the listing of all short sentences, and on named cases.

use std::sync::Arc;

use maskwright_testkit::ast::{
    Description, alternatives, bytes, call, complement, empty, intersection, literal, literals, nothing,
    repetition, sequence, tokens, tokens_but,
};
use maskwright_testkit::definition::Listing;
use maskwright_testkit::oracle::Oracle;
use maskwright_testkit::program::Program;
use maskwright_testkit::random_case::{Case, Scale, random_case};
use maskwright_testkit::vocabulary::TestVocabulary;

/// The length up to which sentences are listed: less where they are made of more different letters.
fn longest(letters: usize) -> usize {
    match letters {
        0..=2 => 8,
        3 => 6,
        4 => 5,
        5..=6 => 4,
        _ => 3,
    }
}

#[derive(Default, Debug)]
struct Agreement {
    texts: usize,
    prefixes: usize,
    sentences: usize,
    /// Prefixes of sentences that are longer than the listing; the shorter ones are shown by such a sentence.
    beyond_listing: usize,
}

#[test]
fn agrees_with_the_listing_on_random_grammars() {
    let mut agreement = Agreement::default();
    for seed in 0..600 {
        let case = random_case(seed, Scale::Tiny);
        let letters =
            case.vocabulary.alphabet().len() + case.description.exact_tokens(&case.vocabulary).len();
        let listing = Listing::new(&case.description, &case.vocabulary, longest(letters));
        let mut oracle = Oracle::new(&Arc::new(Program::new(&case.description, &case.vocabulary)));
        compare(&case, &listing, &mut oracle, &mut Vec::new(), &mut agreement);
    }
    assert!(agreement.texts > 50_000, "{agreement:?}");
    assert!(agreement.sentences > 1_000, "{agreement:?}");
    assert!(agreement.prefixes > agreement.sentences, "{agreement:?}");
    assert!(agreement.beyond_listing * 5 < agreement.prefixes, "{agreement:?}");
}

fn compare(
    case: &Case,
    listing: &Listing<'_>,
    oracle: &mut Oracle,
    path: &mut Vec<u32>,
    agreement: &mut Agreement,
) {
    let length: usize = path.iter().map(|&id| case.vocabulary.text(id).map_or(1, <[u8]>::len)).sum();
    if length > listing.longest() {
        return;
    }
    let (prefix, sentence) = (oracle.is_prefix(), oracle.is_sentence());
    agreement.texts += 1;
    agreement.prefixes += usize::from(prefix);
    agreement.sentences += usize::from(sentence);
    assert_eq!(sentence, listing.is_sentence(path), "sentence {path:?} of {case}");
    match (prefix, listing.is_prefix(path)) {
        (true, false) => {
            agreement.beyond_listing += 1;
            let found = path.len() > 1 || (1..=20).any(|letters| reaches_sentence(case, oracle, letters));
            assert!(found, "no sentence begins with {path:?} of {case}");
        }
        (oracle, listing) => assert_eq!(oracle, listing, "prefix {path:?} of {case}"),
    }
    if !prefix || path.len() == 3 {
        return;
    }
    for id in 0..case.vocabulary.tokens.len() as u32 {
        if case.vocabulary.is_stop(id) {
            assert_eq!(oracle.allows(id), sentence);
            continue;
        }
        let allowed = oracle.allows(id);
        oracle.push_token(id);
        path.push(id);
        assert_eq!(allowed, oracle.is_prefix(), "token {id} after {path:?} of {case}");
        compare(case, listing, oracle, path, agreement);
        path.pop();
        oracle.pop();
    }
}

/// Whether some letters, at most so many, make what was pushed a sentence.
fn reaches_sentence(case: &Case, oracle: &mut Oracle, letters: usize) -> bool {
    if oracle.is_sentence() {
        return true;
    }
    if letters == 0 {
        return false;
    }
    let exact_tokens = case.description.exact_tokens(&case.vocabulary);
    for byte in case.vocabulary.alphabet().iter() {
        oracle.push_bytes(&[byte]);
        let found = oracle.is_prefix() && reaches_sentence(case, oracle, letters - 1);
        oracle.pop();
        if found {
            return true;
        }
    }
    exact_tokens.into_iter().any(|id| {
        oracle.push_symbol(id);
        let found = oracle.is_prefix() && reaches_sentence(case, oracle, letters - 1);
        oracle.pop();
        found
    })
}

/// The tokens allowed after others, as ids.
fn allowed(
    rules: Vec<maskwright_testkit::ast::Expression>,
    vocabulary: &TestVocabulary,
    after: &[u32],
) -> Vec<u32> {
    let mut oracle = Oracle::new(&Arc::new(Program::new(&Description::new(rules), vocabulary)));
    for &id in after {
        assert!(oracle.allows(id), "{id} of {after:?}");
        oracle.push_token(id);
    }
    let mask = oracle.mask();
    assert_eq!(mask.len(), vocabulary.mask_words());
    (0..vocabulary.size as u32).filter(|id| mask[*id as usize / 32] >> (id % 32) & 1 == 1).collect()
}

#[test]
fn a_token_that_no_sentence_goes_on_with_is_dead() {
    let vocabulary =
        TestVocabulary::new(&[Some(b"a"), Some(b"b"), Some(b"ab"), Some(b"aaa"), None], &[4], 40);
    let word = repetition(bytes(b"a"), 1, None);
    assert_eq!(allowed(vec![word.clone()], &vocabulary, &[]), [0, 3]);
    assert_eq!(allowed(vec![word], &vocabulary, &[0]), [0, 3, 4]);
}

#[test]
fn both_readings_of_a_literal_stay_alive() {
    let vocabulary =
        TestVocabulary::new(&[Some(b"list"), Some(b"listen"), Some(b"en"), Some(b"ed"), None], &[4], 5);
    let grammar = vec![sequence([literals(&[b"list", b"listen"]), literal(b"ed")])];
    assert_eq!(allowed(grammar.clone(), &vocabulary, &[0]), [2, 3]);
    assert_eq!(allowed(grammar.clone(), &vocabulary, &[0, 3]), [4]);
    assert_eq!(allowed(grammar, &vocabulary, &[0, 2]), [3]);
}

#[test]
fn what_follows_a_shared_rule_depends_on_the_caller() {
    let texts: [Option<&[u8]>; 8] =
        [Some(b"x"), Some(b"y"), Some(b"a"), Some(b"ab1"), Some(b"ab2"), Some(b"1"), Some(b"c2"), None];
    let vocabulary = TestVocabulary::new(&texts, &[7], 8);
    let grammar = vec![
        alternatives([
            sequence([literal(b"x"), call(1), literal(b"1")]),
            sequence([literal(b"y"), call(1), literal(b"2")]),
        ]),
        repetition(bytes(b"abc"), 1, None),
    ];
    assert_eq!(allowed(grammar.clone(), &vocabulary, &[0]), [2, 3]);
    assert_eq!(allowed(grammar.clone(), &vocabulary, &[0, 2]), [2, 3, 5]);
    assert_eq!(allowed(grammar.clone(), &vocabulary, &[1]), [2, 4, 6]);
    assert_eq!(allowed(grammar, &vocabulary, &[1, 6]), [7]);
}

#[test]
fn ambiguous_and_hidden_left_recursion_end() {
    let vocabulary = TestVocabulary::new(&[Some(b"a"), Some(b"aa"), Some(b"b"), None], &[3], 4);
    let twice = alternatives([sequence([call(0), call(0)]), literal(b"a")]);
    assert_eq!(allowed(vec![twice.clone()], &vocabulary, &[]), [0, 1]);
    assert_eq!(allowed(vec![twice], &vocabulary, &[0, 1, 1, 0]), [0, 1, 3]);
    let hidden = vec![
        alternatives([sequence([call(1), call(0), literal(b"b")]), literal(b"a")]),
        alternatives([empty(), call(1), call(0)]),
    ];
    assert_eq!(allowed(hidden.clone(), &vocabulary, &[0]), [0, 1, 2, 3]);
    assert_eq!(allowed(hidden, &vocabulary, &[0, 0]), [0, 1, 2]);
}

#[test]
fn what_derives_nothing_is_never_begun() {
    let vocabulary = TestVocabulary::new(&[Some(b"a"), Some(b"b"), None], &[2], 3);
    let grammar = vec![
        alternatives([
            sequence([literal(b"a"), call(1)]),
            sequence([literal(b"b"), repetition(call(1), 0, None)]),
        ]),
        sequence([call(1), literal(b"a")]),
    ];
    assert_eq!(allowed(grammar, &vocabulary, &[]), [1]);
    let missing_byte = sequence([alternatives([literal(b"a"), literal(b"bz")]), complement(nothing())]);
    assert_eq!(allowed(vec![missing_byte], &vocabulary, &[]), [0]);
    let disjoint = Description::new([intersection([
        repetition(literal(b"ab"), 1, None),
        repetition(literal(b"ba"), 0, None),
    ])]);
    assert!(Program::new(&disjoint, &vocabulary).is_empty());
}

#[test]
fn exact_tokens_are_matched_by_id_only() {
    let vocabulary = TestVocabulary::new(&[Some(b"a"), Some(b"a"), None, None], &[3], 4);
    assert_eq!(allowed(vec![sequence([tokens(&[1]), literal(b"a")])], &vocabulary, &[]), [1]);
    assert_eq!(allowed(vec![sequence([tokens(&[1]), literal(b"a")])], &vocabulary, &[1]), [0, 1]);
    assert_eq!(allowed(vec![tokens_but(&[0])], &vocabulary, &[]), [1, 2]);
}

#[test]
fn forced_bytes_stop_where_a_choice_or_an_end_is_possible() {
    let vocabulary = TestVocabulary::new(&[Some(b"a"), Some(b"b"), Some(b"c"), None], &[3], 4);
    let forced = |rule| {
        let program = Program::new(&Description::new([rule]), &vocabulary);
        Oracle::new(&Arc::new(program)).forced_bytes(10)
    };
    assert_eq!(forced(literals(&[b"aab", b"aac"])), b"aa");
    assert_eq!(forced(literals(&[b"ab", b"abc"])), b"ab");
    assert_eq!(forced(alternatives([literal(b"ab"), sequence([literal(b"a"), tokens(&[1])])])), b"a");
}
